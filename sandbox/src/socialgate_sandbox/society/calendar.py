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
_MOST_DAYS = 366 * 30
_LINE = re.compile(r"(RRULE|EXDATE|RDATE)((?:;[A-Z]+=[^:;]+)*):(.+)")
_BYDAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_KNOWN = {"FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "BYMONTHDAY", "BYMONTH", "WKST"}


class BadRule(Exception):
    """A line that is empty or not supported here."""


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    freq: str
    interval: int = 1
    count: int | None = None
    until: str | None = None
    # An ordinal of 0 means every such weekday.
    weekdays: tuple[tuple[int, int], ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()


class Series:
    """`lines` are RRULE, RDATE and EXDATE. An all-day start has no time zone."""

    def __init__(self, start: datetime | date, zone: ZoneInfo | None, lines: Sequence[str]) -> None:
        self._whole_days = not isinstance(start, datetime)
        self._zone = zone
        self._first = _local(start)
        self._rules: list[Rule] = []
        self._more: set[datetime] = set()
        self._without: set[datetime] = set()
        for line in lines:
            self._read(line)

    def starts(self, before: datetime | None = None) -> Iterator[datetime | date]:
        """Yield each start in order, up to a given time."""
        for local in self._all():
            moment = self._shown(local)
            if before is not None and self._instant(local) >= before:
                return
            if local not in self._without:
                yield moment

    def _all(self) -> Iterator[datetime]:
        found: set[datetime] = set(self._more)
        for rule in self._rules:
            found.update(self._by_rule(rule))
        return iter(sorted(found if self._rules else found | {self._first}))

    def _by_rule(self, rule: Rule) -> Iterator[datetime]:
        day, seen = self._first.date(), 0
        for _ in range(_MOST_DAYS):
            local = datetime.combine(day, self._first.time())
            if _fits(day, self._first.date(), rule):
                if self._is_over(local, rule) or (rule.count is not None and seen >= rule.count):
                    return
                seen += 1
                yield local
            day += _DAY

    def _is_over(self, local: datetime, rule: Rule) -> bool:
        if rule.until is None:
            return False
        if len(rule.until) == len("20260101"):
            return local.date() > _day(rule.until)
        return self._instant(local) > _moment(rule.until.rstrip("Z")).replace(tzinfo=UTC)

    def _read(self, line: str) -> None:
        found = _LINE.fullmatch(line)
        if found is None:
            raise BadRule(line)
        kind, given, value = found.groups()
        if kind == "RRULE":
            self._rules.append(parse(value))
            return
        named = dict(part.split("=", 1) for part in given.split(";") if part)
        zone = ZoneInfo(named["TZID"]) if "TZID" in named else self._zone
        (self._without if kind == "EXDATE" else self._more).update(self._moments(value, zone))

    def _moments(self, value: str, zone: ZoneInfo | None) -> Iterator[datetime]:
        for one in value.split(","):
            if "T" not in one:
                yield datetime.combine(_day(one), self._first.time())
                continue
            moment = _moment(one.rstrip("Z"))
            known = UTC if one.endswith("Z") else zone
            yield moment if known is None or self._zone is None else _in(moment.replace(tzinfo=known), self._zone)

    def _instant(self, local: datetime) -> datetime:
        return local.replace(tzinfo=self._zone or UTC).astimezone(UTC)

    def _shown(self, local: datetime) -> datetime | date:
        return local.date() if self._whole_days else local.replace(tzinfo=self._zone)


def parse(text: str) -> Rule:
    """Parse what follows `RRULE:`."""
    try:
        parts = dict(part.split("=", 1) for part in text.split(";"))
        if not parts.keys() <= _KNOWN or parts["FREQ"] not in {"DAILY", "WEEKLY", "MONTHLY", "YEARLY"}:
            raise BadRule(text)
        if "UNTIL" in parts:
            (_day if "T" not in parts["UNTIL"] else _moment)(parts["UNTIL"].rstrip("Z"))
        rule = Rule(
            freq=parts["FREQ"],
            interval=int(parts.get("INTERVAL", "1")),
            count=int(parts["COUNT"]) if "COUNT" in parts else None,
            until=parts.get("UNTIL"),
            weekdays=tuple(_weekday(one) for one in _listed(parts, "BYDAY")),
            month_days=tuple(int(one) for one in _listed(parts, "BYMONTHDAY")),
            months=tuple(int(one) for one in _listed(parts, "BYMONTH")),
        )
    except (ValueError, KeyError) as error:
        raise BadRule(text) from error
    if rule.interval < 1 or rule.count == 0 or (rule.count is not None and rule.until is not None):
        raise BadRule(text)
    return rule


def _listed(parts: dict[str, str], name: str) -> list[str]:
    return parts[name].split(",") if name in parts else []


def _weekday(text: str) -> tuple[int, int]:
    found = _BYDAY.fullmatch(text)
    if found is None:
        raise BadRule(text)
    return int(found[1] or 0), _DAYS.index(found[2])


def _fits(day: date, first: date, rule: Rule) -> bool:
    if rule.months and day.month not in rule.months:
        return False
    if rule.freq == "DAILY":
        return (day - first).days % rule.interval == 0 and _on(day, rule)
    if rule.freq == "WEEKLY":
        weeks = (_monday(day) - _monday(first)).days // 7
        wanted = {weekday for _, weekday in rule.weekdays} or {first.weekday()}
        return weeks % rule.interval == 0 and day.weekday() in wanted
    passed = day.year - first.year
    if rule.freq == "MONTHLY":
        passed = passed * 12 + day.month - first.month
    elif not rule.months and day.month != first.month:
        return False
    is_day = _on(day, rule) if rule.weekdays or rule.month_days else day.day == first.day
    return passed % rule.interval == 0 and is_day


def _on(day: date, rule: Rule) -> bool:
    if rule.month_days and not {day.day, day.day - _length(day) - 1} & set(rule.month_days):
        return False
    nth, nth_last = (day.day - 1) // 7 + 1, -((_length(day) - day.day) // 7 + 1)
    wanted = [ordinal for ordinal, weekday in rule.weekdays if weekday == day.weekday()]
    return not rule.weekdays or any(ordinal in {0, nth, nth_last} for ordinal in wanted)


def _length(day: date) -> int:
    return ((day.replace(day=1) + timedelta(days=32)).replace(day=1) - _DAY).day


def _monday(day: date) -> date:
    return day - timedelta(days=day.weekday())


def _local(start: datetime | date) -> datetime:
    return start.replace(tzinfo=None) if isinstance(start, datetime) else datetime.combine(start, time())


def _in(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def _day(text: str) -> date:
    return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC).date()


def _moment(text: str) -> datetime:
    return datetime.strptime(text, "%Y%m%dT%H%M%S").replace(tzinfo=UTC).replace(tzinfo=None)
