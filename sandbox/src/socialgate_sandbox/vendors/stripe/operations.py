"""One thing that happens, at one moment: it changes objects, and each change is reported as an event."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hmac import digest
from typing import Any, TypeVar

import msgspec

from socialgate_sandbox.kit import VendorContext, generate_alphanumeric
from socialgate_sandbox.vendors.stripe.state import Endpoint, Event, Resource

R = TypeVar("R", bound=Resource)
API_VERSION = "2026-10-28.endive"
_WEBHOOK_HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
}


def generate_id(prefix: str, length: int = 24) -> str:
    return f"{prefix}_{generate_alphanumeric(length)}"


class Operation:
    """`now` is its time. Without a call there is no `cause`."""

    def __init__(self, context: VendorContext, now: int | None = None) -> None:
        self.world = context
        self.store = context.store
        self.now = int(context.clock.get_unix_time()) if now is None else now
        self.event_request: dict[str, str | None] = {"id": None, "idempotency_key": None}

    def store_resource(self, resource: R) -> R:
        resource.parent = resource.phase
        return self.store.put(resource)

    def store_and_emit(self, resource: R, event: str) -> R:
        self.store_resource(resource)
        self.emit_event(event, resource)
        return resource

    @contextmanager
    def track_changes(self, resource: R, event: str) -> Iterator[R]:
        """Store what the block changes, and report it if that is anything."""
        before = resource.build_json(self.store)
        yield resource
        self.store_resource(resource)
        after = resource.build_json(self.store)
        changed = {name: before.get(name) for name, value in after.items() if before.get(name) != value}
        if changed:
            self.emit_event(event, resource, previous_attributes=changed)

    def emit_event(self, event: str, resource: Resource, **extra_data: Any) -> None:
        wanting = [to for to in self.store.find(Endpoint) if to.status == "enabled" and _is_subscribed(to, event)]
        created_event = Event(
            id=generate_id("evt"),
            created=self.now,
            api_version=API_VERSION,
            data={"object": resource.build_json(self.store), **extra_data},
            pending_webhooks=len(wanting),
            request=self.event_request,
            type=event,
        )
        self.store_resource(created_event)
        for to in wanting:
            shown = created_event.build_json(self.store) | {"api_version": to.api_version or API_VERSION}
            body = msgspec.json.format(msgspec.json.encode(shown), indent=2)
            self.world.send_webhook(body, _WEBHOOK_HEADERS, url=to.url, secret=to.secret)


def sign_webhook(secret: str, body: bytes) -> dict[str, str]:
    """Sign an attempt to send a webhook with the machine's time: receivers compare it with theirs."""
    now = int(datetime.now(UTC).timestamp())
    signature = digest(secret.encode(), f"{now}.".encode() + body, "sha256").hex()
    return {"Stripe-Signature": f"t={now},v1={signature}"}


def _is_subscribed(endpoint: Endpoint, event: str) -> bool:
    return "*" in endpoint.enabled_events or event in endpoint.enabled_events
