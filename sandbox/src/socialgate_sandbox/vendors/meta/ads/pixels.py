"""Pixels, and the events that servers send to them with the Conversions API."""

import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_error, generate_trace_id
from socialgate_sandbox.dialects.graph.managed_objects import ManagedObjects, parse_string
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, get_documented_names, resolve_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import get_text, parse_json_text
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError, StoredObject, VendorContext
from socialgate_sandbox.society.campaigns import AdAccountObject
from socialgate_sandbox.vendors.meta.account_nodes import BUSINESS_NODE_TYPE
from socialgate_sandbox.vendors.meta.ads.ad_accounts import require_advertise_role
from socialgate_sandbox.vendors.meta.stored_objects import AdAccount, Business

_HASH_PATTERN = re.compile(r"[0-9a-f]{64}|[0-9a-f]{32}")
_HASHED_KEYS = {
    *(
        "em",
        "ph",
        "fn",
        "ln",
        "ge",
        "db",
        "ct",
        "st",
        "zp",
        "country",
        "f5first",
        "f5last",
        "fi",
        "dobd",
        "dobm",
        "doby",
    ),
}
_PLAIN_KEYS = {
    *(
        "external_id",
        "client_ip_address",
        "client_user_agent",
        "fbc",
        "fbp",
        "subscription_id",
        "fb_login_id",
        "lead_id",
    ),
    *("anon_id", "madid", "page_id", "page_scoped_user_id", "ctwa_clid", "ig_account_id", "ig_sid"),
}
# None of these says who somebody is.
_NON_IDENTIFYING_KEYS = {"client_ip_address", "client_user_agent", "country", "ge", "db", "ct", "st", "zp"}
_MAX_EVENTS, _MAX_EVENT_AGE, _MAX_OFFLINE_EVENT_AGE = 1000, timedelta(days=7), timedelta(days=62)
_MAX_CLOCK_SKEW, _DEDUPLICATION_WINDOW = timedelta(minutes=1), timedelta(hours=48)


class Pixel(AdAccountObject, kw_only=True):
    """The pixel of an ad account (the parent)."""


class PixelEvent(StoredObject, kw_only=True):
    """Something that happened on a website, reported to a pixel (the parent). `test` is the code of a test."""

    name: str
    at: datetime
    received: datetime
    key: str
    url: str = ""
    value: float = 0.0
    currency: str = ""
    test: str = ""


def list_counted_events(context: VendorContext, pixel: str) -> list[PixelEvent]:
    """List what counts, oldest first: not the tests, and each event once, also if it was sent again."""
    pixel_events: dict[str, PixelEvent] = {}
    counted: list[PixelEvent] = []
    for event in context.store.find(PixelEvent, parent=pixel):
        before = pixel_events.get(event.key) if event.key else None
        if event.test or (before is not None and event.received - before.received < _DEDUPLICATION_WINDOW):
            continue
        pixel_events[event.key] = event
        counted.append(event)
    return counted


def _resolve_last_fired_time(call: Call, pixel: Pixel, _field: Any) -> str | None:
    events = call.context.store.find(PixelEvent, parent=pixel.id, newest_first=True, limit=1)
    return format_time(events[0].received) if events else None


def _resolve_business(call: Call, pixel: Pixel, _field: Any) -> Node | None:
    account = call.context.store.get(AdAccount, pixel.parent)
    business = call.context.store.get(Business, account.parent) if account is not None else None
    return Node(BUSINESS_NODE_TYPE, business) if business is not None else None


PIXEL_NODE_TYPE = NodeType(
    "AdsPixel",
    {
        **resolve_attributes("id", "name"),
        "code": lambda _call, pixel, _field: f"<script>fbq('init', '{pixel.id}'); fbq('track', 'PageView');</script>",
        "creation_time": lambda _call, pixel, _field: format_time(pixel.created_at),
        "last_fired_time": _resolve_last_fired_time,
        "is_unavailable": lambda _call, _pixel, _field: False,
        "owner_business": _resolve_business,
    },
    ("id",),
)


def _require_first_pixel(call: Call, pixel: Pixel, _given: dict[str, Any]) -> None:
    if any(current_pixel.id != pixel.id for current_pixel in call.context.store.find(Pixel, parent=pixel.parent)):
        raise CallRefusedError(build_error_response("(#6200) A pixel already exists for this account", 6200))


PIXELS = ManagedObjects(
    node=PIXEL_NODE_TYPE,
    kind=Pixel,
    parameter_parsers={"name": parse_string},
    require_access=require_advertise_role,
    validate_and_complete=_require_first_pixel,
    required=("name",),
)


def list_business_pixels(call: Call, business: Business) -> Any:
    accounts = [account.id for account in call.context.store.find(AdAccount, parent=business.id)]
    pixels = [pixel for pixel in call.context.store.find(Pixel) if pixel.parent in accounts]
    return build_page(call, [Node(PIXEL_NODE_TYPE, pixel) for pixel in pixels])


def _build_event_error(subcode: int | None, index: int, title: str, advice: str) -> CallRefusedError:
    data = {"blame_field_specs": [["data", str(index)]]}
    return CallRefusedError(
        build_error_response(
            "Invalid parameter", 100, subcode=subcode, transient=False, title=title, advice=advice, data=data
        )
    )


def receive_events(call: Call, pixel: Pixel) -> Any:
    """Accept events, all or none. Each may be JSON in a string, as the SDKs write it."""
    require_advertise_role(call, pixel.parent)
    items = parse_json_text(call.params.get("data"))
    if not isinstance(items, list) or not 0 < len(items) <= _MAX_EVENTS:
        raise build_parameter_error(f"Param data must be an array of 1 to {_MAX_EVENTS} events")
    for place, event in enumerate(map(parse_json_text, items)):
        if not isinstance(event, dict):
            raise _build_event_error(2804019, place, "Invalid Event", f"data[{place}] must be a JSON object.")
        call.context.store.put(_parse_event(call, pixel, place, event))
    return {"events_received": len(items), "messages": [], "fbtrace_id": generate_trace_id()}


def _parse_event(call: Call, pixel: Pixel, index: int, event: dict[str, Any]) -> PixelEvent:
    now = call.context.clock.now()
    for name in ("event_name", "event_time", "action_source", "user_data"):
        if not event.get(name):
            raise _build_event_error(2804019, index, "Missing Parameter", f"data[{index}][{name}] is required.")
    source, at = event["action_source"], event["event_time"]
    if source not in get_documented_names("CustomConversion", "action_source_type"):
        raise _build_event_error(
            2804019, index, "Invalid Action Source", f"data[{index}][action_source] is not a known source."
        )
    if not isinstance(at, int) or not 0 < at < now.timestamp() + _MAX_CLOCK_SKEW.total_seconds():
        message = "The timestamp must be in seconds, and not in the future."
        raise _build_event_error(2804004, index, "Event Timestamp In The Future", message)
    oldest = _MAX_OFFLINE_EVENT_AGE if source == "physical_store" else _MAX_EVENT_AGE
    if now.timestamp() - at > oldest.total_seconds():
        message = f"The timestamp for this event is too far in the past. It can be at most {oldest.days} days old."
        raise _build_event_error(2804003, index, "Event Timestamp Too Old", message)
    _validate_user_data(index, event["user_data"])
    if source == "website" and not (event.get("event_source_url") and event["user_data"].get("client_user_agent")):
        message = "Events of websites need event_source_url and client_user_agent."
        raise _build_event_error(2804019, index, "Missing Parameter", message)
    data = event.get("custom_data") or {}
    if event["event_name"] == "Purchase" and not (_is_number(data.get("value")) and data.get("currency")):
        raise _build_event_error(
            2804019, index, "Missing Parameter", "A purchase needs value and currency in custom_data."
        )
    key = f"{event['event_name']}:{event['event_id']}" if event.get("event_id") else ""
    return PixelEvent(
        id=str(call.context.store.get_next_number("pixel events")),
        parent=pixel.id,
        name=str(event["event_name"]),
        at=datetime.fromtimestamp(at, now.tzinfo),
        received=now,
        key=key,
        url=str(event.get("event_source_url") or ""),
        value=float(data.get("value") or 0),
        currency=str(data.get("currency") or ""),
        test=get_text(call, "test_event_code"),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.replace(".", "", 1).isdecimal())


def _validate_user_data(index: int, user_data: Any) -> None:
    if not isinstance(user_data, dict) or not user_data.keys() <= _HASHED_KEYS | _PLAIN_KEYS:
        raise _build_event_error(2804019, index, "Invalid User Data", f"data[{index}][user_data] has an unknown key.")
    for name in _HASHED_KEYS & user_data.keys():
        values = user_data[name] if isinstance(user_data[name], list) else [user_data[name]]
        if not all(_HASH_PATTERN.fullmatch(str(value)) for value in values if value):
            message = f"data[{index}][user_data][{name}] must be hashed with SHA-256."
            raise _build_event_error(2804019, index, "Unhashed Customer Information", message)
    if not {name for name, value in user_data.items() if value} - _NON_IDENTIFYING_KEYS:
        message = (
            "This event does not have enough customer information parameters. See the requirements in the "
            "documentation of the Conversions API."
        )
        raise _build_event_error(2804050, index, "Insufficient Customer Information", message)


def count_events(call: Call, pixel: Pixel) -> Any:
    """Count the events of each hour, by name, host or URL."""
    by = get_text(call, "aggregation") or "event"
    read = {
        "event": lambda item: item.name,
        "url": lambda item: item.url,
        "host": lambda item: item.url.split("/")[2:3],
    }
    if by not in read:
        return {"data": []}
    hours: dict[datetime, Counter[str]] = {}
    for event in list_counted_events(call.context, pixel.id):
        hour = event.at.replace(minute=0, second=0, microsecond=0)
        hours.setdefault(hour, Counter())["".join(read[by](event))] += 1
    rows = [
        {
            "start_time": format_time(hour),
            "aggregation": by,
            "data": [{"value": word, "count": n} for word, n in counts.items()],
        }
        for hour, counts in sorted(hours.items())
    ]
    return {"data": rows}
