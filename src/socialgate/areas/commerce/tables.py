"""The tables of this area: product batches, each change with its result, and the sentences of the results.

Catalogs, products and sets are not stored: they are read live from the platform.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.contracts.commerce import ProductChangeMethod
from socialgate.core.db import Id, UtcDateTime, metadata
from socialgate.core.rows import build_row_reader

Json = sa.JSON(none_as_null=True)


class ProductBatchItemStatus(StrEnum):
    """`sent`: the platform is processing it. `unconfirmed`: the platform never reported a result."""

    PENDING = "pending"
    SENT = "sent"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    UNCONFIRMED = "unconfirmed"


product_batches = sa.Table(
    "product_batches",
    metadata,
    sa.Column("owner_id", Id, sa.ForeignKey("owners.id"), primary_key=True),
    sa.Column("id", Id, primary_key=True),
    sa.Column("account_id", Id, nullable=False),
    sa.Column("catalog_id", sa.String(300), nullable=False),
    # Null until all rows have arrived.
    sa.Column("task_id", Id),
    # While rows arrive, those that are stored.
    sa.Column("row_count", sa.Integer, nullable=False),
    sa.Column("created_at", UtcDateTime, nullable=False),
    sa.Index("ix_product_batches_task_id", "owner_id", "task_id"),
    sa.Index("ix_product_batches_created_at", "created_at"),
)

product_rows = sa.Table(
    "product_rows",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("batch_id", Id, primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("method", sa.String(8), nullable=False),
    sa.Column("retailer_id", sa.String(300), nullable=False),
    sa.Column("status", sa.String(12), nullable=False),
    # The chunk in which it was sent.
    sa.Column("chunk", sa.Integer),
    # The product to send, and its size; cleared once the platform has it.
    sa.Column("product", Json),
    sa.Column("bytes", sa.Integer, nullable=False),
    # Written by earlier versions, with the sentences. Null for rows that have `reasons`.
    sa.Column("errors", Json),
    # Why it failed, as in `reasons.py`.
    sa.Column("reasons", Json),
    sa.Index("ix_product_rows_status", "owner_id", "batch_id", "status", "number"),
)


product_sentences = sa.Table(
    "product_sentences",
    metadata,
    sa.Column("owner_id", Id, primary_key=True),
    sa.Column("batch_id", Id, primary_key=True),
    sa.Column("name", sa.String(16), primary_key=True),
    sa.Column("sentence", sa.String(500), nullable=False),
)


class ProductBatchRow(msgspec.Struct, frozen=True):
    owner_id: str
    id: str
    account_id: str
    catalog_id: str
    task_id: str | None
    row_count: int
    created_at: datetime


class ProductBatchItemRow(msgspec.Struct, frozen=True):
    owner_id: str
    batch_id: str
    number: int
    method: ProductChangeMethod
    retailer_id: str
    status: ProductBatchItemStatus
    chunk: int | None
    product: Mapping[str, Any] | None
    bytes: int
    errors: Sequence[Mapping[str, str | None]] | None
    reasons: Sequence[tuple[str, str | None, str | None]] | None


read_product_batch = build_row_reader(ProductBatchRow, product_batches)
read_product_batch_item = build_row_reader(ProductBatchItemRow, product_rows)
