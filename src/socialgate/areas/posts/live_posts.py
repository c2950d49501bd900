"""The posts that a platform shows for an account, whoever published them."""

from socialgate.areas.accounts.reading import ListRead, LiveReads
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.posts.schemas import HistoryQuery
from socialgate.contracts.publishing import HISTORY, HistoryEntry
from socialgate.core.work import Work
from socialgate.web.paging import opaque, plain
from socialgate.web.schema import Page


class LivePostService:
    def __init__(self, reads: LiveReads, of_accounts: Accounts) -> None:
        self._reads = reads
        self._accounts = of_accounts

    async def list_page(self, work: Work, account_id: str, query: HistoryQuery) -> Page[HistoryEntry]:
        account = await work.read(self._accounts.find, work.caller, account_id)
        cursor = plain(query.cursor, account_id)
        read = ListRead(
            name="history",
            params=(cursor,),
            limit=query.limit,
            capability=HISTORY,
            lacks="has no readable history",
            call=lambda part, held, rows: part.history(held, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(data=[*page.items], next_cursor=opaque(page.cursor, account_id))
