"""People who write to a number, what they can send, and how the product is notified of their chats."""

from base64 import b64encode
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any, NamedTuple

from socialgate_sandbox.dialects.graph.messages import Message as GraphMessage
from socialgate_sandbox.dialects.graph.messages import build_file_fields, create_sample_media
from socialgate_sandbox.kit import FOLLOWERS, Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.society import conversation_requests as society
from socialgate_sandbox.society.chats import Button, Chat, ChatService, Json, MessageEvent
from socialgate_sandbox.vendors.whatsapp_cloud.media_nodes import create_stored_media, encode_digest
from socialgate_sandbox.vendors.whatsapp_cloud.stored_objects import Number
from socialgate_sandbox.vendors.whatsapp_cloud.webhook_subscriptions import notify_if_subscribed

MAX_TEXT_LENGTH, MAX_CAPTION_LENGTH = 4096, 1024
_PEOPLE_BY_NUMBER = dict(zip(("4915550100101", "905550100202", "353550100303"), FOLLOWERS, strict=True))
_INBOUND_MEDIA_DAYS = 7
_MIN_DIGITS, _MAX_DIGITS = 7, 15
# WhatsApp's names for the files that people send.
_MEDIA_TYPES_BY_ATTACHMENT = {
    "image": "image",
    "video": "video",
    "audio": "audio",
    "voice": "audio",
    "file": "document",
}
_MEDIA_TYPES_BY_ATTACHMENT |= {"sticker": "sticker"}
_CAPTION_ATTACHMENTS = {"image", "video", "file"}
_FAILURE_CHOICES = {
    "131026": "Message undeliverable (131026)",
    "131047": "Window of 24 hours closed (131047)",
    "131049": "Not delivered to keep the ecosystem healthy (131049)",
    "131056": "Too many messages to one person (131056)",
    "131000": "Something went wrong (131000)",
}
WINDOW_CLOSED_CODE, UPLOAD_FAILED_CODE = 131047, 131053
_ERROR_TITLES = {WINDOW_CLOSED_CODE: "Re-engagement message", UPLOAD_FAILED_CODE: "Media upload error"}


class Contact(NamedTuple):
    """A person on WhatsApp; the id is the number. `user_id` is the id that remains when the number is hidden."""

    id: str
    name: str
    user_id: str


class Message(GraphMessage, kw_only=True):
    """`opaque` is what the product wants to find in its reports, `failure` the code and title of what went wrong."""

    opaque: str = ""
    failure: tuple[int, str] = (0, "")
    hidden: bool = False


class WriteWhatsAppMessageRequest(society.WriteMessageRequest, frozen=True, kw_only=True):
    """Write to a number. `person` is one of the people or any phone number.

    With `hidden`, the sender has a user name instead of a number.
    """

    hidden: bool = False


def build_contact(key: str) -> Contact:
    """Return who has a number, or a user id, which contains the number backwards. Every number is on WhatsApp."""
    wa_id = key.partition(".")[2].removesuffix("0001")[::-1] if "." in key else key
    person = _PEOPLE_BY_NUMBER.get(wa_id)
    name, country = (f"+{wa_id}", "US") if person is None else (person.name, "DE")
    return Contact(wa_id, name, f"{country}.{wa_id[::-1]}0001")


def find_user(context: VendorContext, number: Number, user_id: str) -> Contact | None:
    """Find somebody by their user id: one of the people, or anybody with whom there is a chat."""
    result = build_contact(user_id)
    is_known = result.id in _PEOPLE_BY_NUMBER or CHAT_SERVICE.has_begun(
        context, CHAT_SERVICE.get_or_build_chat(context, number.id, result.id)
    )
    return result if is_known and result.user_id == user_id else None


def _get_person_number(_world: VendorContext, request: society.ConversationRequest) -> str:
    return _to_phone_number(request.person)


def _to_phone_number(key: str) -> str:
    """Return the number of one of the people, or any phone number."""
    plain = "".join(letter for letter in key if letter.isdigit())
    if plain and not any(letter.isalpha() for letter in key):
        return plain
    requested_person = society.find_person(key)
    return next(wa_id for wa_id, person in _PEOPLE_BY_NUMBER.items() if person == requested_person)


def _build_message_fields(
    context: VendorContext, chat: Chat, request: WriteWhatsAppMessageRequest, _quoted: Message | None
) -> Sequence[Json]:
    created = _build_content(context, chat, request)
    return [created | {"hidden": request.hidden, "content": {"type": created["kind"], **created["content"]}}]


def _build_content(context: VendorContext, chat: Chat, request: WriteWhatsAppMessageRequest) -> Json:
    """Return the fields of a message that depend on its type."""
    if request.attachment == "location":
        place = {"latitude": 59.33, "longitude": 18.06, "name": request.text or "Home"}
        return {"kind": "location", "text": format_location(place), "content": {"location": place}}
    if request.attachment == "contact":
        name = {"formatted_name": "Grandma", "first_name": "Grandma"}
        phones = [{"phone": "+1 555-010-0199", "wa_id": "15550100199", "type": "CELL"}]
        return {"kind": "contacts", "text": "Grandma", "content": {"contacts": [{"name": name, "phones": phones}]}}
    if request.attachment == "order":
        return _build_order(request.text)
    if request.attachment == "unsupported":
        error = {"code": 131051, "title": "Message type unknown", "message": "Message type unknown"}
        error["error_data"] = {"details": "Message type is currently not supported."}
        return {"kind": "unsupported", "text": "", "content": {"errors": [error]}}
    if not request.attachment:
        return {"kind": "text", "text": request.text, "content": {"text": {"body": request.text}}}
    created, media = create_sample_media(context, request.attachment)
    kind, caption = (
        _MEDIA_TYPES_BY_ATTACHMENT[request.attachment],
        request.text if request.attachment in _CAPTION_ATTACHMENTS else "",
    )
    stored = create_stored_media(context, chat.parent, media, days=_INBOUND_MEDIA_DAYS)
    body: Json = {"id": stored.id, "mime_type": stored.mime_type, "sha256": encode_digest(stored)}
    body |= {"caption": caption} if caption else {}
    body |= {"filename": created.name} if request.attachment == "file" else {}
    body |= {"voice": request.attachment == "voice"} if kind == "audio" else {}
    body |= {"animated": False} if kind == "sticker" else {}
    return build_file_fields(kind, media, caption) | {"content": {kind: body}}


def _build_order(text: str) -> Json:
    """Order two things from a catalog that a message showed."""
    rolls = {"product_retailer_id": "bun-1", "quantity": 2, "item_price": 32, "currency": "SEK"}
    loaf = {"product_retailer_id": "loaf-1", "quantity": 1, "item_price": 65, "currency": "SEK"}
    order: Json = {"catalog_id": "194836987003835", "text": text, "product_items": [rolls, loaf]}
    return {"kind": "order", "text": text or "2 bun-1, 1 loaf-1", "content": {"order": order}}


class ChangeNumberRequest(ActionRequest, frozen=True, kw_only=True):
    """A person who wrote before has a new phone number."""

    account: str
    person: str = FOLLOWERS[0].key
    number: str


def report_number_change(context: VendorContext, request: ChangeNumberRequest) -> Any:
    """Report a new number, as WhatsApp does in the chat with the old one: without the list of contacts."""
    number, old = (
        CHAT_SERVICE.require_account(context, request.account),
        build_contact(_to_phone_number(request.person)),
    )
    new = "".join(filter(str.isdigit, request.number))
    if not _MIN_DIGITS <= len(new) <= _MAX_DIGITS or new == old.id:
        raise ControlError("Set number to the new phone number, with its country code.", 422)
    system = {"body": f"{old.name} changed from {old.id} to {new}", "wa_id": new, "type": "user_changed_number"}
    key = generate_wamid()
    row = {
        "from": old.id,
        "id": key,
        "timestamp": str(int(context.clock.get_unix_time())),
        "type": "system",
        "system": system,
    }
    about = {"display_phone_number": number.digits, "phone_number_id": number.id}
    value = {"messaging_product": "whatsapp", "metadata": about, "messages": [row]}
    notify_if_subscribed(context, number.parent, "messages", value, number=number)
    return {"messageId": key}


def format_location(location: Json) -> str:
    return f"{location.get('name') or ''} ({location.get('latitude')}, {location.get('longitude')})".strip()


def _build_button_answer(_world: VendorContext, message: Message, button: Button) -> Json:
    """Choose a button or a row of a list, or one of the quick replies of a template."""
    if button.kind == "button":
        content: Json = {"type": "button", "button": {"payload": button.payload, "text": button.title}}
    else:
        reply = {"id": button.payload, "title": button.title}
        reply |= {"description": button.description} if button.kind == "list_reply" else {}
        content = {"type": "interactive", "interactive": {"type": button.kind, button.kind: reply}}
    return {"kind": content["type"], "text": button.title, "content": content, "reply_to": message.id}


def _notify_event(context: VendorContext, event: MessageEvent[Message]) -> bool:
    if event.change == "echoed":
        return False
    chat, message = event.chat, event.message
    number, contact = CHAT_SERVICE.require_account(context, chat.parent), build_contact(chat.person)
    card: Json = {"profile": {"name": contact.name}, "wa_id": contact.id, "user_id": contact.user_id}
    change = _ROW_BUILDERS.get(event.change)
    if change is None:
        report = {"statuses": [_build_status_row(context, contact, event)]}
    else:
        key = message.id if event.change == "written" else generate_wamid()
        row = {"id": key, "timestamp": str(int(context.clock.get_unix_time())), **change(number, event)}
        report = {
            "messages": [
                row | _build_sender(contact, card, is_number_hidden=message.hidden and event.change == "written")
            ]
        }
        # Whatever a person does opens the window.
        chat.last_inbound = context.clock.now()
        context.store.put(chat)
    about = {"display_phone_number": number.digits, "phone_number_id": number.id}
    value = {"messaging_product": "whatsapp", "metadata": about, "contacts": [card], **report}
    return notify_if_subscribed(context, number.parent, "messages", value, number=number, delay_seconds=event.after)


def _build_sender(contact: Contact, card: Json, *, is_number_hidden: bool) -> Json:
    """Say who wrote. People who hide their number have a user name instead, also on their card."""
    if not is_number_hidden:
        return {"from": contact.id}
    del card["wa_id"]
    card["profile"]["username"] = contact.name.lower().replace(" ", ".")
    return {"from_user_id": contact.user_id}


def _build_written_row(number: Number, event: MessageEvent[Message]) -> Json:
    quoted = event.message.reply_to
    return event.message.content | ({"context": {"from": number.digits, "id": quoted}} if quoted else {})


def _build_reaction_row(_number: Number, event: MessageEvent[Message]) -> Json:
    emoji = event.message.reactions.get(event.chat.person)
    return {"type": "reaction", "reaction": {"message_id": event.message.id} | ({"emoji": emoji} if emoji else {})}


def _build_edit_row(_number: Number, event: MessageEvent[Message]) -> Json:
    new = {"type": "text", "text": {"body": event.message.text}}
    return {"type": "edit", "edit": {"original_message_id": event.message.id, "message": new}}


def _build_deletion_row(_number: Number, event: MessageEvent[Message]) -> Json:
    return {"type": "revoke", "revoke": {"original_message_id": event.message.id}}


# Changes are reported as messages of their own.
_ROW_BUILDERS = {
    "written": _build_written_row,
    "reacted": _build_reaction_row,
    "edited": _build_edit_row,
    "deleted": _build_deletion_row,
}


def _build_status_row(context: VendorContext, contact: Contact, event: MessageEvent[Message]) -> Json:
    message, at = event.message, int(context.clock.get_unix_time() + event.after)
    code, title = message.failure
    row: Json = {"id": message.id, "status": event.change, "timestamp": str(at)}
    row |= {"recipient_id": contact.id, "recipient_user_id": contact.user_id}
    row |= {"biz_opaque_callback_data": message.opaque} if message.opaque else {}
    if event.change == "failed" and code:
        title = title or _ERROR_TITLES.get(code, "Message undeliverable")
        href = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"
        error = {"code": code, "title": title, "message": title, "error_data": {"details": f"{title}."}, "href": href}
        return row | {"errors": [error]}
    category = "utility" if message.kind == "template" else "service"
    conversation: Json = {"id": message.id[-32:], "origin": {"type": category}}
    if event.change == "sent":
        conversation["expiration_timestamp"] = str(at + int(society.REPLY_WINDOW.total_seconds()))
    pricing = {
        "billable": category != "service",
        "pricing_model": "PMP",
        "type": "free_customer_service" if category == "service" else "regular",
        "category": category,
    }
    return row | {"conversation": conversation, "pricing": pricing}


def generate_wamid() -> str:
    return f"wamid.{b64encode(token_bytes(42)).decode()}"


CHAT_SERVICE: ChatService[Message, Number] = ChatService(
    kind=Message,
    account_noun="phone number",
    accounts=lambda world, key: world.store.get(Number, key),
    name=lambda number: number.verified_name,
    person=_get_person_number,
    new_id=generate_wamid,
    build_message_fields=_build_message_fields,
    notify_product=_notify_event,
    answer=_build_button_answer,
    message_request_type=WriteWhatsAppMessageRequest,
    attachments=(*_MEDIA_TYPES_BY_ATTACHMENT, "location", "contact", "order", "unsupported"),
    get_max_length=lambda _world, _chat, order: MAX_CAPTION_LENGTH if order.attachment else MAX_TEXT_LENGTH,
)


def _build_line(_world: VendorContext, message: Message) -> Json:
    text = {"text": {"body": message.text}} if message.edits else {}
    return {
        "id": message.id,
        "direction": "inbound" if message.person else "outbound",
        "contact": message.chat.partition(":")[2],
        "kind": message.kind,
        "content": message.content | text,
        "statuses": [step.state for step in message.steps],
        "media": "".join(file.sha256 for file in message.media),
    }


ACTIONS: dict[str, Action[Any]] = {
    **CHAT_SERVICE.build_actions(),
    **CHAT_SERVICE.build_fate_actions(("phone number",), _FAILURE_CHOICES),
    "chats": CHAT_SERVICE.build_list_action(_build_line),
    "changeNumber": Action(
        "Change the number of a person", ChangeNumberRequest, report_number_change, kinds=("phone number",)
    ),
}
