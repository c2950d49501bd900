"""The rules of series in the sandbox, compared with another reading of RFC 5545."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from socialgate_sandbox.society.recurrence import EventSeries, InvalidRuleError

# It comes with the client of another platform that tests use.
rrule = pytest.importorskip("dateutil.rrule")

ZONE = ZoneInfo("America/New_York")
START = datetime(2026, 2, 27, 9, 30, tzinfo=ZONE)
RULES = [
    "FREQ=DAILY;COUNT=40",
    "FREQ=DAILY;INTERVAL=3;UNTIL=20260501T120000Z",
    "FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR;COUNT=30",
    "FREQ=WEEKLY;COUNT=20",
    "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,FR,SU;COUNT=25",
    "FREQ=MONTHLY;COUNT=14",
    "FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=14",
    "FREQ=MONTHLY;BYMONTHDAY=15,31;COUNT=14",
    "FREQ=MONTHLY;BYDAY=2TU;COUNT=14",
    "FREQ=MONTHLY;BYDAY=-1FR;COUNT=14",
    "FREQ=MONTHLY;INTERVAL=5;BYDAY=FR;COUNT=14",
    "FREQ=YEARLY;COUNT=5",
    "FREQ=YEARLY;BYMONTH=2,11;BYDAY=4TH;COUNT=8",
    "FREQ=YEARLY;INTERVAL=2;COUNT=4",
]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_means_what_it_means_elsewhere(rule: str) -> None:
    ours = list(EventSeries(START, ZONE, [f"RRULE:{rule}"]).iterate_starts())
    theirs = list(rrule.rrulestr(f"RRULE:{rule}", dtstart=START))
    assert ours == theirs
    assert [our.utcoffset() for our in ours if isinstance(our, datetime)] == [their.utcoffset() for their in theirs]


def test_dates_are_added_and_left_out() -> None:
    lines = ["RRULE:FREQ=DAILY;COUNT=3", "EXDATE;TZID=America/New_York:20260228T093000", "RDATE:20260310T133000Z"]
    starts = list(EventSeries(START, ZONE, lines).iterate_starts())
    assert [f"{start:%m-%d %H:%M}" for start in starts] == ["02-27 09:30", "03-01 09:30", "03-10 09:30"]
    before = datetime(2026, 3, 1, tzinfo=UTC)
    assert len(list(EventSeries(START, ZONE, lines).iterate_starts(before))) == 1


@pytest.mark.parametrize("line", ["RRULE:FREQ=HOURLY", "RRULE:COUNT=1", "RRULE:FREQ=DAILY;COUNT=1;UNTIL=20300101", "X"])
def test_a_rule_without_sense_is_refused(line: str) -> None:
    with pytest.raises(InvalidRuleError):
        EventSeries(START, ZONE, [line])
