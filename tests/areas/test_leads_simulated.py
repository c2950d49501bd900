"""The lead simulator: what it emits looks like what a person sends, for any form and in five countries."""

import random
import re
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from support.leads import AD_FORM, FORM, PAGE, PHONES, AdLeadFormFixture, LeadFormFixture
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService
from support.waiting import eventually

FORMS_PER_COUNTRY = 4
# Types of which the answer is known to look alike, whoever fills in the form.
LOOKS = {
    "email": r"[a-z0-9.]+@example\.com",
    "work_email": r"[a-z0-9.]+@(work\.)?example\.com",
    "phone_number": r"\+\d{9,15}",
    "work_phone_number": r"\+\d{9,15}",
    "country": r"[A-Z]{2}",
    "date_of_birth": r"\d\d/\d\d/\d{4}",
}
USUAL = (
    "full_name", "first_name", "last_name", "email", "phone", "city", "state", "zip", "country", "street_address",
    "date_of_birth", "gender", "company_name", "job_title", "work_email", "work_phone_number", "post_code", "province",
)  # fmt: skip


@pytest.fixture
def office(service: RunningService, sandbox: Sandbox) -> LeadFormFixture:
    return LeadFormFixture(service, sandbox)


@pytest.fixture(scope="module")
def document(service: RunningService) -> dict[str, Any]:
    result: dict[str, Any] = service.client().get("/openapi.json").json()
    return result


def checked(document: dict[str, Any], name: str, value: dict[str, Any]) -> None:
    schema = {"$ref": f"#/components/schemas/{name}", "components": document["components"]}
    Draft202012Validator(schema).validate(value)


def generated(chance: random.Random) -> list[dict[str, Any]]:
    """Make up what a form asks: some of the usual questions, some choices and some of its own, in any order."""
    request: list[dict[str, Any]] = [{"type": kind} for kind in chance.sample(USUAL, chance.randrange(1, 9))]
    for number in range(chance.randrange(3)):
        options = [{"label": f"Answer {place}"} for place in range(chance.randrange(2, 6))]
        request.append({"type": "choice", "label": f"Which {number}?", "options": options})
    request += [{"type": "text", "key": f"own_{number}", "label": "Why?"} for number in range(chance.randrange(3))]
    chance.shuffle(request)
    return request


@pytest.mark.parametrize("country", PHONES)
def test_a_simulated_lead_is_like_a_real_one(office: LeadFormFixture, document: dict[str, Any], country: str) -> None:
    chance = random.Random(country)  # noqa: S311 - it is to be the same each time
    for _ in range(FORMS_PER_COUNTRY):
        response = office.create_form(questions=generated(chance))
        assert response.status_code == 201, response.text
        form = response.json()
        lead = office.simulate(form["id"], country=country)
        sent = office.submit_form(form=form["id"], country=country)
        (real,) = eventually(lambda sent=sent: [item for item in office.leads() if item["platformLeadId"] == sent])  # type: ignore[misc] # mypy infers no lambda with a default
        reported = {event["leadId"]: event for event in office.events()}
        for item in (lead, real):
            checked(document, "Lead", item)
            checked(document, "LeadReceived", reported[item["id"]])
            assert reported[item["id"]]["fields"] == item["fields"]
            require_answers(form, item["fields"])
        assert lead.keys() == real.keys()
        assert reported[lead["id"]].keys() == reported[real["id"]].keys()
        assert (lead["test"], real["test"]) == (True, False)
        same = ("formId", "formName", "accountId", "state")
        assert [lead[name] for name in same] == [real[name] for name in same]
        for name in ("phone_number", "work_phone_number"):
            assert re.fullmatch(PHONES[country], lead["fields"].get(name, "")) or name not in lead["fields"]
        assert lead["fields"].get("country", country) == country


def require_answers(form: dict[str, Any], fields: dict[str, str]) -> None:
    """Require an answer to each question of a form, and to nothing else, of the kind that it asks for."""
    assert set(fields) == {item["key"] for item in form["questions"]}
    for question in form["questions"]:
        answer = fields[question["key"]]
        assert answer.strip(), question
        if question["options"]:
            assert answer in [item["key"] for item in question["options"]]
        elif question["type"] != "text":
            assert re.fullmatch(LOOKS.get(question["key"], ".+"), answer), (question, answer)


def test_a_simulated_lead_of_an_unknown_country_or_form_is_refused(office: LeadFormFixture) -> None:
    wrong = office.owner.session.post(f"{office.path}/lead-forms/{FORM}/test-webhook", params={"country": "XX"})
    assert fault_of(wrong) == ("?country", "not_supported")
    missing = office.owner.session.post(f"{office.path}/lead-forms/1/test-webhook")
    problem_of(missing, 404, "platform_not_found")


def test_a_simulated_lead_lives_in_the_country_of_the_page_whatever_the_language_of_the_form(
    office: LeadFormFixture,
) -> None:
    form = office.create_form(questions=[{"type": "phone"}, {"type": "country"}], locale="de_DE").json()["id"]
    fields = office.simulate(form)["fields"]
    assert re.fullmatch(PHONES["SE"], fields["phone_number"])
    assert fields["country"] == "SE"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ({"country": "United States"}, "US"),
        ({"country": "United Kingdom"}, "GB"),
        ({"country": "Germany"}, "DE"),
        ({"country": "France"}, "FR"),
        ({"country": "Deutschland", "country_code": "DE"}, "DE"),
        ({"city": "Uppsala"}, "SE"),
        ({"country": "Nigeria"}, "SE"),
        (None, "SE"),
    ],
)
def test_the_country_is_that_of_the_address_or_else_of_the_language(
    office: LeadFormFixture, location: dict[str, str] | None, expected: str
) -> None:
    payload = {"id": PAGE} if location is None else {"id": PAGE, "location": location}
    office.sandbox.control("fail", platform="meta", path=f"*/{PAGE}", method="GET", status=200, body=payload)
    assert re.fullmatch(PHONES[expected], office.simulate()["fields"]["phone_number"])


def test_an_address_that_cannot_be_read_leaves_it_to_the_language(office: LeadFormFixture) -> None:
    office.sandbox.control("fail", platform="meta", path=f"*/{PAGE}", method="GET", status=500, times=9)
    assert re.fullmatch(PHONES["SE"], office.simulate()["fields"]["phone_number"])


def test_a_simulated_lead_of_an_ad_account_lives_in_its_country(service: RunningService, sandbox: Sandbox) -> None:
    assert re.fullmatch(PHONES["SE"], AdLeadFormFixture(service, sandbox).simulate(AD_FORM)["fields"]["phone_number"])


def test_a_simulated_lead_is_named_and_typed_like_a_real_one(office: LeadFormFixture) -> None:
    request = [{"type": "date_of_birth"}, {"type": "choice", "label": "Size?", "options": [{"label": "Small"}]}]
    form = office.create_form(questions=request).json()["id"]
    born, size = office.simulate(form)["answers"]
    assert (born["label"], born["type"]) == ("Date of birth", "date_of_birth")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", born["value"])
    assert (size["label"], size["value"], size["valueLabel"]) == ("Size?", "small", "Small")


@pytest.mark.parametrize("body", [b'{"country": "DE"}', b"[]", b"hello"])
def test_a_body_that_would_do_nothing_is_refused(office: LeadFormFixture, body: bytes) -> None:
    path = f"{office.path}/lead-forms/{FORM}/test-webhook"
    headers = {"Content-Type": "application/json"}
    refused = office.owner.session.post(path, content=body, headers=headers)
    assert fault_of(refused) == ("", "invalid")
    assert "?country=" in refused.json()["detail"]
    assert office.owner.session.post(path, content=b"{}", headers=headers).status_code == 201


def test_one_key_is_one_lead_of_one_country(office: LeadFormFixture) -> None:
    path, key = f"{office.path}/lead-forms/{FORM}/test-webhook", {"Idempotency-Key": "one"}
    first = office.owner.session.post(path, params={"country": "SE"}, headers=key)
    # What happens to the lead meanwhile is not part of the first response.
    office.owner.session.patch(f"{office.path}/lead-states/{first.json()['id']}", json={"state": "won"})
    again = office.owner.session.post(path, params={"country": "SE"}, headers=key)
    assert (again.status_code, again.content) == (201, first.content)
    assert (again.headers["etag"], again.headers["idempotent-replayed"]) == (first.headers["etag"], "true")
    assert len(office.events()) == 1
    other = office.owner.session.post(path, params={"country": "DE"}, headers=key)
    problem_of(other, 422, "idempotency_key_reused")
