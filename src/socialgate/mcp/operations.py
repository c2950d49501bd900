"""What the API can do, read from its OpenAPI document: a tool calls operations, and knows nothing else."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import msgspec

Schema: TypeAlias = Mapping[str, Any]

_METHODS = frozenset({"get", "post", "put", "patch", "delete"})
_JSON = "application/json"
_PREFIX = re.compile(r"`([a-z]+)_…`")


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """A parameter of a path or a query, or a field of a body."""

    name: str
    schema: Schema
    description: str
    required: bool


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """A route of the API that a tool can call."""

    # As clients call it: `posts.create`.
    name: str
    http: str
    path: str
    summary: str
    path_arguments: Sequence[Argument]
    query: Sequence[Argument]
    body: Sequence[Argument]
    writes: bool
    is_idempotent: bool
    # It returns a list that is read page by page, and continues with this parameter.
    is_list: bool
    cursor: str | None
    # API keys cannot call it.
    needs_session: bool

    @property
    def resource(self) -> str:
        return self.name.rpartition(".")[0]

    @property
    def method(self) -> str:
        return self.name.rpartition(".")[2]

    @property
    def arguments(self) -> Sequence[Argument]:
        return (*self.path_arguments, *self.query, *self.body)

    @property
    def id_prefix(self) -> str | None:
        """The start of the ids of what its path names last, such as `post`."""
        match = _PREFIX.search(self.path_arguments[-1].description) if self.path_arguments else None
        return None if match is None else match[1]


class ApiOperations:
    """The operations of a document, by name, with the schemas that they refer to."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._components: Mapping[str, Any] = document["components"]
        self.by_name: Mapping[str, Operation] = {
            operation.name: operation for operation in self._read_operations(document["paths"])
        }

    def find(self, http: str, path: str) -> Operation | None:
        """Find an operation by its route."""
        return next((known for known in self.by_name.values() if (known.http, known.path) == (http, path)), None)

    def resolve(self, schema: Schema) -> Schema:
        """Follow a reference, and take the part of a union that is not null."""
        if "$ref" in schema:
            _, _, group, name = schema["$ref"].split("/")
            return self.resolve(self._components[group][name])
        parts = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
        return self.resolve(parts[0]) if len(parts) == 1 else schema

    def _read_operations(self, paths: Mapping[str, Any]) -> Iterator[Operation]:
        for path, item in paths.items():
            for method, declared in item.items():
                if method in _METHODS and "x-sdk" in declared:
                    yield self._read_operation(method, path, declared)

    def _read_operation(self, method: str, path: str, declared: Mapping[str, Any]) -> Operation:
        parameters = [self._follow(parameter) for parameter in declared.get("parameters", ())]
        in_query = [_read_parameter(parameter) for parameter in parameters if parameter["in"] == "query"]
        returned = self._find_returned_schema(declared)
        names = {argument.name for argument in in_query}
        return Operation(
            name=f"{declared['x-sdk']['resource']}.{declared['x-sdk']['method']}",
            http=method.upper(),
            path=path,
            summary=declared["summary"],
            path_arguments=_in_order(
                path, [_read_parameter(parameter) for parameter in parameters if parameter["in"] == "path"]
            ),
            query=in_query,
            body=self._read_body(declared),
            writes=_refuses_read_only_keys(declared),
            is_idempotent=any(parameter["name"] == "Idempotency-Key" for parameter in parameters),
            is_list=method == "get" and returned.get("properties", {}).get("data", {}).get("type") == "array",
            cursor=next((name for name in ("cursor", "after") if name in names), None),
            needs_session=bool(declared["security"]) and all("apiKey" not in way for way in declared["security"]),
        )

    def _follow(self, item: Mapping[str, Any]) -> Mapping[str, Any]:
        if "$ref" not in item:
            return item
        _, _, group, name = item["$ref"].split("/")
        followed: Mapping[str, Any] = self._components[group][name]
        return followed

    def _read_body(self, declared: Mapping[str, Any]) -> Sequence[Argument]:
        content = declared.get("requestBody", {}).get("content", {})
        if _JSON not in content:
            return ()
        schema = self.resolve(content[_JSON]["schema"])
        required = schema.get("required", ())
        return [
            Argument(name=name, schema=field, description=self._get_description(field), required=name in required)
            for name, field in schema.get("properties", {}).items()
        ]

    def _get_description(self, field: Schema) -> str:
        return str(field.get("description") or self.resolve(field).get("description", ""))

    def _find_returned_schema(self, declared: Mapping[str, Any]) -> Schema:
        for status, response in declared["responses"].items():
            content = self._follow(response).get("content", {})
            if status.startswith("2") and _JSON in content:
                return self.resolve(content[_JSON].get("schema", {}))
        return {}


def _read_parameter(parameter: Mapping[str, Any]) -> Argument:
    return Argument(
        name=parameter["name"],
        schema=parameter["schema"],
        description=parameter.get("description", ""),
        required=parameter.get("required", False),
    )


def _in_order(path: str, parameters: Sequence[Argument]) -> Sequence[Argument]:
    """Sort the parameters of a path as they stand in it."""
    return sorted(parameters, key=lambda parameter: path.index(f"{{{parameter.name}}}"))


def _refuses_read_only_keys(declared: Mapping[str, Any]) -> bool:
    return any("read_only_key" in response.get("x-error-codes", ()) for response in declared["responses"].values())
