"""Webhooks of platforms against the health check of the same process: signature checked, and on the disk."""

import hashlib
import hmac
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.harness import ENGINES, Bench, Engine, Figure, against, median, rounded
from benchmarks.load import Load, load_role
from benchmarks.processes import Helper
from benchmarks.read import on_postgres
from benchmarks.start import started

from socialgate.contracts.platforms import Platform
from socialgate.entry.sandbox_keys import load_sandbox_keys

CONNECTIONS = 32
_BODY = (
    b'{"client_key":"sandbox-tiktok","event":"post.publish.complete","create_time":1794735000,'
    b'"user_openid":"bench","content":"{\\"publish_id\\":\\"v_pub_file~v2-1.7\\",\\"publish_type\\":\\"DIRECT_PUBLISH\\"}"}'
)


def measure(bench: Bench) -> Iterator[Figure]:
    rounds, seconds = bench.sized(5, 2), bench.sized(2, 1)
    bench.uses("inbound", connections=CONNECTIONS, rounds=rounds, seconds=seconds, bodyBytes=len(_BODY))
    with Helper(load_role) as client:
        for engine in ENGINES:
            yield _measure(bench, engine, client, rounds, seconds)


def _measure(bench: Bench, engine: Engine, client: Helper, rounds: int, seconds: int) -> Figure:
    folder = bench.folder / f"inbound-{engine}"
    folder.mkdir()
    settings: dict[str, Any] = {} if engine == "sqlite" else {**on_postgres(bench), "sandbox": True}
    stored, health = [], []
    with started(folder, **settings) as (_, port, _):
        secret = load_sandbox_keys(folder / "data").apps[Platform.TIKTOK].secret
        for number in range(rounds):
            health.append(_load(client, port, _get(port), seconds).rate)
            stored.append(_load(client, port, _post(port, secret), seconds).rate)
            bench.say(f"{engine}, {number + 1} of {rounds}: {stored[-1]:.0f}/s, health {health[-1]:.0f}/s")
    return against(
        f"POST /webhooks/tiktok, stored, against GET /health, {engine}",
        stored,
        health,
        bar=0.4,
        note=f"{median(stored):.0f}/s against {median(health):.0f}/s",
        detail={"storedPerSecond": rounded(stored, 0), "healthPerSecond": rounded(health, 0)},
    )


def _get(port: int) -> bytes:
    return f"GET /health HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n\r\n".encode()


def _post(port: int, secret: str) -> bytes:
    """One request, signed now: the service takes it for five minutes."""
    at = str(int(time.time()))
    signature = hmac.new(secret.encode(), at.encode() + b"." + _BODY, hashlib.sha256).hexdigest()
    lines = [
        "POST /webhooks/tiktok HTTP/1.1",
        f"host: 127.0.0.1:{port}",
        "content-type: application/json",
        f"content-length: {len(_BODY)}",
        f"TikTok-Signature: t={at},s={signature}",
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + _BODY


def _load(client: Helper, port: int, request: bytes, seconds: float) -> Load:
    load: Load = client.ask("run", port, [request], CONNECTIONS, seconds)
    assert load.refused == 0, f"{load.refused} answers were not 200"
    return load
