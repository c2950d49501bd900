# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""What was used in a month, and the limits of the plan."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, raw
from .._sync.client import RawSender
from .._wire import pack_query
from ..types import Usage


class UsageResource(Resource):
    """What was used in a month, and the limits of the plan."""

    @cached_property
    def with_raw_response(self) -> UsageResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return UsageResourceWithRawResponse(UsageResource(RawSender(self._root), self._root))

    def get(
        self,
        *,
        period: str | None = None,
    ) -> Usage:
        """Show what was used in a month, by metric and by day, with the limits of the plan.

        With a key that is limited to some profiles, you see what these profiles used; `apiCalls` are then the requests
        made with this key, and `connectedAccounts` is the sum of the highest number of each profile. Limits apply to
        the whole owner. Days and months are in UTC. A month in the future is empty.

        Args:
            period: A calendar month in UTC, such as `2026-11`. Default: the current one.

        """
        call: Call[Usage] = Call(
            method="GET",
            path="/usage",
            returns=Usage,
            query=pack_query({"period": period}),
        )
        return self._client.send(call)


class UsageResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: UsageResource) -> None:
        self.get = raw(resource.get)


class AsyncUsageResource(AsyncResource):
    """What was used in a month, and the limits of the plan."""

    @cached_property
    def with_raw_response(self) -> AsyncUsageResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncUsageResourceWithRawResponse(AsyncUsageResource(AsyncRawSender(self._root), self._root))

    async def get(
        self,
        *,
        period: str | None = None,
    ) -> Usage:
        """Show what was used in a month, by metric and by day, with the limits of the plan.

        With a key that is limited to some profiles, you see what these profiles used; `apiCalls` are then the requests
        made with this key, and `connectedAccounts` is the sum of the highest number of each profile. Limits apply to
        the whole owner. Days and months are in UTC. A month in the future is empty.

        Args:
            period: A calendar month in UTC, such as `2026-11`. Default: the current one.

        """
        call: Call[Usage] = Call(
            method="GET",
            path="/usage",
            returns=Usage,
            query=pack_query({"period": period}),
        )
        return await self._client.send(call)


class AsyncUsageResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncUsageResource) -> None:
        self.get = async_raw(resource.get)
