"""What people write to bots, in groups and in their channels, what they press, and how all of it is shown."""

from typing import Annotated, Any

import msgspec

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, VendorContext, generate_digits
from socialgate_sandbox.society import conversation_requests as society
from socialgate_sandbox.vendors.telegram.api_objects import build_chat_json, build_user_json
from socialgate_sandbox.vendors.telegram.chat_messages import (
    build_reply_quote,
    find_message,
    list_bots,
    notify_bots,
    store_message,
)
from socialgate_sandbox.vendors.telegram.files import File, FileKind, store_file
from socialgate_sandbox.vendors.telegram.formatting import parse_formatted_text
from socialgate_sandbox.vendors.telegram.lookups import (
    require_bot,
    require_chat,
    require_person,
    set_bot_status_for_user,
)
from socialgate_sandbox.vendors.telegram.message_changes import Pressed
from socialgate_sandbox.vendors.telegram.message_contents import build_caption, build_media, list_file_ids
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, get_conversation_id
from socialgate_sandbox.vendors.telegram.updates import add_update

_MAX_TEXT_LENGTH = 4096
_MAX_CAPTION_LENGTH = 1024
# Telegram's names for the files that people send.
_KINDS_BY_ATTACHMENT: dict[str, FileKind] = {
    "image": "photo",
    "video": "video",
    "audio": "audio",
    "voice": "voice",
    "file": "document",
    "sticker": "sticker",
}
_CONTENT_BY_ATTACHMENT: dict[str, Json] = {
    "location": {"location": {"latitude": 52.520008, "longitude": 13.404954}},
    "contact": {"contact": {"phone_number": "+15550100199", "first_name": "Grandma"}},
}
_ATTACHMENTS = (*_KINDS_BY_ATTACHMENT, "album", *_CONTENT_BY_ATTACHMENT)


class ListMessagesRequest(ActionRequest, frozen=True, kw_only=True):
    """The messages of a chat, or of a bot with one person."""

    account: str
    person: str = "dario"
    limit: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 50


class ActionChat:
    """Where a person acts through the controls: a bot's private chat with a person, or a group or channel."""

    def __init__(self, context: VendorContext, account: str, person: str) -> None:
        bot = context.store.get(Bot, account)
        self.chat: Chat | User = require_person(context, person) if bot else require_chat(context, account)
        # A message in a group or channel belongs to no particular person.
        self.bot = bot or Bot(id="", secret="", first_name="", username="")
        owner = self.chat.parent if isinstance(self.chat, Chat) and self.chat.kind == "channel" else person
        self.person = require_person(context, owner)

    def find_message(self, context: VendorContext, message_id: society.MessageId) -> Message:
        message = find_message(context, self.chat, self.bot, _parse_message_number(message_id))
        if message is None:
            raise ControlError(f"There is no message {message_id} in this chat.")
        return message


def _parse_message_number(message_id: society.MessageId) -> int:
    return int(message_id) if str(message_id).isdecimal() else 0


def send_message(context: VendorContext, request: society.WriteMessageRequest) -> Json:
    """Let a person write to a bot or in a group, or the owner of a channel post there."""
    society.require_content(request, _MAX_CAPTION_LENGTH if request.attachment else _MAX_TEXT_LENGTH, _ATTACHMENTS)
    room = ActionChat(context, request.account, request.person)
    if isinstance(room.chat, User):
        set_bot_status_for_user(context, room.bot, room.chat, "member")
    reply = build_reply_quote(context, room.chat, room.bot, _parse_message_number(request.reply_to))
    numbers = []
    for content in _build_contents(context, room, request):
        written = store_message(context, room.chat, room.bot, room.person, reply | content)
        notify_bots(context, room.chat, room.bot, written)
        numbers.append(written.number)
    return {"messageId": numbers[0], "messageIds": numbers}


def _build_contents(
    context: VendorContext, action_chat: ActionChat, request: society.WriteMessageRequest
) -> list[Json]:
    if not request.attachment:
        text, entities = parse_formatted_text(request.text, "", [])
        return [{"text": text} | ({"entities": entities} if entities else {})]
    if request.attachment in _CONTENT_BY_ATTACHMENT:
        return [_CONTENT_BY_ATTACHMENT[request.attachment]]
    caption = build_caption(*parse_formatted_text(request.text, "", []))
    if request.attachment == "album":
        group = {"media_group_id": generate_digits(17)}
        return [
            group | _build_sample_media(context, action_chat, "image") | caption,
            group | _build_sample_media(context, action_chat, "image"),
        ]
    return [
        _build_sample_media(context, action_chat, request.attachment)
        | ({} if request.attachment == "sticker" else caption)
    ]


def _build_sample_media(context: VendorContext, action_chat: ActionChat, attachment: str) -> Json:
    kind, created = _KINDS_BY_ATTACHMENT[attachment], society.create_sample_file(context, attachment)
    owner = action_chat.bot.id or next(
        (bot.id for bot in list_bots(context, require_chat(context, action_chat.chat.id))), ""
    )
    file = store_file(context, owner, kind, created.name, created.content_type.partition(";")[0], created.upload.path)
    return build_media(kind, file, {"duration": 3})


def edit_message(context: VendorContext, request: society.EditMessageRequest) -> None:
    room = ActionChat(context, request.account, request.person)
    message = room.find_message(context, request.message_id)
    if message.sender != room.person.id:
        raise ControlError("People can only change their own messages.", 409)
    field = "text" if "text" in message.body else "caption"
    message.body |= {field: request.text, "edit_date": int(context.clock.get_unix_time())}
    context.store.put(message)
    notify_bots(context, room.chat, room.bot, message, is_edit=True)


def react_to_message(context: VendorContext, request: society.ReactRequest) -> None:
    room = ActionChat(context, request.account, request.person)
    message = room.find_message(context, request.message_id)
    reactor = require_person(context, request.person)
    old = message.reactions.pop(reactor.id, "")
    if request.emoji:
        message.reactions[reactor.id] = request.emoji
    context.store.put(message)
    about = {
        "chat": build_chat_json(room.chat),
        "message_id": message.number,
        "date": int(context.clock.get_unix_time()),
    }
    if isinstance(room.chat, Chat) and room.chat.kind == "channel":
        for bot in list_bots(context, room.chat):
            add_update(context, bot, "message_reaction_count", about | {"reactions": _count_reactions(message)})
        return
    change = {
        "user": build_user_json(reactor),
        "old_reaction": _build_reaction_types(old),
        "new_reaction": _build_reaction_types(request.emoji),
    }
    for bot in [room.bot] if isinstance(room.chat, User) else list_bots(context, room.chat):
        add_update(context, bot, "message_reaction", about | change)


def _count_reactions(message: Message) -> list[Json]:
    params = list(message.reactions.values())
    return [
        {"type": _build_reaction_types(emoji)[0], "total_count": params.count(emoji)} for emoji in dict.fromkeys(params)
    ]


def _build_reaction_types(emoji: str) -> list[Json]:
    return [{"type": "emoji", "emoji": emoji}] if emoji else []


def press_button(context: VendorContext, request: society.PressButtonRequest) -> Json:
    """Press an inline button, given by its label."""
    room = ActionChat(context, request.account, request.person)
    message = room.find_message(context, request.message_id)
    rows = message.body.get("reply_markup", {}).get("inline_keyboard", [])
    button = next((item for row in rows for item in row if item["text"] == request.button), None)
    if button is None or "callback_data" not in button:
        raise ControlError(f"The message has no callback button {request.button!r}.")
    bot = require_bot(context, message.sender)
    pressed = context.store.put(Pressed(id=generate_digits(18), parent=bot.id, created_at=context.clock.now()))
    presser = require_person(context, request.person)
    query = {
        "id": pressed.id,
        "from": build_user_json(presser),
        "message": message.body,
        "chat_instance": generate_digits(18),
    }
    add_update(context, bot, "callback_query", query | {"data": button["callback_data"]})
    return {"callbackQueryId": pressed.id}


def read_messages(context: VendorContext, request: ListMessagesRequest) -> Json:
    """List the messages of a chat, newest first, with the checksums of their files."""
    room = ActionChat(context, request.account, request.person)
    parent = get_conversation_id(room.chat, room.bot)
    messages = context.store.find(Message, parent=parent, newest_first=True, limit=request.limit)
    return {"data": [_build_message_json(context, message) for message in messages]}


def _build_message_json(context: VendorContext, message: Message) -> Json:
    files = [context.store.get(File, name) for name in list_file_ids(message.body)]
    return {
        "messageId": message.number,
        "sender": message.sender,
        "message": message.body,
        "reactions": message.reactions,
        "files": [
            {"name": file.name, "kind": file.kind, "size": file.media.size, "sha256": file.media.sha256}
            for file in files
            if file
        ],
    }


ACTIONS: dict[str, Action[Any]] = {
    **society.build_action("message", society.WriteMessageRequest, send_message),
    **society.build_action("edit", society.EditMessageRequest, edit_message),
    **society.build_action("react", society.ReactRequest, react_to_message),
    **society.build_action("press", society.PressButtonRequest, press_button),
    "feed": Action("Read the messages", ListMessagesRequest, read_messages, has_own_form=False),
}
