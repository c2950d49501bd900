"""Colors for code: comments, strings, numbers and keywords of the languages that the documentation uses.

A few patterns instead of a library: pages stay small, and nothing is loaded for them.
"""

import re
from collections.abc import Mapping
from typing import Final

from markupsafe import Markup, escape

_STRING = r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
_SHELL_STRING = r"\"(?:\\.|[^\"\\])*\"|'[^']*'"
_NUMBER = r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])"
_HASH, _SLASHES, _DASHES = r"(?<!\S)#[^\n]*", r"(?<!:)//[^\n]*", r"--[^\n]*"

_PYTHON_WORDS = (
    "and as async await case class def elif else except False finally for from if import in is lambda match None not "
    "or pass print raise return True try while with"
)
_SCRIPT_WORDS = (
    "as async await break case catch class const default else export false finally for from function if import in "
    "instanceof interface let new null of return switch throw true try type undefined var while"
)
_SHELL_WORDS = "curl do done echo else eval export fi for grep if in jq npm pip sed sh socialgate then while"
_GO_WORDS = (
    "break case const defer else err error for func go if import nil package range return string struct switch type var"
)
_PHP_WORDS = "echo else exit false foreach function if isset null return true while"
_SQL_WORDS = "CREATE DATABASE FROM GRANT INSERT INTO ON OWNER PASSWORD ROLE SELECT TO UPDATE WHERE WITH"


def _build_pattern(comment: str, string: str, words: str) -> re.Pattern[str]:
    keywords = rf"\b(?:{'|'.join(words.split())})\b" if words else r"(?!)"
    parts = {"c": comment or "(?!)", "s": string, "n": _NUMBER, "k": keywords}
    return re.compile("|".join(f"(?P<{name}>{part})" for name, part in parts.items()))


_SHELL = _build_pattern(_HASH, _SHELL_STRING, _SHELL_WORDS)
_TYPESCRIPT = _build_pattern(_SLASHES, _STRING, _SCRIPT_WORDS)
_DATA = _build_pattern(_HASH, _STRING, "true false null")
_PATTERNS: Final[Mapping[str, re.Pattern[str]]] = {
    "sh": _SHELL,
    "bash": _SHELL,
    "console": _SHELL,
    "python": _build_pattern(_HASH, _STRING, _PYTHON_WORDS),
    "ts": _TYPESCRIPT,
    "js": _TYPESCRIPT,
    "mjs": _TYPESCRIPT,
    "go": _build_pattern(_SLASHES, _STRING, _GO_WORDS),
    "php": _build_pattern(_SLASHES, _STRING, _PHP_WORDS),
    "json": _build_pattern("", _STRING, "true false null"),
    "toml": _DATA,
    "yaml": _DATA,
    "sql": _build_pattern(_DASHES, _STRING, _SQL_WORDS),
}


def highlight_code(code: str, language: str) -> Markup:
    """Return code as HTML. What is in no known language is only escaped."""
    pattern = _PATTERNS.get(language)
    if pattern is None:
        return escape(code)
    parts: list[Markup] = []
    end = 0
    for match in pattern.finditer(code):
        name = str(match.lastgroup)
        parts += [escape(code[end : match.start()]), Markup('<i class="{}">{}</i>').format(name, match[0])]
        end = match.end()
    return Markup("").join([*parts, escape(code[end:])])
