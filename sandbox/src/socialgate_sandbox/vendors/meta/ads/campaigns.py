"""Campaigns: what is advertised for, and optionally a budget for all of their ad sets."""

from typing import Any

from socialgate_sandbox.dialects.graph.nodes import NodeType
from socialgate_sandbox.dialects.graph.objects import (
    Objects,
    amounts,
    anything,
    choice,
    choices,
    invalid,
    items,
    mapping,
    stored,
    string,
    time,
    truth,
    whole,
)
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Campaign
from socialgate_sandbox.vendors.meta.ads.accounts import require_advertiser
from socialgate_sandbox.vendors.meta.ads.managed import BUDGETED, COMMON, remove, write_budget, write_status

_NODE = "AdCampaignGroup"
_STORED = (
    *("objective", "buying_type", "bid_strategy", "special_ad_categories", "special_ad_category_country"),
    *("start_time", "stop_time", "promoted_object", "smart_promotion_type", "is_adset_budget_sharing_enabled"),
)
CAMPAIGN = NodeType(_NODE, {**COMMON, **BUDGETED, **stored(*_STORED), **amounts("spend_cap")}, ("id",))


def _write(call: Call, one: Campaign, given: dict[str, Any]) -> None:
    write_status(call, one, given)
    if not str(one.fields["objective"]).startswith("OUTCOME_"):
        raise invalid("objective", "New campaigns need one of the objectives whose names begin with OUTCOME_.")
    if "CREDIT" in given.get("special_ad_categories", ()):
        said = "CREDIT is no longer available: FINANCIAL_PRODUCTS_SERVICES replaced it on January 14, 2025."
        raise invalid("special_ad_categories", said, title="Special Ad Category Not Available")
    categories = [word for word in one.fields["special_ad_categories"] if word != "NONE"]
    if categories and not one.fields.get("special_ad_category_country"):
        said = "Select the countries where the ads of a special ad category will run."
        raise invalid("special_ad_category_country", said, subcode=2909034, title="Country Is Missing")
    write_budget(call, one, given)
    if not one.budgets and "is_adset_budget_sharing_enabled" not in one.fields:
        said = "You must specify True or False in is_adset_budget_sharing_enabled if the campaign has no budget."
        title = "Must specify True or False in is_adset_budget_sharing_enabled field"
        raise invalid("is_adset_budget_sharing_enabled", said, subcode=4834011, title=title)
    one.fields.setdefault("buying_type", "AUCTION")
    one.fields.setdefault("start_time", time("start_time", one.made.isoformat()))
    if one.budgets:
        one.fields.setdefault("bid_strategy", "LOWEST_COST_WITHOUT_CAP")


CAMPAIGNS = Objects(
    node=CAMPAIGN,
    kind=Campaign,
    params={
        "name": string,
        "objective": choice(_NODE, "objective"),
        "status": choice(_NODE, "status"),
        "special_ad_categories": choices(_NODE, "special_ad_categories"),
        "special_ad_category_country": items,
        "buying_type": string,
        "bid_strategy": choice(_NODE, "bid_strategy"),
        "smart_promotion_type": choice(_NODE, "smart_promotion_type"),
        "is_adset_budget_sharing_enabled": truth,
        **dict.fromkeys(("daily_budget", "lifetime_budget", "spend_cap"), whole),
        **dict.fromkeys(("start_time", "stop_time"), time),
        "promoted_object": mapping,
        "adlabels": anything,
    },
    guard=require_advertiser,
    write=_write,
    required=("name", "objective", "special_ad_categories"),
    remove=remove,
    more={"switches": ()},
)
