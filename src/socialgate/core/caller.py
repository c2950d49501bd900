"""Who is calling, and which of the owner's profiles the caller may access."""

from contextvars import ContextVar
from typing import Literal

import msgspec

from socialgate.core.errors import OutOfScope

Permission = Literal["read-write", "read"]

current_owner_id: ContextVar[str] = ContextVar("on_behalf_of", default="")
"""The owner for whom something is done, empty where it is done for the deployment. Tasks inherit it."""


class Caller(msgspec.Struct, frozen=True, kw_only=True):
    """A known credential. `allowed_profile_ids` is None if it covers every profile of the owner."""

    owner_id: str
    credential_id: str
    user_id: str | None = None
    permission: Permission = "read-write"
    allowed_profile_ids: frozenset[str] | None = None
    # Collects the profiles that the request touched, for a response that is stored; None if they are not needed.
    touched_profile_ids: set[str] | None = None

    @property
    def is_session(self) -> bool:
        return self.user_id is not None

    def can_access_profiles(self, *profile_ids: str) -> bool:
        return self.allowed_profile_ids is None or self.allowed_profile_ids.issuperset(profile_ids)

    def record_access(self, *profile_ids: str) -> None:
        """Record that the response concerns these profiles: it is not repeated to a key that does not cover them."""
        if self.touched_profile_ids is not None:
            self.touched_profile_ids.update(profile_ids)

    def require_profile_access(self, profile_id: str) -> None:
        """Reject access to a profile that this credential does not cover.

        Call it only for a row that was found under the caller's own owner, so that another owner's id is
        indistinguishable from one that does not exist.
        """
        if not self.can_access_profiles(profile_id):
            raise OutOfScope("This API key does not cover the profile. Use a key whose profileIds include it.")
        self.record_access(profile_id)

    def require_all_profiles(self, action: str) -> None:
        if self.allowed_profile_ids is not None:
            raise OutOfScope(f"A key limited to some profiles cannot {action}. Use an unrestricted key.")
