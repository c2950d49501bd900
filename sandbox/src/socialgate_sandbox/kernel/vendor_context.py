"""What a vendor's code works with: its own state, the clock, its app, and requests to the product."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Protocol

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.files import FileStore
from socialgate_sandbox.kernel.outgoing_http import FetchedResponse
from socialgate_sandbox.kernel.rate_limit_windows import RateLimitWindows
from socialgate_sandbox.kernel.settings import AppRegistration, SandboxSettings
from socialgate_sandbox.kernel.store import Store, StoredObject
from socialgate_sandbox.kernel.webhook_sender import Webhook, WebhookState


class OutboundRequests(Protocol):
    """The requests that a vendor makes on its own."""

    def post(
        self, vendor: str, url: str, body: bytes, headers: Mapping[str, str], *, delay_seconds: float, secret: str
    ) -> None:
        """Send a webhook, with retries until it is accepted."""

    def list_webhooks(self, vendor: str | None, state: WebhookState | None, limit: int) -> list[Webhook]:
        """List the latest webhooks, newest first."""

    async def fetch(self, url: str, max_bytes: int) -> FetchedResponse | None:
        """Fetch something now."""


class Beginning(StoredObject):
    """When the first accounts were created: they grow from then on."""

    at: datetime


class VendorContext:
    """One vendor's part of the sandbox. Everything stored or sent through it belongs to that vendor."""

    def __init__(
        self,
        *,
        vendor: str,
        app: AppRegistration,
        settings: SandboxSettings,
        store: Store,
        clock: SandboxClock,
        files: FileStore,
        rate_limit_windows: RateLimitWindows,
        outbound: OutboundRequests,
        unreadable_objects: Collection[tuple[str, str]] = (),
    ) -> None:
        self.vendor = vendor
        self.app = app
        self.settings = settings
        self.store = store
        self.clock = clock
        self.files = files
        # The classes and ids of stored things that this version could not read.
        self.unreadable_objects = frozenset(unreadable_objects)
        # What is being done right now, held in memory.
        self.keys_in_use: set[str] = set()
        self._rate_limit_windows = rate_limit_windows
        self._outbound = outbound

    @property
    def url(self) -> str:
        """The address of this vendor's root, such as http://127.0.0.1:8790/meta."""
        return f"{self.settings.public_url}/{self.vendor}"

    def record_start(self) -> None:
        """Store the current time as the beginning, unless this world has already begun."""
        if self.store.get(Beginning, self.vendor) is None:
            self.store.put(Beginning(id=self.vendor, at=self.clock.now()))

    @property
    def started_at(self) -> datetime:
        beginning = self.store.get(Beginning, self.vendor)
        return self.clock.now() if beginning is None else beginning.at

    def send_webhook(
        self,
        body: bytes,
        headers: Mapping[str, str],
        *,
        url: str | None = None,
        delay_seconds: float = 0.0,
        secret: str = "",
    ) -> None:
        """Send a POST to the product, signed by the caller, after `delay_seconds` on the sandbox's clock.

        It is stored with the current transaction and retried according to the vendor's `webhook_retries`. Without a URL
        it goes to the app's webhook address. `secret` is for a vendor that signs each attempt.
        """
        self._outbound.post(
            self.vendor, url or self.app.webhook_url, body, headers, delay_seconds=delay_seconds, secret=secret
        )

    def list_webhooks(self, limit: int) -> list[Webhook]:
        """List the latest webhooks of this vendor, newest first, with every attempt to send them."""
        return self._outbound.list_webhooks(self.vendor, None, limit)

    async def fetch(self, url: str, limit: int = 1 << 20) -> FetchedResponse | None:
        """GET a URL that a caller provided: media to publish, or the challenge of a subscription.

        The response is read to its end unless it has more than `limit` bytes. None means that it was not fetched,
        because the sandbox only reaches this machine and the product: trust it.
        """
        return await self._outbound.fetch(url, limit)

    def try_use(self, name: str, limit: int, seconds: float = 60.0) -> bool:
        """Count one more use of a limit, such as `publish:<account>`. Returns False if that would be too many."""
        return self._rate_limit_windows.try_use(f"{self.vendor}:{name}", limit, seconds, self.clock.get_unix_time())

    def count_uses(self, name: str, seconds: float = 60.0) -> int:
        """Return how much of a limit is used up."""
        return self._rate_limit_windows.count_uses(f"{self.vendor}:{name}", seconds, self.clock.get_unix_time())
