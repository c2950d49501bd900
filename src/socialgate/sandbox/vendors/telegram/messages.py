"""What people write to bots, in groups and in their channels, what they press, and what can be seen of it all."""

import struct
import zlib
from typing import Any, Literal

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, World, digits
from socialgate.sandbox.vendors.telegram.changes import Pressed
from socialgate.sandbox.vendors.telegram.contents import captioned, files_in, media_content
from socialgate.sandbox.vendors.telegram.files import File, Kind, add_file
from socialgate.sandbox.vendors.telegram.formatting import marked
from socialgate.sandbox.vendors.telegram.named import bot_named, chat_named, meet, person_named
from socialgate.sandbox.vendors.telegram.rooms import as_reply, bots_in, find_message, tell, write
from socialgate.sandbox.vendors.telegram.shapes import chat_json, user_json
from socialgate.sandbox.vendors.telegram.state import Bot, Chat, Json, Message, User, room_of
from socialgate.sandbox.vendors.telegram.updates import push

_LONGEST_TEXT = 4096
_LONGEST_CAPTION = 1024
_SAMPLES: dict[str, tuple[Kind, str, str]] = {
    "photo": ("photo", "picture.png", "image/png"),
    "video": ("video", "clip.mp4", "video/mp4"),
    "audio": ("audio", "song.mp3", "audio/mpeg"),
    "voice": ("voice", "voice.oga", "audio/ogg"),
    "document": ("document", "letter.pdf", "application/pdf"),
    "sticker": ("sticker", "sticker.webp", "image/webp"),
}
_PLACES: dict[str, Json] = {
    "location": {"location": {"latitude": 52.520008, "longitude": 13.404954}},
    "contact": {"contact": {"phone_number": "+15550100199", "first_name": "Grandma"}},
}


class Written(ActionRequest, frozen=True, kw_only=True):
    """A person writes to a bot or in a group, or the owner of a channel posts there."""

    account: str
    text: str = ""
    person: str = "dario"
    kind: Literal["text", "photo", "album", "video", "audio", "voice", "document", "sticker", "location", "contact"] = (
        "text"
    )
    reply_to: int = 0


class Changed(ActionRequest, frozen=True, kw_only=True):
    account: str
    message_id: int
    text: str
    person: str = "dario"


class Reacted(ActionRequest, frozen=True, kw_only=True):
    """No emoji takes the reaction away."""

    account: str
    message_id: int
    emoji: str = ""
    person: str = "dario"


class Press(ActionRequest, frozen=True, kw_only=True):
    account: str
    message_id: int
    button: str
    person: str = "dario"


class Look(ActionRequest, frozen=True, kw_only=True):
    """The messages of a chat, or of a bot with one person."""

    account: str
    person: str = "dario"
    limit: int = 50


class Room:
    """Where somebody at the controls acts: a bot's private chat with a person, or a group or channel."""

    def __init__(self, world: World, account: str, person: str) -> None:
        bot = world.store.get(Bot, account)
        self.chat: Chat | User = person_named(world, person) if bot else chat_named(world, account)
        # A message in a group or channel is nobody's in particular.
        self.bot = bot or Bot(id="", secret="", first_name="", username="")
        owner = self.chat.parent if isinstance(self.chat, Chat) and self.chat.kind == "channel" else person
        self.person = person_named(world, owner)

    def message(self, world: World, number: int) -> Message:
        found = find_message(world, self.chat, self.bot, number)
        if found is None:
            raise ControlError(f"There is no message {number} in this chat.")
        return found


def message(world: World, order: Written) -> Json:
    room = Room(world, order.account, order.person)
    if isinstance(room.chat, User):
        meet(world, room.bot, room.chat, "member")
    reply = as_reply(world, room.chat, room.bot, order.reply_to)
    numbers = []
    for content in _contents(world, room, order):
        written = write(world, room.chat, room.bot, room.person, reply | content)
        tell(world, room.chat, room.bot, written)
        numbers.append(written.number)
    return {"messageId": numbers[0], "messageIds": numbers}


def _contents(world: World, room: Room, order: Written) -> list[Json]:
    longest = _LONGEST_TEXT if order.kind == "text" else _LONGEST_CAPTION
    if len(order.text) > longest or (order.kind == "text" and not order.text.strip()):
        raise ControlError(f"A text has 1 to {_LONGEST_TEXT} characters, a caption at most {_LONGEST_CAPTION}.", 422)
    if order.kind == "text":
        text, entities = marked(order.text, "", [])
        return [{"text": text} | ({"entities": entities} if entities else {})]
    if order.kind in _PLACES:
        return [_PLACES[order.kind]]
    caption = captioned(*marked(order.text, "", []))
    if order.kind == "album":
        group = {"media_group_id": digits(17)}
        return [group | _sample(world, room, "photo") | caption, group | _sample(world, room, "photo")]
    return [_sample(world, room, order.kind) | ({} if order.kind == "sticker" else caption)]


def _sample(world: World, room: Room, wanted: str) -> Json:
    kind, name, mime = _SAMPLES[wanted]
    path = world.files.new()
    path.write_bytes(_picture() if kind == "photo" else f"A sample {kind} {digits(9)}\n".encode())
    owner = room.bot.id or next((bot.id for bot in bots_in(world, chat_named(world, room.chat.id))), "")
    return media_content(kind, add_file(world, owner, kind, name, mime, path), {"duration": 3})


def _picture() -> bytes:
    """Draw a PNG of one colour, which no other has."""
    row = b"\0" + bytes.fromhex(f"{int(digits(7)):06x}"[-6:]) * 320
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", 320, 240, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * 240)),
        (b"IEND", b""),
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in parts
    )


def edit(world: World, order: Changed) -> None:
    room = Room(world, order.account, order.person)
    found = room.message(world, order.message_id)
    field = "text" if "text" in found.body else "caption"
    found.body |= {field: order.text, "edit_date": int(world.clock.time())}
    world.store.put(found)
    tell(world, room.chat, room.bot, found, edited=True)


def react(world: World, order: Reacted) -> None:
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


def press(world: World, order: Press) -> Json:
    """Press an inline button by the text on it."""
    room = Room(world, order.account, order.person)
    found = room.message(world, order.message_id)
    rows = found.body.get("reply_markup", {}).get("inline_keyboard", [])
    button = next((one for row in rows for one in row if one["text"] == order.button), None)
    if button is None or "callback_data" not in button:
        raise ControlError(f"The message has no button {order.button!r} that calls its bot.")
    bot = bot_named(world, found.sender)
    pressed = world.store.put(Pressed(id=digits(18), parent=bot.id, made=world.clock.now()))
    presser = person_named(world, order.person)
    query = {"id": pressed.id, "from": user_json(presser), "message": found.body, "chat_instance": digits(18)}
    push(world, bot, "callback_query", query | {"data": button["callback_data"]})
    return {"callbackQueryId": pressed.id}


def feed(world: World, order: Look) -> Json:
    """Show the messages of a chat, the newest first, with the checksums of their files."""
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
            {"name": file.name, "kind": file.kind, "size": file.size, "sha256": file.sha256} for file in files if file
        ],
    }


ACTIONS: dict[str, Action[Any]] = {
    "message": Action("Write a message", Written, message),
    "edit": Action("Edit a message", Changed, edit),
    "react": Action("React to a message", Reacted, react),
    "press": Action("Press a button", Press, press),
    "feed": Action("Show the messages", Look, feed),
}
