"""Calendar events through the API: what Google's own client would see, at most once, and safe from lost updates."""

from datetime import datetime
from typing import Any

import pytest

from sandbox.google.client import CALENDAR as SCOPE
from support.calendars import HOUR, STOCKHOLM, CalendarFixture, OfficialClient, at
from support.connections import connect_accounts
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture


@pytest.fixture
def desk(owner: OwnerFixture, sandbox: Sandbox) -> CalendarFixture:
    return CalendarFixture(sandbox, owner)


def test_an_event_is_created_changed_and_deleted(desk: CalendarFixture) -> None:
    created = desk.made(
        location="Shop", reminders={"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}]}
    )
    assert created["start"] == {"dateTime": "2026-11-20T09:00:00+01:00", "date": None, "timezone": STOCKHOLM}
    assert (created["allDay"], created["status"], created["calendarId"]) == (False, "confirmed", desk.calendar)
    assert created["reminders"]["overrides"] == [{"method": "popup", "minutes": 5}]
    assert desk.listed() == [created]
    changed = desk.patch(created["id"], location=None, start={"date": "2026-11-20"}, end={"date": "2026-11-21"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["allDay"], changed.json()["location"], changed.json()["title"]) == (True, None, desk.word)
    assert changed.json()["end"] == {"dateTime": None, "date": "2026-11-21", "timezone": None}
    gone = desk.delete(created["id"])
    assert gone.json() == {"id": created["id"], "accountId": desk.account_id, "deleted": True}
    assert desk.listed() == []
    problem_of(desk.delete(created["id"]), 404, "platform_not_found")
    problem_of(desk.patch(created["id"], title="Again"), 404, "platform_not_found")
    done = desk.owner.session.get("/operations", params={"accountId": desk.account_id}).json()["data"]
    assert [item["operation"] for item in reversed(done)][:3] == [
        "calendar.create",
        "calendar.patch",
        "calendar.delete",
    ]
    assert desk.word not in str(done)


def test_google_and_we_see_the_same_events(desk: CalendarFixture) -> None:
    google = OfficialClient(desk)
    guests = [{"email": "elif@example.com", "name": "Elif"}]
    created = desk.made(description="Rye", location="Shop", attendees=guests, meet=True)
    series = desk.made(recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"])
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        seen = events.get(calendarId="primary", eventId=created["id"]).execute()
        assert (seen["summary"], seen["description"], seen["location"]) == (desk.word, "Rye", "Shop")
        assert (seen["start"]["dateTime"], seen["etag"]) == (created["start"]["dateTime"], created["etag"])
        assert [(item["email"], item["displayName"]) for item in seen["attendees"]] == [("elif@example.com", "Elif")]
        assert seen["hangoutLink"] == created["conference"]["url"]
        # An event of somebody else, and a change of ours by somebody else.
        body = {"summary": desk.word, "start": {"date": "2026-12-24"}, "end": {"date": "2026-12-25"}}
        other = events.insert(calendarId="primary", body=body).execute()
        changed = {"location": "Market"}
        events.patch(calendarId="primary", eventId=created["id"], body=changed).execute()
        problem_of(desk.patch(created["id"], created["etag"], title="Mine"), 412, "precondition_failed")
        ours = {item["id"]: item for item in desk.listed()}
        theirs = {item["id"]: item for item in events.list(calendarId="primary", q=desk.word).execute()["items"]}
    assert set(ours) == set(theirs) == {created["id"], series["id"], other["id"]}
    assert {key: our["etag"] for key, our in ours.items()} == {key: their["etag"] for key, their in theirs.items()}
    assert (ours[created["id"]]["location"], ours[other["id"]]["allDay"]) == ("Market", True)


@pytest.mark.parametrize(("method", "path"), [("POST", "*/events"), ("PATCH", "*/events/*"), ("DELETE", "*/events/*")])
def test_an_answer_that_is_lost_does_nothing_twice(desk: CalendarFixture, method: str, path: str) -> None:
    created = desk.made(attendees=[{"email": "guest@elsewhere.test"}])
    desk.sandbox.control("fail", platform="google", account=desk.calendar, path=path, method=method, when="after")
    if method == "POST":
        first = desk.create("lost", title=f"{desk.word} twice")
        again = desk.create("lost", title=f"{desk.word} twice")
        assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
        assert again.headers["etag"] == first.json()["etag"]
        assert len(desk.listed()) == 2
    elif method == "PATCH":
        answer = desk.patch(created["id"], title=f"{desk.word} new", notify="all")
        assert (answer.status_code, answer.json()["title"]) == (200, f"{desk.word} new"), answer.text
        assert [item["what"] for item in desk.list_invitations(created["id"])] == ["update"]
    else:
        answer = desk.delete(created["id"], notify="all")
        assert answer.status_code == 200, answer.text
        assert [item["what"] for item in desk.list_invitations(created["id"])] == ["cancellation"]


def test_of_two_editors_one_is_refused(desk: CalendarFixture) -> None:
    seen = desk.made()
    first = desk.patch(seen["id"], seen["etag"], title=f"{desk.word} one")
    assert first.status_code == 200, first.text
    problem_of(desk.patch(seen["id"], seen["etag"], title=f"{desk.word} two"), 412, "precondition_failed")
    problem_of(desk.delete(seen["id"], seen["etag"]), 412, "precondition_failed")
    guests = [{"email": "elif@example.com"}]
    problem_of(desk.patch(seen["id"], seen["etag"], attendees=guests), 412, "precondition_failed")
    assert [item["title"] for item in desk.listed()] == [f"{desk.word} one"]
    assert desk.patch(seen["id"], first.headers["etag"], title=f"{desk.word} two").status_code == 200
    assert desk.delete(seen["id"], "*").status_code == 200


@pytest.mark.parametrize("body", [{}, {"notify": "all", "scope": "all"}])
def test_a_change_of_nothing_is_refused_and_leaves_the_version(desk: CalendarFixture, body: dict[str, Any]) -> None:
    seen = desk.made()
    refused = desk.patch(seen["id"], **body)
    assert fault_of(refused) == ("", "required")
    assert "Send at least one field to change: start, end, title" in refused.json()["detail"]
    assert [item["etag"] for item in desk.listed()] == [seen["etag"]]


def test_of_editors_who_race_one_wins(desk: CalendarFixture) -> None:
    seen = desk.made()
    answers = run_simultaneously(4, lambda number: desk.patch(seen["id"], seen["etag"], title=f"{desk.word} {number}"))
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412]
    (won,) = [answer.json() for answer in answers if answer.status_code == 200]
    problems = [problem_of(answer, 412, "precondition_failed") for answer in answers if answer.status_code == 412]
    assert {problem["platform"] for problem in problems} == {"google"}
    assert [(item["title"], item["etag"]) for item in desk.listed()] == [(won["title"], won["etag"])]


def test_guests_are_told_as_wished_and_keep_their_answers(desk: CalendarFixture) -> None:
    guests = [{"email": "bram@example.com", "name": "Bram"}, {"email": "guest@elsewhere.test", "optional": True}]
    created = desk.made(attendees=guests, notify="externalOnly")
    assert [item["to"] for item in desk.list_invitations(created["id"])] == ["guest@elsewhere.test"]
    order = {"platform": "google", "account": desk.calendar, "event": created["id"], "email": "bram@example.com"}
    desk.sandbox.control("respond", **order, response="accepted")
    (result,) = desk.listed()
    assert [guest["response"] for guest in result["attendees"]] == ["accepted", "needsAction"]
    more = [*guests, {"email": "elif@example.com"}]
    changed = desk.patch(created["id"], attendees=more, notify="none").json()
    assert [guest["response"] for guest in changed["attendees"]] == ["accepted", "needsAction", "needsAction"]
    assert len(desk.list_invitations(created["id"])) == 1
    assert desk.patch(created["id"], attendees=[]).json()["attendees"] == []


def test_a_meeting_comes_and_goes(desk: CalendarFixture) -> None:
    created = desk.made(meet=True)
    assert created["conference"]["url"].startswith("https://meet.google.com/")
    assert desk.patch(created["id"], title=f"{desk.word} same").json()["conference"] == created["conference"]
    assert desk.patch(created["id"], meet=False).json()["conference"] is None


def test_lists_have_bounds_and_pages(desk: CalendarFixture) -> None:
    for day in (20, 21, 22):
        desk.made(start=at(f"2026-11-{day}T10:00:00Z", None), end=at(f"2026-11-{day}T11:00:00Z", None))
    days = [item["start"]["dateTime"][8:10] for item in desk.listed(expand=True)]
    assert days == ["20", "21", "22"]
    result = desk.listed(since="2026-11-20T11:00:00Z", until="2026-11-22T10:00:00Z")
    assert [item["start"]["dateTime"][8:10] for item in result] == ["21"]
    query: dict[str, Any] = {"q": desk.word, "limit": 2, "expand": True}
    first = desk.owner.session.get(desk.path, params=query).json()
    second = desk.owner.session.get(desk.path, params={**query, "cursor": first["nextCursor"]}).json()
    assert [item["start"]["dateTime"][8:10] for item in first["data"] + second["data"]] == days
    assert second["nextCursor"] is None
    other = {**query, "expand": False, "cursor": first["nextCursor"]}
    assert fault_of(desk.owner.session.get(desk.path, params=other)) == ("?cursor", "invalid_cursor")


@pytest.mark.parametrize(
    ("first", "offsets"),
    [
        ("2026-10-24T09:00:00", ["09:00:00+02:00", "09:00:00+01:00", "09:00:00+01:00"]),
        ("2027-03-27T09:00:00", ["09:00:00+01:00", "09:00:00+02:00", "09:00:00+02:00"]),
    ],
)
def test_series_follow_the_clocks_of_their_zone(desk: CalendarFixture, first: str, offsets: list[str]) -> None:
    series = desk.made(start=at(first), end=at(first), recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    result = desk.listed(expand=True)
    assert [item["start"]["dateTime"][11:] for item in result] == offsets
    assert {item["recurringEventId"] for item in result} == {series["id"]}
    assert [item["recurrence"] for item in desk.listed()] == [["RRULE:FREQ=DAILY;COUNT=3"]]


def test_one_occurrence_differs_and_all_can_be_changed(desk: CalendarFixture) -> None:
    series = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    first, second, third = desk.listed(expand=True)
    moved = desk.patch(second["id"], start=at("2026-11-21T12:00:00"), end=at("2026-11-21T13:00:00"), scope="this")
    assert moved.status_code == 200, moved.text
    assert desk.delete(third["id"], scope="this").status_code == 200
    assert [item["start"]["dateTime"][8:13] for item in desk.listed(expand=True)] == ["20T09", "21T12"]
    changed = desk.patch(first["id"], first["etag"], title=f"{desk.word} all", scope="all")
    assert (changed.status_code, changed.json()["id"]) == (200, series["id"]), changed.text
    problem_of(desk.patch(first["id"], first["etag"], title="x", scope="all"), 412, "precondition_failed")
    assert desk.delete(first["id"], scope="all").status_code == 200
    assert desk.listed() == []


def test_a_scope_that_names_the_wrong_thing_is_refused(desk: CalendarFixture) -> None:
    series = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    occurrence = desk.listed(expand=True)[1]
    for scope in ("this", "following"):
        assert fault_of(desk.patch(series["id"], title="x", scope=scope)) == ("/scope", "platform_rejected")
        assert fault_of(desk.delete(series["id"], scope=scope)) == ("/scope", "platform_rejected")
    # Hours cannot become days without an end.
    moved = desk.patch(occurrence["id"], start={"date": "2026-11-21"}, scope="all")
    assert fault_of(moved) == ("/end", "platform_rejected")
    assert [item["start"]["dateTime"][8:13] for item in desk.listed(expand=True)] == ["20T09", "21T09", "22T09"]


# A series of mornings at nine in Stockholm, the occurrence that is named, when it is to be, and when all are then.
NEW_YORK = "America/New_York"
MOVES = [
    # An hour and a half later, on both sides of the night on which the clocks are put back.
    ("2026-10-24", "DAILY;COUNT=3", 2, at("2026-10-26T10:30:00"), "24T10:30+02 25T10:30+01 26T10:30+01"),
    # The same moment, as somebody elsewhere writes it.
    ("2026-10-24", "DAILY;COUNT=3", 2, at("2026-10-26T09:30:00Z", None), "24T10:30+02 25T10:30+01 26T10:30+01"),
    # On both sides of the night on which they are put forward.
    ("2027-03-27", "DAILY;COUNT=3", 1, at("2027-03-28T07:00:00"), "27T07:00+01 28T07:00+02 29T07:00+02"),
    # Half past two never comes on the 28th.
    ("2027-03-27", "DAILY;COUNT=3", 0, at("2027-03-27T02:30:00"), "27T02:30+01 28T03:30+02 29T02:30+02"),
    # To another day, over the night: the rule follows, and so does its end.
    (
        "2026-10-23",
        "WEEKLY;BYDAY=FR;UNTIL=20261106T080000Z",
        0,
        at("2026-10-25T09:00:00"),
        "25T09:00+01 01T09:00+01 08T09:00+01",
    ),
    (
        "2026-10-19",
        "WEEKLY;INTERVAL=2;BYDAY=MO,TU;COUNT=3",
        2,
        at("2026-11-04T09:00:00"),
        "21T09:00+02 22T09:00+02 04T09:00+01",
    ),
    # To the clocks of another city, which are put back a week later.
    ("2026-10-24", "WEEKLY;COUNT=3", 1, at("2026-10-31T09:00:00", NEW_YORK), "24T15:00+02 31T14:00+01 07T15:00+01"),
]


@pytest.mark.parametrize(("day", "rule", "which", "start", "expected"), MOVES)
def test_what_is_said_of_one_occurrence_moves_all(
    desk: CalendarFixture, day: str, rule: str, which: int, start: dict[str, str], expected: str
) -> None:
    times = {"start": at(f"{day}T09:00:00"), "end": at(f"{day}T10:00:00")}
    series = desk.made(recurrence=[f"RRULE:FREQ={rule}"], **times)
    before = desk.listed(expand=True)
    moved = desk.patch(before[which]["id"], before[which]["etag"], scope="all", start=start)
    assert (moved.status_code, moved.json()["id"]) == (200, series["id"]), moved.text
    google = OfficialClient(desk)
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        seen = service.events().instances(calendarId="primary", eventId=series["id"]).execute()["items"]
    ours = desk.listed(expand=True)
    # Both see the same, and each is as long as before.
    assert [item["start"]["dateTime"] for item in seen] == [our["start"]["dateTime"] for our in ours]
    assert [f"{our['start']['dateTime'][8:16]}{our['start']['dateTime'][-6:-3]}" for our in ours] == expected.split()
    assert {_minutes(our) for our in ours} == {60}


def _minutes(event: dict[str, Any]) -> float:
    start, end = (datetime.fromisoformat(event[name]["dateTime"]) for name in ("start", "end"))
    return (end - start).total_seconds() / 60


# What was made of a series of three days before all of it is moved by an hour, and what there is then.
EXCEPTIONS = [
    ([], {}, ["20T10", "21T10", "22T10"]),
    # A day without: by a rule of the series, and by hand.
    (["EXDATE;TZID=Europe/Stockholm:20261121T090000"], {}, ["20T10", "22T10"]),
    (["EXDATE:20261121T080000Z"], {}, ["20T10", "22T10"]),
    (["RDATE;TZID=Europe/Stockholm:20261201T090000"], {}, ["20T10", "21T10", "22T10", "01T10"]),
    # One that was moved or renamed by itself belongs to an hour that the series does not have any more.
    ([], {"start": at("2026-11-21T12:00:00"), "end": at("2026-11-21T13:00:00")}, ["20T10", "21T10", "22T10"]),
]


@pytest.mark.parametrize(("lines", "exception", "expected"), EXCEPTIONS)
def test_exceptions_of_a_series_that_is_moved(
    desk: CalendarFixture, lines: list[str], exception: dict[str, Any], expected: list[str]
) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3", *lines])
    if exception:
        second = desk.listed(expand=True)[1]
        assert desk.patch(second["id"], scope="this", **exception).status_code == 200
    first = desk.listed(expand=True)[0]
    moved = desk.patch(first["id"], start=at("2026-11-20T10:00:00"), scope="all")
    assert moved.status_code == 200, moved.text
    assert [item["start"]["dateTime"][8:13] for item in desk.listed(expand=True)] == expected


def test_the_length_of_a_series_is_changed_by_one_occurrence(desk: CalendarFixture) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=2"])
    second = desk.listed(expand=True)[1]
    longer = desk.patch(second["id"], end=at("2026-11-21T11:30:00"), scope="all")
    assert longer.status_code == 200, longer.text
    assert [(item["start"]["dateTime"][8:13], _minutes(item)) for item in desk.listed(expand=True)] == [
        ("20T09", 150),
        ("21T09", 150),
    ]
    # A night over which the clocks are put back, too, ends at six.
    nights = {"start": at("2026-10-24T22:00:00"), "end": at("2026-10-25T05:00:00")}
    other = desk.made(title=f"{desk.word}n", recurrence=["RRULE:FREQ=DAILY;COUNT=2"], **nights)
    listed = desk.owner.session.get(desk.path, params={"q": f"{desk.word}n", "expand": True}).json()["data"]
    assert desk.patch(listed[0]["id"], end=at("2026-10-25T06:00:00"), scope="all").json()["id"] == other["id"]
    shown = desk.owner.session.get(desk.path, params={"q": f"{desk.word}n"}).json()["data"][0]
    assert shown["end"]["dateTime"] == "2026-10-25T06:00:00+01:00"


def test_a_rule_that_names_its_days_is_moved_only_with_a_new_one(desk: CalendarFixture) -> None:
    rule = "RRULE:FREQ=MONTHLY;BYDAY=3FR;COUNT=2"
    desk.made(recurrence=[rule])
    first = desk.listed(expand=True)[0]
    later: dict[str, Any] = {"start": at("2026-11-21T09:00:00"), "scope": "all"}
    assert fault_of(desk.patch(first["id"], **later)) == ("/recurrence", "platform_rejected")
    # On the same day it is clear what is meant.
    assert desk.patch(first["id"], start=at("2026-11-20T11:00:00"), scope="all").status_code == 200
    first = desk.listed(expand=True)[0]
    moved = desk.patch(first["id"], recurrence=["RRULE:FREQ=MONTHLY;BYDAY=3SA;COUNT=2"], **later)
    assert moved.status_code == 200, moved.text
    assert [item["start"]["dateTime"][5:13] for item in desk.listed(expand=True)] == ["11-21T09", "12-19T09"]


def test_the_rest_of_a_series_is_moved_to_another_day(desk: CalendarFixture) -> None:
    desk.made(recurrence=["RRULE:FREQ=WEEKLY;BYDAY=FR;COUNT=4"])
    second = desk.listed(expand=True)[1]
    moved = desk.patch(second["id"], start=at("2026-11-28T09:00:00"), scope="following")
    assert moved.status_code == 200, moved.text
    assert [item["start"]["dateTime"][5:10] for item in desk.listed(expand=True)] == [
        "11-20",
        "11-28",
        "12-05",
        "12-12",
    ]


@pytest.mark.parametrize(
    ("rule", "change", "expected"),
    [
        ("FREQ=DAILY;COUNT=4", {}, ["20T09 old", "21T09 old", "22T09 new", "23T09 new"]),
        ("FREQ=DAILY;UNTIL=20261122T080000Z", {}, ["20T09 old", "21T09 old", "22T09 new"]),
        (
            "FREQ=DAILY;COUNT=4",
            {"start": at("2026-11-22T12:00:00"), "end": at("2026-11-22T13:00:00")},
            ["20T09 old", "21T09 old", "22T12 new", "23T12 new"],
        ),
        (
            "FREQ=DAILY",
            {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=2"]},
            ["20T09 old", "21T09 old", "22T09 new", "29T09 new"],
        ),
    ],
)
@pytest.mark.parametrize("lost", [None, "POST", "PATCH"])
def test_the_rest_of_a_series_is_changed(
    desk: CalendarFixture, rule: str, change: dict[str, Any], expected: list[str], lost: str | None
) -> None:
    series = desk.made(title=f"{desk.word} old", recurrence=[f"RRULE:{rule}"], meet=True)
    third = desk.listed(expand=True, until="2026-12-01T00:00:00Z")[2]
    if lost is not None:
        path = "*/events" if lost == "POST" else "*/events/*"
        desk.sandbox.control("fail", platform="google", account=desk.calendar, path=path, method=lost, when="after")
    answer = desk.patch(third["id"], third["etag"], title=f"{desk.word} new", scope="following", **change)
    assert answer.status_code == 200, answer.text
    assert answer.json()["id"] not in {series["id"], third["id"]}
    assert answer.json()["conference"]["url"] != series["conference"]["url"]
    result = desk.listed(expand=True, until="2026-12-15T00:00:00Z")
    assert [f"{item['start']['dateTime'][8:13]} {item['title'][-3:]}" for item in result] == expected


def test_the_rest_of_a_series_is_not_split_when_the_old_one_cannot_be_ended(desk: CalendarFixture) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    second = desk.listed(expand=True)[1]
    order = {"platform": "google", "account": desk.calendar, "path": "*/events/*", "method": "PATCH"}
    desk.sandbox.control("fail", **order, error="forbidden")
    problem_of(desk.patch(second["id"], title=f"{desk.word} new", scope="following"), 422, "platform_rejected")
    assert [item["title"] for item in desk.listed(expand=True)] == [desk.word] * 3


def test_the_rest_of_a_series_is_deleted(desk: CalendarFixture) -> None:
    days = {"start": {"date": "2026-11-20"}, "end": {"date": "2026-11-21"}}
    desk.made(recurrence=["RRULE:FREQ=DAILY"], **days)
    first, second = desk.listed(expand=True, until="2026-11-22T00:00:00Z")
    assert desk.delete(second["id"], scope="following").status_code == 200
    assert [item["start"]["date"] for item in desk.listed(expand=True)] == ["2026-11-20"]
    # The rest that begins with the first occurrence is all of it.
    assert desk.delete(first["id"], scope="following").status_code == 200
    assert desk.listed() == []


@pytest.mark.parametrize(
    ("body", "fault"),
    [
        ({"start": {}}, ("/start", "contradiction")),
        ({"start": at("2026-11-20T09:00:00", None)}, ("/start/timezone", "required")),
        ({"start": at("tomorrow")}, ("/start/dateTime", "invalid_time")),
        ({"start": at("2026-11-20T09:00:00", "Mars/Base")}, ("/start/timezone", "unknown_timezone")),
        ({"start": at("2027-03-28T02:30:00"), "end": at("2027-03-28T04:00:00")}, ("/start/dateTime", "invalid_time")),
        ({"start": {"date": "2026-13-01"}}, ("/start/date", "invalid_time")),
        ({"start": {"date": "2026-11-20"}}, ("/end", "contradiction")),
        ({"start": {"date": "2026-11-20"}, "end": {"date": "2026-11-20"}}, ("/end", "contradiction")),
        ({"end": at("2026-11-20T08:00:00")}, ("/end", "contradiction")),
        ({"recurrence": ["FREQ=DAILY"]}, ("/recurrence/0", "invalid")),
        (
            {"start": at("2026-11-20T09:00:00Z", None), "recurrence": ["RRULE:FREQ=DAILY"]},
            ("/start/timezone", "required"),
        ),
        ({"reminders": {"overrides": [{"method": "popup", "minutes": 1}]}}, ("/reminders/overrides", "contradiction")),
    ],
)
def test_what_makes_no_event_is_refused(desk: CalendarFixture, body: dict[str, Any], fault: tuple[str, str]) -> None:
    assert fault_of(desk.create(**body)) == fault


def test_everything_that_is_wrong_with_an_event_is_said_at_once(desk: CalendarFixture) -> None:
    refused = desk.create(start=at("tomorrow"), end=at("2026-11-20T09:00:00", "Mars/Base"), recurrence=["DAILY"])
    problem = problem_of(refused, 422, "invalid")
    assert "`start.dateTime` must be a time" in problem["detail"]
    places = [fault["pointer"] for fault in problem["errors"]]
    assert places == ["/start/dateTime", "/end/timezone", "/recurrence/0"]


def test_what_google_refuses_and_who_may_not(desk: CalendarFixture, other_owner: OwnerFixture) -> None:
    problem_of(desk.create(recurrence=["RRULE:FREQ=SOMETIMES"]), 422, "platform_rejected")
    problem_of(desk.create(calendarId="nobody@example.com"), 404, "platform_not_found")
    problem_of(desk.patch("a.b", title="x"), 404, "platform_not_found")
    session = desk.owner.session
    assert fault_of(session.get(desk.path, params={"since": "2026-11-20T10:00:00"})) == ("?since", "invalid_time")
    empty = {"since": "2026-11-20T10:00:00Z", "until": "2026-11-20T10:00:00Z"}
    assert fault_of(session.get(desk.path, params=empty)) == ("?until", "contradiction")
    event = desk.made()
    problem_of(other_owner.session.get(desk.path), 404, "not_found")
    problem_of(other_owner.session.patch(f"{desk.path}/{event['id']}", json={"title": "x"}), 404, "not_found")
    problem_of(other_owner.session.delete(f"{desk.path}/{event['id']}"), 404, "not_found")
    problem_of(desk.owner.key(permission="read").post(desk.path, json=HOUR), 403, "read_only_key")
    assert [item["id"] for item in desk.listed()] == [event["id"]]


def test_what_has_no_calendar_names_those_that_have(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "tiktok")
    problem = problem_of(owner.session.get(f"/accounts/{account}/calendar/events"), 422, "not_supported")
    assert problem["detail"] == (
        "This account is of the kind TikTok account, which has no calendar. Use one of these kinds: Google Calendar."
    )
