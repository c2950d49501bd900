"""Ads: campaigns with what is in them, what they cost and bring, and stopping them with one click."""

from typing import Annotated, Literal

from msgspec import Meta

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.ads.insight_schemas import PeriodPreset
from socialgate.areas.ads.insights import AdInsightsService
from socialgate.areas.ads.objects import AdObjectService
from socialgate.areas.ads.schemas import AdObjectChangesBody, AdObjectDeletionQuery, CampaignsQuery, NameFilter
from socialgate.areas.ads.service import AdService
from socialgate.console.advertising.ad_accounts import choose_account, list_ad_accounts
from socialgate.console.advertising.ad_tree import AdTree, get_result, read_tree
from socialgate.console.formatting import status_word
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.visit import ListPageQuery, Visit
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY
from socialgate.contracts.ad_fields import PlatformId
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.ads import ADVERTISING_CAPABILITY
from socialgate.core.errors import ServiceError
from socialgate.web.etags import ExpectedVersion

ADS_PATH = "/console/ads"
_CAMPAIGNS_PER_PAGE = 25
_STATUSES = ("active", "paused", "scheduled", "inReview", "rejected", "blocked", "completed", "archived")
_PERIODS: tuple[tuple[PeriodPreset, str], ...] = (
    ("today", "Today"),
    ("last7d", "Last 7 days"),
    ("last28d", "Last 28 days"),
    ("last90d", "Last 90 days"),
    ("thisMonth", "This month"),
)

AdAccountChoice = Annotated[str, Meta(max_length=40)]
# A list of a platform continues where the platform says, which can be longer than our own.
PlatformCursor = Annotated[str, Meta(max_length=4000)]


class AdsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which campaigns to show, which of them is opened, and the period of the numbers."""

    account: AdAccountChoice | None = None
    campaign: PlatformId | None = None
    status: (
        Literal["active", "paused", "scheduled", "inReview", "rejected", "blocked", "completed", "archived"] | None
    ) = None
    q: NameFilter | None = None
    period: Literal["today", "last7d", "last28d", "last90d", "thisMonth"] = "last28d"
    cursor: PlatformCursor | None = None


@console_page(
    ADS_PATH,
    "ads.html",
    query=AdsPageQuery,
    entry=Entry(label="Ads", icon="horn", group=Group.WORK, key="v"),
)
async def ads_page(
    visit: Visit, params: AdsPageQuery, accounts: AccountService, ads: AdService, numbers: AdInsightsService
) -> Values:
    able = await list_ad_accounts(visit, accounts, ADVERTISING_CAPABILITY.name)
    chosen = choose_account(able, params.account)
    tree: AdTree | None = None
    failure: str | None = None
    if chosen is not None:
        query = CampaignsQuery(
            ad_account_id=chosen.id,
            limit=_CAMPAIGNS_PER_PAGE,
            cursor=params.cursor,
            status=params.status,
            q=params.q,
        )
        try:
            tree = await read_tree(visit.work, ads, numbers, query, params.campaign, params.period)
        except ServiceError as error:
            failure = error.detail
    return {
        "accounts": able,
        "account": chosen,
        "tree": tree,
        "failure": failure,
        "result_of": get_result,
        "periods": _PERIODS,
        "period_name": dict(_PERIODS)[params.period],
        "statuses": [(status, status_word(status)) for status in _STATUSES],
        "is_filtered": bool(params.status or params.q or params.cursor),
        "has_audiences": chosen is not None and AUDIENCES_CAPABILITY.name in chosen.capabilities,
        "ads_path": ADS_PATH,
    }


@ads_page.form("switch", AdObjectChangesBody)
async def switch_ad_object(
    visit: Visit, params: AdsPageQuery, data: AdObjectChangesBody, objects: AdObjectService
) -> Outcome:
    changed = await objects.update(visit.work, data, ExpectedVersion(None))
    to = visit.here(cursor=params.cursor)
    if data.status == "active":
        reason = f" {changed.reason}" if changed.reason else ""
        return Done(f"{changed.name or 'It'} is on.{reason}", to=to)
    return Done(f"{changed.name or 'It'} is paused.", to=to)


@ads_page.form("delete", AdObjectDeletionQuery)
async def delete_ad_object(
    visit: Visit, params: AdsPageQuery, data: AdObjectDeletionQuery, objects: AdObjectService
) -> Outcome:
    await objects.delete(visit.work, data)
    opened = None if data.type is AdType.CAMPAIGN else params.campaign
    return Done("Deleted on the platform, with everything in it.", to=visit.here(campaign=opened))
