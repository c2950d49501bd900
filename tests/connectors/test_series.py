"""Series of events: what is moved on the wall is moved by as much for every occurrence."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from socialgate.connectors.recurrence import SeriesChangeError, build_remaining_series, end_rules_before, shift_series
from socialgate.contracts.calendar import EventFields, EventItem, EventReminders, EventTime
from socialgate_sandbox.society.recurrence import EventSeries

ZONES = ("Europe/Stockholm", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")
HOUR = timedelta(hours=1)
# What clocks show, without saying where.
wall = datetime.fromisoformat
WEEKDAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def event(start: EventTime, end: EventTime, *lines: str, original: EventTime | None = None) -> EventItem:
    return EventItem(
        id="one" if original is None else "one_1",
        calendar_id="ada@example.com",
        title="",
        description=None,
        location=None,
        start=start,
        end=end,
        recurrence=lines,
        recurring_event_id=None if original is None else "one",
        original_start=original,
        attendees=(),
        conference_url=None,
        reminders=EventReminders(),
        status="confirmed",
        etag="",
        html_url=None,
        updated_at=None,
    )


def on(time: datetime, zone: str) -> EventTime:
    """Give a time as platforms do, with its offset."""
    return EventTime(date_time=time.replace(tzinfo=ZoneInfo(zone)), timezone=zone)


def walls(start: datetime, zone: str, lines: tuple[str, ...]) -> list[datetime]:
    """Expand a series by the second reading of the rules that there is."""
    result = EventSeries(start.replace(tzinfo=ZoneInfo(zone)), ZoneInfo(zone), lines).iterate_starts(
        datetime(2030, 1, 1, tzinfo=UTC)
    )
    return [item.replace(tzinfo=None) for item in result if isinstance(item, datetime)]


DAYS = st.lists(st.sampled_from(WEEKDAYS), min_size=1, max_size=3, unique=True).map(",".join)
RULES = st.one_of(
    st.just("FREQ=DAILY"),
    st.just("FREQ=DAILY;INTERVAL=3"),
    st.just("FREQ=WEEKLY;INTERVAL=2"),
    DAYS.map(lambda days: f"FREQ=WEEKLY;BYDAY={days}"),
    DAYS.map(lambda days: f"FREQ=DAILY;BYDAY={days}"),
)


@given(
    st.sampled_from(ZONES),
    st.datetimes(wall("2026-09-01"), wall("2027-05-01")),
    RULES,
    st.integers(0, 5),
    st.integers(-2000, 2000),
    st.sampled_from(["COUNT=8", "UNTIL"]),
    st.booleans(),
)
def test_every_occurrence_is_moved_by_as_much(
    zone: str, start: datetime, rule: str, which: int, minutes: int, bound: str, skips: bool
) -> None:
    start = start.replace(second=0, microsecond=0)
    # Neither an hour that comes twice nor one that never comes: what is read there is not what was written.
    before = walls(start, zone, (f"RRULE:{rule};COUNT=8",))
    assume(before)
    assume(before[0] == start)
    by = timedelta(minutes=minutes)
    assume(all(_is_plain(time, zone) and _is_plain(time + by, zone) for time in before))
    if bound == "UNTIL":
        last = before[-1].replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)
        bound = f"UNTIL={last:%Y%m%dT%H%M%SZ}"
    lines = (f"RRULE:{rule};{bound}", *([f"EXDATE;TZID={zone}:{before[3]:%Y%m%dT%H%M%S}"] if skips else []))
    expected = [time for time in before if not (skips and time == before[3])]
    assert walls(start, zone, lines) == expected
    whole = event(on(start, zone), on(start + HOUR, zone), *lines)
    named = event(on(before[which], zone), on(before[which] + HOUR, zone), original=on(before[which], zone))
    fields = shift_series(EventFields(start=on(before[which] + by, zone)), named, whole)
    assert isinstance(fields.start, EventTime)
    assert isinstance(fields.recurrence, tuple)
    assert fields.start.date_time == start + by
    assert walls(start + by, zone, fields.recurrence) == [time + by for time in expected]


def _is_plain(time: datetime, zone: str) -> bool:
    known = time.replace(tzinfo=ZoneInfo(zone))
    same = known.astimezone(UTC).astimezone(ZoneInfo(zone)).replace(tzinfo=None) == time
    return same and known.utcoffset() == known.replace(fold=1).utcoffset()


NINE, ZONE = wall("2026-11-20T09:00"), "Europe/Stockholm"


@pytest.mark.parametrize(
    ("rule", "days", "expected"),
    [
        ("FREQ=WEEKLY;BYDAY=FR", 1, "FREQ=WEEKLY;BYDAY=SA"),
        ("FREQ=WEEKLY;BYDAY=MO,FR", 3, "FREQ=WEEKLY;BYDAY=TH,MO"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", 2, "FREQ=WEEKLY;INTERVAL=2;BYDAY=WE,SU"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;WKST=SU", 1, "FREQ=WEEKLY;INTERVAL=2;BYDAY=SA;WKST=SU"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", 7, "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR"),
        ("FREQ=MONTHLY", 1, "FREQ=MONTHLY"),
        ("FREQ=MONTHLY;BYMONTHDAY=20", 0, "FREQ=MONTHLY;BYMONTHDAY=20"),
        ("freq=weekly;byday=fr", 1, "FREQ=WEEKLY;BYDAY=SA"),
        # What no longer lies in the same week, or is counted within a month, is another rule.
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR", 3, None),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=FR;WKST=SU", 2, None),
        ("FREQ=MONTHLY;BYDAY=3FR", 1, None),
        ("FREQ=MONTHLY;BYMONTHDAY=20", 1, None),
        ("FREQ=YEARLY;BYMONTH=11", 1, None),
        # What nobody can read is not moved.
        ("FREQ=WEEKLY;BYDAY", 1, None),
        ("FREQ=WEEKLY;BYDAY=FR;WKST=XX", 1, None),
        ("BYDAY=FR", 1, None),
    ],
)
def test_the_days_of_a_rule_follow_where_that_is_clear(rule: str, days: int, expected: str | None) -> None:
    whole = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), f"RRULE:{rule}")
    named = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), original=on(NINE, ZONE))
    fields = EventFields(start=on(NINE + timedelta(days=days, hours=1), ZONE))
    if expected is None:
        with pytest.raises(SeriesChangeError) as caught:
            shift_series(fields, named, whole)
        assert caught.value.field == "/recurrence"
    else:
        assert shift_series(fields, named, whole).recurrence == (f"RRULE:{expected}",)


def test_hours_become_days_and_days_hours() -> None:
    lines = ("RRULE:FREQ=DAILY;UNTIL=20261124T080000Z", "EXDATE;TZID=Europe/Stockholm:20261122T090000")
    whole = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), *lines)
    named = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), original=on(NINE, ZONE))
    days = shift_series(
        EventFields(start=EventTime(date=date(2026, 11, 21)), end=EventTime(date=date(2026, 11, 22))), named, whole
    )
    assert (days.start, days.end) == (EventTime(date=date(2026, 11, 21)), EventTime(date=date(2026, 11, 22)))
    assert days.recurrence == ("RRULE:FREQ=DAILY;UNTIL=20261125", "EXDATE;VALUE=DATE:20261123")
    assert isinstance(days.start, EventTime)
    assert isinstance(days.end, EventTime)
    whole = event(days.start, days.end, *days.recurrence)
    named = event(days.start, days.end, original=days.start)
    hours = shift_series(EventFields(start=on(NINE, ZONE), end=on(NINE + HOUR, ZONE)), named, whole)
    assert hours.recurrence == lines
    assert hours.start == EventTime(date_time=NINE, timezone=ZONE)
    with pytest.raises(SeriesChangeError) as caught:
        shift_series(EventFields(start=EventTime(date_time=NINE.replace(tzinfo=UTC)), end=on(NINE, ZONE)), named, whole)
    assert caught.value.field == "/start/timezone"


def test_a_series_of_hours_that_ends_with_a_day_has_that_day() -> None:
    whole = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), "RRULE:FREQ=DAILY;UNTIL=20261122")
    named = event(on(NINE, ZONE), on(NINE + HOUR, ZONE), original=on(NINE, ZONE))
    fields = shift_series(EventFields(start=on(NINE + 2 * HOUR, ZONE)), named, whole)
    assert isinstance(fields.recurrence, tuple)
    assert [time.day for time in walls(NINE + 2 * HOUR, ZONE, fields.recurrence)] == [20, 21, 22]


def test_a_series_is_split_where_the_clocks_change() -> None:
    """The rest begins before the night on which they are put forward, and is moved to after it: the last one stays."""
    start = wall("2027-03-20T09:00")
    whole = event(on(start, ZONE), on(start + HOUR, ZONE), "RRULE:FREQ=WEEKLY;COUNT=4")
    second = start + timedelta(days=7)
    named = event(on(second, ZONE), on(second + HOUR, ZONE), original=on(second, ZONE))
    last = (start + timedelta(days=21)).replace(tzinfo=ZoneInfo(ZONE))
    rest = build_remaining_series(EventFields(start=on(second + timedelta(days=2), ZONE)), named, whole, last)
    assert isinstance(rest.recurrence, tuple)
    assert [f"{time:%m-%dT%H}" for time in walls(wall("2027-03-29T09:00"), ZONE, rest.recurrence)] == [
        "03-29T09",
        "04-05T09",
        "04-12T09",
    ]
    old = end_rules_before(whole.recurrence, second.replace(tzinfo=ZoneInfo(ZONE)))
    assert walls(start, ZONE, old) == [start]


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        # Single dates after the end of a series are no part of it either.
        (("RRULE:FREQ=DAILY", "RDATE;TZID=Europe/Stockholm:20261201T090000"), ("RRULE:FREQ=DAILY;UNTIL={}",)),
        (
            ("RRULE:FREQ=DAILY", "RDATE:20261101T080000Z,20261201T080000Z"),
            ("RRULE:FREQ=DAILY;UNTIL={}", "RDATE:20261101T080000Z"),
        ),
        (("RDATE;TZID=America/New_York:20261120T030000",), ()),
        (("RDATE;TZID=America/New_York:20261120T025959",), ("RDATE;TZID=America/New_York:20261120T025959",)),
        (("RRULE:freq=daily;count=5",), ("RRULE:freq=daily;UNTIL={}",)),
    ],
)
def test_a_series_ends_with_everything_that_it_has(lines: tuple[str, ...], left: tuple[str, ...]) -> None:
    begins = NINE.replace(tzinfo=ZoneInfo(ZONE))
    assert end_rules_before(lines, begins) == tuple(line.format("20261120T075959Z") for line in left)


def test_a_series_of_days_ends_with_its_single_days() -> None:
    lines = ("RRULE:FREQ=WEEKLY", "RDATE;VALUE=DATE:20261119,20261120,20261201")
    assert end_rules_before(lines, date(2026, 11, 20)) == (
        "RRULE:FREQ=WEEKLY;UNTIL=20261119",
        "RDATE;VALUE=DATE:20261119",
    )
