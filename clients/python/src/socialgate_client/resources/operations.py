# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Calls that changed something on a platform, and their results."""

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
from ..types import Operation, OperationPage


class OperationsResource(Resource):
    """Calls that changed something on a platform, and their results."""

    @cached_property
    def with_raw_response(self) -> OperationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return OperationsResourceWithRawResponse(OperationsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        account_id: str | None = None,
        status: params.OperationStatusInput | None = None,
    ) -> Pages[Operation, OperationPage]:
        """List the calls that changed something on a platform in the last 30 days, newest first.

        `status=unconfirmed` lists those whose outcome is unknown: check them on the platform.

        Args:
            limit: Maximum number of rows per page.
            account_id: Only operations on this account or ad account.
            status: Only operations with this status.

        """
        call: Call[OperationPage] = Call(
            method="GET",
            path="/operations",
            returns=OperationPage,
            query=pack_query({"limit": limit, "accountId": account_id, "status": status}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        operation_id: str,
    ) -> Operation:
        """Return one operation: what was requested from the platform, and the result.

        Args:
            operation_id: The id of an operation, `op_…`.

        """
        call: Call[Operation] = Call(
            method="GET",
            path=fill("/operations/{}", operation_id),
            returns=Operation,
        )
        return self._client.send(call)


class OperationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: OperationsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)


class AsyncOperationsResource(AsyncResource):
    """Calls that changed something on a platform, and their results."""

    @cached_property
    def with_raw_response(self) -> AsyncOperationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncOperationsResourceWithRawResponse(AsyncOperationsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        account_id: str | None = None,
        status: params.OperationStatusInput | None = None,
    ) -> AsyncPages[Operation, OperationPage]:
        """List the calls that changed something on a platform in the last 30 days, newest first.

        `status=unconfirmed` lists those whose outcome is unknown: check them on the platform.

        Args:
            limit: Maximum number of rows per page.
            account_id: Only operations on this account or ad account.
            status: Only operations with this status.

        """
        call: Call[OperationPage] = Call(
            method="GET",
            path="/operations",
            returns=OperationPage,
            query=pack_query({"limit": limit, "accountId": account_id, "status": status}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        operation_id: str,
    ) -> Operation:
        """Return one operation: what was requested from the platform, and the result.

        Args:
            operation_id: The id of an operation, `op_…`.

        """
        call: Call[Operation] = Call(
            method="GET",
            path=fill("/operations/{}", operation_id),
            returns=Operation,
        )
        return await self._client.send(call)


class AsyncOperationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncOperationsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
