"""The node for n8n: what its forms show, and which request each operation sends.

How a request is sent, files and the trigger are written by hand in `clients/n8n`.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from clients.generate.api import Api, Choice, Field, Method, Object, Resource
from clients.generate.n8n_fields import (
    LIMIT,
    FormField,
    build_field,
    by_name,
    literal,
    polish,
    title,
    title_of_resource,
)
from clients.generate.words import camel

NOTICE = "// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again."
# What a workflow has no use for: the login and the keys of people, and what the credential and the trigger do.
_LEFT_OUT = frozenset({"api_keys", "auth", "billing", "connect", "connect.links", "deliveries", "health", "hooks"})
_LEFT_OUT_METHODS = frozenset({"events.stream", "media.download"})
_UPLOAD = "media.upload"
_LIMIT_PARAMETER = "limit"
# What a post or a message is made of is shown at once, the rest of its fields when somebody asks for it.
_MAIN = frozenset({"content", "media", "targets", "text"})
_WHOLE_BODY = "What to send, as the reference of the API describes it."
_IMPORT = 'import type { INodeProperties } from "n8n-workflow";'

_FILE = {
    "displayName": "Input Binary Field",
    "name": "binaryPropertyName",
    "type": "string",
    "default": "data",
    "required": True,
    "hint": "The name of the input field that contains the file",
}


def write_n8n(api: Api) -> dict[str, str]:
    """Write the generated files of the node, by their names."""
    resources = [item for resource in api.resources for item in _flatten(resource) if _methods_of(item)]
    files = {f"resources/{camel(item.name.replace('.', '_'))}.ts": _write_resource(item, api) for item in resources}
    files["resources/index.ts"] = _write_index(resources)
    files["requests.ts"] = _write_requests(resources, api)
    files["events.ts"] = _write_events(api)
    return files


def _flatten(resource: Resource) -> Iterator[Resource]:
    yield resource
    for child in resource.children:
        yield from _flatten(child)


def _methods_of(resource: Resource) -> list[Method]:
    if resource.name in _LEFT_OUT:
        return []
    return [method for method in resource.methods if method.full_name not in _LEFT_OUT_METHODS]


def _is_list(method: Method) -> bool:
    return method.rows is not None and method.cursor is not None


def _form_fields(method: Method, api: Api) -> list[FormField]:
    """List what a method takes: its path, its query, and its body."""
    path = [build_field(item, "path", api) for item in method.path_parameters]
    kind = None if method.body is None else api.types[method.body]
    body = [build_field(field, "body", api) for field in kind.fields] if isinstance(kind, Object) else []
    if kind is not None and not body:
        whole = Field(name="body", schema={"type": "object"}, description=_WHOLE_BODY, required=True)
        body = [build_field(whole, "whole", api)]
    taken = {field.name for field in (*path, *body)}
    query = [
        build_field(item, "query", api)
        for item in method.query
        if item.name not in taken and not (_is_list(method) and item.name == _LIMIT_PARAMETER)
    ]
    fields = [*path, *query, *body]
    if method.http != "POST":
        return fields
    return [msgspec.structs.replace(field, top=field.top or field.name in _MAIN) for field in fields]


def _write_resource(resource: Resource, api: Api) -> str:
    methods = _methods_of(resource)
    properties: list[dict[str, Any]] = [_operation(resource, methods)]
    for method in methods:
        properties += _method_properties(resource, method, api)
    name = f"{camel(resource.name.replace('.', '_'))}Properties"
    lines = [NOTICE, "", _IMPORT, "", f"export const {name}: INodeProperties[] = {literal(properties)};"]
    return "\n".join(lines) + "\n"


def _operation(resource: Resource, methods: Sequence[Method]) -> dict[str, Any]:
    options = sorted((_operation_option(resource, method) for method in methods), key=by_name)
    return {
        "displayName": "Operation",
        "name": "operation",
        "type": "options",
        "noDataExpression": True,
        "displayOptions": {"show": {"resource": [resource.name]}},
        "options": options,
        "default": options[0]["value"],
    }


def _operation_option(resource: Resource, method: Method) -> dict[str, str]:
    plural = title_of_resource(resource.name, plural=True).lower()
    if method.name == "list":
        return {
            "name": "Get Many",
            "value": "list",
            "description": f"Retrieve a list of {plural}",
            "action": f"Get many {plural}",
        }
    words = title(method.name)
    return {
        "name": words,
        "value": method.name,
        "description": polish(method.summary),
        "action": f"{words.capitalize()} {title_of_resource(resource.name).lower()}",
    }


def _method_properties(resource: Resource, method: Method, api: Api) -> Iterator[dict[str, Any]]:
    show = {"displayOptions": {"show": {"resource": [resource.name], "operation": [method.name]}}}
    fields = _form_fields(method, api)
    if method.full_name == _UPLOAD:
        yield {**_FILE, **show}
    for field in fields:
        if field.top:
            yield {**field.shown, **({"required": True} if field.required else {}), **show}
    if _is_list(method):
        yield from _list_properties(show)
    optional = sorted((field.shown for field in fields if not field.top), key=by_name)
    if optional:
        yield {
            "displayName": "Update Fields" if method.http == "PATCH" else "Additional Fields",
            "name": "fields",
            "type": "collection",
            "placeholder": "Add Field",
            "default": {},
            **show,
            "options": optional,
        }


def _list_properties(show: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {
        "displayName": "Return All",
        "name": "returnAll",
        "type": "boolean",
        "default": False,
        "description": "Whether to return all results or only up to a given limit",
        **show,
    }
    limited = {"displayOptions": {"show": {**show["displayOptions"]["show"], "returnAll": [False]}}}
    yield {"displayName": "Limit", "name": "limit", **LIMIT, **limited}


def _write_index(resources: Sequence[Resource]) -> str:
    names = [camel(item.name.replace(".", "_")) for item in resources]
    options = sorted(
        ({"name": title_of_resource(item.name), "value": item.name} for item in resources),
        key=by_name,
    )
    resource = {
        "displayName": "Resource",
        "name": "resource",
        "type": "options",
        "noDataExpression": True,
        "options": options,
        "default": "posts",
    }
    lines = [
        NOTICE,
        "",
        _IMPORT,
        "",
        *(f'import {{ {name}Properties }} from "./{name}";' for name in names),
        "",
        f"const resource: INodeProperties = {literal(resource)};",
        "",
        "/** What the forms of all resources show. */",
        "export const properties: INodeProperties[] = [",
        "  resource,",
        *(f"  ...{name}Properties," for name in names),
        "];",
    ]
    return "\n".join(lines) + "\n"


def _write_requests(resources: Sequence[Resource], api: Api) -> str:
    lines = [
        NOTICE,
        "",
        'import type { RequestShape } from "./shapes";',
        "",
        "/** The request of each operation. */",
        "export const REQUESTS: Readonly<Record<string, RequestShape>> = {",
    ]
    methods = [method for resource in resources for method in _methods_of(resource)]
    lines += [f'  "{method.full_name}": {literal(_shape(method, api), 1)},' for method in methods]
    return "\n".join([*lines, "};"]) + "\n"


def _shape(method: Method, api: Api) -> dict[str, Any]:
    shape: dict[str, Any] = {"method": method.http, "path": method.path}
    if _is_list(method):
        shape["cursor"] = method.cursor
        page = next((item for item in method.query if item.name == _LIMIT_PARAMETER), None)
        if page is not None:
            shape["pageSize"] = page.schema["maximum"]
    if method.full_name == _UPLOAD:
        shape["file"] = True
    if method.is_idempotent:
        shape["once"] = True
    shape["fields"] = {
        field.name: {**field.sent, **({"top": True} if field.top else {})} for field in _form_fields(method, api)
    }
    return shape


def _write_events(api: Api) -> str:
    kind = api.types["NewHookEvents"]
    assert isinstance(kind, Choice)
    options = sorted(({"name": title(str(value)), "value": value} for value in kind.values), key=by_name)
    lines = [
        NOTICE,
        "",
        'import type { INodePropertyOptions } from "n8n-workflow";',
        "",
        "/** The events that a trigger can wait for. */",
        f"export const EVENTS: INodePropertyOptions[] = {literal(options)};",
    ]
    return "\n".join(lines) + "\n"
