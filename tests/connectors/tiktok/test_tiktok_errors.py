"""Every failure of TikTok's documents, and the word that it becomes."""

import json
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.client import VendorDialect
from socialgate.connectors.dialects.tiktok import TikTokDialect, TikTokOAuthDialect, TikTokUploadDialect
from socialgate.connectors.errors import ErrorOutcome, ErrorTable
from socialgate.connectors.tiktok.errors import API_ERRORS, OAUTH_ERRORS, UPLOAD_ERRORS
from socialgate.contracts.failures import (
    PLATFORM_ERROR_TYPES,
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

CALLS = [
    (401, "access_token_invalid", PlatformUnavailableError, "auth_expired"),
    (401, "scope_not_authorized", PermissionMissingError, "permission_missing"),
    (400, "scope_permission_missed", PermissionMissingError, "permission_missing"),
    (400, "invalid_param", PlatformRejectedError, "user_content"),
    (400, "invalid_params", PlatformRejectedError, "user_content"),
    (400, "invalid_file_upload", PlatformRejectedError, "user_content"),
    (400, "invalid_publish_id", PlatformNotFoundError, "platform_rejected"),
    (400, "token_not_authorized_for_specified_publish_id", PlatformNotFoundError, "platform_rejected"),
    (400, "publish_not_cancellable", PlatformRejectedError, "platform_rejected"),
    (403, "spam_risk_too_many_posts", PlatformRateLimitError, "quota_exhausted"),
    (200, "spam_risk_too_many_posts", PlatformRateLimitError, "quota_exhausted"),
    (403, "spam_risk_too_many_pending_share", PlatformRateLimitError, "quota_exhausted"),
    (200, "reached_active_user_cap", PlatformRateLimitError, "quota_exhausted"),
    (200, "spam_risk_user_banned_from_posting", PlatformRejectedError, "account_issue"),
    (403, "unaudited_client_can_only_post_to_private_accounts", PlatformRejectedError, "account_issue"),
    (403, "url_ownership_unverified", PlatformRejectedError, "system_error"),
    (403, "privacy_level_option_mismatch", PlatformRejectedError, "user_content"),
    (429, "rate_limit_exceeded", PlatformRateLimitError, "platform_rate_limit"),
    (500, "internal_error", PlatformUnavailableError, "platform_error"),
    (200, "internal", PlatformUnavailableError, "platform_error"),
    (200, "auth_removed", NeedsReconnectionError, "auth_expired"),
    (200, "duration_check_failed", PlatformRejectedError, "user_content"),
    (200, "spam_risk_text", PlatformRejectedError, "user_content"),
    (401, None, PlatformUnavailableError, "auth_expired"),
    (403, "of_next_year", PlatformRejectedError, "platform_rejected"),
    (404, None, PlatformNotFoundError, "platform_rejected"),
    (429, None, PlatformRateLimitError, "platform_rate_limit"),
    (502, None, PlatformUnavailableError, "platform_error"),
    (200, None, PlatformUnavailableError, "platform_error"),
]
GRANTS = [
    (400, "invalid_grant", NeedsReconnectionError),
    (200, "invalid_grant", NeedsReconnectionError),
    (401, "invalid_client", PlatformRejectedError),
    (400, "unauthorized_client", PlatformRejectedError),
    (400, "invalid_request", PlatformRejectedError),
    (400, "invalid_scope", PlatformRejectedError),
    (400, "access_denied", PlatformRejectedError),
    (500, "server_error", PlatformUnavailableError),
    (503, "temporarily_unavailable", PlatformUnavailableError),
    (503, None, PlatformUnavailableError),
    (200, None, PlatformUnavailableError),
    (429, None, PlatformRateLimitError),
    (401, None, PlatformRejectedError),
]


def verdict(
    dialect: VendorDialect,
    table: ErrorTable,
    answer: HttpResponse,
    hidden: Collection[str] = (),
    *,
    repeatable: bool = True,
) -> ErrorOutcome:
    vendor_error = dialect.parse_error(answer)
    assert vendor_error is not None
    return table.translate(vendor_error, repeatable=repeatable, hidden=hidden)


def an_answer(status: int, body: dict[str, Any]) -> HttpResponse:
    return HttpResponse(status, {}, json.dumps(body).encode(), truncated=False)


def a_page(status: int) -> HttpResponse:
    return HttpResponse(status, {}, b"<html>No</html>", truncated=False)


def api_answer(status: int, code: str | None, **error: str) -> HttpResponse:
    return an_answer(status, {"error": error if code is None else {"code": code, **error}})


def api_failure(answer: HttpResponse, hidden: Collection[str] = (), *, repeatable: bool = True) -> PlatformFailure:
    return verdict(TikTokDialect(), API_ERRORS, answer, hidden, repeatable=repeatable).failure


def oauth_failure(status: int, code: str | None, *, repeatable: bool = True) -> PlatformFailure:
    answer = an_answer(status, {} if code is None else {"error": code})
    if TikTokOAuthDialect().parse_error(answer) is None:
        # It says nothing of a failure, and holds no token.
        return OAUTH_ERRORS.translate_unreadable(status, repeatable=True)
    return verdict(TikTokOAuthDialect(), OAUTH_ERRORS, answer, repeatable=repeatable).failure


@pytest.mark.parametrize(("status", "code", "word", "category"), CALLS)
def test_each_answer_becomes_its_word(status: int, code: str, word: type[PlatformFailure], category: str) -> None:
    failure = api_failure(api_answer(status, code, message="why", log_id="log-1"))
    assert type(failure) is word
    assert failure.category == category
    assert failure.platform_error is not None
    assert (failure.platform_error.status, failure.platform_error.code) == (status, code)
    assert (failure.platform_error.message, failure.platform_error.trace) == ("why", "log-1")


@pytest.mark.parametrize(("status", "code", "word"), GRANTS)
def test_only_a_refused_grant_ends_a_connection(status: int, code: str, word: type[PlatformFailure]) -> None:
    assert type(oauth_failure(status, code)) is word
    assert type(oauth_failure(status, code, repeatable=False)) is word, "what OAuth refuses has not happened"


def test_a_misconfigured_app_is_the_operators_to_mend() -> None:
    failure = oauth_failure(401, "invalid_client")
    assert failure.category == "system_error"
    assert "SOCIALGATE_TIKTOK_APP_SECRET" in failure.detail


@given(st.integers(100, 599), st.none() | st.text() | st.sampled_from([*API_ERRORS.rules, *OAUTH_ERRORS.rules]))
def test_every_answer_has_a_word_and_waits_where_it_can_be_retried(status: int, code: str | None) -> None:
    for failure in (api_failure(api_answer(status, code)), oauth_failure(status, code)):
        assert type(failure) in PLATFORM_ERROR_TYPES
        assert failure.detail
        assert not failure.retryable or failure.retry_after


@given(st.integers(100, 599).filter(lambda status: status != 200))
def test_a_status_alone_never_ends_a_connection(status: int) -> None:
    assert not isinstance(api_failure(api_answer(status, None)), NeedsReconnectionError)
    assert not isinstance(oauth_failure(status, None), NeedsReconnectionError)


def test_what_we_sent_and_what_looks_like_a_token_is_taken_out() -> None:
    message = "hush-1 and act.abc!7 and rft.d-e*f are wrong: " + "x" * 999
    error = api_failure(api_answer(400, "invalid_param", message=message), ["hush-1", ""]).platform_error
    assert error is not None
    assert error.message is not None
    assert error.message.startswith("[removed] and [removed] and [removed] are wrong: xxx")
    assert len(error.message) == 500


@pytest.mark.parametrize(
    ("answer", "word"),
    [
        (api_answer(500, "internal_error"), OutcomeUnknownError),
        (api_answer(200, "of_next_year"), OutcomeUnknownError),
        (a_page(502), OutcomeUnknownError),
        (a_page(200), OutcomeUnknownError),
        (api_answer(401, "access_token_invalid"), PlatformUnavailableError),
        (api_answer(429, "rate_limit_exceeded"), PlatformRateLimitError),
        (api_answer(403, "spam_risk_too_many_posts"), PlatformRateLimitError),
        (a_page(404), OutcomeUnknownError),
    ],
)
def test_a_change_may_have_happened_before_tiktok_failed(answer: HttpResponse, word: type[PlatformFailure]) -> None:
    assert type(api_failure(answer, repeatable=False)) is word


def test_a_days_posts_hold_back_no_other_call() -> None:
    assert verdict(TikTokDialect(), API_ERRORS, api_answer(429, "rate_limit_exceeded")).pause_scope == "account"
    assert verdict(TikTokDialect(), API_ERRORS, api_answer(403, "spam_risk_too_many_posts")).pause_scope is None


def test_an_outage_in_front_of_oauth_has_the_shape_of_the_other_endpoints() -> None:
    answer = api_answer(500, "internal_error", message="why", logid="log-1")
    error = verdict(TikTokOAuthDialect(), OAUTH_ERRORS, answer).failure.platform_error
    assert error is not None
    assert (error.code, error.message, error.trace) == ("internal_error", "why", "log-1")


@pytest.mark.parametrize(
    ("status", "last", "word"),
    [
        (400, False, PlatformRejectedError),
        (408, True, PlatformRejectedError),
        (413, True, PlatformRejectedError),
        (429, False, PlatformUnavailableError),
        (429, True, PlatformUnavailableError),
        (204, False, PlatformUnavailableError),
        (500, False, PlatformUnavailableError),
        (204, True, OutcomeUnknownError),
        (503, True, OutcomeUnknownError),
    ],
)
def test_a_chunk_that_failed_is_sent_again_unless_it_was_the_last(
    status: int, word: type[PlatformFailure], *, last: bool
) -> None:
    result = verdict(TikTokUploadDialect(frozenset({200})), UPLOAD_ERRORS, a_page(status), repeatable=not last)
    assert type(result.failure) is word
    assert result.pause_scope is None
    assert result.failure.retry_after == (10 if word is PlatformUnavailableError else None)
    assert [fault.pointer for fault in result.failure.errors] == (["/media/0"] if word is PlatformRejectedError else [])
