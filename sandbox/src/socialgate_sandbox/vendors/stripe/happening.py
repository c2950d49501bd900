"""One thing that happens, at one moment: it changes objects, and each change is reported as an event."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hmac import digest
from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.kit import World, text
from socialgate_sandbox.vendors.stripe.state import Endpoint, Event, Resource

R = TypeVar("R", bound=Resource)
VERSION = "2026-10-28.endive"
_HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
}


def new_id(prefix: str, length: int = 24) -> str:
    return f"{prefix}_{text(length)}"


class Happening:
    """`now` is its time. Without a call there is no `cause`."""

    def __init__(self, world: World, now: int | None = None) -> None:
        self.world = world
        self.store = world.store
        self.now = int(world.clock.time()) if now is None else now
        self.cause: dict[str, str | None] = {"id": None, "idempotency_key": None}

    def put(self, one: R) -> R:
        one.parent = one.phase
        return self.store.put(one)

    def create(self, one: R, event: str) -> R:
        self.put(one)
        self.emit(event, one)
        return one

    @contextmanager
    def changing(self, one: R, event: str) -> Iterator[R]:
        """Store what the block changes, and report it if that is anything."""
        before = one.shown(self.store)
        yield one
        self.put(one)
        after = one.shown(self.store)
        changed = {name: before.get(name) for name, value in after.items() if before.get(name) != value}
        if changed:
            self.emit(event, one, previous_attributes=changed)

    def emit(self, event: str, one: Resource, **more: Any) -> None:
        wanting = [to for to in self.store.find(Endpoint) if to.status == "enabled" and _wants(to, event)]
        made = Event(
            id=new_id("evt"),
            created=self.now,
            api_version=VERSION,
            data={"object": one.shown(self.store), **more},
            pending_webhooks=len(wanting),
            request=self.cause,
            type=event,
        )
        self.put(made)
        for to in wanting:
            shown = made.shown(self.store) | {"api_version": to.api_version or VERSION}
            body = msgspec.json.format(msgspec.json.encode(shown), indent=2)
            self.world.send_webhook(body, _HEADERS, url=to.url, secret=to.secret)


def sign(secret: str, body: bytes) -> dict[str, str]:
    """Sign an attempt to send a webhook with the machine's time: receivers compare it with theirs."""
    now = int(datetime.now(UTC).timestamp())
    signature = digest(secret.encode(), f"{now}.".encode() + body, "sha256").hex()
    return {"Stripe-Signature": f"t={now},v1={signature}"}


def _wants(endpoint: Endpoint, event: str) -> bool:
    return "*" in endpoint.enabled_events or event in endpoint.enabled_events
