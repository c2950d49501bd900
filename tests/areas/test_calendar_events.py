"""Calendar events through the API: what Google's own client would see, at most once, and safe from lost updates."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from sandbox.google.client import CALENDAR as SCOPE
from sandbox.google.client import Google
from support.connections import connected
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox, connect
from support.service import OwnerOf
from support.webhooks import secret_of

STOCKHOLM = "Europe/Stockholm"


def at(moment: str, zone: str | None = STOCKHOLM) -> dict[str, str]:
    return {"dateTime": moment, **({} if zone is None else {"timezone": zone})}


HOUR = {"start": at("2026-11-20T09:00:00"), "end": at("2026-11-20T10:00:00")}


class Desk:
    """The calendar of an owner. All tests of a process share one at Google, so each has words of its own."""

    def __init__(self, sandbox: Sandbox, owner: OwnerOf) -> None:
        self.sandbox, self.owner = sandbox, owner
        connect(sandbox, owner, "google", kind=["google_calendar"])
        rows = owner.session.get("/accounts").json()["data"]
        self.account_id = next(row["id"] for row in rows if row["kind"] == "google_calendar")
        self.calendar = next(row["platformAccountId"] for row in rows if row["kind"] == "google_calendar")
        self.path = f"/accounts/{self.account_id}/calendar/events"
        self.word = f"w{uuid4().hex}"

    def create(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}
        given = {"title": self.word, **HOUR, **body}
        return self.owner.session.post(self.path, json=given, headers=headers)

    def made(self, **body: Any) -> dict[str, Any]:
        answer = self.create(**body)
        assert answer.status_code == 201, answer.text
        event: dict[str, Any] = answer.json()
        assert answer.headers["etag"] == event["etag"]
        return event

    def listed(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(self.path, params={"q": self.word, **query})
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def patch(self, event_id: str, etag: str | None = None, **body: Any) -> httpx.Response:
        headers = {} if etag is None else {"If-Match": etag}
        return self.owner.session.patch(f"{self.path}/{event_id}", json=body, headers=headers)

    def delete(self, event_id: str, etag: str | None = None, **query: Any) -> httpx.Response:
        headers = {} if etag is None else {"If-Match": etag}
        return self.owner.session.delete(f"{self.path}/{event_id}", params=query, headers=headers)

    def invited(self, event_id: str) -> list[dict[str, str]]:
        found = self.sandbox.control("invitations", platform="google", event=event_id)
        return list(found["data"])


class OfficialClient(Google):
    """Google's own client, for an app that signs in beside the service."""

    def __init__(self, desk: Desk) -> None:
        self.url = f"{desk.sandbox.url}/google"
        self.redirect = f"{desk.owner.running.url}/connect/google/callback"
        self.http = desk.sandbox.http

    def exchange(self, code: str, **more: str) -> httpx.Response:
        return super().exchange(code, client_secret=secret_of("google"), **more)


@pytest.fixture
def desk(owner: OwnerOf, sandbox: Sandbox) -> Desk:
    return Desk(sandbox, owner)


def test_an_event_is_created_changed_and_deleted(desk: Desk) -> None:
    made = desk.made(location="Shop", reminders={"useDefault": False, "overrides": [{"method": "popup", "minutes": 5}]})
    assert made["start"] == {"dateTime": "2026-11-20T09:00:00+01:00", "date": None, "timezone": STOCKHOLM}
    assert (made["allDay"], made["status"], made["calendarId"]) == (False, "confirmed", desk.calendar)
    assert made["reminders"]["overrides"] == [{"method": "popup", "minutes": 5}]
    assert desk.listed() == [made]
    changed = desk.patch(made["id"], location=None, start={"date": "2026-11-20"}, end={"date": "2026-11-21"})
    assert changed.status_code == 200, changed.text
    assert (changed.json()["allDay"], changed.json()["location"], changed.json()["title"]) == (True, None, desk.word)
    assert changed.json()["end"] == {"dateTime": None, "date": "2026-11-21", "timezone": None}
    gone = desk.delete(made["id"])
    assert gone.json() == {"id": made["id"], "accountId": desk.account_id, "deleted": True}
    assert desk.listed() == []
    problem_of(desk.delete(made["id"]), 404, "platform_not_found")
    problem_of(desk.patch(made["id"], title="Again"), 404, "platform_not_found")
    done = desk.owner.session.get("/operations", params={"accountId": desk.account_id}).json()["data"]
    assert [one["operation"] for one in reversed(done)][:3] == ["calendar.create", "calendar.patch", "calendar.delete"]
    assert desk.word not in str(done)


def test_google_and_we_see_the_same_events(desk: Desk) -> None:
    google = OfficialClient(desk)
    guests = [{"email": "elif@example.com", "name": "Elif"}]
    made = desk.made(description="Rye", location="Shop", attendees=guests, meet=True)
    series = desk.made(recurrence=["RRULE:FREQ=WEEKLY;COUNT=2"])
    with google.sdk("calendar", "v3", google.sign_in("ada", SCOPE)) as service:
        events = service.events()
        seen = events.get(calendarId="primary", eventId=made["id"]).execute()
        assert (seen["summary"], seen["description"], seen["location"]) == (desk.word, "Rye", "Shop")
        assert (seen["start"]["dateTime"], seen["etag"]) == (made["start"]["dateTime"], made["etag"])
        assert [(one["email"], one["displayName"]) for one in seen["attendees"]] == [("elif@example.com", "Elif")]
        assert seen["hangoutLink"] == made["conference"]["url"]
        # An event of somebody else, and a change of ours by somebody else.
        body = {"summary": desk.word, "start": {"date": "2026-12-24"}, "end": {"date": "2026-12-25"}}
        other = events.insert(calendarId="primary", body=body).execute()
        changed = {"location": "Market"}
        events.patch(calendarId="primary", eventId=made["id"], body=changed).execute()
        problem_of(desk.patch(made["id"], made["etag"], title="Mine"), 412, "precondition_failed")
        ours = {one["id"]: one for one in desk.listed()}
        theirs = {one["id"]: one for one in events.list(calendarId="primary", q=desk.word).execute()["items"]}
    assert set(ours) == set(theirs) == {made["id"], series["id"], other["id"]}
    assert {key: one["etag"] for key, one in ours.items()} == {key: one["etag"] for key, one in theirs.items()}
    assert (ours[made["id"]]["location"], ours[other["id"]]["allDay"]) == ("Market", True)


@pytest.mark.parametrize(("method", "path"), [("POST", "*/events"), ("PATCH", "*/events/*"), ("DELETE", "*/events/*")])
def test_an_answer_that_is_lost_does_nothing_twice(desk: Desk, method: str, path: str) -> None:
    made = desk.made(attendees=[{"email": "guest@elsewhere.test"}])
    desk.sandbox.control("fail", platform="google", account=desk.calendar, path=path, method=method, when="after")
    if method == "POST":
        first = desk.create("lost", title=f"{desk.word} twice")
        again = desk.create("lost", title=f"{desk.word} twice")
        assert (first.status_code, again.status_code, again.json()) == (201, 201, first.json())
        assert again.headers["etag"] == first.json()["etag"]
        assert len(desk.listed()) == 2
    elif method == "PATCH":
        answer = desk.patch(made["id"], title=f"{desk.word} new", notify="all")
        assert (answer.status_code, answer.json()["title"]) == (200, f"{desk.word} new"), answer.text
        assert [one["what"] for one in desk.invited(made["id"])] == ["update"]
    else:
        answer = desk.delete(made["id"], notify="all")
        assert answer.status_code == 200, answer.text
        assert [one["what"] for one in desk.invited(made["id"])] == ["cancellation"]


def test_of_two_editors_one_is_refused(desk: Desk) -> None:
    seen = desk.made()
    first = desk.patch(seen["id"], seen["etag"], title=f"{desk.word} one")
    assert first.status_code == 200, first.text
    problem_of(desk.patch(seen["id"], seen["etag"], title=f"{desk.word} two"), 412, "precondition_failed")
    problem_of(desk.delete(seen["id"], seen["etag"]), 412, "precondition_failed")
    guests = [{"email": "elif@example.com"}]
    problem_of(desk.patch(seen["id"], seen["etag"], attendees=guests), 412, "precondition_failed")
    assert [one["title"] for one in desk.listed()] == [f"{desk.word} one"]
    assert desk.patch(seen["id"], first.headers["etag"], title=f"{desk.word} two").status_code == 200
    assert desk.delete(seen["id"], "*").status_code == 200


def test_guests_are_told_as_wished_and_keep_their_answers(desk: Desk) -> None:
    guests = [{"email": "bram@example.com", "name": "Bram"}, {"email": "guest@elsewhere.test", "optional": True}]
    made = desk.made(attendees=guests, notify="externalOnly")
    assert [one["to"] for one in desk.invited(made["id"])] == ["guest@elsewhere.test"]
    order = {"platform": "google", "account": desk.calendar, "event": made["id"], "email": "bram@example.com"}
    desk.sandbox.control("respond", **order, response="accepted")
    (found,) = desk.listed()
    assert [guest["response"] for guest in found["attendees"]] == ["accepted", "needsAction"]
    more = [*guests, {"email": "elif@example.com"}]
    changed = desk.patch(made["id"], attendees=more, notify="none").json()
    assert [guest["response"] for guest in changed["attendees"]] == ["accepted", "needsAction", "needsAction"]
    assert len(desk.invited(made["id"])) == 1
    assert desk.patch(made["id"], attendees=[]).json()["attendees"] == []


def test_a_meeting_comes_and_goes(desk: Desk) -> None:
    made = desk.made(meet=True)
    assert made["conference"]["url"].startswith("https://meet.google.com/")
    assert desk.patch(made["id"], title=f"{desk.word} same").json()["conference"] == made["conference"]
    assert desk.patch(made["id"], meet=False).json()["conference"] is None


def test_lists_have_bounds_and_pages(desk: Desk) -> None:
    for day in (20, 21, 22):
        desk.made(start=at(f"2026-11-{day}T10:00:00Z", None), end=at(f"2026-11-{day}T11:00:00Z", None))
    days = [one["start"]["dateTime"][8:10] for one in desk.listed(expand=True)]
    assert days == ["20", "21", "22"]
    found = desk.listed(since="2026-11-20T11:00:00Z", until="2026-11-22T10:00:00Z")
    assert [one["start"]["dateTime"][8:10] for one in found] == ["21"]
    query: dict[str, Any] = {"q": desk.word, "limit": 2, "expand": True}
    first = desk.owner.session.get(desk.path, params=query).json()
    second = desk.owner.session.get(desk.path, params={**query, "cursor": first["nextCursor"]}).json()
    assert [one["start"]["dateTime"][8:10] for one in first["data"] + second["data"]] == days
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
def test_series_follow_the_clocks_of_their_zone(desk: Desk, first: str, offsets: list[str]) -> None:
    series = desk.made(start=at(first), end=at(first), recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    found = desk.listed(expand=True)
    assert [one["start"]["dateTime"][11:] for one in found] == offsets
    assert {one["recurringEventId"] for one in found} == {series["id"]}
    assert [one["recurrence"] for one in desk.listed()] == [["RRULE:FREQ=DAILY;COUNT=3"]]


def test_one_occurrence_differs_and_all_can_be_changed(desk: Desk) -> None:
    series = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    first, second, third = desk.listed(expand=True)
    moved = desk.patch(second["id"], start=at("2026-11-21T12:00:00"), end=at("2026-11-21T13:00:00"), scope="this")
    assert moved.status_code == 200, moved.text
    assert desk.delete(third["id"], scope="this").status_code == 200
    assert [one["start"]["dateTime"][8:13] for one in desk.listed(expand=True)] == ["20T09", "21T12"]
    changed = desk.patch(first["id"], first["etag"], title=f"{desk.word} all", scope="all")
    assert (changed.status_code, changed.json()["id"]) == (200, series["id"]), changed.text
    problem_of(desk.patch(first["id"], first["etag"], title="x", scope="all"), 412, "precondition_failed")
    assert desk.delete(first["id"], scope="all").status_code == 200
    assert desk.listed() == []


def test_a_scope_that_names_the_wrong_thing_is_refused(desk: Desk) -> None:
    series = desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    occurrence = desk.listed(expand=True)[1]
    for scope in ("this", "following"):
        assert fault_of(desk.patch(series["id"], title="x", scope=scope)) == ("/scope", "platform_rejected")
        assert fault_of(desk.delete(series["id"], scope=scope)) == ("/scope", "platform_rejected")
    moved = desk.patch(occurrence["id"], start=at("2026-11-21T12:00:00"), scope="all")
    assert fault_of(moved) == ("/start", "platform_rejected")
    assert [one["start"]["dateTime"][8:13] for one in desk.listed(expand=True)] == ["20T09", "21T09", "22T09"]


@pytest.mark.parametrize(
    ("rule", "change", "wanted"),
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
    desk: Desk, rule: str, change: dict[str, Any], wanted: list[str], lost: str | None
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
    found = desk.listed(expand=True, until="2026-12-15T00:00:00Z")
    assert [f"{one['start']['dateTime'][8:13]} {one['title'][-3:]}" for one in found] == wanted


def test_the_rest_of_a_series_is_not_split_when_the_old_one_cannot_be_ended(desk: Desk) -> None:
    desk.made(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    second = desk.listed(expand=True)[1]
    order = {"platform": "google", "account": desk.calendar, "path": "*/events/*", "method": "PATCH"}
    desk.sandbox.control("fail", **order, error="forbidden")
    problem_of(desk.patch(second["id"], title=f"{desk.word} new", scope="following"), 422, "platform_rejected")
    assert [one["title"] for one in desk.listed(expand=True)] == [desk.word] * 3


def test_the_rest_of_a_series_is_deleted(desk: Desk) -> None:
    days = {"start": {"date": "2026-11-20"}, "end": {"date": "2026-11-21"}}
    desk.made(recurrence=["RRULE:FREQ=DAILY"], **days)
    first, second = desk.listed(expand=True, until="2026-11-22T00:00:00Z")
    assert desk.delete(second["id"], scope="following").status_code == 200
    assert [one["start"]["date"] for one in desk.listed(expand=True)] == ["2026-11-20"]
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
def test_what_makes_no_event_is_refused(desk: Desk, body: dict[str, Any], fault: tuple[str, str]) -> None:
    assert fault_of(desk.create(**body)) == fault


def test_what_google_refuses_and_who_may_not(desk: Desk, other_owner: OwnerOf) -> None:
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
    assert [one["id"] for one in desk.listed()] == [event["id"]]


def test_what_has_no_calendar_names_those_that_have(owner: OwnerOf, sandbox: Sandbox) -> None:
    (account,) = connected(sandbox, owner, "tiktok")
    problem = problem_of(owner.session.get(f"/accounts/{account}/calendar/events"), 422, "not_supported")
    assert "Google Calendar" in problem["detail"]
