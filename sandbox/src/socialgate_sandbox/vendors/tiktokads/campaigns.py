"""Campaigns: what they are for, and a budget for everything in them, if they have one."""

from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, generate_digits
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.society.ad_spend import Budget, TimedValue, append_value
from socialgate_sandbox.society.campaigns import Campaign, get_state
from socialgate_sandbox.vendors.tiktokads.ad_objects import (
    AdAccountContents,
    AdObjectLevel,
    authorize_ad_call,
    convert_min_budget,
    require_plain_text,
    require_unused_request_id,
    to_minor_units,
)
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    NOTHING_TO_UPDATE_CODE,
    build_error_response,
    build_success_response,
    require,
)

OBJECTIVES = ("REACH", "TRAFFIC", "VIDEO_VIEWS", "LEAD_GENERATION", "ENGAGEMENT", "APP_PROMOTION", "WEB_CONVERSIONS",
              "PRODUCT_SALES")  # fmt: skip
NO_BUDGET_MODE, DAILY_BUDGET_MODE, LIFETIME_BUDGET_MODE, DYNAMIC_DAILY_BUDGET_MODE = (
    f"BUDGET_MODE_{mode}" for mode in ("INFINITE", "DAY", "TOTAL", "DYNAMIC_DAILY_BUDGET")
)
_MIN_BUDGET_DOLLARS = 50
_DEFAULT_VALUES = {"budget_mode": NO_BUDGET_MODE, "campaign_type": "REGULAR_CAMPAIGN", "budget_optimize_on": False}
_CAMPAIGN_FIELDS = {
    "campaign_name": Field(required=True),
    "objective_type": Field(required=True, allowed_values=OBJECTIVES, is_immutable=True),
    "app_promotion_type": Field(
        allowed_values=("APP_INSTALL", "APP_RETARGETING", "APP_PREREGISTRATION"), is_immutable=True
    ),
    "virtual_objective_type": Field(allowed_values=("SALES",), is_immutable=True),
    "sales_destination": Field(allowed_values=("TIKTOK_SHOP", "WEBSITE", "APP", "WEB_AND_APP"), is_immutable=True),
    "budget_mode": Field(
        allowed_values=(NO_BUDGET_MODE, DAILY_BUDGET_MODE, LIFETIME_BUDGET_MODE, DYNAMIC_DAILY_BUDGET_MODE),
        is_immutable=True,
    ),
    "budget": Field(float),
    "budget_optimize_on": Field(bool, is_immutable=True),
    "special_industries": Field(list[str], allowed_values=("HOUSING", "EMPLOYMENT", "CREDIT")),
    "campaign_type": Field(allowed_values=("REGULAR_CAMPAIGN", "IOS14_CAMPAIGN"), is_immutable=True),
    "po_number": Field(),
}


def build_own_fields(_contents: AdAccountContents, campaign: Campaign) -> dict[str, Any]:
    return {
        "is_smart_performance_campaign": False,
        "is_search_campaign": False,
        "budget": campaign.fields.get("budget", 0.0),
    }


CAMPAIGN_LEVEL = AdObjectLevel("campaign", Campaign, _CAMPAIGN_FIELDS, build_own_fields)


def create_campaign(call: Call) -> Response:
    books, object_params = authorize_ad_call(call, requires_write=True)
    params = CAMPAIGN_LEVEL.parse_values(call.params)
    require_unused_request_id(call, books, call.params.get("request_id"))
    values: dict[str, Any] = {
        "budget_mode": NO_BUDGET_MODE,
        "campaign_type": "REGULAR_CAMPAIGN",
        "budget_optimize_on": False,
    } | params
    request = call.params.get("request_id")
    # With it, campaigns may have the same name.
    name, now = (
        _require_name(books, values.pop("campaign_name"), must_be_unique=request is None),
        call.context.clock.now(),
    )
    app = values["objective_type"] == "APP_PROMOTION"
    require(not app or "app_promotion_type" in values, "app_promotion_type: Missing data for required field.")
    require(not values["budget_optimize_on"] or values["budget_mode"] != NO_BUDGET_MODE, "budget_mode: needs a budget.")
    campaign = Campaign(
        id=generate_digits(16),
        parent=books.advertiser.id,
        name=name,
        created_at=now,
        changed=now,
        switches=(TimedValue(now, "off" if object_params.operation_status == "DISABLE" else "on"),),
        budgets=() if values["budget_mode"] == NO_BUDGET_MODE else (TimedValue(now, _parse_budget(books, values)),),
        fields=values,
    )
    books.campaigns[campaign.id] = call.context.store.put(campaign)
    return build_success_response(call, CAMPAIGN_LEVEL.build_json(books, campaign))


def update_campaign(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, requires_write=True)
    campaign = CAMPAIGN_LEVEL.require_object(call, books, str(call.params.get("campaign_id", "")))
    values = CAMPAIGN_LEVEL.parse_values(call.params, is_update=True)
    if not values:
        return build_error_response(call, NOTHING_TO_UPDATE_CODE, "Nothing to update.")
    if "campaign_name" in values:
        campaign.name = _require_name(books, values.pop("campaign_name"), campaign.id)
    require(not values.get("special_industries"), "special_industries: can only be removed.")
    campaign.fields, campaign.changed = campaign.fields | values, call.context.clock.now()
    if "budget" in values:
        require(campaign.budgets, "budget: the campaign has no budget.")
        campaign.budgets = append_value(campaign.budgets, campaign.changed, _parse_budget(books, campaign.fields))
    books.campaigns[campaign.id] = call.context.store.put(campaign)
    return build_success_response(call, CAMPAIGN_LEVEL.build_json(books, campaign))


def _require_name(contents: AdAccountContents, name: str, key: str = "", *, must_be_unique: bool = True) -> str:
    others = [
        campaign
        for campaign in contents.campaigns.values()
        if campaign.id != key and get_state(contents.world, campaign) != "deleted"
    ]
    taken = must_be_unique and name in {campaign.name for campaign in others}
    require(not taken, "Campaign name already exists. Please try another one.")
    return require_plain_text("campaign_name", name, 512)


def _parse_budget(contents: AdAccountContents, values: dict[str, Any]) -> Budget:
    value, lowest = values.get("budget"), convert_min_budget(contents, _MIN_BUDGET_DOLLARS)
    require(value is not None, "budget: Missing data for required field.")
    require(float(value or 0) >= lowest, f"budget: must be at least {lowest} {contents.advertiser.currency}.")
    return Budget(to_minor_units(contents, float(value or 0)), daily=values["budget_mode"] != LIFETIME_BUDGET_MODE)


ROUTES = [
    *CAMPAIGN_LEVEL.routes,
    *build_api_routes("POST", "campaign/create", create_campaign),
    *build_api_routes("POST", "campaign/update", update_campaign),
]
