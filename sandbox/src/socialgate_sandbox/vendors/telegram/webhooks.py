"""setWebhook and getUpdates: the two ways in which a bot gets its updates."""

import asyncio
import re
from collections.abc import Callable
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Attempt, Call, Refused, World
from socialgate_sandbox.kit import Webhook as Delivery
from socialgate_sandbox.kit.addresses import is_near
from socialgate_sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of
from socialgate_sandbox.vendors.telegram.errors import answered, bad_request, refusal, require, too_fast
from socialgate_sandbox.vendors.telegram.state import UPDATE_KINDS, USUAL_KINDS, Bot, Json, Poll, Update, Webhook
from socialgate_sandbox.vendors.telegram.updates import hand_over, waiting

_PORTS = {80, 88, 443, 8443}
_LONGEST_SECRET = 256
_SECRET = re.compile(r"[A-Za-z0-9_-]*")
_LONGEST_POLL = 50
_PAUSE = 0.05
_RECENT = 300
# The first retry is immediate, then the pause doubles until it is between one and two minutes, for a day.
RETRIES = (0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, *(90.0,) * 958)


def set_webhook(call: Call, bot: Bot) -> Response:
    url = text_of(call, "url")
    if not url:
        return delete_webhook(call, bot)
    if bot.webhook_asked is not None and 0 <= call.world.clock.since(bot.webhook_asked) < 1:
        return too_fast(1)
    bot.webhook_asked = call.world.clock.now()
    wanted = _wanted(call, url)
    drop = flag_of(call, "drop_pending_updates")
    if bot.webhook is not None and _same(bot.webhook, wanted) and not drop:
        _set_allowed(call, bot)
        return answered(True, "Webhook is already set")
    _close(call.world, bot, drop=drop)
    try:
        _check(call.world, wanted)
    except Refused as refused:
        # Returned, not raised: the old webhook stays closed, so an invalid address leaves the bot without one.
        return refused.response(call)
    bot.webhook = wanted
    _set_allowed(call, bot)
    hand_over(call.world, bot)
    return answered(True, "Webhook was set")


def delete_webhook(call: Call, bot: Bot) -> Response:
    drop = flag_of(call, "drop_pending_updates")
    was_set = bot.webhook is not None
    _close(call.world, bot, drop=drop)
    return answered(True, "Webhook was deleted" if was_set else "Webhook is already deleted")


def get_webhook_info(call: Call, bot: Bot) -> Json:
    world, hook = call.world, bot.webhook
    deliveries = _deliveries(world, bot)
    pending = sum(delivery.pending for delivery in deliveries) + len(waiting(world, bot))
    body: Json = {
        "url": "" if hook is None else hook.url,
        "has_custom_certificate": hook is not None and hook.certificate,
        "pending_update_count": pending,
    }
    body |= _last_error(deliveries)
    if hook is not None:
        body |= {"max_connections": hook.max_connections, "ip_address": hook.ip_address or _address(hook.url)}
    if bot.allowed is not None:
        body["allowed_updates"] = bot.allowed
    return body


async def get_updates(call: Call, bot: Bot) -> list[Json]:
    world = call.world
    if bot.webhook is not None:
        raise refusal("webhook_active")
    with world.store.transaction():
        _set_allowed(call, bot)
        _confirm(world, bot, number_of(call, "offset"))
        mine = world.store.put(Poll(id=bot.id, number=world.store.count_up(f"poll:{bot.id}")))
    limit = number_of(call, "limit", 100, 1, 100)
    loop = asyncio.get_running_loop()
    end = loop.time() + number_of(call, "timeout", 0, 0, _LONGEST_POLL)
    while not (found := waiting(world, bot)) and loop.time() < end:
        await asyncio.sleep(_PAUSE)
        _check_still_polling(world, bot, mine)
    return [update.body for update in found[:limit]]


def _check_still_polling(world: World, bot: Bot, mine: Poll) -> None:
    now = world.store.get(Bot, bot.id)
    if now is None or now.gone or now.secret != bot.secret:
        raise refusal("token_revoked")
    if now.webhook is not None:
        raise refusal("webhook_taken")
    if world.store.get(Poll, bot.id) != mine:
        raise refusal("other_poller")


def _confirm(world: World, bot: Bot, offset: int) -> None:
    """Drop what is before the offset; a negative one counts from the end of the queue."""
    found = waiting(world, bot)
    kept = found[offset:] if offset < 0 else [update for update in found if update.number >= offset]
    for update in found:
        if update not in kept:
            world.store.delete(Update, update.id)


def _wanted(call: Call, url: str) -> Webhook:
    return Webhook(
        url=url,
        made=call.world.clock.now(),
        secret=text_of(call, "secret_token"),
        max_connections=number_of(call, "max_connections", 40, 1, 100),
        ip_address=text_of(call, "ip_address"),
        certificate="certificate" in call.files,
    )


def _same(old: Webhook, new: Webhook) -> bool:
    return not new.certificate and old == msgspec.structs.replace(new, made=old.made)


def _set_allowed(call: Call, bot: Bot) -> None:
    """Keep the previous list if none is given; an empty one means the default kinds."""
    given = value_of(call, "allowed_updates", "allowed_updates") if text_of(call, "allowed_updates") else None
    if isinstance(given, list):
        known = [kind for kind in UPDATE_KINDS if kind in {str(one).lower() for one in given}]
        bot.allowed = None if not known or tuple(known) == USUAL_KINDS else known
    call.world.store.put(bot)


def _check(world: World, hook: Webhook) -> None:
    parts = _split(hook.url)
    require(len(hook.secret) <= _LONGEST_SECRET, "secret token is too long")
    require(_SECRET.fullmatch(hook.secret), "secret token contains unallowed characters")
    # For this machine and the product it behaves like a self-hosted server in local mode.
    if is_near(world, parts.hostname):
        return
    require(parts.scheme == "https", "bad webhook: An HTTPS URL must be provided for webhook")
    require((parts.port or 443) in _PORTS, "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443")
    address = hook.ip_address or _address(hook.url)
    require(not _is_reserved(address), f"bad webhook: IP address {address} is reserved")


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 443) > 0
    except ValueError as error:
        raise bad_request("invalid webhook URL specified") from error
    require(valid, "invalid webhook URL specified")
    return parts


def _address(url: str) -> str:
    """Return the IP address of a host that is one; the sandbox does not query DNS."""
    host = _split(url).hostname or ""
    try:
        return str(ip_address(host))
    except ValueError:
        return "127.0.0.1" if host == "localhost" else "<unknown>"


def _is_reserved(address: str) -> bool:
    try:
        return not ip_address(address).is_global
    except ValueError:
        return False


def _close(world: World, bot: Bot, *, drop: bool) -> None:
    """Remove the webhook. What it has not received waits for the next one, unless that is dropped."""
    unsent = {_number(delivery) for delivery in _deliveries(world, bot) if delivery.pending}
    for update in world.store.find(Update, parent=bot.id):
        if drop or (update.handed and update.number not in unsent):
            world.store.delete(Update, update.id)
        elif update.handed:
            update.handed = False
            world.store.put(update)
    bot.webhook = None
    world.store.put(bot)


def _deliveries(world: World, bot: Bot) -> list[Delivery]:
    """List the latest deliveries to the webhook that this bot has now."""
    if bot.webhook is None:
        return []
    own = {update.number for update in world.store.find(Update, parent=bot.id)}
    return [
        delivery
        for delivery in world.webhooks(_RECENT)
        if delivery.url == bot.webhook.url and delivery.made >= bot.webhook.made and _number(delivery) in own
    ]


def _number(delivery: Delivery) -> int:
    return int(msgspec.json.decode(delivery.body)["update_id"])


def _last_error(deliveries: list[Delivery]) -> Json:
    attempts = [attempt for delivery in deliveries for attempt in delivery.attempts if not attempt.accepted]
    if not attempts:
        return {}
    last = max(attempts, key=lambda attempt: attempt.at)
    return {"last_error_date": int(last.at.timestamp()), "last_error_message": _message(last)}


def _message(attempt: Attempt) -> str:
    if attempt.status == 0:
        return "Read timeout expired" if "timeout" in attempt.answer.lower() else "Connection refused"
    try:
        reason = HTTPStatus(attempt.status).phrase
    except ValueError:
        reason = ""
    return f"Wrong response from the webhook: {attempt.status} {reason}".rstrip()


METHODS: dict[str, Callable[[Call, Bot], Any]] = {
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
    "getUpdates": get_updates,
}
