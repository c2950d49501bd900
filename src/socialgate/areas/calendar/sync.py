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
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfiguredError
from socialgate.areas.accounts.webhook_registration import WebhookRegistrar
from socialgate.areas.calendar import store
from socialgate.areas.calendar.store import CALENDAR_SYNC_QUEUE
from socialgate.areas.calendar.tables import CalendarSyncRow
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountActivated, AccountRow, AccountStatus
from socialgate.contracts.calendar import (
    CALENDAR_CAPABILITY,
    CalendarAdapter,
    CalendarEventChanged,
    CalendarNoticed,
    EventPage,
    EventQuery,
)
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PlatformFailure, PlatformRejectedError, SyncTokenExpiredError
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.jitter import random_between
from socialgate.core.jobs.backoff import Backoff
from socialgate.core.jobs.queue import ClaimedRow, RowOutcome
from socialgate.core.jobs.runner import ClaimLost, QueueRunner

NO_CALENDAR_PHRASE = "has no calendar"
SYNC_INTERVAL = timedelta(hours=1)
_WAKE_TOPIC = "calendars"
_MAX_CONCURRENT_SYNCS = 20
_PAGE_SIZE = 250
_MAX_PAGES = 400
# The first token takes the most calls, and is not needed immediately.
_FIRST_DELAY_SECONDS = (60.0, 300.0)
# Moving a series causes a burst of notifications.
_DEBOUNCE_DELAY = timedelta(seconds=1)
_RETRY_BACKOFF = Backoff(initial_delay=timedelta(seconds=30), max_delay=timedelta(hours=6))
# After so many failures in a row, the last of them at the page it began with, that page is not asked for again.
_MAX_TRIES_AT_CURSOR = 4
_CANCELLED_STATUS = "cancelled"

log = structlog.get_logger(__name__)


class CalendarSync:
    def __init__(
        self, db: Database, session: AccountSession, catalogue: ConnectorRegistry, registrar: WebhookRegistrar
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._registrar = registrar
        self._runner = QueueRunner(
            db,
            CALENDAR_SYNC_QUEUE,
            self._sync_calendar,
            hint=_WAKE_TOPIC,
            max_concurrent=_MAX_CONCURRENT_SYNCS,
            max_claims_per_round=_MAX_CONCURRENT_SYNCS,
        )
        self.run = self._runner.run
        self.stop = self._runner.stop

    async def handle_connected(self, tx: Tx, fact: AccountActivated, account: AccountRow) -> None:
        del fact
        manifest = self._catalogue.manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind))
        if CALENDAR_CAPABILITY in manifest.capabilities:
            due_at = tx.now + timedelta(seconds=random_between(*_FIRST_DELAY_SECONDS))
            await store.start_sync(tx, account.owner_id, account.id, due_at)

    async def handle_notification(self, tx: Tx, fact: CalendarNoticed, accounts: Sequence[AccountRow]) -> None:
        del fact
        for account in accounts:
            await store.record_notification(tx, account.owner_id, account.id, tx.now + _DEBOUNCE_DELAY)
        tx.wake_on_commit(_WAKE_TOPIC)

    async def handle_event_changed(self, tx: Tx, fact: CalendarEventChanged, account: AccountRow) -> None:
        del fact
        store.schedule_version_increment(tx, account.owner_id, account.id)

    async def _sync_calendar(self, claimed: ClaimedRow[CalendarSyncRow]) -> None:
        row = claimed.row
        account = await self._db.read(accounts.find_account, row.owner_id, row.account_id)
        if account is None:
            await self._db.write(store.delete_calendar_sync, row.owner_id, row.account_id)
        elif account.status is not AccountStatus.CONNECTED:
            due_at = self._db.clock.now() + SYNC_INTERVAL
            await self._db.write(CALENDAR_SYNC_QUEUE.write_outcomes, [RowOutcome(claimed=claimed, due_at=due_at)])
        else:
            await self._sync_or_postpone(claimed, account)

    async def _sync_or_postpone(self, claimed: ClaimedRow[CalendarSyncRow], account: AccountRow) -> None:
        try:
            await self._sync_account(claimed, account)
        except (PlatformFailure, PlatformNotConfiguredError) as failure:
            log.info("calendar_not_synced", platform=account.platform, code=failure.code, detail=failure.detail)
            await self._db.write(self._postpone_sync, claimed, failure)

    async def _sync_account(self, claimed: ClaimedRow[CalendarSyncRow], account: AccountRow) -> None:
        if claimed.row.sync_token is not None:
            try:
                await self._report_changes(claimed, account, claimed.row.sync_token)
            except SyncTokenExpiredError:
                log.info("calendar_resync", platform=account.platform, account_id=account.id)
            else:
                return
        token = await self._fetch_sync_token(account)
        await self._db.write(self._save_last_page, claimed, account, [CalendarEventChanged(event_id=None)], token)

    async def _report_changes(self, claimed: ClaimedRow[CalendarSyncRow], account: AccountRow, token: str) -> None:
        """Report the changes page by page, from the page at which the previous attempt ended."""
        query = EventQuery(limit=_PAGE_SIZE, sync_token=token, cursor=claimed.row.cursor)
        for _ in range(_MAX_PAGES):
            page = await self._fetch_page(account, query)
            events = [
                CalendarEventChanged(event_id=item.id, deleted=item.status == _CANCELLED_STATUS) for item in page.items
            ]
            if page.cursor is None:
                await self._db.write(self._save_last_page, claimed, account, events, page.sync_token)
                return
            stops = self._runner.stopping.is_set()
            await self._db.write(self._save_page, claimed, account, events, page.cursor, release=stops)
            if stops:
                return
            query = msgspec.structs.replace(query, cursor=page.cursor)
        await self._db.write(self._save_last_page, claimed, account, [], None)

    async def _fetch_sync_token(self, account: AccountRow) -> str | None:
        """List the calendar without its events to the last page: only that has the token."""
        query = EventQuery(limit=_PAGE_SIZE, tokens_only=True)
        for _ in range(_MAX_PAGES):
            page = await self._fetch_page(account, query)
            if page.cursor is None:
                return page.sync_token
            query = msgspec.structs.replace(query, cursor=page.cursor)
        return None

    async def _fetch_page(self, account: AccountRow, query: EventQuery) -> EventPage:
        part = self._session.get_adapter(account, CALENDAR_CAPABILITY, NO_CALENDAR_PHRASE)
        return await self._session.call_for_account(account, partial(_call_list, part, query))

    async def _save_page(
        self,
        tx: Tx,
        claimed: ClaimedRow[CalendarSyncRow],
        account: AccountRow,
        events: Sequence[CalendarEventChanged],
        cursor: str,
        *,
        release: bool,
    ) -> None:
        """Report the changes of a page, in the same transaction that stores where to continue."""
        outcome = RowOutcome(claimed=claimed, values={"cursor": cursor}, release=release, due_at=tx.now)
        [kept] = await CALENDAR_SYNC_QUEUE.write_outcomes(tx, [outcome])
        if not kept:
            raise ClaimLost
        for event in events:
            await tx.publish_fact(event, account)

    async def _save_last_page(
        self,
        tx: Tx,
        claimed: ClaimedRow[CalendarSyncRow],
        account: AccountRow,
        events: Sequence[CalendarEventChanged],
        sync_token: str | None,
    ) -> None:
        """Report the changes of the last page, in the same transaction that stores the next token."""
        now = await store.find_calendar_sync_for_change(tx, account.owner_id, account.id)
        # What a notification was about that arrived before a round was resumed may not be on the pages of the round.
        is_resumed = claimed.row.cursor is not None
        noticed_since = now is not None and now.notices > claimed.row.notices
        due_at = tx.now + (_DEBOUNCE_DELAY if noticed_since or is_resumed else SYNC_INTERVAL * random_between(0.9, 1.1))
        values = {"sync_token": sync_token, "cursor": None, "synced_at": tx.now, "tries": 0}
        [kept] = await CALENDAR_SYNC_QUEUE.write_outcomes(
            tx, [RowOutcome(claimed=claimed, values=values, due_at=due_at)]
        )
        if not kept:
            raise ClaimLost
        for event in events:
            await tx.publish_fact(event, account)
        await self._registrar.ensure_scheduled(tx, account)

    async def _postpone_sync(self, tx: Tx, claimed: ClaimedRow[CalendarSyncRow], failure: ServiceError) -> None:
        row = claimed.row
        tries, now = row.tries, await store.find_calendar_sync_for_change(tx, row.owner_id, row.account_id)
        due_at: datetime = tx.now + _RETRY_BACKOFF.get_delay(
            tries, min_delay=timedelta(seconds=failure.retry_after or 0)
        )
        values: dict[str, Any] = {"tries": tries + 1}
        is_stuck = tries + 1 >= _MAX_TRIES_AT_CURSOR and now is not None and now.cursor == row.cursor
        if is_stuck or isinstance(failure, PlatformRejectedError):
            # It may be the cursor that is no longer accepted. To report a change again does no harm.
            values["cursor"] = None
        await CALENDAR_SYNC_QUEUE.write_outcomes(tx, [RowOutcome(claimed=claimed, values=values, due_at=due_at)])


async def _call_list(part: CalendarAdapter, query: EventQuery, credentials: AccountCredentials) -> EventPage:
    return await part.list(credentials, query)
