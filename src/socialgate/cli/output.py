"""What people see: tables, times and colors. What other people wrote never reaches the terminal as it is."""

import json
import os
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import click

_GAP = "  "
_WIDE = frozenset("WF")
_KIB, _MIB = 1024, 1024 * 1024
_COLORS = {
    **dict.fromkeys(("failed", "error", "needs_reconnection"), "red"),
    **dict.fromkeys(("unconfirmed", "partial", "warning"), "yellow"),
}


def echo(text: str = "") -> None:
    """Print a line for people, in color if there is somebody to see it."""
    click.echo(text, color=False if "NO_COLOR" in os.environ else None)


def note(text: str) -> None:
    """Print a line that is not part of the result."""
    click.echo(text, err=True, color=False if "NO_COLOR" in os.environ else None)


def print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def print_json_line(value: Any) -> None:
    """Print one of many: a line each, at once, for programs that read along."""
    click.echo(json.dumps(value, ensure_ascii=False))
    sys.stdout.flush()


def clean(text: str | None) -> str:
    """Make one line of a text, without characters that move the cursor or do worse."""
    words = " ".join((text or "").split())
    return "".join(letter for letter in words if letter.isprintable())


def shorten(text: str | None, width: int = 48) -> str:
    line = clean(text)
    return line if len(line) <= width else f"{line[: width - 1].rstrip()}…"


def print_table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows below each other. The last column may be of any length."""
    table = [[clean(cell) for cell in row] for row in rows]
    widths = [
        max(_width(row[column]) for row in [headings, *table]) if table else _width(headings[column])
        for column in range(len(headings))
    ]
    echo(click.style(_line(headings, widths), bold=True))
    for row in table:
        echo(_line(row, widths))


def print_fields(fields: Iterable[tuple[str, str | None]]) -> None:
    """Print the fields of one thing. Those without a value are left out."""
    shown = [(name, clean(value)) for name, value in fields if value]
    width = max((len(name) for name, _ in shown), default=0)
    for name, value in shown:
        echo(f"{name:<{width}}{_GAP}{value}")


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    *first, last = cells
    padded = [_paint(cell) + " " * (width - _width(cell)) for cell, width in zip(first, widths, strict=False)]
    return _GAP.join([*padded, _paint(last)]).rstrip()


def _paint(cell: str) -> str:
    """Show at a glance what needs attention."""
    return click.style(cell, fg=_COLORS[cell]) if cell in _COLORS else cell


def _width(text: str) -> int:
    """Count the columns of a text: characters of East Asia take two, and combining ones none."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in _WIDE else 1
        for letter in text
    )


def format_time(moment: datetime | None, zone: tzinfo | None = None) -> str:
    """Format a time as people say it: `today 18:30`, `Thu 19 Nov 09:00`. Without a zone it is that of this machine."""
    if moment is None:
        return ""
    local, now = moment.astimezone(zone), datetime.now(UTC).astimezone(zone)
    names = {timedelta(): "today", timedelta(1): "tomorrow", timedelta(-1): "yesterday"}
    day = names.get(local.date() - now.date())
    if day is None:
        day = f"{local:%a} {local.day} {local:%b}" + ("" if local.year == now.year else f" {local.year}")
    return f"{day} {local:%H:%M}"


def format_time_in_full(moment: datetime, zone_name: str) -> str:
    """Format a time so that nobody can mistake it: `Thursday 19 November 2026, 09:00 (America/Lima, UTC-05:00)`."""
    offset = f"{moment:%z}"
    place = f"{zone_name}, UTC{offset[:3]}:{offset[3:]}"
    return f"{moment:%A} {moment.day} {moment:%B} {moment.year}, {moment:%H:%M} ({place})"


def format_distance(moment: datetime, now: datetime) -> str:
    """Say how far away a time is."""
    minutes = round((moment - now).total_seconds() / 60)
    for size, unit in ((60 * 24, "day"), (60, "hour"), (1, "minute")):
        if minutes >= size:
            count = round(minutes / size)
            return f"in {count} {unit}" + ("" if count == 1 else "s")
    return "in less than a minute"


def format_size(size: float) -> str:
    """Format a size in a unit that leaves few digits."""
    return f"{_format_number(size, size)} {_choose_unit(size)[1]}"


def format_size_of_total(size: float, total: float) -> str:
    """Say how much of a total there is, with one unit for both: `1.5 of 3.0 KiB`."""
    return f"{_format_number(size, total)} of {format_size(total)}"


def _format_number(size: float, total: float) -> str:
    unit = _choose_unit(total)[0]
    return f"{size:,.0f}" if unit == 1 else f"{size / unit:,.1f}"


def _choose_unit(size: float) -> tuple[int, str]:
    if size < _KIB:
        return 1, "bytes"
    # Not GiB: a tenth of one is too much for progress to be seen.
    return (_KIB, "KiB") if size < _MIB else (_MIB, "MiB")


class Progress:
    """Shows how far long work is, on a terminal: in one line that is rewritten, and removed in the end."""

    def __init__(self, label: str) -> None:
        self._label = clean(label)
        self._is_shown = sys.stderr.isatty()

    def show_bytes(self, received: int, size: int) -> None:
        percent = 100 * received // size if size else 100
        self.show(f"{percent:3d} %  {format_size_of_total(received, size)}")

    def show(self, text: str) -> None:
        if self._is_shown:
            click.echo(f"\r{self._label}  {clean(text)}\x1b[K", err=True, nl=False)

    def end(self) -> None:
        if self._is_shown:
            click.echo("\r\x1b[K", err=True, nl=False)
