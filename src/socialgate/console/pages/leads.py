"""Leads: a board by state, one lead with its answers, changes of its state, and the table for other programs."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated

from litestar import Response
from msgspec import Meta

from socialgate.areas.accounts.schemas import Account, AdAccount
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.leads.schemas import Lead, LeadsQuery, LeadStateChanges
from socialgate.areas.leads.service import LeadService, build_leads_csv
from socialgate.areas.leads.tables import LeadStateName
from socialgate.console.able_accounts import list_able_accounts
from socialgate.console.advertising.ad_accounts import list_ad_accounts
from socialgate.console.formatting import words
from socialgate.console.navigation import Entry, Group
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.rendering import PAGE_HEADERS
from socialgate.console.visit import ListPageQuery, PageQuery, Visit
from socialgate.contracts.leads import LEADS_CAPABILITY
from socialgate.core.errors import ServiceError
from socialgate.web.content_negotiation import CSV
from socialgate.web.etags import ExpectedVersion
from socialgate.web.pagination import MAX_PAGE_LIMIT
from socialgate.web.schemas import Page, RequestBody

LEADS_PATH = "/console/leads"
_LEADS_PER_STATE = 20
_LEADS_PER_PAGE = 50
_MAX_EXPORTED = 10_000
_NAME_TYPES = ("full_name", "name", "first_name", "email", "phone_number", "phone")
STATE_TONES = {
    LeadStateName.NEW: "run",
    LeadStateName.CONTACTED: "warn",
    LeadStateName.QUALIFIED: "good",
    LeadStateName.WON: "good",
    LeadStateName.LOST: "",
}


class LeadsPageQuery(ListPageQuery, frozen=True, kw_only=True):
    """Whose leads to show: the newest of every state on the board, or all of one state as a list."""

    account: Annotated[str, Meta(max_length=40)] | None = None
    state: LeadStateName | None = None
    # It names the time and the id of a lead.
    cursor: Annotated[str, Meta(max_length=400)] | None = None


class LeadChangeForm(RequestBody, frozen=True, kw_only=True):
    """What a person changes about a lead. `version` is the one that they saw."""

    state: LeadStateName
    assignee: Annotated[str, Meta(max_length=200)] | None = None
    note: Annotated[str, Meta(max_length=2000)] | None = None
    version: Annotated[str, Meta(max_length=100)] | None = None


class LeadMove(RequestBody, frozen=True, kw_only=True):
    """Where a lead goes on the board."""

    state: LeadStateName


@console_page(
    LEADS_PATH,
    "leads.html",
    query=LeadsPageQuery,
    entry=Entry(label="Leads", icon="people", group=Group.WORK, key="l"),
)
async def leads_page(visit: Visit, params: LeadsPageQuery, accounts: AccountService, leads: LeadService) -> Values:
    able = await _list_accounts(visit, accounts)
    chosen = await _choose_account(visit, params, leads, able)
    columns: Mapping[LeadStateName, Page[Lead]] = {}
    failure: str | None = None
    if chosen is not None:
        try:
            columns = await _read_columns(visit, leads, chosen.id, params)
        except ServiceError as error:
            failure = error.detail
    return {
        "accounts": able,
        "account": chosen,
        "columns": columns,
        "failure": failure,
        "is_empty": params.state is None and not any(page.data for page in columns.values()),
        "states": list(LeadStateName),
        "views": [
            ("", "Board", visit.here(state=None)),
            *((state.value, words(state.value), visit.here(state=state.value)) for state in LeadStateName),
        ],
        "tones": STATE_TONES,
        "name_of": get_lead_name,
        "leads_path": LEADS_PATH,
    }


@leads_page.form("move", LeadMove, path="/{account_id:str}/{lead_id:str}/move")
async def move_lead(
    visit: Visit, account_id: str, lead_id: str, params: LeadsPageQuery, data: LeadMove, leads: LeadService
) -> Outcome:
    changes = LeadStateChanges(state=data.state)
    await visit.work.write(leads.change_state, visit.caller, account_id, lead_id, changes, ExpectedVersion(None))
    return Done(f"The lead is now {data.state.value}.", to=visit.here(cursor=params.cursor))


@leads_page.form("export", path="/{account_id:str}/export")
async def export_leads(visit: Visit, account_id: str, leads: LeadService) -> Outcome:
    everything: list[Lead] = []
    cursor: str | None = None
    while len(everything) < _MAX_EXPORTED:
        page = await leads.list(visit.work, account_id, LeadsQuery(limit=MAX_PAGE_LIMIT, cursor=cursor))
        everything += page.data
        cursor = page.next_cursor
        if cursor is None:
            break
    headers = {**PAGE_HEADERS, "Content-Disposition": 'attachment; filename="leads.csv"'}
    content = build_leads_csv(Page(data=everything, next_cursor=None))
    return Response(content, status_code=HTTPStatus.OK, media_type=CSV, headers=headers)


@console_page(LEADS_PATH + "/{account_id:str}/{lead_id:str}", "lead.html")
async def lead_page(
    visit: Visit, account_id: str, lead_id: str, params: PageQuery, leads: LeadService, accounts: AccountService
) -> Values:
    del params  # it only has the profile
    lead = await leads.get_lead(visit.work, account_id, lead_id)
    state = await leads.get_state(visit.work, account_id, lead_id)
    return {
        "lead": lead,
        "label": (await visit.work.read(accounts.list_labels, visit.caller, [account_id]))[account_id],
        "history": state.history,
        "states": [(state.value, state.value.capitalize()) for state in LeadStateName],
        "tones": STATE_TONES,
        "name_of": get_lead_name,
        "leads_path": LEADS_PATH,
    }


@lead_page.form("change", LeadChangeForm)
async def change_lead(visit: Visit, account_id: str, lead_id: str, data: LeadChangeForm, leads: LeadService) -> Outcome:
    changes = LeadStateChanges(state=data.state, assignee=data.assignee, note=data.note)
    version = ExpectedVersion(data.version)
    await visit.work.write(leads.change_state, visit.caller, account_id, lead_id, changes, version)
    return Done("Saved.")


@lead_page.form("erase")
async def erase_lead(visit: Visit, account_id: str, lead_id: str, leads: LeadService) -> Outcome:
    await leads.erase(visit.work, account_id, lead_id)
    return Done("The personal data of the lead was erased.", to=visit.link(LEADS_PATH, account=account_id))


def get_lead_name(lead: Lead) -> str:
    """Return what people call a lead: the name, or else how to reach the person."""
    for kind in _NAME_TYPES:
        for answer in lead.answers:
            if kind in {answer.type, answer.key} and answer.value:
                return str(answer.value)
    return lead.platform_lead_id


async def _list_accounts(visit: Visit, accounts: AccountService) -> Sequence[Account | AdAccount]:
    return [
        *await list_able_accounts(visit, accounts, LEADS_CAPABILITY),
        *await list_ad_accounts(visit, accounts, LEADS_CAPABILITY.name),
    ]


async def _choose_account(
    visit: Visit, params: LeadsPageQuery, leads: LeadService, able: Sequence[Account | AdAccount]
) -> Account | AdAccount | None:
    """Return the account in the address, or else the one with the newest lead, or else the first one."""
    account_id = params.account or await visit.work.read(
        leads.find_newest_account, visit.caller, [account.id for account in able]
    )
    return next((account for account in able if account.id == account_id), able[0] if able else None)


async def _read_columns(
    visit: Visit, leads: LeadService, account_id: str, params: LeadsPageQuery
) -> Mapping[LeadStateName, Page[Lead]]:
    """Read the newest leads of every state, or a page of one of them."""
    if params.state is not None:
        query = LeadsQuery(limit=_LEADS_PER_PAGE, state=params.state, cursor=params.cursor)
        return {params.state: await leads.list(visit.work, account_id, query)}
    return {
        state: await leads.list(visit.work, account_id, LeadsQuery(limit=_LEADS_PER_STATE, state=state))
        for state in LeadStateName
    }
