"""Automations of an owner, and what becomes of them, as customers see it."""

from datetime import timedelta
from typing import Any

import httpx
import sqlalchemy as sa

from socialgate.core.jobs.job_store import jobs
from support.database import rows
from support.service import OwnerFixture
from support.waiting import eventually

FINAL_STATUSES = {"done", "failed", "skipped"}


class AutomationFixture:
    """One automation."""

    def __init__(self, owner: OwnerFixture, trigger: dict[str, Any], *actions: dict[str, Any], **fields: Any) -> None:
        self.owner = owner
        answer = create(owner, trigger, *actions, **fields)
        assert answer.status_code == 201, answer.text
        self.id = str(answer.json()["id"])
        self.path = f"/automations/{self.id}"

    def change(self, **fields: Any) -> dict[str, Any]:
        answer = self.owner.session.patch(self.path, json=fields)
        assert answer.status_code == 200, answer.text
        changed: dict[str, Any] = answer.json()
        return changed

    def get(self) -> dict[str, Any]:
        shown: dict[str, Any] = self.owner.session.get(self.path).json()
        return shown

    def runs(self, **query: Any) -> list[dict[str, Any]]:
        """List its runs, the oldest first."""
        answer = self.owner.session.get(f"{self.path}/runs", params={"limit": 200, **query})
        assert answer.status_code == 200, answer.text
        return list(reversed(answer.json()["data"]))

    def wait_for_runs(self, number: int = 1, *, skip_waits: bool = False) -> list[dict[str, Any]]:
        """Wait for so many runs that have ended, or let time pass until what failed is repeated."""

        def over() -> list[dict[str, Any]] | None:
            result = [run for run in self.runs() if run["status"] in FINAL_STATUSES]
            if skip_waits:
                self._skip_wait()
            return result if len(result) >= number else None

        return eventually(over)

    def _skip_wait(self) -> None:
        """Let time pass until something that failed is repeated, unless something is in progress."""
        running = self.owner.running
        mine = jobs.c.owner_id == self.owner.id, jobs.c.finished_at.is_(None), jobs.c.tries > 0
        waiting = rows(running, sa.select(jobs.c.due_at, jobs.c.claim_id).where(*mine))
        if waiting and all(row.claim_id is None for row in waiting):
            wait = min(row.due_at for row in waiting) - running.clock.now()
            running.advance_time(max(wait, timedelta()))

    def wait_for_step(self, number: int) -> dict[str, Any]:
        """Wait until its first run has so many steps on record."""
        return eventually(lambda: next((run for run in self.runs() if len(run["steps"]) >= number), None))

    def dry_run(self, **sample: Any) -> dict[str, Any]:
        answer = self.owner.session.post(f"{self.path}/dry-run", json={"sample": sample})
        assert answer.status_code == 200, answer.text
        result: dict[str, Any] = answer.json()
        return result


def create(owner: OwnerFixture, trigger: dict[str, Any], *actions: dict[str, Any], **fields: Any) -> httpx.Response:
    body = {"profileId": owner.profile_id, "name": "A robot", "trigger": trigger, "actions": list(actions), **fields}
    return owner.session.post("/automations", json=body)


def list_triggered_events(owner: OwnerFixture) -> list[dict[str, Any]]:
    """List the `automation.triggered` of an owner."""
    listed = owner.session.get("/events", params={"event": "automation.triggered", "limit": 200}).json()["data"]
    return [event["data"] for event in listed]


def statuses(run: dict[str, Any]) -> list[tuple[str, str]]:
    return [(step["action"], step["status"]) for step in run["steps"]]
