"""What is written about a delivery after an attempt."""

from datetime import datetime

import msgspec

from socialgate.core.outbox import Attempt, attempts_of
from socialgate.delivery.plan import Decision, Done, RetryAt
from socialgate.delivery.send import Attempted
from socialgate.delivery.store import Job, Lane, Result, Status


def result_of(
    lane: Lane,
    job: Job,
    attempted: Attempted,
    decision: Decision,
    *,
    retry_at: datetime | None,
    due_at: datetime | None,
) -> Result:
    """Put an attempt on record. `due_at` is not `retry_at` where the lane waits instead of the row."""
    number = job.attempt_count + 1
    return Result(
        owner_id=lane.owner_id,
        hook_id=lane.hook_id,
        id=job.id,
        status=_status_after(decision),
        due_at=due_at,
        attempt_count=number,
        attempts=_with_attempt(job.attempts, number, attempted, retry_at),
        completed_at=None if retry_at else attempted.ended_at,
    )


def _status_after(decision: Decision) -> Status:
    match decision:
        case Done():
            return "succeeded"
        case RetryAt():
            return "pending"
        case _:
            return "failed"


def _with_attempt(stored: bytes | None, number: int, attempted: Attempted, retry_at: datetime | None) -> bytes:
    attempt = Attempt(
        number=number,
        at=attempted.began_at,
        duration_ms=attempted.duration_ms,
        status_code=attempted.status_code,
        error=attempted.error,
        response_body=attempted.response_body,
        next_attempt_at=retry_at,
        timestamp=attempted.timestamp,
        signature=attempted.signature,
        standard_signature=attempted.standard_signature,
    )
    return msgspec.json.encode([*attempts_of(stored), attempt])
