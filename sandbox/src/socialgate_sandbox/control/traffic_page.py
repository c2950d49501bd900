"""The traffic: calls that platforms received, webhooks that they sent, and deliveries to the hook receiver."""

from collections.abc import Mapping

from starlette.responses import Response

from socialgate_sandbox.control import control_requests, control_views
from socialgate_sandbox.control.account_context import find_account
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ActionRequest
from socialgate_sandbox.kernel.webhook_sender import WebhookState

CALLS_PATH, WEBHOOKS_PATH, HOOKS_PATH = "/_control/calls", "/_control/webhooks", "/_control/hooks"
_MAX_ROWS = 100


class CallsQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str = ""
    account: str = ""
    path: str = ""


class WebhooksQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str = ""
    state: WebhookState | None = None


def render_calls_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    query = control_requests.parse_request(CallsQuery, control_requests.known_fields(CallsQuery, fields), strict=False)
    subject = find_account(sandbox, query.platform, query.account) if query.account else None
    if query.platform:
        control_views.get_vendor(sandbox, query.platform)
    requested_query = control_requests.ReceivedQuery(
        platform=query.platform or None, account=query.account or None, path=query.path or None, limit=_MAX_ROWS
    )
    return render_page(
        sandbox,
        "calls.html",
        form_result,
        path=CALLS_PATH,
        query=_drop_empty(platform=query.platform, account=query.account, path=query.path),
        account_context=subject,
        calls=control_views.build_received_calls(sandbox, requested_query)["data"],
        asked=query,
        most=_MAX_ROWS,
    )


def render_webhooks_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    params = {name: value for name, value in control_requests.known_fields(WebhooksQuery, fields).items() if value}
    query = control_requests.parse_request(WebhooksQuery, params, strict=False)
    requested_query = control_requests.DeliveriesQuery(
        platform=query.platform or None, state=query.state, limit=_MAX_ROWS
    )
    return render_page(
        sandbox,
        "webhooks.html",
        form_result,
        path=WEBHOOKS_PATH,
        query=_drop_empty(platform=query.platform, state=query.state or ""),
        webhooks=control_views.build_webhooks(sandbox, requested_query)["data"],
        asked=query,
        most=_MAX_ROWS,
    )


def render_hooks_page(sandbox: Sandbox, _fields: Mapping[str, str], form_result: FormResult) -> Response:
    return render_page(
        sandbox,
        "hooks.html",
        form_result,
        path=HOOKS_PATH,
        receiver_url=f"https://{sandbox.settings.host}:{sandbox.settings.receiver_port}/",
        rules=[control_views.build_rule(rule) for rule in sandbox.receiver_log.list_rules()],
        delivered=control_views.build_deliveries(sandbox, control_requests.ReceiverQuery(limit=_MAX_ROWS))["data"],
    )


def _drop_empty(**query: str) -> dict[str, str]:
    return {name: value for name, value in query.items() if value}
