"""Operations of an owner. Every finder takes the owner first."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from socialgate.areas.operations.schemas import OperationsQuery
from socialgate.areas.operations.tables import OperationRow, OperationStatus, StepStatus, operations, read_operation
from socialgate.contracts.operations import OperationConfirmed
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.web.pagination import add_cursor

ERASED_DETAIL = "The personal data it concerned was erased."
# How many values are looked up in one statement.
_VALUES_PER_STATEMENT = 500


async def insert_operation(tx: Tx, owner_id: str, values: dict[str, Any]) -> None:
    await tx.execute(sa.insert(operations).values(owner_id=owner_id, **values))


async def find_operation(tx: Tx, owner_id: str, operation_id: str) -> OperationRow | None:
    statement = sa.select(operations).where(operations.c.owner_id == owner_id, operations.c.id == operation_id)
    row = await tx.first(statement)
    return None if row is None else read_operation(row)


async def find_operation_by_idempotency_key(tx: Tx, owner_id: str, idempotency: str) -> OperationRow | None:
    """Find what an earlier request with the same Idempotency-Key started."""
    statement = sa.select(operations).where(operations.c.owner_id == owner_id, operations.c.idempotency == idempotency)
    row = await tx.first(statement.with_for_update())
    return None if row is None else read_operation(row)


async def clear_idempotency_key(tx: Tx, owner_id: str, operation_id: str) -> None:
    statement = sa.update(operations).where(operations.c.owner_id == owner_id, operations.c.id == operation_id)
    await tx.execute(statement.values(idempotency=None))


async def schedule_lookup_now(tx: Tx, owner_id: str, proven: OperationConfirmed) -> bool:
    """Let a background worker look at a call whose outcome is unknown. Returns False if no such call is waiting."""
    statement = sa.update(operations).where(
        operations.c.owner_id == owner_id,
        operations.c.account_id == proven.get_account_id,
        operations.c.operation == proven.operation,
        operations.c.status == OperationStatus.UNCONFIRMED,
        operations.c.request[proven.name].as_string() == proven.value,
    )
    return await tx.execute_and_count(statement.values(due_at=tx.now)) > 0


_UPDATE_ERASED = sa.update(operations).where(
    operations.c.owner_id == sa.bindparam("of_owner"), operations.c.id == sa.bindparam("of_id")
)


async def erase_requests(
    tx: Tx, owner_id: str, account_id: str, operation: str, name: str, values: Sequence[str]
) -> None:
    """Erase the requests and responses of calls, found by a part of what is shown of their requests. Their results are
    not looked up any more.
    """
    parent_values = (
        operations.c.owner_id == owner_id,
        operations.c.account_id == account_id,
        operations.c.operation == operation,
    )
    for start in range(0, len(values), _VALUES_PER_STATEMENT):
        named = operations.c.request[name].as_string().in_(values[start : start + _VALUES_PER_STATEMENT])
        kept = [
            {
                "of_owner": owner_id,
                "of_id": row.id,
                "sealed": None,
                "answer": None,
                "platform_object_id": None,
                "error": None if row.error is None else {**row.error, "detail": ERASED_DETAIL},
            }
            for row in await tx.all_as(sa.select(operations).where(*parent_values, named), read_operation)
        ]
        if kept:
            await tx.execute(_UPDATE_ERASED, kept)


async def belongs_to_other_operation(tx: Tx, row: OperationRow, object_id: str | None) -> bool:
    """Return whether another call of the same type created this object, or a step of several calls."""
    if object_id is None:
        return False
    alone = operations.c.platform_object_id == object_id
    if row.steps is None:
        # Steps create objects of several types, which calls of other types may have created.
        alone = sa.and_(alone, operations.c.operation == row.operation)
    step = sa.cast(operations.c.steps, sa.Text).contains(json.dumps(object_id), autoescape=True)
    statement = sa.select(operations.c.id).where(
        operations.c.owner_id == row.owner_id,
        operations.c.account_id == row.account_id,
        operations.c.id != row.id,
        sa.or_(alone, step),
    )
    return await tx.first(statement) is not None


async def is_step_running_elsewhere(tx: Tx, row: OperationRow, step: str) -> bool:
    """Return whether another call, for the same request, is waiting for the response to this step right now."""
    statement = sa.select(operations).where(
        operations.c.owner_id == row.owner_id,
        operations.c.account_id == row.account_id,
        operations.c.operation == row.operation,
        operations.c.status == OperationStatus.RUNNING,
        operations.c.claim_until >= tx.now,
        operations.c.id != row.id,
    )
    others = [
        current_row for current_row in await tx.all_as(statement, read_operation) if current_row.request == row.request
    ]
    pairs = ((record["name"], record["status"]) for row in others for record in row.steps or ())
    return (step, StepStatus.RUNNING) in pairs


async def list_operations_page(tx: Tx, owner_id: str, caller: Caller, query: OperationsQuery) -> list[OperationRow]:
    statement = sa.select(operations).where(operations.c.owner_id == owner_id)
    if caller.allowed_profile_ids is not None:
        statement = statement.where(operations.c.profile_id.in_(sorted(caller.allowed_profile_ids)))
    if query.account_id is not None:
        statement = statement.where(operations.c.account_id == query.account_id)
    if query.status is not None:
        statement = statement.where(operations.c.status == query.status)
    return [read_operation(row) for row in await tx.all(add_cursor(statement, operations.c.id, query, "op"))]


async def purge_operations(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(operations).where(operations.c.expires_at < now))
