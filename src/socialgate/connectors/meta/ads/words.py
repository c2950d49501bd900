"""Meta's words of advertising, by ours; its amounts and times."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.advertising import inverse, owned
from socialgate.contracts import money
from socialgate.contracts.ad_audiences import STANDARD_EVENTS
from socialgate.contracts.ad_values import (
    AdStatus,
    BidStrategy,
    CallToAction,
    Goal,
    Optimization,
    SpecialCategory,
    Switch,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.money import BadMoney, Money
from socialgate.contracts.platforms import Platform

GOALS: Mapping[Goal, str] = {
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
GOALS_READ = inverse(GOALS) | {
    **dict.fromkeys(("BRAND_AWARENESS", "REACH", "LOCAL_AWARENESS"), Goal.AWARENESS),
    **dict.fromkeys(("POST_ENGAGEMENT", "PAGE_LIKES", "EVENT_RESPONSES", "MESSAGES"), Goal.ENGAGEMENT),
    **dict.fromkeys(("CONVERSIONS", "PRODUCT_CATALOG_SALES", "STORE_VISITS"), Goal.CONVERSIONS),
    "LINK_CLICKS": Goal.TRAFFIC,
    "VIDEO_VIEWS": Goal.VIDEO_VIEWS,
    "LEAD_GENERATION": Goal.LEADS,
    "APP_INSTALLS": Goal.APP_PROMOTION,
}
OPTIMIZATIONS: Mapping[Optimization, str] = {
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
USUAL: Mapping[Goal, Optimization] = {
    Goal.AWARENESS: Optimization.REACH,
    Goal.TRAFFIC: Optimization.CLICKS,
    Goal.ENGAGEMENT: Optimization.ENGAGEMENT,
    Goal.VIDEO_VIEWS: Optimization.VIDEO_VIEWS,
    Goal.LEADS: Optimization.LEADS,
    Goal.CONVERSIONS: Optimization.CONVERSIONS,
    Goal.APP_PROMOTION: Optimization.INSTALLS,
}
BIDS: Mapping[BidStrategy, str] = {
    BidStrategy.LOWEST_COST: "LOWEST_COST_WITHOUT_CAP",
    BidStrategy.COST_CAP: "COST_CAP",
    BidStrategy.BID_CAP: "LOWEST_COST_WITH_BID_CAP",
    BidStrategy.MIN_ROAS: "LOWEST_COST_WITH_MIN_ROAS",
}
CATEGORIES: Mapping[SpecialCategory, str] = {
    SpecialCategory.CREDIT: "FINANCIAL_PRODUCTS_SERVICES",
    SpecialCategory.EMPLOYMENT: "EMPLOYMENT",
    SpecialCategory.HOUSING: "HOUSING",
    SpecialCategory.POLITICS: "ISSUES_ELECTIONS_POLITICS",
    SpecialCategory.GAMBLING: "ONLINE_GAMBLING_AND_GAMING",
}
# Campaigns from before 2025 still have the old word, which Meta no longer accepts in new ones.
CATEGORIES_READ = inverse(CATEGORIES) | {"CREDIT": SpecialCategory.CREDIT}
BUTTONS: Mapping[CallToAction, str] = {
    **{one: one.name for one in CallToAction},
    CallToAction.INSTALL: "INSTALL_MOBILE_APP",
    CallToAction.SEND_MESSAGE: "MESSAGE_PAGE",
}
SWITCHES: Mapping[Switch, str] = {"active": "ACTIVE", "paused": "PAUSED", "archived": "ARCHIVED"}
STATUSES: Mapping[str, AdStatus] = {
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
_ACTIVE = frozenset({AdStatus.ACTIVE, AdStatus.SCHEDULED, AdStatus.COMPLETED})

_ODD_EVENTS = {"ViewContent": "CONTENT_VIEW", "InitiateCheckout": "INITIATED_CHECKOUT"}
EVENTS: Mapping[str, str] = {
    name: _ODD_EVENTS.get(name) or re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    for name in STANDARD_EVENTS
    if name not in {"Download", "PageView"}
}
EVENTS_READ = inverse(EVENTS)

# Who benefits from an ad, and who pays for it.
DSA = ("dsa_beneficiary", "dsa_payor")

# Everything else has hundredths, also currencies with three decimals.
_WITHOUT_HUNDREDTHS = frozenset("CLP COP CRC HUF ISK IDR JPY KRW PYG TWD VND".split())  # noqa: SIM905 - easier to read


def states_for(statuses: tuple[AdStatus, ...], known: tuple[str, ...]) -> list[str]:
    """Return which of Meta's statuses to ask for."""
    wanted = {*statuses, *(_ACTIVE if _ACTIVE & {*statuses} else ())}
    return [one for one in known if (STATUSES[one] in wanted if statuses else one != "DELETED")]


def minor(amount: Money) -> int:
    """Write an amount as Meta counts it: hundredths, or whole units of some currencies. BadMoney if it cannot."""
    return money.counted(amount, 1 if amount.currency in _WITHOUT_HUNDREDTHS else 100)


def sent_money(held: AccountCredentials, amount: Money | None, field: str) -> int | None:
    try:
        return None if amount is None else minor(owned(held, amount, Platform.META, field))
    except BadMoney as error:
        raise Rejected(str(error), platform=Platform.META, field=field) from None


def read_money(parts: object, currency: str) -> Money | None:
    """Read an amount; 0 and nothing mean that there is none."""
    try:
        count = int(str(parts or 0))
        return money.from_counted(count, 1 if currency in _WITHOUT_HUNDREDTHS else 100, currency) if count else None
    except (BadMoney, ValueError):
        return None


def text_of(value: Any) -> str:
    """Write a parameter: texts as they are, everything else as JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def stamp(moment: datetime | None) -> str | None:
    return None if moment is None else f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}+0000"
