"""Every refusal of the Bot API that is known, and the word for it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from socialgate.connectors.dialects.bot import BotDialect
from socialgate.connectors.telegram.errors import TABLE
from socialgate.contracts.failures import (
    Duplicate,
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

TOKEN = "123456789:AAMadeUpTokenForTests_0123456789abc"
PASSING = (TemporarilyUnavailable, PlatformRateLimited, OutcomeUnknown)


def an_answer(status: int, description: str, headers: dict[str, str] | None = None, **members: Any) -> Answer:
    body = {"ok": False, "error_code": status, "description": description, **members}
    return Answer(status, headers or {}, json.dumps(body).encode(), truncated=False)


def failure(answer: Answer, hidden: Sequence[str] = (TOKEN,), *, repeatable: bool = True) -> PlatformFailure:
    said = BotDialect().said(answer)
    assert said is not None
    return TABLE.verdict(said, repeatable=repeatable, hidden=hidden).failure


def translated(status: int, description: str, **members: Any) -> PlatformFailure:
    return failure(an_answer(status, description, **members))


@pytest.mark.parametrize(
    ("status", "description", "word"),
    [
        (401, "Unauthorized", NeedsReconnection),
        (401, "Unauthorized: invalid token specified", NeedsReconnection),
        (403, "Forbidden: bot was blocked by the user", Rejected),
        (403, "Forbidden: user is deactivated", PlatformNotFound),
        (403, "Forbidden: bot can't initiate conversation with a user", Rejected),
        (403, "Forbidden: bot was kicked from the group chat", PermissionMissing),
        (403, "Forbidden: bot was kicked from the supergroup chat", PermissionMissing),
        (403, "Forbidden: bot was kicked from the channel chat", PermissionMissing),
        (403, "Forbidden: bot is not a member of the channel chat", PermissionMissing),
        (403, "Forbidden: the group chat was deleted", PlatformNotFound),
        (400, "Bad Request: need administrator rights in the channel chat", PermissionMissing),
        (400, "Bad Request: chat not found", PlatformNotFound),
        (400, "Bad Request: chat_id is empty", Rejected),
        (400, "Bad Request: message text is empty", Rejected),
        (400, "Bad Request: message is too long", Rejected),
        (400, "Bad Request: message is not modified: specified new message content and reply markup", Duplicate),
        (400, "Bad Request: message to edit not found", PlatformNotFound),
        (400, "Bad Request: message to delete not found", PlatformNotFound),
        (400, "Bad Request: message to be replied not found", PlatformNotFound),
        (400, "Bad Request: message can't be deleted", Rejected),
        (400, "Bad Request: group chat was upgraded to a supergroup chat", Rejected),
        (400, "Bad Request: wrong HTTP URL specified", Rejected),
        (400, "Bad Request: failed to get HTTP URL content", Rejected),
        (400, "Bad Request: wrong type of the web page content", Rejected),
        (400, "Bad Request: can't use the media of the specified type in the album", Rejected),
        (400, "Bad Request: query is too old and response timeout expired or query ID is invalid", PlatformNotFound),
        (400, "Bad Request: file is too big", Rejected),
        (400, "Bad Request: wrong file_id or the file is temporarily unavailable", PlatformNotFound),
        (400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", Rejected),
        (400, "Bad Request: secret token contains unallowed characters", Rejected),
        (404, "Not Found: method not found", PlatformNotFound),
        (409, "Conflict: can't use getUpdates method while webhook is active", Rejected),
        (413, "Request Entity Too Large", Rejected),
        (418, "I'm a teapot", Rejected),
        (421, "Misdirected Request: unallowed token specified", Rejected),
        (429, "Too Many Requests: retry after 7", PlatformRateLimited),
        (500, "Internal Server Error: restart", TemporarilyUnavailable),
        (502, "Bad Gateway", TemporarilyUnavailable),
    ],
)
def test_a_refusal_has_its_word(status: int, description: str, word: type[PlatformFailure]) -> None:
    found = translated(status, description)
    assert type(found) is word
    assert found.detail
    assert found.platform_error is not None
    assert found.platform_error.status == status
    assert found.platform_error.message == description


@pytest.mark.parametrize(
    ("headers", "members", "wait"),
    [
        ({}, {"parameters": {"retry_after": 7}}, 7),
        ({"retry-after": "9"}, {}, 9),
        ({"retry-after": "9"}, {"parameters": {"retry_after": 7}}, 7),
        ({"retry-after": "soon"}, {}, 30),
        ({"retry-after": "9" * 400}, {}, 30),
        ({}, {"parameters": {"retry_after": -5}}, 1),
        ({}, {"parameters": {"retry_after": 10**15}}, 86_400),
    ],
)
def test_the_wait_is_what_telegram_asks_for(headers: dict[str, str], members: dict[str, Any], wait: int) -> None:
    found = failure(an_answer(429, "Too Many Requests", headers, **members))
    assert isinstance(found, PlatformRateLimited)
    assert found.retry_after == wait


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 500, 502, 503, 504])
@pytest.mark.parametrize("body", [b"", b"<html>blocked</html>", b"{}", b"[]", b'{"message": "not supported"}'])
def test_what_is_not_from_telegram_ends_nothing(status: int, body: bytes) -> None:
    found = failure(Answer(status, {}, body, truncated=False))
    assert isinstance(found, TemporarilyUnavailable)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_while_sending_leaves_open_whether_it_was_done(status: int) -> None:
    found = failure(an_answer(status, "Internal Server Error"), repeatable=False)
    assert isinstance(found, OutcomeUnknown)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_passes_never_ends_a_connection(status: int) -> None:
    for description in ("Unauthorized", "Not Found", "token revoked"):
        assert isinstance(translated(status, description), PASSING)


def test_no_secret_is_repeated() -> None:
    said = f"Bad Request: bad webhook: https://x.test/bot{TOKEN}/hidden-secret 987654321:BBAnotherMadeUpToken"
    found = failure(an_answer(400, said), (TOKEN, "hidden-secret"))
    assert found.platform_error is not None
    told = f"{found} {found.detail} {found.platform_error} {found.__cause__}"
    for secret in (TOKEN, TOKEN.partition(":")[2], "hidden-secret", "BBAnotherMadeUpToken"):
        assert secret not in told
    assert "bad webhook" in told


def test_a_long_text_is_cut() -> None:
    found = translated(400, "x" * 5000)
    assert found.platform_error is not None
    assert len(found.platform_error.message or "") == 500
