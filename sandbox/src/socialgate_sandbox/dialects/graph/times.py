"""How the Graph API formats times, and how callers filter a list by them."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from socialgate_sandbox.dialects.graph.errors import wrong
from socialgate_sandbox.dialects.graph.given import moment
from socialgate_sandbox.kit import Call


def written(moment: datetime) -> str:
    """Format as `2026-11-14T09:28:50+0000`: there is no colon in the offset."""
    return moment.strftime("%Y-%m-%dT%H:%M:%S%z")


def within(call: Call, found: Sequence[Any], when: Callable[[Any], datetime]) -> list[Any]:
    """Keep what is between `since` and `until`."""
    since, until = _edge(call, "since"), _edge(call, "until")
    return [
        thing for thing in found if (since is None or when(thing) >= since) and (until is None or when(thing) <= until)
    ]


def _edge(call: Call, name: str) -> datetime | None:
    given = call.params.get(name)
    edge = moment(given) if given else None
    if given and edge is None:
        raise wrong(f"Param {name} must be a valid time")
    return edge
