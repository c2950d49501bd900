"""The tables of this area. A run has its own row, so that it can be inspected long after its job is deleted."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
PlatformId = sa.String(300)


class RunStatus(StrEnum):
    TRIGGERED = "triggered"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    SKIPPED = "skipped"


OPEN_RUN_STATUSES = (RunStatus.TRIGGERED, RunStatus.RUNNING)

automations = sa.Table(
    "automations",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("trigger", Json, nullable=False),
    sa.Column("conditions", Json, nullable=False),
    sa.Column("actions", Json, nullable=False),
    # For this many seconds after a run, the same contact does not trigger another.
    sa.Column("cooldown", sa.Integer, nullable=False),
    # When a schedule runs next. A job with another time is out of date.
    sa.Column("next_at", UtcDateTime),
    sa.Column("runs", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("failures", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("last_run_at", UtcDateTime),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # A deleted one is kept as a tombstone for as long as its runs can be read.
    sa.Column("deleted_at", UtcDateTime),
    sa.Index("ix_automations_deleted_at", "deleted_at"),
)

# Incremented with each change of an owner's automations: processes compare it with their cache.
automation_versions = sa.Table(
    "automation_versions",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("version", sa.BigInteger, nullable=False),
)

automation_runs = sa.Table(
    "automation_runs",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("automation_id", Id, nullable=False),
    sa.Column("profile_id", Id, nullable=False),
    sa.Column("trigger", sa.String(40), nullable=False),
    # The identity of what happened: an automation runs once for it.
    sa.Column("subject_key", sa.String(400), nullable=False),
    sa.Column("subject", Json, nullable=False),
    sa.Column("status", sa.String(10), nullable=False),
    # How many steps are done, and the result of each.
    sa.Column("step", sa.Integer, nullable=False, server_default="0"),
    sa.Column("steps", Json, nullable=False),
    # The `automation.triggered` event of this run.
    sa.Column("event_id", Id),
    sa.Column("reason", sa.String(500)),
    sa.Column("error", Json),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("finished_at", UtcDateTime),
    # When the record is deleted. Null while it is unfinished.
    sa.Column("expires_at", UtcDateTime),
    sa.Index("uq_automation_runs_subject", "owner_id", "automation_id", "subject_key", unique=True),
    sa.Index("ix_automation_runs_automation_id", "owner_id", "automation_id", "id"),
    sa.Index("ix_automation_runs_expires_at", "expires_at"),
)

# The contacts that an automation has run for: for `firstTime`, cooldowns, and loop protection.
automation_contacts = sa.Table(
    "automation_contacts",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("automation_id", Id, primary_key=True),
    sa.Column("account_id", Id, primary_key=True),
    sa.Column("contact_id", PlatformId, primary_key=True),
    sa.Column("last_run_at", UtcDateTime),
    # The number of runs in the hour that started then.
    sa.Column("hour_at", UtcDateTime, nullable=False),
    sa.Column("hour_runs", sa.Integer, nullable=False),
    # When a run that was held back was last recorded: one record per period is enough.
    sa.Column("noted_at", UtcDateTime),
)


class AutomationRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    name: str
    active: bool
    trigger: Mapping[str, Any]
    conditions: Sequence[Mapping[str, Any]]
    actions: Sequence[Mapping[str, Any]]
    cooldown: int
    next_at: datetime | None
    runs: int
    failures: int
    last_run_at: datetime | None
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None


class RunRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    automation_id: str
    profile_id: str
    trigger: str
    subject_key: str
    subject: Mapping[str, Any]
    status: RunStatus
    step: int
    steps: Sequence[Mapping[str, Any]]
    event_id: str | None
    reason: str | None
    error: Mapping[str, Any] | None
    created_at: datetime
    finished_at: datetime | None
    expires_at: datetime | None


class AutomationContactRow(msgspec.Struct, frozen=True):
    owner_id: str
    automation_id: str
    account_id: str
    contact_id: str
    last_run_at: datetime | None
    hour_at: datetime
    hour_runs: int
    noted_at: datetime | None


read_automation = build_row_reader(AutomationRow, automations)
read_run = build_row_reader(RunRow, automation_runs)
read_automation_contact = build_row_reader(AutomationContactRow, automation_contacts)
