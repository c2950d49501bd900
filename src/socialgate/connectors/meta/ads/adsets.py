"""Ad sets at Meta."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from socialgate.connectors.advertising import (
    get_account_currency,
    invert_table,
    validate_bid,
    validate_choice,
    validate_money,
)
from socialgate.connectors.json_paths import get_path, get_text_or_number
from socialgate.connectors.meta.ads import reserved_options
from socialgate.connectors.meta.ads.campaigns import (
    BID_STRATEGIES_BY_VENDOR_NAME,
    encode_budget,
    parse_budget,
    parse_schedule,
)
from socialgate.connectors.meta.ads.mappings import (
    DEFAULT_OPTIMIZATIONS,
    DSA_FIELDS,
    EVENTS_BY_VENDOR_NAME,
    GOALS_BY_VENDOR_NAME,
    VENDOR_NAMES_BY_BID_STRATEGY,
    VENDOR_NAMES_BY_CONFIGURED_STATUS,
    VENDOR_NAMES_BY_EVENT,
    VENDOR_NAMES_BY_OPTIMIZATION,
    encode_money,
    format_time,
    parse_money,
    to_minor_units,
)
from socialgate.connectors.meta.ads.objects import MetaAdObjects
from socialgate.connectors.meta.ads.regions import REGULATED_CATEGORIES_OPTION, REGULATION_IDENTITIES_OPTION
from socialgate.connectors.meta.ads.targeting import encode_targeting, parse_targeting, targeting_faults
from socialgate.connectors.meta.api import raise_not_found_if_missing, require_object_id
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import AdSet
from socialgate.contracts.ad_values import AdBid, AdPromotion, AdSchedule, Goal, Optimization
from socialgate.contracts.ads import AdObjectChanges, AdQuery, NewAdSet
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_OPTIMIZATIONS_BY_VENDOR_NAME = invert_table(VENDOR_NAMES_BY_OPTIMIZATION)
# A return of 1 is this many.
_ROAS_SCALE = 10_000
_DEFAULT_DESTINATION_TYPES = {
    Optimization.LEADS: "ON_AD",
    Optimization.ENGAGEMENT: "ON_POST",
    Optimization.FOLLOWERS: "ON_PAGE",
    Optimization.CONVERSATIONS: "MESSENGER",
}
_PROMOTED_OBJECT_FIELDS = {
    "page_id": "page_id",
    "pixel_id": "pixel_id",
    "custom_conversion_id": "custom_conversion_id",
    "app_id": "application_id",
    "app_store_url": "object_store_url",
    "catalog_id": "product_catalog_id",
    "product_set_id": "product_set_id",
}


class AdSets(MetaAdObjects[AdSet, NewAdSet]):
    edge = "adsets"
    fields = (
        "id,name,campaign_id,status,configured_status,effective_status,optimization_goal,billing_event,daily_budget,"
        "lifetime_budget,bid_strategy,bid_amount,bid_constraints,targeting,promoted_object,destination_type,start_time,"
        "end_time,created_time,updated_time,issues_info,dsa_beneficiary,dsa_payor,"
        "regional_regulated_categories,regional_regulation_identities"
    )
    filterable_statuses = ("ACTIVE", "PAUSED", "CAMPAIGN_PAUSED", "ARCHIVED", "DELETED", "IN_PROCESS", "WITH_ISSUES")
    changeable_fields = frozenset(
        {"name", "configured_status", "budget", "bid", "schedule", "targeting", "optimization"}
    )
    reserved_options = reserved_options.RESERVED_ADSET_OPTIONS
    default_params: ClassVar[Mapping[str, Any]] = {"billing_event": "IMPRESSIONS"}

    def _validate_new(self, new: NewAdSet) -> Iterator[Fault]:
        yield from _validate_values(new)
        yield from targeting_faults(new.targeting)
        if new.promoted_object is not None:
            yield from validate_choice("Meta", "/promotes/event", new.promoted_object.event, VENDOR_NAMES_BY_EVENT)

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        yield from _validate_values(change)
        yield from () if change.targeting is None else targeting_faults(change.targeting)

    def _get_list_parent_id(self, query: AdQuery) -> str | None:
        return None if query.campaign_id is None else require_object_id(query.campaign_id)

    def _get_parent_id(self, new: NewAdSet) -> str | None:
        return require_object_id(new.campaign_id)

    async def _build_create_params(self, credentials: AccountCredentials, new: NewAdSet) -> Mapping[str, Any]:
        optimization = new.optimization or await self._get_default_optimization(credentials, new)
        # Under a budget of the campaign, its strategy counts.
        lowest = {} if new.budget is None else {"bid_strategy": "LOWEST_COST_WITHOUT_CAP"}
        return {
            "name": new.name,
            "campaign_id": new.campaign_id,
            "status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            "optimization_goal": VENDOR_NAMES_BY_OPTIMIZATION[optimization],
            "destination_type": None
            if "destination_type" in new.options
            else _DEFAULT_DESTINATION_TYPES.get(optimization),
            "promoted_object": None if new.promoted_object is None else _encode_promoted_object(new.promoted_object),
            "targeting": await encode_targeting(self._graph.for_account(credentials), new.targeting),
            **lowest,
            **_encode_shared_params(credentials, new),
        }

    async def _get_default_optimization(self, credentials: AccountCredentials, new: NewAdSet) -> Optimization:
        """Return what is usual for the goal of the campaign. Meta is asked for the goal if nobody knows it."""
        goal = new.goal
        if goal is None:
            api = self._graph.for_account(credentials)
            async with raise_not_found_if_missing(api):
                row = await api.get(require_object_id(new.campaign_id), dict[str, Any], fields="objective")
            goal = GOALS_BY_VENDOR_NAME.get(get_text_or_number(row, "objective"))
        if goal is None:
            text = "Send `optimization`: there is no default for the campaign's objective."
            raise PlatformRejectedError(text, platform=Platform.META, field="/optimization")
        # People leave their details on the website if its pixel counts them.
        on_site = goal is Goal.LEADS and new.promoted_object is not None and new.promoted_object.pixel_id is not None
        return Optimization.CONVERSIONS if on_site else DEFAULT_OPTIMIZATIONS[goal]

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del before
        ad_targeting, api = change.targeting, self._graph.for_account(credentials)
        return {
            "name": change.name,
            "status": VENDOR_NAMES_BY_CONFIGURED_STATUS[change.configured_status] if change.configured_status else None,
            "optimization_goal": VENDOR_NAMES_BY_OPTIMIZATION[change.optimization] if change.optimization else None,
            "targeting": None if ad_targeting is None else await encode_targeting(api, ad_targeting),
            **_encode_shared_params(credentials, change),
        }

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdSet:
        schedule, currency = parse_schedule(row, "end_time"), get_account_currency(credentials)
        shown = (
            "billing_event",
            "destination_type",
            *DSA_FIELDS,
            REGULATED_CATEGORIES_OPTION,
            REGULATION_IDENTITIES_OPTION,
        )
        return AdSet(
            **self._parse_common_fields(row, schedule),
            campaign_id=get_text_or_number(row, "campaign_id"),
            optimization=_OPTIMIZATIONS_BY_VENDOR_NAME.get(get_text_or_number(row, "optimization_goal")),
            platform_optimization=get_text_or_number(row, "optimization_goal") or None,
            budget=parse_budget(row, currency),
            bid=_parse_bid(row, currency),
            schedule=schedule,
            targeting=parse_targeting(row.get("targeting")),
            promoted_object=_parse_promoted_object(row.get("promoted_object")),
            options={name: row[name] for name in shown if row.get(name)},
        )


def _encode_shared_params(credentials: AccountCredentials, new: NewAdSet | AdObjectChanges) -> dict[str, Any]:
    """What is written in the same way for a new ad set and for a change."""
    schedule, bid = new.schedule or AdSchedule(), new.bid
    roas = None if bid is None or bid.roas is None else {"roas_average_floor": round(bid.roas * _ROAS_SCALE)}
    values = {
        "bid_amount": encode_money(credentials, bid.amount if bid else None, "/bid/amount"),
        "bid_constraints": roas,
        "start_time": format_time(schedule.start),
        "end_time": format_time(schedule.end),
        **encode_budget(credentials, new.budget),
    }
    return values if bid is None else {**values, "bid_strategy": VENDOR_NAMES_BY_BID_STRATEGY[bid.strategy]}


def _validate_values(new: NewAdSet | AdObjectChanges) -> Iterator[Fault]:
    yield from validate_choice("Meta", "/optimization", new.optimization, VENDOR_NAMES_BY_OPTIMIZATION)
    yield from validate_bid("Meta", new.bid, VENDOR_NAMES_BY_BID_STRATEGY)
    yield from validate_money("/budget", new.budget.money if new.budget else None, to_minor_units)
    yield from validate_money("/bid/amount", new.bid.amount if new.bid else None, to_minor_units)


def _encode_promoted_object(ad_promotion: AdPromotion) -> dict[str, Any]:
    event = None if ad_promotion.event is None else VENDOR_NAMES_BY_EVENT[ad_promotion.event]
    return drop_none(
        {theirs: getattr(ad_promotion, ours) for ours, theirs in _PROMOTED_OBJECT_FIELDS.items()}
        | {"custom_event_type": event}
    )


def _parse_promoted_object(row: Any) -> AdPromotion | None:
    result = {ours: get_text_or_number(row, theirs) or None for ours, theirs in _PROMOTED_OBJECT_FIELDS.items()}
    event = EVENTS_BY_VENDOR_NAME.get(get_text_or_number(row, "custom_event_type"))
    return AdPromotion(**result, event=event) if any(result.values()) else None


def _parse_bid(row: Mapping[str, Any], currency: str) -> AdBid | None:
    strategy = BID_STRATEGIES_BY_VENDOR_NAME.get(get_text_or_number(row, "bid_strategy"))
    floor = get_path(row, "bid_constraints", "roas_average_floor")
    amount = parse_money(row.get("bid_amount"), currency)
    roas = float(floor) / _ROAS_SCALE if isinstance(floor, int | float | str) and floor else None
    return None if strategy is None else AdBid(strategy=strategy, amount=amount, roas=roas)
