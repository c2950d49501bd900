"""What is recorded about a delivery after an attempt."""

from datetime import datetime

import msgspec

from socialgate.core.outbox import decode_attempts
from socialgate.delivery.sender import AttemptResult
from socialgate.delivery.store import DeliveryResult, DueDelivery, Lane, StoredDeliveryStatus

_encoder = msgspec.json.Encoder()


def build_delivery_result(
    lane: Lane,
    job: DueDelivery,
    attempted: AttemptResult,
    status: StoredDeliveryStatus,
    *,
    retry_at: datetime | None = None,
    due_at: datetime | None = None,
) -> DeliveryResult:
    """Record an attempt. `due_at` is not `retry_at` if the lane waits instead of the row."""
    record = attempted.record
    if retry_at is not None:
        record = msgspec.structs.replace(record, next_attempt_at=retry_at)
    return DeliveryResult(
        owner_id=lane.owner_id,
        hook_id=lane.hook_id,
        id=job.id,
        status=status,
        due_at=due_at,
        attempt_count=record.number,
        attempts=_encoder.encode([*decode_attempts(job.attempts), record]),
        completed_at=attempted.ended_at if retry_at is None else None,
    )
