"""Failures as people choose them: one list of what can go wrong on a platform, instead of the fields of `FailOrder`."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.kernel.faults import Fault
from socialgate_sandbox.kernel.vendor import ControlError, Vendor
from socialgate_sandbox.kernel.words import humanize, plural, span

# The form field with the choice for a platform. The page has one per platform, and only the selected one counts.
FAILURE = "failure:"
_ERROR = "error:"
_USUAL_DELAY = "10"
_COMMON: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "server_error": ("Server error (500)", {"status": "500"}),
    "unavailable": ("Service unavailable (503)", {"status": "503"}),
    "slow": ("Slow response", {"delay": _USUAL_DELAY}),
    "answer_lost": ("Response lost after the call took effect", {"when": "after"}),
    "call_lost": ("Call lost, nothing happens", {"when": "drop"}),
    "late": ("Response lost, takes effect later", {"when": "late", "delay": _USUAL_DELAY}),
    "hang": ("Hangs, nothing happens", {"hang": "true"}),
    "hang_after": ("Hangs after the call took effect", {"hang": "true", "when": "after"}),
}


def failures_of(vendor: Vendor) -> dict[str, dict[str, str]]:
    """List the choices by group."""
    own = {f"{_ERROR}{name}": humanize(name) for name in sorted(vendor.errors, key=lambda name: name != "rate_limited")}
    return {
        f"{vendor.title} errors": own,
        "Any platform": {name: words for name, (words, _fields) in _COMMON.items()},
    }


def chosen(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the choice in a form into the fields of `FailOrder`. A form without a choice is returned unchanged."""
    plain = {name: value for name, value in fields.items() if not name.startswith(FAILURE)}
    choice = fields.get(f"{FAILURE}{fields.get('platform', '')}")
    if choice is None:
        return plain
    if choice.startswith(_ERROR):
        return plain | {"error": choice.removeprefix(_ERROR)}
    if choice not in _COMMON:
        raise ControlError(f"There is no failure {choice!r}. Choose one of: {', '.join(_COMMON)}.", 422)
    return {**_COMMON[choice][1], **plain}


def sentence(fault: Fault) -> str:
    """Describe a failure that is set."""
    parts = [f"{plural(fault.times, 'call')}: {_word(fault)}"]
    if fault.delay and fault.when != "late" and (fault.error or fault.status or fault.when != "before"):
        parts.append(f"after {span(fault.delay)}")
    if (fault.method, fault.path) != ("*", "*"):
        parts.append(f"{'any method' if fault.method == '*' else fault.method} {fault.path}")
    if fault.account:
        parts.append(f"account {fault.account}")
    if fault.skip:
        parts.append(f"after letting {plural(fault.skip, 'call')} through")
    return ", ".join(parts)


def _word(fault: Fault) -> str:
    if fault.hang:
        return "hang after taking effect" if fault.when == "after" else "hang"
    if fault.when == "after":
        return "response lost"
    if fault.when == "drop":
        return "call lost"
    if fault.when == "late":
        return f"response lost, takes effect {span(fault.delay)} later"
    if fault.error:
        return humanize(fault.error).lower()
    return f"status {fault.status}" if fault.status else f"delayed by {span(fault.delay)}"
