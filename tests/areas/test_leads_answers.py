"""Answers of leads come with their questions: named as people saw them, and typed, whatever happens to the form."""

from collections.abc import Iterator
from typing import Any

import pytest

from socialgate.areas.leads import form_cache, store
from support.leads import FORM, AdLeadFormFixture, LeadFormFixture
from support.problems import problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

QUESTIONS: list[dict[str, Any]] = [
    {"type": "full_name"},
    {"type": "date_of_birth"},
    {
        "type": "choice",
        "label": "How big?",
        "options": [{"key": "s", "label": "Small"}, {"key": "l", "label": "Large"}],
    },
    {"type": "text", "key": "why", "label": "Why us?"},
]
# The type of a question, what was answered, the value that it has, and its label.
VALUES: list[tuple[str, str, Any, str | None]] = [
    ("slider", "12", 12, None),
    ("number", "-1.5", -1.5, None),
    ("number", "a dozen", "a dozen", None),
    ("number", "12345678901234567890", "12345678901234567890", None),
    ("checkbox", "Yes", True, None),
    ("boolean", "false", False, None),
    ("boolean", "perhaps", "perhaps", None),
    ("date", "2026-02-28", "2026-02-28", None),
    ("date_of_birth", "02/30/1990", "02/30/1990", None),
    ("date_time", "2026-11-16T10:00:00+00:00", "2026-11-16T10:00:00+00:00", None),
    ("zip", "01234", "01234", None),
    ("choice", "a", "a", "First"),
    ("choice", "a, b", ["a", "b"], "First, Second"),
    ("choice", "b, one, two", ["b", "one, two"], "Second, Both"),
    ("choice", "a, other", "a, other", None),
]
GIVEN = {"full_name": "Åsa Öberg", "date_of_birth": "03/14/1990", "how_big": "l", "why": "A friend"}


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


@pytest.fixture
def office(running: RunningService, sandbox: Sandbox) -> LeadFormFixture:
    return LeadFormFixture(running, sandbox)


def new_form(office: LeadFormFixture) -> str:
    response = office.create_form(questions=QUESTIONS)
    assert response.status_code == 201, response.text
    return str(response.json()["id"])


def reported(office: LeadFormFixture, lead_id: str) -> dict[str, Any]:
    (event,) = eventually(lambda: office.reported(lead_id))
    return event


def listed(office: LeadFormFixture, lead_id: str) -> dict[str, Any]:
    return next(item for item in office.leads() if item["platformLeadId"] == lead_id)


def labels(lead: dict[str, Any]) -> dict[str, str | None]:
    return {item["key"]: item["label"] for item in lead["answers"]}


def reads_of(office: LeadFormFixture, form: str) -> int:
    """Count how often the questions of a form were asked for."""
    return len(office.sandbox.listed("received", platform="meta", path=f"*/{form}", limit=1000))


def failing(office: LeadFormFixture, form: str, **options: Any) -> None:
    office.sandbox.control("fail", platform="meta", path=f"*/{form}", times=99, **options)


@pytest.mark.one_engine
def test_answers_are_named_and_typed_in_the_event_the_list_and_the_lead(office: LeadFormFixture) -> None:
    lead_id = office.submit_form(form=new_form(office), answers=GIVEN)
    event, lead = reported(office, lead_id), listed(office, lead_id)
    assert (
        lead["answers"]
        == event["answers"]
        == [
            {"key": "full_name", "label": "Full name", "type": "full_name", "value": "Åsa Öberg", "valueLabel": None},
            {
                "key": "date_of_birth",
                "label": "Date of birth",
                "type": "date_of_birth",
                "value": "1990-03-14",
                "valueLabel": None,
            },
            {"key": "how_big", "label": "How big?", "type": "choice", "value": "l", "valueLabel": "Large"},
            {"key": "why", "label": "Why us?", "type": "text", "value": "A friend", "valueLabel": None},
        ]
    )
    assert lead["fields"] == event["fields"] == GIVEN
    alone = office.owner.session.get(f"{office.path}/leads/{lead['id']}")
    assert alone.json() == lead
    assert alone.headers["etag"] == lead["etag"]


@pytest.mark.one_engine
def test_a_value_has_the_type_of_its_question_if_it_fits(office: LeadFormFixture, subtests: pytest.Subtests) -> None:
    choices = [("a", "First"), ("b", "Second"), ("one, two", "Both")]
    lead = office.simulate()
    now = office.running.clock.now()
    for kind, text, value, value_label in VALUES:
        options = [{"key": key, "label": label} for key, label in choices] if kind == "choice" else []
        questions = [{"key": "it", "label": "Which?", "type": kind, "options": options}]
        form = {"questions": questions, "updated_at": now}
        office.running.write(store.save_form, office.owner.id, office.account_id, FORM, form)
        office.running.write(store.update_lead, office.owner.id, lead["id"], {"fields": {"it": text}})
        with subtests.test(f"{kind}: {text}"):
            (answer,) = office.owner.session.get(f"{office.path}/leads/{lead['id']}").json()["answers"]
            assert answer == {"key": "it", "label": "Which?", "type": kind, "value": value, "valueLabel": value_label}
            # 1 and true are equal in Python, not in JSON.
            assert type(answer["value"]) is type(value)


def test_the_first_lead_of_an_ad_account_is_named_at_once(running: RunningService, sandbox: Sandbox) -> None:
    office = AdLeadFormFixture(running, sandbox)
    event = reported(office, office.submit_form(name="Zoë"))
    named = [(item["key"], item["label"], item["type"], item["value"]) for item in event["answers"]]
    assert named[0] == ("name", "name", "full_name", "Zoë")
    assert [item[2] for item in named] == ["full_name", "email", "phone"]


def test_leads_from_before_questions_were_kept_are_named_when_they_are_listed(office: LeadFormFixture) -> None:
    lead = listed(office, office.submit_form(form=new_form(office), answers=GIVEN))
    forgotten: dict[str, Any] = {"questions": [], "read_again_at": None, "updated_at": office.running.clock.now()}
    office.running.write(store.save_form, office.owner.id, office.account_id, lead["formId"], forgotten)
    assert listed(office, lead["platformLeadId"])["answers"] == lead["answers"]


@pytest.mark.parametrize("error", ["not_found", "permission_missing"])
@pytest.mark.one_engine
def test_a_form_that_is_not_shown_keeps_no_lead_back_and_is_not_asked_for_each_time(
    office: LeadFormFixture, error: str
) -> None:
    form = new_form(office)
    failing(office, form, error=error)
    before = reads_of(office, form)
    for _ in range(2):
        # A list would ask for the form at the same time as the webhook.
        lead_id = office.submit_form(form=form, answers=GIVEN)
        eventually(lambda lead_id=lead_id: office.count_rows(lead_id))  # type: ignore[misc] # mypy infers no lambda with a default
    events = [item for item in office.events() if item["formId"] == form]
    assert len(events) == 2
    for event in events:
        assert event["fields"] == GIVEN
        assert {(item["label"], item["type"]) for item in event["answers"]} == {(None, "text")}
        assert [item["value"] for item in event["answers"]] == list(GIVEN.values())
    assert reads_of(office, form) == before + 1
    office.sandbox.http.delete("/_control/fail")
    office.wait(61)
    lead_id = office.submit_form(form=form, answers=GIVEN)
    assert labels(reported(office, lead_id))["why"] == "Why us?"
    assert {labels(item)["why"] for item in office.leads(form=form)} == {"Why us?"}


@pytest.mark.one_engine
def test_a_platform_in_trouble_keeps_no_lead_back_and_is_asked_again_soon(office: LeadFormFixture) -> None:
    form = new_form(office)
    failing(office, form, status=500)
    event = reported(office, office.submit_form(form=form, answers=GIVEN))
    assert set(labels(event).values()) == {None}
    assert event["fields"] == GIVEN
    office.sandbox.http.delete("/_control/fail")
    office.wait(2)
    assert labels(reported(office, office.submit_form(form=form, answers=GIVEN)))["how_big"] == "How big?"


@pytest.mark.one_engine
def test_a_platform_that_does_not_answer_keeps_a_lead_back_for_a_moment_only(
    office: LeadFormFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = new_form(office)
    monkeypatch.setattr(form_cache, "_FETCH_TIMEOUT_SECONDS", 0.2)
    failing(office, form, hang=True)
    event = reported(office, office.submit_form(form=form, answers=GIVEN))
    assert (event["fields"], set(labels(event).values())) == (GIVEN, {None})


def test_a_new_question_causes_a_form_to_be_read_again_and_a_strange_answer_does_so_once(
    office: LeadFormFixture,
) -> None:
    form = new_form(office)
    first = listed(office, office.submit_form(form=form, answers=GIVEN))
    old = [{"key": "why", "label": "Why us?", "type": "text", "options": []}]
    now = office.running.clock.now()
    office.running.write(
        store.save_form, office.owner.id, office.account_id, form, {"questions": old, "updated_at": now}
    )
    assert labels(reported(office, office.submit_form(form=form, answers=GIVEN)))["how_big"] == "How big?"
    before = reads_of(office, form)
    for name in ("inbox_url", "utm", "inbox_url"):
        office.running.write(store.update_lead, office.owner.id, first["id"], {"fields": {**GIVEN, name: "x"}})
        assert labels(listed(office, first["platformLeadId"])) == {**labels(first), name: None}
    assert reads_of(office, form) == before + 2


def test_a_lead_of_somebody_else_does_not_exist(office: LeadFormFixture) -> None:
    lead = office.simulate()
    path = f"{office.path}/leads/{lead['id']}"
    assert office.owner.session.get(path).json() == lead
    problem_of(OwnerFixture(office.running).session.get(path), 404, "not_found")
    problem_of(office.owner.session.get(f"{path[:-4]}0000"), 404, "not_found")
    office.owner.session.delete(path)
    problem_of(office.owner.session.get(path), 404, "not_found")


@pytest.mark.one_engine
def test_erasing_a_lead_erases_its_answers_in_the_event(office: LeadFormFixture) -> None:
    lead_id = office.submit_form(form=new_form(office), answers=GIVEN)
    event = reported(office, lead_id)
    assert event["answers"]
    office.owner.session.delete(f"{office.path}/leads/{event['leadId']}")
    (after,) = [item for item in office.events() if item["leadId"] == event["leadId"]]
    assert (after["fields"], after["answers"]) == ({}, [])


@pytest.mark.one_engine
def test_a_page_whose_leads_are_withheld_says_so_in_its_health(office: LeadFormFixture) -> None:
    def issues() -> list[dict[str, Any]]:
        report = office.owner.session.get("/accounts/health", params={"refresh": True}).json()["data"]
        (health,) = [item for item in report if item["accountId"] == office.account_id]
        return [item for item in health["issues"] if item["code"] == "lead_access_missing"]

    assert issues() == []
    office.sandbox.control("leadAccess", platform="meta", account=office.platform_account_id)
    (issue,) = issues()
    assert "Lead Access Manager" in issue["detail"]
    assert "Leads Access Manager" in issue["fix"]
    office.sandbox.control("leadAccess", platform="meta", account=office.platform_account_id, allowed=True)
    assert issues() == []
