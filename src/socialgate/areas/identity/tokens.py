"""The formats of credentials. They are random enough that a plain hash of them is safe to store."""

import secrets
import zlib
from hashlib import sha256

_BASE62_ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_LENGTH = 34
_CHECKSUM_LENGTH = 6
API_KEY_PREFIXES = ("sg_live_", "sg_test_")
SESSION_TOKEN_PREFIX = "ses_"  # noqa: S105 - only its beginning


def generate_api_key(*, test: bool) -> str:
    prefix = "sg_test_" if test else "sg_live_"
    random = "".join(secrets.choice(_BASE62_ALPHABET) for _ in range(_RANDOM_LENGTH))
    return prefix + random + _compute_checksum(prefix + random)


def generate_session_token() -> str:
    return SESSION_TOKEN_PREFIX + secrets.token_urlsafe(32)


def is_api_key(token: str) -> bool:
    """Recognize a key by its checksum, so that a mistyped one costs no lookup and leaked ones can be searched for."""
    body, checksum = token[:-_CHECKSUM_LENGTH], token[-_CHECKSUM_LENGTH:]
    return (
        token.startswith(API_KEY_PREFIXES)
        and len(token) == len(API_KEY_PREFIXES[0]) + _RANDOM_LENGTH + _CHECKSUM_LENGTH
        and token.isascii()
        and checksum == _compute_checksum(body)
    )


def hash_token(token: str) -> bytes:
    return sha256(token.encode()).digest()


def mask_api_key(api_key: str) -> str:
    """Show enough of a key to recognize it."""
    return f"{api_key[:12]}…{api_key[-4:]}"


def _compute_checksum(text: str) -> str:
    number = zlib.crc32(text.encode())
    digits = []
    for _ in range(_CHECKSUM_LENGTH):
        number, digit = divmod(number, 62)
        digits.append(_BASE62_ALPHABET[digit])
    return "".join(reversed(digits))
