"""Comments on videos of YouTube, as the channel that signed in writes and reads them."""

from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Refused, Route, World, text
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.channels import HOSTS, asked_parts, limit_of, own_channel, pages_of
from socialgate.sandbox.vendors.google.errors import ERRORS, api_error
from socialgate.sandbox.vendors.google.paging import etag
from socialgate.sandbox.vendors.google.quota import metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken, CommentThread, Video, YouTubeChannel
from socialgate.sandbox.vendors.google.videos import moment

# The wide scope `youtube` does not open comments.
_SCOPE = f"{AUTH}youtube.force-ssl"
_PARTS = {"id", "replies", "snippet"}
_LONGEST = 10_000
_DOMAIN = "youtube.commentThread"


class _Comment(msgspec.Struct, rename="camel"):
    text_original: str = ""


class _TopLevel(msgspec.Struct):
    snippet: _Comment = msgspec.field(default_factory=_Comment)


class _Thread(msgspec.Struct, rename="camel"):
    channel_id: str = ""
    video_id: str = ""
    top_level_comment: _TopLevel = msgspec.field(default_factory=_TopLevel)


class _Body(msgspec.Struct):
    snippet: _Thread = msgspec.field(default_factory=_Thread)


def insert(call: Call, token: AccessToken) -> object:
    author, parts = own_channel(call, token), asked_parts(call, _PARTS)
    given = call.read_json(_Body).snippet
    if not given.video_id:
        message = "The <code>snippet.videoId</code> property must specify the video to comment on."
        return _refusal(400, "channelOrVideoIdMissing", message, "body.snippet.videoId")
    video = _visible(call, author, given.video_id)
    written = given.top_level_comment.snippet.text_original
    place = "body.snippet.topLevelComment.snippet.textOriginal"
    if not written.strip():
        return _refusal(400, "commentTextRequired", "The comment has no text.", place)
    if len(written) > _LONGEST:
        return _refusal(400, "commentTextTooLong", "The comment has too many characters.", place)
    if video.for_kids:
        message = "The video identified by the <code>videoId</code> parameter has disabled comments."
        return _refusal(403, "commentsDisabled", message, "body.snippet.videoId")
    thread = CommentThread(
        id=f"Ug{text(24)}", parent=video.id, author=author.id, text=written, made=call.world.clock.now()
    )
    call.world.store.put(thread)
    return _resource(call.world, thread, parts)


def list_threads(call: Call, token: AccessToken) -> object:
    """List the comments on a video, the newest first."""
    reader, parts = own_channel(call, token), asked_parts(call, _PARTS)
    if "videoId" not in call.query:
        message = "No filter selected. Expected one of: allThreadsRelatedToChannelId, channelId, id, videoId"
        place = ("other", "parameters.")
        return api_error(400, "missingRequiredParameter", message, "youtube.parameter", place=place)
    video = _visible(call, reader, call.query["videoId"])
    found = call.world.store.find(CommentThread, parent=video.id, newest_first=True)
    size = limit_of(call, default=20, most=100)
    shown, following = pages_of(call, found, size)
    items = [_resource(call.world, thread, parts) for thread in shown]
    answer: dict[str, Any] = {"kind": "youtube#commentThreadListResponse", "etag": etag(items)}
    answer |= {"nextPageToken": following} if following else {}
    return answer | {"pageInfo": {"totalResults": len(found), "resultsPerPage": size}, "items": items}


def delete(call: Call, token: AccessToken) -> object:
    """Delete a comment of one's own, or one under a video of one's own."""
    channel, thread = own_channel(call, token), call.world.store.get(CommentThread, call.query.get("id", ""))
    if thread is None:
        return _refusal(404, "commentNotFound", "The specified comment could not be found.", "id")
    video = call.world.store.get(Video, thread.parent)
    if channel.id not in {thread.author, video.parent if video else ""}:
        return ERRORS["forbidden"](call)
    call.world.store.delete(CommentThread, thread.id)
    return Response(status_code=204)


def author_name(world: World, thread: CommentThread) -> str:
    channel = world.store.get(YouTubeChannel, thread.author)
    return channel.handle if channel is not None else thread.author


def _visible(call: Call, channel: YouTubeChannel, key: str) -> Video:
    """Find a video that a channel can see: its own, or one that is not private."""
    video = call.world.store.get(Video, key)
    hidden = video is None or metadata.privacy_of(call.world, video) == "private" or video.ending
    if video is None or (hidden and video.parent != channel.id):
        message = "The video identified by the <code>videoId</code> parameter could not be found."
        raise Refused(api_error(404, "videoNotFound", message, _DOMAIN, place=("parameter", "videoId")))
    return video


def _refusal(status: int, reason: str, message: str, where: str) -> Response:
    return api_error(status, reason, message, _DOMAIN, place=("other", where))


def _resource(world: World, thread: CommentThread, parts: set[str]) -> dict[str, Any]:
    video = world.store.get(Video, thread.parent)
    channel = video.parent if video is not None else ""
    comment = {"kind": "youtube#comment", "etag": etag([thread.id, thread.text]), "id": thread.id}
    snippet = {
        "channelId": channel,
        "videoId": thread.parent,
        "topLevelComment": comment | {"snippet": _snippet(world, thread, channel)},
        "canReply": True,
        "totalReplyCount": 0,
        "isPublic": True,
    }
    shown = {"kind": "youtube#commentThread", "etag": etag([thread.id]), "id": thread.id}
    return shown | ({"snippet": snippet} if "snippet" in parts else {})


def _snippet(world: World, thread: CommentThread, channel: str) -> dict[str, Any]:
    made = moment(thread.made)
    return {
        "channelId": channel,
        "videoId": thread.parent,
        "textDisplay": thread.text,
        "textOriginal": thread.text,
        "authorDisplayName": author_name(world, thread),
        "authorProfileImageUrl": f"https://yt3.ggpht.com/ytc/{thread.author[2:]}=s48-c-k-c0x00ffffff-no-rj",
        "authorChannelUrl": f"http://www.youtube.com/channel/{thread.author}",
        "authorChannelId": {"value": thread.author},
        "canRate": True,
        "viewerRating": "none",
        "likeCount": 0,
        "publishedAt": made,
        "updatedAt": made,
    }


ROUTES = [
    route
    for host in HOSTS
    for route in (
        Route("GET", f"/{host}/youtube/v3/commentThreads", metered(list_threads, _SCOPE)),
        Route("POST", f"/{host}/youtube/v3/commentThreads", metered(insert, _SCOPE, cost=50)),
        Route("DELETE", f"/{host}/youtube/v3/comments", metered(delete, _SCOPE, cost=50)),
    )
]
