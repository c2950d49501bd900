"""The stylesheet, the scripts and the icons of the console, which browsers keep until their content changes."""

import gzip
import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from litestar import Request, Response

from socialgate.core.errors import NotFound
from socialgate.web.compression import accepts_gzip
from socialgate.web.route import RouteAccess, RouteTag, route

ASSETS_PATH = "/console/static"
STYLESHEET = "console.css"
_TAG = RouteTag("Console", "Web pages.")
_STYLES = "styles"
_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
}
# The address contains a hash of all files, so that what it names never changes.
_KEEP = "public, max-age=31536000, immutable"
# A page of another version, from another node or from before an update, still gets a file that is close to its own.
_KEEP_BRIEFLY = "public, max-age=60"
# An icon that somebody opens as a page must not run anything.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


# Spaces around operators stay, because `calc()` needs them, and so does the space before a colon in a selector.
_NEEDLESS = (
    (re.compile(r"/\*.*?\*/", re.DOTALL), ""),
    (re.compile(r"\s+"), " "),
    (re.compile(r" ?([{};]) ?"), r"\1"),
    (re.compile(r"([:,]) "), r"\1"),
)


@cache
def load_assets() -> Mapping[str, bytes]:
    """Read the files by name. The files in `styles` become one stylesheet, in the order of their names."""
    folder = resources.files("socialgate.console") / "static"
    files = {item.name: item.read_bytes() for item in folder.iterdir() if _has_known_type(item)}
    styles = sorted(_list_styles(folder / _STYLES), key=lambda item: item.name)
    return {**files, STYLESHEET: _shrink("\n".join(item.read_text(encoding="utf-8") for item in styles)).encode()}


def _shrink(style: str) -> str:
    """Remove the comments and spaces of a stylesheet, which are for those who write it."""
    for pattern, replacement in _NEEDLESS:
        style = pattern.sub(replacement, style)
    return style.strip()


@cache
def get_asset_version() -> str:
    """Return the hash of all files. It is in the path, so that scripts find each other by relative paths."""
    digest = blake2b(digest_size=8)
    for name, content in sorted(load_assets().items()):
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


@cache
def compress_asset(name: str) -> bytes:
    return gzip.compress(load_assets()[name], mtime=0)


def build_asset_url(name: str) -> str:
    assert name in load_assets(), f"there is no file {name} in console/static"
    return f"{ASSETS_PATH}/{get_asset_version()}/{name}"


@route(
    "GET",
    ASSETS_PATH + "/{version:str}/{name:str}",
    tag=_TAG,
    access=RouteAccess.OPEN_PAGE,
    answers="text/plain",
    open_query=True,
)
async def send_asset(request: Request[Any, Any, Any], version: str, name: str) -> Response[bytes]:
    if name not in load_assets():
        raise NotFound("There is no such file.")
    headers = {
        "Cache-Control": _KEEP if version == get_asset_version() else _KEEP_BRIEFLY,
        "Content-Security-Policy": _POLICY,
        "Vary": "Accept-Encoding",
    }
    if accepts_gzip(request.scope["headers"]):
        content, headers = compress_asset(name), {**headers, "Content-Encoding": "gzip"}
    else:
        content = load_assets()[name]
    return Response(content, media_type=_TYPES[name[name.rindex(".") :]], headers=headers)


def _list_styles(folder: Traversable) -> Iterator[Traversable]:
    return (item for item in folder.iterdir() if item.name.endswith(".css"))


def _has_known_type(item: Traversable) -> bool:
    return item.is_file() and any(item.name.endswith(suffix) for suffix in _TYPES)
