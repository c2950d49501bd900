"""The table of this area: a row is the promise to call at most once, and the record of the result."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.encryption import EncryptionPurposeTemplate
from socialgate.core.jobs.queue import RowQueue
from socialgate.core.restores import RESTORED_ERROR_CODE
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)
_HAS_DUE_TIME = sa.text("due_at IS NOT NULL")
_HAS_IDEMPOTENCY_KEY = sa.text("idempotency IS NOT NULL")
# A process that has not renewed it by then is dead.
OPERATION_LEASE = timedelta(seconds=60)
OPERATION_RETENTION = timedelta(days=30)
REQUEST_SEALING_PURPOSE = EncryptionPurposeTemplate("operation request {owner_id} {id}")
RESPONSE_SEALING_PURPOSE = EncryptionPurposeTemplate("operation answer {owner_id} {id}")


class OperationStatus(StrEnum):
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNCONFIRMED = "unconfirmed"


class StepStatus(StrEnum):
    """`left` was created and could not be removed."""

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    REMOVED = "removed"
    LEFT = "left"


operations = sa.Table(
    "operations",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("profile_id", Id, nullable=False),
    # Null while an account is being connected, and if that failed.
    sa.Column("account_id", Id),
    sa.Column("operation", sa.String(60), nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    # The Idempotency-Key of the request with everything it is looked up by, hashed.
    sa.Column("idempotency", sa.String(64)),
    # What is shown: neither secrets nor people's texts.
    sa.Column("request", Json, nullable=False),
    # The whole request, encrypted: with it the platform can later be asked for the result.
    sa.Column("sealed", sa.LargeBinary, info=REQUEST_SEALING_PURPOSE.column_info),
    sa.Column("platform_object_id", sa.String(300)),
    sa.Column("error", Json),
    # Of several calls that are made as one: what each of them did.
    sa.Column("steps", Json),
    # The response, encrypted, if there was nobody left to receive it.
    sa.Column("answer", sa.LargeBinary, info=RESPONSE_SEALING_PURPOSE.column_info),
    sa.Column("due_at", UtcDateTime),
    sa.Column("claim_id", Id),
    sa.Column("claim_until", UtcDateTime),
    sa.Column("looks", sa.Integer, nullable=False, server_default="0"),
    sa.Column("started_at", UtcDateTime, nullable=False),
    sa.Column("finished_at", UtcDateTime),
    sa.Column("expires_at", UtcDateTime, nullable=False),
    sa.Index("ix_operations_due_at", "due_at", "id", postgresql_where=_HAS_DUE_TIME, sqlite_where=_HAS_DUE_TIME),
    sa.Index(
        "uq_operations_idempotency",
        "owner_id",
        "idempotency",
        unique=True,
        postgresql_where=_HAS_IDEMPOTENCY_KEY,
        sqlite_where=_HAS_IDEMPOTENCY_KEY,
    ),
    sa.Index("ix_operations_account_id", "owner_id", "account_id"),
    sa.Index("ix_operations_expires_at", "expires_at"),
)


class OperationRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    profile_id: str
    account_id: str | None
    operation: str
    status: OperationStatus
    idempotency: str | None
    request: Mapping[str, Any]
    sealed: bytes | None
    platform_object_id: str | None
    error: Mapping[str, Any] | None
    steps: Sequence[Mapping[str, Any]] | None
    answer: bytes | None
    due_at: datetime | None
    claim_id: str | None
    claim_until: datetime | None
    looks: int
    started_at: datetime
    finished_at: datetime | None
    expires_at: datetime


def is_held_by_restore(row: OperationRow) -> bool:
    """Return whether the restore of a backup holds it back."""
    return (row.error or {}).get("code") == RESTORED_ERROR_CODE


read_operation = build_row_reader(OperationRow, operations)
# Those whose process died, or whose outcome is to be looked up again.
OPERATION_QUEUE = RowQueue(operations, read_operation, lease=OPERATION_LEASE)
