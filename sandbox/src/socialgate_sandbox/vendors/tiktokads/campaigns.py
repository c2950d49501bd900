"""Campaigns: what they are for, and a budget for everything in them, if they have one."""

from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, digits
from socialgate_sandbox.kit.fields import Field
from socialgate_sandbox.society.campaigns import Campaign, state_of
from socialgate_sandbox.society.spend import Budget, Mark, marked
from socialgate_sandbox.vendors.tiktokads.errors import NO_UPDATE, answered, failed, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import Books, Level, amount, asking, least, plain, used_once

OBJECTIVES = ("REACH", "TRAFFIC", "VIDEO_VIEWS", "LEAD_GENERATION", "ENGAGEMENT", "APP_PROMOTION", "WEB_CONVERSIONS",
              "PRODUCT_SALES")  # fmt: skip
INFINITE, DAY, TOTAL, DYNAMIC = (f"BUDGET_MODE_{mode}" for mode in ("INFINITE", "DAY", "TOTAL", "DYNAMIC_DAILY_BUDGET"))
_LEAST = 50
_USUAL = {"budget_mode": INFINITE, "campaign_type": "REGULAR_CAMPAIGN", "budget_optimize_on": False}
_FIELDS = {
    "campaign_name": Field(required=True),
    "objective_type": Field(required=True, words=OBJECTIVES, fixed=True),
    "app_promotion_type": Field(words=("APP_INSTALL", "APP_RETARGETING", "APP_PREREGISTRATION"), fixed=True),
    "virtual_objective_type": Field(words=("SALES",), fixed=True),
    "sales_destination": Field(words=("TIKTOK_SHOP", "WEBSITE", "APP", "WEB_AND_APP"), fixed=True),
    "budget_mode": Field(words=(INFINITE, DAY, TOTAL, DYNAMIC), fixed=True),
    "budget": Field(float),
    "budget_optimize_on": Field(bool, fixed=True),
    "special_industries": Field(list[str], words=("HOUSING", "EMPLOYMENT", "CREDIT")),
    "campaign_type": Field(words=("REGULAR_CAMPAIGN", "IOS14_CAMPAIGN"), fixed=True),
    "po_number": Field(),
}


def show(_books: Books, one: Campaign) -> dict[str, Any]:
    return {
        "is_smart_performance_campaign": False,
        "is_search_campaign": False,
        "budget": one.fields.get("budget", 0.0),
    }


LEVEL = Level("campaign", Campaign, _FIELDS, show)


def create(call: Call) -> Response:
    books, asked = asking(call, write=True)
    given = LEVEL.read(call.params)
    used_once(call, books, call.params.get("request_id"))
    values: dict[str, Any] = {
        "budget_mode": INFINITE,
        "campaign_type": "REGULAR_CAMPAIGN",
        "budget_optimize_on": False,
    } | given
    request = call.params.get("request_id")
    # With it, campaigns may have the same name.
    name, now = _name(books, values.pop("campaign_name"), unique=request is None), call.world.clock.now()
    app = values["objective_type"] == "APP_PROMOTION"
    require(not app or "app_promotion_type" in values, "app_promotion_type: Missing data for required field.")
    require(not values["budget_optimize_on"] or values["budget_mode"] != INFINITE, "budget_mode: needs a budget.")
    made = Campaign(
        id=digits(16),
        parent=books.advertiser.id,
        name=name,
        made=now,
        changed=now,
        switches=(Mark(now, "off" if asked.operation_status == "DISABLE" else "on"),),
        budgets=() if values["budget_mode"] == INFINITE else (Mark(now, _budget(books, values)),),
        fields=values,
    )
    books.campaigns[made.id] = call.world.store.put(made)
    return answered(call, LEVEL.shown(books, made))


def update(call: Call) -> Response:
    books, _asked = asking(call, write=True)
    one = LEVEL.one_of(call, books, str(call.params.get("campaign_id", "")))
    values = LEVEL.read(call.params, update=True)
    if not values:
        return failed(call, NO_UPDATE, "Nothing to update.")
    if "campaign_name" in values:
        one.name = _name(books, values.pop("campaign_name"), one.id)
    require(not values.get("special_industries"), "special_industries: can only be removed.")
    one.fields, one.changed = one.fields | values, call.world.clock.now()
    if "budget" in values:
        require(one.budgets, "budget: the campaign has no budget.")
        one.budgets = marked(one.budgets, one.changed, _budget(books, one.fields))
    books.campaigns[one.id] = call.world.store.put(one)
    return answered(call, LEVEL.shown(books, one))


def _name(books: Books, name: str, key: str = "", *, unique: bool = True) -> str:
    others = [one for one in books.campaigns.values() if one.id != key and state_of(books.world, one) != "deleted"]
    taken = unique and name in {one.name for one in others}
    require(not taken, "Campaign name already exists. Please try another one.")
    return plain("campaign_name", name, 512)


def _budget(books: Books, values: dict[str, Any]) -> Budget:
    given, lowest = values.get("budget"), least(books, _LEAST)
    require(given is not None, "budget: Missing data for required field.")
    require(float(given or 0) >= lowest, f"budget: must be at least {lowest} {books.advertiser.currency}.")
    return Budget(amount(books, float(given or 0)), daily=values["budget_mode"] != TOTAL)


ROUTES = [*LEVEL.routes, *api("POST", "campaign/create", create), *api("POST", "campaign/update", update)]
