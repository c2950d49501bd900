"""Accounts with lead forms, and what becomes of their leads, as customers see it."""

import time
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import sqlalchemy as sa

from socialgate.areas.leads import store
from socialgate.areas.leads.jobs import LEAD_SWEEP_JOB
from socialgate.areas.leads.tables import leads
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import jobs
from support.accounts import read_events
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually
from support.webhooks import sign_as_meta

# The Page that has a form from the start, and its form.
PAGE, FORM = "104857600000101", "1060000000000101"
ADVERTISER, AD_FORM = "7190000000000001001", "7290000000000000001"
POLICY = "https://bakery.example.com/privacy"
PHONES = {
    "US": r"\+121255501\d{2}",
    "GB": r"\+447700900\d{3}",
    "DE": r"\+4917139200\d{2}",
    "FR": r"\+3363998\d{4}",
    "SE": r"\+46701740(60[5-9]|6[1-9]\d)",
}


async def _rows(tx: Tx, owner_id: str, account_id: str, lead_id: str) -> list[Any]:
    mine = leads.c.owner_id == owner_id, leads.c.account_id == account_id, leads.c.vendor_id == lead_id
    return list(await tx.all(sa.select(leads.c.id).where(*mine)))


async def _is_at_rest(tx: Tx, owner_id: str, account_id: str) -> bool:
    mine = jobs.c.owner_id == owner_id, jobs.c.type == LEAD_SWEEP_JOB, jobs.c.job_key == account_id
    row = await tx.first(sa.select(jobs.c.state, jobs.c.claim_id).where(*mine))
    return row is not None and row.state is None and row.claim_id is None


async def _was_fetched(tx: Tx, owner_id: str, key: str) -> bool:
    """Return whether a lead was read that a webhook named."""
    select = sa.select(jobs.c.finished_at).where(jobs.c.owner_id == owner_id, jobs.c.job_key == key)
    result = await tx.all(select)
    return bool(result) and all(row.finished_at is not None for row in result)


class LeadFormFixture:
    """A Page with a lead form."""

    platform, place, platform_account_id = "meta", "/accounts", PAGE

    def __init__(self, running: RunningService, sandbox: Sandbox) -> None:
        self.running, self.sandbox, self.owner = running, sandbox, OwnerFixture(running)
        self.connect()

    def connect(self) -> None:
        connect_accounts(self.sandbox, self.owner, self.platform)
        rows = self.owner.session.get(self.place).json()["data"]
        self.account_id = next(row["id"] for row in rows if row["platformAccountId"] == self.platform_account_id)
        self.path = f"/accounts/{self.account_id}"

    def disconnect(self) -> None:
        gone = self.owner.session.delete(f"{self.place}/{self.account_id}")
        assert gone.status_code == 200, gone.text

    def submit_form(self, **fields: Any) -> str:
        """Have a person fill in the form, or another one of the Page."""
        order = {"platform": "meta", "account": PAGE, "form": FORM, **fields}
        return str(self.sandbox.control("lead", **order)["id"])

    def wait(self, minutes: int) -> None:
        """Let time pass, here and on the platform."""
        self.running.advance_time(timedelta(minutes=minutes))
        self.sandbox.control("clock", advance=minutes * 60)

    def leads(self, **query: Any) -> list[dict[str, Any]]:
        answer = self.owner.session.get(f"{self.path}/leads", params=query)
        assert answer.status_code == 200, answer.text
        return list(answer.json()["data"])

    def all_leads(self, label: str = "leads", **query: Any) -> list[dict[str, Any]]:
        """List all leads or their states, page by page: one ends early where leads are large."""
        result: list[dict[str, Any]] = []
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = self.owner.session.get(f"{self.path}/{label}", params={"limit": 200, **query, **cursor})
            assert page.status_code == 200, page.text
            result += page.json()["data"]
            cursor = {"cursor": page.json()["nextCursor"]} if page.json()["nextCursor"] else None
        return result

    def events(self) -> list[dict[str, Any]]:
        """List what was reported."""
        return [event["data"] for event in read_events(self.owner) if event["event"] == "lead.received"]

    def reported(self, lead_id: str) -> list[dict[str, Any]]:
        """Give what was reported of the lead that the platform has under this id."""
        ours = [item["id"] for item in self.leads() if item["platformLeadId"] == lead_id]
        return [event for event in self.events() if event["leadId"] in ours]

    def count_rows(self, lead_id: str) -> int:
        """Count the rows of a lead that the platform has under this id, without asking for it."""
        rows = self.running.read(_rows, self.owner.id, self.account_id, lead_id)
        return len(rows)

    def take_webhook(self, lead_id: str) -> None:
        """Have Meta tell of a lead, and wait until it was read."""
        value = {"leadgen_id": lead_id, "page_id": PAGE, "form_id": FORM, "created_time": int(time.time())}
        entry = {"id": PAGE, "time": int(time.time()), "changes": [{"field": "leadgen", "value": value}]}
        response = sign_as_meta("meta")(msgspec.json.encode({"object": "page", "entry": [entry]})).send(
            self.running.client()
        )
        assert response.status_code == 200, response.text
        eventually(lambda: self.running.read(_was_fetched, self.owner.id, f"{self.account_id} {lead_id}"))

    def sweep(self) -> None:
        """Let time pass until the leads are read back, and wait until that is done."""
        before = self.swept_until()
        self.wait(20)
        eventually(lambda: self.swept_until() != before)

    def is_sweep_idle(self) -> bool:
        """Return whether no round of reading leads back is in progress."""
        return bool(self.running.read(_is_at_rest, self.owner.id, self.account_id))

    def swept_until(self) -> datetime | None:
        time: datetime | None = self.running.read(store.find_swept_until, self.owner.id, self.account_id)
        return time

    def simulate(self, form_id: str = FORM, **query: Any) -> dict[str, Any]:
        answer = self.owner.session.post(f"{self.path}/lead-forms/{form_id}/test-webhook", params=query)
        assert answer.status_code == 201, answer.text
        result: dict[str, Any] = answer.json()
        return result

    def create_form(self, key: str | None = None, **body: Any) -> httpx.Response:
        headers = {"Idempotency-Key": key or uuid4().hex}
        values = {"name": f"Form {uuid4().hex}", "privacyPolicyUrl": POLICY, "questions": [{"type": "email"}], **body}
        return self.owner.session.post(f"{self.path}/lead-forms", json=values, headers=headers)


class AdLeadFormFixture(LeadFormFixture):
    """An advertiser on TikTok with a lead form."""

    platform, place, platform_account_id = "tiktokads", "/adaccounts", ADVERTISER

    def submit_form(self, **fields: Any) -> str:
        return str(self.sandbox.control("lead", platform="tiktokads", account=ADVERTISER, **fields)["id"])
