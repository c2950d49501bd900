"""The posts that a platform shows for an account, whoever published them."""

from socialgate.areas.accounts.live_reads import ListRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.posts.schemas import HistoryQuery
from socialgate.contracts.publishing import POST_HISTORY_CAPABILITY, HistoryEntry
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import unwrap_platform_cursor, wrap_platform_cursor
from socialgate.web.schemas import Page


class LivePostService:
    def __init__(self, reads: LiveReads, of_accounts: AccountService) -> None:
        self._reads = reads
        self._accounts = of_accounts

    async def list_page(self, work: UnitOfWork, account_id: str, query: HistoryQuery) -> Page[HistoryEntry]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        cursor = unwrap_platform_cursor(query.cursor, account_id)
        read = ListRead(
            name="history",
            params=(cursor,),
            limit=query.limit,
            capability=POST_HISTORY_CAPABILITY,
            lacks="has no readable history",
            call=lambda part, credentials, rows: part.list_live_posts(credentials, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(data=[*page.items], next_cursor=wrap_platform_cursor(page.cursor, account_id))
