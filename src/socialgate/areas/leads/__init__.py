"""Leads: forms on the platforms, the leads submitted through them, each reported once, and their states."""

from collections.abc import Sequence

from socialgate.areas.leads import store
from socialgate.areas.leads.automations import AUTOMATION_TYPES
from socialgate.areas.leads.jobs import LeadSweeper, build_enrolment_job, build_fetch_job, build_sweep_job
from socialgate.areas.leads.recorder import LeadRecorder
from socialgate.areas.leads.routes import routes
from socialgate.areas.leads.service import CREATE_FORM_OPERATION
from socialgate.contracts.accounts import AccountActivated
from socialgate.contracts.leads import LeadReported
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _build_listeners(ledger: LeadRecorder, sweeps: LeadSweeper) -> Sequence[FactListener]:
    return [LeadReported.heard_by(ledger.on_lead_reported), AccountActivated.heard_by(sweeps.on_account_connected)]


AREA = Area(
    routes=routes,
    jobs=[build_fetch_job, build_sweep_job, build_enrolment_job],
    operations=[CREATE_FORM_OPERATION],
    fact_listeners=_build_listeners,
    automation_types=AUTOMATION_TYPES,
    purges={"leads": store.purge_disconnected},
)
