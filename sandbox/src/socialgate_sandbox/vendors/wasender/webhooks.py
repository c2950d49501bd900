"""WaSender's webhooks to the product. The signature is the secret itself, and nothing is ever retried."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.vendors.wasender.state import Session, SessionStatus


def send_event(context: VendorContext, session: Session, event: str, data: Any, *, delay_seconds: float = 0.0) -> bool:
    """Send an event if the session subscribed to it. Its key is in the body, as WaSender does it."""
    if not session.webhook_enabled or not session.webhook_url or event not in (session.webhook_events or ()):
        return False
    body = {
        "event": event,
        "sessionId": session.api_key,
        "timestamp": int((context.clock.get_unix_time() + delay_seconds) * 1000),
        "data": data,
    }
    headers = {"content-type": "application/json", "x-webhook-signature": session.webhook_secret}
    context.send_webhook(msgspec.json.encode(body), headers, url=session.webhook_url, delay_seconds=delay_seconds)
    return True


def set_session_status(context: VendorContext, session: Session, status: SessionStatus) -> None:
    """Change the state of a session and notify the product."""
    session.status, session.updated = status, context.clock.now()
    if status != "need_scan":
        session.qr_requested_at, session.code_told = None, -1
    if status == "connected":
        session.last_active = session.updated
    context.store.put(session)
    send_event(context, session, "session.status", {"status": status, "session_id": session.id})
