"""Statements go past SQLAlchemy's execution. They must find the same as through it, and never stop the loop."""

import asyncio
import sqlite3
import time
from contextlib import suppress
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa

from socialgate.areas.identity.store import api_keys, sessions
from socialgate.areas.profiles.store import profiles
from socialgate.core.db import Database, Tx
from socialgate.core.outbox import hooks, lanes
from socialgate.core.schema_migration import run_schema_work
from socialgate.core.statements import contains_text, is_one_of
from support.service import OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines


async def fetch(tx: Tx, statement: sa.Select[Any], values: dict[str, Any] | None = None) -> list[Any]:
    return list(await tx.all(statement, values))


async def through_sqlalchemy(db: Database, statement: sa.Executable) -> list[Any]:
    return await run_schema_work(db, lambda connection: list(connection.execute(statement)))


def counting(upto: int) -> sa.Select[Any]:
    numbers = sa.select(sa.literal(1).label("n")).cte(recursive=True)
    numbers = numbers.union_all(sa.select(numbers.c.n + 1).where(numbers.c.n < upto))
    return sa.select(sa.func.count(numbers.c.n).label("counted"))


def test_rows_are_the_same_as_through_sqlalchemy(service: RunningService, owner: OwnerFixture) -> None:
    owner.limited_key(owner.profile_id, expiresAt="2099-01-01T00:00:00.5Z").get("/profiles")
    response = owner.session.post("/hooks", json={"url": "https://example.com/h", "events": ["message.received"]})
    assert response.status_code == 201, response.text
    for statement in (
        sa.select(profiles).where(profiles.c.owner_id == owner.id),
        sa.select(api_keys).where(api_keys.c.owner_id == owner.id),
        sa.select(sessions).where(sessions.c.owner_id == owner.id),
        sa.select(hooks, lanes.c.succeeded, lanes.c.last_success_at).join(lanes, lanes.c.hook_id == hooks.c.id),
        sa.select(profiles.c.id, api_keys.c.id).join(api_keys, api_keys.c.owner_id == profiles.c.owner_id),
        sa.select(sa.func.count(), sa.func.max(profiles.c.created_at), sa.literal(None)).select_from(profiles),
    ):
        known = service.run(through_sqlalchemy(service.service.db, statement))
        assert known
        for read in (service.read(fetch, statement), service.write(fetch, statement)):
            assert read == [tuple(row) for row in known]
            assert [row._fields for row in read] == [row._fields for row in known]


def test_statements_of_one_form_are_filled_with_their_own_values(service: RunningService, owner: OwnerFixture) -> None:
    created = [owner.new_profile(f"P{number}") for number in range(3)]
    for ids in (created[:1], created, created[1:], []):
        named = sa.select(profiles).where(profiles.c.owner_id == owner.id, profiles.c.id.in_(ids))
        assert {row.id for row in service.read(fetch, named)} == set(ids)
        select = sa.select(profiles).where(profiles.c.id.in_(sa.bindparam("ids", expanding=True)))
        assert {row.id for row in service.read(fetch, select, {"ids": ids})} == set(ids)
    for profile_id in created:
        current_select = sa.select(profiles.c.name).where(profiles.c.id == profile_id)
        assert [row.name for row in service.read(fetch, current_select)] == [f"P{created.index(profile_id)}"]


def test_a_list_of_any_length_is_one_parameter(service: RunningService, owner: OwnerFixture) -> None:
    created = [owner.new_profile(f"P{number}") for number in range(3)]
    mine = profiles.c.owner_id == sa.bindparam("owner")
    select = sa.select(profiles.c.id).where(mine, is_one_of(profiles.c.id, "ids"))
    for ids in (created, frozenset(created[1:]), created[:1], [], ["prf_none", "it's", '"'], created * 400):
        rows = service.read(fetch, select, {"owner": owner.id, "ids": ids})
        assert {row.id for row in rows} == set(ids) & set(created)
    # A list is searched for in the index, however many rows others have.
    text = str(select.compile(dialect=service.service.db._statements.dialect))
    if service.service.db.is_sqlite:
        plan = service.read(fetch, sa.text(f"EXPLAIN QUERY PLAN {text.replace('?', ':v')}"), {"v": "[]"})
        assert "(owner_id=? AND id=?)" in " ".join(str(step) for step in plan)
    else:
        assert "= ANY" in text


@pytest.mark.parametrize("text", ["50%", "a_b", "a/b", "/%", "STRASSE", "ÄB"])
def test_a_text_is_found_as_it_was_written(service: RunningService, owner: OwnerFixture, text: str) -> None:
    profile_ids = [owner.new_profile(f"<{text}>"), owner.new_profile(f"<{text.lower()}>")]
    for other in ("50 euros", "acb", "a-b", "strase"):
        owner.new_profile(other)
    select = sa.select(profiles.c.id).where(
        profiles.c.owner_id == sa.bindparam("owner"), contains_text(profiles.c.name, "text")
    )
    rows = service.read(fetch, select, {"owner": owner.id, "text": text})
    assert {row.id for row in rows} == set(profile_ids)


def test_what_is_made_of_a_statement_is_another_statement(service: RunningService, owner: OwnerFixture) -> None:
    created = [owner.new_profile(f"P{number}") for number in range(2)]
    mine = sa.select(profiles.c.id).where(profiles.c.owner_id == sa.bindparam("owner"))
    for _ in range(2):
        assert len(service.read(fetch, mine, {"owner": owner.id})) == 3
        named = mine.where(profiles.c.name == sa.bindparam("name"), profiles.c.id != owner.profile_id)
        for number, profile_id in enumerate(created):
            rows = service.read(fetch, named, {"name": f"P{number}", "owner": owner.id})
            assert [row.id for row in rows] == [profile_id]


def test_one_statement_writes_the_columns_that_it_is_given(service: RunningService, owner: OwnerFixture) -> None:
    statement = sa.update(profiles).where(profiles.c.owner_id == sa.bindparam("of_owner"))

    async def change(tx: Tx, **values: Any) -> None:
        await tx.execute(statement, {**values, "of_owner": owner.id})

    async def changed(tx: Tx) -> None:
        await change(tx, name="Other")
        await change(tx, description="New", timezone="Asia/Tokyo")
        await change(tx, timezone="Europe/Berlin")

    service.write(changed)
    [row] = service.read(fetch, sa.select(profiles).where(profiles.c.owner_id == owner.id))
    assert (row.name, row.description, row.timezone) == ("Other", "New", "Europe/Berlin")


def test_nothing_found_is_an_empty_list(service: RunningService) -> None:
    assert service.read(fetch, sa.select(profiles).where(profiles.c.id == "prf_none")) == []


def test_a_read_sees_what_was_just_committed(service: RunningService, owner: OwnerFixture) -> None:
    for number in range(20):
        created = owner.new_profile(f"P{number}")
        assert service.read(fetch, sa.select(profiles.c.id).where(profiles.c.id == created)) == [(created,)]


def test_what_takes_long_leaves_the_loop_alone(service: RunningService) -> None:
    db = service.service.db

    async def turns_meanwhile() -> int:
        reading = asyncio.create_task(db.read(fetch, counting(1_000_000)))
        turns = 0
        while not reading.done():
            await asyncio.sleep(0.001)
            turns += 1
        assert [row.counted for row in await reading] == [1_000_000]
        return turns

    assert service.run(turns_meanwhile()) > 5


def test_a_reader_of_sqlite_cannot_write(service: RunningService, owner: OwnerFixture) -> None:
    db = service.service.db
    if not db.is_sqlite:
        pytest.skip("PostgreSQL refuses nothing to a single statement")
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        service.run(db._driver.fetch("DELETE FROM profiles", ()))
    assert owner.session.get("/profiles").json()["data"]


def test_reads_that_are_cut_off_leave_no_connection_behind(service: RunningService) -> None:
    db = service.service.db
    if db.is_sqlite:
        pytest.skip("a read of SQLite is over before anybody could cut it off")

    async def cut_off() -> int:
        tasks = [asyncio.create_task(db.read(fetch, sa.select(sa.func.pg_sleep(30)))) for _ in range(20)]
        await asyncio.sleep(0.3)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        began = time.perf_counter()
        itemses = await asyncio.gather(*(db.read(fetch, sa.select(sa.literal(1))) for _ in range(20)))
        assert [rows[0][0] for rows in itemses] == [1] * 20
        assert time.perf_counter() - began < 10
        await asyncio.sleep(0.1)
        return free()

    def free() -> int:
        room: asyncio.Semaphore = db._driver._connection_slots  # type: ignore[union-attr] # PostgreSQL's
        return room._value

    before = free()
    # The service reads now and then by itself.
    assert service.run(cut_off()) >= before - 1


def test_a_unit_that_goes_on_after_a_failure_is_not_taken_for_committed(
    service: RunningService, owner: OwnerFixture
) -> None:
    if service.service.db.is_sqlite:
        pytest.skip("SQLite undoes a statement that fails, and nothing else")

    async def go_on(tx: Tx) -> None:
        await tx.execute(sa.update(profiles).where(profiles.c.owner_id == owner.id).values(name="Changed"))
        with suppress(asyncpg.PostgresError):
            await tx.execute(sa.text("SELECT 1 / 0"))

    with pytest.raises(asyncpg.InFailedSQLTransactionError):
        service.write(go_on)
    assert [row["name"] for row in owner.session.get("/profiles").json()["data"]] == ["Default"]


def test_lost_connections_fail_no_read(start_service: StartService) -> None:
    async def hang_up(tx: Tx) -> None:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        where = "datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle'"
        await tx.execute(sa.text(f"{others} WHERE {where}"))

    async def read_all(db: Database) -> list[Any]:
        await asyncio.gather(*(db.read(fetch, sa.select(sa.func.pg_sleep(0.1))) for _ in range(5)))
        await db.write(hang_up)
        await asyncio.sleep(0.2)
        return [await db.read(fetch, sa.select(sa.literal(1))) for _ in range(20)]

    with start_service() as running:
        db = running.service.db
        if db.is_sqlite:
            pytest.skip("a file does not hang up")
        assert [rows[0][0] for rows in running.run(read_all(db))] == [1] * 20
