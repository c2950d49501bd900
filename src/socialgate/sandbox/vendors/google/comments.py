"""Comments on YouTube videos, as the signed-in channel writes, reads and moderates them."""

from collections.abc import Callable
from html import escape
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Refused, Route, listed
from socialgate.sandbox.vendors.google import metadata
from socialgate.sandbox.vendors.google.channels import HOSTS, asked_parts, limit_of, own_channel, pages_of
from socialgate.sandbox.vendors.google.conversation import author_name, public_ids, remove, replies_to, write
from socialgate.sandbox.vendors.google.errors import ERRORS, api_error
from socialgate.sandbox.vendors.google.paging import etag
from socialgate.sandbox.vendors.google.quota import metered
from socialgate.sandbox.vendors.google.state import AUTH, AccessToken, Ban, Video, VideoComment, YouTubeChannel
from socialgate.sandbox.vendors.google.videos import moment

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


class _Reader:
    """The channel that makes a call, and what it can see."""

    def __init__(self, call: Call, token: AccessToken, *parts: str) -> None:
        self.call, self.world, self.id = call, call.world, own_channel(call, token).id
        self.parts = asked_parts(call, {"id", *parts}) if parts else set()

    def video(self, key: str, reason: str = "videoNotFound") -> Video:
        """Find a video that the channel can see: its own, or one that is not private."""
        video = self.world.store.get(Video, key)
        hidden = video is None or metadata.privacy_of(self.world, video) == "private" or video.ending
        if video is None or (hidden and video.parent != self.id):
            raise _refused(self.call, reason, "videoId")
        return video

    def comment(self, key: str, reason: str = "commentNotFound") -> tuple[VideoComment, Video]:
        """Find a comment that is public, the channel's own, or on the channel's own video."""
        comment = self.world.store.get(VideoComment, key)
        video = None if comment is None else self.video(comment.parent, reason)
        if comment is None or video is None or (comment.thread and reason == "commentThreadNotFound"):
            raise _refused(self.call, reason, "id")
        if self.id not in {comment.author, video.parent} and key not in public_ids(self.world, video.id):
            raise _refused(self.call, reason, "id")
        return comment, video

    def shown(self, comment: VideoComment) -> dict[str, Any]:
        owner, plain = self.video(comment.parent).parent, self.call.query.get("textFormat") == "plainText"
        snippet = {
            "channelId": owner,
            "videoId": comment.parent,
            "textDisplay": comment.text if plain else escape(comment.text).replace("\n", "<br>"),
            # Only its author always gets the text as typed.
            "textOriginal": comment.text if comment.author == self.id else None,
            "parentId": comment.thread or None,
            "authorDisplayName": author_name(self.world, comment),
            "authorProfileImageUrl": f"https://yt3.ggpht.com/ytc/{comment.author[2:]}=s48-c-k-c0x00ffffff-no-rj",
            "authorChannelUrl": f"http://www.youtube.com/channel/{comment.author}",
            "authorChannelId": {"value": comment.author},
            "canRate": True,
            "viewerRating": "none",
            "likeCount": 0,
            "moderationStatus": comment.status if owner == self.id and "id" not in self.call.query else None,
            "publishedAt": moment(comment.made),
            "updatedAt": moment(comment.changed or comment.made),
        }
        told = {name: value for name, value in snippet.items() if value is not None}
        return {"kind": "youtube#comment", "etag": etag(told), "id": comment.id, "snippet": told}

    def shown_thread(self, thread: VideoComment, status: str = "published") -> dict[str, Any]:
        video, public = self.video(thread.parent), thread.status == "published"
        replies = [one for one in replies_to(self.world, thread) if one.status in {"published", status}]
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
    if not given.video_id:
        raise _refused(call, "channelOrVideoIdMissing", "body.snippet.videoId")
    video, said = reader.video(given.video_id), _text(call, given.top_level_comment or _Body())
    if video.for_kids:
        raise _refused(call, "commentsDisabled", "body.snippet.videoId")
    return reader.shown_thread(write(call.world, video, reader.id, said))


def list_threads(call: Call, token: AccessToken) -> object:
    """List comments with some of their replies, newest first, or those with the most replies first."""
    reader, by = _Reader(call, token, "snippet", "replies"), _filter(call, *_THREAD_FILTERS)
    status = _choice(call, "moderationStatus", "published", "heldForReview", "likelySpam")
    if by == "id":
        _filter(call, "id", "moderationStatus")
        found = [reader.comment(key, "commentThreadNotFound")[0] for key in listed(call, "id")]
    else:
        found = _matching(reader, by, status)
    words = call.query.get("searchTerms", "").casefold()
    if words:
        found = [one for one in found if words in one.text.casefold()]
    if _choice(call, "order", "time", "relevance") == "relevance":
        found.sort(key=lambda one: -len(replies_to(call.world, one)))
    return _page(call, "commentThread", found, lambda one: reader.shown_thread(one, status))


def list_comments(call: Call, token: AccessToken) -> object:
    """List comments by their ids, or the replies to a public comment."""
    reader = _Reader(call, token, "snippet")
    if _filter(call, "id", "parentId") == "id":
        found = [reader.comment(key)[0] for key in listed(call, "id")]
    else:
        thread, video = reader.comment(call.query["parentId"])
        public = public_ids(call.world, video.id)
        found = [one for one in replies_to(call.world, thread) if one.id in public]
    return _page(call, "comment", found, reader.shown)


def insert_reply(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    if not given.snippet.parent_id:
        raise _refused(call, "parentIdMissing", "body.snippet.parentId")
    parent, video = reader.comment(given.snippet.parent_id, "parentCommentNotFound")
    said = _text(call, given)
    if parent.id not in public_ids(call.world, video.id):
        raise _refused(call, "parentCommentIsPrivate", "body.snippet.parentId")
    if video.for_kids:
        raise _refused(call, "operationNotSupported", "body.snippet.parentId")
    # A reply to a reply belongs to the same thread.
    return reader.shown(write(call.world, video, reader.id, said, parent.thread or parent.id))


def update(call: Call, token: AccessToken) -> object:
    reader, given = _Reader(call, token, "snippet"), _body(call)
    comment, _video = reader.comment(given.id)
    if comment.author != reader.id:
        return ERRORS["forbidden"](call)
    comment.text, comment.changed = _text(call, given), call.world.clock.now()
    return reader.shown(call.world.store.put(comment))


def moderate(call: Call, token: AccessToken) -> object:
    """Hold, publish or reject comments on the caller's own videos."""
    reader, banned = _Reader(call, token), call.query.get("banAuthor") == "true"
    for name in ("id", "moderationStatus"):
        if not call.query.get(name):
            raise _refused(call, "missingRequiredParameter", name, f"Required parameter: {name}")
    status = _choice(call, "moderationStatus", "heldForReview", "published", "rejected")
    if banned and status != "rejected":
        raise _refused(call, "banWithoutReject", "banAuthor")
    found = [reader.comment(key) for key in listed(call, "id")]
    if any(video.parent != reader.id for _comment, video in found):
        return ERRORS["forbidden"](call)
    for comment, _video in found:
        comment.status = status
        call.world.store.put(comment)
        if banned:
            call.world.store.put(Ban(id=f"{reader.id} {comment.author}", parent=reader.id))
    return Response(status_code=204)


def delete(call: Call, token: AccessToken) -> object:
    """Delete the caller's own comment, or one on the caller's own video."""
    reader = _Reader(call, token)
    comment, video = reader.comment(call.query.get("id", ""))
    if reader.id not in {comment.author, video.parent}:
        return ERRORS["forbidden"](call)
    remove(call.world, comment)
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
        videos = [one for one in videos if metadata.privacy_of(reader.world, one) == "public" and not one.ending]
    if status != "published" and owner != reader.id:
        raise Refused(ERRORS["forbidden"](call))
    found = [one for video in videos for one in store.find(VideoComment, parent=video.id, newest_first=True)]
    # A thread also waits for a moderator if one of its replies does.
    waiting = {one.thread for one in found if one.status == status != "published"}
    chosen = [one for one in found if not one.thread and (one.status == status or one.id in waiting)]
    return sorted(chosen, key=lambda one: one.made, reverse=True)


def _page(call: Call, kind: str, found: list[VideoComment], show: Callable[[VideoComment], object]) -> object:
    _choice(call, "textFormat", "html", "plainText")
    size = limit_of(call, default=20, most=100)
    shown, following = pages_of(call, found, size)
    items = [show(one) for one in shown]
    answer: dict[str, Any] = {"kind": f"youtube#{kind}ListResponse", "etag": etag(items)}
    answer |= {"nextPageToken": following} if following else {}
    return answer | {"pageInfo": {"totalResults": len(found), "resultsPerPage": size}, "items": items}


def _filter(call: Call, *known: str) -> str:
    chosen = [name for name in known if name in call.query]
    if len(chosen) == 1:
        return chosen[0]
    reason, word = ("incompatibleParameters", "Incompatible") if chosen else ("missingRequiredParameter", "No")
    raise _refused(call, reason, "parameters.", f"{word} filter selected. Expected one of: {', '.join(known)}")


def _choice(call: Call, name: str, *known: str) -> str:
    """Read a parameter with a fixed set of values. The first one is its default."""
    given = call.query.get(name, known[0])
    if given not in known:
        raise _refused(call, "invalidParameter", name, f"Invalid value '{given}'. Allowed values: {list(known)}")
    return given


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


def _refused(call: Call, reason: str, where: str, message: str = "") -> Refused:
    status = 404 if reason.endswith("NotFound") else 403 if reason == "commentsDisabled" else 400
    domain = "parameter" if message else "commentThread" if call.path.endswith("commentThreads") else "comment"
    place = ("other" if "." in where else "parameter", where)
    return Refused(api_error(status, reason, message or _REFUSALS[reason], f"youtube.{domain}", place=place))


ROUTES = [
    route
    for host in HOSTS
    for route in (
        Route("GET", f"/{host}/youtube/v3/commentThreads", metered(list_threads, _SCOPE)),
        Route("POST", f"/{host}/youtube/v3/commentThreads", metered(insert_thread, _SCOPE, cost=50)),
        Route("GET", f"/{host}/youtube/v3/comments", metered(list_comments, _SCOPE)),
        Route("POST", f"/{host}/youtube/v3/comments", metered(insert_reply, _SCOPE, cost=50)),
        Route("PUT", f"/{host}/youtube/v3/comments", metered(update, _SCOPE, cost=50)),
        Route("DELETE", f"/{host}/youtube/v3/comments", metered(delete, _SCOPE, cost=50)),
        Route("POST", f"/{host}/youtube/v3/comments/setModerationStatus", metered(moderate, _SCOPE, cost=50)),
    )
]
