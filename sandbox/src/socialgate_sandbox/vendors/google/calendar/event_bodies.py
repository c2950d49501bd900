"""What may be written to an event, and how Google interprets it."""

from typing import Any

from socialgate_sandbox.kit import Call, text
from socialgate_sandbox.vendors.google.calendar.times import check_times, require

_FIELDS = [
    "summary",
    "description",
    "location",
    "start",
    "end",
    "recurrence",
    "attendees",
    "reminders",
    "visibility",
    "transparency",
    "colorId",
    "status",
    "extendedProperties",
    "guestsCanModify",
    "guestsCanInviteOthers",
    "guestsCanSeeOtherGuests",
    "source",
]
RESPONSES = {"needsAction", "declined", "tentative", "accepted"}
_MOST_REMINDERS, _LONGEST_REMINDER = 5, 40_320
_BOTH = "cannotUseDefaultRemindersAndSpecifyOverride"


def merged(before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Patch: objects are merged, lists replaced, and null removes."""
    result = dict(before)
    for name, value in given.items():
        if isinstance(value, dict) and isinstance(before.get(name), dict):
            result[name] = merged(before[name], value)
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
    return result


def checked(call: Call, before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    body = {name: given[name] for name in _FIELDS if given.get(name) is not None}
    check_times(body)
    guests = body.get("attendees", [])
    named = all(isinstance(guest, dict) and "@" in guest.get("email", "") for guest in guests)
    require(named, "Invalid attendee email.")
    known = all(guest.get("responseStatus", "needsAction") in RESPONSES for guest in guests)
    require(known, "Invalid response status.")
    if guests:
        body["attendees"] = [{"responseStatus": "needsAction", **guest} for guest in guests]
    _check_reminders(body.get("reminders", {}))
    return body | _conference(call, before, given)


def _check_reminders(reminders: dict[str, Any]) -> None:
    overrides = reminders.get("overrides", [])
    both = overrides and reminders.get("useDefault")
    require(not both, "Cannot specify both default reminders and overrides at the same time.", _BOTH)
    for one in overrides:
        fits = one.get("method") in {"email", "popup"} and 0 <= one.get("minutes", -1) <= _LONGEST_REMINDER
        require(fits, "Invalid reminder.")
    require(len(overrides) <= _MOST_REMINDERS, "Too many reminders.")


def _conference(call: Call, before: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Create a meeting. Without version 1, conference data is ignored."""
    kept: dict[str, Any] = {name: before[name] for name in ("conferenceData", "hangoutLink") if name in before}
    if call.query.get("conferenceDataVersion") != "1":
        return kept
    if given.get("conferenceData") is None:
        return {}
    request = given["conferenceData"].get("createRequest")
    if not request or request.get("requestId") == kept.get("conferenceData", {}).get("createRequest", {}).get(
        "requestId"
    ):
        return kept
    code = "-".join(text(size).lower() for size in (3, 4, 3))
    link = f"https://meet.google.com/{code}"
    solution = {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"}
    data = {
        "createRequest": {**request, "status": {"statusCode": "success"}},
        "entryPoints": [{"entryPointType": "video", "uri": link, "label": link.removeprefix("https://")}],
        "conferenceSolution": solution,
        "conferenceId": code,
    }
    return {"conferenceData": data, "hangoutLink": link}
