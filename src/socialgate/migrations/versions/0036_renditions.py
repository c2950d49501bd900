"""Files that were made to fit a platform: what was found in each file, and what is to be done with those of posts."""

import sqlalchemy as sa
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

JSON = sa.JSON(none_as_null=True)
IS_RENDITION = sa.text("rendition_key IS NOT NULL")


def upgrade() -> None:
    # additive: older code neither reads nor writes these columns.
    # First, as the service locks them: a node that stores a post waits for no table while it holds the profile.
    op.add_column("profiles", sa.Column("fit", JSON))
    op.add_column("media", sa.Column("details", JSON))
    op.add_column("media", sa.Column("source_sha256", sa.String(64)))
    op.add_column("media", sa.Column("rendition_key", sa.String(64)))
    op.add_column("media", sa.Column("rendition", JSON))
    op.create_index(
        "uq_media_rendition",
        "media",
        ["owner_id", "rendition_key"],
        unique=True,
        postgresql_where=IS_RENDITION,
        sqlite_where=IS_RENDITION,
    )
    op.create_index(
        "ix_media_source",
        "media",
        ["owner_id", "source_sha256"],
        postgresql_where=IS_RENDITION,
        sqlite_where=IS_RENDITION,
    )
    op.create_index("ix_media_sha256", "media", ["owner_id", "sha256"])
    op.add_column("post_targets", sa.Column("fit", JSON))
    op.add_column("post_targets", sa.Column("preparations", JSON))
