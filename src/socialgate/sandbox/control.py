"""Steering the sandbox, for tests and people: `/_control/...` as JSON, and the forms of the page at `/`.

| Request | What it does |
| --- | --- |
| `GET /_control` | names every platform with its errors and verbs |
| `GET /_control/accounts?platform=` | the accounts that the product can connect |
| `GET /_control/feed?platform=&account=&limit=` | what an account shows to people; a browser gets it as a page |
| `GET /_control/chat?platform=&account=&person=&limit=` | what they said; a browser gets it as a page |
| `GET /_control/numbers?platform=&account=&since=&until=` | what is counted of an account; a browser gets a page |
| `GET /_control/leads?platform=&account=` | the lead forms of an account; a browser gets a page to fill them in |
| `GET /_control/files/<name>` | a file that was posted, by its name in a feed |
| `POST /_control/<verb> {platform, ...}` | a verb of a platform: message, comment, lead, revoke, scan, ... |
| `GET /_control/received?platform=&path=&limit=` | the last calls that the platforms got; `path` may hold `*` |
| `POST /_control/fail {platform, ...}` | orders failures; the fields are those of `orders.FailOrder` |
| `GET`, `DELETE /_control/fail` | lists them and the calls that hang; clears them, and every throttle |
| `POST /_control/throttle {platform, perMinute}` | answers more calls with the platform's own refusal |
| `POST /_control/clock {advance}` or `{reset}`, `GET` | moves the time of the sandbox; tells it |
| `POST /_control/webhooks {mode, release}` | sends webhooks normally, in duplicate, or holds them |
| `GET /_control/deliveries?platform=&state=&limit=` | the last webhooks with every attempt |
| `POST /_control/receiver {path, secret, answer, times, retryAfter}` | tells the hook receiver what to answer |
| `GET`, `DELETE /_control/receiver` | lists what it got, with the check of the signature; forgets that |
| `POST /_control/reset` | empties the sandbox and makes its first accounts anew |

What is posted is an object whose unknown fields are refused. Lists are `{"data": [...]}`, the newest first; a failure
is `{"error": "<sentence>"}` with a status of 4xx. `neighbours.py` says who may do all this.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from socialgate.sandbox import orders, views
from socialgate.sandbox.call import reply
from socialgate.sandbox.chat_page import FROM_CHAT, chat_address, chat_of, show_chat, show_chat_refusal
from socialgate.sandbox.faults import Fault
from socialgate.sandbox.feed_page import FROM_FEED, address_of, serve_file, show_feed, show_refusal
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.leads_page import FROM_FORMS, answered_fields, forms_address, show_forms, show_forms_refusal
from socialgate.sandbox.numbers_page import show_numbers
from socialgate.sandbox.overview import overview
from socialgate.sandbox.store import StaleState
from socialgate.sandbox.vendor import Action, ControlError

_Doing = Callable[[Kernel, Any], Any]
_Endpoint = Callable[[Request], Awaitable[Response]]
_LONGEST_AHEAD = 50 * 366 * 86400


def control_routes(kernel: Kernel) -> list[Route]:
    async def show(request: Request) -> Response:
        return overview(kernel, done=request.query_params.get("done"))

    async def act(request: Request) -> Response:
        fields, verb = await orders.fields_of(request), request.path_params["verb"]
        if orders.is_form(request):
            for mark, act_there in _PLACES.items():
                if mark in fields:
                    return await act_there(kernel, verb, fields)
        result = await _act(kernel, verb, fields, strict=not orders.is_form(request))
        if result is not None and orders.is_form(request):
            return overview(kernel, done=verb, result=result)
        return _done(request, result)

    async def file(request: Request) -> Response:
        return serve_file(kernel, request.path_params["name"])

    return [
        Route("/", show, methods=["GET"]),
        *(Route(f"/_control{path}", _show(kernel, view), methods=["GET"]) for path, view in _PAGES.items()),
        Route("/_control/files/{name}", file, methods=["GET"]),
        *(Route(f"/_control{path}", _get(kernel, *entry), methods=["GET"]) for path, entry in _GETS.items()),
        *(Route(f"/_control{path}", _post(kernel, *entry), methods=["POST"]) for path, entry in _POSTS.items()),
        *(Route(f"/_control{path}", _delete(kernel, entry), methods=["DELETE"]) for path, entry in _DELETES.items()),
        Route("/_control/{verb}", act, methods=["POST"]),
    ]


def refusals(kernel: Kernel) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Say how failures are answered: a program gets JSON, a person the page with the sentence on it."""

    # A plain function would run on another thread, where the store cannot be read.
    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return reply({"error": error.detail}, error.status_code, error.headers)
        status = error.status if isinstance(error, ControlError) else 409
        if orders.is_form(request) and isinstance(error, ControlError):
            return overview(kernel, failed=str(error), status=status)
        return reply({"error": str(error)}, status)

    return {ControlError: refuse, HTTPException: refuse, StaleState: refuse}


def _get(kernel: Kernel, kind: type[msgspec.Struct], view: _Doing) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        query = orders.query_fields(request.url.query)
        return reply(view(kernel, orders.to_order(kind, query, strict=False)))

    return endpoint


def _show(kernel: Kernel, show: Callable[[Kernel, Request], Response]) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        return show(kernel, request)

    return endpoint


def _post(kernel: Kernel, kind: type[msgspec.Struct], obey: _Doing) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        fields = await orders.fields_of(request)
        return _done(request, obey(kernel, orders.to_order(kind, fields, strict=not orders.is_form(request))))

    return endpoint


def _delete(kernel: Kernel, forget: Callable[[Kernel], object]) -> _Endpoint:
    async def endpoint(_request: Request) -> Response:
        forget(kernel)
        return reply({"ok": True})

    return endpoint


async def _act(kernel: Kernel, verb: str, fields: dict[str, Any], *, strict: bool) -> Any:
    """Run a verb of a platform's own."""
    vendor = views.vendor_of(kernel, fields.pop("platform", None))
    action: Action[Any] | None = vendor.actions.get(verb)
    if action is None:
        known = ", ".join(sorted(vendor.actions)) or "none"
        raise ControlError(f"{vendor.title} has no verb {verb!r}. It has: {known}.")
    order = orders.to_order(action.takes, fields, strict=strict)
    world = kernel.worlds[vendor.name]
    if inspect.iscoroutinefunction(action.run):
        return await action.run(world, order)
    with world.store.transaction():
        return action.run(world, order)


async def _act_in_feed(kernel: Kernel, verb: str, fields: dict[str, Any]) -> Response:
    """Run the verb of a form on a feed page, and go back to that page."""
    feed, post = {"platform": fields.get("platform", ""), "account": fields.pop(FROM_FEED)}, fields.get("objectId", "")
    try:
        await _act(kernel, verb, fields, strict=False)
    except ControlError as error:
        return show_refusal(kernel, feed, error)
    return RedirectResponse(address_of(feed, post), 303)


async def _act_in_chat(kernel: Kernel, verb: str, fields: dict[str, Any]) -> Response:
    """Run the verb of a form on a chat page, and go back to that page."""
    del fields[FROM_CHAT]
    chat = chat_of(fields)
    try:
        await _act(kernel, verb, fields, strict=False)
    except ControlError as error:
        return show_chat_refusal(kernel, chat, error)
    return RedirectResponse(chat_address(chat), 303)


async def _act_in_forms(kernel: Kernel, verb: str, fields: dict[str, Any]) -> Response:
    """Run the verb of a form on a page of lead forms, and go back to that page."""
    fields, place = answered_fields(fields)
    try:
        await _act(kernel, verb, fields, strict=False)
    except ControlError as error:
        return show_forms_refusal(kernel, place, error)
    return RedirectResponse(forms_address(place), 303)


def _fail(kernel: Kernel, order: orders.FailOrder) -> Fault:
    vendor = views.vendor_of(kernel, order.platform)
    if order.error is not None and order.error not in vendor.errors:
        known = ", ".join(sorted(vendor.errors))
        raise ControlError(f"{vendor.title} has no error {order.error!r}. It has: {known}.", 422)
    answered = order.error is not None or order.status is not None
    if order.when == "before" and not answered and not order.delay and not order.hang:
        raise ControlError('Say how it fails: "error", "status", "delay", "hang", or another "when".', 422)
    if order.when == "late" and (answered or order.hang or not order.delay):
        raise ControlError('What happens late has no answer: say "delay" with it, and no more.', 422)
    if order.hang and (answered or order.when == "drop"):
        raise ControlError('What hangs has no answer: say "hang" with "when" before or after, and no more.', 422)
    fields = msgspec.structs.asdict(order) | {"method": order.method.upper()}
    fault = Fault(id=kernel.faults.new_id(), **fields)
    kernel.faults.order(fault)
    return fault


def _throttle(kernel: Kernel, order: orders.ThrottleOrder) -> object:
    kernel.faults.throttle(views.vendor_of(kernel, order.platform).name, order.per_minute)
    return order


def _move_clock(kernel: Kernel, order: orders.ClockOrder) -> object:
    if order.reset:
        kernel.clock.reset()
    elif order.advance is None:
        raise ControlError('Say "advance": seconds, or "reset": true.', 422)
    elif not abs(kernel.clock.offset + order.advance) <= _LONGEST_AHEAD:
        raise ControlError("The clock can be moved by 50 years at most.", 422)
    else:
        kernel.clock.advance(order.advance)
    kernel.postman.wake()
    return views.clock(kernel)


def _set_webhooks(kernel: Kernel, order: orders.WebhooksOrder) -> object:
    if order.mode is not None:
        kernel.postman.mode = order.mode
    released = kernel.postman.release() if order.release else 0
    return {"mode": kernel.postman.mode, "released": released}


def _set_receiver(kernel: Kernel, order: orders.ReceiverOrder) -> object:
    rule = kernel.inbox.own_rule(order.path)
    if order.secret is not None:
        rule.secret = order.secret
    if order.answer is not None:
        rule.answer, rule.times, rule.retry_after = order.answer, order.times, order.retry_after
    kernel.inbox.set_rule(rule)
    return views.rule(rule)


def _reset(kernel: Kernel, _order: object) -> object:
    kernel.reset()
    return {"ok": True}


def _done(request: Request, result: Any) -> Response:
    """Answer with what came of it; a person goes back to the page."""
    if orders.is_form(request):
        return RedirectResponse("/?" + urlencode({"done": request.url.path.rpartition("/")[2]}), 303)
    return reply({"ok": True} if result is None else result)


# What is shown as a page to a browser and as JSON to a program, and what the forms on those pages do, by the field that
# tells where a form stands.
_PAGES: Mapping[str, Callable[[Kernel, Request], Response]] = {
    "/feed": show_feed,
    "/chat": show_chat,
    "/numbers": show_numbers,
    "/leads": show_forms,
}
_PLACES: Mapping[str, Callable[[Kernel, str, dict[str, Any]], Awaitable[Response]]] = {
    FROM_FEED: _act_in_feed,
    FROM_CHAT: _act_in_chat,
    FROM_FORMS: _act_in_forms,
}
_GETS: Mapping[str, tuple[type[msgspec.Struct], _Doing]] = {
    "": (orders.NoOrder, views.platforms),
    "/accounts": (orders.AccountsQuery, views.accounts),
    "/received": (orders.ReceivedQuery, views.received),
    "/deliveries": (orders.DeliveriesQuery, views.deliveries),
    "/fail": (orders.NoOrder, views.faults),
    "/clock": (orders.NoOrder, views.clock),
    "/receiver": (orders.ReceiverQuery, views.receiver),
}
_POSTS: Mapping[str, tuple[type[msgspec.Struct], _Doing]] = {
    "/fail": (orders.FailOrder, _fail),
    "/throttle": (orders.ThrottleOrder, _throttle),
    "/clock": (orders.ClockOrder, _move_clock),
    "/webhooks": (orders.WebhooksOrder, _set_webhooks),
    "/receiver": (orders.ReceiverOrder, _set_receiver),
    "/reset": (orders.NoOrder, _reset),
}
_DELETES: Mapping[str, Callable[[Kernel], object]] = {
    "/fail": lambda kernel: kernel.faults.clear(),
    "/receiver": lambda kernel: kernel.inbox.clear(),
}
