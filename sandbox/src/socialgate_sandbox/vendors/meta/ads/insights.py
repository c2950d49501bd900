"""Insights: what ads spent and achieved, for an account or what is in it, by day and by kind of people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import product
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error
from socialgate_sandbox.dialects.graph.filtering import filter_rows, parse_filters
from socialgate_sandbox.dialects.graph.managed_objects import build_choice_parser, build_choices_parser
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, get_documented_names
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_words
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, VendorContext
from socialgate_sandbox.society import ad_spend
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, SwitchedObject, to_major_units
from socialgate_sandbox.society.platform_metrics import split_number_by_shares
from socialgate_sandbox.vendors.meta.ads import targeting
from socialgate_sandbox.vendors.meta.ads.ad_accounts import METRICS_BY_FIELD, build_spend_account
from socialgate_sandbox.vendors.meta.ads.date_ranges import DateRange, parse_date_ranges
from socialgate_sandbox.vendors.meta.ads.managed_objects import (
    compute_effective_status,
    get_ad_account,
    iterate_ancestry,
)
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount

_NODE_NAME = "AdsInsights"
_TYPES_BY_LEVEL: Mapping[str, type[SwitchedObject]] = {"campaign": Campaign, "adset": AdSet, "ad": Ad}
_FILTER_FIELDS = ("id", "name", "effective_status")
_COPIED_FIELDS = ("objective", "buying_type", "optimization_goal")
_MAX_CONCURRENT = 5000
_DEFAULT_FIELDS = ("account_id", "campaign_id", "adset_id", "ad_id", "impressions", "spend")
# The share of each hour of the day, in percent.
_HOUR_PERCENTS = (2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 6, 5, 4, 4, 5, 6, 7, 8, 8, 7, 5, 3)
_HOUR_SHARES = {f"{hour:02}:00:00 - {hour:02}:59:59": share for hour, share in enumerate(_HOUR_PERCENTS)}
# How people divide up, in percent. A breakdown that is not here has one part, which is unknown.
BREAKDOWN_SHARES: Mapping[str, Mapping[str, int]] = {
    "hourly_stats_aggregated_by_advertiser_time_zone": _HOUR_SHARES,
    "hourly_stats_aggregated_by_audience_time_zone": _HOUR_SHARES,
    "age": {"25-34": 30, "18-24": 20, "35-44": 20, "45-54": 14, "55-64": 10, "65+": 6},
    "gender": {"female": 54, "male": 44, "unknown": 2},
    "publisher_platform": {"facebook": 55, "instagram": 40, "audience_network": 4, "messenger": 1},
    "platform_position": {"feed": 70, "story": 20, "facebook_reels": 10},
    "device_platform": {"mobile_app": 86, "mobile_web": 4, "desktop": 10},
    "impression_device": {"android_smartphone": 50, "iphone": 38, "desktop": 10, "ipad": 2},
}
# Breakdowns that can be combined with one another, but not with those of other groups.
_COMBINABLE_BREAKDOWNS = (
    {"age", "gender"},
    {"country", "region", "dma"},
    {"publisher_platform", "platform_position", "device_platform", "impression_device"},
)
_METRICS_BY_ACTION = {
    "link_click": "clicks",
    "landing_page_view": "landings",
    "post_reaction": "likes",
    "comment": "comments",
    "post": "shares",
    "post_engagement": "interactions",
    "page_engagement": "interactions",
    "video_view": "plays_2s",
    "lead": "leads",
    "purchase": "purchases",
    "offsite_conversion.fb_pixel_purchase": "purchases",
}
_PLAY_METRICS = {f"video_p{part}_watched_actions": f"plays_{part}" for part in (25, 50, 75, 100)}
_PLAY_METRICS |= {"video_play_actions": "plays", "video_thruplay_watched_actions": "plays_6s"}


@dataclass(frozen=True)
class InsightsRow:
    """One row. Numbers are counted on request; `breakdown_values` is the share of them that this row has."""

    id: str
    text_fields: Mapping[str, str]
    spend_account: ad_spend.Account
    date_range: DateRange
    object_id: str | None
    goals_by_ad_set: Mapping[str, ad_spend.Goal]
    breakdown_shares: tuple[Mapping[str, int], ...] = ()
    breakdown_values: tuple[str, ...] = ()
    # Shared by all parts of a row: every metric is counted and split once.
    metric_counts: dict[str, dict[tuple[str, ...], int]] = field(default_factory=dict)

    def count_metric(self, metric: str) -> int:
        if metric not in self.metric_counts:
            self.metric_counts[metric] = split_number_by_shares(self._count_all(metric), *self.breakdown_shares)
        return self.metric_counts[metric][self.breakdown_values]

    def _count_all(self, metric: str) -> int:
        if metric in {"leads", "purchases"}:
            led = [key for key, goal in self.goals_by_ad_set.items() if (goal == "leads") == (metric == "leads")]
            return sum(self._count_in_range("conversions", key) for key in led)
        return self._count_in_range(metric, self.object_id)

    def _count_in_range(self, metric: str, target: str | None) -> int:
        start = self.spend_account.compute_midnight(self.date_range.first_day)
        return self.spend_account.count_between(
            metric, start, self.spend_account.compute_midnight(self.date_range.last_day + timedelta(days=1)), target
        )

    def get_amount(self, metric: str) -> float:
        return to_major_units(self.spend_account, metric, self.count_metric(metric))


def _build_number_reader(metric: str) -> Callable[[InsightsRow], str]:
    return lambda row: (
        f"{row.get_amount(metric):.2f}" if metric in {"spend", "value"} else str(row.count_metric(metric))
    )


def _build_ratio_reader(numerator: str, denominator: str, factor: float = 1) -> Callable[[InsightsRow], str | None]:
    def read(row: InsightsRow) -> str | None:
        whole = row.count_metric(denominator)
        return f"{row.get_amount(numerator) * factor / whole:.6f}" if whole else None

    return read


def _build_action_reader(name: str, metric: str) -> Callable[[InsightsRow], Any]:
    return lambda row: (
        [{"action_type": name, "value": str(row.count_metric(metric))}] if row.count_metric(metric) else None
    )


def _read_actions(row: InsightsRow) -> list[dict[str, str]]:
    return [
        {"action_type": name, "value": str(row.count_metric(action))}
        for name, action in _METRICS_BY_ACTION.items()
        if row.count_metric(action)
    ]


def _read_costs(row: InsightsRow) -> list[dict[str, str]]:
    spent = row.get_amount("spend")
    result = ((name, row.count_metric(action)) for name, action in _METRICS_BY_ACTION.items())
    return [{"action_type": name, "value": f"{spent / count:.6f}"} for name, count in result if count]


def _read_values(row: InsightsRow) -> list[dict[str, str]] | None:
    """Return what purchases are worth. Leads have no value."""
    if not row.count_metric("purchases"):
        return None
    return [
        {"action_type": name, "value": _build_number_reader("value")(row)} for name in ("omni_purchase", "purchase")
    ]


def _read_roas(row: InsightsRow) -> list[dict[str, str]] | None:
    if not row.count_metric("purchases") or not row.count_metric("spend"):
        return None
    return [{"action_type": "omni_purchase", "value": f"{row.get_amount('value') / row.get_amount('spend'):.6f}"}]


FIELD_READERS: Mapping[str, Callable[[InsightsRow], Any]] = {
    **{name: _build_number_reader(metric) for name, metric in METRICS_BY_FIELD.items()},
    "unique_clicks": _build_number_reader("interactions"),
    "frequency": _build_ratio_reader("impressions", "reach"),
    "ctr": _build_ratio_reader("interactions", "impressions", 100),
    "unique_ctr": _build_ratio_reader("interactions", "reach", 100),
    "cpc": _build_ratio_reader("spend", "interactions"),
    "cpm": _build_ratio_reader("spend", "impressions", 1000),
    "cpp": _build_ratio_reader("spend", "reach", 1000),
    "inline_link_click_ctr": _build_ratio_reader("clicks", "impressions", 100),
    "cost_per_inline_link_click": _build_ratio_reader("spend", "clicks"),
    "inline_post_engagement": _build_number_reader("interactions"),
    "outbound_clicks": _build_action_reader("outbound_click", "clicks"),
    "actions": _read_actions,
    "action_values": _read_values,
    "cost_per_action_type": _read_costs,
    "purchase_roas": _read_roas,
    **{name: _build_action_reader("video_view", metric) for name, metric in _PLAY_METRICS.items()},
}


def _build_resolver(name: str) -> Any:
    read = FIELD_READERS.get(name)
    return lambda _call, row, _field: row.text_fields.get(name) if read is None else read(row)


_KNOWN_FIELDS = get_documented_names(_NODE_NAME, "fields") | get_documented_names(_NODE_NAME, "breakdowns")
INSIGHTS_NODE_TYPE = NodeType(
    _NODE_NAME, {name: _build_resolver(name) for name in _KNOWN_FIELDS}, ("date_start", "date_stop")
)


def get_insights(call: Call, target: StoredObject) -> Any:
    """Return insights right away, unless that would be too many rows."""
    existing_rows = build_rows(call, target)
    if len(existing_rows) > _MAX_CONCURRENT:
        message = "Please reduce the amount of data you're asking for, then retry your request"
        raise CallRefusedError(build_error_response(message, 1, status=500, transient=False))
    return build_insights_page(call, existing_rows)


def build_insights_page(call: Call, rows: list[InsightsRow]) -> Any:
    fields = parse_words(call.params.get("fields")) or list(_DEFAULT_FIELDS)
    unknown = next((name for name in fields if name not in _KNOWN_FIELDS), None)
    if unknown is not None:
        where = "https://developers.facebook.com/docs/marketing-api/reference/ads-insights/"
        raise build_parameter_error(
            f"{unknown} is not valid for fields param. please check {where} for all valid values"
        )
    always = ("date_start", "date_stop", *parse_words(call.params.get("breakdowns")))
    call.params["fields"] = ",".join(dict.fromkeys((*fields, *always)))
    return build_page(call, [Node(INSIGHTS_NODE_TYPE, row) for row in rows])


def build_rows(call: Call, target: StoredObject) -> list[InsightsRow]:
    """Find the rows of an account, or of something in it, that were delivered at all."""
    account = target if isinstance(target, AdAccount) else get_ad_account(call.context, target)
    numbers = build_spend_account(call.context, account)
    for name in ("action_attribution_windows", "action_breakdowns", "breakdowns"):
        build_choices_parser(_NODE_NAME, name)(name, parse_words(call.params.get(name)))
    _require_combination(parse_words(call.params.get("breakdowns")))
    rows = [
        row
        for whole in _iterate_unsplit_rows(call, account, target, numbers)
        if whole.count_metric("impressions")
        for row in _split_by_breakdowns(call, whole)
        if row.count_metric("impressions")
    ]
    readers = {name: FIELD_READERS[name] for name in METRICS_BY_FIELD}
    readers |= {
        f"{level}.{label}": _build_text_reader(f"{level}_{label}")
        for level in _TYPES_BY_LEVEL
        for label in _FILTER_FIELDS
    }
    return _sort_rows(call, filter_rows(rows, parse_filters(call), readers))


def _require_combination(names: Sequence[str]) -> None:
    if len(set(names)) > 1 and not any(set(names) <= group for group in _COMBINABLE_BREAKDOWNS):
        listed = ", ".join(("action_type", *names))
        raise build_parameter_error(f"Current combination of data breakdown columns ({listed}) is invalid")


def _build_text_reader(name: str) -> Callable[[InsightsRow], Any]:
    return lambda row: row.text_fields.get(name, "")


def _build_amount_reader(name: str) -> Callable[[InsightsRow], float]:
    return lambda row: row.get_amount(METRICS_BY_FIELD[name])


def _sort_rows(call: Call, rows: list[InsightsRow]) -> list[InsightsRow]:
    for order in reversed(parse_words(call.params.get("sort"))):
        name, _, way = order.rpartition("_")
        if name not in METRICS_BY_FIELD or way not in {"ascending", "descending"}:
            raise build_parameter_error(f"Param sort: {order} is not supported")
        rows = sorted(rows, key=_build_amount_reader(name), reverse=way == "descending")
    return rows


def _iterate_unsplit_rows(
    call: Call, account: AdAccount, target: StoredObject, spend_account: ad_spend.Account
) -> Iterator[InsightsRow]:
    usual = next((name for name, kind in _TYPES_BY_LEVEL.items() if isinstance(target, kind)), "account")
    level = build_choice_parser(_NODE_NAME, "level")("level", get_text(call, "level") or usual)
    groups = [
        _RowSource(call.context, account, spend_account, chain)
        for chain in _list_ancestries(call, account, target, level)
    ]
    begun = min((ad.created_at for ad in call.context.store.find(Ad, parent=account.id)), default=spend_account.now)
    first = begun.astimezone(spend_account.zone).date()
    for days in parse_date_ranges(call, spend_account.today):
        # Nothing was delivered before the first ad, so there is nothing to count.
        for group in groups if days.last_day >= first else ():
            facts = {**group.text_fields, "date_start": str(days.first_day), "date_stop": str(days.last_day)}
            key = f"{group.object_id or account.id}:{days.first_day}:{days.last_day}"
            yield InsightsRow(key, facts, spend_account, days, group.object_id, group.goals_by_ad_set)


class _RowSource:
    """Something that has rows of its own, which is the whole account if the chain of objects is empty."""

    def __init__(
        self,
        context: VendorContext,
        account: AdAccount,
        spend_account: ad_spend.Account,
        ancestry: Sequence[SwitchedObject],
    ) -> None:
        self.object_id = ancestry[0].id if ancestry else None
        keys = {switched_object.id for switched_object in ancestry}
        self.text_fields = _build_text_fields(context, account, ancestry)
        self.goals_by_ad_set = {
            ad_set.id: ad_set.goal
            for campaign in spend_account.campaigns
            for ad_set in campaign.ad_sets
            if self.object_id is None or ad_set.id in keys or campaign.id == self.object_id
        }


def _list_ancestries(call: Call, account: AdAccount, target: StoredObject, level: str) -> list[list[SwitchedObject]]:
    """List what has a row of its own, each with everything that it is in. Archived things must be asked for."""
    if level == "account":
        return [[*iterate_ancestry(call.context, target)]] if isinstance(target, SwitchedObject) else [[]]
    switched_objectses = [
        [*iterate_ancestry(call.context, switched_object)]
        for switched_object in call.context.store.find(_TYPES_BY_LEVEL[level], parent=account.id)
    ]
    flag = any("effective_status" in str(item["field"]) for item in parse_filters(call))
    return [
        chain
        for chain in switched_objectses
        if (isinstance(target, AdAccount) or target.id in {switched_object.id for switched_object in chain})
        and (
            flag
            or chain[0].id == target.id
            or compute_effective_status(call.context, chain[0]) not in {"ARCHIVED", "DELETED"}
        )
    ]


def _build_text_fields(
    context: VendorContext, account: AdAccount, ancestry: Sequence[SwitchedObject]
) -> dict[str, str]:
    facts = {"account_id": account.account_id, "account_name": account.name, "account_currency": account.currency}
    for switched_object in ancestry:
        name = next(name for name, kind in _TYPES_BY_LEVEL.items() if isinstance(switched_object, kind))
        facts |= {
            f"{name}_id": switched_object.id,
            f"{name}_name": switched_object.name,
            f"{name}_effective_status": compute_effective_status(context, switched_object),
        }
        facts |= {
            label: str(switched_object.fields[label]) for label in _COPIED_FIELDS if label in switched_object.fields
        }
    return facts


def _split_by_breakdowns(call: Call, unsplit_row: InsightsRow) -> Iterator[InsightsRow]:
    names = parse_words(call.params.get("breakdowns"))
    if not names:
        yield unsplit_row
        return
    tables = tuple(_get_shares(call, name, unsplit_row) for name in names)
    counts: dict[str, dict[tuple[str, ...], int]] = {}
    for part in product(*tables):
        facts = {**unsplit_row.text_fields, **dict(zip(names, part, strict=True))}
        yield replace(
            unsplit_row,
            id=":".join((unsplit_row.id, *part)),
            text_fields=facts,
            breakdown_shares=tables,
            breakdown_values=part,
            metric_counts=counts,
        )


def _get_shares(call: Call, name: str, unsplit_row: InsightsRow) -> Mapping[str, int]:
    if name != "country":
        return BREAKDOWN_SHARES.get(name, {"unknown": 100})
    sets = call.context.store.get_all(AdSet, unsplit_row.goals_by_ad_set)
    codes = list(
        dict.fromkeys(code for ad_set in sets for code in targeting.list_targeted_countries(ad_set.fields["targeting"]))
    )
    return {code: 100 // len(codes) for code in codes} or {"unknown": 100}
