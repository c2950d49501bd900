"""The profile of a bot on Telegram, and whether it works."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

from socialgate.connectors.post_options import drop_none
from socialgate.connectors.telegram.api import BotApi, MethodResult, WebhookInfo
from socialgate.connectors.telegram.auth import is_own_webhook_url
from socialgate.connectors.telegram.errors import ERROR_TABLE
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.core.clock import Clock

_MAX_ERROR_AGE_SECONDS = 60 * 60
_MAX_PENDING_UPDATES = 100


class BotAccountInspector:
    def __init__(self, api: BotApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        bot = await self._api.get_me(credentials.grant.access_token)
        short = await self._api.for_account(credentials).get("getMyShortDescription", MethodResult)
        greeting = await self._api.for_account(credentials).get("getMyDescription", MethodResult)
        facts = {
            "greeting": greeting.description or None,
            "canJoinGroups": bot.can_join_groups,
            "canReadAllGroupMessages": bot.can_read_all_group_messages,
            "supportsInlineQueries": bot.supports_inline_queries,
            "canConnectToBusiness": bot.can_connect_to_business,
        }
        return AccountProfile(
            name=bot.name,
            username=bot.username,
            profile_url=bot.link,
            description=short.short_description or None,
            facts=drop_none(facts),
        )

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        token = credentials.grant.access_token
        await self._api.get_me(token)
        webhook = await self._api.get_webhook_info(token)
        return AccountCheck(
            granted_scopes=credentials.grant.scopes, issues=tuple(find_issues(webhook, token, self._clock.now()))
        )


def find_issues(webhook: WebhookInfo, token: str, now: datetime) -> Iterator[AccountIssue]:
    if not webhook.url:
        detail = "Telegram does not deliver this bot's messages: it has no webhook."
        yield AccountIssue("webhook_missing", detail, "Reconnect the bot.", warning=False)
        return
    if not is_own_webhook_url(webhook.url):
        # Only the host: people put tokens into the rest.
        host = _parse_host(webhook.url)
        detail = f"Telegram sends this bot's messages to another service, {host}. A bot has one webhook."
        fix = "Remove the bot from the other service, then reconnect it here."
        yield AccountIssue("webhook_taken_over", detail, fix, warning=False)
        return
    if webhook.last_error_date and now.timestamp() - webhook.last_error_date < _MAX_ERROR_AGE_SECONDS:
        message = ERROR_TABLE.redact(webhook.last_error_message, (token,)) or "no reason given"
        detail = f"Telegram could not deliver a message within the last hour: {message}"
        fix = "Check that this service is reachable from the internet. Telegram retries for 24 hours."
        yield AccountIssue("webhook_failing", detail, fix)
    if webhook.pending_update_count > _MAX_PENDING_UPDATES:
        detail = f"{webhook.pending_update_count} messages are waiting at Telegram to be delivered here."
        fix = "They are delivered automatically; if the number grows, check that this service is reachable."
        yield AccountIssue("updates_waiting", detail, fix)


def _parse_host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "with an unknown host"
    except ValueError:
        return "with an unknown host"
