"""The calendar of an owner, and Google's own client beside it."""

from typing import Any
from uuid import uuid4

import httpx

from sandbox.google.client import Google
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
