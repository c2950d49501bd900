"""Every failure that a caller can meet, as one tree.

ServiceError
├── MalformedRequest 400
│   └── MalformedJson
├── Unauthenticated 401
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
    └── StorageFull

Areas add their own leaves beside their services. A leaf's docstring is its documentation: what it means
and how to mend it. It is shown at /docs/errors/<code> and in docs/reference/errors.md.
"""

from collections.abc import Iterator, Sequence
from http import HTTPStatus
from typing import ClassVar

import msgspec

from socialgate.core.fault_codes import FaultCode


class Fault(msgspec.Struct, frozen=True, rename="camel"):
    """One thing that is wrong with the input. `pointer` is a JSON pointer into the body, `?name` for a query
    parameter, or the name of a header.
    """

    pointer: str
    code: FaultCode
    detail: str


class ServiceError(Exception):
    """Base of every expected failure. A class that forgets its status shows up as a 500 and is noticed."""

    status: ClassVar[int] = HTTPStatus.INTERNAL_SERVER_ERROR
    code: ClassVar[str] = "internal_error"
    title: ClassVar[str] = "Internal error"

    def __init__(self, detail: str, *, errors: Sequence[Fault] = (), retry_after: int | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = tuple(errors)
        self.retry_after = retry_after


class MalformedRequest(ServiceError):
    """The request cannot be read at all: the query string, a header or the path is broken.

    Compare what was sent with the example of the route in /docs.
    """

    status = HTTPStatus.BAD_REQUEST
    code = "malformed_request"
    title = "The request cannot be read"


class MalformedJson(MalformedRequest):
    """The body is not JSON: a syntax error, a doubled key, text that is not UTF-8, or nesting without end.

    Run the body through a JSON checker; the detail says where reading stopped.
    """

    code = "malformed_json"
    title = "The body is not valid JSON"


class Unauthenticated(ServiceError):
    """No credential came with the request, or one that is unknown, expired or revoked.

    Send `Authorization: Bearer <API key>`. A signed-in user makes API keys at `POST /api-keys`.
    """

    status = HTTPStatus.UNAUTHORIZED
    code = "unauthenticated"
    title = "A valid credential is needed"


class Forbidden(ServiceError):
    """The credential is known, but it may not do this.

    The detail says which right is missing.
    """

    status = HTTPStatus.FORBIDDEN
    code = "forbidden"
    title = "Not allowed"


class OutOfScope(Forbidden):
    """The API key is limited to a set of profiles, and this lies outside it.

    Use a key that covers the profile, or widen this one with `PATCH /api-keys/{keyId}` in a user session.
    """

    code = "out_of_scope"
    title = "Outside the profiles of this key"


class SessionRequired(Forbidden):
    """The route accepts only a user session, and an API key was sent.

    Sign in with `POST /auth/login` and send the session token instead.
    """

    code = "session_required"
    title = "A user session is needed"


class ReadOnlyKey(Forbidden):
    """The API key has the permission `read`, and the request would change something.

    Use a key with the permission `read-write`.
    """

    code = "read_only_key"
    title = "This key can only read"


class CrossSiteRequest(Forbidden):
    """A write that rides on the session cookie came from another site, or could not prove that it did not.

    Browsers send the proof themselves from our own pages. Programs send the token as
    `Authorization: Bearer` instead of the cookie.
    """

    code = "cross_site_request"
    title = "The session cookie does not work from another site"


class NotFound(ServiceError):
    """There is nothing at this address, or it belongs to somebody else: the two are never told apart.

    Check the path and the id against a list route of the same kind.
    """

    status = HTTPStatus.NOT_FOUND
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(ServiceError):
    """The address exists, but not for this method. The `Allow` header names those that work."""

    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"
    title = "Method not allowed"


class NotAcceptable(ServiceError):
    """The answer cannot be given in any of the forms that `Accept` names.

    Name one of those in the detail, or leave the header out for JSON.
    """

    status = HTTPStatus.NOT_ACCEPTABLE
    code = "not_acceptable"
    title = "Not available in this form"


class Conflict(ServiceError):
    """The state of the thing does not permit this now. The detail says which state it is in."""

    status = HTTPStatus.CONFLICT
    code = "conflict"
    title = "The state does not permit this"


class IdempotencyKeyInUse(Conflict):
    """A request with the same `Idempotency-Key` is still running.

    Send it again after `Retry-After` seconds: the answer will be that of the first one.
    """

    code = "idempotency_key_in_use"
    title = "The first request with this key is still running"


class PreconditionFailed(ServiceError):
    """The thing was changed since the version named in `If-Match`.

    Read it again, apply the change to what it is now, and send the new `ETag`.
    """

    status = HTTPStatus.PRECONDITION_FAILED
    code = "precondition_failed"
    title = "Somebody changed it meanwhile"


class BodyTooLarge(ServiceError):
    """The body is larger than the route takes (1 MiB of JSON).

    Send less at once; files go to the upload route.
    """

    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    title = "The body is too large"


class UnsupportedMediaType(ServiceError):
    """The body is of a type that the route does not take.

    Send JSON with the header `Content-Type: application/json`.
    """

    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"
    title = "The body must be JSON"


class Invalid(ServiceError):
    """The request can be read, but something in it breaks a rule. `errors` names each fault with its place."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "invalid"
    title = "Something in the request is not valid"

    @classmethod
    def at(cls, pointer: str, code: FaultCode, detail: str) -> "Invalid":
        """Name one fault."""
        return cls(detail, errors=[Fault(pointer, code, detail)])


class IdempotencyKeyReused(Invalid):
    """The `Idempotency-Key` was used before with a different body.

    Use a new key for a new request; repeat the exact body to get the first answer again.
    """

    code = "idempotency_key_reused"
    title = "This key belongs to another request"


class RateLimited(ServiceError):
    """Too many requests. Wait `Retry-After` seconds; the `RateLimit` header shows what is left."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "rate_limited"
    title = "Too many requests"


class InternalError(ServiceError):
    """A fault on our side. Nothing was stored half: it is safe to send the request again.

    If it stays, report the `requestId`; the log has the cause under it.
    """

    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal_error"
    title = "Internal error"


class Unavailable(ServiceError):
    """The service cannot work at the moment, most often because its database does not answer.

    Nothing was stored. Send the request again after `Retry-After` seconds.
    """

    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "unavailable"
    title = "Not available at the moment"


class StorageFull(Unavailable):
    """The disk under the database or the files is full, or almost: some of it is kept free. Nothing was stored.

    The operator must make room; then send the request again.
    """

    code = "storage_full"
    title = "The storage is full"


def error_catalogue() -> list[type[ServiceError]]:
    """List every failure class that has been defined, ordered by status and code."""
    unique = {kind.code: kind for kind in reversed(list(_descendants(ServiceError)))}
    return sorted(unique.values(), key=lambda kind: (kind.status, kind.code))


def _descendants(kind: type[ServiceError]) -> Iterator[type[ServiceError]]:
    for child in kind.__subclasses__():
        yield child
        yield from _descendants(child)
