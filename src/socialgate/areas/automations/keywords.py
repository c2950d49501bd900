"""Keywords in messages: with and without typos, in any script. Pure.

Texts are normalized before they are compared: letters of one width, lower case, and without the accents that people
leave out on phones. Marks that are vowels in their script stay.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, cached_property

_WORD_PATTERN = re.compile(r"\w+")
# Accents of Latin, Greek and Cyrillic letters, after decomposition.
_ACCENT_PATTERN = re.compile("[\u0300-\u036f]")
# How many letters may be wrong, added, missing or swapped in a word of at least this many letters.
_MAX_TYPOS_BY_LENGTH = ((8, 2), (4, 1))
# No keyword is this far into a text; without a limit, one message could keep the worker busy for seconds.
_MAX_TEXT_LENGTH = 5_000
# Comparing with typos costs a hundred times more: it is done at the beginning of a text, with keywords that fit into
# one machine word. Longer phrases must be spelled correctly.
_MAX_FUZZY_TEXT_LENGTH = 1_000
_MAX_FUZZY_KEYWORD_LENGTH = 64
# How many comparisons with typos one message may cost, for all automations of an owner together: about a tenth of a
# second. Hundreds of automations with a page of text need fewer.
MAX_FUZZY_COMPARISONS = 300_000
# How many characters may be searched for keywords in one message, for all automations of an owner together: about a
# tenth of a second, or twice that for keywords that were made to take long. Two hundred keywords in each of 500
# automations need a fifth of it for a message of 200 characters.
MAX_SEARCHED_CHARACTERS = 100_000_000


def normalize_text(text: str) -> str:
    """Normalize a text for comparison. One character can become eighteen."""
    apart = unicodedata.normalize("NFKD", text[:_MAX_TEXT_LENGTH]).casefold()
    return unicodedata.normalize("NFC", _ACCENT_PATTERN.sub("", apart))[:_MAX_TEXT_LENGTH]


class MessageText:
    """A text, prepared once and compared with the keywords of many automations."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._word_sequences: dict[int, Mapping[int, Collection[str]]] = {}
        self._comparisons_left = MAX_FUZZY_COMPARISONS
        self._characters_left = MAX_SEARCHED_CHARACTERS

    @cached_property
    def normalized_text(self) -> str:
        return normalize_text(self._text)

    @cached_property
    def words(self) -> Sequence[str]:
        return _WORD_PATTERN.findall(self.normalized_text)

    @cached_property
    def distinct_words(self) -> frozenset[str]:
        return frozenset(self.words)

    @cached_property
    def joined_words(self) -> str:
        """Only the words, so that a phrase is found at word boundaries whatever is in between."""
        return f" {' '.join(self.words)} "

    def spend_comparisons(self, comparisons: int) -> bool:
        """Return whether so many more comparisons may be made for this text."""
        self._comparisons_left -= comparisons
        return self._comparisons_left >= 0

    def spend_searches(self, searches: int) -> bool:
        """Return whether so many more searches may be made in this text."""
        self._characters_left -= searches * len(self.normalized_text)
        return not self.is_exhausted

    @property
    def is_exhausted(self) -> bool:
        """Whether it was searched too often: nothing more is found in it."""
        return self._characters_left < 0

    def get_word_sequences(self, number: int) -> Mapping[int, Collection[str]]:
        """Return all sequences of this many words, by length: much longer or shorter ones need not be compared."""
        if number not in self._word_sequences:
            words = _WORD_PATTERN.findall(self.normalized_text[:_MAX_FUZZY_TEXT_LENGTH])
            result: dict[int, dict[str, None]] = {}
            for place in range(len(words) - number + 1):
                run = " ".join(words[place : place + number])
                result.setdefault(len(run), {})[run] = None
            self._word_sequences[number] = {length: list(runs) for length, runs in result.items()}
        return self._word_sequences[number]


class Keywords:
    """Keywords and phrases, any of which counts. Punctuation and emoji count wherever they occur."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._parts = tuple(dict.fromkeys(normalize_text(text).strip() for text in texts))
        word_lists = [_WORD_PATTERN.findall(part) for part in self._parts]
        self._symbols = frozenset(part for part, words in zip(self._parts, word_lists, strict=True) if not words)
        self._exact_texts = frozenset(f" {' '.join(words)} " for words in word_lists if words)
        self._words = frozenset(words[0] for words in word_lists if len(words) == 1)
        self._phrases = tuple(f" {' '.join(words)} " for words in word_lists if len(words) > 1)
        self._fuzzy_index = _build_fuzzy_index([words for words in word_lists if words])

    def match_exact(self, text: MessageText) -> bool:
        """Return whether the text is exactly one of them."""
        return text.joined_words in self._exact_texts or text.normalized_text.strip() in self._symbols

    def match_word(self, text: MessageText) -> bool:
        if not self._words.isdisjoint(text.distinct_words):
            return True
        return text.spend_searches(len(self._phrases) + len(self._symbols)) and (
            any(phrase in text.joined_words for phrase in self._phrases)
            or any(mark in text.normalized_text for mark in self._symbols)
        )

    def match_contains(self, text: MessageText) -> bool:
        return text.spend_searches(len(self._parts)) and any(part in text.normalized_text for part in self._parts)

    def match_fuzzy(self, text: MessageText) -> bool:
        """Return whether one of them occurs, possibly with a typo."""
        return self.match_word(text) or self._matches_with_typos(text)

    def _matches_with_typos(self, text: MessageText) -> bool:
        is_among = _load_fuzzy_matcher() if self._fuzzy_index else None
        return is_among is not None and any(
            text.spend_comparisons(len(runs)) and is_among(phrase, runs, typos)
            for number, by_length in self._fuzzy_index.items()
            for length, runs in text.get_word_sequences(number).items()
            for phrase, typos in by_length.get(length, ())
        )


def _build_fuzzy_index(phrases: Sequence[Sequence[str]]) -> Mapping[int, Mapping[int, Sequence[tuple[str, int]]]]:
    """Sort phrases by their number of words, and by the lengths that they can have with typos.

    Short words must match exactly, because one letter makes a different word.
    """
    result: dict[int, dict[int, list[tuple[str, int]]]] = {}
    for words in phrases:
        phrase = " ".join(words)
        if len(phrase) > _MAX_FUZZY_KEYWORD_LENGTH:
            continue
        typos = next((typos for letters, typos in _MAX_TYPOS_BY_LENGTH if len(phrase) >= letters), 0)
        for length in range(len(phrase) - typos, len(phrase) + typos + 1) if typos else ():
            result.setdefault(len(words), {}).setdefault(length, []).append((phrase, typos))
    return result


@cache
def _load_fuzzy_matcher() -> Callable[[str, Collection[str], int], bool]:
    """Return the function that finds a phrase with so many wrong, added, missing or swapped letters. Imported on first
    use.
    """
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - see above
    from rapidfuzz.process import extractOne  # noqa: PLC0415 - see above

    def is_among(phrase: str, runs: Collection[str], typos: int) -> bool:
        return extractOne(phrase, runs, scorer=OSA.distance, score_cutoff=typos) is not None

    return is_among
