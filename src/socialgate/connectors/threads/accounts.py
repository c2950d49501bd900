"""How a Threads profile looks right now, and what is wrong with it."""

from typing import Any

from socialgate.connectors.dialects.graph import Caller, Rows, list_at, member
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
        """Whether the login lives, reading the profile tells. The inspection of tokens is for testers of the app:
        what it says or refuses to others proves nothing.
        """
        api = self._threads.of(held)
        try:
            await me(api)
        except PermissionMissing as failure:
            return Check(granted=(), issues=(Issue("hidden", failure.detail, "Connect again.", warning=False),))
        granted, ends = await api.permitted(held.grant.scopes, held.grant.expires_at)
        return Check(granted=granted, expires_at=ends, limits=tuple(await publishing_limit(api)))


async def _followers(api: Caller) -> int | None:
    """There is no field for the number, only a metric, which takes neither company nor a range of time. It needs the
    permission for insights, and is not worth failing for.
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
