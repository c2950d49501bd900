"""Requests against the health check of the same process: what reading, scoping, writing and encoding cost."""

import asyncio
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from benchmarks.harness import ENGINES, Bench, Engine, Figure, against, median, rounded
from benchmarks.load import Load, load_role, trivial_role
from benchmarks.owner import ROWS, Owner, prepare_owner
from benchmarks.processes import Helper
from benchmarks.start import started

from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.schema_migration import migrate
from socialgate.core.settings import Settings

CONNECTIONS = 16
_KEY = b64encode(b"a key for benchmarks, 32 bytes..").decode()


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """A request, and the least part of the rate of `/health` that it may reach."""

    name: str
    path: str
    bars: Mapping[Engine, float]
    # For a POST: each connection sends one of them again and again.
    bodies: Sequence[bytes] = ()


def list_routes(owner: Owner) -> list[Route]:
    usual: Mapping[Engine, float] = {"sqlite": 0.1, "postgres": 0.07}
    listed = f"{ROWS} rows"
    of_page, of_measured = f"/accounts/{owner.page_ids[0]}", f"/accounts/{owner.measured_id}"
    limit = f"?limit={ROWS}"
    return [
        Route(name=f"GET /accounts, {listed}", path=f"/accounts{limit}", bars={"sqlite": 0.35, "postgres": 0.35}),
        Route(name=f"GET /events, {listed}", path=f"/events{limit}", bars={"sqlite": 0.16, "postgres": 0.16}),
        Route(name=f"GET /posts, {listed}", path=f"/posts{limit}", bars=usual),
        Route(name=f"GET conversations, {listed}", path=f"{of_page}/conversations{limit}", bars=usual),
        Route(name="GET insights, 28 days", path=f"{of_measured}/insights", bars=usual),
        Route(
            name="POST /posts, scheduled",
            path="/posts",
            bars={"sqlite": 0.1, "postgres": 0.065},
            bodies=owner.build_posts(CONNECTIONS),
        ),
    ]


def measure(bench: Bench) -> Iterator[Figure]:
    rounds, seconds = bench.sized(5, 2), bench.sized(2, 1)
    bench.uses("read", rows=ROWS, connections=CONNECTIONS, rounds=rounds, seconds=seconds)
    with Helper(load_role) as client:
        ceiling = _ceiling(client, seconds)
        for engine in ENGINES:
            yield from _measure(bench, engine, client, rounds, seconds, ceiling)


def _measure(
    bench: Bench, engine: Engine, client: Helper, rounds: int, seconds: int, ceiling: float
) -> Iterator[Figure]:
    folder = bench.folder / f"read-{engine}"
    folder.mkdir()
    # The accounts are simulated ones on both engines.
    settings: dict[str, Any] = {} if engine == "sqlite" else {**on_postgres(bench), "sandbox": True}
    with started(folder, signup="open", **settings) as (_, port, _):
        owner = prepare_owner(port, Settings(data_dir=folder / "data", **settings))
        routes = list_routes(owner)
        rates: dict[str, list[float]] = {route.name: [] for route in routes}
        health: dict[str, list[float]] = {route.name: [] for route in routes}
        for number in range(rounds):
            for route in routes:
                health[route.name].append(_load(client, port, "/health", "", seconds).rate)
                rates[route.name].append(_load(client, port, route.path, owner.token, seconds, route.bodies).rate)
            rates_text = ", ".join(f"{name} {values[-1]:.0f}/s" for name, values in rates.items())
            bench.say(f"{engine}, {number + 1} of {rounds}: {rates_text}, health {health[routes[0].name][-1]:.0f}/s")
    for route in routes:
        yield _figure(engine, route, rates[route.name], health[route.name], ceiling)


def _figure(engine: Engine, route: Route, rates: list[float], health: list[float], ceiling: float) -> Figure:
    return against(
        f"{route.name}, against GET /health, {engine}",
        rates,
        health,
        bar=route.bars[engine],
        note=f"{median(rates):.0f}/s against {median(health):.0f}/s; the client alone {ceiling:.0f}/s",
        detail={
            "requestsPerSecond": rounded(rates, 0),
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


def _load(client: Helper, port: int, path: str, token: str, seconds: float, bodies: Sequence[bytes] = ()) -> Load:
    lines = [f"{'POST' if bodies else 'GET'} {path} HTTP/1.1", f"host: 127.0.0.1:{port}"]
    if token:
        lines.append(f"authorization: Bearer {token}")
    requests = [_build_request(lines, body) for body in bodies] or [_build_request(lines)]
    load: Load = client.ask("run", port, requests, CONNECTIONS, seconds)
    assert load.refused == 0, f"{load.refused} answers of {path} were refusals"
    return load


def _build_request(lines: Sequence[str], body: bytes = b"") -> bytes:
    about = ["content-type: application/json", f"content-length: {len(body)}"] if body else []
    return ("\r\n".join([*lines, *about]) + "\r\n\r\n").encode() + body


def _ceiling(client: Helper, seconds: float) -> float:
    with Helper(trivial_role) as trivial:
        return _load(client, trivial.ask("port"), "/", "", seconds).rate
