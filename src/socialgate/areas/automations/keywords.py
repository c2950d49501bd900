"""Keywords in messages: with and without typos, in any script. Pure.

Texts are normalized before they are compared: letters of one width, lower case, and without the accents that people
leave out on phones. Marks that are vowels in their script stay.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, cached_property

_WORD = re.compile(r"\w+")
# Accents of Latin, Greek and Cyrillic letters, after decomposition.
_ACCENTS = re.compile("[\u0300-\u036f]")
# How many letters may be wrong, added, missing or swapped in a word of at least this many letters.
_TYPOS = ((8, 2), (4, 1))
# No keyword is this far into a text; without a limit, one message could keep the worker busy for seconds.
_LONGEST = 5_000
# Comparing with typos costs a hundred times more: it is done at the beginning of a text, with keywords that fit into
# one machine word. Longer phrases must be spelled correctly.
_LONGEST_WITH_TYPOS = 1_000
_LONGEST_MISSPELLED = 64
# How many comparisons with typos one message may cost, for all automations of an owner together: about a tenth of a
# second. Hundreds of automations with a page of text need fewer.
MOST_COMPARISONS = 300_000


def plain(text: str) -> str:
    """Normalize a text for comparison. One character can become eighteen."""
    apart = unicodedata.normalize("NFKD", text[:_LONGEST]).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))[:_LONGEST]


class Words:
    """A text, prepared once and compared with the keywords of many automations."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: dict[int, Mapping[int, Collection[str]]] = {}
        self._comparisons = MOST_COMPARISONS

    @cached_property
    def plain(self) -> str:
        return plain(self._text)

    @cached_property
    def words(self) -> Sequence[str]:
        return _WORD.findall(self.plain)

    @cached_property
    def distinct(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def spaced(self) -> str:
        """Only the words, so that a phrase is found at word boundaries whatever is in between."""
        return f" {' '.join(self.words)} "

    def affords(self, comparisons: int) -> bool:
        """Return whether so many more comparisons may be made for this text."""
        self._comparisons -= comparisons
        return self._comparisons >= 0

    def runs(self, number: int) -> Mapping[int, Collection[str]]:
        """Return all sequences of this many words, by length: much longer or shorter ones need not be compared."""
        if number not in self._runs:
            words = _WORD.findall(self.plain[:_LONGEST_WITH_TYPOS])
            found: dict[int, dict[str, None]] = {}
            for place in range(len(words) - number + 1):
                run = " ".join(words[place : place + number])
                found.setdefault(len(run), {})[run] = None
            self._runs[number] = {length: list(runs) for length, runs in found.items()}
        return self._runs[number]


class Keywords:
    """Keywords and phrases, any of which counts. Punctuation and emoji count wherever they occur."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._parts = tuple(dict.fromkeys(plain(text).strip() for text in texts))
        found = [_WORD.findall(part) for part in self._parts]
        self._marks = frozenset(part for part, words in zip(self._parts, found, strict=True) if not words)
        self._wholes = frozenset(f" {' '.join(words)} " for words in found if words)
        self._words = frozenset(words[0] for words in found if len(words) == 1)
        self._phrases = tuple(f" {' '.join(words)} " for words in found if len(words) > 1)
        self._near = _by_length([words for words in found if words])

    def are_all(self, said: Words) -> bool:
        """Return whether the text is exactly one of them."""
        return said.spaced in self._wholes or said.plain.strip() in self._marks

    def are_words(self, said: Words) -> bool:
        return (
            not self._words.isdisjoint(said.distinct)
            or any(phrase in said.spaced for phrase in self._phrases)
            or any(mark in said.plain for mark in self._marks)
        )

    def are_parts(self, said: Words) -> bool:
        return any(part in said.plain for part in self._parts)

    def are_meant(self, said: Words) -> bool:
        """Return whether one of them occurs, possibly with a typo."""
        return self.are_words(said) or self._is_near(said)

    def _is_near(self, said: Words) -> bool:
        is_among = _among() if self._near else None
        return is_among is not None and any(
            said.affords(len(runs)) and is_among(phrase, runs, typos)
            for number, by_length in self._near.items()
            for length, runs in said.runs(number).items()
            for phrase, typos in by_length.get(length, ())
        )


def _by_length(phrases: Sequence[Sequence[str]]) -> Mapping[int, Mapping[int, Sequence[tuple[str, int]]]]:
    """Sort phrases by their number of words, and by the lengths that they can have with typos.

    Short words must match exactly, because one letter makes a different word.
    """
    found: dict[int, dict[int, list[tuple[str, int]]]] = {}
    for words in phrases:
        phrase = " ".join(words)
        if len(phrase) > _LONGEST_MISSPELLED:
            continue
        typos = next((typos for letters, typos in _TYPOS if len(phrase) >= letters), 0)
        for length in range(len(phrase) - typos, len(phrase) + typos + 1) if typos else ():
            found.setdefault(len(words), {}).setdefault(length, []).append((phrase, typos))
    return found


@cache
def _among() -> Callable[[str, Collection[str], int], bool]:
    """Return the function that finds a phrase with so many wrong, added, missing or swapped letters. Imported on first
    use.
    """
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - see above
    from rapidfuzz.process import extractOne  # noqa: PLC0415 - see above

    def is_among(phrase: str, runs: Collection[str], typos: int) -> bool:
        return extractOne(phrase, runs, scorer=OSA.distance, score_cutoff=typos) is not None

    return is_among
