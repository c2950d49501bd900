from socialgate.areas.calendar.routes import routes
from socialgate.areas.calendar.service import CREATE, DELETE, PATCH
from socialgate.web.area import Area

AREA = Area(routes=routes, operations=[CREATE, PATCH, DELETE])
