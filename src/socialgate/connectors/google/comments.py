"""Comments on YouTube: threads below the videos of a channel, and the replies in them."""

import re
from functools import partial

from msgspec.structs import replace

from socialgate.connectors.commenting import Commenting, CommentRules, the_new_one
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.shapes import Items, Resource
from socialgate.connectors.google.wire import YOUTUBE, GoogleApi, checked_id
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, Looked, NewComment
from socialgate.contracts.connecting import AccountCredentials

_COMMENTS, _THREADS = f"{YOUTUBE}/comments", f"{YOUTUBE}/commentThreads"
_MOST = 100
# A comma would mean several.
_ID = re.compile(r"[\w.-]{1,200}", re.ASCII)


class YouTubeComments(Commenting):
    of_account = True
    rules = CommentRules(vendor="YouTube", target="/postId", most=10_000)

    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.for_account, Product.YOUTUBE)

    async def list(
        self, held: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        channel = {"allThreadsRelatedToChannelId": held.platform_account_id}
        about = {"videoId": checked_id(object_id, _ID)} if object_id else channel
        how = {"part": "snippet,replies", "order": "time", "textFormat": "plainText", "maxResults": min(limit, _MOST)}
        found = await self._open(held).get(_THREADS, Items[Resource], **about, **how, pageToken=cursor)
        return CommentPage(items=[_thread(held, thread) for thread in found.items], cursor=found.next_page_token)

    async def create(self, held: AccountCredentials, new: NewComment) -> Comment:
        write = partial(self._open(held).call, "POST", repeatable=False, query={"part": "snippet"})
        text = {"textOriginal": new.text}
        if new.parent_id:
            reply = {"parentId": _thread_of(new.parent_id), **text}
            return _item(held, await write(_COMMENTS, Resource, json={"snippet": reply}), new.object_id)
        named = {"channelId": held.platform_account_id, "videoId": checked_id(new.object_id or "", _ID)}
        thread = {**named, "topLevelComment": {"snippet": text}}
        return _thread(held, await write(_THREADS, Resource, json={"snippet": thread}))

    async def look(self, held: AccountCredentials, new: NewComment) -> Looked:
        if not new.parent_id:
            return the_new_one("YouTube", (await self.list(held, new.object_id, _MOST, None)).items, new)
        how = {"part": "snippet", "textFormat": "plainText", "maxResults": _MOST}
        pages = self._open(held).pages(_COMMENTS, Items[Resource], parentId=_thread_of(new.parent_id), **how)
        replies = [_item(held, one, new.object_id) async for page in pages for one in page.items]
        return the_new_one("YouTube", replies, new)

    async def hide(self, held: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        query = {"id": checked_id(comment_id, _ID), "moderationStatus": "heldForReview" if hidden else "published"}
        await self._open(held).call("POST", f"{_COMMENTS}/setModerationStatus", object, repeatable=True, query=query)

    async def delete(self, held: AccountCredentials, comment_id: str) -> None:
        await self._open(held).delete(_COMMENTS, id=checked_id(comment_id, _ID))


def _thread_of(comment_id: str) -> str:
    """A reply to a reply belongs to the thread, whose id is the first part of its own."""
    return checked_id(comment_id, _ID).partition(".")[0]


def _thread(held: AccountCredentials, thread: Resource) -> Comment:
    about = thread.snippet
    read = partial(_item, held, video=about.video_id, channel=about.channel_id, can_reply=about.can_reply)
    replies = tuple(read(comment) for comment in thread.replies.comments)
    first = replace(about.top_level_comment or thread, id=thread.id)
    return replace(read(first), reply_count=about.total_reply_count, replies=replies)


def _item(
    held: AccountCredentials,
    resource: Resource,
    video: str | None,
    channel: str | None = None,
    *,
    can_reply: bool = True,
) -> Comment:
    said, author = resource.snippet, resource.snippet.author_channel_id.value
    video, own = said.video_id or video, author == held.platform_account_id
    return Comment(
        id=resource.id,
        object_id=video,
        # The original is only shown to its author.
        text=said.text_original or said.text_display,
        author=CommentAuthor(id=author, name=said.author_display_name, avatar_url=said.author_profile_image_url),
        parent_id=said.parent_id,
        hidden=said.moderation_status in {"heldForReview", "rejected"},
        created_at=said.published_at,
        url=f"https://www.youtube.com/watch?v={video}&lc={resource.id}" if video else None,
        likes=said.like_count,
        can_reply=can_reply,
        can_hide=(said.channel_id or channel) == held.platform_account_id,
        # Comments of others can be hidden, but not deleted.
        can_delete=own,
        own=own,
    )
