"""What people do on Facebook's side, as control verbs."""

from collections.abc import Mapping
from typing import Any

from socialgate.sandbox.dialects.graph.hub import send_signed_request
from socialgate.sandbox.dialects.graph.tokens import DEAD
from socialgate.sandbox.kit import Account, Action, ActionRequest, ControlError, Revoke, World
from socialgate.sandbox.society.comments import comment_action
from socialgate.sandbox.society.metrics import RETIRE
from socialgate.sandbox.vendors.meta import chats, feed, instagram_comments, page_comments
from socialgate.sandbox.vendors.meta.lead_access import LEAD_ACCESS
from socialgate.sandbox.vendors.meta.leads import DESK
from socialgate.sandbox.vendors.meta.state import ALL_TASKS, AdAccount, Grant, Human, Instagram, Page, Role, Token
from socialgate.sandbox.vendors.meta.viewer import kill
from socialgate.sandbox.vendors.meta.webhooks import notify_permission

_PERMISSION = "permission:"
# Ways that end the app's access permanently: they delete the grant and notify the app.
_REMOVALS = {
    "": "deauthorize",
    "app_removed": "deauthorize",
    "data_deletion": "deletion",
    "account_deleted": "deletion",
}
_SILENT = ("password_changed", "logged_out", "checkpoint", "unconfirmed_user")
HOWS = (*_REMOVALS, *_SILENT, "role_lost", "permission:<scope>")


def revoke(world: World, order: Revoke) -> Any:
    """Let the people behind an account revoke what they granted."""
    if order.how not in HOWS and not order.how.startswith(_PERMISSION):
        raise ControlError(f"Unknown value for how. Choose one of: {', '.join(way for way in HOWS if way)}.", 422)
    people = _people_behind(world, order.account)
    if order.how == "role_lost":
        return _lose_roles(world, people, order.account)
    for human in people:
        if order.how in _REMOVALS:
            _remove_app(world, human, order.how)
        elif order.how in _SILENT:
            kill(world, human, order.how)
        else:
            _untick(world, human, order.how.removeprefix(_PERMISSION))
    return {"people": people}


def _people_behind(world: World, account: str) -> list[str]:
    """Find the people who granted the app something and hold the account."""
    linked = world.store.get(Instagram, account)
    asset = linked.parent if linked is not None else account
    held = {role.parent for role in world.store.find(Role) if role.asset == asset}
    people = [human.id for human in world.store.find(Human) if human.id == account or human.id in held]
    if not people:
        raise ControlError(f"Nobody has an account {account!r}. GET /_control/accounts lists them.")
    granted = [human for human in people if world.store.get(Grant, human) is not None]
    if not granted:
        raise ControlError("The app has no access to this account, so there is nothing to revoke.", 409)
    return granted


def _remove_app(world: World, human: str, how: str) -> None:
    world.store.delete(Grant, human)
    kill(world, human, how if how in DEAD else "app_removed")
    send_signed_request(world, human, purpose="deauthorize")
    if _REMOVALS[how] == "deletion":
        send_signed_request(world, human, purpose="deletion")


def _untick(world: World, human: str, scope: str) -> None:
    grant = world.store.get(Grant, human)
    if grant is None or scope not in grant.scopes:
        raise ControlError(f"{scope} was not granted.", 409)
    grant.scopes.remove(scope)
    grant.declined.append(scope)
    world.store.put(grant)
    pages = [role.asset for role in world.store.find(Role, parent=human) if not role.asset.startswith("act_")]
    notify_permission(world, human, scope, pages)


def _lose_roles(world: World, people: list[str], account: str) -> Any:
    linked = world.store.get(Instagram, account)
    asset = linked.parent if linked is not None else account
    for human in people:
        if not world.store.delete(Role, f"{human}:{asset}"):
            raise ControlError("Only a role on a Page or an ad account can be lost.", 422)
        if world.store.get(Page, asset) is not None:
            kill(world, human, "role_lost", page=asset)
    return {"people": people}


class Expire(ActionRequest, frozen=True, kw_only=True):
    """Expire tokens now. A Page token that never expires stays valid."""

    account: str


def expire(world: World, order: Expire) -> Any:
    count = 0
    for human in _people_behind(world, order.account):
        for token in world.store.find(Token, parent=human):
            if token.expires is not None and not token.dead:
                token.expires = min(token.expires, world.clock.now())
                world.store.put(token)
                count += 1
    return {"expired": count}


class Unlink(ActionRequest, frozen=True, kw_only=True):
    """Unlink an Instagram account from its Page, or (with `page`) link it to one."""

    account: str
    page: str = ""


def unlink(world: World, order: Unlink) -> None:
    account = world.store.get(Instagram, order.account)
    if account is None:
        raise ControlError(f"There is no Instagram account {order.account!r}.")
    if order.page and world.store.get(Page, order.page) is None:
        raise ControlError(f"There is no Page {order.page!r}.")
    account.parent = order.page
    world.store.put(account)


class Tasks(ActionRequest, frozen=True, kw_only=True):
    """Change what a person may do on a Page. Without tasks, all of them are granted."""

    account: str
    person: str
    tasks: list[str] = []


def set_tasks(world: World, order: Tasks) -> None:
    held = world.store.get(Role, f"{order.person}:{order.account}")
    if held is None:
        raise ControlError("That person has no role there.")
    held.tasks = order.tasks
    world.store.put(held)


def _ways(world: World, account: str) -> dict[str, str]:
    """List how access to an account can be lost, with each granted permission."""
    asset = getattr(world.store.get(Instagram, account), "parent", account)
    held = {account, *(role.parent for role in world.store.find(Role) if role.asset == asset)}
    scopes = {scope: None for grant in world.store.find(Grant) if grant.id in held for scope in grant.scopes}
    return _WAYS | {f"{_PERMISSION}{scope}": f"Remove the permission {scope}" for scope in scopes}


def _pages(world: World, _account: str) -> dict[str, str]:
    return {"": "No Page"} | {page.id: page.name for page in world.store.find(Page)}


def _holders(world: World, account: str) -> dict[str, str]:
    """List the people who have a role on a Page."""
    held = {role.parent for role in world.store.find(Role) if role.asset == account}
    return {human.id: human.name for human in world.store.find(Human) if human.id in held}


_WAYS = {
    "": "Remove the app",
    "data_deletion": "Remove the app and request data deletion",
    "account_deleted": "Delete the account",
    "password_changed": "Change the password",
    "logged_out": "Log out everywhere",
    "checkpoint": "Hold the account at a checkpoint",
    "unconfirmed_user": "Mark the user as unconfirmed",
    "role_lost": "Lose the role on the Page or ad account",
}
_TASK_SETS = {
    ",".join(ALL_TASKS): "All tasks",
    "ANALYZE": "Analyze only",
    "ANALYZE,CREATE_CONTENT": "Analyze, create content",
    "ANALYZE,MESSAGING,MODERATE": "Analyze, message, moderate",
}

ACTIONS: Mapping[str, Action[Any]] = {
    **RETIRE,
    "revoke": Action("Revoke the app's access", Revoke, revoke, choices={"how": _ways}),
    "expire": Action("Expire tokens now", Expire, expire),
    "unlink": Action("Link to another Page", Unlink, unlink, kinds=("instagram",), choices={"page": _pages}),
    "comment": comment_action(page_comments.BOARD, instagram_comments.BOARD),
    **chats.CHATS.actions(),
    "lead": DESK.action,
    "leadAccess": LEAD_ACCESS,
    "feed": Action("Read the posts", feed.Feed, feed.feed, listed=False),
    "process": Action(
        "Slow down or fail media processing",
        feed.Process,
        feed.process,
        kinds=("page", "instagram"),
        choices={"failure": feed.FAILURES},
    ),
    "tasks": Action(
        "Change a person's permissions",
        Tasks,
        set_tasks,
        kinds=("page",),
        choices={"person": _holders, "tasks": _TASK_SETS},
    ),
}


def accounts(world: World) -> list[Account]:
    """List what can be connected, with the people who granted the app access."""
    granted = {human.id: human.name for human in world.store.find(Human) if world.store.get(Grant, human.id)}
    roles = world.store.find(Role)

    def line(kind: str, thing: Any, name: str, asset: str) -> Account:
        connected = [granted[role.parent] for role in roles if role.asset == asset and role.parent in granted]
        return Account(kind=kind, id=thing.id, name=name, connected=connected, state="active" if asset else "unlinked")

    people = [
        Account(kind="person", id=human.id, name=human.name, connected=[human.name] if human.id in granted else [])
        for human in world.store.find(Human)
    ]
    pages = [line("page", page, page.name, page.id) for page in world.store.find(Page)]
    instagram = [line("instagram", found, f"@{found.username}", found.parent) for found in world.store.find(Instagram)]
    ads = [line("ad account", found, found.name, found.id) for found in world.store.find(AdAccount)]
    return [*people, *pages, *instagram, *ads]
