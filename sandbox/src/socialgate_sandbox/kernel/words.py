"""Identifiers as words for people: `replyTo` is "Reply to", `rate_limited` is "Rate limited"."""

import re

_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+")
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


def humanize(name: str) -> str:
    words = " ".join(part.lower() for part in _BORDER.split(name) if part)
    return words[:1].upper() + words[1:]


def span(seconds: float) -> str:
    """Format a duration with its two largest units, such as "2 days 3 hours"."""
    left, parts = round(abs(seconds)), []
    for word, length in _UNITS:
        count, left = divmod(left, length)
        if count:
            parts.append(plural(count, word))
    return " ".join(parts[:2]) or "0 seconds"


def plural(count: int, word: str) -> str:
    return f"{count:,} {word}" if count == 1 else f"{count:,} {word}s"


def offset(seconds: float) -> str:
    """Return how far a clock is from real time."""
    if abs(seconds) < 1:
        return "real time"
    return f"{span(seconds)} {'ahead' if seconds > 0 else 'behind'}"
