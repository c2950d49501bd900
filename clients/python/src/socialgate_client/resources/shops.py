# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Catalogs, products, product sets and shops of the businesses behind ad accounts."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw_page, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import pack_query
from ..types import Shop, ShopPage


class ShopsResource(Resource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> ShopsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ShopsResourceWithRawResponse(ShopsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> Pages[Shop, ShopPage]:
        """List the shops of the business that an ad account belongs to.

        Args:
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ShopPage] = Call(
            method="GET",
            path="/commerce/shops",
            returns=ShopPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id}),
        )
        return Pages(self._client, call, "cursor")


class ShopsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ShopsResource) -> None:
        self.list = raw_page(resource.list)


class AsyncShopsResource(AsyncResource):
    """Catalogs, products, product sets and shops of the businesses behind ad accounts."""

    @cached_property
    def with_raw_response(self) -> AsyncShopsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncShopsResourceWithRawResponse(AsyncShopsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        ad_account_id: str | None = None,
    ) -> AsyncPages[Shop, ShopPage]:
        """List the shops of the business that an ad account belongs to.

        Args:
            limit: Rows per page; platforms may return fewer.
            ad_account_id: The ad account of the business that has the catalog. You can omit it if only one connected ad
                account belongs to that business.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ShopPage] = Call(
            method="GET",
            path="/commerce/shops",
            returns=ShopPage,
            query=pack_query({"limit": limit, "adAccountId": ad_account_id}),
        )
        return AsyncPages(self._client, call, "cursor")


class AsyncShopsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncShopsResource) -> None:
        self.list = async_raw_page(resource.list)
