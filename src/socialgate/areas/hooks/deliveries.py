"""The status of deliveries, and resending events."""

from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate import __version__
from socialgate.areas.hooks import store
from socialgate.areas.hooks.access import covers_profile, require_hook
from socialgate.areas.hooks.rules import require_known_event, require_valid_time_range
from socialgate.areas.hooks.schemas import (
    MAX_RECOVERED_EVENTS,
    DeliveriesQuery,
    Delivery,
    DeliveryAttempt,
    DeliveryDetail,
    DeliveryQueued,
    DeliveryRequest,
    DeliveryStatus,
    HookRecovery,
    RecoveredDeliveries,
)
from socialgate.areas.hooks.store import DeliveryRow, EventRow, HookRow, HookWithLane
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, NotFound, OutOfScope
from socialgate.core.events import WebhookTest
from socialgate.core.outbox import INACTIVE_HOOK_RETENTION, StoredAttempt, add_deliveries, decode_attempts
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page
from socialgate.web.schemas import Page

# Every batch is one short transaction, so that other work does not wait for all of them.
_RECOVERY_BATCH_SIZE = 2_000
_ENABLE_HOOK_HINT = 'Enable it first: PATCH /hooks/{hookId} with {"active": true}.'


class DeliveryPendingError(Conflict):
    """The delivery is not finished: it is being sent, or waits for its next attempt.

    Wait until its `status` is `succeeded`, `failed` or `cancelled`; `nextAttemptAt` says when it is retried. It is not
    retried while its hook is disabled: enable the hook.
    """

    code = "delivery_pending"
    title = "The delivery is not finished yet"


class HookDisabledError(Conflict):
    """The hook is disabled, and new deliveries would be cancelled: its receiver returned 410, or it has been disabled
    for more than 72 hours.

    Enable it with `PATCH /hooks/{hookId}` and `{"active": true}`, then send the request again.
    """

    code = "hook_disabled"
    title = "The hook is disabled"


class EventExpiredError(Conflict):
    """The event is older than the retention period, so its content was deleted.

    It cannot be resent. `SOCIALGATE_RETENTION_DAYS` sets how long events are kept.
    """

    code = "event_expired"
    title = "The event was deleted"


class EventNotCoveredError(Conflict):
    """The event belongs to a profile that the hook no longer covers, because its API key was restricted.

    Create a hook with a key that covers the profile, or read the event with `GET /events`.
    """

    code = "event_not_covered"
    title = "The hook no longer covers this event"


class DeliveryService:
    def __init__(self, *, max_recovered: int = MAX_RECOVERED_EVENTS, batch: int = _RECOVERY_BATCH_SIZE) -> None:
        self._most_recovered = max_recovered
        self._batch = batch

    async def list(self, tx: Tx, caller: Caller, hook_id: str, query: DeliveriesQuery) -> Page[Delivery]:
        require_known_event(query.event)
        require_valid_time_range(query.since, query.until, "?")
        hook = await self._require_hook(tx, caller, hook_id)
        working = _is_leased(hook, tx.now)
        scope = caller.allowed_profile_ids
        rows, more = await store.list_deliveries_page(
            tx, caller.owner_id, hook_id, query, is_leased=working, profiles=scope
        )
        return build_page(rows, lambda row: Delivery(**_build_delivery_fields(hook, row, tx.now)), more=more)

    async def show(self, tx: Tx, caller: Caller, hook_id: str, delivery_id: str) -> DeliveryDetail:
        hook = await self._require_hook(tx, caller, hook_id)
        row, event = await self._find_delivery_and_event(tx, caller, hook_id, delivery_id)
        request = None if event is None else DeliveryRequest(headers=_build_headers(row), body=event.body.decode())
        return DeliveryDetail(**_build_delivery_fields(hook, row, tx.now), request=request)

    async def retry(self, tx: Tx, caller: Caller, hook_id: str, delivery_id: str) -> DeliveryQueued:
        hook = await self._require_hook(tx, caller, hook_id)
        row, event = await self._find_delivery_and_event(tx, caller, hook_id, delivery_id)
        _require_deliverable(hook, tx.now)
        if row.status is DeliveryStatus.PENDING:
            remedy = (
                "Wait until it has succeeded, failed or been cancelled."
                if hook.active
                else f"Its hook is disabled. {_ENABLE_HOOK_HINT}"
            )
            raise DeliveryPendingError(f"This delivery is not finished. {remedy}")
        return await _queue_delivery(tx, hook, event)

    async def send_event(self, tx: Tx, caller: Caller, hook_id: str, event_id: str) -> DeliveryQueued:
        """Send an event to one hook, whether or not the hook lists it."""
        hook = await self._require_hook(tx, caller, hook_id)
        _require_deliverable(hook, tx.now)
        event = await store.find_event(tx, caller.owner_id, event_id)
        return await _queue_delivery(tx, hook, event)

    async def recover_events(self, work: UnitOfWork, hook_id: str, recovery: HookRecovery) -> RecoveredDeliveries:
        """Queue batch after batch. Queued events no longer count as missed, so each batch continues where the last one
        ended.
        """
        require_valid_time_range(recovery.since, recovery.until, "/")
        queued = 0
        while queued < self._most_recovered:
            limit = min(self._batch, self._most_recovered - queued)
            added = await work.db.write(self._recover_batch, work.caller, hook_id, recovery, limit)
            queued += added
            if added < limit:
                break
        return await work.write(_return_for_idempotency_key, RecoveredDeliveries(queued=queued))

    async def _recover_batch(self, tx: Tx, caller: Caller, hook_id: str, recovery: HookRecovery, limit: int) -> int:
        # The lock prevents two concurrent calls from queueing the same events twice.
        hook = require_hook(caller, await store.find_hook_for_change(tx, caller.owner_id, hook_id))
        _require_deliverable(hook, tx.now)
        since = max(recovery.since, hook.created_at)
        until = min(recovery.until or tx.now, tx.now)
        events = await store.list_missed_events(tx, caller.owner_id, hook, since, until, limit)
        await add_deliveries(
            tx, caller.owner_id, [(hook_id, event.id, event.name, event.event_key) for event in events]
        )
        return len(events)

    async def _require_hook(self, tx: Tx, caller: Caller, hook_id: str) -> HookWithLane:
        return require_hook(caller, await store.find_hook(tx, caller.owner_id, hook_id))

    async def _find_delivery_and_event(
        self, tx: Tx, caller: Caller, hook_id: str, delivery_id: str
    ) -> tuple[DeliveryRow, EventRow | None]:
        """Find a delivery and its event. A key does not see events of profiles that its hook no longer covers."""
        row = await store.find_delivery(tx, caller.owner_id, hook_id, delivery_id)
        if row is None:
            raise NotFound("This hook has no delivery with this id. GET /hooks/{hookId}/deliveries lists them.")
        event = await store.find_event(tx, caller.owner_id, row.event_id)
        if event is not None:
            caller.require_profile_access(event.profile_id)
        elif caller.allowed_profile_ids is not None:
            raise OutOfScope("The event of this delivery was deleted, so its profile is not known.")
        return row, event


async def _queue_delivery(tx: Tx, hook: HookRow, event: EventRow | None) -> DeliveryQueued:
    if event is None:
        raise EventExpiredError("The event is older than the retention period. It cannot be resent.")
    if not covers_profile(hook, event.profile_id):
        raise EventNotCoveredError("The hook no longer covers the profile of this event. Read it with GET /events.")
    (queued,) = await add_deliveries(tx, hook.owner_id, [(hook.id, event.id, event.name, event.event_key)])
    return DeliveryQueued(delivery_id=queued, event=event.name)


async def _return_for_idempotency_key(_tx: Tx, recovered: RecoveredDeliveries) -> RecoveredDeliveries:
    """Let the response be stored under its idempotency key."""
    return recovered


def _require_deliverable(hook: HookRow, now: datetime) -> None:
    """Refuse to queue deliveries that would be cancelled before they are sent."""
    if hook.active:
        return
    if hook.disabled_reason == "gone":
        raise HookDisabledError(f"The hook is disabled, because its receiver returned 410. {_ENABLE_HOOK_HINT}")
    if hook.deactivated_at is not None and hook.deactivated_at <= now - INACTIVE_HOOK_RETENTION:
        hours = INACTIVE_HOOK_RETENTION // timedelta(hours=1)
        raise HookDisabledError(f"The hook has been disabled for more than {hours} hours. {_ENABLE_HOOK_HINT}")


def _is_leased(hook: HookWithLane, now: datetime) -> bool:
    """Return whether a worker sends what is due. For a disabled hook it only sends test events."""
    return hook.active and hook.lease_until is not None and hook.lease_until > now


def _build_delivery_fields(hook: HookWithLane, row: DeliveryRow, now: datetime) -> dict[str, Any]:
    return {
        "id": row.id,
        "hook_id": row.hook_id,
        "event_id": row.event_id,
        "event": row.event,
        "status": _get_status(hook, row, now),
        "attempts": [_build_attempt_view(attempt) for attempt in decode_attempts(row.attempts)],
        "attempt_count": row.attempt_count,
        "created_at": row.created_at,
        "completed_at": row.completed_at,
        "next_attempt_at": _next_attempt_at(hook, row),
    }


def _get_status(hook: HookWithLane, row: DeliveryRow, now: datetime) -> DeliveryStatus:
    """A pending delivery that is due is being delivered while a worker holds the hook's lane."""
    is_due = row.status is DeliveryStatus.PENDING and row.due_at is not None and row.due_at <= now
    return DeliveryStatus.DELIVERING if is_due and _is_leased(hook, now) else row.status


def _next_attempt_at(hook: HookWithLane, row: DeliveryRow) -> datetime | None:
    """Return when it is retried, if known: there is no time while its hook is disabled."""
    if row.status is not DeliveryStatus.PENDING or not (hook.active or row.event == WebhookTest.event):
        return None
    # The hook as a whole waits after a failure, if it is ordered or keeps failing.
    return None if row.due_at is None else max(row.due_at, hook.paused_until or row.due_at)


def _build_attempt_view(attempt: StoredAttempt) -> DeliveryAttempt:
    kept = msgspec.structs.asdict(attempt)
    return DeliveryAttempt(**{name: kept[name] for name in DeliveryAttempt.__struct_fields__})


def _build_headers(row: DeliveryRow) -> dict[str, str]:
    """Rebuild the headers of the last attempt as they were sent."""
    attempts = decode_attempts(row.attempts)
    if not attempts:
        return {}
    return {
        "Content-Type": "application/json",
        "User-Agent": f"Socialgate-Hooks/{__version__}",
        "X-Service-Signature": attempts[-1].signature,
        "X-Service-Event": row.event,
        "X-Service-Delivery": row.id,
        "webhook-id": row.event_id,
        "webhook-timestamp": str(attempts[-1].timestamp),
        "webhook-signature": attempts[-1].standard_signature,
    }
