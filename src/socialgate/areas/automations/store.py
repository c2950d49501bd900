"""Automations and their runs. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import msgspec
import sqlalchemy as sa

from socialgate.areas.accounts.tables import IS_NOT_DISCONNECTED, accounts
from socialgate.areas.automations.schemas import AutomationsQuery, RunsQuery
from socialgate.areas.automations.tables import (
    OPEN_RUN_STATUSES,
    AutomationContactRow,
    AutomationRow,
    RunRow,
    RunStatus,
    automation_contacts,
    automation_runs,
    automation_versions,
    automations,
    read_automation,
    read_automation_contact,
    read_run,
)
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.messages import ConversationErased
from socialgate.core import outbox
from socialgate.core.breaks import EventLoopYielder
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.rows import get_non_key_values
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import FittingList, build_response_size

RUN_RETENTION = timedelta(days=30)
_ERASED_REASON = "The personal data it concerned was erased."

# The count of all automations of an account together, in the place of the id of one.
ALL_AUTOMATIONS_ID = "every"

_IS_NOT_DELETED = automations.c.deleted_at.is_(None)
# Built once: they run for every incoming message.
_SELECT_VERSION = sa.select(automation_versions.c.version).where(
    automation_versions.c.owner_id == sa.bindparam("owner")
)


async def insert_automation(tx: Tx, row: AutomationRow) -> None:
    await tx.execute(sa.insert(automations), msgspec.structs.asdict(row))


async def find_automation(tx: Tx, owner_id: str, automation_id: str, *, deleted: bool = False) -> AutomationRow | None:
    """Find an automation. Deleted ones are only needed for their runs."""
    statement = sa.select(automations).where(automations.c.owner_id == owner_id, automations.c.id == automation_id)
    return await tx.first_as(statement if deleted else statement.where(_IS_NOT_DELETED), read_automation)


async def find_automation_for_change(tx: Tx, owner_id: str, automation_id: str) -> AutomationRow | None:
    statement = sa.select(automations).where(automations.c.owner_id == owner_id, automations.c.id == automation_id)
    return await tx.first_as(statement.where(_IS_NOT_DELETED).with_for_update(), read_automation)


async def save_automation(tx: Tx, row: AutomationRow) -> None:
    """Write an automation that was found for a change."""
    await tx.execute(_update_automation(row.owner_id, row.id).values(**get_non_key_values(row, automations)))


async def count_automations(tx: Tx, owner_id: str) -> int:
    statement = sa.select(sa.func.count()).where(automations.c.owner_id == owner_id, _IS_NOT_DELETED)
    return int(await tx.scalar(statement))


async def list_automations_page(
    tx: Tx, owner_id: str, caller: Caller, query: AutomationsQuery
) -> tuple[Sequence[AutomationRow], bool]:
    """List automations, newest first, and whether more follow."""
    optional = {"profiles": caller.allowed_profile_ids, "profile": query.profile_id, "active": query.active}
    return await _LIST.fetch_page(tx, read_automation, query, ("auto",), {"owner": owner_id}, optional)


_LIST = FittingList(
    automations,
    build_response_size(automations.c.trigger, automations.c.conditions, automations.c.actions),
    [automations.c.id.desc()],
    automations.c.owner_id == sa.bindparam("owner"),
    _IS_NOT_DELETED,
    filters={
        "after": automations.c.id < sa.bindparam("after"),
        "profiles": is_one_of(automations.c.profile_id, "profiles"),
        "profile": automations.c.profile_id == sa.bindparam("profile"),
        "active": automations.c.active == sa.bindparam("active"),
    },
)


async def get_automations_version(tx: Tx, owner_id: str) -> int:
    """Return how often the automations of an owner have changed."""
    return int(await tx.scalar(_SELECT_VERSION, {"owner": owner_id}) or 0)


async def increment_automations_version(tx: Tx, owner_id: str) -> None:
    first = tx.build_upsert(automation_versions).values(owner_id=owner_id, version=1)
    raised = {"version": automation_versions.c.version + 1}
    await tx.execute(first.on_conflict_do_update(index_elements=["owner_id"], set_=raised))


async def list_active_automations(tx: Tx, owner_id: str) -> dict[str, datetime]:
    """Return which automations are active, in order, and when each was last changed."""
    columns = automations.c.id, automations.c.updated_at
    statement = sa.select(*columns).where(automations.c.owner_id == owner_id, _IS_NOT_DELETED, automations.c.active)
    return {row.id: row.updated_at for row in await tx.all(statement.order_by(automations.c.id))}


async def list_by_profile_for_change(tx: Tx, owner_id: str, profile_id: str) -> list[AutomationRow]:
    """List the automations of a profile, locked against concurrent changes."""
    statement = sa.select(automations).where(
        automations.c.owner_id == owner_id,
        automations.c.profile_id == profile_id,
        automations.c.deleted_at.is_(None),
    )
    return await tx.all_as(statement.order_by(automations.c.id).with_for_update(), read_automation)


async def set_next_run_time(tx: Tx, owner_id: str, automation_id: str, next_at: datetime | None) -> None:
    await tx.execute(_update_automation(owner_id, automation_id).values(next_at=next_at))


async def increment_runs(tx: Tx, owner_id: str, automation_id: str) -> None:
    await tx.execute(
        _update_automation(owner_id, automation_id).values(runs=automations.c.runs + 1, last_run_at=tx.now)
    )


async def increment_failures(tx: Tx, owner_id: str, automation_id: str) -> None:
    await tx.execute(_update_automation(owner_id, automation_id).values(failures=automations.c.failures + 1))


def _update_automation(owner_id: str, automation_id: str) -> sa.Update:
    return sa.update(automations).where(automations.c.owner_id == owner_id, automations.c.id == automation_id)


async def list_own_accounts(tx: Tx, owner_id: str) -> list[tuple[str, str, str | None]]:
    """List the connected accounts of an owner: platform, id there, and user name."""
    statement = sa.select(accounts.c.platform, accounts.c.platform_account_id, accounts.c.username).where(
        accounts.c.owner_id == owner_id, IS_NOT_DISCONNECTED
    )
    return [(row.platform, row.platform_account_id, row.username) for row in await tx.all(statement)]


class AccountIdentity(NamedTuple):
    """Where an account is, and its name there."""

    platform: str
    kind: str
    name: str


async def find_accounts_in_profile(
    tx: Tx, owner_id: str, profile_id: str, account_ids: Sequence[str]
) -> dict[str, AccountIdentity]:
    """Return which of these accounts belong to a profile."""
    statement = sa.select(accounts.c.id, accounts.c.platform, accounts.c.kind, accounts.c.name).where(
        accounts.c.owner_id == owner_id,
        accounts.c.profile_id == profile_id,
        accounts.c.id.in_(sorted(account_ids)),
        IS_NOT_DISCONNECTED,
    )
    return {row.id: AccountIdentity(row.platform, row.kind, row.name) for row in await tx.all(statement)}


async def find_or_create_contact_for_change(tx: Tx, row: AutomationContactRow) -> AutomationContactRow:
    """Find what is known of a contact, or start with `row`. The contact is locked until the transaction ends."""
    await tx.execute(tx.build_insert_if_absent(automation_contacts), msgspec.structs.asdict(row))
    statement = sa.select(automation_contacts).where(_matches_contact(row)).with_for_update()
    existing_row = await tx.first_as(statement, read_automation_contact)
    assert existing_row is not None, "it was written in this transaction, or before"
    return existing_row


async def find_run_counts_for_change(
    tx: Tx, row: AutomationContactRow
) -> tuple[AutomationContactRow, AutomationContactRow]:
    """Find what all automations have done for a contact, and what one has. That of all is locked first: what locks
    several automations then takes them in one order.
    """
    total = await find_or_create_contact_for_change(tx, msgspec.structs.replace(row, automation_id=ALL_AUTOMATIONS_ID))
    return total, await find_or_create_contact_for_change(tx, row)


async def find_automation_contact(
    tx: Tx, owner_id: str, automation_id: str, account_id: str, contact_id: str
) -> AutomationContactRow | None:
    table = automation_contacts
    statement = sa.select(table).where(
        table.c.owner_id == owner_id,
        table.c.automation_id == automation_id,
        table.c.account_id == account_id,
        table.c.contact_id == contact_id,
    )
    return await tx.first_as(statement, read_automation_contact)


async def save_automation_contact(tx: Tx, row: AutomationContactRow) -> None:
    values = get_non_key_values(row, automation_contacts)
    await tx.execute(sa.update(automation_contacts).where(_matches_contact(row)).values(**values))


def _matches_contact(row: AutomationContactRow) -> sa.ColumnElement[bool]:
    table = automation_contacts
    return sa.and_(
        table.c.owner_id == row.owner_id,
        table.c.automation_id == row.automation_id,
        table.c.account_id == row.account_id,
        table.c.contact_id == row.contact_id,
    )


async def has_run(tx: Tx, owner_id: str, automation_id: str, subject_key: str) -> bool:
    statement = sa.select(automation_runs.c.id).where(
        automation_runs.c.owner_id == owner_id,
        automation_runs.c.automation_id == automation_id,
        automation_runs.c.subject_key == subject_key,
    )
    return await tx.first(statement) is not None


async def insert_run(tx: Tx, row: RunRow) -> bool:
    """Insert a run. Returns False if the automation has already run for the same event."""
    values = msgspec.structs.asdict(row)
    return await tx.execute_and_count(tx.build_insert_if_absent(automation_runs), values) == 1


async def find_run(tx: Tx, owner_id: str, run_id: str) -> RunRow | None:
    return await tx.first_as(sa.select(automation_runs).where(*_matches_run(owner_id, run_id)), read_run)


async def find_run_for_change(tx: Tx, owner_id: str, run_id: str) -> RunRow | None:
    statement = sa.select(automation_runs).where(*_matches_run(owner_id, run_id))
    return await tx.first_as(statement.with_for_update(), read_run)


async def save_run(tx: Tx, row: RunRow) -> None:
    """Write a run that was found for a change."""
    statement = sa.update(automation_runs).where(*_matches_run(row.owner_id, row.id))
    await tx.execute(statement.values(**get_non_key_values(row, automation_runs)))


def _matches_run(owner_id: str, run_id: str) -> tuple[sa.ColumnElement[bool], ...]:
    return automation_runs.c.owner_id == owner_id, automation_runs.c.id == run_id


async def list_runs_page(tx: Tx, owner_id: str, automation_id: str, query: RunsQuery) -> tuple[Sequence[RunRow], bool]:
    """List runs, newest first, and whether more follow."""
    required = {"owner": owner_id, "automation": automation_id}
    return await _RUNS.fetch_page(tx, read_run, query, ("run",), required, {"status": query.status})


_RUNS = FittingList(
    automation_runs,
    build_response_size(automation_runs.c.subject, automation_runs.c.steps, automation_runs.c.error),
    [automation_runs.c.id.desc()],
    automation_runs.c.owner_id == sa.bindparam("owner"),
    automation_runs.c.automation_id == sa.bindparam("automation"),
    filters={
        "after": automation_runs.c.id < sa.bindparam("after"),
        "status": automation_runs.c.status == sa.bindparam("status"),
    },
)


async def skip_open_runs(tx: Tx, owner_id: str, automation_id: str, reason: str) -> None:
    """End unfinished runs. What one of them is doing right now is still recorded."""
    statement = sa.update(automation_runs).where(
        automation_runs.c.owner_id == owner_id,
        automation_runs.c.automation_id == automation_id,
        automation_runs.c.status.in_(OPEN_RUN_STATUSES),
    )
    ended: dict[str, Any] = {
        "status": RunStatus.SKIPPED,
        "reason": reason,
        "finished_at": tx.now,
        "expires_at": tx.now + RUN_RETENTION,
    }
    await tx.execute(statement.values(**ended))


async def erase_subject(tx: Tx, fact: SubjectErased, owner_id: str) -> None:
    """Erase what runs contain about a person whose data is erased. Unfinished runs end."""
    of_subject = automation_runs.c.owner_id == owner_id, automation_runs.c.subject_key == fact.key
    await _erase_run_details(tx, owner_id, await tx.all_as(sa.select(automation_runs).where(*of_subject), read_run))


async def erase_conversation(tx: Tx, fact: ConversationErased, owner_id: str) -> None:
    """Erase what runs contain that a conversation triggered, and that they were for this person."""
    about = automation_runs.c.subject["conversationId"].as_string() == fact.conversation_id
    select = sa.select(automation_runs).where(automation_runs.c.owner_id == owner_id, about)
    await _erase_run_details(tx, owner_id, await tx.all_as(select, read_run))
    table = automation_contacts
    await tx.execute(
        sa.delete(table).where(
            table.c.owner_id == owner_id,
            table.c.account_id == fact.account_id,
            table.c.contact_id.in_(sorted(fact.names)),
        )
    )


async def _erase_run_details(tx: Tx, owner_id: str, runs: Sequence[RunRow]) -> None:
    """Keep of runs that they were there, and what became of them."""
    breaks, changed = EventLoopYielder(), []
    for run in runs:
        ended = msgspec.structs.replace(
            run,
            subject={name: run.subject[name] for name in ("key", "accountId", "platform")},
            steps=[_remove_step_details(step) for step in run.steps],
            error=None if run.error is None else {**run.error, "detail": _ERASED_REASON},
        )
        if run.status in OPEN_RUN_STATUSES:
            over = {"status": RunStatus.SKIPPED, "reason": _ERASED_REASON, "finished_at": tx.now}
            ended = msgspec.structs.replace(ended, **over, expires_at=tx.now + RUN_RETENTION)
        changed.append({"of_owner": owner_id, "of_id": run.id, **get_non_key_values(ended, automation_runs)})
        await breaks.yield_if_due()
    if changed:
        await tx.execute(_SAVE_RUNS, changed)
    await outbox.redact_events(
        tx, owner_id, [run.event_id for run in runs if run.event_id is not None], _redact_trigger
    )


_SAVE_RUNS = sa.update(automation_runs).where(
    automation_runs.c.owner_id == sa.bindparam("of_owner"), automation_runs.c.id == sa.bindparam("of_id")
)


def _remove_step_details(step: Mapping[str, Any]) -> dict[str, Any]:
    """What a platform calls a message may contain the number that it was sent to."""
    error = step["error"]
    return {**step, "detail": {}, "error": None if error is None else {**error, "detail": _ERASED_REASON}}


def _redact_trigger(data: dict[str, Any]) -> dict[str, Any]:
    return {**data, "trigger": {"type": data["trigger"]["type"]}}


async def purge_runs(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(sa.delete(automation_runs).where(automation_runs.c.expires_at < now))


async def purge_deleted_automations(tx: Tx, now: datetime) -> int:
    """Delete the tombstones of automations whose runs are deleted, and their contacts."""
    gone = sa.select(automations.c.id).where(automations.c.deleted_at < now - RUN_RETENTION)
    await tx.execute(sa.delete(automation_contacts).where(automation_contacts.c.automation_id.in_(gone)))
    return await tx.execute_and_count(sa.delete(automations).where(automations.c.deleted_at < now - RUN_RETENTION))
