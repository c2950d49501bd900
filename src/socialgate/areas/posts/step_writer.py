"""Recording the results of steps, many in one commit, and finishing posts whose last target is finished.

Each step is durable before the next one starts. A commit costs the same for one row as for a hundred, so steps that
arrive during a commit share the next one.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from socialgate.areas.media import store as media
from socialgate.areas.media.service import UNUSED_MEDIA_RETENTION
from socialgate.areas.posts import store
from socialgate.areas.posts.contents import list_media_ids
from socialgate.areas.posts.steps import TargetFailed, TargetPublished, TargetUpdate
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.contracts import publishing
from socialgate.contracts.publishing import PostFinished, PublishedTarget
from socialgate.core.db import Database, Tx
from socialgate.core.events import (
    PostFailed,
    PostPartiallyPublished,
    PostPlatformFailed,
    PostPublished,
    TargetError,
    TargetResult,
)
from socialgate.core.jobs.group_commit import GroupCommit
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.outbox import emit_event

# The hint that something is, or will be, due.
PUBLISHING_WAKE_KEY = "publishing"

FinalPostStatus = Literal["published", "partial", "failed"]

_MAX_BATCH_SIZE = 100
_EVENTS_BY_STATUS: dict[FinalPostStatus, type[PostPublished | PostPartiallyPublished | PostFailed]] = {
    "published": PostPublished,
    "partial": PostPartiallyPublished,
    "failed": PostFailed,
}


class TargetUpdateWriter:
    def __init__(self, db: Database) -> None:
        self._group: GroupCommit[TargetUpdate, bool] = GroupCommit(
            db, write_target_updates, max_batch_size=_MAX_BATCH_SIZE
        )

    async def write(self, step: TargetUpdate) -> None:
        """Return once it is durable."""
        if not await self._group.write(step):
            raise ClaimLost


async def write_target_updates(tx: Tx, steps: Sequence[TargetUpdate]) -> list[bool]:
    kept = await store.TARGET_QUEUE.write_outcomes(tx, [step.build_outcome(tx.now) for step in steps])
    written = [step for step, is_kept in zip(steps, kept, strict=True) if is_kept]
    for step in written:
        if isinstance(step.change, TargetFailed):
            await emit_platform_failed(tx, step.claimed.row, step.change.error)
        elif isinstance(step.change, TargetPublished):
            done, at = step.change.done, step.change.at
            await notify_post_published(tx, step.claimed.row, done.platform_post_id, done.url, at)
    resting = {(step.claimed.row.owner_id, step.claimed.row.post_id) for step in written if step.is_final}
    if resting:
        await finish_publishing_rounds(tx, sorted(resting))
    if any(step.due_at for step in steps):
        # A worker that sleeps until the previous next due time must learn that something is due earlier.
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)
    return kept


async def notify_post_published(
    tx: Tx, row: TargetRow, object_id: str | None, url: str | None, published_at: datetime | None
) -> None:
    """Notify other areas that a post was published. One that a person reports without its id is of no use to them."""
    if object_id:
        fact = publishing.PostPublished(
            post_id=row.post_id,
            target_id=row.id,
            account_id=row.account_id,
            kind=row.kind,
            object_id=object_id,
            url=url,
            published_at=published_at,
        )
        await tx.publish_fact(fact, row.owner_id)


async def emit_platform_failed(tx: Tx, row: TargetRow, error: TargetError) -> None:
    post = await store.find_post(tx, row.owner_id, row.post_id)
    if post is None:
        return
    failed = PostPlatformFailed(
        post_id=row.post_id,
        account_id=row.account_id,
        platform=row.platform,
        kind=row.kind,
        error=error,
        metadata=post.metadata,
    )
    await emit_event(tx, row.owner_id, post.profile_id, failed)


async def finish_publishing_round(tx: Tx, owner_id: str, post_id: str) -> None:
    await finish_publishing_rounds(tx, [(owner_id, post_id)])


async def finish_publishing_rounds(tx: Tx, keys: Sequence[store.PostKey]) -> None:
    """End the round of each post without open targets, with its one event."""
    rounds = {(post.owner_id, post.id): post for post in await store.lock_publishing_posts(tx, keys)}
    of_posts = await store.list_targets_by_key(tx, list(rounds)) if rounds else {}
    ended = {
        key: _get_final_status(rows)
        for key, rows in of_posts.items()
        if all(row.status not in store.OPEN_TARGET_STATUSES for row in rows)
    }
    if not ended:
        return
    await store.set_final_status(tx, {key: PostStatus(status) for key, status in ended.items()})
    using: dict[str, list[PostRow | TargetRow]] = {}
    for key, status in ended.items():
        post, of_post = rounds[key], of_posts[key]
        results = [_build_result(row) for row in of_post]
        event = _EVENTS_BY_STATUS[status](
            post_id=post.id, status=status, round=post.round, targets=results, metadata=post.metadata
        )
        await emit_event(tx, post.owner_id, post.profile_id, event)
        await tx.publish_fact(_build_post_finished(post, of_post, tx.now), post.profile_id)
        using.setdefault(post.owner_id, []).extend([post, *of_post])
    for owner_id, rows in using.items():
        await release_media(tx, owner_id, rows)


def _build_post_finished(post: PostRow, of_post: Sequence[TargetRow], now: datetime) -> PostFinished:
    targets = tuple(
        PublishedTarget(
            account_id=row.account_id,
            platform=row.platform,
            text=post.content if row.content is None else row.content,
            object_id=row.platform_post_id,
            url=row.url,
        )
        for row in of_post
        if row.status is TargetStatus.PUBLISHED
    )
    return PostFinished(owner_id=post.owner_id, post_id=post.id, at=now, targets=targets)


def _get_final_status(of_post: Sequence[TargetRow]) -> FinalPostStatus:
    published = sum(row.status is TargetStatus.PUBLISHED for row in of_post)
    return "published" if published == len(of_post) else "partial" if published else "failed"


async def release_media(tx: Tx, owner_id: str, rows: Sequence[PostRow | TargetRow]) -> None:
    """Release the files of posts, or of their targets, in time, except those that another post still needs."""
    used = set(list_media_ids(rows))
    if used:
        free = used - await store.find_media_in_use(tx, owner_id, sorted(used))
        await media.set_expiry(tx, owner_id, sorted(free), tx.now + UNUSED_MEDIA_RETENTION)


def _build_result(row: TargetRow) -> TargetResult:
    return TargetResult(
        account_id=row.account_id,
        platform=row.platform,
        kind=row.kind,
        status="published" if row.status is TargetStatus.PUBLISHED else "failed",
        platform_post_id=row.platform_post_id,
        url=row.url,
        error=None if row.error is None else msgspec.convert(row.error, TargetError),
    )
