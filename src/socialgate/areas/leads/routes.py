from typing import Any

from litestar import Request, Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.leads.schemas import (
    Lead,
    LeadFormsQuery,
    LeadsQuery,
    LeadState,
    LeadStateChanges,
    NewLeadForm,
    SimulatedLeadQuery,
)
from socialgate.areas.leads.service import LeadService, build_leads_csv
from socialgate.contracts.failures import NotSupportedError
from socialgate.contracts.leads import LeadForm
from socialgate.contracts.messages import ConversationBusy
from socialgate.core.errors import NotAcceptable, NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.content_negotiation import CSV, build_negotiated_response
from socialgate.web.etags import ExpectedVersion
from socialgate.web.route import RouteTag, route
from socialgate.web.schemas import DeletionConfirmation, Page

TAG = RouteTag("Leads", "Lead forms, the leads submitted through them, and your team's progress with each lead.")
_READ_ERRORS = (NotFound, NotSupportedError, *LIVE_READ_ERRORS)
_CHANGE_ERRORS = (NotFound, NotSupportedError, *OPERATION_ERRORS)


@route(
    "GET",
    "/accounts/{account_id:str}/lead-forms",
    sdk="leads.forms.list",
    tag=TAG,
    query=LeadFormsQuery,
    raises=_READ_ERRORS,
)
async def list_lead_forms(
    account_id: str, params: LeadFormsQuery, work: UnitOfWork, leads: LeadService
) -> Page[LeadForm]:
    """List the lead forms of an account or an ad account, live from the platform."""
    return await leads.list_forms(work, account_id, params)


@route(
    "GET", "/accounts/{account_id:str}/lead-forms/{form_id:str}", sdk="leads.forms.get", tag=TAG, raises=_READ_ERRORS
)
async def show_lead_form(account_id: str, form_id: str, work: UnitOfWork, leads: LeadService) -> LeadForm:
    """Return a lead form with its questions."""
    return await leads.get_form(work, account_id, form_id)


@route("POST", "/accounts/{account_id:str}/lead-forms", sdk="leads.forms.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_lead_form(account_id: str, data: NewLeadForm, work: UnitOfWork, leads: LeadService) -> LeadForm:
    """Create a lead form on the platform.

    This works for Facebook Pages; TikTok has no API for it and returns 422 `not_supported`. Send an
    `Idempotency-Key`: repeating the request with it never creates a second form.
    """
    return await leads.create_form(work, account_id, data)


@route(
    "POST",
    "/accounts/{account_id:str}/lead-forms/{form_id:str}/test-webhook",
    sdk="leads.forms.simulate",
    tag=TAG,
    query=SimulatedLeadQuery,
    raises=_READ_ERRORS,
    example=Lead.simulated_example(),
)
async def simulate_lead(
    account_id: str,
    form_id: str,
    params: SimulatedLeadQuery,
    work: UnitOfWork,
    leads: LeadService,
) -> Lead:
    """Simulate a lead: `lead.received` is sent with realistic answers to the questions of the form.

    It is processed like a real lead and stored with `test: true`. The person is invented, the phone number is from a
    range reserved for fiction, and the email address ends in `@example.com`. Automations ignore it. The request has no
    body.
    """
    return await leads.simulate_lead(work, account_id, form_id, params)


@route(
    "GET",
    "/accounts/{account_id:str}/leads",
    sdk="leads.list",
    tag=TAG,
    query=LeadsQuery,
    raises=(NotAcceptable, *_READ_ERRORS),
    also_as=(CSV,),
)
async def list_leads(
    account_id: str, params: LeadsQuery, request: Request[Any, Any, Any], work: UnitOfWork, leads: LeadService
) -> Response[Page[Lead]]:
    """List the leads of an account, newest first, no matter how they arrived.

    Leads that the platform's webhooks have not reported are read first and sent as `lead.received`; each lead is
    reported once. With `Accept: text/csv`, a page is a table with a column for each answer, and the `Link` header has
    the URL of the next page.
    """
    return build_negotiated_response(request, await leads.list(work, account_id, params), {CSV: build_leads_csv})


@route(
    "GET",
    "/accounts/{account_id:str}/leads/{lead_id:str}",
    sdk="leads.get",
    tag=TAG,
    raises=(NotFound, NotSupportedError),
)
async def show_lead(account_id: str, lead_id: str, work: UnitOfWork, leads: LeadService) -> Lead:
    """Return a stored lead. Send its `etag` as `If-Match` when you change its state."""
    return await leads.get_lead(work, account_id, lead_id)


@route(
    "DELETE",
    "/accounts/{account_id:str}/leads/{lead_id:str}",
    sdk="leads.delete",
    tag=TAG,
    raises=(NotFound, ConversationBusy),
    example=DeletionConfirmation.example_of("lead"),
)
async def erase_lead(account_id: str, lead_id: str, work: UnitOfWork, leads: LeadService) -> DeletionConfirmation:
    """Erase the personal data of a lead: its answers, notes and assignee, including in the event that reported it.

    Conversations that automations opened with the person because of this lead are deleted, and what automations sent to
    others because of it is emptied. The platform keeps its own copy. Sweeps do not bring the lead back. This works for
    disconnected accounts too.
    """
    return await leads.erase(work, account_id, lead_id)


@route(
    "GET", "/accounts/{account_id:str}/lead-states", sdk="leads.states", tag=TAG, query=LeadsQuery, raises=(NotFound,)
)
async def list_lead_states(
    account_id: str, params: LeadsQuery, work: UnitOfWork, leads: LeadService
) -> Page[LeadState]:
    """List the states of the leads of an account, in the order of the leads."""
    return await leads.list_states(work, account_id, params)


@route(
    "PATCH", "/accounts/{account_id:str}/lead-states/{lead_id:str}", sdk="leads.set_state", tag=TAG, raises=(NotFound,)
)
async def change_lead_state(
    account_id: str,
    lead_id: str,
    data: LeadStateChanges,
    expected: ExpectedVersion,
    work: UnitOfWork,
    leads: LeadService,
) -> LeadState:
    """Update the state, assignee or note of a lead.

    Any state may follow any other. Each change is recorded in `history`. Nothing is sent to the platform.
    """
    return await work.write(leads.change_state, work.caller, account_id, lead_id, data, expected)


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
