"""Facts from elsewhere: platforms' reports about posts in progress, and deleted profiles."""

from collections.abc import Sequence

import msgspec

from socialgate.areas.media.quota import StorageQuotaReachedError
from socialgate.areas.media.renditions.job import MediaNotConvertible
from socialgate.areas.posts import slots, store
from socialgate.areas.posts.retry_policy import build_user_error
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY, release_media
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.profiles import ProfileDeleted
from socialgate.contracts.renditions import RenditionFailed, RenditionReady
from socialgate.contracts.webhooks import PublishingMoved
from socialgate.core.db import Tx
from socialgate.core.events import PostFileFailed, TargetError
from socialgate.core.outbox import emit_event


async def on_publishing_moved(tx: Tx, fact: PublishingMoved, accounts: Sequence[AccountRow]) -> None:
    """Check now what waits for the platform: it has made progress."""
    del fact
    for account in accounts:
        if await store.make_waiting_targets_due(tx, account.owner_id, account.id):
            tx.wake_on_commit(PUBLISHING_WAKE_KEY)


async def on_rendition_ready(tx: Tx, fact: RenditionReady, owner_id: str) -> None:
    """Continue with what waits for a file."""
    await store.clear_passing_file_error(tx, owner_id, fact.key)
    if await store.resume_prepared(tx, owner_id):
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)


async def on_rendition_failed(tx: Tx, fact: RenditionFailed, owner_id: str) -> None:
    """Say why a post cannot be published, before it is due. What is due fails with it."""
    error = _build_file_error(fact)
    if not error.retryable:
        await _report_unfit(tx, owner_id, fact.key, error)
    await store.record_unfit_file(tx, owner_id, fact.key, msgspec.to_builtins(error))
    if await store.resume_prepared(tx, owner_id):
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)


def _build_file_error(fact: RenditionFailed) -> TargetError:
    """The same file fails the same way again. Space may be free by then, and what is wrong with the service fixed."""
    retryable = fact.code != MediaNotConvertible.code
    if not retryable or fact.code == StorageQuotaReachedError.code:
        return build_user_error(fact.code, fact.detail, retryable=retryable)
    return TargetError(code=fact.code, category="system_error", source="system", detail=fact.detail, retryable=True)


async def _report_unfit(tx: Tx, owner_id: str, key: str, error: TargetError) -> None:
    """Report what will fail, as long as there is time to replace the file."""
    for target in await store.list_newly_unfit(tx, owner_id, key):
        post = await store.find_post(tx, owner_id, target.post_id)
        if post is None or post.scheduled_for is None or post.scheduled_for <= tx.now:
            continue
        event = PostFileFailed(
            post_id=post.id,
            scheduled_for=post.scheduled_for,
            account_id=target.account_id,
            platform=target.platform,
            kind=target.kind,
            error=error,
            metadata=post.metadata,
        )
        await emit_event(tx, owner_id, post.profile_id, event)


async def on_profile_deleted(tx: Tx, fact: ProfileDeleted, owner_id: str) -> None:
    """Cancel what a profile had scheduled, and delete its queue."""
    await slots.delete_slots_of_profile(tx, owner_id, fact.profile_id)
    for post in await store.lock_unpublished_posts(tx, owner_id, fact.profile_id):
        of_post = (await store.list_targets(tx, owner_id, [post.id]))[post.id]
        await store.cancel_post(tx, post)
        await release_media(tx, owner_id, [post, *of_post])
