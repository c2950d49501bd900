"""YouTube's daily quotas of a project. They reset at midnight Pacific time."""

from collections.abc import Callable
from datetime import date, datetime
from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import Call, Handler, Quota, Refused
from socialgate_sandbox.vendors.google.access import signed_in
from socialgate_sandbox.vendors.google.errors import ERRORS
from socialgate_sandbox.vendors.google.state import AccessToken

_PACIFIC = ZoneInfo("America/Los_Angeles")


def _day(now: datetime) -> date:
    return now.astimezone(_PACIFIC).date()


# Uploads and searches have quotas of their own, in which each call costs 1.
UPLOADS, SEARCHES, UNITS = (
    Quota("videos.insert", 100, _day),
    Quota("search.list", 100, _day),
    Quota("units", 10_000, _day),
)
# Reports are another API, with a quota of its own.
REPORTS = Quota("reports.query", 100_000, _day)


def metered(
    handler: Callable[[Call, AccessToken], object], *scopes: str, cost: int = 1, bucket: Quota = UNITS
) -> Handler:
    """Charge every call of a signed-in user, even if it is then rejected."""

    def run(call: Call) -> object:
        token = signed_in(call, *scopes)
        if not bucket.spend(call.world, cost):
            return ERRORS["quota_exhausted"](call)
        try:
            return handler(call, token)
        except Refused as refused:
            return refused.response(call)

    return run
