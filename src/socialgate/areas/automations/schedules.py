"""Automations that run at times of day. Each time is a job that runs once and queues the next."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.builtin_types import ScheduleTrigger
from socialgate.areas.automations.matching import AutomationMatcher
from socialgate.areas.automations.tables import AutomationRow
from socialgate.contracts.automations import AutomationSubject, TriggerOccurrence
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.service import JobRun, JobService, JobType
from socialgate.core.service_container import ServiceContainer

SCHEDULE_JOB = "automations.tick"


class AutomationScheduler:
    def __init__(self, jobs: JobService, profiles: ProfileDirectory, matcher: AutomationMatcher) -> None:
        self._jobs = jobs
        self._profiles = profiles
        self._matcher = matcher

    async def schedule_next(self, tx: Tx, row: AutomationRow) -> datetime | None:
        """Queue the next time of a schedule and return it; None if there is none."""
        if not row.active or row.trigger["type"] != "schedule":
            await store.set_next_run_time(tx, row.owner_id, row.id, None)
            return None
        timezone = await self._profiles.get_timezone(tx, row.owner_id, row.profile_id)
        next_at = msgspec.convert(row.trigger, ScheduleTrigger).next_after(tx.now, timezone)
        await store.set_next_run_time(tx, row.owner_id, row.id, next_at)
        values = {"automationId": row.id, "at": next_at}
        key = f"{row.id} {next_at:%Y-%m-%dT%H:%M}"
        await self._jobs.enqueue(
            tx, SCHEDULE_JOB, row.owner_id, values, profile_id=row.profile_id, key=key, due_at=next_at
        )
        return next_at

    async def run(self, job: JobRun) -> None:
        at = datetime.fromisoformat(job.input["at"])
        await job.finish(self._trigger_due, job.owner_id, str(job.input["automationId"]), at)

    async def skip_occurrence(self, tx: Tx, job: JobRow) -> None:
        """Continue with the next time if one could not be triggered."""
        row = await store.find_automation_for_change(tx, job.owner_id, str(job.input["automationId"]))
        if row is not None and row.next_at == datetime.fromisoformat(job.input["at"]):
            await self.schedule_next(tx, row)

    async def _trigger_due(self, tx: Tx, owner_id: str, automation_id: str, at: datetime) -> None:
        """Trigger what is due, unless the automation has another time by now."""
        row = await store.find_automation_for_change(tx, owner_id, automation_id)
        if row is None or row.next_at != at:
            return
        values = msgspec.convert(row.trigger, ScheduleTrigger).account_ids
        there = await store.find_accounts_in_profile(tx, owner_id, row.profile_id, values)
        for account_id, home in sorted(there.items()):
            await self._matcher.trigger_scheduled(tx, row, _build_occurrence(row, account_id, home.platform, at))
        await self.schedule_next(tx, row)


def _build_occurrence(row: AutomationRow, account_id: str, platform: str, at: datetime) -> TriggerOccurrence:
    moment = msgspec.to_builtins(at)
    subject = AutomationSubject(
        key=f"schedule {moment} {account_id}",
        account_id=account_id,
        platform=platform,
        at=at,
        fields={"account.id": account_id, "schedule.at": moment},
    )
    return TriggerOccurrence(row.owner_id, row.profile_id, subject)


def build_schedule_job_type(parts: ServiceContainer) -> JobType:
    """Schedules queue jobs, so their runner is built on first use."""

    async def run(job: JobRun) -> None:
        await parts.get(AutomationScheduler).run(job)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        del error
        await parts.get(AutomationScheduler).skip_occurrence(tx, job)

    return JobType(name=SCHEDULE_JOB, run=run, on_permanent_failure=given_up, public=False)
