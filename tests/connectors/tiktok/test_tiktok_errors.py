"""Every failure of TikTok's documents, and the word that it becomes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.tiktok.errors import MEANINGS, OAUTH_MEANINGS, Said, api_failure, oauth_failure
from socialgate.contracts.failures import (
    FAILURE_WORDS,
    NeedsReconnection,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)

API = [
    (401, "access_token_invalid", TemporarilyUnavailable, "auth_expired"),
    (401, "scope_not_authorized", PermissionMissing, "permission_missing"),
    (400, "scope_permission_missed", PermissionMissing, "permission_missing"),
    (400, "invalid_param", Rejected, "user_content"),
    (400, "invalid_params", Rejected, "user_content"),
    (400, "invalid_file_upload", Rejected, "user_content"),
    (400, "invalid_publish_id", PlatformNotFound, "platform_rejected"),
    (400, "token_not_authorized_for_specified_publish_id", PlatformNotFound, "platform_rejected"),
    (400, "publish_not_cancellable", Rejected, "platform_rejected"),
    (403, "spam_risk_too_many_posts", PlatformRateLimited, "quota_exhausted"),
    (200, "spam_risk_too_many_posts", PlatformRateLimited, "quota_exhausted"),
    (403, "spam_risk_too_many_pending_share", PlatformRateLimited, "quota_exhausted"),
    (200, "reached_active_user_cap", PlatformRateLimited, "quota_exhausted"),
    (200, "spam_risk_user_banned_from_posting", Rejected, "account_issue"),
    (403, "unaudited_client_can_only_post_to_private_accounts", Rejected, "account_issue"),
    (403, "url_ownership_unverified", Rejected, "system_error"),
    (403, "privacy_level_option_mismatch", Rejected, "user_content"),
    (429, "rate_limit_exceeded", PlatformRateLimited, "platform_rate_limit"),
    (500, "internal_error", TemporarilyUnavailable, "platform_error"),
    (200, "internal", TemporarilyUnavailable, "platform_error"),
    (200, "auth_removed", NeedsReconnection, "auth_expired"),
    (200, "duration_check_failed", Rejected, "user_content"),
    (200, "spam_risk_text", Rejected, "user_content"),
    (401, None, TemporarilyUnavailable, "auth_expired"),
    (403, "of_next_year", Rejected, "platform_rejected"),
    (404, None, PlatformNotFound, "platform_rejected"),
    (429, None, PlatformRateLimited, "platform_rate_limit"),
    (502, None, TemporarilyUnavailable, "platform_error"),
    (200, None, TemporarilyUnavailable, "platform_error"),
]
OAUTH = [
    (400, "invalid_grant", NeedsReconnection),
    (200, "invalid_grant", NeedsReconnection),
    (401, "invalid_client", Rejected),
    (400, "unauthorized_client", Rejected),
    (400, "invalid_request", Rejected),
    (400, "invalid_scope", Rejected),
    (400, "access_denied", Rejected),
    (500, "server_error", TemporarilyUnavailable),
    (503, "temporarily_unavailable", TemporarilyUnavailable),
    (503, None, TemporarilyUnavailable),
    (200, None, TemporarilyUnavailable),
    (429, None, PlatformRateLimited),
    (401, None, Rejected),
]


@pytest.mark.parametrize(("status", "code", "word", "category"), API)
def test_each_answer_becomes_its_word(status: int, code: str, word: type[PlatformFailure], category: str) -> None:
    failure = api_failure(Said(status=status, code=code, message="why", log_id="log-1"))
    assert type(failure) is word
    assert failure.category == category
    assert failure.platform_error is not None
    assert (failure.platform_error.status, failure.platform_error.code) == (status, code)
    assert (failure.platform_error.message, failure.platform_error.trace) == ("why", "log-1")


@pytest.mark.parametrize(("status", "code", "word"), OAUTH)
def test_only_a_refused_grant_ends_a_connection(status: int, code: str, word: type[PlatformFailure]) -> None:
    assert type(oauth_failure(Said(status=status, code=code))) is word


def test_a_misconfigured_app_is_the_operators_to_mend() -> None:
    failure = oauth_failure(Said(status=401, code="invalid_client"))
    assert failure.category == "system_error"
    assert "SOCIALGATE_TIKTOK_APP_SECRET" in failure.detail


@given(st.integers(100, 599), st.none() | st.text() | st.sampled_from([*MEANINGS, *OAUTH_MEANINGS]))
def test_every_answer_has_a_word_and_waits_where_it_can_be_retried(status: int, code: str | None) -> None:
    for failure in (api_failure(Said(status=status, code=code)), oauth_failure(Said(status=status, code=code))):
        assert type(failure) in FAILURE_WORDS
        assert failure.detail
        assert not failure.retryable or failure.retry_after


@given(st.integers(100, 599).filter(lambda status: status != 200))
def test_a_status_alone_never_ends_a_connection(status: int) -> None:
    assert not isinstance(api_failure(Said(status=status)), NeedsReconnection)
    assert not isinstance(oauth_failure(Said(status=status)), NeedsReconnection)


def test_what_we_sent_and_what_looks_like_a_token_is_taken_out() -> None:
    said = Said(status=400, code="invalid_param", message="hush-1 and act.abc!7 and rft.d-e*f are wrong: " + "x" * 999)
    error = api_failure(said, ["hush-1", None]).platform_error
    assert error is not None
    assert error.message is not None
    assert error.message.startswith("[removed] and [removed] and [removed] are wrong: xxx")
    assert len(error.message) == 300
