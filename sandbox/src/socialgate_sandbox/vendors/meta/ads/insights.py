"""Insights: what ads spent and achieved, for an account or what is in it, by day and by kind of people."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import product
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, wrong
from socialgate_sandbox.dialects.graph.filtering import filtered, filters_of
from socialgate_sandbox.dialects.graph.given import text, words
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, declared
from socialgate_sandbox.dialects.graph.objects import choice, choices
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.kit import Call, Refused, Thing, World
from socialgate_sandbox.society import spend
from socialgate_sandbox.society.campaigns import Ad, AdSet, Campaign, Managed, major
from socialgate_sandbox.society.metrics import shared_out
from socialgate_sandbox.vendors.meta.ads import targeting
from socialgate_sandbox.vendors.meta.ads.accounts import NAMES, counted
from socialgate_sandbox.vendors.meta.ads.days import Days, days_of
from socialgate_sandbox.vendors.meta.ads.managed import account_of, effective, lineage
from socialgate_sandbox.vendors.meta.state import AdAccount

_NODE = "AdsInsights"
_LEVELS: Mapping[str, type[Managed]] = {"campaign": Campaign, "adset": AdSet, "ad": Ad}
_FILTERED = ("id", "name", "effective_status")
_COPIED = ("objective", "buying_type", "optimization_goal")
_MOST_AT_ONCE = 5000
_USUAL = ("account_id", "campaign_id", "adset_id", "ad_id", "impressions", "spend")
# The share of each hour of the day, in percent.
_HOURLY = (2, 1, 1, 1, 1, 2, 3, 4, 4, 4, 4, 5, 6, 5, 4, 4, 5, 6, 7, 8, 8, 7, 5, 3)
_BY_HOUR = {f"{hour:02}:00:00 - {hour:02}:59:59": share for hour, share in enumerate(_HOURLY)}
# How people divide up, in percent. A breakdown that is not here has one part, which is unknown.
SHARES: Mapping[str, Mapping[str, int]] = {
    "hourly_stats_aggregated_by_advertiser_time_zone": _BY_HOUR,
    "hourly_stats_aggregated_by_audience_time_zone": _BY_HOUR,
    "age": {"25-34": 30, "18-24": 20, "35-44": 20, "45-54": 14, "55-64": 10, "65+": 6},
    "gender": {"female": 54, "male": 44, "unknown": 2},
    "publisher_platform": {"facebook": 55, "instagram": 40, "audience_network": 4, "messenger": 1},
    "platform_position": {"feed": 70, "story": 20, "facebook_reels": 10},
    "device_platform": {"mobile_app": 86, "mobile_web": 4, "desktop": 10},
    "impression_device": {"android_smartphone": 50, "iphone": 38, "desktop": 10, "ipad": 2},
}
# Breakdowns that can be combined with one another, but not with those of other groups.
_COMBINED = (
    {"age", "gender"},
    {"country", "region", "dma"},
    {"publisher_platform", "platform_position", "device_platform", "impression_device"},
)
_ACTIONS = {
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
_PLAYS = {f"video_p{part}_watched_actions": f"plays_{part}" for part in (25, 50, 75, 100)}
_PLAYS |= {"video_play_actions": "plays", "video_thruplay_watched_actions": "plays_6s"}


@dataclass(frozen=True)
class Row:
    """One row. Numbers are counted when they are asked for; `part` is the share of them that this row has."""

    id: str
    facts: Mapping[str, str]
    numbers: spend.Account
    days: Days
    of: str | None
    ad_sets: Mapping[str, spend.Goal]
    tables: tuple[Mapping[str, int], ...] = ()
    part: tuple[str, ...] = ()
    # Shared by all parts of a row: every metric is counted and split once.
    counts: dict[str, dict[tuple[str, ...], int]] = field(default_factory=dict)

    def count(self, metric: str) -> int:
        if metric not in self.counts:
            self.counts[metric] = shared_out(self._whole(metric), *self.tables)
        return self.counts[metric][self.part]

    def _whole(self, metric: str) -> int:
        if metric in {"leads", "purchases"}:
            led = [key for key, goal in self.ad_sets.items() if (goal == "leads") == (metric == "leads")]
            return sum(self._between("conversions", key) for key in led)
        return self._between(metric, self.of)

    def _between(self, metric: str, of: str | None) -> int:
        start = self.numbers.midnight(self.days.first)
        return self.numbers.between(metric, start, self.numbers.midnight(self.days.last + timedelta(days=1)), of)

    def money(self, metric: str) -> float:
        return major(self.numbers, metric, self.count(metric))


def _number(metric: str) -> Callable[[Row], str]:
    return lambda row: f"{row.money(metric):.2f}" if metric in {"spend", "value"} else str(row.count(metric))


def _ratio(above: str, below: str, times: float = 1) -> Callable[[Row], str | None]:
    def read(row: Row) -> str | None:
        whole = row.count(below)
        return f"{row.money(above) * times / whole:.6f}" if whole else None

    return read


def _listed(name: str, metric: str) -> Callable[[Row], Any]:
    return lambda row: [{"action_type": name, "value": str(row.count(metric))}] if row.count(metric) else None


def _actions(row: Row) -> list[dict[str, str]]:
    return [{"action_type": name, "value": str(row.count(of))} for name, of in _ACTIONS.items() if row.count(of)]


def _costs(row: Row) -> list[dict[str, str]]:
    spent = row.money("spend")
    found = ((name, row.count(of)) for name, of in _ACTIONS.items())
    return [{"action_type": name, "value": f"{spent / count:.6f}"} for name, count in found if count]


def _values(row: Row) -> list[dict[str, str]] | None:
    """Return what purchases are worth. Leads have no value."""
    if not row.count("purchases"):
        return None
    return [{"action_type": name, "value": _number("value")(row)} for name in ("omni_purchase", "purchase")]


def _return(row: Row) -> list[dict[str, str]] | None:
    if not row.count("purchases") or not row.count("spend"):
        return None
    return [{"action_type": "omni_purchase", "value": f"{row.money('value') / row.money('spend'):.6f}"}]


FIELDS: Mapping[str, Callable[[Row], Any]] = {
    **{name: _number(metric) for name, metric in NAMES.items()},
    "unique_clicks": _number("interactions"),
    "frequency": _ratio("impressions", "reach"),
    "ctr": _ratio("interactions", "impressions", 100),
    "unique_ctr": _ratio("interactions", "reach", 100),
    "cpc": _ratio("spend", "interactions"),
    "cpm": _ratio("spend", "impressions", 1000),
    "cpp": _ratio("spend", "reach", 1000),
    "inline_link_click_ctr": _ratio("clicks", "impressions", 100),
    "cost_per_inline_link_click": _ratio("spend", "clicks"),
    "inline_post_engagement": _number("interactions"),
    "outbound_clicks": _listed("outbound_click", "clicks"),
    "actions": _actions,
    "action_values": _values,
    "cost_per_action_type": _costs,
    "purchase_roas": _return,
    **{name: _listed("video_view", metric) for name, metric in _PLAYS.items()},
}


def _resolver(name: str) -> Any:
    read = FIELDS.get(name)
    return lambda _call, row, _field: row.facts.get(name) if read is None else read(row)


_KNOWN = declared(_NODE, "fields") | declared(_NODE, "breakdowns")
INSIGHTS = NodeType(_NODE, {name: _resolver(name) for name in _KNOWN}, ("date_start", "date_stop"))


def insights(call: Call, of: Thing) -> Any:
    """Return insights right away, unless that would be too many rows."""
    found = rows(call, of)
    if len(found) > _MOST_AT_ONCE:
        said = "Please reduce the amount of data you're asking for, then retry your request"
        raise Refused(failure(said, 1, status=500, transient=False))
    return page(call, found)


def page(call: Call, found: list[Row]) -> Any:
    fields = words(call.params.get("fields")) or list(_USUAL)
    unknown = next((name for name in fields if name not in _KNOWN), None)
    if unknown is not None:
        where = "https://developers.facebook.com/docs/marketing-api/reference/ads-insights/"
        raise wrong(f"{unknown} is not valid for fields param. please check {where} for all valid values")
    always = ("date_start", "date_stop", *words(call.params.get("breakdowns")))
    call.params["fields"] = ",".join(dict.fromkeys((*fields, *always)))
    return listing(call, [Node(INSIGHTS, row) for row in found])


def rows(call: Call, of: Thing) -> list[Row]:
    """Find the rows of an account, or of something in it, that were delivered at all."""
    account = of if isinstance(of, AdAccount) else account_of(call.world, of)
    numbers = counted(call.world, account)
    for name in ("action_attribution_windows", "action_breakdowns", "breakdowns"):
        choices(_NODE, name)(name, words(call.params.get(name)))
    _require_combination(words(call.params.get("breakdowns")))
    found = [
        row
        for whole in _wholes(call, account, of, numbers)
        if whole.count("impressions")
        for row in _parts(call, whole)
        if row.count("impressions")
    ]
    readers = {name: FIELDS[name] for name in NAMES}
    readers |= {f"{level}.{what}": _fact(f"{level}_{what}") for level in _LEVELS for what in _FILTERED}
    return _sorted(call, filtered(found, filters_of(call), readers))


def _require_combination(names: Sequence[str]) -> None:
    if len(set(names)) > 1 and not any(set(names) <= group for group in _COMBINED):
        listed = ", ".join(("action_type", *names))
        raise wrong(f"Current combination of data breakdown columns ({listed}) is invalid")


def _fact(name: str) -> Callable[[Row], Any]:
    return lambda row: row.facts.get(name, "")


def _sum_of(name: str) -> Callable[[Row], float]:
    return lambda row: row.money(NAMES[name])


def _sorted(call: Call, found: list[Row]) -> list[Row]:
    for order in reversed(words(call.params.get("sort"))):
        name, _, way = order.rpartition("_")
        if name not in NAMES or way not in {"ascending", "descending"}:
            raise wrong(f"Param sort: {order} is not supported")
        found = sorted(found, key=_sum_of(name), reverse=way == "descending")
    return found


def _wholes(call: Call, account: AdAccount, of: Thing, numbers: spend.Account) -> Iterator[Row]:
    usual = next((name for name, kind in _LEVELS.items() if isinstance(of, kind)), "account")
    level = choice(_NODE, "level")("level", text(call, "level") or usual)
    groups = [_Group(call.world, account, numbers, chain) for chain in _chains(call, account, of, level)]
    begun = min((ad.made for ad in call.world.store.find(Ad, parent=account.id)), default=numbers.now)
    first = begun.astimezone(numbers.zone).date()
    for days in days_of(call, numbers.today):
        # Nothing was delivered before the first ad, so there is nothing to count.
        for group in groups if days.last >= first else ():
            facts = {**group.facts, "date_start": str(days.first), "date_stop": str(days.last)}
            key = f"{group.key or account.id}:{days.first}:{days.last}"
            yield Row(key, facts, numbers, days, group.key, group.ad_sets)


class _Group:
    """Something that has rows of its own, which is the whole account if the chain of objects is empty."""

    def __init__(self, world: World, account: AdAccount, numbers: spend.Account, chain: Sequence[Managed]) -> None:
        self.key = chain[0].id if chain else None
        keys = {one.id for one in chain}
        self.facts = _facts(world, account, chain)
        self.ad_sets = {
            one.id: one.goal
            for campaign in numbers.campaigns
            for one in campaign.ad_sets
            if self.key is None or one.id in keys or campaign.id == self.key
        }


def _chains(call: Call, account: AdAccount, of: Thing, level: str) -> list[list[Managed]]:
    """List what has a row of its own, each with everything that it is in. Archived things must be asked for."""
    if level == "account":
        return [[*lineage(call.world, of)]] if isinstance(of, Managed) else [[]]
    found = [[*lineage(call.world, one)] for one in call.world.store.find(_LEVELS[level], parent=account.id)]
    asked = any("effective_status" in str(one["field"]) for one in filters_of(call))
    return [
        chain
        for chain in found
        if (isinstance(of, AdAccount) or of.id in {one.id for one in chain})
        and (asked or chain[0].id == of.id or effective(call.world, chain[0]) not in {"ARCHIVED", "DELETED"})
    ]


def _facts(world: World, account: AdAccount, chain: Sequence[Managed]) -> dict[str, str]:
    facts = {"account_id": account.account_id, "account_name": account.name, "account_currency": account.currency}
    for one in chain:
        name = next(name for name, kind in _LEVELS.items() if isinstance(one, kind))
        facts |= {f"{name}_id": one.id, f"{name}_name": one.name, f"{name}_effective_status": effective(world, one)}
        facts |= {what: str(one.fields[what]) for what in _COPIED if what in one.fields}
    return facts


def _parts(call: Call, whole: Row) -> Iterator[Row]:
    names = words(call.params.get("breakdowns"))
    if not names:
        yield whole
        return
    tables = tuple(_table(call, name, whole) for name in names)
    counts: dict[str, dict[tuple[str, ...], int]] = {}
    for part in product(*tables):
        facts = {**whole.facts, **dict(zip(names, part, strict=True))}
        yield replace(whole, id=":".join((whole.id, *part)), facts=facts, tables=tables, part=part, counts=counts)


def _table(call: Call, name: str, whole: Row) -> Mapping[str, int]:
    if name != "country":
        return SHARES.get(name, {"unknown": 100})
    sets = call.world.store.get_all(AdSet, whole.ad_sets)
    codes = list(dict.fromkeys(code for one in sets for code in targeting.countries(one.fields["targeting"])))
    return {code: 100 // len(codes) for code in codes} or {"unknown": 100}
