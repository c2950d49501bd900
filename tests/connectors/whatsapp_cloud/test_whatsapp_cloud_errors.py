"""Every failure that the Cloud API documents has one word, and none that will pass ends a connection."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.errors import Verdict
from socialgate.connectors.graph.dialect import GraphDialect, wait_of
from socialgate.connectors.whatsapp_cloud.errors import TABLE
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

TOKEN = "EAAJmadeUpSystemUserTokenForTests0123456789"


def answer(status: int, body: object) -> Answer:
    return Answer(status, {}, json.dumps(body).encode(), truncated=False)


def translate(given: Answer, *, repeatable: bool = True) -> Verdict | None:
    said = GraphDialect().said(given)
    return None if said is None else TABLE.verdict(said, repeatable=repeatable, hidden=[TOKEN])


def verdict(code: int | None, subcode: int | None = None, *, status: int = 400, transient: bool = False) -> Verdict:
    error = {
        "message": f"(#{code}) about {TOKEN}",
        "type": "OAuthException",
        "code": code,
        "error_data": {"messaging_product": "whatsapp", "details": "…"},
        "error_subcode": subcode,
        "fbtrace_id": "AbYveT9",
        "is_transient": transient,
    }
    found = translate(answer(status, {"error": error}))
    assert found is not None
    return found


ROWS: dict[type[PlatformFailure], tuple[int, ...]] = {
    NeedsReconnection: (0, 190, 33),
    PermissionMissing: (3, 10, 131005, 200, 294, 299),
    PlatformNotFound: (803,),
    PlatformRateLimited: (4, 17, 80007, 130429, 131056, 131064, 133016),
    TemporarilyUnavailable: (1, 2, 104, 131000, 131016, 131057, 135000),
    Rejected: (
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
    assert type(verdict(100, 33).failure) is PlatformNotFound
    assert type(verdict(None).failure) is Rejected


@given(
    st.sampled_from([0, 33, 190]) | st.integers(-10, 200_000),
    st.none() | st.integers(0, 3_000_000),
    st.sampled_from([200, 400, 401, 403, 429, 500, 503]),
    st.booleans(),
)
def test_only_three_codes_end_a_connection_and_never_in_passing(
    code: int, subcode: int | None, status: int, transient: bool
) -> None:
    if isinstance(verdict(code, subcode, status=status, transient=transient).failure, NeedsReconnection):
        assert code in {0, 33, 190}
        assert status < 429
        assert not transient


def test_the_pace_of_one_recipient_holds_nobody_else_up() -> None:
    assert [verdict(code).pauses for code in (80007, 130429, 131056, 133016)] == ["account", "account", None, None]
    usage = json.dumps({"1022": [{"type": "whatsapp", "estimated_time_to_regain_access": 2}]})
    assert wait_of({"x-business-use-case-usage": usage}) == 120
    assert wait_of({"x-business-use-case-usage": "[]", "retry-after": "soon"}) is None


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
    assert translate(answer(200, {"success": True}), repeatable=False) is None
    assert translate(Answer(200, {}, b"no JSON", truncated=False)) is None
    assert isinstance(TABLE.unreadable(200, repeatable=False), OutcomeUnknown)
    assert isinstance(TABLE.unreadable(200, repeatable=True), TemporarilyUnavailable)


def test_a_business_in_maintenance_has_sent_nothing() -> None:
    """Other failures that pass leave it open whether the message went out."""
    for code, word in ((131057, TemporarilyUnavailable), (131016, OutcomeUnknown)):
        found = translate(answer(500, {"error": {"code": code, "message": "x"}}), repeatable=False)
        assert found is not None
        assert type(found.failure) is word
