"""Calls that change something on a platform: begun, made at most once, and known."""

from socialgate.areas.operations.jobs import Lookups
from socialgate.areas.operations.routes import routes
from socialgate.areas.operations.service import Operations
from socialgate.areas.operations.store import purge_operations
from socialgate.contracts.operations import Connecting
from socialgate.web.area import Area

AREA = Area(
    routes=routes,
    services={Connecting: Operations},
    workers=[Lookups],
    purges={"operations": purge_operations},
)
