"""Webhooks from the platforms to the product: stored first, sent in the background, retried until accepted."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.deployments import DeploymentRegistry
from socialgate_sandbox.kernel.outgoing_http import FetchedResponse, OutgoingHttpClient
from socialgate_sandbox.kernel.store import Store, StoredObject

WebhookSendMode = Literal["normal", "duplicate", "hold"]
WebhookState = Literal["waiting", "held", "delivered", "failed"]
Signer: TypeAlias = Callable[[str, bytes], Mapping[str, str]]
"""Returns the headers that sign a body with a secret."""

_MAX_STORED_WEBHOOKS = 2000
# Pending webhooks are kept, no matter how many came after them.
_FINAL_STATES: frozenset[WebhookState] = frozenset({"delivered", "failed"})
_MAX_ANSWER_LENGTH = 500
# Released webhooks are spaced by this many seconds, which keeps them in order without a noticeable wait.
_RELEASE_SPACING_SECONDS = 0.001


class Attempt(msgspec.Struct, frozen=True):
    """Status 0 means that there was no response."""

    at: datetime
    status: int
    answer: str

    @property
    def is_accepted(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004 - the range of success


class Webhook(StoredObject):
    """`parent` is its state, so that pending webhooks are found quickly no matter how many were sent before."""

    vendor: str
    url: str
    headers: dict[str, str]
    body: bytes
    created_at: datetime = msgspec.field(name="made")
    due: float
    retries: tuple[float, ...]
    attempts: list[Attempt] = []
    secret: str = ""

    @property
    def is_pending(self) -> bool:
        return self.parent not in _FINAL_STATES


class WebhookMode(StoredObject):
    mode: WebhookSendMode = "normal"


class WebhookSender:
    """One lane per address: webhooks to one address are sent in order, and a slow address delays no other."""

    def __init__(
        self,
        store: Store,
        clock: SandboxClock,
        http_client: OutgoingHttpClient,
        deployments: DeploymentRegistry,
        retries: Mapping[str, tuple[float, ...]],
        signers: Mapping[str, Signer],
    ) -> None:
        self._signers = signers
        self._store = store
        self._clock = clock
        self._http_client = http_client
        self._deployments = deployments
        self._retries = retries
        self._wakeup = asyncio.Event()
        self._send_tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def mode(self) -> WebhookSendMode:
        return (self._store.get(WebhookMode, "mode") or WebhookMode(id="mode")).mode

    @mode.setter
    def mode(self, mode: WebhookSendMode) -> None:
        self._store.put(WebhookMode(id="mode", mode=mode))

    def post(
        self, vendor: str, url: str, body: bytes, headers: Mapping[str, str], *, delay_seconds: float, secret: str
    ) -> None:
        mode = self.mode
        for target in self._deployments.list_webhook_urls(vendor, url) * (2 if mode == "duplicate" else 1):
            number = self._store.get_next_number("webhook")
            old = self._store.get(Webhook, str(number - _MAX_STORED_WEBHOOKS))
            if old is not None and not old.is_pending:
                self._store.delete(Webhook, old.id)
            self._store.put(
                Webhook(
                    id=str(number),
                    parent="held" if mode == "hold" else "waiting",
                    vendor=vendor,
                    url=target,
                    headers=dict(headers),
                    body=body,
                    created_at=self._clock.now(),
                    due=self._clock.get_unix_time() + delay_seconds,
                    retries=self._retries[vendor],
                    secret=secret,
                )
            )
        self.wake()

    def release_held(self) -> int:
        """Send the held webhooks, newest first."""
        webhooks = self._store.find(Webhook, parent="held", newest_first=True)
        now = self._clock.get_unix_time()
        for place, webhook in enumerate(webhooks, start=1 - len(webhooks)):
            webhook.parent, webhook.due = "waiting", now + place * _RELEASE_SPACING_SECONDS
            self._store.put(webhook)
        self.wake()
        return len(webhooks)

    def list_webhooks(self, vendor: str | None, state: WebhookState | None, limit: int) -> list[Webhook]:
        if vendor is None:
            # Polled repeatedly by callers that wait for the last one, while there may be thousands.
            return self._store.find(Webhook, parent=state, newest_first=True, limit=limit)
        webhooks = self._store.find(Webhook, parent=state, newest_first=True)
        return [webhook for webhook in webhooks if webhook.vendor == vendor][:limit]

    async def fetch(self, url: str, max_bytes: int) -> FetchedResponse | None:
        return await self._http_client.get(url, max_bytes) if self._http_client.may_reach(url) else None

    def wake(self) -> None:
        """Look again: there is a new webhook, or the clock was moved."""
        self._wakeup.set()

    async def run(self) -> None:
        try:
            while True:
                self._wakeup.clear()
                pause = self._start_due_sends()
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._wakeup.wait()
        finally:
            for lane in self._send_tasks.values():
                lane.cancel()
            await asyncio.gather(*self._send_tasks.values(), return_exceptions=True)

    def _start_due_sends(self) -> float | None:
        """Start sending what is due. Returns the seconds until the next one is due, or None if nothing is pending."""
        now = self._clock.get_unix_time()
        lanes: dict[str, list[Webhook]] = {}
        pauses = []
        for webhook in sorted(self._store.find(Webhook, parent="waiting"), key=lambda webhook: webhook.due):
            if webhook.due > now:
                pauses.append(webhook.due - now)
            elif webhook.url not in self._send_tasks:
                lanes.setdefault(webhook.url, []).append(webhook)
        for url, webhooks in lanes.items():
            self._send_tasks[url] = asyncio.create_task(self._send_all(url, webhooks))
        return min(pauses, default=None)

    async def _send_all(self, url: str, webhooks: list[Webhook]) -> None:
        try:
            for webhook in webhooks:
                await self._send(webhook)
        finally:
            del self._send_tasks[url]
            self.wake()

    async def _send(self, webhook: Webhook) -> None:
        if webhook.vendor in self._signers:
            webhook.headers |= self._signers[webhook.vendor](webhook.secret, webhook.body)
        answer = await self._send_to_first_reachable(webhook)
        text = answer.body[:_MAX_ANSWER_LENGTH].decode("utf-8", "replace")
        attempt = Attempt(self._clock.now(), answer.status, text)
        webhook.attempts.append(attempt)
        tries = len(webhook.attempts)
        if attempt.is_accepted:
            webhook.parent = "delivered"
        elif tries > len(webhook.retries):
            webhook.parent = "failed"
        else:
            webhook.due = self._clock.get_unix_time() + webhook.retries[tries - 1]
        # The sandbox may have been reset while it was being sent.
        if self._store.get(Webhook, webhook.id) is not None:
            self._store.put(webhook)

    async def _send_to_first_reachable(self, webhook: Webhook) -> FetchedResponse:
        """Send it to the first process of the product that answers."""
        answer = FetchedResponse(0, "", b"The sandbox reaches only this machine and the product.", 0)
        silent: list[str] = []
        for url in self._deployments.list_delivery_urls(webhook.url):
            if not self._http_client.may_reach(url):
                continue
            answer = await self._http_client.post(url, webhook.body, webhook.headers)
            if answer.status:
                webhook.url = url
                for address in silent:
                    self._deployments.remove_address(address)
                break
            silent.append(url)
        return answer
