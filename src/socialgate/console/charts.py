"""The geometry of charts: the templates draw them as SVG, so that they work without scripts and print as they look."""

from collections.abc import Sequence
from math import ceil, floor, log10

import msgspec

_SPARK_WIDTH, _SPARK_HEIGHT = 100.0, 40.0
# Room above the highest and below the lowest value, so that the line is not cut.
_SPARK_MARGIN = 3.0
_CHART_WIDTH, _CHART_HEIGHT = 860.0, 220.0
_CHART_LEFT, _CHART_TOP, _CHART_BOTTOM = 44.0, 10.0, 24.0
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_GRID_LINES = 4


class Sparkline(msgspec.Struct, frozen=True):
    """A small line without axes: the line itself, and the area below it."""

    line: str
    area: str


class GridLine(msgspec.Struct, frozen=True):
    y: float
    value: float


class Point(msgspec.Struct, frozen=True):
    """A value with its label, and the strip that shows it when the pointer is there."""

    x: float
    y: float
    value: float
    label: str
    left: float
    width: float


class LineChart(msgspec.Struct, frozen=True, kw_only=True):
    """A line with axes, and the line of the period before if there is one."""

    width: float
    height: float
    left: float
    bottom: float
    line: str
    area: str
    before: str | None
    grid: Sequence[GridLine]
    points: Sequence[Point]


def build_sparkline(values: Sequence[float]) -> Sparkline | None:
    """Draw values from left to right. None if there are fewer than two, which make no line."""
    if len(values) < 2:  # noqa: PLR2004 - two points make a line
        return None
    lowest, highest = min(values), max(values)
    height = _SPARK_HEIGHT - 2 * _SPARK_MARGIN
    span = highest - lowest
    step = _SPARK_WIDTH / (len(values) - 1)
    # Values that are all the same are a line in the middle.
    places = [
        (number * step, _SPARK_MARGIN + height * (0.5 if not span else 1 - (value - lowest) / span))
        for number, value in enumerate(values)
    ]
    line = _build_path(places)
    return Sparkline(line, f"{line} V{_SPARK_HEIGHT:g} H0Z")


def build_line_chart(
    values: Sequence[float], labels: Sequence[str], before: Sequence[float] | None = None
) -> LineChart | None:
    """Draw values with a scale that starts at zero. `before` is the same number of values of the period before."""
    if len(values) < 2:  # noqa: PLR2004 - two points make a line
        return None
    top = _round_up(max((*values, *(before or ()), 1.0)))
    height = _CHART_HEIGHT - _CHART_TOP - _CHART_BOTTOM
    step = (_CHART_WIDTH - _CHART_LEFT) / (len(values) - 1)

    def place(number: int, value: float) -> tuple[float, float]:
        return _CHART_LEFT + number * step, _CHART_TOP + height * (1 - value / top)

    places = [place(number, value) for number, value in enumerate(values)]
    line = _build_path(places)
    bottom = _CHART_TOP + height
    return LineChart(
        width=_CHART_WIDTH,
        height=_CHART_HEIGHT,
        left=_CHART_LEFT,
        bottom=bottom,
        line=line,
        area=f"{line} V{bottom:g} H{_CHART_LEFT:g}Z",
        before=None if before is None else _build_path([place(number, value) for number, value in enumerate(before)]),
        grid=[
            GridLine(_CHART_TOP + height * (1 - number / _GRID_LINES), top * number / _GRID_LINES)
            for number in range(_GRID_LINES + 1)
        ],
        points=[
            Point(x, y, value, label, max(x - step / 2, 0), step)
            for (x, y), value, label in zip(places, values, labels, strict=True)
        ],
    )


def get_meter_width(used: float, limit: float) -> float:
    """Return how much of a limit is used, in percent of the width of a bar."""
    return 0.0 if limit <= 0 else round(min(max(used / limit, 0), 1) * 100, 1)


def _build_path(places: Sequence[tuple[float, float]]) -> str:
    return "M" + " L".join(f"{x:.1f} {y:.1f}" for x, y in places)


def _round_up(value: float) -> float:
    """Return the next round number, so that the grid has numbers that people can read."""
    magnitude = 10.0 ** floor(log10(value))
    step = next(step for step in _STEPS if step * magnitude >= value)
    rounded = step * magnitude
    return float(ceil(rounded)) if rounded > 1 else rounded
