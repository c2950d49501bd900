"""The QR code that links a phone: a string that is valid for twenty seconds."""

import hmac
from base64 import b64encode

from socialgate_sandbox.kit import VendorContext, generate_hex
from socialgate_sandbox.vendors.wasender.state import MAX_QR_CODES, QR_LIFETIME_SECONDS, Session
from socialgate_sandbox.vendors.wasender.webhooks import send_event, set_session_status


def begin_pairing(context: VendorContext, session: Session) -> str:
    """Request codes from WhatsApp and return the first."""
    session.qr_requested_at, session.code_told, session.qr_secret = context.clock.now(), -1, generate_hex(32)
    set_session_status(context, session, "need_scan")
    return get_current_code(context, session) or ""


def get_current_code(context: VendorContext, session: Session) -> str | None:
    """Return the current code. The product is notified of a new one when it is first read."""
    end_expired_attempt(context, session)
    if session.qr_requested_at is None:
        return None
    place = int(context.clock.get_seconds_since(session.qr_requested_at) // QR_LIFETIME_SECONDS)
    code = _build_code(session, place)
    if place != session.code_told:
        session.code_told = place
        context.store.put(session)
        send_event(context, session, "qrcode.updated", {"qr": code})
    return code


def end_expired_attempt(context: VendorContext, session: Session) -> None:
    """End an attempt that was not completed in time."""
    if (
        session.qr_requested_at is not None
        and context.clock.get_seconds_since(session.qr_requested_at) >= QR_LIFETIME_SECONDS * MAX_QR_CODES
    ):
        set_session_status(context, session, "disconnected")


def _build_code(session: Session, code_index: int) -> str:
    """Build what WhatsApp shows: a reference, then three keys of the companion."""
    parts = [hmac.digest(session.qr_secret.encode(), f"{code_index}:{part}".encode(), "sha256") for part in range(4)]
    reference, *keys = (b64encode(part).decode() for part in parts)
    return ",".join([f"2@{reference}", *keys])
