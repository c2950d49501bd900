"""Failures as people choose them: one list of what can fail on a platform, instead of the fields of `FailRequest`."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.kernel.faults import Fault
from socialgate_sandbox.kernel.text_format import format_count, format_duration, humanize
from socialgate_sandbox.kernel.vendor import ControlError, Vendor

# The form field with the choice for a platform. The page has one per platform, and only the selected one counts.
FAULT_FIELD_PREFIX = "failure:"
_ERROR_PREFIX = "error:"
_DEFAULT_DELAY = "10"
_COMMON_FAULTS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "server_error": ("Server error (500)", {"status": "500"}),
    "unavailable": ("Service unavailable (503)", {"status": "503"}),
    "slow": ("Slow response", {"delay": _DEFAULT_DELAY}),
    "answer_lost": ("Response lost after the call took effect", {"when": "after"}),
    "call_lost": ("Call lost, nothing happens", {"when": "drop"}),
    "late": ("Response lost, takes effect later", {"when": "late", "delay": _DEFAULT_DELAY}),
    "hang": ("Hangs, nothing happens", {"hang": "true"}),
    "hang_after": ("Hangs after the call took effect", {"hang": "true", "when": "after"}),
}


def list_fault_choices(vendor: Vendor) -> dict[str, dict[str, str]]:
    """List the choices by group."""
    own = {
        f"{_ERROR_PREFIX}{name}": humanize(name)
        for name in sorted(vendor.errors, key=lambda name: name != "rate_limited")
    }
    return {
        f"{vendor.title} errors": own,
        "Any platform": {name: words for name, (words, _fields) in _COMMON_FAULTS.items()},
    }


def parse_fault_choice(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the choice in a form into the fields of `FailRequest`. A form without a choice is returned unchanged."""
    plain = {name: value for name, value in fields.items() if not name.startswith(FAULT_FIELD_PREFIX)}
    choice = fields.get(f"{FAULT_FIELD_PREFIX}{fields.get('platform', '')}")
    if choice is None:
        return plain
    if choice.startswith(_ERROR_PREFIX):
        return plain | {"error": choice.removeprefix(_ERROR_PREFIX)}
    if choice not in _COMMON_FAULTS:
        raise ControlError(f"There is no failure {choice!r}. Choose one of: {', '.join(_COMMON_FAULTS)}.", 422)
    return {**_COMMON_FAULTS[choice][1], **plain}


def describe_fault(fault: Fault) -> str:
    """Describe a failure that is set."""
    parts = [f"{format_count(fault.times, 'call')}: {_describe_effect(fault)}"]
    if fault.delay and fault.when != "late" and (fault.error or fault.status or fault.when != "before"):
        parts.append(f"after {format_duration(fault.delay)}")
    if (fault.method, fault.path) != ("*", "*"):
        parts.append(f"{'any method' if fault.method == '*' else fault.method} {fault.path}")
    if fault.account:
        parts.append(f"account {fault.account}")
    if fault.skip:
        parts.append(f"after letting {format_count(fault.skip, 'call')} through")
    return ", ".join(parts)


def _describe_effect(fault: Fault) -> str:
    if fault.hang:
        return "hang after taking effect" if fault.when == "after" else "hang"
    if fault.when == "after":
        return "response lost"
    if fault.when == "drop":
        return "call lost"
    if fault.when == "late":
        return f"response lost, takes effect {format_duration(fault.delay)} later"
    if fault.error:
        return humanize(fault.error).lower()
    return f"status {fault.status}" if fault.status else f"delayed by {format_duration(fault.delay)}"
