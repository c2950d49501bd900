"""Everything in one process, assembled: `serve`, `work` and the tests share it.

The areas declare what they contain. What they use but do not create is here: the database, the keys, the platforms, and
the clients for outgoing requests.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import timedelta
from functools import cached_property
from typing import Any

from litestar import Litestar
from litestar.types import ASGIApp

from socialgate import console
from socialgate.areas import (
    accounts,
    ads,
    analytics,
    automations,
    billing,
    calendar,
    comments,
    commerce,
    description,
    generation,
    hooks,
    identity,
    inbound,
    inbox,
    leads,
    media,
    operations,
    posts,
    profiles,
    tasks,
    usage,
)
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.description.documents import Documents
from socialgate.areas.identity.credentials import TokenBook
from socialgate.areas.identity.throttle import login_policies
from socialgate.areas.media.door import MediaDoor
from socialgate.areas.operations.service import Operations
from socialgate.areas.posts.tables import targets as post_targets
from socialgate.contracts.automations import AutomationTypes
from socialgate.contracts.billing import Plans, Shop
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.generation import Generators
from socialgate.contracts.hooks import HookRules
from socialgate.contracts.inbound import ServiceInbounds
from socialgate.contracts.operations import OperationType, SeriesType
from socialgate.core.backlog import Backlog
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.fence import Fence
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.jobs import JobType, JobTypes, Run
from socialgate.core.jobs.worker import JobWorker
from socialgate.core.metrics import Metrics
from socialgate.core.partitions import make_partitions
from socialgate.core.parts import Parts
from socialgate.core.pauses import purge_pauses
from socialgate.core.quotas import purge_quotas
from socialgate.core.restores import Holder
from socialgate.core.secrets import load_keyring, register_key
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage, open_storage
from socialgate.core.storage_watch import StorageWatch
from socialgate.core.workers import purge_workers
from socialgate.delivery.send import Sender
from socialgate.delivery.store_postgres import PostgresLanes
from socialgate.delivery.store_sqlite import SqliteLanes
from socialgate.delivery.worker import Engine
from socialgate.entry.billing import open_shop
from socialgate.entry.outgoing import open_outgoing
from socialgate.entry.plans import load_plans
from socialgate.entry.platforms import Simulated, open_catalogue
from socialgate.entry.restoring import Restoring
from socialgate.entry.worker import Worker
from socialgate.web.app import build_app
from socialgate.web.area import Area, Purge
from socialgate.web.calls import ApiCalls
from socialgate.web.idempotency import purge_idempotency_keys
from socialgate.web.limits import Policy, RateLimiter, purge_rate_windows
from socialgate.web.route import asked_by

AREAS: Sequence[Area] = (
    identity.AREA,
    profiles.AREA,
    accounts.AREA,
    media.AREA,
    posts.AREA,
    comments.AREA,
    ads.AREA,
    commerce.AREA,
    calendar.AREA,
    inbox.AREA,
    analytics.AREA,
    leads.AREA,
    generation.AREA,
    hooks.AREA,
    # Usage is limited by plans, which billing knows.
    billing.AREA,
    usage.AREA,
    inbound.AREA,
    automations.AREA,
    operations.AREA,
    tasks.AREA,
    description.AREA,
    console.AREA,
)
# What belongs to no area.
_PURGES: dict[str, Purge] = {
    "idempotency_keys": purge_idempotency_keys,
    "pauses": purge_pauses,
    "quota_use": purge_quotas,
    "rate_windows": purge_rate_windows,
    "workers": purge_workers,
}
_PURGE_EVERY = timedelta(minutes=10)
# After the first responses, and before anybody needs a platform.
_LOAD_AFTER_SECONDS = 1.0


class Deployment:
    """A process that is assembled but not started yet."""

    def __init__(
        self, settings: Settings, clock: Clock, simulated: Simulated | None = None, areas: Sequence[Area] = AREAS
    ) -> None:
        self.settings = settings
        self.areas = areas
        self.db = Database(settings.database, clock, pool_size=settings.database_pool)
        self.metrics = Metrics()
        self.metrics.database_connections.set_function(lambda: self.db.connections_in_use)
        self.keyring = load_keyring(settings)
        self.outgoing = open_outgoing(settings, simulated)
        self.platforms = open_catalogue(settings, self.db, self.metrics, simulated)
        self.plans = load_plans(settings)
        self.shop, self.inbounds = open_shop(settings, self.plans, clock, simulated, self.platforms.wire)
        self.parts = Parts()
        self._put_foundations(clock)
        for area in areas:
            for kind, builder in area.services.items():
                self.parts.provide(kind, builder)
            if area.listens is not None:
                for fact, listener in self.parts.build(area.listens):
                    self.db.facts.listen(fact, listener)

    def _put_foundations(self, clock: Clock) -> None:
        foundations: dict[Any, Any] = {
            Settings: self.settings,
            Clock: clock,
            Database: self.db,
            Metrics: self.metrics,
            type(self.keyring): self.keyring,
            Catalogue: self.platforms.catalogue,
            Generators: self.platforms.generators,
            HookRules: self.outgoing.rules,
            MediaDoor: self.outgoing.fetching,
            Storage: open_storage(self.settings),
            AutomationTypes: AutomationTypes([one for area in self.areas for one in area.automates]),
            Plans: self.plans,
            Shop: self.shop,
            ServiceInbounds: self.inbounds,
        }
        for kind, thing in foundations.items():
            self.parts.put(kind, thing)
        self.parts.provide(Backlog, lambda: Backlog(self.db, self.metrics, post_targets))
        self.parts.provide(RateLimiter, self._limiter)
        self.parts.provide(Engine, self._engine)
        self.parts.provide(JobTypes, self._job_types)
        self.parts.provide(Operations, self._operations)

    @cached_property
    def worker(self) -> Worker:
        backgrounds = [self.parts.build(one) for area in self.areas for one in area.workers]
        return Worker(self.db, [self.parts.get(Engine), self.parts.get(JobWorker), *backgrounds])

    @cached_property
    def holders(self) -> Sequence[Holder]:
        """What a restored backup holds back."""
        return [self.parts.get(JobHolder), *(self.parts.build(one) for area in self.areas for one in area.holds)]

    @cached_property
    def fence(self) -> Fence:
        return Fence(self.db, self.parts.get(Storage))

    @cached_property
    def restoring(self) -> Restoring:
        return Restoring(self.db, self.fence, lambda: self.holders)

    @asynccontextmanager
    async def fenced(self) -> AsyncIterator[None]:
        """Hold back what may have been done since a backup was made, and remember outside what is done from now on."""
        await self.restoring.notice()
        keeping = asyncio.create_task(self.fence.run())
        try:
            yield
        finally:
            self.fence.stop()
            await keeping

    @cached_property
    def app(self) -> Litestar:
        return self._built[0]

    @property
    def asgi(self) -> ASGIApp:
        """What a server runs: the app in its request context."""
        return self._built[1]

    async def close(self) -> None:
        await self.parts.close()
        self.outgoing.close()
        self.platforms.close()
        await self.db.close()

    @cached_property
    def _built(self) -> tuple[Litestar, ASGIApp]:
        routes = [route for area in self.areas for route in area.routes]
        asked = {name: kind for route in routes for name, kind in asked_by(route).items()}
        app, asgi = build_app(
            routes=routes,
            provided={name: self.parts.get(kind) for name, kind in asked.items()},
            db=self.db,
            settings=self.settings,
            credentials=self.parts.get(TokenBook),
            limiter=self.parts.get(RateLimiter),
            calls=self.parts.get(ApiCalls),
            metrics=self.metrics,
            lifespan=[self._lifespan],
        )
        self.parts.get(Documents).describe(app)
        return app, asgi

    @asynccontextmanager
    async def _lifespan(self, _app: Litestar) -> AsyncIterator[None]:
        await self.db.write(register_key, self.keyring)
        if self.settings.database_url is not None:
            self.db.wakeups.connect(self.settings.database_url)
        self.parts.get(StorageWatch).start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.close)
            await stack.enter_async_context(self.fenced())
            if self.settings.worker_inside:
                await stack.enter_async_context(self._working())
            loop = asyncio.get_running_loop()
            loading = loop.call_later(_LOAD_AFTER_SECONDS, loop.run_in_executor, None, self.platforms.catalogue.load)
            stack.callback(loading.cancel)
            yield

    @asynccontextmanager
    async def _working(self) -> AsyncIterator[None]:
        await self.worker.begin()
        running = asyncio.create_task(self.worker.run())
        try:
            yield
        finally:
            self.worker.stop()
            await running

    def _limiter(self) -> RateLimiter:
        default = Policy("default", limit=self.settings.rate_limit, seconds=60)
        policies = {"default": default, **login_policies(self.settings.login_limit)}
        return RateLimiter(self.db, self.db.clock, self.metrics, policies)

    def _engine(self) -> Engine:
        settings = self.settings
        return Engine(
            store=SqliteLanes(settings.sqlite_path, self.db.writing)
            if settings.database_url is None
            else PostgresLanes(settings.database_url),
            sender=Sender(self.outgoing.door, self.db.clock, settings.hook_deadline_seconds),
            keyring=self.keyring,
            wakeups=self.db.wakeups,
            clock=self.db.clock,
            metrics=self.metrics,
            schedule=self.outgoing.schedule,
            lease=timedelta(seconds=settings.hook_lease_seconds),
        )

    def _job_types(self) -> JobTypes:
        builders: list[Callable[..., JobType]] = [one for area in self.areas for one in area.jobs]
        return JobTypes([self._purge(), *map(self.parts.build, builders)])

    def _operations(self, session: AccountSession) -> Operations:
        declared = [one for area in self.areas for one in area.operations]
        types = [one if isinstance(one, OperationType | SeriesType) else self.parts.build(one) for one in declared]
        connects = [one for area in self.areas if area.connects for one in self.parts.build(area.connects)]
        return Operations(self.db, session, self.keyring, [*types, *connects])

    def _purge(self) -> JobType:
        purges = {**_PURGES, **{table: purge for area in self.areas for table, purge in area.purges.items()}}

        async def run(run: Run) -> None:
            del run
            for table, purge in purges.items():
                removed = await self.db.write(purge, self.db.clock.now())
                self.metrics.maintenance_rows.labels(table).inc(removed)
            await self.restoring.prune()
            await make_partitions(self.db)

        return JobType(name="purge", run=run, every=_PURGE_EVERY, system=True, public=False)
