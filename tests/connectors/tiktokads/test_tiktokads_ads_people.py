"""Audiences, pixels, conversions and insights of TikTok at the sandbox."""

from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from itertools import count, cycle, islice

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
from socialgate.contracts.ad_insights import AdInsightRow, AdInsightsLevel, AdInsightsQuery, Breakdown, Granularity
from socialgate.contracts.ads import AdObjectChanges, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.insights import DateRange
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL_VENDORS
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_PIXEL, BAKERY_PIXEL_CODE
from support.ads_connector import AdsConnectorFixture, check_life, check_lost
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.TIKTOKADS, sandbox) as opened:
        # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
        opened.rest(60 * next(_minutes))
        yield opened


@pytest.fixture
def stand(desk: ConnectorDriver) -> AdsConnectorFixture:
    return AdsConnectorFixture(desk, Kind.TIKTOK_ADS)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def an_event(stand: AdsConnectorFixture, **more: object) -> PixelEvent:
    person = HashedPerson(email=hashed("ada@example.com"), user_agent="Test/1")
    usual = {"name": "Purchase", "at": stand.now, "id": "order-1", "url": "https://bakery.example.com/thanks"}
    return PixelEvent(**{**usual, "person": person, "value": Money(34_900, "SEK"), **more})  # type: ignore[arg-type]  # a test's own values


def test_customers_are_uploaded_and_removed(stand: AdsConnectorFixture) -> None:
    new = NewAudience(name="Regulars", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    created = stand.make(stand.audiences, new)
    assert (created.kind, created.size_min) == (AudienceKind.CUSTOMERS, None)
    people = [HashedPerson(email=hashed(f"{number}@example.com")) for number in range(1200)]
    people[0] = HashedPerson(phone=hashed("+46700000000"))
    assert stand.wait(stand.audiences.upload_people(stand.credentials, created.id, people, "add")).received == 1200
    stand.desk.rest(600)
    assert stand.wait(stand.audiences.find(stand.credentials, created.id)).size_min == 1200
    stand.wait(stand.audiences.upload_people(stand.credentials, created.id, people, "remove"))
    stand.desk.rest(600)
    assert stand.wait(stand.audiences.find(stand.credentials, created.id)).size_min is None
    check_life(
        stand, stand.audiences, msgspec.structs.replace(new, name="Others"), AdObjectChanges(name="Best customers")
    )


def test_visitors_and_people_like_them_are_audiences(stand: AdsConnectorFixture) -> None:
    visitors = NewAudience(
        name="Visitors", kind=AudienceKind.WEBSITE, pixel_id=BAKERY_PIXEL, url_contains=("/buns",), **stand.fresh()
    )
    created = stand.make(stand.audiences, visitors)
    assert created.kind is AudienceKind.WEBSITE
    buyers = msgspec.structs.replace(visitors, name="Both", event="Purchase", retention_days=90, **stand.fresh())
    stand.make(stand.audiences, buyers)
    rules = stand.desk.calls("*/rule/create/")[0]["body"]["rule_spec"]["inclusion_rule_set"]["rules"]
    items = [rule["filter_set"]["filters"][0] for rule in rules]
    assert [item["value"] for item in items] == ["COMPLETE PAYMENT", "PAGE BROWSE"]
    assert [rule["retention_days"] for rule in rules] == [90, 90]
    odd = msgspec.structs.replace(visitors, event="Schedule", retention_days=31, url_contains=("x" * 101,))
    assert [fault.pointer for fault in stand.audiences.validate_new_object(odd)] == [
        "/event",
        "/retentionDays",
        "/urlContains/0",
    ]
    long = NewAudience(name="x" * 71, kind=AudienceKind.CUSTOMERS, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.validate_new_object(long)] == ["/name"]
    stand.desk.rest(600)
    like = NewAudience(
        name="Like them",
        kind=AudienceKind.LOOKALIKE,
        source_id=created.id,
        countries=("SE",),
        ratio=0.05,
        **stand.fresh(),
    )
    assert stand.make(stand.audiences, like).kind is AudienceKind.LOOKALIKE
    empty = NewAudience(name="x", kind=AudienceKind.LOOKALIKE, description="x", **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.validate_new_object(empty)] == [
        "/description",
        "/sourceId",
        "/countries",
    ]


def test_lost_audiences_are_found(stand: AdsConnectorFixture) -> None:
    new = NewAudience(name="Lost", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    check_lost(stand, stand.audiences, "*/segment/audience/", new)


def test_events_reach_the_pixel(stand: AdsConnectorFixture) -> None:
    (pixel,) = stand.wait(stand.pixels.list(stand.credentials, AdQuery(limit=10))).items
    assert (pixel.id, pixel.code) == (BAKERY_PIXEL, BAKERY_PIXEL_CODE)
    good = [an_event(stand, id=f"order-{number}") for number in range(4)]
    assert stand.pixels.validate_event(good[0], stand.now) == []
    assert list(stand.wait(stand.pixels.send_events(stand.credentials, BAKERY_PIXEL, good, None))) == []
    wrong = an_event(stand, id="bad", url=None, source="store", person=HashedPerson())
    assert [fault.pointer for fault in stand.pixels.validate_event(wrong, stand.now)] == ["/source", "/url", "/user"]
    # Of some events, TikTok takes those that are right, and says only that there are others.
    faults = stand.wait(stand.pixels.send_events(stand.credentials, BAKERY_PIXEL, [*good, wrong, good[0]], None))
    assert [fault.position for fault in faults] == [4]
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.pixels.send_events(stand.credentials, "42", good, None))


def test_conversions_keep_their_rules(stand: AdsConnectorFixture) -> None:
    rules = (
        ConversionRule(field="url", operator="contains", values=("thanks", "done")),
        ConversionRule(field="value", operator="atLeast", values=("100",)),
    )
    new = NewConversion(name="Orders", pixel_id=BAKERY_PIXEL, event="Purchase", rules=rules, **stand.fresh())
    created = stand.make(stand.conversions, new)
    assert (created.pixel_id, created.event, created.rules) == (BAKERY_PIXEL, "Purchase", rules)
    query = AdQuery(limit=10, pixel_id=BAKERY_PIXEL)
    assert [item.id for item in stand.wait(stand.conversions.list(stand.credentials, query)).items] == [created.id]
    stand.wait(stand.conversions.update(stand.credentials, created.id, AdObjectChanges(description="Of cakes")))
    assert stand.wait(stand.conversions.find(stand.credentials, created.id)).description == "Of cakes"
    stand.wait(stand.conversions.delete(stand.credentials, created.id))
    with pytest.raises(PlatformNotFoundError):
        stand.wait(stand.conversions.find(stand.credentials, created.id))
    odd = msgspec.structs.replace(new, name="1", event="PageView", value=Money(1, "SEK"), rules=())
    assert {fault.pointer for fault in stand.conversions.validate_new_object(odd)} == {
        "/event",
        "/value",
        "/name",
        "/rules",
    }
    again = msgspec.structs.replace(new, **stand.fresh())
    check_lost(stand, stand.conversions, "*/custom_conversion/create/", again, unique=True)


def a_query(stand: AdsConnectorFixture, **more: object) -> AdInsightsQuery:
    today = stand.now.date()
    usual = {
        "level": AdInsightsLevel.CAMPAIGN,
        "days": DateRange(today - timedelta(days=7), today - timedelta(days=1)),
        "limit": 100,
    }
    return AdInsightsQuery(**{**usual, "granularity": Granularity.TOTAL, **more})  # type: ignore[arg-type]  # a test's own values


def test_long_periods_are_read_in_pieces(stand: AdsConnectorFixture) -> None:
    today = stand.now.date()
    days = DateRange(today - timedelta(days=40), today - timedelta(days=1))
    rows: list[AdInsightRow] = []
    cursor: str | None = None
    # Callers may change the limit, and pages are read again with fewer rows if they are too large.
    for limit in islice(cycle((10, 4, 7)), 100):
        page = stand.wait(
            stand.insights.read_page(
                stand.credentials, a_query(stand, days=days, granularity=Granularity.DAY, limit=limit, cursor=cursor)
            )
        )
        rows += page.items
        cursor = page.cursor
        if cursor is None:
            break
    spent = [row for row in rows if row.spend is not None and row.spend.amount]
    assert len({row.first_day for row in spent}) == len(spent) > 7
    assert all(row.first_day == row.last_day for row in rows)
    whole = stand.wait(stand.insights.read_page(stand.credentials, a_query(stand, days=days))).items
    assert sum(row.spend.amount for row in rows if row.spend) == sum(row.spend.amount for row in whole if row.spend)


def test_people_are_broken_down(stand: AdsConnectorFixture) -> None:
    for some in ((Breakdown.AGE, Breakdown.GENDER), (Breakdown.COUNTRY,), (Breakdown.DEVICE,)):
        query = a_query(stand, breakdowns=some)
        assert stand.insights.validate_query(query) == []
        rows = stand.wait(stand.insights.read_page(stand.credentials, query)).items
        assert rows
        assert {name for row in rows for name in row.breakdowns} == {str(value) for value in some}
    wrong = a_query(stand, breakdowns=(Breakdown.PLACEMENT,))
    assert [fault.pointer for fault in stand.insights.validate_query(wrong)] == ["?breakdowns"]
    assert stand.wait(stand.insights.start_report(stand.credentials, a_query(stand))) is None
