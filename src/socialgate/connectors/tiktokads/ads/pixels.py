"""Pixels at TikTok, and events that a server sends to them (Events API)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from socialgate.connectors.advertising import chosen
from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.ads.words import when
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import Pages, page_of
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts import money
from socialgate.contracts.ad_audiences import EventFault, EventProduct, Hashing, Pixel, PixelEvent
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_MOST = 20
_PARTLY = "20001"
_CLOCKS = timedelta(minutes=5)
_LISTS = {"email": "email", "phone": "phone", "external_id": "external_id"}
_PLAIN = {
    "first_name": "first_name", "last_name": "last_name", "zip": "zip_code", "city": "city", "state": "state",
    "country": "country", "ip": "ip", "user_agent": "user_agent", "click_id": "ttclid", "browser_id": "ttp",
}  # fmt: skip


class _Pixels(msgspec.Struct, frozen=True):
    pixels: Sequence[Mapping[str, Any]] | None = ()
    page_info: Pages = Pages()


class TikTokPixels:
    """Pixels belong to websites. Apps, shops and customer systems have event sources of their own there."""

    hashing = Hashing(phone_with_plus=True, plain=frozenset({"city", "state", "country"}))
    most_events = 1_000

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def list(self, held: AccountCredentials, query: AdQuery) -> AdPage[Pixel]:
        page, size = page_of(query.cursor, min(query.limit, _MOST))
        found = await self._get(held, page=page, page_size=size)
        items = chosen([_pixel(row) for row in found.pixels or ()], query)
        return AdPage(items=items, cursor=found.page_info.after(size))

    async def find(self, held: AccountCredentials, item_id: str) -> Pixel:
        found = await self._get(held, pixel_id=item_id) if item_id.isdecimal() else _Pixels()
        own = [one for one in map(_pixel, found.pixels or ()) if one.id == item_id]
        if not own:
            raise PlatformNotFound("The ad account has no such pixel.", platform=Platform.TIKTOKADS)
        return own[0]

    def event_faults(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        return [*_event_faults(event, now)]

    async def send(
        self, held: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[EventFault]:
        """Send events. The API knows a pixel by its code."""
        code = (await self.find(held, pixel_id)).code
        about = given({"event_source": "web", "event_source_id": code, "test_event_code": test_code})
        return await self._send(held, about, [_event(one) for one in events])

    async def _send(
        self,
        held: AccountCredentials,
        about: Mapping[str, Any],
        events: Sequence[Any],
        first: int = 0,
        *,
        partly: bool = False,
    ) -> Sequence[EventFault]:
        """Send events, and find out which of them TikTok did not take: it ignores those that it already has."""
        try:
            await access(self._api, held).post("event/track/", object, {**about, "data": events}, repeatable=True)
        except Rejected as failure:
            said = failure.platform_error
            if not partly and (said is None or said.code != _PARTLY):
                raise
            # Of those that it took in part, TikTok may have taken none of a smaller part.
            if len(events) == 1:
                return [EventFault(first, failure.detail)]
            middle = len(events) // 2
            before = await self._send(held, about, events[:middle], first, partly=True)
            return [*before, *await self._send(held, about, events[middle:], first + middle, partly=True)]
        return []

    async def _get(self, held: AccountCredentials, **query: Any) -> _Pixels:
        return await access(self._api, held).get(
            "pixel/list/", _Pixels, advertiser_id=held.platform_account_id, **query
        )


def _pixel(row: Mapping[str, Any]) -> Pixel:
    made = row.get("create_time")
    # In milliseconds, other than all other times.
    at = datetime.fromtimestamp(made / 1000, UTC) if isinstance(made, int) else when(made)
    return Pixel(
        id=text_at(row, "pixel_id"),
        name=text_at(row, "pixel_name") or None,
        status=AdStatus.ACTIVE,
        created_at=at,
        code=text_at(row, "pixel_code") or None,
    )


def _event_faults(event: PixelEvent, now: datetime) -> Iterator[Fault]:
    if event.source != "website":
        text = "A TikTok pixel receives the events of a website. Use the source website."
        yield Fault("/source", "not_supported", text)
    if event.at > now + _CLOCKS:
        yield Fault("/at", "invalid_time", "The time is in the future.")
    if event.url is None:
        yield Fault("/url", "required", "TikTok requires the URL of an event.")
    if not _user(event):
        yield Fault("/user", "required", "TikTok requires something that identifies the person, such as an email.")
    if not isinstance(event.options.get("properties", {}), Mapping):
        yield Fault("/platformOptions/properties", "wrong_type", "This must be an object.")


def _event(event: PixelEvent) -> dict[str, Any]:
    written = {
        "event": event.name,
        "event_time": int(event.at.timestamp()),
        "event_id": event.id,
        "user": _user(event),
        "page": given({"url": event.url, "referrer": event.referrer}),
        "properties": {**event.options.get("properties", {}), **_properties(event)} or None,
    }
    return {**event.options, **given(written)}


def _user(event: PixelEvent) -> dict[str, Any]:
    lists = {theirs: [value] for ours, theirs in _LISTS.items() if (value := getattr(event.person, ours))}
    return {**lists, **{theirs: value for ours, theirs in _PLAIN.items() if (value := getattr(event.person, ours))}}


def _properties(event: PixelEvent) -> dict[str, Any]:
    return given(
        {
            "value": None if event.value is None else money.number(event.value),
            "currency": None if event.value is None else event.value.currency,
            "contents": [_product(one) for one in event.products] or None,
            "content_type": "product" if event.products else None,
            "order_id": event.order_id,
            "search_string": event.search,
        }
    )


def _product(product: EventProduct) -> dict[str, Any]:
    price = None if product.price is None else money.number(product.price)
    named = {"content_name": product.name, "brand": product.brand, "content_category": product.category}
    return given({"content_id": product.id, "quantity": product.quantity, "price": price, **named})
