"""Campaigns, ad sets and ads as any ad platform keeps them, with the histories from which `spend` counts.

A vendor stores a `Campaign`, an `AdSet` and an `Ad` for each of its objects, whatever it calls them. `fields` are the
values that the vendor returns as it received them; what the simulation needs is kept beside them. `parent` is always
the ad account, `above` is the campaign of an ad set and the ad set of an ad.

    ad_set.budgets = marked(ad_set.budgets, world.clock.now(), Budget(5000))
    switch(world, ad_set, "off")
    spending(world, account, currency="SEK", zone=ZoneInfo("Europe/Stockholm")).between("clicks", start, end)

An ad is reviewed for `REVIEW` after it is created and after its content changes. It is rejected if its text contains
one of the `TRIGGERS`. People and tests decide otherwise with the verb `review`, and change with the verb `pace` how
fast an account spends.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

import msgspec

from socialgate_sandbox.kit import (
    Action,
    ActionRequest,
    ControlError,
    ShownAdvert,
    ShownCounts,
    ShownDay,
    ShownNumbers,
    Thing,
    World,
)
from socialgate_sandbox.society import spend
from socialgate_sandbox.society.catalogs import places_of
from socialgate_sandbox.society.metrics import days
from socialgate_sandbox.society.spend import Budget, Goal, Mark, Span, marked, overlap, spans, units, value_at

Switch: TypeAlias = Literal["on", "off", "archived", "deleted"]
Stage: TypeAlias = Literal["in_review", "approved", "rejected"]
REVIEW = timedelta(minutes=5)
# Words in an ad, in any case, with the reason for which it is rejected.
TRIGGERS = {
    "miracle cure": "The ad makes misleading claims about health.",
    "get rich quick": "The ad promises unrealistic financial results.",
    "replica watches": "The ad promotes counterfeit products.",
}
MONEY = {"spend", "value"}


class Verdict(msgspec.Struct, frozen=True):
    stage: Stage
    reason: str = ""


class Kept(Thing, kw_only=True):
    """Anything in an ad account that callers create and change, such as an audience."""

    made: datetime
    changed: datetime
    name: str = ""
    fields: dict[str, Any] = {}


class Managed(Kept, kw_only=True):
    switches: tuple[Mark[Switch], ...]
    above: str = ""


class Campaign(Managed, kw_only=True):
    budgets: tuple[Mark[Budget], ...] = ()


class AdSet(Managed, kw_only=True):
    schedule: tuple[Mark[Span], ...]
    budgets: tuple[Mark[Budget], ...] = ()
    goal: Goal = "reach"


class Ad(Managed, kw_only=True):
    reviews: tuple[Mark[Verdict], ...]
    video: bool = True


class AdAccountRules(Thing):
    """What applies to everything in an ad account, which is the id."""

    paces: tuple[Mark[float], ...] = ()
    switches: tuple[Mark[Switch], ...] = ()


class JudgeAd(ActionRequest, frozen=True, kw_only=True):
    account: str
    ad: str
    verdict: Stage = "rejected"
    reason: str = ""


class SetPace(ActionRequest, frozen=True, kw_only=True):
    """How many times as fast as usual the ads of an account spend, within their budgets."""

    account: str
    times: float = 24.0


def state_of(world: World, one: Managed) -> Switch:
    return value_at(one.switches, world.clock.now())


def switch(world: World, one: Managed, state: Switch) -> None:
    one.changed = world.clock.now()
    one.switches = marked(one.switches, one.changed, state)
    world.store.put(one)


def switch_account(world: World, account: str, state: Switch) -> None:
    """Stop or resume everything in an ad account, such as when it is suspended."""
    rules = world.store.get(AdAccountRules, account) or AdAccountRules(id=account)
    before = rules.switches or (Mark(spend.ALWAYS[0].start, "on"),)
    rules.switches = marked(before, world.clock.now(), state)
    world.store.put(rules)


def submitted(world: World, texts: Sequence[str], earlier: tuple[Mark[Verdict], ...] = ()) -> tuple[Mark[Verdict], ...]:
    """Return the reviews of an ad whose content is submitted now."""
    now = world.clock.now()
    words = " ".join(texts).lower()
    reason = next((reason for trigger, reason in TRIGGERS.items() if trigger in words), "")
    verdict = Verdict("rejected", reason) if reason else Verdict("approved")
    return (*marked(earlier, now, Verdict("in_review")), Mark(now + REVIEW, verdict))


def verdict_of(world: World, ad: Ad) -> Verdict:
    return value_at(ad.reviews, world.clock.now())


def spending(world: World, account: str, *, currency: str, zone: ZoneInfo) -> spend.Account:
    """Return everything in an ad account, in the form in which its numbers are counted."""
    rules = world.store.get(AdAccountRules, account) or AdAccountRules(id=account)
    ads, ad_sets = _by_above(world.store.find(Ad, parent=account)), _by_above(world.store.find(AdSet, parent=account))
    campaigns = tuple(
        spend.Campaign(
            id=one.id,
            on=_switched_on(one.switches),
            budgets=one.budgets,
            ad_sets=tuple(_ad_set(inner, ads.get(inner.id, ())) for inner in ad_sets.get(one.id, ())),
        )
        for one in world.store.find(Campaign, parent=account)
    )
    return spend.Account(
        id=account,
        campaigns=campaigns,
        currency=currency,
        zone=zone,
        now=world.clock.now(),
        on=_switched_on(rules.switches) if rules.switches else spend.ALWAYS,
        paces=rules.paces,
    )


def shown(world: World, account: spend.Account, names: Mapping[str, str], first: date, last: date) -> ShownNumbers:
    """Return everything that was counted, for the page of numbers. `names` are the platform's names of metrics.

    Amounts are in whole units of the currency, such as dollars. Instead of posts there are ads.
    """
    rows = [
        ShownDay(
            date=day,
            followers=None,
            metrics={name: major(account, of, account.on_day(of, day)) for name, of in names.items()},
        )
        for day in days(first, min(last, account.today))
    ]
    begin, end = account.midnight(first), account.midnight(last + timedelta(days=1))
    ads = [
        ShownCounts(
            id=ad.id,
            at=ad.made,
            metrics={name: major(account, of, account.total(of, ad.id)) for name, of in names.items()},
        )
        for ad in world.store.find(Ad, parent=account.id)
    ]
    totals = {name: major(account, of, account.between(of, begin, end)) for name, of in names.items()}
    return ShownNumbers(zone=account.zone.key, days=rows, totals=totals, posts=ads)


def shown_adverts(world: World, account: spend.Account, status: Callable[[Managed], str]) -> list[ShownAdvert]:
    """Return the campaigns of an account with everything in them, newest first. Deleted ones are left out."""
    ads, ad_sets = (
        _by_above(world.store.find(Ad, parent=account.id)),
        _by_above(world.store.find(AdSet, parent=account.id)),
    )
    campaigns = world.store.find(Campaign, parent=account.id)

    def listed(level: str, things: Sequence[Managed], inner: Callable[[str], list[ShownAdvert]]) -> list[ShownAdvert]:
        kept = [one for one in reversed(things) if state_of(world, one) != "deleted"]
        return [_advert(world, account, level, one, status(one), inner(one.id)) for one in kept]

    def ads_of(ad_set: str) -> list[ShownAdvert]:
        return listed("ad", ads.get(ad_set, ()), lambda _key: [])

    return listed("campaign", campaigns, lambda key: listed("ad set", ad_sets.get(key, ()), ads_of))


def _advert(
    world: World, account: spend.Account, level: str, one: Managed, status: str, inner: list[ShownAdvert]
) -> ShownAdvert:
    verdict = verdict_of(world, one) if isinstance(one, Ad) else None
    return ShownAdvert(
        id=one.id,
        name=one.name or one.id,
        level=level,
        state=status.lower().replace("_", " "),
        impressions=account.total("impressions", one.id),
        clicks=account.total("clicks", one.id),
        spend=major(account, "spend", account.total("spend", one.id)),
        currency=account.currency,
        review="" if verdict is None else verdict.stage,
        reason="" if verdict is None else verdict.reason,
        inner=inner,
    )


def major(account: spend.Account, metric: str, number: int) -> float:
    """Convert an amount into whole units of the currency. Other metrics stay as they are."""
    if metric not in MONEY:
        return number
    return round(number / units(account.currency), places_of(account.currency))


def judge_action(tell: Callable[[World, Ad], int] = lambda _world, _ad: 0) -> Action[JudgeAd]:
    """Return the verb that decides about an ad. `tell` sends the webhooks about it and returns how many."""

    def judge(world: World, request: JudgeAd) -> dict[str, Any]:
        ad = world.store.get(Ad, request.ad)
        if ad is None or ad.parent != request.account:
            raise ControlError(f"The account has no ad {request.ad!r}. GET /_control/numbers lists them as posts.")
        reason = request.reason or ("The ad does not follow our policies." if request.verdict == "rejected" else "")
        ad.reviews = marked(ad.reviews, world.clock.now(), Verdict(request.verdict, reason))
        world.store.put(ad)
        return {"account": ad.parent, "ad": ad.id, "verdict": request.verdict, "webhooks": tell(world, ad)}

    return Action("Approve or reject an ad", JudgeAd, judge, choices={"ad": _ads_of})


def set_pace(world: World, request: SetPace) -> dict[str, Any]:
    if not 0 <= request.times <= _FASTEST:
        raise ControlError(f"times must be from 0 to {_FASTEST}.", 422)
    rules = world.store.get(AdAccountRules, request.account) or AdAccountRules(id=request.account)
    rules.paces = marked(rules.paces, world.clock.now(), request.times)
    world.store.put(rules)
    return {"account": request.account, "times": request.times}


PACE: Action[SetPace] = Action("Spend faster or slower", SetPace, set_pace)
_FASTEST = 1000


def _ads_of(world: World, account: str) -> dict[str, str]:
    return {ad.id: ad.name or ad.id for ad in world.store.find(Ad, parent=account)}


def _ad_set(one: AdSet, ads: Sequence[Ad]) -> spend.AdSet:
    inner = tuple(
        spend.Ad(id=ad.id, on=overlap(_switched_on(ad.switches), _approved(ad)), video=ad.video) for ad in ads
    )
    on = _switched_on(one.switches)
    return spend.AdSet(id=one.id, ads=inner, on=on, schedule=one.schedule, budgets=one.budgets, goal=one.goal)


def _switched_on(switches: Sequence[Mark[Switch]]) -> tuple[Span, ...]:
    return spans(switches, lambda state: state == "on")


def _approved(ad: Ad) -> tuple[Span, ...]:
    return spans(ad.reviews, lambda verdict: verdict.stage == "approved")


def _by_above(things: Sequence[Any]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in things:
        found.setdefault(one.above, []).append(one)
    return found
