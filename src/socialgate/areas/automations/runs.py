"""Running automations: one step after the other, each recorded in the transaction of its effect.

A run is a row, and a job that works on it. If a job dies, another one takes over and reads the next step from the row;
if that step had started something on a platform, it is an operation with the name of the step, and is looked up, not
repeated. A wait ends the job and queues the next one for later.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.builtin_types import StopAction, WaitAction
from socialgate.areas.automations.matching import AUTOMATION_RUN_JOB
from socialgate.areas.automations.placeholders import fill_placeholders
from socialgate.areas.automations.tables import OPEN_RUN_STATUSES, AutomationRow, RunRow, RunStatus
from socialgate.contracts.automations import (
    ActionHandlerProvider,
    ActionStep,
    ActionType,
    AutomationOptions,
    AutomationSubject,
    AutomationTypeRegistry,
    get_type_name,
)
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.job_store import JobRow
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.service import JobRun, JobService, JobType
from socialgate.core.restores import HoldKind
from socialgate.core.service_container import ServiceContainer
from socialgate.core.unit_of_work import UnitOfWork

_MAX_JOBS_PER_OWNER = 10
# About an hour and a half in total: longer than most outages, and short enough for a reply to make sense.
_MAX_ATTEMPTS = 8
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=5), max_delay=timedelta(hours=1), factor=3)
AUTOMATION_DELETED_REASON = "The automation was deleted."
AUTOMATION_DISABLED_REASON = "The automation was disabled."
RUN_DROPPED_REASON = "The service was restored from a backup, and the operator decided not to run this."


class ActionNotApplicableError(Conflict):
    """The automation was changed during the run, and its next action cannot be used with the trigger of the run.

    You do not have to do anything: new runs use the changed automation.
    """

    code = "action_not_applicable"
    title = "The action cannot be used with the trigger of this run"


class RunExecutor:
    def __init__(
        self, db: Database, types: AutomationTypeRegistry, performers: ActionHandlerProvider, jobs: JobService
    ) -> None:
        self._db = db
        self._types = types
        self._performers = performers
        self._jobs = jobs

    async def run(self, job: JobRun) -> None:
        """Work on a run until it has ended or waits."""
        while (result := await self._claim_next_step(job)) is not None:
            row, automation = result
            if row.step >= len(automation.actions):
                await job.finish(end_run, row, RunStatus.DONE)
                return
            action, options = self._find_action(row, automation)
            match options:
                case WaitAction():
                    await job.finish(self._record_wait, row, options)
                    return
                case StopAction():
                    await job.finish(self._record_stop, row)
                    return
                case _:
                    await self._perform_action(row, action, options)

    async def _claim_next_step(self, job: JobRun) -> tuple[RunRow, AutomationRow] | None:
        """Return the next step, while this job still owns the run. Attempts are counted per step."""
        run_id: str = job.input["runId"]
        row = await self._db.read(store.find_run, job.owner_id, run_id)
        reached = None if row is None else [row.step, len(row.steps)]
        return await job.write_step(lambda tx: self._load_next_step(tx, job.owner_id, run_id), reached)

    async def _load_next_step(self, tx: Tx, owner_id: str, run_id: str) -> tuple[RunRow, AutomationRow] | None:
        """Return the run, and the current automation: edits apply to every step that is not reached yet."""
        row = await store.find_run_for_change(tx, owner_id, run_id)
        if row is None or row.status not in OPEN_RUN_STATUSES:
            return None
        automation = await store.find_automation(tx, owner_id, row.automation_id)
        if automation is None or not automation.active:
            await end_run(
                tx,
                row,
                RunStatus.SKIPPED,
                reason=AUTOMATION_DELETED_REASON if automation is None else AUTOMATION_DISABLED_REASON,
            )
            return None
        going = msgspec.structs.replace(_complete_wait(row), status=RunStatus.RUNNING)
        if going != row:
            await store.save_run(tx, going)
        return going, automation

    def _find_action(self, row: RunRow, automation: AutomationRow) -> tuple[ActionType, AutomationOptions]:
        raw = automation.actions[row.step]
        action = self._types.find_action(raw["type"], self._types.triggers[row.trigger].subject_type)
        if action is None:
            raise ActionNotApplicableError(
                f"`{raw['type']}` cannot be used with `{row.trigger}`, which triggered this run."
            )
        subject = _parse_subject(row)
        options: AutomationOptions = msgspec.convert(raw, action.options)
        return action, fill_placeholders(options, subject.fields)

    async def _perform_action(self, row: RunRow, action: ActionType, options: AutomationOptions) -> None:
        performer = self._performers.get_action_handler(action)
        caller = Caller(
            owner_id=row.owner_id, credential_id="automation", allowed_profile_ids=frozenset({row.profile_id})
        )
        work = UnitOfWork(self._db, caller, StepRecorder(row, get_type_name(action.options), action.summarize_outcome))
        step = ActionStep(
            run_id=row.id,
            event_id=row.event_id,
            profile_id=row.profile_id,
            subject=_parse_subject(row),
            options=options,
        )
        try:
            await performer.execute(work, step)
        except PlatformFailure as failure:
            failure.detail = failure.detail_with_vendor_message
            if failure.retryable and failure.retry_after is None:
                failure.retry_after = 1
            raise

    async def _record_wait(self, tx: Tx, row: RunRow, wait: WaitAction) -> None:
        """End this job, and start the next one when the wait is over."""
        until = tx.now + wait.length
        await _append_step(
            tx, row, _build_step(tx.now, "wait", "waiting", {"until": msgspec.to_builtins(until)}), advances=False
        )
        values, key = {"runId": row.id}, f"{row.id}:{row.step}"
        await self._jobs.enqueue(
            tx, AUTOMATION_RUN_JOB, row.owner_id, values, profile_id=row.profile_id, key=key, due_at=until
        )

    async def _record_stop(self, tx: Tx, row: RunRow) -> None:
        stopped = await _append_step(tx, row, _build_step(tx.now, "stop", "done", {}))
        await end_run(tx, stopped, RunStatus.DONE)

    async def record_failure(self, tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        """Record that a step, and with it the run, failed permanently."""
        row = await store.find_run_for_change(tx, job.owner_id, job.input["runId"])
        if row is None or row.status not in OPEN_RUN_STATUSES:
            return
        automation = await store.find_automation(tx, row.owner_id, row.automation_id, deleted=True)
        actions = automation.actions if automation is not None else []
        if row.step < len(actions):
            word = "unconfirmed" if error["code"] == OutcomeUnknownError.code else "failed"
            failed = _build_step(tx.now, actions[row.step]["type"], word, {}, error)
            row = await _append_step(tx, row, failed, advances=False)
        await end_run(tx, row, RunStatus.FAILED, error=error)
        await store.increment_failures(tx, row.owner_id, row.automation_id)


async def end_dropped_run(tx: Tx, job: JobRow) -> None:
    """End a run whose job the operator dropped."""
    row = await store.find_run_for_change(tx, job.owner_id, job.input["runId"])
    if row is not None:
        await end_run(tx, row, RunStatus.SKIPPED, reason=RUN_DROPPED_REASON)


class StepRecorder:
    """Records a step in the transaction of its effect. Its name is that of the step's operation."""

    def __init__(self, row: RunRow, action: str, shown: Callable[[Any], Mapping[str, Any]]) -> None:
        self._row = row
        self._action = action
        self._shown = shown
        self.recorded = False

    @property
    def request_key(self) -> str:
        return f"{self._row.id}:{self._row.step}"

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        del status
        await _append_step(tx, self._row, _build_step(tx.now, self._action, "done", self._shown(answer)))


async def end_run(
    tx: Tx, row: RunRow, status: RunStatus, *, reason: str | None = None, error: Mapping[str, Any] | None = None
) -> None:
    ended = {"status": status, "reason": reason, "error": error}
    times = {"finished_at": tx.now, "expires_at": tx.now + store.RUN_RETENTION}
    current = await store.find_run_for_change(tx, row.owner_id, row.id)
    if current is not None and current.status in OPEN_RUN_STATUSES:
        await store.save_run(tx, msgspec.structs.replace(current, **ended, **times))


async def _append_step(tx: Tx, row: RunRow, step: Mapping[str, Any], *, advances: bool = True) -> RunRow:
    """Add a step to a run, unless another process has done it in the meantime: then everything here is discarded."""
    current = await store.find_run_for_change(tx, row.owner_id, row.id)
    if current is None or (current.step, len(current.steps)) != (row.step, len(row.steps)):
        raise ClaimLost
    written = msgspec.structs.replace(current, steps=[*current.steps, step], step=current.step + advances)
    await store.save_run(tx, written)
    return written


def _complete_wait(row: RunRow) -> RunRow:
    """Mark the wait that a run is at as done: its job runs again when it is over."""
    if not row.steps or row.steps[-1]["status"] != "waiting":
        return row
    steps = [*row.steps[:-1], {**row.steps[-1], "status": "done"}]
    return msgspec.structs.replace(row, steps=steps, step=row.step + 1)


def _build_step(
    at: datetime, action: str, status: str, detail: Mapping[str, Any], error: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "action": action,
        "status": status,
        "at": msgspec.to_builtins(at),
        "detail": dict(detail),
        "error": None if error is None else dict(error),
    }


def _parse_subject(row: RunRow) -> AutomationSubject:
    return msgspec.convert(row.subject, AutomationSubject)


def build_automation_run_job_type(parts: ServiceContainer) -> JobType:
    """Runs queue jobs, so their runner is built on first use."""

    async def run(job: JobRun) -> None:
        await parts.get(RunExecutor).run(job)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        await parts.get(RunExecutor).record_failure(tx, job, error)

    return JobType(
        name=AUTOMATION_RUN_JOB,
        run=run,
        on_permanent_failure=given_up,
        on_cancelled=end_dropped_run,
        max_per_owner=_MAX_JOBS_PER_OWNER,
        max_tries=_MAX_ATTEMPTS,
        backoff=_RETRY_BACKOFF,
        public=False,
        hold_kind=HoldKind.AUTOMATIONS,
    )
