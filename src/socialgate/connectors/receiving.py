"""What webhooks of several platforms share: how a sender is verified, and parsing arbitrary bytes."""

import hashlib
import hmac
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar

import msgspec

from socialgate.contracts.inbound import Reply

T = TypeVar("T")

UNPROVEN = Reply(status=401, keep=False)
# As seconds this would be in the year 5138.
_MILLISECONDS = 10**11
_LONGEST_WORD = 100


def decoded(body: bytes | msgspec.Raw, shape: type[T], *, strict: bool = True) -> T | None:
    """Read JSON; None if it is something else."""
    try:
        return msgspec.json.decode(body, type=shape, strict=strict)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def word(text: str | None) -> str:
    """Make a safe name from an untrusted one."""
    return "".join(letter for letter in text or "" if letter.isprintable())[:_LONGEST_WORD] or "unknown"


def raw(text: str) -> bytes:
    """Unusual bytes in a header must not cause an error here."""
    return text.encode(errors="surrogatepass")


def is_one_of(given: str, secrets: Iterable[str]) -> bool:
    """All are compared, so that the timing does not reveal which one matched."""
    matches = [hmac.compare_digest(raw(given), raw(secret)) for secret in secrets if secret]
    return any(matches)


def is_signature(given: str, secret: str, message: bytes) -> bool:
    """Without a secret nobody is trusted: with an empty one anyone could sign."""
    expected = hmac.new(secret.encode(), message, hashlib.sha256).hexdigest().encode()
    return bool(secret) and hmac.compare_digest(raw(given), expected)


def moment(given: Any) -> datetime | None:
    """Read a Unix time, in seconds or milliseconds; None if it cannot be a time."""
    try:
        number = float(given)
        return datetime.fromtimestamp(number / 1000 if number >= _MILLISECONDS else number, UTC) if number > 0 else None
    except (TypeError, ValueError, OverflowError, OSError):
        return None
