"""Validation rules that the types alone cannot express."""

from collections.abc import Sequence
from datetime import UTC, datetime

from socialgate.core.errors import Fault, Invalid
from socialgate.core.events import EVENTS
from socialgate.web.similar import meant


def require_events(names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name not in EVENTS:
            raise _unknown_event(f"/events/{place}", name)
        if name in names[:place]:
            raise Invalid.at(f"/events/{place}", "duplicate", f"The event {name} occurs twice. Keep one of them.")


def require_event(name: str | None) -> None:
    if name is not None and name not in EVENTS:
        raise _unknown_event("?event", name)


def require_range(since: datetime | None, until: datetime | None, mark: str) -> None:
    """Check a time from a body (`/`) or a query (`?`). The first and last times of a calendar have no UTC."""
    for name, moment in (("since", since), ("until", until)):
        if moment is not None and not _has_utc(moment):
            raise Invalid.at(f"{mark}{name}", "out_of_range", f"{name} must be between the years 1 and 9999 in UTC.")
    if since is not None and until is not None and until <= since:
        raise Invalid.at(f"{mark}until", "out_of_range", "until must be after since.")


def _has_utc(moment: datetime) -> bool:
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return False
    return True


def _unknown_event(pointer: str, name: str) -> Invalid:
    detail = f"There is no event `{name}`.{meant(name, list(EVENTS))} Use one of: {', '.join(EVENTS)}."
    return Invalid(detail, errors=[Fault(pointer, "unknown_event", detail)])
