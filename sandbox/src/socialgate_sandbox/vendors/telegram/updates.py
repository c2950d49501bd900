"""Updates for bots: kept for polling, or handed to the kernel to send to the bot's webhook."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import VendorContext, generate_digits
from socialgate_sandbox.vendors.telegram.api_objects import build_bot_or_user_json, build_chat_json, build_member_json
from socialgate_sandbox.vendors.telegram.state import DEFAULT_UPDATE_KINDS, Bot, Chat, Json, Member, Update, User

# Older updates are dropped.
UPDATE_LIFETIME_SECONDS = 86_400.0
_MAX_STORED_UPDATES = 500


def add_update(context: VendorContext, bot: Bot, kind: str, body: Any) -> None:
    """Add an update for a bot, unless the bot does not want this kind."""
    if bot.gone or kind not in (bot.allowed or DEFAULT_UPDATE_KINDS):
        return
    number = context.store.get_next_number(f"update:{bot.id}", int(generate_digits(9)))
    news = {"update_id": number, kind: body}
    update = Update(id=f"{bot.id}:{number}", parent=bot.id, number=number, body=news, created_at=context.clock.now())
    context.store.delete(Update, f"{bot.id}:{number - _MAX_STORED_UPDATES}")
    context.store.put(update)
    send_pending_updates(context, bot)


def send_pending_updates(context: VendorContext, bot: Bot) -> None:
    """Send everything pending to the webhook, if there is one."""
    if bot.webhook is None:
        return
    headers = {"content-type": "application/json", "accept-encoding": "gzip, deflate"}
    if bot.webhook.secret:
        headers["x-telegram-bot-api-secret-token"] = bot.webhook.secret
    for update in list_pending_updates(context, bot):
        context.send_webhook(msgspec.json.encode(update.body), headers, url=bot.webhook.url)
        update.handed = True
        context.store.put(update)


def list_pending_updates(context: VendorContext, bot: Bot) -> list[Update]:
    """List the updates that were not fetched yet and are not too old."""
    updates = context.store.find(Update, parent=bot.id)
    return [
        update
        for update in updates
        if not update.handed and context.clock.get_seconds_since(update.created_at) < UPDATE_LIFETIME_SECONDS
    ]


def notify_membership_change(
    context: VendorContext, bot: Bot, chat: Chat | User, actor_id: str, old_member: Member | None, new_member: Member
) -> None:
    before = old_member or Member(id="", parent=chat.id, user=new_member.user, status="left")
    body: Json = {
        "chat": build_chat_json(chat),
        "from": build_bot_or_user_json(context, actor_id),
        "date": int(context.clock.get_unix_time()),
        "old_chat_member": build_member_json(context, chat, before),
        "new_chat_member": build_member_json(context, chat, new_member),
    }
    add_update(context, bot, "my_chat_member", body)
