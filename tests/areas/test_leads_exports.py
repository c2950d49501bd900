"""Leads of TikTok ad accounts are exported as files: of three regions, of any size, and not always at once."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from socialgate.connectors.tiktokads import leads as connector
from socialgate_sandbox.vendors.tiktokads import leads as simulated
from support.leads import AdLeadFormFixture
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

MIB = 1024 * 1024
# Together more than is read of any other answer, and less than what TikTok zips.
LONG_ANSWER, LONG_LEADS = 120_000, 72
REGIONS = ("eu", "us", "")
TASK = {"platform": "tiktokads", "method": "POST", "path": "*/page/lead/task/"}


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    """Give a service of one's own, because its clock is moved and its forms hold a lot."""
    with start_service() as own:
        yield own


@pytest.fixture
def office(running: RunningService) -> Iterator[AdLeadFormFixture]:
    with Sandbox(running) as sandbox:
        sandbox.control("webhooks", mode="hold")
        yield AdLeadFormFixture(running, sandbox)


def reported(office: AdLeadFormFixture, sent: set[str]) -> list[str]:
    """Wait until each of these leads is reported. Gives the platform's ids of all that are."""
    eventually(lambda: len(office.events()) >= len(sent))
    ours = {item["id"]: item["platformLeadId"] for item in office.all_leads()}
    return [ours[event["leadId"]] for event in office.events()]


def calls(office: AdLeadFormFixture, path: str) -> list[dict[str, Any]]:
    return office.sandbox.listed("received", platform="tiktokads", path=path, limit=1000)


def test_a_file_larger_than_other_answers_is_read_as_a_whole(office: AdLeadFormFixture) -> None:
    answer = "x" * LONG_ANSWER
    sent = {office.submit_form(country="DE", name=f"{answer} {number}") for number in range(LONG_LEADS)}
    assert 8 * MIB < LONG_LEADS * LONG_ANSWER < simulated._MAX_CSV_BYTES
    sent.add(office.submit_form(country="US"))
    office.wait(6)
    assert sorted(reported(office, sent)) == sorted(sent)


def test_a_zipped_file_is_read_in_parts(office: AdLeadFormFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulated, "_MAX_CSV_BYTES", 100)
    sent = {office.submit_form(country=country) for country in ("DE", "US", "BR") for _ in range(3)}
    monkeypatch.setattr("socialgate.areas.leads.jobs.STORE_BATCH_SIZE", 2)
    office.wait(6)
    assert sorted(reported(office, sent)) == sorted(sent)


def test_a_file_that_is_too_large_keeps_no_other_back_and_is_read_once_it_can_be(
    office: AdLeadFormFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    large, small = office.submit_form(country="DE", name="x" * 5_000), office.submit_form(country="US")
    monkeypatch.setattr(connector, "_MAX_FILE_BYTES", 4_000)
    office.wait(6)
    assert reported(office, {small}) == [small]
    # The round has ended without it, and the next one begins where this one did.
    eventually(office.is_sweep_idle)
    assert len(calls(office, "*/page/lead/task/download/")) == len(REGIONS)
    assert office.swept_until() is None
    monkeypatch.setattr(connector, "_MAX_FILE_BYTES", MIB)
    office.wait(20)
    assert sorted(reported(office, {large, small})) == sorted([large, small])
    eventually(lambda: office.swept_until() is not None)


def test_an_export_that_ended_meanwhile_is_ordered_again(office: AdLeadFormFixture) -> None:
    sent = office.submit_form(country="BR")
    # TikTok is down while the first export is asked for; when it is back, the export is over.
    office.sandbox.control("fail", **TASK, skip=1, status=502)
    office.wait(6)
    eventually(lambda: not office.sandbox.http.get("/_control/fail").json()["data"])
    office.wait(15)
    assert reported(office, {sent}) == [sent]


def test_an_export_that_never_succeeds_is_given_up_until_the_next_round(
    running: RunningService, office: AdLeadFormFixture
) -> None:
    sent = office.submit_form(country="DE")
    broken = {"code": 0, "message": "OK", "data": {"task_id": "1", "status": "FAILED"}}
    office.sandbox.control("fail", **TASK, status=200, body=broken, times=5)
    office.wait(6)
    eventually(lambda: not office.sandbox.http.get("/_control/fail").json()["data"] and office.is_sweep_idle())
    assert office.events() == []
    running.advance_time(timedelta(minutes=20))
    assert reported(office, {sent}) == [sent]


def test_an_export_that_never_ends_keeps_no_other_back(
    office: AdLeadFormFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fast = office.submit_form(country="DE"), office.submit_form(country="US")
    monkeypatch.setattr(connector, "_MAX_POLLS", 2)
    endless = {"code": 0, "message": "OK", "data": {"task_id": "1", "status": "RUNNING"}}
    office.sandbox.control("fail", **TASK, status=200, body=endless, times=3)
    office.wait(6)
    assert reported(office, {fast}) == [fast]
    eventually(office.is_sweep_idle)
    # The next round begins where this one did.
    assert office.swept_until() is None
    office.wait(20)
    assert sorted(reported(office, {slow, fast})) == sorted([slow, fast])
