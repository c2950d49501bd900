"""Lists of people to advertise to: hashed contacts from files, people like them, or people who did something."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate_sandbox.kit import StoredObject, VendorContext
from socialgate_sandbox.society.conversion_events import is_hash

# A new or changed list is calculated for a while.
CALCULATION_TIME = timedelta(minutes=2)


class PeopleFile(StoredObject):
    """An uploaded file of an ad account, its parent."""

    kind: str
    hashes: list[str]


class PeopleList(StoredObject):
    """`size` is for lists without contacts, `spec` is what their creator asked for. `days` is how long it is kept."""

    name: str
    kind: str
    created_at: datetime = msgspec.field(name="made")
    changed: datetime
    hashes: list[str] = []
    size: int = 0
    days: int = 365
    spec: dict[str, Any] = {}
    fields: dict[str, Any] = {}

    @property
    def expires_at(self) -> datetime:
        return self.created_at + timedelta(days=self.days)

    def is_calculating(self, context: VendorContext) -> bool:
        return context.clock.now() < self.changed + CALCULATION_TIME

    def count_people(self, context: VendorContext, min_people: int) -> int:
        """Return how many people are in it; 0 if they are fewer than the platform reveals, or not calculated yet."""
        count = self.size or len(self.hashes)
        return count if count >= min_people and not self.is_calculating(context) else 0

    def change_people(
        self, context: VendorContext, changes_by_word: Mapping[str, str], change_word: str, hashes: list[str]
    ) -> None:
        """Change who is in it. `changes_by_word` are the platform's words for adding, removing and replacing people."""
        before, new = set(self.hashes), set(hashes)
        kept = {"add": before | new, "remove": before - new, "replace": new}[changes_by_word[change_word]]
        self.hashes, self.changed = sorted(kept), context.clock.now()
        context.store.put(self)


def parse_hashes(content: bytes, length: int) -> list[str]:
    """Read the hashes in a file with one or more columns. Anything else in it matches nobody."""
    cells = re.split(r"[\s,;\"]+", content.decode("utf-8", "replace"))
    return sorted({cell for cell in cells if is_hash(cell, length)})
