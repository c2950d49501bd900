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
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform

Start = datetime | date

_BOUNDS = ("COUNT=", "UNTIL=")
_WEEK = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DATE, _DATE_TIME = "%Y%m%d", "%Y%m%dT%H%M%S"
_END_OF_DAY = time(23, 59, 59)
_ZONED = re.compile(r";TZID=([^;:]+)")


class Move(NamedTuple):
    """How a series is moved: by how much wall time, from one zone to another.

    Without a zone, events are whole days.
    """

    by: timedelta
    days: int
    before: ZoneInfo | None
    after: ZoneInfo | None


class SeriesRefused(Exception):
    """The series cannot be moved or split as requested. `field` is the field that the user must change."""

    def __init__(self, field: str, detail: str) -> None:
        super().__init__(detail)
        self.field = field
        self.detail = detail


@contextmanager
def refusals(platform: Platform) -> Iterator[None]:
    """Turn SeriesRefused into a rejection by a platform."""
    try:
        yield
    except SeriesRefused as refused:
        raise Rejected(refused.detail, platform=platform, field=refused.field, category="user_content") from None


def start_of(given: EventTime | None) -> Start:
    found = None if given is None else given.date_time or given.date
    if found is None:
        raise SeriesRefused("/scope", "The platform does not say when this occurrence was planned.")
    return found


def ended(lines: Sequence[str], before: Start) -> tuple[str, ...]:
    """End the rules with the last occurrence before this one."""
    last = before - (timedelta(seconds=1) if isinstance(before, datetime) else timedelta(days=1))
    kept = (_only_before(line, before) if line.startswith("RDATE") else _bounded(line, last) for line in lines)
    return tuple(line for line in kept if line)


def is_finite(lines: Sequence[str]) -> bool:
    return any(bound in line.upper() for line in lines for bound in _BOUNDS)


def moved(fields: EventFields, occurrence: EventItem, whole: EventItem) -> EventFields:
    """Apply the change of one occurrence to a whole series: all are moved by the same amount."""
    if fields.start is UNSET and fields.end is UNSET:
        return fields
    return _placed(fields, occurrence, whole, whole.start, whole.recurrence)


def rest_of(fields: EventFields, occurrence: EventItem, whole: EventItem, last: Start | None) -> EventFields:
    """Describe the new series that begins with an occurrence, up to the `last` one of the old series, if it has one.

    A rule with a count gets an end date instead. A meeting belongs to one series: the new one gets its own.
    """
    if any(line.startswith("RDATE") for line in whole.recurrence):
        detail = "This series has single dates besides its rule and cannot be split. Change its occurrences one by one."
        raise SeriesRefused("/scope", detail)
    lines = [line if last is None else _bounded(line, last) for line in whole.recurrence]
    meet = True if fields.meet is UNSET and whole.conference_url is not None else fields.meet
    return replace(_placed(fields, occurrence, whole, occurrence.original_start, lines), meet=meet)


def _placed(
    fields: EventFields, occurrence: EventItem, whole: EventItem, first: EventTime | None, lines: Sequence[str]
) -> EventFields:
    """Place a series that begins on the day of `first`, moving all of it like one `occurrence`.

    The time of day is that of the whole series: on the day of the occurrence, the clocks may skip it.
    """
    before = None if whole.start.date is not None else _zone(whole.start.timezone)
    after = before if fields.start is UNSET else _zone(fields.start.timezone) or before
    is_days = (whole.start if fields.start is UNSET else fields.start).date is not None
    _check(fields, whole, after, is_days=is_days)
    hour = _wall(whole.start, before).time()
    was = datetime.combine(_wall(occurrence.original_start, before), hour)
    becomes = was if fields.start is UNSET else _wall(fields.start, after)
    move = Move(becomes - was, (becomes.date() - was.date()).days, before, None if is_days else after)
    begins = datetime.combine(_wall(first, before), hour) + move.by
    length = _wall(whole.end, before) - _wall(whole.start, before)
    if fields.end is not UNSET:
        length = _wall(fields.end, after) - (_wall(occurrence.start, before) if fields.start is UNSET else becomes)
    rules = tuple(_moved(line, move) for line in lines) if fields.recurrence is UNSET else fields.recurrence
    return replace(fields, start=_time(begins, move.after), end=_time(begins + length, move.after), recurrence=rules)


def _check(fields: EventFields, whole: EventItem, zone: ZoneInfo | None, *, is_days: bool) -> None:
    if fields.end is UNSET and (whole.start.date is not None) is not is_days:
        raise SeriesRefused("/end", "This changes times to whole days, or whole days to times. Send `end` as well.")
    if not is_days and zone is None:
        raise SeriesRefused("/start/timezone", "A recurring event needs a timezone.")
    if fields.end is not UNSET and (fields.end.date is not None) is not is_days:
        raise SeriesRefused("/end", "Start and end must both be dates, or both be times.")


def _moved(line: str, move: Move) -> str:
    """Move the dates in a line. A line that does not change is kept as written."""
    if not move.by and move.before == move.after:
        return line
    head, _, value = line.partition(":")
    name = head.partition(";")[0]
    if name in {"RRULE", "EXRULE"}:
        try:
            return f"{head}:{_moved_rule(value, move)}"
        except (KeyError, ValueError):
            raise _unclear() from None
    named = _ZONED.search(head)
    zone = move.before if named is None else _zone(named[1])
    walls = [_read(one, zone, move.before) + move.by for one in value.split(",")]
    if move.after is None:
        return f"{name};VALUE=DATE:{','.join(wall.strftime(_DATE) for wall in walls)}"
    return f"{name};TZID={move.after.key}:{','.join(wall.strftime(_DATE_TIME) for wall in walls)}"


def _moved_rule(rule: str, move: Move) -> str:
    parts = dict(part.split("=", 1) for part in rule.upper().split(";"))
    if "UNTIL" in parts:
        parts["UNTIL"] = _moved_end(parts["UNTIL"], move)
    if move.days:
        if any(name.startswith("BY") and name != "BYDAY" for name in parts):
            raise _unclear()
        if "BYDAY" in parts:
            parts["BYDAY"] = _moved_weekdays(parts, move.days)
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _moved_end(until: str, move: Move) -> str:
    """Move the end of a rule. For a series with times, a date means the end of that day."""
    end = _read(until, move.before, move.before)
    if "T" not in until and move.before is not None:
        end = datetime.combine(end, _END_OF_DAY)
    return _until(end + move.by, move.after)


def _moved_weekdays(parts: dict[str, str], days: int) -> str:
    """Shift the weekdays of a rule. If the rule skips weeks, no day may move to another week."""
    named, begins = parts["BYDAY"].split(","), _WEEK.index(parts.get("WKST", "MO"))
    if parts["FREQ"] not in {"DAILY", "WEEKLY"} or not set(named) <= set(_WEEK):
        raise _unclear()
    places = [(_WEEK.index(one) - begins) % 7 + days for one in named]
    skips_weeks = parts["FREQ"] == "WEEKLY" and int(parts.get("INTERVAL", "1")) > 1
    if skips_weeks and days % 7 and not all(0 <= place < len(_WEEK) for place in places):
        raise _unclear()
    return ",".join(_WEEK[(place + begins) % 7] for place in places)


def _unclear() -> SeriesRefused:
    detail = "The rule of this series contains specific days. Send the new rule in `recurrence` as well."
    return SeriesRefused("/recurrence", detail)


def _bounded(line: str, last: Start) -> str:
    """End a rule with an occurrence; other lines stay unchanged."""
    if not line.startswith("RRULE:"):
        return line
    kept = [part for part in line.removeprefix("RRULE:").split(";") if not part.upper().startswith(_BOUNDS)]
    until = last.astimezone(UTC).strftime(f"{_DATE_TIME}Z") if isinstance(last, datetime) else last.strftime(_DATE)
    return f"RRULE:{';'.join([*kept, f'UNTIL={until}'])}"


def _only_before(line: str, before: Start) -> str:
    """Remove the dates of a line that are not before an occurrence; an empty line if none is left."""
    head, _, value = line.partition(":")
    named = _ZONED.search(head)
    zone = before.tzinfo if isinstance(before, datetime) else None
    own = zone if named is None else _zone(named[1])
    limit = before.replace(tzinfo=None) if isinstance(before, datetime) else datetime.combine(before, time())
    kept = [one for one in value.split(",") if _read(one.partition("/")[0], own, zone) < limit]
    return f"{head}:{','.join(kept)}" if kept else ""


def _read(text: str, zone: tzinfo | None, wanted: tzinfo | None) -> datetime:
    """Read a time in a line, as wall time of the wanted zone."""
    try:
        if "T" not in text:
            return datetime.strptime(text, _DATE).replace(tzinfo=UTC).replace(tzinfo=None)
        moment = datetime.strptime(text.removesuffix("Z"), _DATE_TIME).replace(tzinfo=UTC)
    except ValueError:
        raise _unclear() from None
    return _on_wall(moment if text.endswith("Z") else moment.replace(tzinfo=zone), wanted)


def _until(wall: datetime, zone: ZoneInfo | None) -> str:
    return wall.strftime(_DATE) if zone is None else f"{wall.replace(tzinfo=zone).astimezone(UTC):{_DATE_TIME}}Z"


def _wall(given: EventTime | None, zone: ZoneInfo | None) -> datetime:
    """Return the wall time in a zone. A whole day begins at midnight."""
    found = start_of(given)
    if not isinstance(found, datetime):
        return datetime.combine(found, time())
    own = _zone(None if given is None else given.timezone)
    return _on_wall(found if found.tzinfo is not None else found.replace(tzinfo=own), zone)


def _on_wall(moment: datetime, zone: tzinfo | None) -> datetime:
    return (moment if zone is None or moment.tzinfo is None else moment.astimezone(zone)).replace(tzinfo=None)


def _time(wall: datetime, zone: ZoneInfo | None) -> EventTime:
    return EventTime(date=wall.date()) if zone is None else EventTime(date_time=wall, timezone=zone.key)


def _zone(name: str | None) -> ZoneInfo | None:
    try:
        return None if name is None else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise SeriesRefused("/start/timezone", f"The time zone of this series, {name}, is unknown.") from None
