"""Outbound webhooks: managing hooks, inspecting deliveries, resending, and reading events."""

from datetime import timedelta

from socialgate.areas.hooks.holding import DeliveryHolder
from socialgate.areas.hooks.routes import routes
from socialgate.areas.hooks.service import HookService
from socialgate.contracts.hooks import KeyHookService
from socialgate.core.db import Database
from socialgate.core.jobs.service import JobRun, JobType
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import purge_deleted_hooks
from socialgate.core.partitions import drop_expired_rows
from socialgate.core.settings import Settings
from socialgate.web.area import Area

# A deleted hook is kept this much longer than its last deliveries.
_DELETED_HOOK_GRACE = timedelta(days=7)


def _build_retention_job(db: Database, metrics: Metrics, settings: Settings) -> JobType:
    kept = timedelta(days=settings.retention_days)

    async def run(run: JobRun) -> None:
        del run
        removed = await db.write(purge_deleted_hooks, db.clock.now() - kept - _DELETED_HOOK_GRACE)
        metrics.maintenance_rows.labels("hooks").inc(removed)
        await drop_expired_rows(db, metrics, ("events", "deliveries"), kept)

    return JobType(name="hooks.retention", run=run, interval=timedelta(minutes=10), system=True, public=False)


AREA = Area(routes=routes, services={KeyHookService: HookService}, jobs=[_build_retention_job], holds=[DeliveryHolder])
