"""Calls that change something on a platform: recorded, made at most once, and with a known result."""

from collections.abc import Sequence

from socialgate.areas.operations.holding import OperationHolder
from socialgate.areas.operations.jobs import OperationLookupWorker, on_call_proven
from socialgate.areas.operations.routes import routes
from socialgate.areas.operations.service import OperationService
from socialgate.areas.operations.store import purge_operations
from socialgate.contracts.operations import ConnectOperationRunner, OperationConfirmed
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners() -> Sequence[FactListener]:
    return [OperationConfirmed.build_listener(on_call_proven)]


AREA = Area(
    routes=routes,
    services={ConnectOperationRunner: OperationService},
    workers=[OperationLookupWorker],
    fact_listeners=_build_listeners,
    purges={"operations": purge_operations},
    holds=[OperationHolder],
)
