"""What people do on the side of Threads, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate.sandbox.dialects.graph.hub import Unconfirmed, send_signed_request
from socialgate.sandbox.kit import Account, Action, ActionRequest, ControlError, Revoke, World
from socialgate.sandbox.society.comments import comment_action
from socialgate.sandbox.society.metrics import RETIRE
from socialgate.sandbox.vendors.threads import feed, webhooks
from socialgate.sandbox.vendors.threads.replies import BOARD
from socialgate.sandbox.vendors.threads.state import Grant, Profile, Token
from socialgate.sandbox.vendors.threads.viewer import kill

_PERMISSION = "permission:"
_REMOVALS = {"": "app_removed", "app_removed": "app_removed", "data_deletion": "app_removed"}
_DELETIONS = {"data_deletion", "account_deleted"}
_SILENT = ("password_changed", "logged_out", "checkpoint")
_HOWS = ("app_removed", "data_deletion", "account_deleted", *_SILENT, "permission:<scope>")


def revoke(world: World, order: Revoke) -> None:
    how = order.how
    if how not in {"", *_HOWS} and not how.startswith(_PERMISSION):
        raise ControlError(f"Unknown value for how. Choose one of: {', '.join(_HOWS)}.", 422)
    grant = _grant(world, order.account)
    if how in _REMOVALS or how in _DELETIONS:
        world.store.delete(Grant, grant.id)
        kill(world, grant.id, _REMOVALS.get(how, how))
        send_signed_request(world, grant.id, purpose="deauthorize")
        if how in _DELETIONS:
            send_signed_request(world, grant.id, purpose="deletion")
    elif how in _SILENT:
        kill(world, grant.id, how)
    else:
        _untick(world, grant, how.removeprefix(_PERMISSION))


def _untick(world: World, grant: Grant, scope: str) -> None:
    if scope not in grant.scopes:
        raise ControlError(f"{scope} was not granted.", 409)
    grant.scopes.remove(scope)
    world.store.put(grant)


def _grant(world: World, account: str) -> Grant:
    if world.store.get(Profile, account) is None:
        raise ControlError(f"There is no profile {account!r}. GET /_control/accounts lists them.")
    grant = world.store.get(Grant, account)
    if grant is None:
        raise ControlError("The app has no access to this profile, so there is nothing to revoke.", 409)
    return grant


class Expire(ActionRequest, frozen=True, kw_only=True):
    """Expire the tokens of a profile now."""

    account: str


def expire(world: World, order: Expire) -> Any:
    living = [token for token in world.store.find(Token, parent=_grant(world, order.account).id) if not token.dead]
    for token in living:
        token.expires = min(token.expires, world.clock.now())
        world.store.put(token)
    return {"expired": len(living)}


class Subscribe(ActionRequest, frozen=True, kw_only=True):
    """Save a webhook address in the app's dashboard; it must repeat a challenge. By default the token is the app's."""

    url: str
    verify_token: str | None = None


async def subscribe(world: World, order: Subscribe) -> None:
    try:
        await webhooks.configure(world, order.url, order.verify_token or world.app.verify_token)
    except Unconfirmed as error:
        raise ControlError(error.message, 422) from error


def _ways(world: World, account: str) -> dict[str, str]:
    """List how access to a profile can be lost, with each granted permission."""
    grant = world.store.get(Grant, account)
    scopes = [] if grant is None else grant.scopes
    return _WAYS | {f"{_PERMISSION}{scope}": f"Remove the permission {scope}" for scope in scopes}


_WAYS = {
    "": "Remove the app",
    "data_deletion": "Remove the app and request data deletion",
    "account_deleted": "Delete the account",
    "password_changed": "Change the password",
    "logged_out": "Log out everywhere",
    "checkpoint": "Hold the account at a checkpoint",
}

ACTIONS: Mapping[str, Action[Any]] = {
    **RETIRE,
    "revoke": Action("Revoke the app's access", Revoke, revoke, choices={"how": _ways}),
    "expire": Action("Expire tokens now", Expire, expire),
    "comment": comment_action(BOARD),
    "feed": Action("Read the posts", feed.Feed, feed.feed, listed=False),
    "process": Action(
        "Slow down or fail media processing", feed.Process, feed.process, choices={"failure": feed.FAILURES}
    ),
    "subscribe": Action("Set the webhook address", Subscribe, subscribe),
}


def accounts(world: World) -> list[Account]:
    return [
        Account(
            kind="profile",
            id=one.id,
            name=f"@{one.username}",
            connected=[one.name] if world.store.get(Grant, one.id) is not None else [],
        )
        for one in world.store.find(Profile)
    ]
