"""Ad groups: whom to show ads to, when, for how much money and for what result."""

from datetime import timedelta
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.society.campaigns import AdSet, Campaign
from socialgate_sandbox.society.people_lists import PeopleList
from socialgate_sandbox.society.spend import Budget, Goal, Mark, Span, marked
from socialgate_sandbox.vendors.tiktokads import campaigns
from socialgate_sandbox.vendors.tiktokads.campaigns import DAY, DYNAMIC, INFINITE, TOTAL
from socialgate_sandbox.vendors.tiktokads.conversions import Conversion
from socialgate_sandbox.vendors.tiktokads.errors import NO_UPDATE, answered, failed, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import (
    Books,
    Level,
    amount,
    asking,
    least,
    plain,
    read_moment,
    used_once,
)
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel
from socialgate_sandbox.vendors.tiktokads.targeting import (
    AGES,
    INTERESTS,
    LANGUAGES,
    PLACEMENTS,
    PROMOTIONS,
    check_places,
)

_LEAST, _HALF_HOURS, _LATEST = 20, 336, timedelta(hours=12)
_CONVERSIONS = {"WEB_CONVERSIONS", "PRODUCT_SALES", "LEAD_GENERATION"}
_WITHOUT_PROMOTION = {"REACH", "VIDEO_VIEWS", "ENGAGEMENT"}
# Each goal with how it may be charged, and what people then do more often.
_GOALS: dict[str, tuple[tuple[str, ...], Goal]] = {
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
_MANY = Field(list[str])
_FIELDS = {
    "campaign_id": Field(required=True, fixed=True),
    "adgroup_name": Field(required=True),
    "promotion_type": Field(words=PROMOTIONS, fixed=True),
    "promotion_target_type": Field(words=("INSTANT_PAGE", "EXTERNAL_WEBSITE"), fixed=True),
    "placement_type": Field(words=("PLACEMENT_TYPE_AUTOMATIC", "PLACEMENT_TYPE_NORMAL"), fixed=True),
    "placements": Field(list[str], words=PLACEMENTS, fixed=True),
    "optimization_goal": Field(required=True, words=_GOALS, fixed=True),
    "billing_event": Field(required=True, words=("CPC", "CPM", "CPV", "OCPM"), fixed=True),
    "bid_type": Field(words=("BID_TYPE_NO_BID", "BID_TYPE_CUSTOM")),
    "bid_price": Field(float),
    "conversion_bid_price": Field(float),
    "bid_display_mode": Field(words=("CPV",), fixed=True),
    "deep_bid_type": Field(words=("VO_MIN_ROAS", "VO_HIGHEST_VALUE")),
    "roas_bid": Field(float),
    "budget_mode": Field(words=(DAY, TOTAL, DYNAMIC, INFINITE), fixed=True),
    "budget": Field(float),
    "schedule_type": Field(required=True, words=("SCHEDULE_START_END", "SCHEDULE_FROM_NOW")),
    "schedule_start_time": Field(required=True),
    "schedule_end_time": Field(),
    "pacing": Field(words=("PACING_MODE_SMOOTH", "PACING_MODE_FAST")),
    "dayparting": Field(),
    "location_ids": Field(list[str], most=3000),
    "zipcode_ids": Field(list[str], most=3000),
    "age_groups": Field(list[str], words=AGES),
    "gender": Field(words=("GENDER_UNLIMITED", "GENDER_MALE", "GENDER_FEMALE")),
    "languages": Field(list[str], words=LANGUAGES),
    "operating_systems": Field(list[str], words=("ANDROID", "IOS"), most=1),
    "interest_category_ids": Field(list[str], words=INTERESTS),
    "network_types": Field(list[str], words=("WIFI", "2G", "3G", "4G", "5G")),
    "spending_power": Field(words=("ALL", "HIGH")),
    "household_income": Field(list[str], words=("TOP5", "TOP10", "TOP10_25", "TOP25_50")),
    **dict.fromkeys(("interest_keyword_ids", "audience_ids", "excluded_audience_ids"), _MANY),
    **dict.fromkeys(("comment_disabled", "video_download_disabled", "share_disabled", "smart_audience_enabled"),
                    Field(bool)),
    **dict.fromkeys(("pixel_id", "optimization_event", "custom_conversion_id", "identity_id", "identity_type", "app_id",
                     "catalog_id", "catalog_authorized_bc_id", "store_id", "shopping_ads_type", "product_source",
                     "saved_audience_id", "click_attribution_window", "view_attribution_window"), Field(fixed=True)),
}  # fmt: skip
_USUAL = {"placement_type": "PLACEMENT_TYPE_NORMAL", "pacing": "PACING_MODE_SMOOTH", "bid_type": "BID_TYPE_NO_BID",
          "gender": "GENDER_UNLIMITED", "comment_disabled": False}  # fmt: skip


def show(books: Books, one: AdSet) -> dict[str, Any]:
    del books
    return {"budget": one.fields.get("budget", 0.0), "creative_material_mode": "CUSTOM"}


LEVEL = Level("adgroup", AdSet, _FIELDS, show)


def create(call: Call) -> Response:
    books, asked = asking(call, write=True)
    values: dict[str, Any] = {**_USUAL, **LEVEL.read(call.params)}
    used_once(call, books, call.params.get("request_id"))
    campaign = campaigns.LEVEL.one_of(call, books, values.pop("campaign_id"))
    shared, now = bool(campaign.fields.get("budget_optimize_on")), call.world.clock.now()
    if shared:
        values |= {"budget_mode": INFINITE, "budget": 0.0}
    _check_goal(values, campaign)
    _check_references(books, values, campaign)
    made = AdSet(
        id=digits(16),
        parent=books.advertiser.id,
        above=campaign.id,
        name=plain("adgroup_name", values.pop("adgroup_name"), 512),
        made=now,
        changed=now,
        switches=(Mark(now, "off" if asked.operation_status == "DISABLE" else "on"),),
        schedule=(Mark(now, _schedule(call, values, new=True)),),
        budgets=() if shared else (Mark(now, _budget(books, values)),),
        goal=_GOALS[values["optimization_goal"]][1],
        fields=values,
    )
    books.groups[made.id] = call.world.store.put(made)
    return answered(call, LEVEL.shown(books, made))


def update(call: Call) -> Response:
    books, _asked = asking(call, write=True)
    one = LEVEL.one_of(call, books, str(call.params.get("adgroup_id", "")))
    values = LEVEL.read(call.params, update=True)
    if not values:
        return failed(call, NO_UPDATE, "Nothing to update.")
    if "adgroup_name" in values:
        one.name = plain("adgroup_name", values.pop("adgroup_name"), 512)
    one.fields, one.changed = one.fields | values, call.world.clock.now()
    _check_references(books, one.fields, books.campaigns[one.above])
    if "budget" in values:
        require(one.budgets, "budget: the campaign distributes its own budget.")
        one.budgets = marked(one.budgets, one.changed, _budget(books, one.fields))
    if {"schedule_type", "schedule_start_time", "schedule_end_time"} & set(values):
        one.schedule = marked(one.schedule, one.changed, _schedule(call, one.fields))
    books.groups[one.id] = call.world.store.put(one)
    return answered(call, LEVEL.shown(books, one))


def _check_goal(values: dict[str, Any], campaign: Campaign) -> None:
    objective, goal = campaign.fields["objective_type"], values["optimization_goal"]
    needs = objective not in _WITHOUT_PROMOTION
    require(not needs or "promotion_type" in values, "promotion_type: Missing data for required field.")
    billed = _GOALS[goal][0]
    require(values["billing_event"] in billed, f"billing_event: Must be {' or '.join(billed)} for the goal {goal}.")
    normal = values["placement_type"] == "PLACEMENT_TYPE_NORMAL"
    require(not normal or values.get("placements"), "placements: Missing data for required field.")
    bid = "conversion_bid_price" if values["billing_event"] == "OCPM" else "bid_price"
    custom = values["bid_type"] == "BID_TYPE_CUSTOM"
    require(not custom or values.get(bid), f"{bid}: Missing data for required field.")
    limited = values.get("budget_mode") != INFINITE
    require(not (custom and limited) or values[bid] < values.get("budget", 0), f"{bid}: must be less than the budget.")
    require(not custom or objective != "VIDEO_VIEWS" or "bid_display_mode" in values,
            "bid_display_mode: Missing data for required field.")  # fmt: skip
    if objective == "APP_PROMOTION":
        for name in ("app_id", "operating_systems"):
            require(values.get(name), f"{name}: Missing data for required field.")
    if objective == "LEAD_GENERATION":
        _check_leads(values)
    converts = objective == "WEB_CONVERSIONS" and goal in {"CONVERT", "VALUE"}
    require(not converts or values.get("pixel_id"), "pixel_id: Missing data for required field.")
    counted = values.get("optimization_event") or not values.get("pixel_id")
    require(counted, "optimization_event: Missing data for required field.")


def _check_leads(values: dict[str, Any]) -> None:
    """Leads come from a form, from a website, with a pixel or without, or from messages and calls."""
    kind = values["promotion_type"]
    require(kind.startswith("LEAD_GEN"), "promotion_type: not supported by the objective LEAD_GENERATION.")
    website = values.get("promotion_target_type") == "EXTERNAL_WEBSITE"
    forms = {"LEAD_GENERATION", "CONVERSION_LEADS", "PREFERRED_LEAD"}
    goals = {"CONVERT" if values.get("pixel_id") else "CLICK"} if website else forms
    fits = kind != "LEAD_GENERATION" or values["optimization_goal"] in goals
    require(fits, f"optimization_goal: Must be {' or '.join(sorted(goals))} with this promotion_target_type.")
    require(website or not values.get("pixel_id"), "pixel_id: only supported with EXTERNAL_WEBSITE.")


def _check_references(books: Books, values: dict[str, Any], campaign: Campaign) -> None:
    """Check what the ad group points to: places, people, pixels and conversions of the ad account."""
    check_places(values.get("location_ids") or [], values.get("zipcode_ids") or [])
    store, mine = books.world.store, books.advertiser.id
    for name in ("audience_ids", "excluded_audience_ids"):
        found = store.get_all(PeopleList, values.get(name) or [])
        usable = {one.id for one in found if one.parent == mine}
        require(usable >= set(values.get(name) or []), f"{name}: an audience does not exist.")
    pixel = values.get("pixel_id")
    allowed = campaign.fields["objective_type"] in _CONVERSIONS
    require(not pixel or allowed, "pixel_id: not supported by this objective; set tracking_pixel_id on the ad.")
    for name, kind in (("pixel_id", Pixel), ("custom_conversion_id", Conversion)):
        one = store.get(kind, values[name]) if values.get(name) else None
        require(not values.get(name) or (one and one.parent == mine), f"{name}: {values.get(name)} does not exist.")
    hours = values.get("dayparting") or "1" * _HALF_HOURS
    require(len(hours) == _HALF_HOURS and set(hours) <= {"0", "1"}, "dayparting: must be 336 characters of 0 and 1.")


def _schedule(call: Call, values: dict[str, Any], *, new: bool = False) -> Span:
    start = read_moment(call, "schedule_start_time", values["schedule_start_time"])
    late = new and call.world.clock.now() - start > _LATEST
    require(not late, "schedule_start_time: must not be more than 12 hours ago.")
    if values["schedule_type"] == "SCHEDULE_FROM_NOW":
        require(values.get("budget_mode") != TOTAL, "schedule_type: BUDGET_MODE_TOTAL needs SCHEDULE_START_END.")
        return Span(start)
    require(values.get("schedule_end_time"), "schedule_end_time: Missing data for required field.")
    end = read_moment(call, "schedule_end_time", values["schedule_end_time"])
    require(end > max(start, call.world.clock.now()), "schedule_end_time: must be later than now and the start time.")
    return Span(start, end)


def _budget(books: Books, values: dict[str, Any]) -> Budget:
    lowest, given = least(books, _LEAST), float(values.get("budget") or 0)
    limited = values.get("budget_mode") in {DAY, TOTAL, DYNAMIC}
    require(limited, "budget_mode: Missing data for required field, or not a valid choice.")
    require(given >= lowest, f"budget: must be at least {lowest} {books.advertiser.currency}.")
    return Budget(amount(books, given), daily=values["budget_mode"] != TOTAL)


ROUTES = [*LEVEL.routes, *api("POST", "adgroup/create", create), *api("POST", "adgroup/update", update)]
