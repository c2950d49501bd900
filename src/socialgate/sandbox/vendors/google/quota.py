"""YouTube's daily quota of a project. It resets at midnight Pacific time."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from starlette.responses import Response

from socialgate.sandbox.kit import Call, Handler, Refused, World
from socialgate.sandbox.vendors.google.access import signed_in
from socialgate.sandbox.vendors.google.errors import ERRORS
from socialgate.sandbox.vendors.google.state import AccessToken, QuotaUse

# Uploads and searches have buckets of their own, in which each call costs 1.
UPLOADS, SEARCHES, UNITS = "videos.insert", "search.list", "units"
# Reports are another API, with a quota of its own.
REPORTS = "reports.query"
DAILY = {UPLOADS: 100, SEARCHES: 100, UNITS: 10_000, REPORTS: 100_000}
_PACIFIC = ZoneInfo("America/Los_Angeles")


def metered(
    handler: Callable[[Call, AccessToken], object], *scopes: str, cost: int = 1, bucket: str = UNITS
) -> Handler:
    """Charge every call of a signed-in user, even if it is then rejected."""

    def run(call: Call) -> object:
        token = signed_in(call, *scopes)
        if not spend(call.world, cost, bucket):
            return ERRORS["quota_exhausted"](call)
        try:
            return handler(call, token)
        except Refused as refused:
            answer: Response = refused.response
            return answer

    return run


def spend(world: World, cost: int, bucket: str = UNITS) -> bool:
    use = today(world, bucket)
    if use.used + cost > DAILY[bucket]:
        return False
    use.used += cost
    world.store.put(use)
    return True


def today(world: World, bucket: str) -> QuotaUse:
    day = world.clock.now().astimezone(_PACIFIC).date()
    key = f"{day} {bucket}"
    return world.store.get(QuotaUse, key) or QuotaUse(id=key, parent=bucket, used=0)
