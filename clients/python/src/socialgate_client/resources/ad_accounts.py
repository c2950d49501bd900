# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack_query
from ..types import AdAccount, AdAccountPage, DeletionConfirmation


class AdAccountsResource(Resource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> AdAccountsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AdAccountsResourceWithRawResponse(AdAccountsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        platform: params.PlatformInput | None = None,
        status: params.AdAccountsQueryStatus | None = None,
        kind: params.AdAccountsQueryKind | None = None,
    ) -> Pages[AdAccount, AdAccountPage]:
        """List the connected ad accounts, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only accounts of this profile.
            platform: Only accounts on this platform.
            status: Only accounts with this status.
            kind: Only ad accounts of this kind.

        """
        call: Call[AdAccountPage] = Call(
            method="GET",
            path="/adaccounts",
            returns=AdAccountPage,
            query=pack_query(
                {"limit": limit, "profileId": profile_id, "platform": platform, "status": status, "kind": kind}
            ),
        )
        return Pages(self._client, call, "cursor")

    def disconnect(
        self,
        ad_account_id: str,
    ) -> DeletionConfirmation:
        """Disconnect an ad account, like `DELETE /accounts/{accountId}`.

        Args:
            ad_account_id: The id of an ad account, `adacc_…`, from `GET /adaccounts`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/adaccounts/{}", ad_account_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)


class AdAccountsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AdAccountsResource) -> None:
        self.list = raw_page(resource.list)
        self.disconnect = raw(resource.disconnect)


class AsyncAdAccountsResource(AsyncResource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> AsyncAdAccountsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAdAccountsResourceWithRawResponse(AsyncAdAccountsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        platform: params.PlatformInput | None = None,
        status: params.AdAccountsQueryStatus | None = None,
        kind: params.AdAccountsQueryKind | None = None,
    ) -> AsyncPages[AdAccount, AdAccountPage]:
        """List the connected ad accounts, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only accounts of this profile.
            platform: Only accounts on this platform.
            status: Only accounts with this status.
            kind: Only ad accounts of this kind.

        """
        call: Call[AdAccountPage] = Call(
            method="GET",
            path="/adaccounts",
            returns=AdAccountPage,
            query=pack_query(
                {"limit": limit, "profileId": profile_id, "platform": platform, "status": status, "kind": kind}
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def disconnect(
        self,
        ad_account_id: str,
    ) -> DeletionConfirmation:
        """Disconnect an ad account, like `DELETE /accounts/{accountId}`.

        Args:
            ad_account_id: The id of an ad account, `adacc_…`, from `GET /adaccounts`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/adaccounts/{}", ad_account_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)


class AsyncAdAccountsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAdAccountsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.disconnect = async_raw(resource.disconnect)
