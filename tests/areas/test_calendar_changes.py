"""What others change in a calendar: by a token of the list, by notices, and by looking after they were lost."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.accounts.tables import registrations
from socialgate.areas.calendar.tables import calendar_syncs
from support.calendars import NO_CACHE, SyncedCalendar
from support.database import rows
from support.holding_proxy import HoldingProxy
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually
from support.webhooks import address_of

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")
        sandbox.control("webhooks", mode="normal", release=True)


@pytest.fixture
def desk(sandbox: Sandbox) -> Iterator[SyncedCalendar]:
    """Give the only account that has the calendar: the registration of its webhooks is shared by all that do."""
    synced_calendar = SyncedCalendar(sandbox)
    yield synced_calendar
    synced_calendar.owner.session.delete(f"/accounts/{synced_calendar.account_id}")


@pytest.fixture
def traveller(start_service: StartService) -> Iterator[SyncedCalendar]:
    """Give a calendar of a service whose clock is moved by days.

    Requests of platforms are kept for a week, by ids that know the true time: what comes after that is taken for old.
    """
    with start_service() as own, Sandbox(own) as sandbox:
        yield SyncedCalendar(sandbox)


# Tokens of lists


@pytest.mark.one_engine
def test_a_token_lists_what_has_changed_since(desk: SyncedCalendar) -> None:
    kept, gone = desk.made(), desk.made()
    listed, token = desk.read_all_pages(limit=2)
    assert {kept["id"], gone["id"]} <= {item["id"] for item in listed}
    assert desk.read_all_pages(syncToken=token)[0] == []
    desk.remove(gone["id"])
    new = [desk.insert() for _ in range(3)]
    changed, following = desk.read_all_pages(syncToken=token, limit=2)
    assert {item["id"]: item["status"] for item in changed} == {
        gone["id"]: "cancelled",
        **dict.fromkeys(new, "confirmed"),
    }
    assert desk.read_all_pages(syncToken=following)[0] == []


@pytest.mark.one_engine
def test_a_token_goes_with_the_list_that_it_was_given_for(desk: SyncedCalendar) -> None:
    _, token = desk.read_all_pages()
    get = desk.owner.session.get
    for more in ({"q": "x"}, {"expand": True}, {"since": "2026-11-20T10:00:00Z"}, {"until": "2026-11-20T10:00:00Z"}):
        assert fault_of(get(desk.path, params={"syncToken": token, **more})) == ("?syncToken", "contradiction")
        assert get(desk.path, params=more).json()["syncToken"] is None
    other = {"syncToken": token, "calendarId": "bakery@group.calendar.google.com"}
    assert fault_of(get(desk.path, params=other)) == ("?syncToken", "invalid_cursor")
    assert fault_of(get(desk.path, params={"syncToken": "rubbish"})) == ("?syncToken", "invalid_cursor")


@pytest.mark.one_engine
def test_a_token_that_has_expired_says_to_list_again(traveller: SyncedCalendar) -> None:
    _, token = traveller.read_all_pages()
    traveller.let_pass(timedelta(days=29))
    problem = problem_of(
        traveller.owner.session.get(traveller.path, params={"syncToken": token}), 410, "sync_token_expired"
    )
    assert "List again without `syncToken`" in problem["detail"]
    created = traveller.insert()
    listed, again = traveller.read_all_pages()
    assert created in {item["id"] for item in listed}
    assert traveller.read_all_pages(syncToken=again)[0] == []


# Notices


@pytest.mark.one_engine
def test_what_others_change_is_heard_of_and_ends_what_was_kept(desk: SyncedCalendar) -> None:
    desk.synced()
    eventually(lambda: desk.registration().set_up_at)
    assert desk.listed() == []
    # What is kept is given although the platform does not answer. A caller who wants it fresh hears of that.
    desk.sandbox.control("fail", platform="google", path="*/events", method="GET", status=500, times=50)
    assert desk.listed() == []
    fresh = desk.owner.session.get(desk.path, params={"q": desk.word}, headers=NO_CACHE)
    problem_of(fresh, 503, "platform_unavailable")
    desk.sandbox.http.delete("/_control/fail")
    version = desk.known().version
    created = desk.insert()
    eventually(lambda: desk.known().version > version)
    assert [item["id"] for item in desk.listed()] == [created]
    # Our own changes end it at once.
    assert desk.delete(created).status_code == 200
    assert desk.listed() == []


@pytest.mark.one_engine
def test_only_who_knows_the_secret_of_the_channel_is_believed(desk: SyncedCalendar) -> None:
    desk.synced()
    address = address_of(desk.running, desk.account_id)
    notice = {"X-Goog-Channel-ID": uuid4().hex, "X-Goog-Message-Number": "7", "X-Goog-Resource-State": "exists"}

    def send(token: str) -> httpx.Response:
        headers = {**notice, "X-Goog-Channel-Token": token}
        return desk.running.client().post("/webhooks/google", params={"r": address.routing_id}, headers=headers)

    before = desk.known().notices
    problem_of(send("wrong"), 401, "webhook_not_verified")
    problem_of(send(address.secrets.verify_token), 401, "webhook_not_verified")
    assert send(address.secrets.secret).status_code == 200
    eventually(lambda: desk.known().notices > before)


@pytest.mark.one_engine
def test_a_channel_is_replaced_before_it_ends_and_closed_with_the_account(traveller: SyncedCalendar) -> None:
    first = eventually(lambda: row if (row := traveller.registration()).set_up_at else None)
    stopped = traveller.received("*/channels/stop")
    traveller.let_pass(timedelta(days=5, hours=12))
    second = eventually(lambda: row if (row := traveller.registration()).details != first.details else None)
    assert second.expires_at - first.expires_at > timedelta(days=5)
    assert traveller.received("*/channels/stop") == stopped + 1
    traveller.synced()
    version = traveller.known().version
    traveller.insert()
    eventually(lambda: traveller.known().version > version)
    assert traveller.owner.session.delete(f"/accounts/{traveller.account_id}").status_code == 200
    assert traveller.received("*/channels/stop") == stopped + 2
    traveller.running.advance_time(timedelta(hours=2))
    of_it = sa.select(calendar_syncs).where(calendar_syncs.c.account_id == traveller.account_id)
    eventually(lambda: not rows(traveller.running, of_it))


# Lost notices


def test_a_notice_that_comes_while_changes_are_read_is_not_lost(start_service: StartService) -> None:
    with HoldingProxy() as gate, start_service(google_url=f"{gate.url}/google") as running, Sandbox(running) as sandbox:
        gate.target = sandbox.url
        desk = SyncedCalendar(sandbox)
        desk.synced()
        with gate.holding("syncToken=", "after") as hold:
            desk.insert()
            hold.wait_for_call()
            # What has been read does not have this one.
            before = desk.known()
            desk.insert()
            eventually(lambda: desk.known().notices > before.notices)
        first = eventually(lambda: row if (row := desk.known()).version > before.version else None)
        eventually(lambda: desk.known().version > first.version)


@pytest.mark.one_engine
def test_what_no_notice_told_of_is_found_by_looking(desk: SyncedCalendar) -> None:
    desk.synced()
    desk.sandbox.control("webhooks", mode="hold")
    version, synced_at = desk.known().version, desk.known().synced_at
    desk.insert()
    desk.let_pass(timedelta(hours=2))
    eventually(lambda: desk.known().synced_at > synced_at)
    assert desk.known().version > version


def test_after_weeks_of_downtime_everything_may_have_changed(traveller: SyncedCalendar) -> None:
    before = traveller.synced()
    first = eventually(lambda: row if (row := traveller.registration()).set_up_at else None)
    traveller.let_pass(timedelta(days=40))
    after = eventually(
        lambda: row if (row := traveller.known()).synced_at > before.synced_at + timedelta(days=39) else None
    )
    assert after.sync_token not in {None, before.sync_token}
    assert after.version > before.version
    eventually(lambda: traveller.registration().expires_at > first.expires_at + timedelta(days=39))
    # From there it goes on as before.
    created = traveller.insert()
    traveller.let_pass(timedelta(hours=2))
    eventually(lambda: traveller.known().version > after.version)
    assert [item["id"] for item in traveller.listed()] == [created]


@pytest.mark.one_engine
def test_a_calendar_that_cannot_be_read_is_tried_again(desk: SyncedCalendar) -> None:
    before = desk.synced()
    desk.sandbox.control("fail", platform="google", path="*/events", method="GET", status=500, times=200)
    desk.let_pass(timedelta(hours=2))
    failed = eventually(lambda: row if (row := desk.known()).tries else None)
    assert failed.sync_token == before.sync_token
    desk.sandbox.http.delete("/_control/fail")
    desk.let_pass(timedelta(hours=1))
    after = eventually(lambda: row if not (row := desk.known()).tries else None)
    assert after.synced_at > before.synced_at


def test_a_registration_that_the_platform_refuses_to_renew_is_an_issue_once_it_is_over(
    traveller: SyncedCalendar,
) -> None:
    eventually(lambda: traveller.registration().set_up_at)
    body = {"error": {"code": 400, "message": "No", "errors": [{"reason": "push.webhookUrlNotHttps"}]}}
    order = {"platform": "google", "path": "*/events/watch", "method": "POST", "times": 500}
    traveller.sandbox.control("fail", **order, status=400, body=body)
    traveller.let_pass(timedelta(days=5, hours=12))
    eventually(lambda: traveller.registration().error)
    assert issues(traveller) == []
    traveller.let_pass(timedelta(days=2))
    eventually(lambda: issues(traveller) == ["webhook_not_registered"])
    (issue,) = health(traveller)["issues"]
    assert "Google sends notifications only to an https URL" in issue["detail"]


def health(desk: SyncedCalendar) -> dict[str, Any]:
    report = desk.owner.session.get("/accounts/health", params={"refresh": True}).json()["data"]
    return next(item for item in report if item["accountId"] == desk.account_id)


def issues(desk: SyncedCalendar) -> list[str]:
    return [item["code"] for item in health(desk)["issues"]]


def test_a_calendar_that_was_connected_before_is_followed_too(desk: SyncedCalendar) -> None:
    """What the migration leaves: a row that is due, and no registration."""
    eventually(lambda: desk.registration().set_up_at)
    values = {"sync_token": None, "due_at": datetime.fromisoformat("2026-01-01T00:00:00Z")}
    gone = sa.delete(registrations).where(registrations.c.inbound_key == desk.calendar)
    desk.running.write(_execute, gone)
    due = sa.update(calendar_syncs).where(calendar_syncs.c.account_id == desk.account_id).values(values)
    desk.running.write(_execute, due)
    desk.let_pass(timedelta(minutes=1))
    desk.synced()
    desk.let_pass(timedelta(minutes=3))
    eventually(lambda: desk.registration().set_up_at)


async def _execute(tx: Any, statement: Any) -> None:
    await tx.execute(statement)
