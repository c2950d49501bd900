"""What a browser loads for a page."""

import re

import httpx

from socialgate.console.assets import compress_asset, get_asset_version, load_assets


def count_loaded_bytes(page: httpx.Response) -> int:
    """Count the page, the files that it names, and the modules that those import, as they are sent; no media."""
    assets, names = load_assets(), set(re.findall(rf"{get_asset_version()}/([\w.-]+)", page.text))
    pending = list(names)
    while pending:
        name = pending.pop()
        if name.endswith(".js"):
            more = set(re.findall(r'from "\./([\w.-]+)"', assets[name].decode())) - names
            names |= more
            pending += more
    assert "console.css" in names
    return len(page.content) + sum(len(compress_asset(name)) for name in names)
