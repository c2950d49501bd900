"""Ad groups, which TikTok calls ad sets."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from socialgate.connectors.advertising import (
    apply_schedule_to_status,
    get_account_currency,
    invert_table,
    parse_reported_amount,
    reject_if_given,
    validate_bid,
    validate_choice,
)
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.tiktokads.ads import reserved_options
from socialgate.connectors.tiktokads.ads.campaigns import (
    TikTokCampaigns,
    encode_changed_budget,
    get_budget_mode,
    parse_budget,
)
from socialgate.connectors.tiktokads.ads.mappings import (
    BILLING_EVENTS_BY_OPTIMIZATION,
    DEFAULT_OPTIMIZATIONS,
    EVENTS_BY_VENDOR_NAME,
    GOALS_BY_VENDOR_NAME,
    OCPM_BILLING_EVENT,
    VENDOR_NAMES_BY_BID_STRATEGY,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_EVENT,
    VENDOR_NAMES_BY_GOAL,
    VENDOR_NAMES_BY_OPTIMIZATION,
    encode_money,
    format_time,
    parse_time,
)
from socialgate.connectors.tiktokads.ads.objects import TikTokAdObjects
from socialgate.connectors.tiktokads.ads.targeting import (
    TIKTOK_PLACEMENTS,
    encode_targeting,
    parse_targeting,
    targeting_faults,
)
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import AdSet
from socialgate.contracts.ad_values import AdBid, AdPromotion, AdSchedule, BidStrategy, Goal, Optimization
from socialgate.contracts.ads import AdObjectChanges, NewAdSet
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_OPTIMIZATIONS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_OPTIMIZATION)
_CAPPED_BID_STRATEGIES = frozenset({BidStrategy.COST_CAP, BidStrategy.BID_CAP})
# The pixel of an ad group is what it optimizes for; with other goals, it belongs to the ad.
_PIXEL_OPTIMIZATIONS = frozenset({Optimization.CONVERSIONS, Optimization.VALUE})
_WEBSITE_OPTIMIZATIONS = _PIXEL_OPTIMIZATIONS | {Optimization.CLICKS}


class AdGroups(TikTokAdObjects[AdSet, NewAdSet]):
    object_type = "adgroup"
    changeable_fields = frozenset({"name", "configured_status", "budget", "bid", "schedule", "targeting"})
    reserved_options = reserved_options.RESERVED_ADGROUP_OPTIONS

    def __init__(self, api: TikTokAdsApi) -> None:
        super().__init__(api)
        self._campaigns = TikTokCampaigns(api)

    def _validate_new(self, new: NewAdSet) -> Iterator[Fault]:
        yield from validate_choice("TikTok", "/optimization", new.optimization, VENDOR_NAMES_BY_OPTIMIZATION)
        yield from _bid_faults(new.bid)
        yield from targeting_faults(new.targeting)
        ad_promotion = new.promoted_object or AdPromotion()
        yield from validate_choice("TikTok", "/promotes/event", ad_promotion.event, VENDOR_NAMES_BY_EVENT)
        page = "TikTok has no Pages. Set `accountId` or `publisherId` of the creative instead."
        yield from reject_if_given("/promotes/pageId", ad_promotion.page_id, page)

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        yield from _bid_faults(change.bid)
        yield from () if change.targeting is None else targeting_faults(change.targeting)

    def _get_parent_filter(self, new: NewAdSet) -> Mapping[str, Any]:
        return {"campaign_ids": [new.campaign_id]}

    async def _build_create_params(self, credentials: AccountCredentials, new: NewAdSet) -> Mapping[str, Any]:
        goal = new.goal or GOALS_BY_VENDOR_NAME.get(
            get_text_or_number(await self._campaigns.fetch_row(credentials, new.campaign_id), "objective_type")
        )
        if goal is None:
            text = "TikTok no longer creates ad groups for the objective of this campaign."
            raise PlatformRejectedError(text, platform=Platform.TIKTOKADS, field="/campaignId")
        optimization = new.optimization or _get_default_optimization(goal, new)
        billing = BILLING_EVENTS_BY_OPTIMIZATION.get(optimization, OCPM_BILLING_EVENT)
        targeting = await encode_targeting(self._api, credentials, new.targeting, VENDOR_NAMES_BY_GOAL[goal])
        placed = {
            "placement_type": "PLACEMENT_TYPE_NORMAL",
            "placements": TIKTOK_PLACEMENTS,
            "pacing": "PACING_MODE_SMOOTH",
        }
        usual = placed | _encode_promotion_type(goal, optimization, new) | _encode_measurement(goal, optimization)
        return {
            **{name: new.options.get(name, value) for name, value in usual.items()},
            **{name: value for name, value in targeting.items() if value},
            **_encode_promoted_object(new.promoted_object or AdPromotion(), optimization),
            "adgroup_name": new.name,
            "campaign_id": new.campaign_id,
            "optimization_goal": VENDOR_NAMES_BY_OPTIMIZATION[optimization],
            "billing_event": billing,
            "budget_mode": get_budget_mode(new.budget, goal),
            "budget": encode_money(credentials, new.budget.money if new.budget else None, "/budget"),
            **_encode_bid(credentials, new.bid or AdBid(strategy=BidStrategy.LOWEST_COST), billing),
            **_encode_schedule(AdSchedule(start=new.schedule.start or new.asked_at, end=new.schedule.end)),
            "operation_status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            "request_id": new.idempotency_reference,
        }

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        billing, targeting = get_text_or_number(before, "billing_event"), {}
        if change.targeting is not None:
            campaign = await self._campaigns.fetch_row(credentials, get_text_or_number(before, "campaign_id"))
            objective = get_text_or_number(campaign, "objective_type")
            targeting = await encode_targeting(self._api, credentials, change.targeting, objective)
        return {
            **targeting,
            "adgroup_name": change.name,
            "budget": encode_changed_budget(credentials, change, before),
            **({} if change.bid is None else _encode_bid(credentials, change.bid, billing)),
            **({} if change.schedule is None else _encode_schedule(_keep_schedule_end(change.schedule, before))),
        }

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdSet:
        schedule = AdSchedule(start=parse_time(row.get("schedule_start_time")), end=_parse_schedule_end(row))
        shown = ("billing_event", "promotion_type", "placements", "pacing")
        common = self._parse_common_fields(row)
        common["status"] = apply_schedule_to_status(common["status"], schedule, self._api.clock.now())
        return AdSet(
            **common,
            campaign_id=get_text_or_number(row, "campaign_id"),
            optimization=_OPTIMIZATIONS_BY_VENDOR_NAME.get(get_text_or_number(row, "optimization_goal")),
            platform_optimization=get_text_or_number(row, "optimization_goal") or None,
            budget=parse_budget(credentials, row),
            bid=_parse_bid(credentials, row),
            schedule=schedule,
            targeting=parse_targeting(row),
            promoted_object=_parse_promoted_object(row),
            options={name: row[name] for name in shown if row.get(name)},
        )


def _bid_faults(bid: AdBid | None) -> Iterator[Fault]:
    yield from validate_bid("TikTok", bid, VENDOR_NAMES_BY_BID_STRATEGY)


def _encode_bid(credentials: AccountCredentials, bid: AdBid, billing: str) -> dict[str, Any]:
    """Write a bid. What is paid by impressions for actions has a bid per action."""
    name = "conversion_bid_price" if billing == OCPM_BILLING_EVENT else "bid_price"
    amount = encode_money(credentials, bid.amount, "/bid/amount") if bid.strategy in _CAPPED_BID_STRATEGIES else None
    return {"bid_type": VENDOR_NAMES_BY_BID_STRATEGY[bid.strategy], name: amount}


def _parse_bid(credentials: AccountCredentials, row: Mapping[str, Any]) -> AdBid | None:
    kind, currency = get_text_or_number(row, "bid_type"), get_account_currency(credentials)
    if kind != "BID_TYPE_CUSTOM":
        return AdBid(strategy=BidStrategy.LOWEST_COST) if kind == "BID_TYPE_NO_BID" else None
    by_actions = get_text_or_number(row, "billing_event") == OCPM_BILLING_EVENT
    amount = parse_reported_amount(row.get("conversion_bid_price" if by_actions else "bid_price"), currency)
    return AdBid(strategy=BidStrategy.COST_CAP if by_actions else BidStrategy.BID_CAP, amount=amount)


def _parse_schedule_end(row: Mapping[str, Any]) -> datetime | None:
    """Read the end. Ad groups without one show a time that is far away."""
    is_open = get_text_or_number(row, "schedule_type") == "SCHEDULE_FROM_NOW"
    return None if is_open else parse_time(row.get("schedule_end_time"))


def _keep_schedule_end(schedule: AdSchedule, before: Mapping[str, Any]) -> AdSchedule:
    """Keep the end if only the start changes: without an end, the ad group would spend until it is paused."""
    return AdSchedule(start=schedule.start, end=schedule.end or _parse_schedule_end(before))


def _encode_schedule(schedule: AdSchedule) -> dict[str, Any]:
    return {
        "schedule_type": "SCHEDULE_FROM_NOW" if schedule.end is None else "SCHEDULE_START_END",
        "schedule_start_time": None if schedule.start is None else format_time(schedule.start),
        "schedule_end_time": None if schedule.end is None else format_time(schedule.end),
    }


def _get_default_optimization(goal: Goal, new: NewAdSet) -> Optimization:
    """Leads come from a form of TikTok, unless a pixel counts those of a website."""
    pixel = new.promoted_object is not None and new.promoted_object.pixel_id is not None
    return Optimization.CONVERSIONS if goal is Goal.LEADS and pixel else DEFAULT_OPTIMIZATIONS[goal]


def _encode_promotion_type(goal: Goal, optimization: Optimization, new: NewAdSet) -> dict[str, Any]:
    """Say where people get to: a website, a form or an app. With the other goals, that is TikTok itself."""
    if goal is Goal.LEADS:
        if optimization is Optimization.CONVERSATIONS:
            return {"promotion_type": "LEAD_GEN_CLICK_TO_TT_DIRECT_MESSAGE"}
        target = "EXTERNAL_WEBSITE" if optimization in _WEBSITE_OPTIMIZATIONS else "INSTANT_PAGE"
        return {"promotion_type": "LEAD_GENERATION", "promotion_target_type": target}
    if goal is Goal.APP_PROMOTION:
        apple = "apple.com" in ((new.promoted_object or AdPromotion()).app_store_url or "")
        system = "IOS" if apple else "ANDROID"
        return {"promotion_type": f"APP_{system}", "operating_systems": [system]}
    return {"promotion_type": "WEBSITE"} if goal in {Goal.TRAFFIC, Goal.CONVERSIONS} else {}


def _encode_measurement(goal: Goal, optimization: Optimization) -> dict[str, Any]:
    """Say how views and values are counted, where TikTok requires it."""
    views = {"bid_display_mode": "CPV"} if goal is Goal.VIDEO_VIEWS else {}
    return views | ({"deep_bid_type": "VO_HIGHEST_VALUE"} if optimization is Optimization.VALUE else {})


def _encode_promoted_object(promoted: AdPromotion, optimization: Optimization) -> dict[str, Any]:
    counted = optimization in _PIXEL_OPTIMIZATIONS
    return {
        "pixel_id": promoted.pixel_id if counted else None,
        "optimization_event": VENDOR_NAMES_BY_EVENT[promoted.event] if counted and promoted.event else None,
        "custom_conversion_id": promoted.custom_conversion_id,
        "app_id": promoted.app_id,
        "catalog_id": promoted.catalog_id,
    }


def _parse_promoted_object(row: Mapping[str, Any]) -> AdPromotion | None:
    names = ("pixel_id", "custom_conversion_id", "app_id", "catalog_id")
    result = {name: get_text_or_number(row, name) or None for name in names}
    event = EVENTS_BY_VENDOR_NAME.get(get_text_or_number(row, "optimization_event"))
    return AdPromotion(**result, event=event) if any(result.values()) else None
