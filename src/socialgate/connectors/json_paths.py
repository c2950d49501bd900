"""Values inside JSON whose structure is not certain."""

from typing import Any


def member(given: Any, *path: str) -> Any:
    """Find something inside JSON whose structure is not certain; None if it is missing."""
    for name in path:
        given = given.get(name) if isinstance(given, dict) else None
    return given


def text_at(given: Any, *path: str) -> str:
    """Read a text, or a number as text; empty if there is neither."""
    found = member(given, *path)
    return str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""


def words_at(given: Any, *path: str) -> str:
    """Read a text; empty if there is anything else."""
    found = member(given, *path)
    return found if isinstance(found, str) else ""


def list_at(given: Any, *path: str) -> list[Any]:
    found = member(given, *path)
    return found if isinstance(found, list) else []


def rows_at(given: Any, *path: str) -> list[dict[str, Any]]:
    return [one for one in list_at(given, *path) if isinstance(one, dict)]
