"""Identifiers as words for people: `replyTo` is "Reply to", `rate_limited` is "Rate limited"."""

import re

_WORD_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


def humanize(name: str) -> str:
    words = " ".join(part.lower() for part in _WORD_BORDER.split(name) if part)
    return words[:1].upper() + words[1:]


def format_duration(seconds: float) -> str:
    """Format a duration with its two largest units, such as "2 days 3 hours"."""
    left, parts = round(abs(seconds)), []
    for word, length in _UNITS:
        count, left = divmod(left, length)
        if count:
            parts.append(format_count(count, word))
    return " ".join(parts[:2]) or "0 seconds"


def format_count(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def format_clock_offset(seconds: float) -> str:
    """Return how far a clock is from real time."""
    if abs(seconds) < 1:
        return "real time"
    return f"{format_duration(seconds)} {'ahead' if seconds > 0 else 'behind'}"
