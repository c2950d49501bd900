"""The profile of a bot on Telegram, and whether it works."""

from collections.abc import Iterator
from datetime import datetime
from urllib.parse import urlsplit

from socialgate.connectors.forms import given
from socialgate.connectors.telegram.auth import is_ours
from socialgate.connectors.telegram.errors import TABLE
from socialgate.connectors.telegram.wire import BotApi, Told, Webhook
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.core.clock import Clock

_RECENT_SECONDS = 60 * 60
_MANY_WAITING = 100


class BotAccounts:
    def __init__(self, api: BotApi, clock: Clock) -> None:
        self._api = api
        self._clock = clock

    async def about(self, held: AccountCredentials) -> About:
        bot = await self._api.get_me(held.grant.access_token)
        short = await self._api.of(held).get("getMyShortDescription", Told)
        greeting = await self._api.of(held).get("getMyDescription", Told)
        facts = {
            "greeting": greeting.description or None,
            "canJoinGroups": bot.can_join_groups,
            "canReadAllGroupMessages": bot.can_read_all_group_messages,
            "supportsInlineQueries": bot.supports_inline_queries,
            "canConnectToBusiness": bot.can_connect_to_business,
        }
        return About(
            name=bot.name,
            username=bot.username,
            profile_url=bot.link,
            description=short.short_description or None,
            facts=given(facts),
        )

    async def check(self, held: AccountCredentials) -> Check:
        token = held.grant.access_token
        await self._api.get_me(token)
        webhook = await self._api.get_webhook_info(token)
        return Check(granted=held.grant.scopes, issues=tuple(issues(webhook, token, self._clock.now())))


def issues(webhook: Webhook, token: str, now: datetime) -> Iterator[Issue]:
    if not webhook.url:
        detail = "Telegram does not deliver this bot's messages: it has no webhook."
        yield Issue("webhook_missing", detail, "Reconnect the bot.", warning=False)
        return
    if not is_ours(webhook.url):
        # Only the host: people put tokens into the rest.
        host = _host(webhook.url)
        detail = f"Telegram sends this bot's messages to another service, {host}. A bot has one webhook."
        fix = "Remove the bot from the other service, then reconnect it here."
        yield Issue("webhook_taken_over", detail, fix, warning=False)
        return
    if webhook.last_error_date and now.timestamp() - webhook.last_error_date < _RECENT_SECONDS:
        said = TABLE.scrub(webhook.last_error_message, (token,)) or "no reason given"
        detail = f"Telegram could not deliver a message within the last hour: {said}"
        fix = "Check that this service is reachable from the internet. Telegram retries for 24 hours."
        yield Issue("webhook_failing", detail, fix)
    if webhook.pending_update_count > _MANY_WAITING:
        detail = f"{webhook.pending_update_count} messages are waiting at Telegram to be delivered here."
        fix = "They are delivered automatically; if the number grows, check that this service is reachable."
        yield Issue("updates_waiting", detail, fix)


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or "with an unknown host"
    except ValueError:
        return "with an unknown host"
