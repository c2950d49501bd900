"""What makes writes safe: previews that are confirmed, and keys that keep a repeated call from doing anything twice.

Nothing is stored, so that any node can take the second call. A confirmation contains a random part and a digest of what
it confirms; its key is made of it. Without a confirmation the key is made of the call itself: an identical call is
taken as a repetition, for as long as the API remembers keys, unless it counts `again`.
"""

import hashlib
import secrets
from collections.abc import Mapping
from typing import Any

import msgspec

from socialgate.mcp.api import ToolError
from socialgate.mcp.operations import Operation

_DIGEST_CHARACTERS = 12
_NONCE_BYTES = 6

# What publishes, sends, spends, or cannot be taken back, beside everything that deletes.
_ALWAYS = frozenset({
    *("messages.send", "messages.send_whatsapp", "comments.create", "queue.add", "posts.retry", "posts.reconcile"),
    *("ads.send_events", "ads.audiences.create", "hooks.rotate_secret"),
    *("ai.text", "ai.image", "ai.video", "ai.audio"),
})  # fmt: skip
# What does so only with certain arguments: their values, or None for any.
_WITH: Mapping[str, Mapping[str, tuple[Any, ...] | None]] = {
    "posts.update": {"publishNow": (True,), "scheduledFor": None},
    "ads": {"status": ("active",), "budget": None, "spendCap": None, "bid": None},
    "automations": {"active": (True,)},
    "calendar": {"attendees": None},
}
# What is new costs nothing while it is paused, whatever its budget.
_NEW_ADS: Mapping[str, tuple[Any, ...] | None] = {"status": ("active",)}


def may_need_confirmation(operation: Operation) -> bool:
    """Return whether a preview comes first, at least with some arguments."""
    names = {argument.name for argument in operation.arguments}
    return _always_needs_confirmation(operation) or not names.isdisjoint(_get_rules(operation))


def needs_confirmation(operation: Operation, arguments: Mapping[str, Any]) -> bool:
    """Return whether a preview comes first with these arguments."""
    if operation.name == "posts.create":
        return arguments.get("draft") is not True
    return _always_needs_confirmation(operation) or any(
        arguments.get(name) is not None and (values is None or arguments[name] in values)
        for name, values in _get_rules(operation).items()
    )


def _always_needs_confirmation(operation: Operation) -> bool:
    return operation.name in _ALWAYS or (operation.http == "DELETE" and operation.name != "tasks.cancel")


def _get_rules(operation: Operation) -> Mapping[str, tuple[Any, ...] | None]:
    area = operation.name.partition(".")[0]
    if area == "ads" and operation.name != "ads.update":
        return _NEW_ADS
    return _WITH.get(operation.name, _WITH.get(area, {}))


def new_confirmation(operation: Operation, arguments: Mapping[str, Any]) -> str:
    nonce = secrets.token_hex(_NONCE_BYTES)
    return f"{nonce}-{_digest(nonce, operation, arguments)}"


def require_confirmed(operation: Operation, arguments: Mapping[str, Any], confirmation: str) -> str:
    """Check that a confirmation is for this very call, and return the key of the call."""
    nonce, _, digest = confirmation.partition("-")
    if not secrets.compare_digest(digest.encode(), _digest(nonce, operation, arguments).encode()):
        raise ToolError(
            "not_confirmed",
            "This `confirm` is for other arguments. Call again without it, look at the preview, and then confirm with "
            "exactly the same arguments.",
        )
    return f"mcp-{confirmation}"


def build_key(operation: Operation, arguments: Mapping[str, Any], again: int) -> str:
    """Return the key of a call that needs no confirmation."""
    return f"mcp-{again}-{_digest('', operation, arguments, 40)}"


def _digest(nonce: str, operation: Operation, arguments: Mapping[str, Any], length: int = _DIGEST_CHARACTERS) -> str:
    content = msgspec.json.encode([nonce, operation.name, dict(arguments)], order="deterministic")
    return hashlib.sha256(content).hexdigest()[:length]
