"""What surrounds every page for people: the navigation, and a sidebar with the clock, failures and webhooks."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.responses import Response

from socialgate_sandbox.control.breaking import failures_of, sentence
from socialgate_sandbox.control.subjects import Subject, address_of, tabs_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.pages import page, pretty
from socialgate_sandbox.kernel.words import humanize, offset

_SECTIONS = (
    ("/", "Accounts"),
    ("/_control/calls", "Calls"),
    ("/_control/webhooks", "Webhooks"),
    ("/_control/hooks", "Hook receiver"),
)
_MOST_HELD = 2000
# The messages shown after the forms in the sidebar. Verbs of platforms show their title.
_DONE = {
    "clock": "The clock was moved.",
    "fail": "Failure added.",
    "cancel": "Failure cancelled.",
    "throttle": "The limit was changed.",
    "webhooks": "The webhook setting was changed.",
    "receiver": "The receiver was changed.",
    "reset": "The sandbox was reset.",
}


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """The result of the last form: the verb that ran and its result, or why it failed."""

    done: str = ""
    result: Any = None
    failed: str = ""
    status: int = 200


NOTHING = Note()


def shell(
    kernel: Kernel,
    template: str,
    note: Note,
    *,
    path: str,
    query: Mapping[str, str] | None = None,
    subject: Subject | None = None,
    **values: Any,
) -> Response:
    """Render a page. `path` and `query` are its address, to which its forms return."""
    asked = dict(query or {})
    platform = asked.get("platform", "")
    return page(
        template,
        note.status,
        **values,
        vendor=kernel.vendors.get(platform),
        account=None if subject is None else subject.account,
        tabs=[] if subject is None else _tabs(subject, path),
        sections=_sections(path, subject),
        back=f"{path}?{urlencode(asked)}" if asked else path,
        side=_side(kernel, platform),
        note=note,
        done=_said(kernel, note.done, platform),
        # The sidebar shows the results of its own forms.
        by_side=note.done in _DONE,
        result="" if note.result is None else pretty(note.result),
    )


def _tabs(subject: Subject, path: str) -> list[dict[str, Any]]:
    return [
        {"title": tab.title, "about": tab.about, "url": address_of(tab.path, subject), "here": tab.path == path}
        for tab in tabs_of(subject)
    ]


def _sections(path: str, subject: Subject | None) -> list[dict[str, Any]]:
    here = "/" if subject is not None or path == "/_control/platform" else path
    return [{"url": url, "title": title, "here": url == here} for url, title in _SECTIONS]


def _side(kernel: Kernel, platform: str) -> dict[str, Any]:
    now = kernel.clock.now()
    return {
        "now": now,
        "moved": abs(kernel.clock.offset) >= 1,
        "offset": offset(kernel.clock.offset),
        "platforms": [
            {"name": name, "title": vendor.title, "failures": failures_of(vendor)}
            for name, vendor in kernel.vendors.items()
        ],
        "platform": platform or next(iter(kernel.vendors), ""),
        "faults": [
            {
                "id": fault.id,
                "title": kernel.vendors[fault.platform].title,
                "said": sentence(fault),
                "left": fault.times,
            }
            for fault in kernel.faults.all()
            if fault.platform in kernel.vendors
        ],
        "throttles": [
            {"platform": one.id, "title": kernel.vendors[one.id].title, "per_minute": one.per_minute}
            for one in kernel.faults.throttles()
            if one.id in kernel.vendors
        ],
        "hanging": len(kernel.faults.waiting()),
        "mode": kernel.postman.mode,
        "held": len(kernel.postman.find(None, "held", _MOST_HELD)),
    }


def _said(kernel: Kernel, done: str, platform: str) -> str:
    """Return the message for what was done. The word comes from an address, so only known ones are shown."""
    if not done:
        return ""
    if done in _DONE:
        return _DONE[done]
    vendor = kernel.vendors.get(platform)
    known = [vendor] if vendor is not None else list(kernel.vendors.values())
    title = next((one.actions[done].title for one in known if done in one.actions), "")
    return f"Done: {title}." if title else "Done."


def facts(values: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
    """Format values next to their names."""
    return [(humanize(name), _plain(value)) for name, value in values.items() if value not in (None, "", [], {})]


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode().strip('"')
