"""The categories of platform errors.

PlatformFailure
├── NeedsReconnection 409       the platform says that the permission is permanently lost
├── PermissionMissing 409       the token works, but lacks a permission
├── PlatformRateLimited 429     too many calls
├── Rejected 422                the user must change something
├── Duplicate 409               the platform already has this
├── PlatformNotFound 404        the object does not exist
├── NotSupported 422            this kind of account does not support it
├── Outdated 412                the object changed after the given version
├── SyncExpired 410             the platform no longer knows what changed since then
├── TemporarilyUnavailable 503  nothing happened, and it can be retried
│   └── AnswerTooLarge          the response is larger than what is read: less must be requested
└── OutcomeUnknown 502          it may have happened: it must be looked up, never repeated

Each connector translates its vendor's errors into these once, in its `errors.py`; no other code knows a vendor's
codes.
"""

from http import HTTPStatus
from typing import ClassVar, Literal

import msgspec

from socialgate.core.errors import Fault, PreconditionFailed, ServiceError

ErrorCategory = Literal[
    "auth_expired",
    "permission_missing",
    "user_content",
    "account_issue",
    "platform_rejected",
    "platform_rate_limit",
    "quota_exhausted",
    "platform_error",
    "outcome_unknown",
    "not_supported",
    "system_error",
]
ErrorSource = Literal["user", "platform", "system"]


class PlatformError(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The platform's own error, without any secret, for people who look it up in its documentation."""

    status: int | None = None
    """The HTTP status of the platform's response. Omitted if there was no response."""
    code: str | None = None
    """The platform's own error code."""
    subcode: str | None = None
    """The platform's own subcode, on platforms that have them, such as Meta."""
    message: str | None = None
    """The platform's own message, in its own words."""
    trace: str | None = None
    """The platform's id of the request, which its support asks for."""


class PlatformFailure(ServiceError):
    """A platform did not do what it was asked. Never raised itself: one of its subclasses is."""

    category: ErrorCategory
    source: ClassVar[ErrorSource] = "platform"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        platform: str,
        error: PlatformError | None = None,
        category: ErrorCategory | None = None,
        field: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        """Take a sentence that says how to fix it. `field` names what the user must change, if known."""
        faults = () if field is None else (Fault(field, "platform_rejected", detail),)
        super().__init__(detail, errors=faults, retry_after=retry_after)
        self.platform = platform
        self.platform_error = error
        if category is not None:
            self.category = category

    @property
    def detail_with_vendor_message(self) -> str:
        """The sentence with the platform's own words, for records that have no other place for them."""
        platform_error = self.platform_error
        message = (
            None if platform_error is None or (platform_error.message or "") in self.detail else platform_error.message
        )
        words = "" if platform_error is None else ": ".join(filter(None, (platform_error.code, message)))
        return f"{self.detail} ({words})" if words else self.detail


class NeedsReconnectionError(PlatformFailure):
    """The permission was permanently lost: it was revoked, has expired, or the account was deleted.

    Reconnect the account. Its settings are kept.
    """

    status = HTTPStatus.CONFLICT
    code = "needs_reconnection"
    title = "The account must be reconnected"
    category: ErrorCategory = "auth_expired"
    source = "user"


class PermissionMissingError(PlatformFailure):
    """The account is connected, but the person who connected it did not grant the required permission.

    Reconnect it and keep the permission selected; `GET /accounts/health` lists what is missing.
    """

    status = HTTPStatus.CONFLICT
    code = "permission_missing"
    title = "A permission is missing on the platform"
    category: ErrorCategory = "permission_missing"
    source = "user"


class PlatformRateLimitError(PlatformFailure):
    """The platform has received too many calls from this account or this app.

    Wait `Retry-After` seconds. A post that is due waits and is tried again by itself. If it failed with this error, the
    platform has refused it for a long time: publish its failed targets again with `POST /posts/{postId}/retry`.
    """

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "platform_rate_limited"
    title = "The platform's rate limit is reached"
    category: ErrorCategory = "platform_rate_limit"
    retryable = True


class PlatformRejectedError(PlatformFailure):
    """The platform rejected the request. It will reject it again until something is changed.

    `detail` says what to change, as far as the platform reports it.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "platform_rejected"
    title = "The platform rejected the request"
    category: ErrorCategory = "platform_rejected"
    source = "user"


class PlatformDuplicateError(PlatformFailure):
    """The platform already has this, and accepts it only once."""

    status = HTTPStatus.CONFLICT
    code = "platform_duplicate"
    title = "The platform already has this"
    category: ErrorCategory = "user_content"
    source = "user"


class PlatformNotFoundError(PlatformFailure):
    """The object does not exist on the platform, or the account cannot see it.

    It may have been deleted there.
    """

    status = HTTPStatus.NOT_FOUND
    code = "platform_not_found"
    title = "Not found on the platform"
    category: ErrorCategory = "platform_rejected"
    source = "user"


class NotSupportedError(PlatformFailure):
    """This kind of account does not support this on its platform. `detail` lists the kinds that do."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "not_supported"
    title = "Not supported by this platform"
    category: ErrorCategory = "not_supported"
    source = "user"


class VersionConflictError(PreconditionFailed, PlatformFailure):
    """Somebody changed the object on the platform since the version that was named. Nothing was changed.

    It is what `If-Match` promises everywhere, so it has the code that every lost update has.
    """

    category: ErrorCategory = "platform_rejected"
    source = "user"


class SyncTokenExpiredError(PlatformFailure):
    """The platform no longer knows what has changed since this `syncToken` was issued.

    List again without `syncToken`, replace what you have with the result, and continue with the token of the last page.
    """

    status = HTTPStatus.GONE
    code = "sync_token_expired"
    title = "The sync token has expired"
    category: ErrorCategory = "platform_rejected"
    source = "user"


class PlatformUnavailableError(PlatformFailure):
    """The platform did not respond, or reported a problem of its own. Nothing was changed there.

    Try again after `Retry-After` seconds.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "platform_unavailable"
    title = "The platform is not responding"
    category: ErrorCategory = "platform_error"
    retryable = True


class AnswerTooLarge(PlatformUnavailableError):
    """The platform's response is larger than this service reads. Nothing was changed there."""


class OutcomeUnknownError(PlatformFailure):
    """The platform received the request, but its response was lost, so the outcome is unknown.

    Check the platform before you send the request again.
    """

    status = HTTPStatus.BAD_GATEWAY
    code = "outcome_unknown"
    title = "The outcome is unknown"
    category: ErrorCategory = "outcome_unknown"


PLATFORM_ERROR_TYPES: tuple[type[PlatformFailure], ...] = (
    NeedsReconnectionError,
    PermissionMissingError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformDuplicateError,
    PlatformNotFoundError,
    NotSupportedError,
    VersionConflictError,
    SyncTokenExpiredError,
    PlatformUnavailableError,
    OutcomeUnknownError,
)
