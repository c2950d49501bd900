"""People who write to a number, what they can send, and how the product is notified of their chats."""

from base64 import b64encode
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any, NamedTuple

from socialgate_sandbox.dialects.graph.messages import Message as GraphMessage
from socialgate_sandbox.dialects.graph.messages import sampled, with_file
from socialgate_sandbox.kit import FOLLOWERS, Action, ActionRequest, ControlError, World
from socialgate_sandbox.society import conversations as society
from socialgate_sandbox.society.chats import Button, Chat, Chats, Event, Json
from socialgate_sandbox.vendors.whatsapp_cloud.attachments import base64_digest, store
from socialgate_sandbox.vendors.whatsapp_cloud.state import Number
from socialgate_sandbox.vendors.whatsapp_cloud.webhooks import notify

LONGEST_TEXT, LONGEST_CAPTION = 4096, 1024
_PEOPLE = dict(zip(("4915550100101", "905550100202", "353550100303"), FOLLOWERS, strict=True))
_WEEK = 7
_MIN_DIGITS, _MAX_DIGITS = 7, 15
# WhatsApp's names for the files that people send.
_FILES = {"image": "image", "video": "video", "audio": "audio", "voice": "audio", "file": "document"}
_FILES |= {"sticker": "sticker"}
_CAPTIONED = {"image", "video", "file"}
_FAILURES = {
    "131026": "Message undeliverable (131026)",
    "131047": "Window of 24 hours closed (131047)",
    "131049": "Not delivered to keep the ecosystem healthy (131049)",
    "131056": "Too many messages to one person (131056)",
    "131000": "Something went wrong (131000)",
}
WINDOW_CLOSED, UPLOAD_FAILED = 131047, 131053
_TITLES = {WINDOW_CLOSED: "Re-engagement message", UPLOAD_FAILED: "Media upload error"}


class Contact(NamedTuple):
    """A person on WhatsApp; the id is the number. `user` is the id that remains when the number is hidden."""

    id: str
    name: str
    user: str


class Message(GraphMessage, kw_only=True):
    """`opaque` is what the product wants to find in its reports, `failure` the code and title of what went wrong."""

    opaque: str = ""
    failure: tuple[int, str] = (0, "")
    hidden: bool = False


class Written(society.Written, frozen=True, kw_only=True):
    """Write to a number. `person` is one of the people or any phone number.

    With `hidden`, the sender has a user name instead of a number.
    """

    hidden: bool = False


def contact_of(key: str) -> Contact:
    """Return who has a number, or a user id, which contains the number backwards. Every number is on WhatsApp."""
    wa_id = key.partition(".")[2].removesuffix("0001")[::-1] if "." in key else key
    person = _PEOPLE.get(wa_id)
    name, country = (f"+{wa_id}", "US") if person is None else (person.name, "DE")
    return Contact(wa_id, name, f"{country}.{wa_id[::-1]}0001")


def user_named(world: World, number: Number, user: str) -> Contact | None:
    """Find somebody by their user id: one of the people, or anybody with whom there is a chat."""
    found = contact_of(user)
    is_known = found.id in _PEOPLE or CHATS.has_begun(world, CHATS.of(world, number.id, found.id))
    return found if is_known and found.user == user else None


def _person(_world: World, order: society.About) -> str:
    return _number_of(order.person)


def _number_of(key: str) -> str:
    """Return the number of one of the people, or any phone number."""
    plain = "".join(letter for letter in key if letter.isdigit())
    if plain and not any(letter.isalpha() for letter in key):
        return plain
    wanted = society.person_of(key)
    return next(wa_id for wa_id, person in _PEOPLE.items() if person == wanted)


def _compose(world: World, chat: Chat, order: Written, _quoted: Message | None) -> Sequence[Json]:
    made = _content(world, chat, order)
    return [made | {"hidden": order.hidden, "content": {"type": made["kind"], **made["content"]}}]


def _content(world: World, chat: Chat, order: Written) -> Json:
    """Return the fields of a message that depend on its type."""
    if order.attachment == "location":
        place = {"latitude": 59.33, "longitude": 18.06, "name": order.text or "Home"}
        return {"kind": "location", "text": place_text(place), "content": {"location": place}}
    if order.attachment == "contact":
        name = {"formatted_name": "Grandma", "first_name": "Grandma"}
        phones = [{"phone": "+1 555-010-0199", "wa_id": "15550100199", "type": "CELL"}]
        return {"kind": "contacts", "text": "Grandma", "content": {"contacts": [{"name": name, "phones": phones}]}}
    if order.attachment == "order":
        return _order(order.text)
    if order.attachment == "unsupported":
        error = {"code": 131051, "title": "Message type unknown", "message": "Message type unknown"}
        error["error_data"] = {"details": "Message type is currently not supported."}
        return {"kind": "unsupported", "text": "", "content": {"errors": [error]}}
    if not order.attachment:
        return {"kind": "text", "text": order.text, "content": {"text": {"body": order.text}}}
    made, media = sampled(world, order.attachment)
    kind, caption = _FILES[order.attachment], order.text if order.attachment in _CAPTIONED else ""
    stored = store(world, chat.parent, media, days=_WEEK)
    body: Json = {"id": stored.id, "mime_type": stored.mime_type, "sha256": base64_digest(stored)}
    body |= {"caption": caption} if caption else {}
    body |= {"filename": made.name} if order.attachment == "file" else {}
    body |= {"voice": order.attachment == "voice"} if kind == "audio" else {}
    body |= {"animated": False} if kind == "sticker" else {}
    return with_file(kind, media, caption) | {"content": {kind: body}}


def _order(text: str) -> Json:
    """Order two things from a catalog that a message showed."""
    rolls = {"product_retailer_id": "bun-1", "quantity": 2, "item_price": 32, "currency": "SEK"}
    loaf = {"product_retailer_id": "loaf-1", "quantity": 1, "item_price": 65, "currency": "SEK"}
    order: Json = {"catalog_id": "194836987003835", "text": text, "product_items": [rolls, loaf]}
    return {"kind": "order", "text": text or "2 bun-1, 1 loaf-1", "content": {"order": order}}


class NumberChange(ActionRequest, frozen=True, kw_only=True):
    """A person who wrote before has a new phone number."""

    account: str
    person: str = FOLLOWERS[0].key
    number: str


def change_number(world: World, order: NumberChange) -> Any:
    """Report a new number, as WhatsApp does in the chat with the old one: without the list of contacts."""
    number, old = CHATS.account(world, order.account), contact_of(_number_of(order.person))
    new = "".join(filter(str.isdigit, order.number))
    if not _MIN_DIGITS <= len(new) <= _MAX_DIGITS or new == old.id:
        raise ControlError("Set number to the new phone number, with its country code.", 422)
    system = {"body": f"{old.name} changed from {old.id} to {new}", "wa_id": new, "type": "user_changed_number"}
    key = new_wamid()
    row = {"from": old.id, "id": key, "timestamp": str(int(world.clock.time())), "type": "system", "system": system}
    about = {"display_phone_number": number.digits, "phone_number_id": number.id}
    value = {"messaging_product": "whatsapp", "metadata": about, "messages": [row]}
    notify(world, number.parent, "messages", value, number=number)
    return {"messageId": key}


def place_text(place: Json) -> str:
    return f"{place.get('name') or ''} ({place.get('latitude')}, {place.get('longitude')})".strip()


def _answer(_world: World, message: Message, button: Button) -> Json:
    """Choose a button or a row of a list, or one of the quick replies of a template."""
    if button.kind == "button":
        content: Json = {"type": "button", "button": {"payload": button.payload, "text": button.title}}
    else:
        reply = {"id": button.payload, "title": button.title}
        reply |= {"description": button.description} if button.kind == "list_reply" else {}
        content = {"type": "interactive", "interactive": {"type": button.kind, button.kind: reply}}
    return {"kind": content["type"], "text": button.title, "content": content, "reply_to": message.id}


def _tell(world: World, event: Event[Message]) -> bool:
    if event.what == "echoed":
        return False
    chat, message = event.chat, event.message
    number, contact = CHATS.account(world, chat.parent), contact_of(chat.person)
    card: Json = {"profile": {"name": contact.name}, "wa_id": contact.id, "user_id": contact.user}
    change = _CHANGES.get(event.what)
    if change is None:
        report = {"statuses": [_status(world, contact, event)]}
    else:
        key = message.id if event.what == "written" else new_wamid()
        row = {"id": key, "timestamp": str(int(world.clock.time())), **change(number, event)}
        report = {"messages": [row | _sender(contact, card, hidden=message.hidden and event.what == "written")]}
        # Whatever a person does opens the window.
        chat.last_inbound = world.clock.now()
        world.store.put(chat)
    about = {"display_phone_number": number.digits, "phone_number_id": number.id}
    value = {"messaging_product": "whatsapp", "metadata": about, "contacts": [card], **report}
    return notify(world, number.parent, "messages", value, number=number, after=event.after)


def _sender(contact: Contact, card: Json, *, hidden: bool) -> Json:
    """Say who wrote. People who hide their number have a user name instead, also on their card."""
    if not hidden:
        return {"from": contact.id}
    del card["wa_id"]
    card["profile"]["username"] = contact.name.lower().replace(" ", ".")
    return {"from_user_id": contact.user}


def _written(number: Number, event: Event[Message]) -> Json:
    quoted = event.message.reply_to
    return event.message.content | ({"context": {"from": number.digits, "id": quoted}} if quoted else {})


def _reacted(_number: Number, event: Event[Message]) -> Json:
    emoji = event.message.reactions.get(event.chat.person)
    return {"type": "reaction", "reaction": {"message_id": event.message.id} | ({"emoji": emoji} if emoji else {})}


def _edited(_number: Number, event: Event[Message]) -> Json:
    new = {"type": "text", "text": {"body": event.message.text}}
    return {"type": "edit", "edit": {"original_message_id": event.message.id, "message": new}}


def _deleted(_number: Number, event: Event[Message]) -> Json:
    return {"type": "revoke", "revoke": {"original_message_id": event.message.id}}


# Changes are reported as messages of their own.
_CHANGES = {"written": _written, "reacted": _reacted, "edited": _edited, "deleted": _deleted}


def _status(world: World, contact: Contact, event: Event[Message]) -> Json:
    message, at = event.message, int(world.clock.time() + event.after)
    code, title = message.failure
    row: Json = {"id": message.id, "status": event.what, "timestamp": str(at)}
    row |= {"recipient_id": contact.id, "recipient_user_id": contact.user}
    row |= {"biz_opaque_callback_data": message.opaque} if message.opaque else {}
    if event.what == "failed" and code:
        title = title or _TITLES.get(code, "Message undeliverable")
        href = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"
        error = {"code": code, "title": title, "message": title, "error_data": {"details": f"{title}."}, "href": href}
        return row | {"errors": [error]}
    category = "utility" if message.kind == "template" else "service"
    conversation: Json = {"id": message.id[-32:], "origin": {"type": category}}
    if event.what == "sent":
        conversation["expiration_timestamp"] = str(at + int(society.WINDOW.total_seconds()))
    pricing = {
        "billable": category != "service",
        "pricing_model": "PMP",
        "type": "free_customer_service" if category == "service" else "regular",
        "category": category,
    }
    return row | {"conversation": conversation, "pricing": pricing}


def new_wamid() -> str:
    return f"wamid.{b64encode(token_bytes(42)).decode()}"


CHATS: Chats[Message, Number] = Chats(
    kind=Message,
    called="phone number",
    accounts=lambda world, key: world.store.get(Number, key),
    name=lambda number: number.verified_name,
    person=_person,
    new_id=new_wamid,
    compose=_compose,
    tell=_tell,
    answer=_answer,
    written=Written,
    attachments=(*_FILES, "location", "contact", "order", "unsupported"),
    longest=lambda _world, _chat, order: LONGEST_CAPTION if order.attachment else LONGEST_TEXT,
)


def _line(_world: World, one: Message) -> Json:
    text = {"text": {"body": one.text}} if one.edits else {}
    return {
        "id": one.id,
        "direction": "inbound" if one.person else "outbound",
        "contact": one.chat.partition(":")[2],
        "kind": one.kind,
        "content": one.content | text,
        "statuses": [step.state for step in one.steps],
        "media": "".join(file.sha256 for file in one.media),
    }


ACTIONS: dict[str, Action[Any]] = {
    **CHATS.actions(),
    **CHATS.fates(("phone number",), _FAILURES),
    "chats": CHATS.look(_line),
    "changeNumber": Action("Change the number of a person", NumberChange, change_number, kinds=("phone number",)),
}
