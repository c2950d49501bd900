"""Webhooks from Stripe: signed with the secret of the webhook endpoint over the time and the raw body.

Events arrive in any order and more than once. Those about subscriptions are only taken as a hint to read the current
state; their ids make sure that each is processed once.
"""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.receiving import UNPROVEN, decoded, digest, is_signature, raw, word
from socialgate.connectors.tolerant import Tolerant
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.contracts.inbound import Fact, InboundRequest, Reply, UnhandledFact
from socialgate.core.clock import Clock

_HEADER = "stripe-signature"
_WINDOW_SECONDS = 300
_LONGEST_TIME = 12
_LONGEST_ID = 100
# More than Stripe ever sends: two while a secret is rolled.
_MOST_SIGNATURES = 10
_MOVES = frozenset(
    {
        "checkout.session.completed",
        "checkout.session.async_payment_succeeded",
        "customer.subscription.created",
        "customer.subscription.updated",
        "customer.subscription.deleted",
        "customer.subscription.paused",
        "customer.subscription.resumed",
        "invoice.paid",
        "invoice.payment_failed",
    }
)


class _Named(msgspec.Struct, frozen=True):
    id: str = ""


class _Object(Tolerant, frozen=True):
    # The id, or the whole customer for an endpoint that expands it.
    customer: str | _Named | None = None

    @property
    def customer_id(self) -> str:
        return self.customer.id if isinstance(self.customer, _Named) else self.customer or ""


class _Data(Tolerant, frozen=True):
    object: _Object = _Object()


class _Event(Tolerant, frozen=True):
    id: str
    type: str
    data: _Data = _Data()


class StripeInbound:
    def __init__(self, secrets: Sequence[str], clock: Clock) -> None:
        """Take the signing secrets of the endpoint: two while one is rolled."""
        self._secrets = secrets
        self._clock = clock

    async def receive(self, request: InboundRequest, secrets: Sequence[str]) -> Reply:  # noqa: ARG002 - ours sign
        return Reply() if self._is_genuine(request) else UNPROVEN

    def parse(self, request: InboundRequest) -> Sequence[Fact]:
        event = decoded(request.body, _Event, strict=False)
        if event is None or not event.id:
            return [UnhandledFact(key=digest(request.body), name="unreadable")]
        key = event.id if len(event.id) <= _LONGEST_ID else digest(raw(event.id))
        customer_id = event.data.object.customer_id
        if event.type in _MOVES and customer_id:
            return [SubscriptionMoved(key=key, event=event.type, customer_id=customer_id)]
        return [UnhandledFact(key=key, name=word(event.type))]

    def _is_genuine(self, request: InboundRequest) -> bool:
        sent, signatures = _signature(request.headers.get(_HEADER, ""))
        if not (sent.isascii() and sent.isdecimal() and len(sent) <= _LONGEST_TIME):
            return False
        message = sent.encode() + b"." + request.body
        # All are compared, so that the timing does not reveal which one matched.
        matches = [is_signature(given, secret, message) for given in signatures for secret in self._secrets]
        return any(matches) and abs(self._clock.now().timestamp() - int(sent)) <= _WINDOW_SECONDS


def _signature(header: str) -> tuple[str, list[str]]:
    """Split `t=<seconds>,v1=<hex>,v1=<hex>,v0=<hex>`: the time as it was signed, and each signature of scheme v1."""
    pairs = [part.strip().partition("=") for part in header.split(",")]
    sent = next((value for name, _, value in pairs if name == "t"), "")
    return sent, [value for name, _, value in pairs if name == "v1"][:_MOST_SIGNATURES]
