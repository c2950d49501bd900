"""Storing what was composed: as a new post, or in the post that the same form has stored before."""

import msgspec

from socialgate.areas.posts.queue import QueueService
from socialgate.areas.posts.schemas import NewPost, Post
from socialgate.areas.posts.service import PostService
from socialgate.areas.posts.tables import PostStatus
from socialgate.console.composing.post_form import AUTOSAVE_ACT, Composed
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.web.etags import ExpectedVersion
from socialgate.web.form_keys import find_created_id, record_created_id


class PostToSave(msgspec.Struct, frozen=True, kw_only=True):
    """What the form says. `post_id` is the post that is edited; `key` is that of the form."""

    act: str
    composed: Composed
    new: NewPost
    zone: str
    path: str
    key: str | None
    post_id: str | None


class PostSaver:
    def __init__(self, posts: PostService, queue: QueueService) -> None:
        self._posts = posts
        self._queue = queue

    async def save(self, tx: Tx, caller: Caller, saved: PostToSave) -> Post:
        """Store one post, however often and however fast the form is sent."""
        post_id = saved.post_id
        if post_id is None and saved.key is not None:
            post_id = await find_created_id(tx, caller, saved.path, saved.key)
        if post_id is not None:
            return await self._change(tx, caller, post_id, saved)
        created = await self._create(tx, caller, saved)
        if saved.key is not None:
            await record_created_id(tx, caller, saved.path, saved.key, created.id)
        return created

    async def _create(self, tx: Tx, caller: Caller, saved: PostToSave) -> Post:
        if saved.act == "queue":
            return await self._queue.enqueue_post(tx, caller, saved.new)
        return await self._posts.create(tx, caller, saved.new)

    async def _change(self, tx: Tx, caller: Caller, post_id: str, saved: PostToSave) -> Post:
        stored = await self._posts.show(tx, caller, post_id)
        if saved.act == AUTOSAVE_ACT and stored.status is not PostStatus.DRAFT:
            # It arrived after the person had scheduled or published the post.
            return stored
        changes = saved.composed.build_changes(saved.act, stored, saved.zone)
        if saved.act == "queue":
            return await self._queue.enqueue_stored_post(tx, caller, post_id, changes)
        return await self._posts.change(tx, caller, post_id, changes, ExpectedVersion(None))
