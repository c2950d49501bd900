from typing import Any

import msgspec
from litestar import Request, Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.commerce import batch_parsing
from socialgate.areas.commerce.batch_parsing import MAX_CSV_BYTES, MAX_JSON_BYTES, CsvRowParser
from socialgate.areas.commerce.batch_schemas import (
    BatchRow,
    BatchRowsQuery,
    ProductBatch,
    ProductBatchBody,
    ProductBatchQuery,
)
from socialgate.areas.commerce.receiving import BatchCatalog, ProductBatchReceiver, TooManyRowsError
from socialgate.areas.commerce.schemas import (
    CatalogsQuery,
    NewCatalogBody,
    NewProductBody,
    NewProductSetBody,
    Product,
    ProductDeleted,
    ProductDeletionQuery,
    ProductSetsQuery,
    ProductsQuery,
)
from socialgate.areas.commerce.service import CommerceService
from socialgate.contracts.commerce import Catalog, ProductSet, Shop
from socialgate.contracts.failures import NotSupportedError, PlatformDuplicateError
from socialgate.core.errors import BodyTooLarge, InvalidRequest, MalformedJson, NotFound, UnsupportedMediaType
from socialgate.core.jobs.service import TooManyTasks
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.content_negotiation import CSV, JSON
from socialgate.web.route import LOCATION_HEADER, RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Commerce", "Catalogs, products, product sets and shops of the businesses behind ad accounts.")
_READ_ERRORS = (NotFound, NotSupportedError, *LIVE_READ_ERRORS)
_CHANGE_ERRORS = (NotFound, NotSupportedError, PlatformDuplicateError, *OPERATION_ERRORS)


@route("GET", "/commerce/catalogs", sdk="catalogs.list", tag=TAG, query=CatalogsQuery, raises=_READ_ERRORS)
async def list_catalogs(params: CatalogsQuery, work: UnitOfWork, merchant: CommerceService) -> Page[Catalog]:
    """List the catalogs of the business that an ad account belongs to, live from the platform."""
    return await merchant.list_catalogs(work, params)


@route("POST", "/commerce/catalogs", sdk="catalogs.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_catalog(data: NewCatalogBody, work: UnitOfWork, merchant: CommerceService) -> Catalog:
    """Create a catalog.

    Send an `Idempotency-Key`: repeating the request with it never creates a second catalog.
    """
    return await merchant.create_catalog(work, data)


@route("GET", "/commerce/products", sdk="products.list", tag=TAG, query=ProductsQuery, raises=_READ_ERRORS)
async def list_products(params: ProductsQuery, work: UnitOfWork, merchant: CommerceService) -> Page[Product]:
    """List the products of a catalog or of one of its product sets, live from the platform."""
    return await merchant.list_products(work, params)


@route("POST", "/commerce/products", sdk="products.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_product(data: NewProductBody, work: UnitOfWork, merchant: CommerceService) -> Product:
    """Create a product, or replace the one with the same `retailerId`.

    Platforms process products in the background. The request waits up to 20 seconds for that; if it takes longer, `id`
    is null and `status` is `processing`.
    """
    return await merchant.create_product(work, data)


@route(
    "DELETE", "/commerce/products", sdk="products.delete", tag=TAG, query=ProductDeletionQuery, raises=_CHANGE_ERRORS
)
async def delete_product(params: ProductDeletionQuery, work: UnitOfWork, merchant: CommerceService) -> ProductDeleted:
    """Delete a product from its catalog."""
    return await merchant.delete_product(work, params)


@route(
    "POST",
    "/commerce/products/batch",
    sdk="products.batch",
    tag=TAG,
    status=202,
    query=ProductBatchQuery,
    takes_json=False,
    bodies={JSON: ProductBatchBody, CSV: batch_parsing.EXAMPLE_CSV},
    most_bytes=MAX_CSV_BYTES,
    sends=(msgspec.structs.replace(LOCATION_HEADER, required=True),),
    raises=(UnsupportedMediaType, MalformedJson, BodyTooLarge, TooManyRowsError, TooManyTasks, *_READ_ERRORS),
)
async def change_products(
    params: ProductBatchQuery, request: Request[Any, Any, Any], work: UnitOfWork, batches: ProductBatchReceiver
) -> Response[ProductBatch]:
    """Create, update and delete thousands of products: as JSON of up to 4 MiB, or as CSV of up to 64 MiB.

    The response is a task. An invalid row does not affect the others: the result of the task lists failed rows by
    number with the reason, and `GET /commerce/products/batch/{taskId}/rows` lists the result of every row. If the first
    1,000 rows are all invalid, the batch is rejected. A CSV has a header row with the names of the fields, or with
    those of product feeds (`id`, `link`, `image_link`). Write prices as `9.99 USD` in `price`, or as an integer in
    `priceAmount` plus a `currency` column. For a CSV, send `catalogId` in the query.

    A batch can have 100,000 rows. Send one batch at a time: while another one of the same owner is being received, the
    response is 429 `too_many_uploads`.
    """
    with batches.acquire_slot(work.caller.owner_id):
        product_batch = await _receive_batch(params, request, work, batches)
    return Response(product_batch, headers={"Location": f"/tasks/{product_batch.id}"})


async def _receive_batch(
    params: ProductBatchQuery, request: Request[Any, Any, Any], work: UnitOfWork, batches: ProductBatchReceiver
) -> ProductBatch:
    kind = request.content_type[0]
    if kind == JSON:
        head, items = await batch_parsing.parse_json_batch(await _read_body(request))
        place = BatchCatalog(ad_account_id=head.ad_account_id, catalog_id=head.catalog_id)
        return await batches.receive_batch(work, place, lambda part: batch_parsing.parse_json_rows(items, part))
    if kind == CSV:
        if params.catalog_id is None:
            raise InvalidRequest.for_field("?catalogId", "required", "Send the id of the catalog.")
        place = BatchCatalog(ad_account_id=params.ad_account_id, catalog_id=params.catalog_id)
        return await batches.receive_batch(work, place, lambda part: CsvRowParser(part).parse_rows(request.stream()))
    raise UnsupportedMediaType(f"The content type of the body is {kind or 'missing'}. Send {JSON} or {CSV}.")


@route(
    "GET",
    "/commerce/products/batch/{task_id:str}/rows",
    sdk="products.batch_rows",
    tag=TAG,
    query=BatchRowsQuery,
    raises=(NotFound,),
)
async def list_batch_rows(
    task_id: str, params: BatchRowsQuery, work: UnitOfWork, merchant: CommerceService
) -> Page[BatchRow]:
    """List the result of each row of a batch, in order."""
    return await merchant.list_batch_rows(work, task_id, params)


@route("GET", "/commerce/product-sets", sdk="product_sets.list", tag=TAG, query=ProductSetsQuery, raises=_READ_ERRORS)
async def list_product_sets(params: ProductSetsQuery, work: UnitOfWork, merchant: CommerceService) -> Page[ProductSet]:
    """List the product sets of a catalog."""
    return await merchant.list_product_sets(work, params)


@route("POST", "/commerce/product-sets", sdk="product_sets.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_product_set(data: NewProductSetBody, work: UnitOfWork, merchant: CommerceService) -> ProductSet:
    """Create a set of products selected by a filter. A filter that the platform does not support returns 422."""
    return await merchant.create_product_set(work, data)


@route("GET", "/commerce/shops", sdk="shops.list", tag=TAG, query=CatalogsQuery, raises=_READ_ERRORS)
async def list_shops(params: CatalogsQuery, work: UnitOfWork, merchant: CommerceService) -> Page[Shop]:
    """List the shops of the business that an ad account belongs to."""
    return await merchant.list_shops(work, params)


async def _read_body(request: Request[Any, Any, Any]) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_JSON_BYTES:
            raise BodyTooLarge(f"JSON is limited to {MAX_JSON_BYTES} bytes here. Send a CSV, or several batches.")
    if not body:
        raise MalformedJson("The body is empty. Send a JSON object or a CSV.")
    return bytes(body)


routes = [
    list_catalogs,
    create_catalog,
    list_products,
    create_product,
    delete_product,
    change_products,
    list_batch_rows,
    list_product_sets,
    create_product_set,
    list_shops,
]
