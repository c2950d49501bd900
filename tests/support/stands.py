"""Ads at the sandbox, through a connector: an ad account, and what is needed to create something in it."""

from collections.abc import Coroutine
from datetime import UTC, datetime
from secrets import randbits
from typing import Any, TypeVar

from socialgate.contracts.ad_audiences import AUDIENCES, CUSTOM_CONVERSIONS, PIXELS
from socialgate.contracts.ad_insights import AD_INSIGHTS
from socialgate.contracts.ad_values import AdBudget, AdTargeting, Goal
from socialgate.contracts.ads import (
    AD_TARGETING,
    ADS,
    AdQuery,
    Change,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
    Objects,
)
from socialgate.contracts.failures import OutcomeUnknown, PlatformNotFound
from socialgate.contracts.money import Money
from socialgate.contracts.operations import NotSeen
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import CannotTell
from support.publishing import Desk

T = TypeVar("T")
SWEDES = AdTargeting(countries=("SE",))


class Stand:
    """An ad account of the sandbox's people."""

    def __init__(self, desk: Desk, kind: Kind) -> None:
        self.desk = desk
        self.held = desk.sign_in(kind)[0]
        self.currency = str(self.held.details["currency"])
        self.ads = desk.part(kind, ADS)
        self.targeting = desk.part(kind, AD_TARGETING)
        self.insights = desk.part(kind, AD_INSIGHTS)
        self.audiences = desk.part(kind, AUDIENCES)
        self.pixels = desk.part(kind, PIXELS)
        self.conversions = desk.part(kind, CUSTOM_CONVERSIONS)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.desk.wait_for(work)

    @property
    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0) + self.desk.clock.ahead

    def daily(self, amount: int) -> AdBudget:
        return AdBudget.of(Money(amount, self.currency), "daily")

    def fresh(self) -> dict[str, Any]:
        return {"asked_at": self.now, "reference": str(randbits(63))}

    def a_campaign(self, name: str = "Buns", goal: Goal = Goal.TRAFFIC, **more: Any) -> NewCampaign:
        return NewCampaign(name=name, goal=goal, **{**self.fresh(), **more})

    def an_adset(self, campaign_id: str, name: str = "Swedes", **more: Any) -> NewAdSet:
        usual: dict[str, Any] = {"budget": self.daily(60_000), "targeting": SWEDES, "goal": Goal.TRAFFIC}
        if self.held.kind is Kind.META_ADS:
            # The European Union requires it.
            usual["options"] = {"dsa_beneficiary": "Lindqvist Bakery", "dsa_payor": "Lindqvist Bakery"}
        return NewAdSet(name=name, campaign_id=campaign_id, **{**self.fresh(), **usual, **more})

    def a_creative(self, name: str = "Fresh buns", **more: Any) -> NewCreative:
        return NewCreative(name=name, **{**self.fresh(), **more})

    def an_ad(self, adset_id: str, creative: NewCreative, name: str = "Buns ad", **more: Any) -> NewAdUnit:
        return NewAdUnit(name=name, adset_id=adset_id, creative=creative, **{**self.fresh(), **more})

    def make(self, objects: Objects[Any, Any], new: Any) -> Any:
        """Create something that has nothing wrong with it, and read it again."""
        assert objects.faults(new) == [], new
        made = self.wait(objects.create(self.held, new))
        return self.wait(objects.find(self.held, made.id))


def check_life(stand: Stand, objects: Objects[Any, Any], new: Any, change: Change) -> None:
    """Create something, find it in its list, change it, and delete it; then it is gone."""
    made = stand.make(objects, new)
    assert made.name == new.name
    listed = stand.wait(objects.list(stand.held, AdQuery(limit=100))).items
    assert made in listed
    assert objects.change_faults(change) == []
    stand.wait(objects.update(stand.held, made.id, change))
    assert stand.wait(objects.find(stand.held, made.id)).name == change.name
    stand.wait(objects.delete(stand.held, made.id))
    for again in (objects.find(stand.held, made.id), objects.delete(stand.held, made.id)):
        with_gone(stand, again)
    assert made.id not in {one.id for one in stand.wait(objects.list(stand.held, AdQuery(limit=100))).items}


def with_gone(stand: Stand, work: Coroutine[Any, Any, Any]) -> None:
    try:
        stand.wait(work)
    except PlatformNotFound:
        return
    raise AssertionError("it is still there")


def check_lost(stand: Stand, objects: Objects[Any, Any], path: str, new: Any, *, unique: bool = False) -> None:
    """Lose the response of the call that creates something: what it created is found, if there is only one of that
    name. The platform itself may allow only one (`unique`).
    """
    assert isinstance(stand.wait(objects.look(stand.held, new)), NotSeen)
    stand.desk.fail(path, when="after", method="POST")
    try:
        stand.wait(objects.create(stand.held, new))
    except OutcomeUnknown:
        pass
    else:
        raise AssertionError("the response should have been lost")
    found: Any = stand.wait(objects.look(stand.held, new))
    assert found == stand.wait(objects.find(stand.held, found.id))
    assert found.name == new.name
    # What is older than the request is another one.
    stand.desk.rest(600)
    later = type(new)(**{**{name: getattr(new, name) for name in new.__struct_fields__}, **stand.fresh()})
    assert isinstance(stand.wait(objects.look(stand.held, later)), NotSeen)
    if unique:
        return
    stand.wait(objects.create(stand.held, later))
    stand.wait(
        objects.create(
            stand.held,
            type(new)(
                **{**{name: getattr(later, name) for name in later.__struct_fields__}, "reference": str(randbits(63))}
            ),
        )
    )
    assert isinstance(stand.wait(objects.look(stand.held, later)), CannotTell)


def check_pages(stand: Stand, objects: Objects[Any, Any], names: list[str]) -> None:
    """Read a list in pages of one."""
    found: list[str] = []
    cursor: str | None = None
    for _ in range(50):
        page = stand.wait(objects.list(stand.held, AdQuery(limit=1, cursor=cursor)))
        found += [str(one.name) for one in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert set(names) <= set(found)
    assert len(found) == len(set(found)), "nothing is listed twice"
