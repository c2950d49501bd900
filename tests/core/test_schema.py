"""The schema: migrations and the tables in code agree, and no migration loses a row or half of itself."""

import ast
import asyncio
import re
import shutil
from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.dialects import postgresql

import socialgate.entry.api_server  # noqa: F401 - it loads every table
import socialgate.entry.serve  # noqa: F401 - and so does this
from socialgate.areas.posts import tables as posts
from socialgate.core import schema_migration
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, metadata, sqlite_url
from socialgate.core.schema_migration import (
    MIGRATIONS_DIR,
    OLDEST_SUPPORTED_REVISION,
    get_newest_revision,
    get_revision,
    list_revisions,
    migrate,
    require_supported_schema,
    run_schema_work,
)
from socialgate.core.settings import Settings, SettingsError
from support.postgres import empty_database
from support.soak import LONG

pytestmark = [
    pytest.mark.both_engines,
    # They can only be compared on PostgreSQL; on SQLite, `list_sqlite_indexes` does.
    pytest.mark.filterwarnings("ignore:Skipped unsupported reflection of expression-based index"),
    pytest.mark.filterwarnings("ignore:autogenerate skipping"),
]

ADDITION = '''"""An addition."""

import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{before}"


def upgrade() -> None:
    op.add_column("profiles", sa.Column("color", sa.String(20)))
'''
BROKEN = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{before}"


def upgrade():
    op.create_table("half", sa.Column("id", sa.Integer))
    op.drop_table("a_table_that_never_was")
"""

T = TypeVar("T")
Row = dict[str, Any]


@pytest.fixture
def url(engine: str, postgres_url: str, tmp_path: Path) -> str:
    """Give an empty database of one's own."""
    if engine == "postgres":
        return empty_database(postgres_url)
    return sqlite_url(tmp_path / "test.db")


def on(url: str, job: Callable[[Database], Awaitable[T]]) -> T:
    async def run() -> T:
        db = Database(url, SystemClock())
        try:
            return await job(db)
        finally:
            await db.close()

    return asyncio.run(run())


def in_transaction(url: str, job: Callable[..., T], *args: Any) -> T:
    async def run(db: Database) -> T:
        return await run_schema_work(db, lambda connection: job(connection, *args))

    return on(url, run)


def own_tables(connection: sa.Connection) -> sa.MetaData:
    """Read all tables but Alembic's own and the partitions, which a worker makes and drops."""
    partitions: set[str] = set()
    if connection.dialect.name == "postgresql":
        partitions = set(connection.scalars(sa.text("SELECT relname FROM pg_class WHERE relispartition")))
    meta_data = sa.MetaData()
    meta_data.reflect(connection, only=lambda name, _: name not in {"alembic_version", *partitions})
    return meta_data


def sample(column: sa.Column[Any], dialect: str, number: int) -> Any:  # noqa: PLR0911 - a table, one line a case
    """Give a value that is another one for each number, where there are so many."""
    kind = column.type
    if isinstance(kind, sa.Boolean):
        return True
    if isinstance(kind, sa.Integer):
        return number
    if isinstance(kind, sa.Float):
        return number + 0.5
    if isinstance(kind, sa.DateTime):
        start = datetime(2026, 1, 1, 3, 4, 5, 678, tzinfo=None if dialect == "sqlite" else UTC)
        return start + timedelta(days=number - 1)
    if isinstance(kind, sa.Date):
        return date(2026, 1, 1) + timedelta(days=number - 1)
    if isinstance(kind, sa.LargeBinary):
        return b"\x00sample\xff" + bytes([number])
    if isinstance(kind, sa.JSON):
        return {"some": ["é", number, None]}
    if isinstance(kind, sa.String):
        return f"{number} {column.name} é"[: kind.length]
    raise AssertionError(f"say here what a sample of {kind!r} is")


def fill(connection: sa.Connection, number: int = 7) -> dict[str, Row]:
    """Put one row into every table, with a value in every column."""
    rows: dict[str, Row] = {}
    for table in own_tables(connection).sorted_tables:
        row = {column.name: sample(column, connection.dialect.name, number) for column in table.columns}
        for key in table.foreign_keys:
            row[key.parent.name] = rows[key.column.table.name][key.column.name]
        connection.execute(table.insert(), row)
        rows[table.name] = row
    return rows


def kept(connection: sa.Connection, *filled: dict[str, Row]) -> list[dict[str, Row]]:
    """Read the same columns of the same tables again, and give the rows that are there still."""
    tables = own_tables(connection).tables

    def is_there(name: str, row: Row) -> bool:
        cursor_result = connection.execute(sa.select(*(tables[name].c[column] for column in row)))
        return row in [dict(row._mapping) for row in cursor_result]

    return [{name: row for name, row in rows.items() if is_there(name, row)} for rows in filled]


def test_migrations_are_numbered_without_a_gap_and_form_one_line() -> None:
    names = sorted(path.name for path in (MIGRATIONS_DIR / "versions").glob("*.py"))
    assert all(re.fullmatch(r"\d{4}_[a-z0-9_]+\.py", name) for name in names)
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS_DIR))
    scripts = list(reversed(list(ScriptDirectory.from_config(config).walk_revisions())))
    assert [script.revision for script in scripts] == [name[:4] for name in names] == list_revisions()
    assert [script.down_revision for script in scripts] == [None, *list_revisions()[:-1]]
    assert not any(script.branch_labels or script.dependencies for script in scripts)
    assert all(script.doc for script in scripts)


def test_the_tables_in_code_are_those_that_the_migrations_make(url: str) -> None:
    on(url, migrate)

    def differences(connection: sa.Connection) -> Any:
        ours = set(own_tables(connection).tables)
        options = {
            "compare_type": True,
            "compare_server_default": True,
            "include_name": lambda name, kind, _: kind != "table" or name in ours,
            # An index may be for one of the engines alone.
            "include_object": lambda item, *_: (
                (rule := getattr(item, "_ddl_if", None)) is None or rule.dialect == connection.dialect.name
            ),
        }
        return compare_metadata(MigrationContext.configure(connection, opts=options), metadata)

    assert in_transaction(url, differences) == []
    if url.startswith("sqlite"):
        ours = on(url, lambda db: run_schema_work(db, list_sqlite_indexes))
        new = sa.create_engine("sqlite://")
        with new.begin() as connection:
            metadata.create_all(connection)
            assert list_sqlite_indexes(connection) == ours


def list_sqlite_indexes(connection: sa.Connection) -> dict[str, str]:
    """Return the definitions of the indexes with expressions, which are not compared otherwise."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql LIKE '%(%(%'"
    return {row.name: re.sub(r"[\s()]", "", row.sql).casefold() for row in connection.execute(sa.text(query))}


def test_columns_are_compared_byte_by_byte_where_the_code_says_so(postgres_url: str) -> None:
    url = Settings(database_url=empty_database(postgres_url)).effective_database_url
    on(url, migrate)
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    expected = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if 'COLLATE "C"' in column.type.compile(dialect)
    }

    def collated(connection: sa.Connection) -> set[tuple[str, str]]:
        tables = own_tables(connection).tables
        query = "SELECT table_name, column_name FROM information_schema.columns WHERE collation_name = 'C'"
        return {(row[0], row[1]) for row in connection.execute(sa.text(query)) if row[0] in tables}

    assert in_transaction(url, collated) == expected
    assert expected


def test_migrating_twice_does_nothing(url: str) -> None:
    assert on(url, get_revision) is None
    assert on(url, migrate) is True
    assert on(url, get_revision) == get_newest_revision()
    rows = in_transaction(url, fill)
    assert on(url, migrate) is False
    assert in_transaction(url, kept, rows) == [rows]


def test_several_migrators_at_once_do_it_once(url: str) -> None:
    async def together() -> None:
        nodes = [Database(url, SystemClock()) for _ in range(4)]
        try:
            await asyncio.gather(*(migrate(node) for node in nodes))
        finally:
            await asyncio.gather(*(node.close() for node in nodes))

    asyncio.run(together())
    assert on(url, get_revision) == get_newest_revision()
    assert in_transaction(url, lambda c: len(c.execute(sa.text("SELECT * FROM alembic_version")).all())) == 1


@pytest.mark.parametrize("revision", [pytest.param(value, marks=LONG) for value in list_revisions()[:-1]])
def test_data_of_an_earlier_version_is_kept(url: str, revision: str) -> None:
    in_transaction(url, schema_migration._upgrade_schema, revision)
    assert on(url, get_revision) == revision
    rows = in_transaction(url, fill)
    on(url, migrate)
    assert on(url, get_revision) == get_newest_revision()
    assert in_transaction(url, kept, rows) == [rows]


def test_data_of_all_earlier_versions_is_kept(url: str, engine: str) -> None:
    """One database goes through all versions, and gets rows at every second one: the same in one walk as each version
    alone. Each engine gets them at other versions; `make soak` has every version on both.
    """

    def step(connection: sa.Connection, number: int, revision: str) -> dict[str, Row]:
        schema_migration._upgrade_schema(connection, revision)
        return fill(connection, number)

    chosen = list_revisions()[("sqlite", "postgres").index(engine) :: 2]
    filled = [in_transaction(url, step, number, revision) for number, revision in enumerate(chosen, start=1)]
    on(url, migrate)
    assert on(url, get_revision) == get_newest_revision()
    for rows, result in zip(filled, in_transaction(url, kept, *filled), strict=True):
        assert result == rows
    assert set(filled[0]) < set(filled[-1])


def test_accounts_that_were_connected_before_are_counted(url: str) -> None:
    def connect(connection: sa.Connection) -> str:
        schema_migration._upgrade_schema(connection, "0018")
        row = fill(connection)["accounts"]
        accounts = own_tables(connection).tables["accounts"]
        for number, status in enumerate(["connected", "needs_reconnection", "disconnected"]):
            there = {"id": f"acc_{number}", "platform_account_id": f"{number}", "status": status}
            connection.execute(accounts.insert(), {**row, **there, "profile_id": "prf_other"})
        return str(row["owner_id"])

    def counted(connection: sa.Connection) -> list[tuple[Any, ...]]:
        days = own_tables(connection).tables["usage_days"].c
        select = sa.select(days.owner_id, days.metric, days.part_id, days.used, days.level).order_by(days.used)
        return [tuple(row) for row in connection.execute(select)]

    owner_id = in_transaction(url, connect)
    on(url, migrate)
    assert in_transaction(url, counted) == [
        (owner_id, "connectedAccounts", "7 profile_id é", 1, 1),
        (owner_id, "connectedAccounts", "prf_other", 2, 2),
        (owner_id, "connectedAccounts", "", 3, 3),
    ]


def attempt(outcome: str, next_at: str | None = None, detail: str | None = None) -> dict[str, Any]:
    return {"at": "2026-01-01T00:00:00Z", "stage": "publish", "outcome": outcome, "detail": detail, "nextAt": next_at}


DUE = "2026-01-01T00:01:00.000123Z"
UNTOLD, LIMITED = attempt("not_told", DUE), attempt("platform_rate_limited", DUE)
QUOTED = attempt("published", detail='{"outcome":"confirmed_by_person"}')
# The status and the attempts of a target as version 0032 stored them, and what a retry remembers of them.
REMEMBERED: dict[str, tuple[str, list[dict[str, Any]], tuple[Any, ...]]] = {
    "new": ("pending", [], (None, 0, 0, False)),
    "settling": ("publishing", [UNTOLD, attempt("found_not_published", DUE)], (DUE, 0, 0, False)),
    "repeated": (
        "publishing",
        [attempt("found_not_published", DUE), attempt("found_not_published")],
        (None, 0, 0, False),
    ),
    "unclear": ("unconfirmed", [UNTOLD, attempt("waiting", DUE), UNTOLD, UNTOLD], (None, 2, 0, False)),
    "limited": ("publishing", [UNTOLD, LIMITED, LIMITED, LIMITED], (None, 0, 3, False)),
    "moving": ("publishing", [UNTOLD, attempt("waiting", DUE)], (None, 0, 0, False)),
    "failed": ("failed", [LIMITED, LIMITED], (None, 0, 0, False)),
    "found": ("published", [UNTOLD, QUOTED], (None, 0, 0, False)),
    "confirmed": ("published", [UNTOLD, attempt("confirmed_by_person")], (None, 0, 0, True)),
    "compact": ("published", [], (None, 0, 0, True)),
}
COMPACT = (
    '[{"at":"2026-01-01T00:00:00Z","stage":"publish","outcome":"confirmed_by_person","detail":null,"nextAt":null}]'
)


def test_what_a_retry_remembers_is_taken_from_the_attempts_of_earlier_versions(url: str) -> None:
    def write(connection: sa.Connection) -> None:
        schema_migration._upgrade_schema(connection, "0032")
        row = fill(connection)["post_targets"]
        targets = own_tables(connection).tables["post_targets"]
        for name, (status, attempts, _) in REMEMBERED.items():
            connection.execute(targets.insert(), {**row, "id": name, "status": status, "attempts": attempts})
        # This is how the service encodes them.
        statement = f"UPDATE post_targets SET attempts = '{COMPACT}' WHERE id = 'compact'"  # noqa: S608 - a constant
        connection.exec_driver_sql(statement)

    def read(connection: sa.Connection) -> dict[str, tuple[Any, ...]]:
        columns = posts.targets.c
        remembered = columns.settles_at, columns.unclear_lookups, columns.rate_limits, columns.confirmed_by_person
        cursor_result = connection.execute(sa.select(columns.id, *remembered).where(columns.id.in_(REMEMBERED)))
        return {name: tuple(values) for name, *values in cursor_result}

    in_transaction(url, write)
    on(url, migrate)
    due = datetime.fromisoformat(DUE)
    assert in_transaction(url, read) == {
        name: (due if settles_at else None, *rest) for name, (_, _, (settles_at, *rest)) in REMEMBERED.items()
    }


def test_a_migration_that_fails_leaves_nothing_behind(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "migrations"
    shutil.copytree(MIGRATIONS_DIR, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "9999_broken.py").write_text(BROKEN.format(before=get_newest_revision()))
    on(url, migrate)
    rows = in_transaction(url, fill)
    before = get_newest_revision()
    monkeypatch.setattr(schema_migration, "MIGRATIONS_DIR", folder)
    with pytest.raises(sa.exc.DBAPIError):
        on(url, migrate)
    assert on(url, get_revision) == before
    assert "half" not in in_transaction(url, own_tables).tables
    assert in_transaction(url, kept, rows) == [rows]


def test_a_database_of_a_newer_version_is_left_alone(url: str) -> None:
    on(url, migrate)
    in_transaction(url, lambda c: c.execute(sa.text("UPDATE alembic_version SET version_num = '9999'")))
    in_transaction(url, lambda c: c.execute(sa.text("UPDATE schema_support SET oldest = '9998'")))
    for check in (migrate, require_supported_schema):
        with pytest.raises(SettingsError, match="migrated by a newer version of Socialgate: it is at revision 9999"):
            on(url, check)


def test_a_database_of_a_newer_version_that_only_added_things_is_used(url: str, tmp_path: Path) -> None:
    """A node of the old version restarts after `migrate` of the new one."""
    with pytest.MonkeyPatch.context() as newer:
        folder = tmp_path / "migrations"
        shutil.copytree(MIGRATIONS_DIR, folder, ignore=shutil.ignore_patterns("__pycache__"))
        (folder / "versions" / "9999_addition.py").write_text(ADDITION.format(before=get_newest_revision()))
        newer.setattr(schema_migration, "MIGRATIONS_DIR", folder)
        on(url, migrate)
    assert on(url, get_revision) == "9999"
    on(url, require_supported_schema)
    assert on(url, migrate) is False
    assert on(url, get_revision) == "9999"


def test_an_older_database_is_out_of_date(url: str) -> None:
    with pytest.raises(SettingsError, match=r"it is empty, .* Run `socialgate migrate` once"):
        on(url, require_supported_schema)
    in_transaction(url, schema_migration._upgrade_schema, "0020")
    with pytest.raises(SettingsError, match=r"it is at revision 0020, .* Run `socialgate migrate` once"):
        on(url, require_supported_schema)


CHANGES = {"drop_column", "drop_table", "drop_constraint", "drop_index", "alter_column", "rename_table", "execute"}


def test_a_migration_that_does_not_only_add_things_ends_the_support_of_older_versions() -> None:
    """Those that change data or indexes in a way that older code does not notice say so with `# additive: why`."""
    for path in sorted((MIGRATIONS_DIR / "versions").glob("[0-9]*.py")):
        if path.name[:4] <= OLDEST_SUPPORTED_REVISION:
            continue
        text = path.read_text(encoding="utf-8")
        used = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
        assert not used & CHANGES or "# additive: " in text, (
            f"{path.name}: raise OLDEST_SUPPORTED in core/schema_migration.py"
        )


def test_a_user_without_rights_is_told_so_in_one_line(postgres_url: str) -> None:
    url = sa.make_url(Settings(database_url=empty_database(postgres_url)).effective_database_url)
    role = f"weak_{url.database}"

    def add_role(connection: sa.Connection) -> None:
        connection.execute(sa.text(f"CREATE ROLE {role} LOGIN"))

    in_transaction(url.render_as_string(hide_password=False), add_role)
    with pytest.raises(SettingsError) as caught:
        on(url.set(username=role).render_as_string(hide_password=False), migrate)
    assert str(caught.value) == (
        "The user of SOCIALGATE_DATABASE_URL may not create tables (permission denied for schema public). "
        "Make it the owner of the database."
    )


def test_a_database_that_cannot_be_reached_is_said_in_one_line() -> None:
    message = refusal_of("postgresql://u:hunter2@127.0.0.1:1/gate")
    assert "Connect call failed" in message
    assert "hunter2" not in message


def test_an_option_that_the_server_does_not_know_is_said_in_one_line(postgres_url: str) -> None:
    message = refusal_of(f"{empty_database(postgres_url)}&color=blue")
    assert 'unrecognized configuration parameter "color"' in message


@pytest.mark.parametrize("options", ["sslmode=disable", "sslmode=prefer&application_name=tester"])
def test_options_in_the_words_of_postgresql_are_understood(postgres_url: str, options: str) -> None:
    url = f"{empty_database(postgres_url)}&{options}"
    assert on(url, migrate)
    assert on(url, get_revision) == get_newest_revision()


def refusal_of(url: str) -> str:
    with pytest.raises(SettingsError) as caught:
        on(url, get_revision)
    message = str(caught.value)
    assert message.startswith("Cannot reach the database: ")
    assert message.endswith(". Check SOCIALGATE_DATABASE_URL and that PostgreSQL is running.")
    assert "\n" not in message
    return message


def test_a_file_that_is_no_database_is_said_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "test.db").write_bytes(b"not a database at all" * 100)
    with pytest.raises(SettingsError) as caught:
        on(sqlite_url(tmp_path / "test.db"), migrate)
    assert str(caught.value) == (
        f"Cannot use the database {tmp_path}/test.db: file is not a database. "
        "Set SOCIALGATE_DATA_DIR to another folder."
    )
