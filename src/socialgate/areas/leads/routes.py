from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import CHANGING, READING
from socialgate.areas.leads.schemas import (
    Lead,
    LeadFormsQuery,
    LeadsQuery,
    LeadState,
    LeadStateChanges,
    NewLeadForm,
    SimulatedLeadQuery,
)
from socialgate.areas.leads.service import LeadDesk, as_table
from socialgate.contracts.failures import NotSupported
from socialgate.contracts.leads import LeadForm
from socialgate.contracts.messages import ConversationBusy
from socialgate.core.errors import NotAcceptable, NotFound
from socialgate.core.work import Work
from socialgate.web.answers import CSV, answer
from socialgate.web.edits import Expected
from socialgate.web.route import Tag, route
from socialgate.web.schema import Deleted, Page

TAG = Tag("Leads", "Lead forms, the leads submitted through them, and your team's progress with each lead.")
_READS = (NotFound, NotSupported, *READING)
_CHANGES = (NotFound, NotSupported, *CHANGING)


@route("GET", "/accounts/{account_id:str}/lead-forms", tag=TAG, query=LeadFormsQuery, raises=_READS)
async def list_lead_forms(account_id: str, params: LeadFormsQuery, work: Work, desk: LeadDesk) -> Page[LeadForm]:
    """List the lead forms of an account or an ad account, live from the platform."""
    return await desk.forms(work, account_id, params)


@route("GET", "/accounts/{account_id:str}/lead-forms/{form_id:str}", tag=TAG, raises=_READS)
async def show_lead_form(account_id: str, form_id: str, work: Work, desk: LeadDesk) -> LeadForm:
    """Return a lead form with its questions."""
    return await desk.form(work, account_id, form_id)


@route("POST", "/accounts/{account_id:str}/lead-forms", tag=TAG, raises=_CHANGES)
async def create_lead_form(account_id: str, data: NewLeadForm, work: Work, desk: LeadDesk) -> LeadForm:
    """Create a lead form on the platform.

    This works for Facebook Pages; TikTok has no API for it and returns 422 `not_supported`. Send an
    `Idempotency-Key`: repeating the request with it never creates a second form.
    """
    return await desk.create(work, account_id, data)


@route(
    "POST",
    "/accounts/{account_id:str}/lead-forms/{form_id:str}/test-webhook",
    tag=TAG,
    query=SimulatedLeadQuery,
    raises=_READS,
    example=Lead.simulated_example(),
)
async def simulate_lead(
    account_id: str,
    form_id: str,
    params: SimulatedLeadQuery,
    work: Work,
    desk: LeadDesk,
) -> Lead:
    """Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.

    It is processed like a real lead and stored with `test: true`. The person is invented, the phone number is from a
    range reserved for fiction, and the email address ends in `@example.com`. Automations ignore it. The request has no
    body.
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
    """List the leads of an account, newest first, no matter how they arrived.

    Leads that the platform's webhooks have not reported are read first and sent as `lead.received`; each lead is
    reported once. With `Accept: text/csv`, a page is a table with a column for each answer, and the `Link` header has
    the URL of the next page.
    """
    return answer(request, await desk.list(work, account_id, params), {CSV: as_table})


@route("GET", "/accounts/{account_id:str}/leads/{lead_id:str}", tag=TAG, raises=(NotFound, NotSupported))
async def show_lead(account_id: str, lead_id: str, work: Work, desk: LeadDesk) -> Lead:
    """Return a stored lead. Send its `etag` as `If-Match` when you change its state."""
    return await desk.lead(work, account_id, lead_id)


@route(
    "DELETE",
    "/accounts/{account_id:str}/leads/{lead_id:str}",
    tag=TAG,
    raises=(NotFound, ConversationBusy),
    example=Deleted.example_of("lead"),
)
async def erase_lead(account_id: str, lead_id: str, work: Work, desk: LeadDesk) -> Deleted:
    """Erase the personal data of a lead: its answers, notes and assignee, including in the event that reported it.

    Conversations that automations opened with the person because of this lead are deleted, and what automations sent to
    others because of it is emptied. The platform keeps its own copy. Sweeps do not bring the lead back. This works for
    disconnected accounts too.
    """
    return await work.write(desk.erase, work.caller, account_id, lead_id)


@route("GET", "/accounts/{account_id:str}/lead-states", tag=TAG, query=LeadsQuery, raises=(NotFound,))
async def list_lead_states(account_id: str, params: LeadsQuery, work: Work, desk: LeadDesk) -> Page[LeadState]:
    """List the states of the leads of an account, in the order of the leads."""
    return await desk.states(work, account_id, params)


@route("PATCH", "/accounts/{account_id:str}/lead-states/{lead_id:str}", tag=TAG, raises=(NotFound,))
async def change_lead_state(
    account_id: str, lead_id: str, data: LeadStateChanges, expected: Expected, work: Work, desk: LeadDesk
) -> LeadState:
    """Update the state, assignee or note of a lead.

    Any state may follow any other. Each change is recorded in `history`. Nothing is sent to the platform.
    """
    return await work.write(desk.change, work.caller, account_id, lead_id, data, expected)


routes = [
    list_lead_forms,
    show_lead_form,
    create_lead_form,
    simulate_lead,
    list_leads,
    show_lead,
    erase_lead,
    list_lead_states,
    change_lead_state,
]
