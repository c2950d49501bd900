"""Campaigns at Meta."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from socialgate.connectors.advertising import currency_of, inverse, money_faults, word_faults
from socialgate.connectors.graph.dialect import when
from socialgate.connectors.json_paths import list_at, text_at
from socialgate.connectors.meta.ads import options
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.words import (
    BIDS,
    CATEGORIES,
    CATEGORIES_READ,
    GOALS,
    GOALS_READ,
    SWITCHES,
    minor,
    read_money,
    sent_money,
    stamp,
)
from socialgate.contracts.ad_objects import Campaign
from socialgate.contracts.ad_values import AdBid, AdBudget, AdSchedule
from socialgate.contracts.ads import Change, NewCampaign
from socialgate.contracts.connecting import AccountCredentials
from socialgate.core.errors import Fault

BIDS_READ = inverse(BIDS)
# Meta writes this if a campaign has no spending limit.
_NO_CAP = "922337203685478"
_SHARING = "is_adset_budget_sharing_enabled"


class Campaigns(MetaObjects[Campaign, NewCampaign]):
    edge = "campaigns"
    fields = (
        "id,name,objective,status,configured_status,effective_status,daily_budget,lifetime_budget,spend_cap,"
        "bid_strategy,special_ad_categories,special_ad_category_country,buying_type,start_time,stop_time,created_time,"
        "updated_time,issues_info"
    )
    states = ("ACTIVE", "PAUSED", "ARCHIVED", "DELETED", "IN_PROCESS", "WITH_ISSUES")
    able = frozenset({"name", "switch", "budget", "spend_cap", "bid", "schedule"})
    reserved = options.CAMPAIGNS
    defaults: ClassVar[Mapping[str, Any]] = {"buying_type": "AUCTION"}

    def _faults(self, new: NewCampaign) -> Iterator[Fault]:
        yield from word_faults("Meta", "/goal", new.goal, GOALS)
        yield from _amount_faults(new)
        if new.bid is not None and new.budget is None:
            text = "The campaign has no budget to bid with. Set the bid of each ad set, or a budget here."
            yield Fault("/bid", "contradiction", text)
        if new.special_categories and not new.countries:
            text = "Meta requires the countries in which such ads are shown."
            yield Fault("/countries", "required", text)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        return _amount_faults(change)

    async def _body(self, held: AccountCredentials, new: NewCampaign) -> Mapping[str, Any]:
        return {
            "name": new.name,
            "objective": GOALS[new.goal],
            "status": SWITCHES[new.switch],
            "special_ad_categories": [CATEGORIES[one] for one in new.special_categories],
            "special_ad_category_country": list(new.countries) if new.special_categories else None,
            # Required for a campaign whose ad sets have the budgets.
            _SHARING: False if new.budget is None and _SHARING not in new.options else None,
            **_values(held, new),
        }

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del before
        return {
            "name": change.name,
            "status": SWITCHES[change.switch] if change.switch else None,
            **_values(held, change),
        }

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> Campaign:
        schedule, currency = schedule_of(row, "stop_time"), currency_of(held)
        cap = text_at(row, "spend_cap")
        strategy = BIDS_READ.get(text_at(row, "bid_strategy"))
        categories = (CATEGORIES_READ.get(one) for one in list_at(row, "special_ad_categories"))
        return Campaign(
            **self._common(row, schedule),
            goal=GOALS_READ.get(text_at(row, "objective")),
            platform_goal=text_at(row, "objective") or None,
            budget=budget_of(row, currency),
            spend_cap=None if cap == _NO_CAP else read_money(cap, currency),
            bid=None if strategy is None else AdBid(strategy=strategy),
            schedule=schedule,
            special_categories=tuple(one for one in categories if one is not None),
            options={"buying_type": row["buying_type"]} if "buying_type" in row else {},
        )


def budget_of(row: Mapping[str, Any], currency: str) -> AdBudget | None:
    daily, lifetime = (read_money(row.get(name), currency) for name in ("daily_budget", "lifetime_budget"))
    if daily is not None:
        return AdBudget.of(daily, "daily")
    return None if lifetime is None else AdBudget.of(lifetime, "lifetime")


def schedule_of(row: Mapping[str, Any], end: str) -> AdSchedule | None:
    starts, ends = when(text_at(row, "start_time")), when(text_at(row, end))
    # The beginning of 1970 means that there is no end.
    ends = None if ends is not None and ends.timestamp() <= 0 else ends
    return None if starts is None and ends is None else AdSchedule(start=starts, end=ends)


def sent_budget(held: AccountCredentials, budget: AdBudget | None) -> dict[str, int | None]:
    return {} if budget is None else {f"{budget.type}_budget": sent_money(held, budget.money, "/budget")}


def _values(held: AccountCredentials, given: NewCampaign | Change) -> dict[str, Any]:
    """What is written in the same way for a new campaign and for a change."""
    schedule = given.schedule or AdSchedule()
    return {
        **sent_budget(held, given.budget),
        "spend_cap": sent_money(held, given.spend_cap, "/spendCap"),
        "bid_strategy": None if given.bid is None else BIDS[given.bid.strategy],
        "start_time": stamp(schedule.start),
        "stop_time": stamp(schedule.end),
    }


def _amount_faults(given: NewCampaign | Change) -> Iterator[Fault]:
    yield from money_faults("/budget", given.budget.money if given.budget else None, minor)
    yield from money_faults("/spendCap", given.spend_cap, minor)
    if given.bid is not None and given.bid.amount is not None:
        yield Fault("/bid/amount", "not_supported", "On Meta, bid amounts belong to ad sets. Set it on each of them.")
