"""YouTube videos: how they are shown, changed and deleted, and the list of a channel's uploads."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, Refused, World, listed
from socialgate_sandbox.kit.lifecycle import stage
from socialgate_sandbox.society.comments import visible_on
from socialgate_sandbox.vendors.google.errors import api_error, refusal
from socialgate_sandbox.vendors.google.paging import etag
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Rating, Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.webhooks import send_feed
from socialgate_sandbox.vendors.google.youtube import metadata
from socialgate_sandbox.vendors.google.youtube.api import (
    READING,
    asked_parts,
    bad_parameter,
    list_answer,
    list_page,
    only_filter,
    own_channel,
    routes,
)
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNELS
from socialgate_sandbox.vendors.google.youtube.channels import uploads_of
from socialgate_sandbox.vendors.google.youtube.quota import metered

PROCESSING = 10.0
# The duration of a video whose bytes do not contain it.
_BELIEVED = 15.0
MANAGING = (f"{AUTH}youtube", f"{AUTH}youtube.force-ssl")
ENDINGS = [
    *(f"failed:{why}" for why in ("conversion", "invalidFile", "emptyFile", "tooSmall", "codec", "uploadAborted")),
    *(
        f"rejected:{why}"
        for why in (
            "copyright",
            "inappropriate",
            "duplicate",
            "termsOfUse",
            "uploaderAccountSuspended",
            "uploaderAccountClosed",
            "length",
            "claim",
            "trademark",
            "legal",
        )
    ),
]
_MOST_IDS = 50
_THUMBNAILS = {"default": ("default", 120, 90), "medium": ("mqdefault", 320, 180), "high": ("hqdefault", 480, 360)}


def list_videos(call: Call, token: AccessToken) -> object:
    """List videos by their ids, the most popular ones, or those that the channel liked."""
    parts, chosen = asked_parts(call, PARTS), only_filter(call, "chart", "id", "myRating")
    if chosen == "id":
        wanted = list(dict.fromkeys(listed(call, "id")))
        if len(wanted) > _MOST_IDS:
            message = "The request specifies an invalid filter parameter."
            raise bad_parameter("id", message, "invalidFilters")
        found = [call.world.store.get(Video, key) for key in wanted]
    else:
        found = list(_charted(call) if chosen == "chart" else _rated(call, token))
    language = call.query.get("hl", "")
    seen = [shown for video in found if video and (shown := _seen(call.world, token, video, parts, language))]
    if chosen == "id":
        return list_answer("video", seen, len(seen), max(len(seen), 1), None)
    return list_page(call, "video", seen, lambda shown: shown)


def _charted(call: Call) -> list[Video]:
    if call.query["chart"] != "mostPopular":
        message = f"Invalid value '{call.query['chart']}'. Allowed values: [mostPopular]"
        raise bad_parameter("chart", message)
    found = [one for one in call.world.store.find(Video) if metadata.privacy_of(call.world, one) == "public"]
    category = call.query.get("videoCategoryId", "0")
    chosen = [one for one in found if category in {"0", one.category}]
    return sorted(chosen, key=lambda one: CHANNELS.total(call.world, one, "views"), reverse=True)


def _rated(call: Call, token: AccessToken) -> list[Video]:
    ratings = call.world.store.find(Rating, parent=own_channel(call, token).id, newest_first=True)
    chosen = [one.video for one in ratings if one.rating == call.query["myRating"]]
    return [video for key in chosen if (video := call.world.store.get(Video, key)) is not None]


def update_video(call: Call, token: AccessToken) -> object:
    parts = asked_parts(call, PARTS)
    given = metadata.read_video(call.json)
    video = own_video(call, token, given.id)
    metadata.check(call.world, given, parts, update=True)
    before = (video.title, video.description, metadata.privacy_of(call.world, video))
    metadata.apply(call.world, video, given, parts)
    call.world.store.put(video)
    if before != (video.title, video.description, metadata.privacy_of(call.world, video)):
        announce(call.world, own_channel(call, token), video, changed=True)
    return resource(call.world, video, parts, mine=True)


def delete_video(call: Call, token: AccessToken) -> object:
    video = own_video(call, token, call.query.get("id", ""))
    call.world.store.delete(Video, video.id)
    call.world.store.clear(VideoComment, parent=video.id)
    return Response(status_code=204)


def list_uploads(call: Call, token: AccessToken) -> object:
    parts = asked_parts(call, {"contentDetails", "id", "snippet", "status"})
    playlist = call.query.get("playlistId", "")
    channel = call.world.store.get(YouTubeChannel, f"UC{playlist[2:]}")
    if channel is None or playlist != uploads_of(channel):
        message = "The playlist identified with the request's <code>playlistId</code> parameter cannot be found."
        return api_error(404, "playlistNotFound", message, "youtube.playlistItem", place=("parameter", "playlistId"))
    mine, world = channel.parent == token.parent, call.world
    videos = world.store.find(Video, parent=channel.id, newest_first=True)
    found = [video for video in videos if mine or metadata.privacy_of(world, video) == "public"]
    if "videoId" in call.query:
        found = [video for video in found if video.id == call.query["videoId"]]
    return list_page(call, "playlistItem", found, lambda video: _item(world, channel, video, found.index(video), parts))


def own_video(call: Call, token: AccessToken, key: str) -> Video:
    channel, video = own_channel(call, token), call.world.store.get(Video, key)
    if video is None:
        message = "The video that you are trying to change cannot be found. Check the value of the id field."
        raise Refused(api_error(404, "videoNotFound", message, "youtube.video", place=("parameter", "id")))
    if video.parent != channel.id:
        raise refusal("forbidden")
    return video


def own_or_public(call: Call, token: AccessToken, key: str) -> Video:
    """Find a video that the caller can see."""
    video = call.world.store.get(Video, key)
    if video is None or _seen(call.world, token, video, set(), "") is None:
        message = "The video that you are trying to rate cannot be found. Check the value of the id parameter."
        raise Refused(api_error(404, "videoNotFound", message, "youtube.video", place=("parameter", "id")))
    return video


def announce(world: World, channel: YouTubeChannel, video: Video, *, changed: bool = False) -> None:
    """Notify the subscribers of the channel's feed as soon as the video is public."""
    now = world.clock.now()
    seen = video.ready or video.made
    if video.publish_at is not None:
        seen = max(seen, video.publish_at)
    elif video.privacy != "public":
        return
    if not video.ending:
        after = max(0.0, (seen - now).total_seconds())
        updated = moment(now) if changed else moment(seen)
        published = moment(video.published)
        send_feed(world, channel, video=video.id, title=video.title, published=published, updated=updated, after=after)


def moment(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def resource(world: World, video: Video, parts: set[str], *, mine: bool, language: str = "") -> dict[str, Any]:
    makers = _MAKERS | (_OWN_MAKERS if mine else {})
    chosen = {part: make(world, video) for part, make in makers.items() if part in parts}
    if "snippet" in chosen:
        chosen["snippet"]["localized"] = _localized(video, language)
    if "localizations" in parts and video.localizations:
        chosen["localizations"] = video.localizations
    return {"kind": "youtube#video", "etag": etag([video.id, chosen]), "id": video.id} | chosen


def thumbnails(video: Video) -> dict[str, Any]:
    url = f"https://i.ytimg.com/vi/{video.id}/{{name}}.jpg"
    return {
        size: {"url": url.format(name=name), "width": width, "height": height}
        for size, (name, width, height) in _THUMBNAILS.items()
    }


def _seen(world: World, token: AccessToken, video: Video, parts: set[str], language: str) -> dict[str, Any] | None:
    channel = world.store.get(YouTubeChannel, video.parent)
    mine = channel is not None and channel.parent == token.parent
    hidden = metadata.privacy_of(world, video) == "private" or video.ending
    return None if hidden and not mine else resource(world, video, parts, mine=mine, language=language)


def _done(world: World, video: Video) -> bool:
    return stage(world, video.ready) != "processing"


def about(world: World, video: Video, at: datetime) -> dict[str, Any]:
    """Return what every list says about a video."""
    channel = world.store.get(YouTubeChannel, video.parent)
    return {
        "publishedAt": moment(at),
        "channelId": video.parent,
        "title": video.title,
        "description": video.description,
        "thumbnails": thumbnails(video),
        "channelTitle": channel.title if channel else "",
    }


def _snippet(world: World, video: Video) -> dict[str, Any]:
    written = metadata.part_of(video, metadata.SnippetBody)
    shown = written | about(world, video, video.published) | {"liveBroadcastContent": "none"}
    return {name: value for name, value in shown.items() if value or name == "description"}


def _localized(video: Video, language: str) -> dict[str, str]:
    """Return the texts in the requested language, or its base language, or else as they were written."""
    own = {"title": video.title, "description": video.description}
    found = video.localizations.get(language) or video.localizations.get(language.partition("-")[0])
    return own | found if found else own


def _status(world: World, video: Video) -> dict[str, Any]:
    word, _, reason = video.ending.partition(":")
    privacy = metadata.privacy_of(world, video)
    shown = metadata.part_of(video, metadata.StatusBody) | {
        "uploadStatus": (word or "processed") if _done(world, video) else "uploaded",
        "privacyStatus": privacy,
        "madeForKids": video.for_kids,
    }
    del shown["publishAt"]
    if word and _done(world, video):
        shown["failureReason" if word == "failed" else "rejectionReason"] = reason
    if video.publish_at is not None and privacy == "private":
        shown["publishAt"] = moment(video.publish_at)
    return shown


def _statistics(world: World, video: Video) -> dict[str, Any]:
    """Count what people did with a video; counts are strings."""
    return {
        "viewCount": str(CHANNELS.total(world, video, "views")),
        "likeCount": str(CHANNELS.total(world, video, "likes")),
        "favoriteCount": "0",
        "commentCount": str(len(visible_on(world, VideoComment, video.id))),
    }


def _content(world: World, video: Video) -> dict[str, Any]:
    return {
        "duration": _duration(video.file.seconds or _BELIEVED) if _done(world, video) else "P0D",
        "dimension": "2d",
        "definition": "hd" if _done(world, video) else "sd",
        "caption": "false",
        "licensedContent": False,
        "contentRating": {},
        "projection": "rectangular",
        "hasCustomThumbnail": video.thumbnail is not None,
    }


def _duration(seconds: float) -> str:
    """Format a duration as YouTube does, in whole seconds: `PT1H2M3S`."""
    whole = max(1, round(seconds))
    parts = zip("HMS", (whole // 3600, whole // 60 % 60, whole % 60), strict=True)
    return "PT" + "".join(f"{count}{unit}" for unit, count in parts if count)


def _processing(world: World, video: Video) -> dict[str, Any]:
    if not _done(world, video):
        progress = {"partsTotal": "100", "partsProcessed": "40", "timeLeftMs": "6000"}
        return {"processingStatus": "processing", "processingProgress": progress}
    if video.ending.startswith("failed"):
        return {"processingStatus": "failed", "processingFailureReason": "transcodeFailed"}
    return {"processingStatus": "terminated" if video.ending else "succeeded", "thumbnailsAvailability": "available"}


def _file(_world: World, video: Video) -> dict[str, Any]:
    file = video.file
    shown: dict[str, Any] = {"fileName": file.file, "fileSize": str(file.size), "fileType": "video"}
    if file.seconds:
        shown |= {"durationMs": str(round(file.seconds * 1000)), "container": file.declared.rpartition("/")[2]}
    return shown | ({"videoStreams": [{"widthPixels": file.width, "heightPixels": file.height}]} if file.width else {})


def _recording(_world: World, video: Video) -> dict[str, Any]:
    return metadata.part_of(video, metadata.RecordingBody) if video.recorded else {}


def _player(_world: World, video: Video) -> dict[str, Any]:
    frame = f'<iframe width="480" height="270" src="//www.youtube.com/embed/{video.id}"></iframe>'
    return {"embedHtml": frame}


# How the parts of a video are made, and those that only its channel can read.
_MAKERS: dict[str, Callable[[World, Video], dict[str, Any]]] = {
    "snippet": _snippet,
    "status": _status,
    "statistics": _statistics,
    "contentDetails": _content,
    "player": _player,
}
_OWN_MAKERS = {"processingDetails": _processing, "fileDetails": _file, "recordingDetails": _recording}
# The others are documented, but no video here has them.
_NEVER = {"liveStreamingDetails", "suggestions", "topicDetails"}
PARTS = {"id", "localizations", *_MAKERS, *_OWN_MAKERS, *_NEVER}


def _item(world: World, channel: YouTubeChannel, video: Video, place: int, parts: set[str]) -> dict[str, Any]:
    listed = {
        "playlistId": uploads_of(channel),
        "position": place,
        "resourceId": {"kind": "youtube#video", "videoId": video.id},
        "videoOwnerChannelTitle": channel.title,
        "videoOwnerChannelId": channel.id,
    }
    shown: dict[str, Any] = {
        # The time is when it was added to the list, which is not when it was published.
        "snippet": about(world, video, video.made) | listed,
        "contentDetails": {"videoId": video.id, "videoPublishedAt": moment(video.published)},
        "status": {"privacyStatus": metadata.privacy_of(world, video)},
    }
    chosen = {part: value for part, value in shown.items() if part in parts}
    key = f"UU.{etag([channel.id, video.id])}"
    return {"kind": "youtube#playlistItem", "etag": etag([key, chosen]), "id": key} | chosen


ROUTES = routes(
    ("GET", "videos", metered(list_videos, *READING)),
    ("PUT", "videos", metered(update_video, *MANAGING, cost=50)),
    ("DELETE", "videos", metered(delete_video, *MANAGING, cost=50)),
    ("GET", "playlistItems", metered(list_uploads, *READING)),
)
