"""What a person found out about a target whose outcome was unknown."""

from datetime import datetime

import msgspec

from socialgate.areas.posts.schemas import ReconciliationFinding
from socialgate.areas.posts.tables import TargetRow, TargetStatus
from socialgate.core.events import TargetError

NOT_PUBLISHED_ERROR = TargetError(
    code="not_published",
    category="outcome_unknown",
    source="user",
    detail="A person found that it was not published. Send POST /posts/{postId}/retry to publish it.",
    retryable=True,
)


def apply_finding(row: TargetRow, finding: ReconciliationFinding, now: datetime) -> TargetRow:
    """Return the target as a person found it, finished."""
    outcome = "confirmed_by_person" if finding.published else "denied_by_person"
    attempt = {"at": now, "stage": row.in_flight or "publish", "detail": None, "nextAt": None, "outcome": outcome}
    rest = msgspec.structs.replace(
        row,
        in_flight=None,
        due_at=None,
        claim_id=None,
        claim_until=None,
        attempts=[*row.attempts, msgspec.to_builtins(attempt)],
        updated_at=now,
    )
    if not finding.published:
        error = msgspec.to_builtins(NOT_PUBLISHED_ERROR)
        return msgspec.structs.replace(rest, status=TargetStatus.FAILED, error=error)
    return msgspec.structs.replace(
        rest,
        status=TargetStatus.PUBLISHED,
        platform_post_id=finding.platform_post_id,
        url=finding.url,
        published_at=now,
        error=None,
        confirmed_by_person=True,
    )
