"""TikTok's signed webhooks."""

import hmac
from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate_sandbox.kit import VendorContext

# Why an authorization has ended, as the event reports it.
(
    UNKNOWN_REASON,
    DISCONNECTED_REASON,
    ACCOUNT_DELETED_REASON,
    AGE_CHANGED_REASON,
    BANNED_REASON,
    DEVELOPER_REVOKED_REASON,
) = range(6)


def send_event(
    context: VendorContext, event: str, creator_id: str, content: Mapping[str, Any], *, delay_seconds: float = 0.0
) -> None:
    """Send an event. Its content is JSON within JSON: a string that has to be parsed again."""
    now = int(context.clock.get_unix_time() + delay_seconds)
    body = msgspec.json.encode(
        {
            "client_key": context.app.id,
            "event": event,
            "create_time": now,
            "user_openid": creator_id,
            "content": msgspec.json.encode(content).decode(),
        }
    )
    signature = hmac.digest(context.app.secret.encode(), f"{now}.".encode() + body, "sha256").hex()
    headers = {"Content-Type": "application/json", "TikTok-Signature": f"t={now},s={signature}"}
    context.send_webhook(body, headers, delay_seconds=delay_seconds)


def send_authorization_removed(context: VendorContext, creator_id: str, reason: int) -> None:
    send_event(context, "authorization.removed", creator_id, {"reason": reason})
