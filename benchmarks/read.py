"""A list of 50 rows against the health check of the same process: what reading, scoping and encoding cost."""

import asyncio
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

import httpx
import sqlalchemy as sa
from benchmarks.accounts import add_account
from benchmarks.harness import ENGINES, Bench, Engine, Figure, against, median, rounded
from benchmarks.load import Load, load_role, trivial_role
from benchmarks.processes import Helper
from benchmarks.start import started

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.profiles.store import profiles
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import load_keyring
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings

ROUTE = "/accounts"
ROWS = 50
CONNECTIONS = 16
_KEY = b64encode(b"a key for benchmarks, 32 bytes..").decode()


def measure(bench: Bench) -> Iterator[Figure]:
    rounds, seconds = bench.sized(5, 2), bench.sized(2, 1)
    bench.uses("read", route=ROUTE, rows=ROWS, connections=CONNECTIONS, rounds=rounds, seconds=seconds)
    with Helper(load_role) as client:
        ceiling = _ceiling(client, seconds)
        for engine in ENGINES:
            yield _measure(bench, engine, client, rounds, seconds, ceiling)


def _measure(bench: Bench, engine: Engine, client: Helper, rounds: int, seconds: int, ceiling: float) -> Figure:
    folder = bench.folder / f"read-{engine}"
    folder.mkdir()
    settings: dict[str, Any] = {} if engine == "sqlite" else on_postgres(bench)
    reads, health = [], []
    with started(folder, signup="open", **settings) as (_, port, _):
        token = _fill(port, Settings(data_dir=folder / "data", **settings))
        for number in range(rounds):
            health.append(_load(client, port, "/health", "", seconds).rate)
            reads.append(_load(client, port, f"{ROUTE}?limit={ROWS}", token, seconds).rate)
            bench.say(f"{engine}, {number + 1} of {rounds}: {reads[-1]:.0f}/s, health {health[-1]:.0f}/s")
    return against(
        f"GET {ROUTE}, {ROWS} rows, against GET /health, {engine}",
        reads,
        health,
        bar=0.25,
        note=f"{median(reads):.0f}/s against {median(health):.0f}/s; the client alone {ceiling:.0f}/s",
        detail={
            "readsPerSecond": rounded(reads, 0),
            "healthPerSecond": rounded(health, 0),
            "clientCeilingPerSecond": round(ceiling),
        },
    )


def on_postgres(bench: Bench) -> dict[str, Any]:
    settings: dict[str, Any] = {"database_url": bench.postgres.new_database(), "secret_key": _KEY}

    async def prepare() -> None:
        db = Database(Settings(**settings).effective_database_url, SystemClock())
        try:
            await migrate(db)
        finally:
            await db.close()

    asyncio.run(prepare())
    return settings


def _fill(port: int, settings: Settings) -> str:
    """Register an owner, connect as many accounts as are read, and give an API key of that owner."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        person = {"email": "reader@example.com", "password": "a long enough password"}
        session = client.post("/auth/register", json=person).raise_for_status().json()["token"]
        client.headers["Authorization"] = f"Bearer {session}"
        [profile] = client.get("/profiles").raise_for_status().json()["data"]
        asyncio.run(_connect(settings, profile["id"]))
        assert len(client.get(ROUTE, params={"limit": ROWS}).json()["data"]) == ROWS
        key = client.post("/api-keys", json={"name": "Reader", "scope": "all"}).raise_for_status().json()["key"]
    return str(key)


async def _connect(settings: Settings, profile_id: str) -> None:
    db = Database(settings.effective_database_url, SystemClock())
    try:
        await db.write(_add_pages, CredentialCipher(load_keyring(settings)), profile_id)
    finally:
        await db.close()


async def _add_pages(tx: Tx, vault: CredentialCipher, profile_id: str) -> None:
    [(owner_id,)] = await tx.all(sa.select(profiles.c.owner_id).where(profiles.c.id == profile_id))
    for number in range(ROWS):
        page = str(104_857_600_000_000 + number)
        await add_account(tx, vault, Kind.FACEBOOK_PAGE, page, owner_id=owner_id, profile_id=profile_id)


def _load(client: Helper, port: int, path: str, token: str, seconds: float) -> Load:
    lines = [f"GET {path} HTTP/1.1", f"host: 127.0.0.1:{port}"]
    if token:
        lines.append(f"authorization: Bearer {token}")
    request = ("\r\n".join(lines) + "\r\n\r\n").encode()
    load: Load = client.ask("run", port, request, CONNECTIONS, seconds)
    assert load.refused == 0, f"{load.refused} answers of {path} were not 200"
    return load


def _ceiling(client: Helper, seconds: float) -> float:
    with Helper(trivial_role) as trivial:
        return _load(client, trivial.ask("port"), "/", "", seconds).rate
