"""Leads through the API: people fill in forms in the sandbox, and each lead is kept and reported once."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from socialgate.areas.leads import store
from support.automations import AutomationFixture
from support.leads import AD_FORM, FORM, PAGE, PHONES, POLICY, AdLeadFormFixture, LeadFormFixture
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved."""
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")
        sandbox.control("webhooks", mode="normal", release=True)


@pytest.fixture
def office(running: RunningService, sandbox: Sandbox) -> LeadFormFixture:
    return LeadFormFixture(running, sandbox)


@pytest.mark.one_engine
def test_a_lead_is_reported_with_its_answers(office: LeadFormFixture) -> None:
    lead_id = office.submit_form(name="Åsa Öberg", answers={"how_many": "small"})
    (event,) = eventually(office.events)
    assert (event["accountId"], event["platform"], event["formId"]) == (office.account_id, "meta", FORM)
    assert (event["formName"], event["test"]) == ("Order a cake", False)
    assert (event["fields"]["full_name"], event["fields"]["how_many"]) == ("Åsa Öberg", "small")
    assert event["adId"]
    assert event["campaignId"]
    lead = next(item for item in office.leads() if item["id"] == event["leadId"])
    assert (lead["platformLeadId"], lead["state"], lead["fields"]) == (lead_id, "new", event["fields"])


SIZES: dict[str, Any] = {"type": "choice", "label": "Size?"}
WAYS: dict[str, Callable[[LeadFormFixture, str], object]] = {
    "webhook": LeadFormFixture.take_webhook,
    "sweep": lambda office, _: office.sweep(),
    "list": lambda office, _: office.leads(),
}


@pytest.mark.parametrize("first", WAYS)
def test_one_lead_by_webhook_sweep_and_list_is_one_lead_and_one_event(office: LeadFormFixture, first: str) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.submit_form()
    assert office.count_rows(lead_id) == 0
    for way in (first, *WAYS, "webhook"):
        WAYS[way](office, lead_id)
        assert (way, office.count_rows(lead_id)) == (way, 1)
    assert len([item for item in office.leads() if item["platformLeadId"] == lead_id]) == 1
    assert len(office.reported(lead_id)) == 1


def test_one_lead_by_every_way_at_once_is_one_lead_and_one_event(office: LeadFormFixture) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.submit_form()
    ways = [*WAYS.values(), *WAYS.values()]
    run_simultaneously(len(ways), lambda number: ways[number](office, lead_id))
    assert office.count_rows(lead_id) == 1
    assert len(office.reported(lead_id)) == 1


@pytest.mark.one_engine
def test_a_lead_whose_webhook_was_lost_is_read_back_without_being_asked_for(office: LeadFormFixture) -> None:
    office.sandbox.control("webhooks", mode="hold")
    lead_id = office.submit_form(name="Nobody Told")
    assert office.events() == []
    # The first sweep comes some minutes after connecting.
    office.wait(6)
    (event,) = eventually(office.events)
    assert event["fields"]["full_name"] == "Nobody Told"
    assert [item["platformLeadId"] for item in office.leads() if item["id"] == event["leadId"]] == [lead_id]


@pytest.mark.one_engine
def test_what_was_sent_before_connecting_is_listed_and_is_no_news(running: RunningService, sandbox: Sandbox) -> None:
    first = LeadFormFixture(running, sandbox)
    old = first.submit_form()
    eventually(lambda: first.reported(old))
    first.wait(5)
    later = LeadFormFixture(running, sandbox)
    assert old in [item["platformLeadId"] for item in later.leads()]
    assert later.reported(old) == []


@pytest.mark.one_engine
def test_forms_are_listed_read_and_created_once(office: LeadFormFixture) -> None:
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
    response = office.create_form("once", **body)
    assert response.status_code == 201, response.text
    assert office.create_form("once", **body).json()["id"] == response.json()["id"]
    read = office.owner.session.get(f"{office.path}/lead-forms/{response.json()['id']}").json()
    named = ["Full name", "Phone number", "How big?", "Why?"]
    assert [item["label"] for item in read["questions"]] == named
    assert [(item["key"], item["type"]) for item in read["questions"]] == [
        ("full_name", "full_name"),
        ("phone_number", "phone"),
        ("how_big", "choice"),
        ("why", "text"),
    ]
    assert [item["key"] for item in read["questions"][2]["options"]] == ["small", "l"]
    assert (read["status"], read["privacyPolicyUrl"], read["locale"]) == ("active", POLICY, "de_DE")
    assert read["thankYou"] == thanks
    listed = office.owner.session.get(f"{office.path}/lead-forms", params={"limit": 100}).json()["data"]
    assert [item["name"] for item in listed].count(body["name"]) == 1
    assert FORM in [item["id"] for item in listed]


@pytest.mark.parametrize(
    ("failure", "phone"), [(None, "Phone number"), ({"status": 500, "times": 99}, "Phone")], ids=["read", "not read"]
)
@pytest.mark.one_engine
def test_every_question_of_a_new_form_has_a_label(
    office: LeadFormFixture, failure: dict[str, Any] | None, phone: str
) -> None:
    if failure is not None:
        # What is read after a form was created: something with an id of its own.
        office.sandbox.control("fail", platform="meta", path="*/[0-9]*", method="GET", **failure)
    response = office.create_form(
        questions=[{"type": "full_name"}, {"type": "phone"}, {"type": "text", "label": "Why?"}]
    )
    assert response.status_code == 201, response.text
    questions = [(item["key"], item["label"]) for item in response.json()["questions"]]
    assert questions == [("full_name", "Full name"), ("phone_number", phone), ("why", "Why?")]


@pytest.mark.parametrize(
    ("question", "pointer", "code"),
    [
        ({"type": "shoe_size"}, "/questions/1/type", "unknown_type"),
        ({"type": "text"}, "/questions/1/label", "required"),
        ({"type": "choice", "label": "Size?"}, "/questions/1/options", "required"),
        ({"type": "text", "label": "Size?", "options": [{"label": "S"}]}, "/questions/1/options", "contradiction"),
        ({"type": "email"}, "/questions/1/key", "duplicate"),
        ({**SIZES, "options": [{"label": "S"}, {"label": "s!"}]}, "/questions/1/options/1/key", "duplicate"),
        ({**SIZES, "options": [{"label": "S"}, {"label": "?"}]}, "/questions/1/options/1/key", "required"),
    ],
)
@pytest.mark.one_engine
def test_a_form_that_the_platform_would_refuse_says_why(
    office: LeadFormFixture, question: dict[str, Any], pointer: str, code: str
) -> None:
    refused = office.create_form(questions=[{"type": "email"}, question])
    assert fault_of(refused) == (pointer, code)
    assert refused.json()["errors"][0]["detail"] in refused.json()["detail"]
    name = refused.request.content.decode().split('"')[3]
    listed = office.owner.session.get(f"{office.path}/lead-forms", params={"limit": 100}).json()["data"]
    assert name not in [item["name"] for item in listed]


@pytest.mark.one_engine
def test_a_name_that_is_taken_says_so(office: LeadFormFixture) -> None:
    name = f"Form {uuid4().hex}"
    assert office.create_form(name=name).status_code == 201
    problem = problem_of(office.create_form(name=name), 422, "platform_rejected")
    assert "A form with this name already exists." in problem["detail"]


def test_states_have_a_history_and_two_editors_do_not_overwrite_each_other(office: LeadFormFixture) -> None:
    lead = office.simulate()
    path = f"{office.path}/lead-states/{lead['id']}"
    first = office.owner.session.patch(path, json={"state": "contacted", "note": "Called", "assignee": "Bram"})
    assert first.status_code == 200, first.text
    assert first.headers["etag"]
    second = office.owner.session.patch(path, json={"state": "won"}, headers={"If-Match": first.headers["etag"]})
    assert second.json()["state"] == "won"
    late = office.owner.session.patch(path, json={"state": "lost"}, headers={"If-Match": first.headers["etag"]})
    detail = problem_of(late, 412, "precondition_failed")["detail"]
    current = office.owner.session.get(re.findall(r"GET (/\S+/leads/\w+)", detail)[0])
    assert current.json()["etag"] == current.headers["etag"] == second.headers["etag"]
    (state,) = office.owner.session.get(f"{office.path}/lead-states", params={"state": "won"}).json()["data"]
    steps = [(item["from"], item["to"], item["note"]) for item in state["history"]]
    assert steps == [("new", "contacted", "Called"), ("contacted", "won", None)]
    assert (state["assignee"], state["note"]) == ("Bram", "Called")
    assert all(item["by"] for item in state["history"])
    assert [item["id"] for item in office.leads(state="won")] == [lead["id"]]
    assert lead["id"] not in [item["id"] for item in office.leads(state="new")]
    problem_of(OwnerFixture(office.running).session.patch(path, json={"state": "won"}), 404, "not_found")
    problem_of(office.owner.session.patch(f"{path[:-4]}0000", json={"state": "won"}), 404, "not_found")


@pytest.mark.one_engine
def test_a_lead_that_was_only_listed_is_changed_without_overwriting_others(office: LeadFormFixture) -> None:
    lead = office.simulate()
    path, headers = f"{office.path}/lead-states/{lead['id']}", {"If-Match": office.leads()[0]["etag"]}
    changed = office.owner.session.patch(path, json={"state": "contacted"}, headers=headers)
    assert changed.status_code == 200, changed.text
    late = office.owner.session.patch(path, json={"state": "lost"}, headers=headers)
    problem_of(late, 412, "precondition_failed")
    (state,) = office.owner.session.get(f"{office.path}/lead-states", params={"state": "contacted"}).json()["data"]
    assert state["etag"] == changed.json()["etag"] == changed.headers["etag"] == office.leads()[0]["etag"]


def test_leads_are_listed_page_by_page(office: LeadFormFixture) -> None:
    items = [office.simulate()["id"] for _ in range(5)]
    result: list[str] = []
    cursor: dict[str, Any] = {}
    while True:
        answer = office.owner.session.get(f"{office.path}/leads", params={"limit": 2, "form": FORM, **cursor}).json()
        result += [item["id"] for item in answer["data"] if item["test"]]
        if answer["nextCursor"] is None:
            break
        cursor = {"cursor": answer["nextCursor"]}
    assert result == items[::-1]
    assert office.leads(form="404") == []
    assert office.leads(since="2099-01-01T00:00:00Z") == []
    foreign = office.owner.session.get(f"{office.path}/lead-states", params=cursor)
    assert fault_of(foreign) == ("?cursor", "invalid_cursor")


@pytest.mark.parametrize("field", ["leads", "lead-states"])
def test_a_page_of_long_leads_ends_earlier(office: LeadFormFixture, field: str) -> None:
    long = {"fields": {"why": "x" * 1_500_000}} if field == "leads" else {"history": [change("x" * 1_500_000)]}
    ids = [office.simulate()["id"] for _ in range(5)]
    for lead_id in ids:
        office.running.write(store.update_lead, office.owner.id, lead_id, long)
    first = office.owner.session.get(f"{office.path}/{field}", params={"limit": 200})
    assert len(first.content) < 5 * 1024 * 1024
    assert first.json()["nextCursor"]
    items = [item.get("leadId") or item["id"] for item in office.all_leads(field)]
    assert len(items) == len(set(items))
    assert set(ids) <= set(items)


def change(note: str) -> dict[str, str]:
    return {"at": "2026-11-16T00:00:00Z", "by": "key_1", "from": "new", "to": "won", "note": note}


@pytest.mark.one_engine
def test_accounts_without_leads_say_who_has_them(office: LeadFormFixture) -> None:
    rows = office.owner.session.get("/accounts").json()["data"]
    instagram = next(row["id"] for row in rows if row["kind"] == "instagram")
    for path in ("lead-forms", "leads"):
        problem = problem_of(office.owner.session.get(f"/accounts/{instagram}/{path}"), 422, "not_supported")
        assert "Facebook Page" in problem["detail"]


@pytest.mark.one_engine
def test_a_page_that_takes_the_leads_away_says_so_and_gives_them_later(office: LeadFormFixture) -> None:
    office.sandbox.control("leadAccess", platform="meta", account=PAGE)
    lead_id = office.submit_form()
    assert office.leads(since="2000-01-01T00:00:00Z", state="won") == []
    office.sandbox.control("leadAccess", platform="meta", account=PAGE, allowed=True)
    eventually(lambda: office.reported(lead_id))


@pytest.mark.one_engine
def test_leads_of_an_ad_account_are_exported_from_all_regions(running: RunningService, sandbox: Sandbox) -> None:
    office = AdLeadFormFixture(running, sandbox)
    sandbox.control("webhooks", mode="hold")
    sent = {office.submit_form(country=country): country for country in ("DE", "US", "BR")}
    office.wait(6)
    eventually(lambda: len(office.events()) >= len(sent))
    listed = {item["platformLeadId"]: item for item in office.leads()}
    assert set(sent) <= set(listed)
    assert len(office.events()) == len(sent)
    event = office.events()[0]
    assert (event["platform"], event["formId"], event["formName"]) == ("tiktokads", AD_FORM, "Order a cake")
    assert set(event["fields"]) == {"name", "email", "phone_number"}


def test_a_lead_of_an_ad_account_is_told_at_once_and_exported_without_a_second_event(
    running: RunningService, sandbox: Sandbox
) -> None:
    office = AdLeadFormFixture(running, sandbox)
    lead_id = office.submit_form(name="Zoë 🚀")
    (event,) = eventually(lambda: office.reported(lead_id))
    assert (event["fields"]["name"], event["formName"], event["test"]) == ("Zoë 🚀", "Order a cake", False)
    office.wait(6)
    # The sweep has been there once it knows what no webhook told.
    sandbox.control("webhooks", mode="hold")
    untold = office.submit_form()
    office.wait(20)
    eventually(lambda: office.reported(untold))
    assert len(office.reported(lead_id)) == 1


@pytest.mark.one_engine
def test_forms_of_an_ad_account_are_read_and_cannot_be_created(running: RunningService, sandbox: Sandbox) -> None:
    office = AdLeadFormFixture(running, sandbox)
    (form,) = office.owner.session.get(f"{office.path}/lead-forms").json()["data"]
    assert (form["id"], form["name"], form["status"]) == (AD_FORM, "Order a cake", "active")
    read = office.owner.session.get(f"{office.path}/lead-forms/{AD_FORM}").json()
    assert [(item["key"], item["type"]) for item in read["questions"]] == [
        ("name", "full_name"),
        ("email", "email"),
        ("phone_number", "phone"),
    ]
    assert re.fullmatch(PHONES["SE"], office.simulate(AD_FORM)["fields"]["phone_number"])
    assert "Facebook Page" in problem_of(office.create_form(), 422, "not_supported")["detail"]
    problem_of(office.owner.session.get(f"{office.path}/lead-forms/1"), 404, "platform_not_found")


def test_erasing_a_lead_leaves_nothing_of_what_the_person_said(office: LeadFormFixture) -> None:
    robot = AutomationFixture(office.owner, {"type": "lead.received"}, {"type": "setLeadState", "state": "contacted"})
    hook = {"url": "https://hooks.example.com/in", "events": ["lead.received"]}
    deliveries = f"/hooks/{office.owner.session.post('/hooks', json=hook).json()['id']}/deliveries"
    name = f"Erik {uuid4().hex}"
    lead_id = office.submit_form(name=name)
    (event,) = eventually(lambda: office.reported(lead_id))
    robot.wait_for_runs()
    path = f"{office.path}/leads/{event['leadId']}"
    (delivery,) = eventually(lambda: office.owner.session.get(deliveries).json()["data"])
    history = [f"{office.path}/leads", "/events", f"{deliveries}/{delivery['id']}"]
    assert [name in office.owner.session.get(value).text for value in history] == [True] * len(history)
    assert office.owner.session.delete(path).json() == {"id": event["leadId"], "deleted": True}
    problem_of(office.owner.session.delete(path), 404, "not_found")
    everything = [office.owner.session.get(value).text for value in (*history, robot.path)]
    everything += [str(robot.runs()), str(office.owner.session.get(f"{office.path}/lead-states").json())]
    assert [name in value for value in everything] == [False] * len(everything)
    # The platform still has it, and the sweep reads it again.
    office.wait(20)
    last = office.submit_form()
    eventually(lambda: office.reported(last))
    assert lead_id not in [item["platformLeadId"] for item in office.leads()]
    assert [item["fields"] for item in office.events() if item["leadId"] == event["leadId"]] == [{}]


@pytest.mark.parametrize("since", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
@pytest.mark.one_engine
def test_a_time_beyond_the_calendar_is_refused(office: LeadFormFixture, since: str) -> None:
    for label in ("leads", "lead-states"):
        answer = office.owner.session.get(f"{office.path}/{label}", params={"since": since})
        assert fault_of(answer) == ("?since", "out_of_range")


@pytest.mark.one_engine
def test_leads_are_written_as_a_table(office: LeadFormFixture) -> None:
    lead_id = office.submit_form(name="=1+1")
    eventually(lambda: office.reported(lead_id))
    path = f"{office.path}/leads?form={FORM}"
    answer = office.owner.session.get(path, headers={"Accept": "text/csv"})
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(answer.text.splitlines()))
    ours = [item["id"] for item in office.leads() if item["platformLeadId"] == lead_id]
    (row,) = [row for row in rows if row["id"] in ours]
    assert (row["full_name"], row["state"], row["formName"]) == ("'=1+1", "new", "Order a cake")
    lead = next(item for item in office.leads() if item["id"] == row["id"])
    assert (row["platformLeadId"], row["receivedAt"]) == (lead_id, lead["receivedAt"])
    problem_of(office.owner.session.get(path, headers={"Accept": "image/png"}), 406, "not_acceptable")


@pytest.mark.one_engine
def test_a_table_tells_the_state_of_a_lead_from_that_of_a_person_and_has_further_pages(office: LeadFormFixture) -> None:
    form = office.create_form(questions=[{"type": "state"}, {"type": "full_name"}]).json()["id"]
    sent = [office.submit_form(form=form, name=name) for name in ("\uff1d1+1", "\n=1+1", 'Zoë 🍰, "Z"')]
    eventually(lambda: len(office.leads(form=form)) == len(sent))
    path = f"{office.path}/leads?form={form}&limit=2"
    rows: list[dict[str, str]] = []
    while path:
        answer = office.owner.session.get(path, headers={"Accept": "text/csv"})
        assert answer.status_code == 200, answer.text
        rows += csv.DictReader(io.StringIO(answer.text, newline=""))
        path = answer.links["next"]["url"] if "next" in answer.links else ""
    leads = {item["id"]: item for item in office.leads(form=form)}
    assert [row["id"] for row in rows] == list(leads)
    for row in rows:
        lead = leads[row["id"]]
        assert (row["state"], row["fields.state"]) == ("new", lead["fields"]["state"])
        assert row["createdAt"] == lead["createdAt"]
        assert not row["full_name"].startswith(("=", "\uff1d", "\n"))


@pytest.mark.one_engine
def test_a_form_that_the_platform_refuses_keeps_no_other_back(office: LeadFormFixture) -> None:
    office.sandbox.control("webhooks", mode="hold")
    forms = [office.create_form().json()["id"] for _ in range(3)]
    sent = [office.submit_form(form=form) for form in forms]
    # The first that is listed, and so the first that is read.
    listed = [item["id"] for item in office.owner.session.get(f"{office.path}/lead-forms?limit=100").json()["data"]]
    first = min(forms, key=listed.index)
    office.sandbox.control("fail", platform="meta", path=f"*/{first}/leads", error="not_found", times=9)
    others = {lead for form, lead in zip(forms, sent, strict=True) if form != first}
    office.wait(20)
    eventually(lambda: all(office.count_rows(value) for value in others))
    eventually(office.is_sweep_idle)
    assert office.swept_until() is None
    (late,) = set(sent) - others
    assert office.count_rows(late) == 0
    # A list shows what could be read.
    another = office.submit_form(form=next(form for form in forms if form != first))
    eventually(lambda: another in {item["platformLeadId"] for item in office.leads()})
    office.sandbox.http.delete("/_control/fail")
    office.sweep()
    assert [len(office.reported(value)) for value in sent] == [1, 1, 1]
