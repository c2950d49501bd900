"""Keywords in what people write: with and without typing errors, in any script. Pure.

Texts are compared in one form: letters of one width, without case, and without the accents that people leave out on
phones. Marks that are vowels in their script stay.
"""

import re
import unicodedata
from functools import cached_property

_WORD = re.compile(r"\w+")
# Accents of Latin, Greek and Cyrillic letters, once they are taken apart.
_ACCENTS = re.compile("[\u0300-\u036f]")
# How many letters may be wrong, added, missing or swapped in a word of at least so many letters.
_TYPOS = ((8, 2), (4, 1))
# Nobody puts a keyword behind a book; without an end, one message could keep the worker for seconds.
_LONGEST = 5_000


def plain(text: str) -> str:
    """Bring a text into the form in which texts are compared."""
    apart = unicodedata.normalize("NFKD", text[:_LONGEST]).casefold()
    return unicodedata.normalize("NFC", _ACCENTS.sub("", apart))


class Words:
    """A text, prepared once and compared often."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def plain(self) -> str:
        return plain(self._text)

    @cached_property
    def list(self) -> list[str]:
        return _WORD.findall(self.plain)

    @cached_property
    def spaced(self) -> str:
        """The words alone, so that a phrase is found at their borders whatever stands in between."""
        return f" {' '.join(self.list)} "


class Keyword:
    """One keyword, or a phrase of several words."""

    def __init__(self, text: str) -> None:
        self._plain = plain(text).strip()
        words = _WORD.findall(self._plain)
        self._phrase = " ".join(words)
        self._length = len(words)
        self._typos = next((typos for letters, typos in _TYPOS if len(self._phrase) >= letters), 0)

    def is_all(self, said: Words) -> bool:
        """Tell whether nothing else is said. Marks and emoji count only where the keyword is made of them."""
        if not self._phrase:
            return said.plain.strip() == self._plain
        return said.spaced == f" {self._phrase} "

    def is_word(self, said: Words) -> bool:
        return f" {self._phrase} " in said.spaced if self._phrase else self.is_part(said)

    def is_part(self, said: Words) -> bool:
        return self._plain in said.plain

    def is_meant(self, said: Words) -> bool:
        """Tell whether it is there, perhaps with a typing error. Short words have to be right: one letter makes
        another word of them.
        """
        if self.is_word(said):
            return True
        if not self._typos:
            return False
        from rapidfuzz.distance import OSA  # noqa: PLC0415 - loaded with the first keyword that needs it

        words = said.list
        for place in range(len(words) - self._length + 1):
            some = " ".join(words[place : place + self._length])
            if OSA.distance(self._phrase, some, score_cutoff=self._typos) <= self._typos:
                return True
        return False
