"""Pixels, and the events that websites and servers report (Events API)."""

from collections import Counter
from datetime import date, datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Thing, World, digits, text
from socialgate_sandbox.society.tracking import Event, is_private, record
from socialgate_sandbox.vendors.tiktokads.access import MEASUREMENT, PIXELS, reached, signed_in
from socialgate_sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate_sandbox.vendors.tiktokads.errors import (
    NOT_FOUND,
    NOT_HASHED,
    PARTIAL,
    TOO_MANY_EVENTS,
    WRONG_PARAMETER,
    answered,
    envelope,
    failed,
    refused,
    require,
)
from socialgate_sandbox.vendors.tiktokads.hosts import api
from socialgate_sandbox.vendors.tiktokads.objects import asking

_LONGEST_NAME, _MOST_PIXELS, _MOST_EVENTS, _LATEST = 40, 20, 1000, 2**33
# The names of standard events for ad groups and custom conversions, by those of the Events API. Others are custom.
_TYPES = {
    "AddPaymentInfo": "ADD_BILLING", "AddToCart": "ON_WEB_CART", "AddToWishlist": "ON_WEB_ADD_TO_WISHLIST",
    "ClickButton": "BUTTON", "CompletePayment": "SHOPPING", "CompleteRegistration": "ON_WEB_REGISTER",
    "Contact": "CONSULT", "Download": "DOWNLOAD_START", "InitiateCheckout": "INITIATE_ORDER", "Lead": "FORM",
    "PageView": "PAGE_VIEW", "PlaceAnOrder": "ON_WEB_ORDER", "Purchase": "SHOPPING", "Search": "ON_WEB_SEARCH",
    "SubmitForm": "FORM", "Subscribe": "ON_WEB_SUBSCRIBE", "ViewContent": "ON_WEB_DETAIL",
}  # fmt: skip
_ORDERS = {"EARLIEST_CREATE": False, "LATEST_CREATE": True}
_HASHED = ("email", "phone", "external_id", "first_name", "last_name", "zip_code")


class Pixel(Thing):
    """An event source of the ad account that is its parent. A website reports with its `code`.

    `kind` is `web` or `crm`: a CRM event set has no code and reports with its id.
    """

    code: str
    name: str
    made: datetime
    kind: str = "web"


class Asked(msgspec.Struct):
    pixel_id: str = ""
    pixel_ids: list[str] = []
    pixel_name: str = ""
    name: str = ""
    code: str = ""
    order_by: str = "EARLIEST_CREATE"
    date_range: dict[str, date] = {}


class Reported(msgspec.Struct, kw_only=True):
    event: str = ""
    event_time: int | None = None
    event_id: str | None = None
    user: dict[str, Any] | None = None
    page: dict[str, Any] | None = None
    properties: dict[str, Any] | None = None
    lead: dict[str, Any] | None = None


class Report(msgspec.Struct):
    event_source: str
    event_source_id: str
    data: list[Reported]
    test_event_code: str = ""


class OldReport(msgspec.Struct):
    pixel_code: str
    event: str
    event_id: str | None = None
    timestamp: datetime | None = None
    context: dict[str, Any] = {}
    properties: dict[str, Any] | None = None
    test_event_code: str | None = None


def list_pixels(call: Call) -> Response:
    books, _asked = asking(call, PIXELS)
    given = call.read(Asked)
    require(given.order_by in _ORDERS, f"order_by: Must be one of: {', '.join(_ORDERS)}.")
    every = call.world.store.find(Pixel, parent=books.advertiser.id, newest_first=_ORDERS[given.order_by])
    found = [
        one
        for one in every
        if one.kind == "web"
        and given.pixel_id in {"", one.id}
        and given.code in {"", one.code}
        and given.name.lower() in one.name.lower()
    ]
    rows, info = paged(call, call.read(PageQuery), found, most=_MOST_PIXELS)
    return answered(call, {"pixels": [_shown(call.world, one) for one in rows], "page_info": info})


def create_pixel(call: Call) -> Response:
    made = _make(call, call.read(Asked).pixel_name, "pixel_name", "web")
    return answered(call, {"pixel_id": made.id, "pixel_code": made.code})


def update_pixel(call: Call) -> Response:
    books, _asked = asking(call, PIXELS, write=True)
    given = call.read(Asked)
    one = _pixel(call, books.advertiser.id, given.pixel_id)
    one.name = _name("pixel_name", given.pixel_name)
    call.world.store.put(one)
    return answered(call, {"pixel_id": one.id})


def event_stats(call: Call) -> Response:
    books, _asked = asking(call, PIXELS)
    given = call.read(Asked)
    first, last = given.date_range.get("start_date"), given.date_range.get("end_date")
    rows = []
    for key in given.pixel_ids:
        events = call.world.store.find(Event, parent=_pixel(call, books.advertiser.id, key).id)
        days = [one.name for one in events if (first or date.min) <= one.at.date() <= (last or date.max)]
        counts = [
            {**_named("pixel_event_type", name), "attributed_count": 0, "preview_count": 0, "total_count": count,
             "browser_event_total_count": 0, "server_event_total_count": count}
            for name, count in Counter(days).items()
        ]  # fmt: skip
        rows.append({"pixel_id": key, "statistics": counts})
    return answered(call, {"list": rows})


def list_sets(call: Call) -> Response:
    books, _asked = asking(call, MEASUREMENT)
    found = [one for one in call.world.store.find(Pixel, parent=books.advertiser.id) if one.kind == "crm"]
    return answered(call, {"crm_event_sets": [{"event_set_id": one.id, "name": one.name} for one in found]})


def create_set(call: Call) -> Response:
    return answered(call, {"event_set_id": _make(call, call.read(Asked).name, "name", "crm").id})


def track(call: Call) -> Response:
    """Take a batch of events (Events API 2.0). Events that lack something are refused one by one."""
    token, given = signed_in(call, MEASUREMENT), call.read(Report)
    mine = {member.advertiser for member in reached(call.world, token)}
    kinds = ("web", "app", "offline", "crm")
    require(given.event_source in kinds, f"event_source: Must be one of: {', '.join(kinds)}.")
    source = _source(call.world, given.event_source_id, given.event_source)
    require(source is not None and source.parent in mine, "event_source_id: the event source does not exist.")
    assert source is not None
    if not 1 <= len(given.data) <= _MOST_EVENTS:
        return failed(call, TOO_MANY_EVENTS, f"data: between 1 and {_MOST_EVENTS} events are allowed.")
    if any(not is_private(event.user or {}, _HASHED) for event in given.data):
        return failed(call, NOT_HASHED, "The PII of an event is not hashed.")
    wrong = {place: fault for place, event in enumerate(given.data) if (fault := _fault(given.event_source, event))}
    for place, event in enumerate(given.data):
        if place not in wrong:
            record(call.world, source.id, msgspec.structs.asdict(event), test=bool(given.test_event_code))
    if not wrong:
        return answered(call, {})
    rows = [{"order_in_batch": place, "error_code": WRONG_PARAMETER, "error_message": wrong[place]} for place in wrong]
    message = next(iter(wrong.values()))
    return envelope(call, PARTIAL if len(wrong) < len(given.data) else WRONG_PARAMETER, message,
                    {"failed_events": rows})  # fmt: skip


def track_old(call: Call) -> Response:
    """Take one event of a website (Events API 1.0)."""
    token, given = signed_in(call, MEASUREMENT), call.read(OldReport)
    source = _source(call.world, given.pixel_code, "web")
    mine = {member.advertiser for member in reached(call.world, token)}
    require(source is not None and source.parent in mine, "pixel_code: the pixel does not exist.")
    assert source is not None
    page = given.context.get("page")
    event = Reported(
        event=given.event,
        event_time=int((given.timestamp or call.world.clock.now()).timestamp()),
        event_id=given.event_id,
        page=page if isinstance(page, dict) else None,
        properties=given.properties,
    )
    record(call.world, source.id, msgspec.structs.asdict(event), test=bool(given.test_event_code))
    return answered(call, {})


def _make(call: Call, given: str, field: str, kind: str) -> Pixel:
    books, _asked = asking(call, PIXELS if kind == "web" else MEASUREMENT, write=True)
    code, now = f"C{text(19).upper()}" if kind == "web" else "", call.world.clock.now()
    made = Pixel(id=digits(19), parent=books.advertiser.id, code=code, name=_name(field, given), made=now, kind=kind)
    return call.world.store.put(made)


def _name(field: str, given: str) -> str:
    require(1 <= len(given) <= _LONGEST_NAME, f"{field}: Length must be between 1 and {_LONGEST_NAME}.")
    return given


def _pixel(call: Call, advertiser: str, key: str) -> Pixel:
    found = call.world.store.get(Pixel, key)
    if found is None or found.parent != advertiser:
        raise refused(call, NOT_FOUND, f"The pixel {key} does not exist.")
    return found


def _source(world: World, key: str, kind: str) -> Pixel | None:
    every = (one for one in world.store.find(Pixel) if one.kind == kind)
    return next((one for one in every if key and key == (one.code or one.id)), None)


def _fault(source: str, event: Reported) -> str:
    if not event.event:
        return "event: Missing data for required field."
    if event.event_time is None or not 0 <= event.event_time <= _LATEST:
        return "event_time: must be a Unix time in seconds."
    if source == "web" and not (event.page or {}).get("url"):
        return "page.url: Missing data for required field."
    if source == "crm" and not (event.lead or {}).get("lead_id"):
        return "lead.lead_id: Missing data for required field."
    return ""


def _named(field: str, name: str) -> dict[str, str]:
    """Return the type of an event: in `field` if it is a standard event, otherwise as that of a custom event."""
    return {field: _TYPES[name]} if name in _TYPES else {"custom_event_type": name}


def _event(name: str) -> dict[str, Any]:
    kind = _TYPES.get(name)
    # A page view cannot be optimized for.
    wanted = None if kind == "PAGE_VIEW" else kind
    return {**_named("event_type", name), "optimization_event": wanted, "event_code": name, "name": name}


def _shown(world: World, one: Pixel) -> dict[str, Any]:
    names = dict.fromkeys(event.name for event in world.store.find(Event, parent=one.id))
    return {
        "pixel_id": one.id,
        "pixel_code": one.code,
        "pixel_name": one.name,
        "pixel_setup_mode": "DEVELOPER",
        "create_time": int(one.made.timestamp() * 1000),
        "partner_name": None,
        "asset_ownership": {"asset_relation_status": None, "ownership_status": True, "owner_bc_id": None},
        "events": [_event(name) for name in names],
    }


ROUTES = [
    *api("GET", "pixel/list", list_pixels),
    *api("POST", "pixel/create", create_pixel),
    *api("POST", "pixel/update", update_pixel),
    *api("GET", "pixel/event/stats", event_stats),
    *api("GET", "crm/list", list_sets),
    *api("POST", "crm/create", create_set),
    *api("POST", "event/track", track),
    *api("POST", "pixel/track", track_old),
]
