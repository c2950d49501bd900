"""The parts of a running sandbox, assembled."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import msgspec

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.faults import Faults
from socialgate_sandbox.kernel.fetch import Web
from socialgate_sandbox.kernel.files import Files
from socialgate_sandbox.kernel.gateways import Gateways
from socialgate_sandbox.kernel.hooks_out import Postman
from socialgate_sandbox.kernel.inbox import Inbox
from socialgate_sandbox.kernel.received import Received
from socialgate_sandbox.kernel.settings import App, SandboxSettings
from socialgate_sandbox.kernel.store import Database, StaleState
from socialgate_sandbox.kernel.upgrade import Upgrade, keep_copy, upgrade
from socialgate_sandbox.kernel.vendor import Vendor
from socialgate_sandbox.kernel.windows import Windows
from socialgate_sandbox.kernel.world import World

# State that belongs to no vendor is stored under this name.
_KERNEL = ""
# How late vendors may do what is due by the clock, as long as nobody moves it.
_PAUSE_SECONDS = 60


class Kernel:
    def __init__(self, settings: SandboxSettings, vendors: Sequence[Vendor]) -> None:
        self.settings = settings
        self.vendors = {vendor.name: vendor for vendor in vendors}
        self.stopping = asyncio.Event()
        self._database = Database(settings.data_dir / "sandbox.db")
        self.upgrade = upgrade(self._database)
        self._store = self._database.store(_KERNEL)
        self.web = Web(settings.gateway_url)
        self.gateways = Gateways(self._store)
        with self._database.transaction():
            self.gateways.start(settings.deployment, settings.gateway_url.rstrip("/"))
        self.clock = SandboxClock(self._store)
        self.faults = Faults(self._store)
        self.received = Received(self._store)
        retries = {vendor.name: vendor.webhook_retries for vendor in vendors}
        signers = {vendor.name: vendor.sign for vendor in vendors if vendor.sign is not None}
        self.postman = Postman(self._store, self.clock, self.web, self.gateways, retries, signers)
        self.inbox = Inbox(self._store)
        files, self._windows = Files(settings.data_dir / "sandbox-files"), Windows()
        self.worlds = {
            vendor.name: World(
                vendor=vendor.name,
                app=app_of(vendor, settings),
                settings=settings,
                store=self._database.store(vendor.name),
                clock=self.clock,
                files=files,
                windows=self._windows,
                outbound=self.postman,
                lost=self.upgrade.lost.get(vendor.name, ()),
            )
            for vendor in vendors
        }
        self._seed()

    def reset(self) -> None:
        """Delete everything, including rate limits, and start over. Where the product is stays known."""
        with self._database.transaction():
            gateways = self.gateways.all()
            self._database.clear()
            self.gateways.restore(gateways)
            self.clock.reset()
            self._plant()
        self._windows.clear()
        self.postman.wake()

    def catch_up(self) -> None:
        """Let every vendor do what is due, after the clock was moved."""
        for name, vendor in self.vendors.items():
            with self._database.transaction():
                vendor.catch_up(self.worlds[name])
        self.postman.wake()

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(self.postman.run()), asyncio.create_task(self._keep_up())]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.web.close()
            self._database.close()

    async def _keep_up(self) -> None:
        while True:
            self.catch_up()
            await asyncio.sleep(_PAUSE_SECONDS)

    def _seed(self) -> None:
        try:
            with self._database.transaction():
                self._plant()
        except StaleState:
            # A simulation that starts over is better than one that cannot start.
            self.upgrade = Upgrade(kept_as=keep_copy(self._database), is_whole=True)
            for world in self.worlds.values():
                world.lost = frozenset()
            self.reset()

    def _plant(self) -> None:
        for name, vendor in self.vendors.items():
            world = self.worlds[name]
            world.begin()
            vendor.seed(world)
            world.lost = frozenset()


def app_of(vendor: Vendor, settings: SandboxSettings) -> App:
    """Return how the product is registered with a vendor: from the settings, or else from the vendor's package."""
    app = settings.apps.get(vendor.name, vendor.app)
    gateway = settings.gateway_url.rstrip("/")
    return msgspec.structs.replace(
        app,
        webhook_url=app.webhook_url or f"{gateway}/webhooks/{vendor.name}",
        redirect_urls=app.redirect_urls or (f"{gateway}/connect/{vendor.name}/callback",),
    )
