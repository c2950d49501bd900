"""Calls of the API, written as requests with curl and as methods of the clients, from one description of the call."""

import re
from collections.abc import Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any, Final
from urllib.parse import quote, urlencode

import msgspec

from socialgate.docs_site.schema_tree import Schema, SchemaTrees

LANGUAGES: Final = {"curl": "curl", "python": "Python", "typescript": "TypeScript"}
HIGHLIGHTED_AS: Final = {"curl": "sh", "python": "python", "typescript": "ts"}
_JSON = "application/json"
_WIDTH = 84
_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[^A-Za-z0-9]+")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*")
_PREFIX = re.compile(r"`([a-z]+_)…`")
_EXAMPLE_ID = "01h455vb4pex5vsknk084sn02q"
_PLATFORM_ID = "17900000000000001"
# Methods of the clients that do more than their route, and how they are called.
_UPLOAD, _STREAM = "media.upload", "events.stream"
_OPEN_FILES = 'import { openAsBlob } from "node:fs";\n'
PREAMBLES: Final = {
    "curl": "",
    "python": "from socialgate_client import Socialgate\n\nclient = Socialgate()\n",
    "typescript": 'import Socialgate from "@socialgate/client";\n\nconst client = new Socialgate();\n',
}


class Variable(msgspec.Struct, frozen=True):
    """A value with a name, which a guide got from an earlier call."""

    name: str


class ApiMethod(msgspec.Struct, frozen=True, kw_only=True):
    """What is known about a route and its method in the clients."""

    http: str
    path: str
    operation: Mapping[str, Any]
    parameters: Sequence[Schema]
    body: Schema | None
    returns: Schema | None
    # The name of what continues a list.
    cursor: str | None

    @property
    def sdk_name(self) -> str | None:
        sdk = self.operation.get("x-sdk")
        return None if sdk is None else f"{sdk['resource']}.{sdk['method']}"

    @property
    def response_example(self) -> Any:
        for status, response in self.operation["responses"].items():
            if status.startswith("2"):
                return response.get("content", {}).get(_JSON, {}).get("example")
        return None

    def list_parameters(self, place: str) -> list[Schema]:
        return [parameter for parameter in self.parameters if parameter["in"] == place]


class ApiCall(msgspec.Struct, frozen=True, kw_only=True):
    """One call: the values of its path, its query, its body, and the headers that have a place in the clients."""

    method: ApiMethod
    path_values: Sequence[Any]
    query: Mapping[str, Any]
    body: Any = None
    idempotency_key: Any = None
    if_match: Any = None
    file_name: str | None = None


def read_methods(document: Mapping[str, Any]) -> list[ApiMethod]:
    """List every route of a document."""
    return [
        _read_method(document, http, path, operation)
        for path, operations in document["paths"].items()
        for http, operation in operations.items()
    ]


def build_example_call(method: ApiMethod, query: Mapping[str, Any]) -> ApiCall:
    """Build the call that the documentation of a route shows, from what is declared with it."""
    forms = method.operation.get("requestBody", {}).get("content", {})
    return ApiCall(
        method=method,
        path_values=[_get_example_value(parameter) for parameter in method.list_parameters("path")],
        query=query,
        body=forms.get(_JSON, {}).get("example"),
        file_name="oven.jpg" if forms and _JSON not in forms else None,
    )


def add_preamble(language: str, code: str) -> str:
    """Put what a program begins with before its calls, so that it runs as it is."""
    text = PREAMBLES[language] + code.removeprefix(f"{_OPEN_FILES}\n")
    # Imports are in one block, and this one comes first.
    return f"{_OPEN_FILES}{text}" if "openAsBlob(" in code else text


def add_imports(language: str, code: str) -> str:
    """Put what the calls of a program that has begun already need besides the client before them."""
    return f"{_OPEN_FILES}\n{code}" if language == "typescript" and "openAsBlob(" in code else code


def render_curl(call: ApiCall) -> str:
    """Write a call as a command."""
    method = call.method
    path = re.sub(r"{\w+}", "{}", method.path).format(*(_quote_path(value) for value in call.path_values))
    address = f'"$SOCIALGATE_URL{path}{_format_query(call.query)}"'
    # With a body, curl sends a POST by itself.
    has_body = call.body is not None or call.file_name is not None
    verb = {"GET": "", "POST": "" if has_body else "-X POST ", "HEAD": "--head "}.get(method.http, f"-X {method.http} ")
    lines = [f"curl {verb}{address}"]
    if method.operation.get("security"):
        lines.append('-H "Authorization: Bearer $SOCIALGATE_API_KEY"')
    if call.body is not None:
        text = msgspec.json.format(msgspec.json.encode(call.body), indent=2).decode()
        lines += ["-H 'Content-Type: application/json'", "-d '" + text.replace("'", "'\\''") + "'"]
    elif call.file_name is not None:
        lines += _list_upload_options(method, call.file_name)
    return " \\\n  ".join(lines) + "\n"


def render_python(call: ApiCall, schemas: SchemaTrees, result: str | None = None) -> str:
    """Write a call with the client for Python. `result` is what the call is assigned to."""
    name = str(call.method.sdk_name)
    if name == _UPLOAD:
        text = f"client.media.upload({_python(call.file_name)})"
    else:
        arguments = [_python(value) for value in call.path_values]
        text = _call(f"client.{name}", [*arguments, *_python_keywords(call, schemas)], "    ")
    return _finish_python(call, text, result)


def render_typescript(call: ApiCall, result: str | None = None) -> str:
    """Write a call with the client for TypeScript."""
    name = ".".join(to_camel(part) for part in str(call.method.sdk_name).split("."))
    if name == _UPLOAD:
        shown = _script(call.file_name)
        text = f"client.media.upload(await openAsBlob({shown}), {{ fileName: {shown} }})"
    else:
        text = _render_script_call(f"client.{name}", call)
    return _finish_typescript(call, text, result)


def _render_script_call(name: str, call: ApiCall) -> str:
    params = {**call.query, **(call.body if isinstance(call.body, Mapping) else {})}
    options = {"idempotencyKey": call.idempotency_key, "ifMatch": call.if_match}
    options = {key: value for key, value in options.items() if value is not None}
    values = [*call.path_values]
    if params or (options and _takes_parameters(call.method)):
        values.append(params)
    values += [options] if options else []
    # An object as the last argument opens on the line of the call, as people write it.
    arguments = [_script(value) for value in values]
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    if values and values[-1] is params:
        pairs = [_script_pair(key, value, 0) for key, value in params.items()]
        arguments[-1] = "{\n" + "".join(f"  {pair},\n" for pair in pairs) + "}"
        return f"{name}({', '.join(arguments)})"
    return _call(name, [_script(value, 1) for value in values], "  ")


def to_snake(name: str) -> str:
    """Return a name of the API as Python writes it."""
    result = _BOUNDARY.sub("_", name).strip("_").lower()
    return f"{result}_" if iskeyword(result) else result


def to_camel(name: str) -> str:
    """Return a name as TypeScript writes it."""
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)


def _read_method(document: Mapping[str, Any], http: str, path: str, operation: Mapping[str, Any]) -> ApiMethod:
    shared = document["components"]["parameters"]
    parameters = [
        shared[item["$ref"].rpartition("/")[2]] if "$ref" in item else item for item in operation["parameters"]
    ]
    forms = operation.get("requestBody", {}).get("content", {})
    returns = _find_response_schema(operation)
    return ApiMethod(
        http=http.upper(),
        path=path,
        operation=operation,
        parameters=parameters,
        body=forms.get(_JSON, {}).get("schema"),
        returns=returns,
        cursor=_find_cursor(document, returns, parameters),
    )


def _find_response_schema(operation: Mapping[str, Any]) -> Schema | None:
    for status, response in operation["responses"].items():
        content = response.get("content", {})
        if status.startswith("2") and _JSON in content:
            schema: Schema = content[_JSON]["schema"]
            return schema
    return None


def _find_cursor(document: Mapping[str, Any], returns: Schema | None, parameters: Sequence[Schema]) -> str | None:
    if returns is None or "$ref" not in returns:
        return None
    fields = document["components"]["schemas"][returns["$ref"].rpartition("/")[2]].get("properties", {})
    names = [item["name"] for item in parameters if item["in"] == "query" and item["name"] in {"cursor", "after"}]
    return names[0] if names and {"data", "nextCursor"} <= fields.keys() else None


def _get_example_value(parameter: Schema) -> str:
    schema = parameter["schema"]
    if schema.get("enum"):
        return str(schema["enum"][0])
    prefix = _PREFIX.search(parameter.get("description", ""))
    return f"{prefix[1]}{_EXAMPLE_ID}" if prefix else str(parameter.get("example", _PLATFORM_ID))


def _takes_parameters(method: ApiMethod) -> bool:
    return method.body is not None or bool(method.list_parameters("query"))


def _list_upload_options(method: ApiMethod, file_name: str) -> list[str]:
    forms = method.operation["requestBody"]["content"]
    if "multipart/form-data" in forms:
        return [f"-F file=@{file_name}"]
    headers = [
        f"-H '{item['name']}: {item['example']}'" for item in method.list_parameters("header") if item.get("required")
    ]
    return [*headers, f"-H 'Content-Type: {next(iter(forms))}'", f"--data-binary @{file_name}"]


def _quote_path(value: Any) -> str:
    return quote(str(value), safe="")


def _format_query(query: Mapping[str, Any]) -> str:
    pairs = {key: _format_query_value(value) for key, value in query.items()}
    return f"?{urlencode(pairs, safe=',:', doseq=True)}" if query else ""


def _format_query_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_format_query_value(part) for part in value]
    return str(value).lower() if isinstance(value, bool) else value


def _python_keywords(call: ApiCall, schemas: SchemaTrees) -> Iterator[str]:
    body = call.body if isinstance(call.body, Mapping) else {}
    properties = schemas.resolve(call.method.body).get("properties", {}) if call.method.body else {}
    for name, value in body.items():
        if isinstance(value, bool | int | float | str) or value is None or isinstance(value, Variable):
            yield f"{to_snake(name)}={_python(value)}"
        else:
            yield f"{to_snake(name)}={_python(_rename(value, properties.get(name, {}), schemas), 1)}"
    for name, value in call.query.items():
        if name not in body:
            yield f"{to_snake(name)}={_python(value)}"
    for name, value in (("if_match", call.if_match), ("idempotency_key", call.idempotency_key)):
        if value is not None:
            yield f"{name}={_python(value)}"


def _rename(value: Any, schema: Schema, schemas: SchemaTrees) -> Any:
    """Write the fields of known types as Python does. What is in other objects belongs to the caller."""
    if isinstance(value, list):
        return [_rename(part, _find_items(schema, schemas), schemas) for part in value]
    if not isinstance(value, Mapping):
        return value
    target = _find_object(schema, value, schemas)
    properties = target.get("properties")
    if properties is None:
        return value
    return {to_snake(key): _rename(part, properties.get(key, {}), schemas) for key, part in value.items()}


def _find_items(schema: Schema, schemas: SchemaTrees) -> Schema:
    schema = schemas.resolve(schema)
    for member in schema.get("anyOf", schema.get("oneOf", [schema])):
        member = schemas.resolve(member)  # noqa: PLW2901 - the same member, without the reference
        if member.get("type") == "array":
            items: Schema = member.get("items", {})
            return items
    return {}


def _find_object(schema: Schema, value: Mapping[str, Any], schemas: SchemaTrees) -> Schema:
    """Find the form of a type that has all fields of a value."""
    schema = schemas.resolve(schema)
    members = [schemas.resolve(member) for member in schema.get("anyOf", schema.get("oneOf", ()))]
    tag = schema.get("discriminator", {}).get("propertyName")
    mapping = schema.get("discriminator", {}).get("mapping", {})
    if tag in value and value[tag] in mapping:
        return schemas.resolve({"$ref": mapping[value[tag]]})
    if value.keys() <= schema.get("properties", {}).keys():
        return schema
    candidates = (_find_object(member, value, schemas) for member in members)
    return next((member for member in candidates if member), {})


def _python(value: Any, depth: int = 0) -> str:
    if isinstance(value, Variable):
        return to_snake(value.name.lower())
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, Mapping):
        return _nest("{", [f"{_quote(key)}: {_python(part, depth + 1)}" for key, part in value.items()], "}", depth)
    if isinstance(value, list):
        return _nest("[", [_python(part, depth + 1) for part in value], "]", depth)
    return str(value)


def _script(value: Any, depth: int = 0) -> str:
    if isinstance(value, Variable):
        return to_camel(value.name.lower())
    if isinstance(value, Mapping):
        parts = [_script_pair(key, part, depth) for key, part in value.items()]
        return _nest("{ ", parts, " }", depth, "  ") if parts else "{}"
    if isinstance(value, list):
        return _nest("[", [_script(part, depth + 1) for part in value], "]", depth, "  ")
    return _quote(value) if isinstance(value, str) else msgspec.json.encode(value).decode()


def _script_pair(key: str, value: Any, depth: int) -> str:
    text = _script(value, depth + 1)
    shown = key if _IDENTIFIER.fullmatch(key) else _quote(key)
    return shown if shown == text else f"{shown}: {text}"


def _quote(text: str) -> str:
    return msgspec.json.encode(text).decode()


def _nest(start: str, parts: Sequence[str], end: str, depth: int, indent: str = "    ") -> str:
    """Write the parts of something in one line, or in one line each if they are too long for one."""
    line = f"{start}{', '.join(parts)}{end}"
    if len(line) + len(indent) * depth <= _WIDTH and "\n" not in line:
        return line
    inner, outer = indent * (depth + 1), indent * depth
    return f"{start.strip()}\n" + "".join(f"{inner}{part},\n" for part in parts) + f"{outer}{end.strip()}"


def _call(name: str, arguments: Sequence[str], indent: str) -> str:
    line = f"{name}({', '.join(arguments)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return f"{name}(\n" + "".join(f"{indent}{argument},\n" for argument in arguments) + ")"


def _finish_python(call: ApiCall, text: str, result: str | None) -> str:
    if result is not None:
        return f"{result} = {text}\n"
    if _is_iterated(call.method):
        name = _name_item(call.method)
        return f"for {name} in {text}:\n    print({name})\n"
    if call.method.returns is None:
        return f"{text}\n"
    if "\n" not in text and len(text) <= _WIDTH:
        return f"print({text})\n"
    return "print(\n    " + text.replace("\n", "\n    ") + "\n)\n"


def _finish_typescript(call: ApiCall, text: str, result: str | None) -> str:
    if result is not None:
        return f"const {result} = {text};\n"
    if _is_iterated(call.method):
        name = _name_item(call.method)
        return f"for await (const {name} of {text}) {{\n  console.log({name});\n}}\n"
    return f"await {text};\n" if call.method.returns is None else f"console.log(await {text});\n"


def _is_iterated(method: ApiMethod) -> bool:
    return method.cursor is not None or method.sdk_name == _STREAM


def _name_item(method: ApiMethod) -> str:
    return "event" if method.sdk_name == _STREAM else "item"
