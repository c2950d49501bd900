"""Suggestions for names that do not exist: fields, parameters, options, values and paths."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher, get_close_matches
from functools import cache
from zoneinfo import available_timezones

# A longer list is easier to read in the documentation.
MAX_LISTED_VALUES = 30
_MAX_NAME_LENGTH = 100
# Longer paths are no typo of ours, and comparing them takes time.
_MAX_PATH_LENGTH = 200
_MIN_RATIO = 0.7


def suggest_name(name: str, known: Sequence[str]) -> str:
    """Suggest the correct spelling of a name. What is much longer than any name is none, and would take long."""
    if len(name) > _MAX_NAME_LENGTH:
        return ""
    by_lower = {value.lower(): value for value in known}
    close = get_close_matches(name.lower(), by_lower, n=1)
    return f" Did you mean {by_lower[close[0]]}?" if close else ""


def describe_unknown_timezone(name: str) -> str:
    """Say that a time zone does not exist, and which one was probably meant."""
    city = _timezones_by_city().get(name.strip().replace(" ", "_").lower())
    hint = f" Did you mean {city}?" if city else suggest_name(name, _timezones())
    return f"`{name}` is not an IANA time zone.{hint or ' Use one such as Europe/London.'}"


@cache
def _timezones_by_city() -> Mapping[str, str]:
    """The time zones by their cities, which is what people write. Old names come later in the alphabet."""
    zones = [zone for zone in _timezones() if "/" in zone]
    return {zone.rpartition("/")[2].lower(): zone for zone in reversed(zones)}


@cache
def _timezones() -> Sequence[str]:
    return sorted(available_timezones())


def end_sentence(text: str, *more: str) -> str:
    """End a text with a full stop, unless it is a question, and add what follows."""
    return " ".join(filter(None, [text if text.endswith("?") else f"{text}.", *(value.strip() for value in more)]))


def format_allowed_values(known: Sequence[str]) -> str:
    """List what is allowed, unless that is too much."""
    return f" Use one of: {', '.join(known)}." if 0 < len(known) <= MAX_LISTED_VALUES else ""


def suggest_path(path: str, templates: Iterable[str]) -> str:
    """Suggest the path that was probably meant: `/posts/{postId}` for `/post/post_01h…` or `/v1/posts/post_01h…`."""
    if len(path) > _MAX_PATH_LENGTH:
        return ""
    parts = [part for part in path.split("/") if part]
    by_parts = {template: [part for part in template.split("/") if part] for template in templates}
    scores = {
        template: max(_score_path(parts, known), _score_path(parts[1:], known)) for template, known in by_parts.items()
    }
    best = max(scores, key=scores.__getitem__, default=None)
    return f" Did you mean {best}?" if best is not None and scores[best] >= _MIN_RATIO else ""


def _score_path(parts: Sequence[str], known: Sequence[str]) -> float:
    """Return how similar a path is to a template: the similarity of its least similar literal part."""
    if len(parts) != len(known) or not known:
        return 0.0
    literals = [(part, value) for part, value in zip(parts, known, strict=True) if not value.startswith("{")]
    ratios = [SequenceMatcher(None, part.lower(), value.lower()).ratio() for part, value in literals]
    # A template of parameters alone would match everything; among equals, one with more literals fits better.
    return min(ratios, default=0.0) + len(literals) / 1000
