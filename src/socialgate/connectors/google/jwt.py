"""Whether Google signed a token, by the public keys that it publishes."""

import asyncio
import base64
import binascii
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias, TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers
from cryptography.hazmat.primitives.hashes import SHA256

from socialgate.connectors.google.shapes import Jwk
from socialgate.contracts.failures import PlatformFailure
from socialgate.core.clock import Clock

Fetch: TypeAlias = Callable[[], Awaitable[Sequence[Jwk]]]

# Google changes its keys every few days, and announces them before it uses them.
_GOOD_FOR = timedelta(hours=1)
# Anybody can send tokens that name keys which do not exist, and have us look for them.
_FLOOR = timedelta(seconds=30)
_PARTS = 3
# A token of Google's has 1 to 2 KB.
_LONGEST = 64 * 1024

T = TypeVar("T")


class Claims(msgspec.Struct, frozen=True, kw_only=True):
    iss: str | None = None
    aud: str | list[str] | None = None
    exp: float | None = None
    jti: str | None = None
    events: dict[str, Any] = {}

    def audiences(self) -> list[str]:
        return [self.aud] if isinstance(self.aud, str) else self.aud or []


class _Header(msgspec.Struct, frozen=True):
    alg: str | None = None
    kid: str | None = None


class KeysUnavailable(Exception):
    """Google's keys could not be had, so nothing can be said about a token that names one we do not know."""


class Keys:
    """Google's keys by their name. One fetch serves all who wait for it."""

    def __init__(self, fetch: Fetch, clock: Clock) -> None:
        self._fetch = fetch
        self._clock = clock
        self._keys: dict[str, RSAPublicKey] = {}
        self._fetched: datetime | None = None
        self._tried: datetime | None = None
        self._failed = False
        self._fetching = asyncio.Lock()

    async def find(self, kid: str) -> RSAPublicKey | None:
        """Give a key, None if Google has none of this name."""
        if not self._is_known(kid):
            async with self._fetching:
                if not self._is_known(kid) and self._is_past(self._tried, _FLOOR):
                    await self._renew()
        # A key that was Google's an hour ago is better than none.
        if kid not in self._keys and self._failed:
            raise KeysUnavailable
        return self._keys.get(kid)

    def _is_known(self, kid: str) -> bool:
        return kid in self._keys and not self._is_past(self._fetched, _GOOD_FOR)

    def _is_past(self, moment: datetime | None, span: timedelta) -> bool:
        return moment is None or not timedelta() <= self._clock.now() - moment < span

    async def _renew(self) -> None:
        self._tried = self._clock.now()
        try:
            found = await self._fetch()
        except PlatformFailure:
            self._failed = True
            return
        self._failed = False
        self._fetched = self._tried
        self._keys = {jwk.kid: key for jwk in found if jwk.kid and (key := _public_key(jwk)) is not None}


async def verified(token: str, keys: Keys) -> Claims | None:
    """Read a token that Google signed. Of one that it did not sign nothing but the name of its key is read."""
    parts = token.split(".")
    if len(parts) != _PARTS or len(token) > _LONGEST or not token.isascii():
        return None
    header = _read(parts[0], _Header)
    # The algorithm is ours to choose: a token that may name it can choose none at all.
    if header is None or header.alg != "RS256" or not header.kid:
        return None
    key = await keys.find(header.kid)
    if key is None or not _is_signed(parts, key):
        return None
    return claims_of(token)


def claims_of(token: str) -> Claims | None:
    """Read what a token says, whoever signed it."""
    parts = token.split(".")
    return _read(parts[1], Claims) if len(parts) == _PARTS else None


def _is_signed(parts: Sequence[str], key: RSAPublicKey) -> bool:
    signature = _decoded(parts[2])
    if signature is None:
        return False
    try:
        key.verify(signature, f"{parts[0]}.{parts[1]}".encode(), PKCS1v15(), SHA256())
    except InvalidSignature:
        return False
    return True


def _public_key(jwk: Jwk) -> RSAPublicKey | None:
    n, e = _decoded(jwk.n or ""), _decoded(jwk.e or "")
    if jwk.kty != "RSA" or not n or not e:
        return None
    try:
        return RSAPublicNumbers(int.from_bytes(e, "big"), int.from_bytes(n, "big")).public_key()
    except ValueError:
        return None


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None


def _read(part: str, shape: type[T]) -> T | None:
    raw = _decoded(part)
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
