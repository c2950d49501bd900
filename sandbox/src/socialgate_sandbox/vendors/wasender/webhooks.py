"""WaSender's webhooks to the product. The signature is the secret itself, and nothing is ever retried."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import World
from socialgate_sandbox.vendors.wasender.state import Session, Status


def tell(world: World, session: Session, event: str, data: Any, *, after: float = 0.0) -> bool:
    """Send an event if the session subscribed to it. Its key is in the body, as WaSender does it."""
    if not session.webhook_enabled or not session.webhook_url or event not in (session.webhook_events or ()):
        return False
    body = {
        "event": event,
        "sessionId": session.api_key,
        "timestamp": int((world.clock.time() + after) * 1000),
        "data": data,
    }
    headers = {"content-type": "application/json", "x-webhook-signature": session.webhook_secret}
    world.send_webhook(msgspec.json.encode(body), headers, url=session.webhook_url, after=after)
    return True


def move(world: World, session: Session, status: Status) -> None:
    """Change the state of a session and notify the product."""
    session.status, session.updated = status, world.clock.now()
    if status != "need_scan":
        session.asked, session.code_told = None, -1
    if status == "connected":
        session.last_active = session.updated
    world.store.put(session)
    tell(world, session, "session.status", {"status": status, "session_id": session.id})
