"""What a person or a test can make happen at TikTok for Business."""

from typing import Any, Literal

from socialgate_sandbox.kit import Action, ActionRequest, World
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.oauth import Code
from socialgate_sandbox.kit.tokens import forget, revoke_action
from socialgate_sandbox.society.campaigns import PACE, judge_action, switch_account
from socialgate_sandbox.vendors.tiktokads.accounts import advertiser_named, users_of
from socialgate_sandbox.vendors.tiktokads.leads import DESK
from socialgate_sandbox.vendors.tiktokads.oauth import end_token
from socialgate_sandbox.vendors.tiktokads.state import AccessToken, AdvertiserMember

_WAYS = {"": "Revoke the authorization", "advertiser": "Revoke only this ad account"}


class SetStatus(ActionRequest, frozen=True, kw_only=True):
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


def revoke(world: World, account: str, how: str) -> dict[str, Any]:
    """Revoke all tokens of the people behind an ad account, or only the ad account. No webhook reports either."""
    advertiser = advertiser_named(world, account)
    users = users_of(world, advertiser.id)
    tokens = [token for user in users for token in world.store.find(AccessToken, parent=user)]
    for token in tokens:
        if how == "advertiser":
            token.withdrawn = [*token.withdrawn, advertiser.id]
            world.store.put(token)
        else:
            end_token(world, token.id)
    if how != "advertiser":
        for user in users:
            forget(world, user, Code)
    return {"account": advertiser.id, "tokens": len(tokens), "notified": False}


def set_status(world: World, request: SetStatus) -> dict[str, Any]:
    advertiser = advertiser_named(world, request.account)
    advertiser.status, advertiser.rejection = request.status, request.reason
    world.store.put(advertiser)
    switch_account(world, advertiser.id, "on" if advertiser.status == "STATUS_ENABLE" else "off")
    return {"account": advertiser.id, "status": advertiser.status}


def unlink(world: World, request: OfAccount) -> dict[str, Any]:
    """Remove everybody's role in an ad account."""
    advertiser = advertiser_named(world, request.account)
    users = users_of(world, advertiser.id)
    for user in users:
        world.store.delete(AdvertiserMember, f"{user} {advertiser.id}")
    return {"account": advertiser.id, "users": len(users)}


ACTIONS: dict[str, Action[Any]] = {
    "revoke": revoke_action(revoke, _WAYS),
    "status": Action("Change the status of the ad account", SetStatus, set_status),
    "unlink": Action("Remove everybody's role", OfAccount, unlink),
    "lead": DESK.action,
    "review": judge_action(),
    "pace": PACE,
}
