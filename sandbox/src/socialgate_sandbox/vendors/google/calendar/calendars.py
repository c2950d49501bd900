"""The calendars on a user's list."""

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from socialgate_sandbox.kit import Call, CallRefusedError, Route, VendorContext
from socialgate_sandbox.vendors.google.access import require_token
from socialgate_sandbox.vendors.google.errors import build_api_error, build_refusal
from socialgate_sandbox.vendors.google.paging import InvalidPageTokenError, paginate
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Calendar, CalendarEntry

BASE_PATH = "/www.googleapis.com/calendar/v3"
CALENDAR_SCOPE, CALENDAR_READ_SCOPE = f"{AUTH}calendar", f"{AUTH}calendar.readonly"
CALENDAR_LIST_SCOPES = (
    CALENDAR_SCOPE,
    CALENDAR_READ_SCOPE,
    f"{AUTH}calendar.calendarlist",
    f"{AUTH}calendar.calendarlist.readonly",
)
EVENT_WRITE_SCOPES = (CALENDAR_SCOPE, f"{AUTH}calendar.events")
EVENT_READ_SCOPES = (*EVENT_WRITE_SCOPES, CALENDAR_READ_SCOPE, f"{AUTH}calendar.events.readonly")
ACCESS_ROLES = ("freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")
_MAX_PAGE_SIZE = 250
T = TypeVar("T")
_SYNC_TOKEN_PREFIX = "CPDAlvWDx70"
_MAX_SYNC_TOKEN_DIGITS = 20
# No document says how long a token can be used; changes are known for as long as `updatedMin` may go back.
_SYNC_TOKEN_LIFETIME = timedelta(days=28)


def list_calendars(call: Call) -> object:
    token = require_token(call, *CALENDAR_LIST_SCOPES)
    entries = _filter_entries(call, call.context.store.find(CalendarEntry, parent=token.parent))
    shown, following = paginate_request(call, entries, min(_parse_number(call, "maxResults", 100), _MAX_PAGE_SIZE))
    answer: dict[str, object] = {
        "kind": "calendar#calendarList",
        "etag": build_etag(call.context.clock.get_unix_time()),
    }
    if following:
        answer["nextPageToken"] = following
    else:
        answer["nextSyncToken"] = build_sync_token(call.context)
    return answer | {"items": [_build_entry(call.context, entry) for entry in shown]}


def get_calendar_entry(call: Call) -> object:
    token = require_token(call, *CALENDAR_LIST_SCOPES)
    return _build_entry(call.context, find_calendar_entry(call, token, call.path_params["calendar"]))


def get_calendar(call: Call) -> object:
    token = require_token(
        call, CALENDAR_SCOPE, CALENDAR_READ_SCOPE, f"{AUTH}calendar.calendars", f"{AUTH}calendar.calendars.readonly"
    )
    entry = find_calendar_entry(call, token, call.path_params["calendar"])
    calendar = call.context.store.get(Calendar, entry.calendar)
    assert calendar is not None
    return (
        {"kind": "calendar#calendar", "etag": build_etag(entry.changed), "id": calendar.id}
        | _build_calendar_fields(calendar)
        | _build_conference_properties()
    )


def find_calendar_entry(call: Call, token: AccessToken, calendar: str) -> CalendarEntry:
    """Find a calendar on the list of the caller, whose own calendar is also called `primary`."""
    for entry in call.context.store.find(CalendarEntry, parent=token.parent):
        if not entry.removed and (entry.calendar == calendar or (calendar == "primary" and entry.primary)):
            return entry
    raise build_refusal("not_found")


def paginate_request(call: Call, items: list[T], size: int) -> tuple[list[T], str | None]:
    try:
        shown, following = paginate(items, max(size, 1), call.query.get("pageToken"))
    except InvalidPageTokenError:
        raise build_page_token_error() from None
    return list(shown), following


def build_page_token_error() -> CallRefusedError:
    return CallRefusedError(
        build_api_error(400, "invalid", "Invalid page token value.", place=("parameter", "pageToken"))
    )


def build_sync_token(context: VendorContext) -> str:
    return f"{_SYNC_TOKEN_PREFIX}{int(context.clock.get_unix_time() * 1_000_000)}"


def parse_sync_token(call: Call) -> float | None:
    """Read the time that a sync token stands for; None if the caller has none."""
    value = call.query.get("syncToken")
    if value is None:
        return None
    number = value.removeprefix(_SYNC_TOKEN_PREFIX)
    if not value.startswith(_SYNC_TOKEN_PREFIX) or not number.isdecimal() or len(number) > _MAX_SYNC_TOKEN_DIGITS:
        raise build_refusal("sync_expired")
    since = int(number) / 1_000_000
    if call.context.clock.get_unix_time() - since > _SYNC_TOKEN_LIFETIME.total_seconds():
        raise build_refusal("sync_expired")
    return since


def build_etag(changed_at: float) -> str:
    return f'"{int(changed_at * 1_000_000)}"'


def _filter_entries(call: Call, entries: list[CalendarEntry]) -> list[CalendarEntry]:
    since = parse_sync_token(call)
    if since is not None:
        return [entry for entry in entries if entry.changed > since]
    if call.query.get("showDeleted") != "true":
        entries = [entry for entry in entries if not entry.removed]
    least = call.query.get("minAccessRole", ACCESS_ROLES[0])
    if least not in ACCESS_ROLES:
        raise CallRefusedError(build_api_error(400, "invalid", "Invalid Value", place=("parameter", "minAccessRole")))
    return [entry for entry in entries if ACCESS_ROLES.index(entry.role) >= ACCESS_ROLES.index(least)]


def _parse_number(call: Call, name: str, default: int) -> int:
    value = call.query.get(name, str(default))
    if not value.isdecimal():
        message = f"Invalid integer value: '{value}'."
        raise CallRefusedError(build_api_error(400, "invalidParameter", message, place=("parameter", name)))
    return int(value)


def _build_entry(context: VendorContext, entry: CalendarEntry) -> dict[str, object]:
    head: dict[str, object] = {"kind": "calendar#calendarListEntry", "etag": build_etag(entry.changed)}
    head["id"] = entry.calendar
    if entry.removed:
        return head | {"deleted": True}
    calendar = context.store.get(Calendar, entry.calendar)
    assert calendar is not None
    shown = head | _build_calendar_fields(calendar)
    shown |= {"colorId": "14", "backgroundColor": entry.colour, "foregroundColor": "#000000", "selected": True}
    shown |= {"accessRole": entry.role, "defaultReminders": []}
    if entry.primary:
        shown |= {"defaultReminders": [{"method": "popup", "minutes": 30}], "primary": True}
    return shown | _build_conference_properties()


def _build_calendar_fields(calendar: Calendar) -> dict[str, str]:
    about = {"summary": calendar.summary, "description": calendar.description, "timeZone": calendar.time_zone}
    return {name: value for name, value in about.items() if value}


def _build_conference_properties() -> dict[str, object]:
    return {"conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]}}


def format_time(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


ROUTES = [
    Route("GET", f"{BASE_PATH}/users/me/calendarList", list_calendars),
    Route("GET", f"{BASE_PATH}/users/me/calendarList/{{calendar}}", get_calendar_entry),
    Route("GET", f"{BASE_PATH}/calendars/{{calendar}}", get_calendar),
]
