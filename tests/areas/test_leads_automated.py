"""Automations on leads, through the API: what sets them off, what they do, and that test leads reach nobody."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.automations import AutomationFixture, create, list_triggered_events, statuses
from support.connections import connect_accounts
from support.leads import FORM, LeadFormFixture
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

TRIGGER = {"type": "lead.received", "formIds": [FORM]}
CONTACTED = {"type": "setLeadState", "state": "contacted", "assignee": "Bram", "note": "For {{contact.name}}"}
# How Meta's own testing tools fill in a form.
DUMMY = {"full_name": "<test lead: dummy data for full_name>", "email": "test@meta.com"}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own: people of other tests must not fill in its forms."""
    with start_service() as own:
        yield own


@pytest.fixture
def office(running: RunningService) -> Iterator[LeadFormFixture]:
    with Sandbox(running) as sandbox:
        yield LeadFormFixture(running, sandbox)


class Team:
    """What an office lets its automations do outward: write on WhatsApp, and call a hook."""

    def __init__(self, office: LeadFormFixture) -> None:
        self.office = office
        (self.number,) = connect_accounts(office.sandbox, office.owner, "whatsapp-cloud")
        hook = {"url": "https://hooks.example.com/in", "events": ["post.published"]}
        self.hook = str(office.owner.session.post("/hooks", json=hook).json()["id"])

    @property
    def actions(self) -> list[dict[str, Any]]:
        words = {"type": "body", "parameters": [{"type": "text", "text": "{{contact.name}}"}] * 2}
        template = {"name": "order_ready", "language": "en_US", "components": [words]}
        write = {"type": "sendTemplate", "accountId": self.number, "to": "{{contact.phone}}", "template": template}
        return [CONTACTED, write, {"type": "callHook", "hookId": self.hook}]

    def written_to(self) -> list[str]:
        """List the phones of those who got a message."""
        result = self.office.owner.session.get(f"/accounts/{self.number}/conversations").json()["data"]
        return [item["contact"]["phone"] for item in result]

    def calls(self) -> int:
        return len(self.office.owner.session.get(f"/hooks/{self.hook}/deliveries").json()["data"])


def lead_of(office: LeadFormFixture, platform_lead: str) -> dict[str, Any]:
    (lead,) = eventually(lambda: [item for item in office.leads() if item["platformLeadId"] == platform_lead])
    return lead


def run_of(robot: AutomationFixture, lead: dict[str, Any]) -> dict[str, Any]:
    """Wait until the run that a lead has set off is over."""

    def over() -> dict[str, Any] | None:
        mine = [item for item in robot.runs() if item["trigger"]["leadId"] == lead["id"]]
        return mine[0] if mine and mine[0]["status"] in {"done", "failed"} else None

    return eventually(over)


@pytest.mark.one_engine
def test_a_lead_is_taken_care_of_from_its_answers_to_a_message(office: LeadFormFixture) -> None:
    team = Team(office)
    conditions = [
        {"type": "platform", "platforms": ["meta"]},
        {"type": "account", "accountIds": [office.account_id]},
        {"type": "keyword", "any": ["wedding"], "match": "contains"},
        {"type": "field", "field": "lead.email", "operator": "exists"},
        {"type": "field", "field": "lead.formId", "operator": "equals", "value": FORM},
        {"type": "firstTime"},
    ]
    robot = AutomationFixture(office.owner, TRIGGER, *team.actions, conditions=conditions)
    others = [
        AutomationFixture(office.owner, {"type": "lead.received", "formIds": ["404"]}, CONTACTED),
        AutomationFixture(office.owner, TRIGGER, CONTACTED, conditions=[{"type": "keyword", "any": ["funeral"]}]),
        AutomationFixture(
            office.owner,
            TRIGGER,
            CONTACTED,
            conditions=[{"type": "field", "field": "lead.email", "operator": "missing"}],
        ),
    ]
    lead = lead_of(office, office.submit_form(name="Åsa Wedding-Öberg", phone="+46701740611"))
    run = run_of(robot, lead)
    assert statuses(run) == [("setLeadState", "done"), ("sendTemplate", "done"), ("callHook", "done")], run
    assert run["steps"][0]["detail"] == {"leadId": lead["id"], "state": "contacted"}
    (state,) = [
        item
        for item in office.owner.session.get(f"{office.path}/lead-states").json()["data"]
        if item["leadId"] == lead["id"]
    ]
    assert (state["state"], state["assignee"], state["note"]) == ("contacted", "Bram", "For Åsa Wedding-Öberg")
    assert [(item["from"], item["to"]) for item in state["history"]] == [("new", "contacted")]
    assert team.written_to() == ["+46701740611"]
    assert team.calls() == 1
    assert [item["runId"] for item in list_triggered_events(office.owner)] == [run["id"]]
    assert [automation_fixture.runs() for automation_fixture in others] == [[], [], []]


@pytest.mark.one_engine
def test_test_leads_reach_nobody(office: LeadFormFixture) -> None:
    team = Team(office)
    robot = AutomationFixture(office.owner, {"type": "lead.received"}, *team.actions)
    # Somebody from another country: the few numbers for fiction in this one are those of other leads, too.
    simulated = office.simulate(country="DE")
    dummy = lead_of(office, office.submit_form(answers=DUMMY))
    assert (simulated["test"], dummy["test"]) == (True, True)
    # What is done for this one would be done for those before it by now.
    lead = lead_of(office, office.submit_form(phone="+46701740612"))
    assert (lead["test"], run_of(robot, lead)["status"]) == (False, "done")
    ran = [item["trigger"]["leadId"] for item in robot.runs()]
    assert (ran.count(lead["id"]), {simulated["id"], dummy["id"]} & set(ran)) == (1, set())
    # Other people may fill in the form, which all owners share.
    assert (len(team.written_to()), team.calls(), len(list_triggered_events(office.owner))) == (
        len(ran),
        len(ran),
        len(ran),
    )
    assert simulated["fields"]["phone_number"] not in team.written_to()
    states = {item["id"]: item["state"] for item in office.leads()}
    assert [states[item["id"]] for item in (simulated, dummy, lead)] == ["new", "new", "contacted"]
    # They are listed and reported all the same.
    assert {item["leadId"] for item in office.events() if item["test"]} == {simulated["id"], dummy["id"]}


@pytest.mark.one_engine
def test_what_does_not_go_with_leads_is_refused(office: LeadFormFixture) -> None:
    def refused(trigger: dict[str, Any], *actions: dict[str, Any], **fields: Any) -> tuple[str, str]:
        return fault_of(create(office.owner, trigger, *actions, **fields))

    assert refused({"type": "message.received"}, CONTACTED) == ("/actions/0/type", "not_supported")
    assert refused(TRIGGER, {"type": "reply", "text": "Hello"}) == ("/actions/0/type", "not_supported")
    alone = problem_of(create(office.owner, TRIGGER, {"type": "sendMessage", "text": "Hello"}), 422, "invalid")
    assert [item["pointer"] for item in alone["errors"]] == ["/actions/0/to", "/actions/0/accountId"]
    write = {"to": "{{contact.phone}}", "template": {"name": "hello_world", "language": "en_US"}}
    assert refused(TRIGGER, {"type": "sendTemplate", **write}) == ("/actions/0/accountId", "required")
    text = {"type": "sendMessage", "to": "{{contact.phone}}", "text": "Hello"}
    assert refused(TRIGGER, text) == ("/actions/0/accountId", "required")
    unknown = {"type": "setLeadState", "state": "new", "note": "{{message.text}}"}
    assert refused(TRIGGER, unknown) == ("/actions/0/note", "unknown_placeholder")
    fields = [{"type": "field", "field": "message.text", "operator": "exists"}]
    assert refused(TRIGGER, CONTACTED, conditions=fields) == ("/conditions/0/field", "unknown_field")


def test_an_automation_on_leads_can_be_tried(office: LeadFormFixture) -> None:
    conditions = [{"type": "field", "field": "lead.formName", "operator": "contains", "value": "cake"}]
    robot = AutomationFixture(office.owner, TRIGGER, CONTACTED, conditions=conditions)
    tried = robot.dry_run(contact={"name": "Ana"}, fields={"lead.formId": FORM, "lead.formName": "Order a Cake"})
    assert [item["holds"] for item in tried["conditions"]] == [True]
    assert (tried["wouldRun"], tried["triggerAccepts"], tried["triggerReason"]) == (True, True, None)
    for fields in ({"lead.formId": "404"}, {}):
        missed = robot.dry_run(fields=fields)
        assert not missed["triggerAccepts"]
        assert "`lead.formId`" in missed["triggerReason"]
    assert robot.runs() == []


@pytest.mark.one_engine
def test_a_person_is_the_same_contact_in_all_their_leads(office: LeadFormFixture) -> None:
    robot = AutomationFixture(office.owner, TRIGGER, CONTACTED, conditions=[{"type": "firstTime"}])
    emails = ("ana@bakery.example", " Ana@Bakery.example", "bea@bakery.example")
    leads = [
        lead_of(office, office.submit_form(answers={"full_name": "Ana", "email": email}))["id"] for email in emails
    ]
    run_of(robot, {"id": leads[2]})
    first, other = (run for run in robot.runs() if run["trigger"]["leadId"] in leads)
    assert (first["trigger"]["leadId"], other["trigger"]["leadId"]) == (leads[0], leads[2])
    assert first["contactId"] != other["contactId"]
    assert "bakery" not in first["contactId"]
