"""The OpenAPI document as clients see it: resources, their methods, and the types that these send and return."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, TypeAlias

import msgspec

Schema: TypeAlias = Mapping[str, Any]
Document: TypeAlias = Mapping[str, Any]

_AT = "#/components/schemas/"
_PAGE = re.compile(r"Page_(\w+?)_")
_NULL = {"type": "null"}
_JSON, _CSV, _BYTES, _STREAM = "application/json", "text/csv", "application/octet-stream", "text/event-stream"
# Errors that most methods can raise are described once, in the README of the client.
_COMMON_SHARE = 0.5
# Objects for which something shorter can be given: their id alone, or what the API returned.
SHORT_FORMS: Final[Mapping[str, str]] = {"NewTarget": "accountId", "MediaRef": "mediaId"}
# Methods that are written by hand in the clients.
BY_HAND: Final = frozenset({"media.upload", "events.stream"})


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a path or of a query."""

    name: str
    schema: Schema
    description: str
    required: bool


class Field(msgspec.Struct, frozen=True, kw_only=True):
    """A field of an object."""

    name: str
    schema: Schema
    description: str
    required: bool

    @property
    def is_null_by_default(self) -> bool:
        """Return whether leaving it out and sending null are the same."""
        return "default" in self.schema and self.schema["default"] is None


class Object(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    fields: Sequence[Field]


class Union(msgspec.Struct, frozen=True, kw_only=True):
    """One of several types. `by` is the field that tells objects apart."""

    name: str
    description: str
    members: Sequence[Schema]
    by: str | None


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """An enum. Later versions can add values to one that is open."""

    name: str
    values: Sequence[str | int]
    is_open: bool


class Scalar(msgspec.Struct, frozen=True, kw_only=True):
    """A name for a type without parts."""

    name: str
    schema: Schema


Type: TypeAlias = Object | Union | Choice | Scalar


class Method(msgspec.Struct, frozen=True, kw_only=True):
    """A method of a resource: one route."""

    name: str
    resource: str
    http: str
    path: str
    summary: str
    description: str
    path_parameters: Sequence[Parameter]
    query: Sequence[Parameter]
    # The object that is sent as JSON, and whether a file of rows can be sent instead.
    body: str | None
    accepts_csv: bool
    # What is returned: the name of a type, None for nothing, or `bytes`.
    returns: Schema | None
    returns_bytes: bool
    # The type of the rows of a list, and the parameter that continues it.
    rows: Schema | None
    cursor: str | None
    is_idempotent: bool
    takes_if_match: bool
    error_codes: Sequence[str]

    @property
    def full_name(self) -> str:
        return f"{self.resource}.{self.name}"


class Resource(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    methods: Sequence[Method]
    children: Sequence["Resource"]

    @property
    def path(self) -> Sequence[str]:
        return self.name.split(".")


class Api(msgspec.Struct, frozen=True, kw_only=True):
    version: str
    resources: Sequence[Resource]
    types: Mapping[str, Type]
    # The names of the types that are sent, and of those that are returned.
    sent: Sequence[str]
    received: Sequence[str]


def read_api(document: Document) -> Api:
    """Read what clients need from the document."""
    types = _Types(document["components"]["schemas"])
    methods = [_read_method(document, *place) for place in _operations(document)]
    common = _find_common_codes(methods)
    methods = [
        msgspec.structs.replace(method, error_codes=[code for code in method.error_codes if code not in common])
        for method in methods
    ]
    sent = types.reachable([*(_ref(method.body) for method in methods), *_parameter_schemas(methods)])
    extra = [_ref(name) for name in ("Event", "EventEnvelope", "Problem", "UploadState", "MediaItem", "Task")]
    received = types.reachable([*(method.returns for method in methods), *extra])
    about = {tag["name"]: tag["description"] for tag in document["tags"]}
    return Api(
        version=document["info"]["version"],
        resources=_build_resources(methods, _describe_resources(document, about)),
        types={name: types.read(name) for name in sorted({*sent, *received})},
        sent=sent,
        received=received,
    )


def name_in(schema: Schema) -> str | None:
    """Return the name of the type that a schema refers to."""
    reference = schema.get("$ref")
    return None if reference is None else rename(reference.removeprefix(_AT))


def rename(name: str) -> str:
    """Return the name of a type in clients: a page of accounts is an `AccountPage`."""
    page = _PAGE.fullmatch(name)
    return f"{page[1]}Page" if page else name


def without_null(schema: Schema) -> tuple[Schema, bool]:
    """Split a schema into what it is and whether it can be null."""
    members = schema.get("anyOf")
    if members is None:
        return schema, False
    rest = [member for member in members if member != _NULL]
    if len(rest) == len(members):
        return schema, False
    about = {key: part for key, part in schema.items() if key != "anyOf"}
    return ({**about, **rest[0]} if len(rest) == 1 else {**about, "anyOf": rest}), True


class _Types:
    """The components of the document, with a name for every object."""

    def __init__(self, schemas: Mapping[str, Schema]) -> None:
        self._schemas: dict[str, Schema] = {}
        for name, schema in schemas.items():
            self._schemas[rename(name)] = self._name_objects(schema, rename(name))

    def read(self, name: str) -> Type:
        schema = self._schemas[name]
        about = schema.get("description", "")
        if "oneOf" in schema:
            by = schema.get("discriminator", {}).get("propertyName")
            return Union(name=name, description=about, members=schema["oneOf"], by=by)
        if _is_choice(schema):
            values = schema.get("enum") or schema["x-extensible-enum"]
            return Choice(name=name, values=values, is_open="x-extensible-enum" in schema)
        if "properties" not in schema:
            return Scalar(name=name, schema=schema)
        return Object(name=name, description=about, fields=list(_fields(schema)))

    def reachable(self, schemas: Sequence[Schema | None]) -> list[str]:
        """Find the types that schemas refer to, directly or not."""
        names: set[str] = set()
        waiting = [name for schema in schemas if schema is not None for name in names_in(schema)]
        while waiting:
            name = waiting.pop()
            if name not in names:
                names.add(name)
                waiting += names_in(self._schemas[name])
        return sorted(names)

    def _name_objects(self, schema: Any, at: str) -> Any:
        """Give objects inside of others a name after the place where they are."""
        if isinstance(schema, list):
            return [self._name_objects(part, at) for part in schema]
        if not isinstance(schema, Mapping):
            return schema
        parts: dict[str, Any] = {}
        for key, part in schema.items():
            if key == "properties":
                parts[key] = {
                    name: self._hoist(field, at + name[:1].upper() + name[1:]) for name, field in part.items()
                }
            elif key in {"items", "additionalProperties"} and isinstance(part, Mapping):
                parts[key] = self._hoist(part, f"{at}Item")
            elif key in {"anyOf", "oneOf"}:
                parts[key] = [self._hoist(member, at) for member in part]
            else:
                parts[key] = part
        return parts

    def _hoist(self, schema: Schema, at: str) -> Schema:
        schema = self._name_objects(schema, at)
        if "properties" not in schema:
            return schema
        self._schemas[at] = schema
        return {"$ref": f"{_AT}{at}", **{key: schema[key] for key in ("description",) if key in schema}}


def names_in(schema: Any) -> Iterator[str]:
    """List the types that a schema refers to."""
    if isinstance(schema, Mapping):
        name = name_in(schema)
        if name is not None:
            yield name
        for key, part in schema.items():
            if key != "discriminator":
                yield from names_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from names_in(part)


def _is_choice(schema: Schema) -> bool:
    return "enum" in schema or "x-extensible-enum" in schema


def _fields(schema: Schema) -> Iterator[Field]:
    required = set(schema.get("required", ()))
    for name, part in schema["properties"].items():
        yield Field(
            name=name,
            schema=part,
            description=part.get("description", ""),
            required=name in required and not part.get("x-may-be-omitted", False),
        )


def _operations(document: Document) -> Iterator[tuple[str, str, Schema]]:
    for path, methods in document["paths"].items():
        for http, operation in methods.items():
            if "x-sdk" in operation:
                yield http.upper(), path, operation


def _read_method(document: Document, http: str, path: str, operation: Schema) -> Method:
    shared = document["components"]["parameters"]
    parameters = [
        shared[item["$ref"].rpartition("/")[2]] if "$ref" in item else item for item in operation["parameters"]
    ]
    headers = {item["name"] for item in parameters if item["in"] == "header"}
    query = _read_parameters(parameters, "query")
    forms = operation.get("requestBody", {}).get("content", {})
    returns, returns_bytes = _read_response(operation)
    rows, cursor = _read_list(document, returns, query)
    return Method(
        name=operation["x-sdk"]["method"],
        resource=operation["x-sdk"]["resource"],
        http=http,
        path=path,
        summary=operation["summary"],
        description=operation["description"],
        path_parameters=_read_parameters(parameters, "path"),
        query=[parameter for parameter in query if parameter.name != cursor],
        body=name_in(forms[_JSON]["schema"]) if _JSON in forms else None,
        accepts_csv=_CSV in forms,
        returns=returns,
        returns_bytes=returns_bytes,
        rows=rows,
        cursor=cursor,
        is_idempotent="Idempotency-Key" in headers,
        takes_if_match="If-Match" in headers,
        error_codes=[code for item in operation["responses"].values() for code in item.get("x-error-codes", ())],
    )


def _read_parameters(parameters: Sequence[Schema], place: str) -> list[Parameter]:
    return [
        Parameter(
            name=item["name"],
            schema=item["schema"],
            description=item.get("description", ""),
            required=item["required"],
        )
        for item in parameters
        if item["in"] == place
    ]


def _read_response(operation: Schema) -> tuple[Schema | None, bool]:
    for status, response in operation["responses"].items():
        content = response.get("content", {})
        if not status.startswith("2") or not content:
            continue
        if _JSON in content:
            return content[_JSON]["schema"], False
        return (content[_STREAM]["schema"], False) if _STREAM in content else (None, _BYTES in content)
    return None, False


def _read_list(
    document: Document, returns: Schema | None, query: Sequence[Parameter]
) -> tuple[Schema | None, str | None]:
    """Find the rows of a page, and the parameter that continues after it."""
    if returns is None or "$ref" not in returns:
        return None, None
    fields = document["components"]["schemas"][returns["$ref"].removeprefix(_AT)].get("properties", {})
    cursor = next((item.name for item in query if item.name in {"cursor", "after"}), None)
    if not {"data", "nextCursor"} <= fields.keys():
        return None, None
    return fields["data"]["items"], cursor


def _find_common_codes(methods: Sequence[Method]) -> set[str]:
    codes = [code for method in methods for code in set(method.error_codes)]
    return {code for code in set(codes) if codes.count(code) > _COMMON_SHARE * len(methods)}


def _ref(name: str | None) -> Schema | None:
    return None if name is None else {"$ref": f"{_AT}{name}"}


def _parameter_schemas(methods: Sequence[Method]) -> list[Schema]:
    return [item.schema for method in methods for item in (*method.path_parameters, *method.query)]


def _describe_resources(document: Document, about: Mapping[str, str]) -> dict[str, str]:
    """Describe a resource by the tag of its first route."""
    words: dict[str, str] = {}
    for _, _, operation in _operations(document):
        words.setdefault(operation["x-sdk"]["resource"], about[operation["tags"][0]])
    return words


def _build_resources(methods: Sequence[Method], words: Mapping[str, str], under: str = "") -> list[Resource]:
    names = {_first_below(method.resource, under) for method in methods if _is_below(method.resource, under)}
    return [
        Resource(
            name=name,
            description=words.get(name, ""),
            methods=sorted((method for method in methods if method.resource == name), key=_method_order),
            children=_build_resources(methods, words, name),
        )
        for name in sorted(names)
    ]


def _is_below(resource: str, under: str) -> bool:
    return resource != under and (not under or resource.startswith(f"{under}."))


def _first_below(resource: str, under: str) -> str:
    rest = resource.removeprefix(f"{under}.") if under else resource
    first = rest.split(".")[0]
    return f"{under}.{first}" if under else first


def _method_order(method: Method) -> tuple[int, str]:
    usual = ("list", "get", "create", "update", "delete")
    return (usual.index(method.name) if method.name in usual else len(usual)), method.name
