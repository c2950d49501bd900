"""Pixels at TikTok, and events that a server sends to them (Events API)."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from socialgate.connectors.advertising import filter_items
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktokads.ads.mappings import parse_time
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import PageInfo, parse_page_cursor
from socialgate.contracts import money
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_audiences import EventProduct, HashingRules, Pixel, PixelEvent, RejectedPixelEvent
from socialgate.contracts.ad_values import AdStatus
from socialgate.contracts.ads import AdPage, AdQuery
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.core.errors import Fault

_MAX_PAGE_SIZE = 20
_PARTLY_ACCEPTED_CODE = "20001"
_MAX_CLOCK_SKEW = timedelta(minutes=5)
_MULTI_VALUE_USER_FIELDS = {"email": "email", "phone": "phone", "external_id": "external_id"}
_SCALAR_USER_FIELDS = {
    "first_name": "first_name", "last_name": "last_name", "zip": "zip_code", "city": "city", "state": "state",
    "country": "country", "ip": "ip", "user_agent": "user_agent", "click_id": "ttclid", "browser_id": "ttp",
}  # fmt: skip


class _PixelsResponse(msgspec.Struct, frozen=True):
    pixels: Sequence[Mapping[str, Any]] | None = ()
    page_info: PageInfo = PageInfo()


class TikTokPixels:
    """Pixels belong to websites. Apps, shops and customer systems have event sources of their own there."""

    hashing = HashingRules(phone_with_plus=True, unhashed_fields=frozenset({"city", "state", "country"}))
    max_events_per_call = 1_000

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def list(self, credentials: AccountCredentials, query: AdQuery) -> AdPage[Pixel]:
        page, size = parse_page_cursor(query.cursor, min(query.limit, _MAX_PAGE_SIZE))
        pixels = await self._get(credentials, page=page, page_size=size)
        items = filter_items([_parse_pixel(row) for row in pixels.pixels or ()], query)
        return AdPage(items=items, cursor=pixels.page_info.get_next_cursor(size))

    async def find(self, credentials: AccountCredentials, item_id: str) -> Pixel:
        pixels = await self._get(credentials, pixel_id=item_id) if item_id.isdecimal() else _PixelsResponse()
        own = [pixel for pixel in map(_parse_pixel, pixels.pixels or ()) if pixel.id == item_id]
        if not own:
            raise PlatformNotFoundError("The ad account has no such pixel.", platform=Platform.TIKTOKADS)
        return own[0]

    def validate_event(self, event: PixelEvent, now: datetime) -> Sequence[Fault]:
        return [*_event_faults(event, now)]

    async def send_events(
        self, credentials: AccountCredentials, pixel_id: str, events: Sequence[PixelEvent], test_code: str | None
    ) -> Sequence[RejectedPixelEvent]:
        """Send events. The API knows a pixel by its code."""
        code = (await self.find(credentials, pixel_id)).code
        about = drop_none({"event_source": "web", "event_source_id": code, "test_event_code": test_code})
        return await self._send_and_bisect(credentials, about, [_encode_event(event) for event in events])

    async def _send_and_bisect(
        self,
        credentials: AccountCredentials,
        about: Mapping[str, Any],
        events: Sequence[Any],
        first: int = 0,
        *,
        is_retry_of_partial: bool = False,
    ) -> Sequence[RejectedPixelEvent]:
        """Send events, and find out which of them TikTok did not take: it ignores those that it already has."""
        try:
            await api_for_account(self._api, credentials).post(
                "event/track/", object, {**about, "data": events}, repeatable=True
            )
        except PlatformRejectedError as failure:
            platform_error = failure.platform_error
            if not is_retry_of_partial and (platform_error is None or platform_error.code != _PARTLY_ACCEPTED_CODE):
                raise
            # Of those that it took in part, TikTok may have taken none of a smaller part.
            if len(events) == 1:
                return [RejectedPixelEvent(first, failure.detail)]
            middle = len(events) // 2
            before = await self._send_and_bisect(credentials, about, events[:middle], first, is_retry_of_partial=True)
            return [
                *before,
                *await self._send_and_bisect(
                    credentials, about, events[middle:], first + middle, is_retry_of_partial=True
                ),
            ]
        return []

    async def _get(self, credentials: AccountCredentials, **query: Any) -> _PixelsResponse:
        return await api_for_account(self._api, credentials).get(
            "pixel/list/", _PixelsResponse, advertiser_id=credentials.platform_account_id, **query
        )


def _parse_pixel(row: Mapping[str, Any]) -> Pixel:
    created = row.get("create_time")
    # In milliseconds, other than all other times.
    at = datetime.fromtimestamp(created / 1000, UTC) if isinstance(created, int) else parse_time(created)
    return Pixel(
        id=get_text_or_number(row, "pixel_id"),
        name=get_text_or_number(row, "pixel_name") or None,
        status=AdStatus.ACTIVE,
        created_at=at,
        code=get_text_or_number(row, "pixel_code") or None,
    )


def _event_faults(event: PixelEvent, now: datetime) -> Iterator[Fault]:
    if event.source != "website":
        text = "A TikTok pixel receives the events of a website. Use the source website."
        yield Fault("/source", "not_supported", text)
    if event.at > now + _MAX_CLOCK_SKEW:
        yield Fault("/at", "invalid_time", "The time is in the future.")
    if event.url is None:
        yield Fault("/url", "required", "TikTok requires the URL of an event.")
    if not _encode_user(event):
        yield Fault("/user", "required", "TikTok requires something that identifies the person, such as an email.")
    if not isinstance(event.options.get("properties", {}), Mapping):
        yield Fault("/platformOptions/properties", "wrong_type", "This must be an object.")


def _encode_event(event: PixelEvent) -> dict[str, Any]:
    written = {
        "event": event.name,
        "event_time": int(event.at.timestamp()),
        "event_id": event.id,
        "user": _encode_user(event),
        "page": drop_none({"url": event.url, "referrer": event.referrer}),
        "properties": {**event.options.get("properties", {}), **_encode_properties(event)} or None,
    }
    return {**event.options, **drop_none(written)}


def _encode_user(event: PixelEvent) -> dict[str, Any]:
    lists = {
        theirs: [value] for ours, theirs in _MULTI_VALUE_USER_FIELDS.items() if (value := getattr(event.person, ours))
    }
    return {
        **lists,
        **{theirs: value for ours, theirs in _SCALAR_USER_FIELDS.items() if (value := getattr(event.person, ours))},
    }


def _encode_properties(event: PixelEvent) -> dict[str, Any]:
    return drop_none(
        {
            "value": None if event.value is None else money.to_float(event.value),
            "currency": None if event.value is None else event.value.currency,
            "contents": [_encode_event_product(product) for product in event.products] or None,
            "content_type": "product" if event.products else None,
            "order_id": event.order_id,
            "search_string": event.search,
        }
    )


def _encode_event_product(product: EventProduct) -> dict[str, Any]:
    price = None if product.price is None else money.to_float(product.price)
    named = {"content_name": product.name, "brand": product.brand, "content_category": product.category}
    return drop_none({"content_id": product.id, "quantity": product.quantity, "price": price, **named})
