"""Verifying that Google signed a token, with the public keys that it publishes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from socialgate.connectors.google.responses import Jwk
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.clock import Clock

if TYPE_CHECKING:
    from jwt import PyJWK

FetchSigningKeys: TypeAlias = Callable[[], Awaitable[Sequence[Jwk]]]

# Google rotates its keys every few days, and announces them before it uses them.
_KEYS_TTL = timedelta(hours=1)
# Anyone can send tokens with unknown key ids, and make us look for them.
_MIN_FETCH_INTERVAL = timedelta(seconds=30)
# Google's tokens have 1 to 2 KB.
_MAX_TOKEN_LENGTH = 64 * 1024
# We choose the algorithm: a token that may choose it can choose "none".
_SIGNING_ALGORITHM = "RS256"


class JwtClaims(msgspec.Struct, frozen=True, kw_only=True):
    iss: str | None = None
    aud: str | list[str] | None = None
    exp: float | None = None
    jti: str | None = None
    events: dict[str, Any] = {}

    def list_audiences(self) -> list[str]:
        return [self.aud] if isinstance(self.aud, str) else self.aud or []


class KeysUnavailableError(Exception):
    """Google's keys could not be fetched, so a token with an unknown key cannot be verified."""


class SigningKeyCache:
    """Google's keys by id. One fetch serves all who wait for it."""

    def __init__(self, fetch: FetchSigningKeys, clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, PyJWK] = {}
        self._fetched_at: datetime | None = None
        self._attempted_at: datetime | None = None
        self._fetch_lock = asyncio.Lock()

    async def find(self, kid: str) -> "PyJWK | None":
        """Return a key, None if Google has none with this id."""
        if not self._is_known(kid):
            async with self._fetch_lock:
                if not self._is_known(kid) and self._is_older_than(self._attempted_at, _MIN_FETCH_INTERVAL):
                    await self._renew_keys()
        # A key that was Google's an hour ago is better than none.
        if kid not in self._keys and self._fetched_at != self._attempted_at:
            raise KeysUnavailableError
        return self._keys.get(kid)

    def _is_known(self, kid: str) -> bool:
        return kid in self._keys and not self._is_older_than(self._fetched_at, _KEYS_TTL)

    def _is_older_than(self, moment: datetime | None, span: timedelta) -> bool:
        return moment is None or not timedelta() <= self._clock.now() - moment < span

    async def _renew_keys(self) -> None:
        self._attempted_at = self._clock.now()
        with suppress(PlatformFailure):
            jwks = await self._fetch()
            self._fetched_at = self._attempted_at
            self._keys = {jwk.kid: key for jwk in jwks if jwk.kid and (key := _public_key(jwk)) is not None}


async def verify_token(token: str, keys: SigningKeyCache) -> JwtClaims | None:
    """Read a token that Google signed. Of an unsigned one, only the id of its key is read.

    Only the signature is verified: audience and expiry differ between the senders.
    """
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    if len(token) > _MAX_TOKEN_LENGTH or not token.isascii():
        return None
    try:
        kid = jwt.get_unverified_header(token).get("kid")
    except (jwt.PyJWTError, RecursionError):
        return None
    key = await keys.find(kid) if kid else None
    return _decode_claims(token, key) if key else None


def parse_unverified_claims(token: str) -> JwtClaims | None:
    """Read the claims of a token, without verifying its signature."""
    return _decode_claims(token, None)


def _decode_claims(token: str, key: "PyJWK | None") -> JwtClaims | None:
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    try:
        message = jwt.PyJWS().decode(token, key or "", [_SIGNING_ALGORITHM], {"verify_signature": key is not None})
        return msgspec.json.decode(message, type=JwtClaims)
    except (jwt.PyJWTError, msgspec.DecodeError, ValueError, RecursionError):
        return None


def _public_key(jwk: Jwk) -> "PyJWK | None":
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    try:
        return jwt.PyJWK(msgspec.to_builtins(jwk), _SIGNING_ALGORITHM)
    except (jwt.PyJWTError, ValueError):
        return None
