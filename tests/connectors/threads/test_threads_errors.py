"""Every failure that Threads documents has one word, and none that will pass ends a connection."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.errors import ErrorOutcome
from socialgate.connectors.graph.dialect import TokenParameterDialect
from socialgate.connectors.threads.errors import ERROR_TABLE
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.core.egress import HttpResponse

TOKEN = "THQVJmadeUpForTests0123456789abcdefghij"


def answer(status: int, body: object, **headers: str) -> HttpResponse:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status, sent, json.dumps(body).encode(), truncated=False)


def translate(http_response: HttpResponse, *, repeatable: bool = True) -> ErrorOutcome | None:
    vendor_error = TokenParameterDialect().parse_error(http_response)
    return None if vendor_error is None else ERROR_TABLE.translate(vendor_error, repeatable=repeatable)


def verdict(code: int, subcode: int | None = None, *, status: int = 400, transient: bool = False) -> ErrorOutcome:
    error = {
        "message": f"Error validating access token {TOKEN}",
        "type": "THApiException",
        "code": code,
        "error_subcode": subcode,
        "is_transient": transient,
        "error_user_msg": "übersetzt",
        "fbtrace_id": "AbYveT9_aL1",
    }
    result = translate(answer(status, {"error": error}))
    assert result is not None
    return result


ROWS: list[tuple[type[PlatformFailure], int, int | None]] = [
    (NeedsReconnectionError, 190, None),
    (NeedsReconnectionError, 190, 463),
    (PermissionMissingError, 10, None),
    (PermissionMissingError, 200, None),
    (PermissionMissingError, 299, None),
    (PlatformUnavailableError, 24, 4279009),
    (PlatformUnavailableError, 1, None),
    (PlatformUnavailableError, 2, None),
    (PlatformRejectedError, 24, 4279013),
    (PlatformRejectedError, 4, 2207051),
    (PlatformRejectedError, 100, None),
    (PlatformRejectedError, 77, None),
    (PlatformRateLimitError, 4, None),
    (PlatformRateLimitError, 17, None),
    (PlatformRateLimitError, 32, None),
    (PlatformRateLimitError, 613, None),
    (PlatformRateLimitError, 4, 2207042),
]


@pytest.mark.parametrize(("word", "code", "subcode"), ROWS)
def test_each_code_has_its_word(word: type[PlatformFailure], code: int, subcode: int | None) -> None:
    failure = verdict(code, subcode).failure
    assert type(failure) is word
    assert failure.platform == "threads"
    assert failure.platform_error is not None
    assert failure.platform_error.code == str(code)
    assert TOKEN not in str(failure.platform_error)


@given(
    st.sampled_from([190, 10, 100, 4, 1]) | st.integers(-10, 5_000_000),
    st.none() | st.integers(0, 5_000_000),
    st.sampled_from([200, 400, 401, 429, 500, 503]),
    st.booleans(),
)
def test_only_one_code_ends_a_connection_and_never_in_passing(
    code: int, subcode: int | None, status: int, transient: bool
) -> None:
    if isinstance(verdict(code, subcode, status=status, transient=transient).failure, NeedsReconnectionError):
        assert code == 190
        assert status < 429
        assert not transient


@pytest.mark.parametrize(
    ("status", "word"), [(400, PlatformRejectedError), (429, PlatformRateLimitError), (500, PlatformUnavailableError)]
)
def test_the_token_endpoints_speak_flat(status: int, word: type[PlatformFailure]) -> None:
    body = {
        "error_type": "OAuthException",
        "code": 400,
        "error_message": f"Matching code was not found or was already used: {TOKEN}",
    }
    result = translate(answer(status, body), repeatable=False)
    assert result is not None
    assert type(result.failure) is word
    assert result.failure.platform_error is not None
    assert result.failure.platform_error.message == "Matching code was not found or was already used: [removed]"


def test_who_has_to_wait_and_how_long() -> None:
    assert [verdict(code).pause_scope for code in (4, 17)] == ["app", "account"]
    assert verdict(4, 2207042).pause_scope is None
    assert verdict(24, 4279009).failure.retry_after == 5
    assert verdict(24, 4279009, transient=True).failure.retry_after == 5
    request = translate(answer(429, {"error": {"code": 613}}, retry_after="90"))
    assert request is not None
    assert request.failure.retry_after == 90


@pytest.mark.parametrize(
    ("status", "repeatable", "word"),
    [
        (502, True, PlatformUnavailableError),
        (502, False, OutcomeUnknownError),
        (429, True, PlatformRateLimitError),
        (404, True, PlatformNotFoundError),
        (401, True, PlatformUnavailableError),
    ],
)
def test_what_stands_before_the_api_ends_nothing(status: int, word: type[PlatformFailure], *, repeatable: bool) -> None:
    result = translate(HttpResponse(status, {}, b"<html></html>", truncated=False), repeatable=repeatable)
    assert result is not None
    assert type(result.failure) is word


def test_an_answer_is_a_success_unless_it_holds_an_error() -> None:
    assert translate(answer(200, {"access_token": "x", "user_id": 17841405793187218}), repeatable=False) is None
    assert translate(HttpResponse(200, {}, b"no JSON", truncated=False)) is None
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=False), OutcomeUnknownError)
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=True), PlatformUnavailableError)
