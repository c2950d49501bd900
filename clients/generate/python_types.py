"""The types of the client for Python: objects that are returned, and dictionaries that are given."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from clients.generate.api import SHORT_FORMS, Api, Choice, Field, Object, Scalar, Schema, Union, name_in, without_null
from clients.generate.words import snake, wrapped

WIDTH = 120
NOTICE = "# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again."
# What can be given instead of an object of which only the id is needed.
_STANDS_FOR = {"accountId": "types.Account", "mediaId": "types.MediaItem"}
# What the client adds to an event that a stream or a hook receives.
_OF_EVENTS = (
    ("id", "The id of the event, `evt_…`. Only `webhooks.unwrap` knows it."),
    ("cursor", "The position of the event in the stream: `events.stream(after=...)` continues there."),
)
_SCALARS = {"integer": "int", "number": "float", "boolean": "bool"}
_TIMES = {"date-time": "dt.datetime", "date": "dt.date"}


def write_types(api: Api) -> str:
    """Write what the API returns."""
    kinds = [api.types[name] for name in api.received]
    envelopes = {name_in(member) for kind in kinds if kind.name == "EventEnvelope" for member in _members(kind)}
    lines = [
        NOTICE,
        '"""What the API returns. `socialgate_client.params` has what is given to it."""',
        "",
        "from __future__ import annotations",
        "",
        "import datetime as dt",
        "from typing import Annotated, Any, Literal, TypeAlias, Union",
        "",
        "import msgspec",
        "",
        "from ._models import By, Model",
        "",
    ]
    lines += [line for kind in kinds if isinstance(kind, Choice | Scalar) for line in _alias(kind, received=True)]
    for kind in kinds:
        if isinstance(kind, Object):
            lines += ["", *_class(kind, is_envelope=kind.name in envelopes)]
    lines += [line for kind in kinds if isinstance(kind, Union) for line in _union(kind)]
    return "\n".join(lines) + "\n"


def write_params(api: Api) -> str:
    """Write what is given to methods."""
    kinds = [api.types[name] for name in api.sent]
    lines = [
        NOTICE,
        '"""What is given to methods. Where one of these is wanted, write a dictionary with its keys."""',
        "",
        "from __future__ import annotations",
        "",
        "import datetime as dt",
        "import sys",
        "from collections.abc import Mapping, Sequence",
        "from typing import Any, Literal, TypeAlias, Union",
        "",
        "if sys.version_info >= (3, 11):",
        "    from typing import NotRequired, TypedDict",
        "else:",
        "    from typing_extensions import NotRequired, TypedDict",
        "",
        "from . import types",
        "",
    ]
    lines += [line for kind in kinds if isinstance(kind, Choice | Scalar) for line in _alias(kind, received=False)]
    for kind in kinds:
        if isinstance(kind, Object):
            lines += ["", *_dictionary(kind, api)]
    for kind in kinds:
        if isinstance(kind, Object) and (other := _stands_for(kind.name, api)):
            lines += ["", f"{kind.name}Like: TypeAlias = Union[{kind.name}, {other}]"]
    lines += [line for kind in kinds if isinstance(kind, Union) for line in _given_union(kind, api)]
    return "\n".join(lines) + "\n"


def write_names(api: Api) -> str:
    """Write which name each key has in the API, where it is another one, and the type of what is inside."""
    table: dict[str, dict[str, tuple[str, str | None]]] = {}
    for name in api.sent:
        if isinstance(api.types[name], Object | Union):
            table[name] = {key: value for key, value in _names(name, api).items() if value != (key, None)}
    lines = [
        NOTICE,
        '"""The names of keys in the API, and the types of what is inside."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "",
        "NAMES: Mapping[str, Mapping[str, tuple[str, str | None]]] = {",
        *(f"    {name!r}: {keys!r}," for name, keys in table.items()),
        "}",
        "",
        "# Objects for which their id alone can be given.",
        f"SHORT_FORMS: Mapping[str, str] = { ({name: snake(key) for name, key in SHORT_FORMS.items()})!r}",
    ]
    return "\n".join(lines) + "\n"


def returned_type(schema: Schema) -> str:
    """Write the type of something that is returned."""
    inner, nullable = without_null(schema)
    return f"{_returned(inner)} | None" if nullable else _returned(inner)


def given_type(schema: Schema, api: Api, prefix: str = "") -> str:
    """Write the type of something that is given."""
    inner, nullable = without_null(schema)
    return f"{_given(inner, api, prefix)} | None" if nullable else _given(inner, api, prefix)


def _returned(schema: Schema) -> str:
    name = name_in(schema)
    if name is not None:
        return name
    match schema.get("type"):
        case "array":
            return f"list[{returned_type(schema['items'])}]"
        case "object":
            values = schema.get("additionalProperties")
            return f"dict[str, {returned_type(values) if isinstance(values, Mapping) else 'Any'}]"
        case _:
            return _scalar(schema)


def _given(schema: Schema, api: Api, prefix: str) -> str:
    name = name_in(schema)
    if name is not None:
        return f"{prefix}{name}Like" if _stands_for(name, api) else f"{prefix}{name}"
    match schema.get("type"):
        case "array":
            return f"Sequence[{given_type(schema['items'], api, prefix)}]"
        case "object":
            values = schema.get("additionalProperties")
            inner = given_type(values, api, prefix) if isinstance(values, Mapping) else "Any"
            return f"Mapping[str, {inner}]"
        case "string" if schema.get("format") in _TIMES:
            return f"str | {_TIMES[schema['format']]}"
        case _:
            return _scalar(schema)


def _scalar(schema: Schema) -> str:
    if isinstance(schema.get("enum"), list):
        return f"Literal[{', '.join(map(_literal, schema['enum']))}]"
    kind = schema.get("type")
    if kind == "string":
        return _TIMES.get(schema.get("format", ""), "str")
    return _SCALARS.get(str(kind), "Any")


def _literal(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _stands_for(name: str, api: Api) -> str | None:
    """Say what else can be given: an id, or the same object as the API returned it."""
    if name in SHORT_FORMS:
        return f"str, {_STANDS_FOR[SHORT_FORMS[name]]}"
    return f"types.{name}" if name in api.received and isinstance(api.types[name], Object) else None


def _alias(kind: Choice | Scalar, *, received: bool) -> Iterator[str]:
    if isinstance(kind, Scalar):
        yield f"{kind.name}: TypeAlias = {_scalar(kind.schema)}"
        return
    values = f"Literal[{', '.join(map(_literal, kind.values))}]"
    # A later version of the service may return another value.
    yield f"{kind.name}: TypeAlias = Union[{values}, str]" if received else f"{kind.name}: TypeAlias = {values}"


def _class(kind: Object, *, is_envelope: bool) -> Iterator[str]:
    yield f"class {kind.name}(Model, kw_only=True):"
    yield from docstring(kind.description or kind.name, "    ")
    for field in kind.fields:
        name = snake(field.name)
        hint = returned_type(field.schema)
        hint = hint if field.required or hint.endswith("| None") else f"{hint} | None"
        yield ""
        yield f"    {name}: {hint}{_default(field, name)}"
        if field.description:
            yield from docstring(field.description, "    ")
    for name, description in _OF_EVENTS if is_envelope else ():
        yield from ("", f"    {name}: str | None = None", *docstring(description, "    "))


def _default(field: Field, name: str) -> str:
    arguments = [] if field.required else ["default=None"]
    if _camel(name) != field.name:
        arguments.append(f"name={_literal(field.name)}")
    if arguments == ["default=None"]:
        return " = None"
    return f" = msgspec.field({', '.join(arguments)})" if arguments else ""


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


def _dictionary(kind: Object, api: Api) -> Iterator[str]:
    yield f"class {kind.name}(TypedDict):"
    yield from docstring(kind.description or kind.name, "    ")
    for field in kind.fields:
        hint = given_type(field.schema, api)
        yield ""
        yield f"    {snake(field.name)}: {hint if field.required else f'NotRequired[{hint}]'}"
        if field.description:
            yield from docstring(field.description, "    ")


def _members(kind: Any) -> Sequence[Schema]:
    return kind.members if isinstance(kind, Union) else []


def _union(kind: Union) -> Iterator[str]:
    union = f"Union[{', '.join(returned_type(member) for member in kind.members)}]"
    yield ""
    yield f"{kind.name}: TypeAlias = {union if kind.by is None else f'Annotated[{union}, By({_literal(kind.by)})]'}"
    if kind.description:
        yield from docstring(kind.description, "")


def _given_union(kind: Union, api: Api) -> Iterator[str]:
    members = [given_type(member, api) for member in kind.members]
    yield ""
    yield f"{kind.name}: TypeAlias = Union[{', '.join(members).replace(' | ', ', ')}]"
    if kind.description:
        yield from docstring(kind.description, "")


def _names(name: str, api: Api) -> dict[str, tuple[str, str | None]]:
    kind = api.types[name]
    if isinstance(kind, Union):
        result: dict[str, tuple[str, str | None]] = {}
        for member in filter(None, map(name_in, kind.members)):
            for key, value in _names(member, api).items():
                # Keys of the same name have the same type, or none that has names inside.
                assert result.get(key, value)[0] == value[0], f"{name}.{key} has two names"
                result[key] = value if result.get(key, (key, None))[1] is None else result[key]
        return result
    assert isinstance(kind, Object)
    return {snake(field.name): (field.name, _inside(field.schema, api)) for field in kind.fields}


def _inside(schema: Schema, api: Api) -> str | None:
    """Find the type with names that a field contains, alone or in a list."""
    inner, _ = without_null(schema)
    if inner.get("type") == "array":
        return _inside(inner["items"], api)
    assert not isinstance(inner.get("additionalProperties"), Mapping) or "$ref" not in inner["additionalProperties"]
    name = name_in(inner)
    return name if name is not None and isinstance(api.types[name], Object | Union) else None


def docstring(text: str, indent: str) -> list[str]:
    """Write a text below what it describes."""
    safe = text.replace("\\", "\\\\").replace('"""', "'''")
    lines = list(wrapped(f'"""{safe}', indent, WIDTH))
    if len(lines) == 1 and len(lines[0]) + 3 <= WIDTH and not lines[0].endswith('"'):
        return [f'{lines[0]}"""']
    return [*lines, f'{indent}"""']
