"""The traffic: calls that platforms received, webhooks that they sent, and deliveries to the hook receiver."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.control import orders, views
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import subject_of
from socialgate_sandbox.kernel.hooks_out import State
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.vendor import ActionRequest

CALLS, WEBHOOKS, HOOKS = "/_control/calls", "/_control/webhooks", "/_control/hooks"
_ROWS = 100


class CallsQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str = ""
    account: str = ""
    path: str = ""


class WebhooksQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str = ""
    state: State | None = None


def show_calls(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    query = orders.to_order(CallsQuery, orders.known_fields(CallsQuery, fields), strict=False)
    subject = subject_of(kernel, query.platform, query.account) if query.account else None
    if query.platform:
        views.vendor_of(kernel, query.platform)
    wanted = orders.ReceivedQuery(
        platform=query.platform or None, account=query.account or None, path=query.path or None, limit=_ROWS
    )
    return shell(
        kernel,
        "calls.html",
        note,
        path=CALLS,
        query=_given(platform=query.platform, account=query.account, path=query.path),
        subject=subject,
        calls=views.received(kernel, wanted)["data"],
        asked=query,
        most=_ROWS,
    )


def show_webhooks(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    given = {name: value for name, value in orders.known_fields(WebhooksQuery, fields).items() if value}
    query = orders.to_order(WebhooksQuery, given, strict=False)
    wanted = orders.DeliveriesQuery(platform=query.platform or None, state=query.state, limit=_ROWS)
    return shell(
        kernel,
        "webhooks.html",
        note,
        path=WEBHOOKS,
        query=_given(platform=query.platform, state=query.state or ""),
        webhooks=views.deliveries(kernel, wanted)["data"],
        asked=query,
        most=_ROWS,
    )


def show_hooks(kernel: Kernel, _fields: Mapping[str, str], note: Note) -> Response:
    return shell(
        kernel,
        "hooks.html",
        note,
        path=HOOKS,
        receiver_url=f"https://{kernel.settings.host}:{kernel.settings.receiver_port}/",
        rules=[views.rule(one) for one in kernel.inbox.rules()],
        delivered=views.receiver(kernel, orders.ReceiverQuery(limit=_ROWS))["data"],
    )


def _given(**query: str) -> dict[str, str]:
    return {name: value for name, value in query.items() if value}
