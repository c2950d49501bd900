"""Leads, the questions of their forms, and how far they were swept. Every finder takes the owner first."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts
from socialgate.areas.leads.tables import (
    LeadFormRow,
    LeadRow,
    lead_forms,
    lead_sweeps,
    leads,
    read_lead,
    read_lead_form,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Id, Tx, UtcDateTime
from socialgate.web.pagination import FittingList, TimePosition, build_response_size

# How long the leads of a disconnected account are kept.
_DISCONNECTED_RETENTION = timedelta(days=90)
# How many ids are looked up in one statement.
_MAX_IDS_PER_STATEMENT = 500
_FORM_KEY_COLUMNS = [lead_forms.c.owner_id, lead_forms.c.account_id, lead_forms.c.form_id]


class LeadFilters(NamedTuple):
    form_id: str | None
    since: datetime | None
    state: str | None


async def insert_lead(tx: Tx, owner_id: str, values: Mapping[str, Any]) -> LeadRow | None:
    """Insert a lead. None if the account already has it, no matter how it arrived."""
    statement = tx.build_upsert(leads).values(owner_id=owner_id, **values)
    unique = [leads.c.owner_id, leads.c.account_id, leads.c.vendor_id]
    return await tx.first_as(statement.on_conflict_do_nothing(index_elements=unique).returning(leads), read_lead)


async def find_profile_id(tx: Tx, owner_id: str, account_id: str) -> str | None:
    """Return the profile of an account, even of one that was disconnected: its leads are kept for some time."""
    row = await tx.first(
        sa.select(accounts.c.profile_id).where(accounts.c.owner_id == owner_id, accounts.c.id == account_id)
    )
    return None if row is None else str(row.profile_id)


async def list_known_vendor_ids(tx: Tx, owner_id: str, account_id: str, vendor_ids: Sequence[str]) -> set[str]:
    """Return which leads an account already has, including erased ones, by the platform's ids."""
    result: set[str] = set()
    for start in range(0, len(vendor_ids), _MAX_IDS_PER_STATEMENT):
        statement = sa.select(leads.c.vendor_id).where(
            leads.c.owner_id == owner_id,
            leads.c.account_id == account_id,
            leads.c.vendor_id.in_(vendor_ids[start : start + _MAX_IDS_PER_STATEMENT]),
        )
        result |= {row.vendor_id for row in await tx.all(statement)}
    return result


async def was_lead_erased(tx: Tx, account: AccountRow, vendor_id: str) -> bool:
    """Whether a lead was erased while its account was connected before: each connection has its own leads."""
    former = sa.select(accounts.c.id).where(
        accounts.c.owner_id == account.owner_id,
        accounts.c.platform == account.platform,
        accounts.c.kind == account.kind,
        accounts.c.platform_account_id == account.platform_account_id,
    )
    statement = sa.select(leads.c.id).where(
        leads.c.owner_id == account.owner_id,
        leads.c.account_id.in_(former),
        leads.c.vendor_id == vendor_id,
        leads.c.erased_at.is_not(None),
    )
    return await tx.first(statement.limit(1)) is not None


async def find_lead(
    tx: Tx, owner_id: str, account_id: str, lead_id: str, *, for_change: bool = False
) -> LeadRow | None:
    statement = sa.select(leads).where(
        leads.c.owner_id == owner_id,
        leads.c.account_id == account_id,
        leads.c.id == lead_id,
        leads.c.erased_at.is_(None),
    )
    return await tx.first_as(statement.with_for_update() if for_change else statement, read_lead)


async def find_account_with_newest_lead(tx: Tx, owner_id: str, account_ids: Sequence[str]) -> str | None:
    """Return the account whose newest lead is the newest of all. None if none of them has a lead."""
    newest = (
        sa.select(leads.c.created_at)
        .where(leads.c.owner_id == owner_id, leads.c.account_id == accounts.c.id, leads.c.erased_at.is_(None))
        .order_by(leads.c.created_at.desc())
        .limit(1)
        .scalar_subquery()
    )
    statement = sa.select(accounts.c.id).where(
        accounts.c.owner_id == owner_id, accounts.c.id.in_(account_ids), newest.is_not(None)
    )
    row = await tx.first(statement.order_by(newest.desc()).limit(1))
    return None if row is None else str(row.id)


async def update_lead(tx: Tx, owner_id: str, lead_id: str, values: Mapping[str, Any]) -> None:
    statement = sa.update(leads).where(leads.c.owner_id == owner_id, leads.c.id == lead_id)
    await tx.execute(statement.values(**values))


async def list_leads_page(
    tx: Tx, owner_id: str, account_id: str, filters: LeadFilters, limit: int, after: TimePosition | None
) -> tuple[Sequence[LeadRow], bool]:
    """List leads, newest first, and whether more follow."""
    optional = {"form": filters.form_id, "since": filters.since, "state": filters.state}
    values = {name: value for name, value in optional.items() if value is not None}
    chosen = set(values)
    if after is not None:
        chosen.add("after")
        values |= {"after_at": after.at, "after_id": after.id}
    values |= {"owner": owner_id, "account": account_id}
    return await _LIST.fetch(tx, read_lead, chosen, values, limit=limit, most=limit + 1)


_LIST = FittingList(
    leads,
    # A response contains each answer twice: in `fields` and in `answers`.
    build_response_size(leads.c.fields, leads.c.fields, leads.c.note, leads.c.history),
    [leads.c.created_at.desc(), leads.c.id.desc()],
    leads.c.owner_id == sa.bindparam("owner"),
    leads.c.account_id == sa.bindparam("account"),
    leads.c.erased_at.is_(None),
    filters={
        "after": sa.tuple_(leads.c.created_at, leads.c.id)
        < sa.tuple_(sa.bindparam("after_at", type_=UtcDateTime), sa.bindparam("after_id", type_=Id)),
        "form": leads.c.form_id == sa.bindparam("form"),
        "since": leads.c.created_at >= sa.bindparam("since"),
        "state": leads.c.state == sa.bindparam("state"),
    },
)


async def list_forms(tx: Tx, owner_id: str, account_id: str, form_ids: Sequence[str]) -> list[LeadFormRow]:
    """Return what is stored about forms of an account, by the platform's ids."""
    rows: list[LeadFormRow] = []
    for start in range(0, len(form_ids), _MAX_IDS_PER_STATEMENT):
        statement = sa.select(lead_forms).where(
            lead_forms.c.owner_id == owner_id,
            lead_forms.c.account_id == account_id,
            lead_forms.c.form_id.in_(form_ids[start : start + _MAX_IDS_PER_STATEMENT]),
        )
        rows += [read_lead_form(row) for row in await tx.all(statement)]
    return rows


async def save_form(tx: Tx, owner_id: str, account_id: str, form_id: str, values: Mapping[str, Any]) -> None:
    statement = tx.build_upsert(lead_forms).values(owner_id=owner_id, account_id=account_id, form_id=form_id, **values)
    await tx.execute(statement.on_conflict_do_update(index_elements=_FORM_KEY_COLUMNS, set_=dict(values)))


async def postpone_form_read(tx: Tx, owner_id: str, account_id: str, form_id: str, until: datetime) -> None:
    """Record that a form cannot be read for now. What was read of it before is kept."""
    statement = tx.build_upsert(lead_forms).values(
        owner_id=owner_id, account_id=account_id, form_id=form_id, questions=[], read_again_at=until, updated_at=tx.now
    )
    changed = {"read_again_at": until, "updated_at": tx.now}
    await tx.execute(statement.on_conflict_do_update(index_elements=_FORM_KEY_COLUMNS, set_=changed))


async def find_swept_until(tx: Tx, owner_id: str, account_id: str) -> datetime | None:
    statement = sa.select(lead_sweeps.c.swept_until).where(
        lead_sweeps.c.owner_id == owner_id, lead_sweeps.c.account_id == account_id
    )
    row = await tx.first(statement)
    return None if row is None else row.swept_until


async def save_swept_until(tx: Tx, owner_id: str, account_id: str, until: datetime) -> None:
    statement = tx.build_upsert(lead_sweeps).values(owner_id=owner_id, account_id=account_id, swept_until=until)
    keys = [lead_sweeps.c.owner_id, lead_sweeps.c.account_id]
    await tx.execute(statement.on_conflict_do_update(index_elements=keys, set_={"swept_until": until}))


async def purge_leads_of_disconnected_accounts(tx: Tx, now: datetime) -> int:
    """Delete the leads of accounts disconnected long ago: nobody can read them any more."""
    gone = sa.select(accounts.c.id).where(accounts.c.disconnected_at < now - _DISCONNECTED_RETENTION)
    tables = (leads, lead_forms, lead_sweeps)
    return sum([await tx.execute_and_count(sa.delete(table).where(table.c.account_id.in_(gone))) for table in tables])
