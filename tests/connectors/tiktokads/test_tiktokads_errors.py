"""Every code of TikTok API for Business, and the word that it becomes."""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from socialgate.connectors.dialects.tiktok import BusinessDialect
from socialgate.connectors.errors import Verdict
from socialgate.connectors.tiktokads.errors import TABLE
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
from socialgate.core.egress import Answer

NOW = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
ROWS: list[tuple[int, type[PlatformFailure]]] = [
    (40000, Rejected),
    (40001, PermissionMissing),
    (40002, Rejected),
    (40003, PermissionMissing),
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
    (40302, PlatformNotFound),
    (40400, NotSupported),
    (40502, Rejected),
    (40700, Rejected),
    (40900, Rejected),
    (40901, TemporarilyUnavailable),
    (40907, Rejected),
    (40911, Duplicate),
    (40916, Rejected),
    (41000, Rejected),
    (41001, NotSupported),
    (41999, Rejected),
    (50000, TemporarilyUnavailable),
    (50002, TemporarilyUnavailable),
    (51042, TemporarilyUnavailable),
    (60001, TemporarilyUnavailable),
    (61000, PlatformRateLimited),
]


class ElevenPm:
    def now(self) -> datetime:
        return NOW


def verdict(answer: Answer, hidden: Collection[str] = ()) -> Verdict:
    said = BusinessDialect(ElevenPm()).said(answer)
    assert said is not None
    return TABLE.verdict(said, repeatable=False, hidden=hidden)


def an_answer(code: int | None, status: int = 200, **members: Any) -> Answer:
    return Answer(status, {}, json.dumps({"code": code, **members}).encode(), truncated=False)


def a_page(status: int, headers: dict[str, str] | None = None) -> Answer:
    return Answer(status, headers or {}, b"<html>No</html>", truncated=False)


@pytest.mark.parametrize(("code", "word"), ROWS)
def test_each_code_becomes_its_word(code: int, word: type[PlatformFailure]) -> None:
    met = verdict(an_answer(code, message="why", request_id="r-1")).failure
    assert type(met) is word
    assert met.platform_error is not None
    assert (met.platform_error.code, met.platform_error.message, met.platform_error.trace) == (str(code), "why", "r-1")


@pytest.mark.parametrize(
    ("status", "word"),
    [(404, Rejected), (405, Rejected), (408, TemporarilyUnavailable), (429, PlatformRateLimited)]
    + [(status, TemporarilyUnavailable) for status in (200, 301, 500, 502, 503, 504)],
)
def test_without_an_envelope_the_call_never_arrived(status: int, word: type[PlatformFailure]) -> None:
    assert type(verdict(a_page(status)).failure) is word


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
    assert verdict(an_answer(40100, message=message)).failure.retry_after == seconds


def test_only_a_limit_is_waited_for_as_its_message_says() -> None:
    assert verdict(an_answer(50000, message="No answer within a second")).failure.retry_after == 30
    assert verdict(an_answer(60001, message="Back in a day")).failure.retry_after == 600
    assert verdict(a_page(429)).failure.retry_after == 10


def test_an_advertisers_allowance_is_not_the_apps() -> None:
    assert {code: verdict(an_answer(code)).pauses for code in (40016, 40100, 40132, 40133, 50000)} == {
        40016: "account",
        40100: "app",
        40132: "account",
        40133: "account",
        50000: None,
    }
    assert verdict(a_page(429)).pauses == "app"


def test_a_page_is_traced_by_its_header() -> None:
    error = verdict(a_page(502, {"x-tt-logid": "r-2"})).failure.platform_error
    assert error is not None
    assert (error.status, error.code, error.trace) == (502, None, "r-2")


@given(
    st.integers(100, 599),
    st.none() | st.integers() | st.sampled_from([int(code) for code in TABLE.rules if code.isdecimal()]),
)
@example(429, 40102)
@example(503, 40105)
def test_every_answer_has_a_word_and_only_three_are_final(status: int, code: int | None) -> None:
    assume((status, code) != (200, 0))
    met = verdict(an_answer(code, status)).failure
    assert type(met) in FAILURE_WORDS
    assert isinstance(met, NeedsReconnection) is (code in {40102, 40104, 40105})
    assert not met.retryable or met.retry_after


def test_secrets_are_taken_out() -> None:
    error = verdict(an_answer(40105, message="token abc of app xyz " * 99), ["abc", "xyz"]).failure.platform_error
    assert error is not None
    assert error.message is not None
    assert error.message.startswith("token [removed] of app [removed] token")
    assert len(error.message) == 500


def test_what_looks_like_a_token_is_taken_out() -> None:
    error = verdict(
        an_answer(40105, message=f"token {'0a' * 20} of app 7", request_id="2026" * 8)
    ).failure.platform_error
    assert error is not None
    assert (error.message, error.trace) == ("token [removed] of app 7", "2026" * 8)
