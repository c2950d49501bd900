"""Validation rules that the types alone cannot express."""

from collections.abc import Sequence
from datetime import UTC, datetime

from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.events import EVENT_TYPES
from socialgate.web.similar import suggest_name


def require_known_events(names: Sequence[str]) -> None:
    for place, name in enumerate(names):
        if name not in EVENT_TYPES:
            raise _build_unknown_event_error(f"/events/{place}", name)
        if name in names[:place]:
            raise InvalidRequest.for_field(
                f"/events/{place}", "duplicate", f"The event {name} occurs twice. Keep one of them."
            )


def require_known_event(name: str | None) -> None:
    if name is not None and name not in EVENT_TYPES:
        raise _build_unknown_event_error("?event", name)


def require_valid_time_range(since: datetime | None, until: datetime | None, pointer_prefix: str) -> None:
    """Check a time from a body (`/`) or a query (`?`). The first and last times of a calendar have no UTC."""
    for name, moment in (("since", since), ("until", until)):
        if moment is not None and not _fits_in_utc(moment):
            raise InvalidRequest.for_field(
                f"{pointer_prefix}{name}", "out_of_range", f"{name} must be between the years 1 and 9999 in UTC."
            )
    if since is not None and until is not None and until <= since:
        raise InvalidRequest.for_field(f"{pointer_prefix}until", "out_of_range", "until must be after since.")


def _fits_in_utc(moment: datetime) -> bool:
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return False
    return True


def _build_unknown_event_error(pointer: str, name: str) -> InvalidRequest:
    detail = f"There is no event `{name}`.{suggest_name(name, list(EVENT_TYPES))} Use one of: {', '.join(EVENT_TYPES)}."
    return InvalidRequest(detail, errors=[Fault(pointer, "unknown_event", detail)])
