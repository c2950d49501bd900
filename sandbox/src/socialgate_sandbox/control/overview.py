"""The home page, with every platform and its accounts, and the page of one platform with its actions."""

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import orders, views
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.verbs import platform_verbs
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.vendor import Account, ActionRequest, Vendor

HOME = "/"
PLATFORM = "/_control/platform"
# If there are more accounts of one kind than this, the rest are collapsed.
_MOST_OF_A_KIND = 6


class PlatformQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str


def show_home(kernel: Kernel, _fields: Mapping[str, str], note: Note) -> Response:
    return shell(
        kernel,
        "overview.html",
        note,
        path=HOME,
        platforms=[_platform(kernel, vendor) for vendor in kernel.vendors.values()],
        most=_MOST_OF_A_KIND,
        gateway_url=kernel.settings.gateway_url,
    )


def show_platform(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    query = orders.to_order(PlatformQuery, orders.known_fields(PlatformQuery, fields), strict=False)
    vendor = views.vendor_of(kernel, query.platform)
    return shell(
        kernel,
        "platform.html",
        note,
        path=PLATFORM,
        query={"platform": vendor.name},
        platform=_platform(kernel, vendor),
        verbs=platform_verbs(vendor, kernel.worlds[vendor.name]),
        limit=next((one.per_minute for one in kernel.faults.throttles() if one.id == vendor.name), None),
    )


def _platform(kernel: Kernel, vendor: Vendor) -> dict[str, Any]:
    world = kernel.worlds[vendor.name]
    return {
        "name": vendor.name,
        "title": vendor.title,
        "url": world.url,
        "kinds": _by_kind(vendor.accounts(world)),
    }


def _by_kind(accounts: Iterable[Account]) -> dict[str, list[Account]]:
    """Group accounts by kind. An account that several people hold is listed once."""
    kinds: dict[str, dict[str, Account]] = {}
    for account in accounts:
        kinds.setdefault(account.kind, {}).setdefault(account.id, account)
    return {kind: list(found.values()) for kind, found in kinds.items()}
