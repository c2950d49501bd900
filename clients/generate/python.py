"""The client for Python: its types, its resources, and the list of them."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from clients.generate.api import BY_HAND, Api, Field, Method, Object, Parameter, Resource, names_in
from clients.generate.python_types import (
    NOTICE,
    WIDTH,
    given_type,
    returned_type,
    write_names,
    write_params,
    write_types,
)
from clients.generate.words import pascal, snake, wrapped

# Methods that are written by hand are added to these resources.
_BASES = {
    "media": ("media", "MediaUploads"),
    "events": ("events", "EventStream"),
    "tasks": ("tasks", "TaskWaiting"),
}
_CSV = "bytes | str | IO[bytes]"


class _Mode(NamedTuple):
    """With or without `await`."""

    prefix: str
    define: str
    wait: str


_SYNC = _Mode("", "def", "")
_ASYNC = _Mode("Async", "async def", "await ")


class _Argument(NamedTuple):
    name: str
    hint: str
    default: str | None
    description: str


def write_python(api: Api) -> dict[str, str]:
    """Write the generated files of the client, by their paths in the package."""
    files = {
        "_version.py": f'{NOTICE}\n"""The version of the API, and of its client."""\n\n__version__ = "{api.version}"\n',
        "types.py": write_types(api),
        "params.py": write_params(api),
        "_names.py": write_names(api),
        "_resources.py": _write_list(api),
        "resources/__init__.py": f'{NOTICE}\n"""The resources of the API, each with its methods."""\n',
    }
    return files | {f"resources/{resource.name}.py": _write_module(resource, api) for resource in api.resources}


def _write_list(api: Api) -> str:
    lines = [
        NOTICE,
        '"""The resources of a client. Each is loaded when it is first used."""',
        "",
        "from __future__ import annotations",
        "",
        "from functools import cached_property",
        "from typing import TYPE_CHECKING, cast",
        "",
        "if TYPE_CHECKING:",
        "    from ._async.client import AsyncSocialgate",
        "    from ._sync.client import Socialgate",
        *(
            f"    from .resources.{resource.name} import Async{_name(resource)}, {_name(resource)}"
            for resource in api.resources
        ),
    ]
    for mode in (_SYNC, _ASYNC):
        lines += ["", "", f"class {mode.prefix}Resources:", '    """The resources of a client."""']
        for resource in api.resources:
            name = f"{mode.prefix}{_name(resource)}"
            lines += [
                "",
                "    @cached_property",
                f"    def {resource.name}(self) -> {name}:",
                *_docstring([resource.description], "        "),
                f"        from .resources.{resource.name} import {name}",
                "",
                f'        client = cast("{mode.prefix}Socialgate", self)',
                f"        return {name}(client, client)",
            ]
    return "\n".join(lines) + "\n"


def _write_module(resource: Resource, api: Api) -> str:
    resources = list(_with_children(resource))
    body: list[str] = []
    for item in resources:
        for mode in (_SYNC, _ASYNC):
            body += [*_class(item, api, mode), *_raw_class(item, mode)]
    imported = sorted({name for item in resources for method in item.methods for name in _imported(method)})
    text = "\n".join(body)
    base = _BASES.get(resource.name)
    lines = [
        NOTICE,
        f'"""{resource.description}"""',
        "",
        "from __future__ import annotations",
        "",
        *(["import datetime as dt"] if "dt." in text else []),
        *(
            [f"from collections.abc import {', '.join(_found(text, 'Mapping', 'Sequence'))}"]
            if _found(text, "Mapping", "Sequence")
            else []
        ),
        "from functools import cached_property",
        f"from typing import {', '.join(['IO'] * ('IO[' in text) + _found(text, 'Any', 'Literal') + ['cast'])}",
        "",
        *(["from .. import params"] if "params." in text else []),
        "from .._call import Call, new_key" if "new_key" in text else "from .._call import Call",
        "from .._async.client import AsyncRawSender",
        "from .._sync.client import RawSender",
        *(["from .._models import OMIT, Omit"] if "OMIT" in text else []),
        *(["from .._async.pages import AsyncPages", "from .._sync.pages import Pages"] if "Pages(" in text else []),
        "from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page",
        f"from .._wire import {', '.join(_found(text, 'fill', 'pack', 'pack_query', 'read_rows'))}"
        if _found(text, "fill", "pack", "pack_query", "read_rows")
        else "",
        *(
            [f"from .._async.{base[0]} import Async{base[1]}", f"from .._sync.{base[0]} import {base[1]}"]
            if base
            else []
        ),
        *([f"from ..types import {', '.join(imported)}"] if imported else []),
    ]
    return "\n".join([*lines, *body]) + "\n"


def _found(text: str, *names: str) -> list[str]:
    return [name for name in names if any(f"{name}{end}" in text for end in ("(", "[", ",", " ", "]"))]


def _with_children(resource: Resource) -> Iterator[Resource]:
    for child in resource.children:
        yield from _with_children(child)
    yield resource


def _name(resource: Resource) -> str:
    return f"{pascal(resource.name)}Resource"


def _imported(method: Method) -> Iterator[str]:
    if method.full_name not in BY_HAND:
        for schema in (method.returns, method.rows):
            yield from names_in(schema) if schema is not None else ()


def _class(resource: Resource, api: Api, mode: _Mode) -> Iterator[str]:
    base = _BASES.get(resource.name)
    parent = f"{mode.prefix}{base[1] if base else 'Resource'}"
    name = f"{mode.prefix}{_name(resource)}"
    yield from ("", "", f"class {name}({parent}):", *_docstring([resource.description], "    "))
    for child in resource.children:
        yield from (
            "",
            "    @cached_property",
            f"    def {child.path[-1]}(self) -> {mode.prefix}{_name(child)}:",
            f"        return {mode.prefix}{_name(child)}(self._client, self._root)",
        )
    yield from (
        "",
        "    @cached_property",
        f"    def with_raw_response(self) -> {name}WithRawResponse:",
        '        """The same methods, which return status and headers too."""',
        f"        return {name}WithRawResponse({name}({mode.prefix}RawSender(self._root), self._root))",
    )
    for method in resource.methods:
        if method.full_name not in BY_HAND:
            yield from ("", *_method(method, api, mode))


def _raw_class(resource: Resource, mode: _Mode) -> Iterator[str]:
    name = f"{mode.prefix}{_name(resource)}"
    prefix = "async_" if mode is _ASYNC else ""
    yield from ("", "", f"class {name}WithRawResponse:", '    """Methods that return status and headers too."""', "")
    yield f"    def __init__(self, resource: {name}) -> None:"
    for method in resource.methods:
        if method.full_name not in BY_HAND:
            wrap = f"{prefix}raw_page" if _is_list(method) else f"{prefix}raw"
            yield f"        self.{method.name} = {wrap}(resource.{method.name})"


def _is_list(method: Method) -> bool:
    return method.rows is not None and method.cursor is not None


def _method(method: Method, api: Api, mode: _Mode) -> Iterator[str]:
    arguments = list(_keyword_arguments(method, api))
    positional = [f"{snake(item.name)}: str" for item in method.path_parameters]
    keywords = [f"{item.name}: {item.hint}{'' if item.default is None else f' = {item.default}'}" for item in arguments]
    signature = ", ".join(["self", *positional, *(["*", *keywords] if keywords else [])])
    define = "def" if _is_list(method) else mode.define
    yield f"    {define} {method.name}({signature},) -> {_return_hint(method, mode)}:"
    yield from _method_docstring(method, arguments)
    yield from _body(method, api, mode)


def _return_hint(method: Method, mode: _Mode) -> str:
    if _is_list(method):
        assert method.rows is not None
        assert method.returns is not None
        return f"{mode.prefix}Pages[{returned_type(method.rows)}, {returned_type(method.returns)}]"
    if method.returns_bytes:
        return "bytes"
    return "None" if method.returns is None else returned_type(method.returns)


def _keyword_arguments(method: Method, api: Api) -> Iterator[_Argument]:
    fields = _body_fields(method, api)
    names = {field.name for field in fields}
    query = [item for item in method.query if item.name not in names]
    required = [*_required(fields, api, method), *(_query_argument(item, api) for item in query if item.required)]
    yield from required
    if method.accepts_csv:
        yield _Argument("csv", f"{_CSV} | None", "None", "The rows as CSV, instead of JSON: text, or an open file.")
    yield from (argument for argument in (_body_argument(field, api, method) for field in fields) if argument.default)
    yield from (_query_argument(item, api) for item in query if not item.required)
    if method.takes_if_match:
        about = "Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since."
        yield _Argument("if_match", "str | None", "None", about)
    if method.is_idempotent:
        about = "The same key does it once, however often it is called. By default each call has its own."
        yield _Argument("idempotency_key", "str | None", "None", about)


def _body_fields(method: Method, api: Api) -> Sequence[Field]:
    if method.body is None:
        return []
    kind = api.types[method.body]
    assert isinstance(kind, Object), f"{method.full_name} has a body without fields"
    return kind.fields


def _required(fields: Sequence[Field], api: Api, method: Method) -> Iterator[_Argument]:
    yield from (item for item in (_body_argument(field, api, method) for field in fields) if item.default is None)


def _body_argument(field: Field, api: Api, method: Method) -> _Argument:
    hint = given_type(field.schema, api, "params.")
    in_query = field.name in {item.name for item in method.query}
    required = field.required and (not method.accepts_csv or in_query)
    if required:
        return _Argument(snake(field.name), hint, None, field.description)
    if field.is_null_by_default:
        return _Argument(snake(field.name), hint, "None", field.description)
    return _Argument(snake(field.name), f"{hint} | Omit", "OMIT", field.description)


def _query_argument(item: Parameter, api: Api) -> _Argument:
    hint = given_type(item.schema, api, "params.")
    if item.required:
        return _Argument(snake(item.name), hint, None, item.description)
    return _Argument(snake(item.name), f"{hint} | None", "None", item.description)


def _method_docstring(method: Method, arguments: Sequence[_Argument]) -> list[str]:
    about = [method.summary, method.description.rpartition("Who may call:")[0].strip()]
    described = [(snake(item.name), _with_choices(item)) for item in method.path_parameters]
    described += [(argument.name, argument.description) for argument in arguments]
    lines = _docstring([part for part in about if part], "        ")
    more: list[str] = []
    if described:
        more += ["", "        Args:"]
        for name, text in described:
            more += wrapped(f"{name}: {text or name}", " " * 12, WIDTH, " " * 16)
    if method.error_codes:
        codes = ", ".join(f"`{code}`" for code in sorted(set(method.error_codes)))
        more += ["", *wrapped(f"Error codes beside the common ones: {codes}.", "        ", WIDTH)]
    if not more:
        return lines
    closed = lines[-1].removesuffix('"""')
    opened = [*lines[:-1], closed] if closed.strip() else lines[:-1]
    return [*opened, *more, "", '        """']


def _with_choices(item: Parameter) -> str:
    choices = item.schema.get("enum")
    return item.description if choices is None else f"{item.description} One of {', '.join(choices)}."


def _docstring(paragraphs: Sequence[str], indent: str) -> list[str]:
    text = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', "'''")
    lines = list(wrapped(f'"""{text}', indent, WIDTH))
    if len(lines) == 1 and len(lines[0]) + 3 <= WIDTH:
        return [f'{lines[0]}"""']
    return [*lines, f'{indent}"""']


def _body(method: Method, api: Api, mode: _Mode) -> Iterator[str]:
    names = {field.name for field in _body_fields(method, api)}
    query = {item.name: snake(item.name) for item in method.query if item.name not in names}
    common = [f'method="{method.http}"', f"path={_path(method)}"]
    hint = "bytes" if method.returns_bytes else returned_type(method.returns) if method.returns is not None else "None"
    common += [f"returns={hint}"] if hint != "None" else []
    more = [f"query=pack_query({_table(query)})"] if query else []
    ends = []
    if method.takes_if_match:
        ends.append('headers={} if if_match is None else {"If-Match": if_match}')
    if method.is_idempotent:
        ends.append("idempotency_key=idempotency_key or new_key()")
    if method.accepts_csv:
        rows = {item.name: snake(item.name) for item in method.query}
        sent = [f"query=pack_query({_table(rows)})", "content=read_rows(csv)", 'headers={"Content-Type": "text/csv"}']
        yield "        if csv is not None:"
        yield f"            rows: Call[{hint}] = Call({', '.join([*common, *sent, *ends])},)"
        yield f"            return {mode.wait}self._client.send(rows)"
    if method.body is not None:
        fields = {snake(field.name): snake(field.name) for field in _body_fields(method, api)}
        dropped = [snake(field.name) for field in _body_fields(method, api) if field.is_null_by_default]
        pack = f'pack("{method.body}", {_table(fields)}'
        more.append(f"body={pack}{f', without_none={tuple(dropped)!r}' if dropped else ''})")
    yield f"        call: Call[{hint}] = Call({', '.join([*common, *more, *ends])},)"
    if _is_list(method):
        yield f'        return {mode.prefix}Pages(self._client, call, "{method.cursor}")'
    elif hint == "None":
        yield f"        {mode.wait}self._client.send(call)"
    else:
        yield f"        return {mode.wait}self._client.send(call)"


def _path(method: Method) -> str:
    if not method.path_parameters:
        return f'"{method.path}"'
    template = method.path
    for item in method.path_parameters:
        template = template.replace("{" + item.name + "}", "{}")
    return f'fill("{template}", {", ".join(snake(item.name) for item in method.path_parameters)})'


def _table(items: Mapping[str, str]) -> str:
    return "{" + ", ".join(f'"{key}": {value}' for key, value in items.items()) + "}"
