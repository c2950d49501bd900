"""Looks up the caller of a token. This runs on every request, so results are cached for half a second.

Half a second is the longest that a revoked credential works on another node; on the node that revokes it, it stops
immediately.
"""

import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import datetime, timedelta

from socialgate.areas.identity import store
from socialgate.areas.identity.store import ApiKeyRow
from socialgate.areas.identity.tokens import API_KEY_PREFIXES, SESSION_TOKEN_PREFIX, hash_token, is_api_key
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import StorageFull

CACHE_SECONDS = 0.5
SESSION_IDLE_TIMEOUT = timedelta(days=14)
_LAST_SEEN_UPDATE_INTERVAL = timedelta(minutes=1)
_MAX_CACHED_CALLERS = 10_000


class TokenAuthenticator:
    def __init__(self, db: Database) -> None:
        self._db = db
        self._cache: dict[bytes, tuple[float, Caller]] = {}

    async def authenticate(self, token: str) -> Caller | None:
        token_hash = hash_token(token)
        until, caller = self._cache.get(token_hash, (0.0, None))
        if caller is not None and until > time.monotonic():
            return caller
        if not (token.startswith(SESSION_TOKEN_PREFIX) or is_api_key(token)):
            return None
        caller = await (
            self._authenticate_session(token_hash)
            if token.startswith(SESSION_TOKEN_PREFIX)
            else self._authenticate_api_key(token_hash)
        )
        if caller is not None:
            self._cache_caller(token_hash, caller)
        return caller

    async def explain_rejection(self, token: str) -> str:
        if token.startswith(SESSION_TOKEN_PREFIX):
            return await self._explain_no_session(hash_token(token))
        if is_api_key(token):
            return await self._explain_no_key(hash_token(token))
        if token.startswith(API_KEY_PREFIXES):
            return "This is not a complete API key, or it has a typo: its checksum is wrong. Copy the whole key."
        return (
            "This is neither an API key nor a session token. API keys start with sg_live_ or sg_test_, and a signed-in "
            "user creates them with POST /api-keys."
        )

    async def _explain_no_session(self, token_hash: bytes) -> str:
        row = await self._db.read(store.find_session_by_hash, token_hash)
        if row is None:
            return "The session is unknown, or has ended. Sign in again with POST /auth/login."
        ended_at = min(row.expires_at, row.last_seen_at + SESSION_IDLE_TIMEOUT)
        return f"The session expired at {_format_time(ended_at)}. Sign in again with POST /auth/login."

    async def _explain_no_key(self, token_hash: bytes) -> str:
        row = await self._db.read(store.find_api_key_by_hash, token_hash)
        if row is not None and row.expires_at is not None:
            expired_at = _format_time(row.expires_at)
            return f"The API key expired at {expired_at}. Create a new one, or give it another `expiresAt`."
        revoked_at = await self._db.read(store.find_revocation, token_hash)
        if revoked_at is not None:
            return f"The API key was revoked at {_format_time(revoked_at)}. Create a new one."
        return "There is no such API key here. Check that it belongs to this deployment, or create a new one."

    def invalidate_owner(self, owner_id: str) -> None:
        """Drop an owner's credentials from the cache, because one of them changed."""
        self._cache = {token_hash: kept for token_hash, kept in self._cache.items() if kept[1].owner_id != owner_id}

    def _cache_caller(self, token_hash: bytes, caller: Caller) -> None:
        if len(self._cache) >= _MAX_CACHED_CALLERS:
            self._cache.clear()
        self._cache[token_hash] = (time.monotonic() + CACHE_SECONDS, caller)

    async def _authenticate_session(self, token_hash: bytes) -> Caller | None:
        row = await self._db.read(store.find_session_by_hash, token_hash)
        now = self._db.clock.now()
        if row is None or row.expires_at <= now or row.last_seen_at + SESSION_IDLE_TIMEOUT <= now:
            return None
        if _should_update_last_seen(row.last_seen_at, now):
            await self._record_use(store.touch_session, row.owner_id, row.id)
        return Caller(owner_id=row.owner_id, credential_id=row.id, user_id=row.user_id)

    async def _authenticate_api_key(self, token_hash: bytes) -> Caller | None:
        row = await self._db.read(store.find_api_key_by_hash, token_hash)
        now = self._db.clock.now()
        if row is None or (row.expires_at is not None and row.expires_at <= now):
            return None
        if _should_update_last_seen(row.last_used_at, now):
            await self._record_use(store.touch_api_key, row.owner_id, row.id)
        return _build_key_caller(row)

    async def _record_use(
        self, unit: Callable[[Tx, str, str], Awaitable[None]], owner_id: str, credential_id: str
    ) -> None:
        """Record when a credential was last used. On a full disk that is skipped, because reading must still work."""
        with suppress(StorageFull):
            await self._db.write(unit, owner_id, credential_id)


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"


def _should_update_last_seen(seen: datetime | None, now: datetime) -> bool:
    return seen is None or seen + _LAST_SEEN_UPDATE_INTERVAL <= now


def _build_key_caller(row: ApiKeyRow) -> Caller:
    return Caller(
        owner_id=row.owner_id,
        credential_id=row.id,
        permission=row.permission,
        allowed_profile_ids=None if row.profile_ids is None else frozenset(row.profile_ids),
    )
