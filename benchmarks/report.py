"""The table that a person reads and the file that a machine compares."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from benchmarks.runner import Results
from rich.console import Console
from rich.markup import escape
from rich.table import Table


def print_table(results: Results) -> None:
    table = Table(title="Budgets", title_justify="left")
    table.add_column("Figure", overflow="fold")
    table.add_column("Measured", justify="right", no_wrap=True)
    table.add_column("Median", justify="right", no_wrap=True)
    table.add_column("Bar", justify="right", no_wrap=True)
    table.add_column("Verdict", no_wrap=True)
    table.add_column("How", overflow="fold", style="dim")
    for figure in results.figures:
        sign = "<=" if figure.better == "lower" else ">="
        verdict = "[green]ok[/green]" if figure.met else "[bold red]MISSED[/bold red]"
        measured, bar = f"{_short(figure.measured)} {figure.unit}", f"{sign} {figure.bar:g} {figure.unit}"
        usual = "" if figure.usual is None else _short(figure.usual)
        table.add_row(figure.name, measured, usual, bar, verdict, figure.note)
    for name, error in results.failures.items():
        reason = error.strip().rpartition("\n")[2]
        table.add_row(name, "", "", "", "[bold red]NOT MEASURED[/bold red]", escape(reason))
    # Wide enough for the notes where nobody says how wide a line is.
    console = Console() if Console().is_terminal else Console(width=160)
    console.print(table)


def write_file(
    path: Path,
    results: Results,
    *,
    machine: dict[str, Any],
    parameters: dict[str, dict[str, Any]],
    quick: bool,
    seconds: float,
) -> None:
    content = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(seconds, 1),
        "quick": quick,
        "machine": machine,
        "parameters": parameters,
        "figures": [
            {
                **msgspec.to_builtins(figure),
                "measured": round(figure.measured, 4),
                "usual": None if figure.usual is None else round(figure.usual, 4),
                "met": figure.met,
            }
            for figure in results.figures
        ],
        "failures": results.failures,
        "repeats": results.repeats,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n")


def _short(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
