"""Meta's words of advertising, by ours; its amounts and times."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.advertising import invert_table, require_account_currency
from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import STANDARD_PIXEL_EVENTS
from socialgate.contracts.ad_values import (
    AdStatus,
    BidStrategy,
    CallToAction,
    ConfiguredStatus,
    Goal,
    Optimization,
    SpecialCategory,
)
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.money import InvalidAmountError, Money
from socialgate.contracts.platforms import Platform

VENDOR_NAMES_BY_GOAL: Mapping[Goal, str] = {
    Goal.AWARENESS: "OUTCOME_AWARENESS",
    Goal.TRAFFIC: "OUTCOME_TRAFFIC",
    Goal.ENGAGEMENT: "OUTCOME_ENGAGEMENT",
    # Meta has views of videos as a part of engagement: the ad sets ask for them.
    Goal.VIDEO_VIEWS: "OUTCOME_ENGAGEMENT",
    Goal.LEADS: "OUTCOME_LEADS",
    Goal.CONVERSIONS: "OUTCOME_SALES",
    Goal.APP_PROMOTION: "OUTCOME_APP_PROMOTION",
}
# Campaigns from before 2022 still have these.
GOALS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_GOAL) | {
    **dict.fromkeys(("BRAND_AWARENESS", "REACH", "LOCAL_AWARENESS"), Goal.AWARENESS),
    **dict.fromkeys(("POST_ENGAGEMENT", "PAGE_LIKES", "EVENT_RESPONSES", "MESSAGES"), Goal.ENGAGEMENT),
    **dict.fromkeys(("CONVERSIONS", "PRODUCT_CATALOG_SALES", "STORE_VISITS"), Goal.CONVERSIONS),
    "LINK_CLICKS": Goal.TRAFFIC,
    "VIDEO_VIEWS": Goal.VIDEO_VIEWS,
    "LEAD_GENERATION": Goal.LEADS,
    "APP_INSTALLS": Goal.APP_PROMOTION,
}
VENDOR_NAMES_BY_OPTIMIZATION: Mapping[Optimization, str] = {
    Optimization.REACH: "REACH",
    Optimization.IMPRESSIONS: "IMPRESSIONS",
    Optimization.CLICKS: "LINK_CLICKS",
    Optimization.LANDING_PAGE_VIEWS: "LANDING_PAGE_VIEWS",
    Optimization.ENGAGEMENT: "POST_ENGAGEMENT",
    Optimization.FOLLOWERS: "PAGE_LIKES",
    Optimization.VIDEO_VIEWS: "THRUPLAY",
    Optimization.LEADS: "LEAD_GENERATION",
    Optimization.CONVERSATIONS: "CONVERSATIONS",
    Optimization.CONVERSIONS: "OFFSITE_CONVERSIONS",
    Optimization.VALUE: "VALUE",
    Optimization.INSTALLS: "APP_INSTALLS",
}
DEFAULT_OPTIMIZATIONS: Mapping[Goal, Optimization] = {
    Goal.AWARENESS: Optimization.REACH,
    Goal.TRAFFIC: Optimization.CLICKS,
    Goal.ENGAGEMENT: Optimization.ENGAGEMENT,
    Goal.VIDEO_VIEWS: Optimization.VIDEO_VIEWS,
    Goal.LEADS: Optimization.LEADS,
    Goal.CONVERSIONS: Optimization.CONVERSIONS,
    Goal.APP_PROMOTION: Optimization.INSTALLS,
}
VENDOR_NAMES_BY_BID_STRATEGY: Mapping[BidStrategy, str] = {
    BidStrategy.LOWEST_COST: "LOWEST_COST_WITHOUT_CAP",
    BidStrategy.COST_CAP: "COST_CAP",
    BidStrategy.BID_CAP: "LOWEST_COST_WITH_BID_CAP",
    BidStrategy.MIN_ROAS: "LOWEST_COST_WITH_MIN_ROAS",
}
VENDOR_NAMES_BY_SPECIAL_CATEGORY: Mapping[SpecialCategory, str] = {
    SpecialCategory.CREDIT: "FINANCIAL_PRODUCTS_SERVICES",
    SpecialCategory.EMPLOYMENT: "EMPLOYMENT",
    SpecialCategory.HOUSING: "HOUSING",
    SpecialCategory.POLITICS: "ISSUES_ELECTIONS_POLITICS",
    SpecialCategory.GAMBLING: "ONLINE_GAMBLING_AND_GAMING",
}
# Campaigns from before 2025 still have the old word, which Meta no longer accepts in new ones.
SPECIAL_CATEGORIES_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_SPECIAL_CATEGORY) | {"CREDIT": SpecialCategory.CREDIT}
VENDOR_NAMES_BY_CALL_TO_ACTION: Mapping[CallToAction, str] = {
    **{to_action: to_action.name for to_action in CallToAction},
    CallToAction.INSTALL: "INSTALL_MOBILE_APP",
    CallToAction.SEND_MESSAGE: "MESSAGE_PAGE",
}
VENDOR_NAMES_BY_CONFIGURED_STATUS: Mapping[ConfiguredStatus, str] = {
    "active": "ACTIVE",
    "paused": "PAUSED",
    "archived": "ARCHIVED",
}
STATUSES_BY_VENDOR_NAME: Mapping[str, AdStatus] = {
    "ACTIVE": AdStatus.ACTIVE,
    **dict.fromkeys(("PAUSED", "CAMPAIGN_PAUSED", "ADSET_PAUSED"), AdStatus.PAUSED),
    "PENDING_REVIEW": AdStatus.IN_REVIEW,
    "PREAPPROVED": AdStatus.SCHEDULED,
    "DISAPPROVED": AdStatus.REJECTED,
    **dict.fromkeys(("WITH_ISSUES", "PENDING_BILLING_INFO"), AdStatus.BLOCKED),
    "IN_PROCESS": AdStatus.PROCESSING,
    "ARCHIVED": AdStatus.ARCHIVED,
    "DELETED": AdStatus.DELETED,
}
# What Meta calls active has perhaps not started yet, or has ended.
_STATUSES_META_CALLS_ACTIVE = frozenset({AdStatus.ACTIVE, AdStatus.SCHEDULED, AdStatus.COMPLETED})

_IRREGULAR_EVENT_NAMES = {"ViewContent": "CONTENT_VIEW", "InitiateCheckout": "INITIATED_CHECKOUT"}
VENDOR_NAMES_BY_EVENT: Mapping[str, str] = {
    name: _IRREGULAR_EVENT_NAMES.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    for name in STANDARD_PIXEL_EVENTS
    if name not in {"Download", "PageView"}
}
EVENTS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_EVENT)

# Who benefits from an ad, and who pays for it.
DSA_FIELDS = ("dsa_beneficiary", "dsa_payor")

# Everything else has hundredths, also currencies with three decimals.
_ZERO_DECIMAL_CURRENCIES = frozenset("CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND".split())  # noqa: SIM905 - easier to read


def get_vendor_statuses(statuses: tuple[AdStatus, ...], known: tuple[str, ...]) -> list[str]:
    """Return which of Meta's statuses to ask for."""
    items = {*statuses, *(_STATUSES_META_CALLS_ACTIVE if _STATUSES_META_CALLS_ACTIVE & {*statuses} else ())}
    return [value for value in known if (STATUSES_BY_VENDOR_NAME[value] in items if statuses else value != "DELETED")]


def to_minor_units(amount: Money) -> int:
    """Write an amount as Meta counts it: hundredths, or whole units of some currencies. BadMoney if it cannot."""
    return money.to_vendor_subunits(amount, 1 if amount.currency in _ZERO_DECIMAL_CURRENCIES else 100)


def encode_money(credentials: AccountCredentials, amount: Money | None, field: str) -> int | None:
    try:
        return (
            None
            if amount is None
            else to_minor_units(require_account_currency(credentials, amount, Platform.META, field))
        )
    except InvalidAmountError as error:
        raise PlatformRejectedError(str(error), platform=Platform.META, field=field) from None


def parse_money(minor_units: object, currency: str) -> Money | None:
    """Read an amount; 0 and nothing mean that there is none."""
    try:
        count = int(str(minor_units or 0))
        return (
            money.from_vendor_subunits(count, 1 if currency in _ZERO_DECIMAL_CURRENCIES else 100, currency)
            if count
            else None
        )
    except (InvalidAmountError, ValueError):
        return None


def encode_param(value: Any) -> str:
    """Write a parameter: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def format_time(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}+0000"
