"""The profile of a TikTok account, and whether it works."""

from socialgate.connectors.forms import given
from socialgate.connectors.tiktok.wire import TikTokApi, User, user_fields
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import PlatformFailure, Rejected

_POSTING = "video.publish"
_TOKEN_PROBE = "open_id"  # noqa: S105 - the name of a field


class TikTokAccounts:
    def __init__(self, api: TikTokApi) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        grant = held.grant
        user = await self._api.user(grant.access_token, user_fields(grant.scopes), held.platform_account_id)
        return about_user(user, grant.name)

    async def check(self, held: AccountCredentials) -> Check:
        grant = held.grant
        await self._api.user(grant.access_token, _TOKEN_PROBE, held.platform_account_id)
        issues = await self._posting_issues(held) if _POSTING in grant.scopes else ()
        return Check(granted=grant.scopes, expires_at=grant.expires_at, issues=issues)

    async def _posting_issues(self, held: AccountCredentials) -> tuple[Issue, ...]:
        """The token has proved itself before: if the posting check gets no response, that says nothing about it."""
        try:
            await self._api.creator(held)
        except Rejected as failure:
            fix = "Open the TikTok app and check its notices."
            return (Issue("posting_blocked", failure.detail, fix, warning=False),)
        except PlatformFailure as failure:
            if not failure.retryable:
                raise
            if failure.category == "quota_exhausted":
                return (Issue("posting_capped", failure.detail, "Wait until tomorrow; everything else works."),)
        return ()


def about_user(user: User, name: str) -> About:
    facts = {
        "verified": user.is_verified,
        "following": user.following_count,
        "likes": user.likes_count,
        "videos": user.video_count,
    }
    return About(
        name=user.display_name or name,
        username=user.username,
        avatar_url=user.avatar_url,
        profile_url=user.page(),
        description=user.bio_description,
        followers=user.follower_count,
        facts=given(facts),
    )
