"""Watching calendars: a notification says that something changed, and the calendar's sync token lists the changes.

Notifications can get lost, and none are sent while a channel is down, so changes are also read every hour. If a token
has expired, or there never was one, the changes are unknown: anything may have changed.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

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
from socialgate.contracts.failures import PlatformFailure, SyncExpired
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import between
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.queue import Claimed, Outcome
from socialgate.core.jobs.runner import Runner

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
_CANCELLED = "cancelled"

log = structlog.get_logger(__name__)


class Changes(msgspec.Struct, frozen=True, kw_only=True):
    """What was read: the changed events, and the token to continue from."""

    events: Sequence[EventChanged]
    sync_token: str | None


class CalendarSync:
    def __init__(self, db: Database, session: AccountSession, catalogue: Catalogue, subscriber: Subscriber) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._subscriber = subscriber
        runner = Runner(db, SYNCS, self._sync, hint=_HINT, at_once=_AT_ONCE, batch=_AT_ONCE)
        self.run = runner.run
        self.stop = runner.stop

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
        await store.touch(tx, account.owner_id, account.id)

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
            found = await self._changes(account, claimed.row.sync_token)
        except (PlatformFailure, PlatformNotConfigured) as failure:
            log.info("calendar_not_synced", platform=account.platform, code=failure.code, detail=failure.detail)
            await self._db.write(self._postpone, claimed, failure.retry_after)
        else:
            await self._db.write(self._settle, claimed, account, found)

    async def _changes(self, account: AccountRow, token: str | None) -> Changes:
        if token is not None:
            try:
                return await self._read(account, EventQuery(limit=_ROWS, sync_token=token))
            except SyncExpired:
                log.info("calendar_resync", platform=account.platform, account_id=account.id)
        found = await self._read(account, EventQuery(limit=_ROWS, tokens_only=True))
        return msgspec.structs.replace(found, events=[EventChanged(event_id=None)])

    async def _read(self, account: AccountRow, query: EventQuery) -> Changes:
        """Read to the last page: only that has the token."""
        part = self._session.part(account, CALENDAR, LACKS)
        events: list[EventChanged] = []
        for _ in range(_MOST_PAGES):
            page = await self._session.call_as(account, partial(_list, part, query))
            events += [EventChanged(event_id=one.id, deleted=one.status == _CANCELLED) for one in page.items]
            if page.cursor is None:
                return Changes(events=events, sync_token=page.sync_token)
            query = msgspec.structs.replace(query, cursor=page.cursor)
        return Changes(events=events, sync_token=None)

    async def _settle(self, tx: Tx, claimed: Claimed[CalendarSyncRow], account: AccountRow, found: Changes) -> None:
        """Report each change, in the same transaction that stores the next token."""
        now = await store.find_for_change(tx, account.owner_id, account.id)
        noticed_since = now is not None and now.notices > claimed.row.notices
        due_at = tx.now + (_TOGETHER if noticed_since else SYNCED_EVERY * between(0.9, 1.1))
        values = {"sync_token": found.sync_token, "synced_at": tx.now, "tries": 0}
        [kept] = await SYNCS.settle(tx, [Outcome(claimed=claimed, values=values, due_at=due_at)])
        if kept:
            for event in found.events:
                await tx.tell(event, account)
            await self._subscriber.ensure(tx, account)

    async def _postpone(self, tx: Tx, claimed: Claimed[CalendarSyncRow], wait: int | None) -> None:
        tries = claimed.row.tries
        due_at: datetime = tx.now + _RETRY.after(tries, at_least=timedelta(seconds=wait or 0))
        await SYNCS.settle(tx, [Outcome(claimed=claimed, values={"tries": tries + 1}, due_at=due_at)])


async def _list(part: CalendarEvents, query: EventQuery, held: AccountCredentials) -> EventPage:
    return await part.list(held, query)
