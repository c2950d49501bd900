"""The index of the search: which words are in which section, so that a browser only looks them up.

`static/search.js` splits what people type in the same way, and ranks the sections.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.docs_site.markdown import slugify

_WORD = re.compile(r"[A-Za-z0-9]+(?:_[A-Za-z0-9]+)*")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")
_ENDING = re.compile(r"(?:ing|ed|es|s|e|y)$")
_MIN_STEM = 3
_HEADING = re.compile(r"^(#{1,3}) (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_RULE = re.compile(r"^\|[-:| ]+\|$", re.MULTILINE)
_MARKUP = re.compile(r"[`*|]|\[([^\]]*)\]\([^)]*\)")
_EXCERPT_CHARACTERS = 140
# How much a word in a heading, in the title of the page and in the text says about a section.
_HEADING_WEIGHT, _TITLE_WEIGHT, _MAX_TEXT_WEIGHT = 10, 4, 4
# Also in `static/search.js`.
_STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        "a an and are as at be by can do does for from get has have how i if in is it its my not of on or that the "
        "their them there they this to was what when where which who why will with you your",
    )
)


class SearchSection(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a page that a search can find. `boost` makes a kind of page more or less likely."""

    page: str
    title: str
    heading: str
    anchor: str
    text: str
    # Names that nobody reads in the heading, but types.
    keywords: str = ""
    boost: float = 1.0


def split_guide(page: str, title: str, text: str, boost: float, about: str = "") -> Iterable[SearchSection]:
    """Split a guide at its headings. `about` is what the menu says about the page: it leads to the beginning."""
    bare = _FENCE.sub(lambda match: match[0].replace("\n#", "\n "), text)
    places = list(_HEADING.finditer(bare))
    for number, place in enumerate(places):
        end = places[number + 1].start() if number + 1 < len(places) else len(bare)
        heading = place[2].replace("`", "")
        body = _FENCE.sub(" ", bare[place.end() : end])
        anchor = "" if len(place[1]) == 1 else slugify(heading)
        keywords = "" if anchor else about
        yield SearchSection(
            page=page, title=title, heading=heading, anchor=anchor, text=body, keywords=keywords, boost=boost
        )


def build_search_index(sections: Sequence[SearchSection]) -> bytes:
    """Build the index: the sections, and for each word the numbers of sections and how much they are about it."""
    terms: dict[str, list[int]] = {}
    for number, section in enumerate(sections):
        for word, weight in sorted(_weigh(section).items()):
            terms.setdefault(word, []).extend((number, max(1, round(weight * section.boost))))
    rows = [
        [section.page, section.anchor, section.title, section.heading, _make_excerpt(section.text)]
        for section in sections
    ]
    index: Mapping[str, Any] = {"sections": rows, "terms": dict(sorted(terms.items()))}
    return msgspec.json.encode(index)


def split_words(text: str) -> list[str]:
    """Split a text into words without their endings: `scheduledFor` is `schedul` and `for`."""
    words: list[str] = []
    for match in _WORD.findall(text):
        parts = [part for part in _CAMEL.split(match) if part]
        words += [_stem(part.lower()) for part in parts if part.lower() not in _STOP_WORDS]
        if len(parts) > 1:
            words.append(match.lower())
    return words


def _stem(word: str) -> str:
    stem = _ENDING.sub("", word)
    return stem if len(stem) >= _MIN_STEM else word


def _weigh(section: SearchSection) -> Counter[str]:
    weights: Counter[str] = Counter()
    for word, count in Counter(split_words(section.text)).items():
        weights[word] += min(count, _MAX_TEXT_WEIGHT)
    for word in set(split_words(f"{section.heading} {section.keywords}")):
        weights[word] += _HEADING_WEIGHT
    for word in set(split_words(section.title)):
        weights[word] += _TITLE_WEIGHT
    return weights


def _make_excerpt(text: str) -> str:
    words = " ".join(_MARKUP.sub(lambda match: match[1] or " ", _RULE.sub(" ", text)).split())
    return words if len(words) <= _EXCERPT_CHARACTERS else words[:_EXCERPT_CHARACTERS].rsplit(" ", 1)[0] + " …"
