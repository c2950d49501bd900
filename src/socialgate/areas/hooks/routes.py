from typing import Any, cast

from litestar import Request, Response
from litestar.response import Stream

from socialgate.areas.hooks.deliveries import Deliveries, DeliveryPending, EventDropped, EventOutOfReach, HookOff
from socialgate.areas.hooks.feed import Feed, TooManyStreams
from socialgate.areas.hooks.schemas import (
    DeliveriesQuery,
    Delivery,
    DeliveryDetail,
    DeliveryQueued,
    EventPage,
    EventsQuery,
    Hook,
    HookChanges,
    HookCreated,
    NewHook,
    Recovered,
    Recovery,
    SecretRotated,
    SecretRotation,
    StreamQuery,
)
from socialgate.areas.hooks.service import EmptyReach, HookLimit, Hooks, PingTooSoon
from socialgate.core.work import Work
from socialgate.web import auth
from socialgate.web.edits import Expected
from socialgate.web.paging import ListQuery
from socialgate.web.route import Tag, route
from socialgate.web.schema import Deleted, Page

TAG = Tag("Hooks", "Where events are sent, signed and retried, with a record of every attempt.")
EVENTS = Tag("Events", "Everything that happened, as a list and as a stream.")
EVENT_STREAM = "text/event-stream"
# A proxy that gathers or keeps what it passes on would hold events back.
_STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


@route("POST", "/hooks", tag=TAG, raises=(HookLimit,))
async def create_hook(data: NewHook, work: Work, hooks: Hooks) -> HookCreated:
    """Create a hook. Its secret is in this answer only.

    It receives the events of all profiles, or of those that the API key is limited to. An owner has 20 hooks at
    most. Verify each delivery: `X-Service-Signature` is `sha256=` and the hexadecimal HMAC-SHA-256 of the raw
    body, keyed with the secret.
    """
    return await hooks.create(work, data)


@route("GET", "/hooks", tag=TAG, query=ListQuery)
async def list_hooks(params: ListQuery, work: Work, hooks: Hooks) -> Page[Hook]:
    """List the hooks that the credential reaches, newest first.

    A key that is limited to some profiles reaches a hook if all that the hook covers lies within them.
    """
    return await work.read(hooks.list, work.caller, params)


@route("GET", "/hooks/{hook_id:str}", tag=TAG)
async def show_hook(hook_id: str, work: Work, hooks: Hooks) -> Hook:
    """Show one hook."""
    return await work.read(hooks.show, work.caller, hook_id)


@route("PATCH", "/hooks/{hook_id:str}", tag=TAG)
async def change_hook(hook_id: str, data: HookChanges, expected: Expected, work: Work, hooks: Hooks) -> Hook:
    """Change a hook. Attempts still to come use the new address and rules.

    What waits while a hook is not active is sent if it is active again within 72 hours. What happens meanwhile
    is not queued: `POST /hooks/{hookId}/recover` sends it.
    """
    return await hooks.change(work, hook_id, data, expected)


@route("DELETE", "/hooks/{hook_id:str}", tag=TAG, example=Deleted.example_of("hook"))
async def delete_hook(hook_id: str, work: Work, hooks: Hooks) -> Deleted:
    """Delete a hook. Deliveries that wait are cancelled."""
    return await work.write(hooks.delete, work.caller, hook_id)


@route("POST", "/hooks/{hook_id:str}/test", tag=TAG, status=202, raises=(PingTooSoon, EmptyReach))
async def test_hook(hook_id: str, work: Work, hooks: Hooks) -> DeliveryQueued:
    """Queue one `webhook.test` delivery to this hook, once in 30 seconds.

    It is sent whether or not the hook lists the event or is active.
    """
    return await work.write(hooks.test, work.caller, hook_id)


@route("POST", "/hooks/{hook_id:str}/rotate-secret", tag=TAG, status=200)
async def rotate_secret(hook_id: str, data: SecretRotation, work: Work, hooks: Hooks) -> SecretRotated:
    """Give a hook a new secret. It is in this answer only.

    For `overlapSeconds` the header `webhook-signature` carries signatures with both secrets, so that a receiver
    can change over without losing a delivery. Rotating again within that time ends the oldest secret at once.
    """
    return await work.write(hooks.rotate_secret, work.caller, hook_id, data)


@route("GET", "/hooks/{hook_id:str}/deliveries", tag=TAG, query=DeliveriesQuery)
async def list_deliveries(hook_id: str, params: DeliveriesQuery, work: Work, deliveries: Deliveries) -> Page[Delivery]:
    """List the deliveries of a hook with their attempts, newest first."""
    return await work.read(deliveries.list, work.caller, hook_id, params)


@route("GET", "/hooks/{hook_id:str}/deliveries/{delivery_id:str}", tag=TAG)
async def show_delivery(hook_id: str, delivery_id: str, work: Work, deliveries: Deliveries) -> DeliveryDetail:
    """Show one delivery with its request exactly as it was sent."""
    return await work.read(deliveries.show, work.caller, hook_id, delivery_id)


@route(
    "POST",
    "/hooks/{hook_id:str}/deliveries/{delivery_id:str}/retry",
    tag=TAG,
    status=202,
    raises=(DeliveryPending, HookOff, EventDropped, EventOutOfReach),
)
async def retry_delivery(hook_id: str, delivery_id: str, work: Work, deliveries: Deliveries) -> DeliveryQueued:
    """Send the event of a delivery again, as a new delivery.

    The body and `webhook-id` stay the same, so that a receiver can tell that it is the same event.
    """
    return await work.write(deliveries.retry, work.caller, hook_id, delivery_id)


@route("POST", "/hooks/{hook_id:str}/recover", tag=TAG, status=202, raises=(HookOff,))
async def recover_hook(hook_id: str, data: Recovery, work: Work, deliveries: Deliveries) -> Recovered:
    """Send what a hook missed: events whose deliveries failed or were cancelled, or that were never queued.

    Only events since the hook was made, within its events and reach, and without a delivery that succeeded or
    waits. One call queues 10,000 at most, oldest first; if it says that many, send the same request again.
    """
    return await deliveries.recover(work, hook_id, data)


@route("GET", "/events", tag=EVENTS, query=EventsQuery)
async def list_events(params: EventsQuery, work: Work, feed: Feed) -> EventPage:
    """Fetch events, oldest first: what hooks receive, for those who would rather ask.

    Pass `nextCursor` as `after` of the next call. There is always one, so that you can go on asking for ever: no
    event is skipped and none comes twice, however transactions overlap. A key that is limited to some profiles
    gets their events only.
    """
    return await work.read(feed.page, work.caller, params)


@route("GET", "/events/stream", tag=EVENTS, query=StreamQuery, answers=EVENT_STREAM, raises=(TooManyStreams,))
async def stream_events(params: StreamQuery, request: Request[Any, Any, Any], work: Work, feed: Feed) -> Response[str]:
    """Follow events as they happen, as server-sent events.

    `id` is a cursor, `event` the name and `data` the envelope that hooks receive. Send `Last-Event-ID` or
    `after` to read on behind a cursor; without either the stream begins now, and first tells the id of that
    place. Frames with the event `task.progress` show how the tasks of `GET /tasks` stand: `data` is `{id, type,
    status, progress}`. They come for each unfinished task when the stream begins, and when one changes, several times
    in a second at most; they are no events, have no `id`, and do not come with `event`.
    A comment line comes every 15 seconds when nothing happens. The stream ends within a second when the
    credential is revoked. A credential has 10 streams at most on each process.
    """
    # The gate has read it in the same way: a second reader of credentials might come to another result.
    token, _ = auth.token_of(request.headers)
    opened = await feed.open(work.caller, token or "", request.headers.get("last-event-id"), params)
    stream = Stream(opened, media_type=EVENT_STREAM, headers=_STREAM_HEADERS)
    return cast("Response[str]", stream)


routes = [
    create_hook,
    list_hooks,
    show_hook,
    change_hook,
    delete_hook,
    test_hook,
    rotate_secret,
    list_deliveries,
    show_delivery,
    retry_delivery,
    recover_hook,
    list_events,
    stream_events,
]
