"""Ad sets: whom ads are for, when they run, what they cost and what they are optimized for."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.dialects.graph.given import moment
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType
from socialgate_sandbox.dialects.graph.objects import (
    Objects,
    amounts,
    anything,
    choice,
    invalid,
    items,
    mapping,
    stored,
    string,
    time,
    whole,
)
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import AdSet, Campaign, state_of
from socialgate_sandbox.society.spend import Goal, Span, marked
from socialgate_sandbox.vendors.meta.ads import targeting
from socialgate_sandbox.vendors.meta.ads.accounts import counted, require_advertiser
from socialgate_sandbox.vendors.meta.ads.campaigns import CAMPAIGN
from socialgate_sandbox.vendors.meta.ads.declarations import DECLARED, check_declarations, regulated
from socialgate_sandbox.vendors.meta.ads.geography import EU
from socialgate_sandbox.vendors.meta.ads.managed import (
    BUDGETED,
    COMMON,
    account_of,
    length,
    remove,
    write_budget,
    write_status,
)

_NODE = "AdCampaign"
_DSA = ("dsa_beneficiary", "dsa_payor")
_FOREVER = datetime(9999, 1, 1, tzinfo=UTC)
_STORED = (
    *("campaign_id", "billing_event", "optimization_goal", "targeting", "bid_strategy", "bid_constraints"),
    *("destination_type", "promoted_object", "attribution_spec", "dsa_beneficiary", "dsa_payor"),
    *("start_time", "end_time", "adset_schedule", "pacing_type", *DECLARED),
)
# What can be optimized for with each objective. Other goals are refused.
_SEEN, _CLICKED = ("REACH", "IMPRESSIONS"), ("LINK_CLICKS", "LANDING_PAGE_VIEWS")
_ANSWERED, _SOLD = ("CONVERSATIONS", "QUALITY_CALL"), ("OFFSITE_CONVERSIONS", "VALUE")
GOALS: Mapping[str, tuple[str, ...]] = {
    "OUTCOME_AWARENESS": (*_SEEN, "AD_RECALL_LIFT", "THRUPLAY"),
    "OUTCOME_TRAFFIC": (*_CLICKED, *_SEEN, *_ANSWERED, "VISIT_INSTAGRAM_PROFILE", "PROFILE_VISIT"),
    "OUTCOME_ENGAGEMENT": (
        *("POST_ENGAGEMENT", "PAGE_LIKES", "THRUPLAY", "EVENT_RESPONSES", "PROFILE_AND_PAGE_ENGAGEMENT"),
        *(*_ANSWERED, *_CLICKED, *_SEEN, "OFFSITE_CONVERSIONS", "REMINDERS_SET"),
    ),
    "OUTCOME_LEADS": ("LEAD_GENERATION", "QUALITY_LEAD", "OFFSITE_CONVERSIONS", *_ANSWERED, *_CLICKED, *_SEEN),
    "OUTCOME_SALES": (*_SOLD, *_CLICKED, *_SEEN, "CONVERSATIONS", "MESSAGING_PURCHASE_CONVERSION"),
    "OUTCOME_APP_PROMOTION": ("APP_INSTALLS", "APP_INSTALLS_AND_OFFSITE_CONVERSIONS", *_CLICKED, *_SOLD),
}
# What must be promoted for a goal: one of these members.
_PROMOTED = {
    **dict.fromkeys(("LEAD_GENERATION", "QUALITY_LEAD", "PAGE_LIKES", "CONVERSATIONS"), ("page_id",)),
    **dict.fromkeys(_SOLD, ("pixel_id", "custom_conversion_id", "product_set_id", "application_id")),
    "APP_INSTALLS": ("application_id",),
}
_CAPPED = {"LOWEST_COST_WITH_BID_CAP", "COST_CAP"}
_COUNTED: Mapping[str, Goal] = {
    **dict.fromkeys((*_CLICKED, "VISIT_INSTAGRAM_PROFILE", "PROFILE_VISIT"), "traffic"),
    **dict.fromkeys((*_SOLD, "APP_INSTALLS"), "conversions"),
    **dict.fromkeys(("LEAD_GENERATION", "QUALITY_LEAD"), "leads"),
    **dict.fromkeys(("POST_ENGAGEMENT", "PAGE_LIKES", "EVENT_RESPONSES", *_ANSWERED), "engagement"),
    "THRUPLAY": "views",
}


def _campaign(call: Call, one: AdSet) -> Campaign:
    found = call.world.store.get(Campaign, str(one.fields["campaign_id"]))
    if found is None or found.parent != one.parent:
        raise invalid("campaign_id", "The campaign does not exist in the ad account.", title="Invalid Campaign")
    if state_of(call.world, found) == "deleted":
        raise invalid("campaign_id", "The campaign was deleted.", subcode=1487566, title="Campaign Was Deleted")
    return found


def _check_goal(one: AdSet, campaign: Campaign) -> None:
    goal, billed = one.fields["optimization_goal"], one.fields["billing_event"]
    if goal not in GOALS[campaign.fields["objective"]]:
        said = "You can't use the selected performance goal with your campaign objective."
        raise invalid("optimization_goal", said, subcode=2490408, title="Performance Goal Isn't Available")
    if billed not in {"IMPRESSIONS", goal}:
        said = f"You can't be charged for {billed} if you optimize for {goal}."
        raise invalid("billing_event", said, title="Billing Event Isn't Available")
    promoted, wanted = one.fields.get("promoted_object") or {}, _PROMOTED.get(goal, ())
    if wanted and not any(promoted.get(name) for name in wanted):
        raise invalid("promoted_object", f"For {goal} it needs {' or '.join(wanted)}.", title="Promoted Object Missing")


def _check_money(call: Call, one: AdSet, campaign: Campaign, given: dict[str, Any]) -> None:
    if campaign.budgets and (given.get("daily_budget") or given.get("lifetime_budget")):
        said = "The campaign has a budget, so its ad sets cannot have their own."
        raise invalid("daily_budget", said, subcode=1885621, title="Budget On Both Levels")
    write_budget(call, one, given, length(one))
    if not campaign.budgets and not one.budgets:
        raise invalid("daily_budget", "The ad set needs a daily or a lifetime budget.", title="Budget Missing")
    if "lifetime_budget" in {**campaign.fields, **one.fields} and "end_time" not in one.fields:
        raise invalid("end_time", "With a lifetime budget, the ad set needs an end time.", title="End Time Missing")
    strategy = one.fields.get("bid_strategy") or campaign.fields.get("bid_strategy")
    if strategy in _CAPPED and not one.fields.get("bid_amount"):
        said = f"Your bid strategy {strategy} requires a bid amount."
        raise invalid("bid_amount", said, subcode=1815857, title="Bid Amount Required")


def _write(call: Call, one: AdSet, given: dict[str, Any]) -> None:
    write_status(call, one, given)
    campaign, now = _campaign(call, one), call.world.clock.now()
    one.above = campaign.id
    one.fields.setdefault("start_time", time("start_time", now.isoformat()))
    start, end = moment(one.fields["start_time"]) or now, moment(one.fields.get("end_time")) or _FOREVER
    if end <= start or ("end_time" in given and end <= now):
        said = "The end time must be after the start time, and in the future."
        raise invalid("end_time", said, subcode=1487033, title="Invalid End Time")
    if given.keys() & {"start_time", "end_time"} or not one.schedule:
        one.schedule = marked(one.schedule, now, Span(start, end))
    _check_goal(one, campaign)
    _check_money(call, one, campaign, given)
    if "targeting" in given:
        targeting.check(call, one.parent, given["targeting"])
    account = account_of(call.world, one)
    defaults = {name: getattr(account, f"default_{name}") for name in _DSA}
    named = all(one.fields.get(name) or defaults[name] for name in _DSA)
    reached = targeting.reached(one.fields["targeting"])
    if given.keys() & {"targeting", *DECLARED}:
        check_declarations(reached, one.fields)
    if EU & reached and not named:
        said = "Ads for people in the European Union need dsa_beneficiary and dsa_payor."
        raise invalid("dsa_beneficiary", said, subcode=3858152, title="Beneficiary Information Required")
    one.goal = _COUNTED.get(one.fields["optimization_goal"], "reach")


def _learning(call: Call, one: AdSet, _field: Any) -> dict[str, str]:
    learning = counted(call.world, account_of(call.world, one)).is_learning(one.id)
    return {"status": "LEARNING" if learning else "SUCCESS"}


AD_SET = NodeType(
    _NODE,
    {
        **COMMON,
        **BUDGETED,
        **stored(*_STORED),
        **amounts("bid_amount"),
        "campaign": lambda call, one, _field: Node(CAMPAIGN, call.world.store.get(Campaign, one.above)),
        "learning_stage_info": _learning,
    },
    ("id",),
)
AD_SETS = Objects(
    node=AD_SET,
    kind=AdSet,
    params={
        "name": string,
        "campaign_id": string,
        **{name: choice(_NODE, name) for name in ("status", "bid_strategy", "billing_event", "optimization_goal")},
        "destination_type": choice(_NODE, "destination_type"),
        "targeting": mapping,
        "promoted_object": mapping,
        "bid_constraints": mapping,
        **dict.fromkeys(("daily_budget", "lifetime_budget", "bid_amount"), whole),
        **dict.fromkeys(("start_time", "end_time"), time),
        **dict.fromkeys(("dsa_beneficiary", "dsa_payor"), string),
        "regional_regulated_categories": regulated,
        "regional_regulation_identities": mapping,
        **dict.fromkeys(("attribution_spec", "adset_schedule", "pacing_type"), items),
        "adlabels": anything,
    },
    guard=require_advertiser,
    write=_write,
    required=("name", "campaign_id", "billing_event", "optimization_goal", "targeting"),
    remove=remove,
    more={"switches": (), "schedule": ()},
)
