"""Connecting a bot with the token from BotFather, and registering for its updates."""

import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import parse_qs, urlsplit

from socialgate.connectors.telegram.api import BotApi
from socialgate.contracts.account_connection import (
    AccountCredentials,
    ConnectResult,
    CredentialRejectedError,
    DiscoveredAccount,
    Grant,
    WebhookEndpoint,
)
from socialgate.contracts.failures import NeedsReconnectionError
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_BOT_TOKEN_FIELD = "botToken"  # noqa: S105 - the name of a field
# The token becomes part of a path: it must not contain anything else.
_TOKEN_PATTERN = re.compile(r"[0-9]{1,20}:[A-Za-z0-9_-]{1,128}", re.ASCII)


class BotAuth:
    def __init__(self, api: BotApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock

    async def verify(self, form: Mapping[str, str]) -> ConnectResult:
        token = form.get(_BOT_TOKEN_FIELD, "").strip()
        if not _TOKEN_PATTERN.fullmatch(token):
            detail = "This is not a bot token. It looks like 123456789:AAExample, from @BotFather."
            raise CredentialRejectedError(_BOT_TOKEN_FIELD, detail)
        try:
            bot = await self._api.get_me(token)
        except NeedsReconnectionError:
            detail = "Telegram does not know this token. Copy it again from @BotFather."
            raise CredentialRejectedError(_BOT_TOKEN_FIELD, detail) from None
        if not bot.is_bot:
            raise CredentialRejectedError(
                _BOT_TOKEN_FIELD, "This token does not belong to a bot. Create one with @BotFather."
            )
        # No avatar: the URL of every file of a bot contains its token.
        account = DiscoveredAccount(
            kind=Kind.TELEGRAM_BOT,
            platform_account_id=bot.id,
            name=bot.name,
            username=bot.username,
            profile_url=bot.link,
        )
        grant = Grant(
            platform_user_id=bot.id, name=bot.name, access_token=token, scopes=(), refreshed_at=self._clock.now()
        )
        return ConnectResult(grant=grant, accounts=[account])

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> None:
        """Set the webhook. A bot has one: this replaces any other service."""
        token = credentials.grant.access_token
        before = await self._api.get_webhook_info(token)
        # Updates that wait for us must not be dropped; those that wait for somebody else are not ours to answer.
        waits_for_us = before.url == callback.url
        await self._api.set_webhook(token, callback.url, callback.secret, drop_pending=not waits_for_us)

    async def unsubscribe(self, credentials: AccountCredentials) -> None:
        token = credentials.grant.access_token
        # A revoked token took its webhook with it.
        with suppress(NeedsReconnectionError):
            if is_own_webhook_url((await self._api.get_webhook_info(token)).url):
                await self._api.delete_webhook(token)


def is_own_webhook_url(url: str) -> bool:
    """Return whether a webhook URL has the format of those that this service registers."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.path.endswith("/webhooks/telegram") and "r" in parse_qs(parts.query)
