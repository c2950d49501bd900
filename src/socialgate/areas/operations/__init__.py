"""Calls that change something on a platform: recorded, made at most once, and with a known result."""

from collections.abc import Sequence

from socialgate.areas.operations.holding import OperationHolder
from socialgate.areas.operations.jobs import Lookups, look_soon
from socialgate.areas.operations.routes import routes
from socialgate.areas.operations.service import Operations
from socialgate.areas.operations.store import purge_operations
from socialgate.contracts.operations import CallProven, Connecting
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens() -> Sequence[FactListener]:
    return [CallProven.heard_by(look_soon)]


AREA = Area(
    routes=routes,
    services={Connecting: Operations},
    workers=[Lookups],
    listens=_listens,
    purges={"operations": purge_operations},
    holds=[OperationHolder],
)
