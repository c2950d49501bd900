"""When tokens are renewed."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.areas.accounts.renewal import compute_renewal_time, compute_retry_time, is_token_usable
from socialgate.contracts.account_connection import Grant

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)


def grant(life: timedelta | None) -> Grant:
    expires_at = None if life is None else NOW + life
    return Grant(platform_user_id="1", name="Ada", access_token="t", scopes=(), refreshed_at=NOW, expires_at=expires_at)


def test_a_grant_without_an_end_is_never_renewed() -> None:
    assert compute_renewal_time(grant(None)) is None


@pytest.mark.parametrize("life", [timedelta(hours=1), timedelta(hours=24), timedelta(days=60)])
def test_it_is_renewed_at_two_thirds_of_its_life(life: timedelta) -> None:
    assert compute_renewal_time(grant(life), spread=0) == NOW + life * (2 / 3)


@given(st.floats(-1, 1), st.integers(60, 10**8))
def test_jitter_leaves_a_quarter_of_the_life_for_a_platform_that_is_down(jitter: float, seconds: int) -> None:
    life = timedelta(seconds=seconds)
    due = compute_renewal_time(grant(life), jitter)
    assert due is not None
    assert NOW + life * 0.59 <= due <= NOW + life * 0.74


def test_two_grants_of_the_same_moment_are_not_renewed_at_the_same_moment() -> None:
    assert len({compute_renewal_time(grant(timedelta(hours=24))) for _ in range(20)}) > 1


def test_failures_are_tried_again_ever_more_slowly_up_to_an_hour() -> None:
    waits = [compute_retry_time(NOW, tries, None, spread=0) - NOW for tries in range(9)]
    assert waits == sorted(waits)
    assert waits[0] == timedelta(minutes=1)
    assert waits[-1] == timedelta(hours=1)


def test_the_platform_s_wish_to_wait_is_never_undercut() -> None:
    assert compute_retry_time(NOW, 0, 7200) == NOW + timedelta(hours=2)


def test_a_token_that_is_about_to_end_is_not_used() -> None:
    assert is_token_usable(None, NOW)
    assert is_token_usable(NOW + timedelta(minutes=2), NOW)
    assert not is_token_usable(NOW + timedelta(seconds=89), NOW)
