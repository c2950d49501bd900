"""Times as people write them: `thu 9:00`, `tomorrow 6pm`, `in 2 hours`, `19 nov 09:00`, `2026-11-19 09:00`.

What could mean two things is refused, and what was understood is shown in full before anything happens.
"""

import re
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import click

EXAMPLES = "Write it as in: thu 9:00, tomorrow 6pm, in 2 hours, 19 nov 09:00, 2026-11-19 09:00."
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MIN_LETTERS = 3
_DAYS_OF_A_WEEK = 7
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_DISTANCE = re.compile(r"(?:in |\+)(\d+|an?) ?(m|h|d|w|mins?|minutes?|hours?|hrs?|days?|weeks?)")
_TIME = re.compile(r"(\d{1,2})(?:[:.h](\d{2})|h)? ?(am|pm)?")
_NAMED_TIMES = {"noon": time(12), "midnight": time(0)}
_NOON = 12


class _Unclear(ValueError):
    """It is not a time that we understand. The text says what to write instead."""


def parse_moment(text: str, zone: ZoneInfo, now: datetime) -> datetime:
    """Read a time in the future. Raises an error of the command line if there is any doubt."""
    local = now.astimezone(zone)
    try:
        moment = _read(" ".join(text.lower().replace(",", " ").split()), text.strip(), local)
    except _Unclear as error:
        raise click.UsageError(f"{text!r} is not a time that can be used: {error}") from None
    except OverflowError:
        raise click.UsageError(f"{text!r} is not a time that can be used: it is too far away.") from None
    if moment <= now:
        raise click.UsageError(f"{text!r} is {moment:%A %d %B %Y, %H:%M} ({zone.key}), which has passed.")
    return moment


def find_zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise click.UsageError(f"There is no time zone {name!r}. Time zones look like America/Lima.") from None


def _read(words: str, original: str, now: datetime) -> datetime:
    distance = _DISTANCE.fullmatch(words)
    if distance:
        count = 1 if distance[1] in {"a", "an"} else int(distance[1])
        # A day later is the same time tomorrow, also if the clocks are changed tonight.
        unit = distance[2][0]
        step = timedelta(**{_UNITS[unit]: count})
        return (now + step if unit in "dw" else now.astimezone(UTC) + step).astimezone(now.tzinfo)
    if re.search(r"\d[/.]\d{1,2}([/.]|$| )", words) and "/" in words:
        raise _Unclear("a date with slashes can be two days. Write 19 nov or 2026-11-19.")
    try:
        written = datetime.fromisoformat(original.upper())
    except ValueError:
        return _read_day_and_time(words, now)
    if written.tzinfo is not None:
        return written.astimezone(now.tzinfo)
    if len(original) <= len("2026-11-19"):
        raise _Unclear("it has no time. Write 2026-11-19 09:00.")
    return _at(written.date(), written.time(), now)


def _read_day_and_time(words: str, now: datetime) -> datetime:
    """Read a day and a time, in either order; `at` between them says nothing."""
    parts = [word for word in words.split() if word not in {"at", "on", "the"}]
    for count in range(len(parts), 0, -1):
        for clock, day in ((parts[-count:], parts[:-count]), (parts[:count], parts[count:])):
            at = _read_time(" ".join(clock))
            if at is not None:
                return _combine(day, at, now)
    if _read_day(parts, now) is not None:
        raise _Unclear("it has no time. Add one, such as 9:00.")
    raise _Unclear(EXAMPLES)


def _combine(day: list[str], at: time, now: datetime) -> datetime:
    if not day:
        today = _at(now.date(), at, now)
        return today if today > now else _at(now.date() + timedelta(1), at, now)
    chosen = _read_day(day, now)
    if chosen is None:
        raise _Unclear(EXAMPLES)
    moment = _at(chosen, at, now)
    # `thu 9:00` on a Thursday at noon is a week from now.
    if moment <= now and _weekday(day[-1]) is not None:
        return _at(chosen + timedelta(_DAYS_OF_A_WEEK), at, now)
    return moment


def _read_time(text: str) -> time | None:
    if text in _NAMED_TIMES:
        return _NAMED_TIMES[text]
    match = _TIME.fullmatch(text)
    # A number alone can be a day, an hour or a year.
    if match is None or text.isdecimal():
        return None
    hour, minute, half = int(match[1]), int(match[2] or 0), match[3]
    if half and not 1 <= hour <= _NOON:
        raise _Unclear(f"there is no {text}.")
    if half:
        hour = hour % _NOON + (_NOON if half == "pm" else 0)
    try:
        return time(hour, minute)
    except ValueError:
        raise _Unclear(f"there is no {text}.") from None


def _read_day(words: list[str], now: datetime) -> date | None:
    today = now.date()
    match words:
        case ["today" | "tonight"]:
            return today
        case ["tomorrow"]:
            return today + timedelta(1)
        case ["next", name] if (weekday := _weekday(name)) is not None:
            monday = today + timedelta(_DAYS_OF_A_WEEK - today.weekday())
            return monday + timedelta(weekday)
        case [name] if (weekday := _weekday(name)) is not None:
            return today + timedelta((weekday - today.weekday()) % _DAYS_OF_A_WEEK)
        case [text] if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text):
            return _date(*map(int, text.split("-")))
    return _read_date(words, today)


def _read_date(words: list[str], today: date) -> date | None:
    """Read a day of a month: `19 nov`, `november 19th`, `19 nov 2027`. Without a year it is the next one."""
    numbers = [int(match[1]) for word in words if (match := re.fullmatch(r"(\d+)(?:st|nd|rd|th)?\.?", word))]
    months = [month for word in words if (month := _find(word, _MONTHS)) is not None]
    if len(months) != 1 or len(numbers) + 1 != len(words) or len(numbers) not in {1, 2}:
        return None
    month = months[0] + 1
    if len(numbers) > 1:
        return _date(numbers[1], month, numbers[0])
    this_year = _date(today.year, month, numbers[0])
    return this_year if this_year >= today else _date(today.year + 1, month, numbers[0])


def _date(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise _Unclear(
            f"there is no {day} {_MONTHS[month - 1] if 1 <= month <= len(_MONTHS) else month} {year}."
        ) from None


def _weekday(word: str) -> int | None:
    return _find(word, _WEEKDAYS)


def _find(word: str, names: tuple[str, ...]) -> int | None:
    """Find a name by its beginning: three letters are enough."""
    short = word.rstrip(".")
    matches = [place for place, name in enumerate(names) if len(short) >= _MIN_LETTERS and name.startswith(short)]
    return matches[0] if len(matches) == 1 else None


def _at(day: date, at: time, now: datetime) -> datetime:
    moment = datetime.combine(day, at, tzinfo=now.tzinfo)
    # When clocks are put forward, an hour is left out.
    if moment.astimezone(UTC).astimezone(now.tzinfo).replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise _Unclear(f"the clocks are put forward on {day:%d %B %Y}, and there is no {at:%H:%M}.")
    return moment
