# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Groups of accounts, such as one per customer."""

from __future__ import annotations

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
from ..types import DeletionConfirmation, Profile, ProfilePage


class ProfilesResource(Resource):
    """Groups of accounts, such as one per customer."""

    @cached_property
    def with_raw_response(self) -> ProfilesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ProfilesResourceWithRawResponse(ProfilesResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> Pages[Profile, ProfilePage]:
        """List the profiles that the credential covers, newest first.

        Args:
            limit: Maximum number of rows per page.

        """
        call: Call[ProfilePage] = Call(
            method="GET",
            path="/profiles",
            returns=ProfilePage,
            query=pack_query({"limit": limit}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        profile_id: str,
    ) -> Profile:
        """Return a profile, with its ETag for a later update.

        Args:
            profile_id: The id of a profile, `prf_…`.

        """
        call: Call[Profile] = Call(
            method="GET",
            path=fill("/profiles/{}", profile_id),
            returns=Profile,
        )
        return self._client.send(call)

    def create(
        self,
        *,
        name: str,
        description: str | None = None,
        timezone: str | Omit = OMIT,
        fit: params.FitLike | None = None,
        idempotency_key: str | None = None,
    ) -> Profile:
        """Create a profile.

        Accounts are connected to a profile, and every event has a profile id. A key that is limited to some profiles
        cannot create another.

        Args:
            name: Shown in the console and in lists. Need not be unique.
            description: A note for your own use.
            timezone: IANA name such as `America/Sao_Paulo`. It applies to times without an offset.
            fit: How files of its posts are made to fit a platform, for targets that do not say. Null: automatically.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Profile] = Call(
            method="POST",
            path="/profiles",
            returns=Profile,
            body=pack(
                "NewProfile",
                {"name": name, "description": description, "timezone": timezone, "fit": fit},
                without_none=("description", "fit"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        profile_id: str,
        *,
        name: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        timezone: str | Omit = OMIT,
        fit: params.FitLike | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Profile:
        """Update a profile. Send `If-Match` with the ETag of the version you read to prevent lost updates.

        Args:
            profile_id: The id of a profile, `prf_…`.
            name: Shown in the console and in lists. Need not be unique.
            description: A note for your own use.
            timezone: IANA name such as `America/Sao_Paulo`. It applies to times without an offset.
            fit: How files of its posts are made to fit a platform, for targets that do not say. Null: automatically.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Profile] = Call(
            method="PATCH",
            path=fill("/profiles/{}", profile_id),
            returns=Profile,
            body=pack("ProfileChanges", {"name": name, "description": description, "timezone": timezone, "fit": fit}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def delete(
        self,
        profile_id: str,
        *,
        force: bool | None = None,
    ) -> DeletionConfirmation:
        """Delete a profile that has no accounts. With `force=true` its accounts are disconnected first.

        Its drafts and scheduled posts are cancelled and its queue slots deleted. The record of published posts stays.

        Args:
            profile_id: The id of a profile, `prf_…`.
            force: Disconnect the accounts and ad accounts of the profile first.

        Error codes beside the common ones: `last_profile`, `profile_not_empty`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/profiles/{}", profile_id),
            returns=DeletionConfirmation,
            query=pack_query({"force": force}),
        )
        return self._client.send(call)


class ProfilesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ProfilesResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)


class AsyncProfilesResource(AsyncResource):
    """Groups of accounts, such as one per customer."""

    @cached_property
    def with_raw_response(self) -> AsyncProfilesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncProfilesResourceWithRawResponse(AsyncProfilesResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
    ) -> AsyncPages[Profile, ProfilePage]:
        """List the profiles that the credential covers, newest first.

        Args:
            limit: Maximum number of rows per page.

        """
        call: Call[ProfilePage] = Call(
            method="GET",
            path="/profiles",
            returns=ProfilePage,
            query=pack_query({"limit": limit}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        profile_id: str,
    ) -> Profile:
        """Return a profile, with its ETag for a later update.

        Args:
            profile_id: The id of a profile, `prf_…`.

        """
        call: Call[Profile] = Call(
            method="GET",
            path=fill("/profiles/{}", profile_id),
            returns=Profile,
        )
        return await self._client.send(call)

    async def create(
        self,
        *,
        name: str,
        description: str | None = None,
        timezone: str | Omit = OMIT,
        fit: params.FitLike | None = None,
        idempotency_key: str | None = None,
    ) -> Profile:
        """Create a profile.

        Accounts are connected to a profile, and every event has a profile id. A key that is limited to some profiles
        cannot create another.

        Args:
            name: Shown in the console and in lists. Need not be unique.
            description: A note for your own use.
            timezone: IANA name such as `America/Sao_Paulo`. It applies to times without an offset.
            fit: How files of its posts are made to fit a platform, for targets that do not say. Null: automatically.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Profile] = Call(
            method="POST",
            path="/profiles",
            returns=Profile,
            body=pack(
                "NewProfile",
                {"name": name, "description": description, "timezone": timezone, "fit": fit},
                without_none=("description", "fit"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        profile_id: str,
        *,
        name: str | Omit = OMIT,
        description: str | None | Omit = OMIT,
        timezone: str | Omit = OMIT,
        fit: params.FitLike | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Profile:
        """Update a profile. Send `If-Match` with the ETag of the version you read to prevent lost updates.

        Args:
            profile_id: The id of a profile, `prf_…`.
            name: Shown in the console and in lists. Need not be unique.
            description: A note for your own use.
            timezone: IANA name such as `America/Sao_Paulo`. It applies to times without an offset.
            fit: How files of its posts are made to fit a platform, for targets that do not say. Null: automatically.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `precondition_failed`,
        `unsupported_media_type`.

        """
        call: Call[Profile] = Call(
            method="PATCH",
            path=fill("/profiles/{}", profile_id),
            returns=Profile,
            body=pack("ProfileChanges", {"name": name, "description": description, "timezone": timezone, "fit": fit}),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def delete(
        self,
        profile_id: str,
        *,
        force: bool | None = None,
    ) -> DeletionConfirmation:
        """Delete a profile that has no accounts. With `force=true` its accounts are disconnected first.

        Its drafts and scheduled posts are cancelled and its queue slots deleted. The record of published posts stays.

        Args:
            profile_id: The id of a profile, `prf_…`.
            force: Disconnect the accounts and ad accounts of the profile first.

        Error codes beside the common ones: `last_profile`, `profile_not_empty`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/profiles/{}", profile_id),
            returns=DeletionConfirmation,
            query=pack_query({"force": force}),
        )
        return await self._client.send(call)


class AsyncProfilesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncProfilesResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
