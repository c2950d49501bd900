"""What the doctor says about a deployment on PostgreSQL: everything that an operator would otherwise have to guess."""

import asyncio
from base64 import b64encode
from pathlib import Path
from uuid import uuid4

import asyncpg
import httpx
import pytest

from journeys.commands import run, started
from socialgate.core.schema_migration import get_newest_revision
from support import moved_clock
from support.front_servers import nginx, pgbouncer
from support.postgres import empty_database, new_database
from support.processes import free_port
from support.service import PASSWORD

KEY = b64encode(bytes(32)).decode()
# More than the processes of a small deployment open.
_FEW_CONNECTIONS = 20
# The clock of PostgreSQL is not moved.
in_the_present = pytest.mark.skipif(moved_clock.is_moved(), reason="the clock of the database is not moved")


def execute(url: str, *statements: str) -> None:
    async def work() -> None:
        connection = await asyncpg.connect(url)
        for statement in statements:
            await connection.execute(statement)
        await connection.close()

    asyncio.run(work())


def as_role(url: str, role: str) -> str:
    return url.replace("postgres:@", f"{role}:@", 1)


def name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]


def new_role(server_url: str) -> str:
    role = f"r{uuid4().hex[:12]}"
    execute(server_url, f"CREATE ROLE {role} LOGIN")
    return role


def examine(folder: Path, *arguments: str, **settings: object) -> dict[str, str]:
    """Run the doctor, and give its lines by the names of the checks, each with its sign."""
    checked = run(folder, "doctor", *arguments, **{"port": 0, "secret_key": KEY, **settings})
    assert checked.stderr == ""
    lines = [line for line in checked.stdout.splitlines() if line[:1] in {"✓", "✗"}]
    assert (checked.returncode == 0) == (not any(line.startswith("✗") for line in lines)), checked.stdout
    result = {}
    for line in lines:
        name, _, text = line[2:].partition(": ")
        result[name.strip()] = f"{line[0]} {text}"
    return result


@in_the_present
def test_a_database_with_an_owner_is_fine(tmp_path: Path, postgres_url: str) -> None:
    role = new_role(postgres_url)
    url = empty_database(postgres_url)
    execute(postgres_url, f"ALTER DATABASE {name_of(url)} OWNER TO {role}")
    settings = {"database_url": as_role(url, role)}
    assert run(tmp_path, "migrate", **settings).returncode == 0
    checks = examine(tmp_path, **settings)
    assert not [text for text in checks.values() if text.startswith("✗")]
    assert "UTF8" in checks["PostgreSQL"]
    assert checks["role"] == f"✓ {role} owns {name_of(url)}"
    assert checks["pooler"] == "✓ none, the service is connected to PostgreSQL directly"
    assert "1 `serve` and 1 `work` processes open up to 28 connections with a pool of 10" in checks["connections"]
    assert checks["clocks"].startswith("✓ this machine and the database differ by at most 0.")


def test_that_it_is_not_migrated_is_said_first(tmp_path: Path, postgres_url: str) -> None:
    settings = {"database_url": empty_database(postgres_url)}
    checked = run(tmp_path, "doctor", port=0, **settings)
    first, second = checked.stdout.splitlines()[:2]
    assert first == (
        "✗ migrations: The database schema is out of date: it is empty, and this version needs "
        f"{get_newest_revision()}. Run `socialgate migrate` once."
    )
    assert second == "✓ settings: valid"
    assert checked.stdout.count("socialgate migrate") == 1
    assert checked.returncode == 1


def test_a_role_that_may_not_create_tables(tmp_path: Path, postgres_url: str) -> None:
    role, url = new_role(postgres_url), empty_database(postgres_url)
    execute(url, "REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    checks = examine(tmp_path, database_url=as_role(url, role))
    assert checks["role"].startswith(f"✗ {role} may not create tables in {name_of(url)}")
    (remedy,) = checks["role"].partition("Run as a superuser: ")[2:]
    execute(url, remedy)
    # The owner of a database may do everything in its public schema from PostgreSQL 15 on.
    execute(url, f"GRANT CREATE ON SCHEMA public TO {role}")
    assert examine(tmp_path, database_url=as_role(url, role))["role"] == f"✓ {role} owns {name_of(url)}"


def test_tables_that_belong_to_somebody_else(tmp_path: Path, postgres_url: str) -> None:
    first, second = new_role(postgres_url), new_role(postgres_url)
    url = empty_database(postgres_url)
    execute(url, f"ALTER DATABASE {name_of(url)} OWNER TO {first}", f"GRANT ALL ON SCHEMA public TO {first}, {second}")
    assert run(tmp_path, "migrate", database_url=as_role(url, first)).returncode == 0
    execute(
        url,
        f"GRANT ALL ON ALL TABLES IN SCHEMA public TO {second}",
    )
    checks = examine(tmp_path, database_url=as_role(url, second))
    assert checks["role"].startswith(f"✗ tables in {name_of(url)} belong to {first}, so {second} cannot change them")
    execute(url, checks["role"].partition("in this database: ")[2])
    assert examine(tmp_path, database_url=as_role(url, second))["role"].startswith("✓")


def test_an_encoding_that_cannot_store_every_text(tmp_path: Path, postgres_url: str) -> None:
    name = f"t{uuid4().hex}"
    kind = "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0"
    execute(postgres_url, f"CREATE DATABASE {name} {kind}")
    checks = examine(tmp_path, database_url=postgres_url.replace("/postgres?", f"/{name}?", 1))
    assert checks["PostgreSQL"].startswith(f"✗ the database {name} has the encoding SQL_ASCII")


def test_a_server_that_only_accepts_reads(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url)
    execute(url, f"ALTER DATABASE {name_of(url)} SET default_transaction_read_only = on")
    checks = examine(tmp_path, database_url=url)
    assert checks["PostgreSQL"].startswith("✗ it only accepts reads, as a standby does. Let SOCIALGATE_DATABASE_URL")


def test_too_few_connections_for_all_processes(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url)
    execute(url, f"ALTER DATABASE {name_of(url)} CONNECTION LIMIT {_FEW_CONNECTIONS}")
    checks = examine(tmp_path, database_url=url)
    assert "open up to 28 connections with a pool of 10, but there is only room for " in checks["connections"]
    assert checks["connections"].endswith("or lower SOCIALGATE_DATABASE_POOL.")
    with started(tmp_path, "serve", database_url=url, port=0, secret_key=KEY) as first:
        first.address()
        with started(tmp_path, "serve", database_url=url, port=0, secret_key=KEY) as second:
            second.address()
            execute(url, f"ALTER DATABASE {name_of(url)} CONNECTION LIMIT -1")
            # Both, and the worker that a deployment needs.
            assert (
                "2 `serve` and 1 `work` processes open up to 39" in examine(tmp_path, database_url=url)["connections"]
            )


@in_the_present
def test_clocks_that_differ_from_that_of_the_database(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url)
    late = "INSERT INTO workers VALUES ('wrk_late', now(), now() - interval '40 seconds', clock_timestamp())"
    execute(url, late)
    checks = examine(tmp_path, database_url=url)
    assert checks["clocks"].startswith(
        "✗ the clock of worker wrk_late differs from the database's by 40 s. Synchronize"
    )


def test_another_key_than_the_other_nodes(tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url)
    with started(tmp_path, "serve", database_url=url, port=0, secret_key=KEY) as service:
        service.address()
    checks = examine(tmp_path, database_url=url, secret_key=b64encode(bytes(31) + b"1").decode())
    assert checks["keys"].startswith("✗ ")
    assert "Set the same SOCIALGATE_SECRET_KEY on all nodes" in checks["keys"]


def test_a_pooler_in_session_mode_serves_the_whole_service(tmp_path: Path, postgres_url: str) -> None:
    with pgbouncer(tmp_path, new_database(postgres_url), "session") as url:
        settings = {"database_url": url, "port": 0, "secret_key": KEY}
        checks = examine(tmp_path, **settings)
        assert not [text for text in checks.values() if text.startswith("✗")]
        assert checks["pooler"].startswith("✓ one in session mode, which works")
        with started(tmp_path, "serve", **settings) as service, started(tmp_path, "work", **settings) as worker:
            with httpx.Client(base_url=service.address(), timeout=60) as client:
                person = {"email": "ada@example.com", "password": PASSWORD}
                token = client.post("/auth/register", json=person).json()["token"]
                client.headers["Authorization"] = f"Bearer {token}"
                assert client.post("/profiles", json={"name": "Bakery"}).status_code == 201
                assert len(client.get("/profiles").json()["data"]) == 2
            assert (service.stop(), worker.stop()) == (0, 0)
            assert "Traceback" not in service.err + worker.err
            assert "wakeups_interrupted" not in service.err + worker.err


def test_a_pooler_in_transaction_mode_is_found_out(tmp_path: Path, postgres_url: str) -> None:
    with pgbouncer(tmp_path, new_database(postgres_url), "transaction") as url:
        checks = examine(tmp_path, database_url=url)
    assert checks["pooler"].startswith("✗ a pooler gives each transaction another connection")
    assert "Set pool_mode = session in PgBouncer" in checks["pooler"]


def test_a_pooler_that_ignores_timeouts_is_found_out(tmp_path: Path, postgres_url: str) -> None:
    ignored = "idle_in_transaction_session_timeout, statement_timeout, lock_timeout"
    settings = {"ignore_startup_parameters": ignored}
    with pgbouncer(tmp_path, new_database(postgres_url), "session", **settings) as url:
        checks = examine(tmp_path, database_url=url)
    assert checks["pooler"].startswith("✗ a pooler ignores the statement_timeout, lock_timeout, ")
    assert checks["pooler"].endswith("Remove them from ignore_startup_parameters in PgBouncer.")


@pytest.mark.parametrize(
    ("changes", "name", "text"),
    [
        ({}, "uploads", "✓ files of 5 GiB are passed on as they arrive"),
        (
            {"client_max_body_size 0;": "client_max_body_size 1m;"},
            "uploads",
            "✗ the proxy limits the size of requests. Remove its limit, in nginx with: client_max_body_size 0",
        ),
        (
            {"proxy_request_buffering off;": ""},
            "uploads",
            "✗ the proxy keeps uploads until they have arrived completely.",
        ),
        (
            {
                "proxy_set_header X-Forwarded-For $remote_addr;": "proxy_bind 127.0.0.9;",
            },
            "client addresses",
            "✗ the service sees the proxy (127.0.0.9/32) instead of this machine (127.0.0.1). Let the proxy set",
        ),
        (
            {"proxy_buffering off;": "proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;"},
            "streaming",
            "✗ the proxy keeps the stream of events back.",
        ),
    ],
    ids=["as shipped", "limit", "requests", "addresses", "responses"],
)
def test_what_a_proxy_does(
    changes: dict[str, str],
    name: str,
    text: str,
    tmp_path: Path,
    postgres_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    node = free_port()
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with nginx(tmp_path, node, changes) as url:
        settings = {
            "database_url": new_database(postgres_url),
            "port": node,
            "secret_key": KEY,
            "base_url": url,
            "trusted_proxies": "127.0.0.1,127.0.0.9",
            "signup": "open",
        }
        with started(tmp_path, "serve", **settings) as service:
            service.address()
            api_key = new_key(f"http://127.0.0.1:{node}")
            checks = examine(tmp_path, "--through", url, "--key", api_key, **settings)
    assert checks[f"through {url}"].endswith("answers with a valid certificate")
    assert checks["public URL"] == f"✓ {url} in 8 requests"
    assert checks.pop(name).startswith(text)
    assert not [other for other in checks.values() if other.startswith("✗")]


def new_key(address: str) -> str:
    with httpx.Client(base_url=address, timeout=60) as client:
        person = {"email": f"{uuid4().hex}@example.com", "password": PASSWORD}
        client.headers["Authorization"] = f"Bearer {client.post('/auth/register', json=person).json()['token']}"
        return str(client.post("/api-keys", json={"name": "k", "scope": "all"}).json()["key"])


def test_what_is_wrong_from_outside(tmp_path: Path, postgres_url: str) -> None:
    settings = {"database_url": new_database(postgres_url), "secret_key": KEY}
    away = f"http://127.0.0.1:{free_port()}"
    with started(tmp_path, "serve", port=0, **settings) as service:
        node = service.address()
        # Another node of the same deployment, with other settings.
        checks = examine(tmp_path, "--through", node, "--through", away, base_url="http://localhost:8080", **settings)
        assert checks["public URL"] == (
            f"✗ a node has the public URL {node}, and this one http://localhost:8080. Set the same SOCIALGATE_BASE_URL "
            "on all nodes."
        )
        assert checks["uploads"].startswith("✓")
        assert checks["client addresses"] == "✓ the service sees 127.0.0.1, which is this machine"
        assert checks["streaming"].startswith("✓ not checked. Set SOCIALGATE_API_KEY")
        assert checks[f"through {away}"].startswith(f"✗ {away} cannot be reached (Connection refused). Check the name")
        elsewhere = {**settings, "database_url": new_database(postgres_url)}
        checks = examine(tmp_path, "--through", node, base_url=node, **elsewhere)
        assert checks["client addresses"].startswith(f"✗ {node} uses another database. Set the same")
