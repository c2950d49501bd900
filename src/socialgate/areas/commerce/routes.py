from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import CHANGING, READING
from socialgate.areas.commerce import intake
from socialgate.areas.commerce.batch_schemas import (
    BatchRow,
    BatchRowsQuery,
    ProductBatch,
    ProductBatchBody,
    ProductBatchQuery,
)
from socialgate.areas.commerce.intake import MOST_CSV_BYTES, MOST_JSON_BYTES, CsvReader
from socialgate.areas.commerce.schemas import (
    Catalog,
    CatalogsQuery,
    NewCatalogBody,
    NewProductBody,
    NewProductSetBody,
    Product,
    ProductDeleted,
    ProductDeletionQuery,
    ProductSet,
    ProductSetsQuery,
    ProductsQuery,
    Shop,
)
from socialgate.areas.commerce.service import BatchPlace, Merchant
from socialgate.contracts.failures import Duplicate, NotSupported
from socialgate.core.errors import BodyTooLarge, Invalid, MalformedJson, NotFound, UnsupportedMediaType
from socialgate.core.jobs.jobs import TooManyTasks
from socialgate.core.work import Work
from socialgate.web.answers import CSV, JSON
from socialgate.web.route import Tag, route
from socialgate.web.schema import Page

TAG = Tag("Commerce", "Catalogs, products, product sets and shops of the businesses behind ad accounts.")
_READS = (NotFound, NotSupported, *READING)
_CHANGES = (NotFound, NotSupported, Duplicate, *CHANGING)


@route("GET", "/commerce/catalogs", tag=TAG, query=CatalogsQuery, raises=_READS)
async def list_catalogs(params: CatalogsQuery, work: Work, merchant: Merchant) -> Page[Catalog]:
    """List the catalogs of the business that an ad account belongs to, as the platform has them now."""
    return await merchant.catalogs(work, params)


@route("POST", "/commerce/catalogs", tag=TAG, raises=_CHANGES)
async def create_catalog(data: NewCatalogBody, work: Work, merchant: Merchant) -> Catalog:
    """Create a catalog.

    Send an `Idempotency-Key`: a request that is repeated with it never creates a second one.
    """
    return await merchant.create_catalog(work, data)


@route("GET", "/commerce/products", tag=TAG, query=ProductsQuery, raises=_READS)
async def list_products(params: ProductsQuery, work: Work, merchant: Merchant) -> Page[Product]:
    """List the products of a catalog, or those of one of its sets, as the platform has them now."""
    return await merchant.products(work, params)


@route("POST", "/commerce/products", tag=TAG, raises=_CHANGES)
async def create_product(data: NewProductBody, work: Work, merchant: Merchant) -> Product:
    """Create a product, or replace the one that has the same `retailerId`.

    Platforms work products off in the background. The answer waits for it up to 20 seconds; where that is not enough,
    `id` is null and `status` is `processing`.
    """
    return await merchant.create_product(work, data)


@route("DELETE", "/commerce/products", tag=TAG, query=ProductDeletionQuery, raises=_CHANGES)
async def delete_product(params: ProductDeletionQuery, work: Work, merchant: Merchant) -> ProductDeleted:
    """Delete a product from its catalog."""
    return await merchant.delete_product(work, params)


@route(
    "POST",
    "/commerce/products/batch",
    tag=TAG,
    status=202,
    query=ProductBatchQuery,
    takes_json=False,
    bodies={JSON: ProductBatchBody, CSV: intake.CSV_EXAMPLE},
    most_bytes=MOST_CSV_BYTES,
    raises=(UnsupportedMediaType, MalformedJson, BodyTooLarge, TooManyTasks, *_READS),
)
async def change_products(
    params: ProductBatchQuery, request: Request[Any, Any, Any], work: Work, merchant: Merchant
) -> Response[ProductBatch]:
    """Create, change and delete thousands of products: as JSON of up to 4 MiB, or as CSV of up to 64 MiB.

    The answer is a task. A row that is wrong does not stop the others: the result of the task names each one by its
    number with the reason, `GET /commerce/products/batch/{taskId}/rows` lists what became of every row. A CSV has a
    heading with the names of the fields, or with those of product feeds (`id`, `link`, `image_link`); prices are
    written as `9.99 USD` in `price`, or as an integer in `priceAmount` with `currency` beside it. `catalogId` then
    stands in the query.
    """
    kind = request.content_type[0]
    if kind == JSON:
        head = intake.read_json(await _whole(request))
        place = BatchPlace(ad_account_id=head.ad_account_id, catalog_id=head.catalog_id)
        made = await merchant.batch(work, place, lambda part: intake.each(intake.json_rows(head, part)))
    elif kind == CSV:
        if params.catalog_id is None:
            raise Invalid.at("?catalogId", "required", "Name the catalog.")
        place = BatchPlace(ad_account_id=params.ad_account_id, catalog_id=params.catalog_id)
        made = await merchant.batch(work, place, lambda part: CsvReader(part).rows(request.stream()))
    else:
        raise UnsupportedMediaType(f"The body came as {kind or 'no type'}. Send {JSON} or {CSV}.")
    return Response(made, headers={"Location": f"/tasks/{made.id}"})


@route("GET", "/commerce/products/batch/{task_id:str}/rows", tag=TAG, query=BatchRowsQuery, raises=(NotFound,))
async def list_batch_rows(task_id: str, params: BatchRowsQuery, work: Work, merchant: Merchant) -> Page[BatchRow]:
    """List what became of each row of a batch, in their order."""
    return await merchant.rows(work, task_id, params)


@route("GET", "/commerce/product-sets", tag=TAG, query=ProductSetsQuery, raises=_READS)
async def list_product_sets(params: ProductSetsQuery, work: Work, merchant: Merchant) -> Page[ProductSet]:
    """List the product sets of a catalog."""
    return await merchant.sets(work, params)


@route("POST", "/commerce/product-sets", tag=TAG, raises=_CHANGES)
async def create_product_set(data: NewProductSetBody, work: Work, merchant: Merchant) -> ProductSet:
    """Create a set of the products that a filter chooses. What a platform cannot filter by is 422."""
    return await merchant.create_set(work, data)


@route("GET", "/commerce/shops", tag=TAG, query=CatalogsQuery, raises=_READS)
async def list_shops(params: CatalogsQuery, work: Work, merchant: Merchant) -> Page[Shop]:
    """List the shops of the business that an ad account belongs to."""
    return await merchant.shops(work, params)


async def _whole(request: Request[Any, Any, Any]) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_JSON_BYTES:
            raise BodyTooLarge(f"JSON may have {MOST_JSON_BYTES} bytes here. Send a CSV, or several batches.")
    if not body:
        raise MalformedJson("The body is empty. Send a JSON object, or a CSV.")
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
