"""The calls of the Threads API that publishing, reading and deleting posts needs. What comes back is typed here."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.dialects.graph import Rows, request
from socialgate.connectors.threads.wire import API, Login, ThreadsApi
from socialgate.contracts.failures import PermissionMissing, PlatformError, PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform

# Threads fetches media, and publishes, while it is being waited for.
_SLOW_SECONDS = 120.0
MOST_ROWS = 100
HIDDEN = (PermissionMissing, PlatformNotFound, Rejected)
# A container that never becomes a post.
SPOILED = frozenset({"ERROR", "EXPIRED"})
HISTORY = (
    "id,media_type,media_url,gif_url,permalink,text,timestamp,thumbnail_url,children{id,media_type,media_url},"
    "is_quote_post,link_attachment_url,topic_tag"
)
_POST = "id,permalink,timestamp"
RECENT = "id,text,permalink,timestamp"
REPLY = (
    "id,text,timestamp,username,permalink,has_replies,is_reply,is_reply_owned_by_me,root_post,replied_to,hide_status"
)


class Made(msgspec.Struct):
    id: str | int


class Root(Made):
    """The post that a conversation is about. Only webhooks name its owner."""

    owner_id: str | int | None = None
    username: str | None = None


class Container(msgspec.Struct):
    status: str = ""
    error_message: str | None = None


class _Child(msgspec.Struct):
    media_type: str | None = None
    media_url: str | None = None


class ThreadsPost(msgspec.Struct, kw_only=True):
    id: str | int
    text: str | None = None
    media_type: str | None = None
    media_url: str | None = None
    gif_url: str | None = None
    permalink: str | None = None
    timestamp: str | None = None
    children: Rows[_Child] | None = None
    # What only replies have.
    username: str | None = None
    has_replies: bool | None = None
    is_reply: bool | None = None
    is_reply_owned_by_me: bool | None = None
    root_post: Root | None = None
    replied_to: Made | None = None
    hide_status: str | None = None

    @property
    def at(self) -> datetime | None:
        """Read a time such as 2026-11-14T09:28:50+0000."""
        try:
            return datetime.fromisoformat(self.timestamp or "").astimezone(UTC)
        except (ValueError, OverflowError):
            return None


class ThreadsPosts(Rows[ThreadsPost]):
    def cursor(self, before: str | None) -> str | None:
        """Threads leaves `next` out at times: only an empty page, or the same cursor again, is the end."""
        cursors = self.paging.cursors if self.paging is not None else None
        after = cursors.after if cursors is not None else None
        return after if self.data and after != before else None


class Posting(ThreadsApi):
    """The profile that posts is `me` to its own token."""

    async def add_container(self, login: Login, params: Mapping[str, Any]) -> str:
        """Make a container, which nobody sees before it is published: one too many does no harm."""
        made = await self._call(
            "POST", f"{API}/me/threads", Made, login, params, repeatable=True, deadline=_SLOW_SECONDS
        )
        return str(made.id)

    async def seen(self, container: str, login: Login) -> Container:
        """Read a container. Threads does not always show at once what it has just made."""
        try:
            return await self.container(container, login)
        except HIDDEN:
            return Container()

    async def container(self, container: str, login: Login) -> Container:
        return await self._get(container, Container, login, fields="id,status,error_message")

    async def publish(self, container: str, login: Login, *, reply: bool) -> str:
        """Make a container public, and give the id that the post then has."""
        made = await self._call(
            "POST",
            f"{API}/me/threads_publish",
            Made,
            login,
            {"creation_id": container},
            repeatable=False,
            deadline=_SLOW_SECONDS,
            spends=(("replies" if reply else "posts", 1),),
        )
        return str(made.id)

    async def post(self, post: str, login: Login, fields: str = _POST) -> ThreadsPost:
        return await self._get(post, ThreadsPost, login, fields=fields)

    async def find(self, post: str, login: Login, fields: str = _POST) -> ThreadsPost:
        """Read a post or a reply. Threads has no word for what is gone: with a login that works, it is a refusal."""
        try:
            return await self.post(post, login, fields)
        except (Rejected, PlatformNotFound) as failure:
            await self.me(login)
            raise gone(failure.platform_error) from None

    async def list(
        self, path: str, login: Login, fields: str, limit: int = MOST_ROWS, after: str | None = None
    ) -> ThreadsPosts:
        """List the newest of a profile, as `me/threads` and `me/replies`, or of a post, as `123/replies`."""
        limit = min(limit, MOST_ROWS)
        return await self._get(path, ThreadsPosts, login, fields=fields, limit=limit, after=after)

    async def manage_reply(self, reply: str, login: Login, *, hide: bool) -> None:
        url, params = f"{API}/{reply}/manage_reply", {"hide": "true" if hide else "false"}
        await self._client.do(request("POST", url, params, repeatable=True, token=login.token, budget=login.budget))

    async def delete(self, post: str, login: Login) -> None:
        call = request("DELETE", f"{API}/{post}", {}, repeatable=True, token=login.token, budget=login.budget)
        await self._client.do(msgspec.structs.replace(call, spends=(("deletes", 1),)))


def checked(post: str | None) -> str:
    """Give the id of a post. A person may have written it: it must not become another path."""
    if not post or not (post.isascii() and post.isdigit()):
        raise gone()
    return post


def gone(told: PlatformError | None = None) -> PlatformNotFound:
    return PlatformNotFound(
        "Threads does not show this. It was deleted, or is no post or reply of this profile.",
        platform=Platform.THREADS,
        error=told,
    )
