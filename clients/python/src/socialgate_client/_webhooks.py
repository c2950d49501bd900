"""Verifies what hooks receive."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Mapping

import msgspec

from ._errors import WebhookVerificationError
from ._models import build
from .types import EventEnvelope

_PREFIX = "whsec_"
_TOLERANCE_SECONDS = 300


class Webhooks:
    """Verifies the requests that hooks receive. It sends nothing, and needs no API key."""

    def unwrap(
        self, body: bytes | str, headers: Mapping[str, str], secret: str, *, tolerance: float = _TOLERANCE_SECONDS
    ) -> EventEnvelope:
        """Verify a request, and return its event. `id` is the id of the event, the same each time that it is sent.

        Args:
            body: The raw bytes of the body. JSON that was parsed and written again has another signature.
            headers: All headers of the request.
            secret: The secret of the hook, from `hooks.create`.
            tolerance: How many seconds old a request may be.

        Raises:
            WebhookVerificationError: It does not come from Socialgate, was changed on its way, or is too old.

        """
        self.verify(body, headers, secret, tolerance=tolerance)
        event: EventEnvelope = build(EventEnvelope, msgspec.json.decode(body))
        event.id = _header(headers, "webhook-id")
        return event

    def verify(
        self, body: bytes | str, headers: Mapping[str, str], secret: str, *, tolerance: float = _TOLERANCE_SECONDS
    ) -> None:
        """Verify a request without reading it. Raises `WebhookVerificationError`."""
        sent_at = _header(headers, "webhook-timestamp")
        if not sent_at.isdecimal():
            raise WebhookVerificationError("The header webhook-timestamp is not a time.")
        if abs(time.time() - int(sent_at)) > tolerance:
            raise WebhookVerificationError(f"The request was sent more than {tolerance:g} seconds ago, or later.")
        expected = _sign(body, secret, _header(headers, "webhook-id"), sent_at)
        for signature in _header(headers, "webhook-signature").split():
            version, _, value = signature.partition(",")
            if version == "v1" and hmac.compare_digest(value.encode(), expected.encode()):
                return
        raise WebhookVerificationError("The signature does not match. Check the secret, and pass the raw body.")

    def sign(
        self, body: bytes | str, secret: str, *, event: str, event_id: str, delivery_id: str, sent_at: int | None = None
    ) -> dict[str, str]:
        """Make the headers of a delivery, as the service does: to test a receiver, or to pass an event on.

        Args:
            body: The raw bytes of the body.
            secret: The secret of the hook.
            event: The name of the event, such as `post.failed`.
            event_id: The id of the event, `evt_…`.
            delivery_id: The id of the delivery, `dlv_…`.
            sent_at: When it is sent, in seconds since 1970. By default now.

        """
        moment = str(int(time.time()) if sent_at is None else sent_at)
        own = hmac.digest(secret.encode(), _to_bytes(body), hashlib.sha256).hex()
        return {
            "X-Service-Signature": f"sha256={own}",
            "X-Service-Event": event,
            "X-Service-Delivery": delivery_id,
            "webhook-id": event_id,
            "webhook-timestamp": moment,
            "webhook-signature": f"v1,{_sign(body, secret, event_id, moment)}",
        }


def _sign(body: bytes | str, secret: str, event_id: str, sent_at: str) -> str:
    """Compute the signature of Standard Webhooks."""
    signed = f"{event_id}.{sent_at}.".encode() + _to_bytes(body)
    return base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256)).decode()


def _to_bytes(body: bytes | str) -> bytes:
    return body.encode() if isinstance(body, str) else body


def _header(headers: Mapping[str, str], name: str) -> str:
    """Find a header. Frameworks write their names in different ways."""
    for key, value in headers.items():
        if key.lower() == name:
            return value
    raise WebhookVerificationError(f"The header {name} is missing.")


def _key(secret: str) -> bytes:
    """Find the key of a secret: that of a generated one is in base64, any other is used as it is."""
    if secret.startswith(_PREFIX):
        try:
            return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
        except binascii.Error:
            pass
    return secret.encode()
