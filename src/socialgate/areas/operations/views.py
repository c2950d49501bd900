"""Operations as the API shows them."""

from collections.abc import Mapping
from typing import Any

from socialgate.areas.operations.schemas import Operation, OperationError, OperationStep
from socialgate.areas.operations.tables import OperationRow


def build_operation_view(row: OperationRow) -> Operation:
    is_ad = row.account_id is not None and row.account_id.startswith("adacc_")
    return Operation(
        id=row.id,
        account_id=None if is_ad else row.account_id,
        ad_account_id=row.account_id if is_ad else None,
        operation=row.operation,
        status=row.status,
        started_at=row.started_at,
        finished_at=row.finished_at,
        platform_object_id=row.platform_object_id,
        error=None if row.error is None else OperationError(**row.error),
        request=dict(row.request),
        steps=None if row.steps is None else [_build_step(step) for step in row.steps],
    )


def _build_step(record: Mapping[str, Any]) -> OperationStep:
    return OperationStep(name=record["name"], status=record["status"], platform_object_id=record["id"])
