"""Every failure that the Cloud API documents has one word, and none that will pass ends a connection."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.errors import ErrorOutcome
from socialgate.connectors.graph.dialect import GraphDialect, parse_wait_seconds
from socialgate.connectors.whatsapp_cloud.errors import ERROR_TABLE
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

TOKEN = "EAAJmadeUpSystemUserTokenForTests0123456789"


def answer(status: int, body: object) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps(body).encode(), truncated=False)


def translate(http_response: HttpResponse, *, repeatable: bool = True) -> ErrorOutcome | None:
    vendor_error = GraphDialect().parse_error(http_response)
    return None if vendor_error is None else ERROR_TABLE.translate(vendor_error, repeatable=repeatable, hidden=[TOKEN])


def verdict(
    code: int | None, subcode: int | None = None, *, status: int = 400, transient: bool = False
) -> ErrorOutcome:
    error = {
        "message": f"(#{code}) about {TOKEN}",
        "type": "OAuthException",
        "code": code,
        "error_data": {"messaging_product": "whatsapp", "details": "…"},
        "error_subcode": subcode,
        "fbtrace_id": "AbYveT9",
        "is_transient": transient,
    }
    result = translate(answer(status, {"error": error}))
    assert result is not None
    return result


ROWS: dict[type[PlatformFailure], tuple[int, ...]] = {
    NeedsReconnectionError: (0, 190, 33),
    PermissionMissingError: (3, 10, 131005, 200, 294, 299),
    PlatformNotFoundError: (803,),
    PlatformRateLimitError: (4, 17, 80007, 130429, 131056, 131064, 133016),
    PlatformUnavailableError: (1, 2, 104, 131000, 131016, 131057, 135000),
    PlatformRejectedError: (
        *(100, 131008, 131009, 131048, 131049, 130472, 131047, 131026, 131021, 131030, 131050, 131051, 131052, 131053),
        *(131062, 131031, 368, 131042, 131045, 133010, 2200, 999_999),
        *(132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132068, 132069),
        *(130497, 131037, 131063),
    ),
}


@pytest.mark.parametrize(("word", "code"), [(word, code) for word, codes in ROWS.items() for code in codes])
def test_each_code_has_its_word(word: type[PlatformFailure], code: int) -> None:
    failure = verdict(code).failure
    assert type(failure) is word
    assert failure.platform == "whatsapp-cloud"
    assert failure.platform_error is not None
    assert failure.platform_error.code == str(code)
    assert TOKEN not in str(failure.platform_error)


def test_an_object_that_is_hidden_is_not_a_dead_token_and_neither_is_a_missing_code() -> None:
    assert type(verdict(100, 33).failure) is PlatformNotFoundError
    assert type(verdict(None).failure) is PlatformRejectedError


@given(
    st.sampled_from([0, 33, 190]) | st.integers(-10, 200_000),
    st.none() | st.integers(0, 3_000_000),
    st.sampled_from([200, 400, 401, 403, 429, 500, 503]),
    st.booleans(),
)
def test_only_three_codes_end_a_connection_and_never_in_passing(
    code: int, subcode: int | None, status: int, transient: bool
) -> None:
    if isinstance(verdict(code, subcode, status=status, transient=transient).failure, NeedsReconnectionError):
        assert code in {0, 33, 190}
        assert status < 429
        assert not transient


def test_the_pace_of_one_recipient_holds_nobody_else_up() -> None:
    assert [verdict(code).pause_scope for code in (80007, 130429, 131056, 133016)] == ["account", "account", None, None]
    usage = json.dumps({"1022": [{"type": "whatsapp", "estimated_time_to_regain_access": 2}]})
    assert parse_wait_seconds({"x-business-use-case-usage": usage}) == 120
    assert parse_wait_seconds({"x-business-use-case-usage": "[]", "retry-after": "soon"}) is None


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
    assert translate(answer(200, {"success": True}), repeatable=False) is None
    assert translate(HttpResponse(200, {}, b"no JSON", truncated=False)) is None
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=False), OutcomeUnknownError)
    assert isinstance(ERROR_TABLE.translate_unreadable(200, repeatable=True), PlatformUnavailableError)


def test_a_business_in_maintenance_has_sent_nothing() -> None:
    """Other failures that pass leave it open whether the message went out."""
    for code, word in ((131057, PlatformUnavailableError), (131016, OutcomeUnknownError)):
        result = translate(answer(500, {"error": {"code": code, "message": "x"}}), repeatable=False)
        assert result is not None
        assert type(result.failure) is word
