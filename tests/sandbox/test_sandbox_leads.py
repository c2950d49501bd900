"""People fill in lead forms: on the page, and with the verb. They are believable, wherever they live."""

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from socialgate_sandbox.society.applicants import COUNTRIES, build_answer, build_applicant
from socialgate_sandbox.vendors.meta import VENDOR
from socialgate_sandbox.vendors.meta.seed import ADA_ADS, BAKERY, BAKERY_FORM
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

PLACE = {"platform": "meta", "account": BAKERY}
HTML = {"accept": "text/html"}
# The ranges that regulators keep free for fiction; where there are none, blocks that nobody has.
RESERVED = {
    country: re.compile(pattern)
    for country, pattern in {
        "AU": r"\+6149157015[6-9]",
        "BR": r"\+551190000\d{4}",
        "DE": r"\+4917139200\d{2}",
        "FR": r"\+3363998\d{4}",
        "GB": r"\+447700900\d{3}",
        "IE": r"\+3532091\d{5}",
        "JP": r"\+81900000\d{4}",
        "NG": r"\+234900000\d{4}",
        "SE": r"\+467017406(0[5-9]|[1-9]\d)",
        "US": r"\+121255501\d{2}",
    }.items()
}


@pytest.fixture
def running(tmp_path: Path, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path, [VENDOR], gateway.url) as opened:
        yield opened


def send(running: RunningSandbox, **form: str) -> httpx.Response:
    page = f"/_control/leads?platform=meta&account={BAKERY}"
    params = {**PLACE, "form": BAKERY_FORM, "_page": page, **form}
    return running.client.post("/_control/lead", data=params, follow_redirects=False)


def test_a_person_fills_in_the_form_on_its_page(running: RunningSandbox) -> None:
    assert (
        f"/_control/leads?platform=meta&amp;account={BAKERY}"
        in running.client.get("/_control/account", params=PLACE).text
    )
    shown = running.client.get("/_control/leads", params=PLACE, headers=HTML).text
    assert 'name="answer:email"' in shown
    assert "More than 10 people" in shown
    sent = send(running, **{"answer:full_name": "<b>Åsa</b>", "answer:how_many": "small", "answer:email": ""})
    assert (sent.status_code, sent.headers["location"]) == (303, f"/_control/leads?platform=meta&account={BAKERY}")
    (form,) = running.look("leads", **PLACE)["data"]
    (lead,) = form["leads"]
    assert (lead["answers"]["full_name"], lead["answers"]["how_many"]) == ("<b>Åsa</b>", "small")
    assert re.fullmatch(r"basab\.[0-9]+@example\.com", lead["answers"]["email"]), "the address fits the name"
    again = running.client.get("/_control/leads", params=PLACE, headers=HTML).text
    assert "&lt;b&gt;Åsa&lt;/b&gt;" in again


def test_what_the_form_does_not_ask_is_refused_on_the_page(running: RunningSandbox) -> None:
    for wrong in ({"answer:how_many": "huge"}, {"answer:shoe_size": "42"}):
        refused = send(running, **wrong)
        assert refused.status_code == 422
        assert 'role="alert"' in refused.text
    for wrong in ({"form": "1"}, {"country": "XX"}):
        body = {"platform": "meta", "account": BAKERY, **wrong}
        assert running.client.post("/_control/lead", json=body).status_code in {404, 422}
    assert running.look("leads", **PLACE)["data"][0]["leads"] == []
    absent = running.client.get("/_control/leads", params={"platform": "meta", "account": ADA_ADS})
    assert (absent.status_code, "page" in absent.json()["error"]) == (404, True)


@pytest.mark.parametrize("country", sorted(COUNTRIES))
def test_people_are_believable(country: str) -> None:
    people = [build_applicant(country, number) for number in range(60)]
    assert len({person.email for person in people}) == len(people)
    assert len({person.name for person in people}) > 3
    for person in people:
        assert RESERVED[country].fullmatch(person.phone), person.phone
        assert person.email.isascii()
        assert build_answer(person, "COUNTRY") == country
        assert all(
            build_answer(person, kind) for kind in ("CITY", "ZIP", "STREET_ADDRESS", "DOB", "JOB_TITLE", "CUSTOM")
        )
