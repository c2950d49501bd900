"""Instant forms and their leads: lists, exports of each region, test leads."""

import csv
import io
import zipfile
from typing import Any

import httpx
import pytest

from sandbox.tiktokads.client import TikTokAds
from socialgate_sandbox.vendors.tiktokads import leads as simulated
from socialgate_sandbox.vendors.tiktokads.seed import (
    BAKERY_ADVERTISER,
    BAKERY_FORM,
    CLIENT_ADVERTISERS,
    SCHOOL_ADVERTISER,
)

FORM = {"advertiser_id": BAKERY_ADVERTISER, "page_id": BAKERY_FORM}


def fill_in(ads: TikTokAds, **value: Any) -> str:
    created = ads.sandbox.control("lead", platform="tiktokads", **{"account": BAKERY_ADVERTISER, **value})
    return str(created["id"])


class Export:
    """One export in one region, polled with the same call that began it."""

    def __init__(self, ads: TikTokAds, token: str, region: str = "") -> None:
        self.ads = ads
        self.head = {"Access-Token": token} | ({"x-lead-region": region} if region else {})
        self.id = self.post(FORM)["data"]["task_id"]

    def post(self, body: dict[str, Any]) -> dict[str, Any]:
        url = f"{self.ads.url}/open_api/v1.3/page/lead/task/"
        answer: dict[str, Any] = self.ads.http.post(url, json=body, headers=self.head).json()
        return answer

    def check(self) -> dict[str, Any]:
        checked: dict[str, Any] = self.post({"advertiser_id": BAKERY_ADVERTISER, "task_id": self.id})["data"]
        return checked

    def download(self) -> httpx.Response:
        query = {"advertiser_id": BAKERY_ADVERTISER, "task_id": self.id}
        url = f"{self.ads.url}/open_api/v1.3/page/lead/task/download/"
        return self.ads.http.get(url, params=query, headers=self.head)

    def rows(self) -> list[dict[str, str]]:
        self.ads.sandbox.control("clock", advance=5)
        answer = self.download()
        assert answer.headers["content-type"].startswith("text/csv"), answer.text
        return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))


def test_forms_and_their_questions(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    listed = ads.get("page/get/", token, advertiser_id=BAKERY_ADVERTISER, business_type="LEAD_GEN")["data"]
    assert [(item["page_id"], item["title"], item["status"]) for item in listed["list"]] == [
        (BAKERY_FORM, "Order a cake", "PUBLISHED")
    ]
    assert listed["page_info"]["total_number"] == 1
    assert ads.get("page/get/", token, advertiser_id=SCHOOL_ADVERTISER, business_type="LEAD_GEN")["data"]["list"] == []
    assert (
        ads.get("page/get/", token, advertiser_id=BAKERY_ADVERTISER, business_type="STORE_FRONT")["data"]["list"] == []
    )
    for path in ("page/field/get/", "lead/field/get/"):
        request = ads.get(path, token, lead_source="INSTANT_FORM", **FORM)["data"]
        assert (request["fields"], request["meta"]["page_name"]) == (["name", "email", "phone_number"], "Order a cake")
    # TikTok's own client has no method for forms, but its transport understands the answer.
    query = {"advertiser_id": BAKERY_ADVERTISER, "business_type": "LEAD_GEN"}
    value = ads.official.call_api(
        "/open_api/v1.3/page/get/",
        *("GET", {}, query, {"Access-Token": token}),
        response_type="InlineResponse200",
        _return_http_data_only=True,
    )
    assert value["data"]["list"][0]["page_id"] == BAKERY_FORM


def test_each_region_gives_its_own_leads(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    sweden, german = fill_in(ads), fill_in(ads, country="DE", name='Jürgen "J", Groß\n2nd')
    america, brazil = fill_in(ads, country="US"), fill_in(ads, country="BR")
    europe = Export(ads, token, "eu").rows()
    assert [row["lead id"] for row in europe] == [german, sweden]
    assert europe[0]["name"] == 'Jürgen "J", Groß\n2nd'
    assert list(europe[0]) == [
        *("lead id", "created_time", "ad_id", "ad_name", "adgroup_id", "adgroup_name", "campaign_id", "campaign_name"),
        *("form_id", "form_name", "name", "email", "phone_number"),
    ]
    assert [row["lead id"] for row in Export(ads, token, "us").rows()] == [america]
    assert [row["lead id"] for row in Export(ads, token).rows()] == [brazil]


def test_an_export_ripens_and_rots(ads: TikTokAds) -> None:
    fill_in(ads, country="US")
    task = Export(ads, ads.sign_in("ada"), "us")
    assert task.check()["status"] in {"CREATED", "RUNNING"}
    assert task.download().json()["code"] == 40201
    ads.sandbox.control("clock", advance=2)
    done = task.check()
    assert (done["status"], done["file_type"], done["file_name"]) == ("SUCCEED", "csv", f"leads_{task.id}")
    later = fill_in(ads, country="US")
    assert later not in task.download().text
    # A task lies where it was made.
    task.head["x-lead-region"] = "eu"
    assert task.post({"advertiser_id": BAKERY_ADVERTISER, "task_id": task.id})["code"] == 40007
    task.head["x-lead-region"] = "us"
    ads.sandbox.control("clock", advance=601)
    assert task.check()["status"] == "FAILED"
    assert task.download().json()["code"] == 40200


def test_a_large_export_is_zipped(ads: TikTokAds, monkeypatch: pytest.MonkeyPatch) -> None:
    # The sandbox runs in this process.
    monkeypatch.setattr(simulated, "_MAX_CSV_BYTES", 100)
    lead = fill_in(ads)
    task = Export(ads, ads.sign_in("ada"), "eu")
    ads.sandbox.control("clock", advance=5)
    assert task.check()["file_type"] == "zip"
    with zipfile.ZipFile(io.BytesIO(task.download().content)) as packed:
        (name,) = packed.namelist()
        assert lead in packed.read(name).decode("utf-8-sig")


def test_the_last_lead_and_the_test_lead(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    assert ads.get("lead/get/", token, lead_source="INSTANT_FORM", **FORM)["code"] == 40007
    lead = fill_in(ads, country="BR", email="someone@example.com")
    result = ads.get("lead/get/", token, lead_source="INSTANT_FORM", **FORM)["data"]
    assert (result["meta_data"]["lead_id"], result["lead_data"]["email"]) == (lead, "someone@example.com")
    created = ads.post("page/lead/mock/create/", FORM, token)["data"]["meta_data"]["lead_id"]
    assert ads.post("page/lead/mock/create/", FORM, token)["code"] == 40002
    assert ads.get("page/lead/mock/get/", token, **FORM)["data"]["meta_data"]["lead_id"] == created
    assert (
        ads.post("page/lead/mock/delete/", {"advertiser_id": BAKERY_ADVERTISER, "lead_id": lead}, token)["code"]
        == 40007
    )
    assert (
        ads.post("page/lead/mock/delete/", {"advertiser_id": BAKERY_ADVERTISER, "lead_id": created}, token)["code"] == 0
    )
    assert ads.get("page/lead/mock/get/", token, **FORM)["data"] == {}


def test_who_may_not_read_leads(ads: TikTokAds) -> None:
    # Bram may only look at the bakery: he sees its forms and nothing of who filled them in.
    bram = ads.sign_in("bram")
    assert ads.get("page/get/", bram, advertiser_id=BAKERY_ADVERTISER, business_type="LEAD_GEN")["code"] == 0
    assert ads.post("page/lead/task/", FORM, bram)["code"] == 40001
    ada = ads.sign_in("ada")
    assert ads.post("page/lead/task/", FORM | {"advertiser_id": CLIENT_ADVERTISERS[0]}, ada)["code"] == 40001
    assert ads.post("page/lead/task/", FORM | {"advertiser_id": SCHOOL_ADVERTISER}, ada)["code"] == 40007
    assert ads.post("page/lead/task/", {"advertiser_id": BAKERY_ADVERTISER, "task_id": "1"}, ada)["code"] == 40007
    assert ads.post("page/lead/task/", {}, ada)["code"] == 40002
    few = ads.exchange(ads.come_back(person=None, asked="1", scope=["1", "2"])["auth_code"])["data"]["access_token"]
    assert ads.get("page/get/", few, advertiser_id=BAKERY_ADVERTISER, business_type="LEAD_GEN")["code"] == 40001
