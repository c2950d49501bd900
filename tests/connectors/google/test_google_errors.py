"""Every failure of Google's documents, and the word that it becomes."""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.dialects.google import GoogleDialect
from socialgate.connectors.errors import ErrorTable, VendorError
from socialgate.connectors.google.errors import (
    ERROR_TABLES,
    SIGNING_KEYS_ERROR_TABLE,
    TOKEN_INFO_ERROR_TABLE,
    GoogleProduct,
)
from socialgate.connectors.google.errors import OAUTH_ERROR_TABLE as OAUTH_TABLE
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
    SyncTokenExpiredError,
    VersionConflictError,
)
from socialgate.core.egress import HttpResponse

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
API: list[tuple[int, str | None, type[PlatformFailure], str]] = [
    (401, "authError", PlatformUnavailableError, "auth_expired"),
    (401, "UNAUTHENTICATED", PlatformUnavailableError, "auth_expired"),
    (400, "invalid_token", PlatformUnavailableError, "auth_expired"),
    (401, None, PlatformUnavailableError, "auth_expired"),
    (401, "youtubeSignupRequired", NotSupportedError, "not_supported"),
    (403, "quotaExceeded", PlatformRateLimitError, "quota_exhausted"),
    (403, "dailyLimitExceeded", PlatformRateLimitError, "quota_exhausted"),
    (403, "rateLimitExceeded", PlatformRateLimitError, "platform_rate_limit"),
    (429, "userRateLimitExceeded", PlatformRateLimitError, "platform_rate_limit"),
    (429, "RESOURCE_EXHAUSTED", PlatformRateLimitError, "platform_rate_limit"),
    (429, None, PlatformRateLimitError, "platform_rate_limit"),
    (400, "uploadLimitExceeded", PlatformRateLimitError, "quota_exhausted"),
    (403, "insufficientPermissions", PermissionMissingError, "permission_missing"),
    (403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", PermissionMissingError, "permission_missing"),
    (403, "PERMISSION_DENIED", PermissionMissingError, "permission_missing"),
    (403, "forbidden", PlatformRejectedError, "account_issue"),
    (403, "accountDelegationForbidden", PlatformRejectedError, "account_issue"),
    (403, "authenticatedUserAccountClosed", PlatformRejectedError, "account_issue"),
    (403, "authenticatedUserAccountSuspended", PlatformRejectedError, "account_issue"),
    (403, "authenticatedUserNotChannel", PlatformRejectedError, "account_issue"),
    (403, "accessNotConfigured", PlatformRejectedError, "system_error"),
    (403, "commentsDisabled", PlatformRejectedError, "platform_rejected"),
    (400, "processingFailure", PlatformRejectedError, "user_content"),
    (400, "invalidTitle", PlatformRejectedError, "user_content"),
    (400, "timeRangeEmpty", PlatformRejectedError, "user_content"),
    (400, "INVALID_ARGUMENT", PlatformRejectedError, "user_content"),
    (404, "videoNotFound", PlatformNotFoundError, "platform_rejected"),
    (404, "NOT_FOUND", PlatformNotFoundError, "platform_rejected"),
    (410, "deleted", PlatformNotFoundError, "platform_rejected"),
    (409, "duplicate", PlatformDuplicateError, "user_content"),
    (412, "conditionNotMet", VersionConflictError, "platform_rejected"),
    (412, None, VersionConflictError, "platform_rejected"),
    (410, "fullSyncRequired", SyncTokenExpiredError, "platform_rejected"),
    (410, "updatedMinTooLongAgo", SyncTokenExpiredError, "platform_rejected"),
    (410, None, PlatformNotFoundError, "platform_rejected"),
    (400, "push.webhookUrlNotHttps", PlatformRejectedError, "system_error"),
    (500, "backendError", PlatformUnavailableError, "platform_error"),
    (503, "UNAVAILABLE", PlatformUnavailableError, "platform_error"),
    (502, None, PlatformUnavailableError, "platform_error"),
    (302, None, PlatformUnavailableError, "platform_error"),
    (403, None, PlatformRejectedError, "platform_rejected"),
    (403, "ofNextYear", PlatformRejectedError, "platform_rejected"),
]
OAUTH: list[tuple[int, str | None, type[PlatformFailure]]] = [
    (400, "invalid_grant", NeedsReconnectionError),
    (401, "invalid_client", PlatformRejectedError),
    (400, "unauthorized_client", PlatformRejectedError),
    (400, "redirect_uri_mismatch", PlatformRejectedError),
    (400, "invalid_scope", PlatformRejectedError),
    (403, "access_denied", PlatformRejectedError),
    (400, "admin_policy_enforced", PlatformRejectedError),
    (400, "internal_failure", PlatformUnavailableError),
    (500, "server_error", PlatformUnavailableError),
    (503, "temporarily_unavailable", PlatformUnavailableError),
    (503, None, PlatformUnavailableError),
    (302, None, PlatformUnavailableError),
    (429, None, PlatformRateLimitError),
    (401, None, PlatformRejectedError),
]


def said(status: int, *reasons: str | None, message: str | None = None, wait: int | None = None) -> VendorError:
    """Have the dialect read the reasons from the places where Google's APIs write them, the most exact first."""
    known = [reason for reason in reasons if reason]
    body = {"error": {"code": status, "message": message, "errors": [{"reason": reason} for reason in known]}}
    return read(status, body, {} if wait is None else {"Retry-After": str(wait)})


def oauth_said(status: int, error: str | None, message: str | None = None) -> VendorError:
    return read(status, {"error": error, "error_description": message} if error else {})


def read(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> VendorError:
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    vendor_error = GoogleDialect().parse_error(HttpResponse(status, lower, json.dumps(body).encode(), truncated=False))
    assert vendor_error is not None
    return vendor_error


def api_failure(vendor_error: VendorError, product: GoogleProduct, now: datetime) -> PlatformFailure:
    return ERROR_TABLES[product].translate(vendor_error, repeatable=True, now=now).failure


def oauth_failure(vendor_error: VendorError, hidden: Collection[str] = ()) -> PlatformFailure:
    return OAUTH_TABLE.translate(vendor_error, repeatable=True, hidden=hidden).failure


@pytest.mark.parametrize(("status", "reason", "word", "category"), API)
def test_each_answer_becomes_its_word(
    status: int, reason: str | None, word: type[PlatformFailure], category: str
) -> None:
    failure = api_failure(said(status, reason, message="why"), GoogleProduct.YOUTUBE, NOW)
    assert type(failure) is word
    assert failure.category == category
    assert failure.platform_error is not None
    assert (failure.platform_error.status, failure.platform_error.code) == (status, reason)


@pytest.mark.parametrize(("status", "error", "word"), OAUTH)
def test_only_a_refused_grant_ends_a_connection(status: int, error: str | None, word: type[PlatformFailure]) -> None:
    assert type(oauth_failure(oauth_said(status, error))) is word


@pytest.mark.parametrize(
    "table", [*ERROR_TABLES.values(), OAUTH_TABLE, TOKEN_INFO_ERROR_TABLE, SIGNING_KEYS_ERROR_TABLE]
)
def test_a_success_that_cannot_be_read_is_an_outage(table: ErrorTable) -> None:
    failure = table.translate_unreadable(200, repeatable=True)
    assert type(failure) is PlatformUnavailableError
    assert failure.category == "platform_error"
    assert failure.retry_after
    assert failure.platform_error is not None
    assert (failure.platform_error.status, failure.platform_error.code) == (200, None)


@pytest.mark.parametrize(
    "body",
    [
        {"error_description": "Invalid Value"},
        {"error": "invalid_token"},
        {"error": "invalid_request"},
        {"error": {"code": 400, "status": "INVALID_ARGUMENT"}},
    ],
)
def test_all_that_can_be_wrong_with_a_token_that_is_asked_about_is_the_token(body: dict[str, Any]) -> None:
    failure = TOKEN_INFO_ERROR_TABLE.translate(read(400, body), repeatable=True).failure
    assert type(failure) is PlatformUnavailableError
    assert failure.category == "auth_expired"


@pytest.mark.parametrize(
    ("product", "reasons", "pauses"),
    [
        (GoogleProduct.YOUTUBE, ("quotaExceeded",), "app"),
        (GoogleProduct.UPLOADS, ("quotaExceeded",), "app"),
        (GoogleProduct.UPLOADS, ("uploadLimitExceeded",), None),
        (GoogleProduct.BUSINESS, ("RESOURCE_EXHAUSTED",), "app"),
        (GoogleProduct.BUSINESS, (), "app"),
        (GoogleProduct.YOUTUBE, ("userRateLimitExceeded",), "account"),
        (GoogleProduct.YOUTUBE, ("RATE_LIMIT_EXCEEDED", "userRateLimitExceeded"), "account"),
        (GoogleProduct.CALENDAR, ("rateLimitExceeded",), "account"),
        (GoogleProduct.CALENDAR, ("quotaExceeded",), "account"),
        (GoogleProduct.CALENDAR, (), "account"),
    ],
)
def test_a_limit_holds_back_those_whose_it_is(
    product: GoogleProduct, reasons: tuple[str, ...], pauses: str | None
) -> None:
    verdict = ERROR_TABLES[product].translate(said(429, *reasons), repeatable=True, now=NOW)
    assert isinstance(verdict.failure, PlatformRateLimitError)
    assert verdict.pause_scope == pauses
    assert ERROR_TABLES[product].max_pause_seconds == 3600


def test_keys_that_are_asked_for_too_often_hold_back_nobody() -> None:
    verdict = SIGNING_KEYS_ERROR_TABLE.translate(said(429), repeatable=True)
    assert (type(verdict.failure), verdict.pause_scope) == (PlatformRateLimitError, None)


@pytest.mark.parametrize(
    ("now", "hours"),
    [
        (datetime(2026, 11, 15, 12, 0, tzinfo=UTC), 20),
        (datetime(2026, 7, 15, 12, 0, tzinfo=UTC), 19),
        # Between these two midnights the clocks go back.
        (datetime(2026, 11, 1, 7, 0, tzinfo=UTC), 25),
    ],
)
def test_youtube_starts_anew_at_midnight_pacific_time(now: datetime, hours: int) -> None:
    assert api_failure(said(403, "quotaExceeded"), GoogleProduct.YOUTUBE, now).retry_after == hours * 3600 + 1
    assert api_failure(said(403, "quotaExceeded"), GoogleProduct.CALENDAR, now).retry_after == 3600


def test_google_may_say_how_long_to_wait() -> None:
    assert api_failure(said(429, wait=7), GoogleProduct.BUSINESS, NOW).retry_after == 7
    assert api_failure(said(404, wait=7), GoogleProduct.BUSINESS, NOW).retry_after is None


@pytest.mark.parametrize(
    ("body", "reasons", "message"),
    [
        (
            b'{"error":{"code":403,"message":"m","errors":[{"domain":"youtube.quota","reason":"quotaExceeded"}]}}',
            ("quotaExceeded",),
            "m",
        ),
        (
            (
                b'{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED","errors":[{"reason":"forbidden"}],'
                b'"details":[{"@type":"type.googleapis.com/google.rpc.Help","reason":[1]},'
                b'{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"ACCESS_TOKEN_SCOPE_INSUFFICIENT"}]}}'
            ),
            ("ACCESS_TOKEN_SCOPE_INSUFFICIENT", "forbidden", "PERMISSION_DENIED"),
            "m",
        ),
        (b'{"error":"invalid_grant","error_description":"Bad Request"}', ("invalid_grant",), "Bad Request"),
        (b'{"error_description":"Invalid Value"}', (), "Invalid Value"),
        (b"{}", (), None),
    ],
)
def test_the_families_of_bodies_are_read_alike(body: bytes, reasons: tuple[str, ...], message: str | None) -> None:
    vendor_error = GoogleDialect().parse_error(HttpResponse(403, {}, body, truncated=False))
    assert vendor_error is not None
    assert (vendor_error.codes, vendor_error.message) == (reasons, message)


def test_the_most_exact_reason_that_is_known_decides() -> None:
    failure = api_failure(said(403, "OF_NEXT_YEAR", "quotaExceeded", "PERMISSION_DENIED"), GoogleProduct.YOUTUBE, NOW)
    assert isinstance(failure, PlatformRateLimitError)
    assert failure.platform_error is not None
    assert (failure.platform_error.code, failure.platform_error.subcode) == ("OF_NEXT_YEAR", "quotaExceeded")


KNOWN = [*ERROR_TABLES[GoogleProduct.YOUTUBE].rules, *OAUTH_TABLE.rules]
REASONS = st.lists(st.text() | st.sampled_from(KNOWN), max_size=3)


@given(st.integers(100, 599), REASONS, st.sampled_from(GoogleProduct))
def test_every_answer_has_a_word_and_calls_never_end_a_connection(
    status: int, reasons: list[str], product: GoogleProduct
) -> None:
    failure = api_failure(VendorError(status=status, codes=tuple(reasons)), product, NOW)
    assert type(failure) in PLATFORM_ERROR_TYPES
    assert not isinstance(failure, NeedsReconnectionError)
    assert not failure.retryable or failure.retry_after


@given(st.integers(100, 599))
def test_a_status_alone_never_ends_a_connection(status: int) -> None:
    failure = oauth_failure(VendorError(status=status))
    assert not isinstance(failure, NeedsReconnectionError)
    assert not failure.retryable or failure.retry_after


def test_what_we_sent_and_what_looks_like_a_token_is_taken_out() -> None:
    message = "hush and ya29.a0-made_up and 1//0made-up and 4/0AbCdEfGhIjKl stay out " + "x" * 999
    error = oauth_failure(oauth_said(400, "invalid_grant", message), ["hush", ""]).platform_error
    assert error is not None
    assert error.message is not None
    assert error.message.startswith("[removed] and [removed] and [removed] and [removed] stay out xxx")
    assert len(error.message) == 500


@pytest.mark.parametrize(
    ("message", "detail"),
    [
        ("Bad recurrence rule", "Google rejected this: Bad recurrence rule."),
        ("Is it a rule?", "Google rejected this: Is it a rule?"),
        ("Token ya29.abc-def is bad.", "Google rejected this: Token [removed] is bad."),
        (None, "Google rejected this and gave no reason."),
    ],
)
def test_a_rejection_without_a_rule_contains_the_words_of_google(message: str | None, detail: str) -> None:
    vendor_error = VendorError(status=400, codes=("somethingNew",), message=message)
    failure = ERROR_TABLES[GoogleProduct.CALENDAR].translate(vendor_error, repeatable=True).failure
    assert failure.detail == detail
    # Records have the words once.
    assert failure.detail_with_vendor_message == f"{detail} (somethingNew)"
