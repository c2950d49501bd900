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
    NewAudience,
    NewConversion,
    PersonData,
    PixelEvent,
)
from socialgate.contracts.ad_insights import AdInsightRow, AdInsightsQuery, Breakdown, Granularity, Level
from socialgate.contracts.ads import AdQuery, Change
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.insights import Days
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, Platform
from socialgate_sandbox.vendors import ALL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_PIXEL, BAKERY_PIXEL_CODE
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox
from support.stands import Stand, check_life, check_lost

_minutes = count(1)


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.TIKTOKADS, sandbox) as opened:
        # Its limits of calls are those of the app, whichever test they come from, and setting back sets back its time.
        opened.rest(60 * next(_minutes))
        yield opened


@pytest.fixture
def stand(desk: Desk) -> Stand:
    return Stand(desk, Kind.TIKTOK_ADS)


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def an_event(stand: Stand, **more: object) -> PixelEvent:
    person = PersonData(email=hashed("ada@example.com"), user_agent="Test/1")
    usual = {"name": "Purchase", "at": stand.now, "id": "order-1", "url": "https://bakery.example.com/thanks"}
    return PixelEvent(**{**usual, "person": person, "value": Money(34_900, "SEK"), **more})  # type: ignore[arg-type]  # a test's own values


def test_customers_are_uploaded_and_removed(stand: Stand) -> None:
    new = NewAudience(name="Regulars", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    made = stand.make(stand.audiences, new)
    assert (made.kind, made.size_min) == (AudienceKind.CUSTOMERS, None)
    people = [PersonData(email=hashed(f"{number}@example.com")) for number in range(1200)]
    people[0] = PersonData(phone=hashed("+46700000000"))
    assert stand.wait(stand.audiences.upload(stand.held, made.id, people, "add")).received == 1200
    stand.desk.rest(600)
    assert stand.wait(stand.audiences.find(stand.held, made.id)).size_min == 1200
    stand.wait(stand.audiences.upload(stand.held, made.id, people, "remove"))
    stand.desk.rest(600)
    assert stand.wait(stand.audiences.find(stand.held, made.id)).size_min is None
    check_life(stand, stand.audiences, msgspec.structs.replace(new, name="Others"), Change(name="Best customers"))


def test_visitors_and_people_like_them_are_audiences(stand: Stand) -> None:
    visitors = NewAudience(
        name="Visitors", kind=AudienceKind.WEBSITE, pixel_id=BAKERY_PIXEL, url_contains=("/buns",), **stand.fresh()
    )
    made = stand.make(stand.audiences, visitors)
    assert made.kind is AudienceKind.WEBSITE
    buyers = msgspec.structs.replace(visitors, name="Both", event="Purchase", retention_days=90, **stand.fresh())
    stand.make(stand.audiences, buyers)
    rules = stand.desk.calls("*/rule/create/")[0]["body"]["rule_spec"]["inclusion_rule_set"]["rules"]
    wanted = [rule["filter_set"]["filters"][0] for rule in rules]
    assert [one["value"] for one in wanted] == ["COMPLETE PAYMENT", "PAGE BROWSE"]
    assert [rule["retention_days"] for rule in rules] == [90, 90]
    odd = msgspec.structs.replace(visitors, event="Schedule", retention_days=31, url_contains=("x" * 101,))
    assert [fault.pointer for fault in stand.audiences.faults(odd)] == ["/event", "/retentionDays", "/urlContains/0"]
    long = NewAudience(name="x" * 71, kind=AudienceKind.CUSTOMERS, **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.faults(long)] == ["/name"]
    stand.desk.rest(600)
    like = NewAudience(
        name="Like them", kind=AudienceKind.LOOKALIKE, source_id=made.id, countries=("SE",), ratio=0.05, **stand.fresh()
    )
    assert stand.make(stand.audiences, like).kind is AudienceKind.LOOKALIKE
    empty = NewAudience(name="x", kind=AudienceKind.LOOKALIKE, description="x", **stand.fresh())
    assert [fault.pointer for fault in stand.audiences.faults(empty)] == ["/description", "/sourceId", "/countries"]


def test_lost_audiences_are_found(stand: Stand) -> None:
    new = NewAudience(name="Lost", kind=AudienceKind.CUSTOMERS, **stand.fresh())
    check_lost(stand, stand.audiences, "*/segment/audience/", new)


def test_events_reach_the_pixel(stand: Stand) -> None:
    (pixel,) = stand.wait(stand.pixels.list(stand.held, AdQuery(limit=10))).items
    assert (pixel.id, pixel.code) == (BAKERY_PIXEL, BAKERY_PIXEL_CODE)
    good = [an_event(stand, id=f"order-{number}") for number in range(4)]
    assert stand.pixels.event_faults(good[0], stand.now) == []
    assert list(stand.wait(stand.pixels.send(stand.held, BAKERY_PIXEL, good, None))) == []
    wrong = an_event(stand, id="bad", url=None, source="store", person=PersonData())
    assert [fault.pointer for fault in stand.pixels.event_faults(wrong, stand.now)] == ["/source", "/url", "/user"]
    # Of some events, TikTok takes those that are right, and says only that there are others.
    faults = stand.wait(stand.pixels.send(stand.held, BAKERY_PIXEL, [*good, wrong, good[0]], None))
    assert [fault.position for fault in faults] == [4]
    with pytest.raises(PlatformNotFound):
        stand.wait(stand.pixels.send(stand.held, "42", good, None))


def test_conversions_keep_their_rules(stand: Stand) -> None:
    rules = (
        ConversionRule(field="url", operator="contains", values=("thanks", "done")),
        ConversionRule(field="value", operator="atLeast", values=("100",)),
    )
    new = NewConversion(name="Orders", pixel_id=BAKERY_PIXEL, event="Purchase", rules=rules, **stand.fresh())
    made = stand.make(stand.conversions, new)
    assert (made.pixel_id, made.event, made.rules) == (BAKERY_PIXEL, "Purchase", rules)
    query = AdQuery(limit=10, pixel_id=BAKERY_PIXEL)
    assert [one.id for one in stand.wait(stand.conversions.list(stand.held, query)).items] == [made.id]
    stand.wait(stand.conversions.update(stand.held, made.id, Change(description="Of cakes")))
    assert stand.wait(stand.conversions.find(stand.held, made.id)).description == "Of cakes"
    stand.wait(stand.conversions.delete(stand.held, made.id))
    with pytest.raises(PlatformNotFound):
        stand.wait(stand.conversions.find(stand.held, made.id))
    odd = msgspec.structs.replace(new, name="1", event="PageView", value=Money(1, "SEK"), rules=())
    assert {fault.pointer for fault in stand.conversions.faults(odd)} == {"/event", "/value", "/name", "/rules"}
    again = msgspec.structs.replace(new, **stand.fresh())
    check_lost(stand, stand.conversions, "*/custom_conversion/create/", again, unique=True)


def a_query(stand: Stand, **more: object) -> AdInsightsQuery:
    today = stand.now.date()
    usual = {"level": Level.CAMPAIGN, "days": Days(today - timedelta(days=7), today - timedelta(days=1)), "limit": 100}
    return AdInsightsQuery(**{**usual, "granularity": Granularity.TOTAL, **more})  # type: ignore[arg-type]  # a test's own values


def test_long_periods_are_read_in_pieces(stand: Stand) -> None:
    today = stand.now.date()
    days = Days(today - timedelta(days=40), today - timedelta(days=1))
    rows: list[AdInsightRow] = []
    cursor: str | None = None
    # Callers may change the limit, and pages are read again with fewer rows if they are too large.
    for limit in islice(cycle((10, 4, 7)), 100):
        page = stand.wait(
            stand.insights.read(
                stand.held, a_query(stand, days=days, granularity=Granularity.DAY, limit=limit, cursor=cursor)
            )
        )
        rows += page.items
        cursor = page.cursor
        if cursor is None:
            break
    spent = [row for row in rows if row.spend is not None and row.spend.amount]
    assert len({row.first for row in spent}) == len(spent) > 7
    assert all(row.first == row.last for row in rows)
    whole = stand.wait(stand.insights.read(stand.held, a_query(stand, days=days))).items
    assert sum(row.spend.amount for row in rows if row.spend) == sum(row.spend.amount for row in whole if row.spend)


def test_people_are_broken_down(stand: Stand) -> None:
    for some in ((Breakdown.AGE, Breakdown.GENDER), (Breakdown.COUNTRY,), (Breakdown.DEVICE,)):
        query = a_query(stand, breakdowns=some)
        assert stand.insights.query_faults(query) == []
        rows = stand.wait(stand.insights.read(stand.held, query)).items
        assert rows
        assert {name for row in rows for name in row.breakdowns} == {str(one) for one in some}
    wrong = a_query(stand, breakdowns=(Breakdown.PLACEMENT,))
    assert [fault.pointer for fault in stand.insights.query_faults(wrong)] == ["?breakdowns"]
    assert stand.wait(stand.insights.start(stand.held, a_query(stand))) is None
