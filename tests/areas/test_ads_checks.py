"""What is rejected before a platform is called: too small budgets, options that have a field, missing names."""

from collections.abc import Iterator
from typing import Any

import pytest

from support.ads_api import PLATFORMS, AdsClient
from support.problems import fault_of, problem_of
from support.sandbox import Sandbox
from support.service import RunningService, StartService

BUDGET = {"amount": 60_000, "currency": "SEK", "type": "daily"}
DECLARATION: dict[str, Any] = {
    "regional_regulated_categories": ["TAIWAN_UNIVERSAL"],
    "regional_regulation_identities": {
        "taiwan_universal_beneficiary": "4260400000000001",
        "taiwan_universal_payer": "4260400000000002",
    },
}
NAMED = {"dsa_beneficiary": "Ada's Bakery", "dsa_payor": "Ada's Bakery"}
SWEDES, NORWEGIANS = {"countries": ["SE"]}, {"countries": ["NO"]}
# A field that has another name here, by platform and the type of what it is sent with.
OWNED = {
    ("meta", "campaigns"): ("objective", "`goal`"),
    ("meta", "adsets"): ("targeting", "`targeting`"),
    ("meta", "ads"): ("adset_spec", "`adsetId`"),
    ("meta", "adcreatives"): ("actor_id", "`accountId` or `publisherId`"),
    ("tiktokads", "campaigns"): ("objective_type", "`goal`"),
    ("tiktokads", "adsets"): ("saved_audience_id", "`targeting`"),
    ("tiktokads", "ads"): ("ad_text", "`text`"),
    ("tiktokads", "adcreatives"): ("video_id", "`media`"),
}


@pytest.fixture(scope="module")
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


@pytest.fixture(scope="module")
def sandbox(running: RunningService) -> Iterator[Sandbox]:
    with Sandbox(running) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def agencies(running: RunningService, sandbox: Sandbox) -> dict[str, AdsClient]:
    return {platform: AdsClient(running, sandbox, platform) for platform in PLATFORMS}


@pytest.fixture(scope="module")
def meta(agencies: dict[str, AdsClient]) -> AdsClient:
    return agencies["meta"]


@pytest.mark.parametrize("platform", PLATFORMS)
def test_a_changed_budget_has_the_minimum_of_a_new_one(agencies: dict[str, AdsClient], platform: str) -> None:
    agency = agencies[platform]
    campaign = agency.campaign(budget=BUDGET)
    adset = agency.adset(agency.campaign()["id"])
    for kind, created in (("campaign", campaign), ("adset", adset)):
        answer = agency.change(kind, created["id"], budget={**BUDGET, "amount": 50})
        problem = problem_of(answer, 422)
        (fault,) = problem["errors"]
        assert fault["pointer"] == "/budget/amount"
        assert "at least" in problem["detail"]
        # TikTok publishes its minimum in dollars only, and names it in other currencies when it rejects a budget.
        assert ("platformError" in problem) == (platform == "tiktokads")
        assert agency.change(kind, created["id"], budget={**BUDGET, "amount": 70_000}).status_code == 200


@pytest.mark.parametrize(("platform", "path"), OWNED)
def test_options_that_have_a_field_are_rejected_with_its_name(
    agencies: dict[str, AdsClient], platform: str, path: str
) -> None:
    agency, (name, field) = agencies[platform], OWNED[platform, path]
    bodies: dict[str, dict[str, Any]] = {
        "campaigns": {"goal": "traffic"},
        "adsets": {"campaignId": agency.campaign()["id"], "budget": BUDGET, "targeting": NORWEGIANS},
        "ads": {"adsetId": "1", "creativeId": agency.creative()["id"]},
        "adcreatives": agency.build_creative(),
    }
    answer = agency.post(f"/ads/{path}", name="Buns", **bodies[path], platformOptions={name: "1"})
    assert fault_of(answer) == (f"/platformOptions/{name}", "not_supported")
    assert f"Use {field}" in answer.json()["errors"][0]["detail"]


def test_a_stored_creative_is_not_changed_into_one_of_somebody_else(agencies: dict[str, AdsClient]) -> None:
    agency = agencies["tiktokads"]
    created = agency.creative()
    answer = agency.change("adcreative", created["id"], platformOptions={"identity_id": "1"})
    assert fault_of(answer) == ("/platformOptions/identity_id", "not_supported")
    assert agency.change("adcreative", created["id"], platformOptions={"utm_params": []}).status_code == 200


def test_the_options_of_targeting_cannot_replace_what_else_an_ad_set_has(agencies: dict[str, AdsClient]) -> None:
    """At TikTok, both are at the same level."""
    agency = agencies["tiktokads"]
    adset = agency.adset(agency.campaign()["id"])
    targeting = {**NORWEGIANS, "platformOptions": {"bid_price": 5}}
    answer = agency.change("adset", adset["id"], targeting=targeting)
    assert fault_of(answer) == ("/targeting/platformOptions/bid_price", "not_supported")


def test_ads_in_the_european_union_say_who_benefits_and_who_pays(meta: AdsClient) -> None:
    adset: dict[str, Any] = {
        "campaignId": meta.campaign()["id"],
        "name": "Swedes",
        "budget": BUDGET,
        "targeting": SWEDES,
    }
    problem = problem_of(meta.post("/ads/adsets", **adset), 422, "invalid")
    assert [item["pointer"] for item in problem["errors"]] == [f"/platformOptions/{name}" for name in NAMED]
    assert "European Union" in problem["detail"]
    half = {"dsa_beneficiary": "Ada's Bakery"}
    assert fault_of(meta.post("/ads/adsets", **adset, platformOptions=half)) == (
        *("/platformOptions/dsa_payor", "required"),
    )
    created = meta.create("/ads/adsets", **adset, platformOptions=NAMED)
    assert NAMED.items() <= created["platformOptions"].items()


def test_ads_in_taiwan_declare_a_verified_beneficiary_and_payer(meta: AdsClient) -> None:
    adset: dict[str, Any] = {
        "campaignId": meta.campaign()["id"],
        "name": "Taiwan",
        "budget": BUDGET,
        "targeting": {"countries": ["TW"]},
    }
    problem = problem_of(meta.post("/ads/adsets", **adset), 422, "invalid")
    identities = DECLARATION["regional_regulation_identities"]
    assert [item["pointer"] for item in problem["errors"]] == [
        "/platformOptions/regional_regulated_categories",
        *(f"/platformOptions/regional_regulation_identities/{name}" for name in identities),
    ]
    assert "Taiwan" in problem["detail"]
    created = meta.create("/ads/adsets", **adset, platformOptions=DECLARATION)
    assert DECLARATION.items() <= created["platformOptions"].items()
    # What was declared once counts for later changes.
    older = {"countries": ["TW"], "ageMin": 21}
    assert meta.change("adset", created["id"], targeting=older).status_code == 200


def test_an_ad_set_that_moves_into_the_european_union_says_it_once(meta: AdsClient) -> None:
    adset = meta.adset(meta.campaign()["id"])
    answer = meta.change("adset", adset["id"], targeting=SWEDES)
    assert {item["code"] for item in problem_of(answer, 422, "invalid")["errors"]} == {"required"}
    moved = meta.change("adset", adset["id"], targeting=SWEDES, platformOptions=NAMED)
    assert moved.status_code == 200, moved.text
    again = meta.change("adset", adset["id"], targeting={**SWEDES, "ageMin": 21})
    assert again.status_code == 200, again.text
