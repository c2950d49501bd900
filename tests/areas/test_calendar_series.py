"""Events and series that other people and programs use too: what they added is neither lost nor left over."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from sandbox.google.client import CALENDAR as SCOPE
from support.calendars import Desk, OfficialClient, at
from support.problems import fault_of
from support.sandbox import Sandbox
from support.service import OwnerOf
from support.waiting import eventually


@pytest.fixture
def desk(owner: OwnerOf, sandbox: Sandbox) -> Desk:
    return Desk(sandbox, owner)


def test_guests_keep_what_they_said_with_their_answer(desk: Desk) -> None:
    made = desk.made(attendees=[{"email": "bram@example.com"}])
    google = OfficialClient(desk)
    said = {"email": "bram@example.com", "responseStatus": "tentative", "comment": "Late", "additionalGuests": 2}
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        events.patch(calendarId="primary", eventId=made["id"], body={"attendees": [said]}).execute()
        guests = [{"email": "Bram@example.com"}, {"email": "elif@example.com"}]
        assert desk.patch(made["id"], attendees=guests).status_code == 200
        found = events.get(calendarId="primary", eventId=made["id"]).execute()["attendees"]
    assert {name: found[0][name] for name in said if name != "email"} == {
        name: value for name, value in said.items() if name != "email"
    }
    assert found[1] == {"email": "elif@example.com", "responseStatus": "needsAction"}


@pytest.mark.parametrize("scope", [{}, {"scope": "this"}])
def test_a_single_occurrence_is_not_made_to_repeat(desk: Desk, scope: dict[str, str]) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    second = desk.listed(expand=True)[1]
    refused = desk.patch(second["id"], recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"], title=f"{desk.word} x", **scope)
    assert fault_of(refused) == ("/recurrence", "platform_rejected")
    assert [one["title"] for one in desk.listed(expand=True)] == [desk.word] * 3
    (whole,) = desk.listed()
    assert desk.patch(whole["id"], recurrence=["RRULE:FREQ=DAILY;COUNT=2"]).status_code == 200
    assert len(desk.listed(expand=True)) == 2


def test_the_rest_of_a_series_with_single_dates_is_deleted(desk: Desk) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3", "RDATE;TZID=Europe/Stockholm:20261201T090000"])
    second = desk.listed(expand=True)[1]
    assert desk.delete(second["id"], scope="following").status_code == 200
    assert [one["start"]["dateTime"][5:10] for one in desk.listed(expand=True)] == ["11-20"]


def test_the_rest_of_a_series_keeps_what_other_programs_have_noted_in_it(desk: Desk) -> None:
    made = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    google = OfficialClient(desk)
    noted = {"private": {"crm": "42"}, "shared": {"room": "blue"}}
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        events.patch(calendarId="primary", eventId=made["id"], body={"extendedProperties": noted}).execute()
        second = desk.listed(expand=True)[1]
        rest = desk.patch(second["id"], start=at("2026-11-21T12:00:00"), scope="following")
        assert rest.status_code == 200, rest.text
        found = events.get(calendarId="primary", eventId=rest.json()["id"]).execute()["extendedProperties"]
    assert found["shared"] == noted["shared"]
    assert found["private"]["crm"] == "42"
    # Our own mark is that of the new series.
    assert found["private"].keys() == {"crm", "socialgate"}


def test_a_list_never_waits_for_one_from_before_a_change(desk: Desk) -> None:
    """Identical lists share a call to the platform, but not one that began before something was changed here."""
    order = {"platform": "google", "account": desk.calendar, "path": "*/events", "method": "GET", "hang": True}
    fault = desk.sandbox.control("fail", **order)["id"]
    with ThreadPoolExecutor(1) as pool:
        early = pool.submit(desk.owner.session.get, desk.path, params={"q": desk.word})
        eventually(lambda: fault in {one["fault"] for one in desk.sandbox.http.get("/_control/fail").json()["hanging"]})
        made = desk.made()
        assert [one["id"] for one in desk.listed()] == [made["id"]]
        assert not early.done()
        desk.sandbox.http.delete("/_control/fail")
