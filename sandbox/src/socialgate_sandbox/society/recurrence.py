"""When a recurring event takes place, according to the rules of RFC 5545 that calendars support.

It steps through the days one by one: simple to follow, and a simulation has no series that last centuries.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import msgspec

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_DAY = timedelta(days=1)
_MAX_DAYS = 366 * 30
_LINE_PATTERN = re.compile(r"(RRULE|EXDATE|RDATE)((?:;[A-Z]+=[^:;]+)*):(.+)")
_BYDAY_PATTERN = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_SUPPORTED_PARTS = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "WKST"}


class InvalidRuleError(Exception):
    """A line that is empty or not supported here."""


class RecurrenceRule(msgspec.Struct, frozen=True, kw_only=True):
    freq: str
    interval: int = 1
    count: int | None = None
    until: str | None = None
    # An ordinal of 0 means every such weekday.
    weekdays: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()


class EventSeries:
    """`lines` are RRULE, RDATE and EXDATE. An all-day start has no time zone."""

    def __init__(self, start: datetime | date, zone: ZoneInfo | None, lines: Sequence[str]) -> None:
        self._is_all_day = not isinstance(start, datetime)
        self._zone = zone
        self._first_start = _to_local_datetime(start)
        self._rules: list[RecurrenceRule] = []
        self._extra_starts: set[datetime] = set()
        self._excluded_starts: set[datetime] = set()
        for line in lines:
            self._parse_line(line)

    def iterate_starts(self, before: datetime | None = None) -> Iterator[datetime | date]:
        """Yield each start in order, up to a given time."""
        for local in self._list_all_starts():
            moment = self._to_start(local)
            if before is not None and self._to_utc(local) >= before:
                return
            if local not in self._excluded_starts:
                yield moment

    def _list_all_starts(self) -> Iterator[datetime]:
        times: set[datetime] = set(self._extra_starts)
        for rule in self._rules:
            times.update(self._iterate_rule_starts(rule))
        return iter(sorted(times if self._rules else times | {self._first_start}))

    def _iterate_rule_starts(self, rule: RecurrenceRule) -> Iterator[datetime]:
        day, seen = self._first_start.date(), 0
        for _ in range(_MAX_DAYS):
            local = datetime.combine(day, self._first_start.time())
            if _matches_rule(day, self._first_start.date(), rule):
                if self._is_past_until(local, rule) or (rule.count is not None and seen >= rule.count):
                    return
                seen += 1
                yield local
            day += _DAY

    def _is_past_until(self, local: datetime, rule: RecurrenceRule) -> bool:
        if rule.until is None:
            return False
        if len(rule.until) == len("20260101"):
            return local.date() > _parse_day(rule.until)
        return self._to_utc(local) > _parse_time(rule.until.rstrip("Z")).replace(tzinfo=UTC)

    def _parse_line(self, line: str) -> None:
        match = _LINE_PATTERN.fullmatch(line)
        if match is None:
            raise InvalidRuleError(line)
        kind, input_value, value = match.groups()
        if kind == "RRULE":
            self._rules.append(parse_rule(value))
            return
        named = dict(part.split("=", 1) for part in input_value.split(";") if part)
        zone = ZoneInfo(named["TZID"]) if "TZID" in named else self._zone
        (self._excluded_starts if kind == "EXDATE" else self._extra_starts).update(self._parse_times(value, zone))

    def _parse_times(self, value: str, zone: ZoneInfo | None) -> Iterator[datetime]:
        for current_value in value.split(","):
            if "T" not in current_value:
                yield datetime.combine(_parse_day(current_value), self._first_start.time())
                continue
            moment = _parse_time(current_value.rstrip("Z"))
            known = UTC if current_value.endswith("Z") else zone
            yield moment if known is None or self._zone is None else _to_zone(moment.replace(tzinfo=known), self._zone)

    def _to_utc(self, local: datetime) -> datetime:
        return local.replace(tzinfo=self._zone or UTC).astimezone(UTC)

    def _to_start(self, local: datetime) -> datetime | date:
        return local.date() if self._is_all_day else local.replace(tzinfo=self._zone)


def parse_rule(text: str) -> RecurrenceRule:
    """Parse what follows `RRULE:`."""
    try:
        parts = dict(part.split("=", 1) for part in text.split(";"))
        if not parts.keys() <= _SUPPORTED_PARTS or parts["FREQ"] not in {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}:
            raise InvalidRuleError(text)
        if "UNTIL" in parts:
            (_parse_day if "T" not in parts["UNTIL"] else _parse_time)(parts["UNTIL"].rstrip("Z"))
        rule = RecurrenceRule(
            freq=parts["FREQ"],
            interval=int(parts.get("INTERVAL", "1")),
            count=int(parts["COUNT"]) if "COUNT" in parts else None,
            until=parts.get("UNTIL"),
            weekdays=tuple(_parse_weekday(value) for value in _split_values(parts, "BYDAY")),
            month_days=tuple(int(value) for value in _split_values(parts, "BYMONTHDAY")),
            months=tuple(int(value) for value in _split_values(parts, "BYMONTH")),
        )
    except (ValueError, KeyError) as error:
        raise InvalidRuleError(text) from error
    if rule.interval < 1 or rule.count == 0 or (rule.count is not None and rule.until is not None):
        raise InvalidRuleError(text)
    return rule


def _split_values(parts: dict[str, str], name: str) -> list[str]:
    return parts[name].split(",") if name in parts else []


def _parse_weekday(text: str) -> tuple[int, int]:
    match = _BYDAY_PATTERN.fullmatch(text)
    if match is None:
        raise InvalidRuleError(text)
    return int(match[1] or 0), _DAYS.index(match[2])


def _matches_rule(day: date, first: date, rule: RecurrenceRule) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.freq == "DAILY":
        return (day - first).days % rule.interval == 0 and _matches_day(day, rule)
    if rule.freq == "WEEKLY":
        weeks = (_get_monday(day) - _get_monday(first)).days // 7
        numbers = {weekday for _, weekday in rule.weekdays} or {first.weekday()}
        return weeks % rule.interval == 0 and day.weekday() in numbers
    passed = day.year - first.year
    if rule.freq == "MONTHLY":
        passed = passed * 12 + day.month - first.month
    elif not rule.months and day.month != first.month:
        return False
    is_day = _matches_day(day, rule) if rule.weekdays or rule.month_days else day.day == first.day
    return passed % rule.interval == 0 and is_day


def _matches_day(day: date, rule: RecurrenceRule) -> bool:
    if rule.month_days and not {day.day, day.day - _count_month_days(day) - 1} & set(rule.month_days):
        return False
    nth, nth_last = (day.day - 1) // 7 + 1, -((_count_month_days(day) - day.day) // 7 + 1)
    numbers = [ordinal for ordinal, weekday in rule.weekdays if weekday == day.weekday()]
    return not rule.weekdays or any(ordinal in {0, nth, nth_last} for ordinal in numbers)


def _count_month_days(day: date) -> int:
    return ((day.replace(day=1) + timedelta(days=32)).replace(day=1) - _DAY).day


def _get_monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _to_local_datetime(start: datetime | date) -> datetime:
    return start.replace(tzinfo=None) if isinstance(start, datetime) else datetime.combine(start, time())


def _to_zone(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _parse_day(text: str) -> date:
    return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).date()


def _parse_time(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%dT%H%M%S").replace(tzinfo=UTC).replace(tzinfo=None)
