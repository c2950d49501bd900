"""When an event takes place: how Google reads and writes times, and the occurrences of a series."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from starlette.responses import Response

from socialgate_sandbox.kit import build_require
from socialgate_sandbox.society.recurrence import EventSeries, InvalidRuleError
from socialgate_sandbox.vendors.google.errors import build_api_error, raise_refused
from socialgate_sandbox.vendors.google.state import CalendarEvent

EventBody = Mapping[str, Any]
_MAX_EXPANSION = timedelta(days=730)


class EventTimeRange(NamedTuple):
    """Start and end, as dates or as times in the event's time zone. The end is exclusive."""

    start: datetime | date
    end: datetime | date


def build_event_error(message: str, reason: str = "invalid") -> Response:
    return build_api_error(400, reason, message)


require_valid = build_require(build_event_error)


def parse_time_zone(zone_name: str) -> ZoneInfo:
    try:
        return ZoneInfo(zone_name)
    except (ZoneInfoNotFoundError, ValueError):
        raise_refused(build_event_error(f"Invalid time zone definition: {zone_name}"))


def parse_time(time_fields: EventBody | None, field_name: str) -> datetime | date:
    """Read a start or an end. A time without an offset is in the time zone given next to it."""
    if not time_fields or not (time_fields.get("date") or time_fields.get("dateTime")):
        raise_refused(build_event_error(f"Missing {field_name} time.", "required"))
    try:
        if time_fields.get("date"):
            return date.fromisoformat(time_fields["date"])
        moment = datetime.fromisoformat(time_fields["dateTime"])
    except (ValueError, TypeError):
        raise_refused(build_event_error(f"Invalid {field_name} time."))
    name = time_fields.get("timeZone")
    require_valid(moment.tzinfo is not None or name, f"Missing time zone definition for {field_name} time.", "required")
    if not name:
        return moment
    zone = parse_time_zone(name)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def parse_time_range(body: EventBody) -> EventTimeRange:
    return EventTimeRange(parse_time(body.get("start"), "start"), parse_time(body.get("end"), "end"))


def validate_times(body: EventBody) -> None:
    """Reject times that do not form an event, and a series with no time zone or an invalid rule."""
    span = parse_time_range(body)
    timed = isinstance(span.start, datetime)
    fits = timed is isinstance(span.end, datetime)
    require_valid(fits, "Start and end times must either both be date or both be dateTime.")
    fits = convert_to_utc(span.end) >= convert_to_utc(span.start) and (timed or span.start != span.end)
    require_valid(fits, "The specified time range is empty.", "timeRangeEmpty")
    if not body.get("recurrence"):
        return
    fits = not timed or (body["start"].get("timeZone") and body["end"].get("timeZone"))
    require_valid(fits, "Missing time zone definition for start time.", "required")
    try:
        first = next(_build_series(body).iterate_starts(), None)
    except InvalidRuleError:
        first = None
    require_valid(first is not None, "Invalid recurrence rule.")


def convert_to_utc(value: datetime | date) -> datetime:
    """Return the time. An all-day event starts at midnight UTC, for lack of anything better."""
    return value.astimezone(UTC) if isinstance(value, datetime) else datetime.combine(value, time(), UTC)


def format_time_fields(value: datetime | date, zone_name: str | None, zone: ZoneInfo) -> dict[str, str]:
    """Format a time as Google does: in the caller's time zone, next to the name of the event's time zone."""
    if not isinstance(value, datetime):
        return {"date": value.isoformat()}
    moment = value.astimezone(zone).isoformat(timespec="seconds")
    shown = {"dateTime": moment.removesuffix("+00:00") + "Z" if moment.endswith("+00:00") else moment}
    return shown | {"timeZone": zone_name or str(zone)}


def iterate_occurrences(
    event: CalendarEvent, now: datetime, time_max: datetime | None = None
) -> Iterator[EventTimeRange]:
    """Yield the occurrences of a series. One without an end is followed for two years."""
    span = parse_time_range(event.body)
    length = span.end - span.start
    for start in _build_series(event.body).iterate_starts(
        time_max or max(now, convert_to_utc(span.start)) + _MAX_EXPANSION
    ):
        # The clocks may change during the event: its duration stays the same.
        end = (
            (start.astimezone(UTC) + length).astimezone(start.tzinfo) if isinstance(start, datetime) else start + length
        )
        yield EventTimeRange(start, end)


def format_occurrence_suffix(start: datetime | date) -> str:
    """Return what identifies an occurrence, in the second part of its id."""
    if not isinstance(start, datetime):
        return f"{start:%Y%m%d}"
    return f"{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _build_series(body: EventBody) -> EventSeries:
    start = parse_time(body["start"], "start")
    zone = start.tzinfo if isinstance(start, datetime) and isinstance(start.tzinfo, ZoneInfo) else None
    return EventSeries(start, zone, body["recurrence"])
