"""Requests that change something in a catalog, each executed at most once."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import TypeVar

import msgspec

from socialgate.areas.commerce.schemas import Product as ProductView
from socialgate.areas.commerce.schemas import ProductDeleted
from socialgate.areas.commerce.showing import show_catalog, show_product, show_set
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.commerce import (
    COMMERCE,
    PRODUCTS,
    Catalog,
    Checked,
    Commerce,
    Method,
    NewCatalog,
    NewSet,
    Product,
    ProductItem,
    Products,
    ProductSet,
    RowFault,
)
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import OutcomeUnknown, PlatformFailure, Rejected
from socialgate.contracts.operations import Looked, NotSeen, OperationType
from socialgate.contracts.publishing import CannotTell
from socialgate.core.db import Tx

LACKS = "has no product catalogs"
# How long a request waits for a platform to process one product. It is polled less often the longer it takes.
_WAITS = (0.3, 0.5, 1.0, 1.0, 2.0, 3.0, 4.0, 5.0)
PROCESSING = "processing"
NOT_TAKEN = "The platform rejected the product without a reason. Check its fields, and its status on the platform."
N = TypeVar("N", Catalog, ProductSet)


class ProductWrite(msgspec.Struct, frozen=True, kw_only=True):
    catalog_id: str
    platform: str
    product: Product


class ProductDeletion(msgspec.Struct, frozen=True, kw_only=True):
    """`name` is the id that the caller used."""

    catalog_id: str
    platform: str
    retailer_id: str
    name: str


def has_landed(item: ProductItem, wanted: Product) -> bool:
    """Whether a product on the platform matches the wanted one, in the fields that platforms return unchanged."""
    pairs = [
        (getattr(wanted, name), getattr(item.product, name))
        for name in ("title", "price", "sale_price", "availability", "url", "brand")
    ]
    return all(asked is None or asked == found for asked, found in pairs)


async def _write(part: Products, held: AccountCredentials, asked: ProductWrite) -> ProductItem:
    """Send one product, and wait for the platform as long as a request can.

    Once the platform has accepted it, failing to read the result does not mean that the product was rejected.
    """
    sent = await part.submit(held, asked.catalog_id, Method.UPSERT, [asked.product], repeatable=False)
    _require_taken(sent.refused, asked.platform)
    if sent.handle is None:
        raise Rejected(NOT_TAKEN, platform=asked.platform)
    checked = await _final(part, held, asked.catalog_id, sent.handle)
    if checked is None:
        return ProductItem(id=None, product=asked.product, status=PROCESSING)
    _require_taken(checked.refused, asked.platform)
    if checked.failed is not None:
        raise Rejected(checked.failed, platform=asked.platform)
    with suppress(PlatformFailure):
        if found := await part.find(held, asked.catalog_id, [asked.product.retailer_id]):
            return found[0]
    return ProductItem(id=None, product=asked.product, status=PROCESSING)


async def _look_written(part: Products, held: AccountCredentials, asked: ProductWrite) -> Looked[ProductItem]:
    found = await part.find(held, asked.catalog_id, [asked.product.retailer_id])
    return next((item for item in found if has_landed(item, asked.product)), NotSeen())


async def _delete(part: Products, held: AccountCredentials, asked: ProductDeletion) -> None:
    handle = await part.delete(held, asked.catalog_id, asked.retailer_id)
    if handle is None:
        return
    checked = await _final(part, held, asked.catalog_id, handle)
    if checked is None:
        detail = f"{asked.platform} accepted the deletion and is still processing it."
        raise OutcomeUnknown(detail, platform=asked.platform)
    if (checked.refused or checked.failed) and await part.find(held, asked.catalog_id, [asked.retailer_id]):
        _require_taken(checked.refused, asked.platform)
        raise Rejected(
            checked.failed or "The platform did not delete the product. Send the request again.",
            platform=asked.platform,
        )


async def _look_deleted(part: Products, held: AccountCredentials, asked: ProductDeletion) -> Looked[None]:
    return NotSeen() if await part.find(held, asked.catalog_id, [asked.retailer_id]) else None


async def _final(part: Products, held: AccountCredentials, catalog_id: str, handle: str) -> Checked | None:
    """Wait for the result of a change that the platform has accepted; None if it is not known in time."""
    for wait in _WAITS:
        await asyncio.sleep(wait)
        with suppress(PlatformFailure):
            checked = await part.check(held, catalog_id, handle)
            if checked.done:
                return checked
    return None


def _require_taken(refused: Sequence[RowFault], platform: str) -> None:
    if refused:
        raise Rejected(" ".join(one.detail for one in refused), platform=platform)


async def _look_catalog(part: Commerce, held: AccountCredentials, new: NewCatalog) -> Looked[Catalog]:
    return _the_new_one(await part.catalogs_named(held, new.name), new.before)


async def _look_set(part: Commerce, held: AccountCredentials, new: NewSet) -> Looked[ProductSet]:
    return _the_new_one(await part.sets_named(held, new.catalog_id, new.name), new.before)


def _the_new_one(named: Sequence[N], before: Sequence[str]) -> Looked[N]:
    fresh = [one for one in named if one.id not in before]
    if len(fresh) > 1:
        return CannotTell(
            "Several with this name were created in the meantime. Check on the platform which one is yours."
        )
    return fresh[0] if fresh else NotSeen()


async def _catalog_recorded(tx: Tx, account: AccountRow, new: NewCatalog, item: Catalog) -> Catalog:
    del tx, new
    return show_catalog(account, item)


async def _set_recorded(tx: Tx, account: AccountRow, new: NewSet, item: ProductSet) -> ProductSet:
    del tx, account
    return show_set(new.catalog_id, item)


async def _product_recorded(tx: Tx, account: AccountRow, asked: ProductWrite, item: ProductItem) -> ProductView:
    del tx, account
    return show_product(asked.catalog_id, item)


async def _product_deleted(tx: Tx, account: AccountRow, asked: ProductDeletion, result: None) -> ProductDeleted:
    del tx, account, result
    return ProductDeleted(id=asked.name, catalog_id=asked.catalog_id)


CREATE_CATALOG = OperationType(
    name="catalogs.create",
    request=NewCatalog,
    answer=Catalog,
    capability=COMMERCE,
    lacks=LACKS,
    call=lambda part, held, new: part.create_catalog(held, new),
    record=_catalog_recorded,
    look=_look_catalog,
    shown=lambda new: {"name": new.name},
    object_id=lambda _, item: item.id,
)
CREATE_SET = OperationType(
    name="productSets.create",
    request=NewSet,
    answer=ProductSet,
    capability=COMMERCE,
    lacks=LACKS,
    call=lambda part, held, new: part.create_set(held, new),
    record=_set_recorded,
    look=_look_set,
    shown=lambda new: {"catalogId": new.catalog_id, "name": new.name},
    object_id=lambda _, item: item.id,
)
CREATE_PRODUCT = OperationType(
    name="products.create",
    request=ProductWrite,
    answer=ProductView,
    capability=PRODUCTS,
    lacks=LACKS,
    call=_write,
    record=_product_recorded,
    look=_look_written,
    shown=lambda asked: {"catalogId": asked.catalog_id, "retailerId": asked.product.retailer_id},
    object_id=lambda _, item: item.id,
)
DELETE_PRODUCT = OperationType(
    name="products.delete",
    request=ProductDeletion,
    answer=ProductDeleted,
    capability=PRODUCTS,
    lacks=LACKS,
    call=_delete,
    record=_product_deleted,
    look=_look_deleted,
    shown=lambda asked: {"catalogId": asked.catalog_id, "retailerId": asked.retailer_id},
    object_id=lambda asked, _: asked.retailer_id,
)
