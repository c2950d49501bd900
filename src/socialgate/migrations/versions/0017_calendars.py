"""Up to where the changes of calendars are known, and registrations of webhooks that end by themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)
HAS_DUE_TIME = sa.text("due_at IS NOT NULL")


def upgrade() -> None:
    op.add_column("subscriptions", sa.Column("expires_at", UTC_TIME))
    op.add_column("subscriptions", sa.Column("details", sa.JSON))
    op.create_table(
        "calendar_syncs",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("sync_token", sa.Text),
        sa.Column("synced_at", UTC_TIME),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("notices", sa.Integer, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False),
        sa.Column("due_at", UTC_TIME),
        sa.Column("claim_id", ID),
        sa.Column("claim_until", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_calendar_syncs_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "account_id", name="pk_calendar_syncs"),
    )
    op.create_index(
        "ix_calendar_syncs_due_at",
        "calendar_syncs",
        ["due_at"],
        postgresql_where=HAS_DUE_TIME,
        sqlite_where=HAS_DUE_TIME,
    )
    # Those that are connected already are followed as well, from their next sync on.
    op.execute(
        "INSERT INTO calendar_syncs (owner_id, account_id, version, notices, tries, due_at) "
        "SELECT owner_id, id, 0, 0, 0, updated_at FROM accounts "
        "WHERE kind = 'google_calendar' AND status <> 'disconnected'"
    )
