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

from socialgate_sandbox.kit import Attempt, Call, CallRefusedError, VendorContext
from socialgate_sandbox.kit import Webhook as Delivery
from socialgate_sandbox.kit.urls import is_product_or_local_host
from socialgate_sandbox.vendors.telegram.errors import (
    build_bad_request,
    build_ok_response,
    build_refusal,
    build_throttled_response,
    require,
)
from socialgate_sandbox.vendors.telegram.method_parameters import get_flag, get_json_value, get_number, get_text
from socialgate_sandbox.vendors.telegram.state import (
    DEFAULT_UPDATE_KINDS,
    UPDATE_KINDS,
    Bot,
    Json,
    Poll,
    Update,
    Webhook,
)
from socialgate_sandbox.vendors.telegram.updates import list_pending_updates, send_pending_updates

_ALLOWED_PORTS = {80, 88, 443, 8443}
_MAX_SECRET_LENGTH = 256
_SECRET_PATTERN = re.compile(r"[A-Za-z0-9_-]*")
_MAX_POLL = 50
_POLL_INTERVAL_SECONDS = 0.05
_MAX_WEBHOOKS_READ = 300
# The first retry is immediate, then the pause doubles until it is between one and two minutes, for a day.
WEBHOOK_RETRY_DELAYS = (0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, *(90.0,) * 958)


def set_webhook(call: Call, bot: Bot) -> Response:
    url = get_text(call, "url")
    if not url:
        return delete_webhook(call, bot)
    if bot.webhook_asked is not None and 0 <= call.context.clock.get_seconds_since(bot.webhook_asked) < 1:
        return build_throttled_response(1)
    bot.webhook_asked = call.context.clock.now()
    webhook = _parse_webhook(call, url)
    drop = get_flag(call, "drop_pending_updates")
    if bot.webhook is not None and _is_same_webhook(bot.webhook, webhook) and not drop:
        _set_allowed_updates(call, bot)
        return build_ok_response(True, "Webhook is already set")
    _remove_webhook(call.context, bot, drops_pending=drop)
    try:
        _validate_webhook(call.context, webhook)
    except CallRefusedError as refused:
        # Returned, not raised: the old webhook stays closed, so an invalid address leaves the bot without one.
        return refused.response(call)
    bot.webhook = webhook
    _set_allowed_updates(call, bot)
    send_pending_updates(call.context, bot)
    return build_ok_response(True, "Webhook was set")


def delete_webhook(call: Call, bot: Bot) -> Response:
    drop = get_flag(call, "drop_pending_updates")
    was_set = bot.webhook is not None
    _remove_webhook(call.context, bot, drops_pending=drop)
    return build_ok_response(True, "Webhook was deleted" if was_set else "Webhook is already deleted")


def get_webhook_info(call: Call, bot: Bot) -> Json:
    world, hook = call.context, bot.webhook
    deliveries = _list_webhooks(world, bot)
    pending = sum(delivery.is_pending for delivery in deliveries) + len(list_pending_updates(world, bot))
    body: Json = {
        "url": "" if hook is None else hook.url,
        "has_custom_certificate": hook is not None and hook.certificate,
        "pending_update_count": pending,
    }
    body |= _build_last_error(deliveries)
    if hook is not None:
        body |= {"max_connections": hook.max_connections, "ip_address": hook.ip_address or _get_ip_address(hook.url)}
    if bot.allowed is not None:
        body["allowed_updates"] = bot.allowed
    return body


async def get_updates(call: Call, bot: Bot) -> list[Json]:
    world = call.context
    if bot.webhook is not None:
        raise build_refusal("webhook_active")
    with world.store.transaction():
        _set_allowed_updates(call, bot)
        _drop_confirmed_updates(world, bot, get_number(call, "offset"))
        mine = world.store.put(Poll(id=bot.id, number=world.store.get_next_number(f"poll:{bot.id}")))
    limit = get_number(call, "limit", 100, 1, 100)
    loop = asyncio.get_running_loop()
    end = loop.time() + get_number(call, "timeout", 0, 0, _MAX_POLL)
    while not (updates := list_pending_updates(world, bot)) and loop.time() < end:
        await asyncio.sleep(_POLL_INTERVAL_SECONDS)
        _require_current_poll(world, bot, mine)
    return [update.body for update in updates[:limit]]


def _require_current_poll(context: VendorContext, bot: Bot, own_poll: Poll) -> None:
    now = context.store.get(Bot, bot.id)
    if now is None or now.gone or now.secret != bot.secret:
        raise build_refusal("token_revoked")
    if now.webhook is not None:
        raise build_refusal("webhook_taken")
    if context.store.get(Poll, bot.id) != own_poll:
        raise build_refusal("other_poller")


def _drop_confirmed_updates(context: VendorContext, bot: Bot, offset: int) -> None:
    """Drop what is before the offset; a negative one counts from the end of the queue."""
    updates = list_pending_updates(context, bot)
    kept = updates[offset:] if offset < 0 else [update for update in updates if update.number >= offset]
    for update in updates:
        if update not in kept:
            context.store.delete(Update, update.id)


def _parse_webhook(call: Call, url: str) -> Webhook:
    return Webhook(
        url=url,
        created_at=call.context.clock.now(),
        secret=get_text(call, "secret_token"),
        max_connections=get_number(call, "max_connections", 40, 1, 100),
        ip_address=get_text(call, "ip_address"),
        certificate="certificate" in call.files,
    )


def _is_same_webhook(old_webhook: Webhook, new_webhook: Webhook) -> bool:
    return not new_webhook.certificate and old_webhook == msgspec.structs.replace(
        new_webhook, created_at=old_webhook.created_at
    )


def _set_allowed_updates(call: Call, bot: Bot) -> None:
    """Keep the previous list if none is given; an empty one means the default kinds."""
    value = get_json_value(call, "allowed_updates", "allowed_updates") if get_text(call, "allowed_updates") else None
    if isinstance(value, list):
        known = [kind for kind in UPDATE_KINDS if kind in {str(item).lower() for item in value}]
        bot.allowed = None if not known or tuple(known) == DEFAULT_UPDATE_KINDS else known
    call.context.store.put(bot)


def _validate_webhook(context: VendorContext, webhook: Webhook) -> None:
    parts = _split_url(webhook.url)
    require(len(webhook.secret) <= _MAX_SECRET_LENGTH, "secret token is too long")
    require(_SECRET_PATTERN.fullmatch(webhook.secret), "secret token contains unallowed characters")
    # For this machine and the product it behaves like a self-hosted server in local mode.
    if is_product_or_local_host(context, parts.hostname):
        return
    require(parts.scheme == "https", "bad webhook: An HTTPS URL must be provided for webhook")
    require(
        (parts.port or 443) in _ALLOWED_PORTS, "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"
    )
    address = webhook.ip_address or _get_ip_address(webhook.url)
    require(not _is_reserved(address), f"bad webhook: IP address {address} is reserved")


def _split_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 443) > 0
    except ValueError as error:
        raise build_bad_request("invalid webhook URL specified") from error
    require(valid, "invalid webhook URL specified")
    return parts


def _get_ip_address(url: str) -> str:
    """Return the IP address of a host that is one; the sandbox does not query DNS."""
    host = _split_url(url).hostname or ""
    try:
        return str(ip_address(host))
    except ValueError:
        return "127.0.0.1" if host == "localhost" else "<unknown>"


def _is_reserved(address: str) -> bool:
    try:
        return not ip_address(address).is_global
    except ValueError:
        return False


def _remove_webhook(context: VendorContext, bot: Bot, *, drops_pending: bool) -> None:
    """Remove the webhook. What it has not received waits for the next one, unless that is dropped."""
    unsent = {_get_update_id(delivery) for delivery in _list_webhooks(context, bot) if delivery.is_pending}
    for update in context.store.find(Update, parent=bot.id):
        if drops_pending or (update.handed and update.number not in unsent):
            context.store.delete(Update, update.id)
        elif update.handed:
            update.handed = False
            context.store.put(update)
    bot.webhook = None
    context.store.put(bot)


def _list_webhooks(context: VendorContext, bot: Bot) -> list[Delivery]:
    """List the latest deliveries to the webhook that this bot has now."""
    if bot.webhook is None:
        return []
    own = {update.number for update in context.store.find(Update, parent=bot.id)}
    return [
        delivery
        for delivery in context.list_webhooks(_MAX_WEBHOOKS_READ)
        if delivery.url == bot.webhook.url
        and delivery.created_at >= bot.webhook.created_at
        and _get_update_id(delivery) in own
    ]


def _get_update_id(webhook: Delivery) -> int:
    return int(msgspec.json.decode(webhook.body)["update_id"])


def _build_last_error(webhooks: list[Delivery]) -> Json:
    attempts = [attempt for delivery in webhooks for attempt in delivery.attempts if not attempt.is_accepted]
    if not attempts:
        return {}
    last = max(attempts, key=lambda attempt: attempt.at)
    return {"last_error_date": int(last.at.timestamp()), "last_error_message": _describe_attempt(last)}


def _describe_attempt(attempt: Attempt) -> str:
    if attempt.status == 0:
        return "Read timeout expired" if "timeout" in attempt.answer.lower() else "Connection refused"
    try:
        reason = HTTPStatus(attempt.status).phrase
    except ValueError:
        reason = ""
    return f"Wrong response from the webhook: {attempt.status} {reason}".rstrip()


UPDATE_METHODS: dict[str, Callable[[Call, Bot], Any]] = {
    "setWebhook": set_webhook,
    "deleteWebhook": delete_webhook,
    "getWebhookInfo": get_webhook_info,
    "getUpdates": get_updates,
}
