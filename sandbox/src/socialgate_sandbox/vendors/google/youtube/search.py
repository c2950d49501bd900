"""Searching and rating YouTube videos, and their categories."""

from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, World, listed
from socialgate_sandbox.vendors.google.paging import etag
from socialgate_sandbox.vendors.google.state import AccessToken, Rating, Video
from socialgate_sandbox.vendors.google.youtube.api import (
    READING,
    asked_parts,
    bad_parameter,
    list_page,
    own_channel,
    routes,
)
from socialgate_sandbox.vendors.google.youtube.metadata import CATEGORIES, is_public
from socialgate_sandbox.vendors.google.youtube.quota import SEARCHES, metered
from socialgate_sandbox.vendors.google.youtube.videos import MANAGING, about, moment, own_or_public

_RATINGS = ("like", "dislike", "none")


def search(call: Call, token: AccessToken) -> object:
    """Find videos by words: public ones, or (`forMine`) the channel's own."""
    asked_parts(call, {"id", "snippet"})
    query, words = call.query, call.query.get("q", "").casefold().split()
    if query.get("forMine") == "true":
        found = call.world.store.find(Video, parent=own_channel(call, token).id, newest_first=True)
    else:
        found = [one for one in call.world.store.find(Video, newest_first=True) if is_public(call.world, one)]
    chosen = [
        one
        for one in found
        if query.get("channelId") in {None, one.parent}
        and all(word in f"{one.title} {one.description}".casefold() for word in words)
    ]
    if "video" not in query.get("type", "video").split(","):
        chosen = []
    region = {"regionCode": query.get("regionCode", "SE")}
    return list_page(call, "search", chosen, lambda one: _result(call.world, one)) | region


def rate(call: Call, token: AccessToken) -> object:
    channel, rating = own_channel(call, token), call.query.get("rating", "")
    if rating not in _RATINGS:
        raise bad_parameter("rating", f"Invalid value '{rating}'. Allowed values: {list(_RATINGS)}")
    video = own_or_public(call, token, call.query.get("id", ""))
    call.world.store.put(Rating(id=f"{channel.id} {video.id}", parent=channel.id, video=video.id, rating=rating))
    return Response(status_code=204)


def ratings(call: Call, token: AccessToken) -> object:
    channel, keys = own_channel(call, token), listed(call, "id")
    found = {one.video: one.rating for one in call.world.store.find(Rating, parent=channel.id)}
    items = [{"videoId": key, "rating": found.get(key, "none")} for key in keys]
    return {"kind": "youtube#videoGetRatingResponse", "etag": etag(items), "items": items}


def categories(call: Call, _token: AccessToken) -> object:
    asked_parts(call, {"id", "snippet"})
    wanted = listed(call, "id")
    if not wanted and not call.query.get("regionCode"):
        raise bad_parameter(
            "parameters.", "No filter selected. Expected one of: id, regionCode", "missingRequiredParameter"
        )
    chosen = {key: title for key, title in CATEGORIES.items() if not wanted or key in wanted}
    items = [
        {
            "kind": "youtube#videoCategory",
            "etag": etag([key, title]),
            "id": key,
            "snippet": {"title": title, "assignable": True, "channelId": "UCBR8-60-B28hp2BmDPdntcQ"},
        }
        for key, title in chosen.items()
    ]
    return {"kind": "youtube#videoCategoryListResponse", "etag": etag(items), "items": items}


def _result(world: World, video: Video) -> dict[str, Any]:
    snippet = about(world, video, video.made)
    snippet |= {"liveBroadcastContent": "none", "publishTime": moment(video.made)}
    key = {"kind": "youtube#video", "videoId": video.id}
    return {"kind": "youtube#searchResult", "etag": etag(snippet), "id": key, "snippet": snippet}


ROUTES = routes(
    ("GET", "search", metered(search, *READING, bucket=SEARCHES)),
    ("POST", "videos/rate", metered(rate, *MANAGING, cost=50)),
    ("GET", "videos/getRating", metered(ratings, *READING)),
    ("GET", "videoCategories", metered(categories, *READING)),
)
