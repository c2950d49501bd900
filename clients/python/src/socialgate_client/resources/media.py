# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Files for posts and messages: upload them in one request or in chunks."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.media import AsyncMediaUploads
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.media import MediaUploads
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import DeletionConfirmation, MediaItem, MediaItemPage, UploadLink


class MediaLinksResource(Resource):
    """Files for posts and messages: upload them in one request or in chunks."""

    @cached_property
    def with_raw_response(self) -> MediaLinksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return MediaLinksResourceWithRawResponse(MediaLinksResource(RawSender(self._root), self._root))

    def create(
        self,
        *,
        profile_id: str | None = None,
        file_name: str | None = None,
    ) -> UploadLink:
        """Create a signed address to which one file can be sent without a credential, within 15 minutes.

        For programs that must not see the key, such as a browser or a person's own machine: `curl -T bread.jpg "$url"`.
        The file has the id that is returned here. Sending it again after that changes nothing, and returns the same
        file.

        Args:
            profile_id: The profile that the file belongs to. Required for a key limited to several profiles.
            file_name: The name that the file gets.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[UploadLink] = Call(
            method="POST",
            path="/media/links",
            returns=UploadLink,
            body=pack(
                "NewUploadLink",
                {"profile_id": profile_id, "file_name": file_name},
                without_none=("profile_id", "file_name"),
            ),
        )
        return self._client.send(call)


class MediaLinksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: MediaLinksResource) -> None:
        self.create = raw(resource.create)


class AsyncMediaLinksResource(AsyncResource):
    """Files for posts and messages: upload them in one request or in chunks."""

    @cached_property
    def with_raw_response(self) -> AsyncMediaLinksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncMediaLinksResourceWithRawResponse(AsyncMediaLinksResource(AsyncRawSender(self._root), self._root))

    async def create(
        self,
        *,
        profile_id: str | None = None,
        file_name: str | None = None,
    ) -> UploadLink:
        """Create a signed address to which one file can be sent without a credential, within 15 minutes.

        For programs that must not see the key, such as a browser or a person's own machine: `curl -T bread.jpg "$url"`.
        The file has the id that is returned here. Sending it again after that changes nothing, and returns the same
        file.

        Args:
            profile_id: The profile that the file belongs to. Required for a key limited to several profiles.
            file_name: The name that the file gets.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[UploadLink] = Call(
            method="POST",
            path="/media/links",
            returns=UploadLink,
            body=pack(
                "NewUploadLink",
                {"profile_id": profile_id, "file_name": file_name},
                without_none=("profile_id", "file_name"),
            ),
        )
        return await self._client.send(call)


class AsyncMediaLinksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncMediaLinksResource) -> None:
        self.create = async_raw(resource.create)


class MediaResource(MediaUploads):
    """Files for posts and messages: upload them in one request or in chunks."""

    @cached_property
    def links(self) -> MediaLinksResource:
        return MediaLinksResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> MediaResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return MediaResourceWithRawResponse(MediaResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        type: params.MediaQueryType | None = None,
    ) -> Pages[MediaItem, MediaItemPage]:
        """List the files that the credential covers, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only files of this profile.
            type: Only files of this type.

        """
        call: Call[MediaItemPage] = Call(
            method="GET",
            path="/media",
            returns=MediaItemPage,
            query=pack_query({"limit": limit, "profileId": profile_id, "type": type}),
        )
        return Pages(self._client, call, "cursor")

    def delete(
        self,
        media_id: str,
    ) -> DeletionConfirmation:
        """Delete a file that no post uses. Its URL stops working immediately.

        Args:
            media_id: The id of a file, `med_…`.

        Error codes beside the common ones: `media_in_use`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/media/{}", media_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def download(
        self,
        media_id: str,
        *,
        until: int,
        signature: str,
    ) -> bytes:
        """Download a file by its signed URL, completely or by `Range`. Platforms use this.

        Args:
            media_id: The id of a file, `med_…`.
            until: When the URL expires, in Unix seconds.
            signature: Proves that this service issued the URL.

        """
        call: Call[bytes] = Call(
            method="GET",
            path=fill("/media/{}", media_id),
            returns=bytes,
            query=pack_query({"until": until, "signature": signature}),
        )
        return self._client.send(call)


class MediaResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: MediaResource) -> None:
        self.list = raw_page(resource.list)
        self.delete = raw(resource.delete)
        self.download = raw(resource.download)


class AsyncMediaResource(AsyncMediaUploads):
    """Files for posts and messages: upload them in one request or in chunks."""

    @cached_property
    def links(self) -> AsyncMediaLinksResource:
        return AsyncMediaLinksResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncMediaResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncMediaResourceWithRawResponse(AsyncMediaResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        type: params.MediaQueryType | None = None,
    ) -> AsyncPages[MediaItem, MediaItemPage]:
        """List the files that the credential covers, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only files of this profile.
            type: Only files of this type.

        """
        call: Call[MediaItemPage] = Call(
            method="GET",
            path="/media",
            returns=MediaItemPage,
            query=pack_query({"limit": limit, "profileId": profile_id, "type": type}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def delete(
        self,
        media_id: str,
    ) -> DeletionConfirmation:
        """Delete a file that no post uses. Its URL stops working immediately.

        Args:
            media_id: The id of a file, `med_…`.

        Error codes beside the common ones: `media_in_use`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/media/{}", media_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    async def download(
        self,
        media_id: str,
        *,
        until: int,
        signature: str,
    ) -> bytes:
        """Download a file by its signed URL, completely or by `Range`. Platforms use this.

        Args:
            media_id: The id of a file, `med_…`.
            until: When the URL expires, in Unix seconds.
            signature: Proves that this service issued the URL.

        """
        call: Call[bytes] = Call(
            method="GET",
            path=fill("/media/{}", media_id),
            returns=bytes,
            query=pack_query({"until": until, "signature": signature}),
        )
        return await self._client.send(call)


class AsyncMediaResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncMediaResource) -> None:
        self.list = async_raw_page(resource.list)
        self.delete = async_raw(resource.delete)
        self.download = async_raw(resource.download)
