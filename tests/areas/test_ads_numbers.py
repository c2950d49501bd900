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
from socialgate.core.jobs.table import jobs
from support.adverts import PLATFORMS, Agency
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
    with Sandbox(running) as found:
        yield found
        found.http.delete("/_control/fail")


@pytest.fixture(params=PLATFORMS)
def agency(request: pytest.FixtureRequest, running: RunningService, sandbox: Sandbox) -> Agency:
    return Agency(running, sandbox, request.param)


def insights(agency: Agency, **query: Any) -> httpx.Response:
    return agency.get("/ads/insights", **{"preset": "last7d", **query})


def test_insights_are_exact_amounts_in_the_currency_of_the_account(agency: Agency) -> None:
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


def test_breakdowns_and_their_limits(agency: Agency) -> None:
    answer = insights(agency, level="campaign", breakdowns="gender,age")
    assert answer.status_code == 200, answer.text
    found = [row["breakdowns"] for row in answer.json()["data"]]
    assert all(set(one) == {"gender", "age"} for one in found)
    assert {one["gender"] for one in found} <= {"female", "male", "unknown"}
    assert all(re.fullmatch(r"\d\d(-\d\d|\+)|unknown", one["age"]) for one in found), found
    ads = insights(agency, level="ad", preset="last30d").json()["data"]
    assert all(row["campaignId"] and row["adsetId"] and row["adId"] for row in ads)
    assert bool(ads) >= (agency.platform == "tiktokads")
    assert fault_of(insights(agency, breakdowns="mood")) == ("?breakdowns", "invalid")
    assert fault_of(insights(agency, since="2026-01-01")) == ("?preset", "contradiction")
    assert fault_of(insights(agency, level="account", ids="1")) == ("?ids", "contradiction")


def test_a_report_is_a_task_whose_rows_are_kept(agency: Agency) -> None:
    query = {"level": "campaign", "granularity": "day", "report": "true"}
    answer = insights(agency, **query)
    assert answer.status_code == 202, answer.text
    task = answer.json()["task"]
    assert answer.headers["location"] == f"/tasks/{task['id']}"
    done = agency.finished(task["id"])
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


def test_places_and_interests_are_found(agency: Agency) -> None:
    places = agency.get("/ads/locations", q="stock", types="city,region").json()["data"]
    assert {one["country"] for one in places if one["name"].startswith("Stockholm")} == {"SE"}, places
    interests = agency.get("/ads/locations", q="ba", kind="interest")
    assert interests.status_code == 200, interests.text
    assert all(one["id"] and one["name"] for one in interests.json()["data"])
    assert fault_of(agency.get("/ads/locations", q="x", types="planet")) == ("?types", "invalid")


def test_people_are_hashed_before_anything_is_stored_or_sent(agency: Agency) -> None:
    name, email = f"Regulars {uuid4().hex}", f"{uuid4().hex}@example.com"
    people = [{"email": f" {email.upper()} ", "phone": "+46701234567"}, {"email": "b@example.com"}]
    made = agency.made("/ads/audiences", uuid4().hex, name=name, people=people)
    assert (made["kind"], made["upload"]["people"]) == ("customers", 2)
    done = agency.finished(made["upload"]["id"])
    assert (done["status"], done["result"]["received"]) == ("succeeded", 2), done
    assert [one["id"] for one in agency.listed("/ads/audiences", q=name)] == [made["id"]]
    more = agency.made("/ads/audiences", audienceId=made["id"], action="remove", people=people[:1])
    assert agency.finished(more["upload"]["id"])["status"] == "succeeded"
    # Nothing is left of them here, and nobody was sent more than a hash.
    assert rows(agency.running, sa.select(ad_people).where(ad_people.c.owner_id == agency.owner.id)) == []
    told = str(agency.operations()) + str(done) + str(agency.sandbox.listed("received", limit=200))
    assert email not in told.lower()
    digest = sha256(email.encode()).hexdigest()
    assert digest in str(agency.sandbox.listed("received", limit=200))
    assert agency.change("audience", made["id"], name="Renamed").status_code == 200
    assert agency.delete("audience", made["id"]).status_code == 200


def held_people(agency: Agency) -> list[sa.Row[Any]]:
    return rows(agency.running, sa.select(ad_people).where(ad_people.c.owner_id == agency.owner.id))


def test_people_of_a_cancelled_upload_are_deleted(agency: Agency) -> None:
    audience = agency.made("/ads/audiences", name=f"Regulars {uuid4().hex}")
    path = {"meta": "*/users", "tiktokads": "*/segment/mapping/"}[agency.platform]
    agency.fail(path, status=503, times=100)
    made = agency.made("/ads/audiences", audienceId=audience["id"], people=[{"email": "a@example.com"}])
    task = f"/tasks/{made['upload']['id']}"
    waiting = sa.select(jobs).where(jobs.c.id == made["upload"]["id"], jobs.c.tries > 0, jobs.c.claim_id.is_(None))
    eventually(lambda: rows(agency.running, waiting))
    assert held_people(agency)
    assert agency.owner.session.delete(task).is_success
    assert agency.finished(made["upload"]["id"])["status"] == "cancelled"
    assert held_people(agency) == []


@pytest.mark.both_engines
def test_uploads_to_an_audience_keep_their_order(agency: Agency) -> None:
    """Otherwise a person who was removed would be added again by an older upload that is retried."""
    audience = agency.made("/ads/audiences", name=f"Regulars {uuid4().hex}")
    agency.fail({"meta": "*/users", "tiktokads": "*/segment/mapping/"}[agency.platform], status=503, times=100)
    body: dict[str, Any] = {"audienceId": audience["id"], "people": [{"email": "a@example.com"}]}
    tasks = []
    for action in ("add", "remove"):
        tasks.append(agency.made("/ads/audiences", action=action, **body)["upload"]["id"])
        ran = sa.select(jobs).where(jobs.c.id == tasks[-1], jobs.c.started_at.is_not(None), jobs.c.claim_id.is_(None))
        (left,) = eventually(lambda found=ran: rows(agency.running, found))  # type: ignore[misc] # bound now
        assert left.finished_at is None
    # Waiting is not a failure.
    assert left.tries == 0
    agency.sandbox.http.delete("/_control/fail")
    agency.running.let_pass(timedelta(minutes=2))
    added, removed = [agency.finished(task) for task in tasks]
    assert (added["status"], removed["status"]) == ("succeeded", "succeeded")
    assert added["finishedAt"] <= removed["finishedAt"]


def test_wrong_people_are_named_but_not_repeated(agency: Agency) -> None:
    answer = agency.post("/ads/audiences", name="x", people=[{"email": "secret person"}, {}])
    faults = problem_of(answer, 422, "invalid")["errors"]
    assert {fault["pointer"] for fault in faults} == {"/people/0/email", "/people/1"}
    assert "secret" not in answer.text
    assert fault_of(agency.post("/ads/audiences", people=[])) == ("/name", "required")
    assert fault_of(agency.post("/ads/audiences", name="x", kind="website"))[0] == "/pixelId"


def an_event(agency: Agency, **change: Any) -> dict[str, Any]:
    return {
        "name": "Purchase",
        "at": (agency.running.clock.now() - timedelta(minutes=5)).isoformat(),
        "id": uuid4().hex,
        "url": "https://bakery.example.com/thank-you",
        "value": {"amount": 34_900, "currency": "SEK"},
        "user": {"email": "ada@example.com", "ip": "203.0.113.7", "userAgent": "Mozilla/5.0"},
        **change,
    }


def test_events_have_results_of_their_own(agency: Agency) -> None:
    (pixel,) = [one for one in agency.listed("/ads/pixels") if one["id"] == agency.pixel_id]
    assert pixel["type"] == "pixel"
    events = [an_event(agency), an_event(agency, user={"email": "nobody"}), an_event(agency, id=None)]
    events[2].pop("id")
    key = uuid4().hex
    body: dict[str, Any] = {"pixelId": agency.pixel_id, "events": events}
    made = agency.made("/ads/pixel-events", key, **body)
    assert [one["status"] for one in made["events"]] == ["accepted", "rejected", "accepted"]
    assert (made["accepted"], made["rejected"]) == (2, 1)
    assert "/user/email" in made["events"][1]["detail"]
    assert agency.post("/ads/pixel-events", key, **body).json() == made
    assert "ada@example.com" not in str(agency.sandbox.listed("received", limit=100))
    assert fault_of(agency.post("/ads/pixel-events", **{**body, "pixelId": "404404"})) == ("/pixelId", "not_found")


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_event_outside_the_calendar_is_rejected_alone(agency: Agency, at: str) -> None:
    made = agency.made("/ads/pixel-events", pixelId=agency.pixel_id, events=[an_event(agency, at=at), an_event(agency)])
    assert [one["status"] for one in made["events"]] == ["rejected", "accepted"]
    assert "/at" in made["events"][0]["detail"]


@pytest.mark.parametrize("value", ["x", None, [], 1])
def test_options_of_an_event_that_are_no_object_are_rejected_alone(agency: Agency, value: object) -> None:
    name = {"meta": "custom_data", "tiktokads": "properties"}[agency.platform]
    events = [an_event(agency, platformOptions={name: value}), an_event(agency, platformOptions={name: {"a": 1}})]
    made = agency.made("/ads/pixel-events", pixelId=agency.pixel_id, events=events)
    assert [one["status"] for one in made["events"]] == ["rejected", "accepted"]
    assert f"/platformOptions/{name}" in made["events"][0]["detail"]


def test_an_event_whose_answer_is_lost_keeps_its_id_when_it_is_sent_again(agency: Agency) -> None:
    path = {"meta": "*/events", "tiktokads": "*/event/track/"}[agency.platform]
    event, key = an_event(agency), uuid4().hex
    del event["id"]
    body: dict[str, Any] = {"pixelId": agency.pixel_id, "events": [event]}
    agency.fail(path, when="after")
    problem_of(agency.post("/ads/pixel-events", key, **body), 503, "platform_unavailable")
    made = agency.made("/ads/pixel-events", key, **body)
    assert made["accepted"] == 1
    # The platform received it twice under one id, and counts it once.
    calls = [str(one) for one in agency.sandbox.listed("received", platform=agency.platform, limit=20)]
    assert sum(made["events"][0]["id"] in call for call in calls) == 2


def test_a_custom_conversion_is_created_listed_and_deleted(agency: Agency) -> None:
    name = f"Orders {uuid4().hex[:20]}"
    rules = [{"field": "url", "operator": "contains", "values": ["/thank-you"]}]
    made = agency.made("/ads/custom-conversions", pixelId=agency.pixel_id, name=name, event="Purchase", rules=rules)
    found = {one["id"]: one for one in agency.listed("/ads/custom-conversions", pixelId=agency.pixel_id)}
    assert (found[made["id"]]["name"], found[made["id"]]["event"]) == (name, "Purchase")
    assert found[made["id"]]["rules"] == rules
    assert agency.change("customConversion", made["id"], name=f"{name} b").json()["name"] == f"{name} b"
    assert agency.delete("customConversion", made["id"]).status_code == 200
    problem_of(agency.delete("customConversion", made["id"]), 404, "platform_not_found")
    if agency.platform == "tiktokads":
        assert fault_of(agency.get("/ads/custom-conversions")) == ("?pixelId", "required")
