"""Meta's requests to the product: the handshake of a webhook address, signed notifications, signed requests."""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.kit import CallRefusedError, VendorContext, generate_digits


def send_notification(
    context: VendorContext, payload: Mapping[str, Any], *, url: str | None = None, delay_seconds: float = 0.0
) -> None:
    """Send a notification, signed over its bytes. Everything beyond ASCII is escaped, as Meta signs it."""
    body = json.dumps(payload, separators=(",", ":")).encode()
    secret = context.app.secret.encode()
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "facebookexternalua",
        "X-Hub-Signature": f"sha1={hmac.new(secret, body, hashlib.sha1).hexdigest()}",
        "X-Hub-Signature-256": f"sha256={hmac.new(secret, body, hashlib.sha256).hexdigest()}",
    }
    context.send_webhook(body, headers, url=url, delay_seconds=delay_seconds)


def send_signed_request(context: VendorContext, user: str, *, purpose: str) -> None:
    """Report that a person removed the app (`deauthorize`) or wants everything deleted (`deletion`).

    The dashboard has an address for each; by default it is that of the webhooks, unless the app's `more` sets them.
    """
    payload = {"user_id": user, "algorithm": "HMAC-SHA256", "issued_at": int(context.clock.get_unix_time())}
    form = urlencode({"signed_request": build_signed_request(context.app.secret, payload)})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": "facebookexternalua"}
    context.send_webhook(form.encode(), headers, url=context.app.more.get(f"{purpose}_url"))


def build_signed_request(secret: str, payload: Mapping[str, Any]) -> str:
    data = _encode_base64url(json.dumps(payload, separators=(",", ":")).encode())
    return f"{_encode_base64url(hmac.new(secret.encode(), data.encode(), hashlib.sha256).digest())}.{data}"


class CallbackUnconfirmedError(CallRefusedError):
    """An address did not repeat the challenge."""

    def __init__(self, message: str) -> None:
        super().__init__(build_error_response(message, 2200))
        self.message = message


async def verify_callback(context: VendorContext, url: str, verify_token: str) -> None:
    """Ask the address to repeat a challenge, and refuse the current call if it does not."""
    challenge = generate_digits(10)
    parts = urlsplit(url)
    request = {"hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": verify_token}
    query = urlencode([*parse_qsl(parts.query, keep_blank_values=True), *request.items()])
    answer = await context.fetch(parts._replace(query=query).geturl())
    if answer is None:
        return
    if answer.status == HTTPStatus.OK:
        if answer.body.strip() == challenge.encode():
            return
        seen = "The URL couldn't be validated. Response does not match challenge"
    else:
        seen = f"HTTP Status Code = {answer.status}"
    message = f"(#2200) Callback verification failed with the following errors: {seen}"
    raise CallbackUnconfirmedError(message)


def _encode_base64url(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
