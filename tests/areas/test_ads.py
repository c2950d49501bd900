"""Campaigns, ad sets, ads and creatives through the API, on both platforms that have them."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import httpx
import pytest

from support.ads_api import PLATFORMS, AdsClient, build_adset, connect_agency
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

BUDGET = {"amount": 60_000, "currency": "SEK", "type": "daily"}
# In UTC they are outside the calendar.
FIRST, LAST = "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"


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


@pytest.fixture
def meta(running: RunningService, sandbox: Sandbox) -> AdsClient:
    return AdsClient(running, sandbox, "meta")


@pytest.fixture
def tiktok(running: RunningService, sandbox: Sandbox) -> AdsClient:
    return AdsClient(running, sandbox, "tiktokads")


def test_a_campaign_is_created_paused_listed_changed_and_deleted(agency: AdsClient) -> None:
    created = agency.campaign(budget=BUDGET)
    assert (created["type"], created["adAccountId"], created["goal"]) == ("campaign", agency.account_id, "traffic")
    assert (created["status"], created["configuredStatus"]) == ("paused", "paused")
    assert created["createdAt"] is not None
    (result,) = agency.listed("/ads/campaigns", q=created["name"])
    assert result["budget"] == BUDGET
    assert result["createdAt"] is not None
    assert [item["id"] for item in agency.listed("/ads/campaigns", q=created["name"], status="paused")] == [
        created["id"]
    ]
    assert agency.listed("/ads/campaigns", q=created["name"], status="active") == []
    changed = agency.change(
        "campaign", created["id"], name="Buns", status="active", budget={**BUDGET, "amount": 70_000}
    )
    assert changed.status_code == 200, changed.text
    shown = changed.json()
    assert (shown["name"], shown["configuredStatus"], shown["budget"]["amount"]) == ("Buns", "active", 70_000)
    gone = agency.delete("campaign", created["id"])
    assert gone.json() == {"id": created["id"], "adAccountId": agency.account_id, "type": "campaign", "deleted": True}
    assert agency.listed("/ads/campaigns", q="Buns") == []
    problem_of(agency.delete("campaign", created["id"]), 404, "platform_not_found")
    problem = problem_of(agency.change("campaign", created["id"], name="Again"), 404, "platform_not_found")
    assert f"no campaign with the id {created['id']}. GET /ads/campaigns lists them." in problem["detail"]


def test_a_repeated_request_creates_nothing_twice(agency: AdsClient) -> None:
    name, key = f"Once {uuid4().hex}", uuid4().hex
    body = {"name": name, "goal": "traffic"}
    first, again = agency.create("/ads/campaigns", key, **body), agency.post("/ads/campaigns", key, **body)
    assert again.json() == first
    assert again.headers["idempotent-replayed"] == "true"
    assert len(agency.listed("/ads/campaigns", q=name)) == 1


def test_a_lost_answer_is_looked_up(agency: AdsClient) -> None:
    path = {"meta": "*/campaigns", "tiktokads": "*/campaign/create/"}[agency.platform]
    name = f"Lost {uuid4().hex}"
    agency.fail(path, when="after")
    created = agency.create("/ads/campaigns", uuid4().hex, name=name, goal="traffic")
    assert [item["id"] for item in agency.listed("/ads/campaigns", q=name)] == [created["id"]]


def test_what_the_platform_never_received_can_be_sent_again(agency: AdsClient) -> None:
    path = {"meta": "*/campaigns", "tiktokads": "*/campaign/create/"}[agency.platform]
    name, key = f"Never {uuid4().hex}", uuid4().hex
    agency.fail(path, when="drop")
    problem_of(agency.post("/ads/campaigns", key, name=name, goal="traffic"), 502, "outcome_unknown")
    agency.running.advance_time(timedelta(minutes=2))
    eventually(lambda: agency.operations(status="failed"))
    assert agency.create("/ads/campaigns", key, name=name, goal="traffic")
    assert len(agency.listed("/ads/campaigns", q=name)) == 1


def test_a_creative_whose_answer_is_lost_is_never_created_twice(meta: AdsClient) -> None:
    """Meta does not show when a creative was created, so one of the same name proves nothing."""

    def sent(name: str) -> int:
        calls = meta.sandbox.listed("received", platform="meta", path="*/adcreatives", limit=200)
        return sum(call["method"] == "POST" and call["body"]["name"] == name for call in calls)

    body = {"accountId": meta.page_id, "name": f"Lost {uuid4().hex}", "text": "Fresh.", "url": "https://example.com"}
    key = uuid4().hex
    meta.fail("*/adcreatives", when="after")
    problem_of(meta.post("/ads/adcreatives", key, **body), 502, "outcome_unknown")
    (operation,) = meta.operations(status="unconfirmed")

    def answered() -> httpx.Response | None:
        """While the worker looks for it, the key is in use."""
        answer = meta.post("/ads/adcreatives", key, **body)
        return None if answer.status_code == httpx.codes.CONFLICT else answer

    for _ in range(4):
        problem_of(eventually(answered), 502, "outcome_unknown")
        meta.running.advance_time(timedelta(hours=1))
    shown = meta.owner.session.get(f"/operations/{operation['id']}").json()
    assert (shown["status"], sent(body["name"])) == ("unconfirmed", 1)
    never = {**body, "name": f"Never {uuid4().hex}"}
    meta.fail("*/adcreatives", when="drop")
    problem_of(meta.post("/ads/adcreatives", "never", **never), 502, "outcome_unknown")
    meta.running.advance_time(timedelta(minutes=2))
    eventually(lambda: meta.operations(status="failed"))
    assert meta.create("/ads/adcreatives", "never", **never)["name"] == never["name"]


def test_a_change_that_cannot_be_compared_is_not_reported_as_done(agency: AdsClient) -> None:
    adset = agency.adset(agency.campaign()["id"])
    path = {"meta": f"*/{adset['id']}", "tiktokads": "*/adgroup/update/"}[agency.platform]
    agency.fail(path, when="drop")
    targeting = {"countries": ["NO"], "ageMin": 25}
    problem_of(agency.change("adset", adset["id"], targeting=targeting), 502, "outcome_unknown")


def test_an_ad_set_and_an_ad_are_created_and_listed(agency: AdsClient) -> None:
    campaign = agency.campaign()
    adset = agency.adset(campaign["id"])
    assert (adset["campaignId"], adset["status"]) == (campaign["id"], "paused")
    (result,) = agency.listed("/ads/adsets", campaignId=campaign["id"])
    assert result["budget"] == {"amount": 50_000, "currency": "SEK", "type": "daily"}
    assert result["optimization"] == "clicks"
    targeting = result["targeting"]
    # TikTok shows countries as places of its own.
    assert (targeting["countries"] == ["NO"]) == (agency.platform == "meta")
    assert (bool(targeting["locations"])) == (agency.platform == "tiktokads")
    assert (targeting["ageMin"], targeting["ageMax"]) == (18, 44)
    assert targeting["genders"] == ["female"]
    creative = agency.creative()
    assert creative["type"] == "adcreative"
    ad = agency.create("/ads/ads", adsetId=adset["id"], creativeId=creative["id"], name="Princess cake")
    assert (ad["campaignId"], ad["createdAt"] is None) == (campaign["id"], False)
    (listed,) = agency.listed("/ads/ads", adsetId=adset["id"])
    assert (listed["id"], listed["campaignId"], listed["name"]) == (ad["id"], campaign["id"], "Princess cake")
    assert [item["id"] for item in agency.listed("/ads/ads", campaignId=campaign["id"])] == [ad["id"]]
    changed = agency.change("ad", ad["id"], status="active")
    assert changed.json()["configuredStatus"] == "active"
    # Its campaign is paused, so nothing is shown.
    assert changed.json()["status"] in {"paused", "inReview"}
    assert changed.json()["statusReason"]
    other = {"meta": "CH", "tiktokads": "SE"}[agency.platform]
    changed = agency.change("adset", adset["id"], targeting={"countries": [other]})
    assert changed.status_code == 200, changed.text
    (moved,) = agency.listed("/ads/adsets", campaignId=campaign["id"])
    places = ("countries", "locations")
    assert [moved["targeting"][place] for place in places] != [targeting[place] for place in places]
    assert agency.delete("ad", ad["id"]).status_code == 200
    assert agency.listed("/ads/ads", adsetId=adset["id"]) == []


def rename(agency: AdsClient, kind: str, object_id: str, expected: str | None) -> httpx.Response:
    body = {"adAccountId": agency.account_id, "type": kind, "id": object_id, "name": f"Renamed {uuid4().hex}"}
    return agency.send("PATCH", "/ads/object", json=body, headers={"If-Match": expected} if expected else {})


def test_a_change_can_require_a_version(agency: AdsClient) -> None:
    """Also if it is changed several times in a second: platforms do not show more of the time."""
    campaign = agency.campaign()
    tag = rename(agency, "campaign", campaign["id"], campaign["etag"]).headers["etag"]
    last = rename(agency, "campaign", campaign["id"], None).json()
    problem = problem_of(rename(agency, "campaign", campaign["id"], tag), 412, "precondition_failed")
    assert "GET /ads/campaigns" in problem["detail"]
    (result,) = agency.listed("/ads/campaigns", q=last["name"])
    assert result["etag"] == last["etag"]
    assert rename(agency, "campaign", campaign["id"], result["etag"]).status_code == 200


def test_every_type_has_versions(agency: AdsClient) -> None:
    campaign = agency.campaign()
    adset, creative = agency.adset(campaign["id"]), agency.creative()
    ad = agency.create("/ads/ads", adsetId=adset["id"], creativeId=creative["id"], name=f"Cake {uuid4().hex}")
    audience = agency.create("/ads/audiences", name=f"People {uuid4().hex}", people=[{"email": "ada@example.com"}])
    assert audience["createdAt"] is not None
    agency.wait_for_task(audience["upload"]["id"])
    for path, created in (("/ads/adsets", adset), ("/ads/ads", ad), ("/ads/audiences", audience)):
        (result,) = agency.listed(path, q=created["name"])
        renamed = rename(agency, created["type"], created["id"], result["etag"])
        assert renamed.status_code == 200, renamed.text
        (result,) = agency.listed(path, q=renamed.json()["name"])
        assert result["etag"] == renamed.headers["etag"]
        problem = problem_of(rename(agency, created["type"], created["id"], '"0"'), 412, "precondition_failed")
        assert f"GET {path}" in problem["detail"]
    renamed = rename(agency, "adcreative", creative["id"], creative["etag"])
    assert renamed.status_code == 200, renamed.text
    problem = problem_of(rename(agency, "adcreative", creative["id"], creative["etag"]), 412, "precondition_failed")
    assert "omit If-Match" in problem["detail"]


def test_an_object_of_another_type_is_not_found(agency: AdsClient) -> None:
    campaign = agency.campaign()["id"]
    adset = agency.adset(campaign)["id"]
    wrong = [
        ("adset", campaign, "no ad set with the id", "/ads/adsets"),
        ("ad", campaign, "no ad with the id", "/ads/ads"),
        ("campaign", adset, "no campaign with the id", "/ads/campaigns"),
        ("audience", adset, "no audience with the id", "/ads/audiences"),
    ]
    for kind, object_id, text, path in wrong:
        for answer in (agency.change(kind, object_id, name="x"), agency.delete(kind, object_id)):
            detail = problem_of(answer, 404, "platform_not_found")["detail"]
            assert f"{text} {object_id}. GET {path} lists them." in detail


def test_an_option_with_a_field_of_its_own_is_our_own_rule(meta: AdsClient) -> None:
    body: dict[str, Any] = {"name": "x", "goal": "traffic", "platformOptions": {"objective": "OUTCOME_SALES"}}
    problem = problem_of(meta.post("/ads/campaigns", **body), 422, "invalid")
    assert problem["detail"] == "Use `goal` instead of objective."
    problem = problem_of(meta.post("/ads/campaigns", **body, spendCap={"amount": 1, "currency": "EUR"}), 422, "invalid")
    assert problem["detail"].endswith("(1 more error, see `errors`.)")


def test_pixels_cannot_be_changed(agency: AdsClient) -> None:
    assert fault_of(agency.delete("pixel", "1")) == ("?type", "not_supported")
    assert fault_of(agency.change("pixel", "1", name="x")) == ("/type", "not_supported")


def test_creatives_are_renamed_and_deleted_wherever_they_are(agency: AdsClient) -> None:
    creative = agency.creative()
    assert creative["id"].startswith("crea_") == (agency.platform == "tiktokads")
    changed = agency.change("adcreative", creative["id"], name="Another name")
    assert changed.json()["name"] == "Another name", changed.text
    assert agency.delete("adcreative", creative["id"]).status_code == 200
    problem_of(agency.delete("adcreative", creative["id"]), 404, "platform_not_found")


def test_what_is_wrong_is_named_before_the_platform_is_asked(agency: AdsClient) -> None:
    campaign = agency.campaign(budget=BUDGET)
    wrong = [
        (
            "/ads/campaigns",
            {"name": "x", "goal": "traffic", "budget": {**BUDGET, "currency": "USD"}},
            "/budget/currency",
        ),
        ("/ads/campaigns", {"name": "x", "goal": "traffic", "budget": {**BUDGET, "amount": 1}}, "/budget/amount"),
        ("/ads/campaigns", {"name": "x", "goal": "traffic", "bid": {"strategy": "bidCap"}}, "/bid/amount"),
        ("/ads/adsets", build_adset(campaign["id"]), "/budget"),
        ("/ads/adsets", build_adset("404404404"), "/campaignId"),
        ("/ads/ads", {"adsetId": "1", "creativeId": f"crea_{'0' * 26}", "name": "x"}, "/creativeId"),
        ("/ads/campaigns", {"name": "x", "goal": "traffic", "schedule": {"start": FIRST}}, "/schedule/start"),
        ("/ads/adsets", {**build_adset(campaign["id"]), "schedule": {"start": FIRST, "end": LAST}}, "/schedule/end"),
    ]
    if agency.platform == "tiktokads":
        # It does not say what the smallest budget in this currency is.
        del wrong[1]
    before = len(agency.operations())
    for path, body, pointer in wrong:
        faults = problem_of(agency.post(path, **body), 422, "invalid")["errors"]
        assert pointer in {fault["pointer"] for fault in faults}, faults
    assert fault_of(agency.change("campaign", campaign["id"]))[1] == "required"
    assert fault_of(agency.change("campaign", campaign["id"], creativeId="1")) == ("/creativeId", "not_supported")
    late = agency.change("campaign", campaign["id"], schedule={"end": LAST})
    assert fault_of(late) == ("/schedule/end", "out_of_range")
    assert fault_of(agency.get("/ads/campaigns", status="sleeping")) == ("?status", "invalid")
    assert len(agency.operations()) == before


def test_a_lifetime_budget_needs_an_end(agency: AdsClient) -> None:
    campaign = agency.campaign()
    adset = {**build_adset(campaign["id"]), "budget": {"amount": 900_000, "currency": "SEK", "type": "lifetime"}}
    assert fault_of(agency.post("/ads/adsets", **adset)) == ("/schedule/end", "required")
    end = (agency.running.clock.now() + timedelta(days=7)).replace(microsecond=0)
    created = agency.create("/ads/adsets", **adset, schedule={"end": end.isoformat()})
    (result,) = agency.listed("/ads/adsets", campaignId=campaign["id"])
    assert result["id"] == created["id"]
    assert result["budget"]["type"] == "lifetime"
    assert result["schedule"]["end"].startswith(f"{end:%Y-%m-%dT%H:%M:%S}")


def test_yen_have_no_decimals(running: RunningService, sandbox: Sandbox) -> None:
    owner = OwnerFixture(running)
    account = next(item for item in connect_agency(sandbox, owner) if item["name"] == "Harbour Cinema ads")
    budget = {"amount": 2_500, "currency": "JPY", "type": "daily"}
    name = f"Cinema {uuid4().hex}"
    body: dict[str, Any] = {"adAccountId": account["id"], "name": name, "goal": "traffic", "budget": budget}
    response = owner.session.post("/ads/campaigns", json=body)
    assert response.status_code == 201, response.text
    (result,) = owner.session.get("/ads/campaigns", params={"adAccountId": account["id"], "q": name}).json()["data"]
    assert result["budget"] == budget


def test_lists_have_pages(agency: AdsClient) -> None:
    name = f"Many {uuid4().hex}"
    created_items = {agency.campaign(name=f"{name} {number}")["id"] for number in range(3)}
    first = agency.get("/ads/campaigns", q=name, limit=2).json()
    assert len(first["data"]) == 2
    items = {item["id"] for item in first["data"]}
    rest = agency.get("/ads/campaigns", q=name, limit=2, cursor=first["nextCursor"]).json()
    assert items | {item["id"] for item in rest["data"]} == created_items
    problem_of(agency.get("/ads/adsets", cursor=first["nextCursor"]), 422, "invalid")


def test_keys_of_other_profiles_and_other_owners_reach_nothing(agency: AdsClient, running: RunningService) -> None:
    campaign = agency.campaign()
    elsewhere = agency.owner.limited_key(agency.owner.new_profile())
    query = {"adAccountId": agency.account_id}
    named = {**query, "type": "campaign", "id": campaign["id"]}
    for client, status, code in (
        (elsewhere, 403, "out_of_scope"),
        (OwnerFixture(running).session, 404, "not_found"),
    ):
        problem_of(client.get("/ads/campaigns", params=query), status, code)
        problem_of(client.get("/ads/insights", params=query), status, code)
        problem_of(client.patch("/ads/object", json={**named, "name": "Mine"}), status, code)
        problem_of(client.delete("/ads/object", params=named), status, code)
        problem_of(client.post("/ads/campaigns", json={**query, "name": "x", "goal": "traffic"}), status, code)
    reader = agency.owner.key(permission="read")
    problem_of(reader.delete("/ads/object", params=named), 403, "read_only_key")
    assert reader.get("/ads/campaigns", params=query).status_code == 200
    assert len(agency.listed("/ads/campaigns", q=campaign["name"])) == 1


def test_objects_of_another_ad_account_are_not_found(
    meta: AdsClient, tiktok: AdsClient, running: RunningService
) -> None:
    """The person who connected them can access both."""
    owner = OwnerFixture(running)
    accounts = {item["name"]: item["id"] for item in connect_agency(meta.sandbox, owner)}
    body = {"adAccountId": accounts["Agency ads"], "name": f"Agency {uuid4().hex}", "goal": "traffic"}
    response = owner.session.post("/ads/campaigns", json=body)
    assert response.status_code == 201, response.text
    named = {"adAccountId": accounts["Harbour Cinema ads"], "type": "campaign", "id": response.json()["id"]}
    problem_of(owner.session.patch("/ads/object", json={**named, "status": "active"}), 404, "platform_not_found")
    problem_of(owner.session.delete("/ads/object", params=named), 404, "platform_not_found")
    campaign = tiktok.campaign()
    tiktok.account_id = tiktok.account_named("Lindqvist Baking School")
    problem_of(tiktok.delete("campaign", campaign["id"]), 404, "platform_not_found")


def test_an_account_that_is_no_ad_account_is_not_found(meta: AdsClient) -> None:
    payload = problem_of(
        meta.owner.session.get("/ads/campaigns", params={"adAccountId": meta.page_id}), 404, "not_found"
    )
    assert "GET /adaccounts" in payload["detail"]
