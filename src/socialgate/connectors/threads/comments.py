"""Comments on Threads are replies: posts that refer to what they answer, so a reply can be answered too."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from socialgate.connectors.commenting import Commenting, CommentRules, the_new_one
from socialgate.connectors.graph.dialect import Caller, Node
from socialgate.connectors.graph.posts import SILENT
from socialgate.connectors.graph.publishing import SLOW_SECONDS, SPOILED, Container
from socialgate.connectors.message_checks import SKEW
from socialgate.connectors.threads.faults import too_long, too_many_links
from socialgate.connectors.threads.posts import ThreadsHistory
from socialgate.connectors.threads.publishing import reply_params, why_spoiled
from socialgate.connectors.threads.wire import MOST_ROWS, REPLY, Threads, ThreadsPost, checked, find, gone, listed
from socialgate.contracts.comments import Comment, CommentAuthor, CommentPage, Looked, NewComment
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import NotSupported, PlatformFailure, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import CannotTell
from socialgate.core.errors import Fault

# A text is ready immediately, an image after some seconds.
_WAITS = (0, 1, 2, 2, 3, 5, 5, 5)
_SHOWN = frozenset({None, "NOT_HUSHED", "UNHUSHED"})


class ThreadsComments(Commenting):
    rules = CommentRules(vendor="Threads", images=("image/jpeg", "image/png"))

    def __init__(self, threads: Threads, posts: ThreadsHistory) -> None:
        self._threads = threads
        self._posts = posts

    def faults(self, new: NewComment) -> Sequence[Fault]:
        return [*too_long("/text", new.text), *too_many_links("/text", new.text), *super().faults(new)]

    async def list(
        self, held: AccountCredentials, object_id: str | None, limit: int, cursor: str | None
    ) -> CommentPage:
        post, api = checked(object_id), self._threads.of(held)
        page = await listed(api, f"{post}/replies", REPLY, limit, cursor)
        below: Sequence[ThreadsPost] = ()
        # Only a post has the list of replies at all depths. To get those below a reply, list that reply.
        if any(reply.has_replies and _is_top(reply) for reply in page.data):
            below = (await listed(api, f"{post}/conversation", REPLY)).data
        return CommentPage(items=[item_of(one, post, below) for one in page.data], cursor=page.cursor(cursor))

    async def create(self, held: AccountCredentials, new: NewComment) -> Comment:
        answered, api = checked(new.parent_id or new.object_id), self._threads.of(held)
        params = reply_params(new.text, answered, new.media)
        container = await api.post("me/threads", Node, params, repeatable=True, deadline=SLOW_SECONDS)
        made = await _publish(api, str(container.id))
        reply = ThreadsPost(id=made, text=new.text, is_reply_owned_by_me=True)
        # It is published: its URL is not worth failing for.
        with suppress(PlatformFailure):
            reply = await api.get(made, ThreadsPost, fields=REPLY)
        return item_of(reply, new.object_id)

    async def look(self, held: AccountCredentials, new: NewComment) -> Looked:
        """Search the newest of the profile's own replies."""
        answered, since = checked(new.parent_id or new.object_id), new.asked_at - SKEW
        replies = (await listed(self._threads.of(held), "me/replies", REPLY)).data
        if len([reply for reply in replies if reply.at is not None and reply.at >= since]) == MOST_ROWS:
            return CannotTell("Threads does not show all recent replies. Check the profile.")
        own = [replace(reply, is_reply_owned_by_me=True) for reply in replies if _answered(reply) == answered]
        return the_new_one("Threads", [item_of(reply, new.object_id) for reply in own], new)

    async def hide(self, held: AccountCredentials, comment_id: str, *, hidden: bool) -> None:
        reply, api = checked(comment_id), self._threads.of(held)
        try:
            await api.do("POST", f"{reply}/manage_reply", {"hide": "true" if hidden else "false"})
        except Rejected as failure:
            found, error = await find(api, reply, REPLY), failure.platform_error
            if not found.is_reply:
                raise gone(error) from None
            if not _is_top(found):
                detail = (
                    "Threads can only hide replies directly below a post, together with their replies. Hide that one."
                )
                raise NotSupported(detail, platform=Platform.THREADS, error=error) from None
            raise

    async def delete(self, held: AccountCredentials, comment_id: str) -> None:
        """Delete a reply. A post of the profile is not a reply, and stays."""
        found = await find(self._threads.of(held), checked(comment_id), REPLY)
        if not found.is_reply:
            raise gone()
        if not found.is_reply_owned_by_me:
            detail = "Threads only deletes replies that this profile wrote. Hide it instead."
            raise NotSupported(detail, platform=Platform.THREADS)
        await self._posts.remove(held, comment_id)


async def _publish(api: Caller, container: str) -> str:
    """Publish a container when it is ready. If Threads does not see it yet, nothing was published: ask again."""
    params = {"creation_id": container}
    for wait in _WAITS:
        await asyncio.sleep(wait)
        seen = Container()
        with suppress(*SILENT):
            seen = await api.get(container, Container, fields="id,status,error_message")
        if seen.status in SPOILED:
            raise why_spoiled(seen)
        try:
            if seen.status == "FINISHED":
                how = {"deadline": SLOW_SECONDS, "spends": "replies"}
                return str((await api.post("me/threads_publish", Node, params, repeatable=False, **how)).id)
        except TemporarilyUnavailable as failure:
            if failure.platform_error is None:
                raise
    detail = "Threads is taking longer than usual. Nothing was published; try again."
    raise TemporarilyUnavailable(detail, platform=Platform.THREADS)


def _answered(reply: ThreadsPost) -> str | None:
    return None if reply.replied_to is None else str(reply.replied_to.id)


def _is_top(reply: ThreadsPost) -> bool:
    return reply.root_post is not None and _answered(reply) == str(reply.root_post.id)


def item_of(reply: ThreadsPost, post: str | None, below: Sequence[ThreadsPost] = ()) -> Comment:
    """Show a reply, with the replies `below` it. Threads only reports their number if there are none."""
    others = [one for one in below if one.id != reply.id]
    return Comment(
        id=str(reply.id),
        object_id=str(reply.root_post.id) if reply.root_post is not None else post,
        parent_id=None if _is_top(reply) else _answered(reply),
        text=reply.text or "",
        author=CommentAuthor(username=reply.username) if reply.username else None,
        hidden=reply.hide_status not in _SHOWN,
        created_at=reply.at,
        url=reply.permalink,
        reply_count=0 if reply.has_replies is False else None,
        can_reply=True,
        can_hide=_is_top(reply),
        can_delete=bool(reply.is_reply_owned_by_me),
        own=bool(reply.is_reply_owned_by_me),
        replies=tuple(item_of(one, post, others) for one in others if _answered(one) == str(reply.id)),
    )
