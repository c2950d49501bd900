"""Many changes of a calendar at once: reported page by page, each once, whatever comes between two pages."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from socialgate.areas.calendar import sync
from socialgate.areas.calendar.tables import calendar_syncs
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.calendar import CalendarEventChanged
from socialgate.core.db import Tx
from support.calendars import SyncedCalendar
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

PAGE = 2
CHANGES = 5
DUE_AGAIN = timedelta(hours=2)


class Reported:
    """What was reported of an account, by transaction."""

    def __init__(self, desk: SyncedCalendar) -> None:
        self.account_id = desk.account_id
        self.changes: list[tuple[Tx, str | None]] = []
        desk.running.service.db.facts.add_listener(CalendarEventChanged, self._note)

    async def _note(self, tx: Tx, fact: CalendarEventChanged, account: AccountRow) -> None:
        if account.id == self.account_id:
            # The transaction itself is kept: its id alone may be used again.
            self.changes.append((tx, fact.event_id))

    @property
    def ids(self) -> Counter[str | None]:
        return Counter(event_id for _, event_id in self.changes)

    @property
    def largest(self) -> int:
        return max(Counter(id(tx) for tx, _ in self.changes).values())


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with pytest.MonkeyPatch.context() as patched, start_service() as own:
        patched.setattr(sync, "_PAGE_SIZE", PAGE)
        yield own


@pytest.fixture
def desk(running: RunningService) -> Iterator[SyncedCalendar]:
    """Give the only account that has the calendar, whose changes only the hourly reading finds."""
    with Sandbox(running) as sandbox:
        synced_calendar = SyncedCalendar(sandbox)
        synced_calendar.synced()
        sandbox.control("webhooks", mode="hold")
        yield synced_calendar
        sandbox.http.delete("/_control/fail")
        synced_calendar.owner.session.delete(f"/accounts/{synced_calendar.account_id}")


def refuse_pages(desk: SyncedCalendar, skip: int, **fault: Any) -> None:
    order = {"platform": "google", "path": "*/events", "method": "GET", "skip": skip, "times": 50}
    desk.sandbox.control("fail", **order, **fault)


def interrupted(desk: SyncedCalendar) -> sa.Row[Any]:
    """Let the reading of the changes fail at the second page."""
    refuse_pages(desk, 1, status=500)
    desk.let_pass(DUE_AGAIN)
    row = eventually(lambda: row if (row := desk.known()).tries else None)
    desk.sandbox.http.delete("/_control/fail")
    return row


def finished(desk: SyncedCalendar, before: sa.Row[Any]) -> sa.Row[Any]:
    return eventually(lambda: row if (row := desk.known()).sync_token != before.sync_token else None)


def test_changes_are_reported_in_small_transactions(desk: SyncedCalendar) -> None:
    before, reported = desk.known(), Reported(desk)
    created = [desk.insert() for _ in range(CHANGES)]
    desk.let_pass(DUE_AGAIN)
    after = finished(desk, before)
    assert reported.ids == Counter(created)
    assert reported.largest <= PAGE
    assert after.version == before.version + CHANGES


def test_an_interrupted_round_goes_on_with_the_page_that_it_stopped_at(desk: SyncedCalendar) -> None:
    before, reported = desk.known(), Reported(desk)
    created = [desk.insert() for _ in range(CHANGES)]
    row = interrupted(desk)
    assert row.cursor is not None
    assert row.sync_token == before.sync_token
    assert reported.ids.total() == PAGE
    desk.let_pass(timedelta(minutes=5))
    after = finished(desk, before)
    assert after.cursor is None
    assert reported.ids == Counter(created)
    assert after.version == before.version + CHANGES
    # A notice that came in between may be about a change that the pages do not have: they are read again soon.
    assert after.due_at - after.synced_at < timedelta(minutes=1)


def test_a_page_that_the_platform_no_longer_accepts_is_begun_again_from_the_token(desk: SyncedCalendar) -> None:
    before, reported = desk.known(), Reported(desk)
    created = [desk.insert() for _ in range(CHANGES)]
    interrupted(desk)
    worn = sa.update(calendar_syncs).where(calendar_syncs.c.account_id == desk.account_id).values(cursor="rubbish")
    desk.running.write(_execute, worn)
    desk.let_pass(timedelta(minutes=5))
    eventually(lambda: desk.known().cursor is None)
    desk.let_pass(timedelta(minutes=30))
    finished(desk, before)
    assert set(reported.ids) == set(created)


@pytest.mark.one_engine
def test_a_page_that_fails_again_and_again_is_begun_again_from_the_token(desk: SyncedCalendar) -> None:
    """A platform need not say that it is because of the page: here it only reports a problem of its own."""
    before, reported = desk.known(), Reported(desk)
    created = [desk.insert() for _ in range(CHANGES)]
    interrupted(desk)
    refuse_pages(desk, 0, status=500)
    for _ in range(3):
        row = desk.known()
        assert row.cursor is not None
        desk.let_pass(timedelta(hours=1))
        eventually(partial(_has_failed_since, desk, row))
    assert desk.known().cursor is None
    desk.sandbox.http.delete("/_control/fail")
    desk.let_pass(timedelta(hours=1))
    finished(desk, before)
    assert set(reported.ids) == set(created)


@pytest.mark.one_engine
def test_a_token_that_expires_between_two_pages_counts_as_if_everything_had_changed(desk: SyncedCalendar) -> None:
    reported = Reported(desk)
    created = [desk.insert() for _ in range(CHANGES)]
    row = interrupted(desk)
    body = {"error": {"code": 410, "message": "Gone", "errors": [{"reason": "fullSyncRequired"}]}}
    desk.sandbox.control("fail", platform="google", path="*/events", method="GET", status=410, body=body)
    desk.let_pass(timedelta(minutes=5))
    after = finished(desk, row)
    assert after.cursor is None
    assert reported.ids[None] == 1
    assert reported.ids.total() == PAGE + 1
    assert set(reported.ids) <= {None, *created}


def _has_failed_since(desk: SyncedCalendar, before: sa.Row[Any]) -> bool:
    return bool(desk.known().tries > before.tries)


async def _execute(tx: Tx, statement: sa.Update) -> None:
    await tx.execute(statement)
