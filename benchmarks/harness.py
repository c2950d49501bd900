"""What every figure shares: how a result is written down, and the ground that a run stands on."""

import math
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

import msgspec
import psutil
from benchmarks.postgres import PostgresServer, postgres_server
from rich.console import Console
from rich.markup import escape

T = TypeVar("T")

MIB = 1024 * 1024
_MAX_TRIES = 3
Engine = Literal["sqlite", "postgres"]
ENGINES: tuple[Engine, ...] = ("sqlite", "postgres")


class Figure(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One measured number against its bar. `detail` is whatever helps to judge it."""

    name: str
    measured: float
    unit: str
    bar: float
    better: Literal["lower", "higher"] = "lower"
    # The median of the rounds, where `measured` is the quietest of them.
    usual: float | None = None
    note: str = ""
    detail: dict[str, Any] = {}

    @property
    def met(self) -> bool:
        return self.measured <= self.bar if self.better == "lower" else self.measured >= self.bar


def quietest(name: str, rounds: Sequence[float], *, unit: str, bar: float, **more: Any) -> Figure:
    """Give the round that took least.

    Whatever else the machine does only ever adds to a time. On a shared machine it can double the median of a few
    rounds, which then says more about its neighbours; the median stands beside it in the table.
    """
    return Figure(name=name, measured=min(rounds), usual=median(rounds), unit=unit, bar=bar, **more)


def against(
    name: str, rates: Sequence[float], plain: Sequence[float], *, bar: float, detail: dict[str, Any], **more: Any
) -> Figure:
    """Compare rates with what was measured right beside each of them, so that others slow down both alike."""
    ratios = [rate / other for rate, other in zip(rates, plain, strict=True)]
    return Figure(
        name=name,
        measured=median(ratios),
        unit="x",
        bar=bar,
        better="higher",
        detail={"ratios": rounded(ratios), **detail},
        **more,
    )


Steps: TypeAlias = dict[str, list[float]]


def flat(name: str, taken: Mapping[int, Steps], *, bar: float) -> Figure:
    """Compare what steps took, in milliseconds, with the most and with the least there was to look through."""
    medians = {size: {step: median(values) for step, values in steps.items()} for size, steps in taken.items()}
    small, large = medians[min(medians)], medians[max(medians)]
    ratios = {step: large[step] / small[step] for step in small}
    return Figure(
        name=name,
        measured=max(ratios.values()),
        unit="x",
        bar=bar,
        note=", ".join(f"{step} {large[step]:.2f} ms ({ratio:.2f} x)" for step, ratio in ratios.items()),
        detail={str(size): {step: round(value, 3) for step, value in steps.items()} for size, steps in medians.items()},
    )


class Bench:
    """One run: its size, its folder, the server it shares, and the word about what it is doing."""

    def __init__(self, stack: ExitStack, *, quick: bool) -> None:
        self.quick = quick
        self.stack = stack
        self._root = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sg-bench-")))
        # PostgreSQL may run under a user of its own, who must be able to walk through.
        self._root.chmod(0o755)
        self.folder = self._root
        self._console = Console(stderr=True, highlight=False)
        self._started = time.monotonic()
        self._postgres: PostgresServer | None = None
        # What each figure was measured with: it belongs to the result.
        self.parameters: dict[str, dict[str, Any]] = {}

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._started

    def busy_cores(self) -> float:
        """Return how many cores others keep busy while this run does nothing."""
        return psutil.cpu_percent(interval=1.0) / 100 * (os.cpu_count() or 1)

    def enter_folder(self, name: str) -> None:
        """Use a new folder from now on: an attempt that failed leaves files behind."""
        self.folder = self._root / name
        self.folder.mkdir()
        self.folder.chmod(0o755)

    def repeat(self, job: Callable[[], T]) -> T:
        """Do it again if it fails, as one connection among hundreds of thousands may, but not for ever."""
        for _ in range(_MAX_TRIES - 1):
            try:
                return job()
            except (RuntimeError, TimeoutError) as error:
                self.say(f"once more, because it failed: {escape(str(error))}")
        return job()

    def say(self, text: str) -> None:
        self._console.print(f"[dim]{self.seconds:6.1f} s[/dim]  {text}")

    def uses(self, figure: str, **parameters: Any) -> None:
        self.parameters[figure] = parameters

    def sized(self, normal: int, quick: int) -> int:
        return quick if self.quick else normal

    @property
    def postgres(self) -> PostgresServer:
        """Started when it is first needed, and ended with the run."""
        if self._postgres is None:
            self.say("starting PostgreSQL, with fsync")
            self._postgres = self.stack.enter_context(postgres_server(self._root / "postgres"))
        return self._postgres


def percentile(values: Sequence[float], percent: float) -> float:
    """Give the smallest value that so many percent of all values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def rounded(values: Sequence[float], digits: int = 3) -> list[float]:
    return [round(value, digits) for value in values]


def machine(folder: Path) -> dict[str, Any]:
    """Describe what the figures were measured on. The time of an fsync explains many of them."""
    return {
        "cores": os.cpu_count(),
        "memoryMib": psutil.virtual_memory().total // MIB,
        "python": platform.python_version(),
        "system": platform.platform(),
        "fsyncMs": round(_fsync_milliseconds(folder), 3),
    }


def _fsync_milliseconds(folder: Path, times: int = 50) -> float:
    """Overwrite the same place again and again, as a database does with its log."""
    taken = []
    with (folder / "fsync").open("wb", buffering=0) as file:
        for _ in range(times):
            file.seek(0)
            file.write(b"x" * 4096)
            began = time.perf_counter()
            os.fsync(file.fileno())
            taken.append(time.perf_counter() - began)
    return median(taken) * 1000
