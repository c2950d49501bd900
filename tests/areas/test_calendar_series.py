"""Events and series that other people and programs use too: what they added is neither lost nor left over."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.google.client import CALENDAR as SCOPE
from support.calendars import CalendarFixture, OfficialClient, at
from support.problems import fault_of
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.waiting import eventually


@pytest.fixture
def desk(owner: OwnerFixture, sandbox: Sandbox) -> CalendarFixture:
    return CalendarFixture(sandbox, owner)


def test_guests_keep_what_they_said_with_their_answer(desk: CalendarFixture) -> None:
    created = desk.made(attendees=[{"email": "bram@example.com"}])
    google = OfficialClient(desk)
    payload = {"email": "bram@example.com", "responseStatus": "tentative", "comment": "Late", "additionalGuests": 2}
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        events.patch(calendarId="primary", eventId=created["id"], body={"attendees": [payload]}).execute()
        guests = [{"email": "Bram@example.com"}, {"email": "elif@example.com"}]
        assert desk.patch(created["id"], attendees=guests).status_code == 200
        result = events.get(calendarId="primary", eventId=created["id"]).execute()["attendees"]
    assert {name: result[0][name] for name in payload if name != "email"} == {
        name: value for name, value in payload.items() if name != "email"
    }
    assert result[1] == {"email": "elif@example.com", "responseStatus": "needsAction"}


@pytest.mark.parametrize("scope", [{}, {"scope": "this"}])
def test_a_single_occurrence_is_not_made_to_repeat(desk: CalendarFixture, scope: dict[str, str]) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    second = desk.listed(expand=True)[1]
    refused = desk.patch(second["id"], recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"], title=f"{desk.word} x", **scope)
    assert fault_of(refused) == ("/recurrence", "platform_rejected")
    assert [item["title"] for item in desk.listed(expand=True)] == [desk.word] * 3
    (whole,) = desk.listed()
    assert desk.patch(whole["id"], recurrence=["RRULE:FREQ=DAILY;COUNT=2"]).status_code == 200
    assert len(desk.listed(expand=True)) == 2


def test_the_rest_of_a_series_with_single_dates_is_deleted(desk: CalendarFixture) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3", "RDATE;TZID=Europe/Stockholm:20261201T090000"])
    second = desk.listed(expand=True)[1]
    assert desk.delete(second["id"], scope="following").status_code == 200
    assert [item["start"]["dateTime"][5:10] for item in desk.listed(expand=True)] == ["11-20"]


def test_the_rest_of_a_series_keeps_what_other_programs_have_noted_in_it(desk: CalendarFixture) -> None:
    created = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    google = OfficialClient(desk)
    noted = {"private": {"crm": "42"}, "shared": {"room": "blue"}}
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        events.patch(calendarId="primary", eventId=created["id"], body={"extendedProperties": noted}).execute()
        second = desk.listed(expand=True)[1]
        rest = desk.patch(second["id"], start=at("2026-11-21T12:00:00"), scope="following")
        assert rest.status_code == 200, rest.text
        result = events.get(calendarId="primary", eventId=rest.json()["id"]).execute()["extendedProperties"]
    assert result["shared"] == noted["shared"]
    assert result["private"]["crm"] == "42"
    # Our own mark is that of the new series.
    assert result["private"].keys() == {"crm", "socialgate"}


def test_a_list_never_waits_for_one_from_before_a_change(desk: CalendarFixture) -> None:
    """Identical lists share a call to the platform, but not one that began before something was changed here."""
    order = {"platform": "google", "account": desk.calendar, "path": "*/events", "method": "GET", "hang": True}
    fault = desk.sandbox.control("fail", **order)["id"]
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(desk.owner.session.get, desk.path, params={"q": desk.word})
        eventually(
            lambda: fault in {item["fault"] for item in desk.sandbox.http.get("/_control/fail").json()["hanging"]}
        )
        created = desk.made()
        assert [item["id"] for item in desk.listed()] == [created["id"]]
        assert not early.done()
        desk.sandbox.http.delete("/_control/fail")
