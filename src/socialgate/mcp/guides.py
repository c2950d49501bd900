"""The guides of the documentation, as resources and for searching. They are installed with the package."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

URI_SCHEME = "socialgate://guides/"
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)
_HEADING = re.compile(r"^(?=#{1,3} )", re.MULTILINE)
_WORD = re.compile(r"\w{2,}")
# What people who use the API read. Decisions are for those who change it.
_FOLDERS = ("", "platforms", "receivers")
_MAX_SECTIONS = 3
_MAX_SECTION_CHARACTERS = 1_800


class Guide(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the documentation."""

    name: str
    title: str
    text: str

    @property
    def uri(self) -> str:
        return f"{URI_SCHEME}{self.name}"


@cache
def load_guides() -> Mapping[str, Guide]:
    """Load all guides, by name: `posts`, `platforms/tiktok`."""
    folder = _find_folder()
    guides = {}
    for part in _FOLDERS:
        for path in sorted((folder / part).glob("*.md")):
            name = f"{part}/{path.stem}".lstrip("/")
            text = path.read_text(encoding="utf-8")
            title = _TITLE.search(text)
            guides[name] = Guide(name=name, title=title[1] if title else name, text=text)
    return guides


def search_guides(words: str) -> Sequence[Mapping[str, str]]:
    """Find the sections in which the words occur most, those that have all of them first."""
    terms = {term.lower() for term in _WORD.findall(words)}
    ranked = sorted(
        ((_rank(section, terms), guide, section) for guide in load_guides().values() for section in _split(guide)),
        key=lambda entry: entry[0],
        reverse=True,
    )
    return [
        {"guide": guide.name, "title": guide.title, "section": section[:_MAX_SECTION_CHARACTERS]}
        for rank, guide, section in ranked[:_MAX_SECTIONS]
        if rank > (0, 0)
    ]


def _split(guide: Guide) -> Sequence[str]:
    return [section for section in _HEADING.split(guide.text) if section.strip()]


def _rank(section: str, terms: set[str]) -> tuple[int, float]:
    """Rank by how many of the words occur, then how often for its length. A word in the heading counts more."""
    lower = section.lower()
    heading = lower.partition("\n")[0]
    counts = [lower.count(term) + 10 * heading.count(term) for term in terms]
    return sum(count > 0 for count in counts), sum(counts) / (200 + len(section)) ** 0.5


def _find_folder() -> Path:
    """Find the pages in the package, or beside its sources."""
    package = Path(str(files("socialgate")))
    installed = package / "guides"
    return installed if installed.is_dir() else package.parents[1] / "docs"
