"""Custom conversions: events of a pixel that fulfil certain rules."""

import re
from datetime import datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Thing, World, digits
from socialgate_sandbox.society.tracking import Condition, selected
from socialgate_sandbox.vendors.tiktokads.access import PIXELS
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND, answered, refused, require
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import Books, asking, moment
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel

_WORDS = {"CONTAIN": "contains", "NOT_CONTAIN": "not_contains", "START_WITH": "starts_with"}
_SAME = {"EQUAL": "eq", "NOT_EQUAL": "neq"}
_ORDER = {"LT": "lt", "GT": "gt", "LTE": "lte", "GTE": "gte"}
_OPERATORS = {**_WORDS, **_SAME, **_ORDER}
_AMOUNTS = ("NUM_ITEMS", "PRICE", "VALUE")
_TEXTS = ("URL", "BRAND", "CONTENT_CATEGORY", "CONTENT_ID", "CONTENT_NAME", "CONTENT_TYPE", "DESCRIPTION", "EVENT_ID",
          "SEARCH_STRING", "STATUS")  # fmt: skip
_TAKES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_TEXTS, (*_WORDS, *_SAME)),
    **dict.fromkeys(_AMOUNTS, (*_SAME, *_ORDER)),
    "CURRENCY": tuple(_SAME),
}
_NUMBER = re.compile(r"\d{1,10}(\.\d{1,2})?")
_NAME = re.compile(r"[A-Za-z][\w \-]{0,49}")
_LONGEST, _MOST_RULES, _RECENT, _MOST = 500, 10, timedelta(days=7), 1000


class Rule(msgspec.Struct, frozen=True):
    parameter: str
    operator: str
    values: list[str]


class Conversion(Thing):
    name: str
    source: str
    event: str
    rules: list[Rule]
    made: datetime
    changed: datetime
    description: str = ""
    source_type: str = "PIXEL"


class Asked(msgspec.Struct):
    custom_conversion_id: str = ""
    name: str = ""
    description: str = ""
    event_source_type: str = ""
    event_source_id: str = ""
    optimization_event: str = ""
    rules: list[Rule] = []
    search_keyword: str = ""


def create(call: Call) -> Response:
    books, given = _asked(call)
    require(given.event_source_type in {"PIXEL", "APP"}, "event_source_type: Must be one of: PIXEL, APP.")
    source = call.world.store.get(Pixel, given.event_source_id)
    known = source is not None and source.parent == books.advertiser.id
    require(known, f"event_source_id: {given.event_source_id} does not exist.")
    require(given.optimization_event, "optimization_event: Missing data for required field.")
    require(1 <= len(given.rules) <= _MOST_RULES, f"rules: between 1 and {_MOST_RULES} rules are allowed.")
    for place, rule in enumerate(given.rules):
        require(rule.operator in _TAKES.get(rule.parameter, ()), f"rules.{place}: not a valid parameter or operator.")
        fits = rule.parameter not in _AMOUNTS or all(_NUMBER.fullmatch(value) for value in rule.values)
        require(rule.values and fits, f"rules.{place}.values: Missing data for required field, or not a number.")
    now = call.world.clock.now()
    made = Conversion(
        id=digits(19), parent=books.advertiser.id, name=_name(books, given.name), source=given.event_source_id,
        event=given.optimization_event, rules=given.rules, made=now, changed=now,
        description=given.description[:_LONGEST],
    )  # fmt: skip
    return answered(call, {"custom_conversion_id": call.world.store.put(made).id})


def update(call: Call) -> Response:
    books, given = _asked(call)
    one = _conversion(call, books, given)
    one.name = _name(books, given.name, one.id) if given.name else one.name
    one.description, one.changed = given.description or one.description, call.world.clock.now()
    call.world.store.put(one)
    return answered(call, {"custom_conversion_id": one.id})


def delete(call: Call) -> Response:
    books, given = _asked(call)
    call.world.store.delete(Conversion, _conversion(call, books, given).id)
    return answered(call, {})


def read(call: Call) -> Response:
    books, given = _asked(call, write=False)
    _require_source(given)
    one = _conversion(call, books, given)
    if one.source != given.event_source_id:
        raise refused(call, NOT_FOUND, f"The custom conversion {one.id} does not exist.")
    shown = _shown(call.world, one)
    return answered(call, {**shown, "activity_status": shown.pop("activity_info")["activity_status"]})


def list_conversions(call: Call) -> Response:
    books, given = _asked(call, write=False)
    _require_source(given)
    every = call.world.store.find(Conversion, parent=books.advertiser.id, newest_first=True)
    word = given.search_keyword.lower()
    found = [
        one for one in every if one.source == given.event_source_id and (word in one.name.lower() or word == one.id)
    ]
    rows, info = paged(call, call.read(PageQuery), found, most=_MOST)
    return answered(call, {"list": [_shown(call.world, one) for one in rows], "page_info": info})


def _asked(call: Call, *, write: bool = True) -> tuple[Books, Asked]:
    books, _given = asking(call, PIXELS, write=write)
    return books, call.read(Asked)


def _require_source(given: Asked) -> None:
    for name in ("event_source_type", "event_source_id"):
        require(getattr(given, name), f"{name}: Missing data for required field.")


def _name(books: Books, name: str, key: str = "") -> str:
    require(
        _NAME.fullmatch(name), "name: must start with a letter and have at most 50 letters, digits, spaces, _ or -."
    )
    others = books.world.store.find(Conversion, parent=books.advertiser.id)
    require(name not in {one.name for one in others if one.id != key}, "name: the name is already used.")
    return name


def _conversion(call: Call, books: Books, given: Asked) -> Conversion:
    found = call.world.store.get(Conversion, given.custom_conversion_id)
    if found is None or found.parent != books.advertiser.id:
        raise refused(call, NOT_FOUND, f"The custom conversion {given.custom_conversion_id} does not exist.")
    return found


def _shown(world: World, one: Conversion) -> dict[str, Any]:
    conditions = [
        Condition(rule.parameter.lower(), _OPERATORS[rule.operator], rule.values, number=rule.parameter in _AMOUNTS)
        for rule in one.rules
    ]
    events = list(selected(world, one.source, conditions))
    recent = any(world.clock.now() - event.taken < _RECENT for event in events)
    active = "ACTIVE" if recent else "NO_RECENT_ACTIVITY" if events else "WAITING_FOR_ACTIVITY"
    return {
        "custom_conversion_id": one.id,
        "name": one.name,
        "description": one.description,
        "event_source_type": one.source_type,
        "event_source_id": one.source,
        "optimization_event": one.event,
        "rules": one.rules,
        "activity_info": {"activity_status": active, "total_count": len(events)},
        "create_time": moment(one.made),
        "update_time": moment(one.changed),
    }


ROUTES = [
    *api("POST", "custom_conversion/create", create),
    *api("POST", "custom_conversion/update", update),
    *api("POST", "custom_conversion/delete", delete),
    *api("GET", "custom_conversion/get", read),
    *api("GET", "custom_conversion/list", list_conversions),
]
