"""setWebhook and getUpdates: the two ways in which a bot gets its updates."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from http import HTTPStatus
from ipaddress import ip_address
from typing import Any, Literal
from urllib.parse import SplitResult, urlencode, urlsplit

import msgspec
from starlette.responses import Response

from socialgate.sandbox.kit import Call, World
from socialgate.sandbox.kit.addresses import is_near
from socialgate.sandbox.vendors.telegram.args import flag_of, number_of, text_of, value_of
from socialgate.sandbox.vendors.telegram.errors import answered, bad_request, refusal, require, too_fast
from socialgate.sandbox.vendors.telegram.state import UPDATE_KINDS, USUAL_KINDS, Bot, Json, Poll, Update, Webhook
from socialgate.sandbox.vendors.telegram.updates import hand_over, waiting

_PORTS = {80, 88, 443, 8443}
_LONGEST_SECRET = 256
_SECRET = re.compile(r"[A-Za-z0-9_-]*")
_LONGEST_POLL = 50
_PAUSE = 0.05
_LIMITS = (300, 30, 3)
# The first retry is immediate, then the pause doubles until it is between one and two minutes, for a day.
RETRIES = (0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, *(90.0,) * 958)

AsyncMethod = Callable[[Call, Bot], Awaitable[Any]]


class _Attempt(msgspec.Struct):
    at: datetime
    status: int
    answer: str


class _Delivery(msgspec.Struct):
    state: Literal["waiting", "held", "delivered", "failed"]
    url: str
    body: str
    at: datetime
    attempts: list[_Attempt]


class _Deliveries(msgspec.Struct):
    data: list[_Delivery]


async def set_webhook(call: Call, bot: Bot) -> Response:
    url = text_of(call, "url")
    if not url:
        return await delete_webhook(call, bot)
    if bot.webhook_asked is not None and 0 <= call.world.clock.since(bot.webhook_asked) < 1:
        return too_fast(1)
    bot.webhook_asked = call.world.clock.now()
    wanted = _wanted(call, url)
    drop = flag_of(call, "drop_pending_updates")
    if bot.webhook is not None and _same(bot.webhook, wanted) and not drop:
        with call.world.store.transaction():
            _set_allowed(call, bot)
        return answered(True, "Webhook is already set")
    unsent = await _unsent(call.world, bot)
    with call.world.store.transaction():
        # The old webhook is closed before the new one is validated: an invalid address leaves the bot without one.
        _close(call.world, bot, unsent, drop=drop)
    _check(call.world, wanted)
    with call.world.store.transaction():
        bot.webhook = wanted
        _set_allowed(call, bot)
        hand_over(call.world, bot)
    return answered(True, "Webhook was set")


async def delete_webhook(call: Call, bot: Bot) -> Response:
    drop = flag_of(call, "drop_pending_updates")
    was_set = bot.webhook is not None
    unsent = await _unsent(call.world, bot)
    with call.world.store.transaction():
        _close(call.world, bot, unsent, drop=drop)
    return answered(True, "Webhook was deleted" if was_set else "Webhook is already deleted")


async def get_webhook_info(call: Call, bot: Bot) -> Json:
    world, hook = call.world, bot.webhook
    deliveries = await _deliveries(world, bot)
    pending = sum(delivery.state in {"waiting", "held"} for delivery in deliveries) + len(waiting(world, bot))
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


def _close(world: World, bot: Bot, unsent: set[int], *, drop: bool) -> None:
    for update in world.store.find(Update, parent=bot.id):
        if drop or (update.handed and update.number not in unsent):
            world.store.delete(Update, update.id)
        elif update.handed:
            update.handed = False
            world.store.put(update)
    bot.webhook = None
    world.store.put(bot)


async def _unsent(world: World, bot: Bot) -> set[int]:
    found = await _deliveries(world, bot)
    return {_number(delivery) for delivery in found if delivery.state in {"waiting", "held"}}


async def _deliveries(world: World, bot: Bot) -> list[_Delivery]:
    """Look up the results of this bot's webhooks. Only the kernel has them, in its public controls."""
    if bot.webhook is None:
        return []
    own = {update.number for update in world.store.find(Update, parent=bot.id)}
    return [
        delivery
        for delivery in await _told(world)
        if delivery.url == bot.webhook.url and delivery.at >= bot.webhook.made and _number(delivery) in own
    ]


async def _told(world: World) -> list[_Delivery]:
    """Read the list. A long one is truncated, in which case a shorter one is requested."""
    for limit in _LIMITS:
        query = urlencode({"platform": world.vendor, "limit": limit})
        fetched = await world.fetch(f"http://127.0.0.1:{world.settings.port}/_control/deliveries?{query}")
        if fetched is not None and fetched.status == HTTPStatus.OK and fetched.is_whole:
            return msgspec.json.decode(fetched.body, type=_Deliveries).data
    return []


def _number(delivery: _Delivery) -> int:
    return int(msgspec.json.decode(delivery.body)["update_id"])


def _last_error(deliveries: list[_Delivery]) -> Json:
    attempts = [attempt for delivery in deliveries for attempt in delivery.attempts if not _taken(attempt)]
    if not attempts:
        return {}
    last = max(attempts, key=lambda attempt: attempt.at)
    return {"last_error_date": int(last.at.timestamp()), "last_error_message": _message(last)}


def _taken(attempt: _Attempt) -> bool:
    return 200 <= attempt.status < 300  # noqa: PLR2004 - the range of success


def _message(attempt: _Attempt) -> str:
    if attempt.status == 0:
        return "Read timeout expired" if "timeout" in attempt.answer.lower() else "Connection refused"
    try:
        reason = HTTPStatus(attempt.status).phrase
    except ValueError:
        reason = ""
    return f"Wrong response from the webhook: {attempt.status} {reason}".rstrip()


METHODS: dict[str, AsyncMethod] = {
    "setwebhook": set_webhook,
    "deletewebhook": delete_webhook,
    "getwebhookinfo": get_webhook_info,
    "getupdates": get_updates,
}
