"""The events of a calendar: listed, created, changed and deleted, single ones and series."""

import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from starlette.responses import Response

from socialgate_sandbox.kit import Call, Route, VendorContext, generate_hex
from socialgate_sandbox.vendors.google.access import get_token_user, require_token
from socialgate_sandbox.vendors.google.calendar.calendars import (
    ACCESS_ROLES,
    BASE_PATH,
    EVENT_READ_SCOPES,
    EVENT_WRITE_SCOPES,
    build_etag,
    build_page_token_error,
    build_sync_token,
    find_calendar_entry,
    format_time,
    paginate_request,
    parse_sync_token,
)
from socialgate_sandbox.vendors.google.calendar.event_bodies import RESPONSE_STATUSES, merge_patch, validate_event
from socialgate_sandbox.vendors.google.calendar.event_times import (
    EventTimeRange,
    convert_to_utc,
    format_occurrence_suffix,
    format_time_fields,
    iterate_occurrences,
    parse_time,
    parse_time_range,
    parse_time_zone,
    require_valid,
)
from socialgate_sandbox.vendors.google.errors import ERRORS, build_api_error, raise_refused
from socialgate_sandbox.vendors.google.state import Calendar, CalendarEntry, CalendarEvent, GoogleUser, Invitation
from socialgate_sandbox.vendors.google.webhooks import notify_watchers

_EVENT_ID_PATTERN = re.compile(r"[a-v0-9]{5,1024}")
_DEFAULT_PAGE_SIZE, _MAX_PAGE_SIZE = 250, 2500
_MIN_CHANGE_SECONDS = 0.000002
_PARAMETERS_EXCLUDING_SYNC = (
    *("iCalUID", "orderBy", "privateExtendedProperty", "q", "sharedExtendedProperty"),
    *("timeMin", "timeMax", "updatedMin"),
)


class CalendarAccess:
    """A calendar as the caller sees it."""

    def __init__(self, call: Call, *, needs_write_access: bool = False) -> None:
        token = require_token(call, *(EVENT_WRITE_SCOPES if needs_write_access else EVENT_READ_SCOPES))
        self.call, self.world, self.store = call, call.context, call.context.store
        self.calendar_entry: CalendarEntry = find_calendar_entry(call, token, call.path_params["calendar"])
        self.user: GoogleUser = get_token_user(call.context, token)
        calendar = self.store.get(Calendar, self.calendar_entry.calendar)
        assert calendar is not None
        self.calendar = calendar
        self.time_zone: ZoneInfo = parse_time_zone(call.query.get("timeZone", calendar.time_zone))
        if needs_write_access and ACCESS_ROLES.index(self.calendar_entry.role) < ACCESS_ROLES.index("writer"):
            raise_refused(
                build_api_error(
                    403, "requiredAccessLevel", "You need to have writer access to this calendar.", "calendar"
                )
            )

    def list_all_events(self) -> list[CalendarEvent]:
        return self.store.find(CalendarEvent, parent=self.calendar.id)

    def find_event(self, event_id: str) -> CalendarEvent | None:
        return self.store.get(CalendarEvent, f"{self.calendar.id} {event_id}")

    def require_event(self, event_id: str) -> CalendarEvent:
        """Find an event, or an occurrence of a series that has not been changed individually."""
        calendar_event = self.find_event(event_id)
        series = self.find_event(event_id.partition("_")[0]) if calendar_event is None and "_" in event_id else None
        if series is not None and not series.cancelled and series.body.get("recurrence"):
            spans = iterate_occurrences(series, self.world.clock.now())
            calendar_event = next(
                (
                    build_occurrence(series, span)
                    for span in spans
                    if event_id.endswith(f"_{format_occurrence_suffix(span.start)}")
                ),
                None,
            )
        return calendar_event or raise_refused(ERRORS["not_found"](self.call))

    def list_exceptions(self, series: str) -> dict[str, CalendarEvent]:
        return {event.key: event for event in self.list_all_events() if event.series == series}

    def expand_series(self, event: CalendarEvent, time_max: datetime | None = None) -> Iterator[CalendarEvent]:
        """Return the current occurrences of a series, including cancelled ones."""
        if not event.body.get("recurrence") or event.cancelled:
            yield event
            return
        changed = self.list_exceptions(event.key)
        for span in iterate_occurrences(event, self.world.clock.now(), time_max):
            calendar_event = build_occurrence(event, span)
            yield changed.get(calendar_event.key, calendar_event)

    def save_change(self, event: CalendarEvent, message_type: str) -> CalendarEvent:
        """Store a change, notify the watchers of the calendar, and write to the guests if the caller wants that."""
        event.changed = max(self.world.clock.get_unix_time(), event.changed + _MIN_CHANGE_SECONDS)
        self.store.put(event)
        notify_watchers(self.world, f"events {self.calendar.id}")
        expected = self.call.query.get("sendUpdates", "none")
        if expected not in {"all", "externalOnly", "none"}:
            raise_refused(build_api_error(400, "invalid", "Invalid Value", place=("parameter", "sendUpdates")))
        known = {calendar.id for calendar in self.store.find(Calendar)}
        for guest in event.body.get("attendees", ()):
            to = guest["email"]
            if to != self.calendar.id and (expected == "all" or (expected == "externalOnly" and to not in known)):
                self.store.put(Invitation(id=generate_hex(16), parent=event.key, to=to, method=message_type))
        return event

    def build_event(self, event: CalendarEvent) -> dict[str, Any]:
        head = {"kind": "calendar#event", "etag": build_etag(event.changed), "id": event.key}
        status = "cancelled" if event.cancelled else event.body.get("status", "confirmed")
        body = {**event.body, "status": status}
        span, names = parse_time_range(body), {end: body[end].get("timeZone") for end in ("start", "end")}
        body["start"] = format_time_fields(span.start, names["start"], self.time_zone)
        body["end"] = format_time_fields(span.end, names["end"], self.time_zone)
        if event.series:
            body["recurringEventId"] = event.series
            original = parse_time({"dateTime" if "T" in event.original else "date": event.original}, "start")
            body["originalStartTime"] = format_time_fields(original, names["start"], self.time_zone)
        about = {
            "htmlLink": f"https://www.google.com/calendar/event?eid={event.key}",
            "created": format_time(datetime.fromtimestamp(event.created_at, self.time_zone)),
            "updated": format_time(datetime.fromtimestamp(event.changed, self.time_zone)),
            "creator": {"email": event.creator},
            "organizer": {"email": self.calendar.id, "self": True},
            "iCalUID": f"{event.series or event.key}@google.com",
            "sequence": event.sequence,
            "eventType": "default",
        }
        return head | about | {"reminders": {"useDefault": True}} | body


def build_occurrence(series: CalendarEvent, span: EventTimeRange) -> CalendarEvent:
    body = {name: value for name, value in series.body.items() if name != "recurrence"}
    for end, value in (("start", span.start), ("end", span.end)):
        body[end] = format_time_fields(value, body[end].get("timeZone"), _extract_time_zone(value))
    key, original = f"{series.key}_{format_occurrence_suffix(span.start)}", _get_date_or_time(body["start"])
    return replace(series, id=f"{series.parent} {key}", key=key, body=body, series=series.key, original=original)


def _extract_time_zone(value: object) -> ZoneInfo:
    zone = value.tzinfo if isinstance(value, datetime) else None
    return zone if isinstance(zone, ZoneInfo) else ZoneInfo("UTC")


def _get_date_or_time(time_fields: dict[str, str]) -> str:
    return time_fields.get("dateTime") or time_fields["date"]


def list_events(call: Call) -> object:
    place, since = CalendarAccess(call), parse_sync_token(call)
    fits = since is None or not any(name in call.query for name in _PARAMETERS_EXCLUDING_SYNC)
    require_valid(fits, "Sync token cannot be used with other query restrictions.")
    calendar_events = _filter_events(place, since)
    shown, following = _paginate_events(call, calendar_events)
    # A list with its own ordering cannot be continued with a sync token.
    ends = {} if "orderBy" in call.query else {"nextSyncToken": build_sync_token(call.context)}
    last = {"nextPageToken": following} if following else ends
    answer = {
        "kind": "calendar#events",
        "etag": build_etag(max((event.changed for event in calendar_events), default=place.calendar_entry.changed)),
        "summary": place.calendar.summary,
        "timeZone": str(place.time_zone),
        "accessRole": place.calendar_entry.role,
        **last,
        "items": [place.build_event(event) for event in shown],
    }
    values = call.query.get("fields", "*").split(",")
    return answer if "*" in values else {name: answer[name] for name in values if name in answer}


def _paginate_events(call: Call, events: list[CalendarEvent]) -> tuple[list[CalendarEvent], str | None]:
    try:
        size = int(call.query.get("maxResults", _DEFAULT_PAGE_SIZE))
    except ValueError:
        raise build_page_token_error() from None
    return paginate_request(call, events, min(size, _MAX_PAGE_SIZE))


def _filter_events(calendar_access: CalendarAccess, changed_since: float | None) -> list[CalendarEvent]:
    query = calendar_access.call.query
    single, order = query.get("singleEvents") == "true", query.get("orderBy")
    known = order in {None, "updated"} or (order == "startTime" and single)
    require_valid(known, "The requested ordering is not available for the particular query.")
    after, before = _parse_time_bound(calendar_access, "timeMin"), _parse_time_bound(calendar_access, "timeMax")
    require_valid(not after or not before or after < before, "The specified time range is empty.", "timeRangeEmpty")
    calendar_events = calendar_access.list_all_events()
    if single:
        # Exceptions are listed with their series.
        calendar_events = [
            calendar_event
            for event in calendar_events
            if not event.series
            for calendar_event in calendar_access.expand_series(event, before)
        ]
    if changed_since is not None:
        return [event for event in calendar_events if event.changed > changed_since]
    kept = [event for event in calendar_events if query.get("showDeleted") == "true" or not event.cancelled]
    kept = [
        event
        for event in kept
        if _overlaps_range(calendar_access, event, after, before) and _matches_text(event, query.get("q", ""))
    ]
    if order == "startTime":
        kept.sort(key=lambda event: convert_to_utc(parse_time_range(event.body).start))
    elif order == "updated":
        kept.sort(key=lambda event: event.changed)
    return kept


def _parse_time_bound(calendar_access: CalendarAccess, name: str) -> datetime | None:
    input_value = calendar_access.call.query.get(name)
    if input_value is None:
        return None
    with suppress(ValueError):
        value = datetime.fromisoformat(input_value)
        if value.tzinfo is not None:
            return value
    return raise_refused(build_api_error(400, "badRequest", "Bad Request", place=("parameter", name)))


def _overlaps_range(
    calendar_access: CalendarAccess, event: CalendarEvent, time_min: datetime | None, time_max: datetime | None
) -> bool:
    if event.series or not event.body.get("recurrence"):
        spans: Iterator[EventTimeRange] = iter([parse_time_range(event.body)])
    else:
        spans = iterate_occurrences(event, calendar_access.world.clock.now(), time_max)
    return any(
        (time_min is None or convert_to_utc(span.end) > time_min)
        and (time_max is None or convert_to_utc(span.start) < time_max)
        for span in spans
    )


def _matches_text(event: CalendarEvent, search_text: str) -> bool:
    payload = [event.body.get(name, "") for name in ("summary", "description", "location")]
    payload += [guest.get(name, "") for guest in event.body.get("attendees", ()) for name in ("email", "displayName")]
    return all(word in " ".join(payload).lower() for word in search_text.lower().split())


def get_event(call: Call) -> object:
    place = CalendarAccess(call)
    return place.build_event(place.require_event(call.path_params["event"]))


def list_instances(call: Call) -> object:
    place = CalendarAccess(call)
    after, before = _parse_time_bound(place, "timeMin"), _parse_time_bound(place, "timeMax")
    shows_deleted = call.query.get("showDeleted") == "true"
    calendar_events = [
        calendar_event
        for calendar_event in place.expand_series(place.require_event(call.path_params["event"]), before)
        if shows_deleted or not calendar_event.cancelled
    ]
    calendar_events = [
        calendar_event for calendar_event in calendar_events if _overlaps_range(place, calendar_event, after, before)
    ]
    shown, following = _paginate_events(call, calendar_events)
    last = {"nextPageToken": following} if following else {}
    return {
        "kind": "calendar#events",
        "timeZone": str(place.time_zone),
        **last,
        "items": [place.build_event(calendar_event) for calendar_event in shown],
    }


def insert_event(call: Call) -> object:
    place, params = CalendarAccess(call, needs_write_access=True), _parse_body(call)
    key = params.get("id") or generate_hex(26)
    require_valid(isinstance(key, str) and _EVENT_ID_PATTERN.fullmatch(key), "Invalid resource id value.")
    if place.find_event(key) is not None:
        raise_refused(build_api_error(409, "duplicate", "The requested identifier already exists."))
    now = call.context.clock.get_unix_time()
    event = CalendarEvent(
        id=f"{place.calendar.id} {key}",
        parent=place.calendar.id,
        key=key,
        body=validate_event(call, {}, params),
        creator=place.user.email,
        created_at=now,
        changed=now,
    )
    return place.build_event(place.save_change(event, "invitation"))


def patch_event(call: Call) -> object:
    return _change_event(call, merge_patch)


def update_event(call: Call) -> object:
    return _change_event(call, lambda _, value: value)


def _change_event(call: Call, merge_body: Any) -> object:
    place, params = CalendarAccess(call, needs_write_access=True), _parse_body(call)
    event = place.require_event(call.path_params["event"])
    _require_current_version(call, event)
    if event.cancelled and params.get("status") == "confirmed":
        event.cancelled = False
    elif event.cancelled:
        raise_refused(ERRORS["not_found"](call))
    times = (event.body["start"], event.body["end"], event.body.get("recurrence"))
    event.body = validate_event(call, event.body, merge_body(event.body, params))
    if (event.body["start"], event.body["end"], event.body.get("recurrence")) != times:
        event.sequence += 1
    if params.get("status") == "cancelled":
        event.cancelled = True
    place.save_change(event, "update")
    if not event.series:
        _delete_stale_exceptions(place, event)
    return place.build_event(event)


def _delete_stale_exceptions(calendar_access: CalendarAccess, series: CalendarEvent) -> None:
    """Delete exceptions to occurrences that the series no longer has."""
    left = (
        {calendar_event.key for calendar_event in calendar_access.expand_series(series)}
        if series.body.get("recurrence")
        else set()
    )
    for key, exception in calendar_access.list_exceptions(series.key).items():
        if key not in left:
            calendar_access.store.delete(CalendarEvent, exception.id)


def delete_event(call: Call) -> object:
    place = CalendarAccess(call, needs_write_access=True)
    event = place.require_event(call.path_params["event"])
    _require_current_version(call, event)
    if event.cancelled:
        raise_refused(build_api_error(410, "deleted", "Resource has been deleted"))
    event.cancelled = True
    place.save_change(event, "cancellation")
    if not event.series:
        for exception in place.list_exceptions(event.key).values():
            place.store.delete(CalendarEvent, exception.id)
    return Response(status_code=204)


def record_response(
    context: VendorContext, calendar_id: str, event_id: str, email: str, response: str
) -> CalendarEvent | None:
    """Let a guest respond. Returns None if there is no such event or guest."""
    event = context.store.get(CalendarEvent, f"{calendar_id} {event_id}")
    guests = [] if event is None else event.body.get("attendees", [])
    guest = next((guest for guest in guests if guest["email"] == email), None)
    if event is None or guest is None or response not in RESPONSE_STATUSES:
        return None
    guest["responseStatus"] = response
    event.changed = max(context.clock.get_unix_time(), event.changed + _MIN_CHANGE_SECONDS)
    notify_watchers(context, f"events {calendar_id}")
    return context.store.put(event)


def _require_current_version(call: Call, event: CalendarEvent) -> None:
    expected = call.headers.get("if-match")
    if expected not in {None, "*", build_etag(event.changed)}:
        raise_refused(build_api_error(412, "conditionNotMet", "Precondition Failed", place=("header", "If-Match")))


def _parse_body(call: Call) -> dict[str, Any]:
    params: dict[str, Any] = call.json
    require_valid(isinstance(params, dict), "Parse Error", "parseError")
    return params


_EVENTS_PATH, _EVENT_PATH = (
    f"{BASE_PATH}/calendars/{{calendar}}/events",
    f"{BASE_PATH}/calendars/{{calendar}}/events/{{event}}",
)
ROUTES = [
    Route("GET", _EVENTS_PATH, list_events),
    Route("POST", _EVENTS_PATH, insert_event),
    Route("GET", f"{_EVENT_PATH}/instances", list_instances),
    Route("GET", _EVENT_PATH, get_event),
    Route("PATCH", _EVENT_PATH, patch_event),
    Route("PUT", _EVENT_PATH, update_event),
    Route("DELETE", _EVENT_PATH, delete_event),
]
