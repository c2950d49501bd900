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
        content = body.encode() if isinstance(body, str) else body
        signed = f"{_header(headers, 'webhook-id')}.{sent_at}.".encode() + content
        expected = base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256)).decode()
        for signature in _header(headers, "webhook-signature").split():
            version, _, value = signature.partition(",")
            if version == "v1" and hmac.compare_digest(value.encode(), expected.encode()):
                return
        raise WebhookVerificationError("The signature does not match. Check the secret, and pass the raw body.")


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
