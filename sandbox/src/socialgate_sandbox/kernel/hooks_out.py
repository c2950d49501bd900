"""Webhooks from the platforms to the product: stored first, sent in the background, retried until accepted."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.fetch import Fetched, Web
from socialgate_sandbox.kernel.gateways import Gateways
from socialgate_sandbox.kernel.store import Store, Thing

Mode = Literal["normal", "duplicate", "hold"]
State = Literal["waiting", "held", "delivered", "failed"]
Signer: TypeAlias = Callable[[str, bytes], Mapping[str, str]]
"""Returns the headers that sign a body with a secret."""

_KEPT = 2000
# Pending webhooks are kept, no matter how many came after them.
_DONE: frozenset[State] = frozenset({"delivered", "failed"})
_LONGEST_ANSWER = 500
# Released webhooks are spaced by this many seconds, which keeps them in order without a noticeable wait.
_STEP = 0.001


class Attempt(msgspec.Struct, frozen=True):
    """Status 0 means that there was no response."""

    at: datetime
    status: int
    answer: str

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300  # noqa: PLR2004 - the range of success


class Webhook(Thing):
    """`parent` is its state, so that pending webhooks are found quickly no matter how many were sent before."""

    vendor: str
    url: str
    headers: dict[str, str]
    body: bytes
    made: datetime
    due: float
    retries: tuple[float, ...]
    attempts: list[Attempt] = []
    secret: str = ""

    @property
    def pending(self) -> bool:
        return self.parent not in _DONE


class WebhookMode(Thing):
    mode: Mode = "normal"


class Postman:
    """One lane per address: webhooks to one address are sent in order, and a slow address delays no other."""

    def __init__(
        self,
        store: Store,
        clock: SandboxClock,
        web: Web,
        gateways: Gateways,
        retries: Mapping[str, tuple[float, ...]],
        signers: Mapping[str, Signer],
    ) -> None:
        self._signers = signers
        self._store = store
        self._clock = clock
        self._web = web
        self._gateways = gateways
        self._retries = retries
        self._news = asyncio.Event()
        self._lanes: dict[str, asyncio.Task[None]] = {}

    @property
    def mode(self) -> Mode:
        return (self._store.get(WebhookMode, "mode") or WebhookMode(id="mode")).mode

    @mode.setter
    def mode(self, mode: Mode) -> None:
        self._store.put(WebhookMode(id="mode", mode=mode))

    def post(
        self, vendor: str, url: str, body: bytes, headers: Mapping[str, str], *, after: float, secret: str
    ) -> None:
        mode = self.mode
        for target in self._gateways.targets(vendor, url) * (2 if mode == "duplicate" else 1):
            number = self._store.count_up("webhook")
            old = self._store.get(Webhook, str(number - _KEPT))
            if old is not None and not old.pending:
                self._store.delete(Webhook, old.id)
            self._store.put(
                Webhook(
                    id=str(number),
                    parent="held" if mode == "hold" else "waiting",
                    vendor=vendor,
                    url=target,
                    headers=dict(headers),
                    body=body,
                    made=self._clock.now(),
                    due=self._clock.time() + after,
                    retries=self._retries[vendor],
                    secret=secret,
                )
            )
        self.wake()

    def release(self) -> int:
        """Send the held webhooks, newest first."""
        held = self._store.find(Webhook, parent="held", newest_first=True)
        now = self._clock.time()
        for place, webhook in enumerate(held, start=1 - len(held)):
            webhook.parent, webhook.due = "waiting", now + place * _STEP
            self._store.put(webhook)
        self.wake()
        return len(held)

    def find(self, vendor: str | None, state: State | None, limit: int) -> list[Webhook]:
        if vendor is None:
            # Polled repeatedly by callers that wait for the last one, while there may be thousands.
            return self._store.find(Webhook, parent=state, newest_first=True, limit=limit)
        found = self._store.find(Webhook, parent=state, newest_first=True)
        return [webhook for webhook in found if webhook.vendor == vendor][:limit]

    async def fetch(self, url: str, most: int) -> Fetched | None:
        return await self._web.get(url, most) if self._web.reaches(url) else None

    def wake(self) -> None:
        """Look again: there is a new webhook, or the clock was moved."""
        self._news.set()

    async def run(self) -> None:
        try:
            while True:
                self._news.clear()
                pause = self._open_lanes()
                with suppress(TimeoutError):
                    async with asyncio.timeout(pause):
                        await self._news.wait()
        finally:
            for lane in self._lanes.values():
                lane.cancel()
            await asyncio.gather(*self._lanes.values(), return_exceptions=True)

    def _open_lanes(self) -> float | None:
        """Start sending what is due. Returns the seconds until the next one is due, or None if nothing is pending."""
        now = self._clock.time()
        lanes: dict[str, list[Webhook]] = {}
        pauses = []
        for webhook in sorted(self._store.find(Webhook, parent="waiting"), key=lambda webhook: webhook.due):
            if webhook.due > now:
                pauses.append(webhook.due - now)
            elif webhook.url not in self._lanes:
                lanes.setdefault(webhook.url, []).append(webhook)
        for url, webhooks in lanes.items():
            self._lanes[url] = asyncio.create_task(self._send_all(url, webhooks))
        return min(pauses, default=None)

    async def _send_all(self, url: str, webhooks: list[Webhook]) -> None:
        try:
            for webhook in webhooks:
                await self._send(webhook)
        finally:
            del self._lanes[url]
            self.wake()

    async def _send(self, webhook: Webhook) -> None:
        if webhook.vendor in self._signers:
            webhook.headers |= self._signers[webhook.vendor](webhook.secret, webhook.body)
        answer = await self._reach(webhook)
        text = answer.body[:_LONGEST_ANSWER].decode("utf-8", "replace")
        attempt = Attempt(self._clock.now(), answer.status, text)
        webhook.attempts.append(attempt)
        tries = len(webhook.attempts)
        if attempt.accepted:
            webhook.parent = "delivered"
        elif tries > len(webhook.retries):
            webhook.parent = "failed"
        else:
            webhook.due = self._clock.time() + webhook.retries[tries - 1]
        # The sandbox may have been reset while it was being sent.
        if self._store.get(Webhook, webhook.id) is not None:
            self._store.put(webhook)

    async def _reach(self, webhook: Webhook) -> Fetched:
        """Send it to the first process of the product that answers."""
        answer = Fetched(0, "", b"The sandbox reaches only this machine and the product.", 0)
        silent: list[str] = []
        for url in self._gateways.candidates(webhook.url):
            if not self._web.reaches(url):
                continue
            answer = await self._web.post(url, webhook.body, webhook.headers)
            if answer.status:
                webhook.url = url
                for address in silent:
                    self._gateways.forget(address)
                break
            silent.append(url)
        return answer
