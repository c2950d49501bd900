"""Comments on YouTube: threads below the videos of a channel, and the replies in them."""

import re
from functools import partial

from msgspec.structs import replace

from socialgate.connectors.comment_helpers import CommentAdapterBase, CommentRules, find_created_comment
from socialgate.connectors.google.api import YOUTUBE_API_URL, GoogleApi, require_valid_id
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.responses import YouTubePage, YouTubeResource
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, LookupResult, NewComment

_COMMENTS, _THREADS = f"{YOUTUBE_API_URL}/comments", f"{YOUTUBE_API_URL}/commentThreads"
_MAX_PAGE_SIZE = 100
# A comma would mean several.
_COMMENT_ID_PATTERN = re.compile(r"[\w.-]{1,200}", re.ASCII)


class YouTubeComments(CommentAdapterBase):
    lists_whole_account = True
    rules = CommentRules(vendor="YouTube", required_field="/postId", max_length=10_000)

    def __init__(self, api: GoogleApi) -> None:
        self._open = partial(api.build_client_for_account, GoogleProduct.YOUTUBE)

    async def list(
        self, credentials: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        channel = {"allThreadsRelatedToChannelId": credentials.platform_account_id}
        about = {"videoId": require_valid_id(object_id, _COMMENT_ID_PATTERN)} if object_id else channel
        values = {
            "part": "snippet,replies",
            "order": "time",
            "textFormat": "plainText",
            "maxResults": min(limit, _MAX_PAGE_SIZE),
        }
        items = await self._open(credentials).get(
            _THREADS, YouTubePage[YouTubeResource], **about, **values, pageToken=cursor
        )
        return CommentPage(
            items=[_parse_thread(credentials, thread) for thread in items.items], cursor=items.next_page_token
        )

    async def create(self, credentials: AccountCredentials, new: NewComment) -> Comment:
        write = partial(self._open(credentials).call, "POST", repeatable=False, query={"part": "snippet"})
        text = {"textOriginal": new.text}
        if new.parent_id:
            reply = {"parentId": _get_thread_id(new.parent_id), **text}
            return _parse_comment(
                credentials, await write(_COMMENTS, YouTubeResource, json={"snippet": reply}), new.object_id
            )
        named = {
            "channelId": credentials.platform_account_id,
            "videoId": require_valid_id(new.object_id or "", _COMMENT_ID_PATTERN),
        }
        thread = {**named, "topLevelComment": {"snippet": text}}
        return _parse_thread(credentials, await write(_THREADS, YouTubeResource, json={"snippet": thread}))

    async def look_up_result(self, credentials: AccountCredentials, new: NewComment) -> LookupResult:
        if not new.parent_id:
            return find_created_comment(
                "YouTube", (await self.list(credentials, new.object_id, _MAX_PAGE_SIZE, None)).items, new
            )
        values = {"part": "snippet", "textFormat": "plainText", "maxResults": _MAX_PAGE_SIZE}
        pages = self._open(credentials).iterate_pages(
            _COMMENTS, YouTubePage[YouTubeResource], parentId=_get_thread_id(new.parent_id), **values
        )
        replies = [_parse_comment(credentials, item, new.object_id) async for page in pages for item in page.items]
        return find_created_comment("YouTube", replies, new)

    async def set_hidden(self, credentials: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        query = {
            "id": require_valid_id(comment_id, _COMMENT_ID_PATTERN),
            "moderationStatus": "heldForReview" if hidden else "published",
        }
        await self._open(credentials).call(
            "POST", f"{_COMMENTS}/setModerationStatus", object, repeatable=True, query=query
        )

    async def delete(self, credentials: AccountCredentials, comment_id: str) -> None:
        await self._open(credentials).delete(_COMMENTS, id=require_valid_id(comment_id, _COMMENT_ID_PATTERN))


def _get_thread_id(comment_id: str) -> str:
    """A reply to a reply belongs to the thread, whose id is the first part of its own."""
    return require_valid_id(comment_id, _COMMENT_ID_PATTERN).partition(".")[0]


def _parse_thread(credentials: AccountCredentials, thread: YouTubeResource) -> Comment:
    about = thread.snippet
    read = partial(
        _parse_comment, credentials, video=about.video_id, channel=about.channel_id, can_reply=about.can_reply
    )
    replies = tuple(read(comment) for comment in thread.replies.comments)
    first = replace(about.top_level_comment or thread, id=thread.id)
    return replace(read(first), reply_count=about.total_reply_count, replies=replies)


def _parse_comment(
    credentials: AccountCredentials,
    resource: YouTubeResource,
    video: str | None,
    channel: str | None = None,
    *,
    can_reply: bool = True,
) -> Comment:
    snippet, author = resource.snippet, resource.snippet.author_channel_id.value
    video, own = snippet.video_id or video, author == credentials.platform_account_id
    return Comment(
        id=resource.id,
        object_id=video,
        # The original is only shown to its author.
        text=snippet.text_original or snippet.text_display,
        author=CommentAuthor(id=author, name=snippet.author_display_name, avatar_url=snippet.author_profile_image_url),
        parent_id=snippet.parent_id,
        hidden=snippet.moderation_status in {"heldForReview", "rejected"},
        created_at=snippet.published_at,
        url=f"https://www.youtube.com/watch?v={video}&lc={resource.id}" if video else None,
        likes=snippet.like_count,
        can_reply=can_reply,
        can_hide=(snippet.channel_id or channel) == credentials.platform_account_id,
        # Comments of others can be hidden, but not deleted.
        can_delete=own,
        own=own,
    )
