"""Which hooks a caller reaches, and which events a hook reaches."""

from typing import TypeVar

from socialgate.areas.hooks.store import HookRow
from socialgate.core.caller import Caller
from socialgate.core.errors import NotFound, OutOfScope

H = TypeVar("H", bound=HookRow)


def reaches(caller: Caller, hook: HookRow) -> bool:
    """A limited key reaches a hook whose whole reach lies inside its profiles.

    A hook whose reach was narrowed to nothing would lie inside every key's: it stays with the key that made it.
    """
    if caller.profiles is None:
        return True
    if hook.profile_ids is None:
        return False
    return caller.reaches(*hook.profile_ids) if hook.profile_ids else hook.key_id == caller.credential_id


def require_hook(caller: Caller, hook: H | None) -> H:
    if hook is None:
        raise NotFound("There is no hook with this id. GET /hooks lists those that exist.")
    if not reaches(caller, hook):
        raise OutOfScope("This hook covers profiles outside this API key. Use a key whose profileIds hold them all.")
    return hook


def covers(hook: HookRow, profile_id: str) -> bool:
    return hook.profile_ids is None or profile_id in hook.profile_ids
