"""What is stored keeps its form, whatever the fields are called in the API."""

from datetime import UTC, date, datetime
from typing import Any

import msgspec
import pytest

from socialgate.areas.ads.pixel_events import PixelEventBatch, ValidatedEvent
from socialgate.areas.ads.views import compute_etag
from socialgate.areas.comments.schemas import CommentVisibility
from socialgate.contracts.ad_audiences import ConversionRule, EventProduct, HashedPerson, NewConversion, PixelEvent
from socialgate.contracts.ad_objects import AdSet
from socialgate.contracts.ad_values import (
    AdBid,
    AdBudget,
    AdPromotion,
    AdSchedule,
    AdTargeting,
    BidStrategy,
    Goal,
    Optimization,
)
from socialgate.contracts.ads import NewAdSet
from socialgate.contracts.calendar import EventFields, EventReminder, EventReminders, EventTime, Guest, NewEvent
from socialgate.contracts.leads import LeadOption, LeadQuestion, LeadThankYou, NewForm
from socialgate.contracts.money import Money
from socialgate.core.shapes import StoredValue
from socialgate.core.stored_forms import decode_stored, encode_stored

NOW = datetime(2026, 11, 15, 9, 30, tzinfo=UTC)
SEK = Money(50_000, "SEK")
ADSET: dict[str, Any] = {
    "optimization": Optimization.CLICKS,
    "budget": AdBudget.from_money(SEK, "lifetime"),
    "bid": AdBid(strategy=BidStrategy.COST_CAP, amount=Money(250, "SEK")),
    "schedule": AdSchedule(start=datetime(2026, 12, 1, 8, tzinfo=UTC)),
    "targeting": AdTargeting(countries=("PE",), age_min=18, genders=("female",), options={"z": 1, "y": [2]}),
    "promoted_object": AdPromotion(pixel_id="6", event="Purchase"),
}
REQUESTS = [
    (
        NewAdSet(
            name="Lima", configured_status="active", options={"b": 1}, asked_at=NOW, idempotency_reference="77",
            campaign_id="2", goal=Goal.TRAFFIC, **ADSET,
        ),
        ('{"name":"Lima","switch":"active","options":{"b":1},"asked_at":"2026-11-15T09:30:00Z","reference":"77",'
        '"campaign_id":"2","goal":"traffic","optimization":"clicks",'
        '"budget":{"money":{"amount":50000,"currency":"SEK"},"type":"lifetime"},'
        '"bid":{"strategy":"costCap","amount":{"amount":250,"currency":"SEK"},"roas":null},'
        '"schedule":{"start":"2026-12-01T08:00:00Z","end":null},'
        '"targeting":{"countries":["PE"],"regions":[],"cities":[],"locations":[],"excluded_locations":[],"age_min":18,'
        '"age_max":null,"genders":["female"],"languages":[],"interests":[],"audiences":[],"excluded_audiences":[],'
        '"options":{"z":1,"y":[2]}},'
        '"promoted":{"page_id":null,"pixel_id":"6","event":"Purchase","custom_conversion_id":null,"app_id":null,'
        '"app_store_url":null,"catalog_id":null,"product_set_id":null}}'),
    ),
    (
        NewConversion(
            name="O", asked_at=NOW, idempotency_reference="1", pixel_id="6", event="Purchase", value=Money(5, "SEK"),
            rules=(ConversionRule(field="url", operator="contains", values=("/t",)),),
        ),
        ('{"name":"O","switch":"paused","options":{},"asked_at":"2026-11-15T09:30:00Z","reference":"1","pixel_id":"6",'
        '"event":"Purchase","description":null,"rules":[{"field":"url","operator":"contains","values":["/t"]}],'
        '"value":{"amount":5,"currency":"SEK"}}'),
    ),
    (
        PixelEventBatch(
            pixel_id="6",
            test_code=None,
            events=(
                ValidatedEvent(
                    id="1",
                    event=PixelEvent(
                        name="Purchase", at=NOW, id="1", person=HashedPerson(email="ab"), value=Money(5, "SEK"),
                        products=(EventProduct(id="c", price=Money(5, "SEK")),), options={"a": 1},
                    ),
                ),
            ),
        ),
        ('{"pixel_id":"6","test_code":null,"events":[{"id":"1","event":{"name":"Purchase","at":"2026-11-15T09:30:00Z",'
        '"id":"1","source":"website","url":null,"referrer":null,"person":{"email":"ab"},'
        '"value":{"amount":5,"currency":"SEK"},"products":[{"id":"c","quantity":null,'
        '"price":{"amount":5,"currency":"SEK"},"name":null,"brand":null,"category":null}],"order_id":null,'
        '"search":null,"options":{"a":1}},"detail":null}]}'),
    ),
    (
        NewForm(
            name="Cakes", privacy_policy_url="https://a.example.com", asked_at=NOW,
            questions=(
                LeadQuestion(key="size", label="Size?", type="choice", options=(LeadOption(key="s", label="Small"),)),
            ),
            thank_you=LeadThankYou(title="Thanks", button_text="More"),
        ),
        ('{"name":"Cakes","questions":[{"key":"size","label":"Size?","type":"choice",'
        '"options":[{"key":"s","label":"Small"}]}],"privacy_policy_url":"https://a.example.com","locale":null,'
        '"privacy_policy_text":null,"follow_up_url":null,'
        '"thank_you":{"title":"Thanks","body":null,"button_text":"More","url":null},"asked_at":"2026-11-15T09:30:00Z"}'),
    ),
    (
        NewEvent(
            event_id="e1",
            request_marker="m1",
            fields=EventFields(
                title="Tasting",
                start=EventTime(date_time=NOW, timezone="Europe/Stockholm"),
                end=EventTime(date=date(2026, 11, 16)),
                attendees=(Guest(email="a@example.com"),),
                reminders=EventReminders(use_default=False, overrides=(EventReminder(method="popup", minutes=15),)),
            ),
        ),
        ('{"event_id":"e1","calendar_id":null,"notify":"none","mark":"m1","fields":{"title":"Tasting",'
        '"start":{"date":null,"date_time":"2026-11-15T09:30:00Z","timezone":"Europe/Stockholm"},'
        '"end":{"date":"2026-11-16","date_time":null,"timezone":null},"attendees":[{"email":"a@example.com",'
        '"name":null,"optional":false,"response":"needsAction","comment":null,"brings":0}],'
        '"reminders":{"use_default":false,"overrides":[{"method":"popup","minutes":15}]}}}'),
    ),
    (CommentVisibility(comment_id="1", hidden=True), '{"commentId":"1","hidden":true}'),
]  # fmt: skip


@pytest.mark.parametrize(("request_", "stored"), REQUESTS, ids=lambda item: type(item).__name__)
def test_a_request_is_stored_and_read_as_before_its_values_were_those_of_the_api(
    request_: msgspec.Struct, stored: str
) -> None:
    assert msgspec.json.decode(encode_stored(request_)) == msgspec.json.decode(stored)
    assert decode_stored(stored, type(request_)) == request_


class Round(StoredValue, frozen=True, kw_only=True, tag="round"):
    radius_cm: int


class Square(StoredValue, frozen=True, kw_only=True, tag="square"):
    side_cm: int


class Cake(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    tin_of_it: Round | Square
    layers_by_name: dict[str, tuple[Square, ...]] = {}


def test_values_in_unions_and_objects_are_stored_by_their_attributes() -> None:
    cake = Cake(tin_of_it=Square(side_cm=20), layers_by_name={"top": (Square(side_cm=9),)})
    stored = msgspec.json.decode(encode_stored(cake))
    assert stored == {
        "tinOfIt": {"type": "square", "side_cm": 20},
        "layersByName": {"top": [{"type": "square", "side_cm": 9}]},
    }
    assert decode_stored(encode_stored(cake), Cake) == cake


def test_the_etag_of_an_object_stays() -> None:
    item = AdSet(
        id="1", name="Lima", configured_status="active", updated_at=NOW, options={"b": {"d": 1, "c": 2}, "a": 1},
        campaign_id="2", **ADSET,
    )  # fmt: skip
    assert compute_etag(item) == '"4195ef6b7d114069b59d"'
