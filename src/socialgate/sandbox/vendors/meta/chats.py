"""Conversations of people with Pages and Instagram accounts: what is stored, and what the app is notified of."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import msgspec

from socialgate.sandbox.kit import FOLLOWERS, ControlError, Person, ShownMessage, Thing, World, text
from socialgate.sandbox.kit.media import Media, shown
from socialgate.sandbox.society import conversations as society
from socialgate.sandbox.society.comments import Author, author_of
from socialgate.sandbox.vendors.meta.accounts import CDN
from socialgate.sandbox.vendors.meta.state import Instagram, Page
from socialgate.sandbox.vendors.meta.webhooks import notify_instagram, notify_page

LONGEST, LONGEST_ON_INSTAGRAM = 2000, 1000
# Seconds until a message is delivered to the recipient's phone.
DELIVERED_AFTER = 1.0
# Instagram's names for the fields of the same events.
_ON_INSTAGRAM = {"message_echoes": "messages", "message_reads": "messaging_seen", "message_edits": "message_edit"}


class Thread(Thing):
    """The conversation of a Page or an Instagram account (the parent) with the person of this key."""

    person: str
    updated: datetime
    last_inbound: datetime | None = None
    read: datetime | None = None
    unread: int = 0


class Button(msgspec.Struct, frozen=True):
    """Something to press: `kind` is postback, web_url or quick_reply."""

    kind: str
    title: str
    payload: str = ""


class Attached(msgspec.Struct, frozen=True):
    kind: str
    media: Media


class Message(Thing):
    """One message of a thread (the parent). `person` is the key of its author, "" for the account."""

    person: str
    made: datetime
    text: str = ""
    attached: Attached | None = None
    buttons: list[Button] = []
    reply_to: str = ""
    # One per side, by the key of the person, "" for the account.
    reactions: dict[str, str] = {}
    edits: int = 0
    deleted: bool = False


Account = Page | Instagram


def account_named(world: World, key: str) -> Account:
    found: Account | None = world.store.get(Page, key) or world.store.get(Instagram, key)
    if found is None:
        raise ControlError(f"There is no Page or Instagram account {key!r}. GET /_control/accounts lists them.")
    return found


def person_in(account: str, scoped: str) -> Person | None:
    """Find the person with this id: everybody has a different one for each account."""
    return next((person for person in FOLLOWERS if author_of(person, account).id == scoped), None)


def contact_of(thread: Thread) -> Author:
    return author_of(society.person_of(thread.person), thread.parent)


def thread_of(world: World, account: str, person: str) -> Thread | None:
    return next((one for one in world.store.find(Thread, parent=account) if one.person == person), None)


def state_of(world: World, thread: Thread, message: Message) -> str:
    """Return the delivery state of a message of the account. Instagram does not report delivery."""
    if thread.read is not None and thread.read >= message.made:
        return "read"
    arrived = world.clock.since(message.made) >= DELIVERED_AFTER and world.store.get(Page, thread.parent) is not None
    return "delivered" if arrived else "sent"


def tell(
    world: World, thread: Thread, field: str, event: dict[str, Any], *, mine: bool = False, after: float = 0
) -> None:
    """Notify the app of an event caused by a person, or by the account itself."""
    sender, recipient = {"id": contact_of(thread).id}, {"id": thread.parent}
    if mine:
        sender, recipient = recipient, sender
    row = {"sender": sender, "recipient": recipient, "timestamp": int((world.clock.time() + after) * 1000), **event}
    if world.store.get(Page, thread.parent) is not None:
        notify_page(world, thread.parent, field, {"messaging": [row]}, after=after)
    else:
        notify_instagram(world, thread.parent, _ON_INSTAGRAM.get(field, field), {"messaging": [row]}, after=after)


def tell_delivered(world: World, thread: Thread, message: Message, *, after: float) -> None:
    moment = int(message.made.timestamp() * 1000)
    if world.store.get(Page, thread.parent) is not None:
        event = {"delivery": {"mids": [message.id], "watermark": moment}}
        tell(world, thread, "message_deliveries", event, after=after)


def new_message(world: World, thread: Thread, person: str) -> Message:
    return Message(id=f"m_{text(60)}", parent=thread.id, person=person, made=world.clock.now())


def put(world: World, thread: Thread, message: Message) -> Message:
    thread.updated = message.made
    world.store.put(thread)
    return world.store.put(message)


def body_of(world: World, message: Message) -> dict[str, Any]:
    """Return a message as webhooks show it."""
    body: dict[str, Any] = {"mid": message.id}
    if message.text:
        body["text"] = message.text
    if message.attached is not None:
        url = message.attached.media.url(world, CDN)
        body["attachments"] = [{"type": message.attached.kind, "payload": {"url": url}}]
    return body | ({"reply_to": {"mid": message.reply_to}} if message.reply_to else {})


def chat(world: World, account: str, person: Person) -> Iterator[ShownMessage]:
    thread = thread_of(world, account, person.key)
    if thread is None:
        return
    name = account_named(world, account).name
    for one in world.store.find(Message, parent=thread.id, newest_first=True):
        mine = not one.person
        yield ShownMessage(
            id=one.id,
            at=one.made,
            author=name if mine else person.name,
            by_account=mine,
            person=one.person,
            text="" if one.deleted else one.text,
            media=[shown(one.attached.media)] if one.attached is not None and not one.deleted else [],
            state=state_of(world, thread, one) if mine else "",  # type: ignore[arg-type]  # one of its words
            reply_to=one.reply_to,
            reactions=list(one.reactions.values()),
            buttons=[button.title for button in one.buttons if button.kind != "web_url"],
            edited=one.edits > 0,
            deleted=one.deleted,
        )
