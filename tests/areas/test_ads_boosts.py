"""Boosts and dark posts: everything is created together, or nothing stays."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from socialgate.areas.operations.tables import OPERATION_LEASE
from socialgate_sandbox.vendors.meta.seed import BAKERY_IG
from support.ads_api import PLATFORMS, AdsClient, build_adset
from support.connections import by_redirect
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

AD_PATHS = {"meta": "*/ads", "tiktokads": "*/ad/create/"}
SET_PATHS = {"meta": "*/adsets", "tiktokads": "*/adgroup/create/"}
BUDGET = {"amount": 80_000, "currency": "SEK", "type": "daily"}


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


def plan(**change: Any) -> dict[str, Any]:
    return {"name": f"Boost {uuid4().hex}", "budget": BUDGET, "targeting": {"countries": ["NO"]}, **change}


def everything(agency: AdsClient, name: str) -> list[str]:
    """Name what is there under a name."""
    paths = ("/ads/campaigns", "/ads/adsets", "/ads/ads")
    return [f"{item['type']} {item['configuredStatus']}" for path in paths for item in agency.listed(path, q=name)]


def test_a_post_is_boosted_paused_and_once(agency: AdsClient) -> None:
    body, key = {**plan(), **agency.create_post()}, uuid4().hex
    created = agency.create("/ads/boost", key, **body)
    assert (created["configuredStatus"], created["name"]) == ("paused", body["name"])
    assert everything(agency, body["name"]) == ["campaign paused", "adset paused", "ad paused"]
    (ad,) = agency.listed("/ads/ads", adsetId=created["adsetId"])
    assert (ad["id"], ad["campaignId"]) == (created["adId"], created["campaignId"])
    assert (ad["status"], ad["statusReason"]) == (created["status"], created["statusReason"])
    assert (created["creativeId"] is None) == (agency.platform == "tiktokads")
    assert agency.post("/ads/boost", key, **body).json() == created
    assert len(everything(agency, body["name"])) == 3
    (operation,) = agency.operations(status="succeeded")[:1]
    assert operation["operation"] == "ads.boost"
    assert {item["status"] for item in operation["steps"]} == {"succeeded"}


def test_an_active_boost_says_so(agency: AdsClient) -> None:
    created = agency.create("/ads/boost", **plan(status="active"), **agency.create_post())
    (ad,) = agency.listed("/ads/ads", adsetId=created["adsetId"])
    assert (ad["status"], ad["configuredStatus"]) == ("inReview", "active")
    assert (created["status"], created["configuredStatus"]) == ("inReview", "active")
    assert "is reviewing it." in created["statusReason"]


def test_a_boost_whose_status_cannot_be_read_stays(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "tiktokads")
    body = {**plan(), **agency.create_post()}
    agency.fail("*/ad/get/", method="GET", error="invalid")
    created = agency.create("/ads/boost", **body)
    assert (created["status"], created["configuredStatus"]) == (None, "paused")
    assert len(everything(agency, body["name"])) == 3


def test_a_rejected_ad_says_why_once(agency: AdsClient) -> None:
    created = agency.create("/ads/boost", **plan(status="active"), **agency.create_post())
    (ad,) = agency.listed("/ads/ads", adsetId=created["adsetId"])
    assert (ad["status"], "is reviewing it." in ad["statusReason"]) == ("inReview", True)
    accounts = agency.owner.session.get("/adaccounts").json()["data"]
    (account,) = [account["platformAccountId"] for account in accounts if account["id"] == agency.account_id]
    verdict = {"verdict": "rejected", "reason": "The image is blurred."}
    agency.sandbox.control("review", platform=agency.platform, account=account, ad=created["adId"], **verdict)
    (ad,) = agency.listed("/ads/ads", adsetId=created["adsetId"])
    assert (ad["status"], ad["statusReason"].count("The image is blurred.")) == ("rejected", 1)


def test_what_a_failed_boost_created_is_deleted(agency: AdsClient) -> None:
    body = {**plan(), **agency.create_post()}
    agency.fail(AD_PATHS[agency.platform], error="invalid")
    problem = problem_of(agency.post("/ads/boost", **body), 422, "platform_rejected")
    assert "These were created, and have been deleted again: " in problem["detail"]
    assert everything(agency, body["name"]) == []
    (operation,) = agency.operations(status="failed")
    assert [item["status"] for item in operation["steps"]] == ["removed"] * (len(operation["steps"]) - 1) + ["failed"]


@pytest.mark.both_engines
@pytest.mark.parametrize("paths", [AD_PATHS, SET_PATHS], ids=["last", "second"])
def test_a_lost_answer_ends_with_everything_or_nothing(agency: AdsClient, paths: dict[str, str]) -> None:
    body, key = {**plan(), **agency.create_post()}, uuid4().hex
    agency.fail(paths[agency.platform], when="after")
    answer = agency.post("/ads/boost", key, **body)
    if paths is AD_PATHS:
        assert answer.status_code == 201, answer.text
        assert len(everything(agency, body["name"])) == 3
    else:
        problem_of(answer, 503, "platform_unavailable")
        assert everything(agency, body["name"]) == []
        # The same key starts from the beginning.
        assert agency.post("/ads/boost", key, **body).status_code == 201
        assert len(everything(agency, body["name"])) == 3


def test_what_never_arrived_is_reverted_in_the_background(agency: AdsClient) -> None:
    body = {**plan(), **agency.create_post()}
    agency.fail(AD_PATHS[agency.platform], when="drop")
    problem_of(agency.post("/ads/boost", **body), 502, "outcome_unknown")
    agency.running.advance_time(OPERATION_LEASE + timedelta(minutes=1))
    eventually(lambda: agency.operations(status="failed"))
    assert everything(agency, body["name"]) == []


def test_ads_in_the_european_union_say_who_pays(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "meta")
    body = plan(targeting={"countries": ["SE"]}, creative=agency.build_creative())
    problem = problem_of(agency.post("/ads/darkpost", **body), 422, "invalid")
    assert [item["pointer"] for item in problem["errors"]] == [
        "/adsetOptions/dsa_beneficiary",
        "/adsetOptions/dsa_payor",
    ]
    # Of a city, only the platform knows where it is: its rejection names the same field.
    stockholm = agency.get("/ads/locations", q="stockholm", types="city").json()["data"][0]["id"]
    there = {**body, "targeting": {"locations": [stockholm]}}
    problem = problem_of(agency.post("/ads/darkpost", **there), 422, "platform_rejected")
    assert "dsa_payor in adsetOptions" in problem["detail"]
    assert problem["errors"][0]["pointer"] == "/adsetOptions/dsa_beneficiary"
    assert everything(agency, body["name"]) == []
    paid = {"dsa_beneficiary": "Ada", "dsa_payor": "Ada"}
    assert agency.create("/ads/darkpost", **body, adsetOptions=paid)


def test_a_dark_post_shows_a_creative_of_its_own(agency: AdsClient) -> None:
    body = plan(goal="traffic", creative=agency.build_creative())
    created = agency.create("/ads/darkpost", uuid4().hex, **body)
    assert everything(agency, body["name"]) == ["campaign paused", "adset paused", "ad paused"]
    assert [item["id"] for item in agency.listed("/ads/ads", campaignId=created["campaignId"])] == [created["adId"]]


def test_a_dark_post_says_whose_it_is(agency: AdsClient) -> None:
    creative = {**agency.build_creative(), "publisherId": "404404"}
    creative.pop("accountId", None)
    problem = problem_of(agency.post("/ads/darkpost", **plan(creative=creative)), 422, "platform_rejected")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/creative/accountId"]


def test_everything_wrong_is_named_before_the_first_call(agency: AdsClient) -> None:
    post = agency.create_post()
    before = len(agency.operations())
    wrong: list[tuple[dict[str, Any], str]] = [
        ({**plan(budget={**BUDGET, "currency": "EUR"}), **post}, "/budget/currency"),
        ({**plan(budget={**BUDGET, "type": "lifetime"}), **post}, "/schedule/end"),
        ({**plan(targeting={}), **post}, "/targeting/countries"),
        ({**plan(), **agency.publisher}, "/postId"),
        ({**plan(), "postId": f"post_{'0' * 26}"}, "/accountId"),
    ]
    for body, pointer in wrong:
        faults = problem_of(agency.post("/ads/boost", **body), 422, "invalid")["errors"]
        assert pointer in {fault["pointer"] for fault in faults}, faults
    assert len(agency.operations()) == before


def test_tiktok_takes_the_same_name_twice(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "tiktokads")
    body = {**plan(), **agency.create_post()}
    del body["name"]
    first = agency.create("/ads/boost", **body)
    running.advance_time(timedelta(seconds=2))
    assert agency.create("/ads/boost", **body)["name"] != first["name"]
    assert agency.create("/ads/campaigns", name=first["name"], goal="traffic")["id"] != first["campaignId"]


def test_what_tiktok_blames_is_a_field_of_the_request(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "tiktokads")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"budget": {**BUDGET, "amount": 100}}, "/budget/amount"),
        ({"targeting": {"locations": ["404404404"]}}, "/targeting/locations"),
    ]
    for change, pointer in wrong:
        problem = problem_of(
            agency.post("/ads/boost", **plan(**change), **agency.create_post()), 422, "platform_rejected"
        )
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer], problem


def test_only_accounts_of_the_platform_can_be_advertised_for(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "tiktokads")
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, platformPostId="1")
    assert fault_of(answer) == ("/accountId", "invalid")
    assert "This is a Facebook Page. Ads of this ad account come from a TikTok account." in answer.text


def test_a_post_must_be_published_to_be_boosted(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "meta")
    post = {"profileId": agency.owner.profile_id, "content": "Soon!", "targets": [{"accountId": agency.page_id}]}
    later = (running.clock.now() + timedelta(days=3)).isoformat()
    response = agency.owner.session.post("/posts", json={**post, "scheduledFor": later})
    assert response.is_success, response.text
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, postId=response.json()["id"])
    assert fault_of(answer) == ("/postId", "not_found")
    assert "not published yet" in answer.text
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, postId=f"post_{'0' * 26}")
    assert fault_of(answer) == ("/postId", "not_found")
    assert "not published on the account" in answer.text
    assert "`platformPostId`" in answer.text


def test_a_boost_names_the_post_by_both_ids(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "meta")
    post = agency.create_post("Cardamom buns \U0001f950 are back,\nevery morning from seven until they are sold out")
    body = {**plan(), **post}
    del body["name"]
    created = agency.create("/ads/boost", **body)
    shown = agency.owner.session.get(f"/posts/{post['postId']}").json()["targets"][0]
    assert (created["postId"], created["platformPostId"]) == (post["postId"], shown["platformPostId"])
    assert created["name"].startswith("Boost of Cardamom buns are back, every morning from seven…, 20")
    again = {**body, "platformPostId": created["platformPostId"]}
    del again["postId"]
    created = agency.create("/ads/boost", **again, name="Again")
    assert (created["postId"], created["platformPostId"]) == (None, shown["platformPostId"])


def test_a_page_of_another_profile_is_out_of_reach(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "meta")
    page = agency.page_id
    elsewhere = agency.owner.new_profile()
    moved = agency.owner.session.patch(f"/accounts/{page}", json={"profileId": elsewhere})
    assert moved.status_code == 200, moved.text
    key = agency.owner.limited_key(agency.owner.profile_id)
    platform_id = agency.owner.session.get(f"/accounts/{page}").json()["platformAccountId"]
    body = {"adAccountId": agency.account_id, **plan(), "platformPostId": f"{platform_id}_1"}
    problem_of(key.post("/ads/boost", json=body), 403, "out_of_scope")
    body["publisherId"] = platform_id
    problem_of(key.post("/ads/boost", json=body), 403, "out_of_scope")
    # An ad of an Instagram account also appears in the name of its Page.
    shown = {"adAccountId": agency.account_id, "name": "Cake", "text": "Fresh.", "url": "https://bakery.example.com"}
    problem_of(key.post("/ads/adcreatives", json={**shown, "publisherId": BAKERY_IG}), 403, "out_of_scope")
    adset = {**build_adset(agency.campaign()["id"]), "adAccountId": agency.account_id}
    answer = key.post("/ads/adsets", json={**adset, "promotes": {"pageId": platform_id}})
    problem_of(answer, 403, "out_of_scope")


def check_creative(agency: AdsClient, account_id: str, shown: dict[str, Any]) -> None:
    """A creative is used by keys that cover the profile of the account that it comes from, and by no others."""
    creative = agency.create("/ads/adcreatives", name=f"Cake {uuid4().hex}", **shown)["id"]
    adset = agency.adset(agency.campaign()["id"])["id"]
    ad = {"adAccountId": agency.account_id, "adsetId": adset, "creativeId": creative}
    other = agency.create("/ads/ads", name="Buns", adsetId=adset, creativeId=creative)
    change = {"adAccountId": agency.account_id, "type": "ad", "id": other["id"], "creativeId": creative}
    key, session = agency.owner.limited_key(agency.owner.profile_id), agency.owner.session
    assert key.post("/ads/ads", json={**ad, "name": f"Near {uuid4().hex}"}).status_code == 201
    for profile, is_near in ((agency.owner.new_profile(), False), (agency.owner.profile_id, True)):
        moved = session.patch(f"/accounts/{account_id}", json={"profileId": profile})
        assert moved.status_code == 200, moved.text
        answers = [
            key.post("/ads/ads", json={**ad, "name": f"Far {uuid4().hex}"}),
            key.patch("/ads/object", json=change),
        ]
        assert [answer.is_success for answer in answers] == [is_near, is_near], [answer.text for answer in answers]
        for answer in () if is_near else answers:
            problem_of(answer, 403, "out_of_scope")
    # A key that covers everything does not depend on it.
    agency.create("/ads/ads", name=f"Any {uuid4().hex}", adsetId=adset, creativeId=creative)


@pytest.mark.parametrize("shown", ["page", "post", "instagram"])
def test_a_creative_of_a_page_of_another_profile_is_not_used(
    running: RunningService, sandbox: Sandbox, shown: str
) -> None:
    agency = AdsClient(running, sandbox, "meta")
    payload = {"text": "Fresh.", "url": "https://bakery.example.com"}
    ways: dict[str, dict[str, Any]] = {
        "page": {"accountId": agency.page_id, **payload},
        "post": agency.create_post() if shown == "post" else {},
        # An ad of an Instagram account also appears in the name of its Page.
        "instagram": {"publisherId": BAKERY_IG, **payload},
    }
    check_creative(agency, agency.page_id, ways[shown])
    limited = agency.owner.limited_key(agency.owner.profile_id)
    unknown = {"adAccountId": agency.account_id, "name": "Cake", "adsetId": "1", "creativeId": "1"}
    assert fault_of(limited.post("/ads/ads", json=unknown)) == ("/creativeId", "not_found")


def test_a_tiktok_account_of_another_profile_is_out_of_reach(running: RunningService, sandbox: Sandbox) -> None:
    agency = AdsClient(running, sandbox, "tiktokads")
    key = agency.owner.limited_key(agency.owner.profile_id)
    body = {"adAccountId": agency.account_id, **plan(), **agency.create_post()}
    elsewhere = agency.owner.new_profile()
    by_redirect("tiktok")(sandbox, agency.owner)
    (account,) = agency.owner.session.get("/accounts", params={"platform": "tiktok"}).json()["data"]
    moved = agency.owner.session.patch(f"/accounts/{account['id']}", json={"profileId": elsewhere})
    assert moved.status_code == 200, moved.text
    problem_of(key.post("/ads/boost", json=body), 403, "out_of_scope")
    agency.owner.session.patch(f"/accounts/{account['id']}", json={"profileId": agency.owner.profile_id})
    check_creative(agency, account["id"], {**agency.create_post(), "url": "https://bakery.example.com/cakes"})
