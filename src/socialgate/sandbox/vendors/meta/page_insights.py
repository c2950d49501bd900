"""Insights of Pages, and of their posts, videos and reels. One name that is not a metric fails the whole call."""

from collections.abc import Collection
from datetime import date
from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.growth import Audience
from socialgate.sandbox.society.metrics import added, days, living
from socialgate.sandbox.vendors.graph.errors import bad_parameter, failure
from socialgate.sandbox.vendors.graph.given import one_of, text
from socialgate.sandbox.vendors.graph.insights import asked_days, names_of, row, series, with_links
from socialgate.sandbox.vendors.meta.audiences import audience_of
from socialgate.sandbox.vendors.meta.content import Post, Video
from socialgate.sandbox.vendors.meta.errors import missing_scope, task_missing
from socialgate.sandbox.vendors.meta.metrics import OF_PAGE, OF_POST, OF_REEL, OF_VIDEO, PAGE_METRICS
from socialgate.sandbox.vendors.meta.state import Page
from socialgate.sandbox.vendors.meta.viewer import may, role, viewer

_LONGEST = 93
_FEWEST_LIKES = 100
_PERIODS = {"day": 1, "week": 7, "days_28": 28}
_TOTAL = "total_over_range"


def _require_metrics(call: Call, page: str, names: list[str], known: Collection[str]) -> Audience:
    """Check that the caller may read all of this, and return who sees the Page."""
    token = viewer(call)
    held = role(call.world, token.parent, page)
    if not token.page:
        raise Refused(failure("(#190) This method must be called with a Page Access Token", 190))
    if not may(call, "read_insights"):
        raise missing_scope("Permissions error")
    if held is None or "ANALYZE" not in held.tasks:
        raise task_missing()
    if not names:
        said = "No metric was specified to be fetched. Please specify one or more metrics to be fetched and try again."
        raise Refused(failure(f"(#3001) {said}", 3001, subcode=1504028))
    if not set(names) <= living(call.world, known):
        raise Refused(bad_parameter("The value must be a valid insights metric"))
    found = call.world.store.get(Page, page)
    assert found is not None, "its token lives"
    return audience_of(call.world, found)


def page_insights(call: Call, page: Page) -> Any:
    names = names_of(call)
    audience = _require_metrics(call, page.id, names, OF_PAGE)
    period = text(call, "period") and one_of("period", text(call, "period"), [*_PERIODS, "month", "lifetime", _TOTAL])
    asked = asked_days(call, _LONGEST)
    every = list(days(asked.first, asked.last)) if page.fan_count >= _FEWEST_LIKES else []
    rows = [
        row(page.id, name, one, values=_values(audience, name, one, every))
        for name in names
        for one in ([period] if period else _PERIODS)
        if every and one in ({"day"} if name == PAGE_METRICS.level else {*_PERIODS, _TOTAL})
    ]
    return with_links(call, rows, asked)


def _values(audience: Audience, name: str, period: str, every: list[date]) -> list[Any]:
    found = PAGE_METRICS.rolling(audience, name, every, _PERIODS.get(period, 1))
    return [{"value": added(found)}] if period == _TOTAL else series(found, every)


def post_insights(call: Call, post: Post) -> Any:
    return _lifetime(call, post.parent, post.id, post.id, names_of(call), OF_POST)


def video_insights(call: Call, video: Video) -> Any:
    known = OF_REEL if video.kind == "reel" else OF_VIDEO
    return _lifetime(call, video.parent, f"{video.id}/video_insights", video.post, names_of(call) or known, known)


def _lifetime(call: Call, page: str, key: str, post: str, names: list[str], known: list[str]) -> Any:
    audience = _require_metrics(call, page, names, known)
    piece = audience.piece(post)
    if piece is None or (text(call, "period") or "lifetime") != "lifetime":
        return {"data": []}
    values = {name: PAGE_METRICS.of_post(audience, piece, name) for name in names}
    return {
        "data": [row(key, name, "lifetime", values=[{"value": value}]) for name, value in values.items()],
        "paging": {},
    }
