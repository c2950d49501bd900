"""The events of a calendar: listed, created, changed and deleted, single ones and series."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, World, hexadecimal
from socialgate_sandbox.vendors.google.access import signed_in, user_of
from socialgate_sandbox.vendors.google.calendar.calendars import (
    BASE,
    EVENTS,
    EVENTS_READING,
    ROLES,
    bad_page,
    calendar_page,
    entry_of,
    moment,
    stamp,
    sync_token,
    synced_at,
)
from socialgate_sandbox.vendors.google.calendar.event_bodies import RESPONSES, checked, merged
from socialgate_sandbox.vendors.google.calendar.times import (
    Span,
    instant,
    mark,
    occurrences,
    read_time,
    require,
    span_of,
    written,
    zone_of,
)
from socialgate_sandbox.vendors.google.errors import ERRORS, api_error, refuse
from socialgate_sandbox.vendors.google.state import Calendar, CalendarEntry, CalendarEvent, GoogleUser, Invitation
from socialgate_sandbox.vendors.google.webhooks import notice_change

_ID = re.compile(r"[a-v0-9]{5,1024}")
_USUAL, _MOST = 250, 2500
_TICK = 0.000002
_NOT_WITH_SYNC = (
    *("iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty"),
    *("timeMin", "timeMax", "updatedMin"),
)


class Place:
    """A calendar as the caller sees it."""

    def __init__(self, call: Call, *, writes: bool = False) -> None:
        token = signed_in(call, *(EVENTS if writes else EVENTS_READING))
        self.call, self.world, self.store = call, call.world, call.world.store
        self.entry: CalendarEntry = entry_of(call, token, call.args["calendar"])
        self.user: GoogleUser = user_of(call.world, token)
        found = self.store.get(Calendar, self.entry.calendar)
        assert found is not None
        self.calendar = found
        self.zone: ZoneInfo = zone_of(call.query.get("timeZone", found.time_zone))
        if writes and ROLES.index(self.entry.role) < ROLES.index("writer"):
            refuse(
                api_error(403, "requiredAccessLevel", "You need to have writer access to this calendar.", "calendar")
            )

    def all(self) -> list[CalendarEvent]:
        return self.store.find(CalendarEvent, parent=self.calendar.id)

    def find(self, key: str) -> CalendarEvent | None:
        return self.store.get(CalendarEvent, f"{self.calendar.id} {key}")

    def event(self, key: str) -> CalendarEvent:
        """Find an event, or an occurrence of a series that has not been changed individually."""
        found = self.find(key)
        series = self.find(key.partition("_")[0]) if found is None and "_" in key else None
        if series is not None and not series.cancelled and series.body.get("recurrence"):
            spans = occurrences(series, self.world.clock.now())
            found = next((one_of(series, span) for span in spans if key.endswith(f"_{mark(span.start)}")), None)
        return found or refuse(ERRORS["not_found"](self.call))

    def exceptions(self, series: str) -> dict[str, CalendarEvent]:
        return {event.key: event for event in self.all() if event.series == series}

    def expanded(self, event: CalendarEvent, before: datetime | None = None) -> Iterator[CalendarEvent]:
        """Return the current occurrences of a series, including cancelled ones."""
        if not event.body.get("recurrence") or event.cancelled:
            yield event
            return
        changed = self.exceptions(event.key)
        for span in occurrences(event, self.world.clock.now(), before):
            found = one_of(event, span)
            yield changed.get(found.key, found)

    def changed(self, event: CalendarEvent, what: str) -> CalendarEvent:
        """Store a change, notify the watchers of the calendar, and write to the guests if the caller wants that."""
        event.changed = max(self.world.clock.time(), event.changed + _TICK)
        self.store.put(event)
        notice_change(self.world, f"events {self.calendar.id}")
        wanted = self.call.query.get("sendUpdates", "none")
        if wanted not in {"all", "externalOnly", "none"}:
            refuse(api_error(400, "invalid", "Invalid Value", place=("parameter", "sendUpdates")))
        known = {calendar.id for calendar in self.store.find(Calendar)}
        for guest in event.body.get("attendees", ()):
            to = guest["email"]
            if to != self.calendar.id and (wanted == "all" or (wanted == "externalOnly" and to not in known)):
                self.store.put(Invitation(id=hexadecimal(16), parent=event.key, to=to, what=what))
        return event

    def shown(self, event: CalendarEvent) -> dict[str, Any]:
        head = {"kind": "calendar#event", "etag": stamp(event.changed), "id": event.key}
        status = "cancelled" if event.cancelled else event.body.get("status", "confirmed")
        body = {**event.body, "status": status}
        span, names = span_of(body), {end: body[end].get("timeZone") for end in ("start", "end")}
        body["start"] = written(span.start, names["start"], self.zone)
        body["end"] = written(span.end, names["end"], self.zone)
        if event.series:
            body["recurringEventId"] = event.series
            original = read_time({"dateTime" if "T" in event.original else "date": event.original}, "start")
            body["originalStartTime"] = written(original, names["start"], self.zone)
        about = {
            "htmlLink": f"https://www.google.com/calendar/event?eid={event.key}",
            "created": moment(datetime.fromtimestamp(event.made, self.zone)),
            "updated": moment(datetime.fromtimestamp(event.changed, self.zone)),
            "creator": {"email": event.creator},
            "organizer": {"email": self.calendar.id, "self": True},
            "iCalUID": f"{event.series or event.key}@google.com",
            "sequence": event.sequence,
            "eventType": "default",
        }
        return head | about | {"reminders": {"useDefault": True}} | body


def one_of(series: CalendarEvent, span: Span) -> CalendarEvent:
    body = {name: value for name, value in series.body.items() if name != "recurrence"}
    for end, value in (("start", span.start), ("end", span.end)):
        body[end] = written(value, body[end].get("timeZone"), _zone(value))
    key, original = f"{series.key}_{mark(span.start)}", _first_of(body["start"])
    return replace(series, id=f"{series.parent} {key}", key=key, body=body, series=series.key, original=original)


def _zone(value: object) -> ZoneInfo:
    zone = value.tzinfo if isinstance(value, datetime) else None
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


def _first_of(shown: dict[str, str]) -> str:
    return shown.get("dateTime") or shown["date"]


def list_events(call: Call) -> object:
    place, since = Place(call), synced_at(call)
    fits = since is None or not any(name in call.query for name in _NOT_WITH_SYNC)
    require(fits, "Sync token cannot be used with other query restrictions.")
    found = _wanted(place, since)
    shown, following = _page(call, found)
    # A list with its own ordering cannot be continued with a sync token.
    ends = {} if "orderBy" in call.query else {"nextSyncToken": sync_token(call.world)}
    last = {"nextPageToken": following} if following else ends
    answer = {
        "kind": "calendar#events",
        "etag": stamp(max((event.changed for event in found), default=place.entry.changed)),
        "summary": place.calendar.summary,
        "timeZone": str(place.zone),
        "accessRole": place.entry.role,
        **last,
        "items": [place.shown(event) for event in shown],
    }
    wanted = call.query.get("fields", "*").split(",")
    return answer if "*" in wanted else {name: answer[name] for name in wanted if name in answer}


def _page(call: Call, found: list[CalendarEvent]) -> tuple[list[CalendarEvent], str | None]:
    try:
        size = int(call.query.get("maxResults", _USUAL))
    except ValueError:
        raise bad_page() from None
    return calendar_page(call, found, min(size, _MOST))


def _wanted(place: Place, since: float | None) -> list[CalendarEvent]:
    query = place.call.query
    single, order = query.get("singleEvents") == "true", query.get("orderBy")
    known = order in {None, "updated"} or (order == "startTime" and single)
    require(known, "The requested ordering is not available for the particular query.")
    after, before = _bound(place, "timeMin"), _bound(place, "timeMax")
    require(not after or not before or after < before, "The specified time range is empty.", "timeRangeEmpty")
    found = place.all()
    if single:
        # Exceptions are listed with their series.
        found = [one for event in found if not event.series for one in place.expanded(event, before)]
    if since is not None:
        return [event for event in found if event.changed > since]
    kept = [event for event in found if query.get("showDeleted") == "true" or not event.cancelled]
    kept = [event for event in kept if _within(place, event, after, before) and _says(event, query.get("q", ""))]
    if order == "startTime":
        kept.sort(key=lambda event: instant(span_of(event.body).start))
    elif order == "updated":
        kept.sort(key=lambda event: event.changed)
    return kept


def _bound(place: Place, name: str) -> datetime | None:
    given = place.call.query.get(name)
    if given is None:
        return None
    with suppress(ValueError):
        value = datetime.fromisoformat(given)
        if value.tzinfo is not None:
            return value
    return refuse(api_error(400, "badRequest", "Bad Request", place=("parameter", name)))


def _within(place: Place, event: CalendarEvent, after: datetime | None, before: datetime | None) -> bool:
    if event.series or not event.body.get("recurrence"):
        spans: Iterator[Span] = iter([span_of(event.body)])
    else:
        spans = occurrences(event, place.world.clock.now(), before)
    return any(
        (after is None or instant(span.end) > after) and (before is None or instant(span.start) < before)
        for span in spans
    )


def _says(event: CalendarEvent, words: str) -> bool:
    said = [event.body.get(name, "") for name in ("summary", "description", "location")]
    said += [guest.get(name, "") for guest in event.body.get("attendees", ()) for name in ("email", "displayName")]
    return all(word in " ".join(said).lower() for word in words.lower().split())


def get_event(call: Call) -> object:
    place = Place(call)
    return place.shown(place.event(call.args["event"]))


def list_instances(call: Call) -> object:
    place = Place(call)
    after, before = _bound(place, "timeMin"), _bound(place, "timeMax")
    shows_deleted = call.query.get("showDeleted") == "true"
    found = [
        one for one in place.expanded(place.event(call.args["event"]), before) if shows_deleted or not one.cancelled
    ]
    found = [one for one in found if _within(place, one, after, before)]
    shown, following = _page(call, found)
    last = {"nextPageToken": following} if following else {}
    return {
        "kind": "calendar#events",
        "timeZone": str(place.zone),
        **last,
        "items": [place.shown(one) for one in shown],
    }


def insert_event(call: Call) -> object:
    place, given = Place(call, writes=True), _body(call)
    key = given.get("id") or hexadecimal(26)
    require(isinstance(key, str) and _ID.fullmatch(key), "Invalid resource id value.")
    if place.find(key) is not None:
        refuse(api_error(409, "duplicate", "The requested identifier already exists."))
    now = call.world.clock.time()
    event = CalendarEvent(
        id=f"{place.calendar.id} {key}",
        parent=place.calendar.id,
        key=key,
        body=checked(call, {}, given),
        creator=place.user.email,
        made=now,
        changed=now,
    )
    return place.shown(place.changed(event, "invitation"))


def patch_event(call: Call) -> object:
    return _rewrite(call, merged)


def update_event(call: Call) -> object:
    return _rewrite(call, lambda _, given: given)


def _rewrite(call: Call, change: Any) -> object:
    place, given = Place(call, writes=True), _body(call)
    event = place.event(call.args["event"])
    _check_version(call, event)
    if event.cancelled and given.get("status") == "confirmed":
        event.cancelled = False
    elif event.cancelled:
        refuse(ERRORS["not_found"](call))
    times = (event.body["start"], event.body["end"], event.body.get("recurrence"))
    event.body = checked(call, event.body, change(event.body, given))
    if (event.body["start"], event.body["end"], event.body.get("recurrence")) != times:
        event.sequence += 1
    if given.get("status") == "cancelled":
        event.cancelled = True
    place.changed(event, "update")
    if not event.series:
        _forget_strays(place, event)
    return place.shown(event)


def _forget_strays(place: Place, series: CalendarEvent) -> None:
    """Delete exceptions to occurrences that the series no longer has."""
    left = {one.key for one in place.expanded(series)} if series.body.get("recurrence") else set()
    for key, exception in place.exceptions(series.key).items():
        if key not in left:
            place.store.delete(CalendarEvent, exception.id)


def delete_event(call: Call) -> object:
    place = Place(call, writes=True)
    event = place.event(call.args["event"])
    _check_version(call, event)
    if event.cancelled:
        refuse(api_error(410, "deleted", "Resource has been deleted"))
    event.cancelled = True
    place.changed(event, "cancellation")
    if not event.series:
        for exception in place.exceptions(event.key).values():
            place.store.delete(CalendarEvent, exception.id)
    return Response(status_code=204)


def respond(world: World, calendar: str, key: str, email: str, response: str) -> CalendarEvent | None:
    """Let a guest respond. Returns None if there is no such event or guest."""
    event = world.store.get(CalendarEvent, f"{calendar} {key}")
    guests = [] if event is None else event.body.get("attendees", [])
    guest = next((one for one in guests if one["email"] == email), None)
    if event is None or guest is None or response not in RESPONSES:
        return None
    guest["responseStatus"] = response
    event.changed = max(world.clock.time(), event.changed + _TICK)
    notice_change(world, f"events {calendar}")
    return world.store.put(event)


def _check_version(call: Call, event: CalendarEvent) -> None:
    wanted = call.headers.get("if-match")
    if wanted not in {None, "*", stamp(event.changed)}:
        refuse(api_error(412, "conditionNotMet", "Precondition Failed", place=("header", "If-Match")))


def _body(call: Call) -> dict[str, Any]:
    given: dict[str, Any] = call.json
    require(isinstance(given, dict), "Parse Error", "parseError")
    return given


_EVENTS, _EVENT = f"{BASE}/calendars/{{calendar}}/events", f"{BASE}/calendars/{{calendar}}/events/{{event}}"
ROUTES = [
    Route("GET", _EVENTS, list_events),
    Route("POST", _EVENTS, insert_event),
    Route("GET", f"{_EVENT}/instances", list_instances),
    Route("GET", _EVENT, get_event),
    Route("PATCH", _EVENT, patch_event),
    Route("PUT", _EVENT, update_event),
    Route("DELETE", _EVENT, delete_event),
]
