"""The eleven words for what a platform can answer instead of what was asked.

PlatformFailure
├── NeedsReconnection 409       the platform says for good that the permission is gone
├── PermissionMissing 409       the token lives, but lacks a right
├── PlatformRateLimited 429     too much, for now
├── Rejected 422                the user must change something
├── Duplicate 409               the platform has this already
├── PlatformNotFound 404        the object is not there
├── NotSupported 422            this kind of account cannot do it
├── Outdated 412                the object was changed since the version that was named
├── SyncExpired 410             the platform no longer knows what has changed since then
├── TemporarilyUnavailable 503  nothing happened, and it can be tried again
└── OutcomeUnknown 502          it may have happened: it must be looked up, never repeated

Each connector translates its vendor's failures into these once, in its `errors.py`; nothing further in knows the
codes of a vendor.
"""

from http import HTTPStatus
from typing import ClassVar, Literal

import msgspec

from socialgate.core.errors import Fault, PreconditionFailed, ServiceError

Category = Literal[
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
Source = Literal["user", "platform", "system"]


class PlatformError(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What the platform itself said, without any secret: for people who look it up in its documents."""

    status: int | None = None
    code: str | None = None
    subcode: str | None = None
    message: str | None = None
    trace: str | None = None


class PlatformFailure(ServiceError):
    """A platform did not do what it was asked. Never raised itself: one of its eleven words is."""

    category: Category
    source: ClassVar[Source] = "platform"
    retryable: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        platform: str,
        error: PlatformError | None = None,
        category: Category | None = None,
        field: str | None = None,
        retry_after: int | None = None,
    ) -> None:
        """Take a sentence that says how to mend it. `field` names what the user must change, where that is known."""
        faults = () if field is None else (Fault(field, "platform_rejected", detail),)
        super().__init__(detail, errors=faults, retry_after=retry_after)
        self.platform = platform
        self.platform_error = error
        if category is not None:
            self.category = category


class NeedsReconnection(PlatformFailure):
    """The platform has taken the permission away for good: revoked, expired, or the account is gone.

    Connect the account again. What was set up for it stays.
    """

    status = HTTPStatus.CONFLICT
    code = "needs_reconnection"
    title = "The account must be connected again"
    category: Category = "auth_expired"
    source = "user"


class PermissionMissing(PlatformFailure):
    """The account is connected, but the person who connected it did not grant the right that this needs.

    Connect it again and leave the permission ticked; `GET /accounts/health` names what is missing.
    """

    status = HTTPStatus.CONFLICT
    code = "permission_missing"
    title = "A permission is missing on the platform"
    category: Category = "permission_missing"
    source = "user"


class PlatformRateLimited(PlatformFailure):
    """The platform has had enough calls from this account or this app for now.

    Wait `Retry-After` seconds.
    """

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "platform_rate_limited"
    title = "The platform asks to wait"
    category: Category = "platform_rate_limit"
    retryable = True


class Rejected(PlatformFailure):
    """The platform refuses what was sent. It will refuse it again until something is changed.

    The detail says what, as far as the platform tells.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "platform_rejected"
    title = "The platform refuses this"
    category: Category = "platform_rejected"
    source = "user"


class Duplicate(PlatformFailure):
    """The platform already has this, and takes it only once."""

    status = HTTPStatus.CONFLICT
    code = "platform_duplicate"
    title = "The platform has this already"
    category: Category = "user_content"
    source = "user"


class PlatformNotFound(PlatformFailure):
    """The object does not exist on the platform, or the account cannot see it.

    It may have been deleted there.
    """

    status = HTTPStatus.NOT_FOUND
    code = "platform_not_found"
    title = "The platform does not know this"
    category: Category = "platform_rejected"
    source = "user"


class NotSupported(PlatformFailure):
    """This kind of account cannot do it on its platform. The detail names the kinds that can."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "not_supported"
    title = "Not possible on this platform"
    category: Category = "not_supported"
    source = "user"


class Outdated(PreconditionFailed, PlatformFailure):
    """Somebody changed the object on the platform since the version that was named. Nothing was changed.

    It is what `If-Match` promises everywhere, so it has the code that every lost update has.
    """

    category: Category = "platform_rejected"
    source = "user"


class SyncExpired(PlatformFailure):
    """The platform no longer knows what has changed since this `syncToken` was given.

    List again without `syncToken`, replace what you have by that, and go on with the token of the last page.
    """

    status = HTTPStatus.GONE
    code = "sync_token_expired"
    title = "The sync token has expired"
    category: Category = "platform_rejected"
    source = "user"


class TemporarilyUnavailable(PlatformFailure):
    """The platform did not answer, or said that it has a problem. Nothing was changed there.

    Try again after `Retry-After` seconds.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "platform_unavailable"
    title = "The platform does not answer at the moment"
    category: Category = "platform_error"
    retryable = True


class OutcomeUnknown(PlatformFailure):
    """The platform got the request, and its answer was lost: whether it was done is not known.

    Look on the platform before sending it again.
    """

    status = HTTPStatus.BAD_GATEWAY
    code = "outcome_unknown"
    title = "Whether it was done is not known"
    category: Category = "outcome_unknown"


FAILURE_WORDS: tuple[type[PlatformFailure], ...] = (
    NeedsReconnection,
    PermissionMissing,
    PlatformRateLimited,
    Rejected,
    Duplicate,
    PlatformNotFound,
    NotSupported,
    Outdated,
    SyncExpired,
    TemporarilyUnavailable,
    OutcomeUnknown,
)
