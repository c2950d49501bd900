"""Every refusal of the Bot API that is known, and the word for it."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from socialgate.connectors.dialects.telegram import TelegramDialect
from socialgate.connectors.telegram.errors import ERROR_TABLE
from socialgate.contracts.failures import (
    NeedsReconnectionError,
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

TOKEN = "123456789:AAMadeUpTokenForTests_0123456789abc"
PASSING = (PlatformUnavailableError, PlatformRateLimitError, OutcomeUnknownError)


def an_answer(status: int, description: str, headers: dict[str, str] | None = None, **members: Any) -> HttpResponse:
    body = {"ok": False, "error_code": status, "description": description, **members}
    return HttpResponse(status, headers or {}, json.dumps(body).encode(), truncated=False)


def failure(answer: HttpResponse, hidden: Sequence[str] = (TOKEN,), *, repeatable: bool = True) -> PlatformFailure:
    vendor_error = TelegramDialect().parse_error(answer)
    assert vendor_error is not None
    return ERROR_TABLE.translate(vendor_error, repeatable=repeatable, hidden=hidden).failure


def translated(status: int, description: str, **members: Any) -> PlatformFailure:
    return failure(an_answer(status, description, **members))


@pytest.mark.parametrize(
    ("status", "description", "word"),
    [
        (401, "Unauthorized", NeedsReconnectionError),
        (401, "Unauthorized: invalid token specified", NeedsReconnectionError),
        (403, "Forbidden: bot was blocked by the user", PlatformRejectedError),
        (403, "Forbidden: user is deactivated", PlatformNotFoundError),
        (403, "Forbidden: bot can't initiate conversation with a user", PlatformRejectedError),
        (403, "Forbidden: bot was kicked from the group chat", PermissionMissingError),
        (403, "Forbidden: bot was kicked from the supergroup chat", PermissionMissingError),
        (403, "Forbidden: bot was kicked from the channel chat", PermissionMissingError),
        (403, "Forbidden: bot is not a member of the channel chat", PermissionMissingError),
        (403, "Forbidden: the group chat was deleted", PlatformNotFoundError),
        (400, "Bad Request: need administrator rights in the channel chat", PermissionMissingError),
        (400, "Bad Request: chat not found", PlatformNotFoundError),
        (400, "Bad Request: chat_id is empty", PlatformRejectedError),
        (400, "Bad Request: message text is empty", PlatformRejectedError),
        (400, "Bad Request: message is too long", PlatformRejectedError),
        (
            400,
            "Bad Request: message is not modified: specified new message content and reply markup",
            PlatformDuplicateError,
        ),
        (400, "Bad Request: message to edit not found", PlatformNotFoundError),
        (400, "Bad Request: message to delete not found", PlatformNotFoundError),
        (400, "Bad Request: message to be replied not found", PlatformNotFoundError),
        (400, "Bad Request: message can't be deleted", PlatformRejectedError),
        (400, "Bad Request: group chat was upgraded to a supergroup chat", PlatformRejectedError),
        (400, "Bad Request: wrong HTTP URL specified", PlatformRejectedError),
        (400, "Bad Request: failed to get HTTP URL content", PlatformRejectedError),
        (400, "Bad Request: wrong type of the web page content", PlatformRejectedError),
        (400, "Bad Request: can't use the media of the specified type in the album", PlatformRejectedError),
        (
            400,
            "Bad Request: query is too old and response timeout expired or query ID is invalid",
            PlatformNotFoundError,
        ),
        (400, "Bad Request: file is too big", PlatformRejectedError),
        (400, "Bad Request: wrong file_id or the file is temporarily unavailable", PlatformNotFoundError),
        (400, "Bad Request: bad webhook: An HTTPS URL must be provided for webhook", PlatformRejectedError),
        (400, "Bad Request: secret token contains unallowed characters", PlatformRejectedError),
        (404, "Not Found: method not found", PlatformNotFoundError),
        (409, "Conflict: can't use getUpdates method while webhook is active", PlatformRejectedError),
        (413, "Request Entity Too Large", PlatformRejectedError),
        (418, "I'm a teapot", PlatformRejectedError),
        (421, "Misdirected Request: unallowed token specified", PlatformRejectedError),
        (429, "Too Many Requests: retry after 7", PlatformRateLimitError),
        (500, "Internal Server Error: restart", PlatformUnavailableError),
        (502, "Bad Gateway", PlatformUnavailableError),
    ],
)
def test_a_refusal_has_its_word(status: int, description: str, word: type[PlatformFailure]) -> None:
    platform_failure = translated(status, description)
    assert type(platform_failure) is word
    assert platform_failure.detail
    assert platform_failure.platform_error is not None
    assert platform_failure.platform_error.status == status
    assert platform_failure.platform_error.message == description


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
    platform_failure = failure(an_answer(429, "Too Many Requests", headers, **members))
    assert isinstance(platform_failure, PlatformRateLimitError)
    assert platform_failure.retry_after == wait


@pytest.mark.parametrize("status", [200, 301, 400, 401, 403, 404, 500, 502, 503, 504])
@pytest.mark.parametrize("body", [b"", b"<html>blocked</html>", b"{}", b"[]", b'{"message": "not supported"}'])
def test_what_is_not_from_telegram_ends_nothing(status: int, body: bytes) -> None:
    platform_failure = failure(HttpResponse(status, {}, body, truncated=False))
    assert isinstance(platform_failure, PlatformUnavailableError)


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_failure_while_sending_leaves_open_whether_it_was_done(status: int) -> None:
    platform_failure = failure(an_answer(status, "Internal Server Error"), repeatable=False)
    assert isinstance(platform_failure, OutcomeUnknownError)


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_what_passes_never_ends_a_connection(status: int) -> None:
    for description in ("Unauthorized", "Not Found", "token revoked"):
        assert isinstance(translated(status, description), PASSING)


def test_no_secret_is_repeated() -> None:
    message = f"Bad Request: bad webhook: https://x.test/bot{TOKEN}/hidden-secret 987654321:BBAnotherMadeUpToken"
    platform_failure = failure(an_answer(400, message), (TOKEN, "hidden-secret"))
    assert platform_failure.platform_error is not None
    value = (
        f"{platform_failure} {platform_failure.detail} {platform_failure.platform_error} {platform_failure.__cause__}"
    )
    for secret in (TOKEN, TOKEN.partition(":")[2], "hidden-secret", "BBAnotherMadeUpToken"):
        assert secret not in value
    assert "bad webhook" in value


def test_a_long_text_is_cut() -> None:
    platform_failure = translated(400, "x" * 5000)
    assert platform_failure.platform_error is not None
    assert len(platform_failure.platform_error.message or "") == 500
