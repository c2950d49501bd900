"""The metrics of one account: JSON for programs, and a page with a line per metric for people."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.control import control_requests
from socialgate_sandbox.control.account_context import AccountContext, AccountQuery, find_account_reader
from socialgate_sandbox.control.page_layout import FormResult, render_page
from socialgate_sandbox.kernel.account_views import AccountMetricsView
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import ControlError

METRICS_PATH = "/_control/numbers"
_DEFAULT_RANGE = timedelta(days=27)
# How far ahead of UTC an account can be: there it may be tomorrow already. No account shows a day before it begins.
_MAX_ZONE_OFFSET = timedelta(hours=14)
_MAX_RANGE = timedelta(days=800)
_CHART_WIDTH, _CHART_HEIGHT = 280, 40


class MetricsQuery(AccountQuery, frozen=True, kw_only=True):
    """The days from `since` to `until`, both inclusive; by default the last four weeks."""

    since: date | None = None
    until: date | None = None


def read_metrics_json(sandbox: Sandbox, fields: Mapping[str, str]) -> AccountMetricsView:
    return _read_metrics(sandbox, fields)[1]


def render_metrics_page(sandbox: Sandbox, fields: Mapping[str, str], form_result: FormResult) -> Response:
    params = {name: value for name, value in control_requests.known_fields(MetricsQuery, fields).items() if value}
    subject, numbers = _read_metrics(sandbox, params)
    return render_page(
        sandbox,
        "numbers.html",
        form_result,
        path=METRICS_PATH,
        query=params,
        account_context=subject,
        numbers=numbers,
        rows=_build_rows(numbers),
        metrics=_list_metric_names(numbers) if "retire" in subject.vendor.actions else [],
    )


def _read_metrics(sandbox: Sandbox, fields: Mapping[str, str]) -> tuple[AccountContext, AccountMetricsView]:
    query = control_requests.parse_request(MetricsQuery, fields, strict=False)
    subject, read = find_account_reader(sandbox, query, "numbers", lambda vendor: vendor.metrics_readers)
    now = subject.context.clock.now()
    last = query.until or (now + _MAX_ZONE_OFFSET).date()
    first = query.since or max(query.until or now.date(), date.min + _DEFAULT_RANGE) - _DEFAULT_RANGE
    if not timedelta() <= last - first <= _MAX_RANGE:
        raise ControlError(f"until must not be before since, nor more than {_MAX_RANGE.days} days after it.", 422)
    return subject, read(subject.context, subject.account.id, first, last)


def _list_metric_names(numbers: AccountMetricsView) -> list[str]:
    """List the metrics by the platform's own names."""
    return sorted({*numbers.totals, *(name for post in numbers.posts for name in post.metrics)})


def _build_rows(numbers: AccountMetricsView) -> list[dict[str, Any]]:
    followers = [day.followers for day in numbers.days if day.followers is not None]
    rows = [{"name": "followers", "said": followers[-1], "points": _build_line_points(followers)}] if followers else []
    for name, total in numbers.totals.items():
        rows.append(
            {"name": name, "said": total, "points": _build_line_points([day.metrics[name] for day in numbers.days])}
        )
    return rows


def _build_line_points(values: Sequence[float]) -> str:
    """Return the points of a line through these values, from left to right."""
    low, high, step = min(values, default=0), max(values, default=0), _CHART_WIDTH / max(1, len(values) - 1)
    span = max(1, high - low)
    return " ".join(
        f"{number * step:.1f},{_CHART_HEIGHT - 2 - (value - low) * (_CHART_HEIGHT - 4) / span:.1f}"
        for number, value in enumerate(values)
    )
