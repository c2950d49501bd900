"""What `make bench` reports if a figure cannot be measured: once, or every time."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from benchmarks import __main__ as command
from benchmarks.harness import Bench, Figure
from benchmarks.runner import MAX_ATTEMPTS, Measure, Results, measure_all


def figure(name: str, measured: float = 1.0) -> Figure:
    return Figure(name=name, measured=measured, unit="x", bar=2.0)


class Group:
    """A group of two figures, in whose way comes a lost connection so many times after the first of them."""

    def __init__(self, name: str, *, failures: int) -> None:
        self.name = name
        self.left = failures
        self.attempts = 0

    def measure(self, bench: Bench) -> Iterator[Figure]:
        self.attempts += 1
        # Fails if the folder is that of the attempt before.
        (bench.folder / "data").mkdir()
        yield figure(f"{self.name} on SQLite", self.attempts)
        if self.left:
            self.left -= 1
            raise RuntimeError("a helper failed: [the connection] timed out")
        yield figure(f"{self.name} on PostgreSQL", self.attempts)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setattr(Bench, "busy_cores", lambda _: 0.0)
    with ExitStack() as stack:
        yield Bench(stack, quick=True)


def measured(bench: Bench, *groups: Group) -> Results:
    return measure_all(bench, {group.name: group.measure for group in groups})


def values(results: Results) -> dict[str, float]:
    return {figure.name: figure.measured for figure in results.figures}


def test_a_figure_that_fails_once_is_measured_again(bench: Bench) -> None:
    results = measured(bench, Group("reads", failures=0), Group("deliveries", failures=1))
    assert values(results) == {
        "reads on SQLite": 1,
        "reads on PostgreSQL": 1,
        "deliveries on SQLite": 2,
        "deliveries on PostgreSQL": 2,
    }
    assert results.failures == {}
    assert results.repeats.keys() == {"deliveries"}


def test_a_figure_that_always_fails_hides_no_other(bench: Bench) -> None:
    broken = Group("deliveries", failures=100)
    results = measured(bench, broken, Group("reads", failures=0))
    assert broken.attempts == MAX_ATTEMPTS
    assert values(results).keys() == {"deliveries on SQLite", "reads on SQLite", "reads on PostgreSQL"}
    assert "timed out" in results.failures["deliveries"]


def test_one_lost_connection_repeats_one_round_and_not_all_of_them(bench: Bench) -> None:
    left = iter([RuntimeError("timed out"), TimeoutError("no answer"), None])

    def send() -> str:
        if (error := next(left)) is not None:
            raise error
        return "sent"

    assert bench.repeat(send) == "sent"


def test_rounds_are_not_repeated_for_ever(bench: Bench) -> None:
    tries = []

    def send() -> None:
        tries.append(1)
        raise RuntimeError("timed out")

    with pytest.raises(RuntimeError, match="timed out"):
        bench.repeat(send)
    assert len(tries) == 3


@pytest.mark.parametrize(("failures", "code"), [(0, 0), (1, 0), (100, 1)])
def test_the_command_says_what_could_not_be_measured(
    failures: int,
    code: int,
    bench: Bench,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    groups: dict[str, Measure] = {
        "deliveries": Group("deliveries", failures=failures).measure,
        "reads": Group("reads", failures=0).measure,
    }
    monkeypatch.setattr(command, "FIGURES", groups)
    monkeypatch.setattr(command, "FILE", tmp_path / "bench.json")
    monkeypatch.setattr(command, "Bench", lambda *_, **__: bench)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--quick"])
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    assert command.main() == code
    table = capsys.readouterr().out
    assert "reads on PostgreSQL" in table
    assert ("NOT MEASURED" in table) == (code == 1)
    assert ("a helper failed: [the connection] timed out" in table) == (code == 1)
    assert ("Could not be measured: deliveries." in table) == (code == 1)
    written = json.loads((tmp_path / "bench.json").read_text())
    assert (len(written["figures"]), list(written["failures"])) == ((3, ["deliveries"]) if code else (4, []))
    assert list(written["repeats"]) == (["deliveries"] if failures else [])
