"""A list of 50 rows against the health check of the same process: what reading, scoping and encoding cost."""

import re
from pathlib import Path

import httpx
from benchmarks.harness import Bench, Figure, median, rounded
from benchmarks.load import Load, load_role, trivial_role
from benchmarks.processes import Helper
from benchmarks.start import started

ROUTE = "/profiles"
ROWS = 50
CONNECTIONS = 16


def measure(bench: Bench) -> list[Figure]:
    rounds, seconds = bench.sized(5, 2), bench.sized(2, 1)
    bench.uses("read", route=ROUTE, rows=ROWS, connections=CONNECTIONS, rounds=rounds, seconds=seconds)
    folder = bench.folder / "read"
    folder.mkdir()
    with Helper(load_role) as client, started(folder) as (_, port, _):
        token = _key_of(folder)
        _fill(port, token)
        reads, health = [], []
        for number in range(rounds):
            health.append(_load(client, port, "/health", "", seconds).rate)
            reads.append(_load(client, port, f"{ROUTE}?limit={ROWS}", token, seconds).rate)
            bench.say(f"reading {number + 1} of {rounds}: {reads[-1]:.0f}/s, health {health[-1]:.0f}/s")
        ceiling = _ceiling(client, seconds)
    ratios = [read / alive for read, alive in zip(reads, health, strict=True)]
    return [
        Figure(
            name=f"GET {ROUTE}, {ROWS} rows, against GET /health",
            measured=median(ratios),
            unit="x",
            bar=0.25,
            better="higher",
            note=f"{median(reads):.0f}/s against {median(health):.0f}/s; the client alone {ceiling:.0f}/s",
            detail={
                "readsPerSecond": rounded(reads, 0),
                "healthPerSecond": rounded(health, 0),
                "clientCeilingPerSecond": round(ceiling),
            },
        )
    ]


def _key_of(folder: Path) -> str:
    text = (folder / "data" / "first-login.txt").read_text(encoding="utf-8")
    found = re.search(r"(?m)^SOCIALGATE_API_KEY=(.+)$", text)
    assert found is not None, "the first start leaves a key"
    return found[1]


def _fill(port: int, token: str) -> None:
    """Make profiles until there are as many as are read; the first start made one."""
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", headers={"Authorization": f"Bearer {token}"}) as client:
        for number in range(1, ROWS):
            client.post(ROUTE, json={"name": f"Profile {number}"}).raise_for_status()
        assert len(client.get(ROUTE, params={"limit": ROWS}).json()["data"]) == ROWS


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
