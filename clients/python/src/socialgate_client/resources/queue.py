# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Weekly times at which the posts of a profile are published."""

from __future__ import annotations

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
from ..types import NextSlot, Post, QueueEntry, QueueView, Slot, SlotDeleted, SlotPage


class QueueSlotsResource(Resource):
    """Weekly times at which the posts of a profile are published."""

    @cached_property
    def with_raw_response(self) -> QueueSlotsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return QueueSlotsResourceWithRawResponse(QueueSlotsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
    ) -> Pages[Slot, SlotPage]:
        """List the slots, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: The profile of the queue.

        """
        call: Call[SlotPage] = Call(
            method="GET",
            path="/queue/slots",
            returns=SlotPage,
            query=pack_query({"limit": limit, "profileId": profile_id}),
        )
        return Pages(self._client, call, "cursor")

    def create(
        self,
        *,
        profile_id: str,
        weekday: params.NewSlotWeekday,
        time: str,
        timezone: str | None = None,
        account_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Slot:
        """Create a slot: a weekly time at which the queue of a profile publishes one post.

        Args:
            profile_id: The profile of the queue.
            weekday: The day of the week, in the time zone of the slot.
            time: Local time of day in the time zone.
            timezone: IANA name. Unset: the profile's.
            account_ids: Only for posts to these accounts. Empty: all accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `slot_exists`, `slot_limit`, `unsupported_media_type`.

        """
        call: Call[Slot] = Call(
            method="POST",
            path="/queue/slots",
            returns=Slot,
            body=pack(
                "NewSlot",
                {
                    "profile_id": profile_id,
                    "weekday": weekday,
                    "time": time,
                    "timezone": timezone,
                    "account_ids": account_ids,
                },
                without_none=("timezone",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def update(
        self,
        slot_id: str,
        *,
        weekday: params.SlotChangesWeekday | Omit = OMIT,
        time: str | Omit = OMIT,
        timezone: str | Omit = OMIT,
        account_ids: Sequence[str] | Omit = OMIT,
        posts: params.SlotPostsQueryPosts | None = None,
    ) -> Slot:
        """Change the time or the accounts of a slot. Its posts keep their time, or move to the next free slots.

        Args:
            slot_id: The id of a slot of the queue, `slot_…`.
            weekday: The new day of the week.
            time: Local time of day in the time zone.
            timezone: The new time zone, as an IANA name.
            account_ids: Only for posts to these accounts. Empty: all accounts.
            posts: `free`: they keep their time; `reslot`: they move to the next free slots.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `no_free_slot`, `slot_exists`,
        `unsupported_media_type`.

        """
        call: Call[Slot] = Call(
            method="PATCH",
            path=fill("/queue/slots/{}", slot_id),
            returns=Slot,
            query=pack_query({"posts": posts}),
            body=pack(
                "SlotChanges", {"weekday": weekday, "time": time, "timezone": timezone, "account_ids": account_ids}
            ),
        )
        return self._client.send(call)

    def delete(
        self,
        slot_id: str,
        *,
        posts: params.SlotPostsQueryPosts | None = None,
    ) -> SlotDeleted:
        """Delete a slot. Its posts keep their time, or move to the next free slots.

        Args:
            slot_id: The id of a slot of the queue, `slot_…`.
            posts: `free`: they keep their time; `reslot`: they move to the next free slots.

        Error codes beside the common ones: `no_free_slot`.

        """
        call: Call[SlotDeleted] = Call(
            method="DELETE",
            path=fill("/queue/slots/{}", slot_id),
            returns=SlotDeleted,
            query=pack_query({"posts": posts}),
        )
        return self._client.send(call)


class QueueSlotsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: QueueSlotsResource) -> None:
        self.list = raw_page(resource.list)
        self.create = raw(resource.create)
        self.update = raw(resource.update)
        self.delete = raw(resource.delete)


class AsyncQueueSlotsResource(AsyncResource):
    """Weekly times at which the posts of a profile are published."""

    @cached_property
    def with_raw_response(self) -> AsyncQueueSlotsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncQueueSlotsResourceWithRawResponse(AsyncQueueSlotsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
    ) -> AsyncPages[Slot, SlotPage]:
        """List the slots, newest first.

        Args:
            limit: Maximum number of rows per page.
            profile_id: The profile of the queue.

        """
        call: Call[SlotPage] = Call(
            method="GET",
            path="/queue/slots",
            returns=SlotPage,
            query=pack_query({"limit": limit, "profileId": profile_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def create(
        self,
        *,
        profile_id: str,
        weekday: params.NewSlotWeekday,
        time: str,
        timezone: str | None = None,
        account_ids: Sequence[str] | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Slot:
        """Create a slot: a weekly time at which the queue of a profile publishes one post.

        Args:
            profile_id: The profile of the queue.
            weekday: The day of the week, in the time zone of the slot.
            time: Local time of day in the time zone.
            timezone: IANA name. Unset: the profile's.
            account_ids: Only for posts to these accounts. Empty: all accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `slot_exists`, `slot_limit`, `unsupported_media_type`.

        """
        call: Call[Slot] = Call(
            method="POST",
            path="/queue/slots",
            returns=Slot,
            body=pack(
                "NewSlot",
                {
                    "profile_id": profile_id,
                    "weekday": weekday,
                    "time": time,
                    "timezone": timezone,
                    "account_ids": account_ids,
                },
                without_none=("timezone",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def update(
        self,
        slot_id: str,
        *,
        weekday: params.SlotChangesWeekday | Omit = OMIT,
        time: str | Omit = OMIT,
        timezone: str | Omit = OMIT,
        account_ids: Sequence[str] | Omit = OMIT,
        posts: params.SlotPostsQueryPosts | None = None,
    ) -> Slot:
        """Change the time or the accounts of a slot. Its posts keep their time, or move to the next free slots.

        Args:
            slot_id: The id of a slot of the queue, `slot_…`.
            weekday: The new day of the week.
            time: Local time of day in the time zone.
            timezone: The new time zone, as an IANA name.
            account_ids: Only for posts to these accounts. Empty: all accounts.
            posts: `free`: they keep their time; `reslot`: they move to the next free slots.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `no_free_slot`, `slot_exists`,
        `unsupported_media_type`.

        """
        call: Call[Slot] = Call(
            method="PATCH",
            path=fill("/queue/slots/{}", slot_id),
            returns=Slot,
            query=pack_query({"posts": posts}),
            body=pack(
                "SlotChanges", {"weekday": weekday, "time": time, "timezone": timezone, "account_ids": account_ids}
            ),
        )
        return await self._client.send(call)

    async def delete(
        self,
        slot_id: str,
        *,
        posts: params.SlotPostsQueryPosts | None = None,
    ) -> SlotDeleted:
        """Delete a slot. Its posts keep their time, or move to the next free slots.

        Args:
            slot_id: The id of a slot of the queue, `slot_…`.
            posts: `free`: they keep their time; `reslot`: they move to the next free slots.

        Error codes beside the common ones: `no_free_slot`.

        """
        call: Call[SlotDeleted] = Call(
            method="DELETE",
            path=fill("/queue/slots/{}", slot_id),
            returns=SlotDeleted,
            query=pack_query({"posts": posts}),
        )
        return await self._client.send(call)


class AsyncQueueSlotsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncQueueSlotsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.create = async_raw(resource.create)
        self.update = async_raw(resource.update)
        self.delete = async_raw(resource.delete)


class QueueResource(Resource):
    """Weekly times at which the posts of a profile are published."""

    @cached_property
    def slots(self) -> QueueSlotsResource:
        return QueueSlotsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> QueueResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return QueueResourceWithRawResponse(QueueResource(RawSender(self._root), self._root))

    def get(
        self,
        *,
        profile_id: str,
        days: int | None = None,
    ) -> Pages[QueueEntry, QueueView]:
        """List the upcoming slots of a profile in order, with their posts, including free ones.

        Args:
            profile_id: The profile of the queue.
            days: How far to look ahead.

        """
        call: Call[QueueView] = Call(
            method="GET",
            path="/queue",
            returns=QueueView,
            query=pack_query({"profileId": profile_id, "days": days}),
        )
        return Pages(self._client, call, "cursor")

    def add(
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
        """Put a post into the next free slot of its profile. Two posts never get the same one.

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
        `malformed_json`, `no_free_slot`, `plan_limit_reached`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path="/queue",
            returns=Post,
            body=pack(
                "QueuedPost",
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

    def next_slot(
        self,
        *,
        profile_id: str,
        account_id: Sequence[str] | None = None,
    ) -> NextSlot:
        """Return the next free slot. It is not reserved.

        Args:
            profile_id: The profile of the queue.
            account_id: For a post to these accounts. Can be repeated.

        Error codes beside the common ones: `no_free_slot`.

        """
        call: Call[NextSlot] = Call(
            method="GET",
            path="/queue/next-slot",
            returns=NextSlot,
            query=pack_query({"profileId": profile_id, "accountId": account_id}),
        )
        return self._client.send(call)


class QueueResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: QueueResource) -> None:
        self.get = raw_page(resource.get)
        self.add = raw(resource.add)
        self.next_slot = raw(resource.next_slot)


class AsyncQueueResource(AsyncResource):
    """Weekly times at which the posts of a profile are published."""

    @cached_property
    def slots(self) -> AsyncQueueSlotsResource:
        return AsyncQueueSlotsResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncQueueResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncQueueResourceWithRawResponse(AsyncQueueResource(AsyncRawSender(self._root), self._root))

    def get(
        self,
        *,
        profile_id: str,
        days: int | None = None,
    ) -> AsyncPages[QueueEntry, QueueView]:
        """List the upcoming slots of a profile in order, with their posts, including free ones.

        Args:
            profile_id: The profile of the queue.
            days: How far to look ahead.

        """
        call: Call[QueueView] = Call(
            method="GET",
            path="/queue",
            returns=QueueView,
            query=pack_query({"profileId": profile_id, "days": days}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def add(
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
        """Put a post into the next free slot of its profile. Two posts never get the same one.

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
        `malformed_json`, `no_free_slot`, `plan_limit_reached`, `unsupported_media_type`.

        """
        call: Call[Post] = Call(
            method="POST",
            path="/queue",
            returns=Post,
            body=pack(
                "QueuedPost",
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

    async def next_slot(
        self,
        *,
        profile_id: str,
        account_id: Sequence[str] | None = None,
    ) -> NextSlot:
        """Return the next free slot. It is not reserved.

        Args:
            profile_id: The profile of the queue.
            account_id: For a post to these accounts. Can be repeated.

        Error codes beside the common ones: `no_free_slot`.

        """
        call: Call[NextSlot] = Call(
            method="GET",
            path="/queue/next-slot",
            returns=NextSlot,
            query=pack_query({"profileId": profile_id, "accountId": account_id}),
        )
        return await self._client.send(call)


class AsyncQueueResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncQueueResource) -> None:
        self.get = async_raw_page(resource.get)
        self.add = async_raw(resource.add)
        self.next_slot = async_raw(resource.next_slot)
