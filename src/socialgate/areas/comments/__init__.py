"""Comments and reviews: read live from the platform, and written, hidden and deleted there at most once."""

from socialgate.areas.comments.automations import AUTOMATES
from socialgate.areas.comments.routes import routes
from socialgate.areas.comments.service import CREATE, DELETE, HIDE
from socialgate.web.area import Area

AREA = Area(routes=routes, operations=[CREATE, HIDE, DELETE], automates=AUTOMATES)
