"""Updates for bots: kept for polling, or handed to the kernel to send to the bot's webhook."""

from typing import Any

import msgspec

from socialgate_sandbox.kit import World, digits
from socialgate_sandbox.vendors.telegram.shapes import anybody_json, chat_json, member_json
from socialgate_sandbox.vendors.telegram.state import USUAL_KINDS, Bot, Chat, Json, Member, Update, User

# Older updates are dropped.
LIFETIME = 86_400.0
_KEPT = 500


def push(world: World, bot: Bot, kind: str, body: Any) -> None:
    """Add an update for a bot, unless the bot does not want this kind."""
    if bot.gone or kind not in (bot.allowed or USUAL_KINDS):
        return
    number = world.store.count_up(f"update:{bot.id}", int(digits(9)))
    news = {"update_id": number, kind: body}
    update = Update(id=f"{bot.id}:{number}", parent=bot.id, number=number, body=news, made=world.clock.now())
    world.store.delete(Update, f"{bot.id}:{number - _KEPT}")
    world.store.put(update)
    hand_over(world, bot)


def hand_over(world: World, bot: Bot) -> None:
    """Send everything pending to the webhook, if there is one."""
    if bot.webhook is None:
        return
    headers = {"content-type": "application/json", "accept-encoding": "gzip, deflate"}
    if bot.webhook.secret:
        headers["x-telegram-bot-api-secret-token"] = bot.webhook.secret
    for update in waiting(world, bot):
        world.send_webhook(msgspec.json.encode(update.body), headers, url=bot.webhook.url)
        update.handed = True
        world.store.put(update)


def waiting(world: World, bot: Bot) -> list[Update]:
    """List the updates that were not fetched yet and are not too old."""
    found = world.store.find(Update, parent=bot.id)
    return [update for update in found if not update.handed and world.clock.since(update.made) < LIFETIME]


def membership_changed(world: World, bot: Bot, chat: Chat | User, actor: str, old: Member | None, new: Member) -> None:
    before = old or Member(id="", parent=chat.id, user=new.user, status="left")
    body: Json = {
        "chat": chat_json(chat),
        "from": anybody_json(world, actor),
        "date": int(world.clock.time()),
        "old_chat_member": member_json(world, chat, before),
        "new_chat_member": member_json(world, chat, new),
    }
    push(world, bot, "my_chat_member", body)
