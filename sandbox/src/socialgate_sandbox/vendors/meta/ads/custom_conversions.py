"""Custom conversions: events of a pixel that match a rule."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.managed_objects import (
    ManagedObjects,
    build_blame_error,
    build_choice_parser,
    parse_number,
    parse_string,
    resolve_stored,
)
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes
from socialgate_sandbox.dialects.graph.parameters import parse_json_text
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import AdAccountObject
from socialgate_sandbox.society.product_filters import InvalidFilterError, build_product_filter
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_advertise_role
from socialgate_sandbox.vendors.meta.ads.pixels import PIXEL_NODE_TYPE, Pixel, list_counted_events

_NODE_NAME, _MAX_CONVERSIONS = "CustomConversion", 100
_EVENT_READERS: Mapping[str, Callable[[Any], Any]] = {
    "url": lambda event: event.url,
    "event": lambda event: event.name,
    "value": lambda event: event.value,
}


class Conversion(AdAccountObject, kw_only=True):
    """A custom conversion of an ad account (the parent)."""


def find_matching_times(call: Call, conversion: Conversion) -> list[datetime]:
    """Return when events matched the rule, the oldest first."""
    test: Callable[[Any], bool] = build_product_filter(parse_json_text(conversion.fields["rule"]), _EVENT_READERS)
    return [
        event.received
        for event in list_counted_events(call.context, conversion.fields["event_source_id"])
        if test(event)
    ]


def _build_fired_time_resolver(index: int) -> Any:
    def resolve(call: Call, conversion: Conversion, _field: RequestedField) -> str | None:
        times = find_matching_times(call, conversion)
        return format_time(times[index]) if times else None

    return resolve


def _validate_and_complete(call: Call, conversion: Conversion, _given: dict[str, Any]) -> None:
    pixel = call.context.store.get(Pixel, str(conversion.fields["event_source_id"]))
    if pixel is None or pixel.parent != conversion.parent:
        raise build_blame_error("event_source_id", "The pixel does not exist in the ad account.", title="Invalid Pixel")
    try:
        build_product_filter(parse_json_text(conversion.fields["rule"]), _EVENT_READERS)
    except InvalidFilterError as error:
        raise build_blame_error("rule", f"The rule is invalid: {error}.", title="Invalid Rule") from error
    others = [
        each for each in call.context.store.find(Conversion, parent=conversion.parent) if each.id != conversion.id
    ]
    if len(others) >= _MAX_CONVERSIONS:
        raise build_blame_error(
            "name", f"An ad account has at most {_MAX_CONVERSIONS} custom conversions.", title="Too Many"
        )


CONVERSION_NODE_TYPE = NodeType(
    _NODE_NAME,
    {
        **resolve_attributes("id", "name"),
        **resolve_stored("rule", "custom_event_type", "description", "default_conversion_value", "action_source_type"),
        "account_id": lambda _call, item, _field: item.parent.removeprefix("act_"),
        "creation_time": lambda _call, item, _field: format_time(item.created_at),
        "pixel": lambda call, item, _field: Node(
            PIXEL_NODE_TYPE, call.context.store.get(Pixel, item.fields["event_source_id"])
        ),
        "first_fired_time": _build_fired_time_resolver(0),
        "last_fired_time": _build_fired_time_resolver(-1),
        **dict.fromkeys(("is_archived", "is_unavailable"), lambda _call, _one, _field: False),
    },
    ("id",),
)
CONVERSIONS = ManagedObjects(
    node=CONVERSION_NODE_TYPE,
    kind=Conversion,
    parameter_parsers={
        **dict.fromkeys(("name", "event_source_id", "rule", "description", "advanced_rule"), parse_string),
        "custom_event_type": build_choice_parser(_NODE_NAME, "custom_event_type"),
        "action_source_type": build_choice_parser(_NODE_NAME, "action_source_type"),
        "default_conversion_value": parse_number,
    },
    require_access=require_advertise_role,
    validate_and_complete=_validate_and_complete,
    required=("name", "event_source_id", "rule"),
    changeable_params=("name", "description", "default_conversion_value"),
)
