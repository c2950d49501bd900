"""Fetching leads named by a webhook, and sweeping for leads that no webhook reported."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import msgspec
import structlog

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.account_backfill import build_backfill_job_type
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.form_cache import NO_LEAD_FORMS_PHRASE, FormQuestions, LeadFormCache
from socialgate.areas.leads.recorder import LEAD_FETCH_JOB, LeadRecorder
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountActivated, AccountRow, AccountStatus
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import PermissionMissingError, PlatformFailure
from socialgate.contracts.leads import LEADS_CAPABILITY, LeadAdapter, LeadItem
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Database, Tx
from socialgate.core.jitter import random_between
from socialgate.core.jobs.service import JobCancelled, JobRun, JobService, JobType
from socialgate.core.service_container import ServiceContainer

LEAD_SWEEP_JOB = "leads.sweep"
LEAD_SWEEP_BACKFILL_JOB = "leads.enrol"
LEAD_SWEEP_INTERVAL = timedelta(minutes=15)
# How long Meta keeps leads; older ones can no longer be read.
_MAX_LEAD_AGE = timedelta(days=90)
# Leads may appear in a platform's list some time after they were submitted.
_SWEEP_OVERLAP = timedelta(hours=1)
_PERMISSION_RETRY_DELAY = timedelta(hours=6)
_FIRST_SWEEP_DELAY_SECONDS = (60.0, 300.0)
_MAX_JOBS_PER_OWNER = 4
# How many leads are written in one transaction, which blocks others.
STORE_BATCH_SIZE = 200

log = structlog.get_logger(__name__)


class LeadSweeper:
    """Reads leads from platforms for the ledger."""

    def __init__(
        self,
        db: Database,
        session: AccountSession,
        catalogue: ConnectorRegistry,
        jobs: JobService,
        ledger: LeadRecorder,
        book: LeadFormCache,
    ) -> None:
        self._db = db
        self._session = session
        self._catalogue = catalogue
        self._jobs = jobs
        self._ledger = ledger
        self._book = book

    async def fetch_reported_lead(self, run: JobRun) -> None:
        """Read one lead of which the platform sent only the id."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            return
        part, lead_id = (
            self._session.get_adapter(account, LEADS_CAPABILITY, NO_LEAD_FORMS_PHRASE),
            str(run.input["leadId"]),
        )
        item = await self._session.call_for_account(account, lambda credentials: part.fetch_lead(credentials, lead_id))
        form_questions = await self._book.load_or_fetch(account, [item])
        named = msgspec.structs.replace(item, form_name=item.form_name or form_questions.get_form_name(item.form_id))
        await run.finish(self._record_fetched_lead, account, named, form_questions)

    async def sweep(self, run: JobRun) -> None:
        """Read the leads of an account since the last sweep, a page at a time."""
        account = await self._db.read(accounts.find_account, run.owner_id, run.input["accountId"])
        if account is None:
            raise JobCancelled
        if account.status is not AccountStatus.CONNECTED:
            return
        try:
            await self._sweep_leads(run, account)
        except PermissionMissingError as failure:
            log.info("leads_not_readable", platform=account.platform, detail=failure.detail)
            run.next_at = self._db.clock.now() + _PERMISSION_RETRY_DELAY
        except PlatformFailure as failure:
            log.warning("leads_not_swept", account=account.id, platform=account.platform, detail=failure.detail)
            raise

    async def find_sweep_start(self, tx: Tx, account: AccountRow) -> datetime:
        """Return the time since when leads may be missing."""
        until = await store.find_swept_until(tx, account.owner_id, account.id)
        return tx.now - _MAX_LEAD_AGE if until is None else until - _SWEEP_OVERLAP

    async def on_account_connected(self, tx: Tx, fact: AccountActivated, account: AccountRow) -> None:
        del fact
        if Kind(account.kind) in self._list_kinds():
            due_at = tx.now + timedelta(seconds=random_between(*_FIRST_SWEEP_DELAY_SECONDS))
            await self._jobs.enqueue(
                tx, LEAD_SWEEP_JOB, account.owner_id, {"accountId": account.id}, key=account.id, due_at=due_at
            )

    async def enrol_account(self, tx: Tx, account: AccountRow) -> None:
        """Queue the sweep of an account that was connected before sweeps existed."""
        await self.on_account_connected(tx, AccountActivated(), account)

    def _list_kinds(self) -> frozenset[Kind]:
        kinds = (kind for manifest in self._catalogue.manifests.values() for kind in manifest.kinds)
        return frozenset(kind.kind for kind in kinds if LEADS_CAPABILITY in kind.capabilities)

    async def _sweep_leads(self, run: JobRun, account: AccountRow) -> None:
        part = self._session.get_adapter(account, LEADS_CAPABILITY, NO_LEAD_FORMS_PHRASE)
        state = run.state or await self._db.read(self._build_initial_state, account)
        since = datetime.fromisoformat(state["since"])
        while True:
            swept = await self._session.call_for_account(account, _build_sweep_call(part, since, state["place"]))
            items = iter(swept.items)
            some = await self._next_batch(account, items)
            while len(some) == STORE_BATCH_SIZE:
                # After a crash here they are read again, but each is still stored only once.
                await run.write_step(self._build_leads_writer(account, some), state)
                some = await self._next_batch(account, items)
            if swept.checkpoint is None:
                await run.finish(self._finish_sweep, account, some, datetime.fromisoformat(state["began"]))
                return
            state = {**state, "place": swept.checkpoint}
            await run.write_step(self._build_leads_writer(account, some), state)
            if swept.wait:
                await asyncio.sleep(swept.wait)

    async def _next_batch(self, account: AccountRow, items: Iterator[LeadItem]) -> list[LeadItem]:
        """Return the next leads, once the questions of their forms are known."""
        some = await asyncio.to_thread(_take_batch, items)
        await self._book.load_or_fetch(account, some)
        return some

    async def _build_initial_state(self, tx: Tx, account: AccountRow) -> dict[str, Any]:
        since = await self.find_sweep_start(tx, account)
        return {"began": tx.now.isoformat(), "since": since.isoformat(), "place": None}

    async def _finish_sweep(self, tx: Tx, account: AccountRow, items: Sequence[LeadItem], began: datetime) -> None:
        await self._ledger.record_leads(tx, account, items)
        await store.save_swept_until(tx, account.owner_id, account.id, began)

    def _build_leads_writer(self, account: AccountRow, items: Sequence[LeadItem]) -> Any:
        async def take(tx: Tx) -> None:
            await self._ledger.record_leads(tx, account, items)

        return take

    async def _record_fetched_lead(
        self, tx: Tx, account: AccountRow, item: LeadItem, form_questions: FormQuestions
    ) -> None:
        await self._ledger.record_lead(tx, account, item, form_questions)


def _take_batch(items: Iterator[LeadItem]) -> list[LeadItem]:
    return list(islice(items, STORE_BATCH_SIZE))


def _build_sweep_call(part: LeadAdapter, since: datetime, place: Mapping[str, Any] | None) -> Any:
    async def step(credentials: AccountCredentials) -> Any:
        return await part.read_lead_batch(credentials, since, place)

    return step


def build_lead_fetch_job_type(parts: ServiceContainer) -> JobType:
    """Leads queue this job and this job reports leads, so its worker is built on first use; likewise below."""

    async def run(run: JobRun) -> None:
        await parts.get(LeadSweeper).fetch_reported_lead(run)

    return JobType(
        name=LEAD_FETCH_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, retention=timedelta(hours=1), public=False
    )


def build_lead_sweep_job_type(parts: ServiceContainer) -> JobType:
    async def run(run: JobRun) -> None:
        await parts.get(LeadSweeper).sweep(run)

    return JobType(
        name=LEAD_SWEEP_JOB, run=run, max_per_owner=_MAX_JOBS_PER_OWNER, interval=LEAD_SWEEP_INTERVAL, public=False
    )


def build_lead_sweep_backfill_job_type(parts: ServiceContainer, db: Database) -> JobType:
    async def enrol(tx: Tx, account: AccountRow) -> None:
        await parts.get(LeadSweeper).enrol_account(tx, account)

    return build_backfill_job_type(db, LEAD_SWEEP_BACKFILL_JOB, enrol)
