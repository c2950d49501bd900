"""The state that earlier versions of the sandbox wrote is still read, whatever its classes are called today.

`stored_things.jsonl` has one thing of every class, with every field filled in, as the last version wrote it that was
part of the package `socialgate`. Lines of later versions are added and none is changed.
"""

import sqlite3
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest

from socialgate_sandbox.kernel.state_upgrade import Shapes, upgrade_state
from socialgate_sandbox.kernel.store import Database, StoredObject, get_stored_name
from socialgate_sandbox.vendors import ALL_VENDORS
from support.simulation import running_sandbox

STORED = Path(__file__).parent / "stored_things.jsonl"


class Row(msgspec.Struct, frozen=True):
    vendor: str
    kind: str
    body: dict[str, Any]


ROWS = [msgspec.json.decode(line, type=Row) for line in STORED.read_text(encoding="utf-8").splitlines()]


def classes(base: type[StoredObject] = StoredObject) -> list[type[StoredObject]]:
    return [type_ for each in base.__subclasses__() for type_ in (each, *classes(each))]


def is_of(vendor: str, kind: type[StoredObject]) -> bool:
    package, *rest = kind.__module__.split(".")
    return package == "socialgate_sandbox" and (rest[0] != "vendors" or rest[1].replace("_", "-") == vendor)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.vendor} {row.kind}")
def test_every_thing_is_read_with_every_field(row: Row) -> None:
    assert ALL_VENDORS, "their packages define the classes"
    candidates = [each for each in classes() if get_stored_name(each) == row.kind and is_of(row.vendor, each)]
    assert candidates, "nothing reads it: set `stored_as` in the class that was renamed"
    assert any(contains(read_as(each, row.body), row.body) for each in candidates)


def read_as(kind: type[StoredObject], body: dict[str, Any]) -> Any:
    """Read it as a class, and show what this class would write. None if it cannot read it."""
    try:
        thing = msgspec.json.decode(msgspec.json.encode(body), type=kind)
    except msgspec.ValidationError:
        return None
    return msgspec.json.decode(msgspec.json.encode(thing))


def contains(whole: Any, part: Any) -> bool:
    """Whether everything in a value is in another, which may have more fields."""
    if isinstance(part, dict):
        return isinstance(whole, dict) and all(name in whole and contains(whole[name], part[name]) for name in part)
    if isinstance(part, list):
        return isinstance(whole, list) and len(whole) == len(part) and all(map(contains, whole, part))
    return bool(whole == part)


def test_a_renamed_class_reads_and_writes_its_old_name(tmp_path: Path) -> None:
    class Apple(StoredObject):
        stored_as: ClassVar[str] = "Fruit"
        weight: int = 1

    class Pear(Apple):
        pass

    database = Database(tmp_path / "sandbox.db")
    try:
        store = database.get_store("a")
        store.put(Apple(id="1", weight=7))
        store.put(Pear(id="2"))
        assert database.execute("SELECT kind, id FROM things ORDER BY id") == [("Fruit", "1"), ("Pear", "2")]
        assert store.get(Apple, "1") == Apple(id="1", weight=7)
        assert store.find(Apple) == [Apple(id="1", weight=7)]
        database.execute("UPDATE things SET body = '{\"id\": 7}' WHERE id = '1'")
        assert upgrade_state(database).removed_objects == {"a": [("Fruit", "1")]}
    finally:
        database.close()


def test_a_file_from_before_the_package_had_its_own_name_loses_nothing(tmp_path: Path) -> None:
    with running_sandbox(tmp_path, ALL_VENDORS) as running:
        running.control("message", platform="telegram", account="7100000001", text="Open?")
        accounts = running.look("accounts")
    file = tmp_path / "sandbox.db"
    with sqlite3.connect(file) as database:
        before = database.execute("SELECT vendor, kind, id, body FROM things WHERE kind != 'Shapes'").fetchall()
        # The fingerprint contained the names of modules.
        old = msgspec.json.encode(Shapes(id="shapes", fingerprint="of modules with other names"))
        database.execute("UPDATE things SET body = ? WHERE kind = 'Shapes'", (old,))
    database.close()
    with running_sandbox(tmp_path, ALL_VENDORS) as running:
        assert running.look("accounts") == accounts
        chat = running.look("chat", platform="telegram", account="7100000001")
        assert [item["text"] for item in chat["data"]] == ["Open?"]
    with sqlite3.connect(file) as database:
        after = set(database.execute("SELECT vendor, kind, id, body FROM things").fetchall())
    database.close()
    assert {row for row in before if row[1] != "Gateway"} <= after
    assert list(tmp_path.glob("sandbox-kept-*")) == []
