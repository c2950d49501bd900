"""What is left of a person whose lead was erased: nothing, wherever it had been written, and nothing comes back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from support.automations import Robot
from support.leads import AdOffice, Office
from support.problems import problem_of
from support.receiver import Receiver, Reply
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    folder: Path = tmp_path_factory.mktemp("receiver")
    with Receiver(folder) as found:
        yield found


@pytest.fixture(scope="module")
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as found:
        yield found
        found.control("webhooks", mode="normal", release=True)


@pytest.fixture
def office(running: RunningService, sandbox: Sandbox) -> Office:
    return Office(running, sandbox)


def our_lead(office: Office, lead_id: str) -> dict[str, Any]:
    return eventually(lambda: next((one for one in office.leads() if one["platformLeadId"] == lead_id), None))


def test_what_receivers_answered_is_erased_too(office: Office, receiver: Receiver) -> None:
    receiver.behaviour = lambda received: Reply(body=received.body)
    events = {"events": ["lead.received", "automation.triggered"]}
    hook = office.owner.session.post("/hooks", json={"url": receiver.url(), **events}).json()["id"]
    robot = Robot(office.owner, {"type": "lead.received"}, {"type": "setLeadState", "state": "contacted"})
    name = f"Erik {uuid4().hex}"
    lead = our_lead(office, office.sent(name=name))
    robot.ended()
    path = f"/hooks/{hook}/deliveries"

    def done() -> list[dict[str, Any]] | None:
        found = office.owner.session.get(path).json()["data"]
        over = [one for one in found if one["status"] == "succeeded"]
        return found if len(over) == len(events["events"]) else None

    deliveries = eventually(done)
    assert name in str(deliveries)
    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    after = office.owner.session.get(path).json()["data"]
    assert name not in str(after)
    assert [one["attempts"][0]["statusCode"] for one in after] == [200, 200]


@pytest.mark.parametrize("kind", [Office, AdOffice])
def test_an_erased_lead_stays_erased_when_the_account_is_connected_again(
    running: RunningService, sandbox: Sandbox, kind: type[Office]
) -> None:
    office = kind(running, sandbox)
    gone, kept = office.sent(), office.sent()
    lead, before = our_lead(office, gone), office.account_id
    our_lead(office, kept)
    assert office.owner.session.delete(f"{office.path}/leads/{lead['id']}").status_code == 200
    office.disconnect()
    office.connect()
    assert office.account_id != before
    office.sweep()
    shown = [one["platformLeadId"] for one in office.leads(limit=200)]
    assert kept in shown
    assert gone not in shown


def test_a_lead_of_an_account_that_was_disconnected_is_erased(office: Office) -> None:
    name = f"Erik {uuid4().hex}"
    lead = our_lead(office, office.sent(name=name))
    elsewhere = office.owner.limited_key(office.owner.new_profile())
    office.disconnect()
    path = f"{office.path}/leads/{lead['id']}"
    problem_of(elsewhere.delete(path), 403, "out_of_scope")
    problem_of(office.running.new_owner().session.delete(path), 404, "not_found")
    assert name in str(office.events())
    assert office.owner.session.delete(path).json() == {"id": lead["id"], "deleted": True}
    assert name not in str(office.events())
    problem_of(office.owner.session.delete(path), 404, "not_found")
