"""The typed input of the controls, read from JSON or from a form on the page."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_args
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta
from starlette.requests import Request

from socialgate_sandbox.kernel.faults import FaultTiming
from socialgate_sandbox.kernel.hook_receiver_log import ANY_PATH
from socialgate_sandbox.kernel.vendor import ActionRequest, ControlError
from socialgate_sandbox.kernel.webhook_sender import WebhookSendMode, WebhookState

Status = Annotated[int, Meta(ge=200, le=599)]
Limit = Annotated[int, Meta(ge=1, le=2000)]
T = TypeVar("T", bound=msgspec.Struct)
_WRONG_TYPE = re.compile(r"Expected `(.+)`, got `(.+)` - at `\$\.(\w+)`")
_WRONG_VALUE = re.compile(r"Invalid enum value (.+) - at `\$\.(\w+)`")
_OUT_OF_RANGE = re.compile(r"Expected `\w+` ([<>]=?) (\S+) - at `\$\.(\w+)`")
_WRONG_FIELD = re.compile(r"Object (contains unknown|missing required) field `(\w+)`")
_WRONG_FORM = re.compile(r"Invalid (.+) - at `\$\.(\w+)`")
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_TYPES = {
    "str": "text",
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


class FailRequest(ActionRequest, frozen=True, kw_only=True):
    """Make calls to a platform fail: with one of its own errors by name, with a status and body, with a delay, or with
    no response at all.
    """

    platform: str
    error: str | None = None
    status: Status | None = None
    body: Any = None
    headers: dict[str, str] = {}
    path: str = "*"
    method: str = "*"
    account: str | None = None
    skip: Annotated[int, Meta(ge=0)] = 0
    times: Annotated[int, Meta(ge=1)] = 1
    when: FaultTiming = "before"
    delay: Annotated[float, Meta(ge=0, le=86400)] = 0.0
    hang: bool = False


class GatewayRequest(ActionRequest, frozen=True, kw_only=True):
    """Say where a process of the product runs, and to which deployment it belongs."""

    deployment: Annotated[str, Meta(min_length=1, max_length=100)]
    url: Annotated[str, Meta(max_length=2000)]


class ThrottleRequest(ActionRequest, frozen=True, kw_only=True):
    """Limit a platform to this many calls per minute, or remove the limit if no number is given."""

    platform: str
    per_minute: Annotated[int, Meta(ge=0)] | None = None


class ClockRequest(ActionRequest, frozen=True, kw_only=True):
    """Move the sandbox's clock forward by a number of seconds, to a date and time (UTC unless it has an offset), or
    back to the machine's time.
    """

    advance: float | None = None
    to: str | None = None
    reset: bool = False


class CancelRequest(ActionRequest, frozen=True, kw_only=True):
    """Cancel one failure, or all failures and rate limits."""

    id: str | None = None


class WebhooksRequest(ActionRequest, frozen=True, kw_only=True):
    """Send webhooks normally, send each twice, or hold them; `release` sends the held ones, newest first."""

    mode: WebhookSendMode | None = None
    release: bool = False


class ReceiverRequest(ActionRequest, frozen=True, kw_only=True):
    """Configure the hook receiver: the signing secret and the response, for one path or for all."""

    path: str = ANY_PATH
    secret: str | None = None
    answer: Status | Literal["hang"] | None = None
    times: Annotated[int, Meta(ge=1)] | None = None
    retry_after: Annotated[int, Meta(ge=0)] | None = None


class EmptyRequest(ActionRequest, frozen=True, kw_only=True):
    """Takes nothing."""


class AccountsQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str | None = None


class ReceivedQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str | None = None
    path: str | None = None
    account: str | None = None
    limit: Limit = 100


class DeliveriesQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str | None = None
    state: WebhookState | None = None
    limit: Limit = 100


class ReceiverQuery(ActionRequest, frozen=True, kw_only=True):
    path: str | None = None
    limit: Limit = 100


def is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")


async def read_body_fields(request: Request) -> dict[str, Any]:
    """Read the body as an object. An empty text field of a form counts as omitted."""
    body = await request.body()
    if is_form(request):
        return {name: value for name, value in parse_query_string(body.decode("utf-8", "replace")).items() if value}
    try:
        value = msgspec.json.decode(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ControlError(f"Send a JSON object. The body is not valid JSON: {error}", 400) from error
    if not isinstance(value, dict):
        raise ControlError("Send a JSON object.", 400)
    return value


def parse_query_string(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True))


def known_fields(type_: type[msgspec.Struct], fields: Mapping[str, str]) -> dict[str, str]:
    """Keep the parameters that a page has. Links and browsers add others to its address, which people cannot help."""
    names = {field.encode_name for field in msgspec.structs.fields(type_)}
    return {name: value for name, value in fields.items() if name in names}


def parse_request(type_: type[T], fields: Mapping[str, Any], *, strict: bool) -> T:
    try:
        return msgspec.convert(dict(fields), type_, strict=strict)
    except msgspec.ValidationError as error:
        known = ", ".join(field.encode_name for field in msgspec.structs.fields(type_)) or "none"
        raise ControlError(f"{_explain_error(str(error), type_)} Known fields: {known}.", 422) from error


def _explain_error(message: str, type_: type[Any]) -> str:
    """Say in words what the decoder expected."""
    if match := _WRONG_TYPE.fullmatch(message):
        expected, got, name = match.groups()
        expected_type = " or ".join(_TYPES.get(item, item) for item in expected.split(" | ") if item != "null")
        return f"{name} must be {expected_type}, not {_TYPES.get(got, got)}."
    if match := _WRONG_VALUE.fullmatch(message):
        value, name = match.groups()
        (field,) = (field_info for field_info in msgspec.structs.fields(type_) if field_info.encode_name == name)
        return f"{name} cannot be {value}. {_describe_choices(field.type)}."
    if match := _OUT_OF_RANGE.fullmatch(message):
        bound, number, name = match.groups()
        return f"{name} must be {_BOUNDS[bound]} {number}."
    if match := _WRONG_FIELD.fullmatch(message):
        return f"{match[2]} is required." if match[1].startswith("missing") else f"There is no field {match[2]}."
    if match := _WRONG_FORM.fullmatch(message):
        return f"{match[2]} is not a valid {match[1].removeprefix('RFC3339 encoded ')}."
    return f"{message}."


def _describe_choices(type_: Any) -> str:
    values, bounds = _list_values(type_), _find_bounds(type_)
    if bounds is None:
        return f"Choose one of: {', '.join(values)}"
    return f"Send a number from {bounds.ge} to {bounds.le}, or {' or '.join(values)}"


def _find_bounds(type_: Any) -> Meta | None:
    """Find the bounds of a field that takes a number as well."""
    own = (part for part in getattr(type_, "__metadata__", ()) if isinstance(part, Meta) and part.ge is not None)
    return next(own, None) or next(filter(None, map(_find_bounds, get_args(type_))), None)


def _list_values(type_: Any) -> list[str]:
    """List the values of a field that has a fixed set of them."""
    if isinstance(type_, type) and issubclass(type_, Enum):
        return [str(enum.value) for enum in type_]
    parts = get_args(type_)
    return [value for part in parts for value in ([part] if isinstance(part, str) else _list_values(part))]
