"""Which automations a fact triggers. This runs for every message, in the transaction that stores it.

The active automations of an owner are cached in prepared form as long as their version stays the same; conditions are
then evaluated in memory. Only a match needs more queries. It has over 400 lines because whether an automation runs
is decided in one place, from its cache to its limits.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import structlog

from socialgate.areas.automations import store
from socialgate.areas.automations.abilities import Abilities, on_same_account
from socialgate.areas.automations.keywords import Words
from socialgate.areas.automations.tables import AutomationRow, ContactRow, RunRow, RunStatus
from socialgate.contracts.automations import (
    AutomationTypes,
    Check,
    Need,
    Occasion,
    Situation,
    Subject,
    TriggerOptions,
    TriggerType,
    name_of,
)
from socialgate.contracts.profiles import ProfileBook
from socialgate.core import outbox, restores
from socialgate.core.breaks import Breaks
from socialgate.core.db import Database, Tx
from socialgate.core.events import AutomationTriggered
from socialgate.core.facts import FactListener
from socialgate.core.ids import new_id
from socialgate.core.jobs.holding import JobHolder
from socialgate.core.jobs.jobs import Jobs

RUN = "automations.run"
# More runs of one automation for one contact in an hour are a loop: two bots that answer each other.
MOST_PER_HOUR = 20
# Of all automations together: somebody with hundreds of them must not flood one person.
MAX_RUNS_PER_CONTACT = 30
# Once a contact has had all its runs, so many more automations are recorded as held back because of the same message.
_MAX_HELD_RECORDS = 20
_HOUR, _MOST_OWNERS = timedelta(hours=1), 1_000
_OWN = "The contact is one of your own accounts. Automations do not reply to each other."
_LOOP = f"It has run {MOST_PER_HOUR} times for this contact within an hour, which looks like a loop."
_LOOP_OF_POST = (
    f"It has run {MOST_PER_HOUR} times for comments on this post without a known author within an hour, which looks "
    "like a loop."
)
_TOO_MANY = (
    f"The automations of this account have run {MAX_RUNS_PER_CONTACT} times for this contact within an hour, which is "
    "the limit for all of them together."
)
_TOO_MANY_OF_POST = (
    f"The automations of this account have run {MAX_RUNS_PER_CONTACT} times for comments on this post without a known "
    "author within an hour, which is the limit for all of them together."
)
# Why no automation runs for a contact, whichever it is.
_HELD_FROM_ALL = frozenset({_OWN, _TOO_MANY, _TOO_MANY_OF_POST})
_LONGEST_ID = 300

log = structlog.get_logger(__name__)


class Prepared(msgspec.Struct, frozen=True):
    """An automation, ready for evaluation. `late` checks need a lookup."""

    row: AutomationRow
    kind: TriggerType
    trigger: TriggerOptions
    quick: list[Check]
    late: list[tuple[Need, Check]]

    def accepts(self, occasion: Occasion) -> bool:
        subject = occasion.subject
        is_wanted = not self.trigger.account_ids or subject.account_id in self.trigger.account_ids
        return is_wanted and occasion.profile_id == self.row.profile_id and self.kind.accepts(self.trigger, subject)


# Automations as they are since their last change.
Ready = Mapping[tuple[str, datetime], Prepared | None]
Find = Callable[[str], Awaitable[AutomationRow | None]]


class _Known(msgspec.Struct, frozen=True):
    """The active automations of an owner; None for those that this version does not understand."""

    version: int
    ready: Ready
    by_trigger: Mapping[str, list[Prepared]]


# What was prepared outside of a transaction has its version too: the next transaction compares it.
_UNKNOWN = _Known(-1, {}, {})


def prepare(types: AutomationTypes, row: AutomationRow) -> Prepared:
    trigger = msgspec.convert(row.trigger, types.union("AutomationTrigger"))
    quick: list[Check] = []
    late: list[tuple[Need, Check]] = []
    for raw in row.conditions:
        kind = types.conditions[raw["type"]]
        check = kind.prepare(msgspec.convert(raw, kind.options))
        if kind.needs is None:
            quick.append(check)
        else:
            late.append((kind.needs, check))
    return Prepared(row, types.triggers[name_of(type(trigger))], trigger, quick, late)


class Matcher:
    def __init__(
        self,
        types: AutomationTypes,
        abilities: Abilities,
        jobs: Jobs,
        job_holder: JobHolder,
        profiles: ProfileBook,
    ) -> None:
        self._types = types
        self._abilities = abilities
        self._jobs = jobs
        self._job_holder = job_holder
        self._profiles = profiles
        self._known: OrderedDict[str, _Known] = OrderedDict()

    def listeners(self) -> Sequence[FactListener]:
        facts = {kind.fact for kind in self._types.triggers.values() if kind.fact is not None}
        return [fact.heard_by(self.heard) for fact in facts]

    async def heard(self, tx: Tx, fact: Any, about: Any) -> None:
        """Trigger what listens to this fact."""
        active: dict[str, Mapping[str, list[Prepared]]] = {}
        for name, kind in self._types.triggers.items():
            for occasion in kind.occasions(fact, about) if kind.fact is type(fact) else ():
                owner_id = occasion.owner_id
                if owner_id not in active:
                    active[owner_id] = await self._active(tx, owner_id)
                await self._consider(tx, active[owner_id].get(name, ()), occasion)

    async def _consider(self, tx: Tx, waiting: Sequence[Prepared], occasion: Occasion) -> None:
        situation, breaks, held_count = situation_of(occasion.subject, tx.now), Breaks(), 0
        for one in waiting:
            if _accepts(one, occasion, situation):
                held_count += await self._decide(tx, one, occasion, situation) in _HELD_FROM_ALL
                if held_count >= _MAX_HELD_RECORDS:
                    return
                await breaks.take()

    async def set_off(self, tx: Tx, row: AutomationRow, occasion: Occasion) -> None:
        """Evaluate one scheduled automation."""
        one, situation = await asyncio.to_thread(prepare, self._types, row), situation_of(occasion.subject, tx.now)
        if _accepts(one, occasion, situation):
            await self._decide(tx, one, occasion, situation)

    async def _active(self, tx: Tx, owner_id: str) -> Mapping[str, list[Prepared]]:
        version = await store.version(tx, owner_id)
        known = self._known.get(owner_id, _UNKNOWN)
        if known.version != version:
            active = await store.active(tx, owner_id) if version else {}
            if any(key not in known.ready for key in active.items()):
                # Not while others wait for this transaction.
                tx.run_after(partial(self._prepare_outside, owner_id))
            find = partial(store.find, tx, owner_id)
            known = self._keep(owner_id, version, await self._ready(known.ready, active, find))
        self._known.move_to_end(owner_id)
        return known.by_trigger

    async def _prepare_outside(self, owner_id: str, db: Database) -> None:
        """Prepare what has changed. The next unit keeps it if nothing has changed again."""
        active, known = await db.read(store.active, owner_id), self._known.get(owner_id, _UNKNOWN)
        ready = await self._ready(known.ready, active, lambda each: db.read(store.find, owner_id, each))
        self._keep(owner_id, _UNKNOWN.version, ready)

    async def _ready(self, ready: Ready, active: Mapping[str, datetime], find: Find) -> Ready:
        """Prepare the active automations, except those that are ready as they are."""
        found: dict[tuple[str, datetime], Prepared | None] = {}
        for key in active.items():
            if key in ready:
                found[key] = ready[key]
            elif (row := await find(key[0])) is not None:
                # One can have thousands of characters that are slow to normalize.
                found[row.id, row.updated_at] = await asyncio.to_thread(self._prepared, row)
        return found

    def _keep(self, owner_id: str, version: int, ready: Ready) -> _Known:
        by_trigger: dict[str, list[Prepared]] = {}
        for one in ready.values():
            if one is not None:
                by_trigger.setdefault(one.row.trigger["type"], []).append(one)
        self._known[owner_id] = _Known(version, ready, by_trigger)
        if len(self._known) > _MOST_OWNERS:
            self._known.popitem(last=False)
        return self._known[owner_id]

    def _prepared(self, row: AutomationRow) -> Prepared | None:
        try:
            return prepare(self._types, row)
        except (KeyError, msgspec.ValidationError) as error:
            # It was created by another version, which has a type that this one lacks.
            log.warning("automation_not_understood", automation_id=row.id, reason=str(error))
            return None

    async def _decide(self, tx: Tx, one: Prepared, occasion: Occasion, situation: Situation) -> str | None:
        """Look up what is missing for a decision, and start the run. Returns why it is held back, if it is."""
        row, subject = one.row, occasion.subject
        if any(need == "timezone" for need, _ in one.late):
            timezone = await self._profiles.timezone(tx, row.owner_id, row.profile_id)
            situation = msgspec.structs.replace(situation, timezone=timezone)
        if not _holds(one, "timezone", situation) or await store.has_run(tx, row.owner_id, row.id, subject.key):
            return None
        unable = await self._unable(tx, one, subject)
        if subject.contact is None:
            return await self._decide_without_contact(tx, one, subject, unable)
        unknown = _unknown_contact(row, subject, subject.contact.id, tx.now)
        total, contact = await store.counts_for_change(tx, unknown)
        if not _holds(one, "history", msgspec.structs.replace(situation, is_first=contact.last_run_at is None)):
            return None
        is_own = is_one_of(await store.own_names(tx, row.owner_id), subject)
        held = unable or held_back(row.cooldown, contact, total, tx.now, is_own=is_own)
        if held is None:
            await self._begin(tx, one, subject)
            await _count(tx, total, contact)
        elif _is_news(contact, tx.now):
            await self._skip(tx, one, subject, held)
            await store.save_contact(tx, msgspec.structs.replace(contact, noted_at=tx.now))
        return held

    async def _unable(self, tx: Tx, one: Prepared, subject: Subject) -> str | None:
        """Return why the account cannot run all actions. The first one may promise what a later one does."""
        row, actions = one.row, on_same_account(one.row.actions)
        if self._abilities.always(one.kind, actions, subject.platform):
            return None
        there = await store.accounts_of_profile(tx, row.owner_id, row.profile_id, [subject.account_id])
        home = there.get(subject.account_id)
        return None if home is None else self._abilities.refusal(one.kind, actions, home)

    async def _decide_without_contact(self, tx: Tx, one: Prepared, subject: Subject, unable: str | None) -> str | None:
        """Start the run of a subject without a person. Comments whose authors are hidden may be the automation's own
        replies: for these, the runs for their post are counted.
        """
        if subject.comment_id is None:
            await (self._begin(tx, one, subject) if unable is None else self._skip(tx, one, subject, unable))
            return unable
        post = f"post {subject.object_id or subject.thread_id}"[:_LONGEST_ID]
        total, counted = await store.counts_for_change(tx, _unknown_contact(one.row, subject, post, tx.now))
        held = unable or (_LOOP_OF_POST if _is_loop(counted, tx.now) else None)
        held = held or (_TOO_MANY_OF_POST if _is_full(total, tx.now) else None)
        if held is None:
            await self._begin(tx, one, subject)
            await _count(tx, total, counted)
        elif _is_news(counted, tx.now):
            await self._skip(tx, one, subject, held)
            await store.save_contact(tx, msgspec.structs.replace(counted, noted_at=tx.now))
        return held

    async def _begin(self, tx: Tx, one: Prepared, subject: Subject) -> None:
        row, run = one.row, _new_run(one, subject, RunStatus.TRIGGERED, tx.now)
        if not await store.insert_run(tx, run):
            return
        event = AutomationTriggered(
            automation_id=row.id,
            run_id=run.id,
            name=row.name,
            account_id=subject.account_id,
            trigger=shown_trigger(run.trigger, subject),
        )
        event_id = await outbox.emit(tx, row.owner_id, row.profile_id, event)
        await store.save_run(tx, msgspec.structs.replace(run, event_id=event_id))
        await store.count_run(tx, row.owner_id, row.id)
        job = await self._jobs.add(tx, RUN, row.owner_id, {"runId": run.id}, profile_id=row.profile_id, key=run.id)
        restore = await restores.covering(tx, subject.at or tx.now)
        if restore is not None:
            # It happened before the backup was restored: the run may have been done already.
            await self._job_holder.hold_one(tx, job, restore)

    async def _skip(self, tx: Tx, one: Prepared, subject: Subject, reason: str) -> None:
        run = _new_run(one, subject, RunStatus.SKIPPED, tx.now)
        ended = {"reason": reason, "finished_at": tx.now, "expires_at": tx.now + store.RUNS_KEPT}
        await store.insert_run(tx, msgspec.structs.replace(run, **ended))


def situation_of(subject: Subject, now: datetime) -> Situation:
    return Situation(subject=subject, words=Words(subject.text), now=now)


def held_back(
    cooldown: int, contact: ContactRow | None, total: ContactRow | None, now: datetime, *, is_own: bool
) -> str | None:
    """Return why an automation does not run for a contact although all its conditions are true."""
    if is_own:
        return _OWN
    return _held_alone(cooldown, contact, now) or (_TOO_MANY if _is_full(total, now) else None)


def _held_alone(cooldown: int, contact: ContactRow | None, now: datetime) -> str | None:
    if contact is None:
        return None
    if contact.last_run_at is not None and now < contact.last_run_at + timedelta(seconds=cooldown):
        return f"It ran for this contact less than {cooldown} seconds ago (cooldown)."
    return _LOOP if _is_loop(contact, now) else None


def _is_loop(contact: ContactRow, now: datetime) -> bool:
    return contact.hour_runs >= MOST_PER_HOUR and now < contact.hour_at + _HOUR


def _is_full(total: ContactRow | None, now: datetime) -> bool:
    return total is not None and total.hour_runs >= MAX_RUNS_PER_CONTACT and now < total.hour_at + _HOUR


def is_one_of(accounts: Sequence[tuple[str, str, str | None]], subject: Subject) -> bool:
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


def shown_trigger(name: str, subject: Subject) -> dict[str, Any]:
    """Describe what triggered a run, for its record and its event."""
    known = msgspec.to_builtins(subject)
    hidden = {"key", "accountId", "platform", "fields"}
    return {"type": name, **{part: value for part, value in known.items() if part not in hidden}}


def _accepts(one: Prepared, occasion: Occasion, situation: Situation) -> bool:
    """Evaluate what can be evaluated in memory. Whatever is wrong with an automation, the message itself must be
    stored.
    """
    try:
        return one.accepts(occasion) and all(check(situation) for check in one.quick)
    except Exception:
        log.exception("automation_not_decided", automation_id=one.row.id)
        return False


def _holds(one: Prepared, need: Need, situation: Situation) -> bool:
    return all(check(situation) for needed, check in one.late if needed == need)


def _unknown_contact(row: AutomationRow, subject: Subject, contact_id: str, now: datetime) -> ContactRow:
    return ContactRow(
        owner_id=row.owner_id,
        automation_id=row.id,
        account_id=subject.account_id,
        contact_id=contact_id,
        last_run_at=None,
        hour_at=now,
        hour_runs=0,
        noted_at=None,
    )


async def _count(tx: Tx, *counts: ContactRow) -> None:
    """Count a run for a contact: of its automation, and of all of them."""
    for one in counts:
        await store.save_contact(tx, _counted(one, tx.now))


def _counted(contact: ContactRow, now: datetime) -> ContactRow:
    is_same_hour = now < contact.hour_at + _HOUR
    return msgspec.structs.replace(
        contact,
        last_run_at=now,
        hour_at=contact.hour_at if is_same_hour else now,
        hour_runs=contact.hour_runs + 1 if is_same_hour else 1,
    )


def _is_news(contact: ContactRow, now: datetime) -> bool:
    """Record a run that was held back once after each run, and once an hour: a flood must not fill the record."""
    since = max(contact.last_run_at or contact.hour_at, now - _HOUR)
    return contact.noted_at is None or contact.noted_at < since


def _new_run(one: Prepared, subject: Subject, status: RunStatus, now: datetime) -> RunRow:
    row = one.row
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
