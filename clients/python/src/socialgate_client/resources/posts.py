# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Publish now, at a time or through the queue, and see every step."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import Post, PostDeleted, PostPage, PostValidationResult


class PostsResource(Resource):
    """Publish now, at a time or through the queue, and see every step."""

    @cached_property
    def with_raw_response(self) -> PostsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return PostsResourceWithRawResponse(PostsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        status: params.PostStatusInput | None = None,
        profile_id: str | None = None,
        account_id: str | None = None,
        platform: params.PlatformInput | None = None,
        from_: str | dt.datetime | None = None,
        to: str | dt.datetime | None = None,
        text: str | None = None,
    ) -> Pages[Post, PostPage]:
        """List posts, newest first. Cancelled posts are only included with `status=cancelled`.

        Args:
            limit: Maximum number of rows per page.
            status: Only posts with this status. By default all except `cancelled`.
            profile_id: Only posts of this profile.
            account_id: Only posts with this account among their targets.
            platform: Only posts with an account on this platform among their targets.
            from_: Scheduled, or created, at this time or later.
            to: Scheduled, or created, before this time.
            text: The content contains this text.

        """
        call: Call[PostPage] = Call(
            method="GET",
            path="/posts",
            returns=PostPage,
            query=pack_query(
                {
                    "limit": limit,
                    "status": status,
                    "profileId": profile_id,
                    "accountId": account_id,
                    "platform": platform,
                    "from": from_,
                    "to": to,
                    "text": text,
                }
            ),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        post_id: str,
    ) -> Post:
        """Return a post with every step that was taken to publish it.

        Args:
            post_id: The id of a post, `post_…`.

        """
        call: Call[Post] = Call(
            method="GET",
            path=fill("/posts/{}", post_id),
            returns=Post,
        )
        return self._client.send(call)

    def create(
        self,
        *,
        profile_id: str,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        timezone: str | None = None,
        first_comment: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        scheduled_for: str | None = None,
        publish_now: bool | Omit = OMIT,
        draft: bool | Omit = OMIT,
        queue: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Post:
        """Create a post: publish it now, at a time, through the queue, or keep it as a draft.

        It is validated for every account first, and rejected with all errors at once. The response is 202 if a worker
        publishes it now, 201 if it is stored for later. Choose when with one of `draft`, `publishNow`, `queue` and
        `scheduledFor`: two that contradict each other are rejected, and with none of them it is published immediately.
        A draft can have the `scheduledFor` that it is intended for. Files given by `url` are fetched immediately: what
        is validated is what will be published.

        Args:
            profile_id: The profile whose accounts it is published to, `prf_…`.
            content: The text. Each platform's own limit is checked.
            media: The files, in the order in which they are shown. A target can have others instead.
            targets: The accounts to publish to, each once. Only a draft can be without.
            timezone: The time zone of a `scheduledFor` without an offset.
            first_comment: A comment to add below the post once it is published, on platforms that allow it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            publish_now: Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`.
            draft: Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`.
            queue: Schedule it in the next free slot of the profile's queue.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `no_free_slot`, `plan_limit_reached`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path="/posts",
            returns=Post,
            body=pack(
                "NewPost",
                {
                    "profile_id": profile_id,
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "timezone": timezone,
                    "first_comment": first_comment,
                    "metadata": metadata,
                    "scheduled_for": scheduled_for,
                    "publish_now": publish_now,
                    "draft": draft,
                    "queue": queue,
                },
                without_none=("timezone", "first_comment", "metadata", "scheduled_for"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        post_id: str,
        *,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        scheduled_for: str | None | Omit = OMIT,
        timezone: str | Omit = OMIT,
        publish_now: bool | Omit = OMIT,
        first_comment: str | None | Omit = OMIT,
        metadata: Mapping[str, Any] | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Post:
        """Update a draft or a scheduled post. `publishNow` or `scheduledFor` publishes or schedules a draft.

        Args:
            post_id: The id of a post, `post_…`.
            content: The text. Each platform's own limit is checked.
            media: Replaces all files of the post.
            targets: Replaces all targets of the post.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            timezone: The time zone of a `scheduledFor` without an offset.
            publish_now: Publish it immediately, whatever it was scheduled for.
            first_comment: A comment to add below the post. Null removes it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `plan_limit_reached`,
        `post_not_editable`, `precondition_failed`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="PATCH",
            path=fill("/posts/{}", post_id),
            returns=Post,
            body=pack(
                "PostChanges",
                {
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "scheduled_for": scheduled_for,
                    "timezone": timezone,
                    "publish_now": publish_now,
                    "first_comment": first_comment,
                    "metadata": metadata,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return self._client.send(call)

    def delete(
        self,
        post_id: str,
        *,
        platforms: bool | None = None,
    ) -> PostDeleted:
        """Cancel a draft or a scheduled post, or delete a published one if the platform allows it.

        Args:
            post_id: The id of a post, `post_…`.
            platforms: true: also on the platforms that allow it; false: only our record.

        Error codes beside the common ones: `post_is_published`, `post_publishing`.

        """
        call: Call[PostDeleted] = Call(
            method="DELETE",
            path=fill("/posts/{}", post_id),
            returns=PostDeleted,
            query=pack_query({"platforms": platforms}),
        )
        return self._client.send(call)

    def reconcile(
        self,
        post_id: str,
        *,
        findings: Sequence[params.ReconciliationFinding] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Post:
        """Decide targets with an unknown outcome: report what you found, or have the platforms asked again.

        Args:
            post_id: The id of a post, `post_…`.
            findings: What you found, for each unconfirmed target that you checked yourself.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `nothing_unconfirmed`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path=fill("/posts/{}/reconcile", post_id),
            returns=Post,
            body=pack("Reconciliation", {"findings": findings}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def retry(
        self,
        post_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Post:
        """Publish the failed targets again, as a new round with its own event.

        Args:
            post_id: The id of a post, `post_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `nothing_to_retry`.

        """
        call: Call[Post] = Call(
            method="POST",
            path=fill("/posts/{}/retry", post_id),
            returns=Post,
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def validate(
        self,
        *,
        profile_id: str,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        timezone: str | None = None,
        first_comment: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        scheduled_for: str | None = None,
        publish_now: bool | Omit = OMIT,
        draft: bool | Omit = OMIT,
        queue: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> PostValidationResult:
        """Validate a post without creating it, and return everything that is wrong.

        A draft may be incomplete: with `draft: true`, only the existence of its accounts and files is checked. Omit
        `draft` to find out whether the post could be published.

        Args:
            profile_id: The profile whose accounts it is published to, `prf_…`.
            content: The text. Each platform's own limit is checked.
            media: The files, in the order in which they are shown. A target can have others instead.
            targets: The accounts to publish to, each once. Only a draft can be without.
            timezone: The time zone of a `scheduledFor` without an offset.
            first_comment: A comment to add below the post once it is published, on platforms that allow it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            publish_now: Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`.
            draft: Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`.
            queue: Schedule it in the next free slot of the profile's queue.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.

        """
        call: Call[PostValidationResult] = Call(
            method="POST",
            path="/posts/validate",
            returns=PostValidationResult,
            body=pack(
                "NewPost",
                {
                    "profile_id": profile_id,
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "timezone": timezone,
                    "first_comment": first_comment,
                    "metadata": metadata,
                    "scheduled_for": scheduled_for,
                    "publish_now": publish_now,
                    "draft": draft,
                    "queue": queue,
                },
                without_none=("timezone", "first_comment", "metadata", "scheduled_for"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class PostsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: PostsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)
        self.reconcile = raw(resource.reconcile)
        self.retry = raw(resource.retry)
        self.validate = raw(resource.validate)


class AsyncPostsResource(AsyncResource):
    """Publish now, at a time or through the queue, and see every step."""

    @cached_property
    def with_raw_response(self) -> AsyncPostsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncPostsResourceWithRawResponse(AsyncPostsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        status: params.PostStatusInput | None = None,
        profile_id: str | None = None,
        account_id: str | None = None,
        platform: params.PlatformInput | None = None,
        from_: str | dt.datetime | None = None,
        to: str | dt.datetime | None = None,
        text: str | None = None,
    ) -> AsyncPages[Post, PostPage]:
        """List posts, newest first. Cancelled posts are only included with `status=cancelled`.

        Args:
            limit: Maximum number of rows per page.
            status: Only posts with this status. By default all except `cancelled`.
            profile_id: Only posts of this profile.
            account_id: Only posts with this account among their targets.
            platform: Only posts with an account on this platform among their targets.
            from_: Scheduled, or created, at this time or later.
            to: Scheduled, or created, before this time.
            text: The content contains this text.

        """
        call: Call[PostPage] = Call(
            method="GET",
            path="/posts",
            returns=PostPage,
            query=pack_query(
                {
                    "limit": limit,
                    "status": status,
                    "profileId": profile_id,
                    "accountId": account_id,
                    "platform": platform,
                    "from": from_,
                    "to": to,
                    "text": text,
                }
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        post_id: str,
    ) -> Post:
        """Return a post with every step that was taken to publish it.

        Args:
            post_id: The id of a post, `post_…`.

        """
        call: Call[Post] = Call(
            method="GET",
            path=fill("/posts/{}", post_id),
            returns=Post,
        )
        return await self._client.send(call)

    async def create(
        self,
        *,
        profile_id: str,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        timezone: str | None = None,
        first_comment: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        scheduled_for: str | None = None,
        publish_now: bool | Omit = OMIT,
        draft: bool | Omit = OMIT,
        queue: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Post:
        """Create a post: publish it now, at a time, through the queue, or keep it as a draft.

        It is validated for every account first, and rejected with all errors at once. The response is 202 if a worker
        publishes it now, 201 if it is stored for later. Choose when with one of `draft`, `publishNow`, `queue` and
        `scheduledFor`: two that contradict each other are rejected, and with none of them it is published immediately.
        A draft can have the `scheduledFor` that it is intended for. Files given by `url` are fetched immediately: what
        is validated is what will be published.

        Args:
            profile_id: The profile whose accounts it is published to, `prf_…`.
            content: The text. Each platform's own limit is checked.
            media: The files, in the order in which they are shown. A target can have others instead.
            targets: The accounts to publish to, each once. Only a draft can be without.
            timezone: The time zone of a `scheduledFor` without an offset.
            first_comment: A comment to add below the post once it is published, on platforms that allow it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            publish_now: Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`.
            draft: Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`.
            queue: Schedule it in the next free slot of the profile's queue.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `no_free_slot`, `plan_limit_reached`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path="/posts",
            returns=Post,
            body=pack(
                "NewPost",
                {
                    "profile_id": profile_id,
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "timezone": timezone,
                    "first_comment": first_comment,
                    "metadata": metadata,
                    "scheduled_for": scheduled_for,
                    "publish_now": publish_now,
                    "draft": draft,
                    "queue": queue,
                },
                without_none=("timezone", "first_comment", "metadata", "scheduled_for"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        post_id: str,
        *,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        scheduled_for: str | None | Omit = OMIT,
        timezone: str | Omit = OMIT,
        publish_now: bool | Omit = OMIT,
        first_comment: str | None | Omit = OMIT,
        metadata: Mapping[str, Any] | None | Omit = OMIT,
        if_match: str | None = None,
    ) -> Post:
        """Update a draft or a scheduled post. `publishNow` or `scheduledFor` publishes or schedules a draft.

        Args:
            post_id: The id of a post, `post_…`.
            content: The text. Each platform's own limit is checked.
            media: Replaces all files of the post.
            targets: Replaces all targets of the post.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            timezone: The time zone of a `scheduledFor` without an offset.
            publish_now: Publish it immediately, whatever it was scheduled for.
            first_comment: A comment to add below the post. Null removes it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            if_match: Change only this version: the `ETag` of a raw response. Raises `Conflict` if it has changed since.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `plan_limit_reached`,
        `post_not_editable`, `precondition_failed`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="PATCH",
            path=fill("/posts/{}", post_id),
            returns=Post,
            body=pack(
                "PostChanges",
                {
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "scheduled_for": scheduled_for,
                    "timezone": timezone,
                    "publish_now": publish_now,
                    "first_comment": first_comment,
                    "metadata": metadata,
                },
            ),
            headers={} if if_match is None else {"If-Match": if_match},
        )
        return await self._client.send(call)

    async def delete(
        self,
        post_id: str,
        *,
        platforms: bool | None = None,
    ) -> PostDeleted:
        """Cancel a draft or a scheduled post, or delete a published one if the platform allows it.

        Args:
            post_id: The id of a post, `post_…`.
            platforms: true: also on the platforms that allow it; false: only our record.

        Error codes beside the common ones: `post_is_published`, `post_publishing`.

        """
        call: Call[PostDeleted] = Call(
            method="DELETE",
            path=fill("/posts/{}", post_id),
            returns=PostDeleted,
            query=pack_query({"platforms": platforms}),
        )
        return await self._client.send(call)

    async def reconcile(
        self,
        post_id: str,
        *,
        findings: Sequence[params.ReconciliationFinding] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Post:
        """Decide targets with an unknown outcome: report what you found, or have the platforms asked again.

        Args:
            post_id: The id of a post, `post_…`.
            findings: What you found, for each unconfirmed target that you checked yourself.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `nothing_unconfirmed`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path=fill("/posts/{}/reconcile", post_id),
            returns=Post,
            body=pack("Reconciliation", {"findings": findings}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def retry(
        self,
        post_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> Post:
        """Publish the failed targets again, as a new round with its own event.

        Args:
            post_id: The id of a post, `post_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `nothing_to_retry`.

        """
        call: Call[Post] = Call(
            method="POST",
            path=fill("/posts/{}/retry", post_id),
            returns=Post,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def validate(
        self,
        *,
        profile_id: str,
        content: str | Omit = OMIT,
        media: Sequence[params.MediaRefLike] | Omit = OMIT,
        targets: Sequence[params.NewTargetLike] | Omit = OMIT,
        timezone: str | None = None,
        first_comment: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        scheduled_for: str | None = None,
        publish_now: bool | Omit = OMIT,
        draft: bool | Omit = OMIT,
        queue: bool | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> PostValidationResult:
        """Validate a post without creating it, and return everything that is wrong.

        A draft may be incomplete: with `draft: true`, only the existence of its accounts and files is checked. Omit
        `draft` to find out whether the post could be published.

        Args:
            profile_id: The profile whose accounts it is published to, `prf_…`.
            content: The text. Each platform's own limit is checked.
            media: The files, in the order in which they are shown. A target can have others instead.
            targets: The accounts to publish to, each once. Only a draft can be without.
            timezone: The time zone of a `scheduledFor` without an offset.
            first_comment: A comment to add below the post once it is published, on platforms that allow it.
            metadata: Your own data, at most 16 KiB of JSON; returned unchanged.
            scheduled_for: RFC 3339, such as `2026-11-20T14:00:00Z`; without an offset it is in `timezone`.
            publish_now: Publish it immediately. This is the default without `draft`, `queue` and `scheduledFor`.
            draft: Store it without publishing or validating it. Publish it later with `PATCH /posts/{postId}`.
            queue: Schedule it in the next free slot of the profile's queue.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `storage_unavailable`, `too_many_fetches`, `unsupported_media_type`.

        """
        call: Call[PostValidationResult] = Call(
            method="POST",
            path="/posts/validate",
            returns=PostValidationResult,
            body=pack(
                "NewPost",
                {
                    "profile_id": profile_id,
                    "content": content,
                    "media": media,
                    "targets": targets,
                    "timezone": timezone,
                    "first_comment": first_comment,
                    "metadata": metadata,
                    "scheduled_for": scheduled_for,
                    "publish_now": publish_now,
                    "draft": draft,
                    "queue": queue,
                },
                without_none=("timezone", "first_comment", "metadata", "scheduled_for"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncPostsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncPostsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)
        self.reconcile = async_raw(resource.reconcile)
        self.retry = async_raw(resource.retry)
        self.validate = async_raw(resource.validate)
