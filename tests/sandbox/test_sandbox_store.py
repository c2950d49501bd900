"""What the sandbox remembers."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate_sandbox.kernel.clock import SandboxClock
from socialgate_sandbox.kernel.rate_limit_windows import RateLimitWindows
from socialgate_sandbox.kernel.state_upgrade import UpgradeResult, upgrade_state
from socialgate_sandbox.kernel.store import Database, StaleStateError, Store, StoredObject


class Fruit(StoredObject):
    weight: int = 1


class Stone(StoredObject):
    pass


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path / "deep" / "sandbox.db")
    yield opened
    opened.close()


@pytest.fixture
def store(database: Database) -> Store:
    return database.get_store("a")


def ids(things: list[Fruit]) -> list[str]:
    return [thing.id for thing in things]


def test_things_are_kept_apart_by_class_and_vendor(database: Database, store: Store) -> None:
    store.put(Fruit(id="1"))
    assert store.get(Fruit, "1") == Fruit(id="1")
    assert store.get(Stone, "1") is None
    assert database.get_store("b").get(Fruit, "1") is None


def test_a_thing_that_is_put_again_keeps_its_place(store: Store) -> None:
    for name in "abc":
        store.put(Fruit(id=name, parent="tree"))
    store.put(Fruit(id="a", parent="tree", weight=7))
    assert ids(store.find(Fruit, parent="tree")) == ["a", "b", "c"]
    assert [fruit.weight for fruit in store.find(Fruit)] == [7, 1, 1]


@given(st.data())
def test_pages_give_everything_once_and_in_order(data: st.DataObject) -> None:
    database = Database(Path(":memory:"))
    store = database.get_store("a")
    names = data.draw(st.lists(st.text(min_size=1, max_size=4), unique=True, max_size=20))
    newest_first = data.draw(st.booleans())
    size = data.draw(st.integers(1, 5))
    for name in names:
        store.put(Fruit(id=name, parent="p"))
        store.put(Fruit(id=name + "'", parent="other"))
    got: list[str] = []
    after = None
    while page := store.find(Fruit, parent="p", newest_first=newest_first, limit=size, after=after):
        got += ids(page)
        after = got[-1]
    database.close()
    assert got == (names[::-1] if newest_first else names)


def test_what_is_deleted_is_gone(store: Store) -> None:
    store.put(Fruit(id="1", parent="p"))
    store.put(Fruit(id="2", parent="p"))
    store.put(Fruit(id="3", parent="q"))
    assert store.delete(Fruit, "1")
    assert not store.delete(Fruit, "1")
    assert store.count(Fruit) == 2
    assert store.delete_all(Fruit, parent="p") == 1
    assert ids(store.find(Fruit)) == ["3"]


def test_a_transaction_is_all_or_nothing_also_when_nested(store: Store) -> None:
    def fail() -> None:
        with store.transaction():
            store.put(Fruit(id="1"))
            with store.transaction():
                store.put(Fruit(id="2"))
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        fail()
    assert store.count(Fruit) == 0
    with store.transaction():
        store.put(Fruit(id="3"))
    assert store.count(Fruit) == 1


def test_a_series_goes_on_after_a_restart(tmp_path: Path) -> None:
    first = Database(tmp_path / "sandbox.db")
    assert [first.get_store("a").get_next_number("n", 5), first.get_store("a").get_next_number("n", 5)] == [5, 6]
    first.close()
    second = Database(tmp_path / "sandbox.db")
    assert second.get_store("a").get_next_number("n", 5) == 7
    assert second.get_store("b").get_next_number("n") == 1
    second.close()


def test_things_of_an_old_form_are_named_and_say_what_to_do(database: Database, store: Store) -> None:
    store.put(Fruit(id="1"))
    database.execute("UPDATE things SET body = ?", b'{"id": "1", "weight": "heavy"}')
    with pytest.raises(StaleStateError, match=r"stored Fruit .* /_control/reset"):
        store.get(Fruit, "1")


def test_a_file_with_other_tables_is_kept_under_another_name(tmp_path: Path) -> None:
    old = Database(tmp_path / "sandbox.db")
    old.get_store("a").put(Fruit(id="1"))
    old.execute("PRAGMA user_version = 99")
    old.close()
    new = Database(tmp_path / "sandbox.db")
    assert new.get_store("a").count(Fruit) == 0
    changed = upgrade_state(new)
    new.close()
    assert changed.backup_path is not None
    assert str(changed.backup_path) in str(changed)
    kept = sqlite3.connect(changed.backup_path)
    assert kept.execute("SELECT kind, id FROM things").fetchall() == [("Fruit", "1")]
    kept.close()


def test_a_file_of_an_earlier_version_is_used_as_it_is(tmp_path: Path) -> None:
    old = Database(tmp_path / "sandbox.db")
    old.get_store("a").put(Fruit(id="1", weight=7))
    old.execute("PRAGMA user_version = 5")
    old.close()
    new = Database(tmp_path / "sandbox.db")
    assert upgrade_state(new).backup_path is None
    assert new.get_store("a").find(Fruit) == [Fruit(id="1", weight=7)]
    new.close()
    assert [path.name for path in tmp_path.glob("*.db")] == ["sandbox.db"]


def test_only_things_that_no_longer_fit_are_removed_and_a_copy_keeps_them(tmp_path: Path) -> None:
    database = Database(tmp_path / "sandbox.db")
    store = database.get_store("a")
    for name in "123":
        store.put(Fruit(id=name))
    store.put(Stone(id="1"))
    database.execute("UPDATE things SET body = ? WHERE kind = 'Fruit' AND id = '2'", b'{"id": "2", "weight": "heavy"}')
    database.execute("INSERT INTO things (vendor, kind, id, parent, body) VALUES ('a', 'Gone', '1', '', '{}')")
    changed = upgrade_state(database)
    assert changed.removed_objects == {"a": [("Fruit", "2")]}
    assert "removed (1 Fruit)" in str(changed)
    assert ids(store.find(Fruit)) == ["1", "3"]
    assert store.count(Stone) == 1
    assert changed.backup_path is not None
    kept = Database(changed.backup_path)
    assert kept.get_store("a").count(Fruit) == 3
    kept.close()
    # The next start has nothing to do.
    assert upgrade_state(database) == UpgradeResult()
    assert database.execute("SELECT count(*) FROM things WHERE kind = 'Gone'")[0][0] == 1
    database.close()


def test_the_clock_stays_moved(store: Store) -> None:
    clock = SandboxClock(store)
    then = clock.now()
    clock.advance(3600)
    again = SandboxClock(store)
    assert again.offset == 3600
    assert again.get_seconds_since(then) >= 3600
    again.reset()
    assert SandboxClock(store).offset == 0


def test_a_window_lets_so_many_through_and_opens_again() -> None:
    windows = RateLimitWindows()
    assert [windows.try_use("x", 2, 60, at) for at in (100, 101, 102, 160.5, 160.6, 161.5)] == [
        True,
        True,
        False,
        True,
        False,
        True,
    ]
    assert windows.try_use("y", 1, 60, 102)
    assert not windows.try_use("z", 0, 60, 102)


def test_a_window_survives_a_clock_that_goes_back() -> None:
    windows = RateLimitWindows()
    assert windows.try_use("x", 1, 60, 1000)
    assert windows.try_use("x", 1, 60, 10)
    assert not windows.try_use("x", 1, 60, 11)
