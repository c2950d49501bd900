"""What the controls show, as plain data: the responses of `GET /_control/...` and the rows on the pages."""

from typing import Any

import msgspec

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.kernel.call_log import ReceivedCall
from socialgate_sandbox.kernel.endpoints import list_endpoints
from socialgate_sandbox.kernel.hook_receiver_log import Delivered, Rule, normalize_path
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ControlError, Vendor
from socialgate_sandbox.kernel.webhook_sender import Webhook

ViewData = dict[str, Any]


def get_vendor(sandbox: Sandbox, name: Any) -> Vendor:
    vendor = sandbox.vendors.get(name) if isinstance(name, str) else None
    if vendor is None:
        known = ", ".join(sorted(sandbox.vendors)) or "none"
        message = "Set the platform" if name is None else f"There is no platform {name!r}"
        raise ControlError(f"{message}. Choose one of: {known}.", 422 if name is None else 404)
    return vendor


def build_platforms(sandbox: Sandbox, _query: object = None) -> ViewData:
    """Return every platform with its errors and verbs."""
    settings = sandbox.settings
    return {
        "data": [
            {
                "platform": name,
                "title": vendor.title,
                "url": sandbox.contexts[name].url,
                "errors": sorted(vendor.errors),
                "verbs": {
                    verb: {"title": action.title, "fields": _describe_fields(action.request_type)}
                    for verb, action in vendor.actions.items()
                },
            }
            for name, vendor in sandbox.vendors.items()
        ],
        "receiver": f"https://{settings.host}:{settings.receiver_port}/",
    }


def build_accounts(sandbox: Sandbox, query: control_requests.AccountsQuery) -> ViewData:
    names = list(sandbox.vendors) if query.platform is None else [get_vendor(sandbox, query.platform).name]
    rows = [
        {"platform": name, **msgspec.structs.asdict(account)}
        for name in names
        for account in sandbox.vendors[name].accounts(sandbox.contexts[name])
    ]
    return {"data": rows}


def build_endpoints(sandbox: Sandbox, query: control_requests.AccountsQuery) -> ViewData:
    """Return every simulated endpoint, with what it checks."""
    vendors = sandbox.vendors.values() if query.platform is None else [get_vendor(sandbox, query.platform)]
    return {"data": [endpoint for vendor in vendors for endpoint in list_endpoints(vendor)]}


def build_received_calls(sandbox: Sandbox, query: control_requests.ReceivedQuery) -> ViewData:
    received_calls = sandbox.received.list_calls(query.platform, query.path, query.limit, query.account)
    return {"data": [_build_call(call) for call in received_calls]}


def build_webhooks(sandbox: Sandbox, query: control_requests.DeliveriesQuery) -> ViewData:
    return {
        "data": [
            _build_webhook(webhook)
            for webhook in sandbox.webhook_sender.list_webhooks(query.platform, query.state, query.limit)
        ]
    }


def build_faults(sandbox: Sandbox, _query: object = None) -> ViewData:
    return {"data": sandbox.faults.list_faults(), "hanging": sandbox.faults.waiting()}


def build_clock(sandbox: Sandbox, _query: object = None) -> ViewData:
    return {"now": sandbox.clock.now(), "offset": sandbox.clock.offset}


def build_gateways(sandbox: Sandbox, _query: object = None) -> ViewData:
    return {
        "data": [{"deployment": gateway.id, "urls": gateway.urls} for gateway in sandbox.deployments.list_deployments()]
    }


def build_deliveries(sandbox: Sandbox, query: control_requests.ReceiverQuery) -> ViewData:
    return {
        "data": [
            _build_delivery(delivered)
            for delivered in sandbox.receiver_log.list_deliveries(
                None if query.path is None else normalize_path(query.path), query.limit
            )
        ],
        "rules": [build_rule(current_rule) for current_rule in sandbox.receiver_log.list_rules()],
    }


def build_rule(receiver_rule: Rule) -> ViewData:
    """Show a rule of the receiver, without its secret."""
    return {
        "path": receiver_rule.id,
        "secretSet": receiver_rule.secret is not None,
        "answer": receiver_rule.answer,
        "times": receiver_rule.times,
        "retryAfter": receiver_rule.retry_after,
    }


def _describe_fields(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {field.encode_name: "required" if field.required else "optional" for field in msgspec.structs.fields(kind)}


def _build_call(call: ReceivedCall) -> ViewData:
    return {
        "id": call.id,
        "platform": call.parent,
        "at": call.at,
        "method": call.method,
        "path": call.path,
        "query": call.query,
        "body": call.body,
        "status": call.status,
        "fault": call.fault,
        "accounts": call.accounts,
    }


def _build_webhook(webhook: Webhook) -> ViewData:
    return {
        "id": webhook.id,
        "platform": webhook.vendor,
        "state": webhook.parent,
        "url": webhook.url,
        "headers": webhook.headers,
        "body": webhook.body.decode("utf-8", "replace"),
        "at": webhook.created_at,
        "attempts": webhook.attempts,
    }


def _build_delivery(delivered: Delivered) -> ViewData:
    return {
        "id": delivered.id,
        "path": delivered.parent,
        "at": delivered.at,
        "headers": delivered.headers,
        "body": delivered.body,
        "signature": delivered.signature,
        "answer": delivered.answer,
    }
