# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Catalogs, products, product sets and shops of the businesses behind ad accounts."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import pack, pack_query
from ..types import Catalog, CatalogPage


class CatalogsResource(Resource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> CatalogsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return CatalogsResourceWithRawResponse(CatalogsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> Pages[Catalog, CatalogPage]:
        """List the catalogs of the business that an ad account belongs to, live from the platform.

        Args:
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CatalogPage] = Call(
            method="GET",
            path="/commerce/catalogs",
            returns=CatalogPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        name: str,
        ad_account_id: str | None = None,
        vertical: str | None = None,
        currency: str | None = None,
        country: str | None = None,
        idempotency_key: str | None = None,
    ) -> Catalog:
        """Create a catalog.

        Send an `Idempotency-Key`: repeating the request with it never creates a second catalog.

        Args:
            name: The name of the catalog.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            vertical: What it contains; `commerce` by default.
            currency: ISO 4217 code, such as `USD`.
            country: ISO 3166 code, such as `SE`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Catalog] = Call(
            method="POST",
            path="/commerce/catalogs",
            returns=Catalog,
            body=pack(
                "NewCatalogBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "vertical": vertical,
                    "currency": currency,
                    "country": country,
                },
                without_none=("ad_account_id", "vertical", "currency", "country"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class CatalogsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: CatalogsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)


class AsyncCatalogsResource(AsyncResource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncCatalogsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncCatalogsResourceWithRawResponse(AsyncCatalogsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> AsyncPages[Catalog, CatalogPage]:
        """List the catalogs of the business that an ad account belongs to, live from the platform.

        Args:
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CatalogPage] = Call(
            method="GET",
            path="/commerce/catalogs",
            returns=CatalogPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        name: str,
        ad_account_id: str | None = None,
        vertical: str | None = None,
        currency: str | None = None,
        country: str | None = None,
        idempotency_key: str | None = None,
    ) -> Catalog:
        """Create a catalog.

        Send an `Idempotency-Key`: repeating the request with it never creates a second catalog.

        Args:
            name: The name of the catalog.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.
            vertical: What it contains; `commerce` by default.
            currency: ISO 4217 code, such as `USD`.
            country: ISO 3166 code, such as `SE`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_duplicate`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Catalog] = Call(
            method="POST",
            path="/commerce/catalogs",
            returns=Catalog,
            body=pack(
                "NewCatalogBody",
                {
                    "ad_account_id": ad_account_id,
                    "name": name,
                    "vertical": vertical,
                    "currency": currency,
                    "country": country,
                },
                without_none=("ad_account_id", "vertical", "currency", "country"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncCatalogsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncCatalogsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
