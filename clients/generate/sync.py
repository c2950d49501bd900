"""The Python client without `await`, made of the one with it: each line means the same in both.

What is written by hand is written once, in `_async`. Types, requests and series of calls are shared by both clients.
"""

import re
from pathlib import Path

NOTICE = "# Generated from `_async` by `make reference`. Do not edit: change it there and run it again."
_RULES = tuple(
    (re.compile(pattern, re.MULTILINE), replacement)
    for pattern, replacement in (
        (r"^import asyncio$", "import time"),
        (r"\bawait asyncio\.to_thread\((.+)\)", r"\1()"),
        (r"\basyncio\.sleep\b", "time.sleep"),
        (r"\bAsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
        # `AsyncSocialgate`, `AsyncIterator`, `httpx.AsyncClient`.
        (r"\bAsync(?=[A-Z])", ""),
        (r"\basync (?=def|for|with)", ""),
        (r"\bawait ", ""),
        (r"\b__a(enter|exit|iter)__", r"__\1__"),
        # Methods of httpx, and `aclosing`.
        (r"\ba(close|closing|read|iter_bytes)\b", r"\1"),
        (r"^( +)for (\w+) in (.+):\n +yield \2$", r"\1yield from \3"),
        (r", with `await`\. ", ". "),
        (r"\n\nThe client without `await` is made of this folder .*\n", ""),
    )
)


def write_sync(package: Path) -> dict[str, str]:
    """Write each file of `_async` again, without `await`."""
    sources = sorted((package / "_async").glob("*.py"))
    return {f"_sync/{path.name}": _convert(path.read_text(encoding="utf-8")) for path in sources}


def _convert(text: str) -> str:
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return f"{NOTICE}\n{text}"
