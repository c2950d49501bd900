"""The documentation as pages: guides from `docs`, and a reference that is made from the declarations."""

from socialgate.docs_site.routes import routes
from socialgate.web.area import Area

AREA = Area(routes=routes)
