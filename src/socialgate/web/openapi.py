"""The OpenAPI 3.1 document."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

from socialgate import __version__
from socialgate.core.errors import list_error_types
from socialgate.core.events import EVENT_TYPES, EventEnvelope
from socialgate.web.api_description import (
    ApiOperation,
    Unions,
    describe_access,
    get_example,
    get_status_phrase,
    get_union_tag,
    group_by_tag,
    group_errors_by_status,
    list_body_types,
)
from socialgate.web.components import (
    Components,
    FieldVariants,
    build_reference,
    format_type_name,
    list_referenced_names,
    make_enums_extensible,
    name_enums,
    name_unions,
    remove_conditional_rules,
    simplify_schema,
    validate_component_names,
    with_variants,
)
from socialgate.web.json_schema import REF_TEMPLATE, build_schemas
from socialgate.web.option_validation import KIND_FIELD
from socialgate.web.path_parameters import PATH_PARAMETERS
from socialgate.web.problems import PROBLEM_JSON, Problem
from socialgate.web.response_headers import COMMON_HEADERS, described_header, failure_headers, success_headers
from socialgate.web.route import HeaderDescription, RouteAccess
from socialgate.web.schemas import UNION_KEY, QueryParameters
from socialgate.web.shared_parameters import share_parameters
from socialgate.web.webhooks import DELIVERY_HEADER_PARAMETERS, WEBHOOKS_TAG, describe_webhook

# The schema of each type that is used, which is a reference to a component.
References: TypeAlias = dict[Any, dict[str, Any]]
# The body that has options, the end of their names, and their JSON Schema for each kind of account.
KindOptions: TypeAlias = Mapping[str, tuple[str, Mapping[str, Mapping[str, Any]]]]
# The type of the result of each type of task; None for those without one.
TaskResults: TypeAlias = Mapping[str, Any]

API_DESCRIPTION = """\
One API for social, messaging and advertising accounts.

Send `Authorization: Bearer <API key>`. Lists return `{"data": [...], "nextCursor": ...}`. Errors are returned as
`application/problem+json` with a stable `code`. Send an `Idempotency-Key` with a POST to make it safe to retry; keys
are remembered for 24 hours. Types are strict: `8` is an integer, `8.0` and `"8"` are not.
"""

_ID_SCHEMA = {"type": "string", "minLength": 1}

_SECURITY_BY_ACCESS: dict[RouteAccess, list[dict[str, list[str]]]] = {
    RouteAccess.PUBLIC: [],
    RouteAccess.KEY: [{"apiKey": []}, {"session": []}, {"sessionCookie": []}],
    RouteAccess.SESSION: [{"session": []}, {"sessionCookie": []}],
    RouteAccess.OPERATOR: [{"operator": []}],
}

_SECURITY_SCHEMES = {
    "apiKey": {"type": "http", "scheme": "bearer", "description": "An API key: sg_live_… or sg_test_…"},
    "session": {"type": "http", "scheme": "bearer", "description": "A session token: ses_…"},
    "sessionCookie": {"type": "apiKey", "in": "cookie", "name": "sg_session"},
    "operator": {"type": "http", "scheme": "bearer", "description": "SOCIALGATE_METRICS_TOKEN"},
}


def build_openapi_document(
    operations: Sequence[ApiOperation], public_url: str, options: KindOptions, unions: Unions, results: TaskResults
) -> dict[str, Any]:
    """Create the document. `options` are the JSON Schemas of each kind's options."""
    members = [member for some in unions.values() for member in some]
    kinds = [
        *list_body_types(operations),
        Problem,
        *EVENT_TYPES.values(),
        EventEnvelope,
        *members,
        *filter(None, results.values()),
    ]
    queries = list(dict.fromkeys(o.spec.query for o in operations if o.spec.query is not None))
    schemas, components = build_schemas([*kinds, *queries])
    references = dict(zip([*kinds, *queries], schemas, strict=True))
    components = _insert_union_references(components) | {
        name: _build_union(some, references) for name, some in unions.items()
    }
    for body, (suffix, by_kind) in options.items():
        components |= _add_option_schemas(components, body, suffix, by_kind)
    components = _finish_components(components, operations, references, results)
    parameters = {kind: _query_parameters(kind, references, components) for kind in queries}
    components = {
        name: schema for name, schema in components.items() if name not in _list_component_names(queries, references)
    }
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        described = _build_operation(operation, references, parameters)
        paths.setdefault(operation.path, {})[operation.method.lower()] = described
    shared = share_parameters([operation for methods in paths.values() for operation in methods.values()])
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Socialgate",
            "version": __version__,
            "description": API_DESCRIPTION,
            "contact": {"name": "The operator of this deployment", "url": public_url},
            "license": {"name": "The terms of the operator of this deployment", "url": public_url},
        },
        "servers": [{"url": public_url}],
        "tags": [
            {"name": str(tag), "description": tag.description} for tag in [*group_by_tag(operations), WEBHOOKS_TAG]
        ],
        "paths": paths,
        "webhooks": {name: {"post": describe_webhook(kind)} for name, kind in EVENT_TYPES.items()},
        "components": {
            "schemas": components,
            "parameters": {**shared, **DELIVERY_HEADER_PARAMETERS},
            "headers": COMMON_HEADERS,
            "securitySchemes": _SECURITY_SCHEMES,
        },
    }


def _list_component_names(kinds: Sequence[Any], references: References) -> set[str]:
    return {name for kind in kinds for name in list_referenced_names(references[kind])}


def _finish_components(
    components: Components, operations: Sequence[ApiOperation], references: References, results: TaskResults
) -> Components:
    """Bring the components into the form that generators need."""
    components["EventEnvelope"]["additionalProperties"] = False
    components["Problem"]["properties"]["code"]["enum"] = [kind.code for kind in list_error_types()]
    for name, variants in _build_variants(references, results).items():
        if name in components:
            components = with_variants(components, name, variants)
    components = name_enums(name_unions(simplify_schema(components)))
    sent_names = _list_component_names(list(_list_sent_types(operations)), references)
    components = make_enums_extensible(components, sent_names)
    validate_component_names(components)
    return components


def _build_variants(references: References, results: TaskResults) -> Mapping[str, FieldVariants]:
    """Find the objects of which one field depends on another."""
    events = {name: references[kind] for name, kind in EVENT_TYPES.items()}
    empty = {"type": "object", "additionalProperties": True}
    tasks = {name: empty if kind is None else references[kind] for name, kind in results.items()}
    return {
        "Event": FieldVariants("event", "data", events, "Event"),
        "EventEnvelope": FieldVariants("event", "data", events, "Envelope"),
        "Task": FieldVariants("type", "result", tasks, "Task", nullable=True),
    }


def _list_sent_types(operations: Sequence[ApiOperation]) -> Iterator[Any]:
    """List what callers send."""
    for operation in operations:
        if operation.spec.query is not None:
            yield operation.spec.query
        forms = (
            shape for shape in operation.spec.body_formats.values() if shape is not bytes and not isinstance(shape, str)
        )
        yield from (operation.body,) if operation.body is not None else forms


def _add_option_schemas(
    components: Components, body: str, suffix: str, options: Mapping[str, Mapping[str, Any]]
) -> Components:
    """Give each kind's options a name, and let the body that has them refer to a union of them."""
    names = {kind: format_type_name(kind) + suffix for kind, schema in sorted(options.items()) if schema}
    target = components.get(body, {}).get("properties", {}).get("options")
    if target is not None:
        mapping = {kind: REF_TEMPLATE.format(name=name) for kind, name in names.items()}
        chosen = {"propertyName": KIND_FIELD, "mapping": mapping}
        # Generators do not support the default of an object that is one of several.
        rest = {key: part for key, part in target.items() if key == "description"}
        target.clear()
        target |= {**rest, "oneOf": [build_reference(name) for name in names.values()], "discriminator": chosen}
    return {name: _build_kind_options_schema(kind, name, options[kind]) for kind, name in names.items()}


def _build_kind_options_schema(kind: str, title: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    """Describe the options of one kind of account, with the field that tells them from those of others."""
    options = remove_conditional_rules(dict(schema))
    assert KIND_FIELD not in options["properties"], f"an option of {kind} has the name of the kind"
    by = {
        "type": "string",
        "enum": [kind],
        "description": "The kind of the account. The service accepts none.",
        # Other generators need it, to tell the options of one kind from those of another.
        "x-may-be-omitted": True,
    }
    return {
        **options,
        "title": title,
        "properties": {KIND_FIELD: by, **options["properties"]},
        "required": [KIND_FIELD, *options.get("required", ())],
    }


def _build_union(members: Sequence[Any], references: References) -> dict[str, Any]:
    mapping = {get_union_tag(member): references[member]["$ref"] for member in members}
    chosen = {"propertyName": "type", "mapping": mapping}
    return {"oneOf": [references[member] for member in members], "discriminator": chosen}


def _insert_union_references(schema: Any) -> Any:
    """Put references where fields are marked as unions."""
    match schema:
        case dict() if UNION_KEY in schema:
            described = {"description": schema["description"]} if "description" in schema else {}
            return {"$ref": REF_TEMPLATE.format(name=schema[UNION_KEY]), **described}
        case dict():
            return {name: _insert_union_references(part) for name, part in schema.items()}
        case list():
            return [_insert_union_references(part) for part in schema]
        case _:
            return schema


def _build_operation(
    operation: ApiOperation, references: References, parameters: Mapping[Any, list[dict[str, Any]]]
) -> dict[str, Any]:
    described: dict[str, Any] = {
        "operationId": operation.name,
        **_describe_client_method(operation),
        "tags": [str(operation.spec.tag)],
        "summary": operation.summary,
        "description": " ".join(
            part for part in (operation.description, f"Who may call: {describe_access(operation.spec)}.") if part
        ),
        "security": _SECURITY_BY_ACCESS[operation.spec.access],
        "parameters": [
            *_path_parameters(operation),
            *parameters.get(operation.spec.query, []),
            *_build_header_parameters(operation),
        ],
        "responses": {
            str(operation.status): _build_success_response(operation, references),
            **_build_failure_responses(operation, references),
        },
    }
    if operation.spec.may_redirect:
        location = {"Location": {"description": "Where the browser goes on.", "schema": {"type": "string"}}}
        described["responses"]["303"] = {"description": "Redirects the browser to your site.", "headers": location}
    for status in operation.spec.other_statuses:
        response = {**_build_success_response(operation, references), "description": get_status_phrase(status)}
        if not operation.spec.in_clients:  # Platforms and protocols want no body with these.
            del response["content"]
        described["responses"][str(status)] = response
    if operation.body is not None:
        content = {"schema": references[operation.body], "example": get_example(operation.body)}
        described["requestBody"] = {"required": True, "content": {"application/json": content}}
    elif operation.spec.body_formats:
        forms = {kind: _build_body_content(shape, references) for kind, shape in operation.spec.body_formats.items()}
        described["requestBody"] = {"required": True, "content": forms}
    return described


def _describe_client_method(operation: ApiOperation) -> dict[str, Any]:
    """Name the resource and the method of clients. Routes for browsers, platforms and parts of uploads have none."""
    sdk = operation.spec.sdk
    return {} if sdk is None or not operation.spec.in_clients else {"x-sdk": msgspec.to_builtins(sdk)}


def _build_body_content(shape: Any, references: References) -> dict[str, Any]:
    """Describe one form of a body that the route reads itself."""
    if shape is bytes:
        return {"schema": {"type": "string", "format": "binary"}}
    if isinstance(shape, str):
        return {"schema": {"type": "string"}, "example": shape}
    return {"schema": references[shape], "example": get_example(shape)}


def _path_parameters(operation: ApiOperation) -> list[dict[str, Any]]:
    choices = operation.spec.choices
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": PATH_PARAMETERS[name],
            "schema": {"type": "string", "enum": list(choices[name])} if name in choices else _ID_SCHEMA,
        }
        for name in operation.path_parameters
    ]


def _query_parameters(
    kind: type[QueryParameters], references: References, components: Components
) -> list[dict[str, Any]]:
    (name,) = list_referenced_names(references[kind])
    shape = components[name]
    required = set(shape.get("required", ()))
    return [_query_parameter(name, part, required=name in required) for name, part in shape["properties"].items()]


def _query_parameter(name: str, schema: dict[str, Any], *, required: bool) -> dict[str, Any]:
    """Describe a parameter. One that is missing is not null: nothing else can be written in a query string."""
    rest = {key: part for key, part in schema.items() if key not in {"description", "anyOf"}}
    choices = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(choices) == 1:
        rest |= choices[0]
    elif choices:
        rest["anyOf"] = choices
    about = schema.get("description") or rest.get("description")
    rest = {key: part for key, part in rest.items() if key != "description" and (key, part) != ("default", None)}
    described = {} if about is None else {"description": about}
    return {"name": name, "in": "query", "required": required, **described, "schema": rest}


def _build_header_parameters(operation: ApiOperation) -> list[dict[str, Any]]:
    headers = []
    if operation.spec.idempotent:
        headers.append(
            _build_header_parameter(
                "Idempotency-Key",
                "Makes the request safe to retry: the same key returns the first response for 24 hours.",
                {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
            )
        )
    if operation.takes_if_match:
        headers.append(
            _build_header_parameter(
                "If-Match",
                "ETag of the version to change; 412 if the resource has changed since.",
                {"type": "string"},
            )
        )
    if operation.spec.streams is not None:
        headers.append(
            _build_header_parameter(
                "Last-Event-ID", "Continue after this id. Browsers send it automatically.", {"type": "string"}
            )
        )
    return [*headers, *(_own_header(header) for header in operation.spec.takes)]


def _build_header_parameter(name: str, description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "in": "header", "required": False, "description": description, "schema": schema}


def _own_header(header: HeaderDescription) -> dict[str, Any]:
    return {"name": header.name, "in": "header", **described_header(header)}


def _build_success_response(operation: ApiOperation, references: References) -> dict[str, Any]:
    headers = success_headers(operation)
    if operation.answer is None:
        return {"description": get_status_phrase(operation.status), **headers}
    if operation.spec.streams is not None:
        content = {operation.spec.answers: {"schema": references[operation.spec.streams]}}
    elif operation.answer in {str, bytes}:
        is_json = operation.spec.answers == "application/json"
        schema = {"type": "object", "additionalProperties": True} if is_json else {"type": "string"}
        content = {operation.spec.answers: {"schema": schema}}
    else:
        own = {"schema": references[operation.answer], **_example(operation.answer_example)}
        others = {form: {"schema": {"type": "string"}} for form in operation.spec.other_media_types}
        content = {operation.spec.answers: own, **others}
    return {"description": operation.summary, **headers, "content": content}


def _example(example: Any) -> dict[str, Any]:
    """Leave out an example that linters would read as a schema with a wrong type and a wrong default."""
    return {} if _looks_like_schema(example) else {"example": example}


def _looks_like_schema(example: Any) -> bool:
    if isinstance(example, list):
        return any(_looks_like_schema(part) for part in example)
    if not isinstance(example, dict):
        return False
    return {"type", "default"} <= example.keys() or any(_looks_like_schema(part) for part in example.values())


def _build_failure_responses(operation: ApiOperation, references: References) -> dict[str, Any]:
    return {
        str(status): {
            "description": "; ".join(f"`{kind.code}`: {kind.title}" for kind in kinds) + ".",
            "x-error-codes": [kind.code for kind in kinds],
            **failure_headers(operation, status, kinds),
            "content": {PROBLEM_JSON: {"schema": references[Problem]}},
        }
        for status, kinds in group_errors_by_status(operation.list_error_types()).items()
    }
