"""Boosts and dark posts: everything is created together, or nothing stays."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from socialgate.areas.operations.tables import LEASE
from socialgate_sandbox.vendors.meta.seed import BAKERY_IG
from support.adverts import PLATFORMS, Agency, an_adset
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
    with Sandbox(running) as found:
        yield found
        found.http.delete("/_control/fail")


@pytest.fixture(params=PLATFORMS)
def agency(request: pytest.FixtureRequest, running: RunningService, sandbox: Sandbox) -> Agency:
    return Agency(running, sandbox, request.param)


def plan(**change: Any) -> dict[str, Any]:
    return {"name": f"Boost {uuid4().hex}", "budget": BUDGET, "targeting": {"countries": ["NO"]}, **change}


def everything(agency: Agency, name: str) -> list[str]:
    """Name what is there under a name."""
    paths = ("/ads/campaigns", "/ads/adsets", "/ads/ads")
    return [f"{one['type']} {one['configuredStatus']}" for path in paths for one in agency.listed(path, q=name)]


def test_a_post_is_boosted_paused_and_once(agency: Agency) -> None:
    body, key = {**plan(), **agency.a_post()}, uuid4().hex
    made = agency.made("/ads/boost", key, **body)
    assert (made["configuredStatus"], made["name"]) == ("paused", body["name"])
    assert everything(agency, body["name"]) == ["campaign paused", "adset paused", "ad paused"]
    (ad,) = agency.listed("/ads/ads", adsetId=made["adsetId"])
    assert (ad["id"], ad["campaignId"]) == (made["adId"], made["campaignId"])
    assert (ad["status"], ad["statusReason"]) == (made["status"], made["statusReason"])
    assert (made["creativeId"] is None) == (agency.platform == "tiktokads")
    assert agency.post("/ads/boost", key, **body).json() == made
    assert len(everything(agency, body["name"])) == 3
    (operation,) = agency.operations(status="succeeded")[:1]
    assert operation["operation"] == "ads.boost"
    assert {one["status"] for one in operation["steps"]} == {"succeeded"}


def test_an_active_boost_says_so(agency: Agency) -> None:
    made = agency.made("/ads/boost", **plan(status="active"), **agency.a_post())
    (ad,) = agency.listed("/ads/ads", adsetId=made["adsetId"])
    assert (ad["status"], ad["configuredStatus"]) == ("inReview", "active")
    assert (made["status"], made["configuredStatus"]) == ("inReview", "active")
    assert "is reviewing it." in made["statusReason"]


def test_a_boost_whose_status_cannot_be_read_stays(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "tiktokads")
    body = {**plan(), **agency.a_post()}
    agency.fail("*/ad/get/", method="GET", error="invalid")
    made = agency.made("/ads/boost", **body)
    assert (made["status"], made["configuredStatus"]) == (None, "paused")
    assert len(everything(agency, body["name"])) == 3


def test_a_rejected_ad_says_why_once(agency: Agency) -> None:
    made = agency.made("/ads/boost", **plan(status="active"), **agency.a_post())
    (ad,) = agency.listed("/ads/ads", adsetId=made["adsetId"])
    assert (ad["status"], "is reviewing it." in ad["statusReason"]) == ("inReview", True)
    accounts = agency.owner.session.get("/adaccounts").json()["data"]
    (account,) = [one["platformAccountId"] for one in accounts if one["id"] == agency.account_id]
    verdict = {"verdict": "rejected", "reason": "The image is blurred."}
    agency.sandbox.control("review", platform=agency.platform, account=account, ad=made["adId"], **verdict)
    (ad,) = agency.listed("/ads/ads", adsetId=made["adsetId"])
    assert (ad["status"], ad["statusReason"].count("The image is blurred.")) == ("rejected", 1)


def test_what_a_failed_boost_created_is_deleted(agency: Agency) -> None:
    body = {**plan(), **agency.a_post()}
    agency.fail(AD_PATHS[agency.platform], error="invalid")
    problem = problem_of(agency.post("/ads/boost", **body), 422, "platform_rejected")
    assert "These were created, and have been deleted again: " in problem["detail"]
    assert everything(agency, body["name"]) == []
    (operation,) = agency.operations(status="failed")
    assert [one["status"] for one in operation["steps"]] == ["removed"] * (len(operation["steps"]) - 1) + ["failed"]


@pytest.mark.both_engines
@pytest.mark.parametrize("paths", [AD_PATHS, SET_PATHS], ids=["last", "second"])
def test_a_lost_answer_ends_with_everything_or_nothing(agency: Agency, paths: dict[str, str]) -> None:
    body, key = {**plan(), **agency.a_post()}, uuid4().hex
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


def test_what_never_arrived_is_reverted_in_the_background(agency: Agency) -> None:
    body = {**plan(), **agency.a_post()}
    agency.fail(AD_PATHS[agency.platform], when="drop")
    problem_of(agency.post("/ads/boost", **body), 502, "outcome_unknown")
    agency.running.let_pass(LEASE + timedelta(minutes=1))
    eventually(lambda: agency.operations(status="failed"))
    assert everything(agency, body["name"]) == []


def test_ads_in_the_european_union_say_who_pays(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "meta")
    body = plan(targeting={"countries": ["SE"]}, creative=agency.a_creative())
    problem = problem_of(agency.post("/ads/darkpost", **body), 422, "invalid")
    assert [one["pointer"] for one in problem["errors"]] == ["/adsetOptions/dsa_beneficiary", "/adsetOptions/dsa_payor"]
    # Of a city, only the platform knows where it is: its rejection names the same field.
    stockholm = agency.get("/ads/locations", q="stockholm", types="city").json()["data"][0]["id"]
    there = {**body, "targeting": {"locations": [stockholm]}}
    problem = problem_of(agency.post("/ads/darkpost", **there), 422, "platform_rejected")
    assert "dsa_payor in adsetOptions" in problem["detail"]
    assert problem["errors"][0]["pointer"] == "/adsetOptions/dsa_beneficiary"
    assert everything(agency, body["name"]) == []
    paid = {"dsa_beneficiary": "Ada", "dsa_payor": "Ada"}
    assert agency.made("/ads/darkpost", **body, adsetOptions=paid)


def test_a_dark_post_shows_a_creative_of_its_own(agency: Agency) -> None:
    body = plan(goal="traffic", creative=agency.a_creative())
    made = agency.made("/ads/darkpost", uuid4().hex, **body)
    assert everything(agency, body["name"]) == ["campaign paused", "adset paused", "ad paused"]
    assert [one["id"] for one in agency.listed("/ads/ads", campaignId=made["campaignId"])] == [made["adId"]]


def test_a_dark_post_says_whose_it_is(agency: Agency) -> None:
    creative = {**agency.a_creative(), "publisherId": "404404"}
    creative.pop("accountId", None)
    problem = problem_of(agency.post("/ads/darkpost", **plan(creative=creative)), 422, "platform_rejected")
    assert [fault["pointer"] for fault in problem["errors"]] == ["/creative/accountId"]


def test_everything_wrong_is_named_before_the_first_call(agency: Agency) -> None:
    post = agency.a_post()
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
    agency = Agency(running, sandbox, "tiktokads")
    body = {**plan(), **agency.a_post()}
    del body["name"]
    first = agency.made("/ads/boost", **body)
    running.let_pass(timedelta(seconds=2))
    assert agency.made("/ads/boost", **body)["name"] != first["name"]
    assert agency.made("/ads/campaigns", name=first["name"], goal="traffic")["id"] != first["campaignId"]


def test_what_tiktok_blames_is_a_field_of_the_request(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "tiktokads")
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"budget": {**BUDGET, "amount": 100}}, "/budget/amount"),
        ({"targeting": {"locations": ["404404404"]}}, "/targeting/locations"),
    ]
    for change, pointer in wrong:
        problem = problem_of(agency.post("/ads/boost", **plan(**change), **agency.a_post()), 422, "platform_rejected")
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer], problem


def test_only_accounts_of_the_platform_can_be_advertised_for(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "tiktokads")
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, platformPostId="1")
    assert fault_of(answer) == ("/accountId", "invalid")
    assert "This is a Facebook Page. Ads of this ad account come from a TikTok account." in answer.text


def test_a_post_must_be_published_to_be_boosted(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "meta")
    post = {"profileId": agency.owner.profile_id, "content": "Soon!", "targets": [{"accountId": agency.page_id}]}
    later = (running.clock.now() + timedelta(days=3)).isoformat()
    made = agency.owner.session.post("/posts", json={**post, "scheduledFor": later})
    assert made.is_success, made.text
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, postId=made.json()["id"])
    assert fault_of(answer) == ("/postId", "not_found")
    assert "not published yet" in answer.text
    answer = agency.post("/ads/boost", **plan(), accountId=agency.page_id, postId=f"post_{'0' * 26}")
    assert fault_of(answer) == ("/postId", "not_found")
    assert "not published on the account" in answer.text
    assert "`platformPostId`" in answer.text


def test_a_boost_names_the_post_by_both_ids(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "meta")
    post = agency.a_post("Cardamom buns \U0001f950 are back,\nevery morning from seven until they are sold out")
    body = {**plan(), **post}
    del body["name"]
    made = agency.made("/ads/boost", **body)
    shown = agency.owner.session.get(f"/posts/{post['postId']}").json()["targets"][0]
    assert (made["postId"], made["platformPostId"]) == (post["postId"], shown["platformPostId"])
    assert made["name"].startswith("Boost of Cardamom buns are back, every morning from seven…, 20")
    again = {**body, "platformPostId": made["platformPostId"]}
    del again["postId"]
    made = agency.made("/ads/boost", **again, name="Again")
    assert (made["postId"], made["platformPostId"]) == (None, shown["platformPostId"])


def test_a_page_of_another_profile_is_out_of_reach(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "meta")
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
    adset = {**an_adset(agency.campaign()["id"]), "adAccountId": agency.account_id}
    answer = key.post("/ads/adsets", json={**adset, "promotes": {"pageId": platform_id}})
    problem_of(answer, 403, "out_of_scope")


def check_creative(agency: Agency, account_id: str, shown: dict[str, Any]) -> None:
    """A creative is used by keys that cover the profile of the account that it comes from, and by no others."""
    creative = agency.made("/ads/adcreatives", name=f"Cake {uuid4().hex}", **shown)["id"]
    adset = agency.adset(agency.campaign()["id"])["id"]
    ad = {"adAccountId": agency.account_id, "adsetId": adset, "creativeId": creative}
    other = agency.made("/ads/ads", name="Buns", adsetId=adset, creativeId=creative)
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
    agency.made("/ads/ads", name=f"Any {uuid4().hex}", adsetId=adset, creativeId=creative)


@pytest.mark.parametrize("shown", ["page", "post", "instagram"])
def test_a_creative_of_a_page_of_another_profile_is_not_used(
    running: RunningService, sandbox: Sandbox, shown: str
) -> None:
    agency = Agency(running, sandbox, "meta")
    told = {"text": "Fresh.", "url": "https://bakery.example.com"}
    ways: dict[str, dict[str, Any]] = {
        "page": {"accountId": agency.page_id, **told},
        "post": agency.a_post() if shown == "post" else {},
        # An ad of an Instagram account also appears in the name of its Page.
        "instagram": {"publisherId": BAKERY_IG, **told},
    }
    check_creative(agency, agency.page_id, ways[shown])
    limited = agency.owner.limited_key(agency.owner.profile_id)
    unknown = {"adAccountId": agency.account_id, "name": "Cake", "adsetId": "1", "creativeId": "1"}
    assert fault_of(limited.post("/ads/ads", json=unknown)) == ("/creativeId", "not_found")


def test_a_tiktok_account_of_another_profile_is_out_of_reach(running: RunningService, sandbox: Sandbox) -> None:
    agency = Agency(running, sandbox, "tiktokads")
    key = agency.owner.limited_key(agency.owner.profile_id)
    body = {"adAccountId": agency.account_id, **plan(), **agency.a_post()}
    elsewhere = agency.owner.new_profile()
    by_redirect("tiktok")(sandbox, agency.owner)
    (account,) = agency.owner.session.get("/accounts", params={"platform": "tiktok"}).json()["data"]
    moved = agency.owner.session.patch(f"/accounts/{account['id']}", json={"profileId": elsewhere})
    assert moved.status_code == 200, moved.text
    problem_of(key.post("/ads/boost", json=body), 403, "out_of_scope")
    agency.owner.session.patch(f"/accounts/{account['id']}", json={"profileId": agency.owner.profile_id})
    check_creative(agency, account["id"], {**agency.a_post(), "url": "https://bakery.example.com/cakes"})
