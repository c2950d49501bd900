"""Times as people write them: what is understood, and that nothing is guessed."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.cli.moments import find_zone, parse_moment
from socialgate.cli.output import format_distance, format_time_in_full

LIMA = ZoneInfo("America/Lima")
BERLIN = ZoneInfo("Europe/Berlin")
# A Wednesday, at noon in Lima.
NOW = datetime(2026, 11, 18, 17, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("thu 9:00", "2026-11-19T09:00"),
        ("Thursday at 9am", "2026-11-19T09:00"),
        ("9:30pm friday", "2026-11-20T21:30"),
        ("wed 9:00", "2026-11-25T09:00"),
        ("wed 13:00", "2026-11-18T13:00"),
        ("next mon 08:15", "2026-11-23T08:15"),
        ("next wednesday 9am", "2026-11-25T09:00"),
        ("today 18:30", "2026-11-18T18:30"),
        ("tomorrow 6pm", "2026-11-19T18:00"),
        ("tomorrow noon", "2026-11-19T12:00"),
        ("13:00", "2026-11-18T13:00"),
        ("11:59", "2026-11-19T11:59"),
        ("12:30 am", "2026-11-19T00:30"),
        ("18h30", "2026-11-18T18:30"),
        ("19 nov 09:00", "2026-11-19T09:00"),
        ("November 19th, 9:00", "2026-11-19T09:00"),
        ("3 jan 10:00", "2027-01-03T10:00"),
        ("3 jan 2028 10:00", "2028-01-03T10:00"),
        ("2026-11-19 09:00", "2026-11-19T09:00"),
        ("2026-11-19T09:00", "2026-11-19T09:00"),
        ("2026-11-19T14:00:00Z", "2026-11-19T09:00"),
        ("in 2 hours", "2026-11-18T14:00"),
        ("in 30 min", "2026-11-18T12:30"),
        ("+2h", "2026-11-18T14:00"),
        ("in a day", "2026-11-19T12:00"),
        ("in 1 week", "2026-11-25T12:00"),
    ],
)
def test_what_people_write_is_understood(text: str, moment: str) -> None:
    assert parse_moment(text, LIMA, NOW) == datetime.fromisoformat(moment).replace(tzinfo=LIMA)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("11/12 9:00", "a date with slashes can be two days"),
        ("tomorrow", "it has no time"),
        ("2026-11-19", "it has no time"),
        ("thu 25:00", "there is no 25:00"),
        ("13pm", "there is no 13pm"),
        ("30 feb 9:00", "there is no 30 february"),
        ("today 9:00", "which has passed"),
        ("2025-01-01 09:00", "which has passed"),
        ("in 99999999999 weeks", "it is too far away"),
        ("1 jan 99999999999999999999 9:00", "it is too far away"),
        ("9", "Write it as in"),
        ("soon", "Write it as in"),
        ("thu fri 9:00", "Write it as in"),
        ("", "Write it as in"),
    ],
)
def test_what_is_not_clear_is_refused(text: str, why: str) -> None:
    with pytest.raises(click.UsageError, match=why):
        parse_moment(text, LIMA, NOW)


def test_an_hour_that_the_clocks_leave_out_is_refused() -> None:
    before = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
    with pytest.raises(click.UsageError, match=r"there is no 02:30"):
        parse_moment("tomorrow 2:30", BERLIN, before)
    # A day later is the same time, although one hour less has passed.
    assert parse_moment("in 1 day", BERLIN, before).hour == before.astimezone(BERLIN).hour
    assert parse_moment("in 24 hours", BERLIN, before) - before == timedelta(hours=24)


@given(st.datetimes(min_value=datetime(2027, 1, 1), max_value=datetime(2099, 1, 1)))  # noqa: DTZ001 - local by intention
def test_a_full_date_is_read_as_it_was_written(moment: datetime) -> None:
    minute = moment.replace(second=0, microsecond=0)
    for text in (f"{minute:%Y-%m-%d %H:%M}", f"{minute:%d %b %Y %H:%M}", f"{minute:%B %d %Y, %H:%M}"):
        assert parse_moment(text, LIMA, NOW).replace(tzinfo=None) == minute


@given(st.text(max_size=20))
def test_any_text_is_a_time_or_an_error_of_the_command_line(text: str) -> None:
    with suppress(click.UsageError):
        assert parse_moment(text, LIMA, NOW) > NOW


def test_a_time_is_shown_in_full() -> None:
    moment = datetime(2026, 11, 19, 9, 0, tzinfo=LIMA)
    assert format_time_in_full(moment, LIMA.key) == "Thursday 19 November 2026, 09:00 (America/Lima, UTC-05:00)"
    assert format_distance(moment, NOW) == "in 21 hours"
    assert format_distance(NOW + timedelta(seconds=20), NOW) == "in less than a minute"


def test_time_zones_have_names() -> None:
    assert find_zone("America/Lima") == LIMA
    for name in ("Lima", "", "../etc/passwd"):
        with pytest.raises(click.UsageError, match="time zone"):
            find_zone(name)
