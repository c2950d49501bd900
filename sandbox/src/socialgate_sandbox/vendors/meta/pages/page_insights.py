"""Insights of Pages, and of their posts, videos and reels. One name that is not a metric fails the whole call."""

from collections.abc import Collection
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response, require
from socialgate_sandbox.dialects.graph.insights import (
    build_post_rows,
    build_row,
    parse_metric_names,
    read_account_insights,
)
from socialgate_sandbox.dialects.graph.parameters import get_text, validate_choice
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.society.platform_metrics import list_active_metrics
from socialgate_sandbox.vendors.meta.content import Post, Video
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.pages.page_audience import PAGE_AUDIENCE_READER
from socialgate_sandbox.vendors.meta.pages.page_metrics import (
    PAGE_METRIC_NAMES,
    PAGE_METRICS,
    POST_METRIC_NAMES,
    REEL_METRIC_NAMES,
    VIDEO_METRIC_NAMES,
)
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import has_any_scope, require_role, require_token

_MAX_DAYS, _MIN_LIKES = 93, 100
_NO_METRIC_MESSAGE = (
    "No metric was specified to be fetched. Please specify one or more metrics to be fetched and try again."
)
_TOTAL_PERIOD = "total_over_range"


def _require_metrics(call: Call, page: str, names: list[str], known_names: Collection[str]) -> None:
    if not require_token(call).page:
        raise CallRefusedError(build_error_response("(#190) This method must be called with a Page Access Token", 190))
    if not has_any_scope(call, "read_insights"):
        raise build_missing_scope_error("Permissions error")
    require_role(call, page, {"ANALYZE"})
    if not names:
        raise CallRefusedError(build_error_response(f"(#3001) {_NO_METRIC_MESSAGE}", 3001, subcode=1504028))
    require(set(names) <= list_active_metrics(call.context, known_names), "The value must be a valid insights metric")


def get_page_insights(call: Call, page: Page) -> Any:
    names, period = parse_metric_names(call), get_text(call, "period")
    _require_metrics(call, page.id, names, PAGE_METRIC_NAMES)
    usual = ["day", "week", "days_28"]
    periods = [validate_choice("period", period, [*usual, "month", "lifetime", _TOTAL_PERIOD])] if period else usual
    sheet = read_account_insights(
        call, page.id, PAGE_METRICS, PAGE_AUDIENCE_READER.build_audience(call.context, page), max_days=_MAX_DAYS
    )
    shown = names if sheet.days and page.fan_count >= _MIN_LIKES else []
    rows = [
        build_row(page.id, name, period, values=[{"value": sheet.compute_total(name)}])
        if period == _TOTAL_PERIOD
        else sheet.build_series(name, period)
        for name in shown
        for period in periods
        if period in (["day"] if name == PAGE_METRICS.level else [*usual, _TOTAL_PERIOD])
    ]
    return sheet.add_links(call, rows)


def get_post_insights(call: Call, post: Post) -> Any:
    return _read_post_metrics(call, post, post.id, post.id, parse_metric_names(call), POST_METRIC_NAMES)


def get_video_insights(call: Call, video: Video) -> Any:
    known = REEL_METRIC_NAMES if video.kind == "reel" else VIDEO_METRIC_NAMES
    return _read_post_metrics(
        call, video, f"{video.id}/video_insights", video.post, parse_metric_names(call) or known, known
    )


def _read_post_metrics(
    call: Call, content: Post | Video, key: str, post: str, names: list[str], known_names: list[str]
) -> Any:
    _require_metrics(call, content.parent, names, known_names)
    audience = PAGE_AUDIENCE_READER(call.context, content.parent)
    piece = audience.find_post(post) if audience else None
    if audience is None or piece is None or get_text(call, "period") not in {"", "lifetime"}:
        return {"data": []}
    return {"data": build_post_rows(key, PAGE_METRICS, audience, piece, names), "paging": {}}
