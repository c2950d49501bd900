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

from socialgate import console, docs_site
from socialgate.areas import (
    accounts,
    ads,
    analytics,
    automations,
    billing,
    calendar,
    comments,
    commerce,
    connect_links,
    description,
    generation,
    hooks,
    identity,
    inbound,
    inbox,
    leads,
    mcp,
    media,
    operations,
    posts,
    profiles,
    tasks,
    usage,
)
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.description.api_documents import ApiDocuments
from socialgate.areas.identity.authentication import TokenAuthenticator
from socialgate.areas.identity.throttle import build_login_policies
from socialgate.areas.mcp.service import McpService
from socialgate.areas.media.http_client import MediaHttpClient
from socialgate.areas.operations.service import OperationService
from socialgate.areas.posts.tables import targets as post_targets
from socialgate.console.hosted.visit import build_page_policy
from socialgate.contracts.automations import AutomationTypeRegistry
from socialgate.contracts.billing import BillingConfig, Plans
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.generation import AiClientLoader
from socialgate.contracts.hooks import HookValidator
from socialgate.contracts.operations import OperationSeriesType, OperationType
from socialgate.contracts.sandbox_info import SandboxInfo
from socialgate.contracts.webhooks import ServiceWebhookReceivers
from socialgate.core.backlog import BacklogMonitor
from socialgate.core.clock import Clock
from socialgate.core.db import Database
from socialgate.core.encryption import load_keyring, register_key
from socialgate.core.fence import RestoreFence
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.service import JobRun, JobType, JobTypes
from socialgate.core.jobs.worker import JobWorker
from socialgate.core.metrics import Metrics
from socialgate.core.partitions import create_partitions
from socialgate.core.pauses import purge_pauses
from socialgate.core.quotas import purge_quotas
from socialgate.core.restores import RestoreHolder
from socialgate.core.service_container import ServiceContainer
from socialgate.core.settings import Settings
from socialgate.core.storage import Storage, open_storage
from socialgate.core.storage_watch import StorageWatch
from socialgate.core.worker_heartbeats import purge_workers
from socialgate.delivery.engine import DeliveryEngine
from socialgate.delivery.sender import DeliverySender
from socialgate.delivery.store_postgres import PostgresLaneStore
from socialgate.delivery.store_sqlite import SqliteLaneStore
from socialgate.entry.billing import build_billing_config
from socialgate.entry.customer_egress import build_customer_egress
from socialgate.entry.plan_config import load_plans
from socialgate.entry.platforms import SandboxConnection, build_platforms
from socialgate.entry.restoring import RestoreService
from socialgate.entry.worker import Worker
from socialgate.web.api_call_counter import ApiCallCounter
from socialgate.web.app import build_app
from socialgate.web.area import Area, Purge
from socialgate.web.idempotency import purge_idempotency_keys
from socialgate.web.rate_limits import RateLimiter, RateLimitPolicy, purge_rate_windows
from socialgate.web.route import get_requested_services
from socialgate.web.upload_limiter import UploadLimiter

AREAS: Sequence[Area] = (
    identity.AREA,
    profiles.AREA,
    accounts.AREA,
    media.AREA,
    connect_links.AREA,
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
    mcp.AREA,
    description.AREA,
    console.AREA,
    docs_site.AREA,
)
# What belongs to no area.
_SHARED_PURGES: dict[str, Purge] = {
    "idempotency_keys": purge_idempotency_keys,
    "pauses": purge_pauses,
    "quota_use": purge_quotas,
    "rate_windows": purge_rate_windows,
    "workers": purge_workers,
}
_PURGE_INTERVAL = timedelta(minutes=10)
# After the first responses, and before anybody needs a platform.
_LOAD_PLATFORMS_AFTER_SECONDS = 1.0


class Deployment:
    """A process that is assembled but not started yet."""

    def __init__(
        self,
        settings: Settings,
        clock: Clock,
        simulated: SandboxConnection | None = None,
        areas: Sequence[Area] = AREAS,
    ) -> None:
        self.settings = settings
        self.areas = areas
        self.db = Database(settings.effective_database_url, clock, pool_size=settings.database_pool)
        self.metrics = Metrics()
        self.metrics.database_connections.set_function(lambda: self.db.connections_in_use)
        self.keyring = load_keyring(settings)
        self.customer_egress = build_customer_egress(settings, simulated)
        self.platforms = build_platforms(settings, self.db, self.metrics, simulated)
        self.plans = load_plans(settings)
        self.shop, self.inbounds = build_billing_config(
            settings, self.plans, clock, simulated, self.platforms.build_wire
        )
        opened = None if simulated is None or simulated.requires_password else simulated
        self._sandbox = SandboxInfo(
            is_on=simulated is not None,
            url=None if opened is None else opened.url,
            receiver_url=None if opened is None else f"https://127.0.0.1:{opened.receiver_port}",
            simulates=self.platforms.simulates,
        )
        self.container = ServiceContainer()
        self._register_core_services(clock)
        for area in areas:
            for kind, builder in area.services.items():
                self.container.register_builder(kind, builder)
        for area in areas:
            if area.fact_listeners is not None:
                for fact, listener in self.container.call_with_services(area.fact_listeners):
                    self.db.facts.add_listener(fact, listener)

    def _register_core_services(self, clock: Clock) -> None:
        foundations: dict[Any, Any] = {
            Settings: self.settings,
            Clock: clock,
            Database: self.db,
            Metrics: self.metrics,
            type(self.keyring): self.keyring,
            ConnectorRegistry: self.platforms.catalogue,
            AiClientLoader: self.platforms.generators,
            HookValidator: self.customer_egress.hook_rules,
            MediaHttpClient: self.customer_egress.media_client,
            Storage: open_storage(self.settings),
            AutomationTypeRegistry: AutomationTypeRegistry(
                [automate for area in self.areas for automate in area.automation_types]
            ),
            Plans: self.plans,
            BillingConfig: self.shop,
            ServiceWebhookReceivers: self.inbounds,
            SandboxInfo: self._sandbox,
        }
        for kind, thing in foundations.items():
            self.container.register_instance(kind, thing)
        self.container.register_builder(BacklogMonitor, lambda: BacklogMonitor(self.db, self.metrics, post_targets))
        self.container.register_builder(RateLimiter, self._build_rate_limiter)
        self.container.register_builder(DeliveryEngine, self._build_delivery_engine)
        self.container.register_builder(JobTypes, self._job_types)
        self.container.register_builder(OperationService, self._build_operations)

    @cached_property
    def worker(self) -> Worker:
        backgrounds = [self.container.call_with_services(worker) for area in self.areas for worker in area.workers]
        return Worker(self.db, [self.container.get(DeliveryEngine), self.container.get(JobWorker), *backgrounds])

    @cached_property
    def restore_holders(self) -> Sequence[RestoreHolder]:
        """What a restored backup holds back."""
        return [
            self.container.get(JobHolder),
            *(self.container.call_with_services(hold) for area in self.areas for hold in area.holds),
        ]

    @cached_property
    def restore_fence(self) -> RestoreFence:
        return RestoreFence(self.db, self.container.get(Storage))

    @cached_property
    def restore_service(self) -> RestoreService:
        return RestoreService(self.db, self.restore_fence, lambda: self.restore_holders)

    @asynccontextmanager
    async def run_restore_fence(self) -> AsyncIterator[None]:
        """Hold back what may have been done since a backup was made, and remember outside what is done from now on."""
        await self.restore_service.detect_restore()
        keeping = asyncio.create_task(self.restore_fence.run())
        try:
            yield
        finally:
            self.restore_fence.stop()
            await keeping

    @cached_property
    def app(self) -> Litestar:
        return self._app_and_asgi[0]

    @property
    def asgi_app(self) -> ASGIApp:
        """What a server runs: the app in its request context."""
        return self._app_and_asgi[1]

    async def close(self) -> None:
        await self.container.close()
        self.customer_egress.close()
        self.platforms.close()
        await self.db.close()

    @cached_property
    def _app_and_asgi(self) -> tuple[Litestar, ASGIApp]:
        routes = [route for area in self.areas for route in area.routes]
        service_types: dict[str, type] = {}
        for route in routes:
            for name, kind in get_requested_services(route).items():
                known = service_types.setdefault(name, kind)
                assert known is kind, f"{name} is a {known.__name__} in one handler and a {kind.__name__} in another"
        app, asgi = build_app(
            routes=routes,
            services_by_name={name: self.container.get(kind) for name, kind in service_types.items()},
            db=self.db,
            settings=self.settings,
            credentials=self.container.get(TokenAuthenticator),
            limiter=self.container.get(RateLimiter),
            calls=self.container.get(ApiCallCounter),
            uploads=self.container.get(UploadLimiter),
            metrics=self.metrics,
            lifespan=[self._lifespan],
        )
        self.container.get(ApiDocuments).attach_app(app)
        self.container.get(McpService).attach_app(asgi)
        return app, asgi

    @asynccontextmanager
    async def _lifespan(self, _app: Litestar) -> AsyncIterator[None]:
        await self.db.write(register_key, self.keyring)
        if self.settings.database_url is not None:
            self.db.wakeups.connect(self.settings.database_url)
        self.container.get(StorageWatch).start()
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self.close)
            await stack.enter_async_context(self.run_restore_fence())
            if self.settings.runs_embedded_worker:
                await stack.enter_async_context(self._run_worker())
            loop = asyncio.get_running_loop()
            loading = loop.call_later(
                _LOAD_PLATFORMS_AFTER_SECONDS, loop.run_in_executor, None, self.platforms.catalogue.load
            )
            stack.callback(loading.cancel)
            yield

    @asynccontextmanager
    async def _run_worker(self) -> AsyncIterator[None]:
        await self.worker.announce_start()
        running = asyncio.create_task(self.worker.run())
        try:
            yield
        finally:
            self.worker.stop()
            await running

    def _build_rate_limiter(self) -> RateLimiter:
        default = RateLimitPolicy("default", limit=self.settings.rate_limit, window_seconds=60)
        policies = {
            "default": default,
            **build_login_policies(self.settings.login_limit),
            **build_page_policy(self.settings.connect_page_limit),
        }
        return RateLimiter(self.db, self.db.clock, self.metrics, policies)

    def _build_delivery_engine(self) -> DeliveryEngine:
        settings = self.settings
        return DeliveryEngine(
            store=SqliteLaneStore(settings.sqlite_path, self.db.take_writer_turn)
            if settings.database_url is None
            else PostgresLaneStore(settings.database_url),
            sender=DeliverySender(self.customer_egress.hook_client, self.db.clock, settings.hook_deadline_seconds),
            keyring=self.keyring,
            wakeups=self.db.wakeups,
            clock=self.db.clock,
            metrics=self.metrics,
            schedule=self.customer_egress.schedule,
            lease=timedelta(seconds=settings.hook_lease_seconds),
        )

    def _job_types(self) -> JobTypes:
        builders: list[Callable[..., JobType]] = [job for area in self.areas for job in area.jobs]
        return JobTypes([self._build_purge_job(), *map(self.container.call_with_services, builders)])

    def _build_operations(self, session: AccountSession) -> OperationService:
        declared = [operation for area in self.areas for operation in area.operations]
        types = [
            item if isinstance(item, OperationType | OperationSeriesType) else self.container.call_with_services(item)
            for item in declared
        ]
        connects = [
            operation_type
            for area in self.areas
            if area.connect_types
            for operation_type in self.container.call_with_services(area.connect_types)
        ]
        return OperationService(self.db, session, self.keyring, [*types, *connects])

    def _build_purge_job(self) -> JobType:
        purges = {**_SHARED_PURGES, **{table: purge for area in self.areas for table, purge in area.purges.items()}}

        async def run(run: JobRun) -> None:
            del run
            for table, purge in purges.items():
                removed = await self.db.write(purge, self.db.clock.now())
                self.metrics.maintenance_rows.labels(table).inc(removed)
            await self.restore_service.prune_holds()
            await create_partitions(self.db)

        return JobType(name="purge", run=run, interval=_PURGE_INTERVAL, system=True, public=False)
