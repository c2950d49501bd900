"""Automations, their runs, and whom they have run for."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

ID = sa.String(40).with_variant(sa.String(40, collation="C"), "postgresql")
UTC_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "automations",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("profile_id", ID, nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.Column("trigger", sa.JSON, nullable=False),
        sa.Column("conditions", sa.JSON, nullable=False),
        sa.Column("actions", sa.JSON, nullable=False),
        sa.Column("cooldown", sa.Integer, nullable=False),
        sa.Column("next_at", UTC_TIME),
        sa.Column("runs", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("failures", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("last_run_at", UTC_TIME),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("updated_at", UTC_TIME, nullable=False),
        sa.Column("deleted_at", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_automations_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_automations"),
    )
    op.create_index("ix_automations_deleted_at", "automations", ["deleted_at"])
    op.create_table(
        "automation_versions",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_automation_versions_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", name="pk_automation_versions"),
    )
    _create_runs_table()


def _create_runs_table() -> None:
    op.create_table(
        "automation_runs",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("id", ID, nullable=False),
        sa.Column("automation_id", ID, nullable=False),
        sa.Column("profile_id", ID, nullable=False),
        sa.Column("trigger", sa.String(40), nullable=False),
        sa.Column("subject_key", sa.String(400), nullable=False),
        sa.Column("subject", sa.JSON, nullable=False),
        sa.Column("status", sa.String(10), nullable=False),
        sa.Column("step", sa.Integer, nullable=False, server_default="0"),
        sa.Column("steps", sa.JSON, nullable=False),
        sa.Column("event_id", ID),
        sa.Column("reason", sa.String(500)),
        sa.Column("error", sa.JSON),
        sa.Column("created_at", UTC_TIME, nullable=False),
        sa.Column("finished_at", UTC_TIME),
        sa.Column("expires_at", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_automation_runs_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "id", name="pk_automation_runs"),
    )
    unique = ["owner_id", "automation_id", "subject_key"]
    op.create_index("uq_automation_runs_subject", "automation_runs", unique, unique=True)
    op.create_index("ix_automation_runs_automation_id", "automation_runs", ["owner_id", "automation_id", "id"])
    op.create_index("ix_automation_runs_expires_at", "automation_runs", ["expires_at"])
    op.create_table(
        "automation_contacts",
        sa.Column("owner_id", ID, nullable=False),
        sa.Column("automation_id", ID, nullable=False),
        sa.Column("account_id", ID, nullable=False),
        sa.Column("contact_id", sa.String(300), nullable=False),
        sa.Column("last_run_at", UTC_TIME),
        sa.Column("hour_at", UTC_TIME, nullable=False),
        sa.Column("hour_runs", sa.Integer, nullable=False),
        sa.Column("noted_at", UTC_TIME),
        sa.ForeignKeyConstraint(["owner_id"], ["owners.id"], name="fk_automation_contacts_owner_id"),
        sa.PrimaryKeyConstraint("owner_id", "automation_id", "account_id", "contact_id", name="pk_automation_contacts"),
    )
