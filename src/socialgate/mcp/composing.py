"""Drafting and publishing posts: validated first, published once."""

from collections.abc import Mapping
from typing import Any

from socialgate.mcp.api import ApiSession, ToolError
from socialgate.mcp.results import shorten
from socialgate.mcp.writing import Writer

# What a post was before it is published. In any other state there is nothing left to do.
_UNPUBLISHED = frozenset({"draft", "scheduled"})


class Composer:
    """Writes posts for one caller."""

    def __init__(self, session: ApiSession, writer: Writer) -> None:
        self._session = session
        self._writer = writer

    async def draft(self, arguments: Mapping[str, Any], again: int) -> dict[str, Any]:
        """Validate a post as if it were published, and store it as a draft. Without accounts it is only an idea."""
        content = {name: value for name, value in arguments.items() if value is not None}
        is_idea = not content.get("targets")
        checked = await self._session.call("posts.validate", **content, draft=is_idea)
        if not checked["valid"]:
            raise ToolError(
                "invalid",
                "Nothing was stored: the post would be refused. Fix what `errors` names, and call draft_post again.",
                errors=checked["errors"],
                warnings=checked["warnings"],
            )
        create = self._session.operations.by_name["posts.create"]
        report = await self._writer.run("draft_post", create, {**content, "draft": True}, None, again)
        post = report["result"]
        report["warnings"] = shorten(checked["warnings"])
        report["next"] = (
            f"It is a draft. Publish it with publish_post: postId {post['id']}, and `when` now, next_slot or a time."
        )
        return report

    async def publish(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Publish a draft. What is being published already is left alone."""
        post_id, when = arguments.get("postId"), arguments.get("when")
        if not post_id or not when:
            raise ToolError("invalid", "publish_post needs postId and when: now, next_slot, or a time.")
        post = await self._session.call("posts.get", postId=post_id)
        if post["status"] not in _UNPUBLISHED:
            return {
                "done": False,
                "note": f"This post is {post['status']} already. Nothing was published again.",
                "result": shorten(post),
                "undo": self._undo(post_id),
            }
        changes = await self._choose_time(post, when, arguments.get("timezone"))
        update = self._session.operations.by_name["posts.update"]
        response = await self._session.run(update, {"postId": post_id, **changes})
        result = response.value
        return {
            "done": True,
            "changed": {
                name: {"from": post.get(name), "to": result.get(name)}
                for name in ("status", "scheduledFor")
                if post.get(name) != result.get(name)
            },
            "result": shorten(result),
            "undo": self._undo(post_id),
            "next": f"Call wait with id {post_id} to see whether it was published."
            if "publishNow" in changes
            else f"It is published at {result.get('scheduledFor')}.",
        }

    async def _choose_time(self, post: Mapping[str, Any], when: str, timezone: str | None) -> dict[str, Any]:
        if when == "now":
            return {"publishNow": True}
        if when == "next_slot":
            accounts = [target["accountId"] for target in post["targets"]]
            slot = await self._session.call("queue.next_slot", profileId=post["profileId"], accountId=accounts)
            return {"scheduledFor": slot["at"]}
        return {"scheduledFor": when} | ({} if timezone is None else {"timezone": timezone})

    def _undo(self, post_id: str) -> dict[str, Any]:
        return self._writer.build_call(self._session.operations.by_name["posts.delete"], {"postId": post_id})
