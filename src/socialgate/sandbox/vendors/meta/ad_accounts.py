"""Ad accounts: which exist, what they spend, and what can be advertised with them."""

from typing import Any

from socialgate.sandbox.dialects.graph.fields import Field
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.paging import listing
from socialgate.sandbox.dialects.graph.times import written
from socialgate.sandbox.kit import Call
from socialgate.sandbox.vendors.meta.accounts import BUSINESS, INSTAGRAM, PAGE, linked_instagram, require_business
from socialgate.sandbox.vendors.meta.errors import missing_scope
from socialgate.sandbox.vendors.meta.state import AdAccount, Business, Human, Page, Role
from socialgate.sandbox.vendors.meta.viewer import may, role, viewer

# Currencies without a smaller unit.
WHOLE = {"CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"}


def _business(call: Call, account: AdAccount, _field: Field) -> Node | None:
    business = call.world.store.get(Business, account.parent)
    return Node(BUSINESS, business) if business is not None else None


def _user_tasks(call: Call, account: AdAccount, _field: Field) -> list[str]:
    held = role(call.world, viewer(call).parent, account.id)
    return held.tasks if held is not None else []


def _money(name: str) -> Any:
    return lambda _call, account, _field: str(getattr(account, name))


AD_ACCOUNT = NodeType(
    "AdAccount",
    {
        **own("id", "account_id", "name", "currency", "timezone_name", "timezone_offset_hours_utc"),
        **own("account_status", "disable_reason", "min_daily_budget"),
        **{name: _money(name) for name in ("amount_spent", "balance", "spend_cap")},
        "business": _business,
        "user_tasks": _user_tasks,
        "created_time": lambda _call, account, _field: written(account.made),
        "funding_source_details": lambda _call, account, _field: {
            "id": f"{account.account_id}9",
            "display_string": "Visa *4242",
            "type": 1,
        },
    },
    ("account_id", "id"),
)


def require_ads(call: Call) -> None:
    if not may(call, "ads_read", "ads_management"):
        raise missing_scope("Ad account owner has NOT grant ads_management or ads_read permission")


def ad_accounts(call: Call, human: Human) -> Any:
    require_ads(call)
    held = [role for role in call.world.store.find(Role, parent=human.id) if role.asset.startswith("act_")]
    return _listed(call, [role.asset for role in held])


def owned_ad_accounts(call: Call, business: Business) -> Any:
    require_business(call)
    return listing(call, [Node(AD_ACCOUNT, found) for found in call.world.store.find(AdAccount, parent=business.id)])


def client_ad_accounts(call: Call, business: Business) -> Any:
    require_business(call)
    return _listed(call, business.client_ad_accounts)


def _listed(call: Call, ids: list[str]) -> Any:
    found = [account for key in ids if (account := call.world.store.get(AdAccount, key)) is not None]
    return listing(call, [Node(AD_ACCOUNT, account) for account in found])


def minimum_budgets(_call: Call, account: AdAccount) -> Any:
    unit = 1 if account.currency in WHOLE else 100
    figures = {"imp": 1, "low_freq": 5, "high_freq": 1, "video_views": 1}
    budgets = {f"min_daily_budget_{name}": figure * unit for name, figure in figures.items()}
    return {"data": [{"currency": account.currency, **budgets}]}


def promote_pages(call: Call, _account: AdAccount) -> Any:
    return listing(call, [Node(PAGE, page) for page in _advertisable(call)])


def instagram_accounts(call: Call, _account: AdAccount) -> Any:
    linked = [linked_instagram(call.world, page.id) for page in _advertisable(call)]
    return listing(call, [Node(INSTAGRAM, account) for account in linked if account is not None])


def _advertisable(call: Call) -> list[Page]:
    roles = call.world.store.find(Role, parent=viewer(call).parent)
    ids = [role.asset for role in roles if "ADVERTISE" in role.tasks]
    return [page for key in ids if (page := call.world.store.get(Page, key)) is not None]


def ad_account_node(call: Call, key: str) -> Node | None:
    token = viewer(call)
    account = call.world.store.get(AdAccount, key)
    if account is None or token.page or role(call.world, token.parent, key) is None:
        return None
    require_ads(call)
    return Node(AD_ACCOUNT, account)
