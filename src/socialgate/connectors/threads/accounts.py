"""The current Threads profile, and what is wrong with it."""

from typing import Any

from socialgate.connectors.graph.dialect import GraphCaller, GraphPage
from socialgate.connectors.json_paths import get_list, get_path
from socialgate.connectors.threads.api import PROFILE_URL, ThreadsApi, fetch_own_profile, fetch_publishing_limits
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.contracts.failures import NeedsReconnectionError, PermissionMissingError, PlatformFailure


class ThreadsAccountInspector:
    def __init__(self, threads: ThreadsApi) -> None:
        self._threads = threads

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        api = self._threads.for_account(credentials)
        profile = await fetch_own_profile(api)
        return AccountProfile(
            **profile.to_profile_fields(PROFILE_URL),
            description=profile.threads_biography,
            followers=await _fetch_follower_count(api),
            facts={"verified": profile.is_verified},
        )

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        """Reading the profile shows whether the login works. The token inspection is for testers of the app: for others
        its result proves nothing.
        """
        api = self._threads.for_account(credentials)
        try:
            await fetch_own_profile(api)
        except PermissionMissingError as failure:
            return AccountCheck(
                granted_scopes=(),
                issues=(AccountIssue("hidden", failure.detail, "Reconnect the account.", warning=False),),
            )
        granted, ends = await api.fetch_permissions(credentials.grant.scopes, credentials.grant.expires_at)
        return AccountCheck(granted_scopes=granted, expires_at=ends, limits=tuple(await fetch_publishing_limits(api)))


async def _fetch_follower_count(api: GraphCaller) -> int | None:
    """There is no field for the number, only a metric, which must be requested alone and without a time range. It needs
    the insights permission, and is not worth failing for.
    """
    try:
        insights = await api.get("me/threads_insights", GraphPage[Any], metric="followers_count")
    except NeedsReconnectionError:
        raise
    except PlatformFailure:
        return None
    values = [
        value for metric in insights.data for value in (get_path(metric, "total_value"), *get_list(metric, "values"))
    ]
    return next((value["value"] for value in values if isinstance(get_path(value, "value"), int)), None)
