"""Series of events that are split: the old one ends before an occurrence, and a new one begins with it."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from msgspec import UNSET
from msgspec.structs import replace

from socialgate.connectors.google.shapes import Event, EventMoment
from socialgate.contracts.calendar import EventFields, EventTime
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform

# What a new series takes over from the old one. A meeting belongs to one series: the new one gets its own.
_TAKEN_OVER = (
    *("summary", "description", "location", "attendees", "reminders", "visibility", "transparency", "colorId"),
    *("guestsCanModify", "guestsCanInviteOthers", "guestsCanSeeOtherGuests", "source", "extendedProperties"),
)
_BOUNDS = ("COUNT=", "UNTIL=")
Start = datetime | date


def start_of(moment: EventMoment) -> Start:
    found = moment.date_time or moment.date
    if found is None:
        raise Rejected("Google does not say when this occurrence was to be.", platform=Platform.GOOGLE)
    return found


def ended(lines: Sequence[str], before: Start) -> list[str]:
    """Let the rules end with the last occurrence before this one."""
    last = before - (timedelta(seconds=1) if isinstance(before, datetime) else timedelta(days=1))
    return [_bounded(line, last) if line.startswith("RRULE") else line for line in lines]


def is_finite(lines: Sequence[str]) -> bool:
    return any(bound in line for line in lines for bound in _BOUNDS)


def continued(lines: Sequence[str], last: Start | None) -> list[str]:
    """Give the rules of the rest. What had so many occurrences has an end now, which is the same last one."""
    if any(line.startswith("RDATE") for line in lines):
        detail = "This series has single dates beside its rule, and cannot be split. Change its occurrences one by one."
        raise Rejected(detail, platform=Platform.GOOGLE, field="/scope")
    return [_bounded(line, last) if line.startswith("RRULE") and last is not None else line for line in lines]


def taken_over(series: dict[str, Any]) -> dict[str, Any]:
    return {name: series[name] for name in _TAKEN_OVER if name in series}


def rest_of(fields: EventFields, whole: Event, begins: Start, last: Start | None) -> EventFields:
    """Say what the new series is, from its first occurrence to the `last` of the old one, as far as that is known."""
    zone, length = whole.start.time_zone, start_of(whole.end) - start_of(whole.start)
    start = _in(fields.start or _time(begins), zone)
    end = _in(fields.end or _time(_moment(start) + length), start.timezone)
    rules = fields.recurrence
    if rules is UNSET:
        rules = tuple(continued(whole.recurrence, None if last is None else _moved(last, _moment(start), begins)))
    meet = True if fields.meet is UNSET and whole.hangout_link is not None else fields.meet
    return replace(fields, start=start, end=end, recurrence=rules, meet=meet)


def _moved(last: Start, start: Start, begins: Start) -> Start:
    """Move the last occurrence as the first one is. What becomes whole days, or moments, may last a day longer."""
    if isinstance(start, datetime) and isinstance(begins, datetime) and isinstance(last, datetime):
        return last + (start - begins)
    if isinstance(start, datetime):
        return datetime.combine(last, start.timetz())
    return last.date() if isinstance(last, datetime) else last + (start - begins)


def _moment(time: EventTime) -> Start:
    moment = time.date_time
    if moment is None:
        assert time.date is not None, "a time is a moment or a day"
        return time.date
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(time.timezone or "UTC"))


def _bounded(line: str, last: Start) -> str:
    kept = [part for part in line.split(";") if not part.removeprefix("RRULE:").startswith(_BOUNDS)]
    if not kept[0].startswith("RRULE:"):
        kept[0] = f"RRULE:{kept[0]}"
    until = last.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ") if isinstance(last, datetime) else last.strftime("%Y%m%d")
    return ";".join([*kept, f"UNTIL={until}"])


def _time(value: Start) -> EventTime:
    return EventTime(date_time=value) if isinstance(value, datetime) else EventTime(date=value)


def _in(time: EventTime, zone: str | None) -> EventTime:
    return time if time.timezone is not None or time.date is not None else replace(time, timezone=zone)
