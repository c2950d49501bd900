"""The geometry of charts: the templates draw them as SVG, so that they work without scripts and print as they look."""

from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from math import ceil, floor, log10

import msgspec

_SPARK_WIDTH, _SPARK_HEIGHT = 100.0, 40.0
# Room above the highest and below the lowest value, so that the line is not cut.
_SPARK_MARGIN = 3.0
_MAX_SPARK_POINTS = 31
_CHART_WIDTH, _CHART_HEIGHT = 860.0, 220.0
_CHART_LEFT, _CHART_TOP, _CHART_BOTTOM = 44.0, 10.0, 24.0
# The stylesheet draws squares of 26 in cells of this size: one number for all instead of three for each.
_HEAT_CELL, _HEAT_LEFT, _HEAT_BOTTOM = 28.0, 40.0, 20.0
_HEAT_LEVELS = 4
_WEEK_DAYS, _DAY_HOURS = 7, 24
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


class HeatCell(msgspec.Struct, frozen=True, kw_only=True):
    """An hour of the week. `level` is 0 without a value, and at most 4."""

    x: float
    y: float
    level: int
    weekday: int
    hour: int
    value: float | None


class HeatMap(msgspec.Struct, frozen=True, kw_only=True):
    """The hours of a week: a row for each day, a column for each hour."""

    width: float
    height: float
    left: float
    step: float
    cells: Sequence[HeatCell]


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


def build_sparkline(values: Sequence[float | None]) -> Sparkline | None:
    """Draw values from left to right. None if fewer than two are known, which make no line.

    The line goes on over what is unknown: without axes, a gap would not say which days it is about.
    """
    values = _thin_out(values)
    known = [(number, value) for number, value in enumerate(values) if value is not None]
    if len(known) < 2:  # noqa: PLR2004 - two points make a line
        return None
    lowest, highest = min(value for _, value in known), max(value for _, value in known)
    height = _SPARK_HEIGHT - 2 * _SPARK_MARGIN
    span = highest - lowest
    step = _SPARK_WIDTH / (len(values) - 1)
    # Values that are all the same are a line in the middle, and zeros one at the bottom.
    places = [
        (
            number * step,
            _SPARK_MARGIN + height * ((0.5 if highest else 1.0) if not span else 1 - (value - lowest) / span),
        )
        for number, value in known
    ]
    line = _build_path(places)
    return Sparkline(line, f"{line}V{_SPARK_HEIGHT:g}H{places[0][0]:.0f}Z")


def _thin_out(values: Sequence[float | None]) -> Sequence[float | None]:
    """Leave out values of which a small line has no room to show each. The first and the last one stay."""
    if len(values) <= _MAX_SPARK_POINTS:
        return values
    last = _MAX_SPARK_POINTS - 1
    return [values[round(number * (len(values) - 1) / last)] for number in range(_MAX_SPARK_POINTS)]


def build_line_chart(
    values: Sequence[float | None], labels: Sequence[str], before: Sequence[float | None] | None = None
) -> LineChart | None:
    """Draw values with a scale that starts at zero. A value that is unknown is a gap in the line.

    `before` is the same number of values of the period before.
    """
    if len(values) < 2:  # noqa: PLR2004 - two points make a line
        return None
    top = _round_up(max((1.0, *(value for value in (*values, *(before or ())) if value is not None))))
    height = _CHART_HEIGHT - _CHART_TOP - _CHART_BOTTOM
    step = (_CHART_WIDTH - _CHART_LEFT) / (len(values) - 1)

    def place(number: int, value: float) -> tuple[float, float]:
        return _CHART_LEFT + number * step, _CHART_TOP + height * (1 - value / top)

    def draw(series: Sequence[float | None]) -> list[str]:
        return [_build_path([place(number, value) for number, value in run]) for run in _split_at_gaps(series)]

    lines = draw(values)
    bottom = _CHART_TOP + height
    known = [(number, value) for number, value in enumerate(values) if value is not None]
    return LineChart(
        width=_CHART_WIDTH,
        height=_CHART_HEIGHT,
        left=_CHART_LEFT,
        bottom=bottom,
        line=" ".join(lines),
        area=" ".join(f"{line} V{bottom:g} H{line[1:].partition(' ')[0]}Z" for line in lines),
        before=None if before is None else " ".join(draw(before)),
        grid=[
            GridLine(_CHART_TOP + height * (1 - number / _GRID_LINES), top * number / _GRID_LINES)
            for number in range(_GRID_LINES + 1)
        ],
        points=[
            Point(*place(number, value), value, labels[number], max(_CHART_LEFT + (number - 0.5) * step, 0), step)
            for number, value in known
        ],
    )


def build_heat_map(values: Sequence[tuple[int, int, float]]) -> HeatMap:
    """Draw the hours of a week, the darker the higher the value: `values` are weekdays, hours and values."""
    highest = max((value for _, _, value in values), default=0)
    known = {(weekday, hour): value for weekday, hour, value in values}
    return HeatMap(
        width=_HEAT_LEFT + _DAY_HOURS * _HEAT_CELL,
        height=_WEEK_DAYS * _HEAT_CELL + _HEAT_BOTTOM,
        left=_HEAT_LEFT,
        step=_HEAT_CELL,
        cells=[
            HeatCell(
                x=_HEAT_LEFT + hour * _HEAT_CELL,
                y=weekday * _HEAT_CELL,
                level=_get_level(known.get((weekday, hour)), highest),
                weekday=weekday,
                hour=hour,
                value=known.get((weekday, hour)),
            )
            for weekday in range(_WEEK_DAYS)
            for hour in range(_DAY_HOURS)
        ],
    )


def get_meter_width(used: float, limit: float) -> float:
    """Return how much of a limit is used, in percent of the width of a bar."""
    return 0.0 if limit <= 0 else round(min(max(used / limit, 0), 1) * 100, 1)


def _get_level(value: float | None, highest: float) -> int:
    if value is None:
        return 0
    return max(1, ceil(_HEAT_LEVELS * value / highest)) if highest > 0 else 1


def _split_at_gaps(values: Sequence[float | None]) -> Iterator[list[tuple[int, float]]]:
    """Yield the runs of values that are known, with their numbers."""
    for is_known, run in groupby(enumerate(values), lambda item: item[1] is not None):
        if is_known:
            yield [(number, value) for number, value in run if value is not None]


def _build_path(places: Sequence[tuple[float, float]]) -> str:
    """Write each place as its distance from the one before, in whole units: a page has dozens of lines."""
    # A single point is a line without a length, which is drawn as a dot.
    shown = [(round(x), round(y)) for x, y in (places if len(places) > 1 else [*places, *places])]
    (x, y), *_ = shown
    steps = [(after[0] - before[0], after[1] - before[1]) for before, after in pairwise(shown)]
    return f"M{x} {y}l" + " ".join(f"{right}{down}" if down < 0 else f"{right} {down}" for right, down in steps)


def _round_up(value: float) -> float:
    """Return the next round number, so that the grid has numbers that people can read."""
    magnitude = 10.0 ** floor(log10(value))
    step = next(step for step in _STEPS if step * magnitude >= value)
    rounded = step * magnitude
    return float(ceil(rounded)) if rounded > 1 else rounded
