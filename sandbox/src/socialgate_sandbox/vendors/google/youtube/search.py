"""Searching and rating YouTube videos, and their categories."""

from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, VendorContext, read_list_parameter
from socialgate_sandbox.vendors.google.paging import compute_etag
from socialgate_sandbox.vendors.google.state import AccessToken, Rating, Video
from socialgate_sandbox.vendors.google.youtube.quota import SEARCH_QUOTA, add_quota_charge
from socialgate_sandbox.vendors.google.youtube.request_helpers import (
    READ_SCOPES,
    build_list_page,
    build_parameter_error,
    build_routes,
    parse_parts,
    require_own_channel,
)
from socialgate_sandbox.vendors.google.youtube.video_metadata import CATEGORY_TITLES, is_public
from socialgate_sandbox.vendors.google.youtube.videos import (
    MANAGE_SCOPES,
    build_common_snippet,
    format_time,
    require_visible_video,
)

_RATINGS = ("like", "dislike", "none")


def search_videos(call: Call, token: AccessToken) -> object:
    """Find videos by words: public ones, or (`forMine`) the channel's own."""
    parse_parts(call, {"id", "snippet"})
    query, words = call.query, call.query.get("q", "").casefold().split()
    if query.get("forMine") == "true":
        videos = call.context.store.find(Video, parent=require_own_channel(call, token).id, newest_first=True)
    else:
        videos = [
            video for video in call.context.store.find(Video, newest_first=True) if is_public(call.context, video)
        ]
    chosen = [
        video
        for video in videos
        if query.get("channelId") in {None, video.parent}
        and all(word in f"{video.title} {video.description}".casefold() for word in words)
    ]
    if "video" not in query.get("type", "video").split(","):
        chosen = []
    region = {"regionCode": query.get("regionCode", "SE")}
    return build_list_page(call, "search", chosen, lambda video: _build_search_result(call.context, video)) | region


def rate_video(call: Call, token: AccessToken) -> object:
    channel, rating = require_own_channel(call, token), call.query.get("rating", "")
    if rating not in _RATINGS:
        raise build_parameter_error("rating", f"Invalid value '{rating}'. Allowed values: {list(_RATINGS)}")
    video = require_visible_video(call, token, call.query.get("id", ""))
    call.context.store.put(Rating(id=f"{channel.id} {video.id}", parent=channel.id, video=video.id, rating=rating))
    return Response(status_code=204)


def list_ratings(call: Call, token: AccessToken) -> object:
    channel, keys = require_own_channel(call, token), read_list_parameter(call, "id")
    result = {rating.video: rating.rating for rating in call.context.store.find(Rating, parent=channel.id)}
    items = [{"videoId": key, "rating": result.get(key, "none")} for key in keys]
    return {"kind": "youtube#videoGetRatingResponse", "etag": compute_etag(items), "items": items}


def list_categories(call: Call, _token: AccessToken) -> object:
    parse_parts(call, {"id", "snippet"})
    values = read_list_parameter(call, "id")
    if not values and not call.query.get("regionCode"):
        raise build_parameter_error(
            "parameters.", "No filter selected. Expected one of: id, regionCode", "missingRequiredParameter"
        )
    chosen = {key: title for key, title in CATEGORY_TITLES.items() if not values or key in values}
    items = [
        {
            "kind": "youtube#videoCategory",
            "etag": compute_etag([key, title]),
            "id": key,
            "snippet": {"title": title, "assignable": True, "channelId": "UCBR8-60-B28hp2BmDPdntcQ"},
        }
        for key, title in chosen.items()
    ]
    return {"kind": "youtube#videoCategoryListResponse", "etag": compute_etag(items), "items": items}


def _build_search_result(context: VendorContext, video: Video) -> dict[str, Any]:
    snippet = build_common_snippet(context, video, video.created_at)
    snippet |= {"liveBroadcastContent": "none", "publishTime": format_time(video.created_at)}
    key = {"kind": "youtube#video", "videoId": video.id}
    return {"kind": "youtube#searchResult", "etag": compute_etag(snippet), "id": key, "snippet": snippet}


ROUTES = build_routes(
    ("GET", "search", add_quota_charge(search_videos, *READ_SCOPES, quota=SEARCH_QUOTA)),
    ("POST", "videos/rate", add_quota_charge(rate_video, *MANAGE_SCOPES, cost=50)),
    ("GET", "videos/getRating", add_quota_charge(list_ratings, *READ_SCOPES)),
    ("GET", "videoCategories", add_quota_charge(list_categories, *READ_SCOPES)),
)
