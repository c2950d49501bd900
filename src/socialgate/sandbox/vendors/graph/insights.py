"""What the insights of Meta's products share: the range of days, the rows of responses, links to other days."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

from starlette.responses import Response

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.metrics import DAY, PACIFIC, midnight, shared_out
from socialgate.sandbox.vendors.graph.errors import bad_parameter
from socialgate.sandbox.vendors.graph.given import moment, words
from socialgate.sandbox.vendors.graph.times import written

_SECOND = timedelta(seconds=1)
_KEPT = timedelta(days=731)
_DIGITS_OF_A_TIME = 11
_YEARS = range(1970, 2200)


class Asked(NamedTuple):
    """Whole days in Pacific time that are over. There are none if `last` is before `first`."""

    first: date
    last: date
    since: datetime
    until: datetime


def names_of(call: Call) -> list[str]:
    return words(call.params.get("metric"))


def asked_days(call: Call, longest: int = 0, refuse: Callable[[str], Response] = bad_parameter) -> Asked:
    """Read `since` and `until`, which may span the last two years if no limit is given.

    The default is yesterday and today.
    """
    now = call.world.clock.now()
    until = _time(call, "until", refuse) or now
    since = _time(call, "since", refuse) or until - 2 * DAY
    if since > until:
        raise Refused(refuse("since param must be less than until param"))
    if longest and until - since > timedelta(days=longest, hours=1):
        seconds = longest * 86400
        raise Refused(bad_parameter(f"There cannot be more than {longest} days ({seconds} s) between since and until"))
    if longest and now - since > _KEPT:
        raise Refused(refuse("since param is not valid. Metrics data is available for the last 2 years"))
    last = min(_day(until - _SECOND), _day(now) - DAY)
    return Asked(_day(since), last, since, until)


def _day(at: datetime) -> date:
    return at.astimezone(PACIFIC).date()


def _time(call: Call, name: str, refuse: Callable[[str], Response]) -> datetime | None:
    given = str(call.params.get(name) or "")
    if not given:
        return None
    found = moment(given) if len(given) < _DIGITS_OF_A_TIME or "T" in given else None
    if found is None or found.year not in _YEARS:
        raise Refused(refuse(f"Param {name} must be a valid time"))
    # A bare date starts at midnight Pacific time.
    return found if given.isdecimal() or "T" in given else midnight(found.date(), PACIFIC)


def end_of(day: date) -> str:
    return written(midnight(day + DAY, PACIFIC))


def row(key: str, name: str, period: str, **said: Any) -> dict[str, Any]:
    title = name.replace("_", " ").capitalize()
    shown = {"name": name, "period": period, **said, "title": title, "description": f"{title}."}
    edge = key if "/" in key else f"{key}/insights"
    return {**shown, "id": f"{edge}/{name}/{period}"}


def series(values: Iterable[Any], every: Iterable[date]) -> list[dict[str, Any]]:
    return [{"value": value, "end_time": end_of(day)} for value, day in zip(values, every, strict=True)]


def breakdowns(keys: list[str], shares: Mapping[str, Mapping[str, int]], value: int) -> list[Any]:
    """Split a number as the caller wants, by shares in percent."""
    if not keys:
        return []
    parts = shared_out(value, *(shares[key] for key in keys))
    return [{"dimension_keys": keys, "results": [result(list(chosen), part) for chosen, part in parts.items()]}]


def result(values: list[str], value: int) -> dict[str, Any]:
    return {"dimension_values": values, "value": value}


def with_links(call: Call, rows: list[Any], asked: Asked) -> dict[str, Any]:
    """Add links to the days before and after."""
    length = asked.until - asked.since
    return {
        "data": rows,
        "paging": {
            "previous": _link(call, asked.since - length, asked.since),
            "next": _link(call, asked.until, asked.until + length),
        },
    }


def _link(call: Call, since: datetime, until: datetime) -> str:
    given = {**call.query, "access_token": call.query.get("access_token") or call.bearer or ""}
    given |= {"since": str(int(since.timestamp())), "until": str(int(until.timestamp()))}
    given.pop("appsecret_proof", None)
    return f"{call.world.url}{call.path}?{urlencode(given)}"
