"""Links to a page on which people without a login connect accounts, and what each of them has connected."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "connect_links",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("platforms", sa.JSON(none_as_null=True)),
        sa.Column("redirect_url", sa.String(2048)),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("brand", sa.JSON(none_as_null=True)),
        sa.Column("embed_origins", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("expires_at", UTC, nullable=False),
        sa.Column("created_at", UTC, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_connect_links_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_connect_links"),
    )
    op.create_index("ix_connect_links_token_hash", "connect_links", ["token_hash"])
    op.create_index("ix_connect_links_expires_at", "connect_links", ["expires_at"])
    op.create_table(
        "connect_link_uses",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("link_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("scope", sa.String(20), nullable=False),
        sa.Column("visit_hash", sa.String(64), nullable=False),
        sa.Column("account_ids", sa.JSON(none_as_null=True), nullable=False),
        sa.Column("reserved_until", UTC),
        sa.Column("created_at", UTC, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_connect_link_uses_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "link_id", "id", name="pk_connect_link_uses"),
    )
    op.create_index("ix_connect_link_uses_created_at", "connect_link_uses", ["created_at"])
    # additive: older code inserts attempts without a link.
    op.add_column("connect_states", sa.Column("link_id", ID))
    op.add_column("connect_states", sa.Column("visit_hash", sa.String(64)))
