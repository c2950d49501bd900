"""Messages in chats: their numbers, and who is notified of them."""

from typing import Any

from socialgate_sandbox.kit import World
from socialgate_sandbox.vendors.telegram.shapes import anybody_json, bot_json, chat_json, user_json
from socialgate_sandbox.vendors.telegram.state import Bot, Chat, Json, Member, Message, User, member_of, room_of
from socialgate_sandbox.vendors.telegram.updates import push


def write(
    world: World, chat: Chat | User, bot: Bot, sender: Bot | User, content: Json, *, silent: bool = False
) -> Message:
    """Put a message into a chat. `bot` is the bot whose private chat it is."""
    room = room_of(chat, bot)
    # A bot's private chats share one number series, every other chat has its own.
    number = world.store.count_up(f"message:{bot.id if isinstance(chat, User) else chat.id}")
    now = world.clock.now()
    body = {"message_id": number} | _author(chat, sender) | {"chat": chat_json(chat), "date": int(now.timestamp())}
    return world.store.put(
        Message(
            id=f"{room}:{number}",
            parent=room,
            number=number,
            sender=sender.id,
            body=body | content,
            made=now,
            silent=silent,
        )
    )


def tell(world: World, chat: Chat | User, bot: Bot, message: Message, *, edited: bool = False) -> None:
    """Notify the bots in a chat of a message, except the one that wrote it."""
    kind = "channel_post" if isinstance(chat, Chat) and chat.kind == "channel" else "message"
    hearers = [bot] if isinstance(chat, User) else bots_in(world, chat)
    for hearer in hearers:
        if hearer.id != message.sender and _hears(world, hearer, chat, message):
            push(world, hearer, f"edited_{kind}" if edited else kind, message.body)


def bots_in(world: World, chat: Chat) -> list[Bot]:
    members = world.store.find(Member, parent=chat.id)
    found = [world.store.get(Bot, member.user) for member in members if member.status in {"administrator", "member"}]
    return [bot for bot in found if bot is not None]


def find_message(world: World, chat: Chat | User, bot: Bot, number: int) -> Message | None:
    return world.store.get(Message, f"{room_of(chat, bot)}:{number}")


def as_reply(world: World, chat: Chat | User, bot: Bot, number: int) -> Json:
    """Return what a reply quotes: the message without what it quotes itself."""
    message = find_message(world, chat, bot, number)
    if message is None:
        return {}
    return {"reply_to_message": {name: value for name, value in message.body.items() if name != "reply_to_message"}}


def _author(chat: Chat | User, sender: Bot | User) -> Json:
    if isinstance(chat, Chat) and chat.kind == "channel":
        return {"sender_chat": chat_json(chat)}
    return {"from": bot_json(sender) if isinstance(sender, Bot) else user_json(sender)}


def _hears(world: World, bot: Bot, chat: Chat | User, message: Message) -> bool:
    """Whether privacy mode lets a bot see it: a command, a mention, or a reply to the bot."""
    if isinstance(chat, User) or chat.kind == "channel" or bot.reads_groups:
        return True
    place = member_of(world, chat.id, bot.id)
    if place is not None and place.status == "administrator":
        return True
    text: Any = message.body.get("text") or message.body.get("caption") or ""
    replied = message.body.get("reply_to_message", {}).get("from", anybody_json(world, "0"))
    return text.startswith("/") or f"@{bot.username}".lower() in text.lower() or replied["id"] == int(bot.id)
