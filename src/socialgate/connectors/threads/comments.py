"""Comments on Threads are replies: posts that refer to what they answer, so a reply can be answered too."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from socialgate.connectors.comment_helpers import CommentAdapterBase, CommentRules, find_created_comment
from socialgate.connectors.graph.dialect import GraphCaller, GraphNode
from socialgate.connectors.graph.posts import NO_ANSWER_ERRORS
from socialgate.connectors.graph.publishing import FAILED_CONTAINER_STATES, PUBLISH_TIMEOUT_SECONDS, MediaContainer
from socialgate.connectors.message_validation import MAX_CLOCK_SKEW
from socialgate.connectors.threads.api import (
    MAX_PAGE_SIZE,
    REPLY_FIELDS,
    ThreadsApi,
    ThreadsPost,
    build_not_found_error,
    fetch_post,
    list_posts,
    require_post_id,
)
from socialgate.connectors.threads.post_formats import text_length_faults, validate_link_count
from socialgate.connectors.threads.posts import ThreadsPosts
from socialgate.connectors.threads.publishing import build_container_failure, build_reply_params
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, LookupResult, NewComment
from socialgate.contracts.failures import (
    NotSupportedError,
    PlatformFailure,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.errors import Fault

# A text is ready immediately, an image after some seconds.
_POLL_DELAYS_SECONDS = (0, 1, 2, 2, 3, 5, 5, 5)
_VISIBLE_HIDE_STATUSES = frozenset({None, "NOT_HUSHED", "UNHUSHED"})


class ThreadsComments(CommentAdapterBase):
    rules = CommentRules(vendor="Threads", image_type_prefixes=("image/jpeg", "image/png"))

    def __init__(self, threads: ThreadsApi, posts: ThreadsPosts) -> None:
        self._threads = threads
        self._posts = posts

    def validate_new_comment(self, new: NewComment) -> Sequence[Fault]:
        return [
            *text_length_faults("/text", new.text),
            *validate_link_count("/text", new.text),
            *super().validate_new_comment(new),
        ]

    async def list(
        self, credentials: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        post, api = require_post_id(object_id), self._threads.for_account(credentials)
        page = await list_posts(api, f"{post}/replies", REPLY_FIELDS, limit, cursor)
        below: Sequence[ThreadsPost] = ()
        # Only a post has the list of replies at all depths. To get those below a reply, list that reply.
        if any(reply.has_replies and _is_top_level(reply) for reply in page.data):
            below = (await list_posts(api, f"{post}/conversation", REPLY_FIELDS)).data
        return CommentPage(
            items=[build_comment(threads_post, post, below) for threads_post in page.data],
            cursor=page.get_next_cursor(cursor),
        )

    async def create(self, credentials: AccountCredentials, new: NewComment) -> Comment:
        answered, api = require_post_id(new.parent_id or new.object_id), self._threads.for_account(credentials)
        params = build_reply_params(new.text, answered, new.media)
        container = await api.post("me/threads", GraphNode, params, repeatable=True, deadline=PUBLISH_TIMEOUT_SECONDS)
        created = await _publish_when_ready(api, str(container.id))
        reply = ThreadsPost(id=created, text=new.text, is_reply_owned_by_me=True)
        # It is published: its URL is not worth failing for.
        with suppress(PlatformFailure):
            reply = await api.get(created, ThreadsPost, fields=REPLY_FIELDS)
        return build_comment(reply, new.object_id)

    async def look_up_result(self, credentials: AccountCredentials, new: NewComment) -> LookupResult:
        """Search the newest of the profile's own replies."""
        answered, since = require_post_id(new.parent_id or new.object_id), new.asked_at - MAX_CLOCK_SKEW
        replies = (await list_posts(self._threads.for_account(credentials), "me/replies", REPLY_FIELDS)).data
        if (
            len([reply for reply in replies if reply.created_at is not None and reply.created_at >= since])
            == MAX_PAGE_SIZE
        ):
            return Inconclusive("Threads does not show all recent replies. Check the profile.")
        own = [replace(reply, is_reply_owned_by_me=True) for reply in replies if _get_parent_id(reply) == answered]
        return find_created_comment("Threads", [build_comment(reply, new.object_id) for reply in own], new)

    async def set_hidden(self, credentials: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        reply, api = require_post_id(comment_id), self._threads.for_account(credentials)
        try:
            await api.call_for_success("POST", f"{reply}/manage_reply", {"hide": "true" if hidden else "false"})
        except PlatformRejectedError as failure:
            threads_post, error = await fetch_post(api, reply, REPLY_FIELDS), failure.platform_error
            if not threads_post.is_reply:
                raise build_not_found_error(error) from None
            if not _is_top_level(threads_post):
                detail = (
                    "Threads can only hide replies directly below a post, together with their replies. Hide that one."
                )
                raise NotSupportedError(detail, platform=Platform.THREADS, error=error) from None
            raise

    async def delete(self, credentials: AccountCredentials, comment_id: str) -> None:
        """Delete a reply. A post of the profile is not a reply, and stays."""
        threads_post = await fetch_post(
            self._threads.for_account(credentials), require_post_id(comment_id), REPLY_FIELDS
        )
        if not threads_post.is_reply:
            raise build_not_found_error()
        if not threads_post.is_reply_owned_by_me:
            detail = "Threads only deletes replies that this profile wrote. Hide it instead."
            raise NotSupportedError(detail, platform=Platform.THREADS)
        await self._posts.delete_post(credentials, comment_id)


async def _publish_when_ready(api: GraphCaller, container: str) -> str:
    """Publish a container when it is ready. If Threads does not see it yet, nothing was published: ask again."""
    params = {"creation_id": container}
    for wait in _POLL_DELAYS_SECONDS:
        await asyncio.sleep(wait)
        seen = MediaContainer()
        with suppress(*NO_ANSWER_ERRORS):
            seen = await api.get(container, MediaContainer, fields="id,status,error_message")
        if seen.status in FAILED_CONTAINER_STATES:
            raise build_container_failure(seen)
        try:
            if seen.status == "FINISHED":
                values = {"deadline": PUBLISH_TIMEOUT_SECONDS, "spends": "replies"}
                return str((await api.post("me/threads_publish", GraphNode, params, repeatable=False, **values)).id)
        except PlatformUnavailableError as failure:
            if failure.platform_error is None:
                raise
    detail = "Threads is taking longer than usual. Nothing was published; try again."
    raise PlatformUnavailableError(detail, platform=Platform.THREADS)


def _get_parent_id(reply: ThreadsPost) -> str | None:
    return None if reply.replied_to is None else str(reply.replied_to.id)


def _is_top_level(reply: ThreadsPost) -> bool:
    return reply.root_post is not None and _get_parent_id(reply) == str(reply.root_post.id)


def build_comment(reply: ThreadsPost, post: str | None, descendants: Sequence[ThreadsPost] = ()) -> Comment:
    """Show a reply, with its `descendants`. Threads only reports their number if there are none."""
    others = [threads_post for threads_post in descendants if threads_post.id != reply.id]
    return Comment(
        id=str(reply.id),
        object_id=str(reply.root_post.id) if reply.root_post is not None else post,
        parent_id=None if _is_top_level(reply) else _get_parent_id(reply),
        text=reply.text or "",
        author=CommentAuthor(username=reply.username) if reply.username else None,
        hidden=reply.hide_status not in _VISIBLE_HIDE_STATUSES,
        created_at=reply.created_at,
        url=reply.permalink,
        reply_count=0 if reply.has_replies is False else None,
        can_reply=True,
        can_hide=_is_top_level(reply),
        can_delete=bool(reply.is_reply_owned_by_me),
        own=bool(reply.is_reply_owned_by_me),
        replies=tuple(
            build_comment(threads_post, post, others)
            for threads_post in others
            if _get_parent_id(threads_post) == str(reply.id)
        ),
    )
