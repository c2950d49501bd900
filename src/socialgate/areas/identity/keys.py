"""API keys: created, listed, changed and revoked by a signed-in user."""

from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec
from msgspec import UNSET

from socialgate.areas.identity import store
from socialgate.areas.identity.schemas import ApiKey, ApiKeyChanges, ApiKeyCreated, ApiKeyRevoked, NewApiKey
from socialgate.areas.identity.store import ApiKeyRow
from socialgate.areas.identity.tokens import generate_api_key, hash_token, mask_api_key
from socialgate.contracts.hooks import KeyHookService
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.ids import new_id
from socialgate.web.etags import ExpectedVersion, get_next_updated_at
from socialgate.web.pagination import ListQuery, build_page_from_rows
from socialgate.web.schemas import Page

# The last times of the calendar cannot be converted to UTC.
_MAX_EXPIRY = datetime(9999, 1, 1, tzinfo=UTC)


class ApiKeyService:
    def __init__(self, profiles: ProfileDirectory, hooks: KeyHookService, *, is_test: bool) -> None:
        self._profiles = profiles
        self._hooks = hooks
        self._test = is_test

    async def create(self, tx: Tx, owner_id: str, new: NewApiKey) -> ApiKeyCreated:
        profile_ids = _validate_profile_ids(new)
        if profile_ids is not None:
            await self._require_profiles(tx, owner_id, profile_ids)
        _require_future(tx.now, new.expires_at)
        key = generate_api_key(test=self._test)
        row = ApiKeyRow(
            owner_id=owner_id,
            id=new_id("key"),
            name=new.name,
            key_hash=hash_token(key),
            preview=mask_api_key(key),
            profile_ids=profile_ids,
            permission=new.permission,
            expires_at=new.expires_at,
            last_used_at=None,
            created_at=tx.now,
            updated_at=tx.now,
        )
        stored = await store.insert_api_key(tx, row)
        return ApiKeyCreated(**msgspec.structs.asdict(build_api_key_view(stored)), key=key)

    async def list(self, tx: Tx, owner_id: str, query: ListQuery) -> Page[ApiKey]:
        return build_page_from_rows(await store.list_api_keys_page(tx, owner_id, query), query, build_api_key_view)

    async def change(
        self, tx: Tx, caller: Caller, key_id: str, changes: ApiKeyChanges, expected: ExpectedVersion
    ) -> ApiKey:
        row = await self._find(tx, caller.owner_id, key_id)
        expected.require_updated_at(row.updated_at)
        values = {name: v for name, v in msgspec.structs.asdict(changes).items() if v is not UNSET}
        if "profile_ids" in values:
            if row.profile_ids is None:
                raise InvalidRequest.for_field(
                    "/profileIds", "contradiction", "This key covers all profiles. Create a new key to limit it."
                )
            values["profile_ids"] = sorted(set(values["profile_ids"]))
            await self._require_profiles(tx, caller.owner_id, values["profile_ids"])
            await self._hooks.restrict_to_profiles(tx, caller.owner_id, key_id, values["profile_ids"])
        _require_future(tx.now, values.get("expires_at"))
        values["updated_at"] = get_next_updated_at(tx.now, row.updated_at)
        return build_api_key_view(await store.save_api_key(tx, msgspec.structs.replace(row, **values)))

    async def revoke(self, tx: Tx, caller: Caller, key_id: str) -> ApiKeyRevoked:
        await store.revoke_api_key(tx, await self._find(tx, caller.owner_id, key_id))
        return ApiKeyRevoked(id=key_id, hooks=await self._hooks.list_created_by_key(tx, caller.owner_id, key_id))

    async def _find(self, tx: Tx, owner_id: str, key_id: str) -> ApiKeyRow:
        row = await store.find_api_key(tx, owner_id, key_id)
        if row is None:
            raise NotFound("There is no API key with this id. GET /api-keys lists the existing ones.")
        return row

    async def _require_profiles(self, tx: Tx, owner_id: str, profile_ids: Sequence[str]) -> None:
        unknown = await self._profiles.find_unknown_ids(tx, owner_id, profile_ids)
        if unknown:
            raise InvalidRequest.for_field(
                "/profileIds",
                "not_found",
                f"There is no profile `{unknown[0]}`. GET /profiles lists the existing ones.",
            )


def build_api_key_view(row: ApiKeyRow) -> ApiKey:
    return ApiKey(
        id=row.id,
        name=row.name,
        preview=row.preview,
        scope="all" if row.profile_ids is None else "profiles",
        profile_ids=row.profile_ids or [],
        permission=row.permission,
        expires_at=row.expires_at,
        last_used_at=row.last_used_at,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _validate_profile_ids(new: NewApiKey) -> list[str] | None:
    if new.scope == "all":
        if new.profile_ids is not UNSET:
            raise InvalidRequest.for_field(
                "/profileIds", "contradiction", 'Omit profileIds, or set scope to "profiles".'
            )
        return None
    if new.profile_ids is UNSET:
        raise InvalidRequest.for_field(
            "/profileIds", "required", 'The scope "profiles" needs profileIds with at least one profile.'
        )
    return sorted(set(new.profile_ids))


def _require_future(now: datetime, expires_at: datetime | None) -> None:
    if expires_at is None:
        return
    if expires_at <= now:
        raise InvalidRequest.for_field("/expiresAt", "in_the_past", "expiresAt must be in the future.")
    if expires_at >= _MAX_EXPIRY:
        raise InvalidRequest.for_field(
            "/expiresAt", "too_late", "expiresAt must be before the year 9999. Omit it for a key that never expires."
        )
