"""Every error becomes an `application/problem+json` response (RFC 9457), here and nowhere else."""

from functools import cache
from http import HTTPStatus
from typing import Any

import msgspec
import structlog
from litestar import Litestar, Request, Response
from litestar.exceptions import (
    ClientException,
    HTTPException,
    InternalServerException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)
from litestar.exceptions.http_exceptions import RequestEntityTooLarge
from litestar.routes import HTTPRoute

from socialgate.contracts.failures import ErrorCategory, PlatformError, PlatformFailure
from socialgate.core.errors import (
    BodyTooLarge,
    Fault,
    InternalError,
    InvalidRequest,
    MalformedRequest,
    MethodNotAllowed,
    NotFound,
    ServiceError,
)
from socialgate.web.missing import render_not_found_page_for_browser
from socialgate.web.route import get_route_spec, public_path
from socialgate.web.schemas import ResponseModel
from socialgate.web.similar import suggest_path

PROBLEM_JSON = "application/problem+json"

log = structlog.get_logger(__name__)


class Problem(ResponseModel, frozen=True, kw_only=True, omit_defaults=True):
    """An error. `code` is stable and meant for programs, `detail` says how to fix it."""

    type: str
    """The URL of a page that explains this `code`."""
    title: str
    """What the `code` means, in a few words. The same for every error with this code."""
    status: int
    """The HTTP status of the response."""
    detail: str
    """What is wrong with this request and how to fix it, for people to read."""
    instance: str
    """The path of the request."""
    code: str
    """Stable, for programs. `GET /docs/errors/{code}` explains each."""
    request_id: str
    """Identifies the request in the logs; also in the header `X-Request-Id`."""
    errors: tuple[Fault, ...] = ()
    """Everything that is wrong with the input. Omitted if there is nothing to point to."""
    retry_after: int | None = None
    """After how many seconds to try again; also in the header `Retry-After`. Omitted if waiting does not help."""
    # Only if a platform failed: which one, what kind of failure it is, and the platform's own message.
    platform: str | None = None
    """Only if a platform failed: which one."""
    category: ErrorCategory | None = None
    """Only if a platform failed: what kind of failure it is, and so who can fix it."""
    platform_error: PlatformError | None = None
    """Only if a platform failed and reported an error: its own error, without secrets."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "type": "https://gate.example.com/docs/errors/not_found",
            "title": "Not found",
            "status": 404,
            "detail": "There is no profile with this id. GET /profiles lists the existing ones.",
            "instance": "/profiles/prf_01h455vb4pex5vsknk084sn02q",
            "code": "not_found",
            "requestId": "req_01h455vb4pex5vsknk084sn02q",
        }


class ProblemRenderer:
    def __init__(self, public_url: str) -> None:
        self._public_url = public_url

    def __call__(self, request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
        failure = _to_service_error(error)
        if isinstance(error, NotFoundException):
            failure = NotFound(f"This path does not exist.{_suggest_path(request)} GET /llms.txt lists every route.")
        if isinstance(failure, PlatformFailure):
            log.info("platform_failed", platform=failure.platform, code=failure.code, detail=failure.detail)
        elif failure.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            log.error("request_failed", code=failure.code, exc_info=error)
        problem = self.build_problem(failure, request.scope["path"], request.scope["state"]["request_id"])
        answer = Response(
            content=msgspec.json.encode(problem),
            status_code=failure.status,
            media_type=PROBLEM_JSON,
            headers=_build_headers(failure, error),
        )
        return render_not_found_page_for_browser(request, answer) if isinstance(error, NotFoundException) else answer

    def build_problem(self, failure: ServiceError, path: str, request_id: str) -> Problem:
        return Problem(
            type=f"{self._public_url}/docs/errors/{failure.code}",
            title=failure.title,
            status=int(failure.status),
            detail=failure.detail,
            instance=path,
            code=failure.code,
            request_id=request_id,
            errors=failure.errors,
            retry_after=failure.retry_after,
            **_get_platform_fields(failure),
        )


def _suggest_path(request: Request[Any, Any, Any]) -> str:
    return suggest_path(request.scope["path"], _list_path_templates(request.app))


@cache
def _list_path_templates(app: Litestar) -> tuple[str, ...]:
    """List the paths of the API. Pages for people are found by their links."""
    return tuple(
        public_path(route.path)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        and any(
            (spec := get_route_spec(route_handler)) and not spec.access.is_page
            for route_handler in route.route_handlers
        )
    )


def _get_platform_fields(failure: ServiceError) -> dict[str, Any]:
    if not isinstance(failure, PlatformFailure):
        return {}
    return {
        "platform": failure.platform,
        "category": failure.category,
        "platform_error": failure.platform_error,
    }


def _build_headers(failure: ServiceError, error: Exception) -> dict[str, str]:
    headers = {}
    if failure.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = "Bearer"
    if failure.retry_after is not None:
        headers["Retry-After"] = str(failure.retry_after)
    if isinstance(error, MethodNotAllowedException) and error.headers:
        headers["Allow"] = error.headers["allow"]
    return headers


def _to_service_error(error: Exception) -> ServiceError:  # noqa: PLR0911 - a table, one line a case
    """Translate the framework's exceptions. An unexpected one is an internal error and reveals nothing else."""
    match error:
        case ServiceError():
            return error
        case NotFoundException():
            return NotFound("This path does not exist. GET /llms.txt lists every route.")
        case MethodNotAllowedException():
            allowed = (error.headers or {}).get("allow", "")
            return MethodNotAllowed(f"This path does not support that method. It supports {allowed}.")
        case RequestEntityTooLarge():
            return BodyTooLarge("The body is larger than this route accepts. Send less data per request.")
        case ValidationException():
            return InvalidRequest(f"The request is not valid: {error.detail}")
        case ClientException():
            return MalformedRequest(f"The request cannot be parsed: {error.detail}")
        case InternalServerException() if "disconnected" in error.detail:
            return MalformedRequest("The connection broke before the whole body was received. Send the request again.")
        case HTTPException() if error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR:
            return MalformedRequest(str(error.detail))
        case _:
            return InternalError(
                "Something went wrong on our side. Nothing was partially stored, so you can send the request again."
            )
