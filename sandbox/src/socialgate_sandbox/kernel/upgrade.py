"""Reading the file of another version without losing what it holds.

Things are stored as JSON, and most changes to a class only add fields with defaults, so a newer version reads the
things of an older one. At a start with other classes than the last one every thing is decoded once. The few that no
longer fit are removed, after a copy of the whole file was made. A file with other tables is renamed and kept.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec

from socialgate_sandbox.kernel.store import Database, StaleState, Thing, free_name, kind_of

_VENDORS = "socialgate_sandbox.vendors."
_KERNEL = ""


class Shapes(Thing):
    """The fingerprint of the classes that last used the file."""

    fingerprint: str


class Upgrade(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to the stored things at a start. `lost` has the classes and ids of those removed, by vendor."""

    kept_as: Path | None = None
    is_whole: bool = False
    lost: Mapping[str, Collection[tuple[str, str]]] = {}

    def __str__(self) -> str:
        if self.kept_as is None:
            return ""
        if self.is_whole:
            return (
                "The sandbox's data has the form of another version, so the sandbox starts with its initial accounts. "
                f"The old data is kept in {self.kept_as}."
            )
        counts = Counter(kind for things in self.lost.values() for kind, _ in things)
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        return (
            f"The sandbox's data is from another version. What no longer fits was removed ({named}), everything else "
            f"stays. The old data is kept in {self.kept_as}."
        )


def upgrade(database: Database) -> Upgrade:
    """Make sure that everything in the file can be read."""
    if database.replaced is not None:
        _remember(database)
        return Upgrade(kept_as=database.replaced, is_whole=True)
    if _is_current(database):
        return Upgrade()
    lost = _unreadable(database)
    kept_as = keep_copy(database) if lost else None
    with database.transaction():
        for vendor, things in lost.items():
            for kind, key in things:
                statement = "DELETE FROM things WHERE vendor = ? AND kind = ? AND id = ?"
                database.run(statement, vendor, kind, key)
        _remember(database)
    return Upgrade(kept_as=kept_as, lost=lost)


def _is_current(database: Database) -> bool:
    try:
        known = database.store(_KERNEL).get(Shapes, "shapes")
    except StaleState:
        return False
    return known is not None and known.fingerprint == _fingerprint()


def keep_copy(database: Database) -> Path:
    """Copy the file as it is to a name of its own, next to it."""
    copy = free_name(database.path)
    database.run("VACUUM INTO ?", str(copy))
    return copy


def _unreadable(database: Database) -> dict[str, list[tuple[str, str]]]:
    classes: dict[str, list[type[Thing]]] = {}
    for each in _classes():
        classes.setdefault(kind_of(each), []).append(each)
    found: dict[str, list[tuple[str, str]]] = {}
    for vendor, kind, key, body in database.run("SELECT vendor, kind, id, body FROM things ORDER BY seq"):
        candidates = [each for each in classes.get(kind, ()) if _may_be_of(vendor, each)]
        # Nothing reads a class that is gone. It may come back, so its things stay.
        if candidates and not any(_fits(each, body) for each in candidates):
            found.setdefault(vendor, []).append((kind, key))
    return found


def _may_be_of(vendor: str, kind: type[Thing]) -> bool:
    """Whether a vendor stores things of a class: not those of another vendor with the same name."""
    module = kind.__module__
    return not module.startswith(_VENDORS) or f"{module}.".startswith(f"{_VENDORS}{vendor.replace('-', '_')}.")


def _fits(kind: type[Thing], body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=kind)
    except msgspec.ValidationError:
        return False
    return True


def _remember(database: Database) -> None:
    database.store(_KERNEL).put(Shapes(id="shapes", fingerprint=_fingerprint()))


def _fingerprint() -> str:
    described = msgspec.json.schema_components(
        sorted(_classes(), key=lambda each: (each.__module__, each.__qualname__))
    )
    return sha256(msgspec.json.encode(described, order="deterministic")).hexdigest()


def _classes(base: type[Thing] = Thing) -> Iterator[type[Thing]]:
    for each in base.__subclasses__():
        yield each
        yield from _classes(each)
