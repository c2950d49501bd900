"""What the pages of the reference show: routes by tag, and events, all from the OpenAPI document."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.docs_site.api_calls import (
    ApiMethod,
    add_preamble,
    build_example_call,
    render_curl,
    render_python,
    render_typescript,
)
from socialgate.docs_site.schema_tree import FieldNode, SchemaTrees, list_notes

_ACCESS = re.compile(r"\s*Who may call: ([^.]+)\.$")
_JSON = "application/json"


class OperationView(msgspec.Struct, frozen=True, kw_only=True):
    """A route on its page."""

    id: str
    http: str
    path: str
    summary: str
    description: str
    access: str
    sdk_name: str | None
    parameters: Mapping[str, Sequence[FieldNode]]
    body: Sequence[FieldNode]
    body_formats: Sequence[str]
    status: str
    response_type: str | None
    # The fields, or the id of the route on the same page that shows them.
    response: Sequence[FieldNode]
    response_shown_at: str | None
    response_formats: Sequence[str]
    error_codes: Mapping[str, Sequence[str]]
    examples: Mapping[str, str]
    response_example: str | None


class EventView(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    description: str
    fields: Sequence[FieldNode]
    example: str


class OperationViews:
    """Builds the routes of one page. A type that several return is shown once."""

    def __init__(self, schemas: SchemaTrees, query_examples: Mapping[str, Mapping[str, Any]]) -> None:
        self._schemas = schemas
        self._query_examples = query_examples
        self._shown: dict[str, str] = {}

    def build(self, method: ApiMethod) -> OperationView:
        operation = method.operation
        access = _ACCESS.search(operation["description"])
        status, response = next(item for item in operation["responses"].items() if item[0].startswith("2"))
        type_name = None if method.returns is None else self._schemas.get_name(method.returns)
        shown_at = self._shown.get(type_name or "")
        if type_name is not None:
            self._shown.setdefault(type_name, operation["operationId"])
        forms = operation.get("requestBody", {}).get("content", {})
        example = method.response_example
        return OperationView(
            id=operation["operationId"],
            http=method.http,
            path=method.path,
            summary=operation["summary"],
            description=_ACCESS.sub("", operation["description"]),
            access=access[1] if access else "",
            sdk_name=method.sdk_name,
            parameters={
                title: parameters
                for place, title in (("path", "Path"), ("query", "Query"), ("header", "Headers"))
                if (parameters := [self._describe(item) for item in method.list_parameters(place)])
            },
            body=[] if method.body is None else self._schemas.list_fields(method.body),
            body_formats=[form for form in forms if form != _JSON],
            status=status,
            response_type=type_name,
            response=[] if method.returns is None or shown_at else self._schemas.list_fields(method.returns),
            response_shown_at=shown_at,
            response_formats=[form for form in response.get("content", {}) if form != _JSON],
            error_codes={
                status: item["x-error-codes"]
                for status, item in operation["responses"].items()
                if item.get("x-error-codes")
            },
            examples=self.build_examples(method),
            response_example=None if example is None else format_json(example),
        )

    def build_examples(self, method: ApiMethod) -> Mapping[str, str]:
        """Write the example of a route in each language that has a way to call it."""
        call = build_example_call(method, self._query_examples.get(method.operation["operationId"], {}))
        examples = {"curl": render_curl(call)}
        if method.sdk_name is not None:
            examples["python"] = add_preamble("python", render_python(call, self._schemas))
            examples["typescript"] = add_preamble("typescript", render_typescript(call))
        return examples

    def _describe(self, parameter: Mapping[str, Any]) -> FieldNode:
        schema = {"properties": {parameter["name"]: parameter["schema"]}}
        (node,) = self._schemas.list_fields(schema)
        return msgspec.structs.replace(
            node,
            required=bool(parameter.get("required")),
            description=parameter.get("description", ""),
            notes=list(list_notes(parameter["schema"])),
        )


def build_event_views(document: Mapping[str, Any], schemas: SchemaTrees) -> list[EventView]:
    """Build every event that hooks receive, with a complete sample."""
    views = []
    for name, item in document["webhooks"].items():
        content = item["post"]["requestBody"]["content"][_JSON]
        envelope = schemas.resolve(content["schema"])
        views.append(
            EventView(
                name=name,
                description=item["post"]["summary"],
                fields=schemas.list_fields(envelope["properties"]["data"]),
                example=format_json(content["example"]),
            )
        )
    return views


def format_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n"
