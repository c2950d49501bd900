"""Webhooks from platforms: verified, stored and answered immediately, then processed."""

from datetime import timedelta

from socialgate.areas.inbound.erasing import StoredRequestEraser
from socialgate.areas.inbound.routes import routes
from socialgate.areas.inbound.store import purge_facts
from socialgate.areas.inbound.worker import InboundWorker
from socialgate.contracts.webhooks import StoredWebhooks
from socialgate.core.db import Database
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.metrics import Metrics
from socialgate.core.partitions import drop_expired_rows
from socialgate.web.area import Area

_INBOUND_RETENTION = timedelta(days=7)


def _build_retention_job(db: Database, metrics: Metrics) -> JobType:
    async def run(run: JobRun) -> None:
        del run
        await drop_expired_rows(db, metrics, ("inbound",), _INBOUND_RETENTION)

    return JobType(name="inbound.retention", run=run, interval=timedelta(minutes=10), system=True, public=False)


AREA = Area(
    routes=routes,
    services={StoredWebhooks: StoredRequestEraser},
    workers=[InboundWorker],
    jobs=[_build_retention_job],
    purges={"inbound_facts": purge_facts},
)
