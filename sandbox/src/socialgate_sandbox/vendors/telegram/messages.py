"""What people write to bots, in groups and in their channels, what they press, and how all of it is shown."""

from typing import Annotated, Any

import msgspec

from socialgate_sandbox.kit import Action, ActionRequest, ControlError, World, digits
from socialgate_sandbox.society import conversations as society
from socialgate_sandbox.vendors.telegram.changes import Pressed
from socialgate_sandbox.vendors.telegram.contents import captioned, files_in, media_content
from socialgate_sandbox.vendors.telegram.files import File, Kind, add_file
from socialgate_sandbox.vendors.telegram.formatting import marked
from socialgate_sandbox.vendors.telegram.named import bot_named, chat_named, meet, person_named
from socialgate_sandbox.vendors.telegram.rooms import as_reply, bots_in, find_message, tell, write
from socialgate_sandbox.vendors.telegram.shapes import chat_json, user_json
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, room_of
from socialgate_sandbox.vendors.telegram.updates import push

_LONGEST_TEXT = 4096
_LONGEST_CAPTION = 1024
# Telegram's names for the files that people send.
_FILES: dict[str, Kind] = {
    "image": "photo",
    "video": "video",
    "audio": "audio",
    "voice": "voice",
    "file": "document",
    "sticker": "sticker",
}
_PLACES: dict[str, Json] = {
    "location": {"location": {"latitude": 52.520008, "longitude": 13.404954}},
    "contact": {"contact": {"phone_number": "+15550100199", "first_name": "Grandma"}},
}
_ATTACHMENTS = (*_FILES, "album", *_PLACES)


class Look(ActionRequest, frozen=True, kw_only=True):
    """The messages of a chat, or of a bot with one person."""

    account: str
    person: str = "dario"
    limit: Annotated[int, msgspec.Meta(ge=1, le=2000)] = 50


class Room:
    """Where a person acts through the controls: a bot's private chat with a person, or a group or channel."""

    def __init__(self, world: World, account: str, person: str) -> None:
        bot = world.store.get(Bot, account)
        self.chat: Chat | User = person_named(world, person) if bot else chat_named(world, account)
        # A message in a group or channel belongs to no particular person.
        self.bot = bot or Bot(id="", secret="", first_name="", username="")
        owner = self.chat.parent if isinstance(self.chat, Chat) and self.chat.kind == "channel" else person
        self.person = person_named(world, owner)

    def message(self, world: World, number: society.MessageId) -> Message:
        found = find_message(world, self.chat, self.bot, _number(number))
        if found is None:
            raise ControlError(f"There is no message {number} in this chat.")
        return found


def _number(given: society.MessageId) -> int:
    return int(given) if str(given).isdecimal() else 0


def message(world: World, order: society.Written) -> Json:
    """Let a person write to a bot or in a group, or the owner of a channel post there."""
    society.require_content(order, _LONGEST_CAPTION if order.attachment else _LONGEST_TEXT, _ATTACHMENTS)
    room = Room(world, order.account, order.person)
    if isinstance(room.chat, User):
        meet(world, room.bot, room.chat, "member")
    reply = as_reply(world, room.chat, room.bot, _number(order.reply_to))
    numbers = []
    for content in _contents(world, room, order):
        written = write(world, room.chat, room.bot, room.person, reply | content)
        tell(world, room.chat, room.bot, written)
        numbers.append(written.number)
    return {"messageId": numbers[0], "messageIds": numbers}


def _contents(world: World, room: Room, order: society.Written) -> list[Json]:
    if not order.attachment:
        text, entities = marked(order.text, "", [])
        return [{"text": text} | ({"entities": entities} if entities else {})]
    if order.attachment in _PLACES:
        return [_PLACES[order.attachment]]
    caption = captioned(*marked(order.text, "", []))
    if order.attachment == "album":
        group = {"media_group_id": digits(17)}
        return [group | _sample(world, room, "image") | caption, group | _sample(world, room, "image")]
    return [_sample(world, room, order.attachment) | ({} if order.attachment == "sticker" else caption)]


def _sample(world: World, room: Room, wanted: str) -> Json:
    kind, made = _FILES[wanted], society.sample(world, wanted)
    owner = room.bot.id or next((bot.id for bot in bots_in(world, chat_named(world, room.chat.id))), "")
    file = add_file(world, owner, kind, made.name, made.content_type.partition(";")[0], made.upload.path)
    return media_content(kind, file, {"duration": 3})


def edit(world: World, order: society.Edited) -> None:
    room = Room(world, order.account, order.person)
    found = room.message(world, order.message_id)
    if found.sender != room.person.id:
        raise ControlError("People can only change their own messages.", 409)
    field = "text" if "text" in found.body else "caption"
    found.body |= {field: order.text, "edit_date": int(world.clock.time())}
    world.store.put(found)
    tell(world, room.chat, room.bot, found, edited=True)


def react(world: World, order: society.Reacted) -> None:
    room = Room(world, order.account, order.person)
    found = room.message(world, order.message_id)
    reactor = person_named(world, order.person)
    old = found.reactions.pop(reactor.id, "")
    if order.emoji:
        found.reactions[reactor.id] = order.emoji
    world.store.put(found)
    about = {"chat": chat_json(room.chat), "message_id": found.number, "date": int(world.clock.time())}
    if isinstance(room.chat, Chat) and room.chat.kind == "channel":
        for bot in bots_in(world, room.chat):
            push(world, bot, "message_reaction_count", about | {"reactions": _counts(found)})
        return
    change = {"user": user_json(reactor), "old_reaction": _emoji(old), "new_reaction": _emoji(order.emoji)}
    for bot in [room.bot] if isinstance(room.chat, User) else bots_in(world, room.chat):
        push(world, bot, "message_reaction", about | change)


def _counts(found: Message) -> list[Json]:
    given = list(found.reactions.values())
    return [{"type": _emoji(emoji)[0], "total_count": given.count(emoji)} for emoji in dict.fromkeys(given)]


def _emoji(emoji: str) -> list[Json]:
    return [{"type": "emoji", "emoji": emoji}] if emoji else []


def press(world: World, order: society.Pressed) -> Json:
    """Press an inline button, given by its label."""
    room = Room(world, order.account, order.person)
    found = room.message(world, order.message_id)
    rows = found.body.get("reply_markup", {}).get("inline_keyboard", [])
    button = next((one for row in rows for one in row if one["text"] == order.button), None)
    if button is None or "callback_data" not in button:
        raise ControlError(f"The message has no callback button {order.button!r}.")
    bot = bot_named(world, found.sender)
    pressed = world.store.put(Pressed(id=digits(18), parent=bot.id, made=world.clock.now()))
    presser = person_named(world, order.person)
    query = {"id": pressed.id, "from": user_json(presser), "message": found.body, "chat_instance": digits(18)}
    push(world, bot, "callback_query", query | {"data": button["callback_data"]})
    return {"callbackQueryId": pressed.id}


def feed(world: World, order: Look) -> Json:
    """List the messages of a chat, newest first, with the checksums of their files."""
    room = Room(world, order.account, order.person)
    parent = room_of(room.chat, room.bot)
    found = world.store.find(Message, parent=parent, newest_first=True, limit=order.limit)
    return {"data": [_shown(world, one) for one in found]}


def _shown(world: World, one: Message) -> Json:
    files = [world.store.get(File, name) for name in files_in(one.body)]
    return {
        "messageId": one.number,
        "sender": one.sender,
        "message": one.body,
        "reactions": one.reactions,
        "files": [
            {"name": file.name, "kind": file.kind, "size": file.media.size, "sha256": file.media.sha256}
            for file in files
            if file
        ],
    }


ACTIONS: dict[str, Action[Any]] = {
    **society.verb("message", society.Written, message),
    **society.verb("edit", society.Edited, edit),
    **society.verb("react", society.Reacted, react),
    **society.verb("press", society.Pressed, press),
    "feed": Action("Read the messages", Look, feed, listed=False),
}
