"""Accounts and attempts to connect. Every finder of an owner's rows takes the owner first.

A few cross owners on purpose: several owners may connect the same account on a platform, and what the platform reports
about it concerns all of them.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import (
    IS_NOT_DISCONNECTED,
    LISTED_COLUMNS,
    ConnectStateRow,
    ListedAccountRow,
    accounts,
    connect_states,
    grants,
    read_account,
    read_connect_state,
    read_listed_account,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.platforms import AD_KINDS
from socialgate.core.caller import Caller
from socialgate.core.db import Tx, UtcDateTime, inline_literal
from socialgate.core.jobs.queue import RowQueue
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import ListQuery, PreparedList

_NO_VALUES: Mapping[str, Any] = MappingProxyType({})
# Asked for each call of a platform and each message that comes in, so they are built once.
_SELECT_BY_ID = sa.select(accounts).where(
    accounts.c.owner_id == sa.bindparam("owner"), accounts.c.id == sa.bindparam("account"), IS_NOT_DISCONNECTED
)
_SELECT_BY_ID_FOR_UPDATE = _SELECT_BY_ID.with_for_update()
_SELECT_BY_PLATFORM_ID = sa.select(accounts).where(
    accounts.c.platform == sa.bindparam("platform"),
    accounts.c.kind == sa.bindparam("kind"),
    accounts.c.platform_account_id == sa.bindparam("account"),
    IS_NOT_DISCONNECTED,
)

# The accounts whose check is due: connected ones, and lost ones that the platform reports to work again.
_IS_LOST = accounts.c.status == "needs_reconnection"
_CAN_BE_CHECKED = sa.or_(accounts.c.status == "connected", _IS_LOST)
# The suspicion about a lost account that is reported to work again.
ACCESS_RESTORED_SUSPICION = "restored"
CHECK_QUEUE = RowQueue(accounts, read_account, due="check_at", claim="check_claim", where=_CAN_BE_CHECKED)


async def find_account(tx: Tx, owner_id: str, account_id: str) -> AccountRow | None:
    return await tx.first_as(_SELECT_BY_ID, read_account, {"owner": owner_id, "account": account_id})


async def find_account_for_change(tx: Tx, owner_id: str, account_id: str) -> AccountRow | None:
    return await tx.first_as(_SELECT_BY_ID_FOR_UPDATE, read_account, {"owner": owner_id, "account": account_id})


async def find_by_platform_id(tx: Tx, owner_id: str, kind: str, platform_account_id: str) -> AccountRow | None:
    return await tx.first_as(_select_by_platform_id(owner_id, kind, platform_account_id), read_account)


async def find_by_platform_id_for_change(
    tx: Tx, owner_id: str, kind: str, platform_account_id: str
) -> AccountRow | None:
    return await tx.first_as(
        _select_by_platform_id(owner_id, kind, platform_account_id).with_for_update(), read_account
    )


def _select_by_platform_id(owner_id: str, kind: str, platform_account_id: str) -> sa.Select[Any]:
    return sa.select(accounts).where(
        accounts.c.owner_id == owner_id,
        accounts.c.kind == kind,
        accounts.c.platform_account_id == platform_account_id,
        IS_NOT_DISCONNECTED,
    )


async def insert_account(tx: Tx, owner_id: str, values: dict[str, Any]) -> AccountRow:
    return read_account(await tx.one(sa.insert(accounts).values(owner_id=owner_id, **values).returning(accounts)))


async def update_account(tx: Tx, owner_id: str, account_id: str, values: dict[str, Any]) -> AccountRow:
    statement = (
        sa.update(accounts)
        .where(accounts.c.owner_id == owner_id, accounts.c.id == account_id)
        .values(**values)
        .returning(accounts)
    )
    return read_account(await tx.one(statement))


async def mark_lost(tx: Tx, row: AccountRow, reason: str, *, checked: bool = False) -> AccountRow | None:
    """Mark a connected account as lost. Only the first caller gets the row.

    If that is the result of a check, what the platform reported during the check is newer.
    """
    is_same = sa.and_(_is_unchanged(row), accounts.c.status == "connected")
    statement = (
        sa.update(accounts)
        .where(sa.and_(is_same, accounts.c.suspicion.is_not_distinct_from(row.suspicion)) if checked else is_same)
        .values(
            status="needs_reconnection",
            lost_at=tx.now,
            lost_reason=reason,
            suspicion=None,
            check_at=None,
            updated_at=tx.now,
        )
        .returning(accounts)
    )
    return await tx.first_as(statement, read_account)


def _is_unchanged(row: AccountRow) -> sa.ColumnElement[bool]:
    """Whether an account is still the one that was read before its platform was called.

    If it was reconnected in the meantime, its tokens are not those that the response is about.
    """
    return sa.and_(
        accounts.c.owner_id == row.owner_id,
        accounts.c.id == row.id,
        accounts.c.status == row.status,
        accounts.c.connected_at == row.connected_at,
    )


def _limit_to_caller(caller: Caller, statement: sa.Select[Any]) -> sa.Select[Any]:
    if caller.allowed_profile_ids is None:
        return statement
    return statement.where(accounts.c.profile_id.in_(sorted(caller.allowed_profile_ids)))


async def list_accounts_page(
    tx: Tx, owner_id: str, caller: Caller, query: ListQuery, *, ads: bool, where: Mapping[str, str | None]
) -> list[ListedAccountRow]:
    """List accounts, or ad accounts, with the renewal of their grants."""
    listing, values = _build_listing(caller, where, ads=ads)
    return await listing.fetch_rows(tx, query, read_listed_account, owner=owner_id, **values)


async def list_all_rows_page(
    tx: Tx, owner_id: str, caller: Caller, query: ListQuery, where: Mapping[str, str | None]
) -> list[AccountRow]:
    """List accounts and ad accounts as whole rows."""
    listing, values = _build_listing(caller, where, ads=None)
    return await listing.fetch_rows(tx, query, read_account, owner=owner_id, **values)


def _build_listing(
    caller: Caller, where: Mapping[str, str | None], *, ads: bool | None
) -> tuple[PreparedList, Mapping[str, Any]]:
    params = {name: value for name, value in where.items() if value is not None}
    scope = {} if caller.allowed_profile_ids is None else {"scope": sorted(caller.allowed_profile_ids)}
    return _build_prepared_listing(ads=ads, columns=tuple(params), scoped=bool(scope)), {**params, **scope}


async def list_by_profile(tx: Tx, owner_id: str, profile_id: str) -> list[AccountRow]:
    """List the accounts and ad accounts of a profile."""
    statement = sa.select(accounts).where(
        accounts.c.owner_id == owner_id, accounts.c.profile_id == profile_id, IS_NOT_DISCONNECTED
    )
    return await tx.all_as(statement.order_by(accounts.c.id), read_account)


async def list_by_kind(tx: Tx, owner_id: str, kind: str) -> list[AccountRow]:
    """List the connected accounts of one kind, in all profiles."""
    statement = sa.select(accounts).where(accounts.c.owner_id == owner_id, accounts.c.kind == kind, IS_NOT_DISCONNECTED)
    return await tx.all_as(statement.order_by(accounts.c.id), read_account)


async def count_by_profile(tx: Tx, owner_id: str) -> dict[str, int]:
    """Count the accounts and ad accounts of each profile that has any."""
    statement = sa.select(accounts.c.profile_id, sa.func.count().label("number"))
    statement = statement.where(accounts.c.owner_id == owner_id, IS_NOT_DISCONNECTED)
    rows = await tx.all(statement.group_by(accounts.c.profile_id))
    return {row.profile_id: int(row.number) for row in rows}


async def find_listed_account(tx: Tx, owner_id: str, account_id: str) -> ListedAccountRow | None:
    statement = _SELECT_LISTED.where(accounts.c.owner_id == owner_id, accounts.c.id == account_id, IS_NOT_DISCONNECTED)
    return await tx.first_as(statement, read_listed_account)


_ACCOUNTS_JOIN_GRANTS = accounts.outerjoin(
    grants, sa.and_(grants.c.owner_id == accounts.c.owner_id, grants.c.id == accounts.c.grant_id)
)
_SELECT_LISTED = sa.select(*LISTED_COLUMNS).select_from(_ACCOUNTS_JOIN_GRANTS)
# Only ad accounts show something of their details. Decoding them took a thirtieth of the time of a list.
_SELECT_LISTED_WITHOUT_DETAILS = _SELECT_LISTED.with_only_columns(
    *(sa.null().label(column.key) if column is accounts.c.details else column for column in LISTED_COLUMNS)
)


@cache
def _build_prepared_listing(*, ads: bool | None, columns: tuple[str, ...], scoped: bool) -> PreparedList:
    listed = _SELECT_LISTED if ads else _SELECT_LISTED_WITHOUT_DETAILS
    statement = sa.select(accounts) if ads is None else listed.where(_is_ad(ads=ads))
    statement = statement.where(accounts.c.owner_id == sa.bindparam("owner"), IS_NOT_DISCONNECTED)
    for column in columns:
        statement = statement.where(accounts.c[column] == sa.bindparam(column))
    if scoped:
        statement = statement.where(is_one_of(accounts.c.profile_id, "scope"))
    return PreparedList(statement, accounts.c.id, "acc", "adacc")


def _is_ad(*, ads: bool) -> sa.ColumnElement[bool]:
    kinds = [inline_literal(kind) for kind in sorted(AD_KINDS)]
    return accounts.c.kind.in_(kinds) if ads else accounts.c.kind.not_in(kinds)


async def count_by_health(tx: Tx, owner_id: str, caller: Caller, profile_id: str | None) -> dict[tuple[str, str], int]:
    """Count the accounts by status and by the result of their last check."""
    message = accounts.c.health["status"].as_string()
    statement = sa.select(accounts.c.status, message.label("said"), sa.func.count().label("number")).where(
        accounts.c.owner_id == owner_id, IS_NOT_DISCONNECTED
    )
    if profile_id is not None:
        statement = statement.where(accounts.c.profile_id == profile_id)
    rows = await tx.all(_limit_to_caller(caller, statement).group_by(accounts.c.status, message))
    return {(row.status, row.said or "unknown"): row.number for row in rows}


async def count_accounts_of_subject(tx: Tx, platform: str, subject: str, account_ids: Collection[str]) -> int:
    """Count the live accounts of all owners, except these, that use a grant from the same person."""
    statement = (
        sa.select(sa.func.count())
        .select_from(_ACCOUNTS_JOIN_GRANTS)
        .where(
            grants.c.platform == platform,
            grants.c.subject == subject,
            IS_NOT_DISCONNECTED,
            accounts.c.id.not_in(list(account_ids)),
        )
    )
    return int(await tx.scalar(statement))


async def count_accounts_of_registration(tx: Tx, platform: str, inbound_key: str) -> int:
    """Count the live accounts of all owners that share this webhook registration."""
    statement = sa.select(sa.func.count()).where(
        accounts.c.platform == platform, accounts.c.inbound_key == inbound_key, IS_NOT_DISCONNECTED
    )
    return int(await tx.scalar(statement))


async def list_by_subject(tx: Tx, platform: str, subject: str) -> list[AccountRow]:
    statement = (
        sa.select(accounts)
        .select_from(_ACCOUNTS_JOIN_GRANTS)
        .where(grants.c.platform == platform, grants.c.subject == subject)
    )
    return await tx.all_as(statement.where(IS_NOT_DISCONNECTED), read_account)


async def list_by_refresh_token_alias(tx: Tx, platform: str, mark: str) -> list[AccountRow]:
    statement = (
        sa.select(accounts)
        .select_from(_ACCOUNTS_JOIN_GRANTS)
        .where(grants.c.platform == platform, grants.c.token_marks.contains(mark, autoescape=True), IS_NOT_DISCONNECTED)
    )
    return await tx.all_as(statement, read_account)


async def list_by_platform_id(tx: Tx, platform: str, kind: str, platform_account_id: str) -> list[AccountRow]:
    values = {"platform": platform, "kind": kind, "account": platform_account_id}
    return await tx.all_as(_SELECT_BY_PLATFORM_ID, read_account, values)


async def list_connected_accounts_after(tx: Tx, account_id: str, most: int) -> list[AccountRow]:
    """List the connected accounts of all owners, ordered by id."""
    statement = sa.select(accounts).where(accounts.c.id > account_id, IS_NOT_DISCONNECTED)
    return await tx.all_as(statement.order_by(accounts.c.id).limit(most), read_account)


async def list_by_inbound_key(tx: Tx, platform: str, inbound_key: str) -> list[AccountRow]:
    statement = sa.select(accounts).where(
        accounts.c.platform == platform, accounts.c.inbound_key == inbound_key, IS_NOT_DISCONNECTED
    )
    return await tx.all_as(statement, read_account)


async def list_by_grant_for_change(tx: Tx, owner_id: str, grant_id: str) -> list[AccountRow]:
    statement = sa.select(accounts).where(
        accounts.c.owner_id == owner_id, accounts.c.grant_id == grant_id, IS_NOT_DISCONNECTED
    )
    return await tx.all_as(statement.order_by(accounts.c.id).with_for_update(), read_account)


async def request_check_of_loss(tx: Tx, rows: Sequence[AccountRow], reason: str) -> int:
    """Have accounts checked immediately, because the platform says that they are lost: connected ones, and lost ones
    that are being checked because it said the opposite.
    """
    is_checked = sa.or_(accounts.c.status == "connected", sa.and_(_IS_LOST, accounts.c.check_at.is_not(None)))
    changed = 0
    for row in rows:
        changed += await tx.execute_and_count(
            sa.update(accounts)
            .where(accounts.c.owner_id == row.owner_id, accounts.c.id == row.id, is_checked)
            .values(suspicion=reason, check_at=tx.now, **CHECK_QUEUE.unclaimed_values)
        )
    return changed


async def request_check(tx: Tx, row: AccountRow, *, unless_checked: bool = False) -> None:
    """Have an account checked immediately, even if a check is in progress: its result may be outdated."""
    is_same = sa.and_(_is_unchanged(row), accounts.c.status == "connected")
    statement = sa.update(accounts).where(is_same).values(check_at=tx.now, **CHECK_QUEUE.unclaimed_values)
    await tx.execute(statement.where(accounts.c.checked_at.is_(None)) if unless_checked else statement)


async def request_check_of_recovery(tx: Tx, row: AccountRow) -> int:
    """Have an account checked immediately, because the platform says that it works again: a lost one, or one that is
    suspected to be lost. The result of a check in progress is outdated.
    """
    is_doubted = sa.or_(_IS_LOST, sa.and_(accounts.c.status == "connected", accounts.c.suspicion.is_not(None)))
    values = {
        "suspicion": sa.case((_IS_LOST, sa.literal(ACCESS_RESTORED_SUSPICION))),
        "check_at": tx.now,
        **CHECK_QUEUE.unclaimed_values,
    }
    return await tx.execute_and_count(sa.update(accounts).where(_is_unchanged(row), is_doubted).values(**values))


async def save_check(
    tx: Tx, row: AccountRow, check_at: datetime | None, result: Mapping[str, Any] = _NO_VALUES
) -> bool:
    """Write the result of a check, unless the account was lost, reconnected, suspected or checked in the meantime: then
    return False.

    A suspicion that arrived during a check is newer than its result and needs another check. If the time of the next
    check was changed in the meantime, it is kept.
    """
    unchanged = sa.and_(
        accounts.c.suspicion.is_not_distinct_from(row.suspicion),
        accounts.c.checked_at.is_not_distinct_from(row.checked_at),
    )
    next_at = sa.case(
        (accounts.c.check_at.is_not_distinct_from(row.check_at), sa.literal(check_at, UtcDateTime)),
        else_=accounts.c.check_at,
    )
    values = {"check_at": next_at, **CHECK_QUEUE.unclaimed_values, **result}
    return await tx.execute_and_count(sa.update(accounts).where(_is_unchanged(row), unchanged).values(**values)) > 0


async def count_connected_accounts_of_kind(tx: Tx, platform: str, kind: str) -> int:
    """Count the connected accounts of a kind, of all owners: they share the quota of the deployment's app."""
    which = accounts.c.platform == platform, accounts.c.kind == kind, IS_NOT_DISCONNECTED
    return int(await tx.scalar(sa.select(sa.func.count()).where(*which)))


async def insert_connect_state(tx: Tx, values: dict[str, Any]) -> None:
    await tx.execute(sa.insert(connect_states).values(**values))


async def find_connect_state(tx: Tx, state_hash: str, platform: str) -> ConnectStateRow | None:
    """Like `consume_connect_state`, for callers that only read."""
    return await tx.first_as(
        sa.select(connect_states).where(_is_usable_state(tx, state_hash, platform)), read_connect_state
    )


async def consume_connect_state(tx: Tx, state_hash: str, platform: str) -> ConnectStateRow | None:
    """Use a state for the only time. Of twenty concurrent callers, one gets it."""
    statement = (
        sa.update(connect_states)
        .where(_is_usable_state(tx, state_hash, platform))
        .values(used_at=tx.now)
        .returning(connect_states)
    )
    return await tx.first_as(statement, read_connect_state)


def _is_usable_state(tx: Tx, state_hash: str, platform: str) -> sa.ColumnElement[bool]:
    return sa.and_(
        connect_states.c.state_hash == state_hash,
        connect_states.c.platform == platform,
        connect_states.c.used_at.is_(None),
        connect_states.c.expires_at > tx.now,
    )


async def purge_connect_states(tx: Tx, now: datetime) -> int:
    return await tx.execute_and_count(
        sa.delete(connect_states).where(connect_states.c.expires_at < now - timedelta(days=1))
    )
