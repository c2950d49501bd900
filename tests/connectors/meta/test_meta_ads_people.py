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
    HashedPerson,
    NewAudience,
    NewConversion,
    PixelEvent,
)
from socialgate.contracts.ad_insights import AdInsightsLevel, AdInsightsQuery, Breakdown, Granularity
from socialgate.contracts.ad_values import AdIdentity
from socialgate.contracts.ads import AdObjectChanges, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_PIXEL
from support.ads_connector import AdsConnectorFixture, check_life, check_lost
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def stand(desk: ConnectorDriver) -> AdsConnectorFixture:
    return AdsConnectorFixture(desk, Kind.META_ADS)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def an_event(stand: AdsConnectorFixture, **more: object) -> PixelEvent:
    person = HashedPerson(email=hashed("ada@example.com"), user_agent="Test/1")
    usual = {"name": "Purchase", "at": stand.now, "id": "order-1", "url": "https://bakery.example.com/thanks"}
    return PixelEvent(**{**usual, "person": person, "value": Money(34_900, "SEK"), **more})  # type: ignore[arg-type]  # a test's own values


def test_customers_are_uploaded_and_removed(stand: AdsConnectorFixture) -> None:
    new = NewAudience(name="Regulars", kind=AudienceKind.CUSTOMERS, description="Who come often", **stand.fresh())
    created = stand.make(stand.audiences, new)
    assert (created.kind, created.description) == (AudienceKind.CUSTOMERS, "Who come often")
    people = [
        HashedPerson(email=hashed(f"{number}@example.com"), phone=hashed(f"46{number}")) for number in range(1200)
    ]
    actions: tuple[Literal["add", "remove"], ...] = ("add", "remove")
    for action in actions:
        done = stand.wait(stand.audiences.upload_people(stand.credentials, created.id, people, action))
        assert (done.received, done.invalid) == (1200, 0)
    check_life(stand, stand.audiences, new, AdObjectChanges(name="Best customers"))


def test_visitors_and_people_like_them_are_audiences(stand: AdsConnectorFixture) -> None:
    visitors = NewAudience(
        name="Visitors",
        kind=AudienceKind.WEBSITE,
        pixel_id=BAKERY_PIXEL,
        url_contains=("/buns", "/cakes"),
        event="Purchase",
        retention_days=60,
        **stand.fresh(),
    )
    created = stand.make(stand.audiences, visitors)
    assert (created.kind, created.retention_days) == (AudienceKind.WEBSITE, 60)
    like = NewAudience(
        name="Like them",
        kind=AudienceKind.LOOKALIKE,
        source_id=created.id,
        countries=("SE",),
        ratio=0.02,
        **stand.fresh(),
    )
    assert stand.make(stand.audiences, like).kind is AudienceKind.LOOKALIKE
    empty = NewAudience(name="x", kind=AudienceKind.LOOKALIKE, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.validate_new_object(empty)] == ["/sourceId", "/countries"]
    other = NewAudience(name="x", kind=AudienceKind.ENGAGEMENT, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.validate_new_object(other)] == ["/kind"]


def test_lost_audiences_are_found(stand: AdsConnectorFixture) -> None:
    new = NewAudience(name="Lost", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    check_lost(stand, stand.audiences, "*/customaudiences", new)


def test_events_reach_the_pixel(stand: AdsConnectorFixture) -> None:
    (pixel,) = stand.wait(stand.pixels.list(stand.credentials, AdQuery(limit=10))).items
    assert pixel.id == BAKERY_PIXEL
    event = an_event(stand)
    assert stand.pixels.validate_event(event, stand.now) == []
    assert stand.wait(stand.pixels.send_events(stand.credentials, BAKERY_PIXEL, [event, event], None)) == ()
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.pixels.send_events(stand.credentials, "42", [event], None))
    wrong = an_event(stand, at=stand.now - timedelta(days=8), url=None, value=None, person=HashedPerson())
    assert {fault.pointer for fault in stand.pixels.validate_event(wrong, stand.now)} == {
        *("/at", "/url", "/value", "/user", "/user/userAgent")
    }
    with pytest.raises(PlatformRejectedError):
        stand.wait(stand.pixels.send_events(stand.credentials, BAKERY_PIXEL, [event, wrong], None))


def test_conversions_keep_their_rules(stand: AdsConnectorFixture) -> None:
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
    created = stand.make(stand.conversions, new)
    assert (created.pixel_id, created.event, created.rules, created.value) == (
        BAKERY_PIXEL,
        "Purchase",
        rules,
        new.value,
    )
    query = AdQuery(limit=10, pixel_id="42")
    assert stand.wait(stand.conversions.list(stand.credentials, query)).items == []
    second = msgspec.structs.replace(new, name="More orders")
    check_life(stand, stand.conversions, second, AdObjectChanges(name="Big orders", description="Of cakes"))
    odd = msgspec.structs.replace(new, event="PageView")
    assert [fault.pointer for fault in stand.conversions.validate_new_object(odd)] == ["/event"]


def a_query(stand: AdsConnectorFixture, **more: object) -> AdInsightsQuery:
    today = stand.now.date()
    usual = {
        "level": AdInsightsLevel.CAMPAIGN,
        "days": DateRange(today - timedelta(days=7), today - timedelta(days=1)),
        "limit": 100,
    }
    return AdInsightsQuery(**{**usual, "granularity": Granularity.TOTAL, **more})  # type: ignore[arg-type]  # a test's own values


def advertise(stand: AdsConnectorFixture) -> None:
    """Let an ad run for three days."""
    on: dict[str, Any] = {"configured_status": "active"}
    campaign = stand.make(stand.ads.campaigns, stand.a_campaign(**on))
    adset = stand.make(stand.ads.adsets, stand.an_adset(campaign.id, **on))
    page = AdIdentity(id=BAKERY, kind=Kind.FACEBOOK_PAGE)
    creative = stand.a_creative(publisher=page, text="Buns", url="https://bakery.example.com")
    stand.make(stand.ads.ads, stand.an_ad(adset.id, creative, **on))
    stand.desk.rest(3 * 24 * 60 * 60)


def test_reports_have_the_same_rows_as_reading(stand: AdsConnectorFixture) -> None:
    advertise(stand)
    insights, credentials = stand.insights, stand.credentials
    for query in (
        a_query(stand),
        a_query(stand, granularity=Granularity.DAY, breakdowns=(Breakdown.AGE, Breakdown.GENDER)),
        a_query(stand, level=AdInsightsLevel.ACCOUNT, breakdowns=(Breakdown.HOUR,)),
    ):
        assert insights.validate_query(query) == []
        page = stand.wait(insights.read_page(credentials, query))
        assert page.items, query
        assert all(row.spend is None or row.spend.currency == "SEK" for row in page.items)
        assert {name for row in page.items for name in row.breakdowns} == {
            str(breakdown) for breakdown in query.breakdowns
        }
        handle = stand.wait(insights.start_report(credentials, query))
        assert handle is not None
        for _ in range(20):
            if stand.wait(insights.get_report_state(credentials, handle)).done:
                break
            stand.desk.rest(5)
        assert stand.wait(insights.read_report_page(credentials, query, handle)).items == page.items
    first = stand.wait(insights.read_page(credentials, a_query(stand, granularity=Granularity.DAY, limit=1)))
    assert first.cursor is not None
    rest = stand.wait(
        insights.read_page(credentials, a_query(stand, granularity=Granularity.DAY, limit=1, cursor=first.cursor))
    )
    assert rest.items
    assert rest.items[0] not in first.items


def test_what_meta_cannot_report_is_said(stand: AdsConnectorFixture) -> None:
    old = DateRange(stand.now.date() - timedelta(days=1500), stand.now.date())
    wrong = a_query(stand, days=old, breakdowns=(Breakdown.HOUR, Breakdown.AGE))
    assert [fault.pointer for fault in stand.insights.validate_query(wrong)] == ["?breakdowns", "?since"]
    mixed = a_query(stand, breakdowns=(Breakdown.AGE, Breakdown.COUNTRY, Breakdown.REGION))
    assert [fault.pointer for fault in stand.insights.validate_query(mixed)] == ["?breakdowns"]
    many = a_query(stand, level=AdInsightsLevel.AD, granularity=Granularity.DAY, breakdowns=(Breakdown.COUNTRY,))
    assert stand.insights.needs_report(many)
    assert not stand.insights.needs_report(a_query(stand))
