"""Operations that connect an account: until it is known, there is none to name."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")


def upgrade() -> None:
    if op.get_bind().dialect.name == "postgresql":
        op.alter_column("operations", "account_id", existing_type=ID, nullable=True)
        return
    # SQLite changes no column where it is: a new one takes its place, and its name.
    op.drop_index("ix_operations_account_id", "operations")
    op.add_column("operations", sa.Column("known_account_id", ID))
    op.execute("UPDATE operations SET known_account_id = account_id")
    op.drop_column("operations", "account_id")
    op.alter_column("operations", "known_account_id", new_column_name="account_id")
    op.create_index("ix_operations_account_id", "operations", ["owner_id", "account_id"])
