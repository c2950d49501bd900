"""Insights of the posts, videos and reels of Pages, over their whole life."""

from typing import Any

from socialgate.sandbox.kit import Call
from socialgate.sandbox.society.growth import Audience, Piece
from socialgate.sandbox.vendors.graph.given import text
from socialgate.sandbox.vendors.graph.insights import names_of, row
from socialgate.sandbox.vendors.meta.audiences import piece_of
from socialgate.sandbox.vendors.meta.content import Post, Video
from socialgate.sandbox.vendors.meta.page_insights import BY_REACTION, PAGE_METRICS, require_metrics

# Metrics whose value is an object: what stands under each of its names.
_OBJECTS = {
    "post_reactions_by_type_total": BY_REACTION,
    "post_clicks_by_type": {"other clicks": "post_clicks"},
    "post_activity_by_action_type": {"like": "reactions", "comment": "comments", "share": "shares"},
    "total_video_reactions_by_type_total": BY_REACTION,
    "post_video_likes_by_reaction_type": {f"REACTION_{name.upper()}": by for name, by in BY_REACTION.items()},
    "post_video_social_actions": {"COMMENT": "comments", "SHARE": "shares"},
}
_POST = [
    *("post_media_view", "post_total_media_view_unique", "post_clicks", "post_video_views", *BY_REACTION.values()),
    *("post_reactions_by_type_total", "post_clicks_by_type", "post_activity_by_action_type"),
]
_VIDEO = [
    *("total_video_views", "total_video_views_unique", "total_video_view_total_time", "total_video_avg_time_watched"),
    "total_video_reactions_by_type_total",
]
_REEL = [
    *("blue_reels_play_count", "fb_reels_total_plays", "post_impressions_unique", "post_video_view_time"),
    *("post_video_avg_time_watched", "post_video_likes_by_reaction_type", "post_video_social_actions"),
]


def post_insights(call: Call, post: Post) -> Any:
    return _lifetime(call, post.parent, post.id, post.id, names_of(call), _POST)


def video_insights(call: Call, video: Video) -> Any:
    known = _REEL if video.kind == "reel" else _VIDEO
    return _lifetime(call, video.parent, f"{video.id}/video_insights", video.post, names_of(call) or known, known)


def _lifetime(call: Call, page: str, key: str, post: str, names: list[str], known: list[str]) -> Any:
    audience = require_metrics(call, page, names, set(known))
    piece = piece_of(audience, post)
    if piece is None or (text(call, "period") or "lifetime") != "lifetime":
        return {"data": []}
    rows = [row(key, name, "lifetime", values=[{"value": _of_post(audience, piece, name)}]) for name in names]
    return {"data": rows, "paging": {}}


def _of_post(audience: Audience, piece: Piece, name: str) -> Any:
    def count(of: str) -> int:
        return PAGE_METRICS.of_post(audience, piece, of)

    if name in _OBJECTS:
        return {key: value for key, of in _OBJECTS[name].items() if (value := count(of))}
    if name.endswith("avg_time_watched"):
        return count("post_video_view_time") * 1000 // (count("post_media_view") or 1)
    # Times are in milliseconds.
    return count(name) * (1000 if name.endswith("_time") else 1)
