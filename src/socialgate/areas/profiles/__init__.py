"""Profiles group the accounts that an owner connects. Every event belongs to one."""

from socialgate.areas.profiles.routes import routes
from socialgate.areas.profiles.service import ProfileService
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.web.area import Area

AREA = Area(routes=routes, services={ProfileDirectory: ProfileService})
