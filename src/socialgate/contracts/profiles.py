"""What other areas may ask of the profiles of an owner."""

from collections.abc import Sequence
from typing import Protocol

import msgspec

from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict


class ProfileDeleted(msgspec.Struct, frozen=True, kw_only=True):
    """A profile of the owner is gone, and with it goes whatever makes no sense without it."""

    profile_id: str


class ProfileHoldsAccounts(Conflict):
    """The profile holds accounts. Disconnect them, or move them with `PATCH /accounts/{accountId}`.

    `?force=true` disconnects all of them first.
    """

    code = "profile_not_empty"
    title = "The profile holds accounts"


class LastProfile(Conflict):
    """It is the only profile, and accounts and events need one. Create another one first."""

    code = "last_profile"
    title = "The only profile cannot be deleted"


class ProfileBook(Protocol):
    async def add_first(self, tx: Tx, owner_id: str) -> str:
        """Make the profile that every owner begins with, and give its id."""

    async def first(self, tx: Tx, owner_id: str) -> str:
        """Give the id of the owner's oldest profile."""

    async def unknown(self, tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> Sequence[str]:
        """Tell which of these ids are no profiles of the owner."""

    async def require(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        """Refuse a profile that the caller's owner does not have, or that the caller does not cover."""

    async def count_accounts(self, tx: Tx, owner_id: str, profile_id: str, change: int) -> None:
        """Keep the number of connected accounts of a profile."""

    async def delete(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        """Delete a profile that holds no account."""

    async def timezone(self, tx: Tx, owner_id: str, profile_id: str) -> str:
        """Give the time zone in which a profile reads times that have none."""
