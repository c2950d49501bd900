"""Every code of TikTok API for Business, and the word that it becomes."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.tiktokads.errors import MEANINGS, Said, failure, is_of_the_advertiser
from socialgate.contracts.failures import (
    FAILURE_WORDS,
    Duplicate,
    NeedsReconnection,
    NotSupported,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)

NOW = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
ROWS: list[tuple[int, type[PlatformFailure]]] = [
    (40000, Rejected),
    (40001, PermissionMissing),
    (40002, Rejected),
    (40006, Rejected),
    (40007, PlatformNotFound),
    (40008, NotSupported),
    (40011, Rejected),
    (40016, PlatformRateLimited),
    (40050, Duplicate),
    (40051, NotSupported),
    (40052, Rejected),
    (40062, Rejected),
    (40100, PlatformRateLimited),
    (40101, Rejected),
    (40102, NeedsReconnection),
    (40104, NeedsReconnection),
    (40105, NeedsReconnection),
    (40107, Rejected),
    (40110, Rejected),
    (40113, Rejected),
    (40118, Rejected),
    (40130, PermissionMissing),
    (40132, PlatformRateLimited),
    (40133, PlatformRateLimited),
    (40200, Rejected),
    (40201, TemporarilyUnavailable),
    (40202, TemporarilyUnavailable),
    (40300, PlatformNotFound),
    (40301, PermissionMissing),
    (40400, NotSupported),
    (40502, Rejected),
    (40700, Rejected),
    (40900, Rejected),
    (40901, TemporarilyUnavailable),
    (40907, Rejected),
    (40911, Duplicate),
    (41000, Rejected),
    (41001, NotSupported),
    (41999, Rejected),
    (50000, TemporarilyUnavailable),
    (50002, TemporarilyUnavailable),
    (51042, TemporarilyUnavailable),
    (60001, TemporarilyUnavailable),
]


@pytest.mark.parametrize(("code", "word"), ROWS)
def test_each_code_becomes_its_word(code: int, word: type[PlatformFailure]) -> None:
    met = failure(Said(status=200, code=code, message="why", request_id="r-1"), NOW)
    assert type(met) is word
    assert met.platform_error is not None
    assert (met.platform_error.code, met.platform_error.message, met.platform_error.trace) == (str(code), "why", "r-1")


@pytest.mark.parametrize(
    ("status", "word"),
    [(404, Rejected), (405, Rejected), (408, TemporarilyUnavailable), (429, PlatformRateLimited)]
    + [(status, TemporarilyUnavailable) for status in (200, 301, 500, 502, 503, 504)],
)
def test_without_an_envelope_the_call_never_arrived(status: int, word: type[PlatformFailure]) -> None:
    assert type(failure(Said(status=status), NOW)) is word


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("QPS limit exceeded", 1),
        ("Too many requests per minute", 300),
        ("Due to too many requests, requests from App 7 are temporarily restricted.", 300),
        ("The daily limit is reached", 3601),
        ("Requests made too frequently", 10),
        ("", 10),
    ],
)
def test_how_long_to_wait_is_read_from_the_message(message: str, seconds: int) -> None:
    assert failure(Said(status=200, code=40100, message=message), NOW).retry_after == seconds


def test_an_advertisers_allowance_is_not_the_apps() -> None:
    assert is_of_the_advertiser(Said(status=200, code=40133))
    assert not is_of_the_advertiser(Said(status=200, code=40100))


@given(st.integers(100, 599), st.none() | st.integers() | st.sampled_from(sorted(MEANINGS)))
def test_every_answer_has_a_word_and_only_three_are_final(status: int, code: int | None) -> None:
    met = failure(Said(status=status, code=code), NOW)
    assert type(met) in FAILURE_WORDS
    assert isinstance(met, NeedsReconnection) is (code in {40102, 40104, 40105})
    assert not met.retryable or met.retry_after


def test_secrets_are_taken_out() -> None:
    error = failure(
        Said(status=200, code=40105, message="token abc of app xyz " * 99), NOW, ["abc", "xyz"]
    ).platform_error
    assert error is not None
    assert error.message is not None
    assert error.message.startswith("token [removed] of app [removed] token")
    assert len(error.message) == 300
