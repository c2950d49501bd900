"""Pixels, and the events that servers send to them with the Conversions API."""

import re
from collections import Counter
from datetime import datetime, timedelta
from typing import Any

from socialgate_sandbox.dialects.graph.errors import failure, trace_id, wrong
from socialgate_sandbox.dialects.graph.given import parsed, text
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, declared, own
from socialgate_sandbox.dialects.graph.objects import Objects, string
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, Thing, World
from socialgate_sandbox.society.campaigns import Kept
from socialgate_sandbox.vendors.meta.accounts import BUSINESS
from socialgate_sandbox.vendors.meta.ads.accounts import require_advertiser
from socialgate_sandbox.vendors.meta.state import AdAccount, Business

_HASH = re.compile(r"[0-9a-f]{64}|[0-9a-f]{32}")
_HASHED = {
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
_PLAIN = {
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
_VAGUE = {"client_ip_address", "client_user_agent", "country", "ge", "db", "ct", "st", "zp"}
_MOST, _OLDEST, _OLDEST_OFFLINE = 1000, timedelta(days=7), timedelta(days=62)
_AHEAD, _ONCE = timedelta(minutes=1), timedelta(hours=48)


class Pixel(Kept, kw_only=True):
    """The pixel of an ad account (the parent)."""


class PixelEvent(Thing, kw_only=True):
    """Something that happened on a website, reported to a pixel (the parent). `test` is the code of a test."""

    name: str
    at: datetime
    received: datetime
    key: str
    url: str = ""
    value: float = 0.0
    currency: str = ""
    test: str = ""


def events_of(world: World, pixel: str) -> list[PixelEvent]:
    """List what counts, oldest first: not the tests, and each event once, also if it was sent again."""
    found: dict[str, PixelEvent] = {}
    counted: list[PixelEvent] = []
    for event in world.store.find(PixelEvent, parent=pixel):
        before = found.get(event.key) if event.key else None
        if event.test or (before is not None and event.received - before.received < _ONCE):
            continue
        found[event.key] = event
        counted.append(event)
    return counted


def _last_fired(call: Call, pixel: Pixel, _field: Any) -> str | None:
    events = call.world.store.find(PixelEvent, parent=pixel.id, newest_first=True, limit=1)
    return written(events[0].received) if events else None


def _business(call: Call, pixel: Pixel, _field: Any) -> Node | None:
    account = call.world.store.get(AdAccount, pixel.parent)
    business = call.world.store.get(Business, account.parent) if account is not None else None
    return Node(BUSINESS, business) if business is not None else None


PIXEL = NodeType(
    "AdsPixel",
    {
        **own("id", "name"),
        "code": lambda _call, pixel, _field: f"<script>fbq('init', '{pixel.id}'); fbq('track', 'PageView');</script>",
        "creation_time": lambda _call, pixel, _field: written(pixel.made),
        "last_fired_time": _last_fired,
        "is_unavailable": lambda _call, _pixel, _field: False,
        "owner_business": _business,
    },
    ("id",),
)


def _write(call: Call, pixel: Pixel, _given: dict[str, Any]) -> None:
    if any(one.id != pixel.id for one in call.world.store.find(Pixel, parent=pixel.parent)):
        raise Refused(failure("(#6200) A pixel already exists for this account", 6200))


PIXELS = Objects(
    node=PIXEL, kind=Pixel, params={"name": string}, guard=require_advertiser, write=_write, required=("name",)
)


def business_pixels(call: Call, business: Business) -> Any:
    accounts = [account.id for account in call.world.store.find(AdAccount, parent=business.id)]
    found = [pixel for pixel in call.world.store.find(Pixel) if pixel.parent in accounts]
    return listing(call, [Node(PIXEL, pixel) for pixel in found])


def _bad(subcode: int | None, place: int, title: str, advice: str) -> Refused:
    data = {"blame_field_specs": [["data", str(place)]]}
    return Refused(
        failure("Invalid parameter", 100, subcode=subcode, transient=False, title=title, advice=advice, data=data)
    )


def send_events(call: Call, pixel: Pixel) -> Any:
    """Accept events, all or none. Each may be JSON in a string, as the SDKs write it."""
    require_advertiser(call, pixel.parent)
    given = parsed(call.params.get("data"))
    if not isinstance(given, list) or not 0 < len(given) <= _MOST:
        raise wrong(f"Param data must be an array of 1 to {_MOST} events")
    for place, event in enumerate(map(parsed, given)):
        if not isinstance(event, dict):
            raise _bad(2804019, place, "Invalid Event", f"data[{place}] must be a JSON object.")
        call.world.store.put(_event(call, pixel, place, event))
    return {"events_received": len(given), "messages": [], "fbtrace_id": trace_id()}


def _event(call: Call, pixel: Pixel, place: int, event: dict[str, Any]) -> PixelEvent:
    now = call.world.clock.now()
    for name in ("event_name", "event_time", "action_source", "user_data"):
        if not event.get(name):
            raise _bad(2804019, place, "Missing Parameter", f"data[{place}][{name}] is required.")
    source, at = event["action_source"], event["event_time"]
    if source not in declared("CustomConversion", "action_source_type"):
        raise _bad(2804019, place, "Invalid Action Source", f"data[{place}][action_source] is not a known source.")
    if not isinstance(at, int) or not 0 < at < now.timestamp() + _AHEAD.total_seconds():
        said = "The timestamp must be in seconds, and not in the future."
        raise _bad(2804004, place, "Event Timestamp In The Future", said)
    oldest = _OLDEST_OFFLINE if source == "physical_store" else _OLDEST
    if now.timestamp() - at > oldest.total_seconds():
        said = f"The timestamp for this event is too far in the past. It can be at most {oldest.days} days old."
        raise _bad(2804003, place, "Event Timestamp Too Old", said)
    _check_user(place, event["user_data"])
    if source == "website" and not (event.get("event_source_url") and event["user_data"].get("client_user_agent")):
        said = "Events of websites need event_source_url and client_user_agent."
        raise _bad(2804019, place, "Missing Parameter", said)
    data = event.get("custom_data") or {}
    if event["event_name"] == "Purchase" and not (_is_number(data.get("value")) and data.get("currency")):
        raise _bad(2804019, place, "Missing Parameter", "A purchase needs value and currency in custom_data.")
    key = f"{event['event_name']}:{event['event_id']}" if event.get("event_id") else ""
    return PixelEvent(
        id=str(call.world.store.count_up("pixel events")),
        parent=pixel.id,
        name=str(event["event_name"]),
        at=datetime.fromtimestamp(at, now.tzinfo),
        received=now,
        key=key,
        url=str(event.get("event_source_url") or ""),
        value=float(data.get("value") or 0),
        currency=str(data.get("currency") or ""),
        test=text(call, "test_event_code"),
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and value.replace(".", "", 1).isdecimal())


def _check_user(place: int, user: Any) -> None:
    if not isinstance(user, dict) or not user.keys() <= _HASHED | _PLAIN:
        raise _bad(2804019, place, "Invalid User Data", f"data[{place}][user_data] has an unknown key.")
    for name in _HASHED & user.keys():
        values = user[name] if isinstance(user[name], list) else [user[name]]
        if not all(_HASH.fullmatch(str(value)) for value in values if value):
            said = f"data[{place}][user_data][{name}] must be hashed with SHA-256."
            raise _bad(2804019, place, "Unhashed Customer Information", said)
    if not {name for name, value in user.items() if value} - _VAGUE:
        said = (
            "This event does not have enough customer information parameters. See the requirements in the "
            "documentation of the Conversions API."
        )
        raise _bad(2804050, place, "Insufficient Customer Information", said)


def stats(call: Call, pixel: Pixel) -> Any:
    """Count the events of each hour, by name, host or URL."""
    by = text(call, "aggregation") or "event"
    read = {"event": lambda one: one.name, "url": lambda one: one.url, "host": lambda one: one.url.split("/")[2:3]}
    if by not in read:
        return {"data": []}
    hours: dict[datetime, Counter[str]] = {}
    for event in events_of(call.world, pixel.id):
        hour = event.at.replace(minute=0, second=0, microsecond=0)
        hours.setdefault(hour, Counter())["".join(read[by](event))] += 1
    rows = [
        {
            "start_time": written(hour),
            "aggregation": by,
            "data": [{"value": word, "count": n} for word, n in found.items()],
        }
        for hour, found in sorted(hours.items())
    ]
    return {"data": rows}
