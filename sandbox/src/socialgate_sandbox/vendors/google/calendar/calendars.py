"""The calendars on a user's list."""

from datetime import UTC, datetime, timedelta
from typing import TypeVar

from socialgate_sandbox.kit import Call, Refused, Route, World
from socialgate_sandbox.vendors.google.access import signed_in
from socialgate_sandbox.vendors.google.errors import api_error, refusal
from socialgate_sandbox.vendors.google.paging import BadPage, page
from socialgate_sandbox.vendors.google.state import AUTH, AccessToken, Calendar, CalendarEntry

BASE = "/www.googleapis.com/calendar/v3"
WHOLE, READ = f"{AUTH}calendar", f"{AUTH}calendar.readonly"
LISTING = (WHOLE, READ, f"{AUTH}calendar.calendarlist", f"{AUTH}calendar.calendarlist.readonly")
EVENTS = (WHOLE, f"{AUTH}calendar.events")
EVENTS_READING = (*EVENTS, READ, f"{AUTH}calendar.events.readonly")
ROLES = ("freeBusyReader", "reader", "writerWithoutPrivateAccess", "writer", "owner")
_MOST = 250
T = TypeVar("T")
_SYNC = "CPDAlvWDx70"
_LONGEST = 20
# No document says how long a token can be used; changes are known for as long as `updatedMin` may go back.
_SYNC_LIFE = timedelta(days=28)


def list_calendars(call: Call) -> object:
    token = signed_in(call, *LISTING)
    entries = _wanted(call, call.world.store.find(CalendarEntry, parent=token.parent))
    shown, following = calendar_page(call, entries, min(_number(call, "maxResults", 100), _MOST))
    answer: dict[str, object] = {"kind": "calendar#calendarList", "etag": stamp(call.world.clock.time())}
    if following:
        answer["nextPageToken"] = following
    else:
        answer["nextSyncToken"] = sync_token(call.world)
    return answer | {"items": [_entry(call.world, entry) for entry in shown]}


def get_entry(call: Call) -> object:
    token = signed_in(call, *LISTING)
    return _entry(call.world, entry_of(call, token, call.args["calendar"]))


def get_calendar(call: Call) -> object:
    token = signed_in(call, WHOLE, READ, f"{AUTH}calendar.calendars", f"{AUTH}calendar.calendars.readonly")
    entry = entry_of(call, token, call.args["calendar"])
    calendar = call.world.store.get(Calendar, entry.calendar)
    assert calendar is not None
    return {"kind": "calendar#calendar", "etag": stamp(entry.changed), "id": calendar.id} | _about(calendar) | _meet()


def entry_of(call: Call, token: AccessToken, calendar: str) -> CalendarEntry:
    """Find a calendar on the list of the caller, whose own calendar is also called `primary`."""
    for entry in call.world.store.find(CalendarEntry, parent=token.parent):
        if not entry.removed and (entry.calendar == calendar or (calendar == "primary" and entry.primary)):
            return entry
    raise refusal("not_found")


def calendar_page(call: Call, items: list[T], size: int) -> tuple[list[T], str | None]:
    try:
        shown, following = page(items, max(size, 1), call.query.get("pageToken"))
    except BadPage:
        raise bad_page() from None
    return list(shown), following


def bad_page() -> Refused:
    return Refused(api_error(400, "invalid", "Invalid page token value.", place=("parameter", "pageToken")))


def sync_token(world: World) -> str:
    return f"{_SYNC}{int(world.clock.time() * 1_000_000)}"


def synced_at(call: Call) -> float | None:
    """Read the time that a sync token stands for; None if the caller has none."""
    given = call.query.get("syncToken")
    if given is None:
        return None
    number = given.removeprefix(_SYNC)
    if not given.startswith(_SYNC) or not number.isdecimal() or len(number) > _LONGEST:
        raise refusal("sync_expired")
    since = int(number) / 1_000_000
    if call.world.clock.time() - since > _SYNC_LIFE.total_seconds():
        raise refusal("sync_expired")
    return since


def stamp(changed: float) -> str:
    return f'"{int(changed * 1_000_000)}"'


def _wanted(call: Call, entries: list[CalendarEntry]) -> list[CalendarEntry]:
    since = synced_at(call)
    if since is not None:
        return [entry for entry in entries if entry.changed > since]
    if call.query.get("showDeleted") != "true":
        entries = [entry for entry in entries if not entry.removed]
    least = call.query.get("minAccessRole", ROLES[0])
    if least not in ROLES:
        raise Refused(api_error(400, "invalid", "Invalid Value", place=("parameter", "minAccessRole")))
    return [entry for entry in entries if ROLES.index(entry.role) >= ROLES.index(least)]


def _number(call: Call, name: str, default: int) -> int:
    given = call.query.get(name, str(default))
    if not given.isdecimal():
        message = f"Invalid integer value: '{given}'."
        raise Refused(api_error(400, "invalidParameter", message, place=("parameter", name)))
    return int(given)


def _entry(world: World, entry: CalendarEntry) -> dict[str, object]:
    head: dict[str, object] = {"kind": "calendar#calendarListEntry", "etag": stamp(entry.changed)}
    head["id"] = entry.calendar
    if entry.removed:
        return head | {"deleted": True}
    calendar = world.store.get(Calendar, entry.calendar)
    assert calendar is not None
    shown = head | _about(calendar)
    shown |= {"colorId": "14", "backgroundColor": entry.colour, "foregroundColor": "#000000", "selected": True}
    shown |= {"accessRole": entry.role, "defaultReminders": []}
    if entry.primary:
        shown |= {"defaultReminders": [{"method": "popup", "minutes": 30}], "primary": True}
    return shown | _meet()


def _about(calendar: Calendar) -> dict[str, str]:
    about = {"summary": calendar.summary, "description": calendar.description, "timeZone": calendar.time_zone}
    return {name: value for name, value in about.items() if value}


def _meet() -> dict[str, object]:
    return {"conferenceProperties": {"allowedConferenceSolutionTypes": ["hangoutsMeet"]}}


def moment(value: datetime) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


ROUTES = [
    Route("GET", f"{BASE}/users/me/calendarList", list_calendars),
    Route("GET", f"{BASE}/users/me/calendarList/{{calendar}}", get_entry),
    Route("GET", f"{BASE}/calendars/{{calendar}}", get_calendar),
]
