"""Pages of lists, identified by opaque tokens."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from hashlib import sha1
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


class InvalidPageTokenError(Exception):
    """The page token was not issued here."""


def paginate(items: Sequence[T], size: int, token: str | None) -> tuple[Sequence[T], str | None]:
    """Return a page and the token of the next one."""
    start = _decode_offset(token) if token else 0
    end = start + size
    following = urlsafe_b64encode(f"at:{end}".encode()).decode() if end < len(items) else None
    return items[start:end], following


def compute_etag(value: Any) -> str:
    return sha1(msgspec.json.encode(value), usedforsecurity=False).hexdigest()[:27]


def _decode_offset(token: str) -> int:
    try:
        word, _, number = urlsafe_b64decode(token.encode()).decode().partition(":")
        if word == "at" and number.isdecimal():
            return int(number)
    except ValueError:
        pass
    raise InvalidPageTokenError(token)
