"""Controlling the sandbox, for tests and people: `/_control/...` as JSON, and the forms on its pages.

| Request | What it does |
| --- | --- |
| `GET /_control` | lists every platform with its errors and verbs |
| `GET /_control/accounts?platform=` | the accounts that the product can connect |
| `GET /_control/surface?platform=` | every simulated endpoint, with what it checks and what it does not |
| `GET /_control/feed?platform=&account=&limit=` | what an account shows to people |
| `GET /_control/chat?platform=&account=&person=&limit=` | the conversation of an account with a person |
| `GET /_control/numbers?platform=&account=&since=&until=` | the metrics of an account |
| `GET /_control/leads?platform=&account=` | the lead forms of an account with their leads |
| `GET /_control/reviews`, `calendar`, `catalog?platform=&account=` | reviews, events and products of an account |
| `GET /_control/ads?platform=&account=` | the campaigns of an ad account with their ad sets and ads |
| `GET /_control/files/<name>` | a posted file, by its name in a feed |
| `POST /_control/<verb> {platform, ...}` | a verb of a platform: message, comment, lead, revoke, scan, ... |
| `GET /_control/received?platform=&path=&account=&limit=` | the latest calls to platforms; `path` may contain `*` |
| `POST /_control/fail {platform, ...}` | makes calls fail; the fields are those of `orders.FailOrder` |
| `GET`, `DELETE /_control/fail` | lists failures and hanging calls; clears them and every rate limit |
| `POST /_control/cancel {id}` | clears one failure; without an id the same as `DELETE` |
| `POST /_control/throttle {platform, perMinute}` | rejects further calls with the platform's own error |
| `POST /_control/clock {advance}`, `{to}` or `{reset}`, `GET` | moves the sandbox's clock; returns its time |
| `POST /_control/webhooks {mode, release}` | sends webhooks normally or twice, or holds them |
| `GET /_control/deliveries?platform=&state=&limit=` | the latest webhooks with every attempt |
| `POST /_control/receiver {path, secret, answer, times, retryAfter}` | sets how the hook receiver responds |
| `GET`, `DELETE /_control/receiver` | lists its deliveries with their signature checks; deletes them |
| `POST /_control/gateways {deployment, url}`, `GET` | adds a process of the product, to which webhooks are sent |
| `POST /_control/reset` | empties the sandbox and recreates its initial accounts |

The body of a POST is an object; unknown fields are rejected. Lists are `{"data": [...]}`, newest first; a failure is
`{"error": "<sentence>"}` with a 4xx status. `neighbours.py` defines who may do all this. A browser gets the lists of an
account as pages; `places.py` lists these and the other pages.
"""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from socialgate_sandbox.control import orders, views
from socialgate_sandbox.control.breaking import chosen
from socialgate_sandbox.control.chat_page import CHAT, chat_data
from socialgate_sandbox.control.feed_page import FEED, feed_data, serve_file
from socialgate_sandbox.control.leads_page import LEADS, collected, leads_data
from socialgate_sandbox.control.numbers_page import NUMBERS, numbers_data
from socialgate_sandbox.control.overview import HOME
from socialgate_sandbox.control.places import BACK, PAGES, Place
from socialgate_sandbox.control.shell import Note
from socialgate_sandbox.control.things_page import ADVERTS, CALENDAR, CATALOG, REVIEWS
from socialgate_sandbox.control.verbs import EMPTY, with_lists
from socialgate_sandbox.kernel.call import reply
from socialgate_sandbox.kernel.faults import WITHOUT_BODY, Fault
from socialgate_sandbox.kernel.inbox import path_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.store import StaleState
from socialgate_sandbox.kernel.vendor import Action, ControlError

_Doing = Callable[[Kernel, Any], Any]
_Endpoint = Callable[[Request], Awaitable[Response]]
_LONGEST_AHEAD = 50 * 366 * 86400
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def control_routes(kernel: Kernel) -> list[Route]:
    async def act(request: Request) -> Response:
        fields, verb = await orders.fields_of(request), request.path_params["verb"]
        if orders.is_form(request):
            return await _act_for_a_person(kernel, verb, fields)
        result = await _act(kernel, verb, fields, strict=True)
        return reply({"ok": True} if result is None else result)

    async def file(request: Request) -> Response:
        return serve_file(kernel, request.path_params["name"])

    return [
        *(Route(path, _show(kernel, path), methods=["GET"]) for path in PAGES),
        Route("/_control/files/{name}", file, methods=["GET"]),
        *(Route(f"/_control{path}", _get(kernel, *entry), methods=["GET"]) for path, entry in _GETS.items()),
        *(Route(f"/_control{path}", _post(kernel, *entry), methods=["POST"]) for path, entry in _POSTS.items()),
        *(Route(f"/_control{path}", _delete(kernel, entry), methods=["DELETE"]) for path, entry in _DELETES.items()),
        Route("/_control/{verb}", act, methods=["POST"]),
    ]


def refusals(kernel: Kernel) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Define how failures are returned: programs get JSON, people get the page with the message on it."""

    # A plain function would run on another thread, where the store cannot be read.
    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return reply({"error": error.detail}, error.status_code, error.headers)
        status = error.status if isinstance(error, ControlError) else 409
        if isinstance(error, ControlError) and orders.is_form(request):
            return Place.at(HOME).show(kernel, Note(failed=str(error), status=status))
        return reply({"error": str(error)}, status)

    return {ControlError: refuse, HTTPException: refuse, StaleState: refuse}


def _get(kernel: Kernel, kind: type[msgspec.Struct], view: _Doing) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        query = orders.query_fields(request.url.query)
        return reply(view(kernel, orders.to_order(kind, query, strict=False)))

    return endpoint


def _show(kernel: Kernel, path: str) -> _Endpoint:
    """Serve a page. If programs can read JSON at the same path, a browser must ask for HTML."""

    async def endpoint(request: Request) -> Response:
        query = orders.query_fields(request.url.query)
        if path in _DATA and "text/html" not in request.headers.get("accept", ""):
            return reply(_DATA[path](kernel, query))
        return Place(path, query).show(kernel)

    return endpoint


def _post(kernel: Kernel, kind: type[msgspec.Struct], obey: _Doing) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        fields = await orders.fields_of(request)
        if not orders.is_form(request):
            return reply(obey(kernel, orders.to_order(kind, fields, strict=True)))
        place = Place.at(fields.pop(BACK, HOME))
        try:
            obey(kernel, orders.to_order(kind, chosen(fields), strict=False))
        except ControlError as error:
            return place.show(kernel, Note(failed=str(error), status=error.status))
        return place.go(request.url.path.rpartition("/")[2])

    return endpoint


def _delete(kernel: Kernel, forget: Callable[[Kernel], object]) -> _Endpoint:
    async def endpoint(_request: Request) -> Response:
        forget(kernel)
        return reply({"ok": True})

    return endpoint


async def _act_for_a_person(kernel: Kernel, verb: str, fields: dict[str, Any]) -> Response:
    """Run the verb of a form and return to its page, or show there its result or why it failed."""
    place = Place.at(fields.pop(BACK, HOME))
    filled = {name: "" if value == EMPTY else value for name, value in collected(fields).items()}
    try:
        result = await _act(kernel, verb, filled, strict=False)
    except ControlError as error:
        return place.show(kernel, Note(failed=str(error), status=error.status))
    if place.is_telling:
        return place.go()
    return place.go(verb) if result is None else place.show(kernel, Note(done=verb, result=result))


async def _act(kernel: Kernel, verb: str, fields: dict[str, Any], *, strict: bool) -> Any:
    """Run one of the platform's own verbs."""
    if "platform" not in fields and not any(verb in vendor.actions for vendor in kernel.vendors.values()):
        raise ControlError(f"There is no verb {verb!r}. GET /_control lists the platforms with their verbs.", 404)
    vendor = views.vendor_of(kernel, fields.pop("platform", None))
    action: Action[Any] | None = vendor.actions.get(verb)
    if action is None:
        known = ", ".join(sorted(vendor.actions)) or "none"
        raise ControlError(f"{vendor.title} has no verb {verb!r}. Choose one of: {known}.")
    order = orders.to_order(action.takes, fields if strict else with_lists(action, fields), strict=strict)
    world = kernel.worlds[vendor.name]
    if inspect.iscoroutinefunction(action.run):
        return await action.run(world, order)
    with world.store.transaction():
        return action.run(world, order)


def _fail(kernel: Kernel, order: orders.FailOrder) -> Fault:
    vendor = views.vendor_of(kernel, order.platform)
    if order.error is not None and order.error not in vendor.errors:
        known = ", ".join(sorted(vendor.errors))
        raise ControlError(f"{vendor.title} has no error {order.error!r}. Choose one of: {known}.", 422)
    answered = order.error is not None or order.status is not None
    if order.when == "before" and not answered and not order.delay and not order.hang:
        raise ControlError(('Specify how it fails: "error", "status", "delay", "hang", or a different "when".'), 422)
    if order.when == "late" and (answered or order.hang or not order.delay):
        raise ControlError('A call that takes effect late gets no response: set only "delay" with it.', 422)
    if order.hang and (answered or order.when == "drop"):
        raise ControlError(('A call that hangs gets no response: set only "hang", and "when" to before or after.'), 422)
    _check_response(order)
    fields = msgspec.structs.asdict(order) | {"method": order.method.upper()}
    fault = Fault(id=kernel.faults.new_id(), **fields)
    kernel.faults.order(fault)
    return fault


def _check_response(order: orders.FailOrder) -> None:
    """Reject a response that HTTP cannot carry: it would close the connection instead of failing as asked."""
    if order.status in WITHOUT_BODY and order.body is not None:
        raise ControlError(
            f"A response with status {order.status} cannot have a body. Remove it, or choose another status.", 422
        )
    for name, value in order.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ControlError(f"The header {name!r} contains characters that HTTP does not allow. Remove them.", 422)


def _throttle(kernel: Kernel, order: orders.ThrottleOrder) -> object:
    kernel.faults.throttle(views.vendor_of(kernel, order.platform).name, order.per_minute)
    return order


def _cancel(kernel: Kernel, order: orders.CancelOrder) -> object:
    if order.id is None:
        kernel.faults.clear()
    elif not kernel.faults.cancel(order.id):
        raise ControlError(
            f"There is no failure {order.id!r}. GET /_control/fail lists them; one that was used up is removed."
        )
    return {"ok": True}


def _move_clock(kernel: Kernel, order: orders.ClockOrder) -> object:
    seconds = order.advance if order.to is None else kernel.clock.offset_at(_moment(order.to)) - kernel.clock.offset
    if order.reset:
        kernel.clock.reset()
    elif seconds is None:
        raise ControlError(('Set "advance" to a number of seconds, "to" to a date and time, or "reset" to true.'), 422)
    elif not abs(kernel.clock.offset + seconds) <= _LONGEST_AHEAD:
        raise ControlError("The clock can be moved by 50 years at most.", 422)
    else:
        kernel.clock.advance(seconds)
    kernel.catch_up()
    return views.clock(kernel)


def _moment(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ControlError("to must be a date and time such as 2026-12-24T18:00.", 422) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _set_webhooks(kernel: Kernel, order: orders.WebhooksOrder) -> object:
    if order.mode is not None:
        kernel.postman.mode = order.mode
    released = kernel.postman.release() if order.release else 0
    return {"mode": kernel.postman.mode, "released": released}


def _set_receiver(kernel: Kernel, order: orders.ReceiverOrder) -> object:
    rule = kernel.inbox.own_rule(path_of(order.path))
    if order.secret is not None:
        rule.secret = order.secret
    if order.answer is not None:
        rule.answer, rule.times, rule.retry_after = order.answer, order.times, order.retry_after
    kernel.inbox.set_rule(rule)
    return views.rule(rule)


def _add_gateway(kernel: Kernel, order: orders.GatewayOrder) -> object:
    url = order.url.rstrip("/")
    if not kernel.web.reaches(url):
        raise ControlError(
            f"The sandbox cannot send webhooks to {url}: it reaches only this machine and the host of its own "
            "SOCIALGATE_BASE_URL.",
            422,
        )
    kernel.gateways.announce(order.deployment, url)
    return views.gateways(kernel)


def _reset(kernel: Kernel, _order: object) -> object:
    kernel.reset()
    return {"ok": True}


# What programs read at the path of a page.
_DATA: Mapping[str, Callable[[Kernel, Mapping[str, str]], Any]] = {
    FEED: feed_data,
    CHAT: chat_data,
    NUMBERS: numbers_data,
    LEADS: leads_data,
    REVIEWS.path: REVIEWS.data,
    CALENDAR.path: CALENDAR.data,
    CATALOG.path: CATALOG.data,
    ADVERTS.path: ADVERTS.data,
}
_GETS: Mapping[str, tuple[type[msgspec.Struct], _Doing]] = {
    "": (orders.NoOrder, views.platforms),
    "/accounts": (orders.AccountsQuery, views.accounts),
    "/surface": (orders.AccountsQuery, views.surface),
    "/received": (orders.ReceivedQuery, views.received),
    "/deliveries": (orders.DeliveriesQuery, views.deliveries),
    "/fail": (orders.NoOrder, views.faults),
    "/gateways": (orders.NoOrder, views.gateways),
    "/clock": (orders.NoOrder, views.clock),
    "/receiver": (orders.ReceiverQuery, views.receiver),
}
_POSTS: Mapping[str, tuple[type[msgspec.Struct], _Doing]] = {
    "/fail": (orders.FailOrder, _fail),
    "/cancel": (orders.CancelOrder, _cancel),
    "/throttle": (orders.ThrottleOrder, _throttle),
    "/clock": (orders.ClockOrder, _move_clock),
    "/webhooks": (orders.WebhooksOrder, _set_webhooks),
    "/receiver": (orders.ReceiverOrder, _set_receiver),
    "/gateways": (orders.GatewayOrder, _add_gateway),
    "/reset": (orders.NoOrder, _reset),
}
_DELETES: Mapping[str, Callable[[Kernel], object]] = {
    "/fail": lambda kernel: kernel.faults.clear(),
    "/receiver": lambda kernel: kernel.inbox.clear(),
}
