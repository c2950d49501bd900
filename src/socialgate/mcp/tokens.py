"""How many tokens a text costs, without the tables of any model.

Tokenizers split text into words, numbers of up to three digits and runs of punctuation, and long words further. This
counts the same pieces, and a word of more than eight letters as several. For the schemas of our tools it is
a few percent above what o200k counts (docs/decisions/0043-mcp.md has the comparison).
"""

import math
import re

_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]{1,3}|\s+(?=\S)|[^\sA-Za-z0-9]+")
_LETTERS_PER_TOKEN = 8
_SIGNS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the tokens of a text, rather too many than too few."""
    return sum(
        math.ceil(len(piece) / _LETTERS_PER_TOKEN) if piece.isalpha() else _count_other(piece)
        for piece in _PIECE.findall(text)
    )


def _count_other(piece: str) -> int:
    # A space belongs to the word after it.
    return 0 if piece.isspace() else math.ceil(len(piece) / _SIGNS_PER_TOKEN)
