"""What a person or a test can make happen at TikTok."""

from datetime import timedelta
from typing import Any, Literal

from socialgate.sandbox.kit import Action, ActionRequest, ControlError, Revoke, World
from socialgate.sandbox.vendors.tiktok.accounts import creator_named
from socialgate.sandbox.vendors.tiktok.oauth import end_grant
from socialgate.sandbox.vendors.tiktok.state import AccessToken, RefreshToken
from socialgate.sandbox.vendors.tiktok.webhooks import (
    ACCOUNT_DELETED,
    AGE_CHANGED,
    BANNED,
    DISCONNECTED,
    UNKNOWN,
    authorization_removed,
)

_HOW = {
    "": DISCONNECTED,
    "disconnected": DISCONNECTED,
    "account_deleted": ACCOUNT_DELETED,
    "age_changed": AGE_CHANGED,
    "banned": BANNED,
    "unknown": UNKNOWN,
}
_SILENT = "silent"


class Expire(ActionRequest, frozen=True, kw_only=True):
    account: str
    what: Literal["access", "refresh"] = "access"


class Restrict(ActionRequest, frozen=True, kw_only=True):
    """`blocked` is what creator_info answers from now on; "" lets the account post again."""

    account: str
    blocked: Literal[
        "", "spam_risk_too_many_posts", "spam_risk_user_banned_from_posting", "reached_active_user_cap"
    ] = "spam_risk_user_banned_from_posting"
    private: bool | None = None


def revoke(world: World, request: Revoke) -> dict[str, Any]:
    if request.how not in {*_HOW, _SILENT}:
        raise ControlError(f"how is one of {sorted({*_HOW, _SILENT})}.", 422)
    creator = creator_named(world, request.account)
    end_grant(world, creator.id)
    if request.how in {"account_deleted", "banned"}:
        creator.gone = True
        world.store.put(creator)
    if request.how == _SILENT:
        return {"account": creator.id, "told": False}
    authorization_removed(world, creator.id, _HOW[request.how])
    return {"account": creator.id, "told": True, "reason": _HOW[request.how]}


def expire(world: World, request: Expire) -> dict[str, Any]:
    creator, now = creator_named(world, request.account), world.clock.now()
    tokens = world.store.find(AccessToken, parent=creator.id)
    for token in tokens:
        token.expires = min(token.expires, now - timedelta(seconds=1))
        world.store.put(token)
    dropped = world.store.clear(RefreshToken, parent=creator.id) if request.what == "refresh" else 0
    return {"access": len(tokens), "refresh": dropped}


def restrict(world: World, request: Restrict) -> dict[str, Any]:
    creator = creator_named(world, request.account)
    creator.blocked = request.blocked
    creator.private = creator.private if request.private is None else request.private
    world.store.put(creator)
    return {"account": creator.id, "blocked": creator.blocked, "private": creator.private}


ACTIONS: dict[str, Action[Any]] = {
    "revoke": Action("Disconnect the app, or lose the account", Revoke, revoke),
    "expire": Action("Let tokens expire now", Expire, expire),
    "restrict": Action("Keep an account from posting, or make it private", Restrict, restrict),
}
