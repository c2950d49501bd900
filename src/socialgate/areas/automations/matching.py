"""Which automations a fact triggers. This runs for every message, in the transaction that stores it.

The active automations of an owner are cached in prepared form as long as their version stays the same; conditions are
then evaluated in memory. Only a match needs more queries. It has over 400 lines because whether an automation runs
is decided in one place, from its cache to its limits.
"""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import structlog

from socialgate.areas.automations import store
from socialgate.areas.automations.action_support import ActionSupport, list_actions_on_trigger_account
from socialgate.areas.automations.keywords import MessageText
from socialgate.areas.automations.tables import AutomationContactRow, AutomationRow, RunRow, RunStatus
from socialgate.contracts.automations import (
    AutomationSubject,
    AutomationTypeRegistry,
    ConditionContext,
    ConditionInput,
    ConditionPredicate,
    TriggerOccurrence,
    TriggerOptions,
    TriggerType,
    get_type_name,
)
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core import outbox, restores
from socialgate.core.breaks import EventLoopYielder
from socialgate.core.db import Database, Tx
from socialgate.core.events import AutomationTriggered
from socialgate.core.facts import FactListener
from socialgate.core.ids import new_id
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.service import JobService

AUTOMATION_RUN_JOB = "automations.run"
# More runs of one automation for one contact in an hour are a loop: two bots that answer each other.
MAX_RUNS_PER_HOUR = 20
# Of all automations together: somebody with hundreds of them must not flood one person.
MAX_RUNS_PER_CONTACT = 30
# Once a contact has had all its runs, so many more automations are recorded as held back because of the same message.
_MAX_SKIPPED_RUN_RECORDS = 20
_HOUR, _MAX_CACHED_OWNERS = timedelta(hours=1), 1_000
_OWN_ACCOUNT_REASON = "The contact is one of your own accounts. Automations do not reply to each other."
_LOOP_REASON = f"It has run {MAX_RUNS_PER_HOUR} times for this contact within an hour, which looks like a loop."
_POST_LOOP_REASON = (
    f"It has run {MAX_RUNS_PER_HOUR} times for comments on this post without a known author within an hour, which "
    "looks "
    "like a loop."
)
_TOO_MANY_RUNS_REASON = (
    f"The automations of this account have run {MAX_RUNS_PER_CONTACT} times for this contact within an hour, which is "
    "the limit for all of them together."
)
_TOO_MANY_RUNS_OF_POST_REASON = (
    f"The automations of this account have run {MAX_RUNS_PER_CONTACT} times for comments on this post without a known "
    "author within an hour, which is the limit for all of them together."
)
# Why no automation runs for a contact, whichever it is.
_REASONS_THAT_HOLD_ALL_AUTOMATIONS = frozenset(
    {_OWN_ACCOUNT_REASON, _TOO_MANY_RUNS_REASON, _TOO_MANY_RUNS_OF_POST_REASON}
)
_MAX_ID_LENGTH = 300

log = structlog.get_logger(__name__)


class PreparedAutomation(msgspec.Struct, frozen=True):
    """An automation, ready for evaluation. `lookup_checks` are those that need a lookup."""

    row: AutomationRow
    kind: TriggerType
    trigger: TriggerOptions
    memory_checks: list[ConditionPredicate]
    lookup_checks: list[tuple[ConditionInput, ConditionPredicate]]

    def accepts(self, occasion: TriggerOccurrence) -> bool:
        subject = occasion.subject
        is_wanted = not self.trigger.account_ids or subject.account_id in self.trigger.account_ids
        return (
            is_wanted
            and occasion.profile_id == self.row.profile_id
            and self.kind.matches_options(self.trigger, subject)
        )


# Automations as they are since their last change.
PreparedAutomations = Mapping[tuple[str, datetime], PreparedAutomation | None]
FindAutomation = Callable[[str], Awaitable[AutomationRow | None]]


class _ActiveAutomations(msgspec.Struct, frozen=True):
    """The active automations of an owner; None for those that this version does not understand."""

    version: int
    ready: PreparedAutomations
    by_trigger: Mapping[str, list[PreparedAutomation]]


# What was prepared outside of a transaction has its version too: the next transaction compares it.
_NOT_LOADED = _ActiveAutomations(-1, {}, {})


def prepare_automation(types: AutomationTypeRegistry, row: AutomationRow) -> PreparedAutomation:
    trigger = msgspec.convert(row.trigger, types.build_union_type("AutomationTrigger"))
    quick: list[ConditionPredicate] = []
    late: list[tuple[ConditionInput, ConditionPredicate]] = []
    for raw in row.conditions:
        kind = types.conditions[raw["type"]]
        check = kind.prepare(msgspec.convert(raw, kind.options))
        if kind.required_input is None:
            quick.append(check)
        else:
            late.append((kind.required_input, check))
    return PreparedAutomation(row, types.triggers[get_type_name(type(trigger))], trigger, quick, late)


class AutomationMatcher:
    def __init__(
        self,
        types: AutomationTypeRegistry,
        abilities: ActionSupport,
        jobs: JobService,
        job_holder: JobHolder,
        profiles: ProfileDirectory,
    ) -> None:
        self._types = types
        self._abilities = abilities
        self._jobs = jobs
        self._job_holder = job_holder
        self._profiles = profiles
        self._active_by_owner: OrderedDict[str, _ActiveAutomations] = OrderedDict()

    def build_listeners(self) -> Sequence[FactListener]:
        facts = {kind.fact for kind in self._types.triggers.values() if kind.fact is not None}
        return [fact.build_listener(self.handle_fact) for fact in facts]

    async def handle_fact(self, tx: Tx, fact: Any, about: Any) -> None:
        """Trigger what listens to this fact."""
        active: dict[str, Mapping[str, list[PreparedAutomation]]] = {}
        for name, kind in self._types.triggers.items():
            for occasion in kind.extract_occurrences(fact, about) if kind.fact is type(fact) else ():
                owner_id = occasion.owner_id
                if owner_id not in active:
                    active[owner_id] = await self._get_active(tx, owner_id)
                await self._match_automations(tx, active[owner_id].get(name, ()), occasion)

    async def _match_automations(
        self, tx: Tx, automations: Sequence[PreparedAutomation], occasion: TriggerOccurrence
    ) -> None:
        situation, breaks, held_count = build_condition_context(occasion.subject, tx.now), EventLoopYielder(), 0
        for prepared_automation in automations:
            started = time.thread_time()
            is_match = _matches_in_memory(prepared_automation, occasion, situation)
            tx.count_computation(time.thread_time() - started)
            # Also after those that do not match: hundreds can have thousands of keywords.
            await breaks.yield_if_due()
            if is_match:
                held_count += (
                    await self._start_or_skip(tx, prepared_automation, occasion, situation)
                    in _REASONS_THAT_HOLD_ALL_AUTOMATIONS
                )
                if held_count >= _MAX_SKIPPED_RUN_RECORDS:
                    return

    async def trigger_scheduled(self, tx: Tx, row: AutomationRow, occasion: TriggerOccurrence) -> None:
        """Evaluate one scheduled automation."""
        prepared_automation, situation = (
            await asyncio.to_thread(prepare_automation, self._types, row),
            build_condition_context(occasion.subject, tx.now),
        )
        if _matches_in_memory(prepared_automation, occasion, situation):
            await self._start_or_skip(tx, prepared_automation, occasion, situation)

    async def _get_active(self, tx: Tx, owner_id: str) -> Mapping[str, list[PreparedAutomation]]:
        version = await store.get_automations_version(tx, owner_id)
        known = self._active_by_owner.get(owner_id, _NOT_LOADED)
        if known.version != version:
            active = await store.list_active_automations(tx, owner_id) if version else {}
            if any(key not in known.ready for key in active.items()):
                # Not while others wait for this transaction.
                tx.restart_after(partial(self._prepare_outside_transaction, owner_id))
            find = partial(store.find_automation, tx, owner_id)
            known = self._cache_active(owner_id, version, await self._prepare_automations(known.ready, active, find))
        self._active_by_owner.move_to_end(owner_id)
        return known.by_trigger

    async def _prepare_outside_transaction(self, owner_id: str, db: Database) -> None:
        """Prepare what has changed. The next unit keeps it if nothing has changed again."""
        active, known = (
            await db.read(store.list_active_automations, owner_id),
            self._active_by_owner.get(owner_id, _NOT_LOADED),
        )
        ready = await self._prepare_automations(
            known.ready, active, lambda each: db.read(store.find_automation, owner_id, each)
        )
        self._cache_active(owner_id, _NOT_LOADED.version, ready)

    async def _prepare_automations(
        self, ready: PreparedAutomations, active: Mapping[str, datetime], find: FindAutomation
    ) -> PreparedAutomations:
        """Prepare the active automations, except those that are ready as they are."""
        result: dict[tuple[str, datetime], PreparedAutomation | None] = {}
        for key in active.items():
            if key in ready:
                result[key] = ready[key]
            elif (row := await find(key[0])) is not None:
                # One can have thousands of characters that are slow to normalize.
                result[row.id, row.updated_at] = await asyncio.to_thread(self._try_prepare, row)
        return result

    def _cache_active(self, owner_id: str, version: int, ready: PreparedAutomations) -> _ActiveAutomations:
        by_trigger: dict[str, list[PreparedAutomation]] = {}
        for prepared_automation in ready.values():
            if prepared_automation is not None:
                by_trigger.setdefault(prepared_automation.row.trigger["type"], []).append(prepared_automation)
        self._active_by_owner[owner_id] = _ActiveAutomations(version, ready, by_trigger)
        if len(self._active_by_owner) > _MAX_CACHED_OWNERS:
            self._active_by_owner.popitem(last=False)
        return self._active_by_owner[owner_id]

    def _try_prepare(self, row: AutomationRow) -> PreparedAutomation | None:
        try:
            return prepare_automation(self._types, row)
        except (KeyError, msgspec.ValidationError) as error:
            # It was created by another version, which has a type that this one lacks.
            log.warning("automation_not_understood", automation_id=row.id, reason=str(error))
            return None

    async def _start_or_skip(
        self, tx: Tx, automation: PreparedAutomation, occasion: TriggerOccurrence, situation: ConditionContext
    ) -> str | None:
        """Look up what is missing for a decision, and start the run. Returns why it is held back, if it is."""
        row, subject = automation.row, occasion.subject
        if any(need == "timezone" for need, _ in automation.lookup_checks):
            timezone = await self._profiles.get_timezone(tx, row.owner_id, row.profile_id)
            situation = msgspec.structs.replace(situation, timezone=timezone)
        if not _passes_lookup_checks(automation, "timezone", situation) or await store.has_run(
            tx, row.owner_id, row.id, subject.key
        ):
            return None
        unable = await self._explain_unsupported(tx, automation, subject)
        if subject.contact is None:
            return await self._start_or_skip_without_contact(tx, automation, subject, unable)
        unknown = _build_new_contact(row, subject, subject.contact.id, tx.now)
        total, contact = await store.find_run_counts_for_change(tx, unknown)
        if not _passes_lookup_checks(
            automation, "history", msgspec.structs.replace(situation, is_first=contact.last_run_at is None)
        ):
            return None
        is_own = is_own_account(await store.list_own_accounts(tx, row.owner_id), subject)
        value = unable or explain_held_back_run(row.cooldown, contact, total, tx.now, is_own=is_own)
        if value is None:
            await self._start_run(tx, automation, subject)
            await _count_run(tx, total, contact)
        elif _should_record_skip(contact, tx.now):
            await self._record_skipped_run(tx, automation, subject, value)
            await store.save_automation_contact(tx, msgspec.structs.replace(contact, noted_at=tx.now))
        return value

    async def _explain_unsupported(
        self, tx: Tx, automation: PreparedAutomation, subject: AutomationSubject
    ) -> str | None:
        """Return why the account cannot run all actions. The first one may promise what a later one does."""
        row, actions = automation.row, list_actions_on_trigger_account(automation.row.actions)
        if self._abilities.is_supported_by_all_kinds(automation.kind, actions, subject.platform):
            return None
        there = await store.find_accounts_in_profile(tx, row.owner_id, row.profile_id, [subject.account_id])
        home = there.get(subject.account_id)
        return None if home is None else self._abilities.explain_unsupported(automation.kind, actions, home)

    async def _start_or_skip_without_contact(
        self, tx: Tx, automation: PreparedAutomation, subject: AutomationSubject, unable: str | None
    ) -> str | None:
        """Start the run of a subject without a person. Comments whose authors are hidden may be the automation's own
        replies: for these, the runs for their post are counted.
        """
        if subject.comment_id is None:
            await (
                self._start_run(tx, automation, subject)
                if unable is None
                else self._record_skipped_run(tx, automation, subject, unable)
            )
            return unable
        post = f"post {subject.object_id or subject.thread_id}"[:_MAX_ID_LENGTH]
        total, counted = await store.find_run_counts_for_change(
            tx, _build_new_contact(automation.row, subject, post, tx.now)
        )
        value = unable or (_POST_LOOP_REASON if _is_loop(counted, tx.now) else None)
        value = value or (_TOO_MANY_RUNS_OF_POST_REASON if _has_too_many_runs(total, tx.now) else None)
        if value is None:
            await self._start_run(tx, automation, subject)
            await _count_run(tx, total, counted)
        elif _should_record_skip(counted, tx.now):
            await self._record_skipped_run(tx, automation, subject, value)
            await store.save_automation_contact(tx, msgspec.structs.replace(counted, noted_at=tx.now))
        return value

    async def _start_run(self, tx: Tx, automation: PreparedAutomation, subject: AutomationSubject) -> None:
        row, run = automation.row, _build_run(automation, subject, RunStatus.TRIGGERED, tx.now)
        if not await store.insert_run(tx, run):
            return
        event = AutomationTriggered(
            automation_id=row.id,
            run_id=run.id,
            name=row.name,
            account_id=subject.account_id,
            trigger=build_trigger_view(run.trigger, subject),
        )
        event_id = await outbox.emit_event(tx, row.owner_id, row.profile_id, event)
        await store.save_run(tx, msgspec.structs.replace(run, event_id=event_id))
        await store.increment_runs(tx, row.owner_id, row.id)
        job = await self._jobs.enqueue(
            tx, AUTOMATION_RUN_JOB, row.owner_id, {"runId": run.id}, profile_id=row.profile_id, key=run.id
        )
        restore = await restores.find_restore_covering(tx, subject.at or tx.now)
        if restore is not None:
            # It happened before the backup was restored: the run may have been done already.
            await self._job_holder.hold_one(tx, job, restore)

    async def _record_skipped_run(
        self, tx: Tx, automation: PreparedAutomation, subject: AutomationSubject, reason: str
    ) -> None:
        run = _build_run(automation, subject, RunStatus.SKIPPED, tx.now)
        ended = {"reason": reason, "finished_at": tx.now, "expires_at": tx.now + store.RUN_RETENTION}
        await store.insert_run(tx, msgspec.structs.replace(run, **ended))


def build_condition_context(subject: AutomationSubject, now: datetime) -> ConditionContext:
    return ConditionContext(subject=subject, text_index=MessageText(subject.text), now=now)


def explain_held_back_run(
    cooldown: int,
    contact: AutomationContactRow | None,
    total: AutomationContactRow | None,
    now: datetime,
    *,
    is_own: bool,
) -> str | None:
    """Return why an automation does not run for a contact although all its conditions are true."""
    if is_own:
        return _OWN_ACCOUNT_REASON
    return _explain_cooldown_or_loop(cooldown, contact, now) or (
        _TOO_MANY_RUNS_REASON if _has_too_many_runs(total, now) else None
    )


def _explain_cooldown_or_loop(cooldown: int, contact: AutomationContactRow | None, now: datetime) -> str | None:
    if contact is None:
        return None
    if contact.last_run_at is not None and now < contact.last_run_at + timedelta(seconds=cooldown):
        return f"It ran for this contact less than {cooldown} seconds ago (cooldown)."
    return _LOOP_REASON if _is_loop(contact, now) else None


def _is_loop(contact: AutomationContactRow, now: datetime) -> bool:
    return contact.hour_runs >= MAX_RUNS_PER_HOUR and now < contact.hour_at + _HOUR


def _has_too_many_runs(total: AutomationContactRow | None, now: datetime) -> bool:
    return total is not None and total.hour_runs >= MAX_RUNS_PER_CONTACT and now < total.hour_at + _HOUR


def is_own_account(accounts: Sequence[tuple[str, str, str | None]], subject: AutomationSubject) -> bool:
    """Return whether a contact is one of these accounts: by id or name on the platform, or by number anywhere."""
    contact = subject.contact
    if contact is None:
        return False
    ids = {contact.id, contact.phone} - {None}
    names = {(contact.username or "").casefold()} - {""}
    return any(
        (platform == subject.platform and (account in ids or (username or "").casefold() in names))
        or (contact.phone is not None and contact.phone in {account, username})
        for platform, account, username in accounts
    )


def build_trigger_view(name: str, subject: AutomationSubject) -> dict[str, Any]:
    """Describe what triggered a run, for its record and its event."""
    known = msgspec.to_builtins(subject)
    hidden = {"key", "accountId", "platform", "fields"}
    return {"type": name, **{part: value for part, value in known.items() if part not in hidden}}


def _matches_in_memory(
    automation: PreparedAutomation, occasion: TriggerOccurrence, situation: ConditionContext
) -> bool:
    """Evaluate what can be evaluated in memory. Whatever is wrong with an automation, the message itself must be
    stored.
    """
    try:
        return automation.accepts(occasion) and all(check(situation) for check in automation.memory_checks)
    except Exception:
        log.exception("automation_not_decided", automation_id=automation.row.id)
        return False


def _passes_lookup_checks(automation: PreparedAutomation, need: ConditionInput, situation: ConditionContext) -> bool:
    return all(check(situation) for needed, check in automation.lookup_checks if needed == need)


def _build_new_contact(
    row: AutomationRow, subject: AutomationSubject, contact_id: str, now: datetime
) -> AutomationContactRow:
    return AutomationContactRow(
        owner_id=row.owner_id,
        automation_id=row.id,
        account_id=subject.account_id,
        contact_id=contact_id,
        last_run_at=None,
        hour_at=now,
        hour_runs=0,
        noted_at=None,
    )


async def _count_run(tx: Tx, *counts: AutomationContactRow) -> None:
    """Count a run for a contact: of its automation, and of all of them."""
    for count in counts:
        await store.save_automation_contact(tx, _count_run_of_contact(count, tx.now))


def _count_run_of_contact(contact: AutomationContactRow, now: datetime) -> AutomationContactRow:
    is_same_hour = now < contact.hour_at + _HOUR
    return msgspec.structs.replace(
        contact,
        last_run_at=now,
        hour_at=contact.hour_at if is_same_hour else now,
        hour_runs=contact.hour_runs + 1 if is_same_hour else 1,
    )


def _should_record_skip(contact: AutomationContactRow, now: datetime) -> bool:
    """Record a run that was held back once after each run, and once an hour: a flood must not fill the record."""
    since = max(contact.last_run_at or contact.hour_at, now - _HOUR)
    return contact.noted_at is None or contact.noted_at < since


def _build_run(automation: PreparedAutomation, subject: AutomationSubject, status: RunStatus, now: datetime) -> RunRow:
    row = automation.row
    return RunRow(
        owner_id=row.owner_id,
        id=new_id("run"),
        automation_id=row.id,
        profile_id=row.profile_id,
        trigger=row.trigger["type"],
        subject_key=subject.key,
        subject=msgspec.to_builtins(subject),
        status=status,
        step=0,
        steps=[],
        event_id=None,
        reason=None,
        error=None,
        created_at=now,
        finished_at=None,
        expires_at=None,
    )
