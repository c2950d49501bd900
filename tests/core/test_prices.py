"""What a capability costs on a network: everything is counted, and a bar that rises says why."""

from pathlib import Path

import pytest
from benchmarks.prices import (
    SIDES,
    Bar,
    Unexplained,
    count_lines,
    find_problems,
    read_bars,
    update_bars,
    write_bars,
)

BARS = Path(__file__).parents[2] / "benchmarks" / "prices.tsv"
COMMENTS, SHAPES = ("comments", "meta", "connector"), ("messages", "telegram", "connector")


def test_no_capability_costs_more_than_its_bar() -> None:
    assert list(find_problems(count_lines(SIDES), read_bars(BARS))) == []


def test_every_line_of_every_network_is_counted_once() -> None:
    for side, folders in SIDES.items():
        files = [path for folder in folders for path in folder.glob("*/**/*.py")]
        lines = sum(len(path.read_text().splitlines()) for path in files)
        prices = count_lines(SIDES)
        assert sum(count for key, count in prices.items() if key[2] == side) == lines > 0
        assert {key[1] for key in prices if key[2] == side} == {
            path.relative_to(folder).parts[0] for folder in folders for path in files if path.is_relative_to(folder)
        }


def test_files_belong_to_a_capability_by_their_folder_or_their_name(tmp_path: Path) -> None:
    for number, name in enumerate(
        (
            "shared.py",
            "meta/auth.py",
            "meta/comments.py",
            "meta/ads/comments.py",
            "telegram/payloads.py",
            "openai/api.py",
        ),
        start=1,
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("line\n" * number)
    assert count_lines({"connector": [tmp_path]}) == {
        ("platform", "meta", "connector"): 2,
        COMMENTS: 3,
        ("ads", "meta", "connector"): 4,
        SHAPES: 5,
        ("generation", "openai", "connector"): 6,
    }


@pytest.mark.parametrize(
    ("bar", "lines", "problem"),
    [
        (Bar(100, 100), 100, None),
        (Bar(100, 100), 99, None),
        (Bar(100, 90, "Threads are read too."), 100, None),
        (Bar(100, 90), 100, "was raised from 90 to 100"),
        (Bar(100, 100), 101, "1 above its bar"),
        (None, 100, "no bar"),
        (Bar(100, 100), None, "no lines"),
    ],
)
def test_a_bar_holds_and_one_that_rose_has_a_reason(bar: Bar | None, lines: int | None, problem: str | None) -> None:
    prices = {} if lines is None else {COMMENTS: lines}
    result = list(find_problems(prices, {} if bar is None else {COMMENTS: bar}))
    assert len(result) == (problem is not None)
    assert problem is None or problem in result[0]


def test_only_a_change_that_says_why_raises_a_bar() -> None:
    bars = update_bars({COMMENTS: 100, SHAPES: 50}, {}, why="")
    assert bars == {COMMENTS: Bar(100, 100), SHAPES: Bar(50, 50)}
    with pytest.raises(Unexplained, match="comments meta connector"):
        update_bars({COMMENTS: 101, SHAPES: 50}, bars, why="")
    bars = update_bars({COMMENTS: 120, SHAPES: 40}, bars, why="Comments can be pinned.")
    assert bars == {COMMENTS: Bar(120, 100, "Comments can be pinned."), SHAPES: Bar(40, 40)}
    bars = update_bars({COMMENTS: 110}, bars, why="")
    assert bars == {COMMENTS: Bar(110, 100, "Comments can be pinned.")}
    assert update_bars({COMMENTS: 95}, bars, why="") == {COMMENTS: Bar(95, 95)}


def test_bars_are_read_as_they_were_written(tmp_path: Path) -> None:
    bars = {COMMENTS: Bar(120, 100, 'Comments can be "pinned".'), SHAPES: Bar(50, 50)}
    write_bars(tmp_path / "prices.tsv", bars)
    assert read_bars(tmp_path / "prices.tsv") == bars
    assert read_bars(tmp_path / "none.tsv") == {}
