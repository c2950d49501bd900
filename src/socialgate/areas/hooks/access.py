"""Which hooks a caller can access, and which events a hook covers."""

from typing import TypeVar

from socialgate.areas.hooks.store import HookRow
from socialgate.core.caller import Caller
from socialgate.core.errors import NotFound, OutOfScope

H = TypeVar("H", bound=HookRow)


def can_access_hook(caller: Caller, hook: HookRow) -> bool:
    """A limited key can access a hook if its profiles include all profiles of the hook.

    A hook that covers no profile any more would be accessible to every key: it stays with the key that created it.
    """
    if caller.allowed_profile_ids is None:
        return True
    if hook.profile_ids is None:
        return False
    return caller.can_access_profiles(*hook.profile_ids) if hook.profile_ids else hook.key_id == caller.credential_id


def require_hook(caller: Caller, hook: H | None) -> H:
    if hook is None:
        raise NotFound("There is no hook with this id. GET /hooks lists the existing ones.")
    if not can_access_hook(caller, hook):
        raise OutOfScope(
            "This hook covers profiles outside this API key. Use a key whose profileIds include all of them."
        )
    caller.record_access(*(hook.profile_ids or ()))
    return hook


def covers_profile(hook: HookRow, profile_id: str) -> bool:
    return hook.profile_ids is None or profile_id in hook.profile_ids
