"""Every failure of TikTok's documents, and the word that it becomes."""

import json
from collections.abc import Collection
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.client import Dialect
from socialgate.connectors.dialects.tiktok import ApiDialect, OAuthDialect, UploadDialect
from socialgate.connectors.errors import ErrorTable, Verdict
from socialgate.connectors.tiktok.errors import API, OAUTH, UPLOADS
from socialgate.contracts.failures import (
    FAILURE_WORDS,
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

CALLS = [
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
GRANTS = [
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


def verdict(
    dialect: Dialect, table: ErrorTable, answer: Answer, hidden: Collection[str] = (), *, repeatable: bool = True
) -> Verdict:
    said = dialect.said(answer)
    assert said is not None
    return table.verdict(said, repeatable=repeatable, hidden=hidden)


def an_answer(status: int, body: dict[str, Any]) -> Answer:
    return Answer(status, {}, json.dumps(body).encode(), truncated=False)


def a_page(status: int) -> Answer:
    return Answer(status, {}, b"<html>No</html>", truncated=False)


def api_answer(status: int, code: str | None, **error: str) -> Answer:
    return an_answer(status, {"error": error if code is None else {"code": code, **error}})


def api_failure(answer: Answer, hidden: Collection[str] = (), *, repeatable: bool = True) -> PlatformFailure:
    return verdict(ApiDialect(), API, answer, hidden, repeatable=repeatable).failure


def oauth_failure(status: int, code: str | None, *, repeatable: bool = True) -> PlatformFailure:
    answer = an_answer(status, {} if code is None else {"error": code})
    if OAuthDialect().said(answer) is None:
        # It says nothing of a failure, and holds no token.
        return OAUTH.unreadable(status, repeatable=True)
    return verdict(OAuthDialect(), OAUTH, answer, repeatable=repeatable).failure


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


@given(st.integers(100, 599), st.none() | st.text() | st.sampled_from([*API.rules, *OAUTH.rules]))
def test_every_answer_has_a_word_and_waits_where_it_can_be_retried(status: int, code: str | None) -> None:
    for failure in (api_failure(api_answer(status, code)), oauth_failure(status, code)):
        assert type(failure) in FAILURE_WORDS
        assert failure.detail
        assert not failure.retryable or failure.retry_after


@given(st.integers(100, 599).filter(lambda status: status != 200))
def test_a_status_alone_never_ends_a_connection(status: int) -> None:
    assert not isinstance(api_failure(api_answer(status, None)), NeedsReconnection)
    assert not isinstance(oauth_failure(status, None), NeedsReconnection)


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
        (api_answer(500, "internal_error"), OutcomeUnknown),
        (api_answer(200, "of_next_year"), OutcomeUnknown),
        (a_page(502), OutcomeUnknown),
        (a_page(200), OutcomeUnknown),
        (api_answer(401, "access_token_invalid"), TemporarilyUnavailable),
        (api_answer(429, "rate_limit_exceeded"), PlatformRateLimited),
        (api_answer(403, "spam_risk_too_many_posts"), PlatformRateLimited),
        (a_page(404), OutcomeUnknown),
    ],
)
def test_a_change_may_have_happened_before_tiktok_failed(answer: Answer, word: type[PlatformFailure]) -> None:
    assert type(api_failure(answer, repeatable=False)) is word


def test_a_days_posts_hold_back_no_other_call() -> None:
    assert verdict(ApiDialect(), API, api_answer(429, "rate_limit_exceeded")).pauses == "account"
    assert verdict(ApiDialect(), API, api_answer(403, "spam_risk_too_many_posts")).pauses is None


def test_an_outage_in_front_of_oauth_has_the_shape_of_the_other_endpoints() -> None:
    answer = api_answer(500, "internal_error", message="why", logid="log-1")
    error = verdict(OAuthDialect(), OAUTH, answer).failure.platform_error
    assert error is not None
    assert (error.code, error.message, error.trace) == ("internal_error", "why", "log-1")


@pytest.mark.parametrize(
    ("status", "last", "word"),
    [
        (400, False, Rejected),
        (408, True, Rejected),
        (413, True, Rejected),
        (429, False, TemporarilyUnavailable),
        (429, True, TemporarilyUnavailable),
        (204, False, TemporarilyUnavailable),
        (500, False, TemporarilyUnavailable),
        (204, True, OutcomeUnknown),
        (503, True, OutcomeUnknown),
    ],
)
def test_a_chunk_that_failed_is_sent_again_unless_it_was_the_last(
    status: int, word: type[PlatformFailure], *, last: bool
) -> None:
    found = verdict(UploadDialect(frozenset({200})), UPLOADS, a_page(status), repeatable=not last)
    assert type(found.failure) is word
    assert found.pauses is None
    assert found.failure.retry_after == (10 if word is TemporarilyUnavailable else None)
    assert [fault.pointer for fault in found.failure.errors] == (["/media/0"] if word is Rejected else [])
