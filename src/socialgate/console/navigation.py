"""The sidebar: which pages there are, in which group, and by which key each is reached."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

HOME_PATH = "/console"


class Group(StrEnum):
    """The parts of the sidebar, in this order. The value is the heading of the part; some have none."""

    WORK = "Work"
    CONNECTIONS = "Connections"
    DEVELOPERS = "Developers"
    SETTINGS = "Settings"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A page in the sidebar. `icon` names a symbol of `sprite.svg`, and `key` is what follows `G` on the keyboard."""

    label: str
    icon: str
    group: Group
    key: str
    path: str = ""


class Navigation:
    """The entries of all pages, in the order in which the pages are listed."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.entries: Sequence[Entry] = list(entries)
        keys = sorted(entry.key for entry in self.entries)
        assert len(set(keys)) == len(keys), f"two pages of the console have the same key: {keys}"

    @property
    def groups(self) -> Sequence[tuple[Group, Sequence[Entry]]]:
        members = ((group, [entry for entry in self.entries if entry.group is group]) for group in Group)
        return [(group, entries) for group, entries in members if entries]

    def find_entry(self, path: str) -> Entry | None:
        """Return the entry of a page, or of the one that it is below. All are below Home, which does not count."""
        above = [
            entry
            for entry in self.entries
            if path == entry.path or (entry.path != HOME_PATH and path.startswith(f"{entry.path}/"))
        ]
        return max(above, key=lambda entry: len(entry.path), default=None)

    def has(self, path: str) -> bool:
        """Whether there is a page with this path in the sidebar, so that templates link to no page that is missing."""
        return any(entry.path == path for entry in self.entries)
