from datetime import datetime
from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.operations.tables import OperationStatus, StepStatus
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import ResponseModel

_EXAMPLE_OPERATION_ID = "op_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"


class OperationsQuery(ListQuery, frozen=True, kw_only=True):
    """Which operations to list."""

    account_id: (
        Annotated[str, Meta(max_length=40, description="Only operations on this account or ad account.")] | None
    ) = None
    status: Annotated[OperationStatus, Meta(description="Only operations with this status.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50, "status": "unconfirmed"}


class OperationError(ResponseModel, frozen=True, kw_only=True):
    """Why an operation failed, or why its outcome is unknown."""

    code: str
    """The code of the error, as in a problem."""
    category: str
    """What kind of failure it is, as in a problem."""
    detail: str
    """What went wrong and how to fix it, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "code": "outcome_unknown",
            "category": "outcome_unknown",
            "detail": "The request reached the platform, but its response was lost. Check the platform.",
        }


class OperationStep(ResponseModel, frozen=True, kw_only=True):
    """One of several calls. `left` means that the series failed, and that what this step had created could not be
    removed.
    """

    name: str
    """What the step creates or changes, such as `campaign`."""
    status: StepStatus
    """`removed` and `left` are steps that had succeeded before the series failed."""
    platform_object_id: str | None
    """The platform's own id of what it created. Null if there is none yet."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "campaign", "status": "succeeded", "platformObjectId": "120330000000000001"}


class Operation(ResponseModel, frozen=True, kw_only=True):
    """A call that changes something on a platform, and its result.

    `unconfirmed` means that the platform may have executed it: it is never repeated automatically.
    If several calls were made as one, `steps` shows each of them.
    """

    id: str
    """The id, `op_…`."""
    account_id: str | None
    """The account, `acc_…`. Null for an ad account, and before an account exists."""
    ad_account_id: str | None
    """The ad account, `adacc_…`. Null for other accounts."""
    operation: str
    """What was done, such as `comments.create`."""
    status: OperationStatus
    """`unconfirmed` means that the platform may have executed it."""
    started_at: datetime
    """When the call was about to be made."""
    finished_at: datetime | None
    """When the outcome was known. Null while it is running."""
    platform_object_id: str | None
    """The platform's own id of what was created or changed. Null if there is none."""
    error: OperationError | None
    """Why it failed, or why its outcome is unknown. Null otherwise."""
    request: dict[str, Any]
    """What was requested, without secrets and personal data."""
    steps: list[OperationStep] | None
    """The calls that were made as one. Null if it was a single call."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_OPERATION_ID,
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "adAccountId": None,
            "operation": "comments.create",
            "status": "unconfirmed",
            "startedAt": "2026-11-15T09:30:00Z",
            "finishedAt": "2026-11-15T09:30:31Z",
            "platformObjectId": None,
            "error": OperationError.example(),
            "request": {"objectId": "178_95"},
            "steps": None,
        }
