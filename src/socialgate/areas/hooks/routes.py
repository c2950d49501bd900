from typing import Any, cast

from litestar import Request, Response
from litestar.response import Stream

from socialgate.areas.hooks.deliveries import (
    DeliveryPendingError,
    DeliveryService,
    EventExpiredError,
    EventNotCoveredError,
    HookDisabledError,
)
from socialgate.areas.hooks.event_feed import EventFeed, TooManyStreamsError
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
    HookRecovery,
    NewHook,
    RecoveredDeliveries,
    SecretRotated,
    SecretRotation,
    StreamQuery,
)
from socialgate.areas.hooks.service import HookLimitError, HookService, HookTestTooSoonError, HookWithoutProfilesError
from socialgate.core.events import EventEnvelope
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web import auth
from socialgate.web.connection_errors import TooManyConnections
from socialgate.web.connections import get_connection_limits
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import ListQuery
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page

TAG = RouteTag("Hooks", "Where events are sent, signed and retried, with a record of every attempt.")
EVENTS_TAG = RouteTag("Events", "Everything that happened, as a list and as a stream.")
EVENT_STREAM_MEDIA_TYPE = "text/event-stream"
# A proxy that buffers or caches the stream would hold events back.
_STREAM_HEADERS = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}


@route("POST", "/hooks", sdk="hooks.create", tag=TAG, raises=(HookLimitError,))
async def create_hook(data: NewHook, work: UnitOfWork, hooks: HookService) -> HookCreated:
    """Create a hook. Its secret is only in this response.

    It receives the events of all profiles, or of those that the API key is limited to. An owner can have at most 20
    hooks. Verify each delivery: `X-Service-Signature` is `sha256=` followed by the HMAC-SHA-256 of the raw body in
    hexadecimal, with the secret as key.
    """
    return await hooks.create(work, data)


@route("GET", "/hooks", sdk="hooks.list", tag=TAG, query=ListQuery)
async def list_hooks(params: ListQuery, work: UnitOfWork, hooks: HookService) -> Page[Hook]:
    """List the hooks that the credential can access, newest first.

    A key that is limited to some profiles can access a hook if it covers all profiles of the hook.
    """
    return await work.read(hooks.list, work.caller, params)


@route("GET", "/hooks/{hook_id:str}", sdk="hooks.get", tag=TAG)
async def show_hook(hook_id: str, work: UnitOfWork, hooks: HookService) -> Hook:
    """Return one hook."""
    return await work.read(hooks.show, work.caller, hook_id)


@route("PATCH", "/hooks/{hook_id:str}", sdk="hooks.update", tag=TAG)
async def change_hook(
    hook_id: str, data: HookChanges, expected: ExpectedVersion, work: UnitOfWork, hooks: HookService
) -> Hook:
    """Update a hook. Future attempts use the new URL and settings.

    Deliveries that are pending while a hook is disabled are sent if it is enabled again within 72 hours. Events that
    happen in the meantime are not queued: `POST /hooks/{hookId}/recover` sends them.
    """
    return await hooks.change(work, hook_id, data, expected)


@route("DELETE", "/hooks/{hook_id:str}", sdk="hooks.delete", tag=TAG, example=DeletionConfirmation.example_of("hook"))
async def delete_hook(hook_id: str, work: UnitOfWork, hooks: HookService) -> DeletionConfirmation:
    """Delete a hook. Its pending deliveries are cancelled."""
    return await work.write(hooks.delete, work.caller, hook_id)


@route(
    "POST",
    "/hooks/{hook_id:str}/test",
    sdk="hooks.test",
    tag=TAG,
    status=202,
    raises=(HookTestTooSoonError, HookWithoutProfilesError),
)
async def test_hook(hook_id: str, work: UnitOfWork, hooks: HookService) -> DeliveryQueued:
    """Queue one `webhook.test` delivery to this hook, at most once every 30 seconds.

    It is sent even if the hook does not list the event or is disabled.
    """
    return await work.write(hooks.send_test_event, work.caller, hook_id)


@route("POST", "/hooks/{hook_id:str}/rotate-secret", sdk="hooks.rotate_secret", tag=TAG, status=200)
async def rotate_secret(hook_id: str, data: SecretRotation, work: UnitOfWork, hooks: HookService) -> SecretRotated:
    """Rotate the secret of a hook. The new one is only in this response.

    For `overlapSeconds` the `webhook-signature` header contains signatures with both secrets, so that a receiver can
    switch without losing a delivery. Rotating again within that time retires the oldest secret immediately.
    """
    return await work.write(hooks.rotate_secret, work.caller, hook_id, data)


@route("GET", "/hooks/{hook_id:str}/deliveries", sdk="deliveries.list", tag=TAG, query=DeliveriesQuery)
async def list_deliveries(
    hook_id: str, params: DeliveriesQuery, work: UnitOfWork, deliveries: DeliveryService
) -> Page[Delivery]:
    """List the deliveries of a hook with their attempts, newest first."""
    return await work.read(deliveries.list, work.caller, hook_id, params)


@route("GET", "/hooks/{hook_id:str}/deliveries/{delivery_id:str}", sdk="deliveries.get", tag=TAG)
async def show_delivery(
    hook_id: str, delivery_id: str, work: UnitOfWork, deliveries: DeliveryService
) -> DeliveryDetail:
    """Return one delivery with its request exactly as it was sent."""
    return await work.read(deliveries.show, work.caller, hook_id, delivery_id)


@route(
    "POST",
    "/hooks/{hook_id:str}/deliveries/{delivery_id:str}/retry",
    sdk="deliveries.retry",
    tag=TAG,
    status=202,
    raises=(DeliveryPendingError, HookDisabledError, EventExpiredError, EventNotCoveredError),
)
async def retry_delivery(
    hook_id: str, delivery_id: str, work: UnitOfWork, deliveries: DeliveryService
) -> DeliveryQueued:
    """Resend the event of a delivery, as a new delivery.

    The body and `webhook-id` stay the same, so that a receiver can recognize the event.
    """
    return await work.write(deliveries.retry, work.caller, hook_id, delivery_id)


@route("POST", "/hooks/{hook_id:str}/recover", sdk="hooks.recover", tag=TAG, status=202, raises=(HookDisabledError,))
async def recover_hook(
    hook_id: str, data: HookRecovery, work: UnitOfWork, deliveries: DeliveryService
) -> RecoveredDeliveries:
    """Send the events that a hook missed: their deliveries failed or were cancelled, or they were never queued.

    Only events since the hook was created, that it covers, and without a succeeded or pending delivery. One call queues
    at most 10,000, oldest first; if it queued that many, send the same request again.
    """
    return await deliveries.recover_events(work, hook_id, data)


@route("GET", "/events", sdk="events.list", tag=EVENTS_TAG, query=EventsQuery)
async def list_events(params: EventsQuery, work: UnitOfWork, feed: EventFeed) -> EventPage:
    """List events, oldest first: the same events that hooks receive, for polling.

    Pass `nextCursor` as `after` in the next call. There is always one, so you can keep polling: no event is skipped or
    returned twice, however transactions overlap. A key that is limited to some profiles only gets their events.
    """
    return await work.read(feed.list_page, work.caller, params)


@route(
    "GET",
    "/events/stream",
    sdk="events.stream",
    tag=EVENTS_TAG,
    query=StreamQuery,
    answers=EVENT_STREAM_MEDIA_TYPE,
    streams=EventEnvelope,
    raises=(TooManyStreamsError, TooManyConnections),
)
async def stream_events(
    params: StreamQuery, request: Request[Any, Any, Any], work: UnitOfWork, feed: EventFeed
) -> Response[str]:
    """Stream events as they happen, as server-sent events.

    `id` is a cursor, `event` the name and `data` the envelope that hooks receive. Send `Last-Event-ID` or `after` to
    continue after a cursor; without either, the stream starts now and first sends the id of that position. Frames with
    the event `task.progress` report the progress of the tasks of `GET /tasks`: `data` is `{id, type, status,
    progress}`. They are sent for each unfinished task when the stream starts, and when a task changes, at most a few
    times a second. They are not events, have no `id`, and are not sent if you filter with `event`. If nothing happens,
    a comment line is sent every 15 seconds. The stream ends within a second when the credential is revoked. A
    credential can have at most 10 streams per process, an owner 50, and all owners together half of its connections.
    """
    # The gate reads it the same way: a second implementation might come to a different result.
    token, _ = auth.read_token(request.headers)
    most = get_connection_limits(request.scope).max_streams
    opened = await feed.open(work.caller, token or "", request.headers.get("last-event-id"), params, most=most)
    stream = Stream(opened, media_type=EVENT_STREAM_MEDIA_TYPE, headers=_STREAM_HEADERS)
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
