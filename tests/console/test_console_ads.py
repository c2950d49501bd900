"""Ads: the tree with its numbers, switching, three steps to a new ad, boosting, and audiences."""

import html
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import httpx
import msgspec
import pytest

from console.browser import Browser, location, signed_in
from socialgate.areas.ads.insight_schemas import AdInsight
from socialgate.console.advertising.ad_tree import get_result
from socialgate.contracts.ad_values import Goal
from support.ads_api import AdsClient
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

ADS = "/console/ads"
SCRIPT = "<script>alert('x')</script>\"'"
ESCAPED = "&lt;script&gt;alert("


@pytest.fixture(scope="module")
def sandbox(service: RunningService) -> Iterator[Sandbox]:
    with Sandbox(service) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def ads(service: RunningService, sandbox: Sandbox) -> AdsClient:
    return AdsClient(service, sandbox, "meta")


@pytest.fixture
def browser(ads: AdsClient) -> Browser:
    return signed_in(ads.owner)


def press(browser: Browser, path: str, **fields: Any) -> httpx.Response:
    """Send a form, again as long as the platform asks to wait: its limits count by the second."""

    def sent() -> httpx.Response | None:
        answer = browser.press(path, **fields)
        return None if answer.status_code == 429 else answer

    return eventually(sent)


def key_of(page: str) -> str:
    """Return the key that the server wrote into the form."""
    return str(re.findall(r'name="key" value="([^"]+)"', page)[0])


def named(prefix: str) -> str:
    return f"{prefix} {SCRIPT} {uuid4().hex}"


def test_an_empty_owner_is_told_what_to_do(owner: OwnerFixture) -> None:
    browser = signed_in(owner)
    for path in (ADS, f"{ADS}/new", f"{ADS}/boost", f"{ADS}/audiences"):
        shown = browser.get(path)
        assert (shown.status_code, "/console/accounts/connect" in shown.text) == (200, True), path
    assert browser.press(f"{ADS}/new/campaign", name="x", goal="traffic").status_code == 404
    assert browser.press(f"{ADS}/boost").status_code == 404
    assert browser.press(f"{ADS}/audiences/create", name="x").status_code == 404


def test_the_tree_opens_and_shows_no_markup(ads: AdsClient, browser: Browser) -> None:
    campaign = ads.campaign(name=named("Cakes"))
    adset = ads.adset(campaign["id"], name=named("Oslo"))
    creative = ads.creative(name=named("Look"))
    ad = ads.create("/ads/ads", adsetId=adset["id"], creativeId=creative["id"], name=named("Princess"))
    query = f"?account={ads.account_id}"
    closed = browser.get(ADS + query)
    assert closed.status_code == 200, closed.text
    assert (ESCAPED in closed.text, "<script>alert" in closed.text) == (True, False)
    assert campaign["id"] in closed.text
    assert adset["id"] not in closed.text
    opened = browser.get(f"{ADS}{query}&campaign={campaign['id']}").text
    for item in (campaign, adset, ad):
        assert item["id"] in opened
    assert "<script>alert" not in opened
    # What is copied or read aloud has spaces between the cells.
    plain = re.sub("<[^>]+>", "", opened).replace("\u00a0", " ")
    assert re.search("500 SEK (per day|total) \u2013", plain)
    assert "No matching campaigns" in browser.get(f"{ADS}{query}&q=nothing+has+this+name").text
    assert browser.get(f"{ADS}?account=adacc_01h455vb4pex5vsknk084sn02q").status_code == 404
    assert browser.get(f"{ADS}{query}&status=odd").status_code == 422


@pytest.mark.parametrize(("leads", "word"), [(None, "leads"), (0, "leads"), (1, "lead"), (2, "leads")])
def test_a_result_is_called_by_what_the_campaign_is_for(leads: int | None, word: str) -> None:
    row = msgspec.convert({**AdInsight.example(), "leads": leads}, AdInsight)
    assert get_result(Goal.LEADS, row) == (leads, word)
    assert get_result(Goal.LEADS, None) == (None, "leads")


def test_an_object_is_started_paused_and_deleted(ads: AdsClient, browser: Browser) -> None:
    campaign = ads.campaign()
    back = f"{ADS}?account={ads.account_id}&q=Cakes"
    path = f"{ADS}/switch?account={ads.account_id}&q=Cakes"
    fields = {"adAccountId": ads.account_id, "type": "campaign", "id": campaign["id"]}

    def state() -> str:
        listed = ads.listed("/ads/campaigns")
        return next((str(item["configuredStatus"]) for item in listed if item["id"] == campaign["id"]), "gone")

    assert location(press(browser, path, status="active", **fields)) == back
    assert state() == "active"
    assert " is on." in browser.get(back).text
    assert location(press(browser, path, status="paused", **fields)) == back
    assert state() == "paused"
    wrong = press(browser, path, status="sideways", **fields)
    assert (wrong.status_code, 'role="alert"' in wrong.text) == (422, True)
    missing = press(browser, path, status="paused", **{**fields, "id": "999"})
    assert (missing.status_code, "has no campaign with the id 999" in missing.text) == (404, True)
    assert location(press(browser, f"{ADS}/delete?account={ads.account_id}", **fields)).startswith(ADS)
    assert state() == "gone"


def test_what_it_is_set_to_is_beside_what_follows_from_it(ads: AdsClient, browser: Browser) -> None:
    campaign = ads.campaign(name=named("Resting"), status="paused")
    adset = ads.adset(campaign["id"], name=named("Ready"), status="active")
    shown = browser.get(f"{ADS}?account={ads.account_id}&campaign={campaign['id']}&q={campaign['name'][-32:]}").text
    rows = {name: row for row in shown.split("<tr ") for name in ("Resting", "Ready") if name in row}
    # The ad set is on, and does not run all the same.
    assert 'role="switch" aria-checked="true" name="status" value="paused"' in rows["Ready"]
    assert ">Paused</span>" in rows["Ready"]
    assert ">Its campaign is paused.</span>" in rows["Ready"]
    assert f'role="switch" aria-checked="false" type="button" popovertarget="start-{campaign["id"]}"' in rows["Resting"]
    assert "Its campaign is paused." not in rows["Resting"]
    assert adset["id"] in shown


def test_the_ad_account_of_others_is_out_of_reach(ads: AdsClient, owner: OwnerFixture) -> None:
    campaign = ads.campaign()
    stranger = signed_in(owner)
    fields = {"adAccountId": ads.account_id, "type": "campaign", "id": campaign["id"]}
    query = f"?account={ads.account_id}"
    for path in (ADS, f"{ADS}/new", f"{ADS}/audiences"):
        assert stranger.get(path + query).status_code == 404, path
    assert stranger.press(f"{ADS}/switch", status="active", **fields).status_code == 404
    assert stranger.press(f"{ADS}/delete", **fields).status_code == 404
    assert stranger.press(f"{ADS}/audiences/delete", **{**fields, "type": "audience"}).status_code == 404
    assert stranger.press(f"{ADS}/new/campaign{query}", name="x", goal="traffic").status_code == 404
    assert ads.listed("/ads/campaigns", q=campaign["name"])[0]["configuredStatus"] == "paused"


def test_an_ad_is_created_in_three_steps(ads: AdsClient, browser: Browser) -> None:
    name = named("Steps")
    start = f"{ADS}/new?account={ads.account_id}"
    assert "Step 1 of 3" in browser.get(start).text
    nothing = browser.press(f"{ADS}/new/campaign?account={ads.account_id}", name="", goal="flying")
    assert nothing.status_code == 422
    assert 'id="fault-name"' in nothing.text
    assert 'id="fault-goal"' in nothing.text
    second = location(
        press(browser, f"{ADS}/new/campaign?account={ads.account_id}", name=name, goal="traffic", status="active")
    )
    shown = browser.get(second).text
    assert "Step 2 of 3" in shown
    assert "<script>alert" not in shown
    path = second.replace("/new?", "/new/adset?")
    fields = {"name": "Norway", "status": "active", "targeting/countries": "no, ch", "targeting/ageMin": "18"}
    wrong = browser.press(
        path, **{**fields, "budget/amount": "9,99", "targeting/ageMax": "7", "targeting/countries": "Norway"}
    )
    assert wrong.status_code == 422
    for fault in ("budget", "targeting/ageMax", "targeting/countries"):
        assert f'id="fault-{fault}"' in wrong.text
    assert 'value="9,99"' in wrong.text
    assert browser.press(path, **fields).status_code == 422  # without a budget
    end = (datetime.now(UTC) + timedelta(days=9)).strftime("%Y-%m-%dT%H:%M")
    options = browser.press(path, **{**fields, "budget/amount": "500", "platformOptions": "[1]"})
    assert (options.status_code, 'id="fault-platformOptions"' in options.text) == (422, True)
    third = location(
        press(browser, path, **{**fields, "budget/amount": "500.50", "budget/type": "lifetime", "schedule/end": end})
    )
    (adset,) = ads.listed("/ads/adsets", campaignId=re.findall(r"campaign=(\d+)", third)[0])
    assert adset["budget"] == {"amount": 50050, "currency": "SEK", "type": "lifetime"}
    assert adset["targeting"]["countries"] == ["NO", "CH"]
    creative = ads.build_creative()
    last = browser.get(third).text
    assert "Step 3 of 3" in last
    assert creative["media"][0]["mediaId"] in last
    path = third.replace("/new?", "/new/ad?")
    fields = {"name": "Cake", "accountId": ads.page_id, "text": SCRIPT, "callToAction": "shopNow", "status": "paused"}
    wrong = browser.press(path, **fields, url="nowhere", media=creative["media"][0]["mediaId"])
    assert (wrong.status_code, 'id="fault-url"' in wrong.text, "<script>alert" in wrong.text) == (422, True, False)
    url = creative["url"]
    done = location(press(browser, path, **fields, url=url, media=creative["media"][0]["mediaId"]))
    assert done.startswith(f"{ADS}?account={ads.account_id}&campaign=")
    opened = browser.get(done).text
    assert "Cake was created as paused." in opened
    (ad,) = ads.listed("/ads/ads", adsetId=adset["id"])
    assert (ad["name"], ad["configuredStatus"]) == ("Cake", "paused")


def fault_of(page: str, field: str) -> str:
    """Return what is shown beside a field."""
    return page.partition(f'id="fault-{field}"')[2].partition("</p>")[0]


def test_a_published_post_is_boosted_from_its_page(ads: AdsClient, browser: Browser) -> None:
    post = ads.create_post(f"Buns! {SCRIPT}")
    page = browser.get(f"/console/posts/{post['postId']}").text
    link = f"{ADS}/boost?post={post['postId']}"
    assert f'href="{link}"' in page
    shown = browser.get(link)
    assert (shown.status_code, ESCAPED in shown.text, "<script>alert" in shown.text) == (200, True, False)
    assert post["accountId"] in shown.text
    assert post["postId"] in browser.get(f"{ADS}/boost").text
    path = f"{link}&account={ads.account_id}"
    fields = {"accountId": post["accountId"], "goal": "engagement", "status": "paused", "targeting/countries": "NO"}
    wrong = browser.press(path, **{**fields, "targeting/countries": ""})
    assert (wrong.status_code, 'id="fault-budget"' in wrong.text) == (422, True)
    # What is missing beside that is named by its field too, even if nothing of the audience was filled in.
    unaimed = browser.press(path, **{**fields, "targeting/countries": "", "budget/amount": "500"}).text
    assert "requires a country" in fault_of(unaimed, "targeting/countries")
    named = browser.press(path, **{**fields, "targeting/countries": "Sweden", "budget/amount": "500"}).text
    assert "Must be a two-letter country code" in fault_of(named, "targeting/countries")
    # What the platform asks for in some countries has fields, which nobody has to write as JSON.
    page = browser.press(path, **{**fields, "targeting/countries": "SE", "budget/amount": "500"}).text
    assert "the payer" in fault_of(page, "adsetOptions/dsa_payor")
    assert ">Payer: who pays for the ad</label>" in page
    answered = {"adsetOptions/dsa_payor": "Lindqvist AB", "adsetOptions/dsa_beneficiary": ""}
    page = browser.press(path, **{**fields, **answered, "targeting/countries": "SE", "budget/amount": "500"}).text
    assert ('id="fault-adsetOptions/dsa_payor"' in page, 'value="Lindqvist AB"' in page) == (False, True)
    assert "the beneficiary" in fault_of(page, "adsetOptions/dsa_beneficiary")
    fields |= {"budget/amount": "500", "budget/type": "daily", "key": key_of(wrong.text)}
    before = {item["id"] for item in ads.listed("/ads/campaigns")}
    done = location(press(browser, path, **fields))
    # The same form again, as after a lost answer, spends nothing twice.
    assert location(press(browser, path, **fields)) == done
    assert len({item["id"] for item in ads.listed("/ads/campaigns")} - before) == 1
    campaign_id = re.findall(r"campaign=(\d+)", done)[0]
    assert campaign_id in {item["id"] for item in ads.listed("/ads/campaigns")}
    assert "was created as paused" in browser.get(done).text
    draft = {"profileId": ads.owner.profile_id, "content": "Not yet", "draft": True}
    unpublished = ads.owner.session.post("/posts", json=draft).json()["id"]
    assert "No ad account for this post" in browser.get(f"{ADS}/boost?post={unpublished}").text
    assert browser.press(f"{ADS}/boost?post={unpublished}", **fields).status_code == 422
    assert browser.get(f"{ADS}/boost?post=post_01h455vb4pex5vsknk084sn02q").status_code == 404


def test_audiences_are_created_and_deleted(ads: AdsClient, browser: Browser) -> None:
    query = f"?account={ads.account_id}"
    path = f"{ADS}/audiences"
    for kind in ("customers", "website", "lookalike"):
        assert browser.get(f"{path}{query}&new={kind}").status_code == 200
    wrong = browser.press(f"{path}/create{query}&new=lookalike", name="")
    assert (wrong.status_code, 'id="fault-name"' in wrong.text, 'id="fault-sourceId"' in wrong.text) == (
        422,
        True,
        True,
    )
    name = named("Regulars")
    people = "ada@example.com\r\n+46 70 123 45 67"
    assert location(press(browser, f"{path}/create{query}&new=customers", name=name, people=people)) == path + query
    shown = browser.get(path + query).text
    assert "Its people are being uploaded" in shown
    assert html.escape(name, quote=False)[:30] in html.unescape(shown).replace("<", "&lt;").replace(">", "&gt;")
    assert "<script>alert" not in shown
    (audience,) = ads.listed("/ads/audiences", q=name[-32:])
    visitors = {"name": named("Visitors"), "pixelId": ads.pixel_id, "retentionDays": "30"}
    assert location(press(browser, f"{path}/create{query}&new=website", **visitors)) == path + query
    alike = {"name": named("Alike"), "sourceId": audience["id"], "countries": "no", "ratio": "0.01"}
    small = press(browser, f"{path}/create{query}&new=lookalike", **alike)
    assert (small.status_code, "needs at least 100 people" in small.text) == (422, True)
    fields = {"adAccountId": ads.account_id, "type": "audience", "id": audience["id"]}
    assert location(press(browser, f"{path}/delete{query}", **fields)) == path + query
    assert not ads.listed("/ads/audiences", q=name[-32:])


def test_a_platform_that_does_not_answer_is_explained(ads: AdsClient, browser: Browser) -> None:
    query = f"?account={ads.account_id}"
    failure = {"error": {"message": SCRIPT, "type": "OAuthException", "code": 2}}
    ads.fail("*/campaigns", method="GET", status=500, body=failure, times=9)
    shown = browser.get(ADS + query)
    ads.sandbox.http.delete("/_control/fail")
    assert (shown.status_code, 'class="note bad"' in shown.text) == (200, True)
    assert "<script>alert" not in shown.text
    ads.fail("*/insights", method="GET", status=500, body=failure, times=99)
    numberless = browser.get(ADS + query + "&period=last7d")
    ads.sandbox.http.delete("/_control/fail")
    assert (numberless.status_code, 'class="note "' in numberless.text) == (200, True)
    assert "<script>alert" not in numberless.text
