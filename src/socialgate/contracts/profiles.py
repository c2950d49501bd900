"""What other areas may ask of the profiles of an owner."""

from collections.abc import Sequence
from typing import Protocol

from socialgate.core.caller import Caller
from socialgate.core.db import Tx


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

    async def timezone(self, tx: Tx, owner_id: str, profile_id: str) -> str:
        """Give the time zone in which a profile reads times that have none."""
