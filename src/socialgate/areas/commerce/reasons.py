"""Why rows failed, stored in few bytes: a code, a field, and the name of a sentence.

Most invalid rows of a file are wrong in the same way, so a batch stores each sentence once, and its rows refer to it. A
file whose rows are all wrong in their own ways must not fill the disk: after a thousand sentences, only codes are
stored, and the row is shown with a sentence that says in general what the code means.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TypeAlias

import msgspec

from socialgate.areas.commerce.tables import ProductBatchItemRow
from socialgate.core.field_error_codes import FIELD_ERROR_CODES

MAX_ERROR_SENTENCES_PER_BATCH = 1000
MAX_DETAIL_LENGTH = 500
_MAX_FIELD_LENGTH = 100
_CODE_MEANINGS: Mapping[str, str] = {
    **{str(code): meaning for code, meaning in FIELD_ERROR_CODES.items()},
    "outcome_unknown": "The platform did not report a result.",
}
_DETAILS_NOT_STORED_DETAIL = "The batch has too many different errors to store the details of each."

# As it is stored: the code, the field, and the name of the sentence.
StoredRowFailure: TypeAlias = tuple[str, str | None, str | None]


class RowFailure(msgspec.Struct, frozen=True):
    """Why a row failed: `field` is the one to change, if known."""

    code: str
    field: str | None
    detail: str


def build_row_failure(code: str, detail: str, pointer: str = "") -> RowFailure:
    """Details and fields quote what was sent, which can be of any length."""
    return RowFailure(code, pointer.strip("/")[:_MAX_FIELD_LENGTH] or None, detail[:MAX_DETAIL_LENGTH])


def hash_sentence(sentence: str) -> str:
    return sha256(sentence.encode()).hexdigest()[:16]


def encode_row_failures(failures: Iterable[RowFailure], stored: Mapping[str, str]) -> list[StoredRowFailure]:
    """Return what to store with a row. `stored` are the sentences of the batch, with their names."""
    return [(failure.code, failure.field, stored.get(failure.detail)) for failure in failures]


def decode_row_failures(row: ProductBatchItemRow, sentences: Mapping[str, str]) -> list[RowFailure]:
    """Return why a row failed, in words. `sentences` are those of the batch, by name."""
    if row.reasons is None:
        # Stored by a version that wrote the sentences into each row.
        return [msgspec.convert(error, RowFailure) for error in row.errors or ()]
    return [
        RowFailure(code, field, _format_detail(code, field, sentences.get(name or "")))
        for code, field, name in row.reasons
    ]


def list_sentence_names(rows: Iterable[ProductBatchItemRow]) -> set[str]:
    return {name for row in rows for _, _, name in row.reasons or () if name is not None}


def _format_detail(code: str, field: str | None, sentence: str | None) -> str:
    if sentence is not None:
        return sentence
    place = f"{field}: " if field else ""
    return f"{place}{_CODE_MEANINGS.get(code, 'The row is not valid.')} {_DETAILS_NOT_STORED_DETAIL}"
