"""Checks of what is to be sent that every connector words alike."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from socialgate.contracts.platforms import MediaRule
from socialgate.contracts.publishing import MediaFile
from socialgate.core.errors import Fault


def long_fault(at: str, text: str, most: int) -> Iterator[Fault]:
    if len(text) > most:
        yield Fault(at, "too_long", f"It has {len(text)} characters, and {most} are allowed.")


def long_faults(at: str, given: Mapping[str, Any], limits: Mapping[str, int]) -> Iterator[Fault]:
    """Check several fields of an object."""
    for name, most in limits.items():
        yield from long_fault(f"{at}/{name}", given.get(name) or "", most)


def twin_faults(values: Iterable[tuple[str, str]]) -> Iterator[Fault]:
    """Find what was given twice, of values with their pointers."""
    seen: set[str] = set()
    for at, value in values:
        if value in seen:
            yield Fault(at, "duplicate", "Another one has the same: each must be different.")
        seen.add(value)


def file_faults(at: str, media: MediaFile, rule: MediaRule) -> Iterator[Fault]:
    if media.mime_type not in rule.mime_types:
        can = ", ".join(rule.mime_types)
        yield Fault(at, "media_type", f"The file is {media.mime_type}. The platform takes {can} here.")
    if rule.max_bytes is not None and media.size > rule.max_bytes:
        yield Fault(at, "too_large", f"The file has {media.size} bytes, and {rule.max_bytes} are allowed.")
