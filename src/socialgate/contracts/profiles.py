"""What other areas may use of an owner's profiles."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from socialgate.contracts.renditions import Fit
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict
from socialgate.core.facts import FactAbout


class ProfileDeleted(msgspec.Struct, FactAbout[str], frozen=True, kw_only=True):
    """A profile of the owner was deleted, together with everything that depends on it."""

    profile_id: str


class ProfileNotEmptyError(Conflict):
    """The profile has accounts. Disconnect them, or move them with `PATCH /accounts/{accountId}`.

    `?force=true` disconnects all of them first.
    """

    code = "profile_not_empty"
    title = "The profile has accounts"


class LastProfileError(Conflict):
    """This is the only profile, and accounts and events need one. Create another one first."""

    code = "last_profile"
    title = "The only profile cannot be deleted"


class ProfileDirectory(Protocol):
    async def create_default(self, tx: Tx, owner_id: str) -> str:
        """Create the profile that every owner starts with, and return its id."""

    async def get_oldest_id(self, tx: Tx, owner_id: str) -> str:
        """Return the id of the owner's oldest profile."""

    async def find_unknown_ids(self, tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> Sequence[str]:
        """Return which of these ids are not profiles of the owner."""

    async def require_access(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        """Reject a profile that the caller's owner does not have, or that the caller does not cover."""

    async def adjust_account_count(self, tx: Tx, owner_id: str, profile_id: str, delta: int) -> None:
        """Update the number of connected accounts of a profile."""

    async def delete(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        """Delete a profile without accounts."""

    async def get_fit(self, tx: Tx, owner_id: str, profile_id: str) -> Fit:
        """Return how files of a profile's posts are made to fit, unless a target says otherwise."""

    async def get_timezone(self, tx: Tx, owner_id: str, profile_id: str) -> str:
        """Return the time zone for a profile's times without an offset."""
