"""What is counted of one account: as JSON for programs, as a page with a line for each metric for people."""

from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from socialgate.sandbox import orders, views
from socialgate.sandbox.call import reply
from socialgate.sandbox.kernel import Kernel
from socialgate.sandbox.pages import page
from socialgate.sandbox.showing import ShownNumbers
from socialgate.sandbox.vendor import Account, ActionRequest, ControlError

_USUAL = timedelta(days=27)
_LONGEST = timedelta(days=800)
_WIDTH, _HEIGHT = 280, 40


class NumbersQuery(ActionRequest, frozen=True, kw_only=True):
    """The days from `since` to `until`, both included: the last four weeks unless they are given."""

    platform: str
    account: str
    since: date | None = None
    until: date | None = None


def show_numbers(kernel: Kernel, request: Request) -> Response:
    query = orders.to_order(NumbersQuery, orders.query_fields(request.url.query), strict=False)
    account, numbers = _numbers(kernel, query)
    if "text/html" not in request.headers.get("accept", ""):
        return reply(numbers)
    vendor = kernel.vendors[query.platform]
    return page("numbers.html", vendor=vendor, account=account, numbers=numbers, rows=_rows(numbers))


def _numbers(kernel: Kernel, query: NumbersQuery) -> tuple[Account, ShownNumbers]:
    vendor = views.vendor_of(kernel, query.platform)
    world = kernel.worlds[vendor.name]
    account = next((one for one in vendor.accounts(world) if one.id == query.account), None)
    if account is None or account.kind not in vendor.numbers:
        known = ", ".join(sorted(vendor.numbers)) or "none"
        raise ControlError(
            f"{vendor.title} counts nothing of {query.account!r}. Kinds of accounts that have numbers: {known}."
        )
    last = query.until or world.clock.now().date()
    first = query.since or last - _USUAL
    if not timedelta() <= last - first <= _LONGEST:
        raise ControlError(f"until must not lie before since, and at most {_LONGEST.days} days after it.", 422)
    return account, vendor.numbers[account.kind](world, account.id, first, last)


def _rows(numbers: ShownNumbers) -> list[dict[str, Any]]:
    followers = [day.followers for day in numbers.days if day.followers is not None]
    rows = [{"name": "followers", "said": followers[-1], "points": _points(followers)}] if followers else []
    for name, total in numbers.totals.items():
        rows.append({"name": name, "said": total, "points": _points([day.metrics[name] for day in numbers.days])})
    return rows


def _points(values: Sequence[int]) -> str:
    """Give the points of a line through these values, from left to right."""
    low, high, step = min(values, default=0), max(values, default=0), _WIDTH / max(1, len(values) - 1)
    span = max(1, high - low)
    return " ".join(
        f"{number * step:.1f},{_HEIGHT - 2 - (value - low) * (_HEIGHT - 4) / span:.1f}"
        for number, value in enumerate(values)
    )
