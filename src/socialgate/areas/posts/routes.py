from http import HTTPStatus

from litestar import Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.media.fetching import TooManyFetchesError
from socialgate.areas.posts.live_posts import LivePostService
from socialgate.areas.posts.media_fetcher import PostMediaFetcher
from socialgate.areas.posts.published_posts import PostDeletionService, PostIsPublishedError, PostIsPublishingError
from socialgate.areas.posts.queue import NoFreeSlotError, QueueService, SlotExistsError, SlotLimitError
from socialgate.areas.posts.queue_schemas import (
    NewSlot,
    NextSlot,
    NextSlotQuery,
    QueueQuery,
    QueueView,
    Slot,
    SlotChanges,
    SlotDeleted,
    SlotPostsQuery,
    SlotsQuery,
)
from socialgate.areas.posts.schemas import (
    DeletePostQuery,
    HistoryQuery,
    NewPost,
    PlatformObjectDeleted,
    Post,
    PostChanges,
    PostDeleted,
    PostsQuery,
    QueuedPost,
    Reconciliation,
)
from socialgate.areas.posts.service import (
    NothingToRetryError,
    NothingUnconfirmedError,
    PostNotEditableError,
    PostService,
)
from socialgate.areas.posts.tables import PostStatus
from socialgate.areas.posts.verdict_schemas import PostValidationResult
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.publishing import HistoryEntry
from socialgate.core.errors import NotFound, StorageUnavailable
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import Page

POSTS_TAG = RouteTag("Posts", "Publish now, at a time or through the queue, and see every step.")
QUEUE_TAG = RouteTag("Queue", "Weekly times at which the posts of a profile are published.")
# A post counts when it is accepted, and a file when it is fetched from its URL.
_METERED_METRICS = (UsageMetric.POSTS, UsageMetric.UPLOAD_BYTES)
_EXAMPLE_QUEUED_POST = Post.example_of(
    PostStatus.SCHEDULED, scheduledFor="2026-11-16T12:00:00Z", queueSlotId="slot_01h455vb4pex5vsknk084sn02q"
)
_EXAMPLE_CHANGED_POST = Post.example_of(PostStatus.DRAFT, content="Fresh bread at eight")
_IN_PROGRESS_STATUSES = (PostStatus.PREPARING, PostStatus.PUBLISHING)
_EXAMPLE_RETRIED_POST = Post.example_of(PostStatus.PUBLISHING, round=2)


@route(
    "POST",
    "/posts",
    sdk="posts.create",
    tag=POSTS_TAG,
    raises=(NotFound, NoFreeSlotError, TooManyFetchesError, StorageUnavailable),
    meters=_METERED_METRICS,
    also=(202,),
    example=Post.example_of(PostStatus.DRAFT),
)
async def create_post(
    data: NewPost, work: UnitOfWork, media_fetcher: PostMediaFetcher, posts: PostService, queue: QueueService
) -> Response[Post]:
    """Create a post: publish it now, at a time, through the queue, or keep it as a draft.

    It is validated for every account first, and rejected with all errors at once. The response is 202 if a worker
    publishes it now, 201 if it is stored for later. Choose when with one of `draft`, `publishNow`, `queue` and
    `scheduledFor`: two that contradict each other are rejected, and with none of them it is published immediately. A
    draft can have the `scheduledFor` that it is intended for.

    Files given by `url` are fetched immediately: what is validated is what will be published.
    """
    new = await media_fetcher.fetch_for_post(work, data)
    if new.queue:
        post = await work.write(queue.enqueue_post, work.caller, new)
    else:
        post = await work.write_with_status(_get_response_status, posts.create, work.caller, new)
    return Response(post, status_code=_get_response_status(post))


@route("GET", "/posts", sdk="posts.list", tag=POSTS_TAG, query=PostsQuery)
async def list_posts(params: PostsQuery, work: UnitOfWork, posts: PostService) -> Page[Post]:
    """List posts, newest first. Cancelled posts are only included with `status=cancelled`."""
    return await work.read(posts.list, work.caller, params)


@route(
    "POST",
    "/posts/validate",
    sdk="posts.validate",
    tag=POSTS_TAG,
    status=200,
    writes=False,
    raises=(NotFound, TooManyFetchesError, StorageUnavailable),
)
async def validate_post(data: NewPost, work: UnitOfWork, media_fetcher: PostMediaFetcher) -> PostValidationResult:
    """Validate a post without creating it, and return everything that is wrong.

    A draft may be incomplete: with `draft: true`, only the existence of its accounts and files is checked. Omit `draft`
    to find out whether the post could be published.
    """
    return await media_fetcher.validate_post(work, data)


@route("GET", "/posts/{post_id:str}", sdk="posts.get", tag=POSTS_TAG)
async def show_post(post_id: str, work: UnitOfWork, posts: PostService) -> Post:
    """Return a post with every step that was taken to publish it."""
    return await work.read(posts.show, work.caller, post_id)


@route(
    "PATCH",
    "/posts/{post_id:str}",
    sdk="posts.update",
    tag=POSTS_TAG,
    raises=(PostNotEditableError, TooManyFetchesError, StorageUnavailable),
    meters=_METERED_METRICS,
    example=_EXAMPLE_CHANGED_POST,
)
async def change_post(
    post_id: str,
    data: PostChanges,
    expected: ExpectedVersion,
    work: UnitOfWork,
    media_fetcher: PostMediaFetcher,
    posts: PostService,
) -> Post:
    """Update a draft or a scheduled post. `publishNow` or `scheduledFor` publishes or schedules a draft."""
    changes = await media_fetcher.fetch_for_changes(work, post_id, data)
    return await work.write(posts.change, work.caller, post_id, changes, expected)


@route(
    "DELETE",
    "/posts/{post_id:str}",
    sdk="posts.delete",
    tag=POSTS_TAG,
    query=DeletePostQuery,
    raises=(PostIsPublishedError, PostIsPublishingError),
)
async def delete_post(
    post_id: str, params: DeletePostQuery, work: UnitOfWork, deletions: PostDeletionService
) -> PostDeleted:
    """Cancel a draft or a scheduled post, or delete a published one if the platform allows it."""
    return await deletions.delete(work, post_id, params)


@route(
    "POST",
    "/posts/{post_id:str}/retry",
    sdk="posts.retry",
    tag=POSTS_TAG,
    status=202,
    raises=(NothingToRetryError,),
    example=_EXAMPLE_RETRIED_POST,
)
async def retry_post(post_id: str, work: UnitOfWork, posts: PostService) -> Post:
    """Publish the failed targets again, as a new round with its own event."""
    return await work.write(posts.retry, work.caller, post_id)


@route(
    "POST",
    "/posts/{post_id:str}/reconcile",
    sdk="posts.reconcile",
    tag=POSTS_TAG,
    status=200,
    raises=(NothingUnconfirmedError,),
)
async def reconcile_post(post_id: str, data: Reconciliation, work: UnitOfWork, posts: PostService) -> Post:
    """Decide targets with an unknown outcome: report what you found, or have the platforms asked again."""
    return await work.write(posts.reconcile, work.caller, post_id, data)


@route(
    "GET",
    "/accounts/{account_id:str}/history",
    sdk="accounts.history",
    tag=POSTS_TAG,
    query=HistoryQuery,
    raises=(NotSupportedError, *LIVE_READ_ERRORS),
)
async def account_history(
    account_id: str, params: HistoryQuery, work: UnitOfWork, live_posts: LivePostService
) -> Page[HistoryEntry]:
    """List the live posts of the account, read from the platform, whether or not they were posted here."""
    return await live_posts.list_page(work, account_id, params)


@route(
    "DELETE",
    "/accounts/{account_id:str}/posts/{object_id:str}",
    sdk="accounts.delete_post",
    tag=POSTS_TAG,
    raises=(NotSupportedError, *OPERATION_ERRORS),
)
async def delete_object(
    account_id: str, object_id: str, work: UnitOfWork, deletions: PostDeletionService
) -> PlatformObjectDeleted:
    """Delete a post on the platform by the platform's own id, whether or not it was posted here."""
    return await deletions.delete_by_platform_id(work, account_id, object_id)


@route(
    "POST", "/queue/slots", sdk="queue.slots.create", tag=QUEUE_TAG, raises=(NotFound, SlotLimitError, SlotExistsError)
)
async def create_slot(data: NewSlot, work: UnitOfWork, queue: QueueService) -> Slot:
    """Create a slot: a weekly time at which the queue of a profile publishes one post."""
    return await work.write(queue.add_slot, work.caller, data)


@route("GET", "/queue/slots", sdk="queue.slots.list", tag=QUEUE_TAG, query=SlotsQuery)
async def list_slots(params: SlotsQuery, work: UnitOfWork, queue: QueueService) -> Page[Slot]:
    """List the slots, newest first."""
    return await work.read(queue.list_slots, work.caller, params)


@route(
    "PATCH",
    "/queue/slots/{slot_id:str}",
    sdk="queue.slots.update",
    tag=QUEUE_TAG,
    query=SlotPostsQuery,
    raises=(SlotExistsError, NoFreeSlotError),
)
async def change_slot(
    slot_id: str, data: SlotChanges, params: SlotPostsQuery, work: UnitOfWork, queue: QueueService
) -> Slot:
    """Change the time or the accounts of a slot. Its posts keep their time, or move to the next free slots."""
    return await work.write(queue.change_slot, work.caller, slot_id, data, params)


@route(
    "DELETE",
    "/queue/slots/{slot_id:str}",
    sdk="queue.slots.delete",
    tag=QUEUE_TAG,
    query=SlotPostsQuery,
    raises=(NoFreeSlotError,),
)
async def delete_slot(slot_id: str, params: SlotPostsQuery, work: UnitOfWork, queue: QueueService) -> SlotDeleted:
    """Delete a slot. Its posts keep their time, or move to the next free slots."""
    return await work.write(queue.delete_slot, work.caller, slot_id, params)


@route(
    "POST",
    "/queue",
    sdk="queue.add",
    tag=QUEUE_TAG,
    raises=(NotFound, NoFreeSlotError),
    meters=_METERED_METRICS,
    example=_EXAMPLE_QUEUED_POST,
)
async def queue_post(data: QueuedPost, work: UnitOfWork, media_fetcher: PostMediaFetcher, queue: QueueService) -> Post:
    """Put a post into the next free slot of its profile. Two posts never get the same one."""
    return await work.write(
        queue.enqueue_post, work.caller, await media_fetcher.fetch_for_post(work, data, queue_route=True)
    )


@route("GET", "/queue", sdk="queue.get", tag=QUEUE_TAG, query=QueueQuery, raises=(NotFound,))
async def show_queue(params: QueueQuery, work: UnitOfWork, queue: QueueService) -> QueueView:
    """List the upcoming slots of a profile in order, with their posts, including free ones."""
    return await work.read(queue.show, work.caller, params)


@route(
    "GET",
    "/queue/next-slot",
    sdk="queue.next_slot",
    tag=QUEUE_TAG,
    query=NextSlotQuery,
    raises=(NotFound, NoFreeSlotError),
)
async def next_slot(params: NextSlotQuery, work: UnitOfWork, queue: QueueService) -> NextSlot:
    """Return the next free slot. It is not reserved."""
    return await work.read(queue.find_next_free_slot, work.caller, params)


def _get_response_status(post: Post) -> int:
    return HTTPStatus.ACCEPTED if post.status in _IN_PROGRESS_STATUSES else HTTPStatus.CREATED


routes = [
    create_post,
    list_posts,
    validate_post,
    show_post,
    change_post,
    delete_post,
    retry_post,
    reconcile_post,
    account_history,
    delete_object,
    create_slot,
    list_slots,
    change_slot,
    delete_slot,
    queue_post,
    show_queue,
    next_slot,
]
