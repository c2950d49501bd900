"""Finding the items of a JSON batch one by one, with breaks: decoding 4 MB at once would keep everybody else waiting.

The body is checked as a whole before anything of it is stored, as everywhere. What surrounds the items is small, and is
decoded like any other body; each item is decoded later by itself, so that an invalid one does not hide the others.
"""

import json
import re
from array import array
from typing import Any, NoReturn

import msgspec

from socialgate.core.breaks import EventLoopYielder
from socialgate.core.errors import InvalidRequest, MalformedJson
from socialgate.web.request import reject_duplicate_keys, require_max_json_depth, require_no_zero_characters

MAX_ITEM_LENGTH = 256 * 1024
_MAX_ENVELOPE_LENGTH = 16 * 1024
_WHITESPACE_PATTERN = re.compile(r"[ \t\n\r]*")
_JSON_DECODER = json.JSONDecoder(object_pairs_hook=reject_duplicate_keys)


class BatchItems(msgspec.Struct, frozen=True):
    """A body without its items, and where each of them begins and ends in the whole text.

    The numbers are in arrays, because the garbage collector would look at every tuple.
    """

    text: str
    begins: "array[int]"
    ends: "array[int]"
    rest: str

    def __len__(self) -> int:
        return len(self.begins)

    def __getitem__(self, number: int) -> bytes:
        return self.text[self.begins[number] : self.ends[number]].encode()


async def find_batch_items(body: bytes, max_items: int) -> BatchItems:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedJson(f"The body is not valid UTF-8 (byte {error.start}).") from error
    return await _BatchScanner(text, max_items).scan_batch()


class _BatchScanner:
    """One walk over the text of a batch. `_window` is the piece of it that begins at `_from`: the decoder may read to
    the end of what it gets, and a value that is longer than a window is refused.
    """

    def __init__(self, text: str, max_items: int) -> None:
        self._text = text
        self._max_items = max_items
        self._breaks = EventLoopYielder()
        self._window, self._from = "", 0
        self._begins, self._ends = array("I"), array("I")

    async def scan_batch(self) -> BatchItems:
        rest, cut = "", 0
        at = self._skip_whitespace(self._skip_sign("{", self._skip_whitespace(0)))
        while not self._text.startswith("}", at):
            name, at = self._scan_value(at)
            at = self._skip_whitespace(self._skip_sign(":", self._skip_whitespace(at)))
            if name == "items" and self._text.startswith("[", at):
                end = await self._scan_items(at + 1)
                rest, cut, at = f"{rest}{self._text[cut:at]}[]", end, end
            else:
                _, at = self._scan_value(at)
            at = self._skip_comma("}", at)
            await self._breaks.yield_if_due()
        rest += self._text[cut:]
        if len(rest) > _MAX_ENVELOPE_LENGTH:
            raise InvalidRequest.for_field(
                "", "too_large", f"All fields except `items` can have {_MAX_ENVELOPE_LENGTH} characters together."
            )
        return BatchItems(self._text, self._begins, self._ends, rest)

    async def _scan_items(self, at: int) -> int:
        """Note the place of each item, and return the end of the list."""
        at = self._skip_whitespace(at)
        while not self._text.startswith("]", at):
            if len(self._begins) == self._max_items:
                detail = f"A batch can have at most {self._max_items} rows. Send several."
                raise InvalidRequest.for_field("/items", "too_many", detail)
            _, end = self._scan_value(at)
            item = self._text[at:end].encode()
            require_max_json_depth(item)
            require_no_zero_characters(item)
            self._begins.append(at)
            self._ends.append(end)
            at = self._skip_comma("]", end)
            await self._breaks.yield_if_due()
        return at + 1

    def _scan_value(self, at: int) -> tuple[Any, int]:
        """Return the value that begins here, and its end."""
        result = self._try_decode(at)
        if result is None:
            # It may end behind the window.
            self._window, self._from = self._text[at : at + MAX_ITEM_LENGTH], at
            result = self._try_decode(at)
        if result is None:
            self._raise_unreadable(at)
        return result

    def _try_decode(self, at: int) -> tuple[Any, int] | None:
        try:
            value, length = _JSON_DECODER.raw_decode(self._window, at - self._from)
        except json.JSONDecodeError:
            return None
        except ValueError as error:
            # Python limits the digits that it converts, because long numbers take quadratic time.
            raise InvalidRequest.for_field(
                "", "out_of_range", "A number has too many digits. Send a shorter one."
            ) from error
        except RecursionError:
            raise MalformedJson("The body is nested too deeply.") from None
        end = self._from + length
        # A number that ends with the window may go on behind it.
        return (value, end) if length < len(self._window) or end == len(self._text) else None

    def _raise_unreadable(self, at: int) -> NoReturn:
        if at + MAX_ITEM_LENGTH < len(self._text):
            detail = f"The body is not valid JSON from character {at} on, or a value is longer than {MAX_ITEM_LENGTH}."
            raise MalformedJson(detail)
        try:
            _JSON_DECODER.raw_decode(self._text[at:])
        except json.JSONDecodeError as error:
            self._raise_malformed(error.msg, at + error.pos)
        self._raise_malformed("Unexpected end", len(self._text))

    def _skip_comma(self, closing: str, at: int) -> int:
        """Step over a comma, unless the list or object ends here."""
        at = self._skip_whitespace(at)
        if self._text.startswith(closing, at):
            return at
        after = self._skip_whitespace(self._skip_sign(",", at))
        if self._text.startswith(closing, after):
            self._raise_malformed("Expecting a value after the comma", after)
        return after

    def _skip_sign(self, sign: str, at: int) -> int:
        if not self._text.startswith(sign, at):
            self._raise_malformed(f"Expecting {sign!r}", at)
        return at + 1

    def _skip_whitespace(self, at: int) -> int:
        match = _WHITESPACE_PATTERN.match(self._text, at)
        assert match is not None, "no space at all is also found"
        return match.end()

    def _raise_malformed(self, why: str, at: int) -> NoReturn:
        raise MalformedJson(f"The body is not valid JSON: {why} (character {at}).")
