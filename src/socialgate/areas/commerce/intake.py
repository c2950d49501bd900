"""Reading the rows of a batch as they arrive: JSON items, or lines of a CSV.

An invalid row does not affect the others: it is stored with its errors.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from socialgate.areas.commerce.batch_schemas import ProductChange
from socialgate.areas.commerce.json_items import Items, find_items
from socialgate.areas.commerce.schemas import NewProductBody
from socialgate.contracts.commerce import Availability, Condition, Method, Product, Products
from socialgate.contracts.money import MOST, BadMoney, Money, places, priced
from socialgate.core.breaks import Breaks
from socialgate.core.errors import Fault, Invalid, MalformedRequest
from socialgate.web.faults import invalid_body
from socialgate.web.request import decode_body

MOST_ROWS = 100_000
MOST_JSON_BYTES = 4 * 1024 * 1024
MOST_CSV_BYTES = 64 * 1024 * 1024
# A row may have several lines. Blank ones are no rows, but take time as well.
MAX_LINES = 1_000_000
MAX_BLANK_LINES = MOST_ROWS
# As many bytes as even the shortest lines are read in within some milliseconds.
_PIECE_BYTES = 4 * 1024
_LONGEST_ROW = 256 * 1024
_MOST_COLUMNS = 100
_SEPARATORS = (",", ";", "\t")
# A quoted cell up to its last quotation mark: two of them inside a cell are one that belongs to the text.
_QUOTED_CELL = re.compile(r'"(?:[^"]++|"")*+"')
# All cells of a line that a separator ends. Nothing is tried twice, so the time grows with the length alone.
_ENDED_CELLS = {
    separator: re.compile(
        rf'(?:(?:{_QUOTED_CELL.pattern}[^{separator}]*+|[^"{separator}][^{separator}]*+)?+{separator})*+'
    )
    for separator in _SEPARATORS
}
# Our names for the columns of product feeds. Our own names are accepted too.
_COLUMNS = {
    "id": "retailerId",
    "sku": "retailerId",
    "sku_id": "retailerId",
    "name": "title",
    "link": "url",
    "image_link": "imageUrl",
    "additional_image_link": "additionalImageUrls",
    "item_group_id": "group",
    "google_product_category": "category",
    "sale_price": "salePrice",
}
_TEXTS = ("method", "retailerId", "title", "description", "brand", "url", "imageUrl", "group", "category")
_CHOICES = {"availability": frozenset(Availability), "condition": frozenset(Condition)}
_AMOUNTS = {"price": "priceAmount", "salePrice": "salePriceAmount"}
_KNOWN = (*_TEXTS, *_CHOICES, "additionalImageUrls", *_AMOUNTS, *_AMOUNTS.values(), "currency")
_INTEGER = re.compile(r"\d{1,20}", re.ASCII)
_BY_NAME = {one.lower(): one for one in _KNOWN} | _COLUMNS
_LONGEST_SHOWN = 100
_UNCLOSED = "A quotation mark is not closed in the row that begins with: {start}. Nothing in the CSV was accepted."
_TOO_LONG = "A line of the CSV is too long, or a quotation mark is not closed. Nothing in the CSV was accepted."
_MISQUOTED = (
    "The row has {lines} lines and cannot be read: a quotation mark is not closed, or must be doubled inside a cell. "
    "Nothing in these lines was accepted."
)
CSV_EXAMPLE = (
    "id,title,description,availability,condition,price,link,image_link,brand\n"
    "cake-1,Princess cake,For eight people.,in stock,new,349.00 SEK,https://bakery.example.com/cake-1,"
    "https://bakery.example.com/cake-1.jpg,Ada\n"
)


class Taken(msgspec.Struct, frozen=True):
    """A row as it arrived: the change to make, or its errors."""

    method: Method
    retailer_id: str
    product: Product | None
    faults: Sequence[Fault] = ()


class BatchHead(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A batch whose items are not decoded yet, so that an invalid item does not hide the others."""

    ad_account_id: str | None = None
    catalog_id: str = ""
    items: list[msgspec.Raw] = []


async def read_json(body: bytes) -> tuple[BatchHead, Items]:
    """Read a batch without its items, which are read one by one."""
    items = await find_items(body, MOST_ROWS)
    head: BatchHead = decode_body(items.rest.encode(), BatchHead)
    if not head.catalog_id:
        raise Invalid.at("/catalogId", "required", "Send the id of the catalog.")
    if not items:
        raise Invalid.at("/items", "required", "Send at least one item.")
    return head, items


async def json_rows(items: Items, part: Products) -> AsyncIterator[Taken]:
    for number in range(len(items)):
        yield _taken(msgspec.Raw(items[number]), part)


class CsvReader:
    """Reads a CSV in chunks and yields its rows, so that at most one row is in memory."""

    def __init__(self, part: Products) -> None:
        self._part = part
        # Files end their lines in three ways, and a chunk may end within one.
        self._decoder = io.IncrementalNewlineDecoder(codecs.getincrementaldecoder("utf-8-sig")(), translate=True)
        self._text = ""
        # The lines of a row that is not complete yet.
        self._lines: list[str] = []
        self._length = 0
        self._quoted = False
        self._columns: list[str | None] | None = None
        self._separator = ","
        # The columns as they are named in the header, by our own names.
        self._names: dict[str, str] = {}
        self._line_count = self._blank_count = 0

    async def rows(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[Taken]:
        breaks = Breaks()
        async for chunk in chunks:
            for begin in range(0, len(chunk), _PIECE_BYTES):
                for row in self._feed(self._decoded(chunk[begin : begin + _PIECE_BYTES], last=False)):
                    yield row
                await breaks.take()
        for row in self._feed(self._decoded(b"", last=True) + "\n"):
            yield row
        if self._lines:
            raise MalformedRequest(_UNCLOSED.format(start=self._lines[0].strip()[:_LONGEST_SHOWN]))
        if self._columns is None:
            raise Invalid.at("", "required", "The body is empty. Send a header row, and a line for each product.")

    def _decoded(self, chunk: bytes, *, last: bool) -> str:
        try:
            return self._decoder.decode(chunk, final=last)
        except UnicodeDecodeError:
            raise MalformedRequest("The CSV is not UTF-8. Save it as UTF-8 and send it again.") from None

    def _feed(self, text: str) -> Iterator[Taken]:
        *lines, self._text = (self._text + text).split("\n")
        self._line_count += len(lines)
        if self._line_count > MAX_LINES:
            raise Invalid.at("", "too_many", f"A CSV can have at most {MAX_LINES:,} lines. Send several.")
        for line in lines:
            yield from self._add(f"{line}\n")
        self._require_short(self._length + len(self._text))

    def _add(self, line: str) -> Iterator[Taken]:
        """Add a line to the current row, and read the row if it ends here."""
        if self._columns is None and not self._lines:
            self._separator = max(_SEPARATORS, key=line.count)
        self._quoted = _is_quoted(line, self._separator, already=self._quoted)
        self._lines.append(line)
        self._length += len(line)
        self._require_short(self._length)
        # Inside quotation marks, a line break is part of the cell.
        if self._quoted:
            return
        row, count = "".join(self._lines), len(self._lines)
        self._lines, self._length, self._quoted = [], 0, False
        if row.strip():
            yield from self._row(row, count)
        else:
            self._count_blank()

    def _count_blank(self) -> None:
        self._blank_count += 1
        if self._blank_count > MAX_BLANK_LINES:
            raise Invalid.at("", "too_many", f"The CSV has more than {MAX_BLANK_LINES:,} blank lines. Remove them.")

    def _require_short(self, length: int) -> None:
        if length > _LONGEST_ROW:
            raise MalformedRequest(_TOO_LONG)

    def _row(self, row: str, lines: int) -> Iterator[Taken]:
        if self._columns is None:
            self._columns = self._begun(row)
            return
        if "\0" in row:
            yield _unreadable("The row contains the character U+0000. Remove it.")
            return
        try:
            # A quotation mark that is not closed takes the next rows with it, up to the next quotation mark.
            cells = next(csv.reader([row], delimiter=self._separator, strict=lines > 1))
        except (csv.Error, StopIteration):
            yield _unreadable("The row cannot be read as CSV." if lines == 1 else _MISQUOTED.format(lines=lines))
            return
        named = zip(self._columns, cells, strict=False)
        known = {name: cell.strip() for name, cell in named if name is not None and cell.strip()}
        if len(cells) > len(self._columns):
            detail = "The row has more cells than the header. Quote cells that contain separators."
            yield _unreadable(detail, known.get("retailerId", ""))
            return
        yield _as_named(_of_cells(known, self._part), self._names)

    def _begun(self, heading: str) -> list[str | None]:
        """Read the header."""
        try:
            names = [name.strip() for name in next(csv.reader([heading], delimiter=self._separator))]
        except csv.Error:
            raise MalformedRequest("The first line of the CSV cannot be read. It must be a header row.") from None
        if len(names) > _MOST_COLUMNS:
            raise Invalid.at("", "too_many", f"The header has {len(names):,} columns. Send only: {', '.join(_KNOWN)}.")
        columns = [_BY_NAME.get(name.lower()) for name in names]
        self._names = {ours: name for ours, name in zip(columns, names, strict=True) if ours is not None}
        if "retailerId" not in columns:
            raise Invalid.at("/retailerId", "required", "The header needs a column `retailerId` (or `id`).")
        unknown = [name for name, known in zip(names, columns, strict=True) if name and known is None]
        if unknown:
            shown = ", ".join(name[:_LONGEST_SHOWN] for name in unknown[:5])
            raise Invalid.at("", "unknown_field", f"Unknown columns: {shown}. Known: {', '.join(_KNOWN)}.")
        twice = next((name for name in columns if name is not None and columns.count(name) > 1), None)
        if twice is not None:
            raise Invalid.at(f"/{twice}", "duplicate", f"Several columns mean `{twice}`. Keep one of them.")
        return columns


def _is_quoted(line: str, separator: str, *, already: bool) -> bool:
    """Whether a quoted cell continues after a line. A quotation mark opens a cell only where the cell begins."""
    if '"' not in line:
        return already
    line = f'"{line}' if already else line
    ended = _ENDED_CELLS[separator].match(line)
    begins = 0 if ended is None else ended.end()
    return line.startswith('"', begins) and _QUOTED_CELL.match(line, begins) is None


def _unreadable(detail: str, retailer_id: str = "") -> Taken:
    return Taken(Method.UPSERT, retailer_id[:_LONGEST_SHOWN], None, [Fault("", "invalid", detail)])


def _of_cells(row: Mapping[str, str], part: Products) -> Taken:
    """Read the cells of a line. Prices are 9.99 USD, or an integer in the smallest unit plus a currency column."""
    item: dict[str, Any] = {name: row[name] for name in _TEXTS if name in row}
    item |= {name: _choice(row[name], words) for name, words in _CHOICES.items() if name in row}
    if "method" in item:
        item["method"] = item["method"].lower()
    if "additionalImageUrls" in row:
        item["additionalImageUrls"] = [one.strip() for one in row["additionalImageUrls"].split(",") if one.strip()]
    faults = []
    for name, counted in _AMOUNTS.items():
        try:
            if (price := _price(row, name, counted)) is not None:
                item[name] = msgspec.to_builtins(price)
        except BadMoney as error:
            faults.append(Fault(f"/{name}", "invalid", str(error)))
    taken = _taken(item, part, skip=[fault.pointer for fault in faults])
    return msgspec.structs.replace(taken, product=None, faults=[*faults, *taken.faults]) if faults else taken


def _price(row: Mapping[str, str], name: str, counted: str) -> Money | None:
    if name in row:
        return priced(row[name])
    if counted not in row:
        return None
    if not _INTEGER.fullmatch(row[counted]):
        raise BadMoney(f"`{counted}` must be an integer in the currency's smallest unit, and at most {MOST}.")
    places(row.get("currency", ""))
    return Money(int(row[counted]), row["currency"])


def _as_named(taken: Taken, names: Mapping[str, str]) -> Taken:
    """Name the columns in errors as the header does: `link`, not `url`."""
    faults = []
    for fault in taken.faults:
        ours, *inner = fault.pointer.strip("/").split("/")
        name = names.get(ours, ours)
        detail = name + fault.detail.removeprefix(ours) if fault.detail.startswith(f"{ours} ") else fault.detail
        faults.append(Fault("/".join(["", name, *inner]) if ours else "", fault.code, detail))
    return msgspec.structs.replace(taken, faults=faults)


def _choice(words: str, known: Collection[str]) -> str:
    """Read one of some words. One that is not known stays as it was written, for the error."""
    read = _camel(words)
    return read if read in known else words


def _camel(words: str) -> str:
    """Convert `in stock` and `IN_STOCK` to the spelling of this API: inStock. That spelling itself is kept."""
    parts = words.replace("_", " ").replace("-", " ").split()
    if len(parts) < 2 and not words.isupper():  # noqa: PLR2004 - one word, or none
        return words[0].lower() + words[1:]
    head, *rest = (part.lower() for part in parts)
    return head + "".join(part.title() for part in rest)


def _taken(item: Any, part: Products, skip: Sequence[str] = ()) -> Taken:
    """Validate one change, by our own rules and by those of the platform."""
    try:
        change = (
            msgspec.json.decode(item, type=ProductChange)
            if isinstance(item, msgspec.Raw)
            else msgspec.convert(item, ProductChange)
        )
    except msgspec.ValidationError as error:
        # Of numbers that are out of range, this parser makes infinity.
        sent = json.loads(bytes(item)) if isinstance(item, msgspec.Raw) else item
        return Taken(_method_in(sent), _name_in(sent), None, [*invalid_body(error, ProductChange, sent).errors])
    except msgspec.DecodeError as error:
        # It is JSON, but contains a number that is out of range.
        sent, fault = json.loads(bytes(item)), Fault("", "invalid", f"The item cannot be read: {error}.")
        return Taken(_method_in(sent), _name_in(sent), None, [fault])
    product = product_of(change)
    faults = [*money_faults(product), *part.faults(product, change.method)]
    faults = [fault for fault in faults if fault.pointer not in skip]
    return Taken(change.method, change.retailer_id, None if faults else product, faults)


def product_of(given: NewProductBody | ProductChange) -> Product:
    """Read the product from a request body."""
    return Product(**{name: getattr(given, name) for name in Product.__struct_fields__})


def money_faults(product: Product) -> Iterator[Fault]:
    prices = {"/price": product.price, "/salePrice": product.sale_price}
    for pointer, price in prices.items():
        try:
            _ = None if price is None else places(price.currency)
        except BadMoney as error:
            yield Fault(f"{pointer}/currency", "invalid", str(error))
    both = {price.currency for price in prices.values() if price is not None}
    if len(both) > 1:
        yield Fault("/salePrice/currency", "contradiction", "Both prices of a product must have the same currency.")
    elif product.price and product.sale_price and product.sale_price.amount > product.price.amount:
        detail = "salePrice must not be higher than price. Send the regular price as price."
        yield Fault("/salePrice/amount", "contradiction", detail)


def _name_in(item: Any) -> str:
    """Find the id in an item that cannot be decoded."""
    return str(_members(item).get("retailerId") or "")[:_LONGEST_SHOWN]


def _method_in(item: Any) -> Method:
    said = str(_members(item).get("method"))
    return Method(said) if said in [*Method] else Method.UPSERT


def _members(item: Any) -> Mapping[str, Any]:
    return item if isinstance(item, dict) else {}
