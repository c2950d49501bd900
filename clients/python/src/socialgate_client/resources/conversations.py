# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Conversations with people, and the messages in them."""

from __future__ import annotations

import datetime as dt
from functools import cached_property

from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack_query
from ..types import Conversation, ConversationDetail, ConversationPage, ConversationRead, DeletionConfirmation


class ConversationsResource(Resource):
    """Conversations with people, and the messages in them."""

    @cached_property
    def with_raw_response(self) -> ConversationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ConversationsResourceWithRawResponse(ConversationsResource(RawSender(self._root), self._root))

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        unread: bool | None = None,
        since: str | dt.datetime | None = None,
        q: str | None = None,
    ) -> Pages[Conversation, ConversationPage]:
        """List the conversations of an account, the one with the newest message first.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            unread: Only conversations with unread messages, or only those without.
            since: Only conversations with a message since then.
            q: Searches messages and names.

        Error codes beside the common ones: `not_supported`.

        """
        call: Call[ConversationPage] = Call(
            method="GET",
            path=fill("/accounts/{}/conversations", account_id),
            returns=ConversationPage,
            query=pack_query({"limit": limit, "unread": unread, "since": since, "q": q}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        account_id: str,
        conversation_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConversationDetail:
        """Return a conversation, newest message first. Older messages are fetched from platforms that keep a history.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.
            limit: Maximum number of rows per page.
            cursor: `nextCursor` of the previous page. Opaque.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConversationDetail] = Call(
            method="GET",
            path=fill("/accounts/{}/conversations/{}", account_id, conversation_id),
            returns=ConversationDetail,
            query=pack_query({"limit": limit, "cursor": cursor}),
        )
        return self._client.send(call)

    def delete(
        self,
        account_id: str,
        conversation_id: str,
    ) -> DeletionConfirmation:
        """Delete a conversation here: its messages, the person's name and number, and their files.

        They are also erased from stored events, from the runs of automations and from operations. What hooks already
        received, and what the platform keeps, is not affected: the person still sees the conversation. If the person
        writes again, that starts a new conversation. This works for disconnected accounts too.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.

        Error codes beside the common ones: `conversation_busy`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}/conversations/{}", account_id, conversation_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def mark_read(
        self,
        account_id: str,
        conversation_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> ConversationRead:
        """Mark a conversation as read here. The person is not notified.

        To send a read receipt on WhatsApp, use `POST /accounts/{accountId}/whatsapp/send` with the type `read`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`.

        """
        call: Call[ConversationRead] = Call(
            method="POST",
            path=fill("/accounts/{}/conversations/{}/read", account_id, conversation_id),
            returns=ConversationRead,
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class ConversationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ConversationsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.delete = raw(resource.delete)
        self.mark_read = raw(resource.mark_read)


class AsyncConversationsResource(AsyncResource):
    """Conversations with people, and the messages in them."""

    @cached_property
    def with_raw_response(self) -> AsyncConversationsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncConversationsResourceWithRawResponse(
            AsyncConversationsResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        unread: bool | None = None,
        since: str | dt.datetime | None = None,
        q: str | None = None,
    ) -> AsyncPages[Conversation, ConversationPage]:
        """List the conversations of an account, the one with the newest message first.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Maximum number of rows per page.
            unread: Only conversations with unread messages, or only those without.
            since: Only conversations with a message since then.
            q: Searches messages and names.

        Error codes beside the common ones: `not_supported`.

        """
        call: Call[ConversationPage] = Call(
            method="GET",
            path=fill("/accounts/{}/conversations", account_id),
            returns=ConversationPage,
            query=pack_query({"limit": limit, "unread": unread, "since": since, "q": q}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        account_id: str,
        conversation_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ConversationDetail:
        """Return a conversation, newest message first. Older messages are fetched from platforms that keep a history.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.
            limit: Maximum number of rows per page.
            cursor: `nextCursor` of the previous page. Opaque.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConversationDetail] = Call(
            method="GET",
            path=fill("/accounts/{}/conversations/{}", account_id, conversation_id),
            returns=ConversationDetail,
            query=pack_query({"limit": limit, "cursor": cursor}),
        )
        return await self._client.send(call)

    async def delete(
        self,
        account_id: str,
        conversation_id: str,
    ) -> DeletionConfirmation:
        """Delete a conversation here: its messages, the person's name and number, and their files.

        They are also erased from stored events, from the runs of automations and from operations. What hooks already
        received, and what the platform keeps, is not affected: the person still sees the conversation. If the person
        writes again, that starts a new conversation. This works for disconnected accounts too.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.

        Error codes beside the common ones: `conversation_busy`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}/conversations/{}", account_id, conversation_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    async def mark_read(
        self,
        account_id: str,
        conversation_id: str,
        *,
        idempotency_key: str | None = None,
    ) -> ConversationRead:
        """Mark a conversation as read here. The person is not notified.

        To send a read receipt on WhatsApp, use `POST /accounts/{accountId}/whatsapp/send` with the type `read`.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The id of a conversation, `conv_…`.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`.

        """
        call: Call[ConversationRead] = Call(
            method="POST",
            path=fill("/accounts/{}/conversations/{}/read", account_id, conversation_id),
            returns=ConversationRead,
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncConversationsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncConversationsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.delete = async_raw(resource.delete)
        self.mark_read = async_raw(resource.mark_read)
