"""Every refusal of WaSender that is known, and the word for it."""

import json
from collections.abc import Sequence

import pytest

from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.wasender.errors import ERROR_TABLES, CallSubject
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

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2
PAT = "42|MadeUpPersonalAccessTokenForTests"


def an_answer(status: int, body: object, headers: dict[str, str] | None = None) -> HttpResponse:
    return HttpResponse(status, headers or {}, json.dumps(body).encode(), truncated=False)


def failure(
    answer: HttpResponse, scope: CallSubject, hidden: Sequence[str] = (), *, repeatable: bool = True
) -> PlatformFailure:
    vendor_error = WaSenderDialect().parse_error(answer)
    if vendor_error is None:
        return ERROR_TABLES[scope].translate_unreadable(answer.status, repeatable=repeatable)
    return ERROR_TABLES[scope].translate(vendor_error, repeatable=repeatable, hidden=hidden).failure


def translated(
    status: int, body: object, scope: CallSubject = CallSubject.NUMBER, *, repeatable: bool = True
) -> PlatformFailure:
    return failure(an_answer(status, body), scope, (KEY, PAT), repeatable=repeatable)


REFUSED = {"success": False, "message": "No"}


@pytest.mark.parametrize(
    ("status", "scope", "word"),
    [
        (401, CallSubject.NUMBER, NeedsReconnectionError),
        (401, CallSubject.SESSION, PermissionMissingError),
        (401, CallSubject.PLAN, PermissionMissingError),
        (402, CallSubject.PLAN, PlatformRejectedError),
        (403, CallSubject.PLAN, PlatformRejectedError),
        (403, CallSubject.NUMBER, PlatformRejectedError),
        (404, CallSubject.NUMBER, NeedsReconnectionError),
        (404, CallSubject.SESSION, NeedsReconnectionError),
        (404, CallSubject.PLAN, PlatformNotFoundError),
        (404, CallSubject.MESSAGE, PlatformNotFoundError),
        (401, CallSubject.MESSAGE, NeedsReconnectionError),
        (400, CallSubject.NUMBER, PlatformRejectedError),
        (408, CallSubject.NUMBER, PlatformUnavailableError),
        (409, CallSubject.NUMBER, PlatformRejectedError),
        (413, CallSubject.NUMBER, PlatformRejectedError),
        (422, CallSubject.PLAN, PlatformRejectedError),
        (429, CallSubject.NUMBER, PlatformRateLimitError),
        (500, CallSubject.NUMBER, PlatformUnavailableError),
        (502, CallSubject.SESSION, PlatformUnavailableError),
        (503, CallSubject.PLAN, PlatformUnavailableError),
        (302, CallSubject.PLAN, PlatformUnavailableError),
    ],
)
def test_a_refusal_has_its_word(status: int, scope: CallSubject, word: type[PlatformFailure]) -> None:
    for body in (REFUSED, {"message": "Unauthenticated."}, {}):
        platform_failure = translated(status, body, scope)
        assert type(platform_failure) is word
        assert platform_failure.detail
        assert platform_failure.platform_error is not None
        assert platform_failure.platform_error.status == status


@pytest.mark.parametrize(
    ("status", "message", "word", "field"),
    [
        (400, "Your WhatsApp session is not connected. Please connect your session.", PlatformRejectedError, None),
        (409, "Session not connected", PlatformRejectedError, None),
        (422, "The JID is not on WhatsApp", PlatformRejectedError, "/to"),
        (400, "Number is not registered", PlatformRejectedError, "/to"),
        (400, "Failed to decrypt media.", PlatformNotFoundError, None),
    ],
)
def test_words_about_sending_say_what_to_do(
    status: int, message: str, word: type[PlatformFailure], field: str | None
) -> None:
    platform_failure = translated(status, {"success": False, "message": message})
    assert type(platform_failure) is word
    assert [fault.pointer for fault in platform_failure.errors] == ([field] if field else [])
    assert platform_failure.detail != translated(status, REFUSED).detail


def test_a_success_that_says_no_is_a_refusal() -> None:
    rejected_error = translated(200, REFUSED, CallSubject.PLAN)
    assert type(rejected_error) is PlatformRejectedError
    assert rejected_error.platform_error is not None
    assert (rejected_error.platform_error.status, rejected_error.platform_error.message) == (200, "No")
    for body in ({"message": "Unauthenticated."}, {}):
        assert WaSenderDialect().parse_error(an_answer(200, body)) is None


@pytest.mark.parametrize("scope", list(CallSubject))
@pytest.mark.parametrize("status", [401, 403, 404, 500, 502])
@pytest.mark.parametrize("body", [b"", b"<html>blocked</html>", b"[]", b'"no"'])
def test_what_is_not_from_wasender_ends_nothing(status: int, body: bytes, scope: CallSubject) -> None:
    platform_failure = failure(HttpResponse(status, {}, body, truncated=False), scope, (KEY,))
    assert isinstance(platform_failure, PlatformUnavailableError)


def test_a_failure_while_creating_leaves_open_whether_it_was_done() -> None:
    assert isinstance(translated(500, REFUSED, CallSubject.PLAN, repeatable=False), OutcomeUnknownError)
    assert isinstance(translated(504, REFUSED, CallSubject.PLAN, repeatable=False), OutcomeUnknownError)
    assert isinstance(
        failure(HttpResponse(201, {}, b"", truncated=False), CallSubject.PLAN, (), repeatable=False),
        OutcomeUnknownError,
    )
    assert isinstance(translated(503, REFUSED, CallSubject.PLAN, repeatable=False), PlatformUnavailableError)
    assert isinstance(translated(302, REFUSED, CallSubject.PLAN, repeatable=False), PlatformUnavailableError)
    assert isinstance(translated(422, REFUSED, CallSubject.PLAN, repeatable=False), PlatformRejectedError)


@pytest.mark.parametrize(
    ("errors", "field", "message"),
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
def test_the_field_that_must_be_changed_is_named(errors: object, field: str | None, message: str) -> None:
    platform_failure = translated(
        422, {"success": False, "message": "Validation failed", "errors": errors}, CallSubject.PLAN
    )
    assert [fault.pointer for fault in platform_failure.errors] == ([] if field is None else [field])
    assert platform_failure.detail == f"WaSender rejected the input: {message}"


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
    platform_failure = failure(an_answer(429, body, headers), CallSubject.NUMBER, (KEY,))
    assert isinstance(platform_failure, PlatformRateLimitError)
    assert platform_failure.retry_after == wait


def test_no_secret_is_repeated() -> None:
    other = "77|AnotherMadeUpTokenOfSomebody"
    platform_failure = translated(
        422, {"message": f"key {KEY} of {PAT}, beside {'ab' * 20} and {other}, is odd"}, CallSubject.PLAN
    )
    value = f"{platform_failure} {platform_failure.detail} {platform_failure.platform_error}"
    for secret in (KEY, PAT, "ab" * 20, other):
        assert secret not in value
    assert "is odd" in value


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
    assert WaSenderDialect().extract_result(HttpResponse(200, {}, body, truncated=False)) == result
