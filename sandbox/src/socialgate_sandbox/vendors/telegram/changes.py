"""What a bot does with existing messages: editing, deleting, forwarding, reacting, answering a button."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from socialgate_sandbox.kit import Call, Thing
from socialgate_sandbox.vendors.telegram import contents
from socialgate_sandbox.vendors.telegram.access import Need, chat_of, is_admin
from socialgate_sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of, whole
from socialgate_sandbox.vendors.telegram.errors import bad_request, refusal, require
from socialgate_sandbox.vendors.telegram.publish import deliver, read_media
from socialgate_sandbox.vendors.telegram.rooms import find_message, tell, write
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, Pins, User, room_of

_DELETABLE = 48 * 3600.0
_ANSWERABLE = 900.0
_MOST_DELETED = 100
_CAPTION = {"caption", "caption_entities", "show_caption_above_media"}
_TEXT = {"text", "entities", "link_preview_options"}
_ABOUT = {"message_id", "from", "sender_chat", "chat", "date", "edit_date", "media_group_id", "reply_to_message"}


class Pressed(Thing, kw_only=True):
    """A button that a person pressed: `id` is that of the callback query, `parent` the bot."""

    made: datetime
    answer: str | None = None


def _message(call: Call, bot: Bot, need: Need, what: str) -> tuple[Chat | User, Message]:
    chat = chat_of(call, bot, need)
    number = number_of(call, "message_id")
    found = find_message(call.world, chat, bot, number)
    if found is None:
        raise bad_request(f"{what} not found")
    return chat, found


def _to_edit(call: Call, bot: Bot) -> tuple[Chat | User, Message]:
    require(text_of(call, "chat_id") or text_of(call, "message_id"), "message identifier is not specified")
    chat, message = _message(call, bot, "edit", "message to edit")
    may_edit = (
        isinstance(chat, Chat) and chat.kind == "channel" and is_admin(call.world, bot, chat, "can_edit_messages")
    )
    require(message.sender == bot.id or may_edit, "message can't be edited")
    return chat, message


def _save(call: Call, bot: Bot, chat: Chat | User, message: Message, old: set[str], new: Json) -> Json:
    """Replace a part of a message. Buttons are removed unless they are given again."""
    kept = {name: value for name, value in message.body.items() if name not in old | {"reply_markup", "edit_date"}}
    changed = kept | new | contents.markup_content(call)
    if changed == {name: value for name, value in message.body.items() if name != "edit_date"}:
        raise refusal("not_modified")
    message.body = changed | {"edit_date": int(call.world.clock.time())}
    call.world.store.put(message)
    tell(call.world, chat, bot, message, edited=True)
    return message.body


def edit_text(call: Call, bot: Bot) -> Json:
    content = contents.text_content(call)
    chat, message = _to_edit(call, bot)
    require("text" in message.body, "there is no text in the message to edit")
    return _save(call, bot, chat, message, _TEXT, content)


def edit_caption(call: Call, bot: Bot) -> Json:
    content = contents.caption_content(call)
    chat, message = _to_edit(call, bot)
    require(contents.files_in(message.body), "there is no caption in the message to edit")
    return _save(call, bot, chat, message, _CAPTION, content)


def edit_markup(call: Call, bot: Bot) -> Json:
    chat, message = _to_edit(call, bot)
    return _save(call, bot, chat, message, set(), {})


async def edit_media(call: Call, bot: Bot) -> Json:
    media = value_of(call, "media", "input media")
    if media is None:
        raise bad_request('parameter "media" is required')
    content = await read_media(call, bot, media, album=False)
    with call.world.store.transaction():
        chat, message = _to_edit(call, bot)
        old = {*contents.MEDIA_KINDS, *_CAPTION, *_TEXT, "has_media_spoiler"}
        return _save(call, bot, chat, message, old, content)


def delete_message(call: Call, bot: Bot) -> bool:
    require(text_of(call, "chat_id"), "chat identifier is not specified")
    require(number_of(call, "message_id"), "message identifier is not specified")
    chat, message = _message(call, bot, "write", "message to delete")
    if not _deletable(call, bot, chat, message):
        raise refusal("delete_refused")
    call.world.store.delete(Message, message.id)
    return True


def delete_messages(call: Call, bot: Bot) -> bool:
    """Delete what can be deleted. Missing messages are skipped."""
    numbers = value_of(call, "message_ids", "message_ids")
    if numbers is None or numbers == []:
        raise bad_request("message identifiers are not specified")
    if not isinstance(numbers, list):
        raise bad_request("expected an Array of message identifiers")
    require(len(numbers) <= _MOST_DELETED, "too many message identifiers specified")
    chat = chat_of(call, bot, "write")
    found = [find_message(call.world, chat, bot, whole(number)) for number in numbers]
    for message in found:
        if message is not None and _deletable(call, bot, chat, message):
            call.world.store.delete(Message, message.id)
    return True


def _deletable(call: Call, bot: Bot, chat: Chat | User, message: Message) -> bool:
    if isinstance(chat, Chat) and is_admin(call.world, bot, chat, "can_delete_messages"):
        return True
    own = message.sender == bot.id or isinstance(chat, User)
    return own and call.world.clock.since(message.made) < _DELETABLE


def _source(call: Call, bot: Bot, what: str) -> Message:
    chat = chat_of(call, bot, "read", "from_chat_id")
    message = find_message(call.world, chat, bot, number_of(call, "message_id"))
    if message is None:
        raise bad_request(f"message to {what} not found")
    return message


def copy_message(call: Call, bot: Bot) -> Json:
    content = {name: value for name, value in _source(call, bot, "copy").body.items() if name not in _ABOUT}
    if text_of(call, "caption"):
        content = {name: value for name, value in content.items() if name not in _CAPTION}
        content |= contents.caption_content(call)
    content.pop("reply_markup", None)
    return {"message_id": deliver(call, bot, [content | contents.markup_content(call)])[0].number}


def forward_message(call: Call, bot: Bot) -> Json:
    source = _source(call, bot, "forward").body
    content = {name: value for name, value in source.items() if name not in _ABOUT | {"reply_markup"}}
    return deliver(call, bot, [_origin(source) | content])[0].body


def _each(one: Callable[[Call, Bot], Json]) -> Callable[[Call, Bot], list[Json]]:
    """Do with several messages what is done with one. Missing messages are skipped."""

    def run(call: Call, bot: Bot) -> list[Json]:
        numbers = value_of(call, "message_ids", "message_ids")
        if not isinstance(numbers, list) or not 0 < len(numbers) <= _MOST_DELETED:
            raise bad_request("message identifiers are not specified")
        chat = chat_of(call, bot, "read", "from_chat_id")
        found = [number for number in map(whole, numbers) if find_message(call.world, chat, bot, number)]
        made = []
        for number in found:
            call.params["message_id"] = number
            made.append({"message_id": one(call, bot)["message_id"]})
        return made

    return run


def _origin(source: Json) -> Json:
    if "sender_chat" in source:
        told = {"type": "channel", "chat": source["sender_chat"], "message_id": source["message_id"]}
        old = {"forward_from_chat": source["sender_chat"], "forward_from_message_id": source["message_id"]}
    else:
        told = {"type": "user", "sender_user": source["from"]}
        old = {"forward_from": source["from"]}
    return {"forward_origin": told | {"date": source["date"]}} | old | {"forward_date": source["date"]}


def _may_pin(call: Call, bot: Bot, chat: Chat | User) -> Pins:
    right = "can_edit_messages" if isinstance(chat, Chat) and chat.kind == "channel" else "can_pin_messages"
    if isinstance(chat, Chat) and not is_admin(call.world, bot, chat, right):
        raise bad_request("not enough rights to manage pinned messages in the chat")
    room = room_of(chat, bot)
    return call.world.store.get(Pins, room) or Pins(id=room, numbers=[])


def pin_message(call: Call, bot: Bot) -> bool:
    """Pin a message. A service message in the chat says so."""
    chat, message = _message(call, bot, "write", "message to pin")
    pins = _may_pin(call, bot, chat)
    pins.numbers = [*(number for number in pins.numbers if number != message.number), message.number]
    call.world.store.put(pins)
    pinned = {name: value for name, value in message.body.items() if name not in {"reply_to_message", "pinned_message"}}
    silent = flag_of(call, "disable_notification")
    tell(call.world, chat, bot, write(call.world, chat, bot, bot, {"pinned_message": pinned}, silent=silent))
    return True


def unpin_message(call: Call, bot: Bot) -> bool:
    """Unpin a message, by default the newest of several."""
    chat = chat_of(call, bot, "write")
    pins = _may_pin(call, bot, chat)
    number = number_of(call, "message_id") or next(reversed(pins.numbers), 0)
    require(number in pins.numbers, "message to unpin not found")
    pins.numbers.remove(number)
    call.world.store.put(pins)
    return True


def unpin_all(call: Call, bot: Bot) -> bool:
    pins = _may_pin(call, bot, chat_of(call, bot, "write"))
    pins.numbers = []
    call.world.store.put(pins)
    return True


def stop_poll(call: Call, bot: Bot) -> Json:
    chat, message = _to_edit(call, bot)
    poll = message.body.get("poll")
    if poll is None or poll["is_closed"]:
        raise bad_request("poll can't be stopped" if poll is None else "poll has already been closed")
    _save(call, bot, chat, message, set(), {"poll": poll | {"is_closed": True}})
    return dict(message.body["poll"])


def _live(call: Call, bot: Bot) -> tuple[Chat | User, Message]:
    chat, message = _to_edit(call, bot)
    period = message.body.get("location", {}).get("live_period", 0)
    require(period and call.world.clock.since(message.made) <= period, "message can't be edited")
    return chat, message


def move_location(call: Call, bot: Bot) -> Json:
    """Update a live location."""
    given = contents.location_content(call)["location"]
    chat, message = _live(call, bot)
    kept = {"live_period": message.body["location"]["live_period"]}
    return _save(call, bot, chat, message, {"location"}, {"location": kept | given})


def stop_location(call: Call, bot: Bot) -> Json:
    chat, message = _live(call, bot)
    place = {name: message.body["location"][name] for name in ("latitude", "longitude")}
    return _save(call, bot, chat, message, {"location"}, {"location": place})


def set_reaction(call: Call, bot: Bot) -> bool:
    given = value_of(call, "reaction", "reaction types")
    if given is not None and not isinstance(given, list):
        raise bad_request("expected an Array of ReactionType")
    reactions = given or []
    if any(not isinstance(one, dict) or one.get("type") not in {"emoji", "custom_emoji"} for one in reactions):
        raise bad_request("can't parse ReactionType: invalid reaction type specified")
    require(len(reactions) <= 1, "REACTIONS_TOO_MANY")
    _, message = _message(call, bot, "read", "message to react")
    message.reactions = {name: value for name, value in message.reactions.items() if name != bot.id}
    if reactions:
        message.reactions[bot.id] = str(reactions[0].get("emoji") or reactions[0].get("custom_emoji_id"))
    call.world.store.put(message)
    return True


def answer_callback(call: Call, bot: Bot) -> bool:
    pressed = call.world.store.get(Pressed, text_of(call, "callback_query_id"))
    if pressed is None or pressed.parent != bot.id or call.world.clock.since(pressed.made) > _ANSWERABLE:
        raise refusal("query_too_old")
    pressed.answer = text_of(call, "text")
    call.world.store.put(pressed)
    return True


METHODS: dict[str, Callable[[Call, Bot], Any] | Callable[[Call, Bot], Awaitable[Any]]] = {
    "editMessageText": edit_text,
    "editMessageCaption": edit_caption,
    "editMessageMedia": edit_media,
    "editMessageReplyMarkup": edit_markup,
    "deleteMessage": delete_message,
    "deleteMessages": delete_messages,
    "copyMessage": copy_message,
    "forwardMessage": forward_message,
    "copyMessages": _each(copy_message),
    "forwardMessages": _each(forward_message),
    "pinChatMessage": pin_message,
    "unpinChatMessage": unpin_message,
    "unpinAllChatMessages": unpin_all,
    "stopPoll": stop_poll,
    "editMessageLiveLocation": move_location,
    "stopMessageLiveLocation": stop_location,
    "setMessageReaction": set_reaction,
    "answerCallbackQuery": answer_callback,
}
