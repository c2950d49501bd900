# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Whether the service is running, and what it offers."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, raw
from .._sync.client import RawSender
from ..types import Health


class HealthResource(Resource):
    """Whether the service is running, and what it offers."""

    @cached_property
    def with_raw_response(self) -> HealthResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return HealthResourceWithRawResponse(HealthResource(RawSender(self._root), self._root))

    def get(
        self,
    ) -> Health:
        """Return the health of the service.

        200 while this process can serve requests, even if something is degraded: a stale worker, a full disk, a media
        storage that does not respond. The check says what is wrong: `database` is where everything except files is
        stored, `storage` is where media files are stored, `worker` is what publishes and delivers, and `restore` is
        degraded while items of a restored backup wait for the operator's decision. 503 with the name of the check if
        the process cannot serve requests.
        """
        call: Call[Health] = Call(
            method="GET",
            path="/health",
            returns=Health,
        )
        return self._client.send(call)


class HealthResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: HealthResource) -> None:
        self.get = raw(resource.get)


class AsyncHealthResource(AsyncResource):
    """Whether the service is running, and what it offers."""

    @cached_property
    def with_raw_response(self) -> AsyncHealthResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncHealthResourceWithRawResponse(AsyncHealthResource(AsyncRawSender(self._root), self._root))

    async def get(
        self,
    ) -> Health:
        """Return the health of the service.

        200 while this process can serve requests, even if something is degraded: a stale worker, a full disk, a media
        storage that does not respond. The check says what is wrong: `database` is where everything except files is
        stored, `storage` is where media files are stored, `worker` is what publishes and delivers, and `restore` is
        degraded while items of a restored backup wait for the operator's decision. 503 with the name of the check if
        the process cannot serve requests.
        """
        call: Call[Health] = Call(
            method="GET",
            path="/health",
            returns=Health,
        )
        return await self._client.send(call)


class AsyncHealthResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncHealthResource) -> None:
        self.get = async_raw(resource.get)
