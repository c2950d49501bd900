"""Chats of linked numbers: messages in WhatsApp's form, what people write, and what WaSender notifies of."""

from base64 import b64encode
from collections.abc import Sequence
from secrets import token_bytes
from typing import Any

from socialgate_sandbox.kit import Action, ControlError, MediaView, VendorContext, generate_hex
from socialgate_sandbox.kit.media import build_media_view
from socialgate_sandbox.society import conversation_requests as society
from socialgate_sandbox.society.chats import Chat, ChatService, MessageEvent
from socialgate_sandbox.society.message_fates import DeliveryStep
from socialgate_sandbox.vendors.wasender.media import store_file
from socialgate_sandbox.vendors.wasender.people import GROUP_JID, PHONES_BY_PERSON, build_jid, build_lid, find_person
from socialgate_sandbox.vendors.wasender.state import Json, Media, Message, Session
from socialgate_sandbox.vendors.wasender.webhooks import send_event

MAX_TEXT_LENGTH = 65_536
# The members of a request that name a file, and WhatsApp's names for the files that people send.
KINDS_BY_URL_FIELD = {f"{kind}Url": kind for kind in ("image", "video", "document", "audio", "sticker")}
_URL_FIELDS_BY_ATTACHMENT = {
    "image": "imageUrl",
    "video": "videoUrl",
    "audio": "audioUrl",
    "voice": "audioUrl",
    "file": "documentUrl",
}
_URL_FIELDS_BY_ATTACHMENT |= {"sticker": "stickerUrl"}
_CONTENT_BY_ATTACHMENT: dict[str, Json] = {
    "location": {"location": {"latitude": 52.520008, "longitude": 13.404954, "name": "Berlin"}},
    "contact": {"contact": {"name": "Grandma", "phone": "+15550100199"}},
}
_STATUS_NUMBERS = {"failed": 0, "sent": 2, "delivered": 3, "read": 4, "played": 5}


class WriteMessageRequest(society.WriteMessageRequest, frozen=True, kw_only=True):
    """Somebody writes to the number, in private or in the group. `fromMe`: its owner writes to them from the phone."""

    group: bool = False
    lid: bool = False
    from_me: bool = False


class ReceiptRequest(society.ReceiptRequest, frozen=True, kw_only=True):
    """The other side reads a message, or plays it."""

    played: bool = False


def _find_session(context: VendorContext, key: str) -> Session | None:
    """Find a session by its id, or the newest of a number."""
    of_number = [session for session in context.store.find(Session) if session.phone_number == key]
    return context.store.get(Session, key) or next(reversed(of_number), None)


def build_message_fields(request_body: Json, media: Media | None, quoted_message: Message | None) -> Json:
    """Return the fields of a message as a request describes it."""
    content, text = _build_content(request_body, media), request_body.get("text") or ""
    if quoted_message is not None:
        about = {
            "stanzaId": quoted_message.id,
            "participant": get_chat_jid(quoted_message),
            "quotedMessage": quoted_message.content,
        }
        content = {name: value | {"contextInfo": about} for name, value in content.items()}
    place, contact = request_body.get("location"), request_body.get("contact")
    described = f"{place.get('name', '')} ({place['latitude']}, {place['longitude']})".strip() if place else ""
    return {
        "content": content,
        "body": text,
        "text": text or described or (contact["name"] if contact else ""),
        "file": "" if media is None else media.id,
        "media": [] if media is None else [_build_media_view(media)],
        "reply_to": "" if quoted_message is None else quoted_message.id,
    }


def _build_media_view(media: Media) -> MediaView:
    return build_media_view(media.file, name=media.name)


def _build_content(request_body: Json, media: Media | None) -> Json:
    name = next((name for name in KINDS_BY_URL_FIELD if request_body.get(name)), None)
    text = request_body.get("text") or ""
    if name is not None:
        caption = {"caption": text} if text and name not in {"audioUrl", "stickerUrl"} else {}
        return {f"{KINDS_BY_URL_FIELD[name]}Message": _build_file_json(media, request_body.get("fileName")) | caption}
    if request_body.get("contact"):
        contact = request_body["contact"]
        vcard = f"BEGIN:VCARD\nVERSION:3.0\nFN:{contact['name']}\nTEL;type=CELL:{contact['phone']}\nEND:VCARD"
        return {"contactMessage": {"displayName": contact["name"], "vcard": vcard}}
    if request_body.get("location"):
        place = request_body["location"]
        names = {name: place[name] for name in ("name", "address") if place.get(name)}
        spot = {"degreesLatitude": float(place["latitude"]), "degreesLongitude": float(place["longitude"])}
        return {"locationMessage": spot | names}
    if request_body.get("poll"):
        poll = request_body["poll"]
        options = [{"optionName": str(option)} for option in poll["options"]]
        most = 0 if poll.get("multiSelect") else 1
        return {"pollCreationMessage": {"name": poll["question"], "options": options, "selectableOptionsCount": most}}
    mentioned = {"contextInfo": {"mentionedJid": request_body["mentions"]}} if request_body.get("mentions") else {}
    return {"extendedTextMessage": {"text": text} | mentioned}


def _build_file_json(media: Media | None, name: Any) -> Json:
    """Show a file as WhatsApp does: a URL whose content is useless without its key."""
    if media is None:
        return {"mimetype": "application/octet-stream"}
    body: Json = {
        "url": f"https://mmg.whatsapp.net/v/t62.7118-24/{media.id}.enc",
        "mimetype": media.mime,
        "fileSha256": b64encode(bytes.fromhex(media.file.sha256)).decode(),
        "fileLength": str(media.file.size),
        "mediaKey": media.media_key,
    }
    value = name or media.name
    return body | ({"fileName": value} if value else {})


def _get_chat_partner(_world: VendorContext, request: society.ConversationRequest) -> str:
    """Return whom the chat is with: the person, or the group."""
    person = society.find_person(request.person)
    return GROUP_JID if isinstance(request, WriteMessageRequest) and request.group else build_jid(person)


def _build_messages(
    context: VendorContext, chat: Chat, request: WriteMessageRequest, quoted_message: Message | None
) -> Sequence[Json]:
    media, params = None, {"text": request.text, **_CONTENT_BY_ATTACHMENT.get(request.attachment, {})}
    if request.attachment in _URL_FIELDS_BY_ATTACHMENT:
        created, name = (
            society.create_sample_file(context, request.attachment),
            _URL_FIELDS_BY_ATTACHMENT[request.attachment],
        )
        known = created.name if name == "documentUrl" else ""
        secret = b64encode(token_bytes(32)).decode()
        media = store_file(
            context, created.upload.path, created.content_type, name=known, owner=chat.parent, media_key=secret
        )
        params[name] = media.id
    fields = build_message_fields(params, media, quoted_message)
    if not request.attachment and quoted_message is None:
        # Only a reply needs the longer form, which has a place for what it quotes.
        fields["content"] = {"conversation": request.text}
    if request.attachment == "voice":
        fields["content"]["audioMessage"]["ptt"] = True
    steps = [DeliveryStep("read")] if request.from_me else []
    author = "" if request.from_me else build_jid(society.find_person(request.person))
    return [fields | {"person": author, "lid": request.lid, "steps": steps}]


def get_chat_jid(message: Message) -> str:
    return message.chat.partition(":")[2]


def build_message_key(message: Message) -> Json:
    """Identify a message. With LIDs the chat is not a phone number, and the number is next to it."""
    chat = get_chat_jid(message)
    person = find_person(message.person or chat)
    address = build_lid(person) if message.lid and person is not None else message.person or chat
    key: Json = {"id": message.id, "fromMe": not message.person, "remoteJid": chat if chat == GROUP_JID else address}
    if not message.person or person is None:
        return key
    key["addressingMode"] = "lid" if message.lid else "pn"
    value, params = ("participant", {"participant": address}) if chat == GROUP_JID else ("sender", {})
    capital = value.capitalize()
    numbers = {
        f"{value}Pn": build_jid(person),
        f"cleaned{capital}Pn": PHONES_BY_PERSON[person.key],
        f"{value}Lid": build_lid(person),
    }
    return key | params | numbers


def _build_message_json(message: Message) -> Json:
    person = find_person(message.person) if message.person else None
    return {
        "key": build_message_key(message),
        "messageBody": message.body,
        "message": message.content,
        "messageTimestamp": int(message.created_at.timestamp()),
    } | ({"pushName": person.name} if person is not None else {})


def get_status_number(context: VendorContext, message: Message) -> int:
    """Return the delivery state as WhatsApp numbers it. What others wrote was delivered."""
    return _STATUS_NUMBERS[message.state(context) or "delivered"]


def _send_webhooks(context: VendorContext, event: MessageEvent[Message]) -> bool:
    session = CHAT_SERVICE.require_account(context, event.chat.parent)
    if session.status != "connected":
        raise ControlError("The session is not linked to a phone.", 409)
    sent = [send_event(context, session, name, data, delay_seconds=event.after) for name, data in _build_events(event)]
    return any(sent)


def _build_events(event: MessageEvent[Message]) -> list[tuple[str, Any]]:
    chat, message = event.chat, event.message
    key, new = build_message_key(message), ("messages.upsert", {"messages": _build_message_json(message)})
    if event.change == "written" and message.person:
        place = "group" if chat.person == GROUP_JID else "personal"
        return [("messages.received", new[1]), (f"messages-{place}.received", new[1]), new]
    match event.change:
        case "written" | "echoed":
            return [("message.sent", {"key": key, "message": message.content, "status": "sent"}), new]
        case "edited":
            return [new]
        case "deleted":
            return [("messages.delete", {"keys": [key]})]
        case "reacted":
            about = {"id": message.id, "fromMe": not message.person, "remoteJid": get_chat_jid(message)}
            own = {"id": _generate_message_id(), "fromMe": False, "remoteJid": get_chat_jid(message)}
            # The reaction contains the key of its message.
            emoji = message.reactions.get(chat.person, "")
            return [("messages.reaction", [{"key": own, "reaction": {"text": emoji, "key": about}}])]
    return [("messages.update", {"update": {"status": _STATUS_NUMBERS[event.change]}, "key": key})]


def _generate_message_id() -> str:
    return f"3EB0{generate_hex(18).upper()}"


def find_message_by_number(context: VendorContext, session: str, number: Any) -> Message | None:
    """Find a message by WaSender's own number."""
    messages = context.store.find(Message, parent=session)
    return next(
        (
            message
            for message in messages
            if message.number and str(message.number) == str(number) and not message.deleted
        ),
        None,
    )


def _find_message(context: VendorContext, chat: Chat, key: society.MessageId) -> Message | None:
    """Find a message of the session by WhatsApp's id or by WaSender's own number."""
    message = context.store.get(Message, str(key)) or find_message_by_number(context, chat.parent, key)
    return message if message is not None and message.parent == chat.parent else None


CHAT_SERVICE: ChatService[Message, Session] = ChatService(
    kind=Message,
    action_names=("message", "deliver", "react", "delete"),
    account_noun="session",
    accounts=_find_session,
    name=lambda session: session.name,
    person=_get_chat_partner,
    new_id=_generate_message_id,
    build_message_fields=_build_messages,
    notify_product=_send_webhooks,
    find_message=_find_message,
    message_request_type=WriteMessageRequest,
    attachments=(*_URL_FIELDS_BY_ATTACHMENT, *_CONTENT_BY_ATTACHMENT),
    get_max_length=lambda _world, _chat, _order: MAX_TEXT_LENGTH,
)


def _build_message_row(context: VendorContext, message: Message) -> Json:
    files = [{"mime": file.content_type, "size": file.size, "sha256": file.sha256} for file in message.media]
    return {
        "messageId": message.number,
        "message": message.id,
        "chat": get_chat_jid(message),
        "fromMe": not message.person,
        "text": message.body,
        "content": message.content,
        "status": get_status_number(context, message),
        "edited": message.edits > 0,
        "reactions": message.reactions,
        "file": next(iter(files), None),
    }


def _mark_read(context: VendorContext, request: ReceiptRequest) -> None:
    CHAT_SERVICE.mark_arrived(context, request, "played" if request.played else "read")


ACTIONS: dict[str, Action[Any]] = {
    **CHAT_SERVICE.build_actions(),
    **society.build_action("read", ReceiptRequest, _mark_read),
    "feed": CHAT_SERVICE.build_list_action(_build_message_row),
}
