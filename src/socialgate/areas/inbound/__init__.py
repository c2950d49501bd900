"""Webhooks from platforms: verified, stored and answered immediately, then processed."""

from datetime import timedelta

from socialgate.areas.inbound.jobs import InboundWorker
from socialgate.areas.inbound.routes import routes
from socialgate.areas.inbound.store import purge_facts
from socialgate.core.db import Database
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.metrics import Metrics
from socialgate.core.partitions import drop_old
from socialgate.web.area import Area

_KEPT = timedelta(days=7)


def _retention(db: Database, metrics: Metrics) -> JobType:
    async def run(run: Run) -> None:
        del run
        await drop_old(db, metrics, ("inbound",), _KEPT)

    return JobType(name="inbound.retention", run=run, every=timedelta(minutes=10), system=True, public=False)


AREA = Area(routes=routes, workers=[InboundWorker], jobs=[_retention], purges={"inbound_facts": purge_facts})
