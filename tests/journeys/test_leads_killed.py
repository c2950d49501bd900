"""Leads while the process that reads them back is killed: each is kept once and reported once.

No webhook comes, so that only the sweep brings them. Its process is shot at three of its calls, before and after the
platform has answered. Afterwards the webhooks come all the same, and change nothing.
"""

from collections import Counter
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.leads.recorder import LEAD_FETCH_JOB
from socialgate.areas.leads.tables import leads
from socialgate.core.jobs.job_store import jobs
from socialgate.core.jobs.service import JOB_LEASE
from socialgate.core.outbox import events
from socialgate_sandbox.vendors import meta
from socialgate_sandbox.vendors.meta.seed import BAKERY, BAKERY_FORM
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.parallel import in_parallel
from support.postgres import new_database
from support.seeded_vendors import connect_page
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

# Three pages of a list.
LEADS = 230
AT_ONCE = 100
# Where the sweep is shot: the call, how many of its kind are let through, when, and how many leads are known by then.
POINTS = (
    ("*/leadgen_forms", 0, "after", 0),
    ("*/leads", 1, "before", AT_ONCE),
    ("*/leads", 0, "after", AT_ONCE),
)
FIRST_AFTER = timedelta(minutes=6)


def fill_in(stage: CrashDeployment) -> str:
    order = {"platform": "meta", "account": BAKERY, "form": BAKERY_FORM}
    return str(stage.sandbox.control("lead", **order)["id"])


def kept(stage: CrashDeployment) -> Counter[str]:
    return Counter(row.vendor_id for row in stage.read(sa.select(leads.c.vendor_id)))


def reported(stage: CrashDeployment) -> Counter[str]:
    """Count the events of each lead, by the platform's id of it."""
    ours = {row.id: row.vendor_id for row in stage.read(sa.select(leads.c.id, leads.c.vendor_id))}
    pairs = stage.read(sa.select(events.c.body).where(events.c.name == "lead.received"))
    return Counter(ours[msgspec.json.decode(row.body)["data"]["leadId"]] for row in pairs)


def shoot_at(stage: CrashDeployment, path: str, skip: int, when: str, passed: timedelta) -> None:
    """Let time pass until the sweep goes on, and kill its process at a call. Nobody is there to end what it began."""
    order = {"platform": "meta", "method": "GET", "path": path, "skip": skip, "when": when, "hang": True}
    fault = stage.sandbox.control("fail", **order)["id"]
    stage.clocks.advance(passed, platforms=timedelta(0))
    eventually(lambda: fault in {item["fault"] for item in stage.sandbox.look("fail")["hanging"]})
    stage.victim.kill()
    stage.sandbox.client.delete("/_control/fail")
    stage.victim.start_again()
    stage.victim.wait_until_ready()


def test_a_sweep_whose_process_is_killed_loses_and_doubles_no_lead(
    engine: str, tmp_path: Path, postgres_url: str
) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(tmp_path, url, (), [meta.VENDOR]) as stage:
        connect_page(stage)
        stage.postpone_checks()
        stage.sandbox.control("webhooks", mode="hold")
        sent = Counter(in_parallel(lambda _: fill_in(stage), range(LEADS)))
        assert len(sent) == LEADS
        stage.clocks.stop()
        passed = FIRST_AFTER
        for path, skip, when, known in POINTS:
            shoot_at(stage, path, skip, when, passed)
            assert kept(stage).total() == known, path
            passed = JOB_LEASE + timedelta(seconds=1)
        stage.clocks.advance(passed, platforms=timedelta(0))
        eventually(lambda: kept(stage) == sent)
        assert reported(stage) == sent
        stage.sandbox.control("webhooks", mode="duplicate", release=True)
        stage.deliver_reports()
        fetches = sa.select(jobs.c.job_key, jobs.c.finished_at).where(jobs.c.type == LEAD_FETCH_JOB)
        eventually(lambda: len([row for row in stage.read(fetches) if row.finished_at is not None]) >= LEADS)
        assert (kept(stage), reported(stage)) == (sent, sent)
        for process in stage.processes:
            process.require_alive()
            process.require_no_errors()
