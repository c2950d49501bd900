"""What a person or a test can make happen at TikTok for Business."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest
from socialgate_sandbox.kit.oauth import Code
from socialgate_sandbox.kit.tokens import build_revoke_action, delete_issued
from socialgate_sandbox.society.campaigns import PACE_ACTION, build_review_action, set_account_state
from socialgate_sandbox.vendors.tiktokads.accounts import find_advertiser, list_user_ids
from socialgate_sandbox.vendors.tiktokads.leads import LEAD_SERVICE
from socialgate_sandbox.vendors.tiktokads.oauth import delete_token
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, AdvertiserMember

_REVOCATION_CHOICES = {"": "Revoke the authorization", "advertiser": "Revoke only this ad account"}


class SetStatusRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    status: Literal[
        "STATUS_ENABLE",
        "STATUS_DISABLE",
        "STATUS_LIMIT",
        "STATUS_PENDING_CONFIRM",
        "STATUS_PENDING_VERIFIED",
        "STATUS_CONFIRM_FAIL",
        "STATUS_CONTRACT_PENDING",
    ] = "STATUS_LIMIT"
    reason: str = ""


def revoke_access(context: VendorContext, account: str, revocation: str) -> dict[str, Any]:
    """Revoke all tokens of the people behind an ad account, or only the ad account. No webhook reports either."""
    advertiser = find_advertiser(context, account)
    users = list_user_ids(context, advertiser.id)
    tokens = [token for user in users for token in context.store.find(AccessToken, parent=user)]
    for token in tokens:
        if revocation == "advertiser":
            token.withdrawn = [*token.withdrawn, advertiser.id]
            context.store.put(token)
        else:
            delete_token(context, token.id)
    if revocation != "advertiser":
        for user in users:
            delete_issued(context, user, Code)
    return {"account": advertiser.id, "tokens": len(tokens), "notified": False}


def set_status(context: VendorContext, request: SetStatusRequest) -> dict[str, Any]:
    advertiser = find_advertiser(context, request.account)
    advertiser.status, advertiser.rejection = request.status, request.reason
    context.store.put(advertiser)
    set_account_state(context, advertiser.id, "on" if advertiser.status == "STATUS_ENABLE" else "off")
    return {"account": advertiser.id, "status": advertiser.status}


def remove_all_roles(context: VendorContext, request: AccountRequest) -> dict[str, Any]:
    """Remove everybody's role in an ad account."""
    advertiser = find_advertiser(context, request.account)
    users = list_user_ids(context, advertiser.id)
    for user in users:
        context.store.delete(AdvertiserMember, f"{user} {advertiser.id}")
    return {"account": advertiser.id, "users": len(users)}


ACTIONS: dict[str, Action[Any]] = {
    "revoke": build_revoke_action(revoke_access, _REVOCATION_CHOICES),
    "status": Action("Change the status of the ad account", SetStatusRequest, set_status),
    "unlink": Action("Remove everybody's role", AccountRequest, remove_all_roles),
    "lead": LEAD_SERVICE.lead_action,
    "review": build_review_action(),
    "pace": PACE_ACTION,
}
