"""Audiences, pixels, conversions and insights of Meta at the sandbox."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any, Literal

import msgspec
import pytest

from socialgate.contracts.ad_audiences import (
    AudienceKind,
    ConversionRule,
    NewAudience,
    NewConversion,
    PersonData,
    PixelEvent,
)
from socialgate.contracts.ad_insights import AdInsightsQuery, Breakdown, Granularity, Level
from socialgate.contracts.ad_values import Publisher
from socialgate.contracts.ads import AdQuery, Change
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.insights import Days
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_PIXEL
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox
from support.stands import Stand, check_life, check_lost


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def stand(desk: Desk) -> Stand:
    return Stand(desk, Kind.META_ADS)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def an_event(stand: Stand, **more: object) -> PixelEvent:
    person = PersonData(email=hashed("ada@example.com"), user_agent="Test/1")
    usual = {"name": "Purchase", "at": stand.now, "id": "order-1", "url": "https://bakery.example.com/thanks"}
    return PixelEvent(**{**usual, "person": person, "value": Money(34_900, "SEK"), **more})  # type: ignore[arg-type]  # a test's own values


def test_customers_are_uploaded_and_removed(stand: Stand) -> None:
    new = NewAudience(name="Regulars", kind=AudienceKind.CUSTOMERS, description="Who come often", **stand.fresh())
    made = stand.make(stand.audiences, new)
    assert (made.kind, made.description) == (AudienceKind.CUSTOMERS, "Who come often")
    people = [PersonData(email=hashed(f"{number}@example.com"), phone=hashed(f"46{number}")) for number in range(1200)]
    actions: tuple[Literal["add", "remove"], ...] = ("add", "remove")
    for action in actions:
        done = stand.wait(stand.audiences.upload(stand.held, made.id, people, action))
        assert (done.received, done.invalid) == (1200, 0)
    check_life(stand, stand.audiences, new, Change(name="Best customers"))


def test_visitors_and_people_like_them_are_audiences(stand: Stand) -> None:
    visitors = NewAudience(
        name="Visitors",
        kind=AudienceKind.WEBSITE,
        pixel_id=BAKERY_PIXEL,
        url_contains=("/buns", "/cakes"),
        event="Purchase",
        retention_days=60,
        **stand.fresh(),
    )
    made = stand.make(stand.audiences, visitors)
    assert (made.kind, made.retention_days) == (AudienceKind.WEBSITE, 60)
    like = NewAudience(
        name="Like them", kind=AudienceKind.LOOKALIKE, source_id=made.id, countries=("SE",), ratio=0.02, **stand.fresh()
    )
    assert stand.make(stand.audiences, like).kind is AudienceKind.LOOKALIKE
    empty = NewAudience(name="x", kind=AudienceKind.LOOKALIKE, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.faults(empty)] == ["/sourceId", "/countries"]
    other = NewAudience(name="x", kind=AudienceKind.ENGAGEMENT, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.faults(other)] == ["/kind"]


def test_lost_audiences_are_found(stand: Stand) -> None:
    new = NewAudience(name="Lost", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    check_lost(stand, stand.audiences, "*/customaudiences", new)


def test_events_reach_the_pixel(stand: Stand) -> None:
    (pixel,) = stand.wait(stand.pixels.list(stand.held, AdQuery(limit=10))).items
    assert pixel.id == BAKERY_PIXEL
    event = an_event(stand)
    assert stand.pixels.event_faults(event, stand.now) == []
    assert stand.wait(stand.pixels.send(stand.held, BAKERY_PIXEL, [event, event], None)) == ()
    with pytest.raises(PlatformNotFound):
        stand.wait(stand.pixels.send(stand.held, "42", [event], None))
    wrong = an_event(stand, at=stand.now - timedelta(days=8), url=None, value=None, person=PersonData())
    assert {fault.pointer for fault in stand.pixels.event_faults(wrong, stand.now)} == {
        *("/at", "/url", "/value", "/user", "/user/userAgent")
    }
    with pytest.raises(Rejected):
        stand.wait(stand.pixels.send(stand.held, BAKERY_PIXEL, [event, wrong], None))


def test_conversions_keep_their_rules(stand: Stand) -> None:
    rules = (
        ConversionRule(field="url", operator="contains", values=("thanks", "done")),
        ConversionRule(field="url", operator="notContains", values=("test",)),
    )
    new = NewConversion(
        name="Orders",
        pixel_id=BAKERY_PIXEL,
        event="Purchase",
        rules=rules,
        value=Money(34_950, "SEK"),
        **stand.fresh(),
    )
    made = stand.make(stand.conversions, new)
    assert (made.pixel_id, made.event, made.rules, made.value) == (BAKERY_PIXEL, "Purchase", rules, new.value)
    query = AdQuery(limit=10, pixel_id="42")
    assert stand.wait(stand.conversions.list(stand.held, query)).items == []
    second = msgspec.structs.replace(new, name="More orders")
    check_life(stand, stand.conversions, second, Change(name="Big orders", description="Of cakes"))
    odd = msgspec.structs.replace(new, event="PageView")
    assert [fault.pointer for fault in stand.conversions.faults(odd)] == ["/event"]


def a_query(stand: Stand, **more: object) -> AdInsightsQuery:
    today = stand.now.date()
    usual = {"level": Level.CAMPAIGN, "days": Days(today - timedelta(days=7), today - timedelta(days=1)), "limit": 100}
    return AdInsightsQuery(**{**usual, "granularity": Granularity.TOTAL, **more})  # type: ignore[arg-type]  # a test's own values


def advertise(stand: Stand) -> None:
    """Let an ad run for three days."""
    on: dict[str, Any] = {"switch": "active"}
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(**on))
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, **on))
    page = Publisher(id=BAKERY, kind=Kind.FACEBOOK_PAGE)
    creative = stand.a_creative(publisher=page, text="Buns", url="https://bakery.example.com")
    stand.make(stand.ads.ads, stand.an_ad(adset.id, creative, **on))
    stand.desk.rest(3 * 24 * 60 * 60)


def test_reports_have_the_same_rows_as_reading(stand: Stand) -> None:
    advertise(stand)
    insights, held = stand.insights, stand.held
    for query in (
        a_query(stand),
        a_query(stand, granularity=Granularity.DAY, breakdowns=(Breakdown.AGE, Breakdown.GENDER)),
        a_query(stand, level=Level.ACCOUNT, breakdowns=(Breakdown.HOUR,)),
    ):
        assert insights.query_faults(query) == []
        page = stand.wait(insights.read(held, query))
        assert page.items, query
        assert all(row.spend is None or row.spend.currency == "SEK" for row in page.items)
        assert {name for row in page.items for name in row.breakdowns} == {str(one) for one in query.breakdowns}
        handle = stand.wait(insights.start(held, query))
        assert handle is not None
        for _ in range(20):
            if stand.wait(insights.check(held, handle)).done:
                break
            stand.desk.rest(5)
        assert stand.wait(insights.rows(held, query, handle)).items == page.items
    first = stand.wait(insights.read(held, a_query(stand, granularity=Granularity.DAY, limit=1)))
    assert first.cursor is not None
    rest = stand.wait(insights.read(held, a_query(stand, granularity=Granularity.DAY, limit=1, cursor=first.cursor)))
    assert rest.items
    assert rest.items[0] not in first.items


def test_what_meta_cannot_report_is_said(stand: Stand) -> None:
    old = Days(stand.now.date() - timedelta(days=1500), stand.now.date())
    wrong = a_query(stand, days=old, breakdowns=(Breakdown.HOUR, Breakdown.AGE))
    assert [fault.pointer for fault in stand.insights.query_faults(wrong)] == ["?breakdowns", "?since"]
    mixed = a_query(stand, breakdowns=(Breakdown.AGE, Breakdown.COUNTRY, Breakdown.REGION))
    assert [fault.pointer for fault in stand.insights.query_faults(mixed)] == ["?breakdowns"]
    many = a_query(stand, level=Level.AD, granularity=Granularity.DAY, breakdowns=(Breakdown.COUNTRY,))
    assert stand.insights.is_long(many)
    assert not stand.insights.is_long(a_query(stand))
