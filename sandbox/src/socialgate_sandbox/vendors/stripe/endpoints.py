"""How every endpoint works: keys, versions, idempotency, parameters, lists, expansion."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, Method, Route, build_json_response
from socialgate_sandbox.kit.bracket_forms import format_bracket_path, parse_nested_form
from socialgate_sandbox.kit.idempotency import IdempotencyKeys
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.errors import (
    ERRORS,
    INVALID_REQUEST_TYPE,
    NO_API_KEY_MESSAGE,
    build_invalid_error,
    build_missing_error,
    build_request_id,
    declare_error,
)
from socialgate_sandbox.vendors.stripe.operations import API_VERSION, Operation
from socialgate_sandbox.vendors.stripe.state import Customer, Price, Product, Resource, build_list

HOST_PREFIX = "/api.stripe.com"
# Before this one, subscriptions and invoices had other shapes, which are not simulated.
_MIN_VERSION = "2025-03-31"
_VERSION_PATTERN = re.compile(r"\d{4}-\d\d-\d\d(\.[a-z]+)?")
_MAX_KEY_LENGTH, _MAX_EXPAND_DEPTH, _MAX_METADATA = 255, 4, 50
_TYPES_BY_ID_PREFIX: Mapping[str, type[Resource]] = {
    "cus": Customer,
    "sub": Subscription,
    "in": Invoice,
    "price": Price,
    "prod": Product,
    "cs": Session,
}
_PATH_PATTERN = re.compile(r" - at `\$\.?(.*)`$")
_FIELD_ERROR_PATTERN = re.compile(r"Object (contains unknown|missing required) field `(.+)`")
_TYPE_ERROR_PATTERN = re.compile(r"Expected `(.+)`, got `(.+)`")
Metadata = dict[Annotated[str, Meta(max_length=40)], Annotated[str, Meta(max_length=500)] | None]
"""In a request: None deletes a key."""
Amount = Annotated[int, Meta(ge=-99_999_999, le=99_999_999)]
UnixTime = Annotated[int, Meta(ge=0, le=9_999_999_999)]
Quantity = Annotated[int, Meta(ge=1, le=999_999)]


class Params(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    expand: list[str] = []


class TimeFilter(msgspec.Struct, forbid_unknown_fields=True):
    gt: int | None = None
    gte: int | None = None
    lt: int | None = None
    lte: int | None = None

    def contains(self, unix_time: int) -> bool:
        return (
            (self.gt is None or unix_time > self.gt)
            and (self.gte is None or unix_time >= self.gte)
            and (self.lt is None or unix_time < self.lt)
            and (self.lte is None or unix_time <= self.lte)
        )


class ListParams(Params, kw_only=True):
    """The parameters of a list. Those that a subclass adds are fields that must be equal, unless it says otherwise."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    starting_after: str | None = None
    ending_before: str | None = None
    created: TimeFilter | int | None = None

    def matches_fields(self, resource: Resource) -> bool:
        names = [field.name for field in msgspec.structs.fields(self) if field.name not in _COMMON_LIST_PARAMS]
        return all(getattr(self, name) in {None, getattr(resource, name)} for name in names)

    def matches(self, resource: Resource) -> bool:
        when = TimeFilter(gte=self.created, lte=self.created) if isinstance(self.created, int) else self.created
        return (when is None or when.contains(resource.created)) and self.matches_fields(resource)


_COMMON_LIST_PARAMS = {field.name for field in msgspec.structs.fields(ListParams)}
P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Resource)


class ApiRequest(Operation):
    """An API call that is being answered."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.context, int(call.context.clock.get_unix_time()))
        self.call = call
        self.event_request = {"id": build_request_id(call), "idempotency_key": call.headers.get("idempotency-key")}

    @property
    def path_id(self) -> str:
        """The id in the path."""
        return self.call.path_params["id"]

    def require_object(self, type_: type[R], key: str, param: str = "id", *, status: int = 400) -> R:
        """Find what a parameter names, or what the path does."""
        item = self.store.get(type_, key)
        if item is None:
            field_infos = msgspec.structs.fields(type_)
            name = next(str(field.default) for field in field_infos if field.name == "object")
            raise build_missing_error(name.replace("_", " "), key, param, status)
        return item

    def require_path_object(self, type_: type[R]) -> R:
        return self.require_object(type_, self.path_id, status=404)


EndpointFunction = Callable[[ApiRequest, P], Resource | dict[str, Any] | Response]


def build_endpoint(method: Method, path: str, params_type: type[P], handler: EndpointFunction[P]) -> Route:
    def answer(call: Call) -> Response:
        request = ApiRequest(call)
        item = parse_params(call, params_type)
        result = handler(request, item)
        if isinstance(result, Response):
            return result
        body = result.build_json(request.store) if isinstance(result, Resource) else result
        for expected in item.expand:
            _expand_property(request, body, expected.split("."), expected)
        return build_json_response(body)

    def handle(call: Call) -> Response:
        _require_api_key(call)
        _require_version(call)
        if len(IDEMPOTENCY_KEYS.get_key(call)) > _MAX_KEY_LENGTH:
            raise build_invalid_error(f"Idempotency keys can be at most {_MAX_KEY_LENGTH} characters long.")
        kept_response = IDEMPOTENCY_KEYS.run_once(call, answer)
        if isinstance(kept_response, Response):
            return kept_response
        replayed = {"Idempotent-Replayed": "true", "Original-Request": f"req_{kept_response.origin}"}
        return Response(kept_response.body, kept_response.status, replayed, "application/json")

    return Route(method, f"{HOST_PREFIX}/v1/{path}", handle)


def build_retrieve_endpoint(path: str, type_: type[R]) -> Route:
    return build_endpoint("GET", f"{path}/{{id}}", Params, lambda request, _given: request.require_path_object(type_))


def build_list_endpoint(path: str, type_: type[R], params_type: type[ListParams], phase: str | None = None) -> Route:
    def run(request: ApiRequest, params: ListParams) -> dict[str, Any]:
        items = [item for item in request.store.find(type_, parent=phase, newest_first=True) if params.matches(item)]
        backwards, start = params.ending_before is not None, params.starting_after or params.ending_before
        if start is not None:
            param = "ending_before" if backwards else "starting_after"
            mark = request.require_object(type_, start, param)
            items = _select_beyond(items, request.store.find(type_, newest_first=True), mark, is_backwards=backwards)
        page = items[-params.limit :] if backwards else items[: params.limit]
        shown = [item.build_json(request.store) for item in page]
        return build_list(f"/v1/{path}", shown, has_more=len(items) > params.limit)

    return build_endpoint("GET", path, params_type, run)


def _select_beyond(resources: list[R], all_resources: list[R], cursor: R, *, is_backwards: bool) -> list[R]:
    """Return those that come after an object in a list, or before it. It need not be among them."""
    place = {item.id: number for number, item in enumerate(all_resources)}
    return [item for item in resources if (place[item.id] < place[cursor.id]) == is_backwards and item.id != cursor.id]


def parse_params(call: Call, params_type: type[P]) -> P:
    if call.content_type not in {"", "application/x-www-form-urlencoded", "multipart/form-data"}:
        message = "Invalid request (check that your POST content type is application/x-www-form-urlencoded)."
        raise build_invalid_error(f"{message} If you have any questions, we can help at https://support.stripe.com/.")
    params = parse_nested_form([*call.query.multi_items(), *call.form.multi_items()])
    try:
        return msgspec.convert(params, params_type, strict=False)
    except msgspec.ValidationError as error:
        raise _build_param_error(str(error)) from error


def _build_param_error(error_text: str) -> CallRefusedError:
    """Say in Stripe's words what is wrong with a parameter."""
    at = _PATH_PATTERN.search(error_text)
    place, label = (format_bracket_path(at[1]), error_text[: at.start()]) if at else ("", error_text)
    if match := _FIELD_ERROR_PATTERN.match(label):
        name = f"{place}[{match[2]}]" if place else match[2]
        if match[1].startswith("contains"):
            return build_invalid_error(f"Received unknown parameter: {name}", name, "parameter_unknown")
        return build_invalid_error(f"Missing required param: {name}.", name, "parameter_missing")
    match = _TYPE_ERROR_PATTERN.match(label)
    if match and match[2] == "null":
        error_text = (
            f"You passed an empty string for '{place}'. We assume empty values are an attempt to unset a parameter; "
        )
        error_text += f"however '{place}' cannot be unset. You should remove '{place}' from your request or supply a "
        return build_invalid_error(f"{error_text}non-empty value.", place, "parameter_invalid_empty")
    if match and "int" in match[1]:
        return build_invalid_error(f"Invalid integer: {place}", place, "parameter_invalid_integer")
    return build_invalid_error(f"Invalid {place}: {label}", place)


def merge_metadata(current_metadata: Mapping[str, str], new_metadata: Metadata | UnsetType | None) -> dict[str, str]:
    """Apply the metadata of a request: keys are added or, with an empty value, deleted; an empty object deletes all."""
    if new_metadata is UNSET:
        return dict(current_metadata)
    whole = {**current_metadata, **new_metadata} if new_metadata else {}
    kept = {name: value for name, value in whole.items() if value is not None}
    if len(kept) > _MAX_METADATA:
        raise build_invalid_error("You can only have up to 50 metadata keys.", "metadata")
    return kept


def build_headers(call: Call) -> Mapping[str, str]:
    if not call.path.startswith(HOST_PREFIX):
        return {}
    result = {"Request-Id": build_request_id(call), "Stripe-Version": call.headers.get("stripe-version") or API_VERSION}
    key = call.headers.get("idempotency-key")
    return result | ({"Idempotency-Key": key} if key else {})


def _build_key_reused_error(key: str, first_path: str, path: str) -> CallRefusedError:
    was, now = first_path.removeprefix(HOST_PREFIX), path.removeprefix(HOST_PREFIX)
    same = f"for the same endpoint they were first used for ('{was}' vs '{now}')"
    same = "with the same parameters they were first used with" if was == now else same
    message = (
        f"Keys for idempotent requests can only be used {same}. Try using a key other than '{key}' if you meant to "
    )
    return CallRefusedError(declare_error(400, "idempotency_error", f"{message}execute a different request."))


IDEMPOTENCY_KEYS = IdempotencyKeys(
    build_in_use_error=ERRORS["key_in_use"], build_key_reused_error=_build_key_reused_error
)


def get_api_key(call: Call) -> str:
    kind, _, value = call.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        try:
            return b64decode(value, validate=True).decode().partition(":")[0]
        except ValueError:
            return ""
    return call.bearer_token or ""


def _require_api_key(call: Call) -> None:
    key = get_api_key(call)
    if not key:
        raise CallRefusedError(declare_error(401, INVALID_REQUEST_TYPE, NO_API_KEY_MESSAGE))
    if key != call.context.app.secret:
        shown = f"{key[:8]}{'*' * max(0, len(key) - 12)}{key[-4:]}"
        raise CallRefusedError(declare_error(401, INVALID_REQUEST_TYPE, f"Invalid API Key provided: {shown}"))


def _require_version(call: Call) -> None:
    version = call.headers.get("stripe-version", API_VERSION)
    if not _VERSION_PATTERN.fullmatch(version) or version < _MIN_VERSION:
        message = f"Invalid Stripe API version: {version}. The sandbox knows the versions since {_MIN_VERSION}.basil."
        raise build_invalid_error(message)


def _expand_property(request: ApiRequest, body: Any, parts: list[str], full_path: str) -> None:
    """Replace an id by its object, in place. Lists are followed into each of their entries."""
    if len(parts) > _MAX_EXPAND_DEPTH:
        raise build_invalid_error("You cannot expand more than 4 levels of a property.", "expand")
    name, *rest = parts
    has_lines = name == "line_items" and isinstance(body, dict) and body.get("object") == "checkout.session"
    if not isinstance(body, dict) or not (name in body or has_lines):
        raise build_invalid_error(
            f"This property cannot be expanded ({full_path}).", "expand", "property_cannot_be_expanded"
        )
    value = body.get(name)
    if isinstance(value, str):
        kind = _TYPES_BY_ID_PREFIX.get(value.partition("_")[0])
        resource = None if kind is None else request.store.get(kind, value)
        if resource is None:
            raise build_invalid_error(
                f"This property cannot be expanded ({full_path}).", "expand", "property_cannot_be_expanded"
            )
        value = body[name] = resource.build_json(request.store)
    elif has_lines:
        value = body[name] = request.require_object(Session, body["id"]).build_line_items(request.store)
    for item in value if isinstance(value, list) else [value]:
        if rest and item is not None:
            _expand_property(request, item, rest, full_path)
