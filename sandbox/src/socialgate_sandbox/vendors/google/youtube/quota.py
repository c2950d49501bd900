"""YouTube's daily quotas of a project. They reset at midnight Pacific time."""

from collections.abc import Callable
from datetime import date, datetime
from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import Call, CallRefusedError, Handler, Quota
from socialgate_sandbox.vendors.google.access import require_token
from socialgate_sandbox.vendors.google.errors import ERRORS
from socialgate_sandbox.vendors.google.state import AccessToken

_PACIFIC_TIME_ZONE = ZoneInfo("America/Los_Angeles")


def _get_pacific_date(now: datetime) -> date:
    return now.astimezone(_PACIFIC_TIME_ZONE).date()


# Uploads and searches have quotas of their own, in which each call costs 1.
UPLOAD_QUOTA, SEARCH_QUOTA, UNIT_QUOTA = (
    Quota("videos.insert", 100, _get_pacific_date),
    Quota("search.list", 100, _get_pacific_date),
    Quota("units", 10_000, _get_pacific_date),
)
# Reports are another API, with a quota of its own.
REPORT_QUOTA = Quota("reports.query", 100_000, _get_pacific_date)


def add_quota_charge(
    handler: Callable[[Call, AccessToken], object], *scopes: str, cost: int = 1, quota: Quota = UNIT_QUOTA
) -> Handler:
    """Charge every call of a signed-in user, even if it is then rejected."""

    def run(call: Call) -> object:
        token = require_token(call, *scopes)
        if not quota.spend(call.context, cost):
            return ERRORS["quota_exhausted"](call)
        try:
            return handler(call, token)
        except CallRefusedError as refused:
            return refused.response(call)

    return run
