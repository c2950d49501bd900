"""The retry plan and the rules for failing hooks, as tables and as laws."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.delivery.retry_policy import (
    DEFAULT_RETRY_SCHEDULE,
    TEST_EVENT_RETRY_SCHEDULE,
    AttemptFailed,
    AttemptOutcome,
    AttemptSucceeded,
    DeliveryDone,
    DisableHook,
    GiveUp,
    HookHealth,
    ReceiverGone,
    RetryAfter,
    RetrySchedule,
    SendMode,
    SendNormally,
    SendProbesOnly,
    classify_response,
    decide_next_step,
    decide_send_mode,
    parse_retry_after,
)

NOW = datetime(2026, 11, 15, 12, 0, 0, tzinfo=UTC)
DAY = timedelta(days=1)
FAILED = AttemptFailed("timeout")

attempts = st.integers(1, 30)
jitters = st.floats(-1, 1)


def seconds(value: float) -> timedelta:
    return timedelta(seconds=value)


def delay_of(
    attempt: int, outcome: AttemptOutcome, jitter: float, schedule: RetrySchedule = DEFAULT_RETRY_SCHEDULE
) -> timedelta:
    decision = decide_next_step(attempt, outcome, jitter=jitter, schedule=schedule)
    assert isinstance(decision, RetryAfter)
    return decision.delay


@pytest.mark.parametrize(
    ("attempt", "wait"),
    list(enumerate([5, 30, 120, 600, 1800, 7200, 21600, 43200, 86400, 86400], start=1)),
)
def test_the_schedule_of_the_contract(attempt: int, wait: int) -> None:
    assert decide_next_step(attempt, FAILED, jitter=0) == RetryAfter(seconds(wait))


def test_the_eleventh_attempt_is_the_last_after_about_69_hours() -> None:
    assert decide_next_step(11, FAILED, jitter=0) == GiveUp()
    assert sum(DEFAULT_RETRY_SCHEDULE, timedelta()) // timedelta(hours=1) == 68


@pytest.mark.parametrize(("attempt", "wait"), [(1, 5), (2, 30), (3, 120)])
def test_a_test_ping_is_retried_three_times(attempt: int, wait: int) -> None:
    assert decide_next_step(attempt, FAILED, jitter=0, schedule=TEST_EVENT_RETRY_SCHEDULE) == RetryAfter(seconds(wait))
    assert decide_next_step(4, FAILED, jitter=0, schedule=TEST_EVENT_RETRY_SCHEDULE) == GiveUp()


@given(attempts, jitters)
def test_success_and_gone_end_it_on_any_attempt(attempt: int, jitter: float) -> None:
    assert decide_next_step(attempt, AttemptSucceeded(), jitter=jitter) == DeliveryDone()
    assert decide_next_step(attempt, ReceiverGone(), jitter=jitter) == DisableHook("gone")


@given(attempts, jitters)
def test_jitter_stays_within_a_fifth(attempt: int, jitter: float) -> None:
    decision = decide_next_step(attempt, FAILED, jitter=jitter)
    if attempt > len(DEFAULT_RETRY_SCHEDULE):
        assert decision == GiveUp()
    else:
        assert isinstance(decision, RetryAfter)
        step = DEFAULT_RETRY_SCHEDULE[attempt - 1]
        assert step * 0.8 <= decision.delay <= step * 1.2


@given(jitters)
def test_waits_never_shrink_from_attempt_to_attempt(jitter: float) -> None:
    waits = [delay_of(attempt, FAILED, jitter) for attempt in range(1, 11)]
    assert all(earlier <= later for earlier, later in pairwise(waits))


@given(attempts, jitters, jitters)
def test_more_jitter_is_never_earlier(attempt: int, jitter: float, other: float) -> None:
    if attempt <= len(DEFAULT_RETRY_SCHEDULE):
        low, high = sorted((jitter, other))
        assert delay_of(attempt, FAILED, low) <= delay_of(attempt, FAILED, high)


@given(st.integers(1, 10), jitters, st.timedeltas(timedelta(), DAY))
def test_retry_after_is_never_earlier_than_planned(attempt: int, jitter: float, retry_after: timedelta) -> None:
    delay = delay_of(attempt, AttemptFailed("status_refused", 503, retry_after), jitter)
    planned = delay_of(attempt, FAILED, jitter)
    assert delay == max(retry_after, planned)


def test_a_schedule_of_the_deployment_is_followed() -> None:
    schedule = (seconds(1), seconds(2))
    assert delay_of(2, FAILED, 0, schedule) == seconds(2)
    assert decide_next_step(3, FAILED, jitter=0, schedule=schedule) == GiveUp()
    assert decide_next_step(1, FAILED, jitter=0, schedule=()) == GiveUp()


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_a_success(status: int) -> None:
    assert classify_response(status, {}, NOW) == AttemptSucceeded()


@pytest.mark.parametrize("status", [300, 301, 302, 304, 307, 308])
def test_a_redirect_is_a_failure(status: int) -> None:
    assert classify_response(status, {"location": "https://example.com/"}, NOW) == AttemptFailed(
        "redirect_refused", status
    )


@pytest.mark.parametrize("status", [101, 199, 400, 401, 404, 409, 500, 502, 504, 599, 999])
def test_other_statuses_are_failures_whose_retry_after_is_not_asked_for(status: int) -> None:
    assert classify_response(status, {"retry-after": "3600"}, NOW) == AttemptFailed("status_refused", status)


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_heard_from_the_two_that_may_say_it(status: int) -> None:
    outcome = classify_response(status, {"retry-after": "3600"}, NOW)
    assert outcome == AttemptFailed("status_refused", status, seconds(3600))


def test_410_means_gone() -> None:
    assert classify_response(410, {}, NOW) == ReceiverGone()


@pytest.mark.parametrize(
    ("text", "retry_after"),
    [
        ("0", timedelta()),
        ("120", seconds(120)),
        (" 120 ", seconds(120)),
        ("86400", DAY),
        ("86401", DAY),
        ("000000000000000000060", seconds(60)),
        ("9" * 5000, DAY),
        (format_datetime(NOW + seconds(90), usegmt=True), seconds(90)),
        (format_datetime(NOW - DAY, usegmt=True), timedelta()),
        (format_datetime(NOW + 30 * DAY, usegmt=True), DAY),
        ("Sunday, 15-Nov-26 12:01:00 GMT", seconds(60)),
        ("Sun Nov 15 12:01:00 2026", seconds(60)),
        ("Sun, 15 Nov 2026 14:01:00 +0200", seconds(60)),
    ],
)
def test_retry_after_is_read(text: str, retry_after: timedelta) -> None:
    assert parse_retry_after(text, NOW) == retry_after


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "soon",
        "-5",
        "1.5",
        "1e3",
        "٣٠",
        "²",
        "12 monkeys",
        "Sun, 99 Foo 2026 12:00:00 GMT",
        "\x00",
        f"Sun, 15 Nov {9**99} 12:00:00 GMT",
    ],
)
def test_garbage_in_retry_after_is_ignored(text: str | None) -> None:
    assert parse_retry_after(text, NOW) is None


dates = st.builds(
    "{}, {} {} {} {}:{}:{} {}".format,
    *[st.sampled_from(["Sun", "15", "Nov", "2026", "99999", "12", "-1", "GMT", "+9999", ""])] * 8,
)


@given(st.text() | st.integers().map(str) | dates)
def test_retry_after_never_fails_and_never_passes_a_day(text: str) -> None:
    delay = parse_retry_after(text, NOW)
    assert delay is None or timedelta() <= delay <= DAY


def health(
    *, failures: int = 0, active_days: float = 0, success_days: float | None = None, exhausted: int = 0
) -> HookHealth:
    return HookHealth(
        consecutive_failures=failures,
        activated_at=NOW - active_days * DAY,
        last_success_at=None if success_days is None else NOW - success_days * DAY,
        exhausted=exhausted,
    )


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (health(), SendNormally()),
        (health(failures=9), SendNormally()),
        (health(failures=10), SendProbesOnly()),
        (health(failures=500, active_days=4.99, exhausted=500), SendProbesOnly()),
        (health(failures=500, active_days=30, exhausted=19), SendProbesOnly()),
        (health(failures=30, active_days=5, exhausted=20), DisableHook("failing")),
        (health(failures=30, active_days=30, success_days=5, exhausted=20), DisableHook("failing")),
        (health(failures=30, active_days=30, success_days=4, exhausted=500), SendProbesOnly()),
        (health(failures=30, active_days=1, success_days=30, exhausted=500), SendProbesOnly()),
        (health(active_days=30, success_days=0), SendNormally()),
    ],
)
def test_the_standing_of_a_hook(state: HookHealth, expected: SendMode) -> None:
    assert decide_send_mode(state, NOW) == expected


@given(st.integers(0, 100), st.floats(0, 60), st.none() | st.floats(0, 60), st.integers(0, 100))
def test_a_hook_is_never_disabled_within_five_days_of_a_good_sign(
    failures: int, active_days: float, success_days: float | None, exhausted: int
) -> None:
    state = health(failures=failures, active_days=active_days, success_days=success_days, exhausted=exhausted)
    if NOW - state.no_success_since < 5 * DAY or exhausted < 20:
        assert not isinstance(decide_send_mode(state, NOW), DisableHook)
