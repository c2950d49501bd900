"""Stores and reports each lead once, no matter how it arrives.

The same lead can arrive by webhook, by sweep and by a list request, in any order and at the same time. The platform's
id is unique per account: the first to insert the lead also reports it, in the same transaction.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.leads import store
from socialgate.areas.leads.form_cache import FormQuestions, LeadFormCache
from socialgate.areas.leads.tables import LeadRow, LeadStateName
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.automations import SubjectErased
from socialgate.contracts.leads import LeadItem, LeadReported, LeadStored
from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.events import LeadReceived
from socialgate.core.ids import new_id
from socialgate.core.jobs.service import JobService

LEAD_FETCH_JOB = "leads.fetch"
# Platforms report whole seconds, and their clocks differ from ours.
_CLOCK_SKEW = timedelta(minutes=1)
_MAX_NAME_LENGTH = 300


class LeadRecorder:
    def __init__(self, jobs: JobService, form_cache: LeadFormCache) -> None:
        self._jobs = jobs
        self._book = form_cache

    async def on_lead_reported(self, tx: Tx, fact: LeadReported, accounts: Sequence[AccountRow]) -> None:
        """Store a lead that came with its answers; otherwise queue a job that fetches them."""
        for account in accounts:
            if fact.lead is not None:
                await self.record_lead(tx, account, fact.lead, await self._book.load(tx, account, [fact.lead]))
            else:
                values = {"accountId": account.id, "leadId": fact.lead_id}
                await self._jobs.enqueue(
                    tx, LEAD_FETCH_JOB, account.owner_id, values, key=f"{account.id} {fact.lead_id}"
                )

    async def record_leads(self, tx: Tx, account: AccountRow, items: Sequence[LeadItem]) -> None:
        """Store leads read from the platform. Those submitted before the account was connected are not reported.

        Ordered by id, so that two transactions that store the same leads do not deadlock.
        """
        form_questions = await self._book.load(tx, account, items)
        for item in sorted(items, key=lambda lead_item: lead_item.id):
            await self.record_lead(
                tx, account, item, form_questions, should_report=item.created_at >= account.created_at - _CLOCK_SKEW
            )

    async def record_lead(
        self, tx: Tx, account: AccountRow, item: LeadItem, form_questions: FormQuestions, *, should_report: bool = True
    ) -> LeadRow | None:
        """Store a lead and report it; None if it is already stored, or was erased."""
        lead = await store.insert_lead(
            tx,
            account.owner_id,
            {
                "id": new_id("lead"),
                "account_id": account.id,
                "vendor_id": item.id,
                "form_id": item.form_id,
                "form_name": None if item.form_name is None else item.form_name[:_MAX_NAME_LENGTH],
                "ad_id": item.ad_id,
                "campaign_id": item.campaign_id,
                "fields": dict(item.fields),
                "test": item.test,
                "state": LeadStateName.NEW,
                "history": [],
                "created_at": item.created_at,
                "received_at": tx.now,
                "updated_at": tx.now,
            },
        )
        if lead is not None and await store.was_lead_erased(tx, account, item.id):
            await erase_lead(tx, lead)
            return None
        if lead is None or not should_report:
            return lead
        event_id = await outbox.emit_event(
            tx, account.owner_id, account.profile_id, build_lead_event(account, lead, form_questions)
        )
        await store.update_lead(tx, account.owner_id, lead.id, {"event_id": event_id})
        await tx.publish_fact(LeadStored(lead_id=lead.id, lead=item), account)
        return msgspec.structs.replace(lead, event_id=event_id)


def build_subject_key(lead: LeadRow) -> str:
    return f"lead {lead.id}"


async def erase_lead(tx: Tx, lead: LeadRow, since: datetime | None = None) -> None:
    """Erase the answers of a person, here and in the event that reported them. The row itself stays.

    Events of conversations before a time were redacted already, if one is named.
    """
    history = [{**step, "note": None} for step in lead.history]
    gone: dict[str, Any] = {"fields": {}, "note": None, "assignee": None, "history": history}
    await store.update_lead(tx, lead.owner_id, lead.id, {**gone, "erased_at": tx.now, "updated_at": tx.now})
    if lead.event_id is not None:
        await outbox.redact_event(tx, lead.owner_id, lead.event_id, lambda data: {**data, "fields": {}, "answers": []})
    tx.erases = True
    await tx.publish_fact(SubjectErased(build_subject_key(lead), tuple(lead.fields.values()), since), lead.owner_id)


def build_lead_event(account: AccountRow, lead: LeadRow, form_questions: FormQuestions) -> LeadReceived:
    return LeadReceived(
        lead_id=lead.id,
        account_id=account.id,
        platform=account.platform,
        form_id=lead.form_id,
        form_name=lead.form_name,
        ad_id=lead.ad_id,
        campaign_id=lead.campaign_id,
        created_at=lead.created_at,
        fields=dict(lead.fields),
        answers=form_questions.build_lead_answers(lead),
        test=lead.test,
    )
