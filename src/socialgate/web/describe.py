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
    Invalid,
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
from socialgate.web.field_words import describe_fields
from socialgate.web.refusals import TooManyConnections
from socialgate.web.route import Access, RouteSpec, camel, public_path, spec_of
from socialgate.web.schema import UNION, Page, Query
from socialgate.web.uploads import TooManyUploads, is_upload

# The types that areas add, by the name of their union.
Unions: TypeAlias = Mapping[str, Sequence[Any]]


class Operation(msgspec.Struct, frozen=True, kw_only=True):
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
        return self.spec.example or example_of(self.answer)

    def errors(self) -> list[type[ServiceError]]:
        """List every error that the route can return: those that follow from its declaration, plus its own."""
        found: list[type[ServiceError]] = [MalformedRequest, Invalid, Unavailable, *self.spec.raises]
        found += _errors_of_access(self.spec)
        if self.path_parameters:
            found.append(NotFound)
        if self.body is not None:
            found += [MalformedJson, BodyTooLarge, UnsupportedMediaType]
        if self.spec.idempotent:
            found += [IdempotencyKeyInUse, IdempotencyKeyReused, BodyTooLarge]
        if self.spec.most_bytes is not None:
            found.append(BodyTooLarge)
        if is_upload(self.spec):
            found += [TooManyUploads, TooManyConnections]
        if self.spec.meters:
            found.append(PlanLimitReached)
        if self.takes_if_match:
            found.append(PreconditionFailed)
        return sorted(set(found), key=lambda kind: (kind.status, kind.code))


def _errors_of_access(spec: RouteSpec) -> list[type[ServiceError]]:
    found: list[type[ServiceError]] = []
    if spec.access is not Access.PUBLIC:
        found.append(Unauthenticated)
    if spec.access in {Access.KEY, Access.SESSION}:
        found.append(RateLimited)
        found += [ReadOnlyKey, CrossSiteRequest] if spec.writes else []
    if spec.access is Access.SESSION:
        found.append(SessionRequired)
    if spec.access is Access.KEY:
        found.append(OutOfScope)
    return found


def operations_of(app: Litestar) -> list[Operation]:
    """Read every route of the app, ordered by path. Pages for people are not part of the API."""
    found = [
        _operation(route, handler, method)
        for route in app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if (spec := spec_of(handler)) is not None and not spec.access.is_for_people
        for method in sorted(handler.http_methods)
    ]
    return sorted(found, key=lambda operation: (operation.path, operation.method))


def _operation(route: HTTPRoute, handler: HTTPRouteHandler, method: str) -> Operation:
    spec = spec_of(handler)
    assert spec is not None
    summary, _, description = cleandoc(handler.fn.__doc__ or "").partition("\n\n")
    signature = handler.parsed_fn_signature
    return Operation(
        method=method,
        path=public_path(route.path),
        name=camel(handler.handler_name),
        summary=summary.replace("\n", " "),
        description=" ".join(description.split()),
        spec=spec,
        path_parameters=tuple(camel(name) for name in route.path_parameters),
        body=handler.parsed_data_field.annotation if handler.parsed_data_field else None,
        answer=_answer_of(signature.return_type.annotation),
        status=handler.status_code,
        takes_if_match="expected" in signature.parameters,
    )


def _answer_of(annotation: Any) -> Any:
    origin = get_origin(annotation)
    if isinstance(origin, type) and issubclass(origin, Response):
        annotation = get_args(annotation)[0]
    return None if annotation in {None, type(None)} else annotation


def example_of(kind: Any) -> Any:
    """Return the example of a type; for a list, a page with one row."""
    if get_origin(kind) is Page:
        return {"data": [example_of(get_args(kind)[0])], "nextCursor": None}
    return kind.example() if hasattr(kind, "example") else None


def tag_of(member: Any) -> str:
    """Return the `type` that selects a member of a union."""
    return str(member.__struct_config__.tag)


def members_text(member: Any) -> str:
    """Describe a member of a union."""
    return " ".join(cleandoc(member.__doc__ or "").split())


def shapes_in(operations: Iterable[Operation]) -> list[Any]:
    """List every type that is sent or returned, each once, in order of first use."""
    found: dict[Any, None] = {}
    for operation in operations:
        own = [shape for shape in operation.spec.bodies.values() if not isinstance(shape, str)]
        for kind in (operation.body, operation.answer, *own, operation.spec.streams):
            if kind is not None and kind not in {str, bytes}:
                found[kind] = None
    return list(found)


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """One field or parameter, in words."""

    name: str
    kind: str
    required: bool
    rule: str


def fields_of(kind: Any) -> list[Field]:
    """List the fields of a type for people and agents."""
    (schema,), components = msgspec.json.schema_components([kind], ref_template="{name}")
    resolved = components.get(schema.get("$ref", ""), schema)
    required = set(resolved.get("required", ()))
    if "properties" in resolved:
        describe_fields(kind, resolved["properties"])
    return [
        Field(
            name=name,
            kind=_words(part, components, frozenset({schema.get("$ref", "")})),
            required=name in required,
            rule=_rule(part),
        )
        for name, part in resolved.get("properties", {}).items()
    ]


def _words(schema: dict[str, Any], components: dict[str, Any], inside: frozenset[str] = frozenset()) -> str:
    """Describe a schema in words. A recursive type, such as a comment with replies, is named when it recurs."""
    if "$ref" in schema:
        name = schema["$ref"]
        return name if name in inside else _named_words(components[name], components, inside | {name})
    if "anyOf" in schema:
        return " or ".join(_alternatives(schema, components, inside))
    if "enum" in schema:
        return " | ".join(str(msgspec.json.encode(value), "utf-8") for value in schema["enum"])
    if "const" in schema:
        return str(msgspec.json.encode(schema["const"]), "utf-8")
    if schema.get("type") == "array":
        return f"array of {_words(schema.get('items', {}), components, inside)}"
    kind = str(schema.get(UNION) or schema.get("type", "any"))
    return f"{kind} ({schema['format']})" if "format" in schema else kind


def _alternatives(schema: dict[str, Any], components: dict[str, Any], inside: frozenset[str]) -> list[str]:
    """Describe each form of a value. Of objects with a `type`, only the fields are named: there are too many forms to
    describe them all in full.
    """
    if "discriminator" not in schema:
        return [_words(part, components, inside) for part in schema["anyOf"]]
    field = schema["discriminator"]["propertyName"]
    members = {tag: components[name]["properties"] for tag, name in schema["discriminator"]["mapping"].items()}
    return [
        "{" + ", ".join([f"{field}: {tag}", *(name for name in properties if name != field)]) + "}"
        for tag, properties in members.items()
    ]


def _named_words(schema: dict[str, Any], components: dict[str, Any], inside: frozenset[str]) -> str:
    if "enum" in schema:
        return _words(schema, components)
    parts = [f"{name}: {_words(part, components, inside)}" for name, part in schema.get("properties", {}).items()]
    return "{" + ", ".join(parts) + "}"


_RULES = {
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minimum": "at least {}",
    "maximum": "at most {}",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "pattern": "matches {}",
}


def _rule(schema: dict[str, Any]) -> str:
    parts = _limits(schema)
    for choice in schema.get("anyOf", ()):
        parts += _limits(choice)
    if "default" in schema and schema["default"] is not None:
        parts.append(f"default {msgspec.json.encode(schema['default']).decode()}")
    words = "; ".join(parts)
    return " ".join(part for part in (schema.get("description"), f"({words})" if words else "") if part)


def _limits(schema: dict[str, Any]) -> list[str]:
    """Describe the limits of a value, with the unit in the singular after 1."""
    limits = {name: schema[name] for name in _RULES if name in schema}
    return [_RULES[name].format(limit).removesuffix("s" if limit == 1 else "") for name, limit in limits.items()]


def parameters_of(kind: type[Query] | None) -> list[Field]:
    return [] if kind is None else fields_of(kind)


def access_words(spec: RouteSpec) -> str:
    """Say who may call a route."""
    words = {
        Access.PUBLIC: "public",
        Access.KEY: "API key or user session",
        Access.SESSION: "user session only",
        Access.OPERATOR: "operator: Bearer token from SOCIALGATE_METRICS_TOKEN",
    }[spec.access]
    return words + (", with the permission read-write" if spec.writes and spec.access is Access.KEY else "")


def statuses_of(errors: Sequence[type[ServiceError]]) -> dict[int, list[type[ServiceError]]]:
    """Group errors by their status."""
    grouped: dict[int, list[type[ServiceError]]] = {}
    for kind in errors:
        grouped.setdefault(int(kind.status), []).append(kind)
    return grouped


def status_name(status: int) -> str:
    return HTTPStatus(status).phrase
