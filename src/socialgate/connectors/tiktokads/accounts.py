"""The profile of a TikTok ad account, and whether it works."""

from socialgate.connectors.tiktokads.api import Advertiser, TikTokAdsApi
from socialgate.contracts.account_connection import AccountCheck, AccountCredentials, AccountIssue, AccountProfile
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError
from socialgate.contracts.platforms import Platform

_MAX_REASON_LENGTH = 200
_ACTIVE_STATUS = "active"
_ACCESS_LOST_DETAIL = "The person who connected this ad account no longer has access to it."
_INACTIVE_STATUSES = frozenset({"disabled", "limit", "confirm_fail", "confirm_fail_end"})


class TikTokAdsAccountInspector:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def fetch_profile(self, credentials: AccountCredentials) -> AccountProfile:
        row = await self._fetch_advertiser(credentials)
        if row is None:
            raise PlatformNotFoundError(
                f"{_ACCESS_LOST_DETAIL} Connect it again as somebody who does.", platform=Platform.TIKTOKADS
            )
        return AccountProfile(name=row.name or credentials.platform_account_id, facts=row.build_details())

    async def check(self, credentials: AccountCredentials) -> AccountCheck:
        """Check whether the person still has access to the ad account: the token may work for other accounts only."""
        try:
            row = await self._fetch_advertiser(credentials)
        except (PlatformNotFoundError, PermissionMissingError):
            row = None
        return AccountCheck(granted_scopes=credentials.grant.scopes, issues=_find_issues(row))

    async def _fetch_advertiser(self, credentials: AccountCredentials) -> Advertiser | None:
        rows = await self._api.fetch_advertisers(credentials.grant.access_token, [credentials.platform_account_id])
        return next((row for row in rows if row.id == credentials.platform_account_id), None)


def _find_issues(row: Advertiser | None) -> tuple[AccountIssue, ...]:
    if row is None:
        fix = "Connect it again as somebody who has a role on it."
        return (AccountIssue("ad_account_not_visible", _ACCESS_LOST_DETAIL, fix, warning=False),)
    state = row.get_status()
    if state in {None, _ACTIVE_STATUS}:
        return ()
    why = f" TikTok says: {row.rejection_reason[:_MAX_REASON_LENGTH]}" if row.rejection_reason else ""
    detail = f"The ad account has the status {state}.{why}"
    return (
        AccountIssue(
            "ad_account_inactive", detail, "Check it in TikTok Ads Manager.", warning=state not in _INACTIVE_STATUSES
        ),
    )
