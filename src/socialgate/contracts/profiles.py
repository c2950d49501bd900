"""What other areas may ask of the profiles of an owner."""

from collections.abc import Sequence
from typing import Protocol

from socialgate.core.db import Tx


class ProfileBook(Protocol):
    async def add_first(self, tx: Tx, owner_id: str) -> str:
        """Make the profile that every owner begins with, and give its id."""

    async def first(self, tx: Tx, owner_id: str) -> str:
        """Give the id of the owner's oldest profile."""

    async def unknown(self, tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> Sequence[str]:
        """Tell which of these ids are no profiles of the owner."""
