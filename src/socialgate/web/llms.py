"""`/llms.txt`: the API in plain text, for language models.

An index with one line per endpoint, one file per area with everything about its endpoints, and one file with all areas.
"""

from collections.abc import Iterable, Mapping, Sequence
from inspect import cleandoc
from typing import Any, get_args, get_origin
from urllib.parse import urlencode

import msgspec

from socialgate import __version__
from socialgate.core.events import EVENT_TYPES, EventData
from socialgate.web.api_description import (
    ApiOperation,
    FieldDescription,
    Unions,
    describe_access,
    describe_query_parameters,
    describe_union_member,
    get_example,
    get_union_tag,
    group_by_tag,
    group_errors_by_status,
    list_fields,
)
from socialgate.web.route import HeaderDescription, RouteTag
from socialgate.web.schemas import Page

_BLOCKS_INTRODUCTION = """
Each block below is one endpoint: METHOD /path, then who may call, parameters, body, response, errors, an example.
"""

_INDEX_INTRODUCTION = """
Every area has a file with all details of its endpoints, and an example for each. {base}/llms-full.txt contains all of
them, {base}/openapi.json is the OpenAPI 3.1 document.
"""

_API_INTRODUCTION = """\
# Socialgate {version}

> One HTTP API for social, messaging and advertising accounts. Base URL: {base}

Conventions on every route:
- Credential: `Authorization: Bearer <API key>`. Routes marked "user session only" need a session token instead.
- JSON in camelCase. Times are RFC 3339 in UTC with Z. Unknown fields and unknown query parameters return 422.
- Lists return {{"data": [...], "nextCursor": string or null}}; pass nextCursor as `cursor` for the next page.
- Errors are application/problem+json: type, title, status, detail, instance, code, requestId, and where applicable
  errors[] {{pointer, code, detail}} and retryAfter. `detail` says how to fix the error.
- POST accepts `Idempotency-Key` (except under /auth): the same key returns the first response for 24 hours.
- PATCH accepts `If-Match` with the ETag of the version you read; 412 means that the resource has changed since.
- `X-Request-Id` is in every response. `RateLimit` and `RateLimit-Policy` show what is left of the limit.
"""

_FILE_OF_TYPES, _FILE_OF_EVENTS = "automations.txt", "events.txt"
_EVENTS_INTRODUCTION = """\
# Events

What hooks receive, and what GET /events and GET /events/stream return. Every body is a JSON object with exactly the
fields event, ownerId, profileId and data. Headers of a delivery: X-Service-Signature (sha256= followed by the
HMAC-SHA-256 of the raw body in hexadecimal, with the hook's secret as key), X-Service-Event (the name),
X-Service-Delivery (the id of the delivery), and webhook-id (the id of the event), webhook-timestamp and
webhook-signature, as in Standard Webhooks.
"""


class LlmsTexts(msgspec.Struct, frozen=True):
    """The index, everything, and what belongs to each area, by the name of its file."""

    index: str
    full: str
    areas: dict[str, str]


def llms_texts(operations: Sequence[ApiOperation], public_url: str, unions: Unions) -> LlmsTexts:
    introduction = _API_INTRODUCTION.format(version=__version__, base=public_url)
    groups = group_by_tag(operations)
    areas: dict[str, list[str]] = {
        get_area_file_name(tag): [
            _build_area_heading(tag, public_url),
            *(_build_operation_block(operation, public_url) for operation in group),
        ]
        for tag, group in groups.items()
    }
    blocks = [_build_operation_block(operation, public_url) for operation in operations]
    types = [_build_union_text(name, members) for name, members in unions.items()]
    events = [_EVENTS_INTRODUCTION, *(_build_event_text(kind) for kind in EVENT_TYPES.values())]
    # What is not an endpoint is in the file of the area that people would look into.
    for name, more in ((_FILE_OF_TYPES, types), (_FILE_OF_EVENTS, events)):
        if name in areas:
            areas[name] += more
    return LlmsTexts(
        index=introduction
        + _INDEX_INTRODUCTION.format(base=public_url)
        + "\n"
        + "\n".join(_build_area_listing(groups, public_url)),
        full="\n".join([introduction + _BLOCKS_INTRODUCTION, *blocks, *types, *events]),
        areas={name: "\n".join(parts) for name, parts in areas.items()},
    )


def get_area_file_name(tag: str) -> str:
    """Return the name of the file that describes an area."""
    return tag.lower().replace(" ", "-") + ".txt"


def _build_area_listing(groups: Mapping[RouteTag, Sequence[ApiOperation]], public_url: str) -> Iterable[str]:
    for tag, group in groups.items():
        url = f"{public_url}/llms/{get_area_file_name(tag)}"
        yield f"## {tag}\n\n{tag.description} Details: {url}\n"
        yield (
            "\n".join(f"- [{operation.method} {operation.path}]({url}): {operation.summary}" for operation in group)
            + "\n"
        )


def _build_area_heading(tag: RouteTag, public_url: str) -> str:
    conventions = f"{public_url}/llms.txt has the conventions and the other areas."
    return f"# {tag}\n\n> {tag.description} {conventions}\n{_BLOCKS_INTRODUCTION}"


def _build_operation_block(operation: ApiOperation, public_url: str) -> str:
    lines = [f"{operation.method} {operation.path}", operation.summary]
    if operation.description:
        lines.append(operation.description)
    lines.append(f"Who may call: {describe_access(operation.spec)}")
    lines += _build_section("Path parameters", _path_lines(operation))
    lines += _build_section("Query parameters", _field_lines(describe_query_parameters(operation.spec.query)))
    lines += _build_section("Headers", _header_lines(operation.spec.takes))
    if operation.body is not None:
        lines += _build_section("Body (application/json)", _field_lines(list_fields(operation.body)))
    for media_type, shape in operation.spec.body_formats.items():
        lines += _build_section(f"Body ({media_type})", _form_lines(shape))
    lines += _build_response_lines(operation)
    lines += _build_section("Response headers", _header_lines(operation.spec.sends))
    lines += _build_section("Errors", _error_lines(operation))
    lines += ["Example:", *_build_curl_example(operation, public_url)]
    return "\n".join(lines) + "\n"


def _path_lines(operation: ApiOperation) -> list[str]:
    choices = {name: ", ".join(values) for name, values in operation.spec.choices.items()}
    return [
        f"{name}: string, required" + (f". One of {choices[name]}" if name in choices else "")
        for name in operation.path_parameters
    ]


def _header_lines(headers: Sequence[HeaderDescription]) -> list[str]:
    return [
        f"{header.name}: {header.description}{'' if header.required else ' Optional.'} Example: {header.example}"
        for header in headers
    ]


def _form_lines(shape: Any) -> Sequence[str]:
    if shape is bytes:
        return ["the file itself"]
    return shape.splitlines() if isinstance(shape, str) else _field_lines(list_fields(shape))


def _build_union_text(name: str, members: Sequence[Any]) -> str:
    lines = [f"# {name}", "", "An object of one of these types."]
    for member in members:
        lines += [
            "",
            f"## {get_union_tag(member)}",
            describe_union_member(member),
            *_build_section("Fields", _field_lines(list_fields(member))),
        ]
        lines += ["Example:", "  " + msgspec.json.encode(member.example()).decode()]
    return "\n".join(lines) + "\n"


def _build_section(title: str, lines: Iterable[str]) -> list[str]:
    body = [f"- {line}" for line in lines]
    return [f"{title}:", *body] if body else []


def _field_lines(fields: Sequence[FieldDescription]) -> list[str]:
    return [
        f"{field.name}: {field.kind}, {'required' if field.required else 'optional'}"
        + (f". {field.rule}" if field.rule else "")
        for field in fields
    ]


def _build_response_lines(operation: ApiOperation) -> list[str]:
    if operation.answer is None:
        return [f"Response: {operation.status} without a body"]
    if operation.answer in {str, bytes}:
        return [f"Response: {operation.status} {operation.spec.answers}"]
    kind = operation.answer
    title = f"Response: {operation.status} {', '.join((operation.spec.answers, *operation.spec.other_media_types))}"
    if get_origin(kind) is Page:
        kind, title = get_args(kind)[0], f"{title}, a list of"
    return _build_section(title, [f"{field.name}: {field.kind}" for field in list_fields(kind)])


def _error_lines(operation: ApiOperation) -> list[str]:
    return [
        f"{status}: " + ", ".join(kind.code for kind in kinds)
        for status, kinds in group_errors_by_status(operation.list_error_types()).items()
    ]


def _build_curl_example(operation: ApiOperation, public_url: str) -> list[str]:
    parts = [f"curl -X {operation.method} '{public_url}{operation.path}{_build_example_query(operation)}'"]
    if describe_access(operation.spec) != "public":
        parts.append('-H "Authorization: Bearer $TOKEN"')
    if operation.body is not None:
        body = msgspec.json.encode(get_example(operation.body)).decode()
        parts += ["-H 'Content-Type: application/json'", f"-d '{body}'"]
    elif operation.spec.body_formats:
        parts += _build_curl_body(*next(iter(operation.spec.body_formats.items())))
    lines = ["  " + " ".join(parts)]
    if operation.answer is not None and operation.answer not in {str, bytes}:
        lines.append("  → " + msgspec.json.encode(operation.answer_example).decode())
    return lines


def _build_example_query(operation: ApiOperation) -> str:
    """Return the example of the query, for routes that do not work without one."""
    if not any(field.required for field in describe_query_parameters(operation.spec.query)):
        return ""
    params = {name: value for name, value in get_example(operation.spec.query).items() if name != "limit"}
    return "?" + urlencode(params, safe=",:")


def _build_curl_body(media_type: str, shape: Any) -> list[str]:
    """Return how the first format of a body is sent that the route reads itself."""
    if shape is bytes:
        body = "--data-binary @file"
    else:
        text = shape if isinstance(shape, str) else msgspec.json.encode(get_example(shape)).decode()
        body = f"--data-binary '{text}'"
    return [f"-H 'Content-Type: {media_type}'", body]


def _build_event_text(kind: type[EventData]) -> str:
    lines = [f"## {kind.event}", " ".join(cleandoc(kind.__doc__ or "").split())]
    lines += _build_section("Fields of data", _field_lines(list_fields(kind)))
    lines += ["Example of data:", "  " + msgspec.json.encode(kind.example()).decode()]
    return "\n".join(lines) + "\n"
