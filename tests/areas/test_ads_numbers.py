"""Insights, places, audiences, pixels, their events and custom conversions, on both platforms that have them."""

import re
from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import uuid4

import httpx
import pytest
import sqlalchemy as sa

from socialgate.areas.ads.tables import ad_people
from socialgate.core.jobs.job_store import jobs
from support.ads_api import PLATFORMS, AdsClient
from support.database import rows
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox
        sandbox.http.delete("/_control/fail")


@pytest.fixture(params=PLATFORMS)
def agency(request: pytest.FixtureRequest, running: RunningService, sandbox: Sandbox) -> AdsClient:
    return AdsClient(running, sandbox, request.param)


def insights(agency: AdsClient, **query: Any) -> httpx.Response:
    return agency.get("/ads/insights", **{"preset": "last7d", **query})


def test_insights_are_exact_amounts_in_the_currency_of_the_account(agency: AdsClient) -> None:
    answer = insights(agency, level="account")
    assert answer.status_code == 200, answer.text
    report = answer.json()
    assert (report["timezone"], report["task"]) == ("Europe/Stockholm", None)
    for row in report["data"]:
        assert row["spend"]["currency"] == "SEK"
        assert isinstance(row["spend"]["amount"], int)
        assert (row["since"], row["until"]) == (report["since"], report["until"])
    days = insights(agency, level="campaign", granularity="day").json()
    assert all(row["since"] == row["until"] and row["campaignId"] for row in days["data"])
    total = sum(row["spend"]["amount"] for row in days["data"])
    # What the days add up to is what the period has: nothing is rounded on the way.
    assert total == sum(row["spend"]["amount"] for row in report["data"])


def test_breakdowns_and_their_limits(agency: AdsClient) -> None:
    answer = insights(agency, level="campaign", breakdowns="gender,age")
    assert answer.status_code == 200, answer.text
    items = [row["breakdowns"] for row in answer.json()["data"]]
    assert all(set(item) == {"gender", "age"} for item in items)
    assert {item["gender"] for item in items} <= {"female", "male", "unknown"}
    assert all(re.fullmatch(r"\d\d(-\d\d|\+)|unknown", item["age"]) for item in items), items
    ads = insights(agency, level="ad", preset="last30d").json()["data"]
    assert all(row["campaignId"] and row["adsetId"] and row["adId"] for row in ads)
    assert bool(ads) >= (agency.platform == "tiktokads")
    assert fault_of(insights(agency, breakdowns="mood")) == ("?breakdowns", "invalid")
    assert fault_of(insights(agency, since="2026-01-01")) == ("?preset", "contradiction")
    assert fault_of(insights(agency, level="account", ids="1")) == ("?ids", "contradiction")


def test_a_report_is_a_task_whose_rows_are_kept(agency: AdsClient) -> None:
    query = {"level": "campaign", "granularity": "day", "report": "true"}
    answer = insights(agency, **query)
    assert answer.status_code == 202, answer.text
    task = answer.json()["task"]
    assert answer.headers["location"] == f"/tasks/{task['id']}"
    done = agency.wait_for_task(task["id"])
    assert done["status"] == "succeeded", done
    pages: list[dict[str, Any]] = []
    more: dict[str, str] | None = {}
    while more is not None:
        page = agency.get("/ads/insights", taskId=task["id"], limit=3, **more).json()
        pages += page["data"]
        more = {"cursor": page["nextCursor"]} if page["nextCursor"] else None
    assert len(pages) == done["result"]["rows"]
    live = insights(agency, level="campaign", granularity="day", limit=100).json()["data"]
    assert sum(row["spend"]["amount"] for row in pages) == sum(row["spend"]["amount"] for row in live)
    problem_of(agency.get("/ads/insights", taskId=f"task_{'0' * 26}"), 404, "not_found")


def test_places_and_interests_are_found(agency: AdsClient) -> None:
    places = agency.get("/ads/locations", q="stock", types="city,region").json()["data"]
    assert {place["country"] for place in places if place["name"].startswith("Stockholm")} == {"SE"}, places
    interests = agency.get("/ads/locations", q="ba", kind="interest")
    assert interests.status_code == 200, interests.text
    assert all(item["id"] and item["name"] for item in interests.json()["data"])
    assert fault_of(agency.get("/ads/locations", q="x", types="planet")) == ("?types", "invalid")


def test_people_are_hashed_before_anything_is_stored_or_sent(agency: AdsClient) -> None:
    name, email = f"Regulars {uuid4().hex}", f"{uuid4().hex}@example.com"
    people = [{"email": f" {email.upper()} ", "phone": "+46701234567"}, {"email": "b@example.com"}]
    created = agency.create("/ads/audiences", uuid4().hex, name=name, people=people)
    assert (created["kind"], created["upload"]["people"]) == ("customers", 2)
    done = agency.wait_for_task(created["upload"]["id"])
    assert (done["status"], done["result"]["received"]) == ("succeeded", 2), done
    assert [item["id"] for item in agency.listed("/ads/audiences", q=name)] == [created["id"]]
    more = agency.create("/ads/audiences", audienceId=created["id"], action="remove", people=people[:1])
    assert agency.wait_for_task(more["upload"]["id"])["status"] == "succeeded"
    # Nothing is left of them here, and nobody was sent more than a hash.
    assert rows(agency.running, sa.select(ad_people).where(ad_people.c.owner_id == agency.owner.id)) == []
    value = str(agency.operations()) + str(done) + str(agency.sandbox.listed("received", limit=200))
    assert email not in value.lower()
    digest = sha256(email.encode()).hexdigest()
    assert digest in str(agency.sandbox.listed("received", limit=200))
    assert agency.change("audience", created["id"], name="Renamed").status_code == 200
    assert agency.delete("audience", created["id"]).status_code == 200


def held_people(agency: AdsClient) -> list[sa.Row[Any]]:
    return rows(agency.running, sa.select(ad_people).where(ad_people.c.owner_id == agency.owner.id))


def test_people_of_a_cancelled_upload_are_deleted(agency: AdsClient) -> None:
    audience = agency.create("/ads/audiences", name=f"Regulars {uuid4().hex}")
    path = {"meta": "*/users", "tiktokads": "*/segment/mapping/"}[agency.platform]
    agency.fail(path, status=503, times=100)
    created = agency.create("/ads/audiences", audienceId=audience["id"], people=[{"email": "a@example.com"}])
    task = f"/tasks/{created['upload']['id']}"
    waiting = sa.select(jobs).where(jobs.c.id == created["upload"]["id"], jobs.c.tries > 0, jobs.c.claim_id.is_(None))
    eventually(lambda: rows(agency.running, waiting))
    assert held_people(agency)
    assert agency.owner.session.delete(task).is_success
    assert agency.wait_for_task(created["upload"]["id"])["status"] == "cancelled"
    assert held_people(agency) == []


@pytest.mark.both_engines
def test_uploads_to_an_audience_keep_their_order(agency: AdsClient) -> None:
    """Otherwise a person who was removed would be added again by an older upload that is retried."""
    audience = agency.create("/ads/audiences", name=f"Regulars {uuid4().hex}")
    agency.fail({"meta": "*/users", "tiktokads": "*/segment/mapping/"}[agency.platform], status=503, times=100)
    body: dict[str, Any] = {"audienceId": audience["id"], "people": [{"email": "a@example.com"}]}
    tasks = []
    for action in ("add", "remove"):
        tasks.append(agency.create("/ads/audiences", action=action, **body)["upload"]["id"])
        ran = sa.select(jobs).where(jobs.c.id == tasks[-1], jobs.c.started_at.is_not(None), jobs.c.claim_id.is_(None))
        (left,) = eventually(lambda result=ran: rows(agency.running, result))  # type: ignore[misc] # bound now
        assert left.finished_at is None
    # Waiting is not a failure.
    assert left.tries == 0
    agency.sandbox.http.delete("/_control/fail")
    agency.running.advance_time(timedelta(minutes=2))
    added, removed = [agency.wait_for_task(task) for task in tasks]
    assert (added["status"], removed["status"]) == ("succeeded", "succeeded")
    assert added["finishedAt"] <= removed["finishedAt"]


def test_wrong_people_are_named_but_not_repeated(agency: AdsClient) -> None:
    answer = agency.post("/ads/audiences", name="x", people=[{"email": "secret person"}, {}])
    faults = problem_of(answer, 422, "invalid")["errors"]
    assert {fault["pointer"] for fault in faults} == {"/people/0/email", "/people/1"}
    assert "secret" not in answer.text
    assert fault_of(agency.post("/ads/audiences", people=[])) == ("/name", "required")
    assert fault_of(agency.post("/ads/audiences", name="x", kind="website"))[0] == "/pixelId"


def an_event(agency: AdsClient, **change: Any) -> dict[str, Any]:
    return {
        "name": "Purchase",
        "at": (agency.running.clock.now() - timedelta(minutes=5)).isoformat(),
        "id": uuid4().hex,
        "url": "https://bakery.example.com/thank-you",
        "value": {"amount": 34_900, "currency": "SEK"},
        "user": {"email": "ada@example.com", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0"},
        **change,
    }


def test_events_have_results_of_their_own(agency: AdsClient) -> None:
    (pixel,) = [item for item in agency.listed("/ads/pixels") if item["id"] == agency.pixel_id]
    assert pixel["type"] == "pixel"
    events = [an_event(agency), an_event(agency, user={"email": "nobody"}), an_event(agency, id=None)]
    events[2].pop("id")
    key = uuid4().hex
    body: dict[str, Any] = {"pixelId": agency.pixel_id, "events": events}
    created = agency.create("/ads/pixel-events", key, **body)
    assert [item["status"] for item in created["events"]] == ["accepted", "rejected", "accepted"]
    assert (created["accepted"], created["rejected"]) == (2, 1)
    assert "/user/email" in created["events"][1]["detail"]
    assert agency.post("/ads/pixel-events", key, **body).json() == created
    assert "ada@example.com" not in str(agency.sandbox.listed("received", limit=100))
    assert fault_of(agency.post("/ads/pixel-events", **{**body, "pixelId": "404404"})) == ("/pixelId", "not_found")


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_event_outside_the_calendar_is_rejected_alone(agency: AdsClient, at: str) -> None:
    created = agency.create(
        "/ads/pixel-events", pixelId=agency.pixel_id, events=[an_event(agency, at=at), an_event(agency)]
    )
    assert [item["status"] for item in created["events"]] == ["rejected", "accepted"]
    assert "/at" in created["events"][0]["detail"]


@pytest.mark.parametrize("value", ["x", None, [], 1])
def test_options_of_an_event_that_are_no_object_are_rejected_alone(agency: AdsClient, value: object) -> None:
    name = {"meta": "custom_data", "tiktokads": "properties"}[agency.platform]
    events = [an_event(agency, platformOptions={name: value}), an_event(agency, platformOptions={name: {"a": 1}})]
    created = agency.create("/ads/pixel-events", pixelId=agency.pixel_id, events=events)
    assert [item["status"] for item in created["events"]] == ["rejected", "accepted"]
    assert f"/platformOptions/{name}" in created["events"][0]["detail"]


def test_an_event_whose_answer_is_lost_keeps_its_id_when_it_is_sent_again(agency: AdsClient) -> None:
    path = {"meta": "*/events", "tiktokads": "*/event/track/"}[agency.platform]
    event, key = an_event(agency), uuid4().hex
    del event["id"]
    body: dict[str, Any] = {"pixelId": agency.pixel_id, "events": [event]}
    agency.fail(path, when="after")
    problem_of(agency.post("/ads/pixel-events", key, **body), 503, "platform_unavailable")
    created = agency.create("/ads/pixel-events", key, **body)
    assert created["accepted"] == 1
    # The platform received it twice under one id, and counts it once.
    calls = [str(item) for item in agency.sandbox.listed("received", platform=agency.platform, limit=20)]
    assert sum(created["events"][0]["id"] in call for call in calls) == 2


def test_a_custom_conversion_is_created_listed_and_deleted(agency: AdsClient) -> None:
    name = f"Orders {uuid4().hex[:20]}"
    rules = [{"field": "url", "operator": "contains", "values": ["/thank-you"]}]
    created = agency.create(
        "/ads/custom-conversions", pixelId=agency.pixel_id, name=name, event="Purchase", rules=rules
    )
    result = {item["id"]: item for item in agency.listed("/ads/custom-conversions", pixelId=agency.pixel_id)}
    assert (result[created["id"]]["name"], result[created["id"]]["event"]) == (name, "Purchase")
    assert result[created["id"]]["rules"] == rules
    assert agency.change("customConversion", created["id"], name=f"{name} b").json()["name"] == f"{name} b"
    assert agency.delete("customConversion", created["id"]).status_code == 200
    problem_of(agency.delete("customConversion", created["id"]), 404, "platform_not_found")
    if agency.platform == "tiktokads":
        assert fault_of(agency.get("/ads/custom-conversions")) == ("?pixelId", "required")
