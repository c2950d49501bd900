"""Requests and responses for batches of products."""

from typing import Annotated, Any

from msgspec import Meta

from socialgate.areas.commerce.schemas import (
    EXAMPLE_PRODUCT,
    AdAccountId,
    PlatformId,
    ProductFields,
    RetailerId,
)
from socialgate.areas.commerce.tables import ProductBatchItemStatus
from socialgate.contracts.commerce import EXAMPLE_AD_ACCOUNT_ID, EXAMPLE_CATALOG_ID, ProductChangeMethod
from socialgate.core.fields import AdAccountIdField, CreatedAt
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import QueryParameters, RequestBody, ResponseModel

_EXAMPLE_TASK_ID = "task_01h455vb4pex5vsknk084sn02q"


class ProductChange(ProductFields, frozen=True, kw_only=True):
    """One change in a batch. `upsert` creates or replaces the product and needs all fields that a new one needs;
    `update` changes the given fields of an existing product; `delete` needs only the `retailerId`.
    """

    method: ProductChangeMethod = ProductChangeMethod.UPSERT
    """What to do with the product."""
    retailer_id: RetailerId

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"method": "upsert", **EXAMPLE_PRODUCT}


class ProductBatchBody(RequestBody, frozen=True, kw_only=True):
    """Changes to a catalog, each to a different product."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId
    """The platform's id of the catalog."""
    items: Annotated[list[ProductChange], Meta(min_length=1)]
    """The changes, at most 100,000."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "catalogId": EXAMPLE_CATALOG_ID,
            "items": [ProductChange.example()],
        }


class ProductBatchQuery(QueryParameters, frozen=True, kw_only=True):
    """The catalog that the rows of a CSV are for. A JSON body contains these fields itself."""

    ad_account_id: AdAccountId | None = None
    catalog_id: PlatformId | None = None
    """The platform's id of the catalog. Required for CSV."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"adAccountId": EXAMPLE_AD_ACCOUNT_ID, "catalogId": EXAMPLE_CATALOG_ID}


class ProductBatch(ResponseModel, frozen=True, kw_only=True):
    """A task that processes a batch. `rejected` rows were invalid; the task lists them with all other failed rows."""

    id: str
    """The id, `task_…`. `GET /tasks/{taskId}` shows its progress and its result."""
    type: str
    """Always `products.batch`."""
    status: str
    """The status of the task."""
    ad_account_id: AdAccountIdField
    catalog_id: str
    """The platform's id of the catalog."""
    rows: int
    """How many rows the batch has, including the rejected ones."""
    rejected: int
    """How many rows are invalid, and are not sent."""
    created_at: CreatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_TASK_ID,
            "type": "products.batch",
            "status": "queued",
            "adAccountId": EXAMPLE_AD_ACCOUNT_ID,
            "catalogId": EXAMPLE_CATALOG_ID,
            "rows": 10_000,
            "rejected": 12,
            "createdAt": "2026-11-15T09:30:00Z",
        }


class BatchRowsQuery(ListQuery, frozen=True, kw_only=True):
    """Which rows of a batch to list."""

    status: Annotated[ProductBatchItemStatus, Meta(description="Only rows with this status.")] | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"limit": 50, "status": "failed"}


class RowError(ResponseModel, frozen=True, kw_only=True):
    """Why a row failed. `field` is the field to change, if known."""

    code: str
    """What is wrong, for programs: the code of a fault, or of the error of the platform."""
    field: str | None
    """The field to change. Null if it is unknown."""
    detail: str
    """What is wrong and how to fix it, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "required", "field": "brand", "detail": "TikTok requires brand."}


class BatchRow(ResponseModel, frozen=True, kw_only=True):
    """The result of one row. The first item, or the first line after the header, is row 1."""

    row: int
    """The number of the row, from 1. The header of a CSV does not count."""
    method: str
    """What to do with the product."""
    retailer_id: str
    """Your own product id. Empty if the row has none."""
    status: ProductBatchItemStatus
    """`sent` while the platform processes it; `unconfirmed` if the platform never reported a result."""
    errors: list[RowError]
    """Why it failed. Empty otherwise."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        error = RowError.example()
        return {"row": 17, "method": "upsert", "retailerId": "cake-17", "status": "failed", "errors": [error]}


class FailedBatchRow(ResponseModel, frozen=True, kw_only=True):
    """A row that did not succeed, and why."""

    row: Annotated[int, Meta(description="The number of the row; the first is 1.")]
    retailer_id: Annotated[str, Meta(description="Your id of the product.")]
    status: Annotated[
        ProductBatchItemStatus, Meta(description="`failed`, or `unconfirmed` if the result is not known.")
    ]
    code: Annotated[str, Meta(description="The kind of error.")]
    field: Annotated[str | None, Meta(description="The field to change, if known.")]
    detail: Annotated[str, Meta(description="What is wrong, and how to fix it.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"row": 17, "retailerId": "cake-17", "status": "failed", **RowError.example()}


class BatchResult(ResponseModel, frozen=True, kw_only=True):
    """The result of the task that processes a batch of products."""

    catalog_id: Annotated[str, Meta(description="The catalog that was changed.")]
    rows: Annotated[int, Meta(description="How many rows the batch has.")]
    succeeded: Annotated[int, Meta(description="How many rows succeeded.")]
    failed: Annotated[int, Meta(description="How many rows failed.")]
    unconfirmed: Annotated[int, Meta(description="How many rows the platform reported no result for.")]
    errors: Annotated[list[FailedBatchRow], Meta(description="The first rows that did not succeed.")]
    truncated: Annotated[bool, Meta(description="Whether there are more errors than are shown here.")]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "catalogId": EXAMPLE_CATALOG_ID,
            "rows": 5000,
            "succeeded": 4999,
            "failed": 1,
            "unconfirmed": 0,
            "errors": [FailedBatchRow.example()],
            "truncated": False,
        }
