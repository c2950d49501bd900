"""Trying an automation with a sample. Nothing is sent, and nothing is counted."""

import asyncio
from datetime import datetime
from typing import Any

import msgspec

from socialgate.areas.automations import store
from socialgate.areas.automations.abilities import Abilities, on_same_account
from socialgate.areas.automations.actions import Stop, Wait
from socialgate.areas.automations.matching import Prepared, held_back, is_one_of, prepare, situation_of
from socialgate.areas.automations.schemas import CheckedCondition, DryRunResult, PlannedStep, Sample
from socialgate.areas.automations.tables import AutomationRow, ContactRow
from socialgate.areas.automations.texts import filled
from socialgate.contracts.automations import AutomationTypes, Occasion, Person, Situation, Subject
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid

_FIRST_YEAR, _LAST_YEAR = 1970, 9000


class Trial:
    def __init__(self, types: AutomationTypes, abilities: Abilities, profiles: ProfileBook) -> None:
        self._types = types
        self._abilities = abilities
        self._profiles = profiles

    async def run(self, tx: Tx, row: AutomationRow, sample: Sample) -> DryRunResult:
        # In a thread: thousands of characters of keywords may be slow to normalize.
        one = await asyncio.to_thread(prepare, self._types, row)
        at = sample.at or tx.now
        if not _FIRST_YEAR <= at.year <= _LAST_YEAR:
            detail = f"Choose a time from {_FIRST_YEAR} to {_LAST_YEAR}."
            raise Invalid.at("/sample/at", "out_of_range", detail)
        subject, home = await self._subject(tx, one, sample, at)
        contact = await _runs_of(tx, row, row.id, subject)
        total = await _runs_of(tx, row, store.EVERY_AUTOMATION, subject)
        timezone = await self._profiles.timezone(tx, row.owner_id, row.profile_id)
        situation = msgspec.structs.replace(
            situation_of(subject, at),
            timezone=timezone,
            is_first=contact is None or contact.last_run_at is None,
        )
        conditions = await asyncio.to_thread(self._checked, row, situation)
        refusal = _refusal(one, Occasion(row.owner_id, row.profile_id, subject)) or self._never(one, home)
        is_own = is_one_of(await store.own_names(tx, row.owner_id), subject)
        held = self._unable(one, home) or held_back(row.cooldown, contact, total, at, is_own=is_own)
        would_run = refusal is None and all(each.holds for each in conditions) and held is None
        return DryRunResult(
            would_run=would_run,
            trigger_accepts=refusal is None,
            trigger_reason=refusal,
            conditions=conditions,
            held_back=held,
            steps=self._steps(row, subject, at if would_run else None),
        )

    def _never(self, one: Prepared, home: store.Home | None) -> str | None:
        if home is None or one.kind.able(kind := self._abilities.kind_of(home)):
            return None
        able = ", ".join(self._abilities.able(one.kind.able))
        return f"The trigger never fires on accounts of this kind ({kind.name}). Kinds on which it can: {able}."

    def _unable(self, one: Prepared, home: store.Home | None) -> str | None:
        """Return why the account cannot run the actions. Without an account, nothing is known about it."""
        return None if home is None else self._abilities.refusal(one.kind, on_same_account(one.row.actions), home)

    def _checked(self, row: AutomationRow, situation: Situation) -> list[CheckedCondition]:
        checks = [(raw["type"], self._types.conditions[raw["type"]].prepare(self._read(raw))) for raw in row.conditions]
        return [CheckedCondition(type=name, holds=check(situation)) for name, check in checks]

    def _read(self, raw: Any) -> Any:
        return msgspec.convert(raw, self._types.union("AutomationCondition"))

    def _steps(self, row: AutomationRow, subject: Subject, at: datetime | None) -> list[PlannedStep]:
        """Plan the steps from a time on; without one, none of them would run."""
        steps = []
        for raw in row.actions:
            options = msgspec.convert(raw, self._types.action_options[raw["type"]])
            full = filled(options, subject.fields)
            kind = self._types.action(raw["type"], self._types.triggers[row.trigger["type"]].about)
            detail = {} if kind is None else dict(kind.planned(full, subject))
            action = msgspec.to_builtins(full)
            steps.append(PlannedStep(action=action, would_run=at is not None, at=at, detail=detail))
            if at is not None:
                at = None if isinstance(options, Stop) else at + options.length if isinstance(options, Wait) else at
        return steps

    async def _subject(self, tx: Tx, one: Prepared, sample: Sample, at: datetime) -> tuple[Subject, store.Home | None]:
        """Create the subject from a sample, and find its account."""
        row, fields = one.row, one.kind.fields
        if unknown := sorted(set(sample.fields) - set(fields)):
            detail = f"This trigger has no field `{unknown[0]}`. It has: {', '.join(fields)}."
            raise Invalid.at(f"/sample/fields/{unknown[0]}", "unknown_field", detail)
        account_id = sample.account_id or next(iter(one.trigger.account_ids), "")
        there = await store.accounts_of_profile(tx, row.owner_id, row.profile_id, [account_id])
        if sample.account_id is not None and account_id not in there:
            detail = "The profile has no account with this id. GET /accounts lists them."
            raise Invalid.at("/sample/accountId", "not_found", detail)
        contact = Person(**msgspec.structs.asdict(sample.contact)) if one.kind.has_contact else None
        known = {**_given(one, contact, sample, account_id), **sample.fields}
        thing = None if one.kind.object_field is None else known.get(one.kind.object_field)
        home = there.get(account_id)
        subject = Subject(
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


async def _runs_of(tx: Tx, row: AutomationRow, automation_id: str, subject: Subject) -> ContactRow | None:
    if subject.contact is None:
        return None
    return await store.find_contact(tx, row.owner_id, automation_id, subject.account_id, subject.contact.id)


def _refusal(one: Prepared, occasion: Occasion) -> str | None:
    """Return why the trigger does not accept a sample, None if it does."""
    if one.accepts(occasion):
        return None
    if one.trigger.account_ids and occasion.subject.account_id not in one.trigger.account_ids:
        return "The account of the sample is not in the trigger's `accountIds`."
    field = one.kind.object_field
    if field in occasion.subject.fields:
        return f"The trigger does not list the `{field}` of the sample."
    return f"The trigger only accepts some values of `{field}`. Set it in the `fields` of the sample."


def _given(one: Prepared, contact: Person | None, sample: Sample, account_id: str) -> dict[str, Any]:
    """Fill the fields that the sample has under other names."""
    person = {} if contact is None else msgspec.structs.asdict(contact)
    known = {f"contact.{name}": value for name, value in person.items()}
    known |= {f"{one.kind.about}.text": sample.text, "account.id": account_id}
    return {name: value for name, value in known.items() if name in one.kind.fields}
