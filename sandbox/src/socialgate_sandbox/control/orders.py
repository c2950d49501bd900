"""The typed input of the controls, read from JSON or from a form on the page."""

import re
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Literal, TypeVar, get_args
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta
from starlette.requests import Request

from socialgate_sandbox.kernel.faults import When
from socialgate_sandbox.kernel.hooks_out import Mode, State
from socialgate_sandbox.kernel.inbox import ANY_PATH
from socialgate_sandbox.kernel.vendor import ActionRequest, ControlError

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


class FailOrder(ActionRequest, frozen=True, kw_only=True):
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
    when: When = "before"
    delay: Annotated[float, Meta(ge=0, le=86400)] = 0.0
    hang: bool = False


class GatewayOrder(ActionRequest, frozen=True, kw_only=True):
    """Say where a process of the product runs, and to which deployment it belongs."""

    deployment: Annotated[str, Meta(min_length=1, max_length=100)]
    url: Annotated[str, Meta(max_length=2000)]


class ThrottleOrder(ActionRequest, frozen=True, kw_only=True):
    """Limit a platform to this many calls per minute, or remove the limit if no number is given."""

    platform: str
    per_minute: Annotated[int, Meta(ge=0)] | None = None


class ClockOrder(ActionRequest, frozen=True, kw_only=True):
    """Move the sandbox's clock forward by a number of seconds, to a date and time (UTC unless it has an offset), or
    back to the machine's time.
    """

    advance: float | None = None
    to: str | None = None
    reset: bool = False


class CancelOrder(ActionRequest, frozen=True, kw_only=True):
    """Cancel one failure, or all failures and rate limits."""

    id: str | None = None


class WebhooksOrder(ActionRequest, frozen=True, kw_only=True):
    """Send webhooks normally, send each twice, or hold them; `release` sends the held ones, newest first."""

    mode: Mode | None = None
    release: bool = False


class ReceiverOrder(ActionRequest, frozen=True, kw_only=True):
    """Configure the hook receiver: the signing secret and the response, for one path or for all."""

    path: str = ANY_PATH
    secret: str | None = None
    answer: Status | Literal["hang"] | None = None
    times: Annotated[int, Meta(ge=1)] | None = None
    retry_after: Annotated[int, Meta(ge=0)] | None = None


class NoOrder(ActionRequest, frozen=True, kw_only=True):
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
    state: State | None = None
    limit: Limit = 100


class ReceiverQuery(ActionRequest, frozen=True, kw_only=True):
    path: str | None = None
    limit: Limit = 100


def is_form(request: Request) -> bool:
    return request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded")


async def fields_of(request: Request) -> dict[str, Any]:
    """Read the body as an object. An empty text field of a form counts as omitted."""
    body = await request.body()
    if is_form(request):
        return {name: value for name, value in query_fields(body.decode("utf-8", "replace")).items() if value}
    try:
        value = msgspec.json.decode(body or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ControlError(f"Send a JSON object. The body is not valid JSON: {error}", 400) from error
    if not isinstance(value, dict):
        raise ControlError("Send a JSON object.", 400)
    return value


def query_fields(text: str) -> dict[str, str]:
    return dict(parse_qsl(text, keep_blank_values=True))


def known_fields(kind: type[msgspec.Struct], fields: Mapping[str, str]) -> dict[str, str]:
    """Keep the parameters that a page has. Links and browsers add others to its address, which people cannot help."""
    names = {field.encode_name for field in msgspec.structs.fields(kind)}
    return {name: value for name, value in fields.items() if name in names}


def to_order(kind: type[T], fields: Mapping[str, Any], *, strict: bool) -> T:
    try:
        return msgspec.convert(dict(fields), kind, strict=strict)
    except msgspec.ValidationError as error:
        known = ", ".join(field.encode_name for field in msgspec.structs.fields(kind)) or "none"
        raise ControlError(f"{_explained(str(error), kind)} Known fields: {known}.", 422) from error


def _explained(said: str, kind: type[Any]) -> str:
    """Say in words what the decoder expected."""
    if found := _WRONG_TYPE.fullmatch(said):
        expected, got, name = found.groups()
        wanted = " or ".join(_TYPES.get(one, one) for one in expected.split(" | ") if one != "null")
        return f"{name} must be {wanted}, not {_TYPES.get(got, got)}."
    if found := _WRONG_VALUE.fullmatch(said):
        given, name = found.groups()
        (field,) = (one for one in msgspec.structs.fields(kind) if one.encode_name == name)
        return f"{name} cannot be {given}. {_choices(field.type)}."
    if found := _OUT_OF_RANGE.fullmatch(said):
        bound, number, name = found.groups()
        return f"{name} must be {_BOUNDS[bound]} {number}."
    if found := _WRONG_FIELD.fullmatch(said):
        return f"{found[2]} is required." if found[1].startswith("missing") else f"There is no field {found[2]}."
    if found := _WRONG_FORM.fullmatch(said):
        return f"{found[2]} is not a valid {found[1].removeprefix('RFC3339 encoded ')}."
    return f"{said}."


def _choices(kind: Any) -> str:
    values, bounds = _values(kind), _bounds(kind)
    if bounds is None:
        return f"Choose one of: {', '.join(values)}"
    return f"Send a number from {bounds.ge} to {bounds.le}, or {' or '.join(values)}"


def _bounds(kind: Any) -> Meta | None:
    """Find the bounds of a field that takes a number as well."""
    own = (part for part in getattr(kind, "__metadata__", ()) if isinstance(part, Meta) and part.ge is not None)
    return next(own, None) or next(filter(None, map(_bounds, get_args(kind))), None)


def _values(kind: Any) -> list[str]:
    """List the values of a field that has a fixed set of them."""
    if isinstance(kind, type) and issubclass(kind, Enum):
        return [str(one.value) for one in kind]
    parts = get_args(kind)
    return [one for part in parts for one in ([part] if isinstance(part, str) else _values(part))]
