"""Comments on YouTube videos, as the signed-in channel writes, reads and moderates them."""

from html import escape
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Person, Thing, World, listed, text
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.society import comments as society
from socialgate_sandbox.society.comments import Author, Board
from socialgate_sandbox.vendors.google.paging import etag
from socialgate_sandbox.vendors.google.seed import VIEWERS
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Ban, Video, VideoComment, YouTubeChannel
from socialgate_sandbox.vendors.google.youtube import api, metadata
from socialgate_sandbox.vendors.google.youtube.channels import PICTURES
from socialgate_sandbox.vendors.google.youtube.errors import refused
from socialgate_sandbox.vendors.google.youtube.quota import metered
from socialgate_sandbox.vendors.google.youtube.videos import moment

# The broad scope `youtube` does not include comments.
_SCOPE = f"{AUTH}youtube.force-ssl"
_LONGEST, _FEW_REPLIES = 10_000, 5
_THREAD_FILTERS = ("allThreadsRelatedToChannelId", "channelId", "id", "videoId")
_TEXT, _PARENT = "body.snippet.textOriginal", "body.snippet.parentId"


class _Snippet(msgspec.Struct, rename="camel"):
    """The input: a comment, or for a thread its first comment."""

    video_id: str = ""
    parent_id: str = ""
    text_original: str = ""
    top_level_comment: "_Body | None" = None


class _Body(msgspec.Struct):
    id: str = ""
    snippet: _Snippet = msgspec.field(default_factory=_Snippet)


def _open_video(world: World, key: str) -> str | None:
    video = world.store.get(Video, key)
    return video.id if video is not None and not video.for_kids else None


def _viewer(person: Person, _channel: Thing) -> Author:
    return Author(id=VIEWERS[person.key], name=f"@{person.key}", username=person.key, person=person.key)


def _rejected(world: World, video: str, author: Author) -> dict[str, Any]:
    """Reject the comments of a banned author immediately."""
    owner = BOARD.owner(world, video)
    banned = owner is not None and world.store.get(Ban, f"{owner.id} {author.id}") is not None
    return {"status": "rejected", "hidden": True} if banned else {}


BOARD: Board[VideoComment] = Board(
    kind=VideoComment,
    posts=(Video,),
    account=YouTubeChannel,
    post_of=_open_video,
    author=_viewer,
    new_id=lambda _video, above: f"Ug{text(24)}" if above is None else f"{above.id}.{text(22)}",
    more=_rejected,
    flat=True,
    answers_go=True,
)


def moderate(world: World, comment: VideoComment, status: str) -> None:
    comment.status = status
    BOARD.hide(world, comment, hidden=status != "published")


class _Reader:
    """The channel that makes a call, and what it can see."""

    def __init__(self, call: Call, token: AccessToken, *parts: str) -> None:
        channel = api.own_channel(call, token)
        self.call, self.world, self.id = call, call.world, channel.id
        self.author = Author(id=channel.id, name=channel.handle, username=channel.handle)
        self.parts = api.asked_parts(call, {"id", *parts}) if parts else set()

    def require(self, fits: object, reason: str, where: str = "") -> None:
        if not fits:
            raise refused(self.call, reason, where)

    def video(self, key: str, reason: str = "videoNotFound") -> Video:
        """Find a video that the channel can see: its own, or one that is not private."""
        video = self.world.store.get(Video, key)
        hidden = video is None or metadata.privacy_of(self.world, video) == "private" or video.ending
        if video is None or (hidden and video.parent != self.id):
            raise refused(self.call, reason, "videoId")
        return video

    def comment(self, key: str, reason: str = "commentNotFound") -> tuple[VideoComment, Video]:
        """Find a comment that is public, the channel's own, or on the channel's own video."""
        comment = society.find_comment(self.world, VideoComment, key)
        if comment is None or (comment.above and reason == "commentThreadNotFound"):
            raise refused(self.call, reason, "id")
        video = self.video(comment.parent, reason)
        concerned = self.id in {comment.author.id, video.parent}
        self.require(concerned or not society.is_hidden(self.world, comment), reason, "id")
        return comment, video

    def text(self, given: _Body) -> str:
        """Read the text of a comment."""
        said = given.snippet.text_original
        self.require(said.strip(), "commentTextRequired", _TEXT)
        self.require(len(said) <= _LONGEST, "commentTextTooLong", _TEXT)
        return said

    def replies(self, thread: VideoComment) -> list[VideoComment]:
        """List the replies to a comment, newest first."""
        return society.answers_to(self.world, thread)[::-1]

    def shown(self, comment: VideoComment) -> dict[str, Any]:
        owner, plain = self.video(comment.parent).parent, self.call.query.get("textFormat") == "plainText"
        author = comment.author
        snippet = {
            "channelId": owner,
            "videoId": comment.parent,
            "textDisplay": comment.text if plain else escape(comment.text).replace("\n", "<br>"),
            # Only its author always gets the text as typed.
            "textOriginal": comment.text if author.id == self.id else None,
            "parentId": comment.above or None,
            "authorDisplayName": author.name,
            "authorProfileImageUrl": picture_url(self.world, PICTURES, author.id, 48),
            "authorChannelUrl": f"http://www.youtube.com/channel/{author.id}",
            "authorChannelId": {"value": author.id},
            "canRate": True,
            "viewerRating": "none",
            "likeCount": 0,
            "moderationStatus": comment.status if owner == self.id and "id" not in self.call.query else None,
            "publishedAt": moment(comment.made),
            "updatedAt": moment(comment.edited or comment.made),
        }
        told = {name: value for name, value in snippet.items() if value is not None}
        return {"kind": "youtube#comment", "etag": etag(told), "id": comment.id, "snippet": told}

    def shown_thread(self, thread: VideoComment, status: str = "published") -> dict[str, Any]:
        video, public = self.video(thread.parent), thread.status == "published"
        replies = [one for one in self.replies(thread) if one.status in {"published", status}]
        snippet = {
            "channelId": video.parent,
            "videoId": video.id,
            "topLevelComment": self.shown(thread),
            "canReply": public and not video.for_kids,
            "totalReplyCount": len(replies),
            "isPublic": public and metadata.privacy_of(self.world, video) != "private",
        }
        shown: dict[str, Any] = {"kind": "youtube#commentThread", "etag": etag(snippet), "id": thread.id}
        shown |= {"snippet": snippet} if "snippet" in self.parts else {}
        few = [self.shown(one) for one in replies[:_FEW_REPLIES]] if "replies" in self.parts else []
        return shown | ({"replies": {"comments": few}} if few else {})


def insert_thread(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet", "replies"), _body(call).snippet
    reader.require(given.video_id, "channelOrVideoIdMissing", "body.snippet.videoId")
    video, said = reader.video(given.video_id), reader.text(given.top_level_comment or _Body())
    reader.require(not video.for_kids, "commentsDisabled", "body.snippet.videoId")
    return reader.shown_thread(BOARD.write(call.world, video.id, reader.author, said))


def list_threads(call: Call, token: AccessToken) -> object:
    """List comments with some of their replies, newest first, or those with the most replies first."""
    reader, by = _Reader(call, token, "snippet", "replies"), api.only_filter(call, *_THREAD_FILTERS)
    status = api.choice(call, "moderationStatus", "published", "heldForReview", "likelySpam")
    if by == "id":
        api.only_filter(call, "id", "moderationStatus")
        found = [reader.comment(key, "commentThreadNotFound")[0] for key in listed(call, "id")]
    else:
        found = _matching(reader, by, status)
    words = call.query.get("searchTerms", "").casefold()
    found = [one for one in found if words in one.text.casefold()]
    if api.choice(call, "order", "time", "relevance") == "relevance":
        found.sort(key=lambda one: -len(reader.replies(one)))
    api.choice(call, "textFormat", "html", "plainText")
    return api.list_page(
        call, "commentThread", found, lambda one: reader.shown_thread(one, status), default=20, most=100
    )


def list_comments(call: Call, token: AccessToken) -> object:
    """List comments by their ids, or the replies to a public comment."""
    reader = _Reader(call, token, "snippet")
    if api.only_filter(call, "id", "parentId") == "id":
        found = [reader.comment(key)[0] for key in listed(call, "id")]
    else:
        thread, _video = reader.comment(call.query["parentId"])
        found = [one for one in reader.replies(thread) if not society.is_hidden(call.world, one)]
    api.choice(call, "textFormat", "html", "plainText")
    return api.list_page(call, "comment", found, reader.shown, default=20, most=100)


def insert_reply(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    reader.require(given.snippet.parent_id, "parentIdMissing", _PARENT)
    parent, video = reader.comment(given.snippet.parent_id, "parentCommentNotFound")
    said = reader.text(given)
    reader.require(not society.is_hidden(call.world, parent), "parentCommentIsPrivate", _PARENT)
    reader.require(not video.for_kids, "operationNotSupported", _PARENT)
    return reader.shown(BOARD.write(call.world, video.id, reader.author, said, parent))


def update(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    comment, _video = reader.comment(given.id)
    reader.require(comment.author.id == reader.id, "forbidden")
    BOARD.edit(call.world, comment, reader.text(given))
    return reader.shown(comment)


def set_status(call: Call, token: AccessToken) -> object:
    """Hold, publish or reject comments on the caller's own videos."""
    reader, banned = _Reader(call, token), call.query.get("banAuthor") == "true"
    keys, _given = api.required(call, "id"), api.required(call, "moderationStatus")
    status = api.choice(call, "moderationStatus", "heldForReview", "published", "rejected")
    reader.require(not banned or status == "rejected", "banWithoutReject", "banAuthor")
    found = [reader.comment(key) for key in keys]
    reader.require(all(video.parent == reader.id for _comment, video in found), "forbidden")
    for comment, _video in found:
        moderate(call.world, comment, status)
        if banned:
            call.world.store.put(Ban(id=f"{reader.id} {comment.author.id}", parent=reader.id))
    return Response(status_code=204)


def delete(call: Call, token: AccessToken) -> object:
    """Delete the caller's own comment, or one on the caller's own video."""
    reader = _Reader(call, token)
    comment, video = reader.comment(call.query.get("id", ""))
    reader.require(reader.id in {comment.author.id, video.parent}, "forbidden")
    BOARD.delete(call.world, comment)
    return Response(status_code=204)


def _matching(reader: _Reader, by: str, status: str) -> list[VideoComment]:
    store, owner = reader.world.store, reader.call.query[by]
    # Comments about a channel itself no longer exist: `channelId` finds nothing.
    videos = store.find(Video, parent=owner) if by == "allThreadsRelatedToChannelId" else []
    if by == "videoId":
        videos = [reader.video(owner)]
        owner = videos[0].parent
        reader.require(not videos[0].for_kids, "commentsDisabled", "videoId")
    else:
        reader.require(store.get(YouTubeChannel, owner), "channelNotFound", by)
        videos = [one for one in videos if owner == reader.id or metadata.is_public(reader.world, one)]
    reader.require(status == "published" or owner == reader.id, "forbidden")
    found = [one for video in videos for one in society.comments_on(reader.world, VideoComment, video.id)[::-1]]
    # A thread also waits for a moderator if one of its replies does.
    waiting = {one.above for one in found if one.status == status != "published"}
    chosen = [one for one in found if not one.above and (one.status == status or one.id in waiting)]
    return sorted(chosen, key=lambda one: one.made, reverse=True)


def _body(call: Call) -> _Body:
    given = call.json
    try:
        return msgspec.convert(given, _Body)
    except msgspec.ValidationError:
        raise refused(call, "invalidCommentMetadata", "body") from None


ROUTES = api.routes(
    ("GET", "commentThreads", metered(list_threads, _SCOPE)),
    ("POST", "commentThreads", metered(insert_thread, _SCOPE, cost=50)),
    ("GET", "comments", metered(list_comments, _SCOPE)),
    ("POST", "comments", metered(insert_reply, _SCOPE, cost=50)),
    ("PUT", "comments", metered(update, _SCOPE, cost=50)),
    ("DELETE", "comments", metered(delete, _SCOPE, cost=50)),
    ("POST", "comments/setModerationStatus", metered(set_status, _SCOPE, cost=50)),
)
