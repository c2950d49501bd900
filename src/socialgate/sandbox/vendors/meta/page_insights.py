"""Insights of Pages. One name that is not a metric fails the whole call."""

from datetime import date
from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.growth import Audience
from socialgate.sandbox.society.metrics import Metrics, counts, days, living, split
from socialgate.sandbox.vendors.graph.errors import bad_parameter, failure
from socialgate.sandbox.vendors.graph.given import one_of, text
from socialgate.sandbox.vendors.graph.insights import asked_days, names_of, row, series, with_links
from socialgate.sandbox.vendors.meta.audiences import audience_of, page_audience
from socialgate.sandbox.vendors.meta.errors import missing_scope, task_missing
from socialgate.sandbox.vendors.meta.state import Page
from socialgate.sandbox.vendors.meta.viewer import may, role, viewer

_LONGEST = 93
_FEWEST_LIKES = 100
_PERIODS = {"day": 1, "week": 7, "days_28": 28}
_TOTAL, _LEVEL = "total_over_range", "page_follows"
_REACTIONS = {"like": 70, "love": 18, "wow": 4, "haha": 4, "sorry": 2, "anger": 2}
BY_REACTION = {name: f"post_reactions_{name}_total" for name in _REACTIONS}
# Metrics whose value is an object: what stands under each of its names.
_PAGE_OBJECTS = {
    "page_actions_post_reactions_total": {name: f"page_actions_{by}" for name, by in BY_REACTION.items()},
    "page_fan_adds_by_paid_non_paid_unique": {"total": "page_daily_follows", "unpaid": "page_daily_follows"},
}
PAGE_METRICS = Metrics(
    page_audience,
    {
        **counts(page_media_view="views", page_total_media_view_unique="reach", page_views_total="profile_views"),
        **counts(page_post_engagements="likes comments shares clicks", page_total_actions="clicks"),
        **counts(page_daily_follows="follows", page_daily_follows_unique="follows", page_video_views="viral_views"),
        **counts(page_daily_unfollows="unfollows", page_daily_unfollows_unique="unfollows"),
        **counts(page_lifetime_engaged_followers_unique="likes comments"),
        **split("likes", **{f"page_actions_{by}": _REACTIONS[name] for name, by in BY_REACTION.items()}),
    },
    {
        **counts(post_media_view="views", post_total_media_view_unique="reach", post_clicks="clicks"),
        **counts(post_video_views="viral_views", reactions="likes", comments="comments", shares="shares"),
        **counts(total_video_views="views", total_video_views_unique="reach", post_impressions_unique="reach"),
        **counts(blue_reels_play_count="views", fb_reels_total_plays="views"),
        **counts(total_video_view_total_time="watch_seconds", post_video_view_time="watch_seconds"),
        **split("likes", **{by: _REACTIONS[name] for name, by in BY_REACTION.items()}),
    },
)


def require_metrics(call: Call, page: str, names: list[str], known: set[str]) -> Audience:
    """Check that the caller may know all of this, and give who sees the Page."""
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
    audience = require_metrics(call, page.id, names, {*PAGE_METRICS.account, _LEVEL, *_PAGE_OBJECTS})
    period = text(call, "period") and one_of("period", text(call, "period"), [*_PERIODS, "month", "lifetime", _TOTAL])
    asked = asked_days(call, _LONGEST)
    every = list(days(asked.first, asked.last)) if page.fan_count >= _FEWEST_LIKES else []
    rows = [
        row(page.id, name, one, values=_values(audience, name, one, every))
        for name in names
        for one in ([period] if period else _PERIODS)
        if every and one in ({"day"} if name == _LEVEL else {*_PERIODS, _TOTAL})
    ]
    return with_links(call, rows, asked)


def _values(audience: Audience, name: str, period: str, every: list[date]) -> list[Any]:
    if name == _LEVEL:
        return series([PAGE_METRICS.followers_after(audience, day) for day in every], every)
    length = _PERIODS.get(period, 1)
    if name in _PAGE_OBJECTS:
        parts = _PAGE_OBJECTS[name]
        columns = zip(*(PAGE_METRICS.rolling(audience, of, every, length) for of in parts.values()), strict=True)
        found: list[Any] = [dict(zip(parts, column, strict=True)) for column in columns]
        total: Any = {key: sum(one[key] for one in found) for key in parts}
    else:
        found = PAGE_METRICS.rolling(audience, name, every, length)
        total = sum(found)
    return [{"value": total}] if period == _TOTAL else series(found, every)
