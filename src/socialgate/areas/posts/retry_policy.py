"""What to do after a failed step. Pure: no clock, no database, no platform."""

from datetime import timedelta
from typing import TypeAlias

import msgspec

from socialgate.contracts.failures import (
    NeedsReconnectionError,
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformUnavailableError,
)
from socialgate.core.errors import ServiceError
from socialgate.core.events import TargetError

_MIN_BACKOFF = timedelta(seconds=5)
_MAX_BACKOFF = timedelta(minutes=10)
_MAX_TRIES = 8
# A quota may take a day to become available again, and platforms say "wait" many times until then.
_MAX_RATE_LIMIT_TRIES = 60
_DEFAULT_WAIT_SECONDS = 60
# How often and when the platform is asked about a post whose response was lost, before a person is.
LOOKUP_DELAYS = (timedelta(seconds=20), timedelta(minutes=2), timedelta(minutes=15))
# How long to wait for a lost call to be executed after all, and how often it is repeated if that is harmless.
STAGE_REPEAT_DELAY = timedelta(minutes=1)
MAX_STAGE_REPEATS = 3


class RetryStage(msgspec.Struct, frozen=True):
    """Nothing was done: run the same stage again, later."""

    after: timedelta


class WaitForQuota(msgspec.Struct, frozen=True):
    """A quota is used up, so the call was not made: run the same stage again when the quota allows it."""

    after: timedelta


class LookUpOutcome(msgspec.Struct, frozen=True):
    """It may have been done: ask the platform."""


class FailTarget(msgspec.Struct, frozen=True):
    error: TargetError


NextAction: TypeAlias = RetryStage | WaitForQuota | LookUpOutcome | FailTarget


def choose_next_action(failure: PlatformFailure, tries: int, *, runs_once: bool) -> NextAction:
    """Decide what to do after a stage failed, given the number of earlier attempts."""
    match failure:
        case OutcomeUnknownError() if runs_once:
            return LookUpOutcome()
        case OutcomeUnknownError() | PlatformUnavailableError() if tries < _MAX_TRIES:
            wait = min(_MAX_BACKOFF, _MIN_BACKOFF * 2**tries)
            return RetryStage(max(wait, timedelta(seconds=failure.retry_after or 0)))
        case PlatformRateLimitError() if failure.category == "quota_exhausted" and failure.platform_error is None:
            # It was counted here, and is certain to become available again. What a platform says is not.
            return WaitForQuota(timedelta(seconds=failure.retry_after or _DEFAULT_WAIT_SECONDS))
        case PlatformRateLimitError() if tries < _MAX_RATE_LIMIT_TRIES:
            return RetryStage(timedelta(seconds=failure.retry_after or _DEFAULT_WAIT_SECONDS))
        case _:
            return FailTarget(build_target_error(failure))


def build_target_error(failure: PlatformFailure) -> TargetError:
    # What the user can fix is worth another attempt as well, but only by the user.
    retryable = failure.retryable or isinstance(failure, NeedsReconnectionError)
    return TargetError(
        code=failure.code,
        category=failure.category,
        source=failure.source,
        detail=failure.detail,
        retryable=retryable,
    )


def build_unknown_outcome_error(why: str) -> TargetError:
    return TargetError(
        code="outcome_unknown",
        category="outcome_unknown",
        source="platform",
        detail=f"{why} Check the platform, then decide with POST /posts/{{postId}}/reconcile.",
        retryable=False,
    )


def build_account_error(reason: str | None) -> TargetError:
    if reason is None:
        return build_user_error("account_disconnected", "The account was disconnected before the post was due.")
    return TargetError(
        code="needs_reconnection",
        category="auth_expired",
        source="user",
        detail=f"{reason} Reconnect the account, then send POST /posts/{{postId}}/retry.",
        retryable=True,
    )


def build_user_error(code: str, detail: str, *, retryable: bool = True) -> TargetError:
    return TargetError(code=code, category="user_content", source="user", detail=detail, retryable=retryable)


def build_system_error(error: ServiceError) -> TargetError:
    return TargetError(code=error.code, category="system_error", source="system", detail=error.detail, retryable=True)
