"""Custom conversions: events of a pixel that match a rule."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import parsed
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate_sandbox.dialects.graph.objects import Objects, choice, invalid, number, stored, string
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call
from socialgate_sandbox.society.campaigns import Kept
from socialgate_sandbox.society.product_filters import BadFilter, keep
from socialgate_sandbox.vendors.meta.ads.accounts import require_advertiser
from socialgate_sandbox.vendors.meta.ads.pixels import PIXEL, Pixel, events_of

_NODE, _MOST = "CustomConversion", 100
_READERS: Mapping[str, Callable[[Any], Any]] = {
    "url": lambda event: event.url,
    "event": lambda event: event.name,
    "value": lambda event: event.value,
}


class Conversion(Kept, kw_only=True):
    """A custom conversion of an ad account (the parent)."""


def fired(call: Call, one: Conversion) -> list[datetime]:
    """Return when events matched the rule, the oldest first."""
    test: Callable[[Any], bool] = keep(parsed(one.fields["rule"]), _READERS)
    return [event.received for event in events_of(call.world, one.fields["event_source_id"]) if test(event)]


def _fired(place: int) -> Any:
    def resolve(call: Call, one: Conversion, _field: Field) -> str | None:
        found = fired(call, one)
        return written(found[place]) if found else None

    return resolve


def _write(call: Call, one: Conversion, _given: dict[str, Any]) -> None:
    pixel = call.world.store.get(Pixel, str(one.fields["event_source_id"]))
    if pixel is None or pixel.parent != one.parent:
        raise invalid("event_source_id", "The pixel does not exist in the ad account.", title="Invalid Pixel")
    try:
        keep(parsed(one.fields["rule"]), _READERS)
    except BadFilter as error:
        raise invalid("rule", f"The rule is invalid: {error}.", title="Invalid Rule") from error
    others = [each for each in call.world.store.find(Conversion, parent=one.parent) if each.id != one.id]
    if len(others) >= _MOST:
        raise invalid("name", f"An ad account has at most {_MOST} custom conversions.", title="Too Many")


CONVERSION = NodeType(
    _NODE,
    {
        **own("id", "name"),
        **stored("rule", "custom_event_type", "description", "default_conversion_value", "action_source_type"),
        "account_id": lambda _call, one, _field: one.parent.removeprefix("act_"),
        "creation_time": lambda _call, one, _field: written(one.made),
        "pixel": lambda call, one, _field: Node(PIXEL, call.world.store.get(Pixel, one.fields["event_source_id"])),
        "first_fired_time": _fired(0),
        "last_fired_time": _fired(-1),
        **dict.fromkeys(("is_archived", "is_unavailable"), lambda _call, _one, _field: False),
    },
    ("id",),
)
CONVERSIONS = Objects(
    node=CONVERSION,
    kind=Conversion,
    params={
        **dict.fromkeys(("name", "event_source_id", "rule", "description", "advanced_rule"), string),
        "custom_event_type": choice(_NODE, "custom_event_type"),
        "action_source_type": choice(_NODE, "action_source_type"),
        "default_conversion_value": number,
    },
    guard=require_advertiser,
    write=_write,
    required=("name", "event_source_id", "rule"),
    changes=("name", "description", "default_conversion_value"),
)
