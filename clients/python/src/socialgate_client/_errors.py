"""Everything that can go wrong, as one tree below `SocialgateError`."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import httpx
import msgspec

from ._models import build, is_object
from .types import Fault, Problem
from .types import PlatformError as PlatformReport


class SocialgateError(Exception):
    """Any error of this client."""


class ConnectionError(SocialgateError):  # noqa: A001 - what it is called in every client
    """The service could not be reached, or the connection broke, also after all retries.

    `idempotency_key` is the key of the request: send it again with this key, and nothing happens twice.
    """

    def __init__(self, message: str, *, idempotency_key: str | None = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class Timeout(ConnectionError):
    """There was no response in time."""


class WebhookVerificationError(SocialgateError):
    """A request to your hook does not come from Socialgate, was changed on its way, or is too old."""


class TaskFailed(SocialgateError):
    """A task ended without success. `task` has its status and its error."""

    def __init__(self, message: str, task: Any) -> None:
        super().__init__(message)
        self.task = task


class ChecksumMismatch(SocialgateError):
    """The service has other bytes than the file: it changed in the meantime, or another upload was continued.

    `media` is what the service has. Delete it, or let it be deleted as any file that is not used.
    """

    def __init__(self, message: str, media: Any) -> None:
        super().__init__(message)
        self.media = media


class UploadInterrupted(ConnectionError):
    """An upload stopped before its end. Continue it with `media.upload(file, resume=error.upload_id)`."""

    def __init__(self, message: str, upload_id: str) -> None:
        super().__init__(message)
        self.upload_id = upload_id


class ApiError(SocialgateError):
    """The service refused a request. `code` is for programs; `detail` says what is wrong and how to fix it."""

    def __init__(self, problem: Problem, response: httpx.Response, idempotency_key: str | None) -> None:
        request = f", request {problem.request_id}" if problem.request_id else ""
        super().__init__(f"{problem.detail} ({problem.status} {problem.code}{request})")
        self.problem = problem
        self.status: int = response.status_code
        self.code: str = problem.code
        self.title: str = problem.title
        self.detail: str = problem.detail
        self.request_id: str = problem.request_id
        # The page that explains the code, and how to fix the error.
        self.help_url: str = problem.type
        self.headers: Mapping[str, str] = response.headers
        self.retry_after: float | None = problem.retry_after
        self.idempotency_key = idempotency_key


class AuthenticationError(ApiError):
    """The API key is missing, wrong or revoked (401)."""


class PermissionDenied(ApiError):
    """The key may not do this: it is read-only, or limited to other profiles (403)."""


class NotFound(ApiError):
    """There is nothing with this id, or the key does not cover it (404, 410)."""


class PaymentRequired(ApiError):
    """The plan allows no more of it (402)."""


class Conflict(ApiError):
    """It is in a state that does not allow this, or it has changed since it was read (409, 412)."""


class ValidationError(ApiError):
    """The request is not valid (400, 413, 415, 422). `errors` lists everything that is wrong with it."""

    @property
    def errors(self) -> list[Fault]:
        return self.problem.errors or []


class RateLimited(ApiError):
    """Too many requests (429). `retry_after` says how many seconds to wait."""


class PlatformError(ApiError):
    """A platform refused it, or did not respond. `category` says who can fix it."""

    @property
    def platform(self) -> str:
        return self.problem.platform or ""

    @property
    def category(self) -> str:
        return self.problem.category or ""

    @property
    def platform_error(self) -> PlatformReport | None:
        """The error that the platform reported, without secrets."""
        return self.problem.platform_error


class ServerError(ApiError):
    """Something went wrong in the service (5xx)."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    HTTPStatus.BAD_REQUEST: ValidationError,
    HTTPStatus.UNAUTHORIZED: AuthenticationError,
    HTTPStatus.PAYMENT_REQUIRED: PaymentRequired,
    HTTPStatus.FORBIDDEN: PermissionDenied,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.GONE: NotFound,
    HTTPStatus.PRECONDITION_FAILED: Conflict,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ValidationError,
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: ValidationError,
    HTTPStatus.UNPROCESSABLE_ENTITY: ValidationError,
    HTTPStatus.TOO_MANY_REQUESTS: RateLimited,
}


def read_error(response: httpx.Response, idempotency_key: str | None = None) -> ApiError:
    """Make an error of a response."""
    problem = build(Problem, {**_empty(response), **_read_problem(response)})
    if problem.platform is not None:
        return PlatformError(problem, response, idempotency_key)
    usual = ServerError if response.is_server_error else ApiError
    return _BY_STATUS.get(response.status_code, usual)(problem, response, idempotency_key)


def _read_problem(response: httpx.Response) -> dict[str, Any]:
    if not is_problem(response):
        return {}
    try:
        decoded = msgspec.json.decode(response.content)
    except msgspec.DecodeError:
        return {}
    return dict(decoded) if is_object(decoded) else {}


def is_problem(response: httpx.Response) -> bool:
    """Tell an error of the service from one of a proxy before it."""
    return str(response.headers.get("content-type", "")).startswith("application/problem+json")


def _empty(response: httpx.Response) -> dict[str, Any]:
    """Describe an error that does not come from the service, or has no body."""
    return {
        "type": "about:blank",
        "title": response.reason_phrase,
        "status": response.status_code,
        "detail": f"The server responded with {response.status_code} {response.reason_phrase}.",
        "instance": response.request.url.path,
        "code": "unknown",
        "requestId": response.headers.get("x-request-id", ""),
    }
