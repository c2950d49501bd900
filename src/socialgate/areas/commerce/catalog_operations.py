"""Requests that change something in a catalog, each executed at most once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from socialgate.areas.commerce.schemas import Product as ProductView
from socialgate.areas.commerce.schemas import ProductDeleted
from socialgate.areas.commerce.views import build_catalog_view, build_product_set_view, build_product_view
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    COMMERCE_CAPABILITY,
    PRODUCTS_CAPABILITY,
    Catalog,
    CatalogAdapter,
    ChunkResult,
    NewCatalog,
    NewProductSet,
    Product,
    ProductAdapter,
    ProductChangeMethod,
    ProductItem,
    ProductSet,
    RejectedChange,
)
from socialgate.contracts.failures import OutcomeUnknownError, PlatformFailure, PlatformRejectedError
from socialgate.contracts.operations import LookupResult, NotFoundYet, OperationType
from socialgate.contracts.publishing import Inconclusive
from socialgate.core.db import Tx

NO_CATALOGS_PHRASE = "has no product catalogs"
# How long a request waits for a platform to process one product. It is polled less often the longer it takes.
_POLL_DELAYS_SECONDS = (0.3, 0.5, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0)
PROCESSING_STATUS = "processing"
REJECTED_WITHOUT_REASON_MESSAGE = (
    "The platform rejected the product without a reason. Check its fields, and its status on the platform."
)
N = TypeVar("N", Catalog, ProductSet)


class ProductUpsert(msgspec.Struct, frozen=True, kw_only=True):
    catalog_id: str
    platform: str
    product: Product


class ProductDeletion(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is the id that the caller used."""

    catalog_id: str
    platform: str
    retailer_id: str
    requested_id: str = msgspec.field(name="name")


def is_product_applied(item: ProductItem, product: Product) -> bool:
    """Whether a product on the platform matches the wanted one, in the fields that platforms return unchanged."""
    pairs = [
        (getattr(product, name), getattr(item.product, name))
        for name in ("title", "price", "sale_price", "availability", "url", "brand")
    ]
    return all(request is None or request == result for request, result in pairs)


async def _upsert_product(
    part: ProductAdapter, credentials: AccountCredentials, product_upsert: ProductUpsert
) -> ProductItem:
    """Send one product, and wait for the platform as long as a request can.

    Once the platform has accepted it, failing to read the result does not mean that the product was rejected.
    """
    sent = await part.submit_batch(
        credentials, product_upsert.catalog_id, ProductChangeMethod.UPSERT, [product_upsert.product], repeatable=False
    )
    _require_accepted(sent.rejected_changes, product_upsert.platform)
    if sent.handle is None:
        raise PlatformRejectedError(REJECTED_WITHOUT_REASON_MESSAGE, platform=product_upsert.platform)
    checked = await _wait_for_result(part, credentials, product_upsert.catalog_id, sent.handle)
    if checked is None:
        return ProductItem(id=None, product=product_upsert.product, status=PROCESSING_STATUS)
    _require_accepted(checked.rejected_changes, product_upsert.platform)
    if checked.failure_reason is not None:
        raise PlatformRejectedError(checked.failure_reason, platform=product_upsert.platform)
    with suppress(PlatformFailure):
        if product_items := await part.find(
            credentials, product_upsert.catalog_id, [product_upsert.product.retailer_id]
        ):
            return product_items[0]
    return ProductItem(id=None, product=product_upsert.product, status=PROCESSING_STATUS)


async def _look_up_product(
    part: ProductAdapter, credentials: AccountCredentials, product_upsert: ProductUpsert
) -> LookupResult[ProductItem]:
    product_items = await part.find(credentials, product_upsert.catalog_id, [product_upsert.product.retailer_id])
    return next((item for item in product_items if is_product_applied(item, product_upsert.product)), NotFoundYet())


async def _delete_product(
    part: ProductAdapter, credentials: AccountCredentials, product_deletion: ProductDeletion
) -> None:
    handle = await part.delete(credentials, product_deletion.catalog_id, product_deletion.retailer_id)
    if handle is None:
        return
    checked = await _wait_for_result(part, credentials, product_deletion.catalog_id, handle)
    if checked is None:
        detail = f"{product_deletion.platform} accepted the deletion and is still processing it."
        raise OutcomeUnknownError(detail, platform=product_deletion.platform)
    if (checked.rejected_changes or checked.failure_reason) and await part.find(
        credentials, product_deletion.catalog_id, [product_deletion.retailer_id]
    ):
        _require_accepted(checked.rejected_changes, product_deletion.platform)
        raise PlatformRejectedError(
            checked.failure_reason or "The platform did not delete the product. Send the request again.",
            platform=product_deletion.platform,
        )


async def _look_up_deletion(
    part: ProductAdapter, credentials: AccountCredentials, product_deletion: ProductDeletion
) -> LookupResult[None]:
    return (
        NotFoundYet()
        if await part.find(credentials, product_deletion.catalog_id, [product_deletion.retailer_id])
        else None
    )


async def _wait_for_result(
    part: ProductAdapter, credentials: AccountCredentials, catalog_id: str, handle: str
) -> ChunkResult | None:
    """Wait for the result of a change that the platform has accepted; None if it is not known in time."""
    for wait in _POLL_DELAYS_SECONDS:
        await asyncio.sleep(wait)
        with suppress(PlatformFailure):
            checked = await part.get_chunk_result(credentials, catalog_id, handle)
            if checked.done:
                return checked
    return None


def _require_accepted(refused: Sequence[RejectedChange], platform: str) -> None:
    if refused:
        raise PlatformRejectedError(" ".join(rejected_change.detail for rejected_change in refused), platform=platform)


async def _look_up_catalog(
    part: CatalogAdapter, credentials: AccountCredentials, new: NewCatalog
) -> LookupResult[Catalog]:
    return _find_newly_created(await part.find_catalogs_by_name(credentials, new.name), new.known_ids_with_name)


async def _look_up_product_set(
    part: CatalogAdapter, credentials: AccountCredentials, new: NewProductSet
) -> LookupResult[ProductSet]:
    return _find_newly_created(
        await part.find_product_sets_by_name(credentials, new.catalog_id, new.name), new.known_ids_with_name
    )


def _find_newly_created(named: Sequence[N], previous_ids: Sequence[str]) -> LookupResult[N]:
    fresh = [catalog for catalog in named if catalog.id not in previous_ids]
    if len(fresh) > 1:
        return Inconclusive(
            "Several with this name were created in the meantime. Check on the platform which one is yours."
        )
    return fresh[0] if fresh else NotFoundYet()


async def _record_catalog(tx: Tx, account: AccountRow, new: NewCatalog, item: Catalog) -> Catalog:
    del tx, new
    return build_catalog_view(account, item)


async def _record_product_set(tx: Tx, account: AccountRow, new: NewProductSet, item: ProductSet) -> ProductSet:
    del tx, account
    return build_product_set_view(new.catalog_id, item)


async def _record_product(tx: Tx, account: AccountRow, product_upsert: ProductUpsert, item: ProductItem) -> ProductView:
    del tx, account
    return build_product_view(product_upsert.catalog_id, item)


async def _record_product_deletion(
    tx: Tx, account: AccountRow, product_deletion: ProductDeletion, result: None
) -> ProductDeleted:
    del tx, account, result
    return ProductDeleted(id=product_deletion.requested_id, catalog_id=product_deletion.catalog_id)


CREATE_CATALOG_OPERATION = OperationType(
    name="catalogs.create",
    request=NewCatalog,
    response_type=Catalog,
    capability=COMMERCE_CAPABILITY,
    unsupported_phrase=NO_CATALOGS_PHRASE,
    call=lambda part, credentials, new: part.create_catalog(credentials, new),
    record=_record_catalog,
    look=_look_up_catalog,
    summarize_request=lambda new: {"name": new.name},
    get_object_id=lambda _, item: item.id,
)
CREATE_PRODUCT_SET_OPERATION = OperationType(
    name="productSets.create",
    request=NewProductSet,
    response_type=ProductSet,
    capability=COMMERCE_CAPABILITY,
    unsupported_phrase=NO_CATALOGS_PHRASE,
    call=lambda part, credentials, new: part.create_product_set(credentials, new),
    record=_record_product_set,
    look=_look_up_product_set,
    summarize_request=lambda new: {"catalogId": new.catalog_id, "name": new.name},
    get_object_id=lambda _, item: item.id,
)
CREATE_PRODUCT_OPERATION = OperationType(
    name="products.create",
    request=ProductUpsert,
    response_type=ProductView,
    capability=PRODUCTS_CAPABILITY,
    unsupported_phrase=NO_CATALOGS_PHRASE,
    call=_upsert_product,
    record=_record_product,
    look=_look_up_product,
    summarize_request=lambda product_upsert: {
        "catalogId": product_upsert.catalog_id,
        "retailerId": product_upsert.product.retailer_id,
    },
    get_object_id=lambda _, item: item.id,
)
DELETE_PRODUCT_OPERATION = OperationType(
    name="products.delete",
    request=ProductDeletion,
    response_type=ProductDeleted,
    capability=PRODUCTS_CAPABILITY,
    unsupported_phrase=NO_CATALOGS_PHRASE,
    call=_delete_product,
    record=_record_product_deletion,
    look=_look_up_deletion,
    summarize_request=lambda product_deletion: {
        "catalogId": product_deletion.catalog_id,
        "retailerId": product_deletion.retailer_id,
    },
    get_object_id=lambda product_deletion, _: product_deletion.retailer_id,
)
