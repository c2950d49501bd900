"""Leads through the API: people fill in forms in the sandbox, and each lead is kept and reported once."""

import csv
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from support.automations import Robot
from support.leads import AD_FORM, FORM, PAGE, PHONES, POLICY, AdOffice, Office
from support.parallel import at_once
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerOf, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as found:
        yield found
        found.http.delete("/_control/fail")
        found.control("webhooks", mode="normal", release=True)


@pytest.fixture
def office(running: RunningService, sandbox: Sandbox) -> Office:
    return Office(running, sandbox)


def test_a_lead_is_reported_with_its_answers(office: Office) -> None:
    lead_id = office.sent(name="Åsa Öberg", answers={"how_many": "small"})
    (event,) = eventually(office.events)
    assert (event["accountId"], event["platform"], event["formId"]) == (office.account_id, "meta", FORM)
    assert (event["formName"], event["test"]) == ("Order a cake", False)
    assert (event["fields"]["full_name"], event["fields"]["how_many"]) == ("Åsa Öberg", "small")
    assert event["adId"]
    assert event["campaignId"]
    lead = next(one for one in office.leads() if one["id"] == event["leadId"])
    assert (lead["platformLeadId"], lead["state"], lead["fields"]) == (lead_id, "new", event["fields"])


WAYS: dict[str, Callable[[Office, str], object]] = {
    "webhook": Office.take_webhook,
    "sweep": lambda office, _: office.sweep(),
    "list": lambda office, _: office.leads(),
}


@pytest.mark.parametrize("first", WAYS)
def test_one_lead_by_webhook_sweep_and_list_is_one_lead_and_one_event(office: Office, first: str) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.sent()
    assert office.known(lead_id) == 0
    for way in (first, *WAYS, "webhook"):
        WAYS[way](office, lead_id)
        assert (way, office.known(lead_id)) == (way, 1)
    assert len([one for one in office.leads() if one["platformLeadId"] == lead_id]) == 1
    assert len(office.reported(lead_id)) == 1


def test_one_lead_by_every_way_at_once_is_one_lead_and_one_event(office: Office) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.sent()
    ways = [*WAYS.values(), *WAYS.values()]
    at_once(len(ways), lambda number: ways[number](office, lead_id))
    assert office.known(lead_id) == 1
    assert len(office.reported(lead_id)) == 1


def test_a_lead_whose_webhook_was_lost_is_read_back_without_being_asked_for(office: Office) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.sent(name="Nobody Told")
    assert office.events() == []
    # The first sweep comes some minutes after connecting.
    office.wait(6)
    (event,) = eventually(office.events)
    assert event["fields"]["full_name"] == "Nobody Told"
    assert [one["platformLeadId"] for one in office.leads() if one["id"] == event["leadId"]] == [lead_id]


def test_what_was_sent_before_connecting_is_listed_and_is_no_news(running: RunningService, sandbox: Sandbox) -> None:
    first = Office(running, sandbox)
    old = first.sent()
    eventually(lambda: first.reported(old))
    first.wait(5)
    later = Office(running, sandbox)
    assert old in [one["platformLeadId"] for one in later.leads()]
    assert later.reported(old) == []


def test_forms_are_listed_read_and_created_once(office: Office) -> None:
    questions = [
        {"type": "full_name"},
        {"type": "phone"},
        {"type": "choice", "label": "How big?", "options": [{"label": "Small"}, {"key": "l", "label": "Large"}]},
        {"type": "text", "key": "why", "label": "Why?"},
    ]
    thanks = {"title": "Thanks", "body": "We call you.", "buttonText": "Look", "url": "https://x.example"}
    body: dict[str, Any] = {
        "name": f"Wedding {uuid4().hex}",
        "questions": questions,
        "thankYou": thanks,
        "locale": "de_DE",
    }
    office.sandbox.control("fail", platform="meta", path="*/leadgen_forms", method="POST", when="after")
    made = office.created("once", **body)
    assert made.status_code == 201, made.text
    assert office.created("once", **body).json()["id"] == made.json()["id"]
    read = office.owner.session.get(f"{office.path}/lead-forms/{made.json()['id']}").json()
    assert [(one["key"], one["type"]) for one in read["questions"]] == [
        ("full_name", "full_name"),
        ("phone_number", "phone"),
        ("how_big", "choice"),
        ("why", "text"),
    ]
    assert [one["key"] for one in read["questions"][2]["options"]] == ["small", "l"]
    assert (read["status"], read["privacyPolicyUrl"], read["locale"]) == ("active", POLICY, "de_DE")
    assert read["thankYou"] == thanks
    listed = office.owner.session.get(f"{office.path}/lead-forms", params={"limit": 100}).json()["data"]
    assert [one["name"] for one in listed].count(body["name"]) == 1
    assert FORM in [one["id"] for one in listed]


@pytest.mark.parametrize(
    ("question", "pointer", "code"),
    [
        ({"type": "shoe_size"}, "/questions/1/type", "unknown_type"),
        ({"type": "text"}, "/questions/1/label", "required"),
        ({"type": "choice", "label": "Size?"}, "/questions/1/options", "required"),
        ({"type": "text", "label": "Size?", "options": [{"label": "S"}]}, "/questions/1/options", "contradiction"),
        ({"type": "email"}, "/questions/1/key", "duplicate"),
    ],
)
def test_a_form_that_the_platform_would_refuse_says_why(
    office: Office, question: dict[str, Any], pointer: str, code: str
) -> None:
    refused = office.created(questions=[{"type": "email"}, question])
    assert fault_of(refused) == (pointer, code)
    name = refused.request.content.decode().split('"')[3]
    listed = office.owner.session.get(f"{office.path}/lead-forms", params={"limit": 100}).json()["data"]
    assert name not in [one["name"] for one in listed]


def test_states_have_a_history_and_two_editors_do_not_overwrite_each_other(office: Office) -> None:
    lead = office.simulated()
    path = f"{office.path}/lead-states/{lead['id']}"
    first = office.owner.session.patch(path, json={"state": "contacted", "note": "Called", "assignee": "Bram"})
    assert first.status_code == 200, first.text
    assert first.headers["etag"]
    second = office.owner.session.patch(path, json={"state": "won"}, headers={"If-Match": first.headers["etag"]})
    assert second.json()["state"] == "won"
    late = office.owner.session.patch(path, json={"state": "lost"}, headers={"If-Match": first.headers["etag"]})
    problem_of(late, 412, "precondition_failed")
    (state,) = office.owner.session.get(f"{office.path}/lead-states", params={"state": "won"}).json()["data"]
    steps = [(one["from"], one["to"], one["note"]) for one in state["history"]]
    assert steps == [("new", "contacted", "Called"), ("contacted", "won", None)]
    assert (state["assignee"], state["note"]) == ("Bram", "Called")
    assert all(one["by"] for one in state["history"])
    assert [one["id"] for one in office.leads(state="won")] == [lead["id"]]
    assert lead["id"] not in [one["id"] for one in office.leads(state="new")]
    problem_of(OwnerOf(office.running).session.patch(path, json={"state": "won"}), 404, "not_found")
    problem_of(office.owner.session.patch(f"{path[:-4]}0000", json={"state": "won"}), 404, "not_found")


def test_leads_are_listed_page_by_page(office: Office) -> None:
    made = [office.simulated()["id"] for _ in range(5)]
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = office.owner.session.get(f"{office.path}/leads", params={"limit": 2, "form": FORM, **cursor}).json()
        found += [one["id"] for one in answer["data"] if one["test"]]
        if answer["nextCursor"] is None:
            break
        cursor = {"cursor": answer["nextCursor"]}
    assert found == made[::-1]
    assert office.leads(form="404") == []
    assert office.leads(since="2099-01-01T00:00:00Z") == []
    foreign = office.owner.session.get(f"{office.path}/lead-states", params=cursor)
    assert fault_of(foreign) == ("?cursor", "invalid_cursor")


def test_accounts_without_leads_say_who_has_them(office: Office) -> None:
    rows = office.owner.session.get("/accounts").json()["data"]
    instagram = next(row["id"] for row in rows if row["kind"] == "instagram")
    for path in ("lead-forms", "leads"):
        problem = problem_of(office.owner.session.get(f"/accounts/{instagram}/{path}"), 422, "not_supported")
        assert "Facebook Page" in problem["detail"]


def test_a_page_that_takes_the_leads_away_says_so_and_gives_them_later(office: Office) -> None:
    office.sandbox.control("leadAccess", platform="meta", account=PAGE)
    lead_id = office.sent()
    assert office.leads(since="2000-01-01T00:00:00Z", state="won") == []
    office.sandbox.control("leadAccess", platform="meta", account=PAGE, allowed=True)
    eventually(lambda: office.reported(lead_id))


def test_leads_of_an_ad_account_are_exported_from_all_regions(running: RunningService, sandbox: Sandbox) -> None:
    office = AdOffice(running, sandbox)
    sandbox.control("webhooks", mode="hold")
    sent = {office.sent(country=country): country for country in ("DE", "US", "BR")}
    office.wait(6)
    eventually(lambda: len(office.events()) >= len(sent))
    listed = {one["platformLeadId"]: one for one in office.leads()}
    assert set(sent) <= set(listed)
    assert len(office.events()) == len(sent)
    event = office.events()[0]
    assert (event["platform"], event["formId"], event["formName"]) == ("tiktokads", AD_FORM, "Order a cake")
    assert set(event["fields"]) == {"name", "email", "phone_number"}


def test_a_lead_of_an_ad_account_is_told_at_once_and_exported_without_a_second_event(
    running: RunningService, sandbox: Sandbox
) -> None:
    office = AdOffice(running, sandbox)
    lead_id = office.sent(name="Zoë 🚀")
    (event,) = eventually(lambda: office.reported(lead_id))
    assert (event["fields"]["name"], event["formName"], event["test"]) == ("Zoë 🚀", "Order a cake", False)
    office.wait(6)
    # The sweep has been there once it knows what no webhook told.
    sandbox.control("webhooks", mode="hold")
    untold = office.sent()
    office.wait(20)
    eventually(lambda: office.reported(untold))
    assert len(office.reported(lead_id)) == 1


def test_forms_of_an_ad_account_are_read_and_cannot_be_created(running: RunningService, sandbox: Sandbox) -> None:
    office = AdOffice(running, sandbox)
    (form,) = office.owner.session.get(f"{office.path}/lead-forms").json()["data"]
    assert (form["id"], form["name"], form["status"]) == (AD_FORM, "Order a cake", "active")
    read = office.owner.session.get(f"{office.path}/lead-forms/{AD_FORM}").json()
    assert [(one["key"], one["type"]) for one in read["questions"]] == [
        ("name", "full_name"),
        ("email", "email"),
        ("phone_number", "phone"),
    ]
    assert re.fullmatch(PHONES["SE"], office.simulated(AD_FORM)["fields"]["phone_number"])
    assert "Facebook Page" in problem_of(office.created(), 422, "not_supported")["detail"]
    problem_of(office.owner.session.get(f"{office.path}/lead-forms/1"), 404, "platform_not_found")


def test_erasing_a_lead_leaves_nothing_of_what_the_person_said(office: Office) -> None:
    robot = Robot(office.owner, {"type": "lead.received"}, {"type": "setLeadState", "state": "contacted"})
    hook = {"url": "https://hooks.example.com/in", "events": ["lead.received"]}
    deliveries = f"/hooks/{office.owner.session.post('/hooks', json=hook).json()['id']}/deliveries"
    name = f"Erik {uuid4().hex}"
    lead_id = office.sent(name=name)
    (event,) = eventually(lambda: office.reported(lead_id))
    robot.ended()
    path = f"{office.path}/leads/{event['leadId']}"
    (delivery,) = eventually(lambda: office.owner.session.get(deliveries).json()["data"])
    history = [f"{office.path}/leads", "/events", f"{deliveries}/{delivery['id']}"]
    assert [name in office.owner.session.get(one).text for one in history] == [True] * len(history)
    assert office.owner.session.delete(path).json() == {"id": event["leadId"], "deleted": True}
    problem_of(office.owner.session.delete(path), 404, "not_found")
    everything = [office.owner.session.get(one).text for one in (*history, robot.path)]
    everything += [str(robot.runs()), str(office.owner.session.get(f"{office.path}/lead-states").json())]
    assert [name in one for one in everything] == [False] * len(everything)
    # The platform still has it, and the sweep reads it again.
    office.wait(20)
    last = office.sent()
    eventually(lambda: office.reported(last))
    assert lead_id not in [one["platformLeadId"] for one in office.leads()]
    assert [one["fields"] for one in office.events() if one["leadId"] == event["leadId"]] == [{}]


def test_leads_are_written_as_a_table(office: Office) -> None:
    lead_id = office.sent(name="=1+1")
    eventually(lambda: office.reported(lead_id))
    path = f"{office.path}/leads?form={FORM}"
    answer = office.owner.session.get(path, headers={"Accept": "text/csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(answer.text.splitlines()))
    ours = [one["id"] for one in office.leads() if one["platformLeadId"] == lead_id]
    (row,) = [one for one in rows if one["id"] in ours]
    assert (row["full_name"], row["state"], row["formName"]) == ("'=1+1", "new", "Order a cake")
    problem_of(office.owner.session.get(path, headers={"Accept": "image/png"}), 406, "not_acceptable")
