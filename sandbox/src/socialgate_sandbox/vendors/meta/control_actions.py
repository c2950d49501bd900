"""What people do on Facebook's side, as control verbs."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from socialgate_sandbox.dialects.graph.login import REVOCATION_CHOICES, Grant, build_expire_action, revoke_access
from socialgate_sandbox.dialects.graph.tokens import invalidate_tokens
from socialgate_sandbox.kit import Account, Action, ActionRequest, ControlError, VendorContext
from socialgate_sandbox.kit.accounts import AccountRequest, find_or_raise
from socialgate_sandbox.kit.tokens import PERMISSION_PREFIX, add_permission_removals, build_revoke_action
from socialgate_sandbox.society.campaigns import PACE_ACTION, build_review_action, set_account_state
from socialgate_sandbox.society.comments import build_comment_action
from socialgate_sandbox.society.platform_metrics import RETIRE_ACTIONS
from socialgate_sandbox.vendors.meta import feed_reader
from socialgate_sandbox.vendors.meta.ads.ad_accounts import ACTIVE_STATUS, DISABLED_STATUS
from socialgate_sandbox.vendors.meta.instagram.instagram_comments import BOARD as INSTAGRAM_BOARD
from socialgate_sandbox.vendors.meta.leads.lead_access import LEAD_ACCESS_ACTION
from socialgate_sandbox.vendors.meta.leads.leads import LEAD_SERVICE
from socialgate_sandbox.vendors.meta.messaging.chats import CHAT_SERVICE
from socialgate_sandbox.vendors.meta.pages.page_comments import BOARD as PAGE_BOARD
from socialgate_sandbox.vendors.meta.stored_objects import ALL_TASKS, AdAccount, Human, Instagram, Page, Role, Token
from socialgate_sandbox.vendors.meta.webhook_subscriptions import notify_permission


def revoke_account_access(context: VendorContext, account_id: str, revocation: str) -> Any:
    """Let the people behind an account revoke what they granted."""
    people = _find_grantors(context, account_id)
    if revocation == "role_lost":
        return _remove_roles(context, people, account_id)
    for human in people:
        revoke_access(context, Token, human, revocation)
        if revocation.startswith(PERMISSION_PREFIX):
            roles = context.store.find(Role, parent=human)
            pages = [role.asset for role in roles if not role.asset.startswith("act_")]
            notify_permission(context, human, revocation.removeprefix(PERMISSION_PREFIX), pages)
    return {"people": people}


def _find_grantors(context: VendorContext, account_id: str) -> list[str]:
    """Find the people who granted the app something and hold the account."""
    linked = context.store.get(Instagram, account_id)
    asset = linked.parent if linked is not None else account_id
    values = {role.parent for role in context.store.find(Role) if role.asset == asset}
    people = [human.id for human in context.store.find(Human) if human.id == account_id or human.id in values]
    if not people:
        raise ControlError(f"Nobody has an account {account_id!r}. GET /_control/accounts lists them.")
    granted = [human for human in people if context.store.get(Grant, human) is not None]
    if not granted:
        raise ControlError("The app has no access to this account, so there is nothing to revoke.", 409)
    return granted


def _remove_roles(context: VendorContext, person_ids: list[str], account_id: str) -> Any:
    linked = context.store.get(Instagram, account_id)
    asset = linked.parent if linked is not None else account_id
    for human in person_ids:
        if not context.store.delete(Role, f"{human}:{asset}"):
            raise ControlError("Only a role on a Page or an ad account can be lost.", 422)
        if context.store.get(Page, asset) is not None:
            tokens = [token for token in context.store.find(Token, parent=human) if token.page == asset]
            invalidate_tokens(context, tokens, "role_lost")
    return {"people": person_ids}


def _find_expiring_tokens(context: VendorContext, account_id: str) -> list[Token]:
    """Find what the verb `expire` affects. A Page token that never expires stays valid."""
    tokens = [
        token for human in _find_grantors(context, account_id) for token in context.store.find(Token, parent=human)
    ]
    return [token for token in tokens if token.expires is not None and not token.dead]


class UnlinkRequest(ActionRequest, frozen=True, kw_only=True):
    """Unlink an Instagram account from its Page, or (with `page`) link it to one."""

    account: str
    page: str = ""


def set_linked_page(context: VendorContext, request: UnlinkRequest) -> None:
    account = find_or_raise(context, request.account, "Instagram account", Instagram)
    account.parent = find_or_raise(context, request.page, "Page", Page).id if request.page else ""
    context.store.put(account)


class TasksRequest(ActionRequest, frozen=True, kw_only=True):
    """Change what a person may do on a Page. Without tasks, all of them are granted."""

    account: str
    person: str
    tasks: list[str] = []


def set_tasks(context: VendorContext, request: TasksRequest) -> None:
    role = context.store.get(Role, f"{request.person}:{request.account}")
    if role is None:
        raise ControlError("That person has no role there.")
    role.tasks = request.tasks
    context.store.put(role)


class AccountStatusRequest(ActionRequest, frozen=True, kw_only=True):
    """Disable an ad account, or enable it again. `status` is Meta's number: 1 is active, 2 disabled, 3 unsettled."""

    account: str
    status: int = 2


def set_account_status(context: VendorContext, request: AccountStatusRequest) -> None:
    account = find_or_raise(context, request.account, "ad account", AdAccount)
    account.account_status, account.disable_reason = request.status, 1 if request.status == DISABLED_STATUS else 0
    context.store.put(account)
    set_account_state(context, account.id, "on" if request.status == ACTIVE_STATUS else "off")


def _list_revocation_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    """List how access to an account can be lost, with each granted permission."""
    asset = getattr(context.store.get(Instagram, account_id), "parent", account_id)
    values = {account_id, *(role.parent for role in context.store.find(Role) if role.asset == asset)}
    scopes = {scope: None for grant in context.store.find(Grant) if grant.id in values for scope in grant.scopes}
    return add_permission_removals(_REVOCATION_CHOICES, scopes)


def _list_page_choices(context: VendorContext, _account: str) -> dict[str, str]:
    return {"": "No Page"} | {page.id: page.name for page in context.store.find(Page)}


def _list_role_holder_choices(context: VendorContext, account_id: str) -> dict[str, str]:
    """List the people who have a role on a Page."""
    values = {role.parent for role in context.store.find(Role) if role.asset == account_id}
    return {human.id: human.name for human in context.store.find(Human) if human.id in values}


def _limit_to_ad_accounts(action: Action[Any]) -> Action[Any]:
    return replace(action, kinds=("ad account",))


_REVOCATION_CHOICES = {
    **REVOCATION_CHOICES,
    "unconfirmed_user": "Mark the user as unconfirmed",
    "role_lost": "Lose the role on the Page or ad account",
}
_TASK_CHOICES = {
    ",".join(ALL_TASKS): "All tasks",
    "ANALYZE": "Analyze only",
    "ANALYZE,CREATE_CONTENT": "Analyze, create content",
    "ANALYZE,MESSAGING,MODERATE": "Analyze, message, moderate",
}

ACTIONS: Mapping[str, Action[Any]] = {
    **RETIRE_ACTIONS,
    "revoke": build_revoke_action(
        revoke_account_access, _list_revocation_choices, default_choice="app_removed", permissions=True
    ),
    "expire": build_expire_action(_find_expiring_tokens),
    "unlink": Action(
        "Link to another Page",
        UnlinkRequest,
        set_linked_page,
        kinds=("instagram",),
        field_choices={"page": _list_page_choices},
    ),
    "comment": build_comment_action(PAGE_BOARD, INSTAGRAM_BOARD),
    **CHAT_SERVICE.build_actions(),
    "lead": LEAD_SERVICE.lead_action,
    "leadAccess": LEAD_ACCESS_ACTION,
    "feed": Action("Read the posts", AccountRequest, feed_reader.read_feed, has_own_form=False),
    "process": Action(
        "Slow down or fail media processing",
        feed_reader.ProcessRequest,
        feed_reader.set_processing,
        kinds=("page", "instagram", "ad account"),
        field_choices={"failure": feed_reader.FAILURE_CHOICES},
    ),
    # Ads are counted only while their account is active.
    "adAccount": Action(
        "Disable or enable the ad account",
        AccountStatusRequest,
        set_account_status,
        kinds=("ad account",),
        field_choices={"status": {"2": "Disabled", "1": "Active", "3": "Unsettled", "7": "Pending review"}},
    ),
    "review": _limit_to_ad_accounts(build_review_action()),
    "pace": _limit_to_ad_accounts(PACE_ACTION),
    "tasks": Action(
        "Change a person's permissions",
        TasksRequest,
        set_tasks,
        kinds=("page",),
        field_choices={"person": _list_role_holder_choices, "tasks": _TASK_CHOICES},
    ),
}


def list_accounts(context: VendorContext) -> list[Account]:
    """List what can be connected, with the people who granted the app access."""
    granted = {human.id: human.name for human in context.store.find(Human) if context.store.get(Grant, human.id)}
    roles = context.store.find(Role)

    def line(kind: str, thing: Any, name: str, asset: str) -> Account:
        connected = [granted[role.parent] for role in roles if role.asset == asset and role.parent in granted]
        return Account(kind=kind, id=thing.id, name=name, connected=connected, state="active" if asset else "unlinked")

    people = [
        Account(kind="person", id=human.id, name=human.name, connected=[human.name] if human.id in granted else [])
        for human in context.store.find(Human)
    ]
    pages = [line("page", page, page.name, page.id) for page in context.store.find(Page)]
    instagram = [
        line("instagram", instagram, f"@{instagram.username}", instagram.parent)
        for instagram in context.store.find(Instagram)
    ]
    ads = [
        line("ad account", ad_account, ad_account.name, ad_account.id) for ad_account in context.store.find(AdAccount)
    ]
    return [*people, *pages, *instagram, *ads]
