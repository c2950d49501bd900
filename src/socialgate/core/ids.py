"""Identifiers: a prefix that names the kind, and a UUIDv7 in base32 (the TypeID format).

They sort by creation time, so a list can be paginated by id alone.
"""

import os
import re
import time
from datetime import UTC, datetime, timedelta

BASE32_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_BASE32_PAIRS = [a + b for a in BASE32_ALPHABET for b in BASE32_ALPHABET]
_ID_PATTERN = re.compile(r"([a-z]{2,5})_[0-7][0-9a-hjkmnp-tv-z]{25}")
_NANOSECONDS_PER_MILLISECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND = timedelta(milliseconds=1)


def new_id(prefix: str) -> str:
    """Create an id. The 12 bits after the milliseconds hold the fraction, so that two ids created by one process in the
    same millisecond still sort in order of creation.
    """
    nanoseconds = time.time_ns()
    milliseconds, rest = divmod(nanoseconds, _NANOSECONDS_PER_MILLISECOND)
    fraction = rest * 4096 // _NANOSECONDS_PER_MILLISECOND
    random = int.from_bytes(os.urandom(8), "big") >> 2
    number = (milliseconds << 80) | (0x7 << 76) | (fraction << 64) | (0x2 << 62) | random
    return f"{prefix}_{_encode_base32(number)}"


def new_ids(prefix: str, count: int) -> list[str]:
    """Create up to a hundred ids at once that differ only in their last two characters, which takes next to no time."""
    shared = new_id(prefix)[:-2]
    return [f"{shared}{number:02}" for number in range(count)]


def first_id_at(prefix: str, moment: datetime) -> str:
    """Return the smallest id that could be created at a time: the boundary between older and newer ids."""
    return f"{prefix}_{_encode_base32((moment - _EPOCH) // _MILLISECOND << 80)}"


def is_id(prefix: str, text: str) -> bool:
    """Return whether the text has the format of an id of this kind."""
    match = _ID_PATTERN.fullmatch(text)
    return match is not None and match[1] == prefix


def _encode_base32(number: int) -> str:
    return "".join([_BASE32_PAIRS[(number >> shift) & 0x3FF] for shift in range(120, -1, -10)])
