"""YouTube videos: how they are shown, changed and deleted, and the list of a channel's uploads."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from starlette.responses import Response

from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, read_list_parameter
from socialgate_sandbox.kit.post_processing import compute_stage
from socialgate_sandbox.society.comments import list_visible_comments
from socialgate_sandbox.vendors.google.errors import build_api_error, build_refusal
from socialgate_sandbox.vendors.google.paging import compute_etag
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Rating, Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.webhooks import notify_feed_subscribers
from socialgate_sandbox.vendors.google.youtube import video_metadata
from socialgate_sandbox.vendors.google.youtube.audiences import CHANNEL_AUDIENCES
from socialgate_sandbox.vendors.google.youtube.channels import build_uploads_playlist_id
from socialgate_sandbox.vendors.google.youtube.quota import add_quota_charge
from socialgate_sandbox.vendors.google.youtube.request_helpers import (
    READ_SCOPES,
    build_list_page,
    build_list_response,
    build_parameter_error,
    build_routes,
    get_only_filter,
    parse_parts,
    require_own_channel,
)

PROCESSING_SECONDS = 10.0
# The duration of a video whose bytes do not contain it.
_DEFAULT_DURATION_SECONDS = 15.0
MANAGE_SCOPES = (f"{AUTH}youtube", f"{AUTH}youtube.force-ssl")
OUTCOMES = [
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
_MAX_IDS = 50
_THUMBNAIL_SIZES = {"default": ("default", 120, 90), "medium": ("mqdefault", 320, 180), "high": ("hqdefault", 480, 360)}


def list_videos(call: Call, token: AccessToken) -> object:
    """List videos by their ids, the most popular ones, or those that the channel liked."""
    parts, chosen = parse_parts(call, VIDEO_PARTS), get_only_filter(call, "chart", "id", "myRating")
    if chosen == "id":
        values = list(dict.fromkeys(read_list_parameter(call, "id")))
        if len(values) > _MAX_IDS:
            message = "The request specifies an invalid filter parameter."
            raise build_parameter_error("id", message, "invalidFilters")
        result = [call.context.store.get(Video, key) for key in values]
    else:
        result = list(_list_popular_videos(call) if chosen == "chart" else _list_rated_videos(call, token))
    language = call.query.get("hl", "")
    seen = [
        shown
        for video in result
        if video and (shown := _build_visible_video(call.context, token, video, parts, language))
    ]
    if chosen == "id":
        return build_list_response("video", seen, len(seen), max(len(seen), 1), None)
    return build_list_page(call, "video", seen, lambda shown: shown)


def _list_popular_videos(call: Call) -> list[Video]:
    if call.query["chart"] != "mostPopular":
        message = f"Invalid value '{call.query['chart']}'. Allowed values: [mostPopular]"
        raise build_parameter_error("chart", message)
    videos = [
        video
        for video in call.context.store.find(Video)
        if video_metadata.compute_privacy(call.context, video) == "public"
    ]
    category = call.query.get("videoCategoryId", "0")
    chosen = [video for video in videos if category in {"0", video.category}]
    return sorted(
        chosen, key=lambda video: CHANNEL_AUDIENCES.count_post_metric(call.context, video, "views"), reverse=True
    )


def _list_rated_videos(call: Call, token: AccessToken) -> list[Video]:
    ratings = call.context.store.find(Rating, parent=require_own_channel(call, token).id, newest_first=True)
    chosen = [rating.video for rating in ratings if rating.rating == call.query["myRating"]]
    return [video for key in chosen if (video := call.context.store.get(Video, key)) is not None]


def update_video(call: Call, token: AccessToken) -> object:
    parts = parse_parts(call, VIDEO_PARTS)
    body = video_metadata.parse_video(call.json)
    video = require_own_video(call, token, body.id)
    video_metadata.validate_video(call.context, body, parts, is_update=True)
    before = (video.title, video.description, video_metadata.compute_privacy(call.context, video))
    video_metadata.apply_parts(call.context, video, body, parts)
    call.context.store.put(video)
    if before != (video.title, video.description, video_metadata.compute_privacy(call.context, video)):
        notify_subscribers(call.context, require_own_channel(call, token), video, is_change=True)
    return build_video(call.context, video, parts, is_owner=True)


def delete_video(call: Call, token: AccessToken) -> object:
    video = require_own_video(call, token, call.query.get("id", ""))
    call.context.store.delete(Video, video.id)
    call.context.store.delete_all(VideoComment, parent=video.id)
    return Response(status_code=204)


def list_uploads(call: Call, token: AccessToken) -> object:
    parts = parse_parts(call, {"contentDetails", "id", "snippet", "status"})
    playlist = call.query.get("playlistId", "")
    channel = call.context.store.get(YouTubeChannel, f"UC{playlist[2:]}")
    if channel is None or playlist != build_uploads_playlist_id(channel):
        message = "The playlist identified with the request's <code>playlistId</code> parameter cannot be found."
        return build_api_error(
            404, "playlistNotFound", message, "youtube.playlistItem", place=("parameter", "playlistId")
        )
    mine, world = channel.parent == token.parent, call.context
    videos = world.store.find(Video, parent=channel.id, newest_first=True)
    existing_videos = [video for video in videos if mine or video_metadata.compute_privacy(world, video) == "public"]
    if "videoId" in call.query:
        existing_videos = [video for video in existing_videos if video.id == call.query["videoId"]]
    return build_list_page(
        call,
        "playlistItem",
        existing_videos,
        lambda video: _build_playlist_item(world, channel, video, existing_videos.index(video), parts),
    )


def require_own_video(call: Call, token: AccessToken, video_id: str) -> Video:
    channel, video = require_own_channel(call, token), call.context.store.get(Video, video_id)
    if video is None:
        message = "The video that you are trying to change cannot be found. Check the value of the id field."
        raise CallRefusedError(
            build_api_error(404, "videoNotFound", message, "youtube.video", place=("parameter", "id"))
        )
    if video.parent != channel.id:
        raise build_refusal("forbidden")
    return video


def require_visible_video(call: Call, token: AccessToken, video_id: str) -> Video:
    """Find a video that the caller can see."""
    video = call.context.store.get(Video, video_id)
    if video is None or _build_visible_video(call.context, token, video, set(), "") is None:
        message = "The video that you are trying to rate cannot be found. Check the value of the id parameter."
        raise CallRefusedError(
            build_api_error(404, "videoNotFound", message, "youtube.video", place=("parameter", "id"))
        )
    return video


def notify_subscribers(
    context: VendorContext, channel: YouTubeChannel, video: Video, *, is_change: bool = False
) -> None:
    """Notify the subscribers of the channel's feed as soon as the video is public."""
    now = context.clock.now()
    seen = video.ready or video.created_at
    if video.publish_at is not None:
        seen = max(seen, video.publish_at)
    elif video.privacy != "public":
        return
    if not video.ending:
        after = max(0.0, (seen - now).total_seconds())
        updated = format_time(now) if is_change else format_time(seen)
        published = format_time(video.published)
        notify_feed_subscribers(
            context,
            channel,
            video_id=video.id,
            title=video.title,
            published=published,
            updated=updated,
            delay_seconds=after,
        )


def format_time(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def build_video(
    context: VendorContext, video: Video, parts: set[str], *, is_owner: bool, language: str = ""
) -> dict[str, Any]:
    makers = _PART_BUILDERS | (_OWNER_PART_BUILDERS if is_owner else {})
    chosen = {part: make(context, video) for part, make in makers.items() if part in parts}
    if "snippet" in chosen:
        chosen["snippet"]["localized"] = _get_localized_texts(video, language)
    if "localizations" in parts and video.localizations:
        chosen["localizations"] = video.localizations
    return {"kind": "youtube#video", "etag": compute_etag([video.id, chosen]), "id": video.id} | chosen


def build_thumbnails(video: Video) -> dict[str, Any]:
    url = f"https://i.ytimg.com/vi/{video.id}/{{name}}.jpg"
    return {
        size: {"url": url.format(name=name), "width": width, "height": height}
        for size, (name, width, height) in _THUMBNAIL_SIZES.items()
    }


def _build_visible_video(
    context: VendorContext, token: AccessToken, video: Video, parts: set[str], language: str
) -> dict[str, Any] | None:
    channel = context.store.get(YouTubeChannel, video.parent)
    mine = channel is not None and channel.parent == token.parent
    hidden = video_metadata.compute_privacy(context, video) == "private" or video.ending
    return None if hidden and not mine else build_video(context, video, parts, is_owner=mine, language=language)


def _is_processed(context: VendorContext, video: Video) -> bool:
    return compute_stage(context, video.ready) != "processing"


def build_common_snippet(context: VendorContext, video: Video, published_at: datetime) -> dict[str, Any]:
    """Return what every list says about a video."""
    channel = context.store.get(YouTubeChannel, video.parent)
    return {
        "publishedAt": format_time(published_at),
        "channelId": video.parent,
        "title": video.title,
        "description": video.description,
        "thumbnails": build_thumbnails(video),
        "channelTitle": channel.title if channel else "",
    }


def _build_snippet(context: VendorContext, video: Video) -> dict[str, Any]:
    written = video_metadata.build_part(video, video_metadata.SnippetBody)
    shown = written | build_common_snippet(context, video, video.published) | {"liveBroadcastContent": "none"}
    return {name: value for name, value in shown.items() if value or name == "description"}


def _get_localized_texts(video: Video, language: str) -> dict[str, str]:
    """Return the texts in the requested language, or its base language, or else as they were written."""
    own = {"title": video.title, "description": video.description}
    result = video.localizations.get(language) or video.localizations.get(language.partition("-")[0])
    return own | result if result else own


def _build_status(context: VendorContext, video: Video) -> dict[str, Any]:
    word, _, reason = video.ending.partition(":")
    privacy = video_metadata.compute_privacy(context, video)
    shown = video_metadata.build_part(video, video_metadata.StatusBody) | {
        "uploadStatus": (word or "processed") if _is_processed(context, video) else "uploaded",
        "privacyStatus": privacy,
        "madeForKids": video.for_kids,
    }
    del shown["publishAt"]
    if word and _is_processed(context, video):
        shown["failureReason" if word == "failed" else "rejectionReason"] = reason
    if video.publish_at is not None and privacy == "private":
        shown["publishAt"] = format_time(video.publish_at)
    return shown


def _build_statistics(context: VendorContext, video: Video) -> dict[str, Any]:
    """Count what people did with a video; counts are strings."""
    return {
        "viewCount": str(CHANNEL_AUDIENCES.count_post_metric(context, video, "views")),
        "likeCount": str(CHANNEL_AUDIENCES.count_post_metric(context, video, "likes")),
        "favoriteCount": "0",
        "commentCount": str(len(list_visible_comments(context, VideoComment, video.id))),
    }


def _build_content_details(context: VendorContext, video: Video) -> dict[str, Any]:
    return {
        "duration": _format_duration(video.file.seconds or _DEFAULT_DURATION_SECONDS)
        if _is_processed(context, video)
        else "P0D",
        "dimension": "2d",
        "definition": "hd" if _is_processed(context, video) else "sd",
        "caption": "false",
        "licensedContent": False,
        "contentRating": {},
        "projection": "rectangular",
        "hasCustomThumbnail": video.thumbnail is not None,
    }


def _format_duration(seconds: float) -> str:
    """Format a duration as YouTube does, in whole seconds: `PT1H2M3S`."""
    whole = max(1, round(seconds))
    parts = zip("HMS", (whole // 3600, whole // 60 % 60, whole % 60), strict=True)
    return "PT" + "".join(f"{count}{unit}" for unit, count in parts if count)


def _build_processing_details(context: VendorContext, video: Video) -> dict[str, Any]:
    if not _is_processed(context, video):
        progress = {"partsTotal": "100", "partsProcessed": "40", "timeLeftMs": "6000"}
        return {"processingStatus": "processing", "processingProgress": progress}
    if video.ending.startswith("failed"):
        return {"processingStatus": "failed", "processingFailureReason": "transcodeFailed"}
    return {"processingStatus": "terminated" if video.ending else "succeeded", "thumbnailsAvailability": "available"}


def _build_file_details(_world: VendorContext, video: Video) -> dict[str, Any]:
    file = video.file
    shown: dict[str, Any] = {"fileName": file.file, "fileSize": str(file.size), "fileType": "video"}
    if file.seconds:
        shown |= {"durationMs": str(round(file.seconds * 1000)), "container": file.declared.rpartition("/")[2]}
    return shown | ({"videoStreams": [{"widthPixels": file.width, "heightPixels": file.height}]} if file.width else {})


def _build_recording_details(_world: VendorContext, video: Video) -> dict[str, Any]:
    return video_metadata.build_part(video, video_metadata.RecordingBody) if video.recorded else {}


def _build_player(_world: VendorContext, video: Video) -> dict[str, Any]:
    frame = f'<iframe width="480" height="270" src="//www.youtube.com/embed/{video.id}"></iframe>'
    return {"embedHtml": frame}


# How the parts of a video are made, and those that only its channel can read.
_PART_BUILDERS: dict[str, Callable[[VendorContext, Video], dict[str, Any]]] = {
    "snippet": _build_snippet,
    "status": _build_status,
    "statistics": _build_statistics,
    "contentDetails": _build_content_details,
    "player": _build_player,
}
_OWNER_PART_BUILDERS = {
    "processingDetails": _build_processing_details,
    "fileDetails": _build_file_details,
    "recordingDetails": _build_recording_details,
}
# The others are documented, but no video here has them.
_UNUSED_PARTS = {"liveStreamingDetails", "suggestions", "topicDetails"}
VIDEO_PARTS = {"id", "localizations", *_PART_BUILDERS, *_OWNER_PART_BUILDERS, *_UNUSED_PARTS}


def _build_playlist_item(
    context: VendorContext, channel: YouTubeChannel, video: Video, position: int, parts: set[str]
) -> dict[str, Any]:
    listed = {
        "playlistId": build_uploads_playlist_id(channel),
        "position": position,
        "resourceId": {"kind": "youtube#video", "videoId": video.id},
        "videoOwnerChannelTitle": channel.title,
        "videoOwnerChannelId": channel.id,
    }
    shown: dict[str, Any] = {
        # The time is when it was added to the list, which is not when it was published.
        "snippet": build_common_snippet(context, video, video.created_at) | listed,
        "contentDetails": {"videoId": video.id, "videoPublishedAt": format_time(video.published)},
        "status": {"privacyStatus": video_metadata.compute_privacy(context, video)},
    }
    chosen = {part: value for part, value in shown.items() if part in parts}
    key = f"UU.{compute_etag([channel.id, video.id])}"
    return {"kind": "youtube#playlistItem", "etag": compute_etag([key, chosen]), "id": key} | chosen


ROUTES = build_routes(
    ("GET", "videos", add_quota_charge(list_videos, *READ_SCOPES)),
    ("PUT", "videos", add_quota_charge(update_video, *MANAGE_SCOPES, cost=50)),
    ("DELETE", "videos", add_quota_charge(delete_video, *MANAGE_SCOPES, cost=50)),
    ("GET", "playlistItems", add_quota_charge(list_uploads, *READ_SCOPES)),
)
