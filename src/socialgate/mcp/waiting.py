"""Waiting for what takes longer than a call."""

import asyncio
from typing import Any

from socialgate.mcp.api import ApiSession
from socialgate.mcp.results import shorten

_MAX_SECONDS = 30
_POLL_SECONDS = 1.0
_UNFINISHED = frozenset({"queued", "running", "publishing", "preparing"})


async def wait_for(session: ApiSession, thing_id: str, seconds: int) -> dict[str, Any]:
    """Wait for a task, a generation or a post, and return its state, finished or not."""
    seconds = min(seconds, _MAX_SECONDS)
    if thing_id.startswith("post_"):
        state = await _wait_for_post(session, thing_id, seconds)
    else:
        name = "ai.get" if thing_id.startswith("gen_") else "tasks.get"
        state = await session.call(name, taskId=thing_id, wait=seconds)
    is_finished = state["status"] not in _UNFINISHED
    following = {} if is_finished else {"next": f"Not finished yet. Call wait with id {thing_id} again."}
    return {"finished": is_finished, "state": shorten(state), **following}


async def _wait_for_post(session: ApiSession, post_id: str, seconds: int) -> Any:
    deadline = asyncio.get_running_loop().time() + seconds
    while True:
        post = await session.call("posts.get", postId=post_id)
        if post["status"] not in _UNFINISHED or asyncio.get_running_loop().time() >= deadline:
            return post
        await asyncio.sleep(_POLL_SECONDS)
