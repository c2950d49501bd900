"""Pixels, and the events that websites and servers report (Events API)."""

from collections import Counter
from datetime import date, datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, StoredObject, VendorContext, generate_alphanumeric, generate_digits
from socialgate_sandbox.society.conversion_events import Event, has_only_hashes, record_event
from socialgate_sandbox.vendors.tiktokads.access import (
    MEASUREMENT_SCOPE,
    PIXELS_SCOPE,
    authenticate,
    list_accessible_accounts,
)
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, select_page
from socialgate_sandbox.vendors.tiktokads.ad_objects import authorize_ad_call
from socialgate_sandbox.vendors.tiktokads.api_routes import build_api_routes
from socialgate_sandbox.vendors.tiktokads.errors import (
    INVALID_PARAMETER_CODE,
    NOT_FOUND_CODE,
    NOT_HASHED_CODE,
    PARTIAL_SUCCESS_CODE,
    TOO_MANY_EVENTS_CODE,
    build_envelope,
    build_error,
    build_error_response,
    build_success_response,
    require,
)

_MAX_NAME_LENGTH, _MAX_PIXELS, _MAX_EVENTS, _MAX_EVENT_TIME = 40, 20, 1000, 2**33
# The names of standard events for ad groups and custom conversions, by those of the Events API. Others are custom.
_EVENT_TYPES_BY_NAME = {
    "AddPaymentInfo": "ADD_BILLING", "AddToCart": "ON_WEB_CART", "AddToWishlist": "ON_WEB_ADD_TO_WISHLIST",
    "ClickButton": "BUTTON", "CompletePayment": "SHOPPING", "CompleteRegistration": "ON_WEB_REGISTER",
    "Contact": "CONSULT", "Download": "DOWNLOAD_START", "InitiateCheckout": "INITIATE_ORDER", "Lead": "FORM",
    "PageView": "PAGE_VIEW", "PlaceAnOrder": "ON_WEB_ORDER", "Purchase": "SHOPPING", "Search": "ON_WEB_SEARCH",
    "SubmitForm": "FORM", "Subscribe": "ON_WEB_SUBSCRIBE", "ViewContent": "ON_WEB_DETAIL",
}  # fmt: skip
_NEWEST_FIRST_BY_ORDER = {"EARLIEST_CREATE": False, "LATEST_CREATE": True}
_HASHED_FIELDS = ("email", "phone", "external_id", "first_name", "last_name", "zip_code")


class Pixel(StoredObject):
    """An event source of the ad account that is its parent. A website reports with its `code`.

    `kind` is `web` or `crm`: a CRM event set has no code and reports with its id.
    """

    code: str
    name: str
    created_at: datetime = msgspec.field(name="made")
    kind: str = "web"


class PixelParams(msgspec.Struct):
    pixel_id: str = ""
    pixel_ids: list[str] = []
    pixel_name: str = ""
    name: str = ""
    code: str = ""
    order_by: str = "EARLIEST_CREATE"
    date_range: dict[str, date] = {}


class EventParams(msgspec.Struct, kw_only=True):
    event: str = ""
    event_time: int | None = None
    event_id: str | None = None
    user: dict[str, Any] | None = None
    page: dict[str, Any] | None = None
    properties: dict[str, Any] | None = None
    lead: dict[str, Any] | None = None


class TrackParams(msgspec.Struct):
    event_source: str
    event_source_id: str
    data: list[EventParams]
    test_event_code: str = ""


class LegacyTrackParams(msgspec.Struct):
    pixel_code: str
    event: str
    event_id: str | None = None
    timestamp: datetime | None = None
    context: dict[str, Any] = {}
    properties: dict[str, Any] | None = None
    test_event_code: str | None = None


def list_pixels(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, PIXELS_SCOPE)
    pixel_params = call.parse_params(PixelParams)
    require(
        pixel_params.order_by in _NEWEST_FIRST_BY_ORDER,
        f"order_by: Must be one of: {', '.join(_NEWEST_FIRST_BY_ORDER)}.",
    )
    every = call.context.store.find(
        Pixel, parent=books.advertiser.id, newest_first=_NEWEST_FIRST_BY_ORDER[pixel_params.order_by]
    )
    pixels = [
        pixel
        for pixel in every
        if pixel.kind == "web"
        and pixel_params.pixel_id in {"", pixel.id}
        and pixel_params.code in {"", pixel.code}
        and pixel_params.name.lower() in pixel.name.lower()
    ]
    rows, info = select_page(call, call.parse_params(PageQuery), pixels, max_page_size=_MAX_PIXELS)
    return build_success_response(
        call, {"pixels": [_build_pixel_json(call.context, row) for row in rows], "page_info": info}
    )


def create_pixel(call: Call) -> Response:
    pixel = _create_source(call, call.parse_params(PixelParams).pixel_name, "pixel_name", "web")
    return build_success_response(call, {"pixel_id": pixel.id, "pixel_code": pixel.code})


def update_pixel(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, PIXELS_SCOPE, requires_write=True)
    pixel_params = call.parse_params(PixelParams)
    pixel = _require_pixel(call, books.advertiser.id, pixel_params.pixel_id)
    pixel.name = _require_name("pixel_name", pixel_params.pixel_name)
    call.context.store.put(pixel)
    return build_success_response(call, {"pixel_id": pixel.id})


def get_event_stats(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, PIXELS_SCOPE)
    pixel_params = call.parse_params(PixelParams)
    first, last = pixel_params.date_range.get("start_date"), pixel_params.date_range.get("end_date")
    rows = []
    for key in pixel_params.pixel_ids:
        events = call.context.store.find(Event, parent=_require_pixel(call, books.advertiser.id, key).id)
        days = [event.name for event in events if (first or date.min) <= event.at.date() <= (last or date.max)]
        counts = [
            {
                **_build_event_type("pixel_event_type", name),
                "attributed_count": 0,
                "preview_count": 0,
                "total_count": count,
                "browser_event_total_count": 0,
                "server_event_total_count": count,
            }
            for name, count in Counter(days).items()
        ]
        rows.append({"pixel_id": key, "statistics": counts})
    return build_success_response(call, {"list": rows})


def list_event_sets(call: Call) -> Response:
    books, _asked = authorize_ad_call(call, MEASUREMENT_SCOPE)
    pixels = [pixel for pixel in call.context.store.find(Pixel, parent=books.advertiser.id) if pixel.kind == "crm"]
    return build_success_response(
        call, {"crm_event_sets": [{"event_set_id": pixel.id, "name": pixel.name} for pixel in pixels]}
    )


def create_event_set(call: Call) -> Response:
    return build_success_response(
        call, {"event_set_id": _create_source(call, call.parse_params(PixelParams).name, "name", "crm").id}
    )


def track_events(call: Call) -> Response:
    """Take a batch of events (Events API 2.0). Events that lack something are refused one by one."""
    token, track_params = authenticate(call, MEASUREMENT_SCOPE), call.parse_params(TrackParams)
    mine = {member.advertiser for member in list_accessible_accounts(call.context, token)}
    kinds = ("web", "app", "offline", "crm")
    require(track_params.event_source in kinds, f"event_source: Must be one of: {', '.join(kinds)}.")
    source = _find_source(call.context, track_params.event_source_id, track_params.event_source)
    require(source is not None and source.parent in mine, "event_source_id: the event source does not exist.")
    assert source is not None
    if not 1 <= len(track_params.data) <= _MAX_EVENTS:
        return build_error_response(
            call, TOO_MANY_EVENTS_CODE, f"data: between 1 and {_MAX_EVENTS} events are allowed."
        )
    if any(not has_only_hashes(event.user or {}, _HASHED_FIELDS) for event in track_params.data):
        return build_error_response(call, NOT_HASHED_CODE, "The PII of an event is not hashed.")
    wrong = {
        place: fault
        for place, event in enumerate(track_params.data)
        if (fault := _find_event_error(track_params.event_source, event))
    }
    for place, event in enumerate(track_params.data):
        if place not in wrong:
            record_event(
                call.context, source.id, msgspec.structs.asdict(event), test=bool(track_params.test_event_code)
            )
    if not wrong:
        return build_success_response(call, {})
    rows = [
        {"order_in_batch": place, "error_code": INVALID_PARAMETER_CODE, "error_message": wrong[place]}
        for place in wrong
    ]
    message = next(iter(wrong.values()))
    return build_envelope(
        call,
        PARTIAL_SUCCESS_CODE if len(wrong) < len(track_params.data) else INVALID_PARAMETER_CODE,
        message,
        {"failed_events": rows},
    )


def track_legacy_event(call: Call) -> Response:
    """Take one event of a website (Events API 1.0)."""
    token, track_params = authenticate(call, MEASUREMENT_SCOPE), call.parse_params(LegacyTrackParams)
    source = _find_source(call.context, track_params.pixel_code, "web")
    mine = {member.advertiser for member in list_accessible_accounts(call.context, token)}
    require(source is not None and source.parent in mine, "pixel_code: the pixel does not exist.")
    assert source is not None
    page = track_params.context.get("page")
    event = EventParams(
        event=track_params.event,
        event_time=int((track_params.timestamp or call.context.clock.now()).timestamp()),
        event_id=track_params.event_id,
        page=page if isinstance(page, dict) else None,
        properties=track_params.properties,
    )
    record_event(call.context, source.id, msgspec.structs.asdict(event), test=bool(track_params.test_event_code))
    return build_success_response(call, {})


def _create_source(call: Call, name: str, field: str, kind: str) -> Pixel:
    books, _asked = authorize_ad_call(call, PIXELS_SCOPE if kind == "web" else MEASUREMENT_SCOPE, requires_write=True)
    code, now = f"C{generate_alphanumeric(19).upper()}" if kind == "web" else "", call.context.clock.now()
    pixel = Pixel(
        id=generate_digits(19),
        parent=books.advertiser.id,
        code=code,
        name=_require_name(field, name),
        created_at=now,
        kind=kind,
    )
    return call.context.store.put(pixel)


def _require_name(field: str, name: str) -> str:
    require(1 <= len(name) <= _MAX_NAME_LENGTH, f"{field}: Length must be between 1 and {_MAX_NAME_LENGTH}.")
    return name


def _require_pixel(call: Call, advertiser: str, key: str) -> Pixel:
    pixel = call.context.store.get(Pixel, key)
    if pixel is None or pixel.parent != advertiser:
        raise build_error(call, NOT_FOUND_CODE, f"The pixel {key} does not exist.")
    return pixel


def _find_source(context: VendorContext, key: str, kind: str) -> Pixel | None:
    every = (pixel for pixel in context.store.find(Pixel) if pixel.kind == kind)
    return next((pixel for pixel in every if key and key == (pixel.code or pixel.id)), None)


def _find_event_error(source: str, event: EventParams) -> str:
    if not event.event:
        return "event: Missing data for required field."
    if event.event_time is None or not 0 <= event.event_time <= _MAX_EVENT_TIME:
        return "event_time: must be a Unix time in seconds."
    if source == "web" and not (event.page or {}).get("url"):
        return "page.url: Missing data for required field."
    if source == "crm" and not (event.lead or {}).get("lead_id"):
        return "lead.lead_id: Missing data for required field."
    return ""


def _build_event_type(field: str, name: str) -> dict[str, str]:
    """Return the type of an event: in `field` if it is a standard event, otherwise as that of a custom event."""
    return {field: _EVENT_TYPES_BY_NAME[name]} if name in _EVENT_TYPES_BY_NAME else {"custom_event_type": name}


def _build_event_json(name: str) -> dict[str, Any]:
    kind = _EVENT_TYPES_BY_NAME.get(name)
    # A page view cannot be optimized for.
    expected = None if kind == "PAGE_VIEW" else kind
    return {**_build_event_type("event_type", name), "optimization_event": expected, "event_code": name, "name": name}


def _build_pixel_json(context: VendorContext, pixel: Pixel) -> dict[str, Any]:
    names = dict.fromkeys(event.name for event in context.store.find(Event, parent=pixel.id))
    return {
        "pixel_id": pixel.id,
        "pixel_code": pixel.code,
        "pixel_name": pixel.name,
        "pixel_setup_mode": "DEVELOPER",
        "create_time": int(pixel.created_at.timestamp() * 1000),
        "partner_name": None,
        "asset_ownership": {"asset_relation_status": None, "ownership_status": True, "owner_bc_id": None},
        "events": [_build_event_json(name) for name in names],
    }


ROUTES = [
    *build_api_routes("GET", "pixel/list", list_pixels),
    *build_api_routes("POST", "pixel/create", create_pixel),
    *build_api_routes("POST", "pixel/update", update_pixel),
    *build_api_routes("GET", "pixel/event/stats", get_event_stats),
    *build_api_routes("GET", "crm/list", list_event_sets),
    *build_api_routes("POST", "crm/create", create_event_set),
    *build_api_routes("POST", "event/track", track_events),
    *build_api_routes("POST", "pixel/track", track_legacy_event),
]
