"""Comments on YouTube videos, as the signed-in channel writes, reads and moderates them."""

from html import escape
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Person, Refused, Thing, World, listed, text
from socialgate.sandbox.society.comments import Author, Board, answers_to, find_comment, is_hidden, threads_on
from socialgate.sandbox.vendors.google.errors import ERRORS, api_error
from socialgate.sandbox.vendors.google.metadata import is_public, is_visible, privacy_of
from socialgate.sandbox.vendors.google.paging import etag
from socialgate.sandbox.vendors.google.quota import metered
from socialgate.sandbox.vendors.google.seed import VIEWERS
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken, Ban, Video, VideoComment, YouTubeChannel
from socialgate.sandbox.vendors.google.videos import moment
from socialgate.sandbox.vendors.google.youtube import (
    asked_parts,
    choice,
    list_page,
    only_filter,
    own_channel,
    required,
    routes,
)

# The broad scope `youtube` does not include comments.
_SCOPE = f"{AUTH}youtube.force-ssl"
_LONGEST, _FEW_REPLIES = 10_000, 5
_THREAD_FILTERS = ("allThreadsRelatedToChannelId", "channelId", "id", "videoId")
_TEXT = "body.snippet.textOriginal"
_REFUSALS = {
    "banWithoutReject": "An author can only be banned together with the status <code>rejected</code>.",
    "channelNotFound": "The specified channel could not be found.",
    "channelOrVideoIdMissing": "The <code>snippet.videoId</code> property must specify the video to comment on.",
    "commentNotFound": "One or more of the specified comments cannot be found.",
    "commentsDisabled": "The video identified by the <code>videoId</code> parameter has disabled comments.",
    "commentTextRequired": "The comment has no text.",
    "commentTextTooLong": "The comment has too many characters.",
    "commentThreadNotFound": "One or more of the specified comment threads cannot be found.",
    "invalidCommentMetadata": "The request metadata is invalid.",
    "operationNotSupported": "The API user is not able to reply to the specified comment.",
    "parentCommentIsPrivate": "The specified parent comment is private.",
    "parentCommentNotFound": "The specified parent comment could not be found.",
    "parentIdMissing": "The <code>snippet.parentId</code> property must specify the comment to reply to.",
    "videoNotFound": "The video identified by the <code>videoId</code> parameter could not be found.",
}


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


def _owner(world: World, key: str) -> YouTubeChannel | None:
    video = world.store.get(Video, key)
    return None if video is None else world.store.get(YouTubeChannel, video.parent)


def _viewer(person: Person, _channel: Thing) -> Author:
    return Author(id=VIEWERS[person.key], name=f"@{person.key}", username=person.key, person=person.key)


def _rejected(world: World, video: str, author: Author) -> dict[str, Any]:
    """Reject the comments of a banned author immediately."""
    shown = world.store.get(Video, video)
    banned = shown is not None and world.store.get(Ban, f"{shown.parent} {author.id}") is not None
    return {"status": "rejected", "hidden": True} if banned else {}


BOARD: Board[VideoComment] = Board(
    kind=VideoComment,
    owner=_owner,
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
        channel = own_channel(call, token)
        self.call, self.world, self.id = call, call.world, channel.id
        self.author = Author(id=channel.id, name=channel.handle, username=channel.handle)
        self.parts = asked_parts(call, {"id", *parts}) if parts else set()

    def video(self, key: str, reason: str = "videoNotFound") -> Video:
        video = self.world.store.get(Video, key)
        if video is None or not is_visible(self.world, video, self.id):
            raise _refused(self.call, reason, "videoId")
        return video

    def comment(self, key: str, reason: str = "commentNotFound") -> tuple[VideoComment, Video]:
        comment = find_comment(self.world, VideoComment, key)
        if comment is None or (comment.above and reason == "commentThreadNotFound"):
            raise _refused(self.call, reason, "id")
        video = self.video(comment.parent, reason)
        if not BOARD.sees(self.world, self.id, comment):
            raise _refused(self.call, reason, "id")
        return comment, video

    def replies(self, thread: VideoComment) -> list[VideoComment]:
        """List the replies to a comment, newest first."""
        return answers_to(self.world, thread)[::-1]

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
            "authorProfileImageUrl": f"https://yt3.ggpht.com/ytc/{author.id[2:]}=s48-c-k-c0x00ffffff-no-rj",
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
            "isPublic": public and privacy_of(self.world, video) != "private",
        }
        shown: dict[str, Any] = {"kind": "youtube#commentThread", "etag": etag(snippet), "id": thread.id}
        shown |= {"snippet": snippet} if "snippet" in self.parts else {}
        few = [self.shown(one) for one in replies[:_FEW_REPLIES]] if "replies" in self.parts else []
        return shown | ({"replies": {"comments": few}} if few else {})


def insert_thread(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet", "replies"), _body(call).snippet
    if not given.video_id:
        raise _refused(call, "channelOrVideoIdMissing", "body.snippet.videoId")
    video, said = reader.video(given.video_id), _text(call, given.top_level_comment or _Body())
    if video.for_kids:
        raise _refused(call, "commentsDisabled", "body.snippet.videoId")
    return reader.shown_thread(BOARD.write(call.world, video.id, reader.author, said))


def list_threads(call: Call, token: AccessToken) -> object:
    """List comments with some of their replies, newest first, or those with the most replies first."""
    reader, by = _Reader(call, token, "snippet", "replies"), only_filter(call, *_THREAD_FILTERS)
    status = choice(call, "moderationStatus", "published", "heldForReview", "likelySpam")
    if by == "id":
        only_filter(call, "id", "moderationStatus")
        found = [reader.comment(key, "commentThreadNotFound")[0] for key in listed(call, "id")]
    else:
        found = _matching(reader, by, status)
    words = call.query.get("searchTerms", "").casefold()
    found = [one for one in found if words in one.text.casefold()]
    if choice(call, "order", "time", "relevance") == "relevance":
        found.sort(key=lambda one: -len(reader.replies(one)))
    choice(call, "textFormat", "html", "plainText")
    return list_page(call, "commentThread", found, lambda one: reader.shown_thread(one, status), default=20, most=100)


def list_comments(call: Call, token: AccessToken) -> object:
    """List comments by their ids, or the replies to a public comment."""
    reader = _Reader(call, token, "snippet")
    if only_filter(call, "id", "parentId") == "id":
        found = [reader.comment(key)[0] for key in listed(call, "id")]
    else:
        thread, _video = reader.comment(call.query["parentId"])
        found = [one for one in reader.replies(thread) if not is_hidden(call.world, one)]
    choice(call, "textFormat", "html", "plainText")
    return list_page(call, "comment", found, reader.shown, default=20, most=100)


def insert_reply(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    if not given.snippet.parent_id:
        raise _refused(call, "parentIdMissing", "body.snippet.parentId")
    parent, video = reader.comment(given.snippet.parent_id, "parentCommentNotFound")
    said = _text(call, given)
    if is_hidden(call.world, parent):
        raise _refused(call, "parentCommentIsPrivate", "body.snippet.parentId")
    if video.for_kids:
        raise _refused(call, "operationNotSupported", "body.snippet.parentId")
    return reader.shown(BOARD.write(call.world, video.id, reader.author, said, parent))


def update(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    comment, _video = reader.comment(given.id)
    if comment.author.id != reader.id:
        return ERRORS["forbidden"](call)
    BOARD.edit(call.world, comment, _text(call, given))
    return reader.shown(comment)


def set_status(call: Call, token: AccessToken) -> object:
    """Hold, publish or reject comments on the caller's own videos."""
    reader, banned = _Reader(call, token), call.query.get("banAuthor") == "true"
    keys, _given = required(call, "id"), required(call, "moderationStatus")
    status = choice(call, "moderationStatus", "heldForReview", "published", "rejected")
    if banned and status != "rejected":
        raise _refused(call, "banWithoutReject", "banAuthor")
    found = [reader.comment(key) for key in keys]
    if any(video.parent != reader.id for _comment, video in found):
        return ERRORS["forbidden"](call)
    for comment, _video in found:
        moderate(call.world, comment, status)
        if banned:
            call.world.store.put(Ban(id=f"{reader.id} {comment.author.id}", parent=reader.id))
    return Response(status_code=204)


def delete(call: Call, token: AccessToken) -> object:
    """Delete the caller's own comment, or one on the caller's own video."""
    reader = _Reader(call, token)
    comment, video = reader.comment(call.query.get("id", ""))
    if reader.id not in {comment.author.id, video.parent}:
        return ERRORS["forbidden"](call)
    BOARD.delete(call.world, comment)
    return Response(status_code=204)


def _matching(reader: _Reader, by: str, status: str) -> list[VideoComment]:
    call, store, owner = reader.call, reader.world.store, reader.call.query[by]
    # Comments about a channel itself no longer exist: `channelId` finds nothing.
    videos = store.find(Video, parent=owner) if by == "allThreadsRelatedToChannelId" else []
    if by == "videoId":
        videos = [reader.video(owner)]
        owner = videos[0].parent
        if videos[0].for_kids:
            raise _refused(call, "commentsDisabled", "videoId")
    elif store.get(YouTubeChannel, owner) is None:
        raise _refused(call, "channelNotFound", by)
    elif owner != reader.id:
        videos = [one for one in videos if is_public(reader.world, one)]
    if status != "published" and owner != reader.id:
        raise Refused(ERRORS["forbidden"](call))
    # A thread also waits for a moderator if one of its replies does.
    return threads_on(
        reader.world,
        VideoComment,
        [video.id for video in videos],
        lambda one: one.status == status and not (one.above and status == "published"),
    )


def _body(call: Call) -> _Body:
    given = call.json
    try:
        return msgspec.convert(given, _Body)
    except msgspec.ValidationError:
        raise _refused(call, "invalidCommentMetadata", "body") from None


def _text(call: Call, given: _Body) -> str:
    said = given.snippet.text_original
    if not said.strip() or len(said) > _LONGEST:
        raise _refused(call, "commentTextTooLong" if said.strip() else "commentTextRequired", _TEXT)
    return said


def _refused(call: Call, reason: str, where: str) -> Refused:
    status = 404 if reason.endswith("NotFound") else 403 if reason == "commentsDisabled" else 400
    domain = "youtube.commentThread" if call.path.endswith("commentThreads") else "youtube.comment"
    place = ("other" if "." in where else "parameter", where)
    return Refused(api_error(status, reason, _REFUSALS[reason], domain, place=place))


ROUTES = routes(
    ("GET", "commentThreads", metered(list_threads, _SCOPE)),
    ("POST", "commentThreads", metered(insert_thread, _SCOPE, cost=50)),
    ("GET", "comments", metered(list_comments, _SCOPE)),
    ("POST", "comments", metered(insert_reply, _SCOPE, cost=50)),
    ("PUT", "comments", metered(update, _SCOPE, cost=50)),
    ("DELETE", "comments", metered(delete, _SCOPE, cost=50)),
    ("POST", "comments/setModerationStatus", metered(set_status, _SCOPE, cost=50)),
)
