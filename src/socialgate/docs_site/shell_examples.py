"""Examples of guides in other languages, made from the commands that the guides contain.

A guide shows each call once, with curl. From the command follow the route, its parameters and its body, and from these
the same call with the clients. A block with anything else, such as a date that the shell computes, stays as it is.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl

import msgspec

from socialgate.docs_site.api_calls import (
    ApiCall,
    ApiMethod,
    Variable,
    add_imports,
    add_preamble,
    render_python,
    render_typescript,
    to_camel,
    to_snake,
)
from socialgate.docs_site.schema_tree import Schema, SchemaTrees

# Variables of the shell are marked while the text around them is parsed.
_MARK = "\ue000"
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_MARKED = re.compile(rf"{_MARK}(\w+){_MARK}")
_ASSIGNMENT = re.compile(r"(\w+)=(.*)", re.DOTALL)
_CAPTURED = re.compile(r"\$\((curl .*)\)", re.DOTALL)
_FOUND_BY_PREFIX = re.compile(r"grep -o '([a-z]+_)\[a-z0-9\]\*' \| head (?:-n 1|-1)")
_FOUND_ID = re.compile(r"""grep -o '"id":"\[\^"\]\*' \| head -n 1 \| cut -d '"' -f 4""")
_FOUND_FIELD = re.compile(r"jq -r \.(\w+)")
_PART_OF_VARIABLE = re.compile(r"\$\(jq -r \.(\w+) <<< \"\$(\w+)\"\)")
_SETUP = ("AUTH", "JSON")
_BASE = f"{_MARK}SOCIALGATE_URL{_MARK}"
_FLAGS = {"-s", "-N", "-sN"}


class _UnsupportedError(Exception):
    """A command that has no equivalent in the clients."""


class GuideExamples:
    """Converts the blocks of guides."""

    def __init__(self, methods: Sequence[ApiMethod], schemas: SchemaTrees) -> None:
        self._methods = [method for method in methods if method.sdk_name is not None]
        self._schemas = schemas

    def convert(self, block: str) -> Mapping[str, str] | None:
        """Return a block in the other languages, or None if it does something that the clients do not."""
        if "SOCIALGATE_" not in block or ("curl" not in block and "AUTH=" not in block):
            return None
        python, typescript = [], []
        try:
            for statement in _split_statements(block):
                lines = self._convert_statement(statement)
                python.append(lines[0])
                typescript.append(lines[1])
        except (_UnsupportedError, ValueError, KeyError):
            return None
        codes = {"python": "".join(python), "typescript": "".join(typescript)}
        write = add_preamble if "AUTH=" in block else add_imports
        return {language: write(language, code) for language, code in codes.items()}

    def read_calls(self, block: str) -> list[ApiCall]:
        """List the calls of a block that can be converted."""
        commands = [statement for statement in _split_statements(block) if "curl " in statement]
        return [self._read_call(_strip_capture(command)[0]) for command in commands]

    def _convert_statement(self, statement: str) -> tuple[str, str]:
        assignment = _ASSIGNMENT.fullmatch(statement)
        if assignment is None:
            call = self._read_call(statement)
            return render_python(call, self._schemas), render_typescript(call)
        name, value = assignment[1], assignment[2]
        if name in _SETUP:
            return "", ""
        part = _PART_OF_VARIABLE.fullmatch(value)
        if part is not None:
            return _convert_part(name, part[2], part[1])
        if value.startswith("$(curl "):
            return self._convert_capture(name, value)
        return _convert_literal(name, value)

    def _convert_capture(self, name: str, value: str) -> tuple[str, str]:
        command, selector = _strip_capture(value)
        call = self._read_call(command)
        path = _find_path(call.method, selector)
        python = render_python(call, self._schemas, to_snake(name.lower()))
        typescript = render_typescript(call, to_camel(name.lower()))
        head, _, expression = typescript.rstrip(";\n").partition(" = ")
        if call.method.cursor is not None:
            python = python.rstrip() + ".first_page()" + _attributes(path, to_snake) + "\n"
            return python, f"{head} = (await {expression}.firstPage()){self._script_attributes(call, path)};\n"
        awaited = f"(await {expression}){self._script_attributes(call, path)}" if path else f"await {expression}"
        return python.rstrip() + _attributes(path, to_snake) + "\n", f"{head} = {awaited};\n"

    def _script_attributes(self, call: ApiCall, path: Sequence[str | int]) -> str:
        """Write a path in TypeScript, which wants to know that what can be null is there."""
        schema = call.method.returns or {}
        text = ""
        for part in path:
            schema = self._schemas.resolve(schema)
            options = [self._schemas.resolve(option) for option in schema.get("anyOf", schema.get("oneOf", [schema]))]
            members = [_find_member(option, part) for option in options]
            schema = next((member for member in members if member), {})
            types = [schema.get("type"), *(option.get("type") for option in schema.get("anyOf", ()))]
            can_be_null = "null" in types or any(isinstance(kind, list) and "null" in kind for kind in types)
            text += (f"[{part}]" if isinstance(part, int) else f".{part}") + ("!" if can_be_null else "")
        return text

    def _read_call(self, command: str) -> ApiCall:
        verb, address, headers, body, file_name = _read_command(command)
        path, _, query_text = address.removeprefix(_BASE).partition("?")
        method, path_values = self._find_method(verb or ("GET" if body is None and file_name is None else "POST"), path)
        known = {item["name"]: item["schema"] for item in method.list_parameters("query")}
        pairs = parse_qsl(query_text, keep_blank_values=True, strict_parsing=bool(query_text))
        query = {name: self._read_query_value(known[name], value) for name, value in pairs}
        data = None if body is None else _restore(msgspec.json.decode(body))
        return ApiCall(
            method=method,
            path_values=path_values,
            query=query,
            body=data,
            idempotency_key=headers.get("Idempotency-Key"),
            if_match=headers.get("If-Match"),
            file_name=file_name,
        )

    def _find_method(self, http: str, path: str) -> tuple[ApiMethod, list[Any]]:
        parts = path.strip("/").split("/")
        # A fixed path wins over one with parameters, as in the service.
        for method in sorted(self._methods, key=lambda method: method.path.count("{")):
            names = method.path.strip("/").split("/")
            if method.http == http and len(names) == len(parts) and all(map(_fits, names, parts)):
                return method, [_restore(part) for name, part in zip(names, parts, strict=True) if name[0] == "{"]
        raise _UnsupportedError(path)

    def _read_query_value(self, schema: Mapping[str, Any], value: str) -> Any:
        restored = _restore(value)
        if isinstance(restored, Variable):
            return restored
        resolved = self._schemas.resolve(schema)
        if resolved.get("type") == "array":
            return restored.split(",")
        return msgspec.json.decode(restored) if resolved.get("type") in {"integer", "number", "boolean"} else restored


def _split_statements(block: str) -> Iterator[str]:
    """Split a block into commands, without comments. A line goes on while a quote or a bracket is open."""
    text = ""
    for line in block.replace("\\\n", " ").splitlines():
        text = f"{text}\n{line}" if text else line
        if not _is_open(text):
            statement = _strip_comment(text).strip()
            text = ""
            if statement:
                yield statement
    if text:
        raise _UnsupportedError(text)


def _is_open(text: str) -> bool:
    quote = ""
    depth = 0
    for position, character in enumerate(text):
        if quote:
            if character == quote and not (quote == '"' and text[position - 1] == "\\"):
                quote = ""
        elif character in "'\"":
            quote = character
        else:
            depth += {"(": 1, ")": -1}.get(character, 0)
    return bool(quote) or depth > 0


def _strip_comment(text: str) -> str:
    return re.sub(r"(?:^|\s)#[^'\"\n]*$", "", text)


def _strip_capture(statement: str) -> tuple[str, str]:
    """Split `$(curl … | grep …)` into the command and what selects a part of the response."""
    captured = _CAPTURED.search(statement)
    if captured is None:
        return statement, ""
    if "|" not in shlex.split(captured[1]):
        return captured[1], ""
    for pattern in (_FOUND_BY_PREFIX, _FOUND_ID, _FOUND_FIELD):
        selector = pattern.search(captured[1])
        if selector is not None and selector.end() == len(captured[1].rstrip()):
            return captured[1][: selector.start()].rstrip().removesuffix("|").rstrip(), selector[0]
    raise _UnsupportedError(statement)


def _read_command(command: str) -> tuple[str, str, dict[str, Any], bytes | None, str | None]:
    marked = _VARIABLE.sub(lambda match: f"{_MARK}{match[1] or match[2]}{_MARK}", command)
    words = shlex.split(marked)
    if words[:1] != ["curl"] or "$(" in re.sub(r"\$\(date \+%s\)", "", marked):
        raise _UnsupportedError(command)
    verb, address, body, file_name = "", "", None, None
    headers: dict[str, Any] = {}
    rest = iter(words[1:])
    for word in rest:
        if word in _FLAGS:
            continue
        if word == "-X":
            verb = next(rest)
        elif word == "-H":
            headers |= _read_header(next(rest))
        elif word == "-d":
            body = next(rest).encode()
        elif word == "-F":
            file_name = next(rest).removeprefix("file=@")
        elif word.startswith(_BASE) and not address:
            address = word
        else:
            raise _UnsupportedError(word)
    return verb, address, headers, body, file_name


def _read_header(text: str) -> dict[str, Any]:
    if _MARKED.fullmatch(text):
        # `$AUTH` and `$JSON`, which the clients send by themselves.
        return {}
    name, _, value = text.partition(": ")
    if name in {"Content-Type", "Authorization"} and value != "text/csv":
        return {}
    if name == "Idempotency-Key":
        # Clients make a key for each call: only one that means something is shown.
        return {} if "date +%s" in value else {name: _restore(value)}
    if name == "If-Match":
        return {name: _restore(value)}
    raise _UnsupportedError(name)


def _restore(value: Any) -> Any:
    """Put variables back where they were."""
    if isinstance(value, str):
        variable = _MARKED.fullmatch(value)
        if variable is None and _MARK in value:
            raise _UnsupportedError(value)
        return value if variable is None else Variable(variable[1])
    if isinstance(value, list):
        return [_restore(part) for part in value]
    return {key: _restore(part) for key, part in value.items()} if isinstance(value, dict) else value


def _fits(name: str, part: str) -> bool:
    return name[0] == "{" or name == part


def _find_member(schema: Schema, part: str | int) -> Schema:
    if isinstance(part, int):
        items: Schema = schema.get("items", {})
        return items
    member: Schema = schema.get("properties", {}).get(part, {})
    return member


def _find_path(method: ApiMethod, selector: str) -> list[str | int]:
    """Find where in the response what a command selects is, by the example of the route."""
    if not selector:
        return []
    field = _FOUND_FIELD.fullmatch(selector)
    if field is not None:
        return [field[1]]
    prefix = _FOUND_BY_PREFIX.fullmatch(selector)
    start = "" if prefix is None else prefix[1]
    path = next(_search(method.response_example, [], "id" if prefix is None else None, start), None)
    if path is None:
        raise _UnsupportedError(selector)
    return path


def _search(value: Any, path: list[str | int], name: str | None, start: str) -> Iterator[list[str | int]]:
    """Find texts with this name, or that start so, those that are less deep first."""
    items: list[tuple[str | int, Any]] = []
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, part in items:
        if isinstance(part, str) and (key == name if name else part.startswith(start)):
            yield [*path, key]
    for key, part in items:
        yield from _search(part, [*path, key], name, start)


def _attributes(path: Sequence[str | int], spell: Any) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{spell(part)}" for part in path)


def _convert_part(name: str, whole: str, field: str) -> tuple[str, str]:
    return (
        f"{to_snake(name.lower())} = {to_snake(whole.lower())}.{to_snake(field)}\n",
        f"const {to_camel(name.lower())} = {to_camel(whole.lower())}.{field};\n",
    )


def _convert_literal(name: str, value: str) -> tuple[str, str]:
    if not re.fullmatch(r"[\w.:/-]+", value):
        raise _UnsupportedError(value)
    shown = msgspec.json.encode(value).decode()
    return f"{to_snake(name.lower())} = {shown}\n", f"const {to_camel(name.lower())} = {shown};\n"
