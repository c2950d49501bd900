"""Trying an automation with a sample. Nothing is sent, and nothing is counted."""

import asyncio
from datetime import datetime
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.action_support import ActionSupport, list_actions_on_trigger_account
from socialgate.areas.automations.builtin_types import StopAction, WaitAction
from socialgate.areas.automations.matching import (
    PreparedAutomation,
    build_condition_context,
    explain_held_back_run,
    is_own_account,
    prepare_automation,
)
from socialgate.areas.automations.placeholders import fill_placeholders
from socialgate.areas.automations.schemas import CheckedCondition, DryRunResult, PlannedStep, SampleEvent
from socialgate.areas.automations.tables import AutomationContactRow, AutomationRow
from socialgate.contracts.automations import (
    AutomationContact,
    AutomationSubject,
    AutomationTypeRegistry,
    ConditionContext,
    TriggerOccurrence,
)
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


class DryRunner:
    def __init__(self, types: AutomationTypeRegistry, abilities: ActionSupport, profiles: ProfileDirectory) -> None:
        self._types = types
        self._abilities = abilities
        self._profiles = profiles

    async def run(self, tx: Tx, row: AutomationRow, sample: SampleEvent) -> DryRunResult:
        # In a thread: thousands of characters of keywords may be slow to normalize.
        prepared_automation = await asyncio.to_thread(prepare_automation, self._types, row)
        at = sample.at or tx.now
        if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
            detail = f"Choose a time from {_FIRST_YEAR} to {_LAST_YEAR}."
            raise InvalidRequest.for_field("/sample/at", "out_of_range", detail)
        subject, home = await self._build_subject(tx, prepared_automation, sample, at)
        contact = await _find_run_counts_of_contact(tx, row, row.id, subject)
        total = await _find_run_counts_of_contact(tx, row, store.ALL_AUTOMATIONS_ID, subject)
        timezone = await self._profiles.get_timezone(tx, row.owner_id, row.profile_id)
        situation = msgspec.structs.replace(
            build_condition_context(subject, at),
            timezone=timezone,
            is_first=contact is None or contact.last_run_at is None,
        )
        conditions = await asyncio.to_thread(self._check_conditions, row, situation)
        refusal = _explain_not_accepted(
            prepared_automation, TriggerOccurrence(row.owner_id, row.profile_id, subject)
        ) or self._explain_unsupported_trigger(prepared_automation, home)
        is_own = is_own_account(await store.list_own_accounts(tx, row.owner_id), subject)
        value = self._explain_unsupported_actions(prepared_automation, home) or explain_held_back_run(
            row.cooldown, contact, total, at, is_own=is_own
        )
        would_run = refusal is None and all(each.holds for each in conditions) and value is None
        return DryRunResult(
            would_run=would_run,
            trigger_accepts=refusal is None,
            trigger_reason=refusal,
            conditions=conditions,
            held_back=value,
            steps=self._plan_steps(row, subject, at if would_run else None),
        )

    def _explain_unsupported_trigger(
        self, prepared_automation: PreparedAutomation, home: store.AccountIdentity | None
    ) -> str | None:
        if home is None or prepared_automation.kind.is_supported_by(kind := self._abilities.get_kind_manifest(home)):
            return None
        able = ", ".join(self._abilities.list_supporting_kinds(prepared_automation.kind.is_supported_by))
        return f"The trigger never fires on accounts of this kind ({kind.name}). Kinds on which it can: {able}."

    def _explain_unsupported_actions(
        self, prepared_automation: PreparedAutomation, home: store.AccountIdentity | None
    ) -> str | None:
        """Return why the account cannot run the actions. Without an account, nothing is known about it."""
        return (
            None
            if home is None
            else self._abilities.explain_unsupported(
                prepared_automation.kind, list_actions_on_trigger_account(prepared_automation.row.actions), home
            )
        )

    def _check_conditions(self, row: AutomationRow, situation: ConditionContext) -> list[CheckedCondition]:
        checks = [
            (raw["type"], self._types.conditions[raw["type"]].prepare(self._decode_condition(raw)))
            for raw in row.conditions
        ]
        return [CheckedCondition(type=name, holds=check(situation)) for name, check in checks]

    def _decode_condition(self, raw: Any) -> Any:
        return msgspec.convert(raw, self._types.build_union_type("AutomationCondition"))

    def _plan_steps(self, row: AutomationRow, subject: AutomationSubject, at: datetime | None) -> list[PlannedStep]:
        """Plan the steps from a time on; without one, none of them would run."""
        steps = []
        for raw in row.actions:
            options = msgspec.convert(raw, self._types.action_options[raw["type"]])
            full = fill_placeholders(options, subject.fields)
            kind = self._types.find_action(raw["type"], self._types.triggers[row.trigger["type"]].subject_type)
            detail = {} if kind is None else dict(kind.describe_plan(full, subject))
            action = msgspec.to_builtins(full)
            steps.append(PlannedStep(action=action, would_run=at is not None, at=at, detail=detail))
            if at is not None:
                at = (
                    None
                    if isinstance(options, StopAction)
                    else at + options.length
                    if isinstance(options, WaitAction)
                    else at
                )
        return steps

    async def _build_subject(
        self, tx: Tx, prepared_automation: PreparedAutomation, sample: SampleEvent, at: datetime
    ) -> tuple[AutomationSubject, store.AccountIdentity | None]:
        """Create the subject from a sample, and find its account."""
        row, fields = prepared_automation.row, prepared_automation.kind.fields
        if unknown := sorted(set(sample.fields) - set(fields)):
            detail = f"This trigger has no field `{unknown[0]}`. It has: {', '.join(fields)}."
            raise InvalidRequest.for_field(f"/sample/fields/{unknown[0]}", "unknown_field", detail)
        account_id = sample.account_id or next(iter(prepared_automation.trigger.account_ids), "")
        there = await store.find_accounts_in_profile(tx, row.owner_id, row.profile_id, [account_id])
        if sample.account_id is not None and account_id not in there:
            detail = "The profile has no account with this id. GET /accounts lists them."
            raise InvalidRequest.for_field("/sample/accountId", "not_found", detail)
        contact = (
            AutomationContact(**msgspec.structs.asdict(sample.contact))
            if prepared_automation.kind.has_contact
            else None
        )
        known = {**_build_known_fields(prepared_automation, contact, sample, account_id), **sample.fields}
        thing = (
            None if prepared_automation.kind.object_field is None else known.get(prepared_automation.kind.object_field)
        )
        home = there.get(account_id)
        subject = AutomationSubject(
            key="sample",
            account_id=account_id,
            platform="" if home is None else home.platform,
            at=at,
            text=sample.text,
            contact=contact,
            object_id=None if thing is None else str(thing),
            fields=known,
        )
        return subject, home


async def _find_run_counts_of_contact(
    tx: Tx, row: AutomationRow, automation_id: str, subject: AutomationSubject
) -> AutomationContactRow | None:
    if subject.contact is None:
        return None
    return await store.find_automation_contact(tx, row.owner_id, automation_id, subject.account_id, subject.contact.id)


def _explain_not_accepted(prepared_automation: PreparedAutomation, occasion: TriggerOccurrence) -> str | None:
    """Return why the trigger does not accept a sample, None if it does."""
    if prepared_automation.accepts(occasion):
        return None
    if (
        prepared_automation.trigger.account_ids
        and occasion.subject.account_id not in prepared_automation.trigger.account_ids
    ):
        return "The account of the sample is not in the trigger's `accountIds`."
    field = prepared_automation.kind.object_field
    if field in occasion.subject.fields:
        return f"The trigger does not list the `{field}` of the sample."
    return f"The trigger only accepts some values of `{field}`. Set it in the `fields` of the sample."


def _build_known_fields(
    prepared_automation: PreparedAutomation, contact: AutomationContact | None, sample: SampleEvent, account_id: str
) -> dict[str, Any]:
    """Fill the fields that the sample has under other names."""
    person = {} if contact is None else msgspec.structs.asdict(contact)
    known = {f"contact.{name}": value for name, value in person.items()}
    known |= {f"{prepared_automation.kind.subject_type}.text": sample.text, "account.id": account_id}
    return {name: value for name, value in known.items() if name in prepared_automation.kind.fields}
