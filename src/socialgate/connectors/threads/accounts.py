"""The current Threads profile, and what is wrong with it."""

from typing import Any

from socialgate.connectors.graph.dialect import Caller, Rows
from socialgate.connectors.json_paths import list_at, member
from socialgate.connectors.threads.wire import SITE, Threads, me, publishing_limit
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import NeedsReconnection, PermissionMissing, PlatformFailure


class ThreadsAccounts:
    def __init__(self, threads: Threads) -> None:
        self._threads = threads

    async def about(self, held: AccountCredentials) -> About:
        api = self._threads.of(held)
        profile = await me(api)
        return About(
            **profile.looks(SITE),
            description=profile.threads_biography,
            followers=await _followers(api),
            facts={"verified": profile.is_verified},
        )

    async def check(self, held: AccountCredentials) -> Check:
        """Reading the profile shows whether the login works. The token inspection is for testers of the app: for others
        its result proves nothing.
        """
        api = self._threads.of(held)
        try:
            await me(api)
        except PermissionMissing as failure:
            return Check(granted=(), issues=(Issue("hidden", failure.detail, "Reconnect the account.", warning=False),))
        granted, ends = await api.permitted(held.grant.scopes, held.grant.expires_at)
        return Check(granted=granted, expires_at=ends, limits=tuple(await publishing_limit(api)))


async def _followers(api: Caller) -> int | None:
    """There is no field for the number, only a metric, which must be requested alone and without a time range. It needs
    the insights permission, and is not worth failing for.
    """
    try:
        insights = await api.get("me/threads_insights", Rows[Any], metric="followers_count")
    except NeedsReconnection:
        raise
    except PlatformFailure:
        return None
    values = [
        value for metric in insights.data for value in (member(metric, "total_value"), *list_at(metric, "values"))
    ]
    return next((value["value"] for value in values if isinstance(member(value, "value"), int)), None)
