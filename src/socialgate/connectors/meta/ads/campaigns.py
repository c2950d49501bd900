"""Campaigns at Meta."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from socialgate.connectors.advertising import get_account_currency, invert_table, validate_choice, validate_money
from socialgate.connectors.graph.dialect import parse_time
from socialgate.connectors.json_paths import get_list, get_text_or_number
from socialgate.connectors.meta.ads import reserved_options
from socialgate.connectors.meta.ads.mappings import (
    GOALS_BY_VENDOR_NAME,
    SPECIAL_CATEGORIES_BY_VENDOR_NAME,
    VENDOR_NAMES_BY_BID_STRATEGY,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_GOAL,
    VENDOR_NAMES_BY_SPECIAL_CATEGORY,
    encode_money,
    format_time,
    parse_money,
    to_minor_units,
)
from socialgate.connectors.meta.ads.objects import MetaAdObjects
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import Campaign
from socialgate.contracts.ad_values import AdBid, AdBudget, AdSchedule
from socialgate.contracts.ads import AdObjectChanges, NewCampaign
from socialgate.core.errors import Fault

BID_STRATEGIES_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_BID_STRATEGY)
# Meta writes this if a campaign has no spending limit.
_NO_SPEND_CAP_VALUE = "922337203685478"
_BUDGET_SHARING_FIELD = "is_adset_budget_sharing_enabled"


class MetaCampaigns(MetaAdObjects[Campaign, NewCampaign]):
    edge = "campaigns"
    fields = (
        "id,name,objective,status,configured_status,effective_status,daily_budget,lifetime_budget,spend_cap,"
        "bid_strategy,special_ad_categories,special_ad_category_country,buying_type,start_time,stop_time,created_time,"
        "updated_time,issues_info"
    )
    filterable_statuses = ("ACTIVE", "PAUSED", "ARCHIVED", "DELETED", "IN_PROCESS", "WITH_ISSUES")
    changeable_fields = frozenset({"name", "configured_status", "budget", "spend_cap", "bid", "schedule"})
    reserved_options = reserved_options.RESERVED_CAMPAIGN_OPTIONS
    default_params: ClassVar[Mapping[str, Any]] = {"buying_type": "AUCTION"}

    def _validate_new(self, new: NewCampaign) -> Iterator[Fault]:
        yield from validate_choice("Meta", "/goal", new.goal, VENDOR_NAMES_BY_GOAL)
        yield from _validate_amounts(new)
        if new.bid is not None and new.budget is None:
            text = "The campaign has no budget to bid with. Set the bid of each ad set, or a budget here."
            yield Fault("/bid", "contradiction", text)
        if new.special_categories and not new.countries:
            text = "Meta requires the countries in which such ads are shown."
            yield Fault("/countries", "required", text)

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        return _validate_amounts(change)

    async def _build_create_params(self, credentials: AccountCredentials, new: NewCampaign) -> Mapping[str, Any]:
        return {
            "name": new.name,
            "objective": VENDOR_NAMES_BY_GOAL[new.goal],
            "status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            "special_ad_categories": [
                VENDOR_NAMES_BY_SPECIAL_CATEGORY[special_category] for special_category in new.special_categories
            ],
            "special_ad_category_country": list(new.countries) if new.special_categories else None,
            # Required for a campaign whose ad sets have the budgets.
            _BUDGET_SHARING_FIELD: False if new.budget is None and _BUDGET_SHARING_FIELD not in new.options else None,
            **_encode_shared_params(credentials, new),
        }

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del before
        return {
            "name": change.name,
            "status": VENDOR_NAMES_BY_CONFIGURED_STATUS[change.configured_status] if change.configured_status else None,
            **_encode_shared_params(credentials, change),
        }

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> Campaign:
        schedule, currency = parse_schedule(row, "stop_time"), get_account_currency(credentials)
        cap = get_text_or_number(row, "spend_cap")
        strategy = BID_STRATEGIES_BY_VENDOR_NAME.get(get_text_or_number(row, "bid_strategy"))
        categories = (SPECIAL_CATEGORIES_BY_VENDOR_NAME.get(item) for item in get_list(row, "special_ad_categories"))
        return Campaign(
            **self._parse_common_fields(row, schedule),
            goal=GOALS_BY_VENDOR_NAME.get(get_text_or_number(row, "objective")),
            platform_goal=get_text_or_number(row, "objective") or None,
            budget=parse_budget(row, currency),
            spend_cap=None if cap == _NO_SPEND_CAP_VALUE else parse_money(cap, currency),
            bid=None if strategy is None else AdBid(strategy=strategy),
            schedule=schedule,
            special_categories=tuple(category for category in categories if category is not None),
            options={"buying_type": row["buying_type"]} if "buying_type" in row else {},
        )


def parse_budget(row: Mapping[str, Any], currency: str) -> AdBudget | None:
    daily, lifetime = (parse_money(row.get(name), currency) for name in ("daily_budget", "lifetime_budget"))
    if daily is not None:
        return AdBudget.from_money(daily, "daily")
    return None if lifetime is None else AdBudget.from_money(lifetime, "lifetime")


def parse_schedule(row: Mapping[str, Any], end_field: str) -> AdSchedule | None:
    starts, ends = parse_time(get_text_or_number(row, "start_time")), parse_time(get_text_or_number(row, end_field))
    # The beginning of 1970 means that there is no end.
    ends = None if ends is not None and ends.timestamp() <= 0 else ends
    return None if starts is None and ends is None else AdSchedule(start=starts, end=ends)


def encode_budget(credentials: AccountCredentials, budget: AdBudget | None) -> dict[str, int | None]:
    return {} if budget is None else {f"{budget.type}_budget": encode_money(credentials, budget.money, "/budget")}


def _encode_shared_params(credentials: AccountCredentials, campaign: NewCampaign | AdObjectChanges) -> dict[str, Any]:
    """What is written in the same way for a new campaign and for a change."""
    schedule = campaign.schedule or AdSchedule()
    return {
        **encode_budget(credentials, campaign.budget),
        "spend_cap": encode_money(credentials, campaign.spend_cap, "/spendCap"),
        "bid_strategy": None if campaign.bid is None else VENDOR_NAMES_BY_BID_STRATEGY[campaign.bid.strategy],
        "start_time": format_time(schedule.start),
        "stop_time": format_time(schedule.end),
    }


def _validate_amounts(campaign: NewCampaign | AdObjectChanges) -> Iterator[Fault]:
    yield from validate_money("/budget", campaign.budget.money if campaign.budget else None, to_minor_units)
    yield from validate_money("/spendCap", campaign.spend_cap, to_minor_units)
    if campaign.bid is not None and campaign.bid.amount is not None:
        yield Fault("/bid/amount", "not_supported", "On Meta, bid amounts belong to ad sets. Set it on each of them.")
