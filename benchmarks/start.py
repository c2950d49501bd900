"""From the command to the first answer, and what the service takes while nobody calls it."""

import http.client
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.harness import MIB, Bench, Figure, quietest, rounded
from benchmarks.processes import Command, command

_GIVE_UP_SECONDS = 60
_IDLE_SECONDS = 5


def measure(bench: Bench) -> list[Figure]:
    rounds = bench.sized(5, 2)
    bench.uses("start", rounds=rounds, idleSeconds=_IDLE_SECONDS)
    fresh, second = [], []
    idle = 0.0
    for number in range(-1, rounds):
        folder = bench.folder / f"start{number}"
        folder.mkdir()
        with started(folder) as (_, _, first_seconds):
            pass
        with started(folder) as (running, _, second_seconds):
            # The round before the first compiles what is not compiled yet, and does not count.
            if number >= 0:
                bench.say(f"start {number + 1} of {rounds}: {first_seconds:.2f} s fresh, {second_seconds:.2f} s again")
                fresh.append(first_seconds)
                second.append(second_seconds)
            if number == rounds - 1:
                bench.say(f"leaving it idle for {_IDLE_SECONDS} s")
                time.sleep(_IDLE_SECONDS)
                idle = running.rss / MIB
        shutil.rmtree(folder)
    return [
        _start("cold start, fresh data directory", fresh),
        _start("cold start, second time", second),
        Figure(name="idle memory", measured=idle, unit="MiB", bar=150.0, note=f"after {_IDLE_SECONDS} s"),
    ]


def _start(name: str, seconds: list[float]) -> Figure:
    note = f"{min(seconds):.2f} to {max(seconds):.2f} s in {len(seconds)} starts"
    return quietest(name, seconds, unit="s", bar=2.0, note=note, detail={"rounds": rounded(seconds)})


@contextmanager
def started(folder: Path, **settings: object) -> Iterator[tuple[Command, int, float]]:
    """Start the embedded service; give it with its port and the seconds until it answered."""
    port = _free_port()
    usual = {"port": port, "sandbox_port": 0, "data_dir": folder / "data", "rate_limit": 0, "log_level": "warning"}
    values = {**usual, **settings}
    environment = {f"SOCIALGATE_{name.upper()}": str(value) for name, value in values.items()}
    began = time.perf_counter()
    with command("serve", folder, environment) as running:
        while not _answers(port):
            running.check()
            if time.perf_counter() - began > _GIVE_UP_SECONDS:
                raise TimeoutError(f"no answer from the service in {_GIVE_UP_SECONDS} s")
            time.sleep(0.005)
        yield running, port, time.perf_counter() - began


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_GIVE_UP_SECONDS)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == http.HTTPStatus.OK
    except OSError:
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as opened:
        return int(opened.getsockname()[1])
