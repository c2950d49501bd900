"""The profile of a TikTok ad account, and whether it works."""

from socialgate.connectors.tiktokads.wire import Advertiser, TikTokAdsApi
from socialgate.contracts.connecting import About, AccountCredentials, Check, Issue
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound
from socialgate.contracts.platforms import Platform

_LONGEST_REASON = 200
_WORKING = "active"
_UNSEEN = "The person who connected this ad account no longer has access to it."
_ENDED = frozenset({"disabled", "limit", "confirm_fail", "confirm_fail_end"})


class TikTokAdsAccounts:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def about(self, held: AccountCredentials) -> About:
        row = await self._read(held)
        if row is None:
            raise PlatformNotFound(f"{_UNSEEN} Connect it again as somebody who does.", platform=Platform.TIKTOKADS)
        return About(name=row.name or held.platform_account_id, facts=row.details())

    async def check(self, held: AccountCredentials) -> Check:
        """Check whether the person still has access to the ad account: the token may work for other accounts only."""
        try:
            row = await self._read(held)
        except (PlatformNotFound, PermissionMissing):
            row = None
        return Check(granted=held.grant.scopes, issues=_issues(row))

    async def _read(self, held: AccountCredentials) -> Advertiser | None:
        rows = await self._api.info(held.grant.access_token, [held.platform_account_id])
        return next((row for row in rows if row.id == held.platform_account_id), None)


def _issues(row: Advertiser | None) -> tuple[Issue, ...]:
    if row is None:
        fix = "Connect it again as somebody who has a role on it."
        return (Issue("ad_account_not_visible", _UNSEEN, fix, warning=False),)
    state = row.state()
    if state in {None, _WORKING}:
        return ()
    why = f" TikTok says: {row.rejection_reason[:_LONGEST_REASON]}" if row.rejection_reason else ""
    detail = f"The ad account has the status {state}.{why}"
    return (Issue("ad_account_inactive", detail, "Check it in TikTok Ads Manager.", warning=state not in _ENDED),)
