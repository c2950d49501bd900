"""Watching calendars: a notification says that something changed, and the calendar's sync token lists the changes.

Notifications can get lost, and none are sent while a channel is down, so changes are also read every hour. If a token
has expired, or there never was one, the changes are unknown: anything may have changed.

Each page of changes is reported in its own transaction, which also stores the cursor of the next page: other writers
never wait for more than one page, and a round that was interrupted continues where it ended, so that every change is
reported once. The next token is stored with the last page.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfigured
from socialgate.areas.accounts.subscribing import Subscriber
from socialgate.areas.calendar import store
from socialgate.areas.calendar.store import SYNCS
from socialgate.areas.calendar.tables import CalendarSyncRow
from socialgate.contracts.accounts import AccountRow, AccountStatus, NowConnected
from socialgate.contracts.calendar import CALENDAR, CalendarEvents, CalendarNoticed, EventChanged, EventPage, EventQuery
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure, Rejected, SyncExpired
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jitter import between
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import ClaimLost, Runner

LACKS = "has no calendar"
SYNCED_EVERY = timedelta(hours=1)
_HINT = "calendars"
_AT_ONCE = 20
_ROWS = 250
_MOST_PAGES = 400
# The first token takes the most calls, and is not needed immediately.
_FIRST_AFTER = (60.0, 300.0)
# Moving a series causes a burst of notifications.
_TOGETHER = timedelta(seconds=1)
_RETRY = Backoff(first=timedelta(seconds=30), longest=timedelta(hours=6))
# After so many failures in a row, the last of them at the page it began with, that page is not asked for again.
_PATIENCE = 4
_CANCELLED = "cancelled"

log = structlog.get_logger(__name__)


class CalendarSync:
    def __init__(self, db: Database, session: AccountSession, catalogue: Catalogue, registrar: Subscriber) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._registrar = registrar
        self._runner = Runner(db, SYNCS, self._sync, hint=_HINT, at_once=_AT_ONCE, batch=_AT_ONCE)
        self.run = self._runner.run
        self.stop = self._runner.stop

    async def connected(self, tx: Tx, fact: NowConnected, account: AccountRow) -> None:
        del fact
        manifest = self._catalogue.manifests[Platform(account.platform)].of(Kind(account.kind))
        if CALENDAR in manifest.capabilities:
            due_at = tx.now + timedelta(seconds=between(*_FIRST_AFTER))
            await store.begin(tx, account.owner_id, account.id, due_at)

    async def noticed(self, tx: Tx, fact: CalendarNoticed, concerned: Sequence[AccountRow]) -> None:
        del fact
        for account in concerned:
            await store.note(tx, account.owner_id, account.id, tx.now + _TOGETHER)
        tx.wake(_HINT)

    async def changed(self, tx: Tx, fact: EventChanged, account: AccountRow) -> None:
        del fact
        store.touch(tx, account.owner_id, account.id)

    async def _sync(self, claimed: Claimed[CalendarSyncRow]) -> None:
        row = claimed.row
        account = await self._db.read(accounts.find_account, row.owner_id, row.account_id)
        if account is None:
            await self._db.write(store.delete, row.owner_id, row.account_id)
        elif account.status is not AccountStatus.CONNECTED:
            due_at = self._db.clock.now() + SYNCED_EVERY
            await self._db.write(SYNCS.settle, [Outcome(claimed=claimed, due_at=due_at)])
        else:
            await self._go_on(claimed, account)

    async def _go_on(self, claimed: Claimed[CalendarSyncRow], account: AccountRow) -> None:
        try:
            await self._follow(claimed, account)
        except (PlatformFailure, PlatformNotConfigured) as failure:
            log.info("calendar_not_synced", platform=account.platform, code=failure.code, detail=failure.detail)
            await self._db.write(self._postpone, claimed, failure)

    async def _follow(self, claimed: Claimed[CalendarSyncRow], account: AccountRow) -> None:
        if claimed.row.sync_token is not None:
            try:
                await self._report(claimed, account, claimed.row.sync_token)
            except SyncExpired:
                log.info("calendar_resync", platform=account.platform, account_id=account.id)
            else:
                return
        token = await self._new_token(account)
        await self._db.write(self._settle, claimed, account, [EventChanged(event_id=None)], token)

    async def _report(self, claimed: Claimed[CalendarSyncRow], account: AccountRow, token: str) -> None:
        """Report the changes page by page, from the page at which the previous attempt ended."""
        query = EventQuery(limit=_ROWS, sync_token=token, cursor=claimed.row.cursor)
        for _ in range(_MOST_PAGES):
            page = await self._page(account, query)
            events = [EventChanged(event_id=one.id, deleted=one.status == _CANCELLED) for one in page.items]
            if page.cursor is None:
                await self._db.write(self._settle, claimed, account, events, page.sync_token)
                return
            stops = self._runner.stopping.is_set()
            await self._db.write(self._step, claimed, account, events, page.cursor, release=stops)
            if stops:
                return
            query = msgspec.structs.replace(query, cursor=page.cursor)
        await self._db.write(self._settle, claimed, account, [], None)

    async def _new_token(self, account: AccountRow) -> str | None:
        """List the calendar without its events to the last page: only that has the token."""
        query = EventQuery(limit=_ROWS, tokens_only=True)
        for _ in range(_MOST_PAGES):
            page = await self._page(account, query)
            if page.cursor is None:
                return page.sync_token
            query = msgspec.structs.replace(query, cursor=page.cursor)
        return None

    async def _page(self, account: AccountRow, query: EventQuery) -> EventPage:
        part = self._session.part(account, CALENDAR, LACKS)
        return await self._session.call_as(account, partial(_list, part, query))

    async def _step(
        self,
        tx: Tx,
        claimed: Claimed[CalendarSyncRow],
        account: AccountRow,
        events: Sequence[EventChanged],
        cursor: str,
        *,
        release: bool,
    ) -> None:
        """Report the changes of a page, in the same transaction that stores where to continue."""
        outcome = Outcome(claimed=claimed, values={"cursor": cursor}, release=release, due_at=tx.now)
        [kept] = await SYNCS.settle(tx, [outcome])
        if not kept:
            raise ClaimLost
        for event in events:
            await tx.tell(event, account)

    async def _settle(
        self,
        tx: Tx,
        claimed: Claimed[CalendarSyncRow],
        account: AccountRow,
        events: Sequence[EventChanged],
        sync_token: str | None,
    ) -> None:
        """Report the changes of the last page, in the same transaction that stores the next token."""
        now = await store.find_for_change(tx, account.owner_id, account.id)
        # What a notification was about that arrived before a round was resumed may not be on the pages of the round.
        is_resumed = claimed.row.cursor is not None
        noticed_since = now is not None and now.notices > claimed.row.notices
        due_at = tx.now + (_TOGETHER if noticed_since or is_resumed else SYNCED_EVERY * between(0.9, 1.1))
        values = {"sync_token": sync_token, "cursor": None, "synced_at": tx.now, "tries": 0}
        [kept] = await SYNCS.settle(tx, [Outcome(claimed=claimed, values=values, due_at=due_at)])
        if not kept:
            raise ClaimLost
        for event in events:
            await tx.tell(event, account)
        await self._registrar.ensure(tx, account)

    async def _postpone(self, tx: Tx, claimed: Claimed[CalendarSyncRow], failure: ServiceError) -> None:
        row = claimed.row
        tries, now = row.tries, await store.find_for_change(tx, row.owner_id, row.account_id)
        due_at: datetime = tx.now + _RETRY.after(tries, at_least=timedelta(seconds=failure.retry_after or 0))
        values: dict[str, Any] = {"tries": tries + 1}
        is_stuck = tries + 1 >= _PATIENCE and now is not None and now.cursor == row.cursor
        if is_stuck or isinstance(failure, Rejected):
            # It may be the cursor that is no longer accepted. To report a change again does no harm.
            values["cursor"] = None
        await SYNCS.settle(tx, [Outcome(claimed=claimed, values=values, due_at=due_at)])


async def _list(part: CalendarEvents, query: EventQuery, held: AccountCredentials) -> EventPage:
    return await part.list(held, query)
