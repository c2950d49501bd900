"""Every failure of Google's documents, and the word that it becomes."""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.dialects.google import GoogleDialect
from socialgate.connectors.errors import ErrorTable, Said
from socialgate.connectors.google.errors import OAUTH as OAUTH_TABLE
from socialgate.connectors.google.errors import SIGNING_KEYS, TABLES, TOKEN_INFO, Product
from socialgate.contracts.failures import (
    FAILURE_WORDS,
    Duplicate,
    NeedsReconnection,
    NotSupported,
    Outdated,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    SyncExpired,
    TemporarilyUnavailable,
)
from socialgate.core.egress import Answer

NOW = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)
API: list[tuple[int, str | None, type[PlatformFailure], str]] = [
    (401, "authError", TemporarilyUnavailable, "auth_expired"),
    (401, "UNAUTHENTICATED", TemporarilyUnavailable, "auth_expired"),
    (400, "invalid_token", TemporarilyUnavailable, "auth_expired"),
    (401, None, TemporarilyUnavailable, "auth_expired"),
    (401, "youtubeSignupRequired", NotSupported, "not_supported"),
    (403, "quotaExceeded", PlatformRateLimited, "quota_exhausted"),
    (403, "dailyLimitExceeded", PlatformRateLimited, "quota_exhausted"),
    (403, "rateLimitExceeded", PlatformRateLimited, "platform_rate_limit"),
    (429, "userRateLimitExceeded", PlatformRateLimited, "platform_rate_limit"),
    (429, "RESOURCE_EXHAUSTED", PlatformRateLimited, "platform_rate_limit"),
    (429, None, PlatformRateLimited, "platform_rate_limit"),
    (400, "uploadLimitExceeded", PlatformRateLimited, "quota_exhausted"),
    (403, "insufficientPermissions", PermissionMissing, "permission_missing"),
    (403, "ACCESS_TOKEN_SCOPE_INSUFFICIENT", PermissionMissing, "permission_missing"),
    (403, "PERMISSION_DENIED", PermissionMissing, "permission_missing"),
    (403, "forbidden", Rejected, "account_issue"),
    (403, "accountDelegationForbidden", Rejected, "account_issue"),
    (403, "authenticatedUserAccountClosed", Rejected, "account_issue"),
    (403, "authenticatedUserAccountSuspended", Rejected, "account_issue"),
    (403, "authenticatedUserNotChannel", Rejected, "account_issue"),
    (403, "accessNotConfigured", Rejected, "system_error"),
    (403, "commentsDisabled", Rejected, "platform_rejected"),
    (400, "processingFailure", Rejected, "user_content"),
    (400, "invalidTitle", Rejected, "user_content"),
    (400, "timeRangeEmpty", Rejected, "user_content"),
    (400, "INVALID_ARGUMENT", Rejected, "user_content"),
    (404, "videoNotFound", PlatformNotFound, "platform_rejected"),
    (404, "NOT_FOUND", PlatformNotFound, "platform_rejected"),
    (410, "deleted", PlatformNotFound, "platform_rejected"),
    (409, "duplicate", Duplicate, "user_content"),
    (412, "conditionNotMet", Outdated, "platform_rejected"),
    (412, None, Outdated, "platform_rejected"),
    (410, "fullSyncRequired", SyncExpired, "platform_rejected"),
    (410, "updatedMinTooLongAgo", SyncExpired, "platform_rejected"),
    (410, None, PlatformNotFound, "platform_rejected"),
    (400, "push.webhookUrlNotHttps", Rejected, "system_error"),
    (500, "backendError", TemporarilyUnavailable, "platform_error"),
    (503, "UNAVAILABLE", TemporarilyUnavailable, "platform_error"),
    (502, None, TemporarilyUnavailable, "platform_error"),
    (302, None, TemporarilyUnavailable, "platform_error"),
    (403, None, Rejected, "platform_rejected"),
    (403, "ofNextYear", Rejected, "platform_rejected"),
]
OAUTH: list[tuple[int, str | None, type[PlatformFailure]]] = [
    (400, "invalid_grant", NeedsReconnection),
    (401, "invalid_client", Rejected),
    (400, "unauthorized_client", Rejected),
    (400, "redirect_uri_mismatch", Rejected),
    (400, "invalid_scope", Rejected),
    (403, "access_denied", Rejected),
    (400, "admin_policy_enforced", Rejected),
    (400, "internal_failure", TemporarilyUnavailable),
    (500, "server_error", TemporarilyUnavailable),
    (503, "temporarily_unavailable", TemporarilyUnavailable),
    (503, None, TemporarilyUnavailable),
    (302, None, TemporarilyUnavailable),
    (429, None, PlatformRateLimited),
    (401, None, Rejected),
]


def said(status: int, *reasons: str | None, message: str | None = None, wait: int | None = None) -> Said:
    """Have the dialect read the reasons from the places where Google's APIs write them, the most exact first."""
    known = [reason for reason in reasons if reason]
    body = {"error": {"code": status, "message": message, "errors": [{"reason": reason} for reason in known]}}
    return read(status, body, {} if wait is None else {"Retry-After": str(wait)})


def oauth_said(status: int, error: str | None, message: str | None = None) -> Said:
    return read(status, {"error": error, "error_description": message} if error else {})


def read(status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> Said:
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    found = GoogleDialect().said(Answer(status, lower, json.dumps(body).encode(), truncated=False))
    assert found is not None
    return found


def api_failure(said: Said, product: Product, now: datetime) -> PlatformFailure:
    return TABLES[product].verdict(said, repeatable=True, now=now).failure


def oauth_failure(said: Said, hidden: Collection[str] = ()) -> PlatformFailure:
    return OAUTH_TABLE.verdict(said, repeatable=True, hidden=hidden).failure


@pytest.mark.parametrize(("status", "reason", "word", "category"), API)
def test_each_answer_becomes_its_word(
    status: int, reason: str | None, word: type[PlatformFailure], category: str
) -> None:
    failure = api_failure(said(status, reason, message="why"), Product.YOUTUBE, NOW)
    assert type(failure) is word
    assert failure.category == category
    assert failure.platform_error is not None
    assert (failure.platform_error.status, failure.platform_error.code) == (status, reason)


@pytest.mark.parametrize(("status", "error", "word"), OAUTH)
def test_only_a_refused_grant_ends_a_connection(status: int, error: str | None, word: type[PlatformFailure]) -> None:
    assert type(oauth_failure(oauth_said(status, error))) is word


@pytest.mark.parametrize("table", [*TABLES.values(), OAUTH_TABLE, TOKEN_INFO, SIGNING_KEYS])
def test_a_success_that_cannot_be_read_is_an_outage(table: ErrorTable) -> None:
    failure = table.unreadable(200, repeatable=True)
    assert type(failure) is TemporarilyUnavailable
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
    failure = TOKEN_INFO.verdict(read(400, body), repeatable=True).failure
    assert type(failure) is TemporarilyUnavailable
    assert failure.category == "auth_expired"


@pytest.mark.parametrize(
    ("product", "reasons", "pauses"),
    [
        (Product.YOUTUBE, ("quotaExceeded",), "app"),
        (Product.UPLOADS, ("quotaExceeded",), "app"),
        (Product.UPLOADS, ("uploadLimitExceeded",), None),
        (Product.BUSINESS, ("RESOURCE_EXHAUSTED",), "app"),
        (Product.BUSINESS, (), "app"),
        (Product.YOUTUBE, ("userRateLimitExceeded",), "account"),
        (Product.YOUTUBE, ("RATE_LIMIT_EXCEEDED", "userRateLimitExceeded"), "account"),
        (Product.CALENDAR, ("rateLimitExceeded",), "account"),
        (Product.CALENDAR, ("quotaExceeded",), "account"),
        (Product.CALENDAR, (), "account"),
    ],
)
def test_a_limit_holds_back_those_whose_it_is(product: Product, reasons: tuple[str, ...], pauses: str | None) -> None:
    verdict = TABLES[product].verdict(said(429, *reasons), repeatable=True, now=NOW)
    assert isinstance(verdict.failure, PlatformRateLimited)
    assert verdict.pauses == pauses
    assert TABLES[product].longest_pause == 3600


def test_keys_that_are_asked_for_too_often_hold_back_nobody() -> None:
    verdict = SIGNING_KEYS.verdict(said(429), repeatable=True)
    assert (type(verdict.failure), verdict.pauses) == (PlatformRateLimited, None)


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
    assert api_failure(said(403, "quotaExceeded"), Product.YOUTUBE, now).retry_after == hours * 3600 + 1
    assert api_failure(said(403, "quotaExceeded"), Product.CALENDAR, now).retry_after == 3600


def test_google_may_say_how_long_to_wait() -> None:
    assert api_failure(said(429, wait=7), Product.BUSINESS, NOW).retry_after == 7
    assert api_failure(said(404, wait=7), Product.BUSINESS, NOW).retry_after is None


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
    found = GoogleDialect().said(Answer(403, {}, body, truncated=False))
    assert found is not None
    assert (found.codes, found.message) == (reasons, message)


def test_the_most_exact_reason_that_is_known_decides() -> None:
    failure = api_failure(said(403, "OF_NEXT_YEAR", "quotaExceeded", "PERMISSION_DENIED"), Product.YOUTUBE, NOW)
    assert isinstance(failure, PlatformRateLimited)
    assert failure.platform_error is not None
    assert (failure.platform_error.code, failure.platform_error.subcode) == ("OF_NEXT_YEAR", "quotaExceeded")


KNOWN = [*TABLES[Product.YOUTUBE].rules, *OAUTH_TABLE.rules]
REASONS = st.lists(st.text() | st.sampled_from(KNOWN), max_size=3)


@given(st.integers(100, 599), REASONS, st.sampled_from(Product))
def test_every_answer_has_a_word_and_calls_never_end_a_connection(
    status: int, reasons: list[str], product: Product
) -> None:
    failure = api_failure(Said(status=status, codes=tuple(reasons)), product, NOW)
    assert type(failure) in FAILURE_WORDS
    assert not isinstance(failure, NeedsReconnection)
    assert not failure.retryable or failure.retry_after


@given(st.integers(100, 599))
def test_a_status_alone_never_ends_a_connection(status: int) -> None:
    failure = oauth_failure(Said(status=status))
    assert not isinstance(failure, NeedsReconnection)
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
    said = Said(status=400, codes=("somethingNew",), message=message)
    failure = TABLES[Product.CALENDAR].verdict(said, repeatable=True).failure
    assert failure.detail == detail
    # Records have the words once.
    assert failure.explained == f"{detail} (somethingNew)"
