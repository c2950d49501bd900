"""Leads in automations: the trigger for a new lead, and the action that sets its state."""

import hashlib
import re
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from socialgate.areas.leads.schemas import LeadState, LeadStateChanges
from socialgate.areas.leads.service import LeadService
from socialgate.areas.leads.tables import LeadStateName
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.automations import (
    CONTACT_FIELD_DESCRIPTIONS,
    ActionStep,
    ActionType,
    AutomationContact,
    AutomationOptions,
    AutomationSubject,
    TriggerOccurrence,
    TriggerOptions,
    TriggerType,
    contact_fields,
    requires_capability,
)
from socialgate.contracts.leads import LEADS_CAPABILITY, LeadItem, LeadStored
from socialgate.core.errors import NotFound
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_FORM_IDS_DESCRIPTION = "Only leads of these forms, by the platform's own ids. Empty: all forms."
_NON_DIAL_CHARACTER_PATTERN = re.compile(r"[^0-9+]")
_NAME_KEYS = ("full_name", "name")
_PHONE_KEYS = ("phone_number", "phone", "work_phone_number")
_EMAIL_KEYS = ("email", "work_email")
_FIELD_DESCRIPTIONS = {
    **CONTACT_FIELD_DESCRIPTIONS,
    "contact.id": "The same for all leads with the same email address; without one, with the same phone number.",
    "lead.id": "Our id of the lead.",
    "lead.email": "The email address in the lead.",
    "lead.formId": "The platform's id of the form.",
    "lead.formName": "The name of the form.",
    "lead.adId": "The ad that led to the form.",
    "lead.campaignId": "The campaign of that ad.",
    "account.id": "The account that the form belongs to.",
}


class LeadTrigger(TriggerOptions, frozen=True, kw_only=True, tag="lead.received"):
    """Somebody submits a lead form of an account. Test leads trigger nothing."""

    form_ids: Annotated[
        list[Annotated[str, Meta(min_length=1, max_length=300)]],
        Meta(max_length=100, description=_FORM_IDS_DESCRIPTION),
    ] = msgspec.field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "lead.received", "accountIds": [_EXAMPLE_ACCOUNT_ID]}


class SetLeadStateAction(AutomationOptions, frozen=True, kw_only=True, tag="setLeadState"):
    """Set the state of the lead and who is responsible for it. If omitted, `note` and `assignee` keep their values."""

    state: LeadStateName
    """The new state."""
    assignee: Annotated[str, Meta(max_length=200)] | UnsetType = UNSET
    """Who is responsible for it; any text."""
    note: Annotated[str, Meta(max_length=2000)] | UnsetType = UNSET
    """A note for your team."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "setLeadState", "state": "contacted", "assignee": "Bram"}


def _build_lead_occurrences(fact: LeadStored, account: AccountRow) -> Sequence[TriggerOccurrence]:
    lead = fact.lead
    if lead.test:
        return []
    answers = lead.fields
    name, phone = _first_answer(answers, _NAME_KEYS) or _join_name(answers), _first_answer(answers, _PHONE_KEYS)
    contact = AutomationContact(
        id=_build_contact_id(lead, _first_answer(answers, _EMAIL_KEYS), phone), name=name, phone=phone
    )
    subject = AutomationSubject(
        key=f"lead {fact.lead_id}",
        account_id=account.id,
        platform=account.platform,
        at=lead.created_at,
        text="\n".join(answers.values()),
        contact=contact,
        lead_id=fact.lead_id,
        object_id=lead.form_id,
        fields={
            **contact_fields(contact),
            "lead.id": fact.lead_id,
            "lead.email": _first_answer(answers, _EMAIL_KEYS),
            "lead.formId": lead.form_id,
            "lead.formName": lead.form_name,
            "lead.adId": lead.ad_id,
            "lead.campaignId": lead.campaign_id,
            "account.id": account.id,
        },
    )
    return [TriggerOccurrence(account.owner_id, account.profile_id, subject)]


def _build_contact_id(lead: LeadItem, email: str | None, phone: str | None) -> str:
    """Return what stays the same when a person submits another form.

    It outlives the lead in the record of who triggered an automation, so it must not contain the address itself.
    """
    known = (email or "").strip().casefold() or _NON_DIAL_CHARACTER_PATTERN.sub("", phone or "")
    return f"person_{hashlib.sha256(known.encode()).hexdigest()[:32]}" if known else lead.id


def _first_answer(answers: Any, names: Sequence[str]) -> str | None:
    return next((answers[name] for name in names if answers.get(name)), None)


def _join_name(answers: Any) -> str | None:
    return " ".join(filter(None, (answers.get("first_name"), answers.get("last_name")))) or None


class SetLeadStatePerformer:
    def __init__(self, desk: LeadService) -> None:
        self._desk = desk

    async def execute(self, work: UnitOfWork, step: ActionStep[SetLeadStateAction]) -> LeadState:
        subject, options = step.subject, step.options
        if subject.lead_id is None:
            raise NotFound("There is no lead to set the state of.")
        changes = LeadStateChanges(state=options.state, assignee=options.assignee, note=options.note)
        return await work.write(
            self._desk.change_state, work.caller, subject.account_id, subject.lead_id, changes, ExpectedVersion(None)
        )


AUTOMATION_TYPES = (
    TriggerType(
        options=LeadTrigger,
        subject_type="lead",
        has_contact=True,
        fact=LeadStored,
        extract_occurrences=_build_lead_occurrences,
        matches_options=lambda options, subject: not options.form_ids or subject.object_id in options.form_ids,
        object_field="lead.formId",
        is_supported_by=requires_capability(LEADS_CAPABILITY),
        fields=_FIELD_DESCRIPTIONS,
    ),
    ActionType(
        options=SetLeadStateAction,
        subject_types=frozenset({"lead"}),
        handler=SetLeadStatePerformer,
        summarize_outcome=lambda state: {"leadId": state.lead_id, "state": str(state.state)},
    ),
)
