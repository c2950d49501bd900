"""What the insights of Meta's products share: the days of a call, rows of metrics, links to other days."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import build_parameter_error, build_parameter_response
from socialgate_sandbox.dialects.graph.parameters import parse_time, parse_words
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.audience_growth import Audience, PostActivity
from socialgate_sandbox.society.platform_metrics import (
    DAY,
    PACIFIC,
    PlatformMetrics,
    add_values,
    compute_midnight,
    split_number_by_shares,
)

PERIOD_DAYS = {"day": 1, "week": 7, "days_28": 28, "lifetime": 1}
_SECOND = timedelta(seconds=1)
_RETENTION = timedelta(days=731)
_MIN_TIME_DIGITS = 11
_VALID_YEARS = range(1970, 2200)


class AccountInsights(NamedTuple):
    """The insights of one account over a range of time. `days` are the days in it that are reported."""

    key: str
    metrics: PlatformMetrics
    audience: Audience
    since: datetime
    until: datetime
    days: list[date]

    def build_series(self, name: str, period: str = "day") -> dict[str, Any]:
        """Return the row of a metric with a value for each day, over the period that ends with the day."""
        items = self.metrics.count_rolling(self.audience, name, self.days, PERIOD_DAYS[period]) if self.days else []
        values = [
            {"value": value, "end_time": _format_day_end(day)} for value, day in zip(items, self.days, strict=True)
        ]
        return build_row(self.key, name, period, values=values)

    def compute_total(self, name: str) -> Any:
        return add_values([self.metrics.count_on_day(self.audience, name, day) for day in self.days])

    def add_links(self, call: Call, rows: list[Any]) -> dict[str, Any]:
        """Add links to the days before and after."""
        length = self.until - self.since
        before, after = (
            _build_link(call, self.since - length, self.since),
            _build_link(call, self.until, self.until + length),
        )
        return {"data": rows, "paging": {"previous": before, "next": after}}


def parse_metric_names(call: Call) -> list[str]:
    return parse_words(call.params.get("metric"))


def read_account_insights(
    call: Call,
    key: str,
    metrics: PlatformMetrics,
    audience: Audience,
    *,
    max_days: int = 0,
    build_error: Callable[[str], Response] = build_parameter_response,
) -> AccountInsights:
    """Read `since` and `until`, which may be any number of days apart, in any year, if there is no `max_days` range.

    The default is yesterday and today.
    """
    now = call.context.clock.now()
    until = _parse_time(call, "until", build_error) or now
    since = _parse_time(call, "since", build_error) or until - 2 * DAY
    if since > until:
        raise CallRefusedError(build_error("since param must be less than until param"))
    if max_days and until - since > timedelta(days=max_days, hours=1):
        seconds = max_days * 86400
        raise build_parameter_error(f"There cannot be more than {max_days} days ({seconds} s) between since and until")
    if max_days and now - since > _RETENTION:
        raise CallRefusedError(build_error("since param is not valid. Metrics data is available for the last 2 years"))
    every = metrics.list_reported_days(call.context, metrics.get_day(since), metrics.get_day(until - _SECOND))
    return AccountInsights(key, metrics, audience, since, until, every)


def _parse_time(call: Call, name: str, build_error: Callable[[str], Response]) -> datetime | None:
    value = str(call.params.get(name) or "")
    if not value:
        return None
    time = parse_time(value) if len(value) < _MIN_TIME_DIGITS or "T" in value else None
    if time is None or time.year not in _VALID_YEARS:
        raise CallRefusedError(build_error(f"Param {name} must be a valid time"))
    # A bare date starts at midnight Pacific time.
    return time if value.isdecimal() or "T" in value else compute_midnight(time.date(), PACIFIC)


def _format_day_end(day: date) -> str:
    return format_time(compute_midnight(day + DAY, PACIFIC))


def build_row(key: str, name: str, period: str, **extra_fields: Any) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    shown = {"name": name, "period": period, **extra_fields, "title": title, "description": f"{title}."}
    edge = key if "/" in key else f"{key}/insights"
    return {**shown, "id": f"{edge}/{name}/{period}"}


def build_post_rows(
    key: str, metrics: PlatformMetrics, audience: Audience, piece: PostActivity, names: Iterable[str]
) -> list[Any]:
    """Return a row for each metric of a post, counted since it was published."""
    values = {name: metrics.count_for_post(audience, piece, name) for name in names}
    return [build_row(key, name, "lifetime", values=[{"value": value}]) for name, value in values.items()]


def build_breakdowns(keys: list[str], shares: Mapping[str, Mapping[str, int]], value: Any) -> dict[str, Any]:
    """Split a number as the caller wants, by shares in percent. An object of numbers is already split."""
    if not keys:
        return {}
    parts = {(word,): part for word, part in value.items()} if isinstance(value, Mapping) else None
    result = split_number_by_shares(value, *(shares[key] for key in keys)) if parts is None else parts
    results = [{"dimension_values": list(chosen), "value": part} for chosen, part in result.items()]
    return {"breakdowns": [{"dimension_keys": keys, "results": results}]}


def _build_link(call: Call, since: datetime, until: datetime) -> str:
    params = {**call.query, "access_token": call.query.get("access_token") or call.bearer_token or ""}
    params |= {"since": str(int(since.timestamp())), "until": str(int(until.timestamp()))}
    params.pop("appsecret_proof", None)
    return f"{call.context.url}{call.path}?{urlencode(params)}"
