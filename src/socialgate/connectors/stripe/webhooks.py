"""Webhooks from Stripe: signed with the secret of the webhook endpoint over the time and the raw body.

Events arrive in any order and more than once. Those about subscriptions are only taken as a hint to read the current
state; their ids make sure that each is processed once.
"""

from collections.abc import Sequence

import msgspec

from socialgate.connectors.lenient_decoding import LenientStruct
from socialgate.connectors.webhook_helpers import (
    UNAUTHENTICATED_RESPONSE,
    compute_sha256,
    decode_json_or_none,
    encode_header,
    sanitize_name,
    verify_off_loop,
    verify_signatures,
)
from socialgate.contracts.billing import SubscriptionMoved
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest, WebhookResponse
from socialgate.core.clock import Clock

_SIGNATURE_HEADER = "stripe-signature"
_SIGNATURE_TOLERANCE_SECONDS = 300
_MAX_TIMESTAMP_LENGTH = 12
_MAX_ID_LENGTH = 100
# More than Stripe ever sends: two while a secret is rolled.
_MAX_SIGNATURES = 10
_SUBSCRIPTION_EVENT_TYPES = frozenset(
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


class _ExpandedCustomer(msgspec.Struct, frozen=True):
    id: str = ""


class _EventObject(LenientStruct, frozen=True):
    # The id, or the whole customer for an endpoint that expands it.
    customer: str | _ExpandedCustomer | None = None

    @property
    def customer_id(self) -> str:
        return self.customer.id if isinstance(self.customer, _ExpandedCustomer) else self.customer or ""


class _EventData(LenientStruct, frozen=True):
    object: _EventObject = _EventObject()


class _StripeEvent(LenientStruct, frozen=True):
    id: str
    type: str
    data: _EventData = _EventData()


class StripeWebhookReceiver:
    def __init__(self, secrets: Sequence[str], clock: Clock) -> None:
        """Take the signing secrets of the endpoint: two while one is rolled."""
        self._secrets = secrets
        self._clock = clock

    async def receive(self, request: WebhookRequest, secrets: Sequence[str]) -> WebhookResponse:  # noqa: ARG002 - ours sign
        is_genuine = await verify_off_loop(self._has_valid_signature, len(request.body), request)
        return WebhookResponse() if is_genuine else UNAUTHENTICATED_RESPONSE

    def parse(self, request: WebhookRequest) -> Sequence[PlatformFact]:
        event = decode_json_or_none(request.body, _StripeEvent, strict=False)
        if event is None or not event.id:
            return [UnhandledFact(dedup_key=compute_sha256(request.body), name="unreadable")]
        key = event.id if len(event.id) <= _MAX_ID_LENGTH else compute_sha256(encode_header(event.id))
        customer_id = event.data.object.customer_id
        if event.type in _SUBSCRIPTION_EVENT_TYPES and customer_id:
            return [SubscriptionMoved(dedup_key=key, event=event.type, customer_id=customer_id)]
        return [UnhandledFact(dedup_key=key, name=sanitize_name(event.type))]

    def _has_valid_signature(self, request: WebhookRequest) -> bool:
        sent, signatures = _parse_signature_header(request.headers.get(_SIGNATURE_HEADER, ""))
        if not (sent.isascii() and sent.isdecimal() and len(sent) <= _MAX_TIMESTAMP_LENGTH):
            return False
        message = sent.encode() + b"." + request.body
        return (
            verify_signatures(signatures, self._secrets, message)
            and abs(self._clock.now().timestamp() - int(sent)) <= _SIGNATURE_TOLERANCE_SECONDS
        )


def _parse_signature_header(header: str) -> tuple[str, list[str]]:
    """Split `t=<seconds>,v1=<hex>,v1=<hex>,v0=<hex>`: the time as it was signed, and each signature of scheme v1."""
    pairs = [part.strip().partition("=") for part in header.split(",")]
    sent = next((value for name, _, value in pairs if name == "t"), "")
    return sent, [value for name, _, value in pairs if name == "v1"][:_MAX_SIGNATURES]
