"""What the insights of Meta's products share: the days of a call, rows of metrics, links to other days."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from socialgate_sandbox.dialects.graph.errors import bad_parameter, wrong
from socialgate_sandbox.dialects.graph.given import moment, words
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.growth import Audience, Piece
from socialgate_sandbox.society.metrics import DAY, PACIFIC, Metrics, added, midnight, shared_out

LENGTHS = {"day": 1, "week": 7, "days_28": 28, "lifetime": 1}
_SECOND = timedelta(seconds=1)
_KEPT = timedelta(days=731)
_DIGITS_OF_A_TIME = 11
_YEARS = range(1970, 2200)


class Sheet(NamedTuple):
    """The insights of one account over a range of time. `every` are the days in it that are reported."""

    key: str
    metrics: Metrics
    audience: Audience
    since: datetime
    until: datetime
    every: list[date]

    def series(self, name: str, period: str = "day") -> dict[str, Any]:
        """Return the row of a metric with a value for each day, over the period that ends with the day."""
        found = self.metrics.rolling(self.audience, name, self.every, LENGTHS[period]) if self.every else []
        values = [{"value": value, "end_time": _end_of(day)} for value, day in zip(found, self.every, strict=True)]
        return row(self.key, name, period, values=values)

    def total(self, name: str) -> Any:
        return added([self.metrics.on(self.audience, name, day) for day in self.every])

    def linked(self, call: Call, rows: list[Any]) -> dict[str, Any]:
        """Add links to the days before and after."""
        length = self.until - self.since
        before, after = _link(call, self.since - length, self.since), _link(call, self.until, self.until + length)
        return {"data": rows, "paging": {"previous": before, "next": after}}


def names_of(call: Call) -> list[str]:
    return words(call.params.get("metric"))


def read_sheet(
    call: Call,
    key: str,
    metrics: Metrics,
    audience: Audience,
    *,
    longest: int = 0,
    refuse: Callable[[str], Response] = bad_parameter,
) -> Sheet:
    """Read `since` and `until`, which may be any number of days apart, in any year, if there is no `longest` range.

    The default is yesterday and today.
    """
    now = call.world.clock.now()
    until = _time(call, "until", refuse) or now
    since = _time(call, "since", refuse) or until - 2 * DAY
    if since > until:
        raise Refused(refuse("since param must be less than until param"))
    if longest and until - since > timedelta(days=longest, hours=1):
        seconds = longest * 86400
        raise wrong(f"There cannot be more than {longest} days ({seconds} s) between since and until")
    if longest and now - since > _KEPT:
        raise Refused(refuse("since param is not valid. Metrics data is available for the last 2 years"))
    every = metrics.reported(call.world, metrics.day_of(since), metrics.day_of(until - _SECOND))
    return Sheet(key, metrics, audience, since, until, every)


def _time(call: Call, name: str, refuse: Callable[[str], Response]) -> datetime | None:
    given = str(call.params.get(name) or "")
    if not given:
        return None
    found = moment(given) if len(given) < _DIGITS_OF_A_TIME or "T" in given else None
    if found is None or found.year not in _YEARS:
        raise Refused(refuse(f"Param {name} must be a valid time"))
    # A bare date starts at midnight Pacific time.
    return found if given.isdecimal() or "T" in given else midnight(found.date(), PACIFIC)


def _end_of(day: date) -> str:
    return written(midnight(day + DAY, PACIFIC))


def row(key: str, name: str, period: str, **said: Any) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    shown = {"name": name, "period": period, **said, "title": title, "description": f"{title}."}
    edge = key if "/" in key else f"{key}/insights"
    return {**shown, "id": f"{edge}/{name}/{period}"}


def of_post(key: str, metrics: Metrics, audience: Audience, piece: Piece, names: Iterable[str]) -> list[Any]:
    """Return a row for each metric of a post, counted since it was published."""
    values = {name: metrics.of_post(audience, piece, name) for name in names}
    return [row(key, name, "lifetime", values=[{"value": value}]) for name, value in values.items()]


def broken_down(keys: list[str], shares: Mapping[str, Mapping[str, int]], value: Any) -> dict[str, Any]:
    """Split a number as the caller wants, by shares in percent. An object of numbers is already split."""
    if not keys:
        return {}
    parts = {(word,): part for word, part in value.items()} if isinstance(value, Mapping) else None
    found = shared_out(value, *(shares[key] for key in keys)) if parts is None else parts
    results = [{"dimension_values": list(chosen), "value": part} for chosen, part in found.items()]
    return {"breakdowns": [{"dimension_keys": keys, "results": results}]}


def _link(call: Call, since: datetime, until: datetime) -> str:
    given = {**call.query, "access_token": call.query.get("access_token") or call.bearer or ""}
    given |= {"since": str(int(since.timestamp())), "until": str(int(until.timestamp()))}
    given.pop("appsecret_proof", None)
    return f"{call.world.url}{call.path}?{urlencode(given)}"
