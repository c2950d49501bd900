"""Agenda: the events of a Google calendar, created, changed and deleted with their guests."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from console.browser import Browser, location, signed_in
from support.calendars import CalendarFixture
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService

PATH = "/console/agenda"
SCRIPT = "<script>alert('x')</script>\"'"
NEW = {"title": "Tasting", "start": "2026-12-01T09:00", "end": "2026-12-01T10:00"}


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


class Planner(CalendarFixture):
    """An owner with a calendar. All tests share the one at Google, so each event has words of its own."""

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        super().__init__(sandbox, OwnerFixture(running))
        changed = self.owner.session.patch(f"/profiles/{self.owner.profile_id}", json={"timezone": "America/Lima"})
        assert changed.status_code == 200, changed.text
        self.browser: Browser = signed_in(self.owner)
        self.page = f"{PATH}/{self.account_id}"

    def only(self, **query: Any) -> dict[str, Any]:
        (event,) = self.listed(**query)
        return event


@pytest.fixture
def planner(service: RunningService, sandbox: Sandbox) -> Planner:
    return Planner(service, sandbox)


def fields_of(text: str) -> dict[str, str]:
    """Read what the form of an event has."""
    fields = dict(re.findall(r'<input [^>]*name="(\w+)" value="([^"]*)"', text[text.index("<main") :]))
    fields |= dict(re.findall(r'<textarea [^>]*name="(\w+)"[^>]*>(.*?)</textarea>', text, re.DOTALL))
    for box in ("allDay", "meet"):
        if not re.search(rf'name="{box}" value="true" checked', text):
            fields.pop(box, None)
    return {name: unescape(value) for name, value in fields.items()}


def test_an_event_is_created_shown_changed_and_deleted(planner: Planner) -> None:
    browser = planner.browser
    new = browser.get(f"{planner.page}/new?day=2026-12-01").text
    assert 'name="start" value="2026-12-01T09:00"' in new
    title = f"{planner.word} {SCRIPT}"
    guests = f"Elif Yilmaz <elif@example.com>\r\nana{SCRIPT[:0]}@example.com"
    fields = {**NEW, "title": title, "location": SCRIPT, "description": SCRIPT, "attendees": guests, "meet": "true"}
    created = browser.press(f"{planner.page}/new", optionalAttendees="bo@example.com", notify="none", **fields)
    assert location(created) == f"{PATH}?account={planner.account_id}&day=2026-12-01"
    event = planner.only()
    assert (event["title"], event["location"], event["description"]) == (title, SCRIPT, SCRIPT)
    assert event["start"]["timezone"] == "America/Lima"
    people = {guest["email"]: (guest["name"], guest["optional"]) for guest in event["attendees"]}
    assert people["elif@example.com"] == ("Elif Yilmaz", False)
    assert (people["ana@example.com"][1], people["bo@example.com"][1]) == (False, True)
    assert event["conference"] is not None
    path = f"{planner.page}/{event['id']}?day=2026-12-01"
    for page in (f"{PATH}?day=2026-12-01", f"{PATH}?day=2026-12-01&view=week", f"{PATH}?day=2026-12-01&view=list"):
        text = browser.get(page).text
        assert ("<script>alert" in text, path.replace("&", "&amp;") in text) == (False, True), page
    detail = browser.get(path).text
    assert ("<script>alert" in detail, "Elif Yilmaz" in detail, "No answer yet" in detail) == (False, True, True)
    assert [("As set in the calendar" in page, "Leave as it is" in page) for page in (new, detail)] == [
        (True, False),
        (False, True),
    ]
    # What is not touched is not sent.
    kept = fields_of(detail)
    moved = browser.press(path, **{**kept, "start": "2026-12-02T09:00", "end": "2026-12-02T11:00", "notify": "none"})
    assert location(moved) == f"{PATH}?account={planner.account_id}&day=2026-12-02"
    changed = planner.only()
    assert changed["start"]["dateTime"] != event["start"]["dateTime"]
    same = ("title", "location", "description", "attendees", "conference")
    assert {name: changed[name] for name in same} == {name: event[name] for name in same}
    # Somebody else changed it in between.
    stale = browser.press(path.replace("12-01", "12-02"), **{**kept, "title": "Mine", "notify": "none"})
    assert stale.status_code == 412
    assert "Mine" in stale.text
    gone = browser.press(f"{planner.page}/{event['id']}/delete?day=2026-12-02", notify="none", version=changed["etag"])
    assert location(gone) == f"{PATH}?account={planner.account_id}&day=2026-12-02"
    assert planner.listed() == []
    assert browser.get(path).status_code == 404


def test_whole_days_include_the_last_one(planner: Planner) -> None:
    fields = {"title": planner.word, "start": "2026-12-24T00:00", "end": "2026-12-26T00:00", "allDay": "true"}
    location(planner.browser.press(f"{planner.page}/new", notify="none", **fields))
    event = planner.only()
    assert (event["start"]["date"], event["end"]["date"]) == ("2026-12-24", "2026-12-27")
    month = planner.browser.get(f"{PATH}?day=2026-12-01&q={planner.word}").text
    assert month.count(f"{planner.word}</span>") == 3
    detail = planner.browser.get(f"{planner.page}/{event['id']}?day=2026-12-24").text
    assert 'name="end" value="2026-12-26T00:00"' in detail


def test_one_of_a_series_is_changed_alone(planner: Planner) -> None:
    fields = {**NEW, "title": planner.word, "repeat": "RRULE:FREQ=WEEKLY", "notify": "none"}
    location(planner.browser.press(f"{planner.page}/new", **fields))
    assert planner.only()["recurrence"] == ["RRULE:FREQ=WEEKLY"]
    span = {"since": "2026-12-01T00:00:00Z", "until": "2026-12-20T00:00:00Z", "expand": True}
    first, second, third = planner.listed(**span)
    path = f"{planner.page}/{second['id']}?day=2026-12-08"
    shown = planner.browser.get(path).text
    assert "The whole series" in shown
    changed = {**fields_of(shown), "title": f"{planner.word} moved", "scope": "this", "notify": "none"}
    location(planner.browser.press(path, **changed))
    titles = [event["title"] for event in planner.listed(**span)]
    assert titles == [planner.word, f"{planner.word} moved", planner.word]
    delete = f"{planner.page}/{third['id']}/delete?day=2026-12-15"
    location(planner.browser.press(delete, scope="all", notify="none"))
    assert [event["id"] for event in planner.listed(**span) if event["id"] == first["id"]] == []


def test_what_is_wrong_is_beside_its_field(planner: Planner) -> None:
    browser, path = planner.browser, f"{planner.page}/new"
    empty = browser.press(path, title="x")
    assert (empty.status_code, empty.text.count("Choose a day and a time.")) == (422, 2)
    turned = browser.press(path, **{**NEW, "end": "2026-12-01T08:00"})
    assert (turned.status_code, "The event ends before it starts." in turned.text) == (422, True)
    assert 'value="Tasting"' in turned.text
    guest = browser.press(path, **{**NEW, "attendees": "nobody"})
    assert (guest.status_code, 'id="fault-attendees"' in guest.text) == (422, True)
    rule = browser.press(path, **{**NEW, "recurrence": "every week"})
    assert (rule.status_code, 'id="fault-recurrence"' in rule.text) == (422, True)
    day = browser.press(path, **{**NEW, "allDay": "true", "end": "never"})
    assert (day.status_code, "Choose a day." in day.text) == (422, True)
    for page in (PATH, "/console/calendar"):
        assert browser.get(f"{page}?day=9999-12-31").status_code == 422
    assert planner.listed() == []


def test_a_platform_that_does_not_answer_is_said_in_place(planner: Planner, sandbox: Sandbox) -> None:
    sandbox.control("fail", platform="google", path="*/events", method="GET", status=500, times=20)
    try:
        text = planner.browser.get(f"{PATH}?day=2026-12-01").text
        assert 'class="note bad"' in text
        assert "New event" in text
    finally:
        sandbox.http.delete("/_control/fail")


def test_others_see_nothing_of_it(planner: Planner, other_owner: OwnerFixture) -> None:
    event = planner.made()
    browser = signed_in(other_owner)
    assert "Connect a calendar" in browser.get(PATH).text
    assert "Connect a calendar" in browser.get(f"{PATH}?account={planner.account_id}").text
    path = f"{planner.page}/{event['id']}"
    assert browser.get(f"{path}?day=2026-11-20").status_code == 404
    assert browser.get(f"{planner.page}/new").status_code == 404
    assert browser.press(f"{planner.page}/new", **NEW).status_code == 404
    assert browser.press(f"{path}?day=2026-11-20", **NEW).status_code == 404
    assert browser.press(f"{path}/delete").status_code == 404
    assert planner.only()["id"] == event["id"]
