"""What may be written to an event, and how Google interprets it."""

from typing import Any

from socialgate_sandbox.kit import Call, generate_alphanumeric
from socialgate_sandbox.vendors.google.calendar.event_times import require_valid, validate_times

_WRITABLE_FIELDS = [
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
RESPONSE_STATUSES = {"needsAction", "declined", "tentative", "accepted"}
_MAX_REMINDERS, _MAX_REMINDER = 5, 40_320
_REMINDER_CONFLICT_REASON = "cannotUseDefaultRemindersAndSpecifyOverride"


def merge_patch(current_body: dict[str, Any], request_body: dict[str, Any]) -> dict[str, Any]:
    """Patch: objects are merged, lists replaced, and null removes."""
    result = dict(current_body)
    for name, value in request_body.items():
        if isinstance(value, dict) and isinstance(current_body.get(name), dict):
            result[name] = merge_patch(current_body[name], value)
        elif value is None:
            result.pop(name, None)
        else:
            result[name] = {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value
    return result


def validate_event(call: Call, current_body: dict[str, Any], request_body: dict[str, Any]) -> dict[str, Any]:
    body = {name: request_body[name] for name in _WRITABLE_FIELDS if request_body.get(name) is not None}
    validate_times(body)
    guests = body.get("attendees", [])
    named = all(isinstance(guest, dict) and "@" in guest.get("email", "") for guest in guests)
    require_valid(named, "Invalid attendee email.")
    known = all(guest.get("responseStatus", "needsAction") in RESPONSE_STATUSES for guest in guests)
    require_valid(known, "Invalid response status.")
    if guests:
        body["attendees"] = [{"responseStatus": "needsAction", **guest} for guest in guests]
    _validate_reminders(body.get("reminders", {}))
    return body | _build_conference(call, current_body, request_body)


def _validate_reminders(reminders: dict[str, Any]) -> None:
    overrides = reminders.get("overrides", [])
    both = overrides and reminders.get("useDefault")
    require_valid(
        not both, "Cannot specify both default reminders and overrides at the same time.", _REMINDER_CONFLICT_REASON
    )
    for override in overrides:
        fits = override.get("method") in {"email", "popup"} and 0 <= override.get("minutes", -1) <= _MAX_REMINDER
        require_valid(fits, "Invalid reminder.")
    require_valid(len(overrides) <= _MAX_REMINDERS, "Too many reminders.")


def _build_conference(call: Call, current_body: dict[str, Any], request_body: dict[str, Any]) -> dict[str, Any]:
    """Create a meeting. Without version 1, conference data is ignored."""
    kept: dict[str, Any] = {
        name: current_body[name] for name in ("conferenceData", "hangoutLink") if name in current_body
    }
    if call.query.get("conferenceDataVersion") != "1":
        return kept
    if request_body.get("conferenceData") is None:
        return {}
    request = request_body["conferenceData"].get("createRequest")
    if not request or request.get("requestId") == kept.get("conferenceData", {}).get("createRequest", {}).get(
        "requestId"
    ):
        return kept
    code = "-".join(generate_alphanumeric(size).lower() for size in (3, 4, 3))
    link = f"https://meet.google.com/{code}"
    solution = {"key": {"type": "hangoutsMeet"}, "name": "Google Meet"}
    data = {
        "createRequest": {**request, "status": {"statusCode": "success"}},
        "entryPoints": [{"entryPointType": "video", "uri": link, "label": link.removeprefix("https://")}],
        "conferenceSolution": solution,
        "conferenceId": code,
    }
    return {"conferenceData": data, "hangoutLink": link}
