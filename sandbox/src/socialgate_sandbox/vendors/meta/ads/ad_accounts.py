"""Ad accounts: which exist, what they spend, and what can be advertised with them."""

from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from socialgate_sandbox.dialects.graph.errors import build_error_response
from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes, resolve_optional_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import AccountMetricsView, Call, CallRefusedError, VendorContext
from socialgate_sandbox.society import ad_spend, campaigns
from socialgate_sandbox.vendors.meta.account_nodes import (
    BUSINESS_NODE_TYPE,
    INSTAGRAM_NODE_TYPE,
    PAGE_NODE_TYPE,
    find_linked_instagram,
    require_business_management,
)
from socialgate_sandbox.vendors.meta.errors import build_missing_scope_error
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount, Business, Human, Page, Role
from socialgate_sandbox.vendors.meta.token_access import get_role, has_any_scope, require_token

# Currencies without a smaller unit.
ZERO_DECIMAL_CURRENCIES = {"CLP", "COP", "CRC", "HUF", "ISK", "IDR", "JPY", "KRW", "PYG", "TWD", "VND"}
ACTIVE_STATUS, DISABLED_STATUS = 1, 2
# The names of what is counted, as in insights.
METRICS_BY_FIELD = {
    "impressions": "impressions",
    "reach": "reach",
    "clicks": "interactions",
    "inline_link_clicks": "clicks",
    "spend": "spend",
}


def get_currency_offset(currency: str) -> int:
    """Return how many of the units in which the API states budgets are one unit of the currency."""
    return 1 if currency in ZERO_DECIMAL_CURRENCIES else 100


def build_spend_account(context: VendorContext, account: AdAccount) -> ad_spend.Account:
    """Return everything in an account, in the form in which its numbers are counted."""
    return campaigns.build_spend_account(
        context, account.id, currency=account.currency, zone=ZoneInfo(account.timezone_name)
    )


def to_minor_units(account: AdAccount, amount: int) -> int:
    """Convert a counted amount into the unit of budgets."""
    return amount * get_currency_offset(account.currency) // ad_spend.get_minor_units(account.currency)


def read_metrics(context: VendorContext, account_id: str, first_day: date, last_day: date) -> AccountMetricsView:
    account = context.store.get(AdAccount, account_id)
    if account is None:
        return AccountMetricsView(zone="UTC", days=[], totals={})
    return campaigns.build_metrics_view(
        context, build_spend_account(context, account), METRICS_BY_FIELD, first_day, last_day
    )


def _resolve_amount_spent(call: Call, account: AdAccount, _field: RequestedField) -> str:
    return str(
        account.amount_spent + to_minor_units(account, build_spend_account(call.context, account).count_total("spend"))
    )


def _resolve_business(call: Call, account: AdAccount, _field: RequestedField) -> Node | None:
    business = call.context.store.get(Business, account.parent)
    return Node(BUSINESS_NODE_TYPE, business) if business is not None else None


def _resolve_user_tasks(call: Call, account: AdAccount, _field: RequestedField) -> list[str]:
    current_role = get_role(call.context, require_token(call).parent, account.id)
    return current_role.tasks if current_role is not None else []


def _build_money_resolver(name: str) -> Any:
    return lambda _call, account, _field: str(getattr(account, name))


AD_ACCOUNT_NODE_TYPE = NodeType(
    "AdAccount",
    {
        **resolve_attributes("id", "account_id", "name", "currency", "timezone_name", "timezone_offset_hours_utc"),
        **resolve_attributes("account_status", "disable_reason", "min_daily_budget"),
        **resolve_optional_attributes("default_dsa_beneficiary", "default_dsa_payor"),
        **{name: _build_money_resolver(name) for name in ("balance", "spend_cap")},
        "amount_spent": _resolve_amount_spent,
        "business": _resolve_business,
        "user_tasks": _resolve_user_tasks,
        "created_time": lambda _call, account, _field: format_time(account.created_at),
        "funding_source_details": lambda _call, account, _field: {
            "id": f"{account.account_id}9",
            "display_string": "Visa *4242",
            "type": 1,
        },
    },
    ("account_id", "id"),
)


def require_ads_scope(call: Call) -> None:
    if not has_any_scope(call, "ads_read", "ads_management"):
        raise build_missing_scope_error("Ad account owner has NOT grant ads_management or ads_read permission")


def require_advertise_role(call: Call, account_id: str) -> None:
    """Accept callers who may change what is in an ad account that is active."""
    account, current_role = (
        call.context.store.get(AdAccount, account_id),
        get_role(call.context, require_token(call).parent, account_id),
    )
    if not has_any_scope(call, "ads_management"):
        message = "Managing advertisements requires an access token with the extended permission ads_management"
        raise build_missing_scope_error(message, 294)
    if current_role is None or {"ADVERTISE", "MANAGE"}.isdisjoint(current_role.tasks):
        raise build_missing_scope_error("Permissions error: the person has no role in the ad account that allows this")
    if account is not None and account.account_status != ACTIVE_STATUS:
        advice = "The ad account is disabled, so you cannot create or run ads with it."
        raise CallRefusedError(
            build_error_response(
                "(#200) Permissions error", 200, status=403, title="Ad Account Disabled", advice=advice
            )
        )


def list_ad_accounts(call: Call, human: Human) -> Any:
    require_ads_scope(call)
    roles = [role for role in call.context.store.find(Role, parent=human.id) if role.asset.startswith("act_")]
    return _build_account_page(call, [role.asset for role in roles])


def update_ad_account(call: Call, account: AdAccount) -> Any:
    require_advertise_role(call, account.id)
    for name in ("name", "default_dsa_beneficiary", "default_dsa_payor"):
        if name in call.params:
            setattr(account, name, str(call.params[name]) or None)
    call.context.store.put(account)
    return {"success": True}


def list_owned_ad_accounts(call: Call, business: Business) -> Any:
    require_business_management(call)
    return build_page(
        call,
        [
            Node(AD_ACCOUNT_NODE_TYPE, ad_account)
            for ad_account in call.context.store.find(AdAccount, parent=business.id)
        ],
    )


def list_client_ad_accounts(call: Call, business: Business) -> Any:
    require_business_management(call)
    return _build_account_page(call, business.client_ad_accounts)


def _build_account_page(call: Call, ids: list[str]) -> Any:
    ad_accounts = [account for key in ids if (account := call.context.store.get(AdAccount, key)) is not None]
    return build_page(call, [Node(AD_ACCOUNT_NODE_TYPE, account) for account in ad_accounts])


def list_minimum_budgets(_call: Call, account: AdAccount) -> Any:
    unit = get_currency_offset(account.currency)
    figures = {"imp": 1, "low_freq": 5, "high_freq": 1, "video_views": 1}
    budgets = {f"min_daily_budget_{name}": figure * unit for name, figure in figures.items()}
    return {"data": [{"currency": account.currency, **budgets}]}


def list_promotable_pages(call: Call, _account: AdAccount) -> Any:
    return build_page(call, [Node(PAGE_NODE_TYPE, page) for page in find_advertisable_pages(call)])


def list_instagram_accounts(call: Call, _account: AdAccount) -> Any:
    linked = [find_linked_instagram(call.context, page.id) for page in find_advertisable_pages(call)]
    return build_page(call, [Node(INSTAGRAM_NODE_TYPE, account) for account in linked if account is not None])


def find_advertisable_pages(call: Call) -> list[Page]:
    """List the Pages that the caller may advertise for."""
    roles = call.context.store.find(Role, parent=require_token(call).parent)
    ids = [role.asset for role in roles if "ADVERTISE" in role.tasks]
    return [page for key in ids if (page := call.context.store.get(Page, key)) is not None]


def find_ad_account_node(call: Call, account_id: str) -> Node | None:
    token = require_token(call)
    account = call.context.store.get(AdAccount, account_id)
    if account is None or token.page or get_role(call.context, token.parent, account_id) is None:
        return None
    require_ads_scope(call)
    return Node(AD_ACCOUNT_NODE_TYPE, account)
