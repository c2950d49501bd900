"""Keys that put events in order, and what a lane remembers of its hook: which address, and how many at once."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# Events had the numbers of their transactions so far, and cursors hold them. Keys begin behind all of these, also
# behind those of transactions that end while this runs, and of a database that was restored from another server.
_CREATE_EVENT_KEYS_SQL = """
    CREATE SEQUENCE event_keys;
    SELECT setval('event_keys', 1000000 + greatest(
        pg_current_xact_id()::text::bigint, (SELECT max(txid) FROM events)
    ));
"""


def upgrade() -> None:
    op.add_column("lanes", sa.Column("generation", sa.Integer, nullable=False, server_default="0"))
    op.add_column("lanes", sa.Column("at_once", sa.Integer, nullable=False, server_default="4"))
    if op.get_bind().dialect.name == "postgresql":
        for statement in _CREATE_EVENT_KEYS_SQL.split(";"):
            if statement.strip():
                op.execute(statement)
