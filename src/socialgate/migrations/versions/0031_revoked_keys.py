"""Remember which API keys were revoked, so that programs that still use them learn why they are rejected."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "revoked_keys",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("key_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("revoked_at", UTC_TIME, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_revoked_keys_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "key_hash", name="pk_revoked_keys"),
    )
    op.create_index("ix_revoked_keys_revoked_at", "revoked_keys", ["revoked_at"])
    op.create_index("ix_revoked_keys_key_hash", "revoked_keys", ["key_hash"])
