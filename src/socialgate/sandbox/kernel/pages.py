"""Rendering pages for people. They load nothing from outside the sandbox."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import HTMLResponse, Response

if TYPE_CHECKING:
    import jinja2


def page(template: str, status: int = 200, **values: Any) -> Response:
    text = _templates().get_template(template).render(**values)
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'none'"
    )
    return HTMLResponse(text, status, {"Content-Security-Policy": policy, "Cache-Control": "no-store"})


@cache
def _templates() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - takes a while, and most runs show no page

    loader = jinja2.FileSystemLoader(Path(__file__).parent / "templates")
    made = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    made.filters["pretty"] = pretty
    return made


def pretty(value: Any) -> str:
    """Format JSON on several lines, for people to read and copy. Text that is not JSON is returned unchanged."""
    if not isinstance(value, str):
        return msgspec.json.format(msgspec.json.encode(value)).decode()
    try:
        return msgspec.json.format(value)
    except (msgspec.DecodeError, RecursionError):
        return value
