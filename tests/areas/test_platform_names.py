"""No area knows a platform: what one can do and requires is in its connector and manifest. Adding one changes no area.

Documentation may name platforms: docstrings, examples, and sentences in descriptions and errors. Code may not.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import socialgate.areas
from socialgate.contracts.platforms import Kind, Platform

AREAS = Path(socialgate.areas.__file__).parent
ENUMS = {"Platform": Platform, "Kind": Kind}
# Words of kinds that are not the name of anybody.
GENERAL = {"ads", "bot", "business", "calendar", "cloud", "page", "qr"}
VENDORS = {word for item in (*Platform, *Kind) for word in re.split("[-_]", item)} - GENERAL
# The class of msgspec that describes fields.
DESCRIPTION = "Meta"
MIN_UNIQUE_LENGTH = 5
PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

# By area: the word, and why it is there.
NAMED = {
    ("accounts", "meta"): "the API has routes of this name, to choose among the accounts of a person",
    ("accounts", "wasender"): "the API has a route of this name, for the code to scan",
    ("commerce", "google"): "the taxonomy of product categories that all catalogs use, and its column in files",
    ("identity", "threads"): "threads of the processor",
    ("inbox", "whatsapp"): "the API has routes of this name, for messages of any type and for templates",
    ("media", "google"): "the host of Drive, whose share links are turned into download addresses",
    ("media", "threads"): "threads of the processor",
}
# By area: the member of an enum.
DECIDED = {("accounts", "Platform.META"): "its routes to choose accounts are declared with it"}


def sources() -> Iterator[tuple[str, Path, ast.Module]]:
    for path in sorted(AREAS.rglob("*.py")):
        yield path.relative_to(AREAS).parts[0], path, ast.parse(path.read_text(encoding="utf-8"))


def code_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk everything except documentation: strings that stand alone, and methods that return an example."""
    for node in ast.iter_child_nodes(tree):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        is_example = isinstance(node, ast.FunctionDef) and node.name.startswith("example")
        if not is_text and not is_example:
            yield node
            yield from code_of(node)


def names_in(node: ast.AST) -> list[str]:
    """Return the names that a node has itself. A string with spaces is a sentence."""
    match node:
        case ast.Constant(value=str(text)):
            return [] if " " in text else [text]
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.keyword(arg=str(name)) | ast.ImportFrom(module=str(name)):
            return [name]
        case _:
            return []


def vendors_in(tree: ast.AST) -> set[str]:
    names = {name for node in code_of(tree) for name in names_in(node)} - {DESCRIPTION}
    return {vendor for vendor in VENDORS for name in names if is_named(vendor, name)}


def is_named(vendor: str, name: str) -> bool:
    """Short names are also parts of other words, such as metadata."""
    parts = [part.lower() for part in PART.findall(name)]
    return vendor in parts if len(vendor) < MIN_UNIQUE_LENGTH else vendor in "".join(parts)


def members_in(tree: ast.AST) -> set[str]:
    """Find the members of enums, and their values."""
    result = set()
    for node in code_of(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=enum), attr=name) if name in getattr(
                ENUMS.get(enum), "__members__", {}
            ):
                result.add(f"{enum}.{name}")
            case ast.Constant(value=str(text)):
                result |= {
                    f"{enum}.{kind.name}" for enum, kinds in ENUMS.items() for kind in kinds if kind.value == text
                }
    return result


@pytest.mark.parametrize(
    ("code", "vendors", "members"),
    [
        ("if account.kind is Kind.GOOGLE_BUSINESS: pass", {"google"}, {"Kind.GOOGLE_BUSINESS"}),
        ("able = account.kind == 'telegram_bot'", {"telegram"}, {"Kind.TELEGRAM_BOT"}),
        ("class TikTokRules: pass", {"tiktok"}, set()),
        ("metadata = Meta(title='A title')", set(), set()),
        ("def _tiktok_faults(new): pass", {"tiktok"}, set()),
        ("from socialgate.contracts.whatsapp import Window", {"whatsapp"}, set()),
        ("class WhatsappRules: pass", {"whatsapp"}, set()),
        ("limit = {'youtube/videos': 3}", {"youtube"}, set()),
        ("name: Annotated[str, Meta(description='Its name on YouTube.')]", set(), set()),
        ("def send():\n    '''Send it on Telegram.'''", set(), set()),
        ("class View:\n    def example(cls): return {'kind': 'tiktok'}", set(), set()),
    ],
)
def test_names_of_platforms_are_recognised(code: str, vendors: set[str], members: set[str]) -> None:
    assert (vendors_in(ast.parse(code)), members_in(ast.parse(code))) == (vendors, members)


def test_no_area_names_a_platform() -> None:
    paths = {(area, word): path for area, path, tree in sources() for word in vendors_in(tree)}
    assert {key: path for key, path in paths.items() if key not in NAMED} == {}
    assert sorted(NAMED.keys() - paths.keys()) == [], "these exceptions are not needed any more"


def test_no_area_decides_by_the_platform_or_kind_of_an_account() -> None:
    paths = {(area, member): path for area, path, tree in sources() for member in members_in(tree)}
    assert {key: path for key, path in paths.items() if key not in DECIDED} == {}
    assert sorted(DECIDED.keys() - paths.keys()) == [], "these exceptions are not needed any more"
