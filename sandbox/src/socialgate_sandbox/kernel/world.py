"""What a vendor's code works with: its own state, the clock, its app, and requests to the product."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.fetch import Fetched
from socialgate_sandbox.kernel.files import Files
from socialgate_sandbox.kernel.hooks_out import State, Webhook
from socialgate_sandbox.kernel.settings import App, SandboxSettings
from socialgate_sandbox.kernel.store import Store, Thing
from socialgate_sandbox.kernel.windows import Windows


class Outbound(Protocol):
    """The requests that a vendor makes on its own."""

    def post(
        self, vendor: str, url: str, body: bytes, headers: Mapping[str, str], *, after: float, secret: str
    ) -> None:
        """Send a webhook, with retries until it is accepted."""

    def find(self, vendor: str | None, state: State | None, limit: int) -> list[Webhook]:
        """List the latest webhooks, newest first."""

    async def fetch(self, url: str, most: int) -> Fetched | None:
        """Fetch something now."""


class Beginning(Thing):
    """When the first accounts were created: they grow from then on."""

    at: datetime


class World:
    """One vendor's part of the sandbox. Everything stored or sent through it belongs to that vendor."""

    def __init__(
        self,
        *,
        vendor: str,
        app: App,
        settings: SandboxSettings,
        store: Store,
        clock: SandboxClock,
        files: Files,
        windows: Windows,
        outbound: Outbound,
        lost: Collection[tuple[str, str]] = (),
    ) -> None:
        self.vendor = vendor
        self.app = app
        self.settings = settings
        self.store = store
        self.clock = clock
        self.files = files
        # The classes and ids of stored things that this version could not read.
        self.lost = frozenset(lost)
        # What is being done right now, held in memory.
        self.busy: set[str] = set()
        self._windows = windows
        self._outbound = outbound

    @property
    def url(self) -> str:
        """The address of this vendor's root, such as http://127.0.0.1:8790/meta."""
        return f"{self.settings.public_url}/{self.vendor}"

    def begin(self) -> None:
        """Store the current time as the beginning, unless this world has already begun."""
        if self.store.get(Beginning, self.vendor) is None:
            self.store.put(Beginning(id=self.vendor, at=self.clock.now()))

    @property
    def began(self) -> datetime:
        beginning = self.store.get(Beginning, self.vendor)
        return self.clock.now() if beginning is None else beginning.at

    def send_webhook(
        self, body: bytes, headers: Mapping[str, str], *, url: str | None = None, after: float = 0.0, secret: str = ""
    ) -> None:
        """Send a POST to the product, signed by the caller, `after` this many seconds on the sandbox's clock.

        It is stored with the current transaction and retried according to the vendor's `webhook_retries`. Without a URL
        it goes to the app's webhook address. `secret` is for a vendor that signs each attempt.
        """
        self._outbound.post(self.vendor, url or self.app.webhook_url, body, headers, after=after, secret=secret)

    def webhooks(self, most: int) -> list[Webhook]:
        """List the latest webhooks of this vendor, newest first, with every attempt to send them."""
        return self._outbound.find(self.vendor, None, most)

    async def fetch(self, url: str, most: int = 1 << 20) -> Fetched | None:
        """GET a URL that a caller provided: media to publish, or the challenge of a subscription.

        The response is read to its end unless it has more than `most` bytes. None means that it was not fetched,
        because the sandbox only reaches this machine and the product: trust it.
        """
        return await self._outbound.fetch(url, most)

    def allow(self, name: str, most: int, seconds: float = 60.0) -> bool:
        """Count one more use of a limit, such as `publish:<account>`. Returns False if that would be too many."""
        return self._windows.allow(f"{self.vendor}:{name}", most, seconds, self.clock.time())

    def used(self, name: str, seconds: float = 60.0) -> int:
        """Return how much of a limit is used up."""
        return self._windows.used(f"{self.vendor}:{name}", seconds, self.clock.time())
