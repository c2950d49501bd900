"""Who may read the leads of a Page: the scope, the role, and the list in the Page's Leads Access Manager."""

from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.kit import Action, ActionRequest, Call, Refused, Thing, World
from socialgate_sandbox.kit.accounts import named
from socialgate_sandbox.vendors.meta.state import Page
from socialgate_sandbox.vendors.meta.viewer import may, require_task, role, viewer

_REVOKED = "CRM access has been revoked through Lead Access Manager. To reinstate access visit Lead Access Manager."
_ADVICE = "Please make sure your CRM is added in the Lead Access Manager setting for the page."
_TASKS = {"ADVERTISE", "MANAGE", "MANAGE_LEADS"}


class CustomLeadAccess(Thing):
    """The Page (whose id it has) restricts which apps may read its leads, and ours is not among them."""


class LeadAccess(ActionRequest, frozen=True, kw_only=True):
    """Remove the app from the Page's Leads Access Manager, or (with `allowed`) add it back."""

    account: str
    allowed: bool = False


def _set_access(world: World, order: LeadAccess) -> None:
    named(world, order.account, "Page", Page)
    if order.allowed:
        world.store.delete(CustomLeadAccess, order.account)
    else:
        world.store.put(CustomLeadAccess(id=order.account))


LEAD_ACCESS = Action("Change who may read leads", LeadAccess, _set_access, kinds=("page",))


def require_page_token(call: Call, page: str, scope: str) -> None:
    """Accept callers that act as the Page, were granted the scope, and may advertise there."""
    if viewer(call).page != page:
        raise Refused(failure("(#190) This method must be called with a Page Access Token", 190, subcode=2069032))
    require_task(call, page, scope, _TASKS)


def require_leads(call: Call, page: str) -> None:
    require_page_token(call, page, "leads_retrieval")
    if call.world.store.get(CustomLeadAccess, page) is not None:
        raise Refused(failure(f"(#103) {_REVOKED}", 103, title="Lead access", advice=_ADVICE))


def has_lead_access(call: Call, page: Page, _field: Field) -> dict[str, Any]:
    human = viewer(call).parent
    held, custom = role(call.world, human, page.id), call.world.store.get(CustomLeadAccess, page.id) is not None
    user, app = held is not None and not _TASKS.isdisjoint(held.tasks), may(call, "leads_retrieval") and not custom
    reason = {} if user and app else {"failure_reason": _REVOKED if user else "The user has no leads permission."}
    return {
        "app_has_leads_permission": app,
        "can_access_lead": user and app,
        "enabled_lead_access_manager": custom,
        **reason,
        "is_page_admin": held is not None and "MANAGE" in held.tasks,
        "page_id": page.id,
        "user_has_leads_permission": user,
        "user_id": human,
    }
