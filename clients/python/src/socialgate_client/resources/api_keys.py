# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Keys for programs, limited to profiles and permissions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import ApiKey, ApiKeyCreated, ApiKeyPage, ApiKeyRevoked


class ApiKeysResource(Resource):
    """Keys for programs, limited to profiles and permissions."""

    @cached_property
    def with_raw_response(self) -> ApiKeysResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ApiKeysResourceWithRawResponse(ApiKeysResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> Pages[ApiKey, ApiKeyPage]:
        """List the API keys of the owner, newest first, without their values.

        Args:
            limit: Maximum number of rows per page.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[ApiKeyPage] = Call(
            method="GET",
            path="/api-keys",
            returns=ApiKeyPage,
            query=pack_query({"limit": limit}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        name: str,
        scope: params.NewApiKeyScope,
        profile_ids: Sequence[str] | Omit = OMIT,
        permission: params.NewApiKeyPermission | Omit = OMIT,
        expires_at: str | dt.datetime | None = None,
        idempotency_key: str | None = None,
    ) -> ApiKeyCreated:
        """Create an API key. Its value is only in this response; we store a hash.

        Args:
            name: Shown in the console and in lists, to tell keys apart.
            scope: `all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`.
            profile_ids: The profiles that the key is limited to.
            permission: `read` allows only GET; `read-write` allows everything that keys can do.
            expires_at: When the key stops working.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `session_required`, `unsupported_media_type`.

        """
        call: Call[ApiKeyCreated] = Call(
            method="POST",
            path="/api-keys",
            returns=ApiKeyCreated,
            body=pack(
                "NewApiKey",
                {
                    "name": name,
                    "scope": scope,
                    "profile_ids": profile_ids,
                    "permission": permission,
                    "expires_at": expires_at,
                },
                without_none=("expires_at",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        key_id: str,
        *,
        name: str | Omit = OMIT,
        profile_ids: Sequence[str] | Omit = OMIT,
        permission: params.ApiKeyChangesPermission | Omit = OMIT,
        expires_at: str | dt.datetime | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> ApiKey:
        """Update an API key. The change applies immediately here, and within a second on all other nodes.

        Hooks created with the key lose the profiles that it no longer covers. They do not gain newly covered profiles.

        Args:
            key_id: The id of an API key, `key_…`; not the key itself.
            name: Shown in the console and in lists, to tell keys apart.
            profile_ids: The profiles that the key is limited to.
            permission: `read` allows only GET; `read-write` allows everything that keys can do.
            expires_at: When the key stops working.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `session_required`, `unsupported_media_type`.

        """
        call: Call[ApiKey] = Call(
            method="PATCH",
            path=fill("/api-keys/{}", key_id),
            returns=ApiKey,
            body=pack(
                "ApiKeyChanges",
                {"name": name, "profile_ids": profile_ids, "permission": permission, "expires_at": expires_at},
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def revoke(
        self,
        key_id: str,
    ) -> ApiKeyRevoked:
        """Revoke an API key. It stops working immediately here, and within a second on all other nodes.

        Hooks created with it keep running, and the response lists them.

        Args:
            key_id: The id of an API key, `key_…`; not the key itself.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[ApiKeyRevoked] = Call(
            method="DELETE",
            path=fill("/api-keys/{}", key_id),
            returns=ApiKeyRevoked,
        )
        return self._client.send(call)


class ApiKeysResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ApiKeysResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.revoke = raw(resource.revoke)


class AsyncApiKeysResource(AsyncResource):
    """Keys for programs, limited to profiles and permissions."""

    @cached_property
    def with_raw_response(self) -> AsyncApiKeysResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncApiKeysResourceWithRawResponse(AsyncApiKeysResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncPages[ApiKey, ApiKeyPage]:
        """List the API keys of the owner, newest first, without their values.

        Args:
            limit: Maximum number of rows per page.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[ApiKeyPage] = Call(
            method="GET",
            path="/api-keys",
            returns=ApiKeyPage,
            query=pack_query({"limit": limit}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        name: str,
        scope: params.NewApiKeyScope,
        profile_ids: Sequence[str] | Omit = OMIT,
        permission: params.NewApiKeyPermission | Omit = OMIT,
        expires_at: str | dt.datetime | None = None,
        idempotency_key: str | None = None,
    ) -> ApiKeyCreated:
        """Create an API key. Its value is only in this response; we store a hash.

        Args:
            name: Shown in the console and in lists, to tell keys apart.
            scope: `all` profiles of the owner, including later ones, or only the `profiles` in `profileIds`.
            profile_ids: The profiles that the key is limited to.
            permission: `read` allows only GET; `read-write` allows everything that keys can do.
            expires_at: When the key stops working.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `session_required`, `unsupported_media_type`.

        """
        call: Call[ApiKeyCreated] = Call(
            method="POST",
            path="/api-keys",
            returns=ApiKeyCreated,
            body=pack(
                "NewApiKey",
                {
                    "name": name,
                    "scope": scope,
                    "profile_ids": profile_ids,
                    "permission": permission,
                    "expires_at": expires_at,
                },
                without_none=("expires_at",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        key_id: str,
        *,
        name: str | Omit = OMIT,
        profile_ids: Sequence[str] | Omit = OMIT,
        permission: params.ApiKeyChangesPermission | Omit = OMIT,
        expires_at: str | dt.datetime | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> ApiKey:
        """Update an API key. The change applies immediately here, and within a second on all other nodes.

        Hooks created with the key lose the profiles that it no longer covers. They do not gain newly covered profiles.

        Args:
            key_id: The id of an API key, `key_…`; not the key itself.
            name: Shown in the console and in lists, to tell keys apart.
            profile_ids: The profiles that the key is limited to.
            permission: `read` allows only GET; `read-write` allows everything that keys can do.
            expires_at: When the key stops working.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `session_required`, `unsupported_media_type`.

        """
        call: Call[ApiKey] = Call(
            method="PATCH",
            path=fill("/api-keys/{}", key_id),
            returns=ApiKey,
            body=pack(
                "ApiKeyChanges",
                {"name": name, "profile_ids": profile_ids, "permission": permission, "expires_at": expires_at},
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def revoke(
        self,
        key_id: str,
    ) -> ApiKeyRevoked:
        """Revoke an API key. It stops working immediately here, and within a second on all other nodes.

        Hooks created with it keep running, and the response lists them.

        Args:
            key_id: The id of an API key, `key_…`; not the key itself.

        Error codes beside the common ones: `session_required`.

        """
        call: Call[ApiKeyRevoked] = Call(
            method="DELETE",
            path=fill("/api-keys/{}", key_id),
            returns=ApiKeyRevoked,
        )
        return await self._client.send(call)


class AsyncApiKeysResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncApiKeysResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.revoke = async_raw(resource.revoke)
