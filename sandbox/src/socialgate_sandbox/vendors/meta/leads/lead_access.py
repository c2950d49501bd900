"""Who may read the leads of a Page: the scope, the role, and the list in the Page's Leads Access Manager."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.kit import Action, ActionRequest, Call, CallRefusedError, StoredObject, VendorContext
from socialgate_sandbox.kit.accounts import find_or_raise
from socialgate_sandbox.vendors.meta.stored_objects import Page
from socialgate_sandbox.vendors.meta.token_access import get_role, has_any_scope, require_task, require_token

_REVOKED_MESSAGE = (
    "CRM access has been revoked through Lead Access Manager. To reinstate access visit Lead Access Manager."
)
_REVOKED_USER_MESSAGE = "Please make sure your CRM is added in the Lead Access Manager setting for the page."
_LEAD_TASKS = {"ADVERTISE", "MANAGE", "MANAGE_LEADS"}


class CustomLeadAccess(StoredObject):
    """The Page (whose id it has) restricts which apps may read its leads, and ours is not among them."""


class LeadAccessRequest(ActionRequest, frozen=True, kw_only=True):
    """Remove the app from the Page's Leads Access Manager, or (with `allowed`) add it back."""

    account: str
    allowed: bool = False


def _set_lead_access(context: VendorContext, request: LeadAccessRequest) -> None:
    find_or_raise(context, request.account, "Page", Page)
    if request.allowed:
        context.store.delete(CustomLeadAccess, request.account)
    else:
        context.store.put(CustomLeadAccess(id=request.account))


LEAD_ACCESS_ACTION = Action("Change who may read leads", LeadAccessRequest, _set_lead_access, kinds=("page",))


def require_page_token(call: Call, page: str, scope: str) -> None:
    """Accept callers that act as the Page, were granted the scope, and may advertise there."""
    if require_token(call).page != page:
        raise CallRefusedError(
            build_error_response("(#190) This method must be called with a Page Access Token", 190, subcode=2069032)
        )
    require_task(call, page, scope, _LEAD_TASKS)


def require_lead_access(call: Call, page: str) -> None:
    require_page_token(call, page, "leads_retrieval")
    if call.context.store.get(CustomLeadAccess, page) is not None:
        raise CallRefusedError(
            build_error_response(f"(#103) {_REVOKED_MESSAGE}", 103, title="Lead access", advice=_REVOKED_USER_MESSAGE)
        )


def resolve_lead_access(call: Call, page: Page, _field: RequestedField) -> dict[str, Any]:
    human = require_token(call).parent
    current_role, custom = (
        get_role(call.context, human, page.id),
        call.context.store.get(CustomLeadAccess, page.id) is not None,
    )
    user, app = (
        current_role is not None and not _LEAD_TASKS.isdisjoint(current_role.tasks),
        has_any_scope(call, "leads_retrieval") and not custom,
    )
    reason = (
        {} if user and app else {"failure_reason": _REVOKED_MESSAGE if user else "The user has no leads permission."}
    )
    return {
        "app_has_leads_permission": app,
        "can_access_lead": user and app,
        "enabled_lead_access_manager": custom,
        **reason,
        "is_page_admin": current_role is not None and "MANAGE" in current_role.tasks,
        "page_id": page.id,
        "user_has_leads_permission": user,
        "user_id": human,
    }
