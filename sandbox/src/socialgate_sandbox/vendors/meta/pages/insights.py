"""Insights of Pages, and of their posts, videos and reels. One name that is not a metric fails the whole call."""

from collections.abc import Collection
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, require
from socialgate_sandbox.dialects.graph.given import one_of, text
from socialgate_sandbox.dialects.graph.insights import names_of, of_post, read_sheet, row
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.society.metrics import living
from socialgate_sandbox.vendors.meta.content import Post, Video
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.pages.audiences import ON_FACEBOOK
from socialgate_sandbox.vendors.meta.pages.metrics import OF_PAGE, OF_POST, OF_REEL, OF_VIDEO, PAGE_METRICS
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import may, require_role, viewer

_LONGEST, _FEWEST_LIKES = 93, 100
_NO_METRIC = "No metric was specified to be fetched. Please specify one or more metrics to be fetched and try again."
_TOTAL = "total_over_range"


def _require_metrics(call: Call, page: str, names: list[str], known: Collection[str]) -> None:
    if not viewer(call).page:
        raise Refused(failure("(#190) This method must be called with a Page Access Token", 190))
    if not may(call, "read_insights"):
        raise missing_scope("Permissions error")
    require_role(call, page, {"ANALYZE"})
    if not names:
        raise Refused(failure(f"(#3001) {_NO_METRIC}", 3001, subcode=1504028))
    require(set(names) <= living(call.world, known), "The value must be a valid insights metric")


def page_insights(call: Call, page: Page) -> Any:
    names, period = names_of(call), text(call, "period")
    _require_metrics(call, page.id, names, OF_PAGE)
    usual = ["day", "week", "days_28"]
    periods = [one_of("period", period, [*usual, "month", "lifetime", _TOTAL])] if period else usual
    sheet = read_sheet(call, page.id, PAGE_METRICS, ON_FACEBOOK.of(call.world, page), longest=_LONGEST)
    shown = names if sheet.every and page.fan_count >= _FEWEST_LIKES else []
    rows = [
        row(page.id, name, one, values=[{"value": sheet.total(name)}]) if one == _TOTAL else sheet.series(name, one)
        for name in shown
        for one in periods
        if one in (["day"] if name == PAGE_METRICS.level else [*usual, _TOTAL])
    ]
    return sheet.linked(call, rows)


def post_insights(call: Call, post: Post) -> Any:
    return _of_post(call, post, post.id, post.id, names_of(call), OF_POST)


def video_insights(call: Call, video: Video) -> Any:
    known = OF_REEL if video.kind == "reel" else OF_VIDEO
    return _of_post(call, video, f"{video.id}/video_insights", video.post, names_of(call) or known, known)


def _of_post(call: Call, thing: Post | Video, key: str, post: str, names: list[str], known: list[str]) -> Any:
    _require_metrics(call, thing.parent, names, known)
    audience = ON_FACEBOOK(call.world, thing.parent)
    piece = audience.piece(post) if audience else None
    if audience is None or piece is None or text(call, "period") not in {"", "lifetime"}:
        return {"data": []}
    return {"data": of_post(key, PAGE_METRICS, audience, piece, names), "paging": {}}
