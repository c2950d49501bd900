"""Ad accounts: which exist, what they spend, and what can be advertised with them."""

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from socialgate_sandbox.dialects.graph.errors import failure
from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, optional, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, ShownNumbers, World
from socialgate_sandbox.society import campaigns, spend
from socialgate_sandbox.vendors.meta.accounts import BUSINESS, INSTAGRAM, PAGE, linked_instagram, require_business
from socialgate_sandbox.vendors.meta.errors import missing_scope
from socialgate_sandbox.vendors.meta.state import AdAccount, Business, Human, Page, Role
from socialgate_sandbox.vendors.meta.viewer import may, role, viewer

# Currencies without a smaller unit.
WHOLE = {"CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"}
ACTIVE, DISABLED = 1, 2
# The names of what is counted, as in insights.
NAMES = {
    "impressions": "impressions",
    "reach": "reach",
    "clicks": "interactions",
    "inline_link_clicks": "clicks",
    "spend": "spend",
}


def offset(currency: str) -> int:
    """Return how many of the units in which the API states budgets are one unit of the currency."""
    return 1 if currency in WHOLE else 100


def counted(world: World, account: AdAccount) -> spend.Account:
    """Return everything in an account, in the form in which its numbers are counted."""
    return campaigns.spending(world, account.id, currency=account.currency, zone=ZoneInfo(account.timezone_name))


def minor(account: AdAccount, number: int) -> int:
    """Convert a counted amount into the unit of budgets."""
    return number * offset(account.currency) // spend.units(account.currency)


def shown_numbers(world: World, key: str, first: date, last: date) -> ShownNumbers:
    account = world.store.get(AdAccount, key)
    if account is None:
        return ShownNumbers(zone="UTC", days=[], totals={})
    return campaigns.shown(world, counted(world, account), NAMES, first, last)


def _spent(call: Call, account: AdAccount, _field: Field) -> str:
    return str(account.amount_spent + minor(account, counted(call.world, account).total("spend")))


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
        **optional("default_dsa_beneficiary", "default_dsa_payor"),
        **{name: _money(name) for name in ("balance", "spend_cap")},
        "amount_spent": _spent,
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


def require_advertiser(call: Call, key: str) -> None:
    """Accept callers who may change what is in an ad account that is active."""
    account, held = call.world.store.get(AdAccount, key), role(call.world, viewer(call).parent, key)
    if not may(call, "ads_management"):
        said = "Managing advertisements requires an access token with the extended permission ads_management"
        raise missing_scope(said, 294)
    if held is None or {"ADVERTISE", "MANAGE"}.isdisjoint(held.tasks):
        raise missing_scope("Permissions error: the person has no role in the ad account that allows this")
    if account is not None and account.account_status != ACTIVE:
        advice = "The ad account is disabled, so you cannot create or run ads with it."
        raise Refused(failure("(#200) Permissions error", 200, status=403, title="Ad Account Disabled", advice=advice))


def ad_accounts(call: Call, human: Human) -> Any:
    require_ads(call)
    held = [role for role in call.world.store.find(Role, parent=human.id) if role.asset.startswith("act_")]
    return _listed(call, [role.asset for role in held])


def change(call: Call, account: AdAccount) -> Any:
    require_advertiser(call, account.id)
    for name in ("name", "default_dsa_beneficiary", "default_dsa_payor"):
        if name in call.params:
            setattr(account, name, str(call.params[name]) or None)
    call.world.store.put(account)
    return {"success": True}


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
    unit = offset(account.currency)
    figures = {"imp": 1, "low_freq": 5, "high_freq": 1, "video_views": 1}
    budgets = {f"min_daily_budget_{name}": figure * unit for name, figure in figures.items()}
    return {"data": [{"currency": account.currency, **budgets}]}


def promote_pages(call: Call, _account: AdAccount) -> Any:
    return listing(call, [Node(PAGE, page) for page in advertisable(call)])


def instagram_accounts(call: Call, _account: AdAccount) -> Any:
    linked = [linked_instagram(call.world, page.id) for page in advertisable(call)]
    return listing(call, [Node(INSTAGRAM, account) for account in linked if account is not None])


def advertisable(call: Call) -> list[Page]:
    """List the Pages that the caller may advertise for."""
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
