"""The messages of a number, as pages and tests show them."""

from collections.abc import Iterator
from typing import Literal

from socialgate.sandbox.kit import ActionRequest, ControlError, Person, ShownMedia, ShownMessage, World
from socialgate.sandbox.kit.media import shown
from socialgate.sandbox.vendors.wasender.people import jid_of
from socialgate.sandbox.vendors.wasender.publish import DELIVERED, FAILED, PLAYED, READ, SENT, status_of
from socialgate.sandbox.vendors.wasender.state import Json, Media, Message, Session

_STATES: dict[int, Literal["sent", "delivered", "read", "failed"]] = {
    FAILED: "failed",
    SENT: "sent",
    DELIVERED: "delivered",
    READ: "read",
    PLAYED: "read",
}


class Look(ActionRequest, frozen=True, kw_only=True):
    account: str
    limit: int = 50


def session_named(world: World, key: str) -> Session:
    """Find a session by its id, or the newest of a number."""
    session = world.store.get(Session, key)
    if session is not None:
        return session
    of_number = [found for found in world.store.find(Session) if found.phone_number == key]
    if not of_number:
        raise ControlError(f"There is no session {key}. GET /_control/accounts lists them.")
    return of_number[-1]


def chat(world: World, account: str, person: Person) -> Iterator[ShownMessage]:
    session = session_named(world, account)
    for one in world.store.find(Message, parent=session.id, newest_first=True):
        if one.chat != jid_of(person):
            continue
        media = world.store.get(Media, one.media) if one.media else None
        yield ShownMessage(
            id=one.id,
            at=one.made,
            author=session.name if one.from_me else person.name,
            by_account=one.from_me,
            person="" if one.from_me else person.key,
            text=one.text or _place(one.content),
            media=[] if media is None else [_file(media)],
            state=_STATES.get(status_of(world, one), "") if one.from_me else "",
            reply_to=next((str(body["contextInfo"]["stanzaId"]) for body in _quotes(one.content)), ""),
            reactions=list(one.reactions.values()),
            edited=one.edited,
        )


def _quotes(content: Json) -> list[Json]:
    return [body for body in content.values() if isinstance(body, dict) and "contextInfo" in body]


def _place(content: Json) -> str:
    place, contact = content.get("locationMessage"), content.get("contactMessage")
    if place:
        return f"{place.get('name', '')} ({place['degreesLatitude']}, {place['degreesLongitude']})".strip()
    return str(contact["displayName"]) if contact else ""


def _file(media: Media) -> ShownMedia:
    return shown(media.file, name=media.name)


def feed(world: World, order: Look) -> Json:
    """List the messages of a number, newest first, with the checksums of their files."""
    session = session_named(world, order.account)
    found = world.store.find(Message, parent=session.id, newest_first=True, limit=order.limit)
    return {"data": [_shown(world, one) for one in found]}


def _shown(world: World, one: Message) -> Json:
    media = world.store.get(Media, one.media) if one.media else None
    file = None if media is None else {"mime": media.mime, "size": media.file.size, "sha256": media.file.sha256}
    return {
        "messageId": one.number,
        "message": one.id,
        "chat": one.chat,
        "fromMe": one.from_me,
        "text": one.text,
        "content": one.content,
        "status": status_of(world, one),
        "edited": one.edited,
        "reactions": one.reactions,
        "file": file,
    }
