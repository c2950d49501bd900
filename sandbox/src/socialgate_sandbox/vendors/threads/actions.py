"""What people do on the side of Threads, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate_sandbox.dialects.graph.hub import Unconfirmed
from socialgate_sandbox.dialects.graph.login import WAYS, Grant, expire_action, take_away
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, World
from socialgate_sandbox.kit.accounts import OfAccount
from socialgate_sandbox.kit.tokens import revoke_action, with_permissions
from socialgate_sandbox.society.comments import comment_action
from socialgate_sandbox.society.metrics import RETIRE
from socialgate_sandbox.vendors.threads import feed, webhooks
from socialgate_sandbox.vendors.threads.replies import BOARD
from socialgate_sandbox.vendors.threads.state import Profile, Token


def revoke(world: World, account: str, how: str) -> None:
    take_away(world, Token, _grant(world, account).id, how)


def _grant(world: World, account: str) -> Grant:
    grant = world.store.get(Grant, feed.profile_named(world, account).id)
    if grant is None:
        raise ControlError("The app has no access to this profile, so there is nothing to revoke.", 409)
    return grant


def _living(world: World, account: str) -> list[Token]:
    return [token for token in world.store.find(Token, parent=_grant(world, account).id) if not token.dead]


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
    return with_permissions(WAYS, [] if grant is None else grant.scopes)


ACTIONS: Mapping[str, Action[Any]] = {
    **RETIRE,
    "revoke": revoke_action(revoke, _ways, usual="app_removed", permissions=True),
    "expire": expire_action(_living),
    "comment": comment_action(BOARD),
    "feed": Action("Read the posts", OfAccount, feed.feed, listed=False),
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
