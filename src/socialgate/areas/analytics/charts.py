"""Charts as SVG, drawn without a library: readable in light and dark mode, with axes, units and visible gaps."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from html import escape
from itertools import accumulate, groupby
from textwrap import wrap
from typing import NamedTuple
from zoneinfo import ZoneInfo

from socialgate.areas.analytics.periods import Granularity, get_local_date, split_into_periods
from socialgate.areas.analytics.schemas import (
    WEEKDAYS,
    AccountInsights,
    AnalyticsSummary,
    FollowersSeries,
    MetricValue,
    Number,
    PostInsights,
)
from socialgate.contracts.insights import DateRange
from socialgate.web.schemas import Page

_WIDTH, _LEFT, _RIGHT, _TOP, _PLOT, _BOTTOM = 760, 64, 20, 40, 150, 34
_PANEL_HEIGHT = _TOP + _PLOT + _BOTTOM
# A panel that shows only text: its height, the characters per line, and the line height.
_SHORT_PANEL, _MAX_LINE_LENGTH, _ROW = 64, 105, 18
_CAPTION_HEIGHT = 26
_TICK_COUNT = 4
_MAX_LABELS = 6
_UNIT_SUFFIXES = {"count": "", "percent": "%", "currency": ""}
# The unit in which seconds are shown, by the smallest value that uses it.
_TIME_UNITS = ((7200, 3600, " h"), (120, 60, " min"), (0, 1, " s"))
_NUMBER_SUFFIXES = ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k"))
_CELL, _CELL_LEFT, _CELL_TOP = 26, 92, 56
_BAR, _BAR_LEFT, _MAX_ID_LENGTH, _ID_SUFFIX_LENGTH = 26, 200, 18, 6
_CAPITAL_PATTERN = re.compile(r"[A-Z]")
# Numbers at a point in time: they have no total.
_GAUGE_METRICS = ("followers", "following", "posts", "totalLikes", "totalViews")
_POST_METRICS = ("engagement", "views", "impressions", "reach", "likes")
# Above this, a number is drawn in the background color, to be legible on a dark square.
_DARK_CELL_THRESHOLD = 0.5
_SVG_STYLE = """
svg { --ink: #1b1f24; --soft: #5b6470; --line: #dfe3e8; --plot: #1f6feb; --gap: #f1f3f5; --ground: #ffffff;
  font: 12px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --ink: #e8ecf1; --soft: #9aa4b0; --line: #353c45; --plot: #6cb0ff; --gap: #21262d; --ground: #14181d; } }
.ground { fill: var(--ground); } .title { fill: var(--ink); font-weight: 600; font-size: 14px; }
.over { fill: var(--ground); font-weight: 600; font-size: 14px; }
.label { fill: var(--soft); } .grid { stroke: var(--line); } .gap { fill: var(--gap); }
.plot { stroke: var(--plot); fill: none; stroke-width: 2; stroke-linejoin: round; } .dot, .cell { fill: var(--plot); }
"""


class _ChartPanel(NamedTuple):
    """One panel: a value for each period, None if unknown; or a sentence that says why there is nothing to draw."""

    title: str
    unit: str
    periods: Sequence[date]
    values: Sequence[Number | None]
    from_zero: bool
    integers_only: bool = True
    empty_reason: str | None = None


def draw_followers(view: FollowersSeries, name: str) -> str:
    periods = [point.date for point in view.data]
    values = [point.followers for point in view.data]
    title = f"Followers by {view.granularity}, {view.timezone}"
    why = None if any(value is not None for value in values) else "No data in this period."
    return _draw_line_charts([_ChartPanel(title, "", periods, values, from_zero=False, empty_reason=why)], title, name)


def draw_insights(view: AccountInsights, name: str) -> str:
    granularity: Granularity = "day" if view.granularity == "total" else view.granularity
    zone, days = ZoneInfo(view.timezone), DateRange(view.since, view.until)
    periods = [span.first for span in split_into_periods(days, granularity)]
    drawn = [_build_metric_panel(metric, periods, days, granularity, zone) for metric in view.metrics]
    return _draw_line_charts(drawn, f"Insights from {view.since} to {view.until}, {view.timezone}", name)


def _build_metric_panel(
    metric: MetricValue, periods: Sequence[date], days: DateRange, granularity: Granularity, zone: ZoneInfo
) -> _ChartPanel:
    size, unit = _choose_unit(metric)
    known = {max(get_local_date(point.at, zone), days.first): point.value / size for point in metric.series}
    word = "latest" if metric.name in _GAUGE_METRICS else "total"
    total = "" if metric.total is None else f", {word} {_format_number(metric.total / size)}{unit}"
    why = None
    if metric.unavailable is not None:
        why = f"{metric.unavailable.code}: {metric.unavailable.detail}"
    elif not known:
        why = f"The platform does not report this by {granularity}."
    values = [known.get(period) for period in periods]
    whole = metric.unit == "count"
    return _ChartPanel(
        f"{_to_words(metric.name)}{total}", unit, periods, values, from_zero=True, integers_only=whole, empty_reason=why
    )


def _choose_unit(metric: MetricValue) -> tuple[int, str]:
    """Return what to divide values by to make them readable, and the resulting unit."""
    if metric.unit != "seconds":
        return 1, _UNIT_SUFFIXES[metric.unit]
    most = max((point.value for point in metric.series), default=metric.total or 0)
    return next((size, unit) for least, size, unit in _TIME_UNITS if most >= least)


def draw_summary(view: AnalyticsSummary, name: str) -> str:
    """Draw the hours of the week: the darker a square, the more engagement; the number is the number of posts."""
    most = max((best_time.engagement for best_time in view.best_times), default=0) or 1
    height = _CELL_TOP + len(WEEKDAYS) * _CELL + 24
    parts = [
        _draw_text(16, 24, f"Engagement by hour of publishing, {view.period.since} to {view.period.until}", "title")
    ]
    parts += [_draw_text(_CELL_LEFT + hour * _CELL + 13, 46, f"{hour:02}", "label", "middle") for hour in range(24)]
    for row, weekday in enumerate(WEEKDAYS):
        parts.append(_draw_text(16, _CELL_TOP + row * _CELL + 17, weekday.title(), "label"))
        parts += [_draw_cell(hour, row, "gap", 1.0) for hour in range(24)]
    for best_time in view.best_times:
        row = WEEKDAYS.index(best_time.weekday)
        share = best_time.engagement / most
        parts.append(_draw_cell(best_time.hour, row, "cell", 0.15 + 0.85 * share))
        x, y = _CELL_LEFT + best_time.hour * _CELL + 13, _CELL_TOP + row * _CELL + 17
        parts.append(
            _draw_text(x, y, str(best_time.posts), "over" if share > _DARK_CELL_THRESHOLD else "title", "middle")
        )
    note = f"Time zone: {view.timezone}. No posts were published in this period."
    if view.posts_published:
        note = (
            f"The numbers count posts. Time zone: {view.timezone}. Posts published: {view.posts_published}, "
            f"{view.posts_per_week} per week."
        )
    parts.append(_draw_text(16, height - 6, note, "label"))
    return _build_svg(_CELL_LEFT + 24 * _CELL + 16, height, "Engagement by weekday and hour", parts, name)


def draw_posts(view: Page[PostInsights], name: str) -> str:
    """Draw a bar for each post: its engagement, or the metric that is known for the most posts."""
    values = [{metric.name: metric for metric in post.metrics} for post in view.data]
    metric = max(
        _POST_METRICS,
        key=lambda value: sum(
            value in metric_values and metric_values[value].total is not None for metric_values in values
        ),
    )
    most = (
        max((metric_values[metric].total or 0 for metric_values in values if metric in metric_values), default=0) or 1
    )
    height = _TOP + max(len(values), 1) * _BAR + 34
    title = f"{_to_words(metric)} by post"
    parts = [_draw_text(16, 24, title, "title")]
    for row, (post, parent_metric_values) in enumerate(zip(view.data, values, strict=True)):
        y = _TOP + row * _BAR
        parts.append(_draw_text(_BAR_LEFT - 8, y + 17, _build_post_label(post), "label", "end"))
        parts += _draw_bar(parent_metric_values.get(metric), most, y)
    parts.append(_draw_text(16, height - 10, f"{len(values)} posts, by the time of publishing (UTC).", "label"))
    return _build_svg(_WIDTH, height, title, parts, name)


def _build_post_label(post: PostInsights) -> str:
    """Name a post by its time, and by the end of its id: several may have been published in the same minute."""
    if post.published_at is None:
        return post.object_id[-_MAX_ID_LENGTH:]
    return f"{post.published_at:%-d %b %Y, %H:%M} · {post.object_id[-_ID_SUFFIX_LENGTH:]}"


def _to_words(name: str) -> str:
    """Write the name of a metric as words: `profileViews` is "Profile views"."""
    return _CAPITAL_PATTERN.sub(lambda match: f" {match[0].lower()}", name).capitalize()


def _draw_bar(metric: MetricValue | None, most: Number, y: int) -> list[str]:
    """Draw a number as a bar. An unknown number is shown as a word, not as an empty bar."""
    if metric is None or metric.total is None:
        why = metric.unavailable.code if metric is not None and metric.unavailable is not None else "not_offered"
        return [_draw_text(_BAR_LEFT + 4, y + 17, why, "label")]
    width = (_WIDTH - _BAR_LEFT - 80) * metric.total / most
    drawn = f'<rect class="cell" x="{_BAR_LEFT}" y="{y + 4}" width="{width:.1f}" height="{_BAR - 8}" rx="3"/>'
    return [drawn, _draw_text(_BAR_LEFT + width + 8, y + 17, _format_number(metric.total), "label")]


def _draw_cell(hour: int, row: int, kind: str, opacity: float) -> str:
    x, y = _CELL_LEFT + hour * _CELL, _CELL_TOP + row * _CELL
    size = f'width="{_CELL - 2}" height="{_CELL - 2}" rx="3"'
    return f'<rect class="{kind}" x="{x + 1}" y="{y + 1}" {size} opacity="{opacity:.2f}"/>'


def _draw_line_charts(lines: Sequence[_ChartPanel], title: str, name: str) -> str:
    heights = [
        _PANEL_HEIGHT if line.empty_reason is None else _SHORT_PANEL + _ROW * (len(_wrap_text(line.empty_reason)) - 1)
        for line in lines
    ]
    tops = list(accumulate(heights, initial=0))
    parts = [part for line, top in zip(lines, tops, strict=False) for part in _draw_panel(line, top)]
    return _build_svg(_WIDTH, tops[-1] or _SHORT_PANEL, title, parts, name)


def _draw_panel(line: _ChartPanel, top: int) -> Iterator[str]:
    yield _draw_text(16, top + 24, line.title, "title")
    if line.empty_reason is not None:
        for number, words in enumerate(_wrap_text(line.empty_reason)):
            yield _draw_text(16, top + 46 + number * _ROW, words, "label")
        return
    known = [value for value in line.values if value is not None]
    low, high, step = _choose_axis_scale(known, from_zero=line.from_zero, whole=line.integers_only)
    bottom = top + _TOP + _PLOT

    def y_of(value: float) -> float:
        return bottom - (value - low) / (high - low) * _PLOT

    yield from _draw_gaps(line, top + _TOP)
    for number in range(round((high - low) / step) + 1):
        value = low + number * step
        yield f'<path class="grid" d="M{_LEFT} {y_of(value):.1f}H{_WIDTH - _RIGHT}"/>'
        yield _draw_text(_LEFT - 8, y_of(value) + 4, f"{_format_number(value)}{line.unit}", "label", "end")
    every = max(math.ceil(len(line.periods) / _MAX_LABELS), 1)
    for place in range(0, len(line.periods), every):
        yield _draw_text(_x_of(line, place), bottom + 20, line.periods[place].strftime("%-d %b %Y"), "label", "middle")
    yield from _draw_line(line, y_of)


def _wrap_text(words: str) -> list[str]:
    return wrap(words, _MAX_LINE_LENGTH) or [""]


def _draw_gaps(line: _ChartPanel, top: int) -> Iterator[str]:
    """Shade the periods without data."""
    width = (_WIDTH - _LEFT - _RIGHT) / max(len(line.periods), 1)
    for missing, places in groupby(range(len(line.values)), key=lambda place: line.values[place] is None):
        if missing:
            first, *others = places
            size = f'width="{width * (1 + len(others)):.1f}" height="{_PLOT}"'
            x = _LEFT + first * width
            yield f'<rect class="gap" x="{x:.1f}" y="{top}" {size}><title>no data</title></rect>'


def _draw_line(line: _ChartPanel, y_of: Callable[[float], float]) -> Iterator[str]:
    """Draw the known values as lines, interrupted by gaps. An isolated value is a dot."""
    piece: list[tuple[float, float]] = []
    for place, value in enumerate([*line.values, None]):
        if value is not None:
            piece.append((_x_of(line, place), y_of(value)))
            continue
        if len(piece) == 1:
            yield f'<circle class="dot" cx="{piece[0][0]:.1f}" cy="{piece[0][1]:.1f}" r="3"/>'
        elif piece:
            yield f'<path class="plot" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in piece)}"/>'
        piece = []


def _x_of(line: _ChartPanel, place: int) -> float:
    return _LEFT + (place + 0.5) * (_WIDTH - _LEFT - _RIGHT) / max(len(line.periods), 1)


def _choose_axis_scale(values: Sequence[Number], *, from_zero: bool, whole: bool) -> tuple[float, float, float]:
    """Choose the ends of an axis and the step of its grid lines: 1, 2 or 5 times a power of ten."""
    low, high = (min(values), max(values)) if values else (0, 1)
    low = min(low, 0) if from_zero else low
    spread = (high - low) or max(abs(high), 1)
    power = 10.0 ** math.floor(math.log10(spread / _TICK_COUNT))
    step = next(size * power for size in (1, 2, 5, 10) if size * power * _TICK_COUNT >= spread)
    step = max(step, 1.0) if whole else step
    first = math.floor(low / step) * step
    last = max(math.ceil(high / step) * step, first + step)
    return first, last, step


def _format_number(value: float) -> str:
    for size, letter in _NUMBER_SUFFIXES:
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"


def _draw_text(x: float, y: float, words: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _build_svg(width: int, height: int, title: str, parts: Sequence[str], name: str) -> str:
    """Put a picture together, with the name of the account below it."""
    below = _draw_text(
        16, height + 14, name if len(name) <= _MAX_LINE_LENGTH else f"{name[:_MAX_LINE_LENGTH]}…", "label"
    )
    height += _CAPTION_HEIGHT
    size = f'width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" {size} role="img">'
    ground = f'<rect class="ground" {size}/>'
    named = f"<title>{escape(f'{name}: {title}')}</title>"
    return f"{head}{named}<style>{_SVG_STYLE}</style>{ground}{''.join(parts)}{below}</svg>\n"
