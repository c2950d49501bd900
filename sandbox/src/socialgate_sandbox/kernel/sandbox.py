"""The parts of a running sandbox, assembled."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from socialgate_sandbox.kernel.call_log import CallLog
from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.deployments import DeploymentRegistry
from socialgate_sandbox.kernel.faults import FaultRegistry
from socialgate_sandbox.kernel.files import FileStore
from socialgate_sandbox.kernel.hook_receiver_log import HookReceiverLog
from socialgate_sandbox.kernel.outgoing_http import OutgoingHttpClient
from socialgate_sandbox.kernel.rate_limit_windows import RateLimitWindows
from socialgate_sandbox.kernel.settings import AppRegistration, SandboxSettings
from socialgate_sandbox.kernel.state_upgrade import UpgradeResult, create_backup, upgrade_state
from socialgate_sandbox.kernel.store import Database, StaleStateError
from socialgate_sandbox.kernel.vendor import Vendor
from socialgate_sandbox.kernel.vendor_context import VendorContext
from socialgate_sandbox.kernel.webhook_sender import WebhookSender

# State that belongs to no vendor is stored under this name.
_SHARED_VENDOR_NAME = ""
# How late vendors may do what is due by the clock, as long as nobody moves it.
_CATCH_UP_INTERVAL_SECONDS = 60


class Sandbox:
    def __init__(self, settings: SandboxSettings, vendors: Sequence[Vendor]) -> None:
        self.settings = settings
        self.vendors = {vendor.name: vendor for vendor in vendors}
        self.shutdown_event = asyncio.Event()
        self._database = Database(settings.data_dir / "sandbox.db")
        self.upgrade_result = upgrade_state(self._database)
        self._store = self._database.get_store(_SHARED_VENDOR_NAME)
        self.http_client = OutgoingHttpClient(settings.gateway_url)
        self.deployments = DeploymentRegistry(self._store)
        with self._database.transaction():
            self.deployments.start(settings.deployment, settings.gateway_url.rstrip("/"))
        self.clock = SandboxClock(self._store)
        self.faults = FaultRegistry(self._store)
        self.received = CallLog(self._store)
        retries = {vendor.name: vendor.webhook_retry_delays for vendor in vendors}
        signers = {vendor.name: vendor.sign_webhook for vendor in vendors if vendor.sign_webhook is not None}
        self.webhook_sender = WebhookSender(
            self._store, self.clock, self.http_client, self.deployments, retries, signers
        )
        self.receiver_log = HookReceiverLog(self._store)
        files, self._rate_limit_windows = FileStore(settings.data_dir / "sandbox-files"), RateLimitWindows()
        self.contexts = {
            vendor.name: VendorContext(
                vendor=vendor.name,
                app=resolve_app(vendor, settings),
                settings=settings,
                store=self._database.get_store(vendor.name),
                clock=self.clock,
                files=files,
                rate_limit_windows=self._rate_limit_windows,
                outbound=self.webhook_sender,
                unreadable_objects=self.upgrade_result.removed_objects.get(vendor.name, ()),
            )
            for vendor in vendors
        }
        self._seed_or_reset()

    def reset(self) -> None:
        """Delete everything, including rate limits, and start over. Where the product is stays known."""
        with self._database.transaction():
            gateways = self.deployments.list_deployments()
            self._database.delete_all()
            self.deployments.store_all(gateways)
            self.clock.reset()
            self._seed_vendors()
        self._rate_limit_windows.clear()
        self.webhook_sender.wake()

    def run_due_work(self) -> None:
        """Let every vendor do what is due, after the clock was moved."""
        for name, vendor in self.vendors.items():
            with self._database.transaction():
                vendor.run_due_work(self.contexts[name])
        self.webhook_sender.wake()

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self.webhook_sender.run()), asyncio.create_task(self._run_due_work_repeatedly())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.http_client.close()
            self._database.close()

    async def _run_due_work_repeatedly(self) -> None:
        while True:
            self.run_due_work()
            await asyncio.sleep(_CATCH_UP_INTERVAL_SECONDS)

    def _seed_or_reset(self) -> None:
        try:
            with self._database.transaction():
                self._seed_vendors()
        except StaleStateError:
            # A simulation that starts over is better than one that cannot start.
            self.upgrade_result = UpgradeResult(backup_path=create_backup(self._database), replaced_everything=True)
            for world in self.contexts.values():
                world.unreadable_objects = frozenset()
            self.reset()

    def _seed_vendors(self) -> None:
        for name, vendor in self.vendors.items():
            world = self.contexts[name]
            world.record_start()
            vendor.seed(world)
            world.unreadable_objects = frozenset()


def resolve_app(vendor: Vendor, settings: SandboxSettings) -> AppRegistration:
    """Return how the product is registered with a vendor: from the settings, or else from the vendor's package."""
    app = settings.apps.get(vendor.name, vendor.app)
    gateway = settings.gateway_url.rstrip("/")
    return msgspec.structs.replace(
        app,
        webhook_url=app.webhook_url or f"{gateway}/webhooks/{vendor.name}",
        redirect_urls=app.redirect_urls or (f"{gateway}/connect/{vendor.name}/callback",),
    )
