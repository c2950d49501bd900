"""The documentation, generated from the routes: what is not declared there is not documented anywhere."""

from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from inspect import cleandoc
from typing import Any, TypeAlias, get_args, get_origin

import msgspec
from litestar import Litestar, Response
from litestar.handlers import HTTPRouteHandler
from litestar.routes import HTTPRoute

from socialgate.core.errors import (
    BodyTooLarge,
    CrossSiteRequest,
    IdempotencyKeyInUse,
    IdempotencyKeyReused,
    InvalidRequest,
    MalformedJson,
    MalformedRequest,
    NotFound,
    OutOfScope,
    PlanLimitReached,
    PreconditionFailed,
    RateLimited,
    ReadOnlyKey,
    ServiceError,
    SessionRequired,
    Unauthenticated,
    Unavailable,
    UnsupportedMediaType,
)
from socialgate.web.connection_errors import TooManyConnections
from socialgate.web.field_words import describe_fields
from socialgate.web.route import RouteAccess, RouteSpec, RouteTag, get_route_spec, public_path, to_camel_case
from socialgate.web.schemas import UNION_KEY, Page, QueryParameters
from socialgate.web.tags import TAG_ORDER
from socialgate.web.upload_limiter import TooManyUploads, accepts_upload

# The types that areas add, by the name of their union.
Unions: TypeAlias = Mapping[str, Sequence[Any]]


class ApiOperation(msgspec.Struct, frozen=True, kw_only=True):
    """One route as its callers see it."""

    method: str
    path: str
    name: str
    summary: str
    description: str
    spec: RouteSpec
    path_parameters: tuple[str, ...]
    body: Any
    answer: Any
    status: int
    takes_if_match: bool

    @property
    def answer_example(self) -> Any:
        return self.spec.example or get_example(self.answer)

    def list_error_types(self) -> list[type[ServiceError]]:
        """List every error that the route can return: those that follow from its declaration, plus its own."""
        error_types: list[type[ServiceError]] = [MalformedRequest, InvalidRequest, Unavailable, *self.spec.error_types]
        error_types += _list_access_errors(self.spec)
        if self.path_parameters:
            error_types.append(NotFound)
        if self.body is not None:
            error_types += [MalformedJson, BodyTooLarge, UnsupportedMediaType]
        if self.spec.idempotent:
            error_types += [IdempotencyKeyInUse, IdempotencyKeyReused, BodyTooLarge]
        if self.spec.max_body_bytes is not None:
            error_types.append(BodyTooLarge)
        if accepts_upload(self.spec):
            error_types += [TooManyUploads, TooManyConnections]
        if self.spec.meters:
            error_types.append(PlanLimitReached)
        if self.takes_if_match:
            error_types.append(PreconditionFailed)
        return sorted(set(error_types), key=lambda kind: (kind.status, kind.code))


def _list_access_errors(spec: RouteSpec) -> list[type[ServiceError]]:
    error_types: list[type[ServiceError]] = []
    if spec.access is not RouteAccess.PUBLIC:
        error_types.append(Unauthenticated)
    if spec.access in {RouteAccess.KEY, RouteAccess.SESSION}:
        error_types.append(RateLimited)
        error_types += [ReadOnlyKey, CrossSiteRequest] if spec.writes else []
    if spec.access is RouteAccess.SESSION:
        error_types.append(SessionRequired)
    if spec.access is RouteAccess.KEY:
        error_types.append(OutOfScope)
    return error_types


def list_operations(app: Litestar) -> list[ApiOperation]:
    """Read every route of the app, ordered by path. Pages for people are not part of the API."""
    operations = [
        _describe_route(route, handler, method)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if (spec := get_route_spec(handler)) is not None and not spec.access.is_page
        for method in sorted(handler.http_methods)
    ]
    return sorted(operations, key=lambda operation: (operation.path, operation.method))


def _describe_route(route: HTTPRoute, handler: HTTPRouteHandler, method: str) -> ApiOperation:
    spec = get_route_spec(handler)
    assert spec is not None
    assert spec.sdk is not None
    summary, _, description = cleandoc(handler.fn.__doc__ or "").partition("\n\n")
    signature = handler.parsed_fn_signature
    return ApiOperation(
        method=method,
        path=public_path(route.path),
        name=spec.sdk.operation_id,
        summary=summary.replace("\n", " "),
        description=" ".join(description.split()),
        spec=spec,
        path_parameters=tuple(to_camel_case(name) for name in route.path_parameters),
        body=handler.parsed_data_field.annotation if handler.parsed_data_field else None,
        answer=_get_response_type(signature.return_type.annotation),
        status=handler.status_code,
        takes_if_match="expected" in signature.parameters,
    )


def _get_response_type(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Response):
        annotation = get_args(annotation)[0]
    return None if annotation in {None, type(None)} else annotation


def get_example(kind: Any) -> Any:
    """Return the example of a type; for a list, a page with one row."""
    if get_origin(kind) is Page:
        return {"data": [get_example(get_args(kind)[0])], "nextCursor": None}
    return kind.example() if hasattr(kind, "example") else None


def get_union_tag(member: Any) -> str:
    """Return the `type` that selects a member of a union."""
    return str(member.__struct_config__.tag)


def describe_union_member(member: Any) -> str:
    """Describe a member of a union."""
    return " ".join(cleandoc(member.__doc__ or "").split())


def list_body_types(operations: Iterable[ApiOperation]) -> list[Any]:
    """List every type that is sent or returned, each once, in order of first use."""
    result: dict[Any, None] = {}
    for operation in operations:
        own = [shape for shape in operation.spec.body_formats.values() if not isinstance(shape, str)]
        for kind in (operation.body, operation.answer, *own, operation.spec.streams):
            if kind is not None and kind not in {str, bytes}:
                result[kind] = None
    return list(result)


class FieldDescription(msgspec.Struct, frozen=True, kw_only=True):
    """One field or parameter, in words."""

    name: str
    kind: str
    required: bool
    rule: str


def list_fields(kind: Any) -> list[FieldDescription]:
    """List the fields of a type for people and agents."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template="{name}")
    resolved = components.get(schema.get("$ref", ""), schema)
    required = set(resolved.get("required", ()))
    if "properties" in resolved:
        describe_fields(kind, resolved["properties"])
    return [
        FieldDescription(
            name=name,
            kind=_describe_schema(part, components, frozenset({schema.get("$ref", "")})),
            required=name in required,
            rule=_describe_rule(part),
        )
        for name, part in resolved.get("properties", {}).items()
    ]


def _describe_schema(
    schema: dict[str, Any], components: dict[str, Any], enclosing_types: frozenset[str] = frozenset()
) -> str:
    """Describe a schema in words. A recursive type, such as a comment with replies, is named when it recurs."""
    if "$ref" in schema:
        name = schema["$ref"]
        return (
            name
            if name in enclosing_types
            else _describe_component(components[name], components, enclosing_types | {name})
        )
    if "anyOf" in schema:
        return " or ".join(_describe_alternatives(schema, components, enclosing_types))
    if "enum" in schema:
        return " | ".join(str(msgspec.json.encode(value), "utf-8") for value in schema["enum"])
    if "const" in schema:
        return str(msgspec.json.encode(schema["const"]), "utf-8")
    if schema.get("type") == "array":
        return f"array of {_describe_schema(schema.get('items', {}), components, enclosing_types)}"
    kind = str(schema.get(UNION_KEY) or schema.get("type", "any"))
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _describe_alternatives(
    schema: dict[str, Any], components: dict[str, Any], enclosing_types: frozenset[str]
) -> list[str]:
    """Describe each form of a value. Of objects with a `type`, only the fields are named: there are too many forms to
    describe them all in full.
    """
    if "discriminator" not in schema:
        return [_describe_schema(part, components, enclosing_types) for part in schema["anyOf"]]
    field = schema["discriminator"]["propertyName"]
    members = {tag: components[name]["properties"] for tag, name in schema["discriminator"]["mapping"].items()}
    return [
        "{" + ", ".join([f"{field}: {tag}", *(name for name in properties if name != field)]) + "}"
        for tag, properties in members.items()
    ]


def _describe_component(schema: dict[str, Any], components: dict[str, Any], enclosing_types: frozenset[str]) -> str:
    if "enum" in schema:
        return _describe_schema(schema, components)
    parts = [
        f"{name}: {_describe_schema(part, components, enclosing_types)}"
        for name, part in schema.get("properties", {}).items()
    ]
    return "{" + ", ".join(parts) + "}"


_LIMIT_PHRASES = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
}


def _describe_rule(schema: dict[str, Any]) -> str:
    parts = _describe_limits(schema)
    for choice in schema.get("anyOf", ()):
        parts += _describe_limits(choice)
    if "default" in schema and schema["default"] is not None:
        parts.append(f"default {msgspec.json.encode(schema['default']).decode()}")
    words = "; ".join(parts)
    return " ".join(part for part in (schema.get("description"), f"({words})" if words else "") if part)


def _describe_limits(schema: dict[str, Any]) -> list[str]:
    """Describe the limits of a value, with the unit in the singular after 1."""
    limits = {name: schema[name] for name in _LIMIT_PHRASES if name in schema}
    return [
        _LIMIT_PHRASES[name].format(limit).removesuffix("s" if limit == 1 else "") for name, limit in limits.items()
    ]


def describe_query_parameters(kind: type[QueryParameters] | None) -> list[FieldDescription]:
    return [] if kind is None else list_fields(kind)


def describe_access(spec: RouteSpec) -> str:
    """Say who may call a route."""
    words = {
        RouteAccess.PUBLIC: "public",
        RouteAccess.KEY: "API key or user session",
        RouteAccess.SESSION: "user session only",
        RouteAccess.OPERATOR: "operator: Bearer token from SOCIALGATE_METRICS_TOKEN",
    }[spec.access]
    return words + (", with the permission read-write" if spec.writes and spec.access is RouteAccess.KEY else "")


def group_by_tag(operations: Iterable[ApiOperation]) -> dict[RouteTag, list[ApiOperation]]:
    """Group operations by their tags, in the order of the documentation."""
    groups: dict[RouteTag, list[ApiOperation]] = {}
    for operation in operations:
        groups.setdefault(operation.spec.tag, []).append(operation)
    order = {name: position for position, name in enumerate(TAG_ORDER)}
    return dict(sorted(groups.items(), key=lambda group: order.get(group[0], len(order))))


def group_errors_by_status(errors: Sequence[type[ServiceError]]) -> dict[int, list[type[ServiceError]]]:
    """Group errors by their status."""
    grouped: dict[int, list[type[ServiceError]]] = {}
    for kind in errors:
        grouped.setdefault(int(kind.status), []).append(kind)
    return grouped


def get_status_phrase(status: int) -> str:
    return HTTPStatus(status).phrase
