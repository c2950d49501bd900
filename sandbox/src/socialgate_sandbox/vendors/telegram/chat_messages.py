"""Messages in chats: their numbers, and who is notified of them."""

from typing import Any

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.vendors.telegram.api_objects import (
    build_bot_json,
    build_bot_or_user_json,
    build_chat_json,
    build_user_json,
)
from socialgate_sandbox.vendors.telegram.state import (
    Bot,
    Chat,
    Json,
    Member,
    Message,
    User,
    find_member,
    get_conversation_id,
)
from socialgate_sandbox.vendors.telegram.updates import add_update


def store_message(
    context: VendorContext, chat: Chat | User, bot: Bot, sender: Bot | User, content: Json, *, is_silent: bool = False
) -> Message:
    """Put a message into a chat. `bot` is the bot whose private chat it is."""
    room = get_conversation_id(chat, bot)
    # A bot's private chats share one number series, every other chat has its own.
    number = context.store.get_next_number(f"message:{bot.id if isinstance(chat, User) else chat.id}")
    now = context.clock.now()
    body = (
        {"message_id": number}
        | _build_author(chat, sender)
        | {"chat": build_chat_json(chat), "date": int(now.timestamp())}
    )
    return context.store.put(
        Message(
            id=f"{room}:{number}",
            parent=room,
            number=number,
            sender=sender.id,
            body=body | content,
            created_at=now,
            silent=is_silent,
        )
    )


def notify_bots(
    context: VendorContext, chat: Chat | User, bot: Bot, message: Message, *, is_edit: bool = False
) -> None:
    """Notify the bots in a chat of a message, except the one that wrote it."""
    kind = "channel_post" if isinstance(chat, Chat) and chat.kind == "channel" else "message"
    hearers = [bot] if isinstance(chat, User) else list_bots(context, chat)
    for hearer in hearers:
        if hearer.id != message.sender and _can_see_message(context, hearer, chat, message):
            add_update(context, hearer, f"edited_{kind}" if is_edit else kind, message.body)


def list_bots(context: VendorContext, chat: Chat) -> list[Bot]:
    members = context.store.find(Member, parent=chat.id)
    result = [context.store.get(Bot, member.user) for member in members if member.status in {"administrator", "member"}]
    return [bot for bot in result if bot is not None]


def find_message(context: VendorContext, chat: Chat | User, bot: Bot, message_number: int) -> Message | None:
    return context.store.get(Message, f"{get_conversation_id(chat, bot)}:{message_number}")


def build_reply_quote(context: VendorContext, chat: Chat | User, bot: Bot, message_number: int) -> Json:
    """Return what a reply quotes: the message without what it quotes itself."""
    message = find_message(context, chat, bot, message_number)
    if message is None:
        return {}
    return {"reply_to_message": {name: value for name, value in message.body.items() if name != "reply_to_message"}}


def _build_author(chat: Chat | User, sender: Bot | User) -> Json:
    if isinstance(chat, Chat) and chat.kind == "channel":
        return {"sender_chat": build_chat_json(chat)}
    return {"from": build_bot_json(sender) if isinstance(sender, Bot) else build_user_json(sender)}


def _can_see_message(context: VendorContext, bot: Bot, chat: Chat | User, message: Message) -> bool:
    """Whether privacy mode lets a bot see it: a command, a mention, or a reply to the bot."""
    if isinstance(chat, User) or chat.kind == "channel" or bot.reads_groups:
        return True
    place = find_member(context, chat.id, bot.id)
    if place is not None and place.status == "administrator":
        return True
    text: Any = message.body.get("text") or message.body.get("caption") or ""
    replied = message.body.get("reply_to_message", {}).get("from", build_bot_or_user_json(context, "0"))
    return text.startswith("/") or f"@{bot.username}".lower() in text.lower() or replied["id"] == int(bot.id)
