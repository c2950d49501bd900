"""What webhooks of several platforms share: how a sender is verified, and parsing arbitrary bytes."""

import asyncio
import hashlib
import hmac
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import Any, ParamSpec, TypeVar

import msgspec

from socialgate.contracts.webhooks import MAX_FACTS_PER_WEBHOOK, PlatformFact, WebhookResponse

P = ParamSpec("P")
T = TypeVar("T")

UNAUTHENTICATED_RESPONSE = WebhookResponse(status=401, should_store=False)
# As seconds this would be in the year 5138.
_MIN_MILLISECOND_TIMESTAMP = 10**11
_MAX_NAME_LENGTH = 100
_MAX_BYTES_ON_LOOP = 64 * 1024


def decode_json_or_none(body: bytes | msgspec.Raw, shape: type[T], *, strict: bool = True) -> T | None:
    """Read JSON; None if it is something else."""
    try:
        return msgspec.json.decode(body, type=shape, strict=strict)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def take_facts(facts: Iterable[PlatformFact]) -> list[PlatformFact]:
    """Take as many facts as are processed, and one more if there are more. Parsing all of millions takes minutes."""
    return list(islice(facts, MAX_FACTS_PER_WEBHOOK + 1))


def compute_sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def sanitize_name(text: str | None) -> str:
    """Make a safe name from an untrusted one."""
    return "".join(letter for letter in text or "" if letter.isprintable())[:_MAX_NAME_LENGTH] or "unknown"


def encode_header(text: str) -> bytes:
    """Unusual bytes in a header must not cause an error here."""
    return text.encode(errors="surrogatepass")


def matches_any_secret(value: str, secrets: Iterable[str]) -> bool:
    """All are compared, so that the timing does not reveal which one matched."""
    matches = [hmac.compare_digest(encode_header(value), encode_header(secret)) for secret in secrets if secret]
    return any(matches)


def verify_signature(value: str, secret: str, message: bytes) -> bool:
    """Without a secret nobody is trusted: with an empty one anyone could sign."""
    return verify_signatures([value], [secret], message)


def verify_signatures(values: Iterable[str], secrets: Iterable[str], message: bytes) -> bool:
    """Whether one of the secrets signed it. The message is hashed once for each secret, not for each signature: anybody
    can send thousands of them.
    """
    expected = [hmac.new(secret.encode(), message, hashlib.sha256).hexdigest().encode() for secret in secrets if secret]
    # All are compared, so that the timing does not reveal which one matched.
    matches = [hmac.compare_digest(encode_header(value), digest) for value in values for digest in expected]
    return any(matches)


async def verify_off_loop(verify: Callable[P, T], size: int, *args: P.args, **kwargs: P.kwargs) -> T:
    """Verify a request of so many bytes, in a thread if hashing it would keep others waiting. Anybody can send it."""
    if size <= _MAX_BYTES_ON_LOOP:
        return verify(*args, **kwargs)
    return await asyncio.to_thread(verify, *args, **kwargs)


def parse_unix_time(value: Any) -> datetime | None:
    """Read a Unix time, in seconds or milliseconds; None if it cannot be a time."""
    try:
        number = float(value)
        return (
            datetime.fromtimestamp(number / 1000 if number >= _MIN_MILLISECOND_TIMESTAMP else number, UTC)
            if number > 0
            else None
        )
    except (TypeError, ValueError, OverflowError, OSError):
        return None
