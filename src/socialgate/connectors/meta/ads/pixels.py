"""Pixels at Meta, and events that a server sends to them (Conversions API)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from socialgate.connectors.advertising import chosen
from socialgate.connectors.forms import given
from socialgate.connectors.graph.dialect import Rows, cursor_of, from_cursor, when
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.meta.wire import Graph, known
from socialgate.contracts import money
from socialgate.contracts.ad_audiences import EventFault, EventProduct, Hashing, PersonData, Pixel, PixelEvent
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_FIELDS = "id,name,creation_time,last_fired_time,is_unavailable"
_MOST = 100
_OLDEST, _CLOCKS = timedelta(days=7), timedelta(minutes=5)
_SOURCES = {"phone": "phone_call", "store": "physical_store", "crm": "system_generated"}
_LISTS = {
    "email": "em", "phone": "ph", "first_name": "fn", "last_name": "ln", "gender": "ge", "birthday": "db", "city": "ct",
    "state": "st", "zip": "zp", "country": "country", "external_id": "external_id",
}  # fmt: skip
_PLAIN = {"ip": "client_ip_address", "user_agent": "client_user_agent", "browser_id": "fbp", "lead_id": "lead_id"}
_PLAIN |= {"mobile_ad_id": "madid"}
_RESERVED = frozenset({"access_token", "event_name", "event_time", "event_id"})


class MetaPixels:
    hashing = Hashing(phone_with_plus=False)
    most_events = 1_000

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[Pixel]:
        api, place = self._graph.of(held), from_cursor(query.cursor)
        async with known(api):
            path = f"{api.budget}/adspixels"
            rows = await api.get(path, Rows[Any], fields=_FIELDS, limit=min(query.limit, _MOST), **place)
        return AdPage(items=chosen([_pixel(row) for row in rows.data], query), cursor=cursor_of(rows))

    async def find(self, held: AccountCredentials, item_id: str) -> Pixel:
        """Find a pixel in the account's list: a business shares it with some of its accounts."""
        api = self._graph.of(held)
        rows = await api.all(f"{api.budget}/adspixels", Rows[Any], _FIELDS)
        own = [_pixel(row) for row in rows if text_at(row, "id") == item_id]
        if not own:
            raise PlatformNotFound("The ad account has no such pixel.", platform=Platform.META)
        return own[0]

    def event_faults(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        return [*_event_faults(event, now)]

    async def send(
        self, held: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[EventFault]:
        """Send events. One that Meta does not accept fails them all."""
        await self.find(held, pixel_id)
        params = given({"data": [_event(one) for one in events], "test_event_code": test_code})
        await self._graph.of(held).post(f"{pixel_id}/events", object, params, repeatable=True)
        return ()


def _pixel(row: Any) -> Pixel:
    return Pixel(
        id=text_at(row, "id"),
        name=text_at(row, "name") or None,
        status=AdStatus.BLOCKED if row.get("is_unavailable") else AdStatus.ACTIVE,
        created_at=when(text_at(row, "creation_time")),
        last_fired_at=when(text_at(row, "last_fired_time")),
    )


def _event_faults(event: PixelEvent, now: datetime) -> Iterator[Fault]:
    if event.at < now - _OLDEST:
        yield Fault("/at", "too_late", "Meta accepts events of the last 7 days.")
    if event.at > now + _CLOCKS:
        yield Fault("/at", "invalid_time", "The time is in the future.")
    if event.source == "website" and event.url is None:
        yield Fault("/url", "required", "Meta requires the URL for an event on a website.")
    if event.source == "website" and event.person.user_agent is None:
        yield Fault("/user/userAgent", "required", "Meta requires the user agent for an event on a website.")
    if not _person(event):
        yield Fault("/user", "required", "Meta requires something that identifies the person, such as an email.")
    if event.name == "Purchase" and event.value is None:
        yield Fault("/value", "required", "Meta requires the value of a purchase.")
    for name in _RESERVED & set(event.options):
        yield Fault(f"/platformOptions/{name}", "not_supported", f"This is set by the service. Remove {name}.")
    if not isinstance(event.options.get("custom_data", {}), Mapping):
        yield Fault("/platformOptions/custom_data", "wrong_type", "This must be an object.")


def _event(event: PixelEvent) -> dict[str, Any]:
    written = {
        "event_name": event.name,
        "event_time": int(event.at.timestamp()),
        "event_id": event.id,
        "action_source": _SOURCES.get(event.source, event.source),
        "event_source_url": event.url,
        "referrer_url": event.referrer,
        "user_data": _person(event),
        "custom_data": {**event.options.get("custom_data", {}), **_data(event)} or None,
    }
    return {**event.options, **given(written)}


def _person(event: PixelEvent) -> dict[str, Any]:
    person: PersonData = event.person
    lists = {theirs: [value] for ours, theirs in _LISTS.items() if (value := getattr(person, ours))}
    plain = {theirs: value for ours, theirs in _PLAIN.items() if (value := getattr(person, ours))}
    click = person.click_id
    if click:
        # The form of Meta's cookie: when the ad was clicked (at the latest), and the id from its URL.
        plain["fbc"] = click if click.startswith("fb.") else f"fb.1.{int(event.at.timestamp() * 1000)}.{click}"
    return lists | plain


def _data(event: PixelEvent) -> Mapping[str, Any]:
    products = event.products
    return given(
        {
            "value": None if event.value is None else money.number(event.value),
            "currency": None if event.value is None else event.value.currency,
            "contents": [_product(one) for one in products] or None,
            "content_ids": [one.id for one in products] or None,
            "content_type": "product" if products else None,
            "order_id": event.order_id,
            "search_string": event.search,
        }
    )


def _product(product: EventProduct) -> dict[str, Any]:
    price = None if product.price is None else money.number(product.price)
    named = {"title": product.name, "brand": product.brand, "category": product.category}
    return given({"id": product.id, "quantity": product.quantity, "item_price": price, **named})
