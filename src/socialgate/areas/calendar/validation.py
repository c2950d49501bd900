"""Validation of events in requests, as far as the rules are the same for all calendars."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import UNSET, UnsetType

from socialgate.areas.calendar.schemas import CalendarEventsQuery, EventChanges, NewCalendarEvent, NewEventTime
from socialgate.contracts.calendar import EventFields, EventReminders, EventTime, Guest
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.web.field_errors import build_invalid_request
from socialgate.web.similar import describe_unknown_timezone

_FIRST_YEAR, _LAST_YEAR = 1970, 9000
_DATE_TIME_PATTERN = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DATE_PATTERN = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_RECURRENCE_PATTERN = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)[;:][ -~]+")
_EXAMPLE_TIME_PHRASE = "such as 2026-11-20T09:00:00+01:00, or 2026-11-20T09:00:00 with a timezone"


def parse_event_fields(value: NewCalendarEvent | EventChanges) -> EventFields:
    faults: list[Fault] = []
    with _collect_faults(faults):
        start = _parse_time(value.start, "/start")
    with _collect_faults(faults):
        end = _parse_time(value.end, "/end")
    with _collect_faults(faults):
        _validate_recurrence(value.recurrence)
    with _collect_faults(faults):
        reminders = _require_valid_reminders(value.reminders)
    if faults:
        raise build_invalid_request("", faults)
    _validate_order(start, end)
    _require_recurrence_timezone(value.recurrence, start)
    return EventFields(
        title=value.title,
        description=value.description,
        location=value.location,
        start=start,
        end=end,
        recurrence=UNSET if value.recurrence is UNSET else tuple(value.recurrence),
        attendees=_build_guests(value),
        reminders=reminders,
        with_video_meeting=value.meet,
    )


def parse_event_changes(event_changes: EventChanges) -> EventFields:
    """Read a change. One without a field would still be a new version for everybody who has read the event."""
    fields = parse_event_fields(event_changes)
    if all(value is UNSET for value in msgspec.structs.astuple(fields)):
        able = ", ".join(field.encode_name for field in msgspec.structs.fields(EventChanges) if field.default is UNSET)
        raise InvalidRequest.for_field("", "required", f"Send at least one field to change: {able}.")
    return fields


@contextmanager
def _collect_faults(faults: list[Fault]) -> Iterator[None]:
    """Continue after an invalid part, so that callers learn of all of them at once."""
    try:
        yield
    except InvalidRequest as error:
        faults += error.errors


def validate_events_query(query: CalendarEventsQuery) -> None:
    """Reject invalid times, empty ranges, and parameters that exclude each other."""
    for name, moment in (("since", query.since), ("until", query.until)):
        if moment is not None and (moment.tzinfo is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR):
            detail = f"`{name}` must be a time with an offset, such as 2026-11-20T14:00:00Z."
            raise InvalidRequest.for_field(f"?{name}", "invalid_time", detail)
    if query.since is not None and query.until is not None and query.since >= query.until:
        raise InvalidRequest.for_field("?until", "contradiction", "`until` must be later than `since`.")
    if query.sync_token is not None and not covers_whole_calendar(query):
        detail = "A list with a token contains all changes: omit since, until, q and expand."
        raise InvalidRequest.for_field("?syncToken", "contradiction", detail)


def covers_whole_calendar(query: CalendarEventsQuery) -> bool:
    """Whether a list covers the whole calendar, so that a token can continue it."""
    return query.since is None and query.until is None and query.q is None and not query.expand


def _parse_time(value: NewEventTime | UnsetType, at: str) -> EventTime | UnsetType:
    if value is UNSET:
        return UNSET
    if (value.date is None) is (value.date_time is None):
        raise InvalidRequest.for_field(at, "contradiction", f"Send either `dateTime` or `date` in `{at[1:]}`.")
    zone = None if value.timezone is None else _parse_timezone(value.timezone, at)
    if value.date is not None:
        return EventTime(date=_parse_date(value.date, at), timezone=value.timezone)
    return EventTime(date_time=_parse_date_time(value.date_time or "", zone, at), timezone=value.timezone)


def _parse_timezone(name: str, at: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InvalidRequest.for_field(f"{at}/timezone", "unknown_timezone", describe_unknown_timezone(name)) from None


def _parse_date(text: str, at: str) -> date:
    if _DATE_PATTERN.fullmatch(text):
        with suppress(ValueError):
            return date.fromisoformat(text)
    raise InvalidRequest.for_field(f"{at}/date", "invalid_time", f"`{at[1:]}.date` must be a date such as 2026-11-20.")


def _parse_date_time(text: str, zone: ZoneInfo | None, at: str) -> datetime:
    """Read a time. Without an offset it is a local time of its zone, and must exist there."""
    read: datetime | None = None
    if _DATE_TIME_PATTERN.fullmatch(text):
        with suppress(ValueError):
            read = datetime.fromisoformat(text)
    if read is None or not _FIRST_YEAR <= read.year <= _LAST_YEAR:
        raise InvalidRequest.for_field(
            f"{at}/dateTime", "invalid_time", f"`{at[1:]}.dateTime` must be a time {_EXAMPLE_TIME_PHRASE}."
        )
    if read.tzinfo is not None:
        return read
    if zone is None:
        raise InvalidRequest.for_field(
            f"{at}/timezone", "required", f"A time without an offset needs a timezone: {_EXAMPLE_TIME_PHRASE}."
        )
    if read.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != read:
        detail = f"The clocks in {zone.key} skip {read:%H:%M} on that day. Choose another time."
        raise InvalidRequest.for_field(f"{at}/dateTime", "invalid_time", detail)
    return read


def _validate_order(start: EventTime | UnsetType, end: EventTime | UnsetType) -> None:
    if start is UNSET or end is UNSET:
        return
    if (start.date is None) is not (end.date is None):
        raise InvalidRequest.for_field("/end", "contradiction", "Start and end must both be dates, or both be times.")
    if start.date is not None and end.date is not None and end.date <= start.date:
        raise InvalidRequest.for_field(
            "/end", "contradiction", "The end is exclusive: a one-day event ends on the next date."
        )
    if start.date_time is not None and end.date_time is not None and _get_instant(end) < _get_instant(start):
        raise InvalidRequest.for_field("/end", "contradiction", "The event ends before it starts.")


def _get_instant(time: EventTime) -> datetime:
    assert time.date_time is not None
    moment = time.date_time
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(time.timezone or "UTC"))


def _validate_recurrence(rules: list[str] | UnsetType) -> None:
    detail = "It must be an RFC 5545 line such as RRULE:FREQ=WEEKLY;COUNT=10. Use `start` instead of DTSTART."
    lines = enumerate(() if rules is UNSET else rules)
    wrong = [
        Fault(f"/recurrence/{n}", "invalid", detail) for n, line in lines if not _RECURRENCE_PATTERN.fullmatch(line)
    ]
    if wrong:
        raise InvalidRequest(detail, errors=wrong)


def _require_recurrence_timezone(rules: list[str] | UnsetType, start: EventTime | UnsetType) -> None:
    if rules and start is not UNSET and start.date is None and start.timezone is None:
        detail = "A recurring event needs a timezone, such as Europe/London."
        raise InvalidRequest.for_field("/start/timezone", "required", detail)


def _build_guests(value: NewCalendarEvent | EventChanges) -> tuple[Guest, ...] | UnsetType:
    if value.attendees is UNSET:
        return UNSET
    return tuple(Guest(**msgspec.structs.asdict(guest)) for guest in value.attendees)


def _require_valid_reminders(value: EventReminders | UnsetType) -> EventReminders | UnsetType:
    if value is not UNSET and value.use_default and value.overrides:
        raise InvalidRequest.for_field("/reminders/overrides", "contradiction", "Overrides need `useDefault: false`.")
    return value
