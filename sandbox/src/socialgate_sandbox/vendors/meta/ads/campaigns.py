"""Campaigns: what is advertised for, and optionally a budget for all of their ad sets."""

from typing import Any

from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    build_choices_parser,
    parse_any,
    parse_boolean,
    parse_list,
    parse_object,
    parse_string,
    parse_time_text,
    parse_whole_number,
    resolve_amounts,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import NodeType
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Campaign
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_advertise_role
from socialgate_sandbox.vendors.meta.ads.managed_objects import (
    BUDGET_RESOLVERS,
    COMMON_RESOLVERS,
    mark_deleted,
    validate_and_set_budget,
    validate_and_set_status,
)

_NODE_NAME = "AdCampaignGroup"
_STORED_FIELDS = (
    *("objective", "buying_type", "bid_strategy", "special_ad_categories", "special_ad_category_country"),
    *("start_time", "stop_time", "promoted_object", "smart_promotion_type", "is_adset_budget_sharing_enabled"),
)
CAMPAIGN_NODE_TYPE = NodeType(
    _NODE_NAME,
    {**COMMON_RESOLVERS, **BUDGET_RESOLVERS, **resolve_stored(*_STORED_FIELDS), **resolve_amounts("spend_cap")},
    ("id",),
)


def _validate_and_complete(call: Call, campaign: Campaign, values: dict[str, Any]) -> None:
    validate_and_set_status(call, campaign, values)
    if not str(campaign.fields["objective"]).startswith("OUTCOME_"):
        raise build_blame_error(
            "objective", "New campaigns need one of the objectives whose names begin with OUTCOME_."
        )
    if "CREDIT" in values.get("special_ad_categories", ()):
        message = "CREDIT is no longer available: FINANCIAL_PRODUCTS_SERVICES replaced it on January 14, 2025."
        raise build_blame_error("special_ad_categories", message, title="Special Ad Category Not Available")
    categories = [word for word in campaign.fields["special_ad_categories"] if word != "NONE"]
    if categories and not campaign.fields.get("special_ad_category_country"):
        message = "Select the countries where the ads of a special ad category will run."
        raise build_blame_error("special_ad_category_country", message, subcode=2909034, title="Country Is Missing")
    validate_and_set_budget(call, campaign, values)
    if not campaign.budgets and "is_adset_budget_sharing_enabled" not in campaign.fields:
        message = "You must specify True or False in is_adset_budget_sharing_enabled if the campaign has no budget."
        title = "Must specify True or False in is_adset_budget_sharing_enabled field"
        raise build_blame_error("is_adset_budget_sharing_enabled", message, subcode=4834011, title=title)
    campaign.fields.setdefault("buying_type", "AUCTION")
    campaign.fields.setdefault("start_time", parse_time_text("start_time", campaign.created_at.isoformat()))
    if campaign.budgets:
        campaign.fields.setdefault("bid_strategy", "LOWEST_COST_WITHOUT_CAP")


CAMPAIGNS = ManagedObjects(
    node=CAMPAIGN_NODE_TYPE,
    kind=Campaign,
    parameter_parsers={
        "name": parse_string,
        "objective": build_choice_parser(_NODE_NAME, "objective"),
        "status": build_choice_parser(_NODE_NAME, "status"),
        "special_ad_categories": build_choices_parser(_NODE_NAME, "special_ad_categories"),
        "special_ad_category_country": parse_list,
        "buying_type": parse_string,
        "bid_strategy": build_choice_parser(_NODE_NAME, "bid_strategy"),
        "smart_promotion_type": build_choice_parser(_NODE_NAME, "smart_promotion_type"),
        "is_adset_budget_sharing_enabled": parse_boolean,
        **dict.fromkeys(("daily_budget", "lifetime_budget", "spend_cap"), parse_whole_number),
        **dict.fromkeys(("start_time", "stop_time"), parse_time_text),
        "promoted_object": parse_object,
        "adlabels": parse_any,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    required=("name", "objective", "special_ad_categories"),
    remove=mark_deleted,
    extra_fields={"switches": ()},
)
