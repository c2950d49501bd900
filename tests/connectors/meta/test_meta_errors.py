"""Every failure that Meta documents has one word, and none that will pass ends a connection."""

import json
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.errors import ErrorOutcome
from socialgate.connectors.graph.dialect import GraphDialect, parse_wait_seconds
from socialgate.connectors.meta.errors import ERROR_TABLE
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    NotSupportedError,
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformDuplicateError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.core.egress import HttpResponse

TOKEN = "EAAGm0PX4ZCpsBAKZCmadeUpForTests0123456789"


def answer(status: int, body: object, **headers: str) -> HttpResponse:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpResponse(status, sent, json.dumps(body).encode(), truncated=False)


def translate(
    http_response: HttpResponse, *, repeatable: bool = True, hidden: Sequence[str] = ()
) -> ErrorOutcome | None:
    vendor_error = GraphDialect().parse_error(http_response)
    return None if vendor_error is None else ERROR_TABLE.translate(vendor_error, repeatable=repeatable, hidden=hidden)


def verdict(
    code: int | None, subcode: int | None = None, *, status: int = 400, transient: bool = False
) -> ErrorOutcome:
    error = {
        "message": f"(#{code}) something about {TOKEN}",
        "type": "OAuthException",
        "code": code,
        "error_subcode": subcode,
        "is_transient": transient,
        "fbtrace_id": "AbYveT9_aL1Xm1ckgbobFCY",
    }
    result = translate(answer(status, {"error": error}), hidden=[TOKEN])
    assert result is not None
    return result


FINAL = [(190, sub) for sub in (None, 458, 459, 460, 461, 463, 464, 465, 466, 467, 468, 492)] + [(102, None)]
ROWS: dict[type[PlatformFailure], list[tuple[int, int | None]]] = {
    NeedsReconnectionError: FINAL,
    PermissionMissingError: [(3, None), (10, None), (200, None), (294, None), (299, None), (100, 33), (100, 1404078)],
    PlatformRateLimitError: [
        *((code, None) for code in (4, 17, 32, 341, 613, 80000, 80001, 80002, 80006, 80008, 80009, 80014, 1390008)),
        (9, 2207042),
        (17, 2446079),
        (613, 1487742),
    ],
    PlatformDuplicateError: [(506, None), (100, 1366051), (804, None), (10800, None)],
    PlatformRejectedError: [
        *((code, None) for code in (100, 368, 551, 1346003, 1404102, 1609008, 1366046, 9004, 36000, 36001, 36003, 77)),
        *((10, window) for window in (2018065, 2018108, 2018278, 2534022)),
        *((4, sub) for sub in (2207051,)),
        *((100, sub) for sub in (36009, 1893061, 2207023, 2207028, 2207035, 2061006)),
        (25, 2207050),
        (110, 2207010),
        (352, 2207026),
        (1, 2207057),
        (10, 1893063),
    ],
    PlatformNotFoundError: [(9010, None), (100, 2018001), (24, 2207006)],
    NotSupportedError: [(100, 2207081)],
    PlatformUnavailableError: [
        *((code, None) for code in (1, 2, 1200, -1, -2, 1363047, 1609010, 9007)),
        (-2, 2207003),
        (-2, 2207020),
        (-1, 2207001),
        (-1, 2207032),
        (-1, 2207053),
        (24, 2207008),
        (9007, 2207027),
        (100, 2207082),
    ],
}


@pytest.mark.parametrize(
    ("word", "code", "subcode"), [(word, code, sub) for word, pairs in ROWS.items() for code, sub in pairs]
)
def test_each_code_has_its_word(word: type[PlatformFailure], code: int, subcode: int | None) -> None:
    failure = verdict(code, subcode).failure
    assert type(failure) is word
    assert failure.platform == "meta"
    assert failure.detail.endswith(".")
    assert failure.platform_error is not None
    assert failure.platform_error.code == str(code)
    assert failure.platform_error.trace == "AbYveT9_aL1Xm1ckgbobFCY"


@pytest.mark.parametrize(("code", "subcode"), FINAL)
@pytest.mark.parametrize(("status", "transient"), [(500, False), (503, False), (400, True), (200, True), (429, False)])
def test_a_passing_failure_never_ends_a_connection(
    code: int, subcode: int | None, status: int, *, transient: bool
) -> None:
    failure = verdict(code, subcode, status=status, transient=transient).failure
    assert isinstance(failure, PlatformUnavailableError | PlatformRateLimitError)
    assert failure.retryable


@given(st.integers(-10, 3_000_000), st.none() | st.integers(0, 3_000_000), st.sampled_from([200, 400, 401, 403, 500]))
def test_only_two_codes_end_a_connection(code: int, subcode: int | None, status: int) -> None:
    if isinstance(verdict(code, subcode, status=status).failure, NeedsReconnectionError):
        assert code in {102, 190}
        assert status < 500


def test_a_message_loses_its_tokens_and_keeps_its_sense() -> None:
    message = f"Malformed access token {TOKEN}; also access_token=EAAB{'x' * 60} and short one: abc-1"
    result = translate(answer(400, {"error": {"message": message, "code": 190}}), hidden=["abc-1"])
    assert result is not None
    platform_error = result.failure.platform_error
    assert platform_error is not None
    assert (
        platform_error.message
        == "Malformed access token [removed]; also access_token=[removed] and short one: [removed]"
    )
    assert TOKEN not in repr(result.failure) + str(result.failure) + repr(platform_error)


def test_who_has_to_wait() -> None:
    assert [verdict(code).pause_scope for code in (4, 341, 17, 32, 80001)] == [
        "app",
        "app",
        "account",
        "account",
        "account",
    ]
    quota = verdict(9, 2207042)
    assert quota.pause_scope is None
    assert quota.failure.category == "quota_exhausted"
    assert verdict(32).failure.retry_after == 3600


def test_meta_says_how_long_in_headers_of_its_own() -> None:
    business = json.dumps({"1081": [{"type": "pages", "call_count": 100, "estimated_time_to_regain_access": 19}]})
    assert parse_wait_seconds({"x-business-use-case-usage": business}) == 19 * 60
    assert parse_wait_seconds({"x-ad-account-usage": '{"acc_id_util_pct":100,"reset_time_duration":100}'}) == 100
    assert parse_wait_seconds({"retry-after": "7"}) == 7
    assert parse_wait_seconds({}) is None
    error = {"error": {"code": 80001, "message": "m"}}
    result = translate(answer(400, error, x_business_use_case_usage=business))
    assert result is not None
    assert result.failure.retry_after == 1140


@given(st.text())
def test_no_header_is_too_strange(text: str) -> None:
    names = ("x-business-use-case-usage", "x-ad-account-usage", "retry-after")
    wait = parse_wait_seconds(dict.fromkeys(names, text))
    assert wait is None or 0 < wait <= 86400


@pytest.mark.parametrize(
    ("status", "repeatable", "word"),
    [
        (502, True, PlatformUnavailableError),
        (502, False, OutcomeUnknownError),
        (429, False, PlatformRateLimitError),
        (404, True, PlatformNotFoundError),
        (401, True, PlatformUnavailableError),
        (403, True, PlatformUnavailableError),
        (403, False, OutcomeUnknownError),
    ],
)
def test_what_stands_before_the_api_ends_nothing(status: int, word: type[PlatformFailure], *, repeatable: bool) -> None:
    result = translate(HttpResponse(status, {}, b"<html>Bad gateway</html>", truncated=False), repeatable=repeatable)
    assert result is not None
    assert type(result.failure) is word


def test_an_answer_is_a_success_unless_it_holds_an_error() -> None:
    assert translate(answer(200, {"id": "1"})) is None
    assert translate(answer(200, {"error": {"code": 190}})) is not None
    # Meta can answer so with 200.
    assert translate(HttpResponse(200, {}, b"Service Unavailable", truncated=False)) is None
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=True), PlatformUnavailableError)
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=False), OutcomeUnknownError)
