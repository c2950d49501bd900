"""The QR code that links a phone: a string that is valid for twenty seconds."""

import hmac
from base64 import b64encode

from socialgate_sandbox.kit import World, hexadecimal
from socialgate_sandbox.vendors.wasender.state import QR_CODES, QR_LIFETIME, Session
from socialgate_sandbox.vendors.wasender.webhooks import move, tell


def begin(world: World, session: Session) -> str:
    """Request codes from WhatsApp and return the first."""
    session.asked, session.code_told, session.qr_secret = world.clock.now(), -1, hexadecimal(32)
    move(world, session, "need_scan")
    return code_of(world, session) or ""


def code_of(world: World, session: Session) -> str | None:
    """Return the current code. The product is notified of a new one when it is first read."""
    settle(world, session)
    if session.asked is None:
        return None
    place = int(world.clock.since(session.asked) // QR_LIFETIME)
    code = _code(session, place)
    if place != session.code_told:
        session.code_told = place
        world.store.put(session)
        tell(world, session, "qrcode.updated", {"qr": code})
    return code


def settle(world: World, session: Session) -> None:
    """End an attempt that was not completed in time."""
    if session.asked is not None and world.clock.since(session.asked) >= QR_LIFETIME * QR_CODES:
        move(world, session, "disconnected")


def _code(session: Session, place: int) -> str:
    """Build what WhatsApp shows: a reference, then three keys of the companion."""
    parts = [hmac.digest(session.qr_secret.encode(), f"{place}:{part}".encode(), "sha256") for part in range(4)]
    reference, *keys = (b64encode(part).decode() for part in parts)
    return ",".join([f"2@{reference}", *keys])
