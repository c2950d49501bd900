"""Web pages on top of the same services as the API. They contain no rules, no queries and no JavaScript."""

from socialgate.console.routes import routes
from socialgate.web.area import Area

AREA = Area(routes=routes)
