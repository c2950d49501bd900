"""The home page, with every platform and its accounts, and the page of one platform with its actions."""

from collections.abc import Iterable, Mapping
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import control_requests, control_views
from socialgate_sandbox.control.action_forms import build_platform_forms
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import Account, ActionRequest, Vendor

HOME_PATH = "/"
PLATFORM_PATH = "/_control/platform"
# If there are more accounts of one kind than this, the rest are collapsed.
_MAX_OF_A_KIND = 6


class PlatformQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str


def render_home_page(sandbox: Sandbox, _fields: Mapping[str, str], form_result: FormResult) -> Response:
    return render_page(
        sandbox,
        "overview.html",
        form_result,
        path=HOME_PATH,
        platforms=[_build_platform(sandbox, vendor) for vendor in sandbox.vendors.values()],
        most=_MAX_OF_A_KIND,
        gateway_url=sandbox.settings.gateway_url,
    )


def render_platform_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    query = control_requests.parse_request(
        PlatformQuery, control_requests.known_fields(PlatformQuery, fields), strict=False
    )
    vendor = control_views.get_vendor(sandbox, query.platform)
    return render_page(
        sandbox,
        "platform.html",
        form_result,
        path=PLATFORM_PATH,
        query={"platform": vendor.name},
        platform=_build_platform(sandbox, vendor),
        verbs=build_platform_forms(vendor, sandbox.contexts[vendor.name]),
        limit=next(
            (throttle.per_minute for throttle in sandbox.faults.throttles() if throttle.id == vendor.name), None
        ),
    )


def _build_platform(sandbox: Sandbox, vendor: Vendor) -> dict[str, Any]:
    world = sandbox.contexts[vendor.name]
    return {
        "name": vendor.name,
        "title": vendor.title,
        "url": world.url,
        "kinds": _group_by_kind(vendor.accounts(world)),
    }


def _group_by_kind(accounts: Iterable[Account]) -> dict[str, list[Account]]:
    """Group accounts by kind. An account that several people hold is listed once."""
    kinds: dict[str, dict[str, Account]] = {}
    for account in accounts:
        kinds.setdefault(account.kind, {}).setdefault(account.id, account)
    return {kind: list(accounts.values()) for kind, accounts in kinds.items()}
