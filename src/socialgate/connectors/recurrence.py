"""Ending, splitting and moving series of events, written as the RFC 5545 lines that all calendars use.

A series is moved in the local time of its zone, not in elapsed hours: nine o'clock stays nine o'clock when daylight
saving time changes. Such a local time without an offset is called a wall time here.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from msgspec import UNSET
from msgspec.structs import replace

from socialgate.contracts.calendar import EventFields, EventItem, EventTime
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform

EventStart = datetime | date

_RULE_END_PREFIXES = ("COUNT=", "UNTIL=")
_WEEKDAY_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DATE, _DATE_TIME = "%Y%m%d", "%Y%m%dT%H%M%S"
_END_OF_DAY = time(23, 59, 59)
_TZID_PATTERN = re.compile(r";TZID=([^;:]+)")


class SeriesShift(NamedTuple):
    """How a series is moved: by how much wall time, from one zone to another.

    Without a zone, events are whole days.
    """

    wall_offset: timedelta
    day_offset: int
    old_zone: ZoneInfo | None
    new_zone: ZoneInfo | None


class SeriesChangeError(Exception):
    """The series cannot be moved or split as requested. `field` is the field that the user must change."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


@contextmanager
def raise_series_errors_as_rejected(platform: Platform) -> Iterator[None]:
    """Turn SeriesRefused into a rejection by a platform."""
    try:
        yield
    except SeriesChangeError as refused:
        raise PlatformRejectedError(
            refused.detail, platform=platform, field=refused.field, category="user_content"
        ) from None


def require_start(event_time: EventTime | None) -> EventStart:
    day = None if event_time is None else event_time.date_time or event_time.date
    if day is None:
        raise SeriesChangeError("/scope", "The platform does not say when this occurrence was planned.")
    return day


def end_rules_before(lines: Sequence[str], before: EventStart) -> tuple[str, ...]:
    """End the rules with the last occurrence before this one."""
    last = before - (timedelta(seconds=1) if isinstance(before, datetime) else timedelta(days=1))
    kept = (_drop_dates_from(line, before) if line.startswith("RDATE") else _set_rule_end(line, last) for line in lines)
    return tuple(line for line in kept if line)


def has_end(lines: Sequence[str]) -> bool:
    return any(bound in line.upper() for line in lines for bound in _RULE_END_PREFIXES)


def shift_series(fields: EventFields, occurrence: EventItem, whole: EventItem) -> EventFields:
    """Apply the change of one occurrence to a whole series: all are moved by the same amount."""
    if fields.start is UNSET and fields.end is UNSET:
        return fields
    return _build_shifted_series(fields, occurrence, whole, whole.start, whole.recurrence)


def build_remaining_series(
    fields: EventFields, occurrence: EventItem, whole: EventItem, last: EventStart | None
) -> EventFields:
    """Describe the new series that begins with an occurrence, up to the `last` one of the old series, if it has one.

    A rule with a count gets an end date instead. A meeting belongs to one series: the new one gets its own.
    """
    if any(line.startswith("RDATE") for line in whole.recurrence):
        detail = "This series has single dates besides its rule and cannot be split. Change its occurrences one by one."
        raise SeriesChangeError("/scope", detail)
    lines = [line if last is None else _set_rule_end(line, last) for line in whole.recurrence]
    meet = (
        True if fields.with_video_meeting is UNSET and whole.conference_url is not None else fields.with_video_meeting
    )
    return replace(
        _build_shifted_series(fields, occurrence, whole, occurrence.original_start, lines), with_video_meeting=meet
    )


def _build_shifted_series(
    fields: EventFields, occurrence: EventItem, whole: EventItem, first: EventTime | None, lines: Sequence[str]
) -> EventFields:
    """Place a series that begins on the day of `first`, moving all of it like one `occurrence`.

    The time of day is that of the whole series: on the day of the occurrence, the clocks may skip it.
    """
    before = None if whole.start.date is not None else _parse_zone(whole.start.timezone)
    after = before if fields.start is UNSET else _parse_zone(fields.start.timezone) or before
    is_days = (whole.start if fields.start is UNSET else fields.start).date is not None
    _validate_times(fields, whole, after, is_days=is_days)
    hour = _to_wall_time(whole.start, before).time()
    was = datetime.combine(_to_wall_time(occurrence.original_start, before), hour)
    becomes = was if fields.start is UNSET else _to_wall_time(fields.start, after)
    move = SeriesShift(becomes - was, (becomes.date() - was.date()).days, before, None if is_days else after)
    begins = datetime.combine(_to_wall_time(first, before), hour) + move.wall_offset
    length = _to_wall_time(whole.end, before) - _to_wall_time(whole.start, before)
    if fields.end is not UNSET:
        length = _to_wall_time(fields.end, after) - (
            _to_wall_time(occurrence.start, before) if fields.start is UNSET else becomes
        )
    rules = tuple(_shift_line(line, move) for line in lines) if fields.recurrence is UNSET else fields.recurrence
    return replace(
        fields,
        start=_to_event_time(begins, move.new_zone),
        end=_to_event_time(begins + length, move.new_zone),
        recurrence=rules,
    )


def _validate_times(fields: EventFields, whole: EventItem, zone: ZoneInfo | None, *, is_days: bool) -> None:
    if fields.end is UNSET and (whole.start.date is not None) is not is_days:
        raise SeriesChangeError("/end", "This changes times to whole days, or whole days to times. Send `end` as well.")
    if not is_days and zone is None:
        raise SeriesChangeError("/start/timezone", "A recurring event needs a timezone.")
    if fields.end is not UNSET and (fields.end.date is not None) is not is_days:
        raise SeriesChangeError("/end", "Start and end must both be dates, or both be times.")


def _shift_line(line: str, move: SeriesShift) -> str:
    """Move the dates in a line. A line that does not change is kept as written."""
    if not move.wall_offset and move.old_zone == move.new_zone:
        return line
    head, _, value = line.partition(":")
    name = head.partition(";")[0]
    if name in {"RRULE", "EXRULE"}:
        try:
            return f"{head}:{_shift_rule(value, move)}"
        except (KeyError, ValueError):
            raise _build_ambiguous_rule_error() from None
    named = _TZID_PATTERN.search(head)
    zone = move.old_zone if named is None else _parse_zone(named[1])
    walls = [_parse_wall_time(value, zone, move.old_zone) + move.wall_offset for value in value.split(",")]
    if move.new_zone is None:
        return f"{name};VALUE=DATE:{','.join(wall.strftime(_DATE) for wall in walls)}"
    return f"{name};TZID={move.new_zone.key}:{','.join(wall.strftime(_DATE_TIME) for wall in walls)}"


def _shift_rule(rule: str, move: SeriesShift) -> str:
    parts = dict(part.split("=", 1) for part in rule.upper().split(";"))
    if "UNTIL" in parts:
        parts["UNTIL"] = _shift_until(parts["UNTIL"], move)
    if move.day_offset:
        if any(name.startswith("BY") and name != "BYDAY" for name in parts):
            raise _build_ambiguous_rule_error()
        if "BYDAY" in parts:
            parts["BYDAY"] = _shift_weekdays(parts, move.day_offset)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _shift_until(until: str, move: SeriesShift) -> str:
    """Move the end of a rule. For a series with times, a date means the end of that day."""
    end = _parse_wall_time(until, move.old_zone, move.old_zone)
    if "T" not in until and move.old_zone is not None:
        end = datetime.combine(end, _END_OF_DAY)
    return _format_until(end + move.wall_offset, move.new_zone)


def _shift_weekdays(parts: dict[str, str], days: int) -> str:
    """Shift the weekdays of a rule. If the rule skips weeks, no day may move to another week."""
    named, begins = parts["BYDAY"].split(","), _WEEKDAY_CODES.index(parts.get("WKST", "MO"))
    if parts["FREQ"] not in {"DAILY", "WEEKLY"} or not set(named) <= set(_WEEKDAY_CODES):
        raise _build_ambiguous_rule_error()
    places = [(_WEEKDAY_CODES.index(value) - begins) % 7 + days for value in named]
    skips_weeks = parts["FREQ"] == "WEEKLY" and int(parts.get("INTERVAL", "1")) > 1
    if skips_weeks and days % 7 and not all(0 <= place < len(_WEEKDAY_CODES) for place in places):
        raise _build_ambiguous_rule_error()
    return ",".join(_WEEKDAY_CODES[(place + begins) % 7] for place in places)


def _build_ambiguous_rule_error() -> SeriesChangeError:
    detail = "The rule of this series contains specific days. Send the new rule in `recurrence` as well."
    return SeriesChangeError("/recurrence", detail)


def _set_rule_end(line: str, last: EventStart) -> str:
    """End a rule with an occurrence; other lines stay unchanged."""
    if not line.startswith("RRULE:"):
        return line
    kept = [part for part in line.removeprefix("RRULE:").split(";") if not part.upper().startswith(_RULE_END_PREFIXES)]
    until = last.astimezone(UTC).strftime(f"{_DATE_TIME}Z") if isinstance(last, datetime) else last.strftime(_DATE)
    return f"RRULE:{';'.join([*kept, f'UNTIL={until}'])}"


def _drop_dates_from(line: str, before: EventStart) -> str:
    """Remove the dates of a line that are not before an occurrence; an empty line if none is left."""
    head, _, value = line.partition(":")
    named = _TZID_PATTERN.search(head)
    zone = before.tzinfo if isinstance(before, datetime) else None
    own = zone if named is None else _parse_zone(named[1])
    limit = before.replace(tzinfo=None) if isinstance(before, datetime) else datetime.combine(before, time())
    kept = [value for value in value.split(",") if _parse_wall_time(value.partition("/")[0], own, zone) < limit]
    return f"{head}:{','.join(kept)}" if kept else ""


def _parse_wall_time(text: str, zone: tzinfo | None, tzinfo: tzinfo | None) -> datetime:
    """Read a time in a line, as wall time of the wanted zone."""
    try:
        if "T" not in text:
            return datetime.strptime(text, _DATE).replace(tzinfo=UTC).replace(tzinfo=None)
        moment = datetime.strptime(text.removesuffix("Z"), _DATE_TIME).replace(tzinfo=UTC)
    except ValueError:
        raise _build_ambiguous_rule_error() from None
    return _convert_to_wall_time(moment if text.endswith("Z") else moment.replace(tzinfo=zone), tzinfo)


def _format_until(wall: datetime, zone: ZoneInfo | None) -> str:
    return wall.strftime(_DATE) if zone is None else f"{wall.replace(tzinfo=zone).astimezone(UTC):{_DATE_TIME}}Z"


def _to_wall_time(event_time: EventTime | None, zone: ZoneInfo | None) -> datetime:
    """Return the wall time in a zone. A whole day begins at midnight."""
    day = require_start(event_time)
    if not isinstance(day, datetime):
        return datetime.combine(day, time())
    own = _parse_zone(None if event_time is None else event_time.timezone)
    return _convert_to_wall_time(day if day.tzinfo is not None else day.replace(tzinfo=own), zone)


def _convert_to_wall_time(moment: datetime, zone: tzinfo | None) -> datetime:
    return (moment if zone is None or moment.tzinfo is None else moment.astimezone(zone)).replace(tzinfo=None)


def _to_event_time(wall: datetime, zone: ZoneInfo | None) -> EventTime:
    return EventTime(date=wall.date()) if zone is None else EventTime(date_time=wall, timezone=zone.key)


def _parse_zone(name: str | None) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SeriesChangeError("/start/timezone", f"The time zone of this series, {name}, is unknown.") from None
