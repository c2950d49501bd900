from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core.caller import Caller
from socialgate.core.db import Id, Tx, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader, get_non_key_values
from socialgate.core.statements import is_one_of
from socialgate.web.pagination import ListQuery, PreparedList

profiles = sa.Table(
    "profiles",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("description", sa.String(500)),
    sa.Column("timezone", sa.String(64), nullable=False),
    # Updated when an account is connected or disconnected, in the same transaction.
    sa.Column("account_count", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Column("updated_at", UtcDateTime, nullable=False),
    # How files of posts are made to fit if a post does not say. Null: automatically.
    sa.Column("fit", sa.JSON(none_as_null=True)),
)


class ProfileRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    name: str
    description: str | None
    timezone: str
    account_count: int
    created_at: datetime
    updated_at: datetime
    fit: dict[str, Any] | None = None


read_profile = build_row_reader(ProfileRow, profiles)

_SELECT_BY_OWNER = sa.select(profiles).where(profiles.c.owner_id == sa.bindparam("owner_id"))
_ALL_PROFILES = PreparedList(_SELECT_BY_OWNER, profiles.c.id, "prf")
_SELECTED_PROFILES = PreparedList(_SELECT_BY_OWNER.where(is_one_of(profiles.c.id, "ids")), profiles.c.id, "prf")
_SELECT_NAMES = sa.select(profiles.c.id, profiles.c.name).where(profiles.c.owner_id == sa.bindparam("owner_id"))
_SELECT_EXISTING_IDS = sa.select(profiles.c.id).where(
    profiles.c.owner_id == sa.bindparam("owner_id"), is_one_of(profiles.c.id, "ids")
)
_SELECT_TIMEZONE = sa.select(profiles.c.timezone).where(
    profiles.c.owner_id == sa.bindparam("owner_id"), profiles.c.id == sa.bindparam("id")
)

_FIT = sa.select(profiles.c.fit).where(
    profiles.c.owner_id == sa.bindparam("owner_id"), profiles.c.id == sa.bindparam("id")
)


async def insert_profile(tx: Tx, profile: ProfileRow) -> None:
    await tx.execute(sa.insert(profiles), msgspec.structs.asdict(profile))


async def find_profile(tx: Tx, owner_id: str, profile_id: str) -> ProfileRow | None:
    return await tx.first_as(_select_profile(owner_id, profile_id), read_profile)


async def find_profile_for_change(tx: Tx, owner_id: str, profile_id: str) -> ProfileRow | None:
    return await tx.first_as(_select_profile(owner_id, profile_id).with_for_update(), read_profile)


def _select_profile(owner_id: str, profile_id: str) -> sa.Select[Any]:
    return sa.select(profiles).where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id)


async def count_profiles(tx: Tx, owner_id: str) -> int:
    return int(await tx.scalar(sa.select(sa.func.count()).where(profiles.c.owner_id == owner_id)))


async def delete_profile(tx: Tx, owner_id: str, profile_id: str) -> None:
    await tx.execute(sa.delete(profiles).where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id))


async def save_profile(tx: Tx, profile: ProfileRow) -> None:
    """Write a profile that was found."""
    statement = sa.update(profiles).where(profiles.c.owner_id == profile.owner_id, profiles.c.id == profile.id)
    await tx.execute(statement.values(**get_non_key_values(profile, profiles)))


async def list_profiles_page(tx: Tx, owner_id: str, caller: Caller, query: ListQuery) -> list[ProfileRow]:
    if caller.allowed_profile_ids is None:
        return await _ALL_PROFILES.fetch_rows(tx, query, read_profile, owner_id=owner_id)
    return await _SELECTED_PROFILES.fetch_rows(
        tx, query, read_profile, owner_id=owner_id, ids=sorted(caller.allowed_profile_ids)
    )


async def list_names(tx: Tx, owner_id: str, caller: Caller) -> dict[str, str]:
    """Return the names of all profiles, by their ids."""
    names = {row.id: row.name for row in await tx.all(_SELECT_NAMES, {"owner_id": owner_id})}
    return {profile_id: name for profile_id, name in names.items() if caller.can_access_profiles(profile_id)}


async def list_existing_ids(tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> set[str]:
    return {row.id for row in await tx.all(_SELECT_EXISTING_IDS, {"owner_id": owner_id, "ids": profile_ids})}


async def find_fit(tx: Tx, owner_id: str, profile_id: str) -> dict[str, Any] | None:
    fit: dict[str, Any] | None = await tx.scalar(_FIT, {"owner_id": owner_id, "id": profile_id})
    return fit


async def find_timezone(tx: Tx, owner_id: str, profile_id: str) -> str | None:
    zone: str | None = await tx.scalar(_SELECT_TIMEZONE, {"owner_id": owner_id, "id": profile_id})
    return zone


async def adjust_account_count(tx: Tx, owner_id: str, profile_id: str, change: int) -> bool:
    """Count accounts that were connected or disconnected. Returns False if the profile no longer exists."""
    statement = sa.update(profiles).where(profiles.c.owner_id == owner_id, profiles.c.id == profile_id)
    return bool(await tx.execute_and_count(statement.values(account_count=profiles.c.account_count + change)))
