"""Language models use the API at `/mcp`, with tools that call its routes. Needs the extra `mcp`."""

from socialgate.areas.mcp.routes import routes
from socialgate.web.area import Area

AREA = Area(routes=routes)
