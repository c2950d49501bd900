"""Every code of TikTok API for Business, and the word that it becomes."""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from socialgate.connectors.dialects.tiktok import TikTokBusinessDialect
from socialgate.connectors.errors import ErrorOutcome
from socialgate.connectors.tiktokads.errors import ERROR_TABLE
from socialgate.contracts.failures import (
    PLATFORM_ERROR_TYPES,
    NeedsReconnectionError,
    NotSupportedError,
    PermissionMissingError,
    PlatformDuplicateError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.core.egress import HttpResponse

NOW = datetime(2026, 11, 15, 23, 0, tzinfo=UTC)
ROWS: list[tuple[int, type[PlatformFailure]]] = [
    (40000, PlatformRejectedError),
    (40001, PermissionMissingError),
    (40002, PlatformRejectedError),
    (40003, PermissionMissingError),
    (40006, PlatformRejectedError),
    (40007, PlatformNotFoundError),
    (40008, NotSupportedError),
    (40011, PlatformRejectedError),
    (40016, PlatformRateLimitError),
    (40050, PlatformDuplicateError),
    (40051, NotSupportedError),
    (40052, PlatformRejectedError),
    (40062, PlatformRejectedError),
    (40100, PlatformRateLimitError),
    (40101, PlatformRejectedError),
    (40102, NeedsReconnectionError),
    (40104, NeedsReconnectionError),
    (40105, NeedsReconnectionError),
    (40107, PlatformRejectedError),
    (40110, PlatformRejectedError),
    (40113, PlatformRejectedError),
    (40118, PlatformRejectedError),
    (40130, PermissionMissingError),
    (40132, PlatformRateLimitError),
    (40133, PlatformRateLimitError),
    (40200, PlatformRejectedError),
    (40201, PlatformUnavailableError),
    (40202, PlatformUnavailableError),
    (40300, PlatformNotFoundError),
    (40301, PermissionMissingError),
    (40302, PlatformNotFoundError),
    (40400, NotSupportedError),
    (40502, PlatformRejectedError),
    (40700, PlatformRejectedError),
    (40900, PlatformRejectedError),
    (40901, PlatformUnavailableError),
    (40907, PlatformRejectedError),
    (40911, PlatformDuplicateError),
    (40916, PlatformRejectedError),
    (41000, PlatformRejectedError),
    (41001, NotSupportedError),
    (41999, PlatformRejectedError),
    (50000, PlatformUnavailableError),
    (50002, PlatformUnavailableError),
    (51042, PlatformUnavailableError),
    (60001, PlatformUnavailableError),
    (61000, PlatformRateLimitError),
]


class ElevenPm:
    def now(self) -> datetime:
        return NOW


def verdict(answer: HttpResponse, hidden: Collection[str] = ()) -> ErrorOutcome:
    vendor_error = TikTokBusinessDialect(ElevenPm()).parse_error(answer)
    assert vendor_error is not None
    return ERROR_TABLE.translate(vendor_error, repeatable=False, hidden=hidden)


def an_answer(code: int | None, status: int = 200, **members: Any) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps({"code": code, **members}).encode(), truncated=False)


def a_page(status: int, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(status, headers or {}, b"<html>No</html>", truncated=False)


@pytest.mark.parametrize(("code", "word"), ROWS)
def test_each_code_becomes_its_word(code: int, word: type[PlatformFailure]) -> None:
    met = verdict(an_answer(code, message="why", request_id="r-1")).failure
    assert type(met) is word
    assert met.platform_error is not None
    assert (met.platform_error.code, met.platform_error.message, met.platform_error.trace) == (str(code), "why", "r-1")


@pytest.mark.parametrize(
    ("status", "word"),
    [
        (404, PlatformRejectedError),
        (405, PlatformRejectedError),
        (408, PlatformUnavailableError),
        (429, PlatformRateLimitError),
    ]
    + [(status, PlatformUnavailableError) for status in (200, 301, 500, 502, 503, 504)],
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
    assert {code: verdict(an_answer(code)).pause_scope for code in (40016, 40100, 40132, 40133, 50000)} == {
        40016: "account",
        40100: "app",
        40132: "account",
        40133: "account",
        50000: None,
    }
    assert verdict(a_page(429)).pause_scope == "app"


def test_a_page_is_traced_by_its_header() -> None:
    error = verdict(a_page(502, {"x-tt-logid": "r-2"})).failure.platform_error
    assert error is not None
    assert (error.status, error.code, error.trace) == (502, None, "r-2")


@given(
    st.integers(100, 599),
    st.none() | st.integers() | st.sampled_from([int(code) for code in ERROR_TABLE.rules if code.isdecimal()]),
)
@example(429, 40102)
@example(503, 40105)
def test_every_answer_has_a_word_and_only_three_are_final(status: int, code: int | None) -> None:
    assume((status, code) != (200, 0))
    met = verdict(an_answer(code, status)).failure
    assert type(met) in PLATFORM_ERROR_TYPES
    assert isinstance(met, NeedsReconnectionError) is (code in {40102, 40104, 40105})
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
