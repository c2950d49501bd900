"""The client for TypeScript: its types and its resources. Names are those of the API."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from clients.generate.api import (
    BY_HAND,
    SHORT_FORMS,
    Api,
    Choice,
    Field,
    Method,
    Object,
    Parameter,
    Resource,
    Scalar,
    Schema,
    Union,
    name_in,
    names_in,
    without_null,
)
from clients.generate.words import camel, pascal, wrapped

NOTICE = "// Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again."
_WIDTH = 120
# Methods that are written by hand are added to these resources.
_BASES = {"media": ("uploads", "MediaUploads"), "events": ("streams", "EventStream"), "tasks": ("tasks", "TaskWaiting")}
# What can be given instead of an object of which only the id is needed.
_STANDS_FOR = {"accountId": "Account", "mediaId": "MediaItem"}
_OF_EVENTS = """\
  /** The id of the event, `evt_…`. Only `webhooks.unwrap` knows it. */
  id?: string;
  /** The position of the event in the stream: `events.stream({ after })` continues there. */
  cursor?: string;"""
_VERSION_COMMENT = "/** The version of the API, and of its client. */"
_SCALARS = {"integer": "number", "number": "number", "boolean": "boolean", "string": "string"}


def write_typescript(api: Api) -> dict[str, str]:
    """Write the generated files of the client, by their names."""
    return {
        "version.ts": f'{NOTICE}\n\n{_VERSION_COMMENT}\nexport const VERSION = "{api.version}";\n',
        "types.ts": _write_types(api),
        "resources.ts": _write_resources(api),
    }


def _write_types(api: Api) -> str:
    envelopes = {name_in(member) for member in _members(api.types["EventEnvelope"])}
    lines = [
        NOTICE,
        "",
        "/** What is given to methods, and what they return. */",
    ]
    for kind in api.types.values():
        lines.append("")
        match kind:
            case Choice():
                lines += _choice(kind)
            case Scalar():
                lines.append(f"export type {kind.name} = {_type(kind.schema, api)};")
            case Union():
                lines += [*_comment([kind.description], ""), f"export type {kind.name} =", *_alternatives(kind, api)]
            case Object():
                lines += _interface(kind, api, is_envelope=kind.name in envelopes)
    return "\n".join(lines) + "\n"


def _members(kind: Any) -> Sequence[Schema]:
    return kind.members if isinstance(kind, Union) else []


def _choice(kind: Choice) -> Iterator[str]:
    values = [msgspec.json.encode(value).decode() for value in kind.values]
    # A later version of the service may return another value.
    values += ["(string & {})"] if kind.is_open else []
    text = f"export type {kind.name} = {' | '.join(values)};"
    if len(text) <= _WIDTH:
        yield text
        return
    yield f"export type {kind.name} ="
    yield from wrapped("| " + " | ".join(values) + ";", "  ", _WIDTH)


def _alternatives(kind: Union, api: Api) -> Iterator[str]:
    *rest, last = [_type(member, api) for member in kind.members]
    yield from (f"  | {member}" for member in rest)
    yield f"  | {last};"


def _interface(kind: Object, api: Api, *, is_envelope: bool) -> Iterator[str]:
    yield from _comment([kind.description], "")
    yield f"export interface {kind.name} {{"
    for field in kind.fields:
        yield from _comment([field.description], "  ")
        yield f"  {_key(field.name)}{'' if field.required else '?'}: {_field_type(field, api)};"
    if is_envelope:
        yield _OF_EVENTS
    yield "}"


def _field_type(field: Field, api: Api) -> str:
    # Whatever a later version adds has a pattern instead of a value. TypeScript narrows a union only if each of its
    # members has a value, so it gets the one that the document uses for it.
    return '"unknown"' if str(field.schema.get("pattern", "")).startswith("^(?!(") else _type(field.schema, api)


def _key(name: str) -> str:
    return name if name.isidentifier() else f'"{name}"'


def _type(schema: Schema, api: Api) -> str:
    inner, nullable = without_null(schema)
    return f"{_plain(inner, api)} | null" if nullable else _plain(inner, api)


def _plain(schema: Schema, api: Api) -> str:
    name = name_in(schema)
    if name is not None:
        return f"{name} | string | {_STANDS_FOR[SHORT_FORMS[name]]}" if name in SHORT_FORMS else name
    if isinstance(schema.get("enum"), list):
        return " | ".join(msgspec.json.encode(value).decode() for value in schema["enum"])
    match schema.get("type"):
        case "array":
            item = _type(schema["items"], api)
            return f"({item})[]" if " | " in item else f"{item}[]"
        case "object":
            values = schema.get("additionalProperties")
            return f"Record<string, {_type(values, api) if isinstance(values, Mapping) else 'unknown'}>"
        case kind:
            return _SCALARS.get(str(kind), "unknown")


def _write_resources(api: Api) -> str:
    body: list[str] = []
    for resource in api.resources:
        for item in _with_children(resource):
            for method in item.methods:
                body += _parameters(method, api)
            body += _class(item, api)
    text = "\n".join(body)
    methods = [method for resource in api.resources for item in _with_children(resource) for method in item.methods]
    imports = sorted({name for method in methods for name in _used_types(method, api)})
    helpers = [name for name in ("Resource", "divide", "expand", "path", "readBytes") if name in text]
    types = [name for name in ("Call", "CallOptions", "ChangeOptions", "Pages", "WriteOptions") if name in text]
    lines = [
        NOTICE,
        "",
        "/** The resources of the API, each with its methods. */",
        "",
        f'import {{ type Http, {", ".join(helpers)} }} from "./core.js";',
        f'import type {{ {", ".join(types)} }} from "./core.js";',
        *(f'import {{ {base} }} from "./{module}.js";' for module, base in sorted(_BASES.values())),
        "import type {",
        *(f"  {name}," for name in imports),
        '} from "./types.js";',
        *body,
        *_root(api),
    ]
    return "\n".join(lines) + "\n"


def _used_types(method: Method, api: Api) -> Iterator[str]:
    if method.full_name in BY_HAND:
        return
    yield from [method.body] if method.body is not None else []
    rows = method.rows if _is_list(method) else None
    for schema in (method.returns, rows, *(item.schema for item in _own_query(method, api))):
        yield from names_in(schema)


def _with_children(resource: Resource) -> Iterator[Resource]:
    for child in resource.children:
        yield from _with_children(child)
    yield resource


def _class_name(resource: Resource) -> str:
    return f"{pascal(resource.name)}Resource"


def _parameters_name(method: Method) -> str:
    return f"{pascal(method.resource)}{pascal(method.name)}Params"


def _own_query(method: Method, api: Api) -> list[Parameter]:
    names = {field.name for field in _body_fields(method, api)}
    return [item for item in method.query if item.name not in names]


def _body_fields(method: Method, api: Api) -> Sequence[Field]:
    kind = None if method.body is None else api.types[method.body]
    return kind.fields if isinstance(kind, Object) else []


def _parameters(method: Method, api: Api) -> Iterator[str]:
    """Write the type of what a method takes, if it is not the body alone."""
    query = _own_query(method, api)
    if method.full_name in BY_HAND or not (query or method.accepts_csv):
        return
    base = "" if method.body is None else f" extends {method.body}"
    if method.accepts_csv:
        rows = [field.name for field in _body_fields(method, api) if field.name not in {p.name for p in method.query}]
        names = " | ".join(f'"{name}"' for name in rows)
        base = f" extends Omit<{method.body}, {names}>, Partial<Pick<{method.body}, {names}>>"
    yield from (
        "",
        f"/** What `{_call_name(method)}` takes. */",
        f"export interface {_parameters_name(method)}{base} {{",
    )
    for item in query:
        yield from _comment([item.description], "  ")
        yield f"  {_key(item.name)}{'' if item.required else '?'}: {_query_type(item, api)};"
    if method.accepts_csv:
        yield "  /** The rows as CSV, instead of JSON. */"
        yield "  csv?: string | Blob;"
    yield "}"


def _query_type(item: Parameter, api: Api) -> str:
    is_time = item.schema.get("format") in {"date-time", "date"}
    return "string | Date" if is_time and item.schema["format"] == "date-time" else _type(item.schema, api)


def _call_name(method: Method) -> str:
    return ".".join(camel(part) for part in method.full_name.split("."))


def _class(resource: Resource, api: Api) -> Iterator[str]:
    parent = _BASES[resource.name][1] if resource.name in _BASES else "Resource"
    yield from ("", *_comment([resource.description], ""), f"export class {_class_name(resource)} extends {parent} {{")
    for child in resource.children:
        yield f"  readonly {camel(child.path[-1])} = new {_class_name(child)}(this.http);"
    for number, method in enumerate(method for method in resource.methods if method.full_name not in BY_HAND):
        yield from ([""] if number or resource.children else [])
        yield from _method(method, api)
    yield "}"


def _method(method: Method, api: Api) -> Iterator[str]:
    query, has_body = _own_query(method, api), method.body is not None
    arguments = [f"{item.name}: string" for item in method.path_parameters]
    if query or has_body:
        kind = _parameters_name(method) if query or method.accepts_csv else str(method.body)
        is_required = any(item.required for item in query) or any(field.required for field in _body_fields(method, api))
        arguments.append(f"params: {kind}{'' if is_required else ' = {}'}")
    arguments.append(f"options?: {_options(method)}")
    yield from _comment(_about(method), "  ")
    yield from _broken(f"  {camel(method.name)}(", arguments, f"): {_return_type(method, api)} {{")
    yield from _body(method, query, api)
    yield "  }"


def _options(method: Method) -> str:
    if method.takes_if_match:
        return "ChangeOptions"
    return "WriteOptions" if method.is_idempotent else "CallOptions"


def _is_list(method: Method) -> bool:
    return method.rows is not None and method.cursor is not None


def _return_type(method: Method, api: Api) -> str:
    if _is_list(method):
        assert method.rows is not None
        assert method.returns is not None
        return f"Pages<{_type(method.rows, api)}, {_type(method.returns, api)}>"
    return f"Call<{_result(method, api)}>"


def _result(method: Method, api: Api) -> str:
    if method.returns_bytes:
        return "ArrayBuffer"
    return "void" if method.returns is None else _type(method.returns, api)


def _body(method: Method, query: Sequence[Parameter], api: Api) -> Iterator[str]:
    parts = [f'method: "{method.http}"', f"path: {_path(method)}"]
    short = _short_forms(method, api)
    body = f"expand(params, {short})" if short else "params"
    if method.accepts_csv:
        names = ", ".join(f'"{item.name}"' for item in method.query)
        yield "    if (params.csv !== undefined) {"
        yield f"      const {{ query }} = divide(params, [{names}]);"
        yield '      const headers = { "content-type": "text/csv" };'
        sent = ", ".join([*parts, "query", "content: params.csv", "headers", "once: true"])
        yield from _broken(f"      return this.http.call<{_result(method, api)}>(", [f"{{ {sent} }}", "options"], ");")
        yield "    }"
    if query and method.body is not None:
        names = ", ".join(f'"{item.name}"' for item in query)
        yield f"    const {{ query, body }} = divide({body}, [{names}]);"
        parts += ["query", "body"]
    elif query:
        parts.append("query: params")
    elif method.body is not None:
        parts.append(f"body: {body}")
    parts += ["once: true"] if method.is_idempotent else []
    request = f"{{ {', '.join(parts)} }}"
    if _is_list(method):
        yield from _broken("    return this.http.list(", [request, f'"{method.cursor}"', "options"], ");")
    else:
        more = ["readBytes"] if method.returns_bytes else []
        yield from _broken("    return this.http.call(", [request, "options", *more], ");")


def _broken(start: str, arguments: Sequence[str], end: str) -> Iterator[str]:
    """Write a call or a signature in one line, or with a line for each argument."""
    line = f"{start}{', '.join(arguments)}{end}"
    if len(line) <= _WIDTH:
        yield line
        return
    indent = " " * (len(start) - len(start.lstrip()))
    yield start
    yield from (f"{indent}  {argument}," for argument in arguments)
    yield f"{indent}{end}"


def _short_forms(method: Method, api: Api) -> str:
    """Name the fields in which an id can stand for an object."""
    texts = {}
    for field in _body_fields(method, api):
        inner, _ = without_null(field.schema)
        name = name_in(inner.get("items", {})) if inner.get("type") == "array" else None
        if name in SHORT_FORMS:
            texts[field.name] = SHORT_FORMS[str(name)]
    pairs = ", ".join(f'{name}: "{key}"' for name, key in texts.items())
    return f"{{ {pairs} }}" if texts else ""


def _path(method: Method) -> str:
    if not method.path_parameters:
        return f'"{method.path}"'
    return f"path`{method.path.replace('{', '${')}`"


def _about(method: Method) -> list[str]:
    about = [method.summary, method.description.rpartition("Who may call:")[0].strip()]
    about += [f"@param {item.name} {item.description}" for item in method.path_parameters]
    if method.error_codes:
        codes = ", ".join(f"`{code}`" for code in sorted(set(method.error_codes)))
        about.append(f"@throws Error codes beside the common ones: {codes}.")
    return about


def _comment(paragraphs: Sequence[str], indent: str) -> list[str]:
    """Write a comment. What starts with @ follows without an empty line between."""
    kept = [part.replace("*/", "* /") for part in paragraphs if part]
    if not kept:
        return []
    if len(kept) == 1 and len(kept[0]) + len(indent) + 7 <= _WIDTH and "\n" not in kept[0]:
        return [f"{indent}/** {kept[0]} */"]
    lines = [f"{indent}/**"]
    for number, part in enumerate(kept):
        if number and not (part.startswith("@") and kept[number - 1].startswith("@")):
            lines.append(f"{indent} *")
        lines += [line or f"{indent} *" for line in wrapped(part, f"{indent} * ", _WIDTH)]
    return [*lines, f"{indent} */"]


def _root(api: Api) -> Iterator[str]:
    yield from ("", "/** The resources of a client. */", "export class Resources {")
    for resource in api.resources:
        yield from _comment([resource.description], "  ")
        yield f"  readonly {camel(resource.name)}: {_class_name(resource)};"
    yield from ("", "  constructor(http: Http) {")
    for resource in api.resources:
        yield f"    this.{camel(resource.name)} = new {_class_name(resource)}(http);"
    yield from ("  }", "}")
