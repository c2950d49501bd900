"""Profiles group the accounts that an owner connects. Every event belongs to one."""

from socialgate.areas.profiles.routes import routes
from socialgate.areas.profiles.service import Profiles
from socialgate.contracts.profiles import ProfileBook
from socialgate.web.area import Area

AREA = Area(routes=routes, services={ProfileBook: Profiles})
