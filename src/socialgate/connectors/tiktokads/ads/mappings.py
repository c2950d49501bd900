"""TikTok's words of advertising, by ours; its amounts and times."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.connectors.advertising import invert_table, require_account_currency
from socialgate.connectors.json_paths import get_list, get_objects
from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_values import AdStatus, BidStrategy, CallToAction, Goal, Optimization, SpecialCategory
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Platform

VENDOR_NAMES_BY_GOAL: Mapping[Goal, str] = {
    Goal.AWARENESS: "REACH",
    Goal.TRAFFIC: "TRAFFIC",
    Goal.ENGAGEMENT: "ENGAGEMENT",
    Goal.VIDEO_VIEWS: "VIDEO_VIEWS",
    Goal.LEADS: "LEAD_GENERATION",
    Goal.CONVERSIONS: "WEB_CONVERSIONS",
    Goal.APP_PROMOTION: "APP_PROMOTION",
}
GOALS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_GOAL) | {
    **dict.fromkeys(("CONVERSIONS", "PRODUCT_SALES", "CATALOG_SALES", "SHOP_PURCHASES"), Goal.CONVERSIONS),
    "APP_INSTALL": Goal.APP_PROMOTION,
    "RF_REACH": Goal.AWARENESS,
    "RF_TRAFFIC": Goal.TRAFFIC,
    "RF_VIDEO_VIEW": Goal.VIDEO_VIEWS,
    "RF_ENGAGEMENT": Goal.ENGAGEMENT,
}
# With these goals, a daily budget is the same every day; with all others TikTok varies it from day to day.
FIXED_DAILY_BUDGET_GOALS = frozenset({Goal.AWARENESS, Goal.VIDEO_VIEWS, Goal.ENGAGEMENT})
VENDOR_NAMES_BY_OPTIMIZATION: Mapping[Optimization, str] = {
    Optimization.REACH: "REACH",
    Optimization.IMPRESSIONS: "SHOW",
    Optimization.CLICKS: "CLICK",
    Optimization.LANDING_PAGE_VIEWS: "TRAFFIC_LANDING_PAGE_VIEW",
    Optimization.ENGAGEMENT: "PAGE_VISIT",
    Optimization.FOLLOWERS: "FOLLOWERS",
    Optimization.VIDEO_VIEWS: "ENGAGED_VIEW",
    Optimization.LEADS: "LEAD_GENERATION",
    Optimization.CONVERSATIONS: "CONVERSATION",
    Optimization.CONVERSIONS: "CONVERT",
    Optimization.VALUE: "VALUE",
    Optimization.INSTALLS: "INSTALL",
}
DEFAULT_OPTIMIZATIONS: Mapping[Goal, Optimization] = {
    Goal.AWARENESS: Optimization.REACH,
    Goal.TRAFFIC: Optimization.CLICKS,
    Goal.ENGAGEMENT: Optimization.FOLLOWERS,
    Goal.VIDEO_VIEWS: Optimization.VIDEO_VIEWS,
    Goal.LEADS: Optimization.LEADS,
    Goal.CONVERSIONS: Optimization.CONVERSIONS,
    Goal.APP_PROMOTION: Optimization.INSTALLS,
}
# What is paid for; everything else is shown to those who are likely to act, and paid by impressions.
BILLING_EVENTS_BY_OPTIMIZATION: Mapping[Optimization, str] = {
    Optimization.REACH: "CPM",
    Optimization.IMPRESSIONS: "CPM",
    Optimization.CLICKS: "CPC",
    Optimization.VIDEO_VIEWS: "CPV",
}
OCPM_BILLING_EVENT = "OCPM"
VENDOR_NAMES_BY_BID_STRATEGY: Mapping[BidStrategy, str] = {
    BidStrategy.LOWEST_COST: "BID_TYPE_NO_BID",
    BidStrategy.COST_CAP: "BID_TYPE_CUSTOM",
    BidStrategy.BID_CAP: "BID_TYPE_CUSTOM",
}
VENDOR_NAMES_BY_SPECIAL_CATEGORY: Mapping[SpecialCategory, str] = {
    SpecialCategory.CREDIT: "CREDIT",
    SpecialCategory.EMPLOYMENT: "EMPLOYMENT",
    SpecialCategory.HOUSING: "HOUSING",
}
VENDOR_NAMES_BY_CALL_TO_ACTION: Mapping[CallToAction, str] = {
    **{to_action: to_action.name for to_action in CallToAction},
    CallToAction.DOWNLOAD: "DOWNLOAD_NOW",
    CallToAction.INSTALL: "INSTALL_NOW",
    CallToAction.WATCH_MORE: "WATCH_NOW",
}
# The events of a pixel that ad groups and custom conversions can count.
VENDOR_NAMES_BY_EVENT: Mapping[str, str] = {
    "AddPaymentInfo": "ADD_BILLING",
    "AddToCart": "ON_WEB_CART",
    "AddToWishlist": "ON_WEB_ADD_TO_WISHLIST",
    "CompleteRegistration": "ON_WEB_REGISTER",
    "Contact": "CONSULT",
    "Download": "DOWNLOAD_START",
    "InitiateCheckout": "INITIATE_ORDER",
    "Lead": "FORM",
    "Purchase": "SHOPPING",
    "Search": "ON_WEB_SEARCH",
    "Subscribe": "ON_WEB_SUBSCRIBE",
    "ViewContent": "ON_WEB_DETAIL",
}
EVENTS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_EVENT) | {"ON_WEB_ORDER": "Purchase"}
VENDOR_NAMES_BY_CONFIGURED_STATUS: Mapping[str, str] = {"active": "ENABLE", "paused": "DISABLE"}
CONFIGURED_STATUSES_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_CONFIGURED_STATUS)
# The ends of TikTok's statuses, which begin with the type of the object, by what they mean. The first match counts.
_STATUSES_BY_SUFFIX = (
    ("_DENY", AdStatus.REJECTED),
    ("_DISAPPROVED", AdStatus.REJECTED),
    # What runs is reviewed again after a change, and goes on running meanwhile.
    ("_SHADOW_ADGROUP_REAUDIT", AdStatus.ACTIVE),
    ("_DELIVERY_AND_REAUDIT", AdStatus.ACTIVE),
    ("AUDIT", AdStatus.IN_REVIEW),
    ("_PARTIAL_AUDIT_NO_DELIVERY", AdStatus.IN_REVIEW),
    ("_IN_REVIEW", AdStatus.IN_REVIEW),
    ("_PROCESS_AUDIO", AdStatus.PROCESSING),
    ("DELETE", AdStatus.DELETED),
    ("DISABLE", AdStatus.PAUSED),
    ("NOT_START", AdStatus.SCHEDULED),
    ("DONE", AdStatus.COMPLETED),
    ("_EXCEED", AdStatus.BLOCKED),
    ("_ENABLE", AdStatus.ACTIVE),
    ("DELIVERY_OK", AdStatus.ACTIVE),
    ("_PARTIALLY_APPROVED", AdStatus.ACTIVE),
    ("_PARTIAL_APPROVED", AdStatus.ACTIVE),
)
_STATUS_REASONS = (
    ("ADVERTISER_AUDIT_DENY", "TikTok has not approved the ad account."),
    ("ADVERTISER_AUDIT", "TikTok is reviewing the ad account."),
    ("ADVERTISER_ACCOUNT_PUNISH", "TikTok has penalized the ad account."),
    ("ADVERTISER_CONTRACT_PENDING", "The contract of the ad account is not in effect yet."),
    ("QUALIFICATION_DENY", "TikTok did not accept the qualification for its industry."),
    ("QUALIFICATION_MISSING", "TikTok requires a qualification for its industry."),
    ("QUALIFICATION_EXPIRED", "The qualification for its industry has expired."),
    ("AUTHORIZATION_LOST", "Something that it uses is unavailable, or no longer authorized."),
    ("PIXEL_UNBIND", "Its pixel is no longer authorized."),
    ("STATUS_CREATE", "It has no ads yet."),
    ("CAMPAIGN_DISABLE", "Its campaign is paused."),
    ("ADGROUP_DISABLE", "Its ad set is paused."),
    ("AUDIT_DENY", "TikTok rejected it."),
    ("AUDIT", "TikTok is reviewing it."),
    ("_NO_DELIVERY", "TikTok is reviewing it."),
    ("NOT_START", "It has not started yet."),
    ("DONE", "It has ended."),
    ("CAMPAIGN_EXCEED", "The budget of its campaign is spent."),
    ("BUDGET_EXCEED", "Its budget is spent."),
    ("BALANCE_EXCEED", "The balance of the ad account is too low, or a payment failed."),
)


def parse_status(state: str, switch: str | None) -> AdStatus | None:
    """Read a status. One that is not known stops what is switched on."""
    for end, status in _STATUSES_BY_SUFFIX:
        if state.endswith(end):
            return status
    if switch == "paused":
        return AdStatus.PAUSED
    return None if switch is None else AdStatus.BLOCKED if state else AdStatus.ACTIVE


def get_status_reason(row: Mapping[str, Any], state: str) -> str | None:
    """Say why something is not what it is set to: why it was rejected, what its status means, or only the status."""
    message = " ".join(
        str(item).strip() for info in get_objects(row, "reject_info") for item in get_list(info, "reasons")
    )
    return message or next((text for end, text in _STATUS_REASONS if state.endswith(end)), state) or None


def encode_money(credentials: AccountCredentials, amount: Money | None, field: str) -> float | None:
    """Write an amount: a number of whole units of the account's currency."""
    return (
        None
        if amount is None
        else money.to_float(require_account_currency(credentials, amount, Platform.TIKTOKADS, field))
    )


def format_time(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M:%S}"


def parse_time(text: Any) -> datetime | None:
    """Read a time such as 2026-11-14 09:28:50, which is in UTC."""
    try:
        return datetime.fromisoformat(re.sub("Z$", "", str(text or ""))).replace(tzinfo=UTC)
    except ValueError:
        return None


def encode_json(value: Any) -> str:
    """Write a list or an object in a query."""
    return msgspec.json.encode(value).decode()
