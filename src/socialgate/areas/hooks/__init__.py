"""Outbound webhooks: managing hooks, inspecting deliveries, resending, and reading events."""

from datetime import timedelta

from socialgate.areas.hooks.holding import DeliveryHolder
from socialgate.areas.hooks.routes import routes
from socialgate.areas.hooks.service import Hooks
from socialgate.contracts.hooks import HookBook
from socialgate.core.db import Database
from socialgate.core.jobs.jobs import JobType, Run
from socialgate.core.metrics import Metrics
from socialgate.core.outbox import purge_deleted_hooks
from socialgate.core.partitions import drop_old
from socialgate.core.settings import Settings
from socialgate.web.area import Area

# A deleted hook is kept this much longer than its last deliveries.
_LEFT_OVER = timedelta(days=7)


def _retention(db: Database, metrics: Metrics, settings: Settings) -> JobType:
    kept = timedelta(days=settings.retention_days)

    async def run(run: Run) -> None:
        del run
        removed = await db.write(purge_deleted_hooks, db.clock.now() - kept - _LEFT_OVER)
        metrics.maintenance_rows.labels("hooks").inc(removed)
        await drop_old(db, metrics, ("events", "deliveries"), kept)

    return JobType(name="hooks.retention", run=run, every=timedelta(minutes=10), system=True, public=False)


AREA = Area(routes=routes, services={HookBook: Hooks}, jobs=[_retention], holds=[DeliveryHolder])
