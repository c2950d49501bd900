"""What contacts do, as control verbs: they write, and messages to them fare well or not."""

from typing import Any, Literal

from socialgate.sandbox.kit import ActionRequest, ControlError, Upload, World, digits
from socialgate.sandbox.vendors.graph.media import keep
from socialgate.sandbox.vendors.graph.picture import png
from socialgate.sandbox.vendors.whatsapp_cloud.attachments import base64_digest
from socialgate.sandbox.vendors.whatsapp_cloud.chat import (
    Behaviour,
    Contact,
    Message,
    StoredMedia,
    card,
    chat_of,
    contact_of,
    metadata,
    new_wamid,
    tell_status,
)
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from socialgate.sandbox.vendors.whatsapp_cloud.webhooks import notify

Kind = Literal["text", "image", "location", "reaction", "button", "list"]
_WEEK = 7


class Write(ActionRequest, frozen=True, kw_only=True):
    """Write to a number as one of its contacts: `sender` is a name such as Dario Weiss, or any number.

    `text` is what is said, the caption, the emoji or the title of the choice; `message` the message that is answered.
    With `hidden` the sender has a user name in place of a number.
    """

    account: str
    sender: str = "4915550100101"
    kind: Kind = "text"
    text: str = "Hello"
    message: str = ""
    hidden: bool = False


class Sending(ActionRequest, frozen=True, kw_only=True):
    """Say how the next messages of a number fare.

    `failure` is a code such as 131026, told later or `atOnce`. `silent` lets no status come at all. With `atOnce` alone
    a closed window is refused at once from now on.
    """

    account: str
    failure: int = 0
    title: str = ""
    at_once: bool = False
    silent: bool = False
    times: int = 1


class Chats(ActionRequest, frozen=True, kw_only=True):
    """Look at what was written from and to a number, the newest first."""

    account: str


def write(world: World, order: Write) -> Any:
    number = _number(world, order.account)
    contact = _sender(world, order.sender)
    chat = chat_of(world, number.id, contact.id)
    chat.last_inbound = world.clock.now()
    world.store.put(chat)
    content = _content(world, number, order)
    message = Message(
        id=new_wamid(),
        parent=chat.id,
        number=number.id,
        contact=contact.id,
        outbound=False,
        kind=order.kind,
        content=content,
        made=world.clock.now(),
    )
    world.store.put(message)
    told: dict[str, Any] = {"id": message.id, "timestamp": str(int(world.clock.time())), **content}
    who = card(contact)
    if order.hidden:
        del who["wa_id"]
        who["profile"]["username"] = contact.name.lower().replace(" ", ".")
    told |= {"from_user_id": contact.user} if order.hidden else {"from": contact.id}
    value = {**metadata(number), "contacts": [who], "messages": [told]}
    sent = notify(world, number.parent, "messages", value, number=number)
    return {"id": message.id, "told": sent}


def _number(world: World, account: str) -> Number:
    number = world.store.get(Number, account)
    if number is None:
        raise ControlError(f"There is no phone number {account!r}. GET /_control/accounts lists them.")
    return number


def _sender(world: World, sender: str) -> Contact:
    named = next((one for one in world.store.find(Contact) if one.name == sender), None)
    plain = "".join(letter for letter in sender if letter.isdigit())
    if named is None and not plain:
        known = ", ".join(one.name for one in world.store.find(Contact))
        raise ControlError(f"Name one of {known}, or a phone number.", 422)
    return named or contact_of(world, plain)


def _content(world: World, number: Number, order: Write) -> dict[str, Any]:
    """Write the part of a message that its type decides."""
    context = {"context": {"from": number.digits, "id": order.message}} if order.message else {}
    match order.kind:
        case "text":
            return {"type": "text", "text": {"body": order.text}, **context}
        case "image":
            return {"type": "image", "image": _image(world, number, order.text), **context}
        case "location":
            return {"type": "location", "location": {"latitude": 59.33, "longitude": 18.06, "name": order.text}}
        case "reaction":
            return {"type": "reaction", "reaction": {"message_id": order.message, "emoji": order.text}}
        case "button":
            reply = {"id": order.text.lower(), "title": order.text}
            chosen = {"type": "button_reply", "button_reply": reply}
        case "list":
            reply = {"id": order.text.lower(), "title": order.text, "description": ""}
            chosen = {"type": "list_reply", "list_reply": reply}
    return {"type": "interactive", "interactive": chosen, **context}


def _image(world: World, number: Number, caption: str) -> dict[str, Any]:
    """Let the contact take a picture. It can be fetched for a week."""
    path = world.files.new()
    path.write_bytes(png(caption, 64))
    media = keep(world, Upload("photo.png", "image/png", path, path.stat().st_size))
    stored = StoredMedia(
        id=digits(16), parent=number.id, media=media, mime_type="image/png", made=world.clock.now(), days=_WEEK
    )
    world.store.put(stored)
    return {"id": stored.id, "mime_type": "image/png", "sha256": base64_digest(stored), "caption": caption}


def order_sending(world: World, order: Sending) -> None:
    number = _number(world, order.account)
    times = order.times if order.failure or order.silent else 0
    world.store.put(
        Behaviour(
            id=number.id,
            failure=order.failure,
            title=order.title,
            at_once=order.at_once,
            silent=order.silent,
            times=times,
        )
    )


class Status(ActionRequest, frozen=True, kw_only=True):
    """Send a status of a message once more, or out of order."""

    message: str
    status: Literal["sent", "delivered", "read", "played", "failed"]


def send_status(world: World, order: Status) -> None:
    message = world.store.get(Message, order.message)
    if message is None or not message.outbound:
        raise ControlError(f"The product sent no message {order.message!r}.")
    tell_status(world, _number(world, message.number), message, order.status)


def chats(world: World, order: Chats) -> Any:
    number = _number(world, order.account)
    found = [message for message in world.store.find(Message, newest_first=True) if message.number == number.id]
    return {
        "data": [
            {
                "id": message.id,
                "direction": "outbound" if message.outbound else "inbound",
                "contact": message.contact,
                "kind": message.kind,
                "content": message.content,
                "statuses": message.statuses,
                "media": _checksum(world, message),
            }
            for message in found
        ]
    }


def _checksum(world: World, message: Message) -> str:
    """Tell the checksum of stored media that a message shows."""
    body = message.content.get(message.kind)
    stored = world.store.get(StoredMedia, str(body.get("id"))) if isinstance(body, dict) else None
    return stored.media.sha256 if stored is not None else ""
