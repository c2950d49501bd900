"""Ending PostgreSQL sessions of a process that stopped in the middle of a statement.

A server that has parsed a statement and waits for its values considers the session active: of its timeouts, only the
transaction timeout ends it, and servers before 17 have none. Until then the session keeps its locks and blocks the
owner they belong to.
"""

from datetime import timedelta

import sqlalchemy as sa
import structlog

from socialgate.core.db import Tx
from socialgate.core.postgres import APPLICATION_NAME

# As long as a transaction may be idle.
_MAX_SILENCE = timedelta(seconds=10)

log = structlog.get_logger(__name__)

_TERMINATE_SESSIONS = sa.text("""
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE application_name = :application AND datname = current_database() AND pid <> pg_backend_pid()
      AND xact_start IS NOT NULL AND state = 'active' AND wait_event = 'ClientRead'
      AND state_change < clock_timestamp() - make_interval(secs => :seconds)
""").bindparams(sa.bindparam("application", type_=sa.String), sa.bindparam("seconds", type_=sa.Float))


async def terminate_stalled_sessions(tx: Tx, max_silence: timedelta = _MAX_SILENCE) -> int:
    """End the sessions whose process has sent nothing for too long, and return how many there were."""
    if tx.dialect_name != "postgresql":
        return 0
    ended = int(
        await tx.scalar(_TERMINATE_SESSIONS, {"application": APPLICATION_NAME, "seconds": max_silence.total_seconds()})
    )
    if ended:
        log.warning("stalled_sessions_ended", sessions=ended)
    return ended
