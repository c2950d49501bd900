"""What surrounds every page for people: the navigation, and a sidebar with the clock, failures and webhooks."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from socialgate_sandbox.control.account_context import AccountContext, address_of, list_tabs
from socialgate_sandbox.control.fault_choices import describe_fault, list_fault_choices
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.templates import pretty, render_template
from socialgate_sandbox.kernel.text_format import format_clock_offset, humanize

_SECTIONS = (
    ("/", "Accounts"),
    ("/_control/calls", "Calls"),
    ("/_control/webhooks", "Webhooks"),
    ("/_control/hooks", "Hook receiver"),
)
_MAX_STORED = 2000
# The messages shown after the forms in the sidebar. Verbs of platforms show their title.
_DONE_MESSAGES = {
    "clock": "The clock was moved.",
    "fail": "Failure added.",
    "cancel": "Failure cancelled.",
    "throttle": "The limit was changed.",
    "webhooks": "The webhook setting was changed.",
    "receiver": "The receiver was changed.",
    "reset": "The sandbox was reset.",
}


class FormResult(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the last form: the verb that ran and its result, or why it failed."""

    done: str = ""
    result: Any = None
    failed: str = ""
    status: int = 200


NO_RESULT = FormResult()


def render_page(
    sandbox: Sandbox,
    template: str,
    form_result: FormResult,
    *,
    path: str,
    query: Mapping[str, str] | None = None,
    account_context: AccountContext | None = None,
    **values: Any,
) -> Response:
    """Render a page. `path` and `query` are its address, to which its forms return."""
    request = dict(query or {})
    platform = request.get("platform", "")
    return render_template(
        template,
        form_result.status,
        **values,
        vendor=sandbox.vendors.get(platform),
        account=None if account_context is None else account_context.account,
        tabs=[] if account_context is None else _build_tabs(account_context, path),
        console_page=_build_console_link(sandbox, account_context, path),
        sections=_build_sections(path, account_context),
        back=f"{path}?{urlencode(request)}" if request else path,
        side=_build_sidebar(sandbox, platform),
        note=form_result,
        done=_build_done_message(sandbox, form_result.done, platform),
        # The sidebar shows the results of its own forms.
        by_side=form_result.done in _DONE_MESSAGES,
        result="" if form_result.result is None else pretty(form_result.result),
    )


def _build_tabs(account_context: AccountContext, path: str) -> list[dict[str, Any]]:
    return [
        {"title": tab.title, "about": tab.about, "url": address_of(tab.path, account_context), "here": tab.path == path}
        for tab in list_tabs(account_context)
    ]


def _build_console_link(sandbox: Sandbox, account_context: AccountContext | None, path: str) -> str:
    """Return where the product shows the same. Pages add what it is about, such as the URL of a post."""
    if account_context is None or not sandbox.settings.console_url:
        return ""
    vendor, context, account = account_context
    query = {
        "platform": vendor.name,
        "account": vendor.get_public_id(context, account),
        "page": path.rpartition("/")[2],
    }
    return f"{sandbox.settings.console_url}?{urlencode(query)}"


def _build_sections(path: str, account_context: AccountContext | None) -> list[dict[str, Any]]:
    here = "/" if account_context is not None or path == "/_control/platform" else path
    return [{"url": url, "title": title, "here": url == here} for url, title in _SECTIONS]


def _build_sidebar(sandbox: Sandbox, platform: str) -> dict[str, Any]:
    now = sandbox.clock.now()
    return {
        "now": now,
        "moved": abs(sandbox.clock.offset) >= 1,
        "offset": format_clock_offset(sandbox.clock.offset),
        "platforms": [
            {"name": name, "title": vendor.title, "failures": list_fault_choices(vendor)}
            for name, vendor in sandbox.vendors.items()
        ],
        "platform": platform or next(iter(sandbox.vendors), ""),
        "faults": [
            {
                "id": fault.id,
                "title": sandbox.vendors[fault.platform].title,
                "said": describe_fault(fault),
                "left": fault.times,
            }
            for fault in sandbox.faults.list_faults()
            if fault.platform in sandbox.vendors
        ],
        "throttles": [
            {"platform": throttle.id, "title": sandbox.vendors[throttle.id].title, "per_minute": throttle.per_minute}
            for throttle in sandbox.faults.throttles()
            if throttle.id in sandbox.vendors
        ],
        "hanging": len(sandbox.faults.waiting()),
        "mode": sandbox.webhook_sender.mode,
        "held": len(sandbox.webhook_sender.list_webhooks(None, "held", _MAX_STORED)),
    }


def _build_done_message(sandbox: Sandbox, done: str, platform: str) -> str:
    """Return the message for what was done. The word comes from an address, so only known ones are shown."""
    if not done:
        return ""
    if done in _DONE_MESSAGES:
        return _DONE_MESSAGES[done]
    vendor = sandbox.vendors.get(platform)
    known = [vendor] if vendor is not None else list(sandbox.vendors.values())
    title = next((vendor.actions[done].title for vendor in known if done in vendor.actions), "")
    return f"Done: {title}." if title else "Done."


def format_facts(values: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Format values next to their names."""
    return [(humanize(name), _format_value(value)) for name, value in values.items() if value not in (None, "", [], {})]


def _format_value(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
