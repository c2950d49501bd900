"""Reading the file of another version without losing what it holds.

Things are stored as JSON, and most changes to a class only add fields with defaults, so a newer version reads the
things of an older one. At a start with other classes than the last one every thing is decoded once. The few that no
longer fit are removed, after a copy of the whole file was made. A file with other tables is renamed and kept.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import msgspec

from socialgate_sandbox.kernel.store import Database, StaleStateError, StoredObject, build_unused_path, get_stored_name

_VENDOR_PACKAGE_PREFIX = "socialgate_sandbox.vendors."
_SHARED_VENDOR_NAME = ""


class Shapes(StoredObject):
    """The fingerprint of the classes that last used the file."""

    fingerprint: str


class UpgradeResult(msgspec.Struct, frozen=True, kw_only=True):
    """What happened to the stored things at a start. `removed_objects` has the classes and ids of those removed, by
    vendor.
    """

    backup_path: Path | None = None
    replaced_everything: bool = False
    removed_objects: Mapping[str, Collection[tuple[str, str]]] = {}

    def __str__(self) -> str:
        if self.backup_path is None:
            return ""
        if self.replaced_everything:
            return (
                "The sandbox's data has the form of another version, so the sandbox starts with its initial accounts. "
                f"The old data is kept in {self.backup_path}."
            )
        counts = Counter(kind for things in self.removed_objects.values() for kind, _ in things)
        named = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        return (
            f"The sandbox's data is from another version. What no longer fits was removed ({named}), everything else "
            f"stays. The old data is kept in {self.backup_path}."
        )


def upgrade_state(database: Database) -> UpgradeResult:
    """Make sure that everything in the file can be read."""
    if database.replaced_file is not None:
        _store_fingerprint(database)
        return UpgradeResult(backup_path=database.replaced_file, replaced_everything=True)
    if _is_current(database):
        return UpgradeResult()
    lost = _find_unreadable_objects(database)
    kept_as = create_backup(database) if lost else None
    with database.transaction():
        for vendor, things in lost.items():
            for kind, key in things:
                statement = "DELETE FROM things WHERE vendor = ? AND kind = ? AND id = ?"
                database.execute(statement, vendor, kind, key)
        _store_fingerprint(database)
    return UpgradeResult(backup_path=kept_as, removed_objects=lost)


def _is_current(database: Database) -> bool:
    try:
        known = database.get_store(_SHARED_VENDOR_NAME).get(Shapes, "shapes")
    except StaleStateError:
        return False
    return known is not None and known.fingerprint == _compute_fingerprint()


def create_backup(database: Database) -> Path:
    """Copy the file as it is to a name of its own, next to it."""
    copy = build_unused_path(database.path)
    database.execute("VACUUM INTO ?", str(copy))
    return copy


def _find_unreadable_objects(database: Database) -> dict[str, list[tuple[str, str]]]:
    classes: dict[str, list[type[StoredObject]]] = {}
    for each in _iterate_stored_classes():
        classes.setdefault(get_stored_name(each), []).append(each)
    result: dict[str, list[tuple[str, str]]] = {}
    for vendor, kind, key, body in database.execute("SELECT vendor, kind, id, body FROM things ORDER BY seq"):
        candidates = [each for each in classes.get(kind, ()) if _may_store(vendor, each)]
        # Nothing reads a class that is gone. It may come back, so its things stay.
        if candidates and not any(_can_decode(each, body) for each in candidates):
            result.setdefault(vendor, []).append((kind, key))
    return result


def _may_store(vendor: str, type_: type[StoredObject]) -> bool:
    """Whether a vendor stores things of a class: not those of another vendor with the same name."""
    module = type_.__module__
    return not module.startswith(_VENDOR_PACKAGE_PREFIX) or f"{module}.".startswith(
        f"{_VENDOR_PACKAGE_PREFIX}{vendor.replace('-', '_')}."
    )


def _can_decode(type_: type[StoredObject], body: bytes) -> bool:
    try:
        msgspec.json.decode(body, type=type_)
    except msgspec.ValidationError:
        return False
    return True


def _store_fingerprint(database: Database) -> None:
    database.get_store(_SHARED_VENDOR_NAME).put(Shapes(id="shapes", fingerprint=_compute_fingerprint()))


def _compute_fingerprint() -> str:
    return _fingerprint(tuple(sorted(_iterate_stored_classes(), key=lambda each: (each.__module__, each.__qualname__))))


@lru_cache(maxsize=1)
def _fingerprint(classes: tuple[type[StoredObject], ...]) -> str:
    """Describing hundreds of classes takes most of a start: several sandboxes in one process do it once."""
    described = msgspec.json.schema_components(classes)
    return sha256(msgspec.json.encode(described, order="deterministic")).hexdigest()


def _iterate_stored_classes(base: type[StoredObject] = StoredObject) -> Iterator[type[StoredObject]]:
    for each in base.__subclasses__():
        yield each
        yield from _iterate_stored_classes(each)
