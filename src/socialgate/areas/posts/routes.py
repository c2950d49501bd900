from http import HTTPStatus

from litestar import Response

from socialgate.areas.accounts.routes import CHANGING, READING
from socialgate.areas.media.fetching import TooManyFetches
from socialgate.areas.posts.gatherer import MediaGatherer
from socialgate.areas.posts.published import PostIsOut, PostIsUnderWay, PublishedPosts
from socialgate.areas.posts.queue import NoFreeSlot, Queue, SlotExists, SlotLimit
from socialgate.areas.posts.queue_schemas import (
    NewSlot,
    NextSlot,
    NextSlotQuery,
    PostsOfSlot,
    QueueQuery,
    QueueView,
    Slot,
    SlotChanges,
    SlotDeleted,
    SlotsQuery,
)
from socialgate.areas.posts.schemas import (
    HistoryEntry,
    HistoryQuery,
    NewPost,
    ObjectDeleted,
    Post,
    PostChanges,
    PostDeleted,
    PostDeletion,
    PostsQuery,
    QueuedPost,
    Reconciliation,
    Verdict,
)
from socialgate.areas.posts.service import NothingToRetry, NothingUnconfirmed, PostNotEditable, Posts
from socialgate.contracts.failures import NotSupported
from socialgate.core.errors import NotFound
from socialgate.core.work import Work
from socialgate.web.edits import Expected
from socialgate.web.route import Tag, route
from socialgate.web.schema import Page

POSTS = Tag("Posts", "Publish now, at a time or through the queue, and see every step.")
QUEUE = Tag("Queue", "Times of the week at which the posts of a profile are published.")


@route("POST", "/posts", tag=POSTS, raises=(NotFound, NoFreeSlot, TooManyFetches), also=(202,))
async def create_post(data: NewPost, work: Work, gatherer: MediaGatherer, posts: Posts, queue: Queue) -> Response[Post]:
    """Make a post: published now, at a time, through the queue, or kept as a draft.

    It is validated for every account first, and refused with all faults at once. The answer is 202 where a worker
    publishes it now, 201 where it is kept for later. Say when with one of `draft`, `publishNow`, `queue` and
    `scheduledFor`: two that contradict each other are refused, and with none of them it is published at once. A draft
    may carry the `scheduledFor` that it is meant for.

    Files that it names by `url` are fetched at once: what is validated is what will be published.
    """
    new = await gatherer.of_post(work, data)
    if new.queue:
        post = await work.write(queue.put, work.caller, new)
    else:
        post = await work.answer(_status_of, posts.create, work.caller, new)
    return Response(post, status_code=_status_of(post))


@route("GET", "/posts", tag=POSTS, query=PostsQuery)
async def list_posts(params: PostsQuery, work: Work, posts: Posts) -> Page[Post]:
    """List posts, newest first. Cancelled ones only if `status=cancelled` asks for them."""
    return await work.read(posts.list, work.caller, params)


@route("POST", "/posts/validate", tag=POSTS, status=200, writes=False, raises=(NotFound, TooManyFetches))
async def validate_post(data: NewPost, work: Work, gatherer: MediaGatherer) -> Verdict:
    """Say what would be refused if this were posted, all of it, without posting it."""
    return await gatherer.judged(work, data)


@route("GET", "/posts/{post_id:str}", tag=POSTS)
async def show_post(post_id: str, work: Work, posts: Posts) -> Post:
    """Show a post with every step that was taken to publish it."""
    return await work.read(posts.show, work.caller, post_id)


@route("PATCH", "/posts/{post_id:str}", tag=POSTS, raises=(PostNotEditable, TooManyFetches))
async def change_post(
    post_id: str, data: PostChanges, expected: Expected, work: Work, gatherer: MediaGatherer, posts: Posts
) -> Post:
    """Change a draft or a scheduled post. `publishNow`, or a `scheduledFor`, sends a draft on its way."""
    changes = await gatherer.of_changes(work, post_id, data)
    return await work.write(posts.change, work.caller, post_id, changes, expected)


@route("DELETE", "/posts/{post_id:str}", tag=POSTS, query=PostDeletion, raises=(PostIsOut, PostIsUnderWay))
async def delete_post(post_id: str, params: PostDeletion, work: Work, published: PublishedPosts) -> PostDeleted:
    """Cancel a draft or a scheduled post; or delete one that is out, where the platform allows that."""
    return await published.delete(work, post_id, params)


@route("POST", "/posts/{post_id:str}/retry", tag=POSTS, status=202, raises=(NothingToRetry,))
async def retry_post(post_id: str, work: Work, posts: Posts) -> Post:
    """Publish the targets that failed once more, as a new round with an event of its own."""
    return await work.write(posts.retry, work.caller, post_id)


@route("POST", "/posts/{post_id:str}/reconcile", tag=POSTS, status=200, raises=(NothingUnconfirmed,))
async def reconcile_post(post_id: str, data: Reconciliation, work: Work, posts: Posts) -> Post:
    """Decide about targets whose outcome nobody knows: say what you saw, or have the platforms asked once more."""
    return await work.write(posts.reconcile, work.caller, post_id, data)


@route("GET", "/accounts/{account_id:str}/history", tag=POSTS, query=HistoryQuery, raises=(NotSupported, *READING))
async def account_history(
    account_id: str, params: HistoryQuery, work: Work, published: PublishedPosts
) -> Page[HistoryEntry]:
    """List what is live on the account, posted here or not, as the platform shows it now."""
    return await published.history(work, account_id, params)


@route("DELETE", "/accounts/{account_id:str}/posts/{object_id:str}", tag=POSTS, raises=(NotSupported, *CHANGING))
async def delete_object(account_id: str, object_id: str, work: Work, published: PublishedPosts) -> ObjectDeleted:
    """Delete a post on the platform by the platform's own id, posted here or not."""
    return await published.delete_object(work, account_id, object_id)


@route("POST", "/queue/slots", tag=QUEUE, raises=(NotFound, SlotLimit, SlotExists))
async def create_slot(data: NewSlot, work: Work, queue: Queue) -> Slot:
    """Make a slot: a time of the week at which the queue of a profile publishes one post."""
    return await work.write(queue.add_slot, work.caller, data)


@route("GET", "/queue/slots", tag=QUEUE, query=SlotsQuery)
async def list_slots(params: SlotsQuery, work: Work, queue: Queue) -> Page[Slot]:
    """List the slots, newest first."""
    return await work.read(queue.list_slots, work.caller, params)


@route("PATCH", "/queue/slots/{slot_id:str}", tag=QUEUE, query=PostsOfSlot, raises=(SlotExists, NoFreeSlot))
async def change_slot(slot_id: str, data: SlotChanges, params: PostsOfSlot, work: Work, queue: Queue) -> Slot:
    """Change the time or the accounts of a slot. Posts that hold it keep their time, or move to the next free slots."""
    return await work.write(queue.change_slot, work.caller, slot_id, data, params)


@route("DELETE", "/queue/slots/{slot_id:str}", tag=QUEUE, query=PostsOfSlot, raises=(NoFreeSlot,))
async def delete_slot(slot_id: str, params: PostsOfSlot, work: Work, queue: Queue) -> SlotDeleted:
    """Delete a slot. Its posts keep their time, or move to the next free slots."""
    return await work.write(queue.delete_slot, work.caller, slot_id, params)


@route("POST", "/queue", tag=QUEUE, raises=(NotFound, NoFreeSlot))
async def queue_post(data: QueuedPost, work: Work, gatherer: MediaGatherer, queue: Queue) -> Post:
    """Put a post into the next free slot of its profile. Two posts never get the same one."""
    return await work.write(queue.put, work.caller, await gatherer.of_post(work, data, queue_route=True))


@route("GET", "/queue", tag=QUEUE, query=QueueQuery, raises=(NotFound,))
async def show_queue(params: QueueQuery, work: Work, queue: Queue) -> QueueView:
    """Show the coming slots of a profile in order, with their posts, and those that are free."""
    return await work.read(queue.show, work.caller, params)


@route("GET", "/queue/next-slot", tag=QUEUE, query=NextSlotQuery, raises=(NotFound, NoFreeSlot))
async def next_slot(params: NextSlotQuery, work: Work, queue: Queue) -> NextSlot:
    """Tell the next free slot. Asking does not reserve it."""
    return await work.read(queue.next_slot, work.caller, params)


def _status_of(post: Post) -> int:
    return HTTPStatus.ACCEPTED if post.status == "publishing" else HTTPStatus.CREATED


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
