"""Web pages on top of the same services as the API. They contain no rules and no queries."""

from socialgate.console.navigation import Navigation
from socialgate.console.pages import PAGES
from socialgate.console.routes import routes
from socialgate.web.area import Area


def _build_navigation() -> Navigation:
    return Navigation(page.entry for page in PAGES if page.entry is not None)


AREA = Area(routes=routes, services={Navigation: _build_navigation})
