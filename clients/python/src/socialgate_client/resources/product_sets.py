# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Catalogs, products, product sets and shops of the businesses behind ad accounts."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import pack, pack_query
from ..types import ProductSet, ProductSetPage


class ProductSetsResource(Resource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> ProductSetsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ProductSetsResourceWithRawResponse(ProductSetsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        catalog_id: str,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> Pages[ProductSet, ProductSetPage]:
        """List the product sets of a catalog.

        Args:
            catalog_id: The platform's id of the catalog.
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ProductSetPage] = Call(
            method="GET",
            path="/commerce/product-sets",
            returns=ProductSetPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "catalogId": catalog_id}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        catalog_id: str,
        name: str,
        ad_account_id: str | None = None,
        filter: params.ProductFilterLike | None = None,
        idempotency_key: str | None = None,
    ) -> ProductSet:
        """Create a set of products selected by a filter. A filter that the platform does not support returns 422.

        Args:
            catalog_id: The platform's id of the catalog.
            name: The name of the set. At most 28 characters on TikTok.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            filter: Which products it contains. By default all; TikTok requires at least one rule.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ProductSet] = Call(
            method="POST",
            path="/commerce/product-sets",
            returns=ProductSet,
            body=pack(
                "NewProductSetBody",
                {"ad_account_id": ad_account_id, "catalog_id": catalog_id, "name": name, "filter": filter},
                without_none=("ad_account_id", "filter"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class ProductSetsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ProductSetsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncProductSetsResource(AsyncResource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncProductSetsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncProductSetsResourceWithRawResponse(AsyncProductSetsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        catalog_id: str,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> AsyncPages[ProductSet, ProductSetPage]:
        """List the product sets of a catalog.

        Args:
            catalog_id: The platform's id of the catalog.
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ProductSetPage] = Call(
            method="GET",
            path="/commerce/product-sets",
            returns=ProductSetPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id, "catalogId": catalog_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        catalog_id: str,
        name: str,
        ad_account_id: str | None = None,
        filter: params.ProductFilterLike | None = None,
        idempotency_key: str | None = None,
    ) -> ProductSet:
        """Create a set of products selected by a filter. A filter that the platform does not support returns 422.

        Args:
            catalog_id: The platform's id of the catalog.
            name: The name of the set. At most 28 characters on TikTok.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            filter: Which products it contains. By default all; TikTok requires at least one rule.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ProductSet] = Call(
            method="POST",
            path="/commerce/product-sets",
            returns=ProductSet,
            body=pack(
                "NewProductSetBody",
                {"ad_account_id": ad_account_id, "catalog_id": catalog_id, "name": name, "filter": filter},
                without_none=("ad_account_id", "filter"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncProductSetsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncProductSetsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
