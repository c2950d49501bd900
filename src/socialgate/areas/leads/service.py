"""Lead forms, read live from the platform; stored leads; and their states, which exist only here."""

import random
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import UNSET

from socialgate.areas.accounts.reading import ListRead, LiveReads, Read
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.forms import LACKS, Asked, FormBook
from socialgate.areas.leads.jobs import TAKEN_AT_ONCE, LeadSweeps
from socialgate.areas.leads.ledger import LeadLedger, erase
from socialgate.areas.leads.schemas import (
    Lead,
    LeadFormsQuery,
    LeadsQuery,
    LeadState,
    LeadStateChange,
    LeadStateChanges,
    NewLeadForm,
    NewLeadQuestion,
    SimulatedLeadQuery,
)
from socialgate.areas.leads.simulator import LANDS, country_of, simulated
from socialgate.areas.leads.store import Filters
from socialgate.areas.leads.tables import LeadRow
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformFailure, Rejected
from socialgate.contracts.leads import (
    LEAD_FORMS,
    LEADS,
    LeadForm,
    LeadForms,
    LeadItem,
    LeadOption,
    LeadQuestion,
    Leads,
    LeadThankYou,
    NewForm,
)
from socialgate.contracts.operations import OperationType
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Invalid, NotFound
from socialgate.core.work import Work
from socialgate.web.answers import table
from socialgate.web.edits import Expected, etag_of, next_version
from socialgate.web.faults import refused
from socialgate.web.paging import Place, at_place, opaque, place_of, plain
from socialgate.web.schema import Deleted, Page

_CREATES_NONE = "cannot create lead forms through its API"
_LONGEST_HISTORY = 100
# How much is read within a request; the sweep does the rest.
_MOST_STEPS = 20
_READ_AGAIN_SECONDS = 10.0
_COUNTRY_KEPT_SECONDS = 60.0


class LeadDesk:
    def __init__(
        self,
        of_accounts: Accounts,
        session: AccountSession,
        reads: LiveReads,
        operations: Operations,
        ledger: LeadLedger,
        sweeps: LeadSweeps,
        book: FormBook,
    ) -> None:
        self._accounts = of_accounts
        self._session = session
        self._reads = reads
        self._operations = operations
        self._ledger = ledger
        self._sweeps = sweeps
        self._book = book

    async def forms(self, work: Work, account_id: str, query: LeadFormsQuery) -> Page[LeadForm]:
        account = await self._find(work, account_id)
        of = ("lead-forms", account_id)
        cursor = plain(query.cursor, *of)
        read = ListRead(
            name="lead-forms",
            params=(cursor,),
            limit=query.limit,
            capability=LEADS,
            lacks=LACKS,
            call=lambda part, held, rows: part.forms(held, rows, cursor),
        )
        page = (await self._reads.list(account, read)).value
        return Page(data=[show_form(account, one) for one in page.items], next_cursor=opaque(page.cursor, *of))

    async def form(self, work: Work, account_id: str, form_id: str) -> LeadForm:
        account = await self._find(work, account_id)
        return show_form(account, await self._book.read(account, form_id))

    async def create(self, work: Work, account_id: str, new: NewLeadForm) -> LeadForm:
        account = await self._find(work, account_id)
        wanted = _wanted(new, work.db.clock.now())
        if faults := self._session.part(account, LEAD_FORMS, _CREATES_NONE).faults(wanted):
            raise refused("The platform would reject this form", faults)
        return await self._operations.run(work, account, CREATE, wanted)

    async def simulate(self, work: Work, account_id: str, form_id: str, query: SimulatedLeadQuery) -> Lead:
        """Process an invented lead like a real one."""
        account = await self._find(work, account_id)
        if query.country is not None and query.country not in LANDS:
            raise Invalid.at(
                "?country", "not_supported", f"country must be one of {', '.join(LANDS)}. It can be omitted."
            )
        form = await self._book.read(account, form_id)
        country = query.country or country_of(await self._country(account), form.locale)
        item = simulated(form, country, work.db.clock.now(), random.SystemRandom())
        return await work.write(self._take, account, form, item)

    async def list(self, work: Work, account_id: str, query: LeadsQuery) -> Page[Lead]:
        account = await self._find(work, account_id)
        self._session.part(account, LEADS, LACKS)
        if query.cursor is None:
            await self._catch_up(work, account)
        rows, cursor = await self._page(work, account, query, "leads")
        asked = await self._book.learn(account, rows)
        return Page(data=[show_lead(row, asked) for row in rows], next_cursor=cursor)

    async def lead(self, work: Work, account_id: str, lead_id: str) -> Lead:
        account = await self._find(work, account_id)
        self._session.part(account, LEADS, LACKS)
        found = _required(await work.read(store.find, account.owner_id, account_id, lead_id))
        return show_lead(found, await self._book.learn(account, [found]))

    async def states(self, work: Work, account_id: str, query: LeadsQuery) -> Page[LeadState]:
        account = await self._find(work, account_id)
        rows, cursor = await self._page(work, account, query, "lead-states")
        return Page(data=[show_state(row) for row in rows], next_cursor=cursor)

    async def change(
        self, tx: Tx, caller: Caller, account_id: str, lead_id: str, changes: LeadStateChanges, expected: Expected
    ) -> LeadState:
        account = await self._accounts.find(tx, caller, account_id, ads=None)
        found = _required(await store.find(tx, account.owner_id, account_id, lead_id, for_change=True))
        expected.check(found.updated_at, at=f"/accounts/{account_id}/leads/{lead_id}")
        given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
        changed = msgspec.structs.replace(found, **given)
        if changed == found:
            return show_state(found)
        step = {
            "at": tx.now,
            "by": caller.credential_id,
            "from": found.state,
            "to": changed.state,
            "note": given.get("note"),
        }
        history = [*found.history, msgspec.to_builtins(step)][-_LONGEST_HISTORY:]
        kept = {**given, "history": history, "updated_at": next_version(tx.now, found.updated_at)}
        await store.update(tx, found.owner_id, found.id, kept)
        return show_state(msgspec.structs.replace(found, **kept))

    async def erase(self, tx: Tx, caller: Caller, account_id: str, lead_id: str) -> Deleted:
        """Erase a lead. Its account may have been disconnected: the person can ask for it all the same."""
        profile_id = await store.profile_of(tx, caller.owner_id, account_id)
        if profile_id is not None:
            caller.require_profile(profile_id)
        found = _required(await store.find(tx, caller.owner_id, account_id, lead_id, for_change=True))
        await erase(tx, found)
        return Deleted(id=found.id)

    async def _find(self, work: Work, account_id: str) -> AccountRow:
        return await work.read(self._accounts.find, work.caller, account_id, ads=None)

    async def _country(self, account: AccountRow) -> str | None:
        """Return the country of an account. If it cannot be read, the platform does not say."""
        read = Read(
            name="lead-country",
            capability=LEADS,
            lacks=LACKS,
            call=lambda part, held: part.country(held),
            keep=_COUNTRY_KEPT_SECONDS,
        )
        try:
            return account.details.get("country") or (await self._reads.read(account, read)).value
        except PlatformFailure:
            return None

    async def _take(self, tx: Tx, account: AccountRow, form: LeadForm, item: LeadItem) -> Lead:
        await self._book.keep(tx, account, form)
        asked = await self._book.stored(tx, account, [item])
        taken = await self._ledger.take(tx, account, item, asked)
        assert taken is not None, "its id was generated a moment ago"
        return show_lead(taken, asked)

    async def _catch_up(self, work: Work, account: AccountRow) -> None:
        """Store leads that the platform has not reported yet. If it cannot be read, the stored leads are shown."""
        since = await work.read(self._sweeps.since, account)
        read = Read(
            name="leads",
            capability=LEADS,
            lacks=LACKS,
            call=lambda part, held: _recent(part, held, since),
            keep=_READ_AGAIN_SECONDS,
        )
        try:
            items = (await self._reads.read(account, read)).value
        except PlatformFailure:
            return
        # Most are usually stored: reading that blocks nobody, writing does.
        stored = await work.read(store.known, account.owner_id, account.id, [item.id for item in items])
        new = [item for item in items if item.id not in stored]
        await self._book.learn(account, new)
        for start in range(0, len(new), TAKEN_AT_ONCE):
            await work.db.write(self._ledger.take_all, account, new[start : start + TAKEN_AT_ONCE])

    async def _page(
        self, work: Work, account: AccountRow, query: LeadsQuery, name: str
    ) -> tuple[Sequence[LeadRow], str | None]:
        after = place_of(query.cursor, "lead", name, account.id)
        filters = Filters(query.form, query.since, query.state)
        rows, more = await work.read(store.page, account.owner_id, account.id, filters, query.limit, after)
        last = Place(rows[-1].created_at, rows[-1].id) if rows and more else None
        return rows, None if last is None else at_place(last, name, account.id)


async def _recent(part: Leads, held: AccountCredentials, since: datetime) -> Sequence[LeadItem]:
    """Read leads step by step, as far as possible within a request. What was read before a rejection is kept."""
    found: list[LeadItem] = []
    place: Any = None
    for _ in range(_MOST_STEPS if part.is_live else 0):
        try:
            swept = await part.sweep(held, since, place)
        except Rejected:
            break
        found += swept.items
        place = swept.place
        if place is None:
            break
    return found


def show_form(account: AccountRow, form: LeadForm) -> LeadForm:
    return msgspec.structs.replace(form, account_id=account.id)


def show_lead(row: LeadRow, asked: Asked) -> Lead:
    return Lead(
        id=row.id,
        platform_lead_id=row.vendor_id,
        account_id=row.account_id,
        form_id=row.form_id,
        form_name=row.form_name,
        ad_id=row.ad_id,
        campaign_id=row.campaign_id,
        fields=dict(row.fields),
        answers=asked.answers(row),
        state=row.state,
        assignee=row.assignee,
        note=row.note,
        test=row.test,
        created_at=row.created_at,
        received_at=row.received_at,
        etag=etag_of(row.updated_at),
    )


def as_table(page: Page[Lead]) -> str:
    """Write a page of leads as a table: the fields of each lead, then a column for each answer.

    Forms often ask for the `state` that a person lives in, which is not the state of the lead.
    """
    keys = list(dict.fromkeys(key for lead in page.data for key in lead.fields))
    head = (
        *("id", "platformLeadId", "createdAt", "receivedAt", "formId", "formName", "adId", "campaignId"),
        *("state", "assignee", "note", "test"),
    )
    asked = [f"fields.{key}" if key in head else key for key in keys]
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
    return table((*head, *asked), rows)


def show_state(row: LeadRow) -> LeadState:
    return LeadState(
        lead_id=row.id,
        state=row.state,
        assignee=row.assignee,
        note=row.note,
        history=[msgspec.convert(one, LeadStateChange) for one in row.history],
        updated_at=row.updated_at,
        etag=etag_of(row.updated_at),
    )


def _required(lead: LeadRow | None) -> LeadRow:
    if lead is None:
        raise NotFound("The account has no lead with this id. GET /accounts/{accountId}/leads lists them.")
    return lead


def _wanted(new: NewLeadForm, now: datetime) -> NewForm:
    thanks = new.thank_you
    return NewForm(
        name=new.name,
        questions=tuple(_question(one) for one in new.questions),
        privacy_policy_url=new.privacy_policy_url,
        privacy_policy_text=new.privacy_policy_text,
        locale=new.locale,
        follow_up_url=new.follow_up_url,
        thank_you=None if thanks is None else LeadThankYou(**msgspec.structs.asdict(thanks)),
        asked_at=now,
    )


def _question(asked: NewLeadQuestion) -> LeadQuestion:
    """A missing key is derived from the label; without a label the platform has its own key."""
    options = tuple(LeadOption(key=one.key or _slug(one.label), label=one.label) for one in asked.options)
    key = asked.key or _slug(asked.label or "")
    return LeadQuestion(key=key, label=asked.label or "", type=asked.type, options=options)


def _slug(label: str) -> str:
    return re.sub(r"\W+", "_", label.lower()).strip("_")[:100]


async def _create(part: LeadForms, held: AccountCredentials, new: NewForm) -> LeadForm:
    return await part.create(held, new)


async def _created(tx: Tx, account: AccountRow, new: NewForm, form: LeadForm) -> LeadForm:
    del tx, new
    return show_form(account, form)


CREATE = OperationType(
    name="leads.createForm",
    request=NewForm,
    answer=LeadForm,
    capability=LEAD_FORMS,
    lacks=_CREATES_NONE,
    call=_create,
    record=_created,
    look=lambda part, held, new: part.look(held, new),
    shown=lambda new: {"name": new.name},
    object_id=lambda _, form: form.id,
)
