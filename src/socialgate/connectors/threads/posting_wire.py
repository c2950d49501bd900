"""The calls of the Threads API that publishing, reading and deleting posts needs. What comes back is typed here."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.dialects.graph import Rows, request
from socialgate.connectors.threads.wire import API, ThreadsApi

# Threads fetches media, and publishes, while it is being waited for.
_SLOW_SECONDS = 120.0
_RECENT = 25
_HISTORY = (
    "id,media_type,media_url,gif_url,permalink,text,timestamp,thumbnail_url,children{id,media_type,media_url},"
    "is_quote_post,link_attachment_url,topic_tag"
)


class Made(msgspec.Struct):
    id: str | int


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
    """`budget` is the profile that posts: it is `me` to its own token."""

    async def add_container(self, token: str, budget: str, params: Mapping[str, Any]) -> str:
        """Make a container, which nobody sees before it is published: one too many does no harm."""
        made = await self._call(
            "POST", f"{API}/me/threads", Made, token, budget, params, repeatable=True, deadline=_SLOW_SECONDS
        )
        return str(made.id)

    async def container(self, container: str, token: str, budget: str) -> Container:
        return await self._get(container, Container, token, budget, fields="id,status,error_message")

    async def publish(self, container: str, token: str, budget: str, *, reply: bool) -> str:
        """Make a container public, and give the id that the post then has."""
        made = await self._call(
            "POST",
            f"{API}/me/threads_publish",
            Made,
            token,
            budget,
            {"creation_id": container},
            repeatable=False,
            deadline=_SLOW_SECONDS,
            spends=(("replies" if reply else "posts", 1),),
        )
        return str(made.id)

    async def post(self, post: str, token: str, budget: str) -> ThreadsPost:
        return await self._get(post, ThreadsPost, token, budget, fields="id,permalink,timestamp")

    async def recent(self, edge: str, token: str, budget: str) -> Sequence[ThreadsPost]:
        """List the newest of the profile's `threads` or `replies`."""
        fields = "id,text,permalink,timestamp"
        return (await self._get(f"me/{edge}", ThreadsPosts, token, budget, fields=fields, limit=_RECENT)).data

    async def posts(self, token: str, budget: str, limit: int, after: str | None) -> ThreadsPosts:
        return await self._get("me/threads", ThreadsPosts, token, budget, fields=_HISTORY, limit=limit, after=after)

    async def delete(self, post: str, token: str, budget: str) -> None:
        call = request("DELETE", f"{API}/{post}", {}, repeatable=True, token=token, budget=budget)
        await self._client.do(msgspec.structs.replace(call, spends=(("deletes", 1),)))
