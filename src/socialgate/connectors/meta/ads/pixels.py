"""Pixels at Meta, and events that a server sends to them (Conversions API)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from socialgate.connectors.advertising import filter_items
from socialgate.connectors.graph.dialect import GraphPage, build_cursor_params, extract_cursor, parse_time
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.meta.api import MetaApi, raise_not_found_if_missing
from socialgate.connectors.post_options import drop_none
from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import (
    EventProduct,
    HashedPerson,
    HashingRules,
    Pixel,
    PixelEvent,
    RejectedPixelEvent,
)
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_PIXEL_FIELDS = "id,name,creation_time,last_fired_time,is_unavailable"
_MAX_PAGE_SIZE = 100
_MAX_EVENT_AGE, _MAX_CLOCK_SKEW = timedelta(days=7), timedelta(minutes=5)
_ACTION_SOURCES = {"phone": "phone_call", "store": "physical_store", "crm": "system_generated"}
_MULTI_VALUE_USER_FIELDS = {
    "email": "em", "phone": "ph", "first_name": "fn", "last_name": "ln", "gender": "ge", "birthday": "db", "city": "ct",
    "state": "st", "zip": "zp", "country": "country", "external_id": "external_id",
}  # fmt: skip
_SCALAR_USER_FIELDS = {
    "ip": "client_ip_address",
    "user_agent": "client_user_agent",
    "browser_id": "fbp",
    "lead_id": "lead_id",
}
_SCALAR_USER_FIELDS |= {"mobile_ad_id": "madid"}
_RESERVED_EVENT_OPTIONS = frozenset({"access_token", "event_name", "event_time", "event_id"})


class MetaPixels:
    hashing = HashingRules(phone_with_plus=False)
    max_events_per_call = 1_000

    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[Pixel]:
        api, place = self._graph.for_account(credentials), build_cursor_params(query.cursor)
        async with raise_not_found_if_missing(api):
            path = f"{api.budget}/adspixels"
            rows = await api.get(
                path, GraphPage[Any], fields=_PIXEL_FIELDS, limit=min(query.limit, _MAX_PAGE_SIZE), **place
            )
        return AdPage(items=filter_items([_parse_pixel(row) for row in rows.data], query), cursor=extract_cursor(rows))

    async def find(self, credentials: AccountCredentials, item_id: str) -> Pixel:
        """Find a pixel in the account's list: a business shares it with some of its accounts."""
        api = self._graph.for_account(credentials)
        rows = await api.list_all(f"{api.budget}/adspixels", GraphPage[Any], _PIXEL_FIELDS)
        own = [_parse_pixel(row) for row in rows if get_text_or_number(row, "id") == item_id]
        if not own:
            raise PlatformNotFoundError("The ad account has no such pixel.", platform=Platform.META)
        return own[0]

    def validate_event(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        return [*_event_faults(event, now)]

    async def send_events(
        self, credentials: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[RejectedPixelEvent]:
        """Send events. One that Meta does not accept fails them all."""
        await self.find(credentials, pixel_id)
        params = drop_none({"data": [_encode_event(event) for event in events], "test_event_code": test_code})
        await self._graph.for_account(credentials).post(f"{pixel_id}/events", object, params, repeatable=True)
        return ()


def _parse_pixel(row: Any) -> Pixel:
    return Pixel(
        id=get_text_or_number(row, "id"),
        name=get_text_or_number(row, "name") or None,
        status=AdStatus.BLOCKED if row.get("is_unavailable") else AdStatus.ACTIVE,
        created_at=parse_time(get_text_or_number(row, "creation_time")),
        last_fired_at=parse_time(get_text_or_number(row, "last_fired_time")),
    )


def _event_faults(event: PixelEvent, now: datetime) -> Iterator[Fault]:
    if event.at < now - _MAX_EVENT_AGE:
        yield Fault("/at", "too_late", "Meta accepts events of the last 7 days.")
    if event.at > now + _MAX_CLOCK_SKEW:
        yield Fault("/at", "invalid_time", "The time is in the future.")
    if event.source == "website" and event.url is None:
        yield Fault("/url", "required", "Meta requires the URL for an event on a website.")
    if event.source == "website" and event.person.user_agent is None:
        yield Fault("/user/userAgent", "required", "Meta requires the user agent for an event on a website.")
    if not _encode_user_data(event):
        yield Fault("/user", "required", "Meta requires something that identifies the person, such as an email.")
    if event.name == "Purchase" and event.value is None:
        yield Fault("/value", "required", "Meta requires the value of a purchase.")
    for name in _RESERVED_EVENT_OPTIONS & set(event.options):
        yield Fault(f"/platformOptions/{name}", "not_supported", f"This is set by the service. Remove {name}.")
    if not isinstance(event.options.get("custom_data", {}), Mapping):
        yield Fault("/platformOptions/custom_data", "wrong_type", "This must be an object.")


def _encode_event(event: PixelEvent) -> dict[str, Any]:
    written = {
        "event_name": event.name,
        "event_time": int(event.at.timestamp()),
        "event_id": event.id,
        "action_source": _ACTION_SOURCES.get(event.source, event.source),
        "event_source_url": event.url,
        "referrer_url": event.referrer,
        "user_data": _encode_user_data(event),
        "custom_data": {**event.options.get("custom_data", {}), **_encode_custom_data(event)} or None,
    }
    return {**event.options, **drop_none(written)}


def _encode_user_data(event: PixelEvent) -> dict[str, Any]:
    person: HashedPerson = event.person
    lists = {theirs: [value] for ours, theirs in _MULTI_VALUE_USER_FIELDS.items() if (value := getattr(person, ours))}
    plain = {theirs: value for ours, theirs in _SCALAR_USER_FIELDS.items() if (value := getattr(person, ours))}
    click = person.click_id
    if click:
        # The form of Meta's cookie: when the ad was clicked (at the latest), and the id from its URL.
        plain["fbc"] = click if click.startswith("fb.") else f"fb.1.{int(event.at.timestamp() * 1000)}.{click}"
    return lists | plain


def _encode_custom_data(event: PixelEvent) -> Mapping[str, Any]:
    products = event.products
    return drop_none(
        {
            "value": None if event.value is None else money.to_float(event.value),
            "currency": None if event.value is None else event.value.currency,
            "contents": [_encode_event_product(product) for product in products] or None,
            "content_ids": [product.id for product in products] or None,
            "content_type": "product" if products else None,
            "order_id": event.order_id,
            "search_string": event.search,
        }
    )


def _encode_event_product(product: EventProduct) -> dict[str, Any]:
    price = None if product.price is None else money.to_float(product.price)
    named = {"title": product.name, "brand": product.brand, "category": product.category}
    return drop_none({"id": product.id, "quantity": product.quantity, "item_price": price, **named})
