"""Ad sets at Meta."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from socialgate.connectors.advertising import bid_faults, currency_of, inverse, money_faults, word_faults
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import member, text_at
from socialgate.connectors.meta.ads import options
from socialgate.connectors.meta.ads.campaigns import BIDS_READ, budget_of, schedule_of, sent_budget
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.regions import CATEGORIES, IDENTITIES
from socialgate.connectors.meta.ads.targeting import read_targeting, sent_targeting, targeting_faults
from socialgate.connectors.meta.ads.words import (
    BIDS,
    DSA,
    EVENTS,
    EVENTS_READ,
    GOALS_READ,
    OPTIMIZATIONS,
    SWITCHES,
    USUAL,
    minor,
    read_money,
    sent_money,
    stamp,
)
from socialgate.connectors.meta.wire import checked, known
from socialgate.contracts.ad_objects import AdSet
from socialgate.contracts.ad_values import AdBid, AdPromotion, AdSchedule, Goal, Optimization
from socialgate.contracts.ads import AdQuery, Change, NewAdSet
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_READ = inverse(OPTIMIZATIONS)
# A return of 1 is this many.
_ROAS = 10_000
_DESTINATIONS = {
    Optimization.LEADS: "ON_AD",
    Optimization.ENGAGEMENT: "ON_POST",
    Optimization.FOLLOWERS: "ON_PAGE",
    Optimization.CONVERSATIONS: "MESSENGER",
}
_PROMOTED = {
    "page_id": "page_id",
    "pixel_id": "pixel_id",
    "custom_conversion_id": "custom_conversion_id",
    "app_id": "application_id",
    "app_store_url": "object_store_url",
    "catalog_id": "product_catalog_id",
    "product_set_id": "product_set_id",
}


class AdSets(MetaObjects[AdSet, NewAdSet]):
    edge = "adsets"
    fields = (
        "id,name,campaign_id,status,configured_status,effective_status,optimization_goal,billing_event,daily_budget,"
        "lifetime_budget,bid_strategy,bid_amount,bid_constraints,targeting,promoted_object,destination_type,start_time,"
        "end_time,created_time,updated_time,issues_info,dsa_beneficiary,dsa_payor,"
        "regional_regulated_categories,regional_regulation_identities"
    )
    states = ("ACTIVE", "PAUSED", "CAMPAIGN_PAUSED", "ARCHIVED", "DELETED", "IN_PROCESS", "WITH_ISSUES")
    able = frozenset({"name", "switch", "budget", "bid", "schedule", "targeting", "optimization"})
    reserved = options.ADSETS
    defaults: ClassVar[Mapping[str, Any]] = {"billing_event": "IMPRESSIONS"}

    def _faults(self, new: NewAdSet) -> Iterator[Fault]:
        yield from _value_faults(new)
        yield from targeting_faults(new.targeting)
        if new.promoted is not None:
            yield from word_faults("Meta", "/promotes/event", new.promoted.event, EVENTS)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        yield from _value_faults(change)
        yield from () if change.targeting is None else targeting_faults(change.targeting)

    def _parent(self, query: AdQuery) -> str | None:
        return None if query.campaign_id is None else checked(query.campaign_id)

    def _above(self, new: NewAdSet) -> str | None:
        return checked(new.campaign_id)

    async def _body(self, held: AccountCredentials, new: NewAdSet) -> Mapping[str, Any]:
        wanted = new.optimization or await self._usual(held, new)
        # Under a budget of the campaign, its strategy counts.
        lowest = {} if new.budget is None else {"bid_strategy": "LOWEST_COST_WITHOUT_CAP"}
        return {
            "name": new.name,
            "campaign_id": new.campaign_id,
            "status": SWITCHES[new.switch],
            "optimization_goal": OPTIMIZATIONS[wanted],
            "destination_type": None if "destination_type" in new.options else _DESTINATIONS.get(wanted),
            "promoted_object": None if new.promoted is None else _promoted(new.promoted),
            "targeting": await sent_targeting(self._graph.of(held), new.targeting),
            **lowest,
            **_values(held, new),
        }

    async def _usual(self, held: AccountCredentials, new: NewAdSet) -> Optimization:
        """Return what is usual for the goal of the campaign. Meta is asked for the goal if nobody knows it."""
        goal = new.goal
        if goal is None:
            api = self._graph.of(held)
            async with known(api):
                row = await api.get(checked(new.campaign_id), dict[str, Any], fields="objective")
            goal = GOALS_READ.get(text_at(row, "objective"))
        if goal is None:
            text = "Send `optimization`: there is no default for the campaign's objective."
            raise Rejected(text, platform=Platform.META, field="/optimization")
        # People leave their details on the website if its pixel counts them.
        on_site = goal is Goal.LEADS and new.promoted is not None and new.promoted.pixel_id is not None
        return Optimization.CONVERSIONS if on_site else USUAL[goal]

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        wanted, api = change.targeting, self._graph.of(held)
        return {
            "name": change.name,
            "status": SWITCHES[change.switch] if change.switch else None,
            "optimization_goal": OPTIMIZATIONS[change.optimization] if change.optimization else None,
            "targeting": None if wanted is None else await sent_targeting(api, wanted),
            **_values(held, change),
        }

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> AdSet:
        schedule, currency = schedule_of(row, "end_time"), currency_of(held)
        shown = ("billing_event", "destination_type", *DSA, CATEGORIES, IDENTITIES)
        return AdSet(
            **self._common(row, schedule),
            campaign_id=text_at(row, "campaign_id"),
            optimization=_READ.get(text_at(row, "optimization_goal")),
            platform_optimization=text_at(row, "optimization_goal") or None,
            budget=budget_of(row, currency),
            bid=_bid(row, currency),
            schedule=schedule,
            targeting=read_targeting(row.get("targeting")),
            promoted=_read_promoted(row.get("promoted_object")),
            options={name: row[name] for name in shown if row.get(name)},
        )


def _values(held: AccountCredentials, new: NewAdSet | Change) -> dict[str, Any]:
    """What is written in the same way for a new ad set and for a change."""
    schedule, bid = new.schedule or AdSchedule(), new.bid
    roas = None if bid is None or bid.roas is None else {"roas_average_floor": round(bid.roas * _ROAS)}
    values = {
        "bid_amount": sent_money(held, bid.amount if bid else None, "/bid/amount"),
        "bid_constraints": roas,
        "start_time": stamp(schedule.start),
        "end_time": stamp(schedule.end),
        **sent_budget(held, new.budget),
    }
    return values if bid is None else {**values, "bid_strategy": BIDS[bid.strategy]}


def _value_faults(new: NewAdSet | Change) -> Iterator[Fault]:
    yield from word_faults("Meta", "/optimization", new.optimization, OPTIMIZATIONS)
    yield from bid_faults("Meta", new.bid, BIDS)
    yield from money_faults("/budget", new.budget.money if new.budget else None, minor)
    yield from money_faults("/bid/amount", new.bid.amount if new.bid else None, minor)


def _promoted(what: AdPromotion) -> dict[str, Any]:
    event = None if what.event is None else EVENTS[what.event]
    return given({theirs: getattr(what, ours) for ours, theirs in _PROMOTED.items()} | {"custom_event_type": event})


def _read_promoted(row: Any) -> AdPromotion | None:
    found = {ours: text_at(row, theirs) or None for ours, theirs in _PROMOTED.items()}
    event = EVENTS_READ.get(text_at(row, "custom_event_type"))
    return AdPromotion(**found, event=event) if any(found.values()) else None


def _bid(row: Mapping[str, Any], currency: str) -> AdBid | None:
    strategy = BIDS_READ.get(text_at(row, "bid_strategy"))
    floor = member(row, "bid_constraints", "roas_average_floor")
    amount = read_money(row.get("bid_amount"), currency)
    roas = float(floor) / _ROAS if isinstance(floor, int | float | str) and floor else None
    return None if strategy is None else AdBid(strategy=strategy, amount=amount, roas=roas)
