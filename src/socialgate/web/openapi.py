"""The OpenAPI 3.1 document."""

from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate import __version__
from socialgate.web.describe import (
    Operation,
    access_words,
    example_of,
    shapes_in,
    status_name,
    statuses_of,
)
from socialgate.web.problems import PROBLEM_JSON, Problem
from socialgate.web.route import Access
from socialgate.web.schema import Query

_REF = "#/components/schemas/{name}"

ABOUT = """\
One interface to social, messaging and advertising accounts.

Send `Authorization: Bearer <API key>`. Lists answer `{"data": [...], "nextCursor": ...}`. Failures answer
`application/problem+json` with a stable `code`. A POST may carry an `Idempotency-Key`, which is remembered for
24 hours. Numbers are read strictly: where an integer is asked for, `8` is one and `8.0` or `"8"` is not.
"""

_SECURITY: dict[Access, list[dict[str, list[str]]]] = {
    Access.PUBLIC: [],
    Access.KEY: [{"apiKey": []}, {"session": []}, {"sessionCookie": []}],
    Access.SESSION: [{"session": []}, {"sessionCookie": []}],
    Access.OPERATOR: [{"operator": []}],
}

_SCHEMES = {
    "apiKey": {"type": "http", "scheme": "bearer", "description": "An API key: sg_live_… or sg_test_…"},
    "session": {"type": "http", "scheme": "bearer", "description": "A session token: ses_…"},
    "sessionCookie": {"type": "apiKey", "in": "cookie", "name": "sg_session"},
    "operator": {"type": "http", "scheme": "bearer", "description": "SOCIALGATE_METRICS_TOKEN"},
}


def openapi_document(operations: Sequence[Operation], public_url: str) -> dict[str, Any]:
    _, components = msgspec.json.schema_components([*shapes_in(operations), Problem], ref_template=_REF)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Socialgate", "version": __version__, "description": ABOUT},
        "servers": [{"url": public_url}],
        "tags": [{"name": tag} for tag in dict.fromkeys(o.spec.tag for o in operations)],
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": _SCHEMES},
    }


def _operation(operation: Operation) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [operation.spec.tag],
        "summary": operation.summary,
        "description": " ".join(
            part for part in (operation.description, f"Who may call: {access_words(operation.spec)}.") if part
        ),
        "security": _SECURITY[operation.spec.access],
        "parameters": [
            *_path_parameters(operation),
            *_query_parameters(operation.spec.query),
            *_headers(operation),
        ],
        "responses": {str(operation.status): _success(operation), **_failures(operation)},
    }
    if operation.body is not None:
        content = {"schema": _reference(operation.body), "example": example_of(operation.body)}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    return described


def _reference(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REF)
    return schema


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
        for name in operation.path_parameters
    ]


def _query_parameters(kind: type[Query] | None) -> list[dict[str, Any]]:
    if kind is None:
        return []
    (schema,), components = msgspec.json.schema_components([kind], ref_template="{name}")
    shape = components[schema["$ref"]]
    required = set(shape.get("required", ()))
    return [
        {"name": name, "in": "query", "required": name in required, "schema": part}
        for name, part in shape["properties"].items()
    ]


def _headers(operation: Operation) -> list[dict[str, Any]]:
    headers = []
    if operation.spec.idempotent:
        headers.append(
            _header(
                "Idempotency-Key",
                "Repeat a request safely: the same key gets the first answer again for 24 hours.",
                {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            )
        )
    if operation.takes_if_match:
        headers.append(
            _header("If-Match", "ETag of the version to change; 412 if it is another by now.", {"type": "string"})
        )
    return headers


def _header(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _success(operation: Operation) -> dict[str, Any]:
    if operation.answer is None:
        return {"description": status_name(operation.status)}
    if operation.answer in {str, bytes}:
        return {
            "description": operation.summary,
            "content": {operation.spec.answers: {"schema": {"type": "string"}}},
        }
    content = {"schema": _reference(operation.answer), "example": example_of(operation.answer)}
    return {"description": operation.summary, "content": {operation.spec.answers: content}}


def _failures(operation: Operation) -> dict[str, Any]:
    return {
        str(status): {
            "description": "; ".join(f"`{kind.code}`: {kind.title}" for kind in kinds) + ".",
            "content": {PROBLEM_JSON: {"schema": _reference(Problem)}},
        }
        for status, kinds in statuses_of(operation.errors()).items()
    }
