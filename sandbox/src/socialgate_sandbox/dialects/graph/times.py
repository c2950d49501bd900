"""How the Graph API formats times, and how callers filter a list by them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_parameter_error
from socialgate_sandbox.dialects.graph.parameters import parse_time
from socialgate_sandbox.kit import Call


def format_time(time: datetime) -> str:
    """Format as `2026-11-14T09:28:50+0000`: there is no colon in the offset."""
    return time.strftime("%Y-%m-%dT%H:%M:%S%z")


def filter_by_time(call: Call, items: Sequence[Any], get_time: Callable[[Any], datetime]) -> list[Any]:
    """Keep what is between `since` and `until`."""
    since, until = _parse_bound(call, "since"), _parse_bound(call, "until")
    return [
        thing
        for thing in items
        if (since is None or get_time(thing) >= since) and (until is None or get_time(thing) <= until)
    ]


def _parse_bound(call: Call, name: str) -> datetime | None:
    value = call.params.get(name)
    edge = parse_time(value) if value else None
    if value and edge is None:
        raise build_parameter_error(f"Param {name} must be a valid time")
    return edge
