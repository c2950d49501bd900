"""Everything that an owner has here, as one file to download: a line of JSON for each object, as the API shows it."""

from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import msgspec

from socialgate.areas.accounts.schemas import AccountsQuery, AdAccountsQuery
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.automations.schemas import AutomationsQuery
from socialgate.areas.automations.service import AutomationService
from socialgate.areas.generation.schemas import GenerationsQuery
from socialgate.areas.generation.service import GenerationService
from socialgate.areas.hooks.service import HookService
from socialgate.areas.identity.keys import ApiKeyService
from socialgate.areas.identity.service import IdentityService
from socialgate.areas.inbox.all_conversations import AllConversations, AllConversationsFilters
from socialgate.areas.inbox.schemas import Conversation, MessagesQuery
from socialgate.areas.inbox.service import InboxService
from socialgate.areas.leads.schemas import LeadsQuery
from socialgate.areas.leads.service import LeadService
from socialgate.areas.media.schemas import MediaQuery
from socialgate.areas.media.service import MediaService
from socialgate.areas.posts.schemas import PostsQuery
from socialgate.areas.posts.service import PostService
from socialgate.areas.profiles.service import ProfileService
from socialgate.contracts.leads import LEADS_CAPABILITY
from socialgate.core.errors import ServiceError
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import MAX_PAGE_LIMIT, ListQuery
from socialgate.web.schemas import Page

ReadPage = Callable[[str | None], Awaitable[Page[Any]]]


class DataExport:
    """Reads the lists of the API to their ends, page by page, so that it needs little memory."""

    def __init__(
        self,
        *,
        identity: IdentityService,
        profiles: ProfileService,
        accounts: AccountService,
        posts: PostService,
        library: MediaService,
        everything: AllConversations,
        inbox: InboxService,
        leads: LeadService,
        automations: AutomationService,
        generations: GenerationService,
        hooks: HookService,
        api_keys: ApiKeyService,
    ) -> None:
        self._identity = identity
        self._profiles = profiles
        self._accounts = accounts
        self._posts = posts
        self._library = library
        self._conversations = everything
        self._inbox = inbox
        self._leads = leads
        self._automations = automations
        self._generations = generations
        self._hooks = hooks
        self._api_keys = api_keys

    async def stream(self, work: UnitOfWork) -> AsyncIterator[bytes]:
        """Write everything. A list that cannot be read to its end has a line that says so."""
        yield _write("me", await work.read(self._identity.describe_caller, work.caller))
        for name, read_page in self._list_lists(work).items():
            async for line in _write_list(name, read_page):
                yield line
        async for line in self._write_conversations(work):
            yield line
        async for line in self._write_leads(work):
            yield line

    def _list_lists(self, work: UnitOfWork) -> dict[str, ReadPage]:
        most = MAX_PAGE_LIMIT

        def read(unit: Callable[..., Awaitable[Page[Any]]], build: Callable[[str | None], Any]) -> ReadPage:
            return lambda cursor: work.read(unit, work.caller, build(cursor))

        return {
            "profile": read(self._profiles.list, lambda cursor: ListQuery(limit=most, cursor=cursor)),
            "account": read(self._accounts.list, lambda cursor: AccountsQuery(limit=most, cursor=cursor)),
            "adAccount": read(
                self._accounts.list_ad_accounts, lambda cursor: AdAccountsQuery(limit=most, cursor=cursor)
            ),
            "post": read(self._posts.list, lambda cursor: PostsQuery(limit=most, cursor=cursor)),
            "media": read(self._library.list_media, lambda cursor: MediaQuery(limit=most, cursor=cursor)),
            "automation": read(self._automations.list, lambda cursor: AutomationsQuery(limit=most, cursor=cursor)),
            "generation": read(self._generations.list, lambda cursor: GenerationsQuery(limit=most, cursor=cursor)),
            "hook": read(self._hooks.list, lambda cursor: ListQuery(limit=most, cursor=cursor)),
            "apiKey": lambda cursor: work.read(
                self._api_keys.list, work.caller.owner_id, ListQuery(limit=most, cursor=cursor)
            ),
        }

    async def _write_conversations(self, work: UnitOfWork) -> AsyncIterator[bytes]:
        filters = AllConversationsFilters()

        async def read_page(cursor: str | None) -> Page[Any]:
            return await self._conversations.list(work, filters, limit=MAX_PAGE_LIMIT, cursor=cursor)

        async for conversation in _read_all(read_page):
            if isinstance(conversation, bytes):
                yield conversation
                continue
            yield _write("conversation", conversation)
            async for line in _write_list("message", self._read_messages(work, conversation)):
                yield line

    def _read_messages(self, work: UnitOfWork, conversation: Conversation) -> ReadPage:
        async def read_page(cursor: str | None) -> Page[Any]:
            query = MessagesQuery(limit=MAX_PAGE_LIMIT, cursor=cursor)
            return (await self._inbox.read(work, conversation.account_id, conversation.id, query)).messages

        return read_page

    async def _write_leads(self, work: UnitOfWork) -> AsyncIterator[bytes]:
        lists = self._list_lists(work)
        for name in ("account", "adAccount"):
            async for account in _read_all(lists[name]):
                if not isinstance(account, bytes) and LEADS_CAPABILITY.name in account.capabilities:
                    async for line in _write_list("lead", self._read_leads(work, account.id)):
                        yield line

    def _read_leads(self, work: UnitOfWork, account_id: str) -> ReadPage:
        return lambda cursor: self._leads.list(work, account_id, LeadsQuery(limit=MAX_PAGE_LIMIT, cursor=cursor))


async def _write_list(name: str, read_page: ReadPage) -> AsyncIterator[bytes]:
    async for item in _read_all(read_page):
        yield item if isinstance(item, bytes) else _write(name, item)


async def _read_all(read_page: ReadPage) -> AsyncIterator[Any]:
    """Give the items of a list, or a line with the reason why it ends early."""
    cursor: str | None = None
    while True:
        try:
            page = await read_page(cursor)
        except ServiceError as failure:
            yield _write("incomplete", {"detail": failure.detail})
            return
        for item in page.data:
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return


def _write(name: str, data: object) -> bytes:
    return msgspec.json.encode({"type": name, "data": data}) + b"\n"
