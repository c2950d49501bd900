"""How every endpoint works: keys, versions, idempotency, parameters, lists, expansion."""

import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Method, Refused, Route, reply
from socialgate_sandbox.kit.brackets import nested, path_of
from socialgate_sandbox.kit.idempotency import IdempotencyKeys
from socialgate_sandbox.vendors.stripe.billing_state import Invoice, Session, Subscription
from socialgate_sandbox.vendors.stripe.errors import ERRORS, INVALID, NO_KEY, invalid, missing, request_id, row
from socialgate_sandbox.vendors.stripe.happening import VERSION, Happening
from socialgate_sandbox.vendors.stripe.state import Customer, Price, Product, Resource, list_of

HOST = "/api.stripe.com"
# Before this one, subscriptions and invoices had other shapes, which are not simulated.
_FIRST_VERSION = "2025-03-31"
_VERSION = re.compile(r"\d{4}-\d\d-\d\d(\.[a-z]+)?")
_LONGEST_KEY, _DEEPEST, _MOST_METADATA = 255, 4, 50
_EXPANDED: Mapping[str, type[Resource]] = {
    "cus": Customer,
    "sub": Subscription,
    "in": Invoice,
    "price": Price,
    "prod": Product,
    "cs": Session,
}
_AT = re.compile(r" - at `\$\.?(.*)`$")
_FIELD = re.compile(r"Object (contains unknown|missing required) field `(.+)`")
_EXPECTED = re.compile(r"Expected `(.+)`, got `(.+)`")
Metadata = dict[Annotated[str, Meta(max_length=40)], Annotated[str, Meta(max_length=500)] | None]
"""In a request: None deletes a key."""
Amount = Annotated[int, Meta(ge=-99_999_999, le=99_999_999)]
Moment = Annotated[int, Meta(ge=0, le=9_999_999_999)]
Quantity = Annotated[int, Meta(ge=1, le=999_999)]


class Params(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    expand: list[str] = []


class Span(msgspec.Struct, forbid_unknown_fields=True):
    gt: int | None = None
    gte: int | None = None
    lt: int | None = None
    lte: int | None = None

    def holds(self, moment: int) -> bool:
        return (
            (self.gt is None or moment > self.gt)
            and (self.gte is None or moment >= self.gte)
            and (self.lt is None or moment < self.lt)
            and (self.lte is None or moment <= self.lte)
        )


class Listing(Params, kw_only=True):
    """The parameters of a list. Those that a subclass adds are fields that must be equal, unless it says otherwise."""

    limit: Annotated[int, Meta(ge=1, le=100)] = 10
    starting_after: str | None = None
    ending_before: str | None = None
    created: Span | int | None = None

    def fits(self, one: Resource) -> bool:
        names = [field.name for field in msgspec.structs.fields(self) if field.name not in _OF_EVERY_LIST]
        return all(getattr(self, name) in {None, getattr(one, name)} for name in names)

    def admits(self, one: Resource) -> bool:
        when = Span(gte=self.created, lte=self.created) if isinstance(self.created, int) else self.created
        return (when is None or when.holds(one.created)) and self.fits(one)


_OF_EVERY_LIST = {field.name for field in msgspec.structs.fields(Listing)}
P = TypeVar("P", bound=Params)
R = TypeVar("R", bound=Resource)


class Request(Happening):
    """An API call that is being answered."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.world, int(call.world.clock.time()))
        self.call = call
        self.cause = {"id": request_id(call), "idempotency_key": call.headers.get("idempotency-key")}

    @property
    def id(self) -> str:
        """The id in the path."""
        return self.call.args["id"]

    def find(self, kind: type[R], key: str, param: str = "id", *, status: int = 400) -> R:
        """Find what a parameter names, or what the path does."""
        found = self.store.get(kind, key)
        if found is None:
            what = msgspec.structs.fields(kind)
            name = next(str(field.default) for field in what if field.name == "object")
            raise missing(name.replace("_", " "), key, param, status)
        return found

    def own(self, kind: type[R]) -> R:
        return self.find(kind, self.id, status=404)


Run = Callable[[Request, P], Resource | dict[str, Any] | Response]


def endpoint(method: Method, path: str, takes: type[P], run: Run[P]) -> Route:
    def answer(call: Call) -> Response:
        request = Request(call)
        given = read(call, takes)
        result = run(request, given)
        if isinstance(result, Response):
            return result
        body = result.shown(request.store) if isinstance(result, Resource) else result
        for wanted in given.expand:
            _expand(request, body, wanted.split("."), wanted)
        return reply(body)

    def handle(call: Call) -> Response:
        _check_key(call)
        _check_version(call)
        if len(KEYS.of(call)) > _LONGEST_KEY:
            raise invalid(f"Idempotency keys can be at most {_LONGEST_KEY} characters long.")
        made = KEYS.once(call, answer)
        if isinstance(made, Response):
            return made
        replayed = {"Idempotent-Replayed": "true", "Original-Request": f"req_{made.origin}"}
        return Response(made.body, made.status, replayed, "application/json")

    return Route(method, f"{HOST}/v1/{path}", handle)


def retrieving(path: str, kind: type[R]) -> Route:
    return endpoint("GET", f"{path}/{{id}}", Params, lambda request, _given: request.own(kind))


def listing(path: str, kind: type[R], takes: type[Listing], phase: str | None = None) -> Route:
    def run(request: Request, given: Listing) -> dict[str, Any]:
        found = [one for one in request.store.find(kind, parent=phase, newest_first=True) if given.admits(one)]
        backwards, start = given.ending_before is not None, given.starting_after or given.ending_before
        if start is not None:
            param = "ending_before" if backwards else "starting_after"
            mark = request.find(kind, start, param)
            found = _beyond(found, request.store.find(kind, newest_first=True), mark, backwards=backwards)
        page = found[-given.limit :] if backwards else found[: given.limit]
        shown = [one.shown(request.store) for one in page]
        return list_of(f"/v1/{path}", shown, has_more=len(found) > given.limit)

    return endpoint("GET", path, takes, run)


def _beyond(found: list[R], every: list[R], mark: R, *, backwards: bool) -> list[R]:
    """Return those that come after an object in a list, or before it. It need not be among them."""
    place = {one.id: number for number, one in enumerate(every)}
    return [one for one in found if (place[one.id] < place[mark.id]) == backwards and one.id != mark.id]


def read(call: Call, takes: type[P]) -> P:
    if call.content_type not in {"", "application/x-www-form-urlencoded", "multipart/form-data"}:
        said = "Invalid request (check that your POST content type is application/x-www-form-urlencoded)."
        raise invalid(f"{said} If you have any questions, we can help at https://support.stripe.com/.")
    given = nested([*call.query.multi_items(), *call.form.multi_items()])
    try:
        return msgspec.convert(given, takes, strict=False)
    except msgspec.ValidationError as error:
        raise _wrong(str(error)) from error


def _wrong(said: str) -> Refused:
    """Say in Stripe's words what is wrong with a parameter."""
    at = _AT.search(said)
    place, what = (path_of(at[1]), said[: at.start()]) if at else ("", said)
    if found := _FIELD.match(what):
        name = f"{place}[{found[2]}]" if place else found[2]
        if found[1].startswith("contains"):
            return invalid(f"Received unknown parameter: {name}", name, "parameter_unknown")
        return invalid(f"Missing required param: {name}.", name, "parameter_missing")
    found = _EXPECTED.match(what)
    if found and found[2] == "null":
        said = f"You passed an empty string for '{place}'. We assume empty values are an attempt to unset a parameter; "
        said += f"however '{place}' cannot be unset. You should remove '{place}' from your request or supply a "
        return invalid(f"{said}non-empty value.", place, "parameter_invalid_empty")
    if found and "int" in found[1]:
        return invalid(f"Invalid integer: {place}", place, "parameter_invalid_integer")
    return invalid(f"Invalid {place}: {what}", place)


def merged(before: Mapping[str, str], given: Metadata | UnsetType | None) -> dict[str, str]:
    """Apply the metadata of a request: keys are added or, with an empty value, deleted; an empty object deletes all."""
    if given is UNSET:
        return dict(before)
    whole = {**before, **given} if given else {}
    kept = {name: value for name, value in whole.items() if value is not None}
    if len(kept) > _MOST_METADATA:
        raise invalid("You can only have up to 50 metadata keys.", "metadata")
    return kept


def headers(call: Call) -> Mapping[str, str]:
    if not call.path.startswith(HOST):
        return {}
    found = {"Request-Id": request_id(call), "Stripe-Version": call.headers.get("stripe-version") or VERSION}
    key = call.headers.get("idempotency-key")
    return found | ({"Idempotency-Key": key} if key else {})


def _other_request(key: str, first: str, path: str) -> Refused:
    was, now = first.removeprefix(HOST), path.removeprefix(HOST)
    same = f"for the same endpoint they were first used for ('{was}' vs '{now}')"
    same = "with the same parameters they were first used with" if was == now else same
    said = f"Keys for idempotent requests can only be used {same}. Try using a key other than '{key}' if you meant to "
    return Refused(row(400, "idempotency_error", f"{said}execute a different request."))


KEYS = IdempotencyKeys(in_use=ERRORS["key_in_use"], differs=_other_request)


def given_key(call: Call) -> str:
    kind, _, given = call.headers.get("authorization", "").partition(" ")
    if kind.lower() == "basic":
        try:
            return b64decode(given, validate=True).decode().partition(":")[0]
        except ValueError:
            return ""
    return call.bearer or ""


def _check_key(call: Call) -> None:
    key = given_key(call)
    if not key:
        raise Refused(row(401, INVALID, NO_KEY))
    if key != call.world.app.secret:
        shown = f"{key[:8]}{'*' * max(0, len(key) - 12)}{key[-4:]}"
        raise Refused(row(401, INVALID, f"Invalid API Key provided: {shown}"))


def _check_version(call: Call) -> None:
    version = call.headers.get("stripe-version", VERSION)
    if not _VERSION.fullmatch(version) or version < _FIRST_VERSION:
        said = f"Invalid Stripe API version: {version}. The sandbox knows the versions since {_FIRST_VERSION}.basil."
        raise invalid(said)


def _expand(request: Request, body: Any, parts: list[str], whole: str) -> None:
    """Replace an id by its object, in place. Lists are followed into each of their entries."""
    if len(parts) > _DEEPEST:
        raise invalid("You cannot expand more than 4 levels of a property.", "expand")
    name, *rest = parts
    has_lines = name == "line_items" and isinstance(body, dict) and body.get("object") == "checkout.session"
    if not isinstance(body, dict) or not (name in body or has_lines):
        raise invalid(f"This property cannot be expanded ({whole}).", "expand", "property_cannot_be_expanded")
    value = body.get(name)
    if isinstance(value, str):
        kind = _EXPANDED.get(value.partition("_")[0])
        found = None if kind is None else request.store.get(kind, value)
        if found is None:
            raise invalid(f"This property cannot be expanded ({whole}).", "expand", "property_cannot_be_expanded")
        value = body[name] = found.shown(request.store)
    elif has_lines:
        value = body[name] = request.find(Session, body["id"]).lines(request.store)
    for one in value if isinstance(value, list) else [value]:
        if rest and one is not None:
            _expand(request, one, rest, whole)
