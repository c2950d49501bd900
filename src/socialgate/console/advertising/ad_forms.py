"""Forms of ads, read as the bodies of the API. Fields are named as in the body: `targeting/ageMin`.

People write amounts in whole units, times in the time zone of the page, and options of a platform as JSON. Options that
the platform asked for have fields of their own, such as `adsetOptions/dsa_payor`.
"""

from datetime import datetime
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

import msgspec

from socialgate.areas.accounts.schemas import AdAccount
from socialgate.console.formatting import words
from socialgate.console.forms import FormData, convert_body
from socialgate.contracts.ad_values import CallToAction, Goal, Optimization, SpecialCategory
from socialgate.contracts.money import InvalidAmountError, parse_amount
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.web.field_errors import build_invalid_request

T = TypeVar("T", bound=msgspec.Struct)

_LISTS = (
    "countries",
    "media",
    "specialCategories",
    "targeting/audiences",
    "targeting/countries",
    "targeting/excludedAudiences",
    "targeting/genders",
    "urlContains",
)
_OPTIONS = ("platformOptions", "adsetOptions")
# Stands for an amount that was not understood, so that everything else is checked all the same.
_ANY_AMOUNT = 1

GOALS = [(goal.value, words(goal.value)) for goal in Goal]
OPTIMIZATIONS = [("", "Default for the goal"), *((item.value, words(item.value)) for item in Optimization)]
BUTTONS = [("", "No button"), *((item.value, words(item.value)) for item in CallToAction)]
CATEGORIES = [(item.value, words(item.value)) for item in SpecialCategory]
BUDGET_TYPES = [("daily", "per day"), ("lifetime", "total")]


def read_body(form: FormData, account: AdAccount, zone: ZoneInfo, body_type: type[T], **values: Any) -> T:
    """Read a form as a body of the API, with everything that is wrong with it. `values` are known already."""
    vendor_options = {name: form.find_values(f"{name}/") for name in _OPTIONS}
    for name in _OPTIONS:
        form = form.without(f"{name}/")
    body = {**form.nest(lists=_LISTS), "adAccountId": account.id, **values}
    if "targeting" in body_type.__struct_fields__:
        # What is missing is then named by its field, and not as the whole object.
        body.setdefault("targeting", {})
    faults = [*_read_budget(body, account), *_read_options(body)]
    for name, options in vendor_options.items():
        if filled := {option: value.strip() for option, value in options.items() if value.strip()}:
            body[name] = {**body.get(name, {}), **filled}
    _read_times(body, zone)
    _read_countries(body)
    if "media" in body:
        body["media"] = [{"mediaId": media_id} for media_id in body["media"]]
    try:
        read = convert_body(body, body_type)
    except InvalidRequest as failure:
        raise build_invalid_request("", [*faults, *failure.errors]) from failure
    if faults:
        raise build_invalid_request("", faults)
    return read


def _read_budget(body: dict[str, Any], account: AdAccount) -> list[Fault]:
    budget = body.get("budget")
    if not isinstance(budget, dict):
        return []
    amount = budget.get("amount")
    if amount is None:
        # How it is divided says nothing about how much it is.
        del body["budget"]
        return []
    try:
        money = parse_amount(str(amount), account.currency or "")
    except InvalidAmountError as error:
        body["budget"] = {**budget, "amount": _ANY_AMOUNT, "currency": "USD"}
        detail = str(error) if account.currency else "The platform has not reported the currency of the ad account yet."
        return [Fault("/budget/amount", "invalid", detail)]
    body["budget"] = {**budget, "amount": money.amount, "currency": money.currency}
    return []


def _read_options(body: dict[str, Any]) -> list[Fault]:
    faults = []
    for name in _OPTIONS:
        if name not in body:
            continue
        try:
            body[name] = msgspec.json.decode(str(body[name]), type=dict[str, Any])
        except (msgspec.DecodeError, RecursionError):
            del body[name]
            faults.append(
                Fault(f"/{name}", "invalid", 'Write the options as a JSON object, such as {"name": "value"}.')
            )
    return faults


def _read_times(body: dict[str, Any], zone: ZoneInfo) -> None:
    schedule = body.get("schedule")
    if isinstance(schedule, dict):
        body["schedule"] = {name: _add_zone(value, zone) for name, value in schedule.items()}


def _add_zone(value: Any, zone: ZoneInfo) -> Any:
    """Return a time with its offset. What is not a time is left to validation."""
    try:
        moment = datetime.fromisoformat(str(value))
    except ValueError:
        return value
    return (moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)).isoformat()


def _read_countries(body: dict[str, Any]) -> None:
    for place in (body, body.get("targeting")):
        if isinstance(place, dict) and isinstance(place.get("countries"), list):
            place["countries"] = [code.upper() for code in place["countries"]]
