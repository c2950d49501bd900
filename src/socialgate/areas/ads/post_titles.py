"""What ads are called that show a post."""

import textwrap
import unicodedata

from socialgate.contracts.publishing import PublishedPostLookup
from socialgate.core.db import Tx

# How much of a post's text is in a name. TikTok accepts no emoji there: symbols, their modifiers, and what joins them.
_MAX_TITLE_LENGTH = 50
_EXCLUDED_UNICODE_CATEGORIES = frozenset({"So", "Sk", "Cf", "Cs", "Co", "Cn"})
_VARIATION_SELECTORS = "\ufe0e\ufe0f\u20e3"


class PostTitles:
    def __init__(self, index: PublishedPostLookup) -> None:
        self._index = index

    async def build_post_title(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        """Return the beginning of a post's text, in characters that all platforms accept in a name."""
        text = await self._index.get_text(tx, owner_id, post_id, account_id) or ""
        plain = "".join(
            value
            for value in text
            if unicodedata.category(value) not in _EXCLUDED_UNICODE_CATEGORIES and value not in _VARIATION_SELECTORS
        )
        return textwrap.shorten(plain, _MAX_TITLE_LENGTH, placeholder="…") or None
