"""Campaigns, ad sets and ads as any ad platform keeps them, with the histories from which `spend` counts.

A vendor stores a `Campaign`, an `AdSet` and an `Ad` for each of its objects, whatever it calls them. `fields` are the
values that the vendor returns as it received them; what the simulation needs is kept beside them. `parent` is always
the ad account, `above` is the campaign of an ad set and the ad set of an ad.

    ad_set.budgets = marked(ad_set.budgets, world.clock.now(), Budget(5000))
    switch(world, ad_set, "off")
    spending(world, account, currency="SEK", zone=ZoneInfo("Europe/Stockholm")).between("clicks", start, end)

An ad is reviewed for `REVIEW_DURATION` after it is created and after its content changes. It is rejected if its text
contains one of the `REJECTION_PHRASES`. People and tests decide otherwise with the verb `review`, and change with the
verb `pace` how fast an account spends.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, ClassVar, Literal, TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from socialgate_sandbox.kit import (
    AccountMetricsView,
    Action,
    ActionRequest,
    AdObjectView,
    ControlError,
    DayMetricsView,
    PostMetricsView,
    StoredObject,
    VendorContext,
)
from socialgate_sandbox.society import ad_spend
from socialgate_sandbox.society.ad_spend import (
    Budget,
    Goal,
    TimedValue,
    TimeSpan,
    append_value,
    find_spans,
    get_minor_units,
    get_value_at,
    intersect_spans,
)
from socialgate_sandbox.society.catalogs import count_decimals
from socialgate_sandbox.society.platform_metrics import iterate_days

SwitchState: TypeAlias = Literal["on", "off", "archived", "deleted"]
ReviewStage: TypeAlias = Literal["in_review", "approved", "rejected"]
REVIEW_DURATION = timedelta(minutes=5)
# Words in an ad, in any case, with the reason for which it is rejected.
REJECTION_PHRASES = {
    "miracle cure": "The ad makes misleading claims about health.",
    "get rich quick": "The ad promises unrealistic financial results.",
    "replica watches": "The ad promotes counterfeit products.",
}
MONEY_METRICS = {"spend", "value"}


class Verdict(msgspec.Struct, frozen=True):
    stage: ReviewStage
    reason: str = ""


class AdAccountObject(StoredObject, kw_only=True):
    """Anything in an ad account that callers create and change, such as an audience."""

    stored_as: ClassVar[str] = "Kept"

    created_at: datetime = msgspec.field(name="made")
    changed: datetime
    name: str = ""
    fields: dict[str, Any] = {}


class SwitchedObject(AdAccountObject, kw_only=True):
    stored_as: ClassVar[str] = "Managed"

    switches: tuple[TimedValue[SwitchState], ...]
    above: str = ""


class Campaign(SwitchedObject, kw_only=True):
    budgets: tuple[TimedValue[Budget], ...] = ()


class AdSet(SwitchedObject, kw_only=True):
    schedule: tuple[TimedValue[TimeSpan], ...]
    budgets: tuple[TimedValue[Budget], ...] = ()
    goal: Goal = "reach"


class Ad(SwitchedObject, kw_only=True):
    reviews: tuple[TimedValue[Verdict], ...]
    video: bool = True


class AdAccountRules(StoredObject):
    """What applies to everything in an ad account, which is the id."""

    paces: tuple[TimedValue[float], ...] = ()
    switches: tuple[TimedValue[SwitchState], ...] = ()


class ReviewAdRequest(ActionRequest, frozen=True, kw_only=True):
    account: str
    ad: str
    verdict: ReviewStage = "rejected"
    reason: str = ""


class SetPaceRequest(ActionRequest, frozen=True, kw_only=True):
    """How many times as fast as usual the ads of an account spend, within their budgets."""

    account: str
    times: float = 24.0


def get_state(context: VendorContext, ad_object: SwitchedObject) -> SwitchState:
    return get_value_at(ad_object.switches, context.clock.now())


def set_state(context: VendorContext, ad_object: SwitchedObject, state: SwitchState) -> None:
    ad_object.changed = context.clock.now()
    ad_object.switches = append_value(ad_object.switches, ad_object.changed, state)
    context.store.put(ad_object)


def set_account_state(context: VendorContext, account: str, state: SwitchState) -> None:
    """Stop or resume everything in an ad account, such as when it is suspended."""
    rules = context.store.get(AdAccountRules, account) or AdAccountRules(id=account)
    before = rules.switches or (TimedValue(ad_spend.ALWAYS[0].start, "on"),)
    rules.switches = append_value(before, context.clock.now(), state)
    context.store.put(rules)


def build_review_history(
    context: VendorContext, texts: Sequence[str], earlier_reviews: tuple[TimedValue[Verdict], ...] = ()
) -> tuple[TimedValue[Verdict], ...]:
    """Return the reviews of an ad whose content is submitted now."""
    now = context.clock.now()
    words = " ".join(texts).lower()
    reason = next((reason for trigger, reason in REJECTION_PHRASES.items() if trigger in words), "")
    verdict = Verdict("rejected", reason) if reason else Verdict("approved")
    return (*append_value(earlier_reviews, now, Verdict("in_review")), TimedValue(now + REVIEW_DURATION, verdict))


def get_verdict(context: VendorContext, ad: Ad) -> Verdict:
    return get_value_at(ad.reviews, context.clock.now())


def build_spend_account(context: VendorContext, account: str, *, currency: str, zone: ZoneInfo) -> ad_spend.Account:
    """Return everything in an ad account, in the form in which its numbers are counted."""
    rules = context.store.get(AdAccountRules, account) or AdAccountRules(id=account)
    ads, ad_sets = (
        _group_by_parent(context.store.find(Ad, parent=account)),
        _group_by_parent(context.store.find(AdSet, parent=account)),
    )
    campaigns = tuple(
        ad_spend.Campaign(
            id=campaign.id,
            active_spans=_list_on_spans(campaign.switches),
            budgets=campaign.budgets,
            ad_sets=tuple(_build_spend_ad_set(inner, ads.get(inner.id, ())) for inner in ad_sets.get(campaign.id, ())),
        )
        for campaign in context.store.find(Campaign, parent=account)
    )
    return ad_spend.Account(
        id=account,
        campaigns=campaigns,
        currency=currency,
        zone=zone,
        now=context.clock.now(),
        active_spans=_list_on_spans(rules.switches) if rules.switches else ad_spend.ALWAYS,
        paces=rules.paces,
    )


def build_metrics_view(
    context: VendorContext, account: ad_spend.Account, metric_names: Mapping[str, str], first: date, last: date
) -> AccountMetricsView:
    """Return everything that was counted, for the page of numbers. `metric_names` are the platform's names of metrics.

    Amounts are in whole units of the currency, such as dollars. Instead of posts there are ads.
    """
    rows = [
        DayMetricsView(
            date=day,
            followers=None,
            metrics={
                name: to_major_units(account, value, account.count_on_day(value, day))
                for name, value in metric_names.items()
            },
        )
        for day in iterate_days(first, min(last, account.today))
    ]
    begin, end = account.compute_midnight(first), account.compute_midnight(last + timedelta(days=1))
    ads = [
        PostMetricsView(
            id=ad.id,
            at=ad.created_at,
            metrics={
                name: to_major_units(account, value, account.count_total(value, ad.id))
                for name, value in metric_names.items()
            },
        )
        for ad in context.store.find(Ad, parent=account.id)
    ]
    totals = {
        name: to_major_units(account, value, account.count_between(value, begin, end))
        for name, value in metric_names.items()
    }
    return AccountMetricsView(zone=account.zone.key, days=rows, totals=totals, posts=ads)


def build_ad_views(
    context: VendorContext, account: ad_spend.Account, status: Callable[[SwitchedObject], str]
) -> list[AdObjectView]:
    """Return the campaigns of an account with everything in them, newest first. Deleted ones are left out."""
    ads, ad_sets = (
        _group_by_parent(context.store.find(Ad, parent=account.id)),
        _group_by_parent(context.store.find(AdSet, parent=account.id)),
    )
    campaigns = context.store.find(Campaign, parent=account.id)

    def listed(
        level: str, things: Sequence[SwitchedObject], inner: Callable[[str], list[AdObjectView]]
    ) -> list[AdObjectView]:
        kept = [
            switched_object for switched_object in reversed(things) if get_state(context, switched_object) != "deleted"
        ]
        return [
            _build_ad_view(context, account, level, switched_object, status(switched_object), inner(switched_object.id))
            for switched_object in kept
        ]

    def ads_of(ad_set: str) -> list[AdObjectView]:
        return listed("ad", ads.get(ad_set, ()), lambda _key: [])

    return listed("campaign", campaigns, lambda key: listed("ad set", ad_sets.get(key, ()), ads_of))


def _build_ad_view(
    context: VendorContext,
    account: ad_spend.Account,
    level: str,
    ad_object: SwitchedObject,
    status: str,
    inner: list[AdObjectView],
) -> AdObjectView:
    verdict = get_verdict(context, ad_object) if isinstance(ad_object, Ad) else None
    return AdObjectView(
        id=ad_object.id,
        name=ad_object.name or ad_object.id,
        level=level,
        state=status.lower().replace("_", " "),
        impressions=account.count_total("impressions", ad_object.id),
        clicks=account.count_total("clicks", ad_object.id),
        spend=to_major_units(account, "spend", account.count_total("spend", ad_object.id)),
        currency=account.currency,
        review="" if verdict is None else verdict.stage,
        reason="" if verdict is None else verdict.reason,
        inner=inner,
    )


def to_major_units(account: ad_spend.Account, metric: str, number: int) -> float:
    """Convert an amount into whole units of the currency. Other metrics stay as they are."""
    if metric not in MONEY_METRICS:
        return number
    return round(number / get_minor_units(account.currency), count_decimals(account.currency))


def build_review_action(
    notify_product: Callable[[VendorContext, Ad], int] = lambda _world, _ad: 0,
) -> Action[ReviewAdRequest]:
    """Return the verb that decides about an ad. `notify_product` sends the webhooks about it and returns how many."""

    def review_ad(context: VendorContext, request: ReviewAdRequest) -> dict[str, Any]:
        ad = context.store.get(Ad, request.ad)
        if ad is None or ad.parent != request.account:
            raise ControlError(f"The account has no ad {request.ad!r}. GET /_control/numbers lists them as posts.")
        reason = request.reason or ("The ad does not follow our policies." if request.verdict == "rejected" else "")
        ad.reviews = append_value(ad.reviews, context.clock.now(), Verdict(request.verdict, reason))
        context.store.put(ad)
        return {"account": ad.parent, "ad": ad.id, "verdict": request.verdict, "webhooks": notify_product(context, ad)}

    return Action("Approve or reject an ad", ReviewAdRequest, review_ad, field_choices={"ad": _list_ad_choices})


def set_pace(context: VendorContext, request: SetPaceRequest) -> dict[str, Any]:
    if not 0 <= request.times <= _MAX_PACE:
        raise ControlError(f"times must be from 0 to {_MAX_PACE}.", 422)
    rules = context.store.get(AdAccountRules, request.account) or AdAccountRules(id=request.account)
    rules.paces = append_value(rules.paces, context.clock.now(), request.times)
    context.store.put(rules)
    return {"account": request.account, "times": request.times}


PACE_ACTION: Action[SetPaceRequest] = Action("Spend faster or slower", SetPaceRequest, set_pace)
_MAX_PACE = 1000


def _list_ad_choices(context: VendorContext, account: str) -> dict[str, str]:
    return {ad.id: ad.name or ad.id for ad in context.store.find(Ad, parent=account)}


def _build_spend_ad_set(ad_object: AdSet, ads: Sequence[Ad]) -> ad_spend.AdSet:
    inner = tuple(
        ad_spend.Ad(
            id=ad.id,
            active_spans=intersect_spans(_list_on_spans(ad.switches), _list_approved_spans(ad)),
            video=ad.video,
        )
        for ad in ads
    )
    on = _list_on_spans(ad_object.switches)
    return ad_spend.AdSet(
        id=ad_object.id,
        ads=inner,
        active_spans=on,
        schedule=ad_object.schedule,
        budgets=ad_object.budgets,
        goal=ad_object.goal,
    )


def _list_on_spans(switches: Sequence[TimedValue[SwitchState]]) -> tuple[TimeSpan, ...]:
    return find_spans(switches, lambda state: state == "on")


def _list_approved_spans(ad: Ad) -> tuple[TimeSpan, ...]:
    return find_spans(ad.reviews, lambda verdict: verdict.stage == "approved")


def _group_by_parent(things: Sequence[Any]) -> dict[str, list[Any]]:
    result: dict[str, list[Any]] = {}
    for item in things:
        result.setdefault(item.above, []).append(item)
    return result
