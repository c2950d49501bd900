"""Ad groups: whom to show ads to, when, for how much money and for what result."""

from datetime import timedelta
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.society.ad_spend import Budget, Goal, TimedValue, TimeSpan, append_value
from socialgate_sandbox.society.campaigns import AdSet, Campaign
from socialgate_sandbox.society.people_lists import PeopleList
from socialgate_sandbox.vendors.tiktokads import campaigns
from socialgate_sandbox.vendors.tiktokads.ad_objects import (
    AdAccountContents,
    AdObjectLevel,
    authorize_ad_call,
    convert_min_budget,
    parse_time,
    require_plain_text,
    require_unused_request_id,
    to_minor_units,
)
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.campaigns import (
    DAILY_BUDGET_MODE,
    DYNAMIC_DAILY_BUDGET_MODE,
    LIFETIME_BUDGET_MODE,
    NO_BUDGET_MODE,
)
from socialgate_sandbox.vendors.tiktokads.conversions import Conversion
from socialgate_sandbox.vendors.tiktokads.errors import (
    NOTHING_TO_UPDATE_CODE,
    build_error_response,
    build_success_response,
    require,
)
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel
from socialgate_sandbox.vendors.tiktokads.targeting import (
    AGE_GROUPS,
    INTEREST_CATEGORIES,
    LANGUAGE_NAMES,
    PLACEMENTS,
    PROMOTION_TYPES,
    validate_locations,
)

_MIN_BUDGET_DOLLARS, _HALF_HOURS_PER_WEEK, _MAX_START_DELAY = 20, 336, timedelta(hours=12)
_PIXEL_OBJECTIVES = {"WEB_CONVERSIONS", "PRODUCT_SALES", "LEAD_GENERATION"}
_OBJECTIVES_WITHOUT_PROMOTION = {"REACH", "VIDEO_VIEWS", "ENGAGEMENT"}
# Each goal with how it may be charged, and what people then do more often.
_BILLING_AND_GOAL_BY_NAME: dict[str, tuple[tuple[str, ...], Goal]] = {
    "CLICK": (("CPC",), "traffic"),
    **dict.fromkeys(("REACH", "SHOW"), (("CPM",), "reach")),
    **dict.fromkeys(("ENGAGED_VIEW", "ENGAGED_VIEW_FIFTEEN"), (("CPV",), "views")),
    **dict.fromkeys(("TRAFFIC_LANDING_PAGE_VIEW", "DESTINATION_VISIT"), (("OCPM",), "traffic")),
    **dict.fromkeys(("LEAD_GENERATION", "CONVERSION_LEADS", "PREFERRED_LEAD", "CONVERSATION"), (("OCPM",), "leads")),
    **dict.fromkeys(("FOLLOWERS", "PAGE_VISIT"), (("OCPM",), "engagement")),
    "PROFILE_VIEWS": (("CPC",), "engagement"),
    **dict.fromkeys(
        ("CONVERT", "INSTALL", "IN_APP_EVENT", "VALUE", "AUTOMATIC_VALUE_OPTIMIZATION", "MT_LIVE_ROOM",
         "PRODUCT_CLICK_IN_LIVE"), (("OCPM",), "conversions"),
    ),
}  # fmt: skip
_TEXT_LIST_FIELD = Field(list[str])
_ADGROUP_FIELDS = {
    "campaign_id": Field(required=True, is_immutable=True),
    "adgroup_name": Field(required=True),
    "promotion_type": Field(allowed_values=PROMOTION_TYPES, is_immutable=True),
    "promotion_target_type": Field(allowed_values=("INSTANT_PAGE", "EXTERNAL_WEBSITE"), is_immutable=True),
    "placement_type": Field(allowed_values=("PLACEMENT_TYPE_AUTOMATIC", "PLACEMENT_TYPE_NORMAL"), is_immutable=True),
    "placements": Field(list[str], allowed_values=PLACEMENTS, is_immutable=True),
    "optimization_goal": Field(required=True, allowed_values=_BILLING_AND_GOAL_BY_NAME, is_immutable=True),
    "billing_event": Field(required=True, allowed_values=("CPC", "CPM", "CPV", "OCPM"), is_immutable=True),
    "bid_type": Field(allowed_values=("BID_TYPE_NO_BID", "BID_TYPE_CUSTOM")),
    "bid_price": Field(float),
    "conversion_bid_price": Field(float),
    "bid_display_mode": Field(allowed_values=("CPV",), is_immutable=True),
    "deep_bid_type": Field(allowed_values=("VO_MIN_ROAS", "VO_HIGHEST_VALUE")),
    "roas_bid": Field(float),
    "budget_mode": Field(
        allowed_values=(DAILY_BUDGET_MODE, LIFETIME_BUDGET_MODE, DYNAMIC_DAILY_BUDGET_MODE, NO_BUDGET_MODE),
        is_immutable=True,
    ),
    "budget": Field(float),
    "schedule_type": Field(required=True, allowed_values=("SCHEDULE_START_END", "SCHEDULE_FROM_NOW")),
    "schedule_start_time": Field(required=True),
    "schedule_end_time": Field(),
    "pacing": Field(allowed_values=("PACING_MODE_SMOOTH", "PACING_MODE_FAST")),
    "dayparting": Field(),
    "location_ids": Field(list[str], most=3000),
    "zipcode_ids": Field(list[str], most=3000),
    "age_groups": Field(list[str], allowed_values=AGE_GROUPS),
    "gender": Field(allowed_values=("GENDER_UNLIMITED", "GENDER_MALE", "GENDER_FEMALE")),
    "languages": Field(list[str], allowed_values=LANGUAGE_NAMES),
    "operating_systems": Field(list[str], allowed_values=("ANDROID", "IOS"), most=1),
    "interest_category_ids": Field(list[str], allowed_values=INTEREST_CATEGORIES),
    "network_types": Field(list[str], allowed_values=("WIFI", "2G", "3G", "4G", "5G")),
    "spending_power": Field(allowed_values=("ALL", "HIGH")),
    "household_income": Field(list[str], allowed_values=("TOP5", "TOP10", "TOP10_25", "TOP25_50")),
    **dict.fromkeys(("interest_keyword_ids", "audience_ids", "excluded_audience_ids"), _TEXT_LIST_FIELD),
    **dict.fromkeys(
        ("comment_disabled", "video_download_disabled", "share_disabled", "smart_audience_enabled"), Field(bool)
    ),
    **dict.fromkeys(
        (
            "pixel_id",
            "optimization_event",
            "custom_conversion_id",
            "identity_id",
            "identity_type",
            "app_id",
            "catalog_id",
            "catalog_authorized_bc_id",
            "store_id",
            "shopping_ads_type",
            "product_source",
            "saved_audience_id",
            "click_attribution_window",
            "view_attribution_window",
        ),
        Field(is_immutable=True),
    ),
}
_DEFAULT_VALUES = {
    "placement_type": "PLACEMENT_TYPE_NORMAL",
    "pacing": "PACING_MODE_SMOOTH",
    "bid_type": "BID_TYPE_NO_BID",
    "gender": "GENDER_UNLIMITED",
    "comment_disabled": False,
}


def build_own_fields(contents: AdAccountContents, adgroup: AdSet) -> dict[str, Any]:
    del contents
    return {"budget": adgroup.fields.get("budget", 0.0), "creative_material_mode": "CUSTOM"}


ADGROUP_LEVEL = AdObjectLevel("adgroup", AdSet, _ADGROUP_FIELDS, build_own_fields)


def create_adgroup(call: Call) -> Response:
    books, object_params = authorize_ad_call(call, requires_write=True)
    values: dict[str, Any] = {**_DEFAULT_VALUES, **ADGROUP_LEVEL.parse_values(call.params)}
    require_unused_request_id(call, books, call.params.get("request_id"))
    campaign = campaigns.CAMPAIGN_LEVEL.require_object(call, books, values.pop("campaign_id"))
    shared, now = bool(campaign.fields.get("budget_optimize_on")), call.context.clock.now()
    if shared:
        values |= {"budget_mode": NO_BUDGET_MODE, "budget": 0.0}
    _validate_goal(values, campaign)
    _validate_references(books, values, campaign)
    ad_set = AdSet(
        id=generate_digits(16),
        parent=books.advertiser.id,
        above=campaign.id,
        name=require_plain_text("adgroup_name", values.pop("adgroup_name"), 512),
        created_at=now,
        changed=now,
        switches=(TimedValue(now, "off" if object_params.operation_status == "DISABLE" else "on"),),
        schedule=(TimedValue(now, _parse_schedule(call, values, is_new=True)),),
        budgets=() if shared else (TimedValue(now, _parse_budget(books, values)),),
        goal=_BILLING_AND_GOAL_BY_NAME[values["optimization_goal"]][1],
        fields=values,
    )
    books.adgroups[ad_set.id] = call.context.store.put(ad_set)
    return build_success_response(call, ADGROUP_LEVEL.build_json(books, ad_set))


def update_adgroup(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, requires_write=True)
    ad_set = ADGROUP_LEVEL.require_object(call, books, str(call.params.get("adgroup_id", "")))
    values = ADGROUP_LEVEL.parse_values(call.params, is_update=True)
    if not values:
        return build_error_response(call, NOTHING_TO_UPDATE_CODE, "Nothing to update.")
    if "adgroup_name" in values:
        ad_set.name = require_plain_text("adgroup_name", values.pop("adgroup_name"), 512)
    ad_set.fields, ad_set.changed = ad_set.fields | values, call.context.clock.now()
    _validate_references(books, ad_set.fields, books.campaigns[ad_set.above])
    if "budget" in values:
        require(ad_set.budgets, "budget: the campaign distributes its own budget.")
        ad_set.budgets = append_value(ad_set.budgets, ad_set.changed, _parse_budget(books, ad_set.fields))
    if {"schedule_type", "schedule_start_time", "schedule_end_time"} & set(values):
        ad_set.schedule = append_value(ad_set.schedule, ad_set.changed, _parse_schedule(call, ad_set.fields))
    books.adgroups[ad_set.id] = call.context.store.put(ad_set)
    return build_success_response(call, ADGROUP_LEVEL.build_json(books, ad_set))


def _validate_goal(values: dict[str, Any], campaign: Campaign) -> None:
    objective, goal = campaign.fields["objective_type"], values["optimization_goal"]
    needs = objective not in _OBJECTIVES_WITHOUT_PROMOTION
    require(not needs or "promotion_type" in values, "promotion_type: Missing data for required field.")
    billed = _BILLING_AND_GOAL_BY_NAME[goal][0]
    require(values["billing_event"] in billed, f"billing_event: Must be {' or '.join(billed)} for the goal {goal}.")
    normal = values["placement_type"] == "PLACEMENT_TYPE_NORMAL"
    require(not normal or values.get("placements"), "placements: Missing data for required field.")
    bid = "conversion_bid_price" if values["billing_event"] == "OCPM" else "bid_price"
    custom = values["bid_type"] == "BID_TYPE_CUSTOM"
    require(not custom or values.get(bid), f"{bid}: Missing data for required field.")
    limited = values.get("budget_mode") != NO_BUDGET_MODE
    require(not (custom and limited) or values[bid] < values.get("budget", 0), f"{bid}: must be less than the budget.")
    require(not custom or objective != "VIDEO_VIEWS" or "bid_display_mode" in values,
            "bid_display_mode: Missing data for required field.")  # fmt: skip
    if objective == "APP_PROMOTION":
        for name in ("app_id", "operating_systems"):
            require(values.get(name), f"{name}: Missing data for required field.")
    if objective == "LEAD_GENERATION":
        _validate_lead_goal(values)
    converts = objective == "WEB_CONVERSIONS" and goal in {"CONVERT", "VALUE"}
    require(not converts or values.get("pixel_id"), "pixel_id: Missing data for required field.")
    counted = values.get("optimization_event") or not values.get("pixel_id")
    require(counted, "optimization_event: Missing data for required field.")


def _validate_lead_goal(values: dict[str, Any]) -> None:
    """Leads come from a form, from a website, with a pixel or without, or from messages and calls."""
    kind = values["promotion_type"]
    require(kind.startswith("LEAD_GEN"), "promotion_type: not supported by the objective LEAD_GENERATION.")
    website = values.get("promotion_target_type") == "EXTERNAL_WEBSITE"
    forms = {"LEAD_GENERATION", "CONVERSION_LEADS", "PREFERRED_LEAD"}
    goals = {"CONVERT" if values.get("pixel_id") else "CLICK"} if website else forms
    fits = kind != "LEAD_GENERATION" or values["optimization_goal"] in goals
    require(fits, f"optimization_goal: Must be {' or '.join(sorted(goals))} with this promotion_target_type.")
    require(website or not values.get("pixel_id"), "pixel_id: only supported with EXTERNAL_WEBSITE.")


def _validate_references(contents: AdAccountContents, values: dict[str, Any], campaign: Campaign) -> None:
    """Check what the ad group points to: places, people, pixels and conversions of the ad account."""
    validate_locations(values.get("location_ids") or [], values.get("zipcode_ids") or [])
    store, mine = contents.world.store, contents.advertiser.id
    for name in ("audience_ids", "excluded_audience_ids"):
        people_lists = store.get_all(PeopleList, values.get(name) or [])
        usable = {people_list.id for people_list in people_lists if people_list.parent == mine}
        require(usable >= set(values.get(name) or []), f"{name}: an audience does not exist.")
    pixel = values.get("pixel_id")
    allowed = campaign.fields["objective_type"] in _PIXEL_OBJECTIVES
    require(not pixel or allowed, "pixel_id: not supported by this objective; set tracking_pixel_id on the ad.")
    for name, kind in (("pixel_id", Pixel), ("custom_conversion_id", Conversion)):
        stored_object = store.get(kind, values[name]) if values.get(name) else None
        require(
            not values.get(name) or (stored_object and stored_object.parent == mine),
            f"{name}: {values.get(name)} does not exist.",
        )
    hours = values.get("dayparting") or "1" * _HALF_HOURS_PER_WEEK
    require(
        len(hours) == _HALF_HOURS_PER_WEEK and set(hours) <= {"0", "1"},
        "dayparting: must be 336 characters of 0 and 1.",
    )


def _parse_schedule(call: Call, values: dict[str, Any], *, is_new: bool = False) -> TimeSpan:
    start = parse_time(call, "schedule_start_time", values["schedule_start_time"])
    late = is_new and call.context.clock.now() - start > _MAX_START_DELAY
    require(not late, "schedule_start_time: must not be more than 12 hours ago.")
    if values["schedule_type"] == "SCHEDULE_FROM_NOW":
        require(
            values.get("budget_mode") != LIFETIME_BUDGET_MODE,
            "schedule_type: BUDGET_MODE_TOTAL needs SCHEDULE_START_END.",
        )
        return TimeSpan(start)
    require(values.get("schedule_end_time"), "schedule_end_time: Missing data for required field.")
    end = parse_time(call, "schedule_end_time", values["schedule_end_time"])
    require(end > max(start, call.context.clock.now()), "schedule_end_time: must be later than now and the start time.")
    return TimeSpan(start, end)


def _parse_budget(contents: AdAccountContents, values: dict[str, Any]) -> Budget:
    lowest, number = convert_min_budget(contents, _MIN_BUDGET_DOLLARS), float(values.get("budget") or 0)
    limited = values.get("budget_mode") in {DAILY_BUDGET_MODE, LIFETIME_BUDGET_MODE, DYNAMIC_DAILY_BUDGET_MODE}
    require(limited, "budget_mode: Missing data for required field, or not a valid choice.")
    require(number >= lowest, f"budget: must be at least {lowest} {contents.advertiser.currency}.")
    return Budget(to_minor_units(contents, number), daily=values["budget_mode"] != LIFETIME_BUDGET_MODE)


ROUTES = [
    *ADGROUP_LEVEL.routes,
    *build_api_routes("POST", "adgroup/create", create_adgroup),
    *build_api_routes("POST", "adgroup/update", update_adgroup),
]
