"""Custom conversions: events of a pixel that fulfil certain rules."""

import re
from datetime import datetime, timedelta
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, StoredObject, VendorContext, generate_digits
from socialgate_sandbox.society.conversion_events import Condition, select_events
from socialgate_sandbox.vendors.tiktokads.access import PIXELS_SCOPE
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import AdAccountContents, authorize_ad_call, format_time
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import NOT_FOUND_CODE, build_error, build_success_response, require
from socialgate_sandbox.vendors.tiktokads.pixels import Pixel

_TEXT_TESTS = {"CONTAIN": "contains", "NOT_CONTAIN": "not_contains", "START_WITH": "starts_with"}
_EQUALITY_TESTS = {"EQUAL": "eq", "NOT_EQUAL": "neq"}
_COMPARISON_TESTS = {"LT": "lt", "GT": "gt", "LTE": "lte", "GTE": "gte"}
_TESTS_BY_OPERATOR = {**_TEXT_TESTS, **_EQUALITY_TESTS, **_COMPARISON_TESTS}
_NUMBER_PARAMETERS = ("NUM_ITEMS", "PRICE", "VALUE")
_TEXT_PARAMETERS = (
    "URL",
    "BRAND",
    "CONTENT_CATEGORY",
    "CONTENT_ID",
    "CONTENT_NAME",
    "CONTENT_TYPE",
    "DESCRIPTION",
    "EVENT_ID",
    "SEARCH_STRING",
    "STATUS",
)
_OPERATORS_BY_PARAMETER: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(_TEXT_PARAMETERS, (*_TEXT_TESTS, *_EQUALITY_TESTS)),
    **dict.fromkeys(_NUMBER_PARAMETERS, (*_EQUALITY_TESTS, *_COMPARISON_TESTS)),
    "CURRENCY": tuple(_EQUALITY_TESTS),
}
_NUMBER_PATTERN = re.compile(r"\d{1,10}(\.\d{1,2})?")
_NAME_PATTERN = re.compile(r"[A-Za-z][\w \-]{0,49}")
_MAX_DESCRIPTION_LENGTH, _MAX_RULES, _ACTIVITY_PERIOD, _MAX_PAGE_SIZE = 500, 10, timedelta(days=7), 1000


class ConversionRule(msgspec.Struct, frozen=True):
    parameter: str
    operator: str
    values: list[str]


class Conversion(StoredObject):
    name: str
    source: str
    event: str
    rules: list[ConversionRule]
    created_at: datetime = msgspec.field(name="made")
    changed: datetime
    description: str = ""
    source_type: str = "PIXEL"


class ConversionParams(msgspec.Struct):
    custom_conversion_id: str = ""
    name: str = ""
    description: str = ""
    event_source_type: str = ""
    event_source_id: str = ""
    optimization_event: str = ""
    rules: list[ConversionRule] = []
    search_keyword: str = ""


def create_conversion(call: Call) -> Response:
    books, conversion_params = _authorize_conversion_call(call)
    require(conversion_params.event_source_type in {"PIXEL", "APP"}, "event_source_type: Must be one of: PIXEL, APP.")
    source = call.context.store.get(Pixel, conversion_params.event_source_id)
    known = source is not None and source.parent == books.advertiser.id
    require(known, f"event_source_id: {conversion_params.event_source_id} does not exist.")
    require(conversion_params.optimization_event, "optimization_event: Missing data for required field.")
    require(1 <= len(conversion_params.rules) <= _MAX_RULES, f"rules: between 1 and {_MAX_RULES} rules are allowed.")
    for place, rule in enumerate(conversion_params.rules):
        require(
            rule.operator in _OPERATORS_BY_PARAMETER.get(rule.parameter, ()),
            f"rules.{place}: not a valid parameter or operator.",
        )
        fits = rule.parameter not in _NUMBER_PARAMETERS or all(
            _NUMBER_PATTERN.fullmatch(value) for value in rule.values
        )
        require(rule.values and fits, f"rules.{place}.values: Missing data for required field, or not a number.")
    now = call.context.clock.now()
    conversion = Conversion(
        id=generate_digits(19),
        parent=books.advertiser.id,
        name=_require_name(books, conversion_params.name),
        source=conversion_params.event_source_id,
        event=conversion_params.optimization_event,
        rules=conversion_params.rules,
        created_at=now,
        changed=now,
        description=conversion_params.description[:_MAX_DESCRIPTION_LENGTH],
    )
    return build_success_response(call, {"custom_conversion_id": call.context.store.put(conversion).id})


def update_conversion(call: Call) -> Response:
    books, conversion_params = _authorize_conversion_call(call)
    conversion = _require_conversion(call, books, conversion_params)
    conversion.name = (
        _require_name(books, conversion_params.name, conversion.id) if conversion_params.name else conversion.name
    )
    conversion.description, conversion.changed = (
        conversion_params.description or conversion.description,
        call.context.clock.now(),
    )
    call.context.store.put(conversion)
    return build_success_response(call, {"custom_conversion_id": conversion.id})


def delete_conversion(call: Call) -> Response:
    books, conversion_params = _authorize_conversion_call(call)
    call.context.store.delete(Conversion, _require_conversion(call, books, conversion_params).id)
    return build_success_response(call, {})


def get_conversion(call: Call) -> Response:
    books, conversion_params = _authorize_conversion_call(call, requires_write=False)
    _require_source(conversion_params)
    conversion = _require_conversion(call, books, conversion_params)
    if conversion.source != conversion_params.event_source_id:
        raise build_error(call, NOT_FOUND_CODE, f"The custom conversion {conversion.id} does not exist.")
    shown = _build_conversion_json(call.context, conversion)
    return build_success_response(call, {**shown, "activity_status": shown.pop("activity_info")["activity_status"]})


def list_conversions(call: Call) -> Response:
    books, conversion_params = _authorize_conversion_call(call, requires_write=False)
    _require_source(conversion_params)
    every = call.context.store.find(Conversion, parent=books.advertiser.id, newest_first=True)
    word = conversion_params.search_keyword.lower()
    conversions = [
        conversion
        for conversion in every
        if conversion.source == conversion_params.event_source_id
        and (word in conversion.name.lower() or word == conversion.id)
    ]
    rows, info = select_page(call, call.parse_params(PageQuery), conversions, max_page_size=_MAX_PAGE_SIZE)
    return build_success_response(
        call, {"list": [_build_conversion_json(call.context, row) for row in rows], "page_info": info}
    )


def _authorize_conversion_call(
    call: Call, *, requires_write: bool = True
) -> tuple[AdAccountContents, ConversionParams]:
    books, _given = authorize_ad_call(call, PIXELS_SCOPE, requires_write=requires_write)
    return books, call.parse_params(ConversionParams)


def _require_source(params: ConversionParams) -> None:
    for name in ("event_source_type", "event_source_id"):
        require(getattr(params, name), f"{name}: Missing data for required field.")


def _require_name(contents: AdAccountContents, name: str, key: str = "") -> str:
    require(
        _NAME_PATTERN.fullmatch(name),
        "name: must start with a letter and have at most 50 letters, digits, spaces, _ or -.",
    )
    others = contents.world.store.find(Conversion, parent=contents.advertiser.id)
    require(
        name not in {conversion.name for conversion in others if conversion.id != key},
        "name: the name is already used.",
    )
    return name


def _require_conversion(call: Call, contents: AdAccountContents, params: ConversionParams) -> Conversion:
    conversion = call.context.store.get(Conversion, params.custom_conversion_id)
    if conversion is None or conversion.parent != contents.advertiser.id:
        raise build_error(call, NOT_FOUND_CODE, f"The custom conversion {params.custom_conversion_id} does not exist.")
    return conversion


def _build_conversion_json(context: VendorContext, conversion: Conversion) -> dict[str, Any]:
    conditions = [
        Condition(
            rule.parameter.lower(),
            _TESTS_BY_OPERATOR[rule.operator],
            rule.values,
            number=rule.parameter in _NUMBER_PARAMETERS,
        )
        for rule in conversion.rules
    ]
    events = list(select_events(context, conversion.source, conditions))
    recent = any(context.clock.now() - event.taken < _ACTIVITY_PERIOD for event in events)
    active = "ACTIVE" if recent else "NO_RECENT_ACTIVITY" if events else "WAITING_FOR_ACTIVITY"
    return {
        "custom_conversion_id": conversion.id,
        "name": conversion.name,
        "description": conversion.description,
        "event_source_type": conversion.source_type,
        "event_source_id": conversion.source,
        "optimization_event": conversion.event,
        "rules": conversion.rules,
        "activity_info": {"activity_status": active, "total_count": len(events)},
        "create_time": format_time(conversion.created_at),
        "update_time": format_time(conversion.changed),
    }


ROUTES = [
    *build_api_routes("POST", "custom_conversion/create", create_conversion),
    *build_api_routes("POST", "custom_conversion/update", update_conversion),
    *build_api_routes("POST", "custom_conversion/delete", delete_conversion),
    *build_api_routes("GET", "custom_conversion/get", get_conversion),
    *build_api_routes("GET", "custom_conversion/list", list_conversions),
]
