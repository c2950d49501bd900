# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Catalogs, products, product sets and shops of the businesses behind ad accounts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import IO, Literal

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query, read_rows
from ..types import BatchRow, BatchRowPage, Product, ProductBatch, ProductDeleted, ProductPage


class ProductsResource(Resource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> ProductsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ProductsResourceWithRawResponse(ProductsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        catalog_id: str,
        limit: int | None = None,
        ad_account_id: str | None = None,
        retailer_id: str | None = None,
        product_set_id: str | None = None,
        q: str | None = None,
        brand: str | None = None,
        group: str | None = None,
        availability: params.ProductAvailability | None = None,
        condition: params.ProductCondition | None = None,
    ) -> Pages[Product, ProductPage]:
        """List the products of a catalog or of one of its product sets, live from the platform.

        Args:
            catalog_id: The platform's id of the catalog.
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            retailer_id: Your own product id, such as a SKU.
            product_set_id: Only products of this product set, by the platform's id.
            q: Text to find in the title.
            brand: Only products of this brand.
            group: Only variants with this `group`.
            availability: Only products with this availability. Not on TikTok.
            condition: Only products in this condition.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ProductPage] = Call(
            method="GET",
            path="/commerce/products",
            returns=ProductPage,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "catalogId": catalog_id,
                    "retailerId": retailer_id,
                    "productSetId": product_set_id,
                    "q": q,
                    "brand": brand,
                    "group": group,
                    "availability": availability,
                    "condition": condition,
                }
            ),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        title: str,
        description: str,
        price: params.PriceLike,
        url: str,
        image_url: str,
        catalog_id: str,
        retailer_id: str,
        sale_price: params.PriceLike | None = None,
        availability: params.ProductAvailability | Omit = OMIT,
        condition: params.ProductCondition | Omit = OMIT,
        brand: str | None = None,
        additional_image_urls: Sequence[str] | Omit = OMIT,
        group: str | None = None,
        category: str | None = None,
        ad_account_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Product:
        """Create a product, or replace the one with the same `retailerId`.

        Platforms process products in the background. The request waits up to 20 seconds for that; if it takes longer,
        `id` is null and `status` is `processing`.

        Args:
            title: The title that people see.
            description: The description that people see.
            price: The regular price.
            url: The page where people can see and buy it.
            image_url: The URL of the main image, which the platform fetches.
            catalog_id: The platform's id of the catalog to create it in.
            retailer_id: Your own product id, such as a SKU.
            sale_price: The reduced price, in the same currency and not higher than `price`. Null: none.
            availability: Whether it can be bought.
            condition: Whether it is new, refurbished or used.
            brand: The brand. TikTok requires it.
            additional_image_urls: The URLs of more images.
            group: An id that the variants of one product share.
            category: A category of Google's product taxonomy.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Product] = Call(
            method="POST",
            path="/commerce/products",
            returns=Product,
            body=pack(
                "NewProductBody",
                {
                    "title": title,
                    "description": description,
                    "price": price,
                    "sale_price": sale_price,
                    "availability": availability,
                    "condition": condition,
                    "brand": brand,
                    "url": url,
                    "image_url": image_url,
                    "additional_image_urls": additional_image_urls,
                    "group": group,
                    "category": category,
                    "ad_account_id": ad_account_id,
                    "catalog_id": catalog_id,
                    "retailer_id": retailer_id,
                },
                without_none=("sale_price", "brand", "group", "category", "ad_account_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def delete(
        self,
        *,
        catalog_id: str,
        ad_account_id: str | None = None,
        id: str | None = None,
        retailer_id: str | None = None,
        type: Literal["product"] | None = None,
    ) -> ProductDeleted:
        """Delete a product from its catalog.

        Args:
            catalog_id: The platform's id of the catalog.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            id: The platform's own id of the product.
            retailer_id: Your own product id, such as a SKU.
            type: Always `product`.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[ProductDeleted] = Call(
            method="DELETE",
            path="/commerce/products",
            returns=ProductDeleted,
            query=pack_query(
                {
                    "adAccountId": ad_account_id,
                    "catalogId": catalog_id,
                    "id": id,
                    "retailerId": retailer_id,
                    "type": type,
                }
            ),
        )
        return self._client.send(call)

    def batch(
        self,
        *,
        catalog_id: str,
        csv: bytes | str | IO[bytes] | None = None,
        ad_account_id: str | None = None,
        items: Sequence[params.ProductChange] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> ProductBatch:
        """Create, update and delete thousands of products: as JSON of up to 4 MiB, or as CSV of up to 64 MiB.

        The response is a task. An invalid row does not affect the others: the result of the task lists failed rows by
        number with the reason, and `GET /commerce/products/batch/{taskId}/rows` lists the result of every row. If the
        first 1,000 rows are all invalid, the batch is rejected. A CSV has a header row with the names of the fields, or
        with those of product feeds (`id`, `link`, `image_link`). Write prices as `9.99 USD` in `price`, or as an
        integer in `priceAmount` plus a `currency` column. For a CSV, send `catalogId` in the query. A batch can have
        100,000 rows. Send one batch at a time: while another one of the same owner is being received, the response is
        429 `too_many_uploads`.

        Args:
            catalog_id: The platform's id of the catalog.
            csv: The rows as CSV, instead of JSON: text, or an open file.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            items: The changes, at most 100,000.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`,
        `too_many_connections`, `too_many_rows`, `too_many_tasks`, `too_many_uploads`, `unsupported_media_type`.

        """
        if csv is not None:
            rows: Call[ProductBatch] = Call(
                method="POST",
                path="/commerce/products/batch",
                returns=ProductBatch,
                query=pack_query({"adAccountId": ad_account_id, "catalogId": catalog_id}),
                content=read_rows(csv),
                headers={"Content-Type": "text/csv"},
                idempotency_key=idempotency_key or new_key(),
            )
            return self._client.send(rows)
        call: Call[ProductBatch] = Call(
            method="POST",
            path="/commerce/products/batch",
            returns=ProductBatch,
            body=pack(
                "ProductBatchBody",
                {"ad_account_id": ad_account_id, "catalog_id": catalog_id, "items": items},
                without_none=("ad_account_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def batch_rows(
        self,
        task_id: str,
        *,
        limit: int | None = None,
        status: params.ProductBatchItemStatusInput | None = None,
    ) -> Pages[BatchRow, BatchRowPage]:
        """List the result of each row of a batch, in order.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            limit: Maximum number of rows per page.
            status: Only rows with this status.

        """
        call: Call[BatchRowPage] = Call(
            method="GET",
            path=fill("/commerce/products/batch/{}/rows", task_id),
            returns=BatchRowPage,
            query=pack_query({"limit": limit, "status": status}),
        )
        return Pages(self._client, call, "cursor")


class ProductsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ProductsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)
        self.delete = raw(resource.delete)
        self.batch = raw(resource.batch)
        self.batch_rows = raw_page(resource.batch_rows)


class AsyncProductsResource(AsyncResource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncProductsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncProductsResourceWithRawResponse(AsyncProductsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        catalog_id: str,
        limit: int | None = None,
        ad_account_id: str | None = None,
        retailer_id: str | None = None,
        product_set_id: str | None = None,
        q: str | None = None,
        brand: str | None = None,
        group: str | None = None,
        availability: params.ProductAvailability | None = None,
        condition: params.ProductCondition | None = None,
    ) -> AsyncPages[Product, ProductPage]:
        """List the products of a catalog or of one of its product sets, live from the platform.

        Args:
            catalog_id: The platform's id of the catalog.
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            retailer_id: Your own product id, such as a SKU.
            product_set_id: Only products of this product set, by the platform's id.
            q: Text to find in the title.
            brand: Only products of this brand.
            group: Only variants with this `group`.
            availability: Only products with this availability. Not on TikTok.
            condition: Only products in this condition.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ProductPage] = Call(
            method="GET",
            path="/commerce/products",
            returns=ProductPage,
            query=pack_query(
                {
                    "limit": limit,
                    "adAccountId": ad_account_id,
                    "catalogId": catalog_id,
                    "retailerId": retailer_id,
                    "productSetId": product_set_id,
                    "q": q,
                    "brand": brand,
                    "group": group,
                    "availability": availability,
                    "condition": condition,
                }
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        title: str,
        description: str,
        price: params.PriceLike,
        url: str,
        image_url: str,
        catalog_id: str,
        retailer_id: str,
        sale_price: params.PriceLike | None = None,
        availability: params.ProductAvailability | Omit = OMIT,
        condition: params.ProductCondition | Omit = OMIT,
        brand: str | None = None,
        additional_image_urls: Sequence[str] | Omit = OMIT,
        group: str | None = None,
        category: str | None = None,
        ad_account_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Product:
        """Create a product, or replace the one with the same `retailerId`.

        Platforms process products in the background. The request waits up to 20 seconds for that; if it takes longer,
        `id` is null and `status` is `processing`.

        Args:
            title: The title that people see.
            description: The description that people see.
            price: The regular price.
            url: The page where people can see and buy it.
            image_url: The URL of the main image, which the platform fetches.
            catalog_id: The platform's id of the catalog to create it in.
            retailer_id: Your own product id, such as a SKU.
            sale_price: The reduced price, in the same currency and not higher than `price`. Null: none.
            availability: Whether it can be bought.
            condition: Whether it is new, refurbished or used.
            brand: The brand. TikTok requires it.
            additional_image_urls: The URLs of more images.
            group: An id that the variants of one product share.
            category: A category of Google's product taxonomy.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Product] = Call(
            method="POST",
            path="/commerce/products",
            returns=Product,
            body=pack(
                "NewProductBody",
                {
                    "title": title,
                    "description": description,
                    "price": price,
                    "sale_price": sale_price,
                    "availability": availability,
                    "condition": condition,
                    "brand": brand,
                    "url": url,
                    "image_url": image_url,
                    "additional_image_urls": additional_image_urls,
                    "group": group,
                    "category": category,
                    "ad_account_id": ad_account_id,
                    "catalog_id": catalog_id,
                    "retailer_id": retailer_id,
                },
                without_none=("sale_price", "brand", "group", "category", "ad_account_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def delete(
        self,
        *,
        catalog_id: str,
        ad_account_id: str | None = None,
        id: str | None = None,
        retailer_id: str | None = None,
        type: Literal["product"] | None = None,
    ) -> ProductDeleted:
        """Delete a product from its catalog.

        Args:
            catalog_id: The platform's id of the catalog.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            id: The platform's own id of the product.
            retailer_id: Your own product id, such as a SKU.
            type: Always `product`.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_duplicate`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[ProductDeleted] = Call(
            method="DELETE",
            path="/commerce/products",
            returns=ProductDeleted,
            query=pack_query(
                {
                    "adAccountId": ad_account_id,
                    "catalogId": catalog_id,
                    "id": id,
                    "retailerId": retailer_id,
                    "type": type,
                }
            ),
        )
        return await self._client.send(call)

    async def batch(
        self,
        *,
        catalog_id: str,
        csv: bytes | str | IO[bytes] | None = None,
        ad_account_id: str | None = None,
        items: Sequence[params.ProductChange] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> ProductBatch:
        """Create, update and delete thousands of products: as JSON of up to 4 MiB, or as CSV of up to 64 MiB.

        The response is a task. An invalid row does not affect the others: the result of the task lists failed rows by
        number with the reason, and `GET /commerce/products/batch/{taskId}/rows` lists the result of every row. If the
        first 1,000 rows are all invalid, the batch is rejected. A CSV has a header row with the names of the fields, or
        with those of product feeds (`id`, `link`, `image_link`). Write prices as `9.99 USD` in `price`, or as an
        integer in `priceAmount` plus a `currency` column. For a CSV, send `catalogId` in the query. A batch can have
        100,000 rows. Send one batch at a time: while another one of the same owner is being received, the response is
        429 `too_many_uploads`.

        Args:
            catalog_id: The platform's id of the catalog.
            csv: The rows as CSV, instead of JSON: text, or an open file.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            items: The changes, at most 100,000.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `permission_missing`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`,
        `too_many_connections`, `too_many_rows`, `too_many_tasks`, `too_many_uploads`, `unsupported_media_type`.

        """
        if csv is not None:
            rows: Call[ProductBatch] = Call(
                method="POST",
                path="/commerce/products/batch",
                returns=ProductBatch,
                query=pack_query({"adAccountId": ad_account_id, "catalogId": catalog_id}),
                content=read_rows(csv),
                headers={"Content-Type": "text/csv"},
                idempotency_key=idempotency_key or new_key(),
            )
            return await self._client.send(rows)
        call: Call[ProductBatch] = Call(
            method="POST",
            path="/commerce/products/batch",
            returns=ProductBatch,
            body=pack(
                "ProductBatchBody",
                {"ad_account_id": ad_account_id, "catalog_id": catalog_id, "items": items},
                without_none=("ad_account_id",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    def batch_rows(
        self,
        task_id: str,
        *,
        limit: int | None = None,
        status: params.ProductBatchItemStatusInput | None = None,
    ) -> AsyncPages[BatchRow, BatchRowPage]:
        """List the result of each row of a batch, in order.

        Args:
            task_id: The id of a task, `task_…`, or of a generation, `gen_…`, from the response that started it.
            limit: Maximum number of rows per page.
            status: Only rows with this status.

        """
        call: Call[BatchRowPage] = Call(
            method="GET",
            path=fill("/commerce/products/batch/{}/rows", task_id),
            returns=BatchRowPage,
            query=pack_query({"limit": limit, "status": status}),
        )
        return AsyncPages(self._client, call, "cursor")


class AsyncProductsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncProductsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
        self.delete = async_raw(resource.delete)
        self.batch = async_raw(resource.batch)
        self.batch_rows = async_raw_page(resource.batch_rows)
