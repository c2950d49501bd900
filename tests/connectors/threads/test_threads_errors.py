"""Every failure that Threads documents has one word, and none that will pass ends a connection."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.errors import Verdict
from socialgate.connectors.graph.dialect import ParameterDialect
from socialgate.connectors.threads.errors import TABLE
from socialgate.contracts.failures import (
    NeedsReconnection,
    OutcomeUnknown,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.core.egress import Answer

TOKEN = "THQVJmadeUpForTests0123456789abcdefghij"


def answer(status: int, body: object, **headers: str) -> Answer:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, sent, json.dumps(body).encode(), truncated=False)


def translate(given: Answer, *, repeatable: bool = True) -> Verdict | None:
    said = ParameterDialect().said(given)
    return None if said is None else TABLE.verdict(said, repeatable=repeatable)


def verdict(code: int, subcode: int | None = None, *, status: int = 400, transient: bool = False) -> Verdict:
    error = {
        "message": f"Error validating access token {TOKEN}",
        "type": "THApiException",
        "code": code,
        "error_subcode": subcode,
        "is_transient": transient,
        "error_user_msg": "übersetzt",
        "fbtrace_id": "AbYveT9_aL1",
    }
    found = translate(answer(status, {"error": error}))
    assert found is not None
    return found


ROWS: list[tuple[type[PlatformFailure], int, int | None]] = [
    (NeedsReconnection, 190, None),
    (NeedsReconnection, 190, 463),
    (PermissionMissing, 10, None),
    (PermissionMissing, 200, None),
    (PermissionMissing, 299, None),
    (TemporarilyUnavailable, 24, 4279009),
    (TemporarilyUnavailable, 1, None),
    (TemporarilyUnavailable, 2, None),
    (Rejected, 24, 4279013),
    (Rejected, 4, 2207051),
    (Rejected, 100, None),
    (Rejected, 77, None),
    (PlatformRateLimited, 4, None),
    (PlatformRateLimited, 17, None),
    (PlatformRateLimited, 32, None),
    (PlatformRateLimited, 613, None),
    (PlatformRateLimited, 4, 2207042),
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
    if isinstance(verdict(code, subcode, status=status, transient=transient).failure, NeedsReconnection):
        assert code == 190
        assert status < 429
        assert not transient


@pytest.mark.parametrize(
    ("status", "word"), [(400, Rejected), (429, PlatformRateLimited), (500, TemporarilyUnavailable)]
)
def test_the_token_endpoints_speak_flat(status: int, word: type[PlatformFailure]) -> None:
    body = {
        "error_type": "OAuthException",
        "code": 400,
        "error_message": f"Matching code was not found or was already used: {TOKEN}",
    }
    found = translate(answer(status, body), repeatable=False)
    assert found is not None
    assert type(found.failure) is word
    assert found.failure.platform_error is not None
    assert found.failure.platform_error.message == "Matching code was not found or was already used: [removed]"


def test_who_has_to_wait_and_how_long() -> None:
    assert [verdict(code).pauses for code in (4, 17)] == ["app", "account"]
    assert verdict(4, 2207042).pauses is None
    assert verdict(24, 4279009).failure.retry_after == 5
    assert verdict(24, 4279009, transient=True).failure.retry_after == 5
    asked = translate(answer(429, {"error": {"code": 613}}, retry_after="90"))
    assert asked is not None
    assert asked.failure.retry_after == 90


@pytest.mark.parametrize(
    ("status", "repeatable", "word"),
    [
        (502, True, TemporarilyUnavailable),
        (502, False, OutcomeUnknown),
        (429, True, PlatformRateLimited),
        (404, True, PlatformNotFound),
        (401, True, TemporarilyUnavailable),
    ],
)
def test_what_stands_before_the_api_ends_nothing(status: int, word: type[PlatformFailure], *, repeatable: bool) -> None:
    found = translate(Answer(status, {}, b"<html></html>", truncated=False), repeatable=repeatable)
    assert found is not None
    assert type(found.failure) is word


def test_an_answer_is_a_success_unless_it_holds_an_error() -> None:
    assert translate(answer(200, {"access_token": "x", "user_id": 17841405793187218}), repeatable=False) is None
    assert translate(Answer(200, {}, b"no JSON", truncated=False)) is None
    assert isinstance(TABLE.unreadable(200, repeatable=False), OutcomeUnknown)
    assert isinstance(TABLE.unreadable(200, repeatable=True), TemporarilyUnavailable)
