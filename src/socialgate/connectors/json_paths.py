"""Values inside JSON whose structure is not certain."""

from typing import Any


def get_path(value: Any, *path: str) -> Any:
    """Find something inside JSON whose structure is not certain; None if it is missing."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def get_text_or_number(value: Any, *path: str) -> str:
    """Read a text, or a number as text; empty if there is neither."""
    result = get_path(value, *path)
    return str(result) if isinstance(result, str | int) and not isinstance(result, bool) else ""


def get_text(value: Any, *path: str) -> str:
    """Read a text; empty if there is anything else."""
    result = get_path(value, *path)
    return result if isinstance(result, str) else ""


def get_list(value: Any, *path: str) -> list[Any]:
    items = get_path(value, *path)
    return items if isinstance(items, list) else []


def get_objects(value: Any, *path: str) -> list[dict[str, Any]]:
    return [item for item in get_list(value, *path) if isinstance(item, dict)]
