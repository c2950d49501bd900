from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.inbox.erasing import ConversationEraser
from socialgate.areas.inbox.schemas import (
    Conversation,
    ConversationDetail,
    ConversationRead,
    ConversationsQuery,
    Message,
    MessagesQuery,
    NewMessageBody,
    WhatsappMessage,
)
from socialgate.areas.inbox.sending import MessageSender, WindowClosedError
from socialgate.areas.inbox.service import InboxService
from socialgate.areas.inbox.template_schemas import TemplatesQuery
from socialgate.areas.inbox.templates import TemplateService
from socialgate.areas.media.fetching import TooManyFetchesError
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.messages import ConversationBusy
from socialgate.contracts.templates import MessageTemplateView
from socialgate.core.errors import NotFound, StorageUnavailable
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page

TAG = RouteTag("Messages", "Conversations with people, and the messages in them.")
_METERED_METRICS = (UsageMetric.MESSAGES_SENT, UsageMetric.UPLOAD_BYTES)
_SEND_ERRORS = (
    NotFound,
    NotSupportedError,
    WindowClosedError,
    TooManyFetchesError,
    StorageUnavailable,
    *OPERATION_ERRORS,
)


@route(
    "GET",
    "/accounts/{account_id:str}/conversations",
    sdk="conversations.list",
    tag=TAG,
    query=ConversationsQuery,
    raises=(NotFound, NotSupportedError),
)
async def list_conversations(
    account_id: str, params: ConversationsQuery, work: UnitOfWork, inbox: InboxService
) -> Page[Conversation]:
    """List the conversations of an account, the one with the newest message first."""
    return await inbox.list(work, account_id, params)


@route(
    "GET",
    "/accounts/{account_id:str}/conversations/{conversation_id:str}",
    sdk="conversations.get",
    tag=TAG,
    query=MessagesQuery,
    raises=(NotFound, NotSupportedError, *LIVE_READ_ERRORS),
)
async def read_conversation(
    account_id: str, conversation_id: str, params: MessagesQuery, work: UnitOfWork, inbox: InboxService
) -> ConversationDetail:
    """Return a conversation, newest message first. Older messages are fetched from platforms that keep a history."""
    return await inbox.read(work, account_id, conversation_id, params)


@route(
    "DELETE",
    "/accounts/{account_id:str}/conversations/{conversation_id:str}",
    sdk="conversations.delete",
    tag=TAG,
    raises=(NotFound, ConversationBusy),
    example=DeletionConfirmation.example_of("conv"),
)
async def delete_conversation(
    account_id: str, conversation_id: str, work: UnitOfWork, erasure: ConversationEraser
) -> DeletionConfirmation:
    """Delete a conversation here: its messages, the person's name and number, and their files.

    They are also erased from stored events, from the runs of automations and from operations. What hooks already
    received, and what the platform keeps, is not affected: the person still sees the conversation. If the person writes
    again, that starts a new conversation. This works for disconnected accounts too.
    """
    return await erasure.delete(work, account_id, conversation_id)


@route(
    "POST",
    "/accounts/{account_id:str}/conversations/{conversation_id:str}/read",
    sdk="conversations.mark_read",
    tag=TAG,
    status=200,
    raises=(NotFound,),
)
async def mark_conversation_read(
    account_id: str, conversation_id: str, work: UnitOfWork, inbox: InboxService
) -> ConversationRead:
    """Mark a conversation as read here. The person is not notified.

    To send a read receipt on WhatsApp, use `POST /accounts/{accountId}/whatsapp/send` with the type `read`.
    """
    return await inbox.mark_read(work, account_id, conversation_id)


@route(
    "POST",
    "/accounts/{account_id:str}/messages",
    sdk="messages.send",
    tag=TAG,
    raises=_SEND_ERRORS,
    meters=_METERED_METRICS,
)
async def send_message(account_id: str, data: NewMessageBody, work: UnitOfWork, sending: MessageSender) -> Message:
    """Send a message: text or a file, with quick replies or buttons if the kind supports them.

    Send an `Idempotency-Key`: repeating the request with it never sends a second message. The response means that the
    platform accepted the message; its status then becomes `delivered` and `read` as the platform reports.
    """
    return await sending.send(work, account_id, data)


@route(
    "POST",
    "/accounts/{account_id:str}/whatsapp/send",
    sdk="messages.send_whatsapp",
    tag=TAG,
    raises=_SEND_ERRORS,
    meters=_METERED_METRICS,
)
async def send_whatsapp(account_id: str, data: WhatsappMessage, work: UnitOfWork, sending: MessageSender) -> Message:
    """Send any WhatsApp message type, from a number connected by QR code or by Cloud API.

    More than 24 hours after the person's last message, the Cloud API only accepts templates. They are compared with the
    templates of the account first: `GET /accounts/{accountId}/whatsapp/templates` lists those.
    """
    return await sending.send_whatsapp(work, account_id, data)


@route(
    "GET",
    "/accounts/{account_id:str}/whatsapp/templates",
    sdk="messages.templates",
    tag=TAG,
    query=TemplatesQuery,
    raises=(NotFound, NotSupportedError, *LIVE_READ_ERRORS),
)
async def list_whatsapp_templates(
    account_id: str, params: TemplatesQuery, work: UnitOfWork, templates: TemplateService
) -> Page[MessageTemplateView]:
    """List the templates of a WhatsApp number, live from WhatsApp. Those with the status `APPROVED` can be sent."""
    return await templates.list(work, account_id, params)


routes = [
    list_conversations,
    read_conversation,
    delete_conversation,
    mark_conversation_read,
    send_message,
    send_whatsapp,
    list_whatsapp_templates,
]
