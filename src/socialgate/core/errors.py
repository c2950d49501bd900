"""Every failure that a caller can meet, as one tree.

ServiceError
├── MalformedRequest 400
│   └── MalformedJson
├── Unauthenticated 401
├── PlanLimitReached 402
├── Forbidden 403
│   ├── OutOfScope
│   ├── SessionRequired
│   ├── ReadOnlyKey
│   └── CrossSiteRequest
├── NotFound 404
├── MethodNotAllowed 405
├── NotAcceptable 406
├── Conflict 409
│   └── IdempotencyKeyInUse
├── PreconditionFailed 412
├── BodyTooLarge 413
├── UnsupportedMediaType 415
├── Invalid 422
│   └── IdempotencyKeyReused
├── RateLimited 429
├── InternalError 500
└── Unavailable 503
    ├── StorageFull
    └── StorageUnavailable

Areas add their own leaves beside their services. A leaf's docstring is its documentation: what it means
and how to fix it. It is shown at /docs/errors/<code> and in docs/reference/errors.md.
"""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import ClassVar

import msgspec

from socialgate.core.field_error_codes import FieldErrorCode


class Fault(msgspec.Struct, frozen=True, rename="camel"):
    """One thing that is wrong with the input. `pointer` is a JSON pointer into the body, `?name` for a query parameter,
    or the name of a header.
    """

    pointer: str
    """Where it is: a JSON pointer into the body such as `/targets/0/content`, `?name` for a query parameter, or the
    name of a header.
    """
    code: FieldErrorCode
    """What is wrong, for programs; `docs/reference/errors.md` explains each code."""
    detail: str
    """What is wrong and how to fix it, for people to read."""


class ServiceError(Exception):
    """Base class of every expected error. A class that forgets its status shows up as a 500 and is noticed."""

    status: ClassVar[int] = HTTPStatus.INTERNAL_SERVER_ERROR
    code: ClassVar[str] = "internal_error"
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str, *, errors: Sequence[Fault] = (), retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.retry_after = retry_after


class MalformedRequest(ServiceError):
    """The request cannot be parsed: the query string, a header or the path is malformed.

    Compare your request with the route's example in /docs.
    """

    status = HTTPStatus.BAD_REQUEST
    code = "malformed_request"
    title = "The request cannot be parsed"


class MalformedJson(MalformedRequest):
    """The body is not valid JSON: it has a syntax error or a duplicate key, is not UTF-8, or is nested too deeply.

    Check the body with a JSON validator; `detail` says where parsing stopped.
    """

    code = "malformed_json"
    title = "The body is not valid JSON"


class Unauthenticated(ServiceError):
    """The request has no credential, or the credential is unknown, expired or revoked.

    Send `Authorization: Bearer <API key>`. Signed-in users create API keys with `POST /api-keys`.
    """

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthenticated"
    title = "A valid credential is required"


class PlanLimitReached(ServiceError):
    """The plan of the owner does not allow more of this in the current month. Nothing was changed.

    `detail` says which limit it is, how much of it is used, and when it resets. A signed-in user can choose a larger
    plan with `POST /billing/checkout`; if this deployment sells no plans, ask its operator. `GET /usage` shows all
    limits of the plan. What was accepted before, such as a scheduled post, is not affected.
    """

    status = HTTPStatus.PAYMENT_REQUIRED
    code = "plan_limit_reached"
    title = "The limit of the plan is reached"


class Forbidden(ServiceError):
    """The credential is valid but not allowed to do this.

    `detail` says which permission is missing.
    """

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"
    title = "Not allowed"


class OutOfScope(Forbidden):
    """The API key is limited to some profiles, and this profile is not one of them.

    Use a key that covers the profile, or add the profile to this key with `PATCH /api-keys/{keyId}` in a user session.
    """

    code = "out_of_scope"
    title = "The API key does not cover this profile"


class SessionRequired(Forbidden):
    """The route only accepts a user session, but an API key was sent.

    Sign in with `POST /auth/login` and send the session token instead.
    """

    code = "session_required"
    title = "A user session is required"


class ReadOnlyKey(Forbidden):
    """The API key has the permission `read`, but the request would change something.

    Use a key with the permission `read-write`.
    """

    code = "read_only_key"
    title = "This key is read-only"


class CrossSiteRequest(Forbidden):
    """A write with the session cookie came from another site, or did not prove that it came from ours.

    Browsers send the proof automatically from our own pages. Programs should send the token as `Authorization: Bearer`
    instead of the cookie.
    """

    code = "cross_site_request"
    title = "The session cookie cannot be used from another site"


class NotFound(ServiceError):
    """The resource does not exist, or it belongs to another owner; the response is the same in both cases.

    Check the path and the id, for example against a list of the same resource.
    """

    status = HTTPStatus.NOT_FOUND
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(ServiceError):
    """The path exists, but not for this method. The `Allow` header lists the supported methods."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"
    title = "Method not allowed"


class NotAcceptable(ServiceError):
    """None of the formats in the `Accept` header is available.

    Use one of the formats listed in `detail`, or omit the header to get JSON.
    """

    status = HTTPStatus.NOT_ACCEPTABLE
    code = "not_acceptable"
    title = "Not available in this format"


class Conflict(ServiceError):
    """The current state of the resource does not allow this. `detail` says which state it is in."""

    status = HTTPStatus.CONFLICT
    code = "conflict"
    title = "The current state does not allow this"


class IdempotencyKeyInUse(Conflict):
    """A request with the same `Idempotency-Key` is still in progress.

    Send the request again after `Retry-After` seconds to get the response of the first one.
    """

    code = "idempotency_key_in_use"
    title = "The first request with this key is still in progress"


class PreconditionFailed(ServiceError):
    """The resource has changed since the version in `If-Match`.

    Read it again, apply your change to the current version, and send the new `ETag`.
    """

    status = HTTPStatus.PRECONDITION_FAILED
    code = "precondition_failed"
    title = "The resource has changed in the meantime"


class BodyTooLarge(ServiceError):
    """The body is larger than the route accepts (1 MiB for JSON, 4 MiB for a batch of products).

    Send less data per request; upload files with the upload routes.
    """

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    title = "The body is too large"


class UnsupportedMediaType(ServiceError):
    """The body has a type that the route does not accept.

    Most routes accept JSON, with the header `Content-Type: application/json`; `detail` lists what this one accepts.
    """

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"
    title = "The body has an unsupported type"


class InvalidRequest(ServiceError):
    """The request was parsed, but some of its values are not valid.

    `errors` lists everything that was found wrong. Types and formats of all fields are checked first; rules that depend
    on several fields, or on what exists, are checked once these are right. Each entry has a `pointer`, a `code` and a
    `detail`. The `pointer` says where: a JSON pointer into the body (`/targets/0/accountId`), `?limit` for a query
    parameter, or the name of a header. The `detail` says what was expected. Fix every entry and send the request again.
    """

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid"
    title = "The request is not valid"

    @classmethod
    def for_field(cls, pointer: str, code: FieldErrorCode, detail: str) -> "InvalidRequest":
        """Create an error with one fault."""
        return cls(detail, errors=[Fault(pointer, code, detail)])


class IdempotencyKeyReused(InvalidRequest):
    """The `Idempotency-Key` was already used with a different body.

    Use a new key for a new request, or repeat the exact body to get the first response again.
    """

    code = "idempotency_key_reused"
    title = "This key was used for a different request"


class RateLimited(ServiceError):
    """You sent too many requests. Wait `Retry-After` seconds; the `RateLimit` header shows how many are left."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate_limited"
    title = "Too many requests"


class InternalError(ServiceError):
    """Something went wrong on our side. Nothing was partially stored, so it is safe to send the request again.

    If the error persists, report the `requestId`; the log contains the cause.
    """

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal_error"
    title = "Internal error"


class Unavailable(ServiceError):
    """The service is temporarily unavailable, usually because its database is not responding.

    Nothing was stored. Send the request again after `Retry-After` seconds.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "unavailable"
    title = "Temporarily unavailable"


class StorageFull(Unavailable):
    """The disk of the database or of the files is full, or only its reserve is left. Nothing was stored.

    The operator must free up disk space; then send the request again.
    """

    code = "storage_full"
    title = "The storage is full"


class StorageUnavailable(Unavailable):
    """The media storage cannot be used at the moment, so files can be neither stored nor fetched. Nothing was stored.

    Send the request again after `Retry-After` seconds. Everything that needs no file works as usual. `GET /health`
    tells the operator what is wrong with the storage.
    """

    code = "storage_unavailable"
    title = "The media storage is unavailable"


def list_error_types() -> list[type[ServiceError]]:
    """List every error class that has been defined, ordered by status and code."""
    unique = {kind.code: kind for kind in reversed(list(_iterate_subclasses(ServiceError)))}
    return sorted(unique.values(), key=lambda kind: (kind.status, kind.code))


def _iterate_subclasses(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _iterate_subclasses(child)
