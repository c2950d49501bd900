"""How a Threads profile looks right now, and what is wrong with it."""

from collections.abc import Sequence

from socialgate.connectors.dialects.graph import moment
from socialgate.connectors.threads.wire import Login, Quota, ThreadsApi, login_of
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue, LimitUse
from socialgate.contracts.failures import (
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)


class ThreadsAccounts:
    def __init__(self, api: ThreadsApi) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        login = login_of(held)
        profile = await self._api.me(login)
        return About(
            name=profile.title,
            username=profile.username,
            avatar_url=profile.threads_profile_picture_url,
            profile_url=profile.url,
            description=profile.threads_biography,
            followers=await self._followers(login),
            facts={"verified": profile.is_verified},
        )

    async def check(self, held: AccountCredentials) -> Check:
        """Whether the login lives, reading the profile tells. The inspection of tokens is for testers of the app:
        what it says or refuses to others proves nothing.
        """
        login = login_of(held)
        try:
            await self._api.me(login)
        except PermissionMissing as failure:
            return Check(granted=(), issues=(Issue("hidden", failure.detail, "Connect again.", warning=False),))
        granted, ends = held.grant.scopes, held.grant.expires_at
        try:
            inspected = await self._api.inspect(login)
        except PlatformFailure:
            pass
        else:
            granted, ends = tuple(inspected.scopes) or granted, moment(inspected.expires_at) or ends
        return Check(granted=granted, expires_at=ends, limits=tuple(await self._limits(login)))

    async def _followers(self, login: Login) -> int | None:
        """The number needs the permission for insights, and is not worth failing for."""
        try:
            return await self._api.followers(login)
        except NeedsReconnection:
            raise
        except PlatformFailure:
            return None

    async def _limits(self, login: Login) -> Sequence[LimitUse]:
        try:
            limit = await self._api.publishing_limit(login)
        except (Rejected, PermissionMissing, PlatformNotFound):
            limit = None
        if limit is None:
            return ()
        uses = (
            ("posts", limit.quota_usage, limit.config),
            ("replies", limit.reply_quota_usage, limit.reply_config),
            ("deletes", limit.delete_quota_usage, limit.delete_config),
        )
        return [
            LimitUse(name=name, used=used, limit=_total(quota))
            for name, used, quota in uses
            if used is not None or quota is not None
        ]


def _total(quota: Quota | None) -> int | None:
    return quota.quota_total if quota is not None else None
