"""Pixels, and the events that websites and servers report (Events API)."""

from collections import Counter
from datetime import UTC, date, datetime
from typing import Any

import msgspec
from starlette.responses import Response

from socialgate.sandbox.kit import Call, Thing, World, digits, text
from socialgate.sandbox.vendors.tiktokads.access import MEASUREMENT, PIXELS, reached, signed_in
from socialgate.sandbox.vendors.tiktokads.accounts import PageQuery, paged
from socialgate.sandbox.vendors.tiktokads.audiences import is_hash
from socialgate.sandbox.vendors.tiktokads.errors import (
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
from socialgate.sandbox.vendors.tiktokads.hosts import api
from socialgate.sandbox.vendors.tiktokads.objects import asking

_LONGEST_NAME, _MOST_PIXELS, _MOST_EVENTS = 40, 20, 1000
_HASHED = ("email", "phone", "external_id", "first_name", "last_name", "zip_code")


class Pixel(Thing):
    """An event source of the ad account that is its parent. A website reports with its `code`.

    `kind` is `web` or `crm`: a CRM event set has no code and reports with its id.
    """

    code: str
    name: str
    made: datetime
    kind: str = "web"


class Event(Thing):
    """Something that a visitor did, at the event source that is its parent. Repeated reports are one event."""

    name: str
    at: datetime
    taken: datetime
    properties: dict[str, Any] = {}
    url: str = ""
    test: bool = False


class Asked(msgspec.Struct):
    pixel_id: str = ""
    pixel_ids: list[str] = []
    pixel_name: str = ""
    name: str = ""
    code: str = ""
    date_range: dict[str, date] = {}


class Report(msgspec.Struct):
    event_source: str
    event_source_id: str
    data: list[dict[str, Any]]
    test_event_code: str = ""


def list_pixels(call: Call) -> Response:
    books, _asked = asking(call, PIXELS)
    given, every = call.read(Asked), call.world.store.find(Pixel, parent=books.advertiser.id, newest_first=True)
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
            {"pixel_event_type": name, "attributed_count": 0, "preview_count": 0, "total_count": count,
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
    if any(not _is_private(event.get("user") or {}) for event in given.data):
        return failed(call, NOT_HASHED, "The PII of an event is not hashed.")
    wrong = {place: fault for place, event in enumerate(given.data) if (fault := _fault(given.event_source, event))}
    for place, event in enumerate(given.data):
        if place not in wrong:
            _take(call.world, source, event, test=bool(given.test_event_code))
    if not wrong:
        return answered(call, {})
    rows = [{"order_in_batch": place, "error_code": WRONG_PARAMETER, "error_message": wrong[place]} for place in wrong]
    message = next(iter(wrong.values()))
    return envelope(call, PARTIAL if len(wrong) < len(given.data) else WRONG_PARAMETER, message,
                    {"failed_events": rows})  # fmt: skip


def track_old(call: Call) -> Response:
    """Take one event of a website (Events API 1.0)."""
    signed_in(call, MEASUREMENT)
    given = call.json
    source = _source(call.world, str(given.get("pixel_code", "")), "web")
    require(source is not None and given.get("event"), "pixel_code, event: Missing data for required field.")
    assert source is not None
    context = given.get("context") or {}
    when = datetime.fromisoformat(str(given.get("timestamp") or call.world.clock.now().isoformat()))
    event = {**given, "event_time": when.timestamp(), "page": context.get("page") or {}}
    _take(call.world, source, event, test=bool(given.get("test_event_code")))
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


def _is_private(user: dict[str, Any]) -> bool:
    """Whether everything that identifies a person is hashed."""
    given = [user.get(name) or [] for name in _HASHED]
    return all(is_hash(str(word)) for one in given for word in (one if isinstance(one, list) else [one]) if word)


def _fault(source: str, event: dict[str, Any]) -> str:
    if not event.get("event"):
        return "event: Missing data for required field."
    if not isinstance(event.get("event_time"), int):
        return "event_time: must be a Unix time in seconds."
    if source == "web" and not (event.get("page") or {}).get("url"):
        return "page.url: Missing data for required field."
    if source == "crm" and not (event.get("lead") or {}).get("lead_id"):
        return "lead.lead_id: Missing data for required field."
    return ""


def _take(world: World, source: Pixel, event: dict[str, Any], *, test: bool) -> None:
    key = event.get("event_id") or digits(19)
    world.store.put(
        Event(
            id=f"{source.id} {event['event']} {key}",
            parent=source.id,
            name=str(event["event"]),
            at=datetime.fromtimestamp(float(event["event_time"]), UTC),
            taken=world.clock.now(),
            properties=event.get("properties") or {},
            url=str((event.get("page") or {}).get("url") or ""),
            test=test,
        )
    )


def _shown(world: World, one: Pixel) -> dict[str, Any]:
    names = dict.fromkeys(event.name for event in world.store.find(Event, parent=one.id))
    return {
        "pixel_id": one.id,
        "pixel_code": one.code,
        "pixel_name": one.name,
        "pixel_setup_mode": "MANUAL",
        "create_time": int(one.made.timestamp() * 1000),
        "partner_name": None,
        "asset_ownership": {"asset_id": one.id, "asset_relation_type": "OWNER", "ownership_status": True},
        "activity_status": "ACTIVE" if names else "NO_RECORD",
        "events": [{"event_type": name, "event_code": name, "name": name} for name in names],
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
