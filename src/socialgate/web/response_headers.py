"""The headers of responses in the OpenAPI document."""

from http import HTTPStatus
from typing import Any

import msgspec

from socialgate.core.errors import IdempotencyKeyInUse, ServiceError
from socialgate.web.api_description import ApiOperation
from socialgate.web.route import HeaderDescription

ETAG, REPLAYED, RETRY_AFTER = "ETag", "Idempotent-Replayed", "Retry-After"

COMMON_HEADERS: dict[str, dict[str, Any]] = {
    ETAG: {
        "description": "The version of the resource. Send it as `If-Match` to change exactly this version.",
        "schema": {"type": "string"},
        "example": '"1794735000000000"',
    },
    REPLAYED: {
        "description": "`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.",
        "schema": {"type": "string", "enum": ["true"]},
    },
    RETRY_AFTER: {
        "description": "The number of seconds to wait before the request is sent again.",
        "schema": {"type": "integer", "minimum": 0},
        "example": 5,
    },
}


def success_headers(operation: ApiOperation) -> dict[str, Any]:
    """Describe the headers of a successful response."""
    names = [ETAG] if _has_version(operation.answer) else []
    names += [REPLAYED] if operation.spec.idempotent else []
    own = {header.name: described_header(header) for header in operation.spec.sends}
    return _build_headers_member({**own, **_build_header_references(names)})


def failure_headers(operation: ApiOperation, status: int, kinds: list[type[ServiceError]]) -> dict[str, Any]:
    """Describe the headers of an error. Errors that may pass say when to try again, and all others are stored."""
    passes = status == HTTPStatus.TOO_MANY_REQUESTS or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    names = [RETRY_AFTER] if passes or IdempotencyKeyInUse in kinds else []
    names += [REPLAYED] if operation.spec.idempotent and not passes else []
    return _build_headers_member(_build_header_references(names))


def described_header(header: HeaderDescription) -> dict[str, Any]:
    """Describe a header that one route has."""
    pattern = {} if header.pattern is None else {"pattern": header.pattern}
    return {
        "description": header.description,
        "required": header.required,
        "schema": {"type": "string", **pattern},
        "example": header.example,
    }


def _build_headers_member(headers: dict[str, Any]) -> dict[str, Any]:
    return {"headers": headers} if headers else {}


def _build_header_references(names: list[str]) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


def _has_version(answer: Any) -> bool:
    """Return whether a response is one editable resource, as the service does (`web/app.py`)."""
    if not (isinstance(answer, type) and issubclass(answer, msgspec.Struct)):
        return False
    return bool({"updated_at", "etag"} & set(answer.__struct_fields__))
