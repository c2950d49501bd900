"""Ad groups, which TikTok calls ad sets."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from socialgate.connectors.advertising import (
    bid_faults,
    currency_of,
    inverse,
    reported,
    timed,
    unsupported,
    word_faults,
)
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.campaigns import Campaigns, budget_mode, budget_of, changed_budget
from socialgate.connectors.tiktokads.ads.objects import TikTokObjects
from socialgate.connectors.tiktokads.ads.targeting import PLACEMENTS, read_targeting, sent_targeting, targeting_faults
from socialgate.connectors.tiktokads.ads.words import (
    BIDS,
    BILLING,
    BY_ACTIONS,
    EVENTS,
    EVENTS_READ,
    GOALS,
    GOALS_READ,
    OPTIMIZATIONS,
    SWITCHES,
    USUAL,
    sent_money,
    stamp,
    when,
)
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.ad_objects import AdSet
from socialgate.contracts.ad_values import AdBid, AdPromotion, AdSchedule, BidStrategy, Goal, Optimization
from socialgate.contracts.ads import Change, NewAdSet
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_READ = inverse(OPTIMIZATIONS)
_CAPS = frozenset({BidStrategy.COST_CAP, BidStrategy.BID_CAP})
# The pixel of an ad group is what it optimizes for; with other goals, it belongs to the ad.
_COUNTING = frozenset({Optimization.CONVERSIONS, Optimization.VALUE})
_ON_WEBSITES = _COUNTING | {Optimization.CLICKS}


class AdGroups(TikTokObjects[AdSet, NewAdSet]):
    noun = "adgroup"
    able = frozenset({"name", "switch", "budget", "bid", "schedule", "targeting"})
    reserved = options.ADGROUPS

    def __init__(self, api: TikTokAdsApi) -> None:
        super().__init__(api)
        self._campaigns = Campaigns(api)

    def _faults(self, new: NewAdSet) -> Iterator[Fault]:
        yield from word_faults("TikTok", "/optimization", new.optimization, OPTIMIZATIONS)
        yield from _bid_faults(new.bid)
        yield from targeting_faults(new.targeting)
        what = new.promoted or AdPromotion()
        yield from word_faults("TikTok", "/promotes/event", what.event, EVENTS)
        page = "TikTok has no Pages. Set `accountId` or `publisherId` of the creative instead."
        yield from unsupported("/promotes/pageId", what.page_id, page)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        yield from _bid_faults(change.bid)
        yield from () if change.targeting is None else targeting_faults(change.targeting)

    def _above(self, new: NewAdSet) -> Mapping[str, Any]:
        return {"campaign_ids": [new.campaign_id]}

    async def _body(self, held: AccountCredentials, new: NewAdSet) -> Mapping[str, Any]:
        goal = new.goal or GOALS_READ.get(text_at(await self._campaigns.row(held, new.campaign_id), "objective_type"))
        if goal is None:
            text = "TikTok no longer creates ad groups for the objective of this campaign."
            raise Rejected(text, platform=Platform.TIKTOKADS, field="/campaignId")
        wanted = new.optimization or _usual(goal, new)
        billing = BILLING.get(wanted, BY_ACTIONS)
        targeting = await sent_targeting(self._api, held, new.targeting, GOALS[goal])
        placed = {"placement_type": "PLACEMENT_TYPE_NORMAL", "placements": PLACEMENTS, "pacing": "PACING_MODE_SMOOTH"}
        usual = placed | _promotion(goal, wanted, new) | _measured(goal, wanted)
        return {
            **{name: new.options.get(name, value) for name, value in usual.items()},
            **{name: value for name, value in targeting.items() if value},
            **_promoted(new.promoted or AdPromotion(), wanted),
            "adgroup_name": new.name,
            "campaign_id": new.campaign_id,
            "optimization_goal": OPTIMIZATIONS[wanted],
            "billing_event": billing,
            "budget_mode": budget_mode(new.budget, goal),
            "budget": sent_money(held, new.budget.money if new.budget else None, "/budget"),
            **_bid(held, new.bid or AdBid(strategy=BidStrategy.LOWEST_COST), billing),
            **_times(AdSchedule(start=new.schedule.start or new.asked_at, end=new.schedule.end)),
            "operation_status": SWITCHES[new.switch],
            "request_id": new.reference,
        }

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        billing, targeting = text_at(before, "billing_event"), {}
        if change.targeting is not None:
            campaign = await self._campaigns.row(held, text_at(before, "campaign_id"))
            objective = text_at(campaign, "objective_type")
            targeting = await sent_targeting(self._api, held, change.targeting, objective)
        return {
            **targeting,
            "adgroup_name": change.name,
            "budget": changed_budget(held, change, before),
            **({} if change.bid is None else _bid(held, change.bid, billing)),
            **({} if change.schedule is None else _times(_kept_end(change.schedule, before))),
        }

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> AdSet:
        schedule = AdSchedule(start=when(row.get("schedule_start_time")), end=_end(row))
        shown = ("billing_event", "promotion_type", "placements", "pacing")
        common = self._common(row)
        common["status"] = timed(common["status"], schedule, self._api.clock.now())
        return AdSet(
            **common,
            campaign_id=text_at(row, "campaign_id"),
            optimization=_READ.get(text_at(row, "optimization_goal")),
            platform_optimization=text_at(row, "optimization_goal") or None,
            budget=budget_of(held, row),
            bid=_read_bid(held, row),
            schedule=schedule,
            targeting=read_targeting(row),
            promoted=_read_promoted(row),
            options={name: row[name] for name in shown if row.get(name)},
        )


def _bid_faults(bid: AdBid | None) -> Iterator[Fault]:
    yield from bid_faults("TikTok", bid, BIDS)


def _bid(held: AccountCredentials, bid: AdBid, billing: str) -> dict[str, Any]:
    """Write a bid. What is paid by impressions for actions has a bid per action."""
    name = "conversion_bid_price" if billing == BY_ACTIONS else "bid_price"
    amount = sent_money(held, bid.amount, "/bid/amount") if bid.strategy in _CAPS else None
    return {"bid_type": BIDS[bid.strategy], name: amount}


def _read_bid(held: AccountCredentials, row: Mapping[str, Any]) -> AdBid | None:
    kind, currency = text_at(row, "bid_type"), currency_of(held)
    if kind != "BID_TYPE_CUSTOM":
        return AdBid(strategy=BidStrategy.LOWEST_COST) if kind == "BID_TYPE_NO_BID" else None
    by_actions = text_at(row, "billing_event") == BY_ACTIONS
    amount = reported(row.get("conversion_bid_price" if by_actions else "bid_price"), currency)
    return AdBid(strategy=BidStrategy.COST_CAP if by_actions else BidStrategy.BID_CAP, amount=amount)


def _end(row: Mapping[str, Any]) -> datetime | None:
    """Read the end. Ad groups without one show a time that is far away."""
    is_open = text_at(row, "schedule_type") == "SCHEDULE_FROM_NOW"
    return None if is_open else when(row.get("schedule_end_time"))


def _kept_end(schedule: AdSchedule, before: Mapping[str, Any]) -> AdSchedule:
    """Keep the end if only the start changes: without an end, the ad group would spend until it is paused."""
    return AdSchedule(start=schedule.start, end=schedule.end or _end(before))


def _times(schedule: AdSchedule) -> dict[str, Any]:
    return {
        "schedule_type": "SCHEDULE_FROM_NOW" if schedule.end is None else "SCHEDULE_START_END",
        "schedule_start_time": None if schedule.start is None else stamp(schedule.start),
        "schedule_end_time": None if schedule.end is None else stamp(schedule.end),
    }


def _usual(goal: Goal, new: NewAdSet) -> Optimization:
    """Leads come from a form of TikTok, unless a pixel counts those of a website."""
    pixel = new.promoted is not None and new.promoted.pixel_id is not None
    return Optimization.CONVERSIONS if goal is Goal.LEADS and pixel else USUAL[goal]


def _promotion(goal: Goal, wanted: Optimization, new: NewAdSet) -> dict[str, Any]:
    """Say where people get to: a website, a form or an app. With the other goals, that is TikTok itself."""
    if goal is Goal.LEADS:
        if wanted is Optimization.CONVERSATIONS:
            return {"promotion_type": "LEAD_GEN_CLICK_TO_TT_DIRECT_MESSAGE"}
        target = "EXTERNAL_WEBSITE" if wanted in _ON_WEBSITES else "INSTANT_PAGE"
        return {"promotion_type": "LEAD_GENERATION", "promotion_target_type": target}
    if goal is Goal.APP_PROMOTION:
        apple = "apple.com" in ((new.promoted or AdPromotion()).app_store_url or "")
        system = "IOS" if apple else "ANDROID"
        return {"promotion_type": f"APP_{system}", "operating_systems": [system]}
    return {"promotion_type": "WEBSITE"} if goal in {Goal.TRAFFIC, Goal.CONVERSIONS} else {}


def _measured(goal: Goal, wanted: Optimization) -> dict[str, Any]:
    """Say how views and values are counted, where TikTok requires it."""
    views = {"bid_display_mode": "CPV"} if goal is Goal.VIDEO_VIEWS else {}
    return views | ({"deep_bid_type": "VO_HIGHEST_VALUE"} if wanted is Optimization.VALUE else {})


def _promoted(what: AdPromotion, wanted: Optimization) -> dict[str, Any]:
    counted = wanted in _COUNTING
    return {
        "pixel_id": what.pixel_id if counted else None,
        "optimization_event": EVENTS[what.event] if counted and what.event else None,
        "custom_conversion_id": what.custom_conversion_id,
        "app_id": what.app_id,
        "catalog_id": what.catalog_id,
    }


def _read_promoted(row: Mapping[str, Any]) -> AdPromotion | None:
    names = ("pixel_id", "custom_conversion_id", "app_id", "catalog_id")
    found = {name: text_at(row, name) or None for name in names}
    event = EVENTS_READ.get(text_at(row, "optimization_event"))
    return AdPromotion(**found, event=event) if any(found.values()) else None
