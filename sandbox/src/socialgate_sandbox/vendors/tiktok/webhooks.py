"""TikTok's signed webhooks."""

import hmac
from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate_sandbox.kit import World

# Why an authorization has ended, as the event reports it.
UNKNOWN, DISCONNECTED, ACCOUNT_DELETED, AGE_CHANGED, BANNED, DEVELOPER_REVOKED = range(6)


def send_event(world: World, event: str, creator: str, content: Mapping[str, Any], *, after: float = 0.0) -> None:
    """Send an event. Its content is JSON within JSON: a string that has to be parsed again."""
    now = int(world.clock.time() + after)
    body = msgspec.json.encode(
        {
            "client_key": world.app.id,
            "event": event,
            "create_time": now,
            "user_openid": creator,
            "content": msgspec.json.encode(content).decode(),
        }
    )
    signature = hmac.digest(world.app.secret.encode(), f"{now}.".encode() + body, "sha256").hex()
    headers = {"Content-Type": "application/json", "TikTok-Signature": f"t={now},s={signature}"}
    world.send_webhook(body, headers, after=after)


def authorization_removed(world: World, creator: str, reason: int) -> None:
    send_event(world, "authorization.removed", creator, {"reason": reason})
