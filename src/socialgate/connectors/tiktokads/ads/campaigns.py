"""Campaigns at TikTok."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.advertising import (
    get_account_currency,
    parse_reported_amount,
    reject_if_given,
    validate_choice,
)
from socialgate.connectors.json_paths import get_list, get_text_or_number
from socialgate.connectors.tiktokads.ads import reserved_options
from socialgate.connectors.tiktokads.ads.mappings import (
    FIXED_DAILY_BUDGET_GOALS,
    GOALS_BY_VENDOR_NAME,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_GOAL,
    VENDOR_NAMES_BY_SPECIAL_CATEGORY,
    encode_money,
)
from socialgate.connectors.tiktokads.ads.objects import TikTokAdObjects
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import Campaign
from socialgate.contracts.ad_values import AdBudget, BidStrategy, Goal
from socialgate.contracts.ads import AdObjectChanges, NewCampaign
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_SPECIAL_CATEGORIES_BY_VENDOR_NAME = {theirs: ours for ours, theirs in VENDOR_NAMES_BY_SPECIAL_CATEGORY.items()}
DYNAMIC_DAILY_BUDGET_MODE, DAILY_BUDGET_MODE, LIFETIME_BUDGET_MODE, NO_BUDGET_MODE = (
    *("BUDGET_MODE_DYNAMIC_DAILY_BUDGET", "BUDGET_MODE_DAY", "BUDGET_MODE_TOTAL", "BUDGET_MODE_INFINITE"),
)


class TikTokCampaigns(TikTokAdObjects[Campaign, NewCampaign]):
    object_type = "campaign"
    changeable_fields = frozenset({"name", "configured_status", "budget"})
    reserved_options = reserved_options.RESERVED_CAMPAIGN_OPTIONS

    def _validate_new(self, new: NewCampaign) -> Iterator[Fault]:
        yield from validate_choice("TikTok", "/goal", new.goal, VENDOR_NAMES_BY_GOAL)
        for number, special_category in enumerate(new.special_categories):
            yield from validate_choice(
                "TikTok", f"/specialCategories/{number}", special_category, VENDOR_NAMES_BY_SPECIAL_CATEGORY
            )
        yield from reject_if_given("/spendCap", new.spend_cap, "TikTok has no spending limits. Use a lifetime budget.")
        yield from reject_if_given(
            "/schedule", new.schedule, "On TikTok, schedules belong to ad sets. Set it on each of them."
        )
        bid = None if new.bid is None or new.bid.strategy is BidStrategy.LOWEST_COST else new.bid
        yield from reject_if_given("/bid", bid, "On TikTok, bids belong to ad sets. Set it on each of them.")

    async def _build_create_params(self, credentials: AccountCredentials, new: NewCampaign) -> Mapping[str, Any]:
        app = None if new.goal is not Goal.APP_PROMOTION else new.options.get("app_promotion_type", "APP_INSTALL")
        return {
            "campaign_name": new.name,
            "objective_type": VENDOR_NAMES_BY_GOAL[new.goal],
            "app_promotion_type": app,
            "budget_mode": get_budget_mode(new.budget, new.goal),
            "budget": encode_money(credentials, new.budget.money if new.budget else None, "/budget"),
            "budget_optimize_on": new.budget is not None or None,
            "special_industries": [
                VENDOR_NAMES_BY_SPECIAL_CATEGORY[special_category] for special_category in new.special_categories
            ]
            or None,
            "operation_status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            # The same number twice creates one campaign.
            "request_id": new.idempotency_reference,
        }

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        return {"campaign_name": change.name, "budget": encode_changed_budget(credentials, change, before)}

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> Campaign:
        categories = (_SPECIAL_CATEGORIES_BY_VENDOR_NAME.get(item) for item in get_list(row, "special_industries"))
        return Campaign(
            **self._parse_common_fields(row),
            goal=GOALS_BY_VENDOR_NAME.get(get_text_or_number(row, "objective_type")),
            platform_goal=get_text_or_number(row, "objective_type") or None,
            budget=parse_budget(credentials, row),
            special_categories=tuple(category for category in categories if category is not None),
            options={"budget_mode": row["budget_mode"]} if row.get("budget_mode") else {},
        )


def get_budget_mode(budget: AdBudget | None, goal: Goal) -> str:
    if budget is None:
        return NO_BUDGET_MODE
    return (
        LIFETIME_BUDGET_MODE
        if budget.type == "lifetime"
        else DAILY_BUDGET_MODE
        if goal in FIXED_DAILY_BUDGET_GOALS
        else DYNAMIC_DAILY_BUDGET_MODE
    )


def parse_budget(credentials: AccountCredentials, row: Mapping[str, Any]) -> AdBudget | None:
    mode, amount = (
        get_text_or_number(row, "budget_mode"),
        parse_reported_amount(row.get("budget"), get_account_currency(credentials)),
    )
    if mode in {"", NO_BUDGET_MODE} or amount is None:
        return None
    return AdBudget.from_money(amount, "lifetime" if mode == LIFETIME_BUDGET_MODE else "daily")


def encode_changed_budget(
    credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
) -> float | None:
    """Write a new amount. TikTok cannot turn a daily budget into one for the whole time, or add one."""
    had = parse_budget(credentials, before)
    if change.budget is not None and (had is None or had.type != change.budget.type):
        text = f"TikTok cannot change the type of a budget. It is {had.type if had else 'not set here'}."
        raise PlatformRejectedError(text, platform=Platform.TIKTOKADS, field="/budget/type")
    return encode_money(credentials, change.budget.money if change.budget else None, "/budget")
