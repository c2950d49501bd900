"""Which comments and reviews were reported, so that each is reported once. Every finder takes the owner first."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from socialgate.core.db import Id, Tx, UtcDateTime, metadata

# How long it is known that a comment was reported: longer than comments are looked for (`receiving.MAX_AGE`).
_RECEIVED_COMMENT_RETENTION = timedelta(days=30)

received_comments = sa.Table(
    "received_comments",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    # The platform's id of a comment or review.
    sa.Column("comment_id", sa.String(300), primary_key=True),
    sa.Column("received_at", UtcDateTime, nullable=False),
    sa.Index("ix_received_comments_received_at", "received_at"),
)


async def mark_comment_reported(tx: Tx, owner_id: str, account_id: str, comment_id: str) -> bool:
    """Record that a comment is reported. Returns False if it was before."""
    values = {"owner_id": owner_id, "account_id": account_id, "comment_id": comment_id, "received_at": tx.now}
    return await tx.execute_and_count(tx.build_insert_if_absent(received_comments), values) == 1


async def purge_received_comments(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(received_comments).where(received_comments.c.received_at < now - _RECEIVED_COMMENT_RETENTION)
    )
