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
from socialgate.areas.commerce.json_items import BatchItems, find_batch_items
from socialgate.areas.commerce.schemas import NewProductBody
from socialgate.contracts.commerce import (
    Product,
    ProductAdapter,
    ProductAvailability,
    ProductChangeMethod,
    ProductCondition,
)
from socialgate.contracts.money import MAX_AMOUNT, InvalidAmountError, Money, get_decimal_places, parse_feed_price
from socialgate.core.breaks import EventLoopYielder
from socialgate.core.errors import Fault, InvalidRequest, MalformedRequest
from socialgate.web.field_errors import build_body_error
from socialgate.web.request import decode_body

MAX_BATCH_ROWS = 100_000
MAX_JSON_BYTES = 4 * 1024 * 1024
MAX_CSV_BYTES = 64 * 1024 * 1024
# A row may have several lines. Blank ones are no rows, but take time as well.
MAX_CSV_LINES = 1_000_000
MAX_BLANK_LINES = MAX_BATCH_ROWS
# As many bytes as even the shortest lines are read in within some milliseconds.
_PARSE_CHUNK_BYTES = 4 * 1024
_MAX_ROW_LENGTH = 256 * 1024
_MAX_COLUMNS = 100
_CSV_SEPARATORS = (",", ";", "\t")
# A quoted cell up to its last quotation mark: two of them inside a cell are one that belongs to the text. There is no
# alternative in what repeats without going back, because Python before 3.11.5 matches that wrongly.
_QUOTED_CELL_PATTERN = re.compile(r'"[^"]*+(?:""[^"]*+)*+"')
# All cells of a line that a separator ends. Nothing is tried twice, so the time grows with the length alone.
_COMPLETE_CELLS_PATTERNS = {
    separator: re.compile(
        rf'(?:{_QUOTED_CELL_PATTERN.pattern}[^{separator}]*+{separator}|[^"{separator}][^{separator}]*+{separator}|{separator})*'
    )
    for separator in _CSV_SEPARATORS
}
# Our names for the columns of product feeds. Our own names are accepted too.
_FEED_COLUMN_ALIASES = {
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
_TEXT_FIELDS = ("method", "retailerId", "title", "description", "brand", "url", "imageUrl", "group", "category")
_ENUM_FIELDS = {"availability": frozenset(ProductAvailability), "condition": frozenset(ProductCondition)}
_AMOUNT_COLUMNS = {"price": "priceAmount", "salePrice": "salePriceAmount"}
_KNOWN_COLUMNS = (
    *_TEXT_FIELDS,
    *_ENUM_FIELDS,
    "additionalImageUrls",
    *_AMOUNT_COLUMNS,
    *_AMOUNT_COLUMNS.values(),
    "currency",
)
_INTEGER_PATTERN = re.compile(r"\d{1,20}", re.ASCII)
_COLUMN_BY_HEADER = {value.lower(): value for value in _KNOWN_COLUMNS} | _FEED_COLUMN_ALIASES
_MAX_QUOTED_LENGTH = 100
_UNCLOSED_QUOTE_MESSAGE = (
    "A quotation mark is not closed in the row that begins with: {start}. Nothing in the CSV was accepted."
)
_LINE_TOO_LONG_MESSAGE = (
    "A line of the CSV is too long, or a quotation mark is not closed. Nothing in the CSV was accepted."
)
_MISQUOTED_ROW_MESSAGE = (
    "The row has {lines} lines and cannot be read: a quotation mark is not closed, or must be doubled inside a cell. "
    "Nothing in these lines was accepted."
)
EXAMPLE_CSV = (
    "id,title,description,availability,condition,price,link,image_link,brand\n"
    "cake-1,Princess cake,For eight people.,in stock,new,349.00 SEK,https://bakery.example.com/cake-1,"
    "https://bakery.example.com/cake-1.jpg,Ada\n"
)


class ParsedRow(msgspec.Struct, frozen=True):
    """A row as it arrived: the change to make, or its errors."""

    method: ProductChangeMethod
    retailer_id: str
    product: Product | None
    faults: Sequence[Fault] = ()


class BatchEnvelope(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A batch whose items are not decoded yet, so that an invalid item does not hide the others."""

    ad_account_id: str | None = None
    catalog_id: str = ""
    items: list[msgspec.Raw] = []


async def parse_json_batch(body: bytes) -> tuple[BatchEnvelope, BatchItems]:
    """Read a batch without its items, which are read one by one."""
    items = await find_batch_items(body, MAX_BATCH_ROWS)
    head: BatchEnvelope = decode_body(items.rest.encode(), BatchEnvelope)
    if not head.catalog_id:
        raise InvalidRequest.for_field("/catalogId", "required", "Send the id of the catalog.")
    if not items:
        raise InvalidRequest.for_field("/items", "required", "Send at least one item.")
    return head, items


async def parse_json_rows(items: BatchItems, part: ProductAdapter) -> AsyncIterator[ParsedRow]:
    for number in range(len(items)):
        yield _parse_item(msgspec.Raw(items[number]), part)


class CsvRowParser:
    """Reads a CSV in chunks and yields its rows, so that at most one row is in memory."""

    def __init__(self, part: ProductAdapter) -> None:
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

    async def parse_rows(self, chunks: AsyncIterator[bytes]) -> AsyncIterator[ParsedRow]:
        breaks = EventLoopYielder()
        async for chunk in chunks:
            for begin in range(0, len(chunk), _PARSE_CHUNK_BYTES):
                for row in self._split_lines(self._decode(chunk[begin : begin + _PARSE_CHUNK_BYTES], last=False)):
                    yield row
                await breaks.yield_if_due()
        for row in self._split_lines(self._decode(b"", last=True) + "\n"):
            yield row
        if self._lines:
            raise MalformedRequest(_UNCLOSED_QUOTE_MESSAGE.format(start=self._lines[0].strip()[:_MAX_QUOTED_LENGTH]))
        if self._columns is None:
            raise InvalidRequest.for_field(
                "", "required", "The body is empty. Send a header row, and a line for each product."
            )

    def _decode(self, chunk: bytes, *, last: bool) -> str:
        try:
            return self._decoder.decode(chunk, final=last)
        except UnicodeDecodeError:
            raise MalformedRequest("The CSV is not UTF-8. Save it as UTF-8 and send it again.") from None

    def _split_lines(self, text: str) -> Iterator[ParsedRow]:
        *lines, self._text = (self._text + text).split("\n")
        self._line_count += len(lines)
        if self._line_count > MAX_CSV_LINES:
            raise InvalidRequest.for_field(
                "", "too_many", f"A CSV can have at most {MAX_CSV_LINES:,} lines. Send several."
            )
        for line in lines:
            yield from self._add_line(f"{line}\n")
        self._require_row_length(self._length + len(self._text))

    def _add_line(self, line: str) -> Iterator[ParsedRow]:
        """Add a line to the current row, and read the row if it ends here."""
        if self._columns is None and not self._lines:
            self._separator = max(_CSV_SEPARATORS, key=line.count)
        self._quoted = _is_inside_quotes(line, self._separator, was_inside_quotes=self._quoted)
        self._lines.append(line)
        self._length += len(line)
        self._require_row_length(self._length)
        # Inside quotation marks, a line break is part of the cell.
        if self._quoted:
            return
        row, count = "".join(self._lines), len(self._lines)
        self._lines, self._length, self._quoted = [], 0, False
        if row.strip():
            yield from self._parse_row(row, count)
        else:
            self._count_blank()

    def _count_blank(self) -> None:
        self._blank_count += 1
        if self._blank_count > MAX_BLANK_LINES:
            raise InvalidRequest.for_field(
                "", "too_many", f"The CSV has more than {MAX_BLANK_LINES:,} blank lines. Remove them."
            )

    def _require_row_length(self, length: int) -> None:
        if length > _MAX_ROW_LENGTH:
            raise MalformedRequest(_LINE_TOO_LONG_MESSAGE)

    def _parse_row(self, row: str, lines: int) -> Iterator[ParsedRow]:
        if self._columns is None:
            self._columns = self._parse_header(row)
            return
        if "\0" in row:
            yield _build_unreadable_row("The row contains the character U+0000. Remove it.")
            return
        try:
            # A quotation mark that is not closed takes the next rows with it, up to the next quotation mark.
            cells = next(csv.reader([row], delimiter=self._separator, strict=lines > 1))
        except (csv.Error, StopIteration):
            yield _build_unreadable_row(
                "The row cannot be read as CSV." if lines == 1 else _MISQUOTED_ROW_MESSAGE.format(lines=lines)
            )
            return
        named = zip(self._columns, cells, strict=False)
        known = {name: cell.strip() for name, cell in named if name is not None and cell.strip()}
        if len(cells) > len(self._columns):
            detail = "The row has more cells than the header. Quote cells that contain separators."
            yield _build_unreadable_row(detail, known.get("retailerId", ""))
            return
        yield _use_header_names(_parse_cells(known, self._part), self._names)

    def _parse_header(self, heading: str) -> list[str | None]:
        """Read the header."""
        try:
            names = [name.strip() for name in next(csv.reader([heading], delimiter=self._separator))]
        except csv.Error:
            raise MalformedRequest("The first line of the CSV cannot be read. It must be a header row.") from None
        if len(names) > _MAX_COLUMNS:
            raise InvalidRequest.for_field(
                "", "too_many", f"The header has {len(names):,} columns. Send only: {', '.join(_KNOWN_COLUMNS)}."
            )
        columns = [_COLUMN_BY_HEADER.get(name.lower()) for name in names]
        self._names = {ours: name for ours, name in zip(columns, names, strict=True) if ours is not None}
        if "retailerId" not in columns:
            raise InvalidRequest.for_field(
                "/retailerId", "required", "The header needs a column `retailerId` (or `id`)."
            )
        unknown = [name for name, known in zip(names, columns, strict=True) if name and known is None]
        if unknown:
            shown = ", ".join(name[:_MAX_QUOTED_LENGTH] for name in unknown[:5])
            raise InvalidRequest.for_field(
                "", "unknown_field", f"Unknown columns: {shown}. Known: {', '.join(_KNOWN_COLUMNS)}."
            )
        twice = next((name for name in columns if name is not None and columns.count(name) > 1), None)
        if twice is not None:
            raise InvalidRequest.for_field(
                f"/{twice}", "duplicate", f"Several columns mean `{twice}`. Keep one of them."
            )
        return columns


def _is_inside_quotes(line: str, separator: str, *, was_inside_quotes: bool) -> bool:
    """Whether a quoted cell continues after a line. A quotation mark opens a cell only where the cell begins."""
    if '"' not in line:
        return was_inside_quotes
    line = f'"{line}' if was_inside_quotes else line
    ended = _COMPLETE_CELLS_PATTERNS[separator].match(line)
    begins = 0 if ended is None else ended.end()
    return line.startswith('"', begins) and _QUOTED_CELL_PATTERN.match(line, begins) is None


def _build_unreadable_row(detail: str, retailer_id: str = "") -> ParsedRow:
    return ParsedRow(ProductChangeMethod.UPSERT, retailer_id[:_MAX_QUOTED_LENGTH], None, [Fault("", "invalid", detail)])


def _parse_cells(row: Mapping[str, str], part: ProductAdapter) -> ParsedRow:
    """Read the cells of a line. Prices are 9.99 USD, or an integer in the smallest unit plus a currency column."""
    item: dict[str, Any] = {name: row[name] for name in _TEXT_FIELDS if name in row}
    item |= {name: _parse_enum_value(row[name], words) for name, words in _ENUM_FIELDS.items() if name in row}
    if "method" in item:
        item["method"] = item["method"].lower()
    if "additionalImageUrls" in row:
        item["additionalImageUrls"] = [
            value.strip() for value in row["additionalImageUrls"].split(",") if value.strip()
        ]
    faults = []
    for name, counted in _AMOUNT_COLUMNS.items():
        try:
            if (price := _parse_price(row, name, counted)) is not None:
                item[name] = msgspec.to_builtins(price)
        except InvalidAmountError as error:
            faults.append(Fault(f"/{name}", "invalid", str(error)))
    taken = _parse_item(item, part, ignored_pointers=[fault.pointer for fault in faults])
    return msgspec.structs.replace(taken, product=None, faults=[*faults, *taken.faults]) if faults else taken


def _parse_price(row: Mapping[str, str], name: str, amount_column: str) -> Money | None:
    if name in row:
        return parse_feed_price(row[name])
    if amount_column not in row:
        return None
    if not _INTEGER_PATTERN.fullmatch(row[amount_column]):
        raise InvalidAmountError(
            f"`{amount_column}` must be an integer in the currency's smallest unit, and at most {MAX_AMOUNT}."
        )
    get_decimal_places(row.get("currency", ""))
    return Money(int(row[amount_column]), row["currency"])


def _use_header_names(taken: ParsedRow, names: Mapping[str, str]) -> ParsedRow:
    """Name the columns in errors as the header does: `link`, not `url`."""
    faults = []
    for fault in taken.faults:
        ours, *inner = fault.pointer.strip("/").split("/")
        name = names.get(ours, ours)
        detail = name + fault.detail.removeprefix(ours) if fault.detail.startswith(f"{ours} ") else fault.detail
        faults.append(Fault("/".join(["", name, *inner]) if ours else "", fault.code, detail))
    return msgspec.structs.replace(taken, faults=faults)


def _parse_enum_value(words: str, known: Collection[str]) -> str:
    """Read one of some words. One that is not known stays as it was written, for the error."""
    read = _to_camel_case(words)
    return read if read in known else words


def _to_camel_case(words: str) -> str:
    """Convert `in stock` and `IN_STOCK` to the spelling of this API: inStock. That spelling itself is kept."""
    parts = words.replace("_", " ").replace("-", " ").split()
    if len(parts) < 2 and not words.isupper():  # noqa: PLR2004 - one word, or none
        return words[0].lower() + words[1:]
    head, *rest = (part.lower() for part in parts)
    return head + "".join(part.title() for part in rest)


def _parse_item(item: Any, part: ProductAdapter, ignored_pointers: Sequence[str] = ()) -> ParsedRow:
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
        return ParsedRow(
            _extract_method(sent),
            _extract_retailer_id(sent),
            None,
            [*build_body_error(error, ProductChange, sent).errors],
        )
    except msgspec.DecodeError as error:
        # It is JSON, but contains a number that is out of range.
        sent, fault = json.loads(bytes(item)), Fault("", "invalid", f"The item cannot be read: {error}.")
        return ParsedRow(_extract_method(sent), _extract_retailer_id(sent), None, [fault])
    product = build_product(change)
    faults = [*validate_prices(product), *part.validate_product_change(product, change.method)]
    faults = [fault for fault in faults if fault.pointer not in ignored_pointers]
    return ParsedRow(change.method, change.retailer_id, None if faults else product, faults)


def build_product(value: NewProductBody | ProductChange) -> Product:
    """Read the product from a request body."""
    return Product(**{name: getattr(value, name) for name in Product.__struct_fields__})


def validate_prices(product: Product) -> Iterator[Fault]:
    prices = {"/price": product.price, "/salePrice": product.sale_price}
    for pointer, price in prices.items():
        try:
            _ = None if price is None else get_decimal_places(price.currency)
        except InvalidAmountError as error:
            yield Fault(f"{pointer}/currency", "invalid", str(error))
    both = {price.currency for price in prices.values() if price is not None}
    if len(both) > 1:
        yield Fault("/salePrice/currency", "contradiction", "Both prices of a product must have the same currency.")
    elif product.price and product.sale_price and product.sale_price.amount > product.price.amount:
        detail = "salePrice must not be higher than price. Send the regular price as price."
        yield Fault("/salePrice/amount", "contradiction", detail)


def _extract_retailer_id(item: Any) -> str:
    """Find the id in an item that cannot be decoded."""
    return str(_as_mapping(item).get("retailerId") or "")[:_MAX_QUOTED_LENGTH]


def _extract_method(item: Any) -> ProductChangeMethod:
    message = str(_as_mapping(item).get("method"))
    return ProductChangeMethod(message) if message in [*ProductChangeMethod] else ProductChangeMethod.UPSERT


def _as_mapping(item: Any) -> Mapping[str, Any]:
    return item if isinstance(item, dict) else {}
