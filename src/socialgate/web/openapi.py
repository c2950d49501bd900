"""The OpenAPI 3.1 document."""

from collections.abc import Mapping, Sequence
from inspect import cleandoc
from typing import Any, TypeAlias

import msgspec

from socialgate import __version__
from socialgate.core.events import EVENTS, EventData
from socialgate.web.describe import (
    Operation,
    Unions,
    access_words,
    example_of,
    shapes_in,
    status_name,
    statuses_of,
    tag_of,
)
from socialgate.web.field_words import describe_fields
from socialgate.web.json_schema import REF, schemas_of
from socialgate.web.path_parameters import PATH_PARAMETERS
from socialgate.web.problems import PROBLEM_JSON, Problem
from socialgate.web.route import Access
from socialgate.web.schema import UNION, Query

# The schema of each type that is used, which is a reference to a component.
References: TypeAlias = dict[Any, dict[str, Any]]
# The body that has options, the end of their names, and their JSON Schema for each kind of account.
KindOptions: TypeAlias = Mapping[str, tuple[str, Mapping[str, Mapping[str, Any]]]]

ABOUT = """\
One API for social, messaging and advertising accounts.

Send `Authorization: Bearer <API key>`. Lists return `{"data": [...], "nextCursor": ...}`. Errors are returned as
`application/problem+json` with a stable `code`. Send an `Idempotency-Key` with a POST to make it safe to retry; keys
are remembered for 24 hours. Types are strict: `8` is an integer, `8.0` and `"8"` are not.
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


def openapi_document(
    operations: Sequence[Operation], public_url: str, options: KindOptions, unions: Unions
) -> dict[str, Any]:
    """Create the document. `options` are the JSON Schemas of each kind's options."""
    members = [member for some in unions.values() for member in some]
    kinds = [*shapes_in(operations), Problem, *EVENTS.values(), *members]
    schemas, components = schemas_of(kinds)
    references = dict(zip(kinds, schemas, strict=True))
    components = _with_unions(components) | {name: _union(some, references) for name, some in unions.items()}
    for body, (suffix, by_kind) in options.items():
        components |= _name_options(components, body, suffix, by_kind)
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Socialgate", "version": __version__, "description": ABOUT},
        "servers": [{"url": public_url}],
        "tags": [{"name": str(tag), "description": tag.about} for tag in dict.fromkeys(o.spec.tag for o in operations)],
        "paths": paths,
        "webhooks": {name: {"post": _webhook(kind, references)} for name, kind in EVENTS.items()},
        "components": {"schemas": components, "securitySchemes": _SCHEMES},
    }


def _name_options(
    components: dict[str, Any], body: str, suffix: str, options: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Give each kind's options a name, and let the body that has them refer to them."""
    named = {
        "".join(part.title() for part in kind.split("_")) + suffix: {"title": f"{suffix} of {kind}", **schema}
        for kind, schema in sorted(options.items())
        if schema
    }
    target = components.get(body, {}).get("properties", {}).get("options")
    if target is not None:
        # Generators do not support the default of an object that is one of several.
        target.pop("default", None)
        target["anyOf"] = [{"$ref": f"#/components/schemas/{name}"} for name in named]
    return named


def _union(members: Sequence[Any], references: References) -> dict[str, Any]:
    mapping = {tag_of(member): references[member]["$ref"] for member in members}
    chosen = {"propertyName": "type", "mapping": mapping}
    return {"oneOf": [references[member] for member in members], "discriminator": chosen}


def _with_unions(schema: Any) -> Any:
    """Put references where fields are marked as unions."""
    match schema:
        case dict() if UNION in schema:
            described = {"description": schema["description"]} if "description" in schema else {}
            return {"$ref": REF.format(name=schema[UNION]), **described}
        case dict():
            return {name: _with_unions(part) for name, part in schema.items()}
        case list():
            return [_with_unions(part) for part in schema]
        case _:
            return schema


def _operation(operation: Operation, references: References) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        "tags": [str(operation.spec.tag)],
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
        "responses": {str(operation.status): _success(operation, references), **_failures(operation, references)},
    }
    if operation.spec.redirects:
        location = {"Location": {"schema": {"type": "string"}}}
        described["responses"]["303"] = {
            "description": ("The browser is redirected to the customer's site."),
            "headers": location,
        }
    for status in operation.spec.also:
        described["responses"][str(status)] = {**_success(operation, references), "description": status_name(status)}
    if operation.body is not None:
        content = {"schema": references[operation.body], "example": example_of(operation.body)}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    elif operation.spec.bodies:
        forms = {kind: _form(shape, references) for kind, shape in operation.spec.bodies.items()}
        described["requestBody"] = {"required": True, "content": forms}
    return described


def _form(shape: Any, references: References) -> dict[str, Any]:
    """Describe one form of a body that the route reads itself."""
    if shape is bytes:
        return {"schema": {"type": "string", "format": "binary"}}
    if isinstance(shape, str):
        return {"schema": {"type": "string"}, "example": shape}
    return {"schema": references[shape], "example": example_of(shape)}


def _path_parameters(operation: Operation) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": PATH_PARAMETERS[name],
            "schema": {"type": "string", "minLength": 1},
        }
        for name in operation.path_parameters
    ]


def _query_parameters(kind: type[Query] | None) -> list[dict[str, Any]]:
    if kind is None:
        return []
    (schema,), components = msgspec.json.schema_components([kind], ref_template="{name}")
    shape = components[schema["$ref"]]
    describe_fields(kind, shape["properties"])
    required = set(shape.get("required", ()))
    return [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "description": part.pop("description"),
            "schema": _spelled_out(part, components),
        }
        for name, part in shape["properties"].items()
    ]


def _spelled_out(schema: Any, components: dict[str, Any]) -> Any:
    """Inline enums: query parameters cannot refer to the components of the document."""
    if isinstance(schema, list):
        return [_spelled_out(part, components) for part in schema]
    if not isinstance(schema, dict):
        return schema
    named = components[schema["$ref"]] if "$ref" in schema else {}
    rest = {name: _spelled_out(part, components) for name, part in schema.items() if name != "$ref"}
    return {**named, **rest}


def _headers(operation: Operation) -> list[dict[str, Any]]:
    headers = []
    if operation.spec.idempotent:
        headers.append(
            _header(
                "Idempotency-Key",
                "Makes the request safe to retry: the same key returns the first response for 24 hours.",
                {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            )
        )
    if operation.takes_if_match:
        headers.append(
            _header(
                "If-Match",
                "ETag of the version to change; 412 if the resource has changed since.",
                {"type": "string"},
            )
        )
    if operation.spec.answers == "text/event-stream":
        headers.append(
            _header("Last-Event-ID", "Continue after this id. Browsers send it automatically.", {"type": "string"})
        )
    return headers


def _header(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _success(operation: Operation, references: References) -> dict[str, Any]:
    if operation.answer is None:
        return {"description": status_name(operation.status)}
    if operation.answer in {str, bytes}:
        is_json = operation.spec.answers == "application/json"
        schema = {"type": "object", "additionalProperties": True} if is_json else {"type": "string"}
        return {"description": operation.summary, "content": {operation.spec.answers: {"schema": schema}}}
    content = {"schema": references[operation.answer], "example": operation.answer_example}
    others = {form: {"schema": {"type": "string"}} for form in operation.spec.also_as}
    return {"description": operation.summary, "content": {operation.spec.answers: content, **others}}


def _failures(operation: Operation, references: References) -> dict[str, Any]:
    return {
        str(status): {
            "description": "; ".join(f"`{kind.code}`: {kind.title}" for kind in kinds) + ".",
            "content": {PROBLEM_JSON: {"schema": references[Problem]}},
        }
        for status, kinds in statuses_of(operation.errors()).items()
    }


_SERVICE_SIGNATURE = """\
`sha256=` followed by the HMAC-SHA-256 of the raw body in hexadecimal, with the hook's secret as key. Verify it against
the raw bytes, before you parse them."""

_STANDARD_SIGNATURE = """\
The Standard Webhooks signature of id, timestamp and body: `v1,` followed by base64. During a secret rotation there are
two, separated by a space."""

# What each header of a delivery means, with an example.
_DELIVERY_HEADERS = {
    "X-Service-Signature": (
        _SERVICE_SIGNATURE,
        "sha256=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd",
    ),
    "X-Service-Event": ("The name of the event.", None),
    "X-Service-Delivery": ("The id of the delivery, the same on every attempt.", "dlv_01h455vb4pex5vsknk084sn02q"),
    "webhook-id": (
        "The id of the event, the same on every attempt and when it is resent. Use it to ignore duplicates.",
        "evt_01h455vb4pex5vsknk084sn02q",
    ),
    "webhook-timestamp": ("When this attempt was made, in Unix seconds. Reject old deliveries.", "1794735000"),
    "webhook-signature": (_STANDARD_SIGNATURE, "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
}


def _webhook(kind: type[EventData], references: References) -> dict[str, Any]:
    """Describe what a hook receives when an event happens."""
    return {
        "operationId": "on" + "".join(part.title() for part in kind.event.replace("_", ".").split(".")),
        "tags": ["Events"],
        "summary": " ".join(cleandoc(kind.__doc__ or "").split()),
        "description": (
            "If `data` would exceed 256 KiB, its long texts and lists are shortened, and it contains `truncated: true`."
        ),
        "security": [],
        "parameters": [
            {**_header(name, text, {"type": "string"}), "required": True, "example": example or kind.event}
            for name, (text, example) in _DELIVERY_HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {
                "application/json": {
                    "schema": _envelope(kind, references),
                    "example": {
                        "event": kind.event,
                        "ownerId": "own_01h455vb4pex5vsknk084sn02q",
                        "profileId": "prf_01h455vb4pex5vsknk084sn02q",
                        "data": kind.example(),
                    },
                }
            },
        },
        "responses": {
            "2XX": {"description": "Received. Respond within 15 seconds and process the event afterwards."},
            "410": {"description": "Do not send again: the hook is disabled and its pending deliveries are cancelled."},
            "default": {"description": "Not received: the delivery is retried later. Redirects are not followed."},
        },
    }


def _envelope(kind: type[EventData], references: References) -> dict[str, Any]:
    return {
        "title": f"{kind.__name__}Event",
        "type": "object",
        "properties": {
            "event": {"const": kind.event, "description": "The name of the event."},
            "ownerId": {"type": "string", "description": "The owner, `own_…`."},
            "profileId": {"type": "string", "description": "The profile that it happened in, `prf_…`."},
            "data": {**references[kind], "description": "The details of the event."},
        },
        "required": ["event", "ownerId", "profileId", "data"],
        "additionalProperties": False,
    }
