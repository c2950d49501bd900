"""What people do in their chats with a number: they write, read, react, change their mind, press buttons."""

from typing import Any

from socialgate.sandbox.kit import Action, ControlError, World, digits
from socialgate.sandbox.kit.media import keep
from socialgate.sandbox.society import conversations as society
from socialgate.sandbox.vendors.whatsapp_cloud.attachments import base64_digest
from socialgate.sandbox.vendors.whatsapp_cloud.blocking import is_blocked
from socialgate.sandbox.vendors.whatsapp_cloud.chat import (
    Contact,
    Message,
    StoredMedia,
    card,
    chat_of,
    contact_of,
    metadata,
    new_wamid,
    number_named,
    tell_status,
)
from socialgate.sandbox.vendors.whatsapp_cloud.shown import buttons_of
from socialgate.sandbox.vendors.whatsapp_cloud.state import Number
from socialgate.sandbox.vendors.whatsapp_cloud.webhooks import notify

_LONGEST_TEXT, _LONGEST_CAPTION = 4096, 1024
_WEEK = 7
# WhatsApp's names for the files that people send.
_FILES = {"image": "image", "video": "video", "audio": "audio", "voice": "audio", "file": "document"}
_FILES |= {"sticker": "sticker"}
_CAPTIONED = {"image", "video", "file"}


class Written(society.Written, frozen=True, kw_only=True):
    """Write to a number. `person` is one of the people or any phone number.

    With `hidden`, the sender has a user name instead of a number.
    """

    hidden: bool = False


def contact_named(world: World, person: str) -> Contact:
    plain = "".join(letter for letter in person if letter.isdigit())
    if plain and not any(letter.isalpha() for letter in person):
        return contact_of(world, plain)
    name = society.person_of(person).name
    return next(one for one in world.store.find(Contact) if one.name == name)


def write(world: World, order: Written) -> Any:
    number, contact = number_named(world, order.account), contact_named(world, order.person)
    longest = _LONGEST_CAPTION if order.attachment else _LONGEST_TEXT
    society.require_content(order, longest, (*_FILES, "location", "contact"))
    content = _content(world, number, order)
    if order.reply_to:
        content["context"] = {"from": number.digits, "id": str(order.reply_to)}
    return _receive(world, number, contact, content, hidden=order.hidden)


def _receive(world: World, number: Number, contact: Contact, content: dict[str, Any], *, hidden: bool = False) -> Any:
    """Receive a message, which opens the window, and notify the product."""
    if is_blocked(world, number.id, contact.id):
        raise ControlError(f"{contact.name} is blocked.", 409)
    chat = chat_of(world, number.id, contact.id)
    chat.last_inbound = world.clock.now()
    world.store.put(chat)
    message = Message(
        id=new_wamid(),
        parent=chat.id,
        number=number.id,
        contact=contact.id,
        outbound=False,
        kind=content["type"],
        content=content,
        made=world.clock.now(),
    )
    # A change of another message is not a message itself.
    if content["type"] not in {"edit", "revoke"}:
        world.store.put(message)
    told: dict[str, Any] = {"id": message.id, "timestamp": str(int(world.clock.time())), **content}
    who = card(contact)
    if hidden:
        del who["wa_id"]
        who["profile"]["username"] = contact.name.lower().replace(" ", ".")
    told |= {"from_user_id": contact.user} if hidden else {"from": contact.id}
    value = {**metadata(number), "contacts": [who], "messages": [told]}
    sent = notify(world, number.parent, "messages", value, number=number)
    return {"messageId": message.id, "told": sent}


def _content(world: World, number: Number, order: Written) -> dict[str, Any]:
    """Return the part of a message that depends on its type."""
    if order.attachment == "location":
        return {"type": "location", "location": {"latitude": 59.33, "longitude": 18.06, "name": order.text or "Home"}}
    if order.attachment == "contact":
        name = {"formatted_name": "Grandma", "first_name": "Grandma"}
        phones = [{"phone": "+1 555-010-0199", "wa_id": "15550100199", "type": "CELL"}]
        return {"type": "contacts", "contacts": [{"name": name, "phones": phones}]}
    if order.attachment:
        kind = _FILES[order.attachment]
        return {"type": kind, kind: _file(world, number, order)}
    return {"type": "text", "text": {"body": order.text}}


def _file(world: World, number: Number, order: Written) -> dict[str, Any]:
    """Let the contact send a file. It can be fetched for a week."""
    made = society.sample(world, order.attachment)
    stored = StoredMedia(
        id=digits(16),
        parent=number.id,
        media=keep(world, made.upload),
        mime_type=made.content_type,
        made=world.clock.now(),
        days=_WEEK,
    )
    world.store.put(stored)
    body: dict[str, Any] = {"id": stored.id, "mime_type": stored.mime_type, "sha256": base64_digest(stored)}
    if order.text and order.attachment in _CAPTIONED:
        body["caption"] = order.text
    if order.attachment == "file":
        body["filename"] = made.name
    if _FILES[order.attachment] == "audio":
        body["voice"] = order.attachment == "voice"
    return body | ({"animated": False} if order.attachment == "sticker" else {})


def _found(world: World, order: society.Named | society.Seen) -> tuple[Number, Contact, Message]:
    number, contact = number_named(world, order.account), contact_named(world, order.person)
    chat = f"{number.id}:{contact.id}"
    key = str(order.message_id)
    if not key:
        mine = [one for one in world.store.find(Message, parent=chat) if one.outbound]
        key = mine[-1].id if mine else ""
    message = world.store.get(Message, key)
    if message is None or message.parent != chat or message.deleted:
        raise ControlError(f"There is no message {key!r} in this chat.")
    return number, contact, message


def _own(world: World, order: society.Named) -> tuple[Number, Contact, Message]:
    number, contact, message = _found(world, order)
    if message.outbound:
        raise ControlError("People can only change their own messages.", 409)
    return number, contact, message


def _arrive(status: str) -> Any:
    def run(world: World, order: society.Seen) -> None:
        number, _, message = _found(world, order)
        if not message.outbound:
            raise ControlError("This message was written by the person. Choose a message of the account.", 409)
        tell_status(world, number, message, status)

    return run


def react(world: World, order: society.Reacted) -> Any:
    number, contact, message = _found(world, order)
    emoji = {"emoji": order.emoji} if order.emoji else {}
    content = {"type": "reaction", "reaction": {"message_id": message.id, **emoji}}
    return _receive(world, number, contact, content)


def edit(world: World, order: society.Edited) -> Any:
    number, contact, message = _own(world, order)
    if message.kind != "text" or not order.text.strip():
        raise ControlError("Only the text of a message can be edited.", 422)
    message.content["text"], message.edited = {"body": order.text}, True
    world.store.put(message)
    change = {"original_message_id": message.id, "message": {"type": "text", "text": {"body": order.text}}}
    return _receive(world, number, contact, {"type": "edit", "edit": change})


def delete(world: World, order: society.Named) -> Any:
    number, contact, message = _own(world, order)
    message.deleted = True
    world.store.put(message)
    return _receive(world, number, contact, {"type": "revoke", "revoke": {"original_message_id": message.id}})


def press(world: World, order: society.Pressed) -> Any:
    """Press a button or choose from a list, given by its title; or answer a template with one of its quick replies."""
    number, contact, message = _found(world, order)
    button = next((one for one in buttons_of(world, message) if one.title == order.button), None)
    if button is None:
        raise ControlError(f"The message has no button {order.button!r}.")
    context = {"context": {"from": number.digits, "id": message.id}}
    if button.kind == "button":
        content: dict[str, Any] = {"type": "button", "button": {"payload": button.key, "text": button.title}}
    else:
        reply = {"id": button.key, "title": button.title}
        reply |= {"description": button.description} if button.kind == "list_reply" else {}
        content = {"type": "interactive", "interactive": {"type": button.kind, button.kind: reply}}
    return _receive(world, number, contact, content | context)


ACTIONS: dict[str, Action[Any]] = {
    **society.verb("message", Written, write),
    **society.verb("deliver", society.Seen, _arrive("delivered")),
    **society.verb("read", society.Seen, _arrive("read")),
    **society.verb("react", society.Reacted, react),
    **society.verb("edit", society.Edited, edit),
    **society.verb("delete", society.Named, delete),
    **society.verb("press", society.Pressed, press),
}
