"""The calendar of an owner, and Google's own client beside it."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import sqlalchemy as sa

from sandbox.google.client import CALENDAR as SCOPE
from sandbox.google.client import Google
from socialgate.areas.accounts.tables import accounts, registrations
from socialgate.areas.calendar.tables import calendar_syncs
from support.database import rows
from support.sandbox import Sandbox, connect
from support.service import OwnerFixture
from support.waiting import eventually
from support.webhooks import secret_of

STOCKHOLM = "Europe/Stockholm"


def at(moment: str, zone: str | None = STOCKHOLM) -> dict[str, str]:
    return {"dateTime": moment, **({} if zone is None else {"timezone": zone})}


DAY = {"start": {"date": "2026-12-24"}, "end": {"date": "2026-12-25"}}
NO_CACHE = {"Cache-Control": "no-cache"}
HOUR = {"start": at("2026-11-20T09:00:00"), "end": at("2026-11-20T10:00:00")}


class CalendarFixture:
    """The calendar of an owner. All tests of a process share one at Google, so each has words of its own."""

    def __init__(self, sandbox: Sandbox, owner: OwnerFixture) -> None:
        self.sandbox, self.owner = sandbox, owner
        connect(sandbox, owner, "google", kind=["google_calendar"])
        rows = owner.session.get("/accounts").json()["data"]
        self.account_id = next(row["id"] for row in rows if row["kind"] == "google_calendar")
        self.calendar = next(row["platformAccountId"] for row in rows if row["kind"] == "google_calendar")
        self.path = f"/accounts/{self.account_id}/calendar/events"
        self.word = f"w{uuid4().hex}"

    def create(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}
        params = {"title": self.word, **HOUR, **body}
        return self.owner.session.post(self.path, json=params, headers=headers)

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

    def list_invitations(self, event_id: str) -> list[dict[str, str]]:
        result = self.sandbox.control("invitations", platform="google", event=event_id)
        return list(result["data"])


class OfficialClient(Google):
    """Google's own client, for an app that signs in beside the service."""

    def __init__(self, desk: CalendarFixture) -> None:
        self.url = f"{desk.sandbox.url}/google"
        self.redirect = f"{desk.owner.running.url}/connect/google/callback"
        self.http = desk.sandbox.http

    def exchange(self, code: str, **more: str) -> httpx.Response:
        return super().exchange(code, client_secret=secret_of("google"), **more)


class SyncedCalendar(CalendarFixture):
    """A calendar that is followed, and somebody who changes it with Google's own client."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__(sandbox, OwnerFixture(sandbox.running))
        self.running = sandbox.running
        # Weeks pass here, and sessions end.
        self.owner.session = self.owner.key()
        google = OfficialClient(self)
        self.google = google
        self.tokens = google.sign_in("ada", SCOPE)

    def known(self) -> sa.Row[Any]:
        (row,) = rows(self.running, sa.select(calendar_syncs).where(calendar_syncs.c.account_id == self.account_id))
        return row

    def registration(self) -> sa.Row[Any]:
        same = sa.and_(
            registrations.c.platform == accounts.c.platform, registrations.c.inbound_key == accounts.c.inbound_key
        )
        select = sa.select(registrations).join(accounts, same).where(accounts.c.id == self.account_id)
        (row,) = rows(self.running, select)
        return row

    def insert(self, **body: Any) -> str:
        """Write an event past the service."""
        with self.google.sdk("calendar", "v3", self.tokens) as service:
            created = (
                service.events().insert(calendarId="primary", body={"summary": self.word, **DAY, **body}).execute()
            )
        return str(created["id"])

    def remove(self, event_id: str) -> None:
        with self.google.sdk("calendar", "v3", self.tokens) as service:
            service.events().delete(calendarId="primary", eventId=event_id).execute()

    def let_pass(self, time: timedelta) -> None:
        """Let time pass, on the platform first: what it forgets by then must be found forgotten."""
        self.sandbox.control("clock", advance=time.total_seconds())
        self.running.advance_time(time)
        self.tokens = self.google.sign_in("ada", SCOPE)

    def synced(self) -> sa.Row[Any]:
        """Have the calendar read once, so that there is a token to go on from."""
        if self.known().sync_token is None:
            self.let_pass(timedelta(minutes=6))
        return eventually(lambda: row if (row := self.known()).sync_token else None)

    def read_all_pages(self, **query: Any) -> tuple[list[dict[str, Any]], str]:
        """List everything there is, or has changed, and give the token of the last page."""
        result: list[dict[str, Any]] = []
        while True:
            answer = self.owner.session.get(self.path, params=query, headers=NO_CACHE)
            assert answer.status_code == 200, answer.text
            page = answer.json()
            result += page["data"]
            if page["nextCursor"] is None:
                return result, page["syncToken"]
            assert page["syncToken"] is None
            query["cursor"] = page["nextCursor"]

    def received(self, path: str) -> int:
        return len(self.sandbox.listed("received", platform="google", path=path, limit=1000))
