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
| `POST /_control/fail {platform, ...}` | makes calls fail; the fields are those of `control_requests.FailRequest` |
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
account as pages; `page_locations.py` lists these and the other pages.
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

from socialgate_sandbox.control import control_requests, control_views
from socialgate_sandbox.control.action_forms import EMPTY_OPTION, split_list_fields
from socialgate_sandbox.control.chat_page import CHAT_PATH, read_chat_json
from socialgate_sandbox.control.fault_choices import parse_fault_choice
from socialgate_sandbox.control.feed_page import FEED_PATH, read_feed_json, serve_file
from socialgate_sandbox.control.leads_page import LEADS_PATH, collect_answers, read_leads_json
from socialgate_sandbox.control.list_pages import ADS_PAGE, CALENDAR_PAGE, CATALOG_PAGE, REVIEWS_PAGE
from socialgate_sandbox.control.metrics_page import METRICS_PATH, read_metrics_json
from socialgate_sandbox.control.overview_pages import HOME_PATH
from socialgate_sandbox.control.page_layout import FormResult
from socialgate_sandbox.control.page_locations import PAGE_FIELD, PAGE_RENDERERS, PageLocation
from socialgate_sandbox.kernel.call import build_json_response
from socialgate_sandbox.kernel.faults import BODILESS_STATUSES, Fault
from socialgate_sandbox.kernel.hook_receiver_log import normalize_path
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.store import StaleStateError
from socialgate_sandbox.kernel.vendor import Action, ControlError

_ControlFunction = Callable[[Sandbox, Any], Any]
_Endpoint = Callable[[Request], Awaitable[Response]]
_MAX_AHEAD = 50 * 366 * 86400
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def build_control_routes(sandbox: Sandbox) -> list[Route]:
    async def act(request: Request) -> Response:
        fields, verb = await control_requests.read_body_fields(request), request.path_params["verb"]
        if control_requests.is_form(request):
            return await _run_form_action(sandbox, verb, fields)
        result = await _run_action(sandbox, verb, fields, strict=True)
        return build_json_response({"ok": True} if result is None else result)

    async def file(request: Request) -> Response:
        return serve_file(sandbox, request.path_params["name"])

    return [
        *(Route(path, _build_page_endpoint(sandbox, path), methods=["GET"]) for path in PAGE_RENDERERS),
        Route("/_control/files/{name}", file, methods=["GET"]),
        *(
            Route(f"/_control{path}", _build_get_endpoint(sandbox, *entry), methods=["GET"])
            for path, entry in _GET_ENDPOINTS.items()
        ),
        *(
            Route(f"/_control{path}", _build_post_endpoint(sandbox, *entry), methods=["POST"])
            for path, entry in _POST_ENDPOINTS.items()
        ),
        *(
            Route(f"/_control{path}", _build_delete_endpoint(sandbox, entry), methods=["DELETE"])
            for path, entry in _DELETE_ENDPOINTS.items()
        ),
        Route("/_control/{verb}", act, methods=["POST"]),
    ]


def build_exception_handlers(sandbox: Sandbox) -> dict[Any, Callable[[Request, Exception], Awaitable[Response]]]:
    """Define how failures are returned: programs get JSON, people get the page with the message on it."""

    # A plain function would run on another thread, where the store cannot be read.
    async def refuse(request: Request, error: Exception) -> Response:
        if isinstance(error, HTTPException):
            return build_json_response({"error": error.detail}, error.status_code, error.headers)
        status = error.status if isinstance(error, ControlError) else 409
        if isinstance(error, ControlError) and control_requests.is_form(request):
            return PageLocation.at(HOME_PATH).render(sandbox, FormResult(failed=str(error), status=status))
        return build_json_response({"error": str(error)}, status)

    return {ControlError: refuse, HTTPException: refuse, StaleStateError: refuse}


def _build_get_endpoint(sandbox: Sandbox, kind: type[msgspec.Struct], view: _ControlFunction) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        query = control_requests.parse_query_string(request.url.query)
        return build_json_response(view(sandbox, control_requests.parse_request(kind, query, strict=False)))

    return endpoint


def _build_page_endpoint(sandbox: Sandbox, path: str) -> _Endpoint:
    """Serve a page. If programs can read JSON at the same path, a browser must ask for HTML."""

    async def endpoint(request: Request) -> Response:
        query = control_requests.parse_query_string(request.url.query)
        if path in _JSON_READERS and "text/html" not in request.headers.get("accept", ""):
            return build_json_response(_JSON_READERS[path](sandbox, query))
        return PageLocation(path, query).render(sandbox)

    return endpoint


def _build_post_endpoint(sandbox: Sandbox, kind: type[msgspec.Struct], run_request: _ControlFunction) -> _Endpoint:
    async def endpoint(request: Request) -> Response:
        fields = await control_requests.read_body_fields(request)
        if not control_requests.is_form(request):
            return build_json_response(run_request(sandbox, control_requests.parse_request(kind, fields, strict=True)))
        place = PageLocation.at(fields.pop(PAGE_FIELD, HOME_PATH))
        try:
            run_request(sandbox, control_requests.parse_request(kind, parse_fault_choice(fields), strict=False))
        except ControlError as error:
            return place.render(sandbox, FormResult(failed=str(error), status=error.status))
        return place.redirect(request.url.path.rpartition("/")[2])

    return endpoint


def _build_delete_endpoint(sandbox: Sandbox, delete_rows: Callable[[Sandbox], object]) -> _Endpoint:
    async def endpoint(_request: Request) -> Response:
        delete_rows(sandbox)
        return build_json_response({"ok": True})

    return endpoint


async def _run_form_action(sandbox: Sandbox, action_name: str, fields: dict[str, Any]) -> Response:
    """Run the verb of a form and return to its page, or show there its result or why it failed."""
    place = PageLocation.at(fields.pop(PAGE_FIELD, HOME_PATH))
    filled = {name: "" if value == EMPTY_OPTION else value for name, value in collect_answers(fields).items()}
    try:
        result = await _run_action(sandbox, action_name, filled, strict=False)
    except ControlError as error:
        return place.render(sandbox, FormResult(failed=str(error), status=error.status))
    if place.shows_results:
        return place.redirect()
    return (
        place.redirect(action_name)
        if result is None
        else place.render(sandbox, FormResult(done=action_name, result=result))
    )


async def _run_action(sandbox: Sandbox, action_name: str, fields: dict[str, Any], *, strict: bool) -> Any:
    """Run one of the platform's own verbs."""
    if "platform" not in fields and not any(action_name in vendor.actions for vendor in sandbox.vendors.values()):
        raise ControlError(
            f"There is no verb {action_name!r}. GET /_control lists the platforms with their verbs.", 404
        )
    vendor = control_views.get_vendor(sandbox, fields.pop("platform", None))
    action: Action[Any] | None = vendor.actions.get(action_name)
    if action is None:
        known = ", ".join(sorted(vendor.actions)) or "none"
        raise ControlError(f"{vendor.title} has no verb {action_name!r}. Choose one of: {known}.")
    order = control_requests.parse_request(
        action.request_type, fields if strict else split_list_fields(action, fields), strict=strict
    )
    world = sandbox.contexts[vendor.name]
    if inspect.iscoroutinefunction(action.run):
        return await action.run(world, order)
    with world.store.transaction():
        return action.run(world, order)


def _add_fault(sandbox: Sandbox, request: control_requests.FailRequest) -> Fault:
    vendor = control_views.get_vendor(sandbox, request.platform)
    if request.error is not None and request.error not in vendor.errors:
        known = ", ".join(sorted(vendor.errors))
        raise ControlError(f"{vendor.title} has no error {request.error!r}. Choose one of: {known}.", 422)
    answered = request.error is not None or request.status is not None
    if request.when == "before" and not answered and not request.delay and not request.hang:
        raise ControlError(('Specify how it fails: "error", "status", "delay", "hang", or a different "when".'), 422)
    if request.when == "late" and (answered or request.hang or not request.delay):
        raise ControlError('A call that takes effect late gets no response: set only "delay" with it.', 422)
    if request.hang and (answered or request.when == "drop"):
        raise ControlError(('A call that hangs gets no response: set only "hang", and "when" to before or after.'), 422)
    _validate_response(request)
    fields = msgspec.structs.asdict(request) | {"method": request.method.upper()}
    fault = Fault(id=sandbox.faults.new_id(), **fields)
    sandbox.faults.add(fault)
    return fault


def _validate_response(request: control_requests.FailRequest) -> None:
    """Reject a response that HTTP cannot carry: it would close the connection instead of failing as asked."""
    if request.status in BODILESS_STATUSES and request.body is not None:
        raise ControlError(
            f"A response with status {request.status} cannot have a body. Remove it, or choose another status.", 422
        )
    for name, value in request.headers.items():
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ControlError(f"The header {name!r} contains characters that HTTP does not allow. Remove them.", 422)


def _set_throttle(sandbox: Sandbox, request: control_requests.ThrottleRequest) -> object:
    sandbox.faults.set_throttle(control_views.get_vendor(sandbox, request.platform).name, request.per_minute)
    return request


def _cancel_fault(sandbox: Sandbox, request: control_requests.CancelRequest) -> object:
    if request.id is None:
        sandbox.faults.clear_all()
    elif not sandbox.faults.cancel(request.id):
        raise ControlError(
            f"There is no failure {request.id!r}. GET /_control/fail lists them; one that was used up is removed."
        )
    return {"ok": True}


def _move_clock(sandbox: Sandbox, request: control_requests.ClockRequest) -> object:
    seconds = (
        request.advance
        if request.to is None
        else sandbox.clock.compute_offset_for(_parse_time(request.to)) - sandbox.clock.offset
    )
    if request.reset:
        sandbox.clock.reset()
    elif seconds is None:
        raise ControlError(('Set "advance" to a number of seconds, "to" to a date and time, or "reset" to true.'), 422)
    elif not abs(sandbox.clock.offset + seconds) <= _MAX_AHEAD:
        raise ControlError("The clock can be moved by 50 years at most.", 422)
    else:
        sandbox.clock.advance(seconds)
    sandbox.run_due_work()
    return control_views.build_clock(sandbox)


def _parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise ControlError("to must be a date and time such as 2026-12-24T18:00.", 422) from error
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _set_webhooks(sandbox: Sandbox, request: control_requests.WebhooksRequest) -> object:
    if request.mode is not None:
        sandbox.webhook_sender.mode = request.mode
    released = sandbox.webhook_sender.release_held() if request.release else 0
    return {"mode": sandbox.webhook_sender.mode, "released": released}


def _set_receiver(sandbox: Sandbox, request: control_requests.ReceiverRequest) -> object:
    rule = sandbox.receiver_log.get_path_rule(normalize_path(request.path))
    if request.secret is not None:
        rule.secret = request.secret
    if request.answer is not None:
        rule.answer, rule.times, rule.retry_after = request.answer, request.times, request.retry_after
    sandbox.receiver_log.set_rule(rule)
    return control_views.build_rule(rule)


def _add_gateway(sandbox: Sandbox, request: control_requests.GatewayRequest) -> object:
    url = request.url.rstrip("/")
    if not sandbox.http_client.may_reach(url):
        raise ControlError(
            f"The sandbox cannot send webhooks to {url}: it reaches only this machine and the host of its own "
            "SOCIALGATE_BASE_URL.",
            422,
        )
    sandbox.deployments.register_process(request.deployment, url)
    return control_views.build_gateways(sandbox)


def _reset_sandbox(sandbox: Sandbox, _order: object) -> object:
    sandbox.reset()
    return {"ok": True}


# What programs read at the path of a page.
_JSON_READERS: Mapping[str, Callable[[Sandbox, Mapping[str, str]], Any]] = {
    FEED_PATH: read_feed_json,
    CHAT_PATH: read_chat_json,
    METRICS_PATH: read_metrics_json,
    LEADS_PATH: read_leads_json,
    REVIEWS_PAGE.path: REVIEWS_PAGE.read_json,
    CALENDAR_PAGE.path: CALENDAR_PAGE.read_json,
    CATALOG_PAGE.path: CATALOG_PAGE.read_json,
    ADS_PAGE.path: ADS_PAGE.read_json,
}
_GET_ENDPOINTS: Mapping[str, tuple[type[msgspec.Struct], _ControlFunction]] = {
    "": (control_requests.EmptyRequest, control_views.build_platforms),
    "/accounts": (control_requests.AccountsQuery, control_views.build_accounts),
    "/surface": (control_requests.AccountsQuery, control_views.build_endpoints),
    "/received": (control_requests.ReceivedQuery, control_views.build_received_calls),
    "/deliveries": (control_requests.DeliveriesQuery, control_views.build_webhooks),
    "/fail": (control_requests.EmptyRequest, control_views.build_faults),
    "/gateways": (control_requests.EmptyRequest, control_views.build_gateways),
    "/clock": (control_requests.EmptyRequest, control_views.build_clock),
    "/receiver": (control_requests.ReceiverQuery, control_views.build_deliveries),
}
_POST_ENDPOINTS: Mapping[str, tuple[type[msgspec.Struct], _ControlFunction]] = {
    "/fail": (control_requests.FailRequest, _add_fault),
    "/cancel": (control_requests.CancelRequest, _cancel_fault),
    "/throttle": (control_requests.ThrottleRequest, _set_throttle),
    "/clock": (control_requests.ClockRequest, _move_clock),
    "/webhooks": (control_requests.WebhooksRequest, _set_webhooks),
    "/receiver": (control_requests.ReceiverRequest, _set_receiver),
    "/gateways": (control_requests.GatewayRequest, _add_gateway),
    "/reset": (control_requests.EmptyRequest, _reset_sandbox),
}
_DELETE_ENDPOINTS: Mapping[str, Callable[[Sandbox], object]] = {
    "/fail": lambda kernel: kernel.faults.clear_all(),
    "/receiver": lambda kernel: kernel.receiver_log.clear(),
}
