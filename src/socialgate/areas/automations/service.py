"""Automations: creating, listing, changing, trying and deleting them, and listing their runs."""

from typing import Any

import msgspec
from msgspec import UNSET

from socialgate.areas.automations import store
from socialgate.areas.automations.dry_run import DryRunner
from socialgate.areas.automations.matching import build_trigger_view
from socialgate.areas.automations.runs import AUTOMATION_DELETED_REASON, AUTOMATION_DISABLED_REASON
from socialgate.areas.automations.schedules import AutomationScheduler
from socialgate.areas.automations.schemas import (
    Automation,
    AutomationChanges,
    AutomationRun,
    AutomationsQuery,
    AutomationStats,
    DryRunResult,
    NewAutomation,
    RunError,
    RunsQuery,
    RunStep,
    SampleEvent,
)
from socialgate.areas.automations.tables import OPEN_RUN_STATUSES, AutomationRow, RunRow
from socialgate.areas.automations.validation import AutomationDefinition, AutomationValidator
from socialgate.contracts.automations import AutomationSubject
from socialgate.contracts.profiles import ProfileDeleted, ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, NotFound
from socialgate.core.ids import new_id
from socialgate.web.etags import ExpectedVersion, get_next_updated_at
from socialgate.web.pagination import build_page
from socialgate.web.schemas import DeletionConfirmation, Page

MAX_AUTOMATIONS = 500


class AutomationLimitError(Conflict):
    """The owner has 500 automations, which is the maximum.

    Delete automations that you do not need with `DELETE /automations/{automationId}`.
    """

    code = "automation_limit"
    title = "The limit of 500 automations is reached"


class AutomationService:
    def __init__(
        self, checker: AutomationValidator, schedules: AutomationScheduler, trial: DryRunner, profiles: ProfileDirectory
    ) -> None:
        self._checker = checker
        self._schedules = schedules
        self._trial = trial
        self._profiles = profiles

    async def create(self, tx: Tx, caller: Caller, new: NewAutomation) -> Automation:
        plan = self._checker.parse(new.trigger, new.conditions, new.actions)
        await self._profiles.require_access(tx, caller, new.profile_id)
        await self._checker.validate_references(tx, caller, new.profile_id, plan)
        await tx.lock(f"automations {caller.owner_id}")
        if await store.count_automations(tx, caller.owner_id) >= MAX_AUTOMATIONS:
            raise AutomationLimitError(
                f"This owner has {MAX_AUTOMATIONS} automations, which is the maximum. Delete one first."
            )
        row = AutomationRow(
            owner_id=caller.owner_id,
            id=new_id("auto"),
            profile_id=new.profile_id,
            name=new.name,
            active=new.active,
            **_encode_definition(plan),
            cooldown=new.cooldown,
            next_at=None,
            runs=0,
            failures=0,
            last_run_at=None,
            created_at=tx.now,
            updated_at=tx.now,
            deleted_at=None,
        )
        await store.insert_automation(tx, row)
        await store.increment_automations_version(tx, row.owner_id)
        return _build_view(msgspec.structs.replace(row, next_at=await self._schedules.schedule_next(tx, row)))

    async def list(self, tx: Tx, caller: Caller, query: AutomationsQuery) -> Page[Automation]:
        if query.profile_id is not None:
            caller.require_profile_access(query.profile_id)
        rows, more = await store.list_automations_page(tx, caller.owner_id, caller, query)
        return build_page(rows, _build_view, more=more)

    async def get(self, tx: Tx, caller: Caller, automation_id: str) -> Automation:
        return _build_view(_require_automation(caller, await store.find_automation(tx, caller.owner_id, automation_id)))

    async def change(
        self, tx: Tx, caller: Caller, automation_id: str, changes: AutomationChanges, expected: ExpectedVersion
    ) -> Automation:
        """Change an automation. Runs continue with the new version; disabling it ends them."""
        row = _require_automation(caller, await store.find_automation_for_change(tx, caller.owner_id, automation_id))
        expected.require_updated_at(row.updated_at)
        values = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
        changed = msgspec.structs.replace(row, **values, updated_at=get_next_updated_at(tx.now, row.updated_at))
        if values.keys() & {"trigger", "conditions", "actions"}:
            plan = self._checker.parse(changed.trigger, changed.conditions, changed.actions)
            await self._checker.validate_references(tx, caller, row.profile_id, plan)
            changed = msgspec.structs.replace(changed, **_encode_definition(plan))
        await store.save_automation(tx, changed)
        if row.active and not changed.active:
            await store.skip_open_runs(tx, row.owner_id, row.id, AUTOMATION_DISABLED_REASON)
        if (row.active, row.trigger) != (changed.active, changed.trigger):
            changed = msgspec.structs.replace(changed, next_at=await self._schedules.schedule_next(tx, changed))
        await store.increment_automations_version(tx, row.owner_id)
        return _build_view(changed)

    async def delete(self, tx: Tx, caller: Caller, automation_id: str) -> DeletionConfirmation:
        row = _require_automation(caller, await store.find_automation_for_change(tx, caller.owner_id, automation_id))
        await _delete_automation(tx, row)
        return DeletionConfirmation(id=row.id)

    async def dry_run(self, tx: Tx, caller: Caller, automation_id: str, sample: SampleEvent) -> DryRunResult:
        row = _require_automation(caller, await store.find_automation(tx, caller.owner_id, automation_id))
        return await self._trial.run(tx, row, sample)

    async def list_runs(self, tx: Tx, caller: Caller, automation_id: str, query: RunsQuery) -> Page[AutomationRun]:
        """List runs, including those of a deleted automation."""
        _require_automation(caller, await store.find_automation(tx, caller.owner_id, automation_id, deleted=True))
        rows, more = await store.list_runs_page(tx, caller.owner_id, automation_id, query)
        return build_page(rows, _build_run_view, more=more)

    async def get_run(self, tx: Tx, caller: Caller, automation_id: str, run_id: str) -> AutomationRun:
        _require_automation(caller, await store.find_automation(tx, caller.owner_id, automation_id, deleted=True))
        row = await store.find_run(tx, caller.owner_id, run_id)
        if row is None or row.automation_id != automation_id:
            raise NotFound("The automation has no run with this id. GET /automations/{automationId}/runs lists them.")
        return _build_run_view(row)


async def handle_profile_deleted(tx: Tx, fact: ProfileDeleted, owner_id: str) -> None:
    """Delete the automations of a deleted profile."""
    for row in await store.list_by_profile_for_change(tx, owner_id, fact.profile_id):
        await _delete_automation(tx, row)


async def _delete_automation(tx: Tx, row: AutomationRow) -> None:
    await store.save_automation(tx, msgspec.structs.replace(row, active=False, next_at=None, deleted_at=tx.now))
    await store.skip_open_runs(tx, row.owner_id, row.id, AUTOMATION_DELETED_REASON)
    await store.increment_automations_version(tx, row.owner_id)


def _require_automation(caller: Caller, row: AutomationRow | None) -> AutomationRow:
    if row is None:
        raise NotFound("There is no automation with this id. GET /automations lists the existing ones.")
    caller.require_profile_access(row.profile_id)
    return row


def _encode_definition(plan: AutomationDefinition) -> dict[str, Any]:
    """Return the parts as they are stored: with their defaults, so that a later default changes nothing."""
    kept: dict[str, Any] = msgspec.to_builtins(
        {"trigger": plan.trigger, "conditions": plan.conditions, "actions": plan.actions}
    )
    return kept


def _build_view(row: AutomationRow) -> Automation:
    return Automation(
        id=row.id,
        profile_id=row.profile_id,
        name=row.name,
        active=row.active,
        trigger=dict(row.trigger),
        conditions=[dict(condition) for condition in row.conditions],
        actions=[dict(action) for action in row.actions],
        cooldown=row.cooldown,
        stats=AutomationStats(runs=row.runs, failures=row.failures, last_run_at=row.last_run_at),
        next_at=row.next_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _build_run_view(row: RunRow) -> AutomationRun:
    subject = msgspec.convert(row.subject, AutomationSubject)
    return AutomationRun(
        id=row.id,
        automation_id=row.automation_id,
        account_id=subject.account_id,
        contact_id=None if subject.contact is None else subject.contact.id,
        status=row.status,
        trigger=build_trigger_view(row.trigger, subject),
        steps=[_build_step_view(row, step) for step in row.steps],
        reason=row.reason,
        error=None if row.error is None else RunError(code=row.error["code"], detail=row.error["detail"]),
        created_at=row.created_at,
        finished_at=row.finished_at,
    )


def _build_step_view(row: RunRow, step: Any) -> RunStep:
    """Show a step. A wait ends with its run, and is waiting for nothing then."""
    if step["status"] == "waiting" and row.status not in OPEN_RUN_STATUSES:
        step = {**step, "status": "skipped", "detail": {}}
    return msgspec.convert(step, RunStep)
