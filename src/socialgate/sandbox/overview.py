"""The page at `/`: what the sandbox holds, and buttons for what can be done with it."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox import orders, views
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.pages import page
from socialgate.sandbox.vendor import Vendor

_ROWS = 15


def overview(
    kernel: Kernel, *, done: str | None = None, result: Any = None, failed: str | None = None, status: int = 200
) -> Response:
    """Show the page, with what came of the last click: that it is done, what it answered, or why it failed."""
    offset = round(kernel.clock.offset)
    return page(
        "overview.html",
        status,
        done=done,
        result=_written(result),
        failed=failed,
        platforms=[_platform(kernel, vendor) for vendor in kernel.vendors.values()],
        receiver_url=f"https://{kernel.settings.host}:{kernel.settings.receiver_port}/",
        gateway_url=kernel.settings.gateway_url,
        now=kernel.clock.now(),
        offset=offset,
        mode=kernel.postman.mode,
        held=len(kernel.postman.find(None, "held", 2000)),
        faults=kernel.faults.all(),
        received=views.received(kernel, orders.ReceivedQuery(limit=_ROWS))["data"],
        webhooks=views.deliveries(kernel, orders.DeliveriesQuery(limit=_ROWS))["data"],
        delivered=views.receiver(kernel, orders.ReceiverQuery(limit=_ROWS))["data"],
    )


def _written(result: Any) -> str:
    """Write an answer for people to read and copy."""
    return "" if result is None else msgspec.json.format(msgspec.json.encode(result)).decode()


def _platform(kernel: Kernel, vendor: Vendor) -> dict[str, Any]:
    verbs = [_verb(name, vendor) for name in vendor.actions]
    return {
        "name": vendor.name,
        "title": vendor.title,
        "url": kernel.worlds[vendor.name].url,
        "errors": sorted(vendor.errors),
        "accounts": views.accounts(kernel, orders.AccountsQuery(platform=vendor.name))["data"],
        "account_verbs": [verb for verb in verbs if verb["for_account"]],
        "verbs": [verb for verb in verbs if not verb["for_account"]],
        "feeds": set(vendor.feeds),
        "chats": set(vendor.chats),
        "numbers": set(vendor.numbers),
        "forms": set(vendor.forms),
    }


def _verb(name: str, vendor: Vendor) -> dict[str, Any]:
    action = vendor.actions[name]
    fields = msgspec.structs.fields(action.takes)
    return {
        "name": name,
        "title": action.title,
        "for_account": any(field.name == "account" for field in fields),
        "fields": [
            {"name": field.encode_name, "required": field.required} for field in fields if field.name != "account"
        ],
    }
