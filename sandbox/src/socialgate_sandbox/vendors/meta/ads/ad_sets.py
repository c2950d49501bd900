"""Ad sets: whom ads are for, when they run, what they cost and what they are optimized for."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    parse_any,
    parse_list,
    parse_object,
    parse_string,
    parse_time_text,
    parse_whole_number,
    resolve_amounts,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.parameters import parse_time
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.ad_spend import Goal, TimeSpan, append_value
from socialgate_sandbox.society.campaigns import AdSet, Campaign, get_state
from socialgate_sandbox.vendors.meta.ads import targeting
from socialgate_sandbox.vendors.meta.ads.ad_accounts import build_spend_account, require_advertise_role
from socialgate_sandbox.vendors.meta.ads.ad_declarations import (
    DECLARATION_FIELDS,
    parse_regulated_categories,
    validate_declarations,
)
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN_NODE_TYPE
from socialgate_sandbox.vendors.meta.ads.managed_objects import (
    BUDGET_RESOLVERS,
    COMMON_RESOLVERS,
    compute_days,
    get_ad_account,
    mark_deleted,
    validate_and_set_budget,
    validate_and_set_status,
)
from socialgate_sandbox.vendors.meta.ads.targeting_options import EU_COUNTRIES

_NODE_NAME = "AdCampaign"
_DSA_FIELDS = ("dsa_beneficiary", "dsa_payor")
_NO_END_TIME = datetime(9999, 1, 1, tzinfo=UTC)
_STORED_FIELDS = (
    *("campaign_id", "billing_event", "optimization_goal", "targeting", "bid_strategy", "bid_constraints"),
    *("destination_type", "promoted_object", "attribution_spec", "dsa_beneficiary", "dsa_payor"),
    *("start_time", "end_time", "adset_schedule", "pacing_type", *DECLARATION_FIELDS),
)
# What can be optimized for with each objective. Other goals are refused.
_REACH_GOALS, _CLICK_GOALS = ("REACH", "IMPRESSIONS"), ("LINK_CLICKS", "LANDING_PAGE_VIEWS")
_CONVERSATION_GOALS, _SALE_GOALS = ("CONVERSATIONS", "QUALITY_CALL"), ("OFFSITE_CONVERSIONS", "VALUE")
GOALS_BY_OBJECTIVE: Mapping[str, tuple[str, ...]] = {
    "OUTCOME_AWARENESS": (*_REACH_GOALS, "AD_RECALL_LIFT", "THRUPLAY"),
    "OUTCOME_TRAFFIC": (*_CLICK_GOALS, *_REACH_GOALS, *_CONVERSATION_GOALS, "VISIT_INSTAGRAM_PROFILE", "PROFILE_VISIT"),
    "OUTCOME_ENGAGEMENT": (
        *("POST_ENGAGEMENT", "PAGE_LIKES", "THRUPLAY", "EVENT_RESPONSES", "PROFILE_AND_PAGE_ENGAGEMENT"),
        *(*_CONVERSATION_GOALS, *_CLICK_GOALS, *_REACH_GOALS, "OFFSITE_CONVERSIONS", "REMINDERS_SET"),
    ),
    "OUTCOME_LEADS": (
        "LEAD_GENERATION",
        "QUALITY_LEAD",
        "OFFSITE_CONVERSIONS",
        *_CONVERSATION_GOALS,
        *_CLICK_GOALS,
        *_REACH_GOALS,
    ),
    "OUTCOME_SALES": (*_SALE_GOALS, *_CLICK_GOALS, *_REACH_GOALS, "CONVERSATIONS", "MESSAGING_PURCHASE_CONVERSION"),
    "OUTCOME_APP_PROMOTION": ("APP_INSTALLS", "APP_INSTALLS_AND_OFFSITE_CONVERSIONS", *_CLICK_GOALS, *_SALE_GOALS),
}
# What must be promoted for a goal: one of these members.
_PROMOTED_FIELDS_BY_GOAL = {
    **dict.fromkeys(("LEAD_GENERATION", "QUALITY_LEAD", "PAGE_LIKES", "CONVERSATIONS"), ("page_id",)),
    **dict.fromkeys(_SALE_GOALS, ("pixel_id", "custom_conversion_id", "product_set_id", "application_id")),
    "APP_INSTALLS": ("application_id",),
}
_BID_CAP_STRATEGIES = {"LOWEST_COST_WITH_BID_CAP", "COST_CAP"}
_SPEND_GOALS: Mapping[str, Goal] = {
    **dict.fromkeys((*_CLICK_GOALS, "VISIT_INSTAGRAM_PROFILE", "PROFILE_VISIT"), "traffic"),
    **dict.fromkeys((*_SALE_GOALS, "APP_INSTALLS"), "conversions"),
    **dict.fromkeys(("LEAD_GENERATION", "QUALITY_LEAD"), "leads"),
    **dict.fromkeys(("POST_ENGAGEMENT", "PAGE_LIKES", "EVENT_RESPONSES", *_CONVERSATION_GOALS), "engagement"),
    "THRUPLAY": "views",
}


def _find_campaign(call: Call, ad_set: AdSet) -> Campaign:
    campaign = call.context.store.get(Campaign, str(ad_set.fields["campaign_id"]))
    if campaign is None or campaign.parent != ad_set.parent:
        raise build_blame_error(
            "campaign_id", "The campaign does not exist in the ad account.", title="Invalid Campaign"
        )
    if get_state(call.context, campaign) == "deleted":
        raise build_blame_error(
            "campaign_id", "The campaign was deleted.", subcode=1487566, title="Campaign Was Deleted"
        )
    return campaign


def _validate_goal(ad_set: AdSet, campaign: Campaign) -> None:
    goal, billed = ad_set.fields["optimization_goal"], ad_set.fields["billing_event"]
    if goal not in GOALS_BY_OBJECTIVE[campaign.fields["objective"]]:
        message = "You can't use the selected performance goal with your campaign objective."
        raise build_blame_error("optimization_goal", message, subcode=2490408, title="Performance Goal Isn't Available")
    if billed not in {"IMPRESSIONS", goal}:
        message = f"You can't be charged for {billed} if you optimize for {goal}."
        raise build_blame_error("billing_event", message, title="Billing Event Isn't Available")
    promoted, values = ad_set.fields.get("promoted_object") or {}, _PROMOTED_FIELDS_BY_GOAL.get(goal, ())
    if values and not any(promoted.get(name) for name in values):
        raise build_blame_error(
            "promoted_object", f"For {goal} it needs {' or '.join(values)}.", title="Promoted Object Missing"
        )


def _validate_budget(call: Call, ad_set: AdSet, campaign: Campaign, values: dict[str, Any]) -> None:
    if campaign.budgets and (values.get("daily_budget") or values.get("lifetime_budget")):
        message = "The campaign has a budget, so its ad sets cannot have their own."
        raise build_blame_error("daily_budget", message, subcode=1885621, title="Budget On Both Levels")
    validate_and_set_budget(call, ad_set, values, compute_days(ad_set))
    if not campaign.budgets and not ad_set.budgets:
        raise build_blame_error(
            "daily_budget", "The ad set needs a daily or a lifetime budget.", title="Budget Missing"
        )
    if "lifetime_budget" in {**campaign.fields, **ad_set.fields} and "end_time" not in ad_set.fields:
        raise build_blame_error(
            "end_time", "With a lifetime budget, the ad set needs an end time.", title="End Time Missing"
        )
    strategy = ad_set.fields.get("bid_strategy") or campaign.fields.get("bid_strategy")
    if strategy in _BID_CAP_STRATEGIES and not ad_set.fields.get("bid_amount"):
        message = f"Your bid strategy {strategy} requires a bid amount."
        raise build_blame_error("bid_amount", message, subcode=1815857, title="Bid Amount Required")


def _validate_and_complete(call: Call, ad_set: AdSet, values: dict[str, Any]) -> None:
    validate_and_set_status(call, ad_set, values)
    campaign, now = _find_campaign(call, ad_set), call.context.clock.now()
    ad_set.above = campaign.id
    ad_set.fields.setdefault("start_time", parse_time_text("start_time", now.isoformat()))
    start, end = (
        parse_time(ad_set.fields["start_time"]) or now,
        parse_time(ad_set.fields.get("end_time")) or _NO_END_TIME,
    )
    if end <= start or ("end_time" in values and end <= now):
        message = "The end time must be after the start time, and in the future."
        raise build_blame_error("end_time", message, subcode=1487033, title="Invalid End Time")
    if values.keys() & {"start_time", "end_time"} or not ad_set.schedule:
        ad_set.schedule = append_value(ad_set.schedule, now, TimeSpan(start, end))
    _validate_goal(ad_set, campaign)
    _validate_budget(call, ad_set, campaign, values)
    if "targeting" in values:
        targeting.validate_targeting(call, ad_set.parent, values["targeting"])
    account = get_ad_account(call.context, ad_set)
    defaults = {name: getattr(account, f"default_{name}") for name in _DSA_FIELDS}
    named = all(ad_set.fields.get(name) or defaults[name] for name in _DSA_FIELDS)
    reached = targeting.compute_reached_countries(ad_set.fields["targeting"])
    if values.keys() & {"targeting", *DECLARATION_FIELDS}:
        validate_declarations(reached, ad_set.fields)
    if EU_COUNTRIES & reached and not named:
        message = "Ads for people in the European Union need dsa_beneficiary and dsa_payor."
        raise build_blame_error("dsa_beneficiary", message, subcode=3858152, title="Beneficiary Information Required")
    ad_set.goal = _SPEND_GOALS.get(ad_set.fields["optimization_goal"], "reach")


def _resolve_learning_stage(call: Call, ad_set: AdSet, _field: Any) -> dict[str, str]:
    learning = build_spend_account(call.context, get_ad_account(call.context, ad_set)).is_learning(ad_set.id)
    return {"status": "LEARNING" if learning else "SUCCESS"}


AD_SET_NODE_TYPE = NodeType(
    _NODE_NAME,
    {
        **COMMON_RESOLVERS,
        **BUDGET_RESOLVERS,
        **resolve_stored(*_STORED_FIELDS),
        **resolve_amounts("bid_amount"),
        "campaign": lambda call, item, _field: Node(CAMPAIGN_NODE_TYPE, call.context.store.get(Campaign, item.above)),
        "learning_stage_info": _resolve_learning_stage,
    },
    ("id",),
)
AD_SETS = ManagedObjects(
    node=AD_SET_NODE_TYPE,
    kind=AdSet,
    parameter_parsers={
        "name": parse_string,
        "campaign_id": parse_string,
        **{
            name: build_choice_parser(_NODE_NAME, name)
            for name in ("status", "bid_strategy", "billing_event", "optimization_goal")
        },
        "destination_type": build_choice_parser(_NODE_NAME, "destination_type"),
        "targeting": parse_object,
        "promoted_object": parse_object,
        "bid_constraints": parse_object,
        **dict.fromkeys(("daily_budget", "lifetime_budget", "bid_amount"), parse_whole_number),
        **dict.fromkeys(("start_time", "end_time"), parse_time_text),
        **dict.fromkeys(("dsa_beneficiary", "dsa_payor"), parse_string),
        "regional_regulated_categories": parse_regulated_categories,
        "regional_regulation_identities": parse_object,
        **dict.fromkeys(("attribution_spec", "adset_schedule", "pacing_type"), parse_list),
        "adlabels": parse_any,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    required=("name", "campaign_id", "billing_event", "optimization_goal", "targeting"),
    remove=mark_deleted,
    extra_fields={"switches": (), "schedule": ()},
)
