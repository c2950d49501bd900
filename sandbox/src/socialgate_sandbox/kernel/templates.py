"""Rendering pages for people. They load nothing from outside the sandbox."""

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
from starlette.responses import HTMLResponse, Response

if TYPE_CHECKING:
    import jinja2

_TEMPLATE_FOLDER = Path(__file__).parent / "templates"


def render_template(template: str, status: int = 200, *, script: str = "", **values: Any) -> Response:
    """Render a page. `script` is the name of the only script that it may run."""
    code = (_TEMPLATE_FOLDER / script).read_text(encoding="utf-8") if script else ""
    text = _get_template_environment().get_template(template).render(**values, script=code)
    policy = (
        "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'; frame-ancestors 'none'"
    )
    if code:
        digest = b64encode(sha256(code.encode()).digest()).decode()
        policy += f"; script-src 'sha256-{digest}'; connect-src 'self'"
    return HTMLResponse(text, status, {"Content-Security-Policy": policy, "Cache-Control": "no-store"})


@cache
def _get_template_environment() -> "jinja2.Environment":
    import jinja2  # noqa: PLC0415 - takes a while, and most runs show no page

    loader = jinja2.FileSystemLoader(_TEMPLATE_FOLDER)
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    environment.filters["pretty"] = pretty
    return environment


def pretty(value: Any) -> str:
    """Format JSON on several lines, for people to read and copy. Text that is not JSON is returned unchanged."""
    if not isinstance(value, str):
        return msgspec.json.format(msgspec.json.encode(value)).decode()
    try:
        return msgspec.json.format(value)
    except (msgspec.DecodeError, RecursionError):
        return value
