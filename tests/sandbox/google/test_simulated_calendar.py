"""The events of the simulated Google Calendar, through Google's own client."""

from collections.abc import Iterator
from typing import Any

import pytest

from sandbox.google.client import AUTH, CALENDAR, Google
from sandbox.google.official import HttpError
from socialgate_sandbox.vendors.google.seed import BAKERY_CALENDAR_ID

HOLIDAYS = "en.swedish#holiday@group.v.calendar.google.com"
STOCKHOLM = "Europe/Stockholm"
HOUR = {
    "start": {"dateTime": "2026-11-20T09:00:00", "timeZone": STOCKHOLM},
    "end": {"dateTime": "2026-11-20T10:00:00", "timeZone": STOCKHOLM},
}


@pytest.fixture
def events(google: Google) -> Iterator[Any]:
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as service:
        yield service.events()


def insert(events: Any, **body: Any) -> Any:
    return events.insert(calendarId="primary", body={**HOUR, **body}).execute()


def starts(events: Any, **query: Any) -> list[str]:
    result = events.list(calendarId="primary", singleEvents=True, orderBy="startTime", **query).execute()["items"]
    return [item["start"].get("dateTime") or item["start"]["date"] for item in result]


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as caught:
        request.execute()
    return int(caught.value.resp.status), str(caught.value.error_details[0]["reason"])


def test_an_event_is_written_changed_and_deleted(events: Any) -> None:
    created = insert(events, id="abc0123456789v", summary="Tasting", location="Shop")
    assert (created["id"], created["status"], created["summary"]) == ("abc0123456789v", "confirmed", "Tasting")
    assert created["start"] == {"dateTime": "2026-11-20T09:00:00+01:00", "timeZone": STOCKHOLM}
    body = {"summary": "Tasting of rye", "location": None}
    changed = events.patch(calendarId="primary", eventId=created["id"], body=body).execute()
    assert (changed["summary"], "location" in changed) == ("Tasting of rye", False)
    assert changed["etag"] != created["etag"]
    later = {"end": {"dateTime": "2026-11-20T11:00:00"}}
    changed = events.patch(calendarId="primary", eventId=created["id"], body=later).execute()
    assert changed["end"] == {"dateTime": "2026-11-20T11:00:00+01:00", "timeZone": STOCKHOLM}
    stale = events.patch(calendarId="primary", eventId=created["id"], body={"summary": "Mine"})
    stale.headers["If-Match"] = created["etag"]
    assert refused(stale) == (412, "conditionNotMet")
    assert refused(events.insert(calendarId="primary", body={**HOUR, "id": created["id"]})) == (409, "duplicate")
    assert events.delete(calendarId="primary", eventId=created["id"]).execute() == ""
    assert events.get(calendarId="primary", eventId=created["id"]).execute()["status"] == "cancelled"
    assert refused(events.delete(calendarId="primary", eventId=created["id"])) == (410, "deleted")
    assert events.list(calendarId="primary").execute()["items"] == []
    assert refused(events.get(calendarId="primary", eventId="nothing")) == (404, "notFound")


def test_a_list_has_bounds_words_and_pages(events: Any) -> None:
    for day in (20, 21, 22):
        times = {end: {"dateTime": f"2026-11-{day}T1{hour}:00:00Z"} for hour, end in enumerate(("start", "end"))}
        insert(events, summary=f"Course {day}", **times)
    result = starts(events, timeMin="2026-11-20T11:00:00Z", timeMax="2026-11-22T10:00:00Z")
    assert result == ["2026-11-21T11:00:00+01:00"]
    assert len(starts(events, q="COURSE 22")) == 1
    first = events.list(calendarId="primary", maxResults=2).execute()
    assert "nextSyncToken" not in first
    second = events.list(calendarId="primary", maxResults=2, pageToken=first["nextPageToken"]).execute()
    assert [item["summary"] for item in first["items"] + second["items"]] == ["Course 20", "Course 21", "Course 22"]
    assert second["nextSyncToken"]


def test_what_changed_since_a_sync(events: Any, google: Google) -> None:
    kept, gone = insert(events, summary="Kept"), insert(events, summary="Gone")
    token = events.list(calendarId="primary").execute()["nextSyncToken"]
    assert events.list(calendarId="primary", syncToken=token).execute()["items"] == []
    events.delete(calendarId="primary", eventId=gone["id"]).execute()
    (changed,) = events.list(calendarId="primary", syncToken=token).execute()["items"]
    assert (changed["id"], changed["status"]) == (gone["id"], "cancelled")
    assert kept["id"] != gone["id"]
    assert refused(events.list(calendarId="primary", syncToken="rubbish")) == (410, "fullSyncRequired")
    assert refused(events.list(calendarId="primary", syncToken=token, q="x")) == (400, "invalid")
    assert events.list(calendarId="primary", syncToken=token, fields="nextSyncToken").execute().keys() == {
        "nextSyncToken"
    }
    # What is listed in an order of its own is none to go on from.
    assert "nextSyncToken" not in events.list(calendarId="primary", singleEvents=True, orderBy="startTime").execute()
    google.sandbox.control("fail", platform="google", path="*/events", error="sync_expired")
    assert refused(events.list(calendarId="primary", syncToken=token)) == (410, "fullSyncRequired")


def test_a_token_is_not_known_for_ever(google: Google) -> None:
    def events(service: Any) -> Any:
        return service.events()

    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as service:
        token = events(service).list(calendarId="primary").execute()["nextSyncToken"]
    for days, known in ((27, True), (2, False)):
        google.sandbox.control("clock", advance=days * 86400)
        with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as service:
            request = events(service).list(calendarId="primary", syncToken=token)
            if known:
                assert request.execute()["items"] == []
            else:
                assert refused(request) == (410, "fullSyncRequired")


@pytest.mark.parametrize(
    ("first", "rule", "expected"),
    [
        # The clocks go back on the 25th of October, and the bakery opens at nine all the same.
        (
            "2026-10-24T09:00:00",
            "FREQ=DAILY;COUNT=3",
            ["10-24T09:00:00+02:00", "10-25T09:00:00+01:00", "10-26T09:00:00+01:00"],
        ),
        ("2026-03-28T09:00:00", "FREQ=DAILY;COUNT=2", ["03-28T09:00:00+01:00", "03-29T09:00:00+02:00"]),
        # Half past two does not exist that night.
        ("2026-03-28T02:30:00", "FREQ=DAILY;COUNT=2", ["03-28T02:30:00+01:00", "03-29T03:30:00+02:00"]),
        (
            "2026-11-02T09:00:00",
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE;COUNT=3",
            ["11-02T09:00:00+01:00", "11-04T09:00:00+01:00", "11-16T09:00:00+01:00"],
        ),
        (
            "2026-01-31T09:00:00",
            "FREQ=MONTHLY;UNTIL=20260401T000000Z",
            ["01-31T09:00:00+01:00", "03-31T09:00:00+02:00"],
        ),
        ("2026-11-27T09:00:00", "FREQ=MONTHLY;BYDAY=-1FR;COUNT=2", ["11-27T09:00:00+01:00", "12-25T09:00:00+01:00"]),
    ],
)
def test_series_keep_the_time_of_the_clock_on_the_wall(events: Any, first: str, rule: str, expected: list[str]) -> None:
    times = {end: {"dateTime": first, "timeZone": STOCKHOLM} for end in ("start", "end")}
    insert(events, recurrence=[f"RRULE:{rule}"], **times)
    assert starts(events) == [f"2026-{value}" for value in expected]


def test_exceptions_of_a_series(events: Any) -> None:
    days = {"start": {"date": "2026-11-20"}, "end": {"date": "2026-11-21"}}
    series = insert(
        events, summary="Open", recurrence=["RRULE:FREQ=DAILY;COUNT=4", "EXDATE;VALUE=DATE:20261121"], **days
    )
    key = series["id"]
    events.patch(calendarId="primary", eventId=f"{key}_20261122", body={"summary": "Late"}).execute()
    events.delete(calendarId="primary", eventId=f"{key}_20261123").execute()
    result = events.instances(calendarId="primary", eventId=key).execute()["items"]
    assert [(item["start"]["date"], item["summary"]) for item in result] == [
        ("2026-11-20", "Open"),
        ("2026-11-22", "Late"),
    ]
    assert result[1]["recurringEventId"] == key
    assert result[1]["originalStartTime"] == {"date": "2026-11-22"}
    # A change of the series leaves what was changed before as it is.
    events.patch(calendarId="primary", eventId=key, body={"summary": "Closed"}).execute()
    assert starts(events) == ["2026-11-20", "2026-11-22"]
    events.patch(calendarId="primary", eventId=key, body={"recurrence": ["RRULE:FREQ=DAILY;COUNT=1"]}).execute()
    assert starts(events) == ["2026-11-20"]
    assert refused(events.get(calendarId="primary", eventId=f"{key}_20261122")) == (404, "notFound")


def test_guests_are_told_and_answer(events: Any, google: Google) -> None:
    guests = [{"email": "bram@example.com"}, {"email": "guest@elsewhere.test"}]
    created = insert(events, attendees=guests)

    def sent(value: str) -> list[str]:
        before = len(google.sandbox.control("invitations", platform="google", event=created["id"])["data"])
        body = {"summary": value}
        events.patch(calendarId="primary", eventId=created["id"], body=body, sendUpdates=value).execute()
        after = google.sandbox.control("invitations", platform="google", event=created["id"])["data"]
        return [item["to"] for item in after[before:]]

    assert sent("none") == []
    assert sent("externalOnly") == ["guest@elsewhere.test"]
    assert sent("all") == ["bram@example.com", "guest@elsewhere.test"]
    order = {"platform": "google", "account": "ada@example.com", "event": created["id"], "email": "bram@example.com"}
    google.sandbox.control("respond", **order, response="declined")
    shown = events.get(calendarId="primary", eventId=created["id"]).execute()["attendees"]
    assert [item["responseStatus"] for item in shown] == ["declined", "needsAction"]


def test_a_meeting_needs_the_version(events: Any) -> None:
    values = {
        "conferenceData": {"createRequest": {"requestId": "r1", "conferenceSolutionKey": {"type": "hangoutsMeet"}}}
    }
    assert "hangoutLink" not in insert(events, **values)
    body = {**HOUR, **values}
    created = events.insert(calendarId="primary", body=body, conferenceDataVersion=1).execute()
    assert created["hangoutLink"].startswith("https://meet.google.com/")
    assert created["conferenceData"]["createRequest"]["status"]["statusCode"] == "success"
    again = events.patch(calendarId="primary", eventId=created["id"], body={"summary": "Same"}).execute()
    assert again["hangoutLink"] == created["hangoutLink"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"id": "UPPER"}, "invalid"),
        ({"end": None}, "required"),
        ({"end": {"dateTime": "2026-11-20T08:00:00", "timeZone": STOCKHOLM}}, "timeRangeEmpty"),
        ({"start": {"dateTime": "2026-11-20T09:00:00"}}, "required"),
        ({"end": {"date": "2026-11-21"}}, "invalid"),
        ({"start": {"dateTime": "2026-11-20T09:00:00Z"}, "recurrence": ["RRULE:FREQ=DAILY"]}, "required"),
        ({"recurrence": ["RRULE:FREQ=SOMETIMES"]}, "invalid"),
        ({"recurrence": ["DTSTART:20261120T090000Z"]}, "invalid"),
        ({"attendees": [{"email": "nobody"}]}, "invalid"),
        ({"reminders": {"useDefault": False, "overrides": [{"method": "sms", "minutes": 1}]}}, "invalid"),
    ],
)
def test_what_makes_no_event_is_refused(events: Any, body: dict[str, Any], reason: str) -> None:
    assert refused(events.insert(calendarId="primary", body={**HOUR, **body})) == (400, reason)


def test_calendars_of_others(google: Google) -> None:
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as ada:
        created = ada.events().insert(calendarId=BAKERY_CALENDAR_ID, body=HOUR).execute()
        assert refused(ada.events().insert(calendarId=HOLIDAYS, body=HOUR)) == (403, "requiredAccessLevel")
    with google.sdk("calendar", "v3", google.sign_in("bram", f"{AUTH}calendar.events.readonly")) as bram:
        assert bram.events().get(calendarId=BAKERY_CALENDAR_ID, eventId=created["id"]).execute()["id"] == created["id"]
        assert refused(bram.events().insert(calendarId="primary", body=HOUR)) == (
            403,
            "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
        )
        assert refused(bram.events().list(calendarId="ada@example.com")) == (404, "notFound")


def test_who_watches_hears_of_changes(google: Google) -> None:
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as ada:
        hook = {"id": "watch-1", "type": "web_hook", "address": f"{google.gateway.url}/webhooks/google", "token": "t"}
        ada.events().watch(calendarId="primary", body=hook).execute()
        ada.events().insert(calendarId="primary", body=HOUR).execute()
        # Nobody hears of it once the channel has ended.
        ends = {**hook, "id": "watch-2", "params": {"ttl": "60"}}
        ada.events().watch(calendarId="primary", body=ends).execute()
        google.sandbox.control("clock", advance=61)
        ada.events().insert(calendarId="primary", body=HOUR).execute()
    pairs = [
        (received_webhook.headers["x-goog-channel-id"], received_webhook.headers["x-goog-resource-state"])
        for received_webhook in google.gateway.wait_for(4)
    ]
    assert pairs == [("watch-1", "sync"), ("watch-1", "exists"), ("watch-2", "sync"), ("watch-1", "exists")]
    assert {received_webhook.headers["x-goog-channel-token"] for received_webhook in google.gateway.wait_for(4)} == {
        "t"
    }
