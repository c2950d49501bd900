"""What people do on Facebook's side, as control verbs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from socialgate_sandbox.dialects.graph.login import WAYS, Grant, expire_action, take_away
from socialgate_sandbox.dialects.graph.tokens import kill
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, World
from socialgate_sandbox.kit.accounts import OfAccount, named
from socialgate_sandbox.kit.tokens import PERMISSION, revoke_action, with_permissions
from socialgate_sandbox.society.campaigns import PACE, judge_action, switch_account
from socialgate_sandbox.society.comments import comment_action
from socialgate_sandbox.society.metrics import RETIRE
from socialgate_sandbox.vendors.meta import feed
from socialgate_sandbox.vendors.meta.ads.accounts import ACTIVE, DISABLED
from socialgate_sandbox.vendors.meta.instagram.comments import BOARD as INSTAGRAM_BOARD
from socialgate_sandbox.vendors.meta.leads.access import LEAD_ACCESS
from socialgate_sandbox.vendors.meta.leads.leads import DESK
from socialgate_sandbox.vendors.meta.messaging.chats import CHATS
from socialgate_sandbox.vendors.meta.pages.comments import BOARD as PAGE_BOARD
from socialgate_sandbox.vendors.meta.state import ALL_TASKS, AdAccount, Human, Instagram, Page, Role, Token
from socialgate_sandbox.vendors.meta.webhooks import notify_permission


def revoke(world: World, account: str, how: str) -> Any:
    """Let the people behind an account revoke what they granted."""
    people = _people_behind(world, account)
    if how == "role_lost":
        return _lose_roles(world, people, account)
    for human in people:
        take_away(world, Token, human, how)
        if how.startswith(PERMISSION):
            roles = world.store.find(Role, parent=human)
            pages = [role.asset for role in roles if not role.asset.startswith("act_")]
            notify_permission(world, human, how.removeprefix(PERMISSION), pages)
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


def _lose_roles(world: World, people: list[str], account: str) -> Any:
    linked = world.store.get(Instagram, account)
    asset = linked.parent if linked is not None else account
    for human in people:
        if not world.store.delete(Role, f"{human}:{asset}"):
            raise ControlError("Only a role on a Page or an ad account can be lost.", 422)
        if world.store.get(Page, asset) is not None:
            held = [token for token in world.store.find(Token, parent=human) if token.page == asset]
            kill(world, held, "role_lost")
    return {"people": people}


def _expiring(world: World, account: str) -> list[Token]:
    """Find what the verb `expire` affects. A Page token that never expires stays valid."""
    tokens = [token for human in _people_behind(world, account) for token in world.store.find(Token, parent=human)]
    return [token for token in tokens if token.expires is not None and not token.dead]


class Unlink(ActionRequest, frozen=True, kw_only=True):
    """Unlink an Instagram account from its Page, or (with `page`) link it to one."""

    account: str
    page: str = ""


def unlink(world: World, order: Unlink) -> None:
    account = named(world, order.account, "Instagram account", Instagram)
    account.parent = named(world, order.page, "Page", Page).id if order.page else ""
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


class AccountStatus(ActionRequest, frozen=True, kw_only=True):
    """Disable an ad account, or enable it again. `status` is Meta's number: 1 is active, 2 disabled, 3 unsettled."""

    account: str
    status: int = 2


def set_account_status(world: World, order: AccountStatus) -> None:
    account = named(world, order.account, "ad account", AdAccount)
    account.account_status, account.disable_reason = order.status, 1 if order.status == DISABLED else 0
    world.store.put(account)
    switch_account(world, account.id, "on" if order.status == ACTIVE else "off")


def _ways(world: World, account: str) -> dict[str, str]:
    """List how access to an account can be lost, with each granted permission."""
    asset = getattr(world.store.get(Instagram, account), "parent", account)
    held = {account, *(role.parent for role in world.store.find(Role) if role.asset == asset)}
    scopes = {scope: None for grant in world.store.find(Grant) if grant.id in held for scope in grant.scopes}
    return with_permissions(_WAYS, scopes)


def _pages(world: World, _account: str) -> dict[str, str]:
    return {"": "No Page"} | {page.id: page.name for page in world.store.find(Page)}


def _holders(world: World, account: str) -> dict[str, str]:
    """List the people who have a role on a Page."""
    held = {role.parent for role in world.store.find(Role) if role.asset == account}
    return {human.id: human.name for human in world.store.find(Human) if human.id in held}


def _for_ads(action: Action[Any]) -> Action[Any]:
    return replace(action, kinds=("ad account",))


_WAYS = {
    **WAYS,
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
    "revoke": revoke_action(revoke, _ways, usual="app_removed", permissions=True),
    "expire": expire_action(_expiring),
    "unlink": Action("Link to another Page", Unlink, unlink, kinds=("instagram",), choices={"page": _pages}),
    "comment": comment_action(PAGE_BOARD, INSTAGRAM_BOARD),
    **CHATS.actions(),
    "lead": DESK.action,
    "leadAccess": LEAD_ACCESS,
    "feed": Action("Read the posts", OfAccount, feed.feed, listed=False),
    "process": Action(
        "Slow down or fail media processing",
        feed.Process,
        feed.process,
        kinds=("page", "instagram", "ad account"),
        choices={"failure": feed.FAILURES},
    ),
    # Ads are counted only while their account is active.
    "adAccount": Action(
        "Disable or enable the ad account",
        AccountStatus,
        set_account_status,
        kinds=("ad account",),
        choices={"status": {"2": "Disabled", "1": "Active", "3": "Unsettled", "7": "Pending review"}},
    ),
    "review": _for_ads(judge_action()),
    "pace": _for_ads(PACE),
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
