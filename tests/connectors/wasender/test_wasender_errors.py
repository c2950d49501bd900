"""Every refusal of WaSender that is known, and the word for it."""

import json
from collections.abc import Sequence

import pytest

from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.wasender.errors import TABLES, Scope
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

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2
PAT = "42|MadeUpPersonalAccessTokenForTests"


def an_answer(status: int, body: object, headers: dict[str, str] | None = None) -> Answer:
    return Answer(status, headers or {}, json.dumps(body).encode(), truncated=False)


def failure(answer: Answer, scope: Scope, hidden: Sequence[str] = (), *, repeatable: bool = True) -> PlatformFailure:
    said = WaSenderDialect().said(answer)
    if said is None:
        return TABLES[scope].unreadable(answer.status, repeatable=repeatable)
    return TABLES[scope].verdict(said, repeatable=repeatable, hidden=hidden).failure


def translated(status: int, body: object, scope: Scope = Scope.NUMBER, *, repeatable: bool = True) -> PlatformFailure:
    return failure(an_answer(status, body), scope, (KEY, PAT), repeatable=repeatable)


REFUSED = {"success": False, "message": "No"}


@pytest.mark.parametrize(
    ("status", "scope", "word"),
    [
        (401, Scope.NUMBER, NeedsReconnection),
        (401, Scope.SESSION, PermissionMissing),
        (401, Scope.PLAN, PermissionMissing),
        (402, Scope.PLAN, Rejected),
        (403, Scope.PLAN, Rejected),
        (403, Scope.NUMBER, Rejected),
        (404, Scope.NUMBER, NeedsReconnection),
        (404, Scope.SESSION, NeedsReconnection),
        (404, Scope.PLAN, PlatformNotFound),
        (404, Scope.MESSAGE, PlatformNotFound),
        (401, Scope.MESSAGE, NeedsReconnection),
        (400, Scope.NUMBER, Rejected),
        (408, Scope.NUMBER, TemporarilyUnavailable),
        (409, Scope.NUMBER, Rejected),
        (413, Scope.NUMBER, Rejected),
        (422, Scope.PLAN, Rejected),
        (429, Scope.NUMBER, PlatformRateLimited),
        (500, Scope.NUMBER, TemporarilyUnavailable),
        (502, Scope.SESSION, TemporarilyUnavailable),
        (503, Scope.PLAN, TemporarilyUnavailable),
        (302, Scope.PLAN, TemporarilyUnavailable),
    ],
)
def test_a_refusal_has_its_word(status: int, scope: Scope, word: type[PlatformFailure]) -> None:
    for body in (REFUSED, {"message": "Unauthenticated."}, {}):
        found = translated(status, body, scope)
        assert type(found) is word
        assert found.detail
        assert found.platform_error is not None
        assert found.platform_error.status == status


@pytest.mark.parametrize(
    ("status", "message", "word", "field"),
    [
        (400, "Your WhatsApp session is not connected. Please connect your session.", Rejected, None),
        (409, "Session not connected", Rejected, None),
        (422, "The JID is not on WhatsApp", Rejected, "/to"),
        (400, "Number is not registered", Rejected, "/to"),
        (400, "Failed to decrypt media.", PlatformNotFound, None),
    ],
)
def test_words_about_sending_say_what_to_do(
    status: int, message: str, word: type[PlatformFailure], field: str | None
) -> None:
    found = translated(status, {"success": False, "message": message})
    assert type(found) is word
    assert [fault.pointer for fault in found.errors] == ([field] if field else [])
    assert found.detail != translated(status, REFUSED).detail


def test_a_success_that_says_no_is_a_refusal() -> None:
    found = translated(200, REFUSED, Scope.PLAN)
    assert type(found) is Rejected
    assert found.platform_error is not None
    assert (found.platform_error.status, found.platform_error.message) == (200, "No")
    for body in ({"message": "Unauthenticated."}, {}):
        assert WaSenderDialect().said(an_answer(200, body)) is None


@pytest.mark.parametrize("scope", list(Scope))
@pytest.mark.parametrize("status", [401, 403, 404, 500, 502])
@pytest.mark.parametrize("body", [b"", b"<html>blocked</html>", b"[]", b'"no"'])
def test_what_is_not_from_wasender_ends_nothing(status: int, body: bytes, scope: Scope) -> None:
    found = failure(Answer(status, {}, body, truncated=False), scope, (KEY,))
    assert isinstance(found, TemporarilyUnavailable)


def test_a_failure_while_creating_leaves_open_whether_it_was_done() -> None:
    assert isinstance(translated(500, REFUSED, Scope.PLAN, repeatable=False), OutcomeUnknown)
    assert isinstance(translated(504, REFUSED, Scope.PLAN, repeatable=False), OutcomeUnknown)
    assert isinstance(failure(Answer(201, {}, b"", truncated=False), Scope.PLAN, (), repeatable=False), OutcomeUnknown)
    assert isinstance(translated(503, REFUSED, Scope.PLAN, repeatable=False), TemporarilyUnavailable)
    assert isinstance(translated(302, REFUSED, Scope.PLAN, repeatable=False), TemporarilyUnavailable)
    assert isinstance(translated(422, REFUSED, Scope.PLAN, repeatable=False), Rejected)


@pytest.mark.parametrize(
    ("errors", "field", "said"),
    [
        (
            {"phone_number": ["The number is taken.", "Try another."]},
            "phoneNumber",
            "The number is taken. Try another.",
        ),
        ({"log_messages": ["No."], "name": ["A name is required."]}, "name", "A name is required."),
        ({"webhook_url": ["The webhook url must be a valid URL."]}, None, "The webhook url must be a valid URL."),
        ({"name": [f"Not {KEY}"]}, "name", "Not [removed]"),
        ({}, None, "Validation failed"),
        (["odd"], None, "Validation failed"),
        (None, None, "Validation failed"),
    ],
)
def test_the_field_that_must_be_changed_is_named(errors: object, field: str | None, said: str) -> None:
    found = translated(422, {"success": False, "message": "Validation failed", "errors": errors}, Scope.PLAN)
    assert [fault.pointer for fault in found.errors] == ([] if field is None else [field])
    assert found.detail == f"WaSender rejected the input: {said}"


@pytest.mark.parametrize(
    ("headers", "body", "wait"),
    [
        ({}, {"message": "Too many", "retry_after": 60}, 60),
        ({}, {"message": "Too many", "retry_after": "15"}, 15),
        ({"retry-after": "9"}, {}, 9),
        ({"x-ratelimit-reset": "12"}, {}, 12),
        ({"x-ratelimit-reset": "1794700000"}, {}, 60),
        ({"retry-after": "Sun, 15 Nov 2026 05:00:00 GMT"}, {}, 60),
        ({}, {"retry_after": -3}, 1),
        ({}, {"retry_after": 1e300}, 86_400),
        ({}, {"retry_after": "inf"}, 60),
        ({}, [], 60),
    ],
)
def test_the_wait_is_what_wasender_asks_for(headers: dict[str, str], body: object, wait: int) -> None:
    found = failure(an_answer(429, body, headers), Scope.NUMBER, (KEY,))
    assert isinstance(found, PlatformRateLimited)
    assert found.retry_after == wait


def test_no_secret_is_repeated() -> None:
    other = "77|AnotherMadeUpTokenOfSomebody"
    found = translated(422, {"message": f"key {KEY} of {PAT}, beside {'ab' * 20} and {other}, is odd"}, Scope.PLAN)
    told = f"{found} {found.detail} {found.platform_error}"
    for secret in (KEY, PAT, "ab" * 20, other):
        assert secret not in told
    assert "is odd" in told


@pytest.mark.parametrize(
    ("body", "result"),
    [
        (b'{"success":true,"data":{"id":1}}', b'{"id":1}'),
        (b'{"status":"connected"}', b'{"status":"connected"}'),
        (b'{"success":true,"status":"ok","data":{"status":"connected"}}', b'{"status":"connected"}'),
        (b'{"publicUrl":"https://files.example/1"}', b'{"publicUrl":"https://files.example/1"}'),
        (b'{"success":true}', b'{"success":true}'),
    ],
)
def test_the_result_is_the_data_or_the_answer_itself(body: bytes, result: bytes) -> None:
    assert WaSenderDialect().result(Answer(200, {}, body, truncated=False)) == result
