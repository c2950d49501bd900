"""Leads: forms on the platforms, the leads submitted through them, each reported once, and their states."""

from collections.abc import Sequence

from socialgate.areas.leads import store
from socialgate.areas.leads.automations import AUTOMATES
from socialgate.areas.leads.jobs import LeadSweeps, enrolment, fetching, sweeping
from socialgate.areas.leads.ledger import LeadLedger
from socialgate.areas.leads.routes import routes
from socialgate.areas.leads.service import CREATE
from socialgate.contracts.accounts import NowConnected
from socialgate.contracts.leads import LeadReported
from socialgate.core.facts import FactListener
from socialgate.web.area import Area


def _listens(ledger: LeadLedger, sweeps: LeadSweeps) -> Sequence[FactListener]:
    return [LeadReported.heard_by(ledger.reported), NowConnected.heard_by(sweeps.connected)]


AREA = Area(
    routes=routes,
    jobs=[fetching, sweeping, enrolment],
    operations=[CREATE],
    listens=_listens,
    automates=AUTOMATES,
    purges={"leads": store.purge_disconnected},
)
