"""Subscriptions to leads, and the leads that they bring."""

import hmac
import json
from typing import Any

from sandbox.tiktokads.client import APP, TikTokAds
from socialgate_sandbox.vendors.tiktokads.seed import (
    BAKERY_ADVERTISER,
    BAKERY_FORM,
    CLIENT_ADVERTISERS,
    SCHOOL_ADVERTISER,
)


def subscription(ads: TikTokAds, token: str, **detail: Any) -> dict[str, Any]:
    return APP | {
        "subscribe_entity": "LEAD",
        "callback_url": f"{ads.gateway.url}/webhooks/tiktokads",
        "subscription_detail": {"access_token": token, "advertiser_id": BAKERY_ADVERTISER} | detail,
    }


def test_a_lead_arrives_signed_with_its_answers(ads: TikTokAds) -> None:
    created = ads.post("subscription/subscribe/", subscription(ads, ads.sign_in("ada")))
    assert created["data"]["subscription_id"].isdigit()
    response = ads.sandbox.control(
        "lead", platform="tiktokads", account=BAKERY_ADVERTISER, name="Zoë Åkesson 🍰", email="zoe@example.com"
    )
    assert response["notified"] == 1
    [arrived] = ads.gateway.wait_for(1)
    assert arrived.path == "/webhooks/tiktokads"
    # What is signed is the body with everything beyond ASCII escaped.
    escaped = json.dumps(arrived.json, separators=(",", ":")).encode()
    assert escaped != arrived.body
    expected = hmac.new(b"sandbox-tiktokads-secret", escaped, "sha256").hexdigest()
    assert arrived.headers["x-open-signature"] == expected
    body = arrived.json
    assert set(body) == {"request_id", "object", "time", "entry"}
    assert body["object"] == 1
    [entry] = body["entry"]
    # Ids are bare numbers, too large for a float.
    assert entry["advertiser_id"] == int(BAKERY_ADVERTISER)
    assert entry["page_id"] == int(BAKERY_FORM)
    assert entry["changes"] == [
        {"field": "name", "value": "Zoë Åkesson 🍰"},
        {"field": "email", "value": "zoe@example.com"},
        {"field": "phone_number", "value": response["answers"]["phone_number"]},
    ]
    assert entry["id"] == int(response["id"])


def test_only_who_subscribed_is_told(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    ads.post("subscription/subscribe/", subscription(ads, token, lead_source="DIRECT_MESSAGE"))
    ads.post("subscription/subscribe/", subscription(ads, token, advertiser_id=SCHOOL_ADVERTISER))
    assert ads.sandbox.control("lead", platform="tiktokads", account=BAKERY_ADVERTISER)["notified"] == 0
    ads.post("subscription/subscribe/", subscription(ads, token, page_id=BAKERY_FORM))
    assert (
        ads.sandbox.control("lead", platform="tiktokads", account=BAKERY_ADVERTISER, form=BAKERY_FORM)["notified"] == 1
    )


def test_subscriptions_are_listed_and_ended(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    first = ads.post("subscription/subscribe/", subscription(ads, token))["data"]["subscription_id"]
    other = subscription(ads, token) | {"subscribe_entity": "AD_ACCOUNT_SUSPENSION"}
    ads.post("subscription/subscribe/", other)
    listed = ads.get("subscription/get/", None, subscribe_entity="LEAD", **APP)["data"]
    assert [item["subscription_id"] for item in listed["subscriptions"]] == [first]
    assert listed["subscriptions"][0]["subscription_detail"]["advertiser_id"] == BAKERY_ADVERTISER
    assert listed["page_info"]["total_number"] == 1
    assert ads.post("subscription/unsubscribe/", APP | {"subscription_id": first})["code"] == 0
    assert ads.post("subscription/unsubscribe/", APP | {"subscription_id": first})["code"] == 40007
    assert len(ads.get("subscription/get/", None, **APP)["data"]["subscriptions"]) == 1


def test_a_revoked_token_takes_its_subscriptions_along(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    ads.post("subscription/subscribe/", subscription(ads, token))
    ads.post("oauth2/revoke_token/", APP | {"access_token": token})
    assert ads.get("subscription/get/", None, **APP)["data"]["subscriptions"] == []
    assert ads.sandbox.control("lead", platform="tiktokads", account=BAKERY_ADVERTISER)["notified"] == 0


def test_what_is_refused(ads: TikTokAds) -> None:
    ada, bram = ads.sign_in("ada"), ads.sign_in("bram")
    wrong = {
        40101: subscription(ads, ada) | {"secret": "wrong"},
        40105: subscription(ads, "rubbish"),
        40007: subscription(ads, ada, page_id="1"),
    }
    for code, body in wrong.items():
        assert ads.post("subscription/subscribe/", body)["code"] == code
    analyst = ads.post("subscription/subscribe/", subscription(ads, bram))
    foreign = ads.post("subscription/subscribe/", subscription(ads, ada, advertiser_id=CLIENT_ADVERTISERS[0]))
    assert (analyst["code"], foreign["code"]) == (40001, 40001)
    bad = [
        subscription(ads, ada) | {"subscribe_entity": "WEATHER"},
        subscription(ads, ada) | {"callback_url": "http://plain.example/x"},
        subscription(ads, ada, advertiser_id=""),
        subscription(ads, ada, lead_source="PIGEON"),
    ]
    assert [ads.post("subscription/subscribe/", body)["code"] for body in bad] == [40002] * 4


def test_nonsense_is_refused_in_tiktoks_own_words(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    bodies = [
        [],
        APP,
        subscription(ads, token) | {"callback_url": "http://["},
        subscription(ads, token, lead_source=[]),
        subscription(ads, token) | {"subscription_detail": "none"},
    ]
    assert [ads.post("subscription/subscribe/", body)["code"] for body in bodies] == [40002] * len(bodies)
    assert ads.get("advertiser/info/", token, advertiser_ids="[")["code"] == 40002
    assert ads.get("bc/get/", token, page="first")["code"] == 40002
