"""Fetching leads named by a webhook, and sweeping for leads that no webhook reported."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.enrolling import enrolling
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.forms import LACKS, Asked, FormBook
from socialgate.areas.leads.ledger import FETCH, LeadLedger
from socialgate.contracts.accounts import AccountRow, AccountStatus, NowConnected
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformFailure
from socialgate.contracts.leads import LEADS, LeadItem, Leads
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import between
from socialgate.core.jobs.jobs import Cancelled, Jobs, JobType, Run
from socialgate.core.parts import Parts

SWEEP = "leads.sweep"
ENROL = "leads.enrol"
SWEPT_EVERY = timedelta(minutes=15)
# How long Meta keeps leads; older ones can no longer be read.
_OLDEST = timedelta(days=90)
# Leads may appear in a platform's list some time after they were submitted.
_OVERLAP = timedelta(hours=1)
_NOT_ALLOWED_AGAIN = timedelta(hours=6)
_FIRST_AFTER = (60.0, 300.0)
_AT_ONCE = 4
# How many leads are written in one transaction, which blocks others.
TAKEN_AT_ONCE = 200

log = structlog.get_logger(__name__)


class LeadSweeps:
    """Reads leads from platforms for the ledger."""

    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: Catalogue,
        jobs: Jobs,
        ledger: LeadLedger,
        book: FormBook,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._jobs = jobs
        self._ledger = ledger
        self._book = book

    async def fetch(self, run: Run) -> None:
        """Read one lead of which the platform sent only the id."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            return
        part, lead_id = self._session.part(account, LEADS, LACKS), str(run.input["leadId"])
        item = await self._session.call_as(account, lambda held: part.fetch(held, lead_id))
        asked = await self._book.learn(account, [item])
        named = msgspec.structs.replace(item, form_name=item.form_name or asked.name_of(item.form_id))
        await run.finish(self._take_one, account, named, asked)

    async def sweep(self, run: Run) -> None:
        """Read the leads of an account since the last sweep, a page at a time."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise Cancelled
        if account.status is not AccountStatus.CONNECTED:
            return
        try:
            await self._sweep(run, account)
        except PermissionMissing as failure:
            log.info("leads_not_readable", platform=account.platform, detail=failure.detail)
            run.next_at = self._db.clock.now() + _NOT_ALLOWED_AGAIN
        except PlatformFailure as failure:
            log.warning("leads_not_swept", account=account.id, platform=account.platform, detail=failure.detail)
            raise

    async def since(self, tx: Tx, account: AccountRow) -> datetime:
        """Return the time since when leads may be missing."""
        until = await store.swept_until(tx, account.owner_id, account.id)
        return tx.now - _OLDEST if until is None else until - _OVERLAP

    async def connected(self, tx: Tx, fact: NowConnected, account: AccountRow) -> None:
        del fact
        if Kind(account.kind) in self._kinds():
            due_at = tx.now + timedelta(seconds=between(*_FIRST_AFTER))
            await self._jobs.add(tx, SWEEP, account.owner_id, {"accountId": account.id}, key=account.id, due_at=due_at)

    async def enrol(self, tx: Tx, account: AccountRow) -> None:
        """Queue the sweep of an account that was connected before sweeps existed."""
        await self.connected(tx, NowConnected(), account)

    def _kinds(self) -> frozenset[Kind]:
        kinds = (one for manifest in self._catalogue.manifests.values() for one in manifest.kinds)
        return frozenset(one.kind for one in kinds if LEADS in one.capabilities)

    async def _sweep(self, run: Run, account: AccountRow) -> None:
        part = self._session.part(account, LEADS, LACKS)
        state = run.state or await self._db.read(self._begin, account)
        since = datetime.fromisoformat(state["since"])
        while True:
            swept = await self._session.call_as(account, _step(part, since, state["place"]))
            items = iter(swept.items)
            some = await self._some(account, items)
            while len(some) == TAKEN_AT_ONCE:
                # After a crash here they are read again, but each is still stored only once.
                await run.step_with(self._taking(account, some), state)
                some = await self._some(account, items)
            if swept.place is None:
                await run.finish(self._end, account, some, datetime.fromisoformat(state["began"]))
                return
            state = {**state, "place": swept.place}
            await run.step_with(self._taking(account, some), state)
            if swept.wait:
                await asyncio.sleep(swept.wait)

    async def _some(self, account: AccountRow, items: Iterator[LeadItem]) -> list[LeadItem]:
        """Return the next leads, once the questions of their forms are known."""
        some = await asyncio.to_thread(_next, items)
        await self._book.learn(account, some)
        return some

    async def _begin(self, tx: Tx, account: AccountRow) -> dict[str, Any]:
        since = await self.since(tx, account)
        return {"began": tx.now.isoformat(), "since": since.isoformat(), "place": None}

    async def _end(self, tx: Tx, account: AccountRow, items: Sequence[LeadItem], began: datetime) -> None:
        await self._ledger.take_all(tx, account, items)
        await store.save_sweep(tx, account.owner_id, account.id, began)

    def _taking(self, account: AccountRow, items: Sequence[LeadItem]) -> Any:
        async def take(tx: Tx) -> None:
            await self._ledger.take_all(tx, account, items)

        return take

    async def _take_one(self, tx: Tx, account: AccountRow, item: LeadItem, asked: Asked) -> None:
        await self._ledger.take(tx, account, item, asked)


def _next(items: Iterator[LeadItem]) -> list[LeadItem]:
    return list(islice(items, TAKEN_AT_ONCE))


def _step(part: Leads, since: datetime, place: Mapping[str, Any] | None) -> Any:
    async def step(held: AccountCredentials) -> Any:
        return await part.sweep(held, since, place)

    return step


def fetching(parts: Parts) -> JobType:
    """Leads queue this job and this job reports leads, so its worker is built on first use; likewise below."""

    async def run(run: Run) -> None:
        await parts.get(LeadSweeps).fetch(run)

    return JobType(name=FETCH, run=run, per_owner=_AT_ONCE, kept=timedelta(hours=1), public=False)


def sweeping(parts: Parts) -> JobType:
    async def run(run: Run) -> None:
        await parts.get(LeadSweeps).sweep(run)

    return JobType(name=SWEEP, run=run, per_owner=_AT_ONCE, every=SWEPT_EVERY, public=False)


def enrolment(parts: Parts, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(LeadSweeps).enrol(tx, account)

    return enrolling(db, ENROL, enrol)
