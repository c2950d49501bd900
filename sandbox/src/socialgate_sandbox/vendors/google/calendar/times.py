"""When an event takes place: how Google reads and writes times, and the occurrences of a series."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.responses import Response

from socialgate_sandbox.kit import requiring
from socialgate_sandbox.society.calendar import BadRule, Series
from socialgate_sandbox.vendors.google.errors import api_error, refuse
from socialgate_sandbox.vendors.google.state import CalendarEvent

Given = Mapping[str, Any]
_HORIZON = timedelta(days=730)


class Span(NamedTuple):
    """Start and end, as dates or as times in the event's time zone. The end is exclusive."""

    start: datetime | date
    end: datetime | date


def bad_event(message: str, reason: str = "invalid") -> Response:
    return api_error(400, reason, message)


require = requiring(bad_event)


def zone_of(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        refuse(bad_event(f"Invalid time zone definition: {name}"))


def read_time(given: Given | None, what: str) -> datetime | date:
    """Read a start or an end. A time without an offset is in the time zone given next to it."""
    if not given or not (given.get("date") or given.get("dateTime")):
        refuse(bad_event(f"Missing {what} time.", "required"))
    try:
        if given.get("date"):
            return date.fromisoformat(given["date"])
        moment = datetime.fromisoformat(given["dateTime"])
    except (ValueError, TypeError):
        refuse(bad_event(f"Invalid {what} time."))
    name = given.get("timeZone")
    require(moment.tzinfo is not None or name, f"Missing time zone definition for {what} time.", "required")
    if not name:
        return moment
    zone = zone_of(name)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def span_of(body: Given) -> Span:
    return Span(read_time(body.get("start"), "start"), read_time(body.get("end"), "end"))


def check_times(body: Given) -> None:
    """Reject times that do not form an event, and a series with no time zone or an invalid rule."""
    span = span_of(body)
    timed = isinstance(span.start, datetime)
    fits = timed is isinstance(span.end, datetime)
    require(fits, "Start and end times must either both be date or both be dateTime.")
    fits = instant(span.end) >= instant(span.start) and (timed or span.start != span.end)
    require(fits, "The specified time range is empty.", "timeRangeEmpty")
    if not body.get("recurrence"):
        return
    fits = not timed or (body["start"].get("timeZone") and body["end"].get("timeZone"))
    require(fits, "Missing time zone definition for start time.", "required")
    try:
        first = next(_series(body).starts(), None)
    except BadRule:
        first = None
    require(first is not None, "Invalid recurrence rule.")


def instant(value: datetime | date) -> datetime:
    """Return the time. An all-day event starts at midnight UTC, for lack of anything better."""
    return value.astimezone(UTC) if isinstance(value, datetime) else datetime.combine(value, time(), UTC)


def written(value: datetime | date, name: str | None, zone: ZoneInfo) -> dict[str, str]:
    """Format a time as Google does: in the caller's time zone, next to the name of the event's time zone."""
    if not isinstance(value, datetime):
        return {"date": value.isoformat()}
    moment = value.astimezone(zone).isoformat(timespec="seconds")
    shown = {"dateTime": moment.removesuffix("+00:00") + "Z" if moment.endswith("+00:00") else moment}
    return shown | {"timeZone": name or str(zone)}


def occurrences(event: CalendarEvent, now: datetime, before: datetime | None = None) -> Iterator[Span]:
    """Yield the occurrences of a series. One without an end is followed for two years."""
    span = span_of(event.body)
    length = span.end - span.start
    for start in _series(event.body).starts(before or max(now, instant(span.start)) + _HORIZON):
        # The clocks may change during the event: its duration stays the same.
        end = (
            (start.astimezone(UTC) + length).astimezone(start.tzinfo) if isinstance(start, datetime) else start + length
        )
        yield Span(start, end)


def mark(start: datetime | date) -> str:
    """Return what identifies an occurrence, in the second part of its id."""
    if not isinstance(start, datetime):
        return f"{start:%Y%m%d}"
    return f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _series(body: Given) -> Series:
    start = read_time(body["start"], "start")
    zone = start.tzinfo if isinstance(start, datetime) and isinstance(start.tzinfo, ZoneInfo) else None
    return Series(start, zone, body["recurrence"])
