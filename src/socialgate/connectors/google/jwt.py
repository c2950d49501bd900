"""Verifying that Google signed a token, with the public keys that it publishes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from socialgate.connectors.google.shapes import Jwk
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.clock import Clock

if TYPE_CHECKING:
    from jwt import PyJWK

Fetch: TypeAlias = Callable[[], Awaitable[Sequence[Jwk]]]

# Google rotates its keys every few days, and announces them before it uses them.
_GOOD_FOR = timedelta(hours=1)
# Anyone can send tokens with unknown key ids, and make us look for them.
_FLOOR = timedelta(seconds=30)
# Google's tokens have 1 to 2 KB.
_LONGEST = 64 * 1024
# We choose the algorithm: a token that may choose it can choose "none".
_ALGORITHM = "RS256"


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    iss: str | None = None
    aud: str | list[str] | None = None
    exp: float | None = None
    jti: str | None = None
    events: dict[str, Any] = {}

    def audiences(self) -> list[str]:
        return [self.aud] if isinstance(self.aud, str) else self.aud or []


class KeysUnavailable(Exception):
    """Google's keys could not be fetched, so a token with an unknown key cannot be verified."""


class Keys:
    """Google's keys by id. One fetch serves all who wait for it."""

    def __init__(self, fetch: Fetch, clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, PyJWK] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None
        self._fetching = asyncio.Lock()

    async def find(self, kid: str) -> "PyJWK | None":
        """Return a key, None if Google has none with this id."""
        if not self._is_known(kid):
            async with self._fetching:
                if not self._is_known(kid) and self._is_past(self._tried, _FLOOR):
                    await self._renew()
        # A key that was Google's an hour ago is better than none.
        if kid not in self._keys and self._fetched != self._tried:
            raise KeysUnavailable
        return self._keys.get(kid)

    def _is_known(self, kid: str) -> bool:
        return kid in self._keys and not self._is_past(self._fetched, _GOOD_FOR)

    def _is_past(self, moment: datetime | None, span: timedelta) -> bool:
        return moment is None or not timedelta() <= self._clock.now() - moment < span

    async def _renew(self) -> None:
        self._tried = self._clock.now()
        with suppress(PlatformFailure):
            found = await self._fetch()
            self._fetched = self._tried
            self._keys = {jwk.kid: key for jwk in found if jwk.kid and (key := _public_key(jwk)) is not None}


async def verified(token: str, keys: Keys) -> Claims | None:
    """Read a token that Google signed. Of an unsigned one, only the id of its key is read.

    Only the signature is verified: audience and expiry differ between the senders.
    """
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    if len(token) > _LONGEST or not token.isascii():
        return None
    try:
        kid = jwt.get_unverified_header(token).get("kid")
    except (jwt.PyJWTError, RecursionError):
        return None
    key = await keys.find(kid) if kid else None
    return _read(token, key) if key else None


def claims_of(token: str) -> Claims | None:
    """Read the claims of a token, without verifying its signature."""
    return _read(token, None)


def _read(token: str, key: "PyJWK | None") -> Claims | None:
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    try:
        said = jwt.PyJWS().decode(token, key or "", [_ALGORITHM], {"verify_signature": key is not None})
        return msgspec.json.decode(said, type=Claims)
    except (jwt.PyJWTError, msgspec.DecodeError, ValueError, RecursionError):
        return None


def _public_key(jwk: Jwk) -> "PyJWK | None":
    import jwt  # noqa: PLC0415 - takes a while, and only some webhooks need it

    try:
        return jwt.PyJWK(msgspec.to_builtins(jwk), _ALGORITHM)
    except (jwt.PyJWTError, ValueError):
        return None
