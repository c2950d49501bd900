"""Comments on YouTube videos, as the signed-in channel writes, reads and moderates them."""

from html import escape
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Person, StoredObject, VendorContext, generate_alphanumeric, read_list_parameter
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.society import comments as society
from socialgate_sandbox.society.comments import Author, CommentService
from socialgate_sandbox.vendors.google.paging import compute_etag
from socialgate_sandbox.vendors.google.seed import VIEWER_CHANNEL_IDS
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Ban, Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube import request_helpers, video_metadata
from socialgate_sandbox.vendors.google.youtube.channels import PICTURE_HOST
from socialgate_sandbox.vendors.google.youtube.comment_errors import build_comment_refusal
from socialgate_sandbox.vendors.google.youtube.quota import add_quota_charge
from socialgate_sandbox.vendors.google.youtube.videos import format_time

# The broad scope `youtube` does not include comments.
_COMMENT_SCOPE = f"{AUTH}youtube.force-ssl"
_MAX_TEXT_LENGTH, _MAX_THREAD_REPLIES = 10_000, 5
_THREAD_FILTERS = ("allThreadsRelatedToChannelId", "channelId", "id", "videoId")
_TEXT_PATH, _PARENT_PATH = "body.snippet.textOriginal", "body.snippet.parentId"


class _SnippetBody(msgspec.Struct, rename="camel"):
    """The input: a comment, or for a thread its first comment."""

    video_id: str = ""
    parent_id: str = ""
    text_original: str = ""
    top_level_comment: "_CommentBody | None" = None


class _CommentBody(msgspec.Struct):
    id: str = ""
    snippet: _SnippetBody = msgspec.field(default_factory=_SnippetBody)


def _find_commentable_video_id(context: VendorContext, resource_id: str) -> str | None:
    video = context.store.get(Video, resource_id)
    return video.id if video is not None and not video.for_kids else None


def _build_viewer(person: Person, _channel: StoredObject) -> Author:
    return Author(id=VIEWER_CHANNEL_IDS[person.key], name=f"@{person.key}", username=person.key, person=person.key)


def _build_ban_fields(context: VendorContext, video: str, author: Author) -> dict[str, Any]:
    """Reject the comments of a banned author immediately."""
    owner = COMMENT_SERVICE.find_owner(context, video)
    banned = owner is not None and context.store.get(Ban, f"{owner.id} {author.id}") is not None
    return {"status": "rejected", "hidden": True} if banned else {}


COMMENT_SERVICE: CommentService[VideoComment] = CommentService(
    kind=VideoComment,
    posts=(Video,),
    account_type=YouTubeChannel,
    find_post_id=_find_commentable_video_id,
    author=_build_viewer,
    new_id=lambda _video, above: (
        f"Ug{generate_alphanumeric(24)}" if above is None else f"{above.id}.{generate_alphanumeric(22)}"
    ),
    build_extra_fields=_build_ban_fields,
    has_flat_replies=True,
    deletes_replies=True,
)


def apply_moderation_status(context: VendorContext, comment: VideoComment, status: str) -> None:
    comment.status = status
    COMMENT_SERVICE.set_hidden(context, comment, hidden=status != "published")


class _CallingChannel:
    """The channel that makes a call, and what it can see."""

    def __init__(self, call: Call, token: AccessToken, *parts: str) -> None:
        channel = request_helpers.require_own_channel(call, token)
        self.call, self.world, self.channel_id = call, call.context, channel.id
        self.author = Author(id=channel.id, name=channel.handle, username=channel.handle)
        self.parts = request_helpers.parse_parts(call, {"id", *parts}) if parts else set()

    def require_or_refuse(self, condition: object, reason: str, parameter_name: str = "") -> None:
        if not condition:
            raise build_comment_refusal(self.call, reason, parameter_name)

    def find_video(self, resource_id: str, reason: str = "videoNotFound") -> Video:
        """Find a video that the channel can see: its own, or one that is not private."""
        video = self.world.store.get(Video, resource_id)
        hidden = video is None or video_metadata.compute_privacy(self.world, video) == "private" or video.ending
        if video is None or (hidden and video.parent != self.channel_id):
            raise build_comment_refusal(self.call, reason, "videoId")
        return video

    def find_comment(self, resource_id: str, reason: str = "commentNotFound") -> tuple[VideoComment, Video]:
        """Find a comment that is public, the channel's own, or on the channel's own video."""
        comment = society.find_comment(self.world, VideoComment, resource_id)
        if comment is None or (comment.above and reason == "commentThreadNotFound"):
            raise build_comment_refusal(self.call, reason, "id")
        video = self.find_video(comment.parent, reason)
        concerned = self.channel_id in {comment.author.id, video.parent}
        self.require_or_refuse(concerned or not society.is_hidden(self.world, comment), reason, "id")
        return comment, video

    def parse_text(self, comment_body: _CommentBody) -> str:
        """Read the text of a comment."""
        message = comment_body.snippet.text_original
        self.require_or_refuse(message.strip(), "commentTextRequired", _TEXT_PATH)
        self.require_or_refuse(len(message) <= _MAX_TEXT_LENGTH, "commentTextTooLong", _TEXT_PATH)
        return message

    def list_replies(self, thread: VideoComment) -> list[VideoComment]:
        """List the replies to a comment, newest first."""
        return society.list_replies(self.world, thread)[::-1]

    def build_comment(self, comment: VideoComment) -> dict[str, Any]:
        owner, plain = self.find_video(comment.parent).parent, self.call.query.get("textFormat") == "plainText"
        author = comment.author
        snippet = {
            "channelId": owner,
            "videoId": comment.parent,
            "textDisplay": comment.text if plain else escape(comment.text).replace("\n", "<br>"),
            # Only its author always gets the text as typed.
            "textOriginal": comment.text if author.id == self.channel_id else None,
            "parentId": comment.above or None,
            "authorDisplayName": author.name,
            "authorProfileImageUrl": build_picture_url(self.world, PICTURE_HOST, author.id, 48),
            "authorChannelUrl": f"http://www.youtube.com/channel/{author.id}",
            "authorChannelId": {"value": author.id},
            "canRate": True,
            "viewerRating": "none",
            "likeCount": 0,
            "moderationStatus": comment.status if owner == self.channel_id and "id" not in self.call.query else None,
            "publishedAt": format_time(comment.created_at),
            "updatedAt": format_time(comment.edited or comment.created_at),
        }
        response = {name: value for name, value in snippet.items() if value is not None}
        return {"kind": "youtube#comment", "etag": compute_etag(response), "id": comment.id, "snippet": response}

    def build_thread(self, thread: VideoComment, status: str = "published") -> dict[str, Any]:
        video, public = self.find_video(thread.parent), thread.status == "published"
        replies = [
            video_comment
            for video_comment in self.list_replies(thread)
            if video_comment.status in {"published", status}
        ]
        snippet = {
            "channelId": video.parent,
            "videoId": video.id,
            "topLevelComment": self.build_comment(thread),
            "canReply": public and not video.for_kids,
            "totalReplyCount": len(replies),
            "isPublic": public and video_metadata.compute_privacy(self.world, video) != "private",
        }
        shown: dict[str, Any] = {"kind": "youtube#commentThread", "etag": compute_etag(snippet), "id": thread.id}
        shown |= {"snippet": snippet} if "snippet" in self.parts else {}
        few = [self.build_comment(reply) for reply in replies[:_MAX_THREAD_REPLIES]] if "replies" in self.parts else []
        return shown | ({"replies": {"comments": few}} if few else {})


def insert_thread(call: Call, token: AccessToken) -> object:
    reader, body = _CallingChannel(call, token, "snippet", "replies"), _parse_body(call).snippet
    reader.require_or_refuse(body.video_id, "channelOrVideoIdMissing", "body.snippet.videoId")
    video, message = reader.find_video(body.video_id), reader.parse_text(body.top_level_comment or _CommentBody())
    reader.require_or_refuse(not video.for_kids, "commentsDisabled", "body.snippet.videoId")
    return reader.build_thread(COMMENT_SERVICE.write(call.context, video.id, reader.author, message))


def list_threads(call: Call, token: AccessToken) -> object:
    """List comments with some of their replies, newest first, or those with the most replies first."""
    reader, by = (
        _CallingChannel(call, token, "snippet", "replies"),
        request_helpers.get_only_filter(call, *_THREAD_FILTERS),
    )
    status = request_helpers.parse_choice(call, "moderationStatus", "published", "heldForReview", "likelySpam")
    if by == "id":
        request_helpers.get_only_filter(call, "id", "moderationStatus")
        video_comments = [
            reader.find_comment(key, "commentThreadNotFound")[0] for key in read_list_parameter(call, "id")
        ]
    else:
        video_comments = _find_threads(reader, by, status)
    words = call.query.get("searchTerms", "").casefold()
    video_comments = [video_comment for video_comment in video_comments if words in video_comment.text.casefold()]
    if request_helpers.parse_choice(call, "order", "time", "relevance") == "relevance":
        video_comments.sort(key=lambda video_comment: -len(reader.list_replies(video_comment)))
    request_helpers.parse_choice(call, "textFormat", "html", "plainText")
    return request_helpers.build_list_page(
        call,
        "commentThread",
        video_comments,
        lambda video_comment: reader.build_thread(video_comment, status),
        default=20,
        max_size=100,
    )


def list_comments(call: Call, token: AccessToken) -> object:
    """List comments by their ids, or the replies to a public comment."""
    reader = _CallingChannel(call, token, "snippet")
    if request_helpers.get_only_filter(call, "id", "parentId") == "id":
        video_comments = [reader.find_comment(key)[0] for key in read_list_parameter(call, "id")]
    else:
        thread, _video = reader.find_comment(call.query["parentId"])
        video_comments = [
            video_comment
            for video_comment in reader.list_replies(thread)
            if not society.is_hidden(call.context, video_comment)
        ]
    request_helpers.parse_choice(call, "textFormat", "html", "plainText")
    return request_helpers.build_list_page(
        call, "comment", video_comments, reader.build_comment, default=20, max_size=100
    )


def insert_reply(call: Call, token: AccessToken) -> object:
    reader, body = _CallingChannel(call, token, "snippet"), _parse_body(call)
    reader.require_or_refuse(body.snippet.parent_id, "parentIdMissing", _PARENT_PATH)
    parent, video = reader.find_comment(body.snippet.parent_id, "parentCommentNotFound")
    message = reader.parse_text(body)
    reader.require_or_refuse(not society.is_hidden(call.context, parent), "parentCommentIsPrivate", _PARENT_PATH)
    reader.require_or_refuse(not video.for_kids, "operationNotSupported", _PARENT_PATH)
    return reader.build_comment(COMMENT_SERVICE.write(call.context, video.id, reader.author, message, parent))


def update_comment(call: Call, token: AccessToken) -> object:
    reader, body = _CallingChannel(call, token, "snippet"), _parse_body(call)
    comment, _video = reader.find_comment(body.id)
    reader.require_or_refuse(comment.author.id == reader.channel_id, "forbidden")
    COMMENT_SERVICE.edit(call.context, comment, reader.parse_text(body))
    return reader.build_comment(comment)


def set_moderation_status(call: Call, token: AccessToken) -> object:
    """Hold, publish or reject comments on the caller's own videos."""
    reader, banned = _CallingChannel(call, token), call.query.get("banAuthor") == "true"
    keys, _given = (
        request_helpers.require_list_parameter(call, "id"),
        request_helpers.require_list_parameter(call, "moderationStatus"),
    )
    status = request_helpers.parse_choice(call, "moderationStatus", "heldForReview", "published", "rejected")
    reader.require_or_refuse(not banned or status == "rejected", "banWithoutReject", "banAuthor")
    result = [reader.find_comment(key) for key in keys]
    reader.require_or_refuse(all(video.parent == reader.channel_id for _comment, video in result), "forbidden")
    for comment, _video in result:
        apply_moderation_status(call.context, comment, status)
        if banned:
            call.context.store.put(Ban(id=f"{reader.channel_id} {comment.author.id}", parent=reader.channel_id))
    return Response(status_code=204)


def delete_comment(call: Call, token: AccessToken) -> object:
    """Delete the caller's own comment, or one on the caller's own video."""
    reader = _CallingChannel(call, token)
    comment, video = reader.find_comment(call.query.get("id", ""))
    reader.require_or_refuse(reader.channel_id in {comment.author.id, video.parent}, "forbidden")
    COMMENT_SERVICE.delete(call.context, comment)
    return Response(status_code=204)


def _find_threads(calling_channel: _CallingChannel, filter_name: str, status: str) -> list[VideoComment]:
    store, owner = calling_channel.world.store, calling_channel.call.query[filter_name]
    # Comments about a channel itself no longer exist: `channelId` finds nothing.
    videos = store.find(Video, parent=owner) if filter_name == "allThreadsRelatedToChannelId" else []
    if filter_name == "videoId":
        videos = [calling_channel.find_video(owner)]
        owner = videos[0].parent
        calling_channel.require_or_refuse(not videos[0].for_kids, "commentsDisabled", "videoId")
    else:
        calling_channel.require_or_refuse(store.get(YouTubeChannel, owner), "channelNotFound", filter_name)
        videos = [
            video
            for video in videos
            if owner == calling_channel.channel_id or video_metadata.is_public(calling_channel.world, video)
        ]
    calling_channel.require_or_refuse(status == "published" or owner == calling_channel.channel_id, "forbidden")
    video_comments = [
        video_comment
        for video in videos
        for video_comment in society.list_comments(calling_channel.world, VideoComment, video.id)[::-1]
    ]
    # A thread also waits for a moderator if one of its replies does.
    waiting = {video_comment.above for video_comment in video_comments if video_comment.status == status != "published"}
    chosen = [
        video_comment
        for video_comment in video_comments
        if not video_comment.above and (video_comment.status == status or video_comment.id in waiting)
    ]
    return sorted(chosen, key=lambda video_comment: video_comment.created_at, reverse=True)


def _parse_body(call: Call) -> _CommentBody:
    value = call.json
    try:
        return msgspec.convert(value, _CommentBody)
    except msgspec.ValidationError:
        raise build_comment_refusal(call, "invalidCommentMetadata", "body") from None


ROUTES = request_helpers.build_routes(
    ("GET", "commentThreads", add_quota_charge(list_threads, _COMMENT_SCOPE)),
    ("POST", "commentThreads", add_quota_charge(insert_thread, _COMMENT_SCOPE, cost=50)),
    ("GET", "comments", add_quota_charge(list_comments, _COMMENT_SCOPE)),
    ("POST", "comments", add_quota_charge(insert_reply, _COMMENT_SCOPE, cost=50)),
    ("PUT", "comments", add_quota_charge(update_comment, _COMMENT_SCOPE, cost=50)),
    ("DELETE", "comments", add_quota_charge(delete_comment, _COMMENT_SCOPE, cost=50)),
    ("POST", "comments/setModerationStatus", add_quota_charge(set_moderation_status, _COMMENT_SCOPE, cost=50)),
)
