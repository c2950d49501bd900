"""The profile of a TikTok account, and whether it works."""

from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktok.api import TikTokApi, TikTokUser, list_user_fields
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.contracts.failures import PlatformFailure, PlatformRejectedError

_POST_SCOPE = "video.publish"
_TOKEN_CHECK_FIELD = "open_id"  # noqa: S105 - the name of a field


class TikTokAccountInspector:
    def __init__(self, api: TikTokApi) -> None:
        self._api = api

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        grant = credentials.grant
        user = await self._api.fetch_user(
            grant.access_token, list_user_fields(grant.scopes), credentials.platform_account_id
        )
        return build_profile(user, grant.name)

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        grant = credentials.grant
        await self._api.fetch_user(grant.access_token, _TOKEN_CHECK_FIELD, credentials.platform_account_id)
        issues = await self._posting_issues(credentials) if _POST_SCOPE in grant.scopes else ()
        return AccountCheck(granted_scopes=grant.scopes, expires_at=grant.expires_at, issues=issues)

    async def _posting_issues(self, credentials: AccountCredentials) -> tuple[AccountIssue, ...]:
        """The token has proved itself before: if the posting check gets no response, that says nothing about it."""
        try:
            await self._api.fetch_creator_info(credentials)
        except PlatformRejectedError as failure:
            fix = "Open the TikTok app and check its notices."
            return (AccountIssue("posting_blocked", failure.detail, fix, warning=False),)
        except PlatformFailure as failure:
            if not failure.retryable:
                raise
            if failure.category == "quota_exhausted":
                return (AccountIssue("posting_capped", failure.detail, "Wait until tomorrow; everything else works."),)
        return ()


def build_profile(user: TikTokUser, name: str) -> AccountProfile:
    facts = {
        "verified": user.is_verified,
        "following": user.following_count,
        "likes": user.likes_count,
        "videos": user.video_count,
    }
    return AccountProfile(
        name=user.display_name or name,
        username=user.username,
        avatar_url=user.avatar_url,
        profile_url=user.get_profile_url(),
        description=user.bio_description,
        followers=user.follower_count,
        facts=drop_none(facts),
    )
