"""Automations that run at times of day. Each time is a job that runs once and queues the next."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.actions import Schedule
from socialgate.areas.automations.matching import Matcher
from socialgate.areas.automations.tables import AutomationRow
from socialgate.contracts.automations import Occasion, Subject
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Tx
from socialgate.core.jobs.jobs import Jobs, JobType, Run
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts

TICK = "automations.tick"


class Schedules:
    def __init__(self, jobs: Jobs, profiles: ProfileBook, matcher: Matcher) -> None:
        self._jobs = jobs
        self._profiles = profiles
        self._matcher = matcher

    async def plan(self, tx: Tx, row: AutomationRow) -> datetime | None:
        """Queue the next time of a schedule and return it; None if there is none."""
        if not row.active or row.trigger["type"] != "schedule":
            await store.set_next(tx, row.owner_id, row.id, None)
            return None
        timezone = await self._profiles.timezone(tx, row.owner_id, row.profile_id)
        next_at = msgspec.convert(row.trigger, Schedule).next_after(tx.now, timezone)
        await store.set_next(tx, row.owner_id, row.id, next_at)
        wanted = {"automationId": row.id, "at": next_at}
        key = f"{row.id} {next_at:%Y-%m-%dT%H:%M}"
        await self._jobs.add(tx, TICK, row.owner_id, wanted, profile_id=row.profile_id, key=key, due_at=next_at)
        return next_at

    async def run(self, job: Run) -> None:
        at = datetime.fromisoformat(job.input["at"])
        await job.finish(self._tick, job.owner_id, str(job.input["automationId"]), at)

    async def leave_out(self, tx: Tx, job: JobRow) -> None:
        """Continue with the next time if one could not be triggered."""
        row = await store.find_for_change(tx, job.owner_id, str(job.input["automationId"]))
        if row is not None and row.next_at == datetime.fromisoformat(job.input["at"]):
            await self.plan(tx, row)

    async def _tick(self, tx: Tx, owner_id: str, automation_id: str, at: datetime) -> None:
        """Trigger what is due, unless the automation has another time by now."""
        row = await store.find_for_change(tx, owner_id, automation_id)
        if row is None or row.next_at != at:
            return
        wanted = msgspec.convert(row.trigger, Schedule).account_ids
        there = await store.accounts_of_profile(tx, owner_id, row.profile_id, wanted)
        for account_id, home in sorted(there.items()):
            await self._matcher.set_off(tx, row, _occasion(row, account_id, home.platform, at))
        await self.plan(tx, row)


def _occasion(row: AutomationRow, account_id: str, platform: str, at: datetime) -> Occasion:
    moment = msgspec.to_builtins(at)
    subject = Subject(
        key=f"schedule {moment} {account_id}",
        account_id=account_id,
        platform=platform,
        at=at,
        fields={"account.id": account_id, "schedule.at": moment},
    )
    return Occasion(row.owner_id, row.profile_id, subject)


def ticking(parts: Parts) -> JobType:
    """Schedules queue jobs, so their runner is built on first use."""

    async def run(job: Run) -> None:
        await parts.get(Schedules).run(job)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        del error
        await parts.get(Schedules).leave_out(tx, job)

    return JobType(name=TICK, run=run, given_up=given_up, public=False)
