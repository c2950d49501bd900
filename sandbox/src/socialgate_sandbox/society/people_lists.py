"""Lists of people to advertise to: hashed contacts from files, people like them, or people who did something."""

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.kit import Thing, World
from socialgate_sandbox.society.tracking import is_hash

# A new or changed list is calculated for a while.
CALCULATED = timedelta(minutes=2)


class PeopleFile(Thing):
    """An uploaded file of an ad account, its parent."""

    kind: str
    hashes: list[str]


class PeopleList(Thing):
    """`size` is for lists without contacts, `spec` is what their creator asked for. `days` is how long it is kept."""

    name: str
    kind: str
    made: datetime
    changed: datetime
    hashes: list[str] = []
    size: int = 0
    days: int = 365
    spec: dict[str, Any] = {}
    fields: dict[str, Any] = {}

    @property
    def ends(self) -> datetime:
        return self.made + timedelta(days=self.days)

    def is_calculating(self, world: World) -> bool:
        return world.clock.now() < self.changed + CALCULATED

    def reach(self, world: World, fewest: int) -> int:
        """Return how many people are in it; 0 if they are fewer than the platform reveals, or not calculated yet."""
        count = self.size or len(self.hashes)
        return count if count >= fewest and not self.is_calculating(world) else 0

    def change(self, world: World, ways: Mapping[str, str], way: str, hashes: list[str]) -> None:
        """Change who is in it. `ways` are the platform's words for adding, removing and replacing people."""
        before, new = set(self.hashes), set(hashes)
        kept = {"add": before | new, "remove": before - new, "replace": new}[ways[way]]
        self.hashes, self.changed = sorted(kept), world.clock.now()
        world.store.put(self)


def read_hashes(content: bytes, length: int) -> list[str]:
    """Read the hashes in a file with one or more columns. Anything else in it matches nobody."""
    cells = re.split(r"[\s,;\"]+", content.decode("utf-8", "replace"))
    return sorted({cell for cell in cells if is_hash(cell, length)})
