from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from socialgate.areas.profiles import store
from socialgate.areas.profiles.schemas import NewProfile, Profile, ProfileChanges
from socialgate.areas.profiles.store import ProfileRow
from socialgate.contracts.profiles import LastProfileError, ProfileDeleted, ProfileNotEmptyError
from socialgate.contracts.renditions import Fit
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.ids import new_id
from socialgate.web.etags import ExpectedVersion, get_next_updated_at
from socialgate.web.pagination import ListQuery, build_page_from_rows
from socialgate.web.schemas import Page
from socialgate.web.similar import describe_unknown_timezone


class ProfileService:
    async def create(self, tx: Tx, caller: Caller, new: NewProfile) -> Profile:
        caller.require_all_profiles("create profiles")
        _require_timezone(new.timezone)
        return _build_profile_view(await self._add(tx, caller.owner_id, new))

    async def list(self, tx: Tx, caller: Caller, query: ListQuery) -> Page[Profile]:
        return build_page_from_rows(
            await store.list_profiles_page(tx, caller.owner_id, caller, query), query, _build_profile_view
        )

    async def list_names(self, tx: Tx, caller: Caller) -> Mapping[str, str]:
        """Return the names of all profiles, by their ids, for whoever shows what belongs to them."""
        return await store.list_names(tx, caller.owner_id, caller)

    async def show(self, tx: Tx, caller: Caller, profile_id: str) -> Profile:
        return _build_profile_view(_require_profile(caller, await store.find_profile(tx, caller.owner_id, profile_id)))

    async def change(
        self, tx: Tx, caller: Caller, profile_id: str, changes: ProfileChanges, expected: ExpectedVersion
    ) -> Profile:
        row = _require_profile(caller, await store.find_profile_for_change(tx, caller.owner_id, profile_id))
        expected.require_updated_at(row.updated_at)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if values.get("fit") is not None:
            values["fit"] = msgspec.to_builtins(values["fit"])
        if "timezone" in values:
            _require_timezone(values["timezone"])
        updated_at = get_next_updated_at(tx.now, row.updated_at)
        changed = msgspec.structs.replace(row, **values, updated_at=updated_at)
        await store.save_profile(tx, changed)
        return _build_profile_view(changed)

    async def create_default(self, tx: Tx, owner_id: str) -> str:
        return (await self._add(tx, owner_id, NewProfile(name="Default", timezone="UTC"))).id

    async def get_oldest_id(self, tx: Tx, owner_id: str) -> str:
        oldest = sa.select(sa.func.min(store.profiles.c.id)).where(store.profiles.c.owner_id == owner_id)
        return str(await tx.scalar(oldest))

    async def find_unknown_ids(self, tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> Sequence[str]:
        known = await store.list_existing_ids(tx, owner_id, profile_ids)
        return [profile_id for profile_id in profile_ids if profile_id not in known]

    async def require_access(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        if profile_id not in await store.list_existing_ids(tx, caller.owner_id, [profile_id]):
            raise NotFound("There is no profile with this id. GET /profiles lists the existing ones.")
        caller.require_profile_access(profile_id)

    async def get_timezone(self, tx: Tx, owner_id: str, profile_id: str) -> str:
        return await store.find_timezone(tx, owner_id, profile_id) or "UTC"

    async def get_fit(self, tx: Tx, owner_id: str, profile_id: str) -> Fit:
        stored = await store.find_fit(tx, owner_id, profile_id)
        return Fit() if stored is None else msgspec.convert(stored, Fit)

    async def adjust_account_count(self, tx: Tx, owner_id: str, profile_id: str, delta: int) -> None:
        if not await store.adjust_account_count(tx, owner_id, profile_id, delta):
            raise NotFound("The profile was deleted in the meantime. GET /profiles lists the existing ones.")

    async def delete(self, tx: Tx, caller: Caller, profile_id: str) -> None:
        # If two profiles are deleted at the same time, each must not believe that the other remains.
        await tx.lock(f"profiles {caller.owner_id}")
        row = _require_profile(caller, await store.find_profile_for_change(tx, caller.owner_id, profile_id))
        if row.account_count:
            raise ProfileNotEmptyError(
                f"The profile has {row.account_count} accounts. Disconnect them or move them to another profile, or "
                "send ?force=true to disconnect them all."
            )
        if await store.count_profiles(tx, caller.owner_id) == 1:
            raise LastProfileError("This is the only profile. Create another one first: accounts and events need one.")
        await store.delete_profile(tx, caller.owner_id, profile_id)
        await tx.publish_fact(ProfileDeleted(profile_id=profile_id), caller.owner_id)

    async def _add(self, tx: Tx, owner_id: str, new: NewProfile) -> ProfileRow:
        profile = ProfileRow(
            owner_id=owner_id,
            id=new_id("prf"),
            name=new.name,
            description=new.description,
            timezone=new.timezone,
            account_count=0,
            created_at=tx.now,
            updated_at=tx.now,
            fit=None if new.fit is None else msgspec.to_builtins(new.fit),
        )
        await store.insert_profile(tx, profile)
        return profile


def _require_profile(caller: Caller, row: ProfileRow | None) -> ProfileRow:
    if row is None:
        raise NotFound("There is no profile with this id. GET /profiles lists the existing ones.")
    caller.require_profile_access(row.id)
    return row


def _require_timezone(name: str) -> None:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        # A folder of the time zone database, or a path out of it, is not a time zone either.
        raise InvalidRequest.for_field("/timezone", "unknown_timezone", describe_unknown_timezone(name)) from None


def _build_profile_view(row: ProfileRow) -> Profile:
    return Profile(
        id=row.id,
        name=row.name,
        description=row.description,
        timezone=row.timezone,
        fit=None if row.fit is None else msgspec.convert(row.fit, Fit),
        account_count=row.account_count,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
