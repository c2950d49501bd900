"""Ads at the sandbox, through a connector: an ad account, and what is needed to create something in it."""

from collections.abc import Coroutine
from datetime import UTC, datetime
from secrets import randbits
from typing import Any, TypeVar

import msgspec

from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, CUSTOM_CONVERSIONS_CAPABILITY, PIXELS_CAPABILITY
from socialgate.contracts.ad_insights import AD_INSIGHTS_CAPABILITY
from socialgate.contracts.ad_values import AdBudget, AdTargeting, Goal
from socialgate.contracts.ads import (
    AD_TARGETING_CAPABILITY,
    ADVERTISING_CAPABILITY,
    AdObjectAdapter,
    AdObjectChanges,
    AdQuery,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
)
from socialgate.contracts.failures import OutcomeUnknownError, PlatformNotFoundError
from socialgate.contracts.money import Money
from socialgate.contracts.operations import NotFoundYet
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import Inconclusive
from support.publishing import ConnectorDriver

T = TypeVar("T")
SWEDES = AdTargeting(countries=("SE",))


class AdsConnectorFixture:
    """An ad account of the sandbox's people."""

    def __init__(self, desk: ConnectorDriver, kind: Kind) -> None:
        self.desk = desk
        self.credentials = desk.sign_in(kind)[0]
        self.currency = str(self.credentials.details["currency"])
        self.ads = desk.part(kind, ADVERTISING_CAPABILITY)
        self.targeting = desk.part(kind, AD_TARGETING_CAPABILITY)
        self.insights = desk.part(kind, AD_INSIGHTS_CAPABILITY)
        self.audiences = desk.part(kind, AUDIENCES_CAPABILITY)
        self.pixels = desk.part(kind, PIXELS_CAPABILITY)
        self.conversions = desk.part(kind, CUSTOM_CONVERSIONS_CAPABILITY)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        return self.desk.wait_for(work)

    @property
    def now(self) -> datetime:
        return datetime.now(UTC).replace(microsecond=0) + self.desk.clock.offset

    def daily(self, amount: int) -> AdBudget:
        return AdBudget.from_money(Money(amount, self.currency), "daily")

    def fresh(self) -> dict[str, Any]:
        return {"asked_at": self.now, "idempotency_reference": str(randbits(63))}

    def a_campaign(self, name: str = "Buns", goal: Goal = Goal.TRAFFIC, **more: Any) -> NewCampaign:
        return NewCampaign(name=name, goal=goal, **{**self.fresh(), **more})

    def an_adset(self, campaign_id: str, name: str = "Swedes", **more: Any) -> NewAdSet:
        usual: dict[str, Any] = {"budget": self.daily(60_000), "targeting": SWEDES, "goal": Goal.TRAFFIC}
        if self.credentials.kind is Kind.META_ADS:
            # The European Union requires it.
            usual["options"] = {"dsa_beneficiary": "Lindqvist Bakery", "dsa_payor": "Lindqvist Bakery"}
        return NewAdSet(name=name, campaign_id=campaign_id, **{**self.fresh(), **usual, **more})

    def a_creative(self, name: str = "Fresh buns", **more: Any) -> NewCreative:
        return NewCreative(name=name, **{**self.fresh(), **more})

    def an_ad(self, adset_id: str, creative: NewCreative, name: str = "Buns ad", **more: Any) -> NewAdUnit:
        return NewAdUnit(name=name, adset_id=adset_id, creative=creative, **{**self.fresh(), **more})

    def make(self, objects: AdObjectAdapter[Any, Any], new: Any) -> Any:
        """Create something that has nothing wrong with it, and read it again."""
        assert objects.validate_new_object(new) == [], new
        created = self.wait(objects.create(self.credentials, new))
        return self.wait(objects.find(self.credentials, created.id))


def check_life(
    stand: AdsConnectorFixture, objects: AdObjectAdapter[Any, Any], new: Any, change: AdObjectChanges
) -> None:
    """Create something, find it in its list, change it, and delete it; then it is gone."""
    created = stand.make(objects, new)
    assert created.name == new.name
    listed = stand.wait(objects.list(stand.credentials, AdQuery(limit=100))).items
    assert created in listed
    assert objects.validate_changes(change) == []
    stand.wait(objects.update(stand.credentials, created.id, change))
    assert stand.wait(objects.find(stand.credentials, created.id)).name == change.name
    stand.wait(objects.delete(stand.credentials, created.id))
    for again in (objects.find(stand.credentials, created.id), objects.delete(stand.credentials, created.id)):
        require_not_found(stand, again)
    assert created.id not in {item.id for item in stand.wait(objects.list(stand.credentials, AdQuery(limit=100))).items}


def require_not_found(stand: AdsConnectorFixture, work: Coroutine[Any, Any, Any]) -> None:
    try:
        stand.wait(work)
    except PlatformNotFoundError:
        return
    raise AssertionError("it is still there")


def check_lost(
    stand: AdsConnectorFixture, objects: AdObjectAdapter[Any, Any], path: str, new: Any, *, unique: bool = False
) -> None:
    """Lose the response of the call that creates something: what it created is found, if there is only one of that
    name. The platform itself may allow only one (`unique`).
    """
    assert isinstance(stand.wait(objects.look_up_result(stand.credentials, new)), NotFoundYet)
    stand.desk.fail(path, when="after", method="POST")
    try:
        stand.wait(objects.create(stand.credentials, new))
    except OutcomeUnknownError:
        pass
    else:
        raise AssertionError("the response should have been lost")
    result: Any = stand.wait(objects.look_up_result(stand.credentials, new))
    assert result == stand.wait(objects.find(stand.credentials, result.id))
    assert result.name == new.name
    # What is older than the request is another one.
    stand.desk.rest(600)
    later = type(new)(**{**{name: getattr(new, name) for name in new.__struct_fields__}, **stand.fresh()})
    assert isinstance(stand.wait(objects.look_up_result(stand.credentials, later)), NotFoundYet)
    if unique:
        return
    stand.wait(objects.create(stand.credentials, later))
    twin = msgspec.structs.replace(later, idempotency_reference=str(randbits(63)))
    stand.wait(objects.create(stand.credentials, twin))
    assert isinstance(stand.wait(objects.look_up_result(stand.credentials, later)), Inconclusive)


def check_pages(stand: AdsConnectorFixture, objects: AdObjectAdapter[Any, Any], names: list[str]) -> None:
    """Read a list in pages of one."""
    result: list[str] = []
    cursor: str | None = None
    for _ in range(50):
        page = stand.wait(objects.list(stand.credentials, AdQuery(limit=1, cursor=cursor)))
        result += [str(item.name) for item in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert set(names) <= set(result)
    assert len(result) == len(set(result)), "nothing is listed twice"
