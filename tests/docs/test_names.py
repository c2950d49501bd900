"""Names that a reader had to look up do not come back: each word here was retired, with what is written instead.

`docs/glossary.md` has the words of this field and of this code. Names of vendors' fields are theirs and keep their
form.
"""

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = ("src", "sandbox", "tests", "benchmarks", "clients")
# Names of values: of variables, parameters and arguments.
VALUES = {
    "asked": "request, query",
    "found": "row, result, or what it is",
    "given": "params, body, value",
    "held": "credentials",
    "made": "result, created",
    "one": "the singular of what is iterated over",
    "said": "error, response, message",
    "told": "response, message",
    "wanted": "expected, requested, or what it is",
    "what": "what it is",
}
# The names of columns are stored, and a row has the names of its columns.
COLUMNS = {
    "src/socialgate/core/restores.py": {"what"},
    # A field of the API: what is changed about a file.
    "clients/python/src/socialgate_client/types.py": {"what"},
}
# Limits start with MAX or MIN and end with their unit.
LIMITS = re.compile(r"_?(?:MOST|LONGEST|LARGEST|LEAST|SMALLEST|SHORTEST)_\w+")
# Classes and functions.
DEFINITIONS = {
    "AdDesk": "AdAccountReader",
    "Agenda": "CalendarService",
    "Asked": "BoundOperation",
    "AudienceDesk": "AudienceReader",
    "Discussion": "CommentService",
    "LeadDesk": "LeadReader",
    "Listed": "WithLookup",
    "Merchant": "CatalogService",
    "Reception": "the service of the area",
    "Said": "VendorError",
    "Senders": "the service of the area",
    "Studio": "CreativeResolver",
    "Told": "a response",
    "Unseen": "WithoutLookup",
    "Vault": "CredentialCipher",
    "greet": "answer_challenge",
    "judge": "check_signature",
    "judged": "validate",
    "print_of": "fingerprint",
    "shake_hands": "verify_webhook",
}


# What may name a value or a definition: prose goes on with a word, and a use with a dot or a bracket.
SUSPECT = re.compile(
    rf"\b(?:{'|'.join(VALUES)})\b(?!\s+(?!in\b|if\b)\w)(?![.(\[])|{LIMITS.pattern}|\b(?:def|class)\s+(?:{'|'.join(DEFINITIONS)})\b"
)


def files() -> list[Path]:
    """List the files in which a retired name may be: to parse all of them takes ten times as long."""
    return [
        path
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not {".venv", "node_modules"} & {*path.parts} and SUSPECT.search(path.read_text(encoding="utf-8"))
    ]


def names_in(tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """List the names that a module gives: the line, what is named, and the name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.lineno, "value", node.id
        elif isinstance(node, ast.arg):
            yield node.lineno, "value", node.arg
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            yield node.lineno, "value", node.name
        elif isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.lineno, "definition", node.name


def retired_in(tree: ast.Module, columns: Collection[str] = ()) -> Iterator[str]:
    for line, kind, name in names_in(tree):
        if name in columns:
            continue
        instead = VALUES.get(name) if kind == "value" else DEFINITIONS.get(name)
        if kind == "value" and LIMITS.fullmatch(name):
            instead = "MAX_… or MIN_…"
        if instead is not None:
            yield f"{line}: {name}, write {instead}"


@pytest.mark.parametrize(
    "source",
    [
        "one = 1",
        "def f(held): ...",
        "def f(held: int): ...",
        "[one for one in rows]",
        "a, (told, b) = c",
        "with f() as said: ...",
        "_MOST_ROWS = 3",
        "class Studio: ...",
        "def greet(): ...",
    ],
)
def test_retired_names_are_recognised(source: str) -> None:
    assert SUSPECT.search(source)
    assert list(retired_in(ast.parse(source)))


def test_no_retired_name_came_back() -> None:
    retired = {}
    for path in files():
        name = str(path.relative_to(ROOT))
        retired[name] = list(retired_in(ast.parse(path.read_text(encoding="utf-8")), COLUMNS.get(name, ())))
    assert {name: names for name, names in retired.items() if names} == {}
