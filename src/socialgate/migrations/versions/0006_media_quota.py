"""Who began an upload in pieces, since each key may have some open, and an index that adds up an owner's files."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

Id = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")


def upgrade() -> None:
    op.add_column("uploads", sa.Column("begun_by", Id))
    op.create_index("ix_media_sizes", "media", ["owner_id", "size"])
