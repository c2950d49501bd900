"""Failures as people choose them: one list of what can go wrong on a platform, instead of the fields of an order."""

from collections.abc import Mapping
from typing import Any

from socialgate.sandbox.faults import Fault
from socialgate.sandbox.vendor import ControlError, Vendor
from socialgate.sandbox.words import humanize, plural, span

# The field that holds the choice for a platform. All platforms have one on the page, and only the chosen one counts.
FAILURE = "failure:"
_ERROR = "error:"
_USUAL_DELAY = "10"
_COMMON: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "server_error": ("Server error (500)", {"status": "500"}),
    "unavailable": ("Service unavailable (503)", {"status": "503"}),
    "slow": ("Slow answer", {"delay": _USUAL_DELAY}),
    "answer_lost": ("Answer lost after the call took effect", {"when": "after"}),
    "call_lost": ("Call lost, nothing happens", {"when": "drop"}),
    "late": ("Answer lost, takes effect later", {"when": "late", "delay": _USUAL_DELAY}),
    "hang": ("Hangs, nothing happens", {"hang": "true"}),
    "hang_after": ("Hangs after the call took effect", {"hang": "true", "when": "after"}),
}


def failures_of(vendor: Vendor) -> dict[str, dict[str, str]]:
    """List what can be chosen, by group."""
    own = {f"{_ERROR}{name}": humanize(name) for name in sorted(vendor.errors, key=lambda name: name != "rate_limited")}
    return {
        f"Errors of {vendor.title}": own,
        "Any platform": {name: words for name, (words, _fields) in _COMMON.items()},
    }


def chosen(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the choice in a form into the fields of an order. A form without such a choice stays as it is."""
    plain = {name: value for name, value in fields.items() if not name.startswith(FAILURE)}
    choice = fields.get(f"{FAILURE}{fields.get('platform', '')}")
    if choice is None:
        return plain
    if choice.startswith(_ERROR):
        return plain | {"error": choice.removeprefix(_ERROR)}
    if choice not in _COMMON:
        raise ControlError(f"There is no failure {choice!r}.", 422)
    return {**_COMMON[choice][1], **plain}


def sentence(fault: Fault) -> str:
    """Describe an ordered failure."""
    parts = [f"{plural(fault.times, 'call')}: {_word(fault)}"]
    if fault.delay and fault.when != "late" and (fault.error or fault.status or fault.when != "before"):
        parts.append(f"after {span(fault.delay)}")
    if (fault.method, fault.path) != ("*", "*"):
        parts.append(f"{'any method' if fault.method == '*' else fault.method} {fault.path}")
    if fault.account:
        parts.append(f"account {fault.account}")
    if fault.skip:
        parts.append(f"after {plural(fault.skip, 'call')} that pass{'es' if fault.skip == 1 else ''}")
    return ", ".join(parts)


def _word(fault: Fault) -> str:
    if fault.hang:
        return "hang after taking effect" if fault.when == "after" else "hang"
    if fault.when == "after":
        return "answer lost"
    if fault.when == "drop":
        return "call lost"
    if fault.when == "late":
        return f"answer lost, takes effect {span(fault.delay)} later"
    if fault.error:
        return humanize(fault.error).lower()
    return f"status {fault.status}" if fault.status else f"slow by {span(fault.delay)}"
