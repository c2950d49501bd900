"""Campaigns at TikTok."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.advertising import currency_of, reported, unsupported, word_faults
from socialgate.connectors.json_paths import list_at, text_at
from socialgate.connectors.tiktokads.ads import options
from socialgate.connectors.tiktokads.ads.objects import TikTokObjects
from socialgate.connectors.tiktokads.ads.words import (
    CATEGORIES,
    FIXED_DAYS,
    GOALS,
    GOALS_READ,
    SWITCHES,
    sent_money,
)
from socialgate.contracts.ad_objects import Campaign
from socialgate.contracts.ad_values import AdBudget, BidStrategy, Goal
from socialgate.contracts.ads import Change, NewCampaign
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_CATEGORIES_READ = {theirs: ours for ours, theirs in CATEGORIES.items()}
DYNAMIC, DAY, TOTAL, NONE = (
    *("BUDGET_MODE_DYNAMIC_DAILY_BUDGET", "BUDGET_MODE_DAY", "BUDGET_MODE_TOTAL", "BUDGET_MODE_INFINITE"),
)


class Campaigns(TikTokObjects[Campaign, NewCampaign]):
    noun = "campaign"
    able = frozenset({"name", "switch", "budget"})
    reserved = options.CAMPAIGNS

    def _faults(self, new: NewCampaign) -> Iterator[Fault]:
        yield from word_faults("TikTok", "/goal", new.goal, GOALS)
        for number, one in enumerate(new.special_categories):
            yield from word_faults("TikTok", f"/specialCategories/{number}", one, CATEGORIES)
        yield from unsupported("/spendCap", new.spend_cap, "TikTok has no spending limits. Use a lifetime budget.")
        yield from unsupported(
            "/schedule", new.schedule, "On TikTok, schedules belong to ad sets. Set it on each of them."
        )
        bid = None if new.bid is None or new.bid.strategy is BidStrategy.LOWEST_COST else new.bid
        yield from unsupported("/bid", bid, "On TikTok, bids belong to ad sets. Set it on each of them.")

    async def _body(self, held: AccountCredentials, new: NewCampaign) -> Mapping[str, Any]:
        app = None if new.goal is not Goal.APP_PROMOTION else new.options.get("app_promotion_type", "APP_INSTALL")
        return {
            "campaign_name": new.name,
            "objective_type": GOALS[new.goal],
            "app_promotion_type": app,
            "budget_mode": budget_mode(new.budget, new.goal),
            "budget": sent_money(held, new.budget.money if new.budget else None, "/budget"),
            "budget_optimize_on": new.budget is not None or None,
            "special_industries": [CATEGORIES[one] for one in new.special_categories] or None,
            "operation_status": SWITCHES[new.switch],
            # The same number twice creates one campaign.
            "request_id": new.reference,
        }

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"campaign_name": change.name, "budget": changed_budget(held, change, before)}

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> Campaign:
        categories = (_CATEGORIES_READ.get(one) for one in list_at(row, "special_industries"))
        return Campaign(
            **self._common(row),
            goal=GOALS_READ.get(text_at(row, "objective_type")),
            platform_goal=text_at(row, "objective_type") or None,
            budget=budget_of(held, row),
            special_categories=tuple(one for one in categories if one is not None),
            options={"budget_mode": row["budget_mode"]} if row.get("budget_mode") else {},
        )


def budget_mode(budget: AdBudget | None, goal: Goal) -> str:
    if budget is None:
        return NONE
    return TOTAL if budget.type == "lifetime" else DAY if goal in FIXED_DAYS else DYNAMIC


def budget_of(held: AccountCredentials, row: Mapping[str, Any]) -> AdBudget | None:
    mode, amount = text_at(row, "budget_mode"), reported(row.get("budget"), currency_of(held))
    if mode in {"", NONE} or amount is None:
        return None
    return AdBudget.of(amount, "lifetime" if mode == TOTAL else "daily")


def changed_budget(held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> float | None:
    """Write a new amount. TikTok cannot turn a daily budget into one for the whole time, or add one."""
    had = budget_of(held, before)
    if change.budget is not None and (had is None or had.type != change.budget.type):
        text = f"TikTok cannot change the type of a budget. It is {had.type if had else 'not set here'}."
        raise Rejected(text, platform=Platform.TIKTOKADS, field="/budget/type")
    return sent_money(held, change.budget.money if change.budget else None, "/budget")
