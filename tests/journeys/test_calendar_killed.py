"""Changes of a calendar while the process that reads them is killed: each is reported once.

They fill three pages. The process is shot at three of its calls, before and after the platform has answered. The
version of the calendar counts the reports.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from sandbox.google.client import CALENDAR, Google
from socialgate.areas.calendar.tables import calendar_syncs
from socialgate.core.jobs.queue import DEFAULT_LEASE
from socialgate_sandbox.vendors import google
from socialgate_sandbox.vendors.google.seed import GOOGLE_USER_IDS
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.parallel import in_parallel
from support.postgres import new_database
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

PAGE = 250
CHANGES = 2 * PAGE + 1
# Where the reader is shot: how many calls are let through, when, and how many changes are reported by then.
POINTS = ((0, "before", 0), (1, "before", PAGE), (0, "after", PAGE))
FIRST_AFTER = timedelta(minutes=6)
DUE_AGAIN = timedelta(hours=2)
DAY = {"start": {"date": "2026-12-24"}, "end": {"date": "2026-12-25"}}
EVENTS = "www.googleapis.com/calendar/v3/calendars/primary/events"


class Visitor(Google):
    """Somebody who changes the calendar past the service."""

    def __init__(self, stage: CrashDeployment) -> None:
        self.url = f"{stage.sandbox.url}/google"
        self.redirect = str(stage.http.base_url.join("/connect/google/callback"))
        self.http = stage.sandbox.client
        self.token = str(self.sign_in("ada", CALENDAR)["access_token"])

    def insert(self, number: int) -> str:
        response = self.post(EVENTS, self.token, {"summary": f"Event {number}", **DAY})
        assert response.status_code == 200, response.text
        return str(response.json()["id"])


def known(stage: CrashDeployment) -> sa.Row[Any]:
    (row,) = stage.read(sa.select(calendar_syncs))
    return row


def shoot_at(stage: CrashDeployment, skip: int, when: str, passed: timedelta) -> None:
    """Let time pass until the changes are read, and kill the process at a call."""
    order = {"platform": "google", "method": "GET", "path": "*/events", "skip": skip, "when": when, "hang": True}
    fault = stage.sandbox.control("fail", **order)["id"]
    stage.clocks.advance(passed, platforms=timedelta(0))
    eventually(lambda: fault in {item["fault"] for item in stage.sandbox.look("fail")["hanging"]})
    stage.victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    stage.victim.start_again()
    stage.victim.wait_until_ready()


def test_changes_whose_reader_is_killed_are_each_reported_once(engine: str, tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(tmp_path, url, (), [google.VENDOR]) as stage:
        stage.sign_in("google", GOOGLE_USER_IDS["ada"], kind="google_calendar")
        stage.postpone_checks()
        stage.clocks.stop()
        stage.clocks.advance(FIRST_AFTER, platforms=timedelta(0))
        before = eventually(lambda: row if (row := known(stage)).sync_token else None)
        # Only the hourly reading is to find them.
        stage.sandbox.control("webhooks", mode="hold")
        assert len(set(in_parallel(Visitor(stage).insert, range(CHANGES)))) == CHANGES
        passed = DUE_AGAIN
        for skip, when, reported in POINTS:
            shoot_at(stage, skip, when, passed)
            row = known(stage)
            assert row.version - before.version == reported
            assert row.sync_token == before.sync_token
            passed = DEFAULT_LEASE + timedelta(seconds=1)
        stage.clocks.advance(passed, platforms=timedelta(0))
        after = eventually(lambda: row if (row := known(stage)).sync_token != before.sync_token else None)
        assert after.version - before.version == CHANGES
        assert after.cursor is None
        # The next round finds nothing more.
        stage.clocks.advance(DUE_AGAIN, platforms=timedelta(0))
        eventually(lambda: known(stage).synced_at > after.synced_at)
        assert known(stage).version == after.version
        for process in stage.processes:
            process.require_alive()
            process.require_no_errors()
