# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, raw
from .._sync.client import RawSender
from .._wire import fill, pack_query
from ..types import PlatformKind, PlatformKinds


class PlatformsResource(Resource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> PlatformsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return PlatformsResourceWithRawResponse(PlatformsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        kinds: Sequence[params.KindInput] | None = None,
    ) -> PlatformKinds:
        """List every kind of account: how to connect it, what it can do, and the limits that our validation uses.

        Args:
            kinds: Only these kinds of accounts. Can be repeated.

        """
        call: Call[PlatformKinds] = Call(
            method="GET",
            path="/platforms",
            returns=PlatformKinds,
            query=pack_query({"kinds": kinds}),
        )
        return self._client.send(call)

    def get(
        self,
        kind: str,
    ) -> PlatformKind:
        """Return one kind of account, such as `instagram`: what it can do, and the options of its posts and messages.

        Args:
            kind: The kind of account, such as `instagram`. One of facebook_page, instagram, threads, tiktok, youtube,
                google_business, google_calendar, whatsapp_qr, whatsapp_cloud, telegram_bot, meta_ads, tiktok_ads.

        """
        call: Call[PlatformKind] = Call(
            method="GET",
            path=fill("/platforms/{}", kind),
            returns=PlatformKind,
        )
        return self._client.send(call)


class PlatformsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: PlatformsResource) -> None:
        self.list = raw(resource.list)
        self.get = raw(resource.get)


class AsyncPlatformsResource(AsyncResource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> AsyncPlatformsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncPlatformsResourceWithRawResponse(AsyncPlatformsResource(AsyncRawSender(self._root), self._root))

    async def list(
        self,
        *,
        kinds: Sequence[params.KindInput] | None = None,
    ) -> PlatformKinds:
        """List every kind of account: how to connect it, what it can do, and the limits that our validation uses.

        Args:
            kinds: Only these kinds of accounts. Can be repeated.

        """
        call: Call[PlatformKinds] = Call(
            method="GET",
            path="/platforms",
            returns=PlatformKinds,
            query=pack_query({"kinds": kinds}),
        )
        return await self._client.send(call)

    async def get(
        self,
        kind: str,
    ) -> PlatformKind:
        """Return one kind of account, such as `instagram`: what it can do, and the options of its posts and messages.

        Args:
            kind: The kind of account, such as `instagram`. One of facebook_page, instagram, threads, tiktok, youtube,
                google_business, google_calendar, whatsapp_qr, whatsapp_cloud, telegram_bot, meta_ads, tiktok_ads.

        """
        call: Call[PlatformKind] = Call(
            method="GET",
            path=fill("/platforms/{}", kind),
            returns=PlatformKind,
        )
        return await self._client.send(call)


class AsyncPlatformsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncPlatformsResource) -> None:
        self.list = async_raw(resource.list)
        self.get = async_raw(resource.get)
