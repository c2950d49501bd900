# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Comments and reviews on the posts of an account: read, reply, hide and delete them."""

from __future__ import annotations

from functools import cached_property

from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import Comment, CommentDeleted, CommentHidden, CommentPage


class CommentsResource(Resource):
    """Comments and reviews on the posts of an account: read, reply, hide and delete them."""

    @cached_property
    def with_raw_response(self) -> CommentsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return CommentsResourceWithRawResponse(CommentsResource(RawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        post_id: str | None = None,
    ) -> Pages[Comment, CommentPage]:
        """List the comments on a post, newest first, live from the platform.

        For a Business Profile, omit `postId` to list its reviews. For a YouTube channel, omit it to list the comments
        on all its videos.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            post_id: Our id of a post, or the platform's own id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CommentPage] = Call(
            method="GET",
            path=fill("/accounts/{}/comments", account_id),
            returns=CommentPage,
            query=pack_query({"limit": limit, "postId": post_id}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        account_id: str,
        *,
        text: str,
        post_id: str | None = None,
        parent_id: str | None = None,
        media_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Comment:
        """Comment on a post, or reply to a comment or review, as the account.

        Send an `Idempotency-Key`: repeating the request with it never writes a second comment. If the platform's
        response was lost and the platform does not show the result, the response is 502 with the id of the operation.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            text: The text. The platform's own limit is checked too.
            post_id: Our id of a post, or the platform's own id.
            parent_id: The comment to reply to.
            media_id: An image, if the kind supports it.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Comment] = Call(
            method="POST",
            path=fill("/accounts/{}/comments", account_id),
            returns=Comment,
            body=pack(
                "NewCommentBody",
                {"text": text, "post_id": post_id, "parent_id": parent_id, "media_id": media_id},
                without_none=("post_id", "parent_id", "media_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def delete(
        self,
        account_id: str,
        comment_id: str,
    ) -> CommentDeleted:
        """Delete a comment on the platform. `canDelete` says which comments can be deleted.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            comment_id: The platform's own id of a comment.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[CommentDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/comments/{}", account_id, comment_id),
            returns=CommentDeleted,
        )
        return self._client.send(call)

    def hide(
        self,
        account_id: str,
        *,
        comment_id: str,
        hidden: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CommentHidden:
        """Hide a comment from everybody except its author, or show it again with `hidden: false`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            comment_id: The platform's own id of the comment.
            hidden: False shows it again.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CommentHidden] = Call(
            method="POST",
            path=fill("/accounts/{}/comments/hide", account_id),
            returns=CommentHidden,
            body=pack("CommentVisibility", {"comment_id": comment_id, "hidden": hidden}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class CommentsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: CommentsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)
        self.delete = raw(resource.delete)
        self.hide = raw(resource.hide)


class AsyncCommentsResource(AsyncResource):
    """Comments and reviews on the posts of an account: read, reply, hide and delete them."""

    @cached_property
    def with_raw_response(self) -> AsyncCommentsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncCommentsResourceWithRawResponse(AsyncCommentsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        post_id: str | None = None,
    ) -> AsyncPages[Comment, CommentPage]:
        """List the comments on a post, newest first, live from the platform.

        For a Business Profile, omit `postId` to list its reviews. For a YouTube channel, omit it to list the comments
        on all its videos.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            post_id: Our id of a post, or the platform's own id.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[CommentPage] = Call(
            method="GET",
            path=fill("/accounts/{}/comments", account_id),
            returns=CommentPage,
            query=pack_query({"limit": limit, "postId": post_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        account_id: str,
        *,
        text: str,
        post_id: str | None = None,
        parent_id: str | None = None,
        media_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Comment:
        """Comment on a post, or reply to a comment or review, as the account.

        Send an `Idempotency-Key`: repeating the request with it never writes a second comment. If the platform's
        response was lost and the platform does not show the result, the response is 502 with the id of the operation.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            text: The text. The platform's own limit is checked too.
            post_id: Our id of a post, or the platform's own id.
            parent_id: The comment to reply to.
            media_id: An image, if the kind supports it.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Comment] = Call(
            method="POST",
            path=fill("/accounts/{}/comments", account_id),
            returns=Comment,
            body=pack(
                "NewCommentBody",
                {"text": text, "post_id": post_id, "parent_id": parent_id, "media_id": media_id},
                without_none=("post_id", "parent_id", "media_id"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def delete(
        self,
        account_id: str,
        comment_id: str,
    ) -> CommentDeleted:
        """Delete a comment on the platform. `canDelete` says which comments can be deleted.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            comment_id: The platform's own id of a comment.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[CommentDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/comments/{}", account_id, comment_id),
            returns=CommentDeleted,
        )
        return await self._client.send(call)

    async def hide(
        self,
        account_id: str,
        *,
        comment_id: str,
        hidden: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> CommentHidden:
        """Hide a comment from everybody except its author, or show it again with `hidden: false`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            comment_id: The platform's own id of the comment.
            hidden: False shows it again.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[CommentHidden] = Call(
            method="POST",
            path=fill("/accounts/{}/comments/hide", account_id),
            returns=CommentHidden,
            body=pack("CommentVisibility", {"comment_id": comment_id, "hidden": hidden}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncCommentsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncCommentsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
        self.delete = async_raw(resource.delete)
        self.hide = async_raw(resource.hide)
