"""What is recorded about a delivery after an attempt."""

from datetime import datetime

import msgspec

from socialgate.core.outbox import attempts_of
from socialgate.delivery.send import Attempted
from socialgate.delivery.store import Job, Lane, Result, Status

_encoder = msgspec.json.Encoder()


def result_of(
    lane: Lane,
    job: Job,
    attempted: Attempted,
    status: Status,
    *,
    retry_at: datetime | None = None,
    due_at: datetime | None = None,
) -> Result:
    """Record an attempt. `due_at` is not `retry_at` if the lane waits instead of the row."""
    record = attempted.record
    if retry_at is not None:
        record = msgspec.structs.replace(record, next_attempt_at=retry_at)
    return Result(
        owner_id=lane.owner_id,
        hook_id=lane.hook_id,
        id=job.id,
        status=status,
        due_at=due_at,
        attempt_count=record.number,
        attempts=_encoder.encode([*attempts_of(job.attempts), record]),
        completed_at=attempted.ended_at if retry_at is None else None,
    )
