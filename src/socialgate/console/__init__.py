"""Pages for people over the same services as the API. No rules and no queries of their own, and no script."""

from socialgate.console.routes import routes
from socialgate.web.area import Area

AREA = Area(routes=routes)
