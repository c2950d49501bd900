# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Conversations with people, and the messages in them."""

from __future__ import annotations

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
from ..types import Message, MessageTemplateView, MessageTemplateViewPage


class MessagesResource(Resource):
    """Conversations with people, and the messages in them."""

    @cached_property
    def with_raw_response(self) -> MessagesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return MessagesResourceWithRawResponse(MessagesResource(RawSender(self._root), self._root))

    def send(
        self,
        account_id: str,
        *,
        conversation_id: str | None = None,
        to: str | None = None,
        text: str | None = None,
        media: Sequence[params.MessageFile] | Omit = OMIT,
        reply_to: str | None = None,
        quick_replies: Sequence[params.ReplyButton] | Omit = OMIT,
        buttons: Sequence[params.ReplyButton] | Omit = OMIT,
        options: params.NewMessageBodyOptions | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message: text or a file, with quick replies or buttons if the kind supports them.

        Send an `Idempotency-Key`: repeating the request with it never sends a second message. The response means that
        the platform accepted the message; its status then becomes `delivered` and `read` as the platform reports.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The conversation to write to, `conv_…`. Omit it if you send `to`.
            to: The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person.
            text: The text, or the caption of the file.
            media: The file to send, at most one.
            reply_to: The message to reply to: our id, or the platform's.
            quick_replies: Replies to tap, shown until the person writes. Not every kind of account supports them.
            buttons: Buttons below the text, on kinds of accounts that support them.
            options: See `messageOptions` of the kind in GET /platforms.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`, `window_closed`.

        """
        call: Call[Message] = Call(
            method="POST",
            path=fill("/accounts/{}/messages", account_id),
            returns=Message,
            body=pack(
                "NewMessageBody",
                {
                    "conversation_id": conversation_id,
                    "to": to,
                    "text": text,
                    "media": media,
                    "reply_to": reply_to,
                    "quick_replies": quick_replies,
                    "buttons": buttons,
                    "options": options,
                },
                without_none=("conversation_id", "to", "text", "reply_to"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def send_whatsapp(
        self,
        account_id: str,
        *,
        to: str,
        type: params.WhatsappMessageType,
        text: str | None = None,
        template: params.TemplateLike | None = None,
        media: params.MessageFile | None = None,
        location: params.Location | None = None,
        contacts: Sequence[params.ContactCard] | None = None,
        interactive: params.InteractiveMessage | None = None,
        reaction: params.NewReaction | None = None,
        read: params.ReadReceipt | None = None,
        reply_to: str | None = None,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send any WhatsApp message type, from a number connected by QR code or by Cloud API.

        More than 24 hours after the person's last message, the Cloud API only accepts templates. They are compared with
        the templates of the account first: `GET /accounts/{accountId}/whatsapp/templates` lists those.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            to: The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person.
            type: What to send. The field of that type is required; `image`, `video`, `audio`, `document` and `sticker`
                need `media`.
            text: The text, or the caption of a file.
            template: For `template`: which one, and the values of its placeholders.
            media: For files: which one.
            location: For `location`: the place to send.
            contacts: For `contacts`: the cards to send.
            interactive: For `interactive`: a text with buttons or a list.
            reaction: For `reaction`: which message, and the emoji.
            read: For `read`: marks messages of the person as read, and sends nothing.
            reply_to: The message to reply to: our id, or the platform's.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`, `window_closed`.

        """
        call: Call[Message] = Call(
            method="POST",
            path=fill("/accounts/{}/whatsapp/send", account_id),
            returns=Message,
            body=pack(
                "WhatsappMessage",
                {
                    "to": to,
                    "type": type,
                    "text": text,
                    "template": template,
                    "media": media,
                    "location": location,
                    "contacts": contacts,
                    "interactive": interactive,
                    "reaction": reaction,
                    "read": read,
                    "reply_to": reply_to,
                },
                without_none=(
                    "text",
                    "template",
                    "media",
                    "location",
                    "contacts",
                    "interactive",
                    "reaction",
                    "read",
                    "reply_to",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def templates(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        name: str | None = None,
    ) -> Pages[MessageTemplateView, MessageTemplateViewPage]:
        """List the templates of a WhatsApp number, live from WhatsApp. Those with the status `APPROVED` can be sent.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            name: Only the template with this name.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[MessageTemplateViewPage] = Call(
            method="GET",
            path=fill("/accounts/{}/whatsapp/templates", account_id),
            returns=MessageTemplateViewPage,
            query=pack_query({"limit": limit, "name": name}),
        )
        return Pages(self._client, call, "cursor")


class MessagesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: MessagesResource) -> None:
        self.send = raw(resource.send)
        self.send_whatsapp = raw(resource.send_whatsapp)
        self.templates = raw_page(resource.templates)


class AsyncMessagesResource(AsyncResource):
    """Conversations with people, and the messages in them."""

    @cached_property
    def with_raw_response(self) -> AsyncMessagesResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncMessagesResourceWithRawResponse(AsyncMessagesResource(AsyncRawSender(self._root), self._root))

    async def send(
        self,
        account_id: str,
        *,
        conversation_id: str | None = None,
        to: str | None = None,
        text: str | None = None,
        media: Sequence[params.MessageFile] | Omit = OMIT,
        reply_to: str | None = None,
        quick_replies: Sequence[params.ReplyButton] | Omit = OMIT,
        buttons: Sequence[params.ReplyButton] | Omit = OMIT,
        options: params.NewMessageBodyOptions | Omit = OMIT,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send a message: text or a file, with quick replies or buttons if the kind supports them.

        Send an `Idempotency-Key`: repeating the request with it never sends a second message. The response means that
        the platform accepted the message; its status then becomes `delivered` and `read` as the platform reports.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            conversation_id: The conversation to write to, `conv_…`. Omit it if you send `to`.
            to: The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person.
            text: The text, or the caption of the file.
            media: The file to send, at most one.
            reply_to: The message to reply to: our id, or the platform's.
            quick_replies: Replies to tap, shown until the person writes. Not every kind of account supports them.
            buttons: Buttons below the text, on kinds of accounts that support them.
            options: See `messageOptions` of the kind in GET /platforms.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`, `window_closed`.

        """
        call: Call[Message] = Call(
            method="POST",
            path=fill("/accounts/{}/messages", account_id),
            returns=Message,
            body=pack(
                "NewMessageBody",
                {
                    "conversation_id": conversation_id,
                    "to": to,
                    "text": text,
                    "media": media,
                    "reply_to": reply_to,
                    "quick_replies": quick_replies,
                    "buttons": buttons,
                    "options": options,
                },
                without_none=("conversation_id", "to", "text", "reply_to"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def send_whatsapp(
        self,
        account_id: str,
        *,
        to: str,
        type: params.WhatsappMessageType,
        text: str | None = None,
        template: params.TemplateLike | None = None,
        media: params.MessageFile | None = None,
        location: params.Location | None = None,
        contacts: Sequence[params.ContactCard] | None = None,
        interactive: params.InteractiveMessage | None = None,
        reaction: params.NewReaction | None = None,
        read: params.ReadReceipt | None = None,
        reply_to: str | None = None,
        idempotency_key: str | None = None,
    ) -> Message:
        """Send any WhatsApp message type, from a number connected by QR code or by Cloud API.

        More than 24 hours after the person's last message, the Cloud API only accepts templates. They are compared with
        the templates of the account first: `GET /accounts/{accountId}/whatsapp/templates` lists those.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            to: The recipient: a phone number in E.164 format on WhatsApp, otherwise the platform's id of the person.
            type: What to send. The field of that type is required; `image`, `video`, `audio`, `document` and `sticker`
                need `media`.
            text: The text, or the caption of a file.
            template: For `template`: which one, and the values of its placeholders.
            media: For files: which one.
            location: For `location`: the place to send.
            contacts: For `contacts`: the cards to send.
            interactive: For `interactive`: a text with buttons or a list.
            reaction: For `reaction`: which message, and the emoji.
            read: For `read`: marks messages of the person as read, and sends nothing.
            reply_to: The message to reply to: our id, or the platform's.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `malformed_json`, `needs_reconnection`, `not_supported`, `outcome_unknown`, `permission_missing`,
        `plan_limit_reached`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`, `storage_unavailable`, `too_many_fetches`,
        `unsupported_media_type`, `window_closed`.

        """
        call: Call[Message] = Call(
            method="POST",
            path=fill("/accounts/{}/whatsapp/send", account_id),
            returns=Message,
            body=pack(
                "WhatsappMessage",
                {
                    "to": to,
                    "type": type,
                    "text": text,
                    "template": template,
                    "media": media,
                    "location": location,
                    "contacts": contacts,
                    "interactive": interactive,
                    "reaction": reaction,
                    "read": read,
                    "reply_to": reply_to,
                },
                without_none=(
                    "text",
                    "template",
                    "media",
                    "location",
                    "contacts",
                    "interactive",
                    "reaction",
                    "read",
                    "reply_to",
                ),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    def templates(
        self,
        account_id: str,
        *,
        limit: int | None = None,
        name: str | None = None,
    ) -> AsyncPages[MessageTemplateView, MessageTemplateViewPage]:
        """List the templates of a WhatsApp number, live from WhatsApp. Those with the status `APPROVED` can be sent.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.
            name: Only the template with this name.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[MessageTemplateViewPage] = Call(
            method="GET",
            path=fill("/accounts/{}/whatsapp/templates", account_id),
            returns=MessageTemplateViewPage,
            query=pack_query({"limit": limit, "name": name}),
        )
        return AsyncPages(self._client, call, "cursor")


class AsyncMessagesResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncMessagesResource) -> None:
        self.send = async_raw(resource.send)
        self.send_whatsapp = async_raw(resource.send_whatsapp)
        self.templates = async_raw_page(resource.templates)
