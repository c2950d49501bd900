"""Finding the items of a JSON batch one by one, with breaks: decoding 4 MB at once would keep everybody else waiting.

The body is checked as a whole before anything of it is stored, as everywhere. What surrounds the items is small, and is
decoded like any other body; each item is decoded later by itself, so that an invalid one does not hide the others.
"""

import json
import re
from array import array
from typing import Any, NoReturn

import msgspec

from socialgate.core.breaks import Breaks
from socialgate.core.errors import InvalidRequest, MalformedJson
from socialgate.web.request import refuse_doubled_keys, require_no_zero_characters, require_shallow

MAX_ITEM_LENGTH = 256 * 1024
_MAX_REST = 16 * 1024
_SPACE = re.compile(r"[ \t\n\r]*")
_SCANNER = json.JSONDecoder(object_pairs_hook=refuse_doubled_keys)


class Items(msgspec.Struct, frozen=True):
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


async def find_items(body: bytes, max_items: int) -> Items:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedJson(f"The body is not valid UTF-8 (byte {error.start}).") from error
    return await _Walk(text, max_items).items()


class _Walk:
    """One walk over the text of a batch. `_window` is the piece of it that begins at `_from`: the decoder may read to
    the end of what it gets, and a value that is longer than a window is refused.
    """

    def __init__(self, text: str, max_items: int) -> None:
        self._text = text
        self._max_items = max_items
        self._breaks = Breaks()
        self._window, self._from = "", 0
        self._begins, self._ends = array("I"), array("I")

    async def items(self) -> Items:
        rest, cut = "", 0
        at = self._space(self._after("{", self._space(0)))
        while not self._text.startswith("}", at):
            name, at = self._value(at)
            at = self._space(self._after(":", self._space(at)))
            if name == "items" and self._text.startswith("[", at):
                end = await self._items(at + 1)
                rest, cut, at = f"{rest}{self._text[cut:at]}[]", end, end
            else:
                _, at = self._value(at)
            at = self._following("}", at)
            await self._breaks.take()
        rest += self._text[cut:]
        if len(rest) > _MAX_REST:
            raise InvalidRequest.at(
                "", "too_large", f"All fields except `items` can have {_MAX_REST} characters together."
            )
        return Items(self._text, self._begins, self._ends, rest)

    async def _items(self, at: int) -> int:
        """Note the place of each item, and return the end of the list."""
        at = self._space(at)
        while not self._text.startswith("]", at):
            if len(self._begins) == self._max_items:
                detail = f"A batch can have at most {self._max_items} rows. Send several."
                raise InvalidRequest.at("/items", "too_many", detail)
            _, end = self._value(at)
            item = self._text[at:end].encode()
            require_shallow(item)
            require_no_zero_characters(item)
            self._begins.append(at)
            self._ends.append(end)
            at = self._following("]", end)
            await self._breaks.take()
        return at + 1

    def _value(self, at: int) -> tuple[Any, int]:
        """Return the value that begins here, and its end."""
        result = self._decoded(at)
        if result is None:
            # It may end behind the window.
            self._window, self._from = self._text[at : at + MAX_ITEM_LENGTH], at
            result = self._decoded(at)
        if result is None:
            self._refuse(at)
        return result

    def _decoded(self, at: int) -> tuple[Any, int] | None:
        try:
            value, length = _SCANNER.raw_decode(self._window, at - self._from)
        except json.JSONDecodeError:
            return None
        except ValueError as error:
            # Python limits the digits that it converts, because long numbers take quadratic time.
            raise InvalidRequest.at("", "out_of_range", "A number has too many digits. Send a shorter one.") from error
        except RecursionError:
            raise MalformedJson("The body is nested too deeply.") from None
        end = self._from + length
        # A number that ends with the window may go on behind it.
        return (value, end) if length < len(self._window) or end == len(self._text) else None

    def _refuse(self, at: int) -> NoReturn:
        if at + MAX_ITEM_LENGTH < len(self._text):
            detail = f"The body is not valid JSON from character {at} on, or a value is longer than {MAX_ITEM_LENGTH}."
            raise MalformedJson(detail)
        try:
            _SCANNER.raw_decode(self._text[at:])
        except json.JSONDecodeError as error:
            self._malformed(error.msg, at + error.pos)
        self._malformed("Unexpected end", len(self._text))

    def _following(self, closing: str, at: int) -> int:
        """Step over a comma, unless the list or object ends here."""
        at = self._space(at)
        if self._text.startswith(closing, at):
            return at
        after = self._space(self._after(",", at))
        if self._text.startswith(closing, after):
            self._malformed("Expecting a value after the comma", after)
        return after

    def _after(self, sign: str, at: int) -> int:
        if not self._text.startswith(sign, at):
            self._malformed(f"Expecting {sign!r}", at)
        return at + 1

    def _space(self, at: int) -> int:
        match = _SPACE.match(self._text, at)
        assert match is not None, "no space at all is also found"
        return match.end()

    def _malformed(self, why: str, at: int) -> NoReturn:
        raise MalformedJson(f"The body is not valid JSON: {why} (character {at}).")
