"""A key of Google's kind, made up for these tests, and what it signs."""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256

from socialgate.connectors.google.responses import Jwk
from socialgate.contracts.failures import PlatformUnavailableError

KEY = generate_private_key(65537, 2048)
OTHER_KEY = generate_private_key(65537, 2048)


class Clock:
    def __init__(self) -> None:
        self.time = datetime(2026, 11, 15, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def move(self, **span: float) -> None:
        self.time += timedelta(**span)


class Published:
    """The keys that are published, which the test changes, and how often they were asked for."""

    def __init__(self, *kids: str) -> None:
        self.kids = kids
        self.asked = 0
        self.down = False

    async def __call__(self) -> Sequence[Jwk]:
        self.asked += 1
        if self.down:
            raise PlatformUnavailableError("down", platform="google", retry_after=1)
        return [jwk(kid) for kid in self.kids]


def jwk(kid: str, key: RSAPrivateKey = KEY) -> Jwk:
    numbers = key.public_key().public_numbers()
    return Jwk(kid=kid, kty="RSA", n=b64(numbers.n.to_bytes(256, "big")), e=b64(numbers.e.to_bytes(3, "big")))


def b64(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def token(claims: Any, *, kid: str = "k1", alg: str = "RS256", key: RSAPrivateKey = KEY) -> str:
    signed = f"{b64(json.dumps({'alg': alg, 'kid': kid, 'typ': 'JWT'}).encode())}.{b64(json.dumps(claims).encode())}"
    return f"{signed}.{b64(key.sign(signed.encode(), PKCS1v15(), SHA256()))}"
