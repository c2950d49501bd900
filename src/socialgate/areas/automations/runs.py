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
from socialgate.areas.automations.actions import Stop, Wait
from socialgate.areas.automations.matching import RUN
from socialgate.areas.automations.tables import OPEN, AutomationRow, RunRow, RunStatus
from socialgate.areas.automations.texts import filled
from socialgate.contracts.automations import ActionType, AutomationTypes, Options, Performers, Step, Subject, name_of
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Conflict
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.jobs import Jobs, JobType, Run
from socialgate.core.jobs.runner import ClaimLost
from socialgate.core.jobs.table import JobRow
from socialgate.core.parts import Parts
from socialgate.core.restores import HoldKind
from socialgate.core.work import Work

_AT_ONCE = 10
# About an hour and a half in total: longer than most outages, and short enough for a reply to make sense.
_MOST_TRIES = 8
_BACKOFF = Backoff(first=timedelta(seconds=5), longest=timedelta(hours=1), factor=3)
DELETED = "The automation was deleted."
OFF = "The automation was disabled."
DROPPED = "The service was restored from a backup, and the operator decided not to run this."


class ActionNotApplicable(Conflict):
    """The automation was changed during the run, and its next action cannot be used with the trigger of the run.

    You do not have to do anything: new runs use the changed automation.
    """

    code = "action_not_applicable"
    title = "The action cannot be used with the trigger of this run"


class Runs:
    def __init__(self, db: Database, types: AutomationTypes, performers: Performers, jobs: Jobs) -> None:
        self._db = db
        self._types = types
        self._performers = performers
        self._jobs = jobs

    async def run(self, job: Run) -> None:
        """Work on a run until it has ended or waits."""
        while (found := await self._proceed(job)) is not None:
            row, automation = found
            if row.step >= len(automation.actions):
                await job.finish(end, row, RunStatus.DONE)
                return
            action, options = self._action(row, automation)
            match options:
                case Wait():
                    await job.finish(self._wait, row, options)
                    return
                case Stop():
                    await job.finish(self._stop, row)
                    return
                case _:
                    await self._perform(row, action, options)

    async def _proceed(self, job: Run) -> tuple[RunRow, AutomationRow] | None:
        """Return the next step, while this job still owns the run. Attempts are counted per step."""
        run_id: str = job.input["runId"]
        row = await self._db.read(store.find_run, job.owner_id, run_id)
        reached = None if row is None else [row.step, len(row.steps)]
        return await job.step_with(lambda tx: self._next_of(tx, job.owner_id, run_id), reached)

    async def _next_of(self, tx: Tx, owner_id: str, run_id: str) -> tuple[RunRow, AutomationRow] | None:
        """Return the run, and the current automation: edits apply to every step that is not reached yet."""
        row = await store.run_for_change(tx, owner_id, run_id)
        if row is None or row.status not in OPEN:
            return None
        automation = await store.find(tx, owner_id, row.automation_id)
        if automation is None or not automation.active:
            await end(tx, row, RunStatus.SKIPPED, reason=DELETED if automation is None else OFF)
            return None
        going = msgspec.structs.replace(_waited(row), status=RunStatus.RUNNING)
        if going != row:
            await store.save_run(tx, going)
        return going, automation

    def _action(self, row: RunRow, automation: AutomationRow) -> tuple[ActionType, Options]:
        raw = automation.actions[row.step]
        action = self._types.action(raw["type"], self._types.triggers[row.trigger].about)
        if action is None:
            raise ActionNotApplicable(f"`{raw['type']}` cannot be used with `{row.trigger}`, which triggered this run.")
        subject = _subject(row)
        options: Options = msgspec.convert(raw, action.options)
        return action, filled(options, subject.fields)

    async def _perform(self, row: RunRow, action: ActionType, options: Options) -> None:
        performer = self._performers.performer(action)
        caller = Caller(owner_id=row.owner_id, credential_id="automation", profiles=frozenset({row.profile_id}))
        work = Work(self._db, caller, StepRecorder(row, name_of(action.options), action.shown))
        step = Step(
            run_id=row.id, event_id=row.event_id, profile_id=row.profile_id, subject=_subject(row), options=options
        )
        try:
            await performer.perform(work, step)
        except PlatformFailure as failure:
            failure.detail = failure.explained
            if failure.retryable and failure.retry_after is None:
                failure.retry_after = 1
            raise

    async def _wait(self, tx: Tx, row: RunRow, wait: Wait) -> None:
        """End this job, and start the next one when the wait is over."""
        until = tx.now + wait.length
        await _write_step(tx, row, _step(tx.now, "wait", "waiting", {"until": msgspec.to_builtins(until)}), ends=False)
        wanted, key = {"runId": row.id}, f"{row.id}:{row.step}"
        await self._jobs.add(tx, RUN, row.owner_id, wanted, profile_id=row.profile_id, key=key, due_at=until)

    async def _stop(self, tx: Tx, row: RunRow) -> None:
        stopped = await _write_step(tx, row, _step(tx.now, "stop", "done", {}))
        await end(tx, stopped, RunStatus.DONE)

    async def given_up(self, tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        """Record that a step, and with it the run, failed permanently."""
        row = await store.run_for_change(tx, job.owner_id, job.input["runId"])
        if row is None or row.status not in OPEN:
            return
        automation = await store.find(tx, row.owner_id, row.automation_id, deleted=True)
        actions = automation.actions if automation is not None else []
        if row.step < len(actions):
            word = "unconfirmed" if error["code"] == OutcomeUnknown.code else "failed"
            failed = _step(tx.now, actions[row.step]["type"], word, {}, error)
            row = await _write_step(tx, row, failed, ends=False)
        await end(tx, row, RunStatus.FAILED, error=error)
        await store.count_failure(tx, row.owner_id, row.automation_id)


async def cancelled(tx: Tx, job: JobRow) -> None:
    """End a run whose job the operator dropped."""
    row = await store.run_for_change(tx, job.owner_id, job.input["runId"])
    if row is not None:
        await end(tx, row, RunStatus.SKIPPED, reason=DROPPED)


class StepRecorder:
    """Records a step in the transaction of its effect. Its name is that of the step's operation."""

    def __init__(self, row: RunRow, action: str, shown: Callable[[Any], Mapping[str, Any]]) -> None:
        self._row = row
        self._action = action
        self._shown = shown
        self.recorded = False

    @property
    def name(self) -> str:
        return f"{self._row.id}:{self._row.step}"

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        del status
        await _write_step(tx, self._row, _step(tx.now, self._action, "done", self._shown(answer)))


async def end(
    tx: Tx, row: RunRow, status: RunStatus, *, reason: str | None = None, error: Mapping[str, Any] | None = None
) -> None:
    ended = {"status": status, "reason": reason, "error": error}
    times = {"finished_at": tx.now, "expires_at": tx.now + store.RUNS_KEPT}
    current = await store.run_for_change(tx, row.owner_id, row.id)
    if current is not None and current.status in OPEN:
        await store.save_run(tx, msgspec.structs.replace(current, **ended, **times))


async def _write_step(tx: Tx, row: RunRow, step: Mapping[str, Any], *, ends: bool = True) -> RunRow:
    """Add a step to a run, unless another process has done it in the meantime: then everything here is discarded."""
    current = await store.run_for_change(tx, row.owner_id, row.id)
    if current is None or (current.step, len(current.steps)) != (row.step, len(row.steps)):
        raise ClaimLost
    written = msgspec.structs.replace(current, steps=[*current.steps, step], step=current.step + ends)
    await store.save_run(tx, written)
    return written


def _waited(row: RunRow) -> RunRow:
    """Mark the wait that a run is at as done: its job runs again when it is over."""
    if not row.steps or row.steps[-1]["status"] != "waiting":
        return row
    steps = [*row.steps[:-1], {**row.steps[-1], "status": "done"}]
    return msgspec.structs.replace(row, steps=steps, step=row.step + 1)


def _step(
    at: datetime, action: str, status: str, detail: Mapping[str, Any], error: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    return {
        "action": action,
        "status": status,
        "at": msgspec.to_builtins(at),
        "detail": dict(detail),
        "error": None if error is None else dict(error),
    }


def _subject(row: RunRow) -> Subject:
    return msgspec.convert(row.subject, Subject)


def running(parts: Parts) -> JobType:
    """Runs queue jobs, so their runner is built on first use."""

    async def run(job: Run) -> None:
        await parts.get(Runs).run(job)

    async def given_up(tx: Tx, job: JobRow, error: Mapping[str, Any]) -> None:
        await parts.get(Runs).given_up(tx, job, error)

    return JobType(
        name=RUN,
        run=run,
        given_up=given_up,
        cancelled=cancelled,
        per_owner=_AT_ONCE,
        most_tries=_MOST_TRIES,
        backoff=_BACKOFF,
        public=False,
        hold_kind=HoldKind.AUTOMATIONS,
    )
