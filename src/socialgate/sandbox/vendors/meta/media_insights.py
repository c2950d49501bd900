"""Insights of Instagram media: which metrics there are depends on what it is."""

from typing import Any

from socialgate.sandbox.kit import Call, Refused
from socialgate.sandbox.society.growth import Audience, Piece
from socialgate.sandbox.society.metrics import DAY
from socialgate.sandbox.vendors.graph.errors import bad_parameter, failure
from socialgate.sandbox.vendors.graph.insights import row
from socialgate.sandbox.vendors.meta.audiences import instagram_audience, piece_of
from socialgate.sandbox.vendors.meta.content import InstagramMedia
from socialgate.sandbox.vendors.meta.instagram_insights import INSTAGRAM_METRICS, require_metrics, split_up

_FEWEST_VIEWERS = 5
# Who does not stay for three seconds, in percent.
_SKIPPED = 31
_EVERYWHERE = ["views", "reach", "shares", "total_interactions"]
_FEED = [*_EVERYWHERE, "likes", "comments", "saved", "reposts", "total_likes", "total_comments", "total_views"]
_VISITS = ["follows", "profile_visits", "profile_activity"]
_REELS = ["ig_reels_avg_watch_time", "ig_reels_video_view_total_time", "reels_skip_rate"]
_OF_TYPE = {
    "FEED": [*_FEED, *_VISITS],
    "REELS": [*_FEED, *_REELS],
    "STORY": [*_EVERYWHERE, *_VISITS, "replies", "navigation", "link_clicks", "reposts"],
}
_ALL_MEDIA = list(dict.fromkeys(name for names in _OF_TYPE.values() for name in names))


def media_insights(call: Call, media: InstagramMedia) -> Any:
    names = require_metrics(call, _ALL_MEDIA)
    known = _OF_TYPE.get(media.product_type, _OF_TYPE["FEED"])
    for name in names:
        if name not in known:
            said = f"The Media Insights API does not support the {name} metric for this media product type."
            raise Refused(bad_parameter(said))
    audience = instagram_audience(call.world, media.parent)
    piece, is_story = piece_of(audience, media.id), media.product_type == "STORY"
    if audience is None or piece is None or (is_story and call.world.clock.since(media.made) >= DAY.total_seconds()):
        # Slides have none, and those of a story are kept for a day.
        return {"data": []}
    if is_story and audience.total(piece, "reach") < _FEWEST_VIEWERS:
        raise Refused(failure("(#10) Not enough viewers for the media to show insights", 10))

    return {"data": [row(media.id, name, "lifetime", **_shape(call, audience, piece, name)) for name in names]}


def _shape(call: Call, audience: Audience, piece: Piece, name: str) -> dict[str, Any]:
    milliseconds = audience.total(piece, "watch_seconds") * 1000
    of_reels = dict(
        zip(_REELS, (milliseconds // (audience.total(piece, "views") or 1), milliseconds, _SKIPPED), strict=True)
    )
    value = of_reels[name] if name in of_reels else INSTAGRAM_METRICS.of_post(audience, piece, name)
    found = split_up(call, name, value)
    return {"total_value": {"value": value, "breakdowns": found}} if found else {"values": [{"value": value}]}
