"""What a bot does with existing messages: editing, deleting, forwarding, reacting, answering a button."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

import msgspec

from socialgate_sandbox.kit import Call, StoredObject
from socialgate_sandbox.vendors.telegram import message_contents
from socialgate_sandbox.vendors.telegram.access import ChatAccess, has_admin_right, require_chat
from socialgate_sandbox.vendors.telegram.chat_messages import find_message, notify_bots, store_message
from socialgate_sandbox.vendors.telegram.errors import build_bad_request, build_refusal, require
from socialgate_sandbox.vendors.telegram.method_parameters import (
    get_flag,
    get_json_value,
    get_number,
    get_text,
    to_integer,
)
from socialgate_sandbox.vendors.telegram.send_methods import parse_input_media, send_messages
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, Pins, User, get_conversation_id

_MAX_DELETE_AGE_SECONDS = 48 * 3600.0
_MAX_CALLBACK_AGE_SECONDS = 900.0
_MAX_DELETED = 100
_CAPTION_FIELDS = {"caption", "caption_entities", "show_caption_above_media"}
_TEXT_FIELDS = {"text", "entities", "link_preview_options"}
_ENVELOPE_FIELDS = {
    "message_id",
    "from",
    "sender_chat",
    "chat",
    "date",
    "edit_date",
    "media_group_id",
    "reply_to_message",
}


class Pressed(StoredObject, kw_only=True):
    """A button that a person pressed: `id` is that of the callback query, `parent` the bot."""

    created_at: datetime = msgspec.field(name="made")
    answer: str | None = None


def _require_message(call: Call, bot: Bot, access: ChatAccess, noun: str) -> tuple[Chat | User, Message]:
    chat = require_chat(call, bot, access)
    number = get_number(call, "message_id")
    message = find_message(call.context, chat, bot, number)
    if message is None:
        raise build_bad_request(f"{noun} not found")
    return chat, message


def _require_editable_message(call: Call, bot: Bot) -> tuple[Chat | User, Message]:
    require(get_text(call, "chat_id") or get_text(call, "message_id"), "message identifier is not specified")
    chat, message = _require_message(call, bot, "edit", "message to edit")
    may_edit = (
        isinstance(chat, Chat)
        and chat.kind == "channel"
        and has_admin_right(call.context, bot, chat, "can_edit_messages")
    )
    require(message.sender == bot.id or may_edit, "message can't be edited")
    return chat, message


def _replace_content(
    call: Call, bot: Bot, chat: Chat | User, message: Message, replaced_fields: set[str], new_content: Json
) -> Json:
    """Replace a part of a message. Buttons are removed unless they are given again."""
    kept = {
        name: value
        for name, value in message.body.items()
        if name not in replaced_fields | {"reply_markup", "edit_date"}
    }
    changed = kept | new_content | message_contents.parse_inline_keyboard(call)
    if changed == {name: value for name, value in message.body.items() if name != "edit_date"}:
        raise build_refusal("not_modified")
    message.body = changed | {"edit_date": int(call.context.clock.get_unix_time())}
    call.context.store.put(message)
    notify_bots(call.context, chat, bot, message, is_edit=True)
    return message.body


def edit_text(call: Call, bot: Bot) -> Json:
    content = message_contents.parse_text(call)
    chat, message = _require_editable_message(call, bot)
    require("text" in message.body, "there is no text in the message to edit")
    return _replace_content(call, bot, chat, message, _TEXT_FIELDS, content)


def edit_caption(call: Call, bot: Bot) -> Json:
    content = message_contents.parse_caption(call)
    chat, message = _require_editable_message(call, bot)
    require(message_contents.list_file_ids(message.body), "there is no caption in the message to edit")
    return _replace_content(call, bot, chat, message, _CAPTION_FIELDS, content)


def edit_reply_markup(call: Call, bot: Bot) -> Json:
    chat, message = _require_editable_message(call, bot)
    return _replace_content(call, bot, chat, message, set(), {})


async def edit_media(call: Call, bot: Bot) -> Json:
    media = get_json_value(call, "media", "input media")
    if media is None:
        raise build_bad_request('parameter "media" is required')
    content = await parse_input_media(call, bot, media, is_album=False)
    with call.context.store.transaction():
        chat, message = _require_editable_message(call, bot)
        old = {*message_contents.MEDIA_KINDS, *_CAPTION_FIELDS, *_TEXT_FIELDS, "has_media_spoiler"}
        return _replace_content(call, bot, chat, message, old, content)


def delete_message(call: Call, bot: Bot) -> bool:
    require(get_text(call, "chat_id"), "chat identifier is not specified")
    require(get_number(call, "message_id"), "message identifier is not specified")
    chat, message = _require_message(call, bot, "write", "message to delete")
    if not _can_delete(call, bot, chat, message):
        raise build_refusal("delete_refused")
    call.context.store.delete(Message, message.id)
    return True


def delete_messages(call: Call, bot: Bot) -> bool:
    """Delete what can be deleted. Missing messages are skipped."""
    numbers = get_json_value(call, "message_ids", "message_ids")
    if numbers is None or numbers == []:
        raise build_bad_request("message identifiers are not specified")
    if not isinstance(numbers, list):
        raise build_bad_request("expected an Array of message identifiers")
    require(len(numbers) <= _MAX_DELETED, "too many message identifiers specified")
    chat = require_chat(call, bot, "write")
    result = [find_message(call.context, chat, bot, to_integer(number)) for number in numbers]
    for message in result:
        if message is not None and _can_delete(call, bot, chat, message):
            call.context.store.delete(Message, message.id)
    return True


def _can_delete(call: Call, bot: Bot, chat: Chat | User, message: Message) -> bool:
    if isinstance(chat, Chat) and has_admin_right(call.context, bot, chat, "can_delete_messages"):
        return True
    own = message.sender == bot.id or isinstance(chat, User)
    return own and call.context.clock.get_seconds_since(message.created_at) < _MAX_DELETE_AGE_SECONDS


def _require_source_message(call: Call, bot: Bot, verb: str) -> Message:
    chat = require_chat(call, bot, "read", "from_chat_id")
    message = find_message(call.context, chat, bot, get_number(call, "message_id"))
    if message is None:
        raise build_bad_request(f"message to {verb} not found")
    return message


def copy_message(call: Call, bot: Bot) -> Json:
    content = {
        name: value
        for name, value in _require_source_message(call, bot, "copy").body.items()
        if name not in _ENVELOPE_FIELDS
    }
    if get_text(call, "caption"):
        content = {name: value for name, value in content.items() if name not in _CAPTION_FIELDS}
        content |= message_contents.parse_caption(call)
    content.pop("reply_markup", None)
    return {"message_id": send_messages(call, bot, [content | message_contents.parse_inline_keyboard(call)])[0].number}


def forward_message(call: Call, bot: Bot) -> Json:
    source = _require_source_message(call, bot, "forward").body
    content = {name: value for name, value in source.items() if name not in _ENVELOPE_FIELDS | {"reply_markup"}}
    return send_messages(call, bot, [_build_forward_origin(source) | content])[0].body


def _build_batch_method(method: Callable[[Call, Bot], Json]) -> Callable[[Call, Bot], list[Json]]:
    """Do with several messages what is done with one. Missing messages are skipped."""

    def run(call: Call, bot: Bot) -> list[Json]:
        numbers = get_json_value(call, "message_ids", "message_ids")
        if not isinstance(numbers, list) or not 0 < len(numbers) <= _MAX_DELETED:
            raise build_bad_request("message identifiers are not specified")
        chat = require_chat(call, bot, "read", "from_chat_id")
        existing_numbers = [
            number for number in map(to_integer, numbers) if find_message(call.context, chat, bot, number)
        ]
        created = []
        for number in existing_numbers:
            call.params["message_id"] = number
            created.append({"message_id": method(call, bot)["message_id"]})
        return created

    return run


def _build_forward_origin(source: Json) -> Json:
    if "sender_chat" in source:
        payload = {"type": "channel", "chat": source["sender_chat"], "message_id": source["message_id"]}
        old = {"forward_from_chat": source["sender_chat"], "forward_from_message_id": source["message_id"]}
    else:
        payload = {"type": "user", "sender_user": source["from"]}
        old = {"forward_from": source["from"]}
    return {"forward_origin": payload | {"date": source["date"]}} | old | {"forward_date": source["date"]}


def _require_pin_right(call: Call, bot: Bot, chat: Chat | User) -> Pins:
    right = "can_edit_messages" if isinstance(chat, Chat) and chat.kind == "channel" else "can_pin_messages"
    if isinstance(chat, Chat) and not has_admin_right(call.context, bot, chat, right):
        raise build_bad_request("not enough rights to manage pinned messages in the chat")
    room = get_conversation_id(chat, bot)
    return call.context.store.get(Pins, room) or Pins(id=room, numbers=[])


def pin_message(call: Call, bot: Bot) -> bool:
    """Pin a message. A service message in the chat says so."""
    chat, message = _require_message(call, bot, "write", "message to pin")
    pins = _require_pin_right(call, bot, chat)
    pins.numbers = [*(number for number in pins.numbers if number != message.number), message.number]
    call.context.store.put(pins)
    pinned = {name: value for name, value in message.body.items() if name not in {"reply_to_message", "pinned_message"}}
    silent = get_flag(call, "disable_notification")
    notify_bots(
        call.context,
        chat,
        bot,
        store_message(call.context, chat, bot, bot, {"pinned_message": pinned}, is_silent=silent),
    )
    return True


def unpin_message(call: Call, bot: Bot) -> bool:
    """Unpin a message, by default the newest of several."""
    chat = require_chat(call, bot, "write")
    pins = _require_pin_right(call, bot, chat)
    number = get_number(call, "message_id") or next(reversed(pins.numbers), 0)
    require(number in pins.numbers, "message to unpin not found")
    pins.numbers.remove(number)
    call.context.store.put(pins)
    return True


def unpin_all_messages(call: Call, bot: Bot) -> bool:
    pins = _require_pin_right(call, bot, require_chat(call, bot, "write"))
    pins.numbers = []
    call.context.store.put(pins)
    return True


def stop_poll(call: Call, bot: Bot) -> Json:
    chat, message = _require_editable_message(call, bot)
    poll = message.body.get("poll")
    if poll is None or poll["is_closed"]:
        raise build_bad_request("poll can't be stopped" if poll is None else "poll has already been closed")
    _replace_content(call, bot, chat, message, set(), {"poll": poll | {"is_closed": True}})
    return dict(message.body["poll"])


def _require_live_location(call: Call, bot: Bot) -> tuple[Chat | User, Message]:
    chat, message = _require_editable_message(call, bot)
    period = message.body.get("location", {}).get("live_period", 0)
    require(period and call.context.clock.get_seconds_since(message.created_at) <= period, "message can't be edited")
    return chat, message


def edit_live_location(call: Call, bot: Bot) -> Json:
    """Update a live location."""
    value = message_contents.parse_location(call)["location"]
    chat, message = _require_live_location(call, bot)
    kept = {"live_period": message.body["location"]["live_period"]}
    return _replace_content(call, bot, chat, message, {"location"}, {"location": kept | value})


def stop_live_location(call: Call, bot: Bot) -> Json:
    chat, message = _require_live_location(call, bot)
    place = {name: message.body["location"][name] for name in ("latitude", "longitude")}
    return _replace_content(call, bot, chat, message, {"location"}, {"location": place})


def set_reaction(call: Call, bot: Bot) -> bool:
    items = get_json_value(call, "reaction", "reaction types")
    if items is not None and not isinstance(items, list):
        raise build_bad_request("expected an Array of ReactionType")
    reactions = items or []
    if any(
        not isinstance(reaction, dict) or reaction.get("type") not in {"emoji", "custom_emoji"}
        for reaction in reactions
    ):
        raise build_bad_request("can't parse ReactionType: invalid reaction type specified")
    require(len(reactions) <= 1, "REACTIONS_TOO_MANY")
    _, message = _require_message(call, bot, "read", "message to react")
    message.reactions = {name: value for name, value in message.reactions.items() if name != bot.id}
    if reactions:
        message.reactions[bot.id] = str(reactions[0].get("emoji") or reactions[0].get("custom_emoji_id"))
    call.context.store.put(message)
    return True


def answer_callback_query(call: Call, bot: Bot) -> bool:
    pressed = call.context.store.get(Pressed, get_text(call, "callback_query_id"))
    if (
        pressed is None
        or pressed.parent != bot.id
        or call.context.clock.get_seconds_since(pressed.created_at) > _MAX_CALLBACK_AGE_SECONDS
    ):
        raise build_refusal("query_too_old")
    pressed.answer = get_text(call, "text")
    call.context.store.put(pressed)
    return True


CHANGE_METHODS: dict[str, Callable[[Call, Bot], Any] | Callable[[Call, Bot], Awaitable[Any]]] = {
    "editMessageText": edit_text,
    "editMessageCaption": edit_caption,
    "editMessageMedia": edit_media,
    "editMessageReplyMarkup": edit_reply_markup,
    "deleteMessage": delete_message,
    "deleteMessages": delete_messages,
    "copyMessage": copy_message,
    "forwardMessage": forward_message,
    "copyMessages": _build_batch_method(copy_message),
    "forwardMessages": _build_batch_method(forward_message),
    "pinChatMessage": pin_message,
    "unpinChatMessage": unpin_message,
    "unpinAllChatMessages": unpin_all_messages,
    "stopPoll": stop_poll,
    "editMessageLiveLocation": edit_live_location,
    "stopMessageLiveLocation": stop_live_location,
    "setMessageReaction": set_reaction,
    "answerCallbackQuery": answer_callback_query,
}
