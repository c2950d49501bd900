"""What a retry must remember, in columns of its own. Until now it was read from the attempts, which are for people."""

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None

UTC_TIME = sa.DateTime(timezone=True)
TARGETS = sa.table(
    "post_targets",
    sa.column("owner_id", sa.String),
    sa.column("id", sa.String),
    sa.column("status", sa.String),
    sa.column("attempts", sa.JSON),
    sa.column("settles_at", UTC_TIME),
    sa.column("unclear_lookups", sa.Integer),
    sa.column("rate_limits", sa.Integer),
    sa.column("confirmed_by_person", sa.Boolean),
)
# With and without the space that some encoders write. Quotes within a text are escaped, so only outcomes match.
CONFIRMED_OUTCOME_PATTERNS = ('%"outcome":"confirmed_by_person"%', '%"outcome": "confirmed_by_person"%')


def upgrade() -> None:
    op.add_column("post_targets", sa.Column("settles_at", UTC_TIME))
    for name in ("unclear_lookups", "rate_limits"):
        op.add_column("post_targets", sa.Column(name, sa.Integer, nullable=False, server_default="0"))
    confirmed = sa.Column("confirmed_by_person", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("post_targets", confirmed)
    # additive: older code neither reads nor writes these columns, and still finds everything in the attempts.
    columns = TARGETS.c
    text = sa.cast(columns.attempts, sa.Text)
    by_person = sa.or_(*(text.like(pattern) for pattern in CONFIRMED_OUTCOME_PATTERNS))
    published = columns.status == "published"
    op.execute(sa.update(TARGETS).where(published, by_person).values(confirmed_by_person=True))
    is_open = columns.status.in_(("publishing", "unconfirmed"))
    cursor_result = op.get_bind().execute(sa.select(columns.owner_id, columns.id, columns.attempts).where(is_open))
    for owner_id, target_id, attempts in cursor_result.all():
        if state := read_retry_state(attempts):
            its = sa.update(TARGETS).where(columns.owner_id == owner_id, columns.id == target_id)
            op.execute(its.values(**state))


def read_retry_state(attempts: Sequence[dict[str, Any]]) -> dict[str, Any]:
    if not attempts:
        return {}
    last = attempts[-1]
    in_a_row = sum(1 for _ in takewhile(lambda attempt: attempt["outcome"] == last["outcome"], reversed(attempts)))
    match last["outcome"]:
        case "found_not_published" if last["nextAt"] is not None:
            return {"settles_at": datetime.fromisoformat(last["nextAt"]).astimezone(UTC)}
        case "not_told":
            return {"unclear_lookups": in_a_row}
        case "platform_rate_limited":
            return {"rate_limits": in_a_row}
    return {}
