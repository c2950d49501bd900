"""Lead forms, read live from the platform; stored leads; and their states, which exist only here."""

import random
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from socialgate.areas.accounts.live_reads import ListRead, LiveRead, LiveReads
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.form_cache import NO_LEAD_FORMS_PHRASE, FormQuestions, LeadFormCache
from socialgate.areas.leads.jobs import STORE_BATCH_SIZE, LeadSweeper
from socialgate.areas.leads.new_forms import build_new_form
from socialgate.areas.leads.recorder import LeadRecorder, build_subject_key, erase_lead
from socialgate.areas.leads.schemas import (
    Lead,
    LeadFormsQuery,
    LeadsQuery,
    LeadState,
    LeadStateChanges,
    LeadStateHistoryEntry,
    NewLeadForm,
    SimulatedLeadQuery,
)
from socialgate.areas.leads.simulator import SIMULATED_COUNTRIES, build_simulated_lead, choose_country
from socialgate.areas.leads.store import LeadFilters
from socialgate.areas.leads.tables import LeadRow
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import PlatformFailure, PlatformRejectedError
from socialgate.contracts.leads import (
    LEAD_FORMS_CAPABILITY,
    LEADS_CAPABILITY,
    LeadAdapter,
    LeadForm,
    LeadFormAdapter,
    LeadItem,
    NewForm,
)
from socialgate.contracts.messages import SubjectConversations
from socialgate.contracts.operations import OperationType
from socialgate.contracts.webhooks import StoredWebhooks
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import InvalidRequest, NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.content_negotiation import encode_csv
from socialgate.web.etags import ExpectedVersion, build_etag, get_next_updated_at
from socialgate.web.field_errors import build_invalid_request
from socialgate.web.pagination import (
    TimePosition,
    decode_time_cursor,
    encode_time_cursor,
    unwrap_platform_cursor,
    wrap_platform_cursor,
)
from socialgate.web.schemas import DeletionConfirmation, Page

_CANNOT_CREATE_FORMS_PHRASE = "cannot create lead forms through its API"
_MAX_HISTORY_ENTRIES = 100
# How much is read within a request; the sweep does the rest.
_MAX_SWEEP_STEPS = 20
_LEADS_CACHE_SECONDS = 10.0
_COUNTRY_CACHE_SECONDS = 60.0


class LeadService:
    def __init__(
        self,
        of_accounts: AccountService,
        session: AccountSession,
        reads: LiveReads,
        operations: OperationService,
        ledger: LeadRecorder,
        sweeps: LeadSweeper,
        book: LeadFormCache,
        conversations: SubjectConversations,
        webhooks: StoredWebhooks,
    ) -> None:
        self._accounts = of_accounts
        self._session = session
        self._reads = reads
        self._operations = operations
        self._ledger = ledger
        self._sweeps = sweeps
        self._book = book
        self._conversations = conversations
        self._webhooks = webhooks

    async def list_forms(self, work: UnitOfWork, account_id: str, query: LeadFormsQuery) -> Page[LeadForm]:
        account = await self._find(work, account_id)
        pair = ("lead-forms", account_id)
        cursor = unwrap_platform_cursor(query.cursor, *pair)
        read = ListRead(
            name="lead-forms",
            params=(cursor,),
            limit=query.limit,
            capability=LEADS_CAPABILITY,
            lacks=NO_LEAD_FORMS_PHRASE,
            call=lambda part, credentials, rows: part.list_forms(credentials, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(
            data=[build_form_view(account, item) for item in page.items],
            next_cursor=wrap_platform_cursor(page.cursor, *pair),
        )

    async def get_form(self, work: UnitOfWork, account_id: str, form_id: str) -> LeadForm:
        account = await self._find(work, account_id)
        return build_form_view(account, await self._book.fetch_form(account, form_id))

    async def create_form(self, work: UnitOfWork, account_id: str, new: NewLeadForm) -> LeadForm:
        account = await self._find(work, account_id)
        new_form = build_new_form(new, work.db.clock.now())
        if faults := self._session.get_adapter(
            account, LEAD_FORMS_CAPABILITY, _CANNOT_CREATE_FORMS_PHRASE
        ).validate_new_object(new_form):
            raise build_invalid_request("The platform would reject this form", faults)
        return await self._operations.run(work, account, CREATE_FORM_OPERATION, new_form)

    async def simulate_lead(self, work: UnitOfWork, account_id: str, form_id: str, query: SimulatedLeadQuery) -> Lead:
        """Process an invented lead like a real one."""
        account = await self._find(work, account_id)
        if query.country is not None and query.country not in SIMULATED_COUNTRIES:
            raise InvalidRequest.for_field(
                "?country",
                "not_supported",
                f"country must be one of {', '.join(SIMULATED_COUNTRIES)}. It can be omitted.",
            )
        form = await self._book.fetch_form(account, form_id)
        country = query.country or choose_country(await self._fetch_country(account), form.locale)
        item = build_simulated_lead(form, country, work.db.clock.now(), random.SystemRandom())
        return await work.write(self._record_simulated, account, form, item)

    async def list(self, work: UnitOfWork, account_id: str, query: LeadsQuery) -> Page[Lead]:
        account = await self._find(work, account_id)
        self._session.get_adapter(account, LEADS_CAPABILITY, NO_LEAD_FORMS_PHRASE)
        if query.cursor is None:
            await self._fetch_unreported(work, account)
        rows, cursor = await self._list_leads_page(work, account, query, "leads")
        form_questions = await self._book.load_or_fetch(account, rows)
        return Page(data=[build_lead_view(row, form_questions) for row in rows], next_cursor=cursor)

    async def find_newest_account(self, tx: Tx, caller: Caller, account_ids: Sequence[str]) -> str | None:
        """Return which of some accounts has the newest lead. None if they have none."""
        return await store.find_account_with_newest_lead(tx, caller.owner_id, account_ids)

    async def get_lead(self, work: UnitOfWork, account_id: str, lead_id: str) -> Lead:
        account = await self._find(work, account_id)
        self._session.get_adapter(account, LEADS_CAPABILITY, NO_LEAD_FORMS_PHRASE)
        row = _require_lead(await work.read(store.find_lead, account.owner_id, account_id, lead_id))
        return build_lead_view(row, await self._book.load_or_fetch(account, [row]))

    async def get_state(self, work: UnitOfWork, account_id: str, lead_id: str) -> LeadState:
        account = await self._find(work, account_id)
        return build_lead_state_view(
            _require_lead(await work.read(store.find_lead, account.owner_id, account_id, lead_id))
        )

    async def list_states(self, work: UnitOfWork, account_id: str, query: LeadsQuery) -> Page[LeadState]:
        account = await self._find(work, account_id)
        rows, cursor = await self._list_leads_page(work, account, query, "lead-states")
        return Page(data=[build_lead_state_view(row) for row in rows], next_cursor=cursor)

    async def change_state(
        self,
        tx: Tx,
        caller: Caller,
        account_id: str,
        lead_id: str,
        changes: LeadStateChanges,
        expected: ExpectedVersion,
    ) -> LeadState:
        account = await self._accounts.find(tx, caller, account_id, is_ad_account=None)
        row = _require_lead(await store.find_lead(tx, account.owner_id, account_id, lead_id, for_change=True))
        expected.require_updated_at(row.updated_at, read_path=f"/accounts/{account_id}/leads/{lead_id}")
        params = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
        changed = msgspec.structs.replace(row, **params)
        if changed == row:
            return build_lead_state_view(row)
        step = {
            "at": tx.now,
            "by": caller.credential_id,
            "from": row.state,
            "to": changed.state,
            "note": params.get("note"),
        }
        history = [*row.history, msgspec.to_builtins(step)][-_MAX_HISTORY_ENTRIES:]
        kept = {**params, "history": history, "updated_at": get_next_updated_at(tx.now, row.updated_at)}
        await store.update_lead(tx, row.owner_id, row.id, kept)
        return build_lead_state_view(msgspec.structs.replace(row, **kept))

    async def erase(self, work: UnitOfWork, account_id: str, lead_id: str) -> DeletionConfirmation:
        """Erase a lead. Its account may have been disconnected: the person can ask for it all the same.

        A conversation with the person can have thousands of messages. Most are erased before, in short transactions: on
        SQLite nobody else can write during one. What a crash leaves is erased when the request is sent again.
        """
        row = await work.read(self._find_erasable, work.caller, account_id, lead_id)
        values = tuple(row.fields.values())
        since = await self._conversations.erase_ahead(work.db, row.owner_id, build_subject_key(row), values)
        await self._webhooks.erase_stored_webhooks(work.db, row.owner_id, row.account_id, [row.vendor_id])
        return await work.write(self._erase, work.caller, account_id, lead_id, since)

    async def _erase(
        self, tx: Tx, caller: Caller, account_id: str, lead_id: str, since: datetime
    ) -> DeletionConfirmation:
        row = await self._find_erasable(tx, caller, account_id, lead_id, for_change=True)
        await erase_lead(tx, row, since)
        return DeletionConfirmation(id=row.id)

    async def _find_erasable(
        self, tx: Tx, caller: Caller, account_id: str, lead_id: str, *, for_change: bool = False
    ) -> LeadRow:
        profile_id = await store.find_profile_id(tx, caller.owner_id, account_id)
        if profile_id is not None:
            caller.require_profile_access(profile_id)
        return _require_lead(await store.find_lead(tx, caller.owner_id, account_id, lead_id, for_change=for_change))

    async def _find(self, work: UnitOfWork, account_id: str) -> AccountRow:
        return await work.read(self._accounts.find, work.caller, account_id, is_ad_account=None)

    async def _fetch_country(self, account: AccountRow) -> str | None:
        """Return the country of an account. If it cannot be read, the platform does not say."""
        read = LiveRead(
            name="lead-country",
            capability=LEADS_CAPABILITY,
            unsupported_phrase=NO_LEAD_FORMS_PHRASE,
            call=lambda part, credentials: part.fetch_country(credentials),
            cache_seconds=_COUNTRY_CACHE_SECONDS,
        )
        try:
            return account.details.get("country") or (await self._reads.read(account, read)).value
        except PlatformFailure:
            return None

    async def _record_simulated(self, tx: Tx, account: AccountRow, form: LeadForm, item: LeadItem) -> Lead:
        await self._book.save_form(tx, account, form)
        form_questions = await self._book.load(tx, account, [item])
        taken = await self._ledger.record_lead(tx, account, item, form_questions)
        assert taken is not None, "its id was generated a moment ago"
        return build_lead_view(taken, form_questions)

    async def _fetch_unreported(self, work: UnitOfWork, account: AccountRow) -> None:
        """Store leads that the platform has not reported yet. If it cannot be read, the stored leads are shown."""
        since = await work.read(self._sweeps.find_sweep_start, account)
        read = LiveRead(
            name="leads",
            capability=LEADS_CAPABILITY,
            unsupported_phrase=NO_LEAD_FORMS_PHRASE,
            call=lambda part, credentials: _read_recent_leads(part, credentials, since),
            cache_seconds=_LEADS_CACHE_SECONDS,
        )
        try:
            items = (await self._reads.read(account, read)).value
        except PlatformFailure:
            return
        # Most are usually stored: reading that blocks nobody, writing does.
        stored = await work.read(store.list_known_vendor_ids, account.owner_id, account.id, [item.id for item in items])
        new = [item for item in items if item.id not in stored]
        await self._book.load_or_fetch(account, new)
        for start in range(0, len(new), STORE_BATCH_SIZE):
            await work.db.write(self._ledger.record_leads, account, new[start : start + STORE_BATCH_SIZE])

    async def _list_leads_page(
        self, work: UnitOfWork, account: AccountRow, query: LeadsQuery, name: str
    ) -> tuple[Sequence[LeadRow], str | None]:
        after = decode_time_cursor(query.cursor, "lead", name, account.id)
        filters = LeadFilters(query.form, query.since, query.state)
        rows, more = await work.read(store.list_leads_page, account.owner_id, account.id, filters, query.limit, after)
        last = TimePosition(rows[-1].created_at, rows[-1].id) if rows and more else None
        return rows, None if last is None else encode_time_cursor(last, name, account.id)


async def _read_recent_leads(part: LeadAdapter, credentials: AccountCredentials, since: datetime) -> Sequence[LeadItem]:
    """Read leads step by step, as far as possible within a request. What was read before a rejection is kept."""
    lead_items: list[LeadItem] = []
    place: Any = None
    for _ in range(_MAX_SWEEP_STEPS if part.can_read_within_request else 0):
        try:
            swept = await part.read_lead_batch(credentials, since, place)
        except PlatformRejectedError:
            break
        lead_items += swept.items
        place = swept.checkpoint
        if place is None:
            break
    return lead_items


def build_form_view(account: AccountRow, form: LeadForm) -> LeadForm:
    return msgspec.structs.replace(form, account_id=account.id)


def build_lead_view(row: LeadRow, form_questions: FormQuestions) -> Lead:
    return Lead(
        id=row.id,
        platform_lead_id=row.vendor_id,
        account_id=row.account_id,
        form_id=row.form_id,
        form_name=row.form_name,
        ad_id=row.ad_id,
        campaign_id=row.campaign_id,
        fields=dict(row.fields),
        answers=form_questions.build_lead_answers(row),
        state=row.state,
        assignee=row.assignee,
        note=row.note,
        test=row.test,
        created_at=row.created_at,
        received_at=row.received_at,
        etag=build_etag(row.updated_at),
    )


def build_leads_csv(page: Page[Lead]) -> str:
    """Write a page of leads as a table: the fields of each lead, then a column for each answer.

    Forms often ask for the `state` that a person lives in, which is not the state of the lead.
    """
    keys = list(dict.fromkeys(key for lead in page.data for key in lead.fields))
    head = (
        *("id", "platformLeadId", "createdAt", "receivedAt", "formId", "formName", "adId", "campaignId"),
        *("state", "assignee", "note", "test"),
    )
    request = [f"fields.{key}" if key in head else key for key in keys]
    rows = [
        (
            *(lead.id, lead.platform_lead_id),
            *(msgspec.to_builtins(lead.created_at), msgspec.to_builtins(lead.received_at)),
            *(lead.form_id, lead.form_name, lead.ad_id, lead.campaign_id),
            *(str(lead.state), lead.assignee, lead.note, str(lead.test).lower()),
            *(lead.fields.get(key) for key in keys),
        )
        for lead in page.data
    ]
    return encode_csv((*head, *request), rows)


def build_lead_state_view(row: LeadRow) -> LeadState:
    return LeadState(
        lead_id=row.id,
        state=row.state,
        assignee=row.assignee,
        note=row.note,
        history=[msgspec.convert(item, LeadStateHistoryEntry) for item in row.history],
        updated_at=row.updated_at,
        etag=build_etag(row.updated_at),
    )


def _require_lead(lead: LeadRow | None) -> LeadRow:
    if lead is None:
        raise NotFound("The account has no lead with this id. GET /accounts/{accountId}/leads lists them.")
    return lead


async def _create_form(part: LeadFormAdapter, credentials: AccountCredentials, new: NewForm) -> LeadForm:
    return await part.create(credentials, new)


async def _record_form(tx: Tx, account: AccountRow, new: NewForm, form: LeadForm) -> LeadForm:
    del tx, new
    return build_form_view(account, form)


CREATE_FORM_OPERATION = OperationType(
    name="leads.createForm",
    request=NewForm,
    response_type=LeadForm,
    capability=LEAD_FORMS_CAPABILITY,
    unsupported_phrase=_CANNOT_CREATE_FORMS_PHRASE,
    call=_create_form,
    record=_record_form,
    look=lambda part, credentials, new: part.look_up_result(credentials, new),
    summarize_request=lambda new: {"name": new.name},
    get_object_id=lambda _, form: form.id,
)
