"""The inbox: the conversations of all accounts in one list, one of them open, and replies to it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Annotated, Any, Literal

from msgspec import Meta

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.inbox.all_conversations import AllConversations, AllConversationsFilters
from socialgate.areas.inbox.schemas import (
    Conversation,
    Message,
    MessageFile,
    MessagesQuery,
    NewMessageBody,
    WhatsappMessage,
)
from socialgate.areas.inbox.sending import MessageOrigin, MessageSender
from socialgate.areas.inbox.service import InboxService
from socialgate.areas.inbox.template_schemas import TemplatesQuery
from socialgate.areas.inbox.templates import TemplateService
from socialgate.areas.media.schemas import MediaQuery
from socialgate.areas.media.service import MediaService
from socialgate.console.able_accounts import list_able_accounts
from socialgate.console.forms import read_form
from socialgate.console.message_templates import build_template, describe_template
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.media import get_own_address, is_previewed
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import Cursor, ListPageQuery, Visit
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.messages import MESSAGES_CAPABILITY
from socialgate.contracts.platforms import Kind
from socialgate.contracts.templates import MessageTemplateView
from socialgate.core.errors import NotFound, ServiceError
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import Page, RequestBody

INBOX_PATH = "/console/inbox"
THREAD_PATH = INBOX_PATH + "/{account_id:str}/{conversation_id:str}"
_CONVERSATIONS_PER_PAGE = 30
_MESSAGES_PER_PAGE = 40
_MAX_FILES = 12
_MAX_TEMPLATES = 100
# When little of a window is left, it is marked.
_CLOSING_SOON = timedelta(hours=4)
_FROM_CONSOLE = MessageOrigin(source="console")


class InboxPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Which conversations to list, and what is open beside the messages."""

    show: Literal["unread", "all"] = "all"
    account: Annotated[str, Meta(max_length=40)] | None = None
    kind: Kind | None = None
    text: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    before: Cursor | None = None
    panel: Literal["templates", "files"] | None = None
    template: Annotated[str, Meta(max_length=400)] | None = None
    file: Annotated[str, Meta(max_length=40)] | None = None


class ReplyForm(RequestBody, frozen=True, kw_only=True):
    """A reply: a text, a file of the library, or both."""

    text: Annotated[str, Meta(max_length=65_536)] | None = None
    media_id: Annotated[str, Meta(max_length=40)] | None = None
    reply_to: Annotated[str, Meta(max_length=300)] | None = None


@console_page(
    INBOX_PATH,
    "inbox.html",
    query=InboxPageQuery,
    entry=Entry(label="Inbox", icon="inbox", group=Group.WORK, key="i"),
)
async def inbox_page(
    visit: Visit, params: InboxPageQuery, everything: AllConversations, accounts: AccountService
) -> Values:
    return {**await _read_list(visit, params, everything, accounts), "open": None}


@console_page(THREAD_PATH, "inbox.html", query=InboxPageQuery)
async def thread_page(
    visit: Visit,
    account_id: str,
    conversation_id: str,
    params: InboxPageQuery,
    everything: AllConversations,
    accounts: AccountService,
    inbox: InboxService,
    library: MediaService,
    templates: TemplateService,
) -> Values:
    query = MessagesQuery(limit=_MESSAGES_PER_PAGE, cursor=params.before)
    open_one = await inbox.read(visit.work, account_id, conversation_id, query)
    account = await visit.work.read(accounts.get, visit.caller, account_id)
    shown = [*reversed(open_one.messages.data)]
    is_closed = open_one.window is not None and not open_one.window.open
    has_templates = open_one.kind == Kind.WHATSAPP_CLOUD
    lists_templates = has_templates and (is_closed or params.panel == "templates" or params.template is not None)
    listed = await _list_templates(visit, account_id, templates) if lists_templates else []
    chosen = next((item for item in listed if f"{item.name}|{item.language}" == params.template), None)
    return {
        **await _read_list(visit, params, everything, accounts),
        "open": open_one,
        "account": account,
        "sandbox_chat": visit.sandbox.find_page(
            account.platform, "chat", account=account.platform_account_id, person=open_one.contact.name
        ),
        "days": _group_by_day(visit, shown),
        "quoted": {message.msg_id: message for message in shown if message.msg_id},
        "attached": await visit.work.read(library.list_by_ids, visit.caller, _list_attached(shown)),
        "is_closed": is_closed,
        "is_closing": _is_closing_soon(open_one, visit.now),
        "has_templates": has_templates,
        "templates": [(item, describe_template(item)) for item in listed],
        "chosen_template": None if chosen is None else (chosen, describe_template(chosen)),
        "files": await _list_files(visit, params, library),
        "address_of": get_own_address,
        "is_previewed": is_previewed,
    }


@thread_page.form("reply", ReplyForm)
async def reply(
    visit: Visit, account_id: str, conversation_id: str, data: ReplyForm, sending: MessageSender, inbox: InboxService
) -> Outcome:
    message = NewMessageBody(
        conversation_id=conversation_id,
        text=data.text,
        media=[] if data.media_id is None else [MessageFile(media_id=data.media_id)],
        reply_to=data.reply_to,
    )
    await sending.send(visit.work, account_id, message, _FROM_CONSOLE)
    # Who answers has read.
    await inbox.mark_read(visit.work, account_id, conversation_id)
    return Done("Sent.", to=visit.here(before=None, panel=None, file=None))


@thread_page.form("template", None)
async def send_template(
    visit: Visit,
    request: AnyRequest,
    account_id: str,
    conversation_id: str,
    sending: MessageSender,
    inbox: InboxService,
    templates: TemplateService,
) -> Outcome:
    form = await read_form(request)
    visit.keep_form("template", form)
    name, language = form.value("name"), form.value("language")
    listed = (
        await templates.list(visit.work, account_id, TemplatesQuery(name=name or None, limit=MAX_PAGE_LIMIT))
    ).data
    known = next((item for item in listed if item.name == name and item.language == language), None)
    if known is None:
        raise NotFound("The account has no such template any more.")
    open_one = await inbox.read(visit.work, account_id, conversation_id, MessagesQuery(limit=1))
    message = WhatsappMessage(
        to=open_one.contact.phone or open_one.contact.id, type="template", template=build_template(known, form)
    )
    await sending.send_whatsapp(visit.work, account_id, message, _FROM_CONSOLE)
    await inbox.mark_read(visit.work, account_id, conversation_id)
    return Done("The template was sent.", to=visit.here(before=None, panel=None, template=None))


@thread_page.form("done")
async def mark_read(
    visit: Visit,
    account_id: str,
    conversation_id: str,
    params: InboxPageQuery,
    inbox: InboxService,
    everything: AllConversations,
) -> Outcome:
    """Mark the conversation as read, and open the next one of the list."""
    listed = await _list(visit, params, everything)
    ids = [conversation.id for conversation in listed.data]
    place = ids.index(conversation_id) + 1 if conversation_id in ids else 0
    following = next((item for item in listed.data[place:] if item.unread and item.id != conversation_id), None)
    await inbox.mark_read(visit.work, account_id, conversation_id)
    kept = _list_filters(params)
    if following is None:
        return Done("Marked as read.", to=visit.link(INBOX_PATH, **kept))
    path = f"{INBOX_PATH}/{following.account_id}/{following.id}"
    return Done("Marked as read. This is the next one.", to=visit.link(path, **kept))


async def _list(visit: Visit, params: InboxPageQuery, everything: AllConversations) -> Page[Conversation]:
    filters = AllConversationsFilters(
        profile_id=params.profile,
        account_id=params.account,
        kind=params.kind,
        unread=True if params.show == "unread" else None,
        text=params.text,
    )
    return await everything.list(visit.work, filters, limit=_CONVERSATIONS_PER_PAGE, cursor=params.cursor)


async def _read_list(
    visit: Visit, params: InboxPageQuery, everything: AllConversations, accounts: AccountService
) -> Values:
    listed = await _list(visit, params, everything)
    able = await list_able_accounts(visit, accounts, MESSAGES_CAPABILITY)
    return {
        "conversations": listed,
        "filters": _list_filters(params),
        "account_names": [(account.id, account.name) for account in able],
        "kind_names": [(kind, visit.kind_names[kind]) for kind in dict.fromkeys(str(item.kind) for item in able)],
        "is_filtered": any((params.account, params.kind, params.text, params.show != "all")),
        "inbox_path": INBOX_PATH,
        "name_of": get_person_name,
        "closing": {item.id for item in listed.data if _is_closing_soon(item, visit.now)},
    }


def _list_filters(params: InboxPageQuery) -> Mapping[str, Any]:
    """Return what limits the list, which stays in the address while conversations are opened."""
    return {
        "show": None if params.show == "all" else params.show,
        "account": params.account,
        "kind": params.kind,
        "text": params.text,
    }


async def _list_templates(visit: Visit, account_id: str, templates: TemplateService) -> Sequence[MessageTemplateView]:
    """List the templates that can be sent. If the platform does not answer, the page works without them."""
    try:
        listed = await templates.list(visit.work, account_id, TemplatesQuery(limit=_MAX_TEMPLATES))
    except (PlatformFailure, ServiceError):
        return []
    return [item for item in listed.data if item.status == "APPROVED"]


async def _list_files(visit: Visit, params: InboxPageQuery, library: MediaService) -> Sequence[Any]:
    if params.panel != "files" and params.file is None:
        return []
    return (await visit.work.read(library.list_media, visit.caller, MediaQuery(limit=_MAX_FILES))).data


def get_person_name(conversation: Conversation) -> str:
    contact = conversation.contact
    return contact.name or contact.username or contact.phone or contact.id


def _is_closing_soon(conversation: Conversation, now: datetime) -> bool:
    window = conversation.window
    return (
        window is not None and window.open and window.closes_at is not None and window.closes_at - now < _CLOSING_SOON
    )


def _group_by_day(visit: Visit, messages: Sequence[Message]) -> Sequence[tuple[datetime, Sequence[Message]]]:
    days = groupby(messages, key=lambda message: message.at.astimezone(visit.zone).date())
    return [(group[0].at, group) for group in ([*items] for _, items in days)]


def _list_attached(messages: Sequence[Message]) -> Sequence[str]:
    return [item.media_id for message in messages for item in message.attachments if item.media_id is not None]
