"""The metrics of one account: JSON for programs, and a page with a line per metric for people."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import orders
from socialgate_sandbox.control.shell import Note, shell
from socialgate_sandbox.control.subjects import Subject, SubjectQuery, reader_of
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.showing import ShownNumbers
from socialgate_sandbox.kernel.vendor import ControlError

NUMBERS = "/_control/numbers"
_USUAL = timedelta(days=27)
# How far ahead of UTC an account can be: there it may be tomorrow already. No account shows a day before it begins.
_AHEAD = timedelta(hours=14)
_LONGEST = timedelta(days=800)
_WIDTH, _HEIGHT = 280, 40


class NumbersQuery(SubjectQuery, frozen=True, kw_only=True):
    """The days from `since` to `until`, both inclusive; by default the last four weeks."""

    since: date | None = None
    until: date | None = None


def numbers_data(kernel: Kernel, fields: Mapping[str, str]) -> ShownNumbers:
    return _numbers(kernel, fields)[1]


def show_numbers(kernel: Kernel, fields: Mapping[str, str], note: Note) -> Response:
    given = {name: value for name, value in orders.known_fields(NumbersQuery, fields).items() if value}
    subject, numbers = _numbers(kernel, given)
    return shell(
        kernel,
        "numbers.html",
        note,
        path=NUMBERS,
        query=given,
        subject=subject,
        numbers=numbers,
        rows=_rows(numbers),
        metrics=_metrics(numbers) if "retire" in subject.vendor.actions else [],
    )


def _numbers(kernel: Kernel, fields: Mapping[str, str]) -> tuple[Subject, ShownNumbers]:
    query = orders.to_order(NumbersQuery, fields, strict=False)
    subject, read = reader_of(kernel, query, "numbers", lambda vendor: vendor.numbers)
    now = subject.world.clock.now()
    last = query.until or (now + _AHEAD).date()
    first = query.since or max(query.until or now.date(), date.min + _USUAL) - _USUAL
    if not timedelta() <= last - first <= _LONGEST:
        raise ControlError(f"until must not be before since, nor more than {_LONGEST.days} days after it.", 422)
    return subject, read(subject.world, subject.account.id, first, last)


def _metrics(numbers: ShownNumbers) -> list[str]:
    """List the metrics by the platform's own names."""
    return sorted({*numbers.totals, *(name for post in numbers.posts for name in post.metrics)})


def _rows(numbers: ShownNumbers) -> list[dict[str, Any]]:
    followers = [day.followers for day in numbers.days if day.followers is not None]
    rows = [{"name": "followers", "said": followers[-1], "points": _points(followers)}] if followers else []
    for name, total in numbers.totals.items():
        rows.append({"name": name, "said": total, "points": _points([day.metrics[name] for day in numbers.days])})
    return rows


def _points(values: Sequence[float]) -> str:
    """Return the points of a line through these values, from left to right."""
    low, high, step = min(values, default=0), max(values, default=0), _WIDTH / max(1, len(values) - 1)
    span = max(1, high - low)
    return " ".join(
        f"{number * step:.1f},{_HEIGHT - 2 - (value - low) * (_HEIGHT - 4) / span:.1f}"
        for number, value in enumerate(values)
    )
