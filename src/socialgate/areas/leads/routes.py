from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import CHANGING, READING
from socialgate.areas.leads.schemas import (
    Lead,
    LeadForm,
    LeadFormsQuery,
    LeadsQuery,
    LeadState,
    LeadStateChanges,
    NewLeadForm,
    SimulatedLeadQuery,
)
from socialgate.areas.leads.service import LeadDesk, as_table
from socialgate.contracts.failures import NotSupported
from socialgate.core.errors import NotAcceptable, NotFound
from socialgate.core.work import Work
from socialgate.web.answers import CSV, answer
from socialgate.web.edits import Expected
from socialgate.web.route import Tag, route
from socialgate.web.schema import Deleted, Page

TAG = Tag("Leads", "Lead forms, what people answered in them, and how far your people are with each lead.")
_READS = (NotFound, NotSupported, *READING)
_CHANGES = (NotFound, NotSupported, *CHANGING)


@route("GET", "/accounts/{account_id:str}/lead-forms", tag=TAG, query=LeadFormsQuery, raises=_READS)
async def list_lead_forms(account_id: str, params: LeadFormsQuery, work: Work, desk: LeadDesk) -> Page[LeadForm]:
    """List the lead forms of an account or an ad account, as the platform shows them now."""
    return await desk.forms(work, account_id, params)


@route("GET", "/accounts/{account_id:str}/lead-forms/{form_id:str}", tag=TAG, raises=_READS)
async def show_lead_form(account_id: str, form_id: str, work: Work, desk: LeadDesk) -> LeadForm:
    """Read one lead form with its questions."""
    return await desk.form(work, account_id, form_id)


@route("POST", "/accounts/{account_id:str}/lead-forms", tag=TAG, raises=_CHANGES)
async def create_lead_form(account_id: str, data: NewLeadForm, work: Work, desk: LeadDesk) -> LeadForm:
    """Create a lead form on the platform.

    Facebook Pages can; TikTok has no such call, so there the answer is 422 `not_supported`. Send an
    `Idempotency-Key`: a request that is repeated with it never creates a second form.
    """
    return await desk.create(work, account_id, data)


@route(
    "POST",
    "/accounts/{account_id:str}/lead-forms/{form_id:str}/test-webhook",
    tag=TAG,
    query=SimulatedLeadQuery,
    raises=_READS,
)
async def simulate_lead(account_id: str, form_id: str, params: SimulatedLeadQuery, work: Work, desk: LeadDesk) -> Lead:
    """Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.

    It takes the way of a real lead and is stored with `test: true`. Nobody has its name, its phone number is from a
    range that is reserved for fiction, and its address ends in `@example.com`. Automations do not act on it.
    """
    return await desk.simulate(work, account_id, form_id, params)


@route(
    "GET",
    "/accounts/{account_id:str}/leads",
    tag=TAG,
    query=LeadsQuery,
    raises=(NotAcceptable, *_READS),
    also_as=(CSV,),
)
async def list_leads(
    account_id: str, params: LeadsQuery, request: Request[Any, Any, Any], work: Work, desk: LeadDesk
) -> Response[Page[Lead]]:
    """List the leads of an account, newest first, whichever way they came.

    What the platform has and its webhooks did not report is read first, and reported as `lead.received`; each lead is
    reported once. With `Accept: text/csv` a page is a table with a column for each answer.
    """
    return answer(request, await desk.list(work, account_id, params), {CSV: as_table})


@route(
    "DELETE",
    "/accounts/{account_id:str}/leads/{lead_id:str}",
    tag=TAG,
    raises=(NotFound,),
    example=Deleted.example_of("lead"),
)
async def erase_lead(account_id: str, lead_id: str, work: Work, desk: LeadDesk) -> Deleted:
    """Erase the personal data of a lead: its answers, notes and assignee, also in the event that reported it.

    The platform keeps its own copy. Reading leads back from the platform does not bring the lead back.
    """
    return await work.write(desk.erase, work.caller, account_id, lead_id)


@route("GET", "/accounts/{account_id:str}/lead-states", tag=TAG, query=LeadsQuery, raises=(NotFound,))
async def list_lead_states(account_id: str, params: LeadsQuery, work: Work, desk: LeadDesk) -> Page[LeadState]:
    """List how far your people are with the leads of an account, in the order of the leads."""
    return await desk.states(work, account_id, params)


@route("PATCH", "/accounts/{account_id:str}/lead-states/{lead_id:str}", tag=TAG, raises=(NotFound,))
async def change_lead_state(
    account_id: str, lead_id: str, data: LeadStateChanges, expected: Expected, work: Work, desk: LeadDesk
) -> LeadState:
    """Change the state, the assignee or the note of a lead.

    Any state may follow any other. Each change is kept in `history`. The platform does not learn of it.
    """
    return await work.write(desk.change, work.caller, account_id, lead_id, data, expected)


routes = [
    list_lead_forms,
    show_lead_form,
    create_lead_form,
    simulate_lead,
    list_leads,
    erase_lead,
    list_lead_states,
    change_lead_state,
]
