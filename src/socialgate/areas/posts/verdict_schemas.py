"""The result of validating a post."""

from typing import Any

from socialgate.contracts.renditions import Change
from socialgate.core.errors import Fault
from socialgate.core.fields import AccountIdField
from socialgate.web.schemas import ResponseModel

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_MEDIA_ID = "med_01h455vb4pex5vsknk084sn02q"


class FileChange(Change, frozen=True, kw_only=True):
    """One thing about a file that would be changed for an account."""

    media_id: str
    """The file, `med_…`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"mediaId": _EXAMPLE_MEDIA_ID, **super().example()}


class TargetVerdict(ResponseModel, frozen=True, kw_only=True):
    """What would be done for one account."""

    account_id: AccountIdField
    changes: list[FileChange]
    """What would be changed about its files, so that the platform accepts them. Empty if nothing."""


class PostValidationResult(ResponseModel, frozen=True, kw_only=True):
    """Everything that would be rejected, and warnings."""

    valid: bool
    """Whether the post would be accepted: there are no `errors`."""
    errors: list[Fault]
    """Everything that would be rejected."""
    warnings: list[Fault]
    """What would be accepted, but may not be what you want."""
    targets: list[TargetVerdict]
    """What would be done for each account, in the order of the request."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "valid": False,
            "errors": [
                {
                    "pointer": "/targets/0/accountId",
                    "code": "not_found",
                    "detail": "This profile has no account with this id. GET /accounts lists its accounts.",
                }
            ],
            "warnings": [],
            "targets": [{"accountId": _EXAMPLE_ACCOUNT_ID, "changes": []}],
        }
