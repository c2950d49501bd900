"""What people read is natural English: expressions that reviewers found to read as if translated do not come back.

The pages contain what the docstrings of routes, errors, events and settings say, so these are covered too. In the
sources, the texts of messages are checked, and comments are not.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "src" / "socialgate", ROOT / "sandbox" / "src" / "socialgate_sandbox")
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "sandbox" / "README.md",
    *sorted((ROOT / "sandbox" / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs").glob("[pr]*/**/*.md")),
    *sorted((ROOT / "src" / "socialgate" / "console" / "templates").glob("*.html")),
]
# Each with what to write instead.
AVOIDED = {
    r"and the like": "name them: such as a, b and c",
    r"(?:is|are) believed": "does not rely on",
    r"nothing of (?:it|the)": "nothing in it, none of it",
    r"proves nothing|without a hint": "say what happens then",
    r"what takes .* is a report": "if it takes too long",
    r"here to make room|ask .* to make room": "contact the company",
    r"as a whole: also send": "include everything that you want to keep",
    r"requires (?:for \w+|who)\b": "requires the name of",
    r"is or resolves to": "does not have a public address",
    r"whatever the plan|however many requests": "on every plan, even if many requests",
    r"\w+ letters on\b": "in words of at least 4 letters",
    r"by themselves\. Describe": "as separate objects",
    r"mend(?:ed|s)?|whoever|anew|in vain|under way": "fix, who, again, without success, in progress",
    r"normalis\w+": "normalized",
    r"left empty:|none chosen:": "leave empty for, choose none for",
    r"to somebody else with|goes on when|nothing any more": "to the recipient in, continues if, no longer anything",
}
_AVOIDED = re.compile("|".join(rf"\b(?:{words})" for words in AVOIDED), re.IGNORECASE)


# Where a text goes on in the next literal.
_SEAM = re.compile(r'"\s*f?"')


def texts_in(source: Path) -> Iterator[tuple[int, str]]:
    """List the texts of a module that are not documentation of the code itself, if one can be a text to avoid."""
    content = source.read_text(encoding="utf-8")
    if not _AVOIDED.search(_SEAM.sub("", content)):
        return
    tree = ast.parse(content)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


@pytest.mark.parametrize(
    "text",
    [
        "Campaigns and the like are found by their name and the time of their creation",
        "What takes a platform too long is a report",
        "Nothing of it appears in logs",
        "so none of them is believed",
        "a name without a hint proves nothing",
        "Meta requires for ads in the European Union who benefits from them",
        "Ask the people who sent you here to make room",
        "localhost is or resolves to a forbidden address",
        "Left empty: now.",
        "It goes on when you leave this page.",
    ],
)
def test_what_is_avoided_is_recognised(text: str) -> None:
    assert _AVOIDED.search(text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_pages_avoid_it(page: Path) -> None:
    prose = " ".join(page.read_text(encoding="utf-8").split())
    assert _AVOIDED.findall(prose) == []


def test_messages_avoid_it() -> None:
    result = [
        f"{source.relative_to(ROOT)}:{number}: {text}"
        for sources in SOURCES
        for source in sorted(sources.rglob("*.py"))
        # Simulated vendors say what the real ones say.
        if not source.is_relative_to(sources / "vendors")
        for number, text in texts_in(source)
        if _AVOIDED.search(text)
    ]
    assert result == []
