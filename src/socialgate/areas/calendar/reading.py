"""Validation of events in requests, as far as the rules are the same for all calendars."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from msgspec import UNSET, UnsetType

from socialgate.areas.calendar.schemas import EventChanges, EventsQuery, NewCalendarEvent, NewEventTime
from socialgate.contracts.calendar import EventFields, EventReminders, EventTime, Guest
from socialgate.core.errors import Fault, Invalid
from socialgate.web.faults import refused
from socialgate.web.similar import unknown_timezone

_FIRST_YEAR, _LAST_YEAR = 1970, 9000
_FORM = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d(:\d\d(\.\d{1,6})?)?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_RULE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)[;:][ -~]+")
_EXAMPLE = "such as 2026-11-20T09:00:00+01:00, or 2026-11-20T09:00:00 with a timezone"


def fields_of(given: NewCalendarEvent | EventChanges) -> EventFields:
    faults: list[Fault] = []
    with _collected(faults):
        start = _time(given.start, "/start")
    with _collected(faults):
        end = _time(given.end, "/end")
    with _collected(faults):
        _check_form(given.recurrence)
    with _collected(faults):
        reminders = _reminders(given.reminders)
    if faults:
        raise refused("", faults)
    _check_order(start, end)
    _check_zone(given.recurrence, start)
    return EventFields(
        title=given.title,
        description=given.description,
        location=given.location,
        start=start,
        end=end,
        recurrence=UNSET if given.recurrence is UNSET else tuple(given.recurrence),
        attendees=_guests(given),
        reminders=reminders,
        meet=given.meet,
    )


def changes_of(given: EventChanges) -> EventFields:
    """Read a change. One without a field would still be a new version for everybody who has read the event."""
    fields = fields_of(given)
    if all(value is UNSET for value in msgspec.structs.astuple(fields)):
        able = ", ".join(field.encode_name for field in msgspec.structs.fields(EventChanges) if field.default is UNSET)
        raise Invalid.at("", "required", f"Send at least one field to change: {able}.")
    return fields


@contextmanager
def _collected(faults: list[Fault]) -> Iterator[None]:
    """Continue after an invalid part, so that callers learn of all of them at once."""
    try:
        yield
    except Invalid as error:
        faults += error.errors


def check_query(query: EventsQuery) -> None:
    """Reject invalid times, empty ranges, and parameters that exclude each other."""
    for name, moment in (("since", query.since), ("until", query.until)):
        if moment is not None and (moment.tzinfo is None or not _FIRST_YEAR <= moment.year <= _LAST_YEAR):
            detail = f"`{name}` must be a time with an offset, such as 2026-11-20T14:00:00Z."
            raise Invalid.at(f"?{name}", "invalid_time", detail)
    if query.since is not None and query.until is not None and query.since >= query.until:
        raise Invalid.at("?until", "contradiction", "`until` must be later than `since`.")
    if query.sync_token is not None and not can_sync(query):
        detail = "A list with a token contains all changes: omit since, until, q and expand."
        raise Invalid.at("?syncToken", "contradiction", detail)


def can_sync(query: EventsQuery) -> bool:
    """Whether a list covers the whole calendar, so that a token can continue it."""
    return query.since is None and query.until is None and query.q is None and not query.expand


def _time(given: NewEventTime | UnsetType, at: str) -> EventTime | UnsetType:
    if given is UNSET:
        return UNSET
    if (given.date is None) is (given.date_time is None):
        raise Invalid.at(at, "contradiction", f"Send either `dateTime` or `date` in `{at[1:]}`.")
    zone = None if given.timezone is None else _zone(given.timezone, at)
    if given.date is not None:
        return EventTime(date=_day(given.date, at), timezone=given.timezone)
    return EventTime(date_time=_moment(given.date_time or "", zone, at), timezone=given.timezone)


def _zone(name: str, at: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Invalid.at(f"{at}/timezone", "unknown_timezone", unknown_timezone(name)) from None


def _day(text: str, at: str) -> date:
    if _DAY.fullmatch(text):
        with suppress(ValueError):
            return date.fromisoformat(text)
    raise Invalid.at(f"{at}/date", "invalid_time", f"`{at[1:]}.date` must be a date such as 2026-11-20.")


def _moment(text: str, zone: ZoneInfo | None, at: str) -> datetime:
    """Read a time. Without an offset it is a local time of its zone, and must exist there."""
    read: datetime | None = None
    if _FORM.fullmatch(text):
        with suppress(ValueError):
            read = datetime.fromisoformat(text)
    if read is None or not _FIRST_YEAR <= read.year <= _LAST_YEAR:
        raise Invalid.at(f"{at}/dateTime", "invalid_time", f"`{at[1:]}.dateTime` must be a time {_EXAMPLE}.")
    if read.tzinfo is not None:
        return read
    if zone is None:
        raise Invalid.at(f"{at}/timezone", "required", f"A time without an offset needs a timezone: {_EXAMPLE}.")
    if read.replace(tzinfo=zone).astimezone(UTC).astimezone(zone).replace(tzinfo=None) != read:
        detail = f"The clocks in {zone.key} skip {read:%H:%M} on that day. Choose another time."
        raise Invalid.at(f"{at}/dateTime", "invalid_time", detail)
    return read


def _check_order(start: EventTime | UnsetType, end: EventTime | UnsetType) -> None:
    if start is UNSET or end is UNSET:
        return
    if (start.date is None) is not (end.date is None):
        raise Invalid.at("/end", "contradiction", "Start and end must both be dates, or both be times.")
    if start.date is not None and end.date is not None and end.date <= start.date:
        raise Invalid.at("/end", "contradiction", "The end is exclusive: a one-day event ends on the next date.")
    if start.date_time is not None and end.date_time is not None and _instant(end) < _instant(start):
        raise Invalid.at("/end", "contradiction", "The event ends before it starts.")


def _instant(time: EventTime) -> datetime:
    assert time.date_time is not None
    moment = time.date_time
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(time.timezone or "UTC"))


def _check_form(rules: list[str] | UnsetType) -> None:
    detail = "It must be an RFC 5545 line such as RRULE:FREQ=WEEKLY;COUNT=10. Use `start` instead of DTSTART."
    lines = enumerate(() if rules is UNSET else rules)
    wrong = [Fault(f"/recurrence/{n}", "invalid", detail) for n, line in lines if not _RULE.fullmatch(line)]
    if wrong:
        raise Invalid(detail, errors=wrong)


def _check_zone(rules: list[str] | UnsetType, start: EventTime | UnsetType) -> None:
    if rules and start is not UNSET and start.date is None and start.timezone is None:
        detail = "A recurring event needs a timezone, such as Europe/London."
        raise Invalid.at("/start/timezone", "required", detail)


def _guests(given: NewCalendarEvent | EventChanges) -> tuple[Guest, ...] | UnsetType:
    if given.attendees is UNSET:
        return UNSET
    return tuple(Guest(**msgspec.structs.asdict(guest)) for guest in given.attendees)


def _reminders(given: EventReminders | UnsetType) -> EventReminders | UnsetType:
    if given is not UNSET and given.use_default and given.overrides:
        raise Invalid.at("/reminders/overrides", "contradiction", "Overrides need `useDefault: false`.")
    return given
