"""Leads: forms on the platforms, the leads submitted through them, each reported once, and their states."""

from collections.abc import Sequence

from socialgate.areas.leads import store
from socialgate.areas.leads.automations import AUTOMATION_TYPES
from socialgate.areas.leads.jobs import (
    LeadSweeper,
    build_lead_fetch_job_type,
    build_lead_sweep_backfill_job_type,
    build_lead_sweep_job_type,
)
from socialgate.areas.leads.recorder import LeadRecorder
from socialgate.areas.leads.routes import routes
from socialgate.areas.leads.service import CREATE_FORM_OPERATION
from socialgate.contracts.accounts import AccountActivated
from socialgate.contracts.leads import LeadReported
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: LeadRecorder, sweeps: LeadSweeper) -> Sequence[FactListener]:
    return [
        LeadReported.build_listener(ledger.on_lead_reported),
        AccountActivated.build_listener(sweeps.on_account_connected),
    ]


AREA = Area(
    routes=routes,
    jobs=[build_lead_fetch_job_type, build_lead_sweep_job_type, build_lead_sweep_backfill_job_type],
    operations=[CREATE_FORM_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"leads": store.purge_leads_of_disconnected_accounts},
)
