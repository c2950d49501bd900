"""When posts are due, across the days on which clocks are changed, in five places that do it differently."""

from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

import pytest

from socialgate.areas.posts.post_timing import parse_time, require_future
from socialgate.areas.posts.slot_times import WEEKDAYS, iterate_occurrences
from socialgate.core.errors import InvalidRequest

SUNDAY = WEEKDAYS.index("sunday")


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


# Four Sundays around a change of the clocks (none in Sao Paulo since 2019, none in Kolkata ever; half an hour on Lord
# Howe), at a time that is the same on the clocks of the place each week.
TABLE = [
    ("America/Sao_Paulo", "09:00", "2026-10-20", ["2026-10-25 12:00", "2026-11-01 12:00", "2026-11-08 12:00"]),
    ("America/Sao_Paulo", "09:00", "2018-10-30", ["2018-11-04 11:00", "2018-11-11 11:00"]),
    ("America/Sao_Paulo", "09:00", "2018-10-26", ["2018-10-28 12:00", "2018-11-04 11:00"]),
    ("America/New_York", "09:00", "2026-10-20", ["2026-10-25 13:00", "2026-11-01 14:00", "2026-11-08 14:00"]),
    ("America/New_York", "09:00", "2026-03-01", ["2026-03-01 14:00", "2026-03-08 13:00", "2026-03-15 13:00"]),
    ("Europe/London", "09:00", "2026-10-20", ["2026-10-25 09:00", "2026-11-01 09:00"]),
    ("Europe/London", "09:00", "2026-03-20", ["2026-03-22 09:00", "2026-03-29 08:00"]),
    ("Asia/Kolkata", "09:00", "2026-10-20", ["2026-10-25 03:30", "2026-11-01 03:30"]),
    ("Australia/Lord_Howe", "09:00", "2026-09-25", ["2026-09-26 22:30", "2026-10-03 22:00"]),
    ("Australia/Lord_Howe", "09:00", "2026-03-27", ["2026-03-28 22:00", "2026-04-04 22:30"]),
    # Half past two does not come on this day; the clocks are put forward by an hour.
    ("America/New_York", "02:30", "2026-03-02", ["2026-03-08 07:30", "2026-03-15 06:30"]),
    # Half past one comes twice on this day; the first one is meant.
    ("America/New_York", "01:30", "2026-10-28", ["2026-11-01 05:30", "2026-11-08 06:30"]),
    ("Australia/Lord_Howe", "02:15", "2026-09-28", ["2026-10-03 15:45", "2026-10-10 15:15"]),
]


@pytest.mark.parametrize(("zone", "clock", "after", "expected"), TABLE)
def test_a_slot_keeps_its_time_of_day(zone: str, clock: str, after: str, expected: list[str]) -> None:
    moments = islice(iterate_occurrences(SUNDAY, clock, ZoneInfo(zone), utc(after)), len(expected))
    assert [f"{moment:%Y-%m-%d %H:%M}" for moment in moments] == expected


def test_a_slot_begins_after_the_moment_and_not_at_it() -> None:
    at = utc("2026-11-01 09:00")
    assert next(iterate_occurrences(SUNDAY, "09:00", ZoneInfo("UTC"), at)) == at + timedelta(days=7)
    assert next(iterate_occurrences(SUNDAY, "09:00", ZoneInfo("UTC"), at - timedelta(microseconds=1))) == at


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        ("2026-11-20T14:00:00Z", "America/Lima", "2026-11-20 14:00"),
        ("2026-11-20T14:00:00+05:30", "America/Lima", "2026-11-20 08:30"),
        ("2026-11-20T09:00", "America/Lima", "2026-11-20 14:00"),
        ("2026-07-20T09:00", "Europe/London", "2026-07-20 08:00"),
        ("2026-11-20T09:00", "Asia/Kolkata", "2026-11-20 03:30"),
        ("2026-11-20T09:00", "Australia/Lord_Howe", "2026-11-19 22:00"),
        ("2026-11-01T01:30", "America/New_York", "2026-11-01 05:30"),
    ],
)
def test_a_time_without_an_offset_is_read_in_its_zone(text: str, zone: str, expected: str) -> None:
    assert f"{parse_time(text, ZoneInfo(zone)):%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("2026-03-08T02:30", "America/New_York"),
        ("2026-03-29T01:30", "Europe/London"),
        ("2026-10-04T02:15", "Australia/Lord_Howe"),
        ("2018-11-04T00:30", "America/Sao_Paulo"),
    ],
)
def test_a_time_that_never_comes_is_refused(text: str, zone: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_time(text, ZoneInfo(zone))
    assert refused.value.errors[0].code == "invalid_time"


@pytest.mark.parametrize("text", ["tomorrow", "2026-13-01T00:00Z", "", "14:00"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_time(text, ZoneInfo("UTC"))
    assert refused.value.errors[0].code == "invalid_time"


def test_a_time_a_moment_ago_means_now_and_an_older_one_is_refused() -> None:
    now = utc("2026-11-15 09:30")
    assert require_future(now - timedelta(minutes=4), now) == now
    assert require_future(now + timedelta(minutes=4), now) == now + timedelta(minutes=4)
    with pytest.raises(InvalidRequest):
        require_future(now - timedelta(minutes=6), now)
