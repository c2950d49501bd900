"""What the controls show, as plain data: the responses of `GET /_control/...` and the rows on the pages."""

from typing import Any

import msgspec

from socialgate_sandbox.control import orders
from socialgate_sandbox.kernel.hooks_out import Webhook
from socialgate_sandbox.kernel.inbox import Delivered, Rule, path_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.received import ReceivedCall
from socialgate_sandbox.kernel.surface import endpoints_of
from socialgate_sandbox.kernel.vendor import ControlError, Vendor

Row = dict[str, Any]


def vendor_of(kernel: Kernel, name: Any) -> Vendor:
    vendor = kernel.vendors.get(name) if isinstance(name, str) else None
    if vendor is None:
        known = ", ".join(sorted(kernel.vendors)) or "none"
        said = "Set the platform" if name is None else f"There is no platform {name!r}"
        raise ControlError(f"{said}. Choose one of: {known}.", 422 if name is None else 404)
    return vendor


def platforms(kernel: Kernel, _query: object = None) -> Row:
    """Return every platform with its errors and verbs."""
    settings = kernel.settings
    return {
        "data": [
            {
                "platform": name,
                "title": vendor.title,
                "url": kernel.worlds[name].url,
                "errors": sorted(vendor.errors),
                "verbs": {
                    verb: {"title": action.title, "fields": _fields(action.takes)}
                    for verb, action in vendor.actions.items()
                },
            }
            for name, vendor in kernel.vendors.items()
        ],
        "receiver": f"https://{settings.host}:{settings.receiver_port}/",
    }


def accounts(kernel: Kernel, query: orders.AccountsQuery) -> Row:
    names = list(kernel.vendors) if query.platform is None else [vendor_of(kernel, query.platform).name]
    rows = [
        {"platform": name, **msgspec.structs.asdict(account)}
        for name in names
        for account in kernel.vendors[name].accounts(kernel.worlds[name])
    ]
    return {"data": rows}


def surface(kernel: Kernel, query: orders.AccountsQuery) -> Row:
    """Return every simulated endpoint, with what it checks."""
    vendors = kernel.vendors.values() if query.platform is None else [vendor_of(kernel, query.platform)]
    return {"data": [endpoint for vendor in vendors for endpoint in endpoints_of(vendor)]}


def received(kernel: Kernel, query: orders.ReceivedQuery) -> Row:
    found = kernel.received.find(query.platform, query.path, query.limit, query.account)
    return {"data": [_call(call) for call in found]}


def deliveries(kernel: Kernel, query: orders.DeliveriesQuery) -> Row:
    return {"data": [_webhook(webhook) for webhook in kernel.postman.find(query.platform, query.state, query.limit)]}


def faults(kernel: Kernel, _query: object = None) -> Row:
    return {"data": kernel.faults.all(), "hanging": kernel.faults.waiting()}


def clock(kernel: Kernel, _query: object = None) -> Row:
    return {"now": kernel.clock.now(), "offset": kernel.clock.offset}


def gateways(kernel: Kernel, _query: object = None) -> Row:
    return {"data": [{"deployment": one.id, "urls": one.urls} for one in kernel.gateways.all()]}


def receiver(kernel: Kernel, query: orders.ReceiverQuery) -> Row:
    return {
        "data": [
            _delivered(one)
            for one in kernel.inbox.find(None if query.path is None else path_of(query.path), query.limit)
        ],
        "rules": [rule(one) for one in kernel.inbox.rules()],
    }


def rule(of: Rule) -> Row:
    """Show a rule of the receiver, without its secret."""
    return {
        "path": of.id,
        "secretSet": of.secret is not None,
        "answer": of.answer,
        "times": of.times,
        "retryAfter": of.retry_after,
    }


def _fields(kind: type[msgspec.Struct]) -> dict[str, str]:
    return {field.encode_name: "required" if field.required else "optional" for field in msgspec.structs.fields(kind)}


def _call(call: ReceivedCall) -> Row:
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


def _webhook(webhook: Webhook) -> Row:
    return {
        "id": webhook.id,
        "platform": webhook.vendor,
        "state": webhook.parent,
        "url": webhook.url,
        "headers": webhook.headers,
        "body": webhook.body.decode("utf-8", "replace"),
        "at": webhook.made,
        "attempts": webhook.attempts,
    }


def _delivered(one: Delivered) -> Row:
    return {
        "id": one.id,
        "path": one.parent,
        "at": one.at,
        "headers": one.headers,
        "body": one.body,
        "signature": one.signature,
        "answer": one.answer,
    }
