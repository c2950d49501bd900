"""The stylesheet, scripts and pictures of the documentation, which browsers keep until their content changes."""

from collections.abc import Mapping
from functools import cache
from hashlib import blake2b
from importlib import resources
from typing import Final

from socialgate.mcp.guides import find_guides_folder

STYLESHEET: Final = "docs.css"
# The framework adds the charset to every text.
MEDIA_TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
}
# The colors and sizes of the console, so that both look alike.
_TOKENS = "styles/10-tokens.css"
_ICON = "icon.svg"


@cache
def load_docs_assets() -> Mapping[str, bytes]:
    """Read the files by name."""
    console = resources.files("socialgate") / "console" / "static"
    folder = resources.files("socialgate") / "docs_site" / "static"
    assets = {item.name: item.read_bytes() for item in folder.iterdir() if item.is_file()}
    pictures = (find_guides_folder() / "pictures").iterdir()
    tokens = (console / _TOKENS).read_bytes()
    return {
        **assets,
        **{picture.name: picture.read_bytes() for picture in pictures},
        STYLESHEET: tokens + b"\n" + assets[STYLESHEET],
        _ICON: (console / _ICON).read_bytes(),
    }


@cache
def get_docs_asset_version() -> str:
    """Return the hash of all files. It is in the path, so that scripts find each other by relative paths."""
    digest = blake2b(digest_size=8)
    for name, content in sorted(load_docs_assets().items()):
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def get_media_type(name: str) -> str:
    return MEDIA_TYPES[name[name.rindex(".") :]]
