"""Campaigns with what is in them and what they cost, as one screen shows them."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from socialgate.areas.ads.insight_schemas import AdInsight, AdInsightsQuery, PeriodPreset
from socialgate.areas.ads.insights import AdInsightsService
from socialgate.areas.ads.schemas import Ad, AdSetsQuery, AdsQuery, CampaignsQuery
from socialgate.areas.ads.service import AdService
from socialgate.contracts.ad_insights import AdInsightsLevel
from socialgate.contracts.ad_objects import AdSet, Campaign
from socialgate.contracts.ad_values import Goal
from socialgate.core.errors import ServiceError
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.schemas import Page

# As many as a platform lists at once. Campaigns with more are rare, and the API lists all.
_MAX_INSIDE = 100
# What people call a result, by what the campaign is for.
_RESULTS = {
    Goal.AWARENESS: ("reach", "person reached", "people reached"),
    Goal.TRAFFIC: ("link_clicks", "link click", "link clicks"),
    Goal.ENGAGEMENT: ("engagements", "engagement", "engagements"),
    Goal.VIDEO_VIEWS: ("video_views", "video view", "video views"),
    Goal.LEADS: ("leads", "lead", "leads"),
    Goal.CONVERSIONS: ("conversions", "conversion", "conversions"),
    Goal.APP_PROMOTION: ("conversions", "conversion", "conversions"),
}
_ANY_RESULT = ("clicks", "click", "clicks")


class AdSetBranch(msgspec.Struct, frozen=True):
    """An ad set with its ads."""

    adset: AdSet
    ads: Sequence[Ad]


class AdNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """How objects performed, by their ids. `note` says why there are no numbers."""

    rows: Mapping[str, AdInsight] = {}
    total: AdInsight | None = None
    note: str | None = None


class AdTree(msgspec.Struct, frozen=True, kw_only=True):
    """A page of campaigns, what is in the one that is opened, and the numbers of all of it."""

    campaigns: Page[Campaign]
    opened: Sequence[AdSetBranch]
    numbers: AdNumbers


async def read_tree(
    work: UnitOfWork,
    ads: AdService,
    insights: AdInsightsService,
    query: CampaignsQuery,
    opened_id: str | None,
    period: PeriodPreset,
) -> AdTree:
    """Read everything that the page shows. Numbers that the platform does not give now are left out."""
    account_id = query.ad_account_id
    campaigns, opened, total = await asyncio.gather(
        ads.list_campaigns(work, query),
        _read_inside(work, ads, account_id, opened_id),
        _read_numbers(work, insights, account_id, AdInsightsLevel.ACCOUNT, (), period),
    )
    ids = {
        AdInsightsLevel.CAMPAIGN: [campaign.id for campaign in campaigns.data],
        AdInsightsLevel.ADSET: [branch.adset.id for branch in opened],
        AdInsightsLevel.AD: [ad.id for branch in opened for ad in branch.ads],
    }
    levels = [(level, some) for level, some in ids.items() if some]
    read = await asyncio.gather(
        *(_read_numbers(work, insights, account_id, level, some, period) for level, some in levels)
    )
    rows = {object_id: row for numbers in read for object_id, row in numbers.rows.items()}
    note = next((numbers.note for numbers in (total, *read) if numbers.note), None)
    return AdTree(campaigns=campaigns, opened=opened, numbers=AdNumbers(rows=rows, total=total.rows.get(""), note=note))


def get_result(goal: Goal | None, row: AdInsight | None) -> tuple[int | None, str]:
    """Return what counts as a result for the goal of a campaign, and what it is called."""
    name, singular, plural = _RESULTS.get(goal, _ANY_RESULT) if goal is not None else _ANY_RESULT
    number = None if row is None else getattr(row, name)
    return number, singular if number == 1 else plural


async def _read_inside(
    work: UnitOfWork, ads: AdService, account_id: str, campaign_id: str | None
) -> Sequence[AdSetBranch]:
    if campaign_id is None:
        return ()
    sets, inside = await asyncio.gather(
        ads.list_adsets(work, AdSetsQuery(ad_account_id=account_id, campaign_id=campaign_id, limit=_MAX_INSIDE)),
        ads.list_ads(work, AdsQuery(ad_account_id=account_id, campaign_id=campaign_id, limit=_MAX_INSIDE)),
    )
    return [AdSetBranch(adset, [ad for ad in inside.data if ad.adset_id == adset.id]) for adset in sets.data]


async def _read_numbers(
    work: UnitOfWork,
    insights: AdInsightsService,
    account_id: str,
    level: AdInsightsLevel,
    ids: Sequence[str],
    period: PeriodPreset,
) -> AdNumbers:
    query = AdInsightsQuery(
        ad_account_id=account_id, level=level, preset=period, ids=",".join(ids) or None, limit=_MAX_INSIDE
    )
    try:
        report = await insights.read_insights(work, query)
    except ServiceError as failure:
        return AdNumbers(note=failure.detail)
    if report.task is not None:
        return AdNumbers(note="The platform needs longer for these numbers. Choose a shorter period.")
    return AdNumbers(rows={_get_id(row): row for row in report.data})


def _get_id(row: AdInsight) -> str:
    return row.ad_id or row.adset_id or row.campaign_id or ""
