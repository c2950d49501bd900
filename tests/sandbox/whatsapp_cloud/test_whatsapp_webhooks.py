import pytest

from sandbox.graph_support import codes_of, signed_by
from sandbox.whatsapp_cloud.calling import Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud.seed import (
    ADA_BUSINESS,
    ADA_TOKEN,
    ADA_WABA,
    BAKERY,
    BRAM_TOKEN,
    BRAM_WABA,
    CATERING,
)

APPS = f"{ADA_WABA}/subscribed_apps"


def test_an_account_is_subscribed_before_its_address_is_changed(whatsapp: Whatsapp) -> None:
    url = f"{whatsapp.platform.gateway.url}/webhooks/whatsapp-cloud?r=abc"
    override = {"override_callback_uri": url, "verify_token": "mine"}
    early = whatsapp.post(APPS, override)
    assert codes_of(early) == (100, None)
    assert "Before override the current callback uri" in early.json()["error"]["message"]
    whatsapp.subscribe()
    assert whatsapp.post(APPS, override).json() == {"success": True}
    row = whatsapp.get(APPS).json()["data"][0]
    assert row["override_callback_uri"] == url
    assert row["whatsapp_business_api_data"]["id"] == whatsapp.platform.client_id
    whatsapp.subscribe()
    assert "override_callback_uri" not in whatsapp.get(APPS).json()["data"][0]
    assert whatsapp.delete(APPS).json() == {"success": True}
    assert whatsapp.get(APPS).json() == {"data": []}


def test_an_address_that_does_not_repeat_the_challenge_is_refused(whatsapp: Whatsapp) -> None:
    whatsapp.subscribe()
    override = {"override_callback_uri": f"{whatsapp.platform.running.url}/_control", "verify_token": "t"}
    assert codes_of(whatsapp.post(APPS, override)) == (2200, None)
    assert codes_of(whatsapp.post(BAKERY, {"webhook_configuration": override})) == (2200, None)
    assert codes_of(whatsapp.post(APPS, override | {"override_callback_uri": "nowhere"})) == (100, None)
    assert "override_callback_uri" not in whatsapp.get(APPS).json()["data"][0]


def test_the_address_of_a_number_goes_before_the_accounts_and_the_apps(whatsapp: Whatsapp) -> None:
    base = whatsapp.platform.gateway.url
    whatsapp.subscribe()
    whatsapp.post(APPS, {"override_callback_uri": f"{base}/account", "verify_token": "t"})
    whatsapp.post(BAKERY, {"webhook_configuration": {"override_callback_uri": f"{base}/number", "verify_token": "t"}})
    seen = whatsapp.get(BAKERY, fields="webhook_configuration").json()["webhook_configuration"]
    assert seen == {
        "phone_number": f"{base}/number",
        "whatsapp_business_account": f"{base}/account",
        "application": f"{base}/webhooks/whatsapp-cloud",
    }
    whatsapp.post(BAKERY, {"webhook_configuration": {"override_callback_uri": ""}})
    seen = whatsapp.get(BAKERY, fields="webhook_configuration").json()["webhook_configuration"]
    assert "phone_number" not in seen
    whatsapp.platform.act("quality", account=BAKERY, rating="RED")
    assert whatsapp.platform.arrived()[0].path == "/account"


def test_the_apps_webhook(whatsapp: Whatsapp) -> None:
    path = f"{whatsapp.platform.client_id}/subscriptions"
    params = {
        "object": "whatsapp_business_account",
        "callback_url": f"{whatsapp.platform.gateway.url}/all",
        "verify_token": "t",
        "fields": "messages,account_update",
    }
    assert whatsapp.post(path, params, whatsapp.app_token).json() == {"success": True}
    row = whatsapp.get(path, whatsapp.app_token).json()["data"][0]
    assert (row["callback_url"], row["active"]) == (params["callback_url"], True)
    assert codes_of(whatsapp.post(path, params, ADA_TOKEN)) == (15, None)
    assert whatsapp.delete(path, whatsapp.app_token).json() == {"success": True}
    whatsapp.subscribe()
    override = {"override_callback_uri": params["callback_url"], "verify_token": "t"}
    assert codes_of(whatsapp.post(APPS, override)) == (100, None)


@pytest.mark.parametrize(
    ("how", "event"),
    [
        ("", "PARTNER_REMOVED"),
        ("partner_removed", "PARTNER_REMOVED"),
        ("app_uninstalled", "PARTNER_APP_UNINSTALLED"),
        ("offboarded", "ACCOUNT_OFFBOARDED"),
        ("account_deleted", "ACCOUNT_DELETED"),
    ],
)
def test_a_lost_account_kills_the_token_and_is_told_by_a_signed_webhook(
    whatsapp: Whatsapp, how: str, event: str
) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("revoke", account=BAKERY, how=how)
    assert codes_of(whatsapp.get(BAKERY), 401) == (190, 458)
    request = whatsapp.platform.arrived()[0]
    assert request.path == "/webhooks/whatsapp-cloud"
    assert signed_by(whatsapp.platform.secret, request)
    assert request.json["object"] == "whatsapp_business_account"
    entry = request.json["entry"][0]
    change = entry["changes"][0]
    assert (entry["id"], change["field"], change["value"]["event"]) == (ADA_WABA, "account_update", event)
    assert isinstance(entry["time"], int)
    if event.startswith("PARTNER"):
        info = change["value"]["waba_info"]
        assert (info["waba_id"], info["owner_business_id"]) == (ADA_WABA, ADA_BUSINESS)


def test_a_ban_leaves_the_token_alive_and_can_be_lifted(whatsapp: Whatsapp) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("revoke", account=ADA_WABA, how="disabled")
    value = whatsapp.platform.arrived()[0].json["entry"][0]["changes"][0]["value"]
    assert (value["event"], value["ban_info"]["waba_ban_state"]) == ("DISABLED_UPDATE", "DISABLE")
    assert whatsapp.get(ADA_WABA, fields="account_review_status").json()["account_review_status"] == "REJECTED"
    health = whatsapp.get(BAKERY, fields="health_status").json()["health_status"]
    states = {item["entity_type"]: item["can_send_message"] for item in health["entities"]}
    assert health["can_send_message"] == "BLOCKED"
    assert states == {"PHONE_NUMBER": "AVAILABLE", "WABA": "BLOCKED", "BUSINESS": "AVAILABLE", "APP": "AVAILABLE"}
    whatsapp.platform.act("restore", account=ADA_WABA)
    value = whatsapp.platform.arrived(2)[1].json["entry"][0]["changes"][0]["value"]
    assert value == {"event": "ACCOUNT_RECONNECTED"}


@pytest.mark.parametrize(
    ("status", "field", "event", "health"),
    [
        ("BANNED", "account_update", "ACCOUNT_RESTRICTION", "BLOCKED"),
        ("RESTRICTED", "account_update", "ACCOUNT_RESTRICTION", "LIMITED"),
        ("FLAGGED", "phone_number_quality_update", "FLAGGED", "AVAILABLE"),
    ],
)
def test_a_number_can_be_banned_restricted_and_flagged(
    whatsapp: Whatsapp, status: str, field: str, event: str, health: str
) -> None:
    whatsapp.subscribe()
    whatsapp.platform.act("standing", account=BAKERY, status=status)
    change = whatsapp.platform.arrived()[0].json["entry"][0]["changes"][0]
    assert (change["field"], change["value"]["event"]) == (field, event)
    seen = whatsapp.get(BAKERY, fields="status,health_status").json()
    assert (seen["status"], seen["health_status"]["can_send_message"]) == (status, health)
    # The account and its other number are not affected.
    other = whatsapp.get(CATERING, fields="status,health_status").json()
    assert (other["status"], other["health_status"]["can_send_message"]) == ("CONNECTED", "AVAILABLE")
    whatsapp.platform.act("standing", account=BAKERY, status="CONNECTED")
    assert whatsapp.get(BAKERY, fields="status").json()["status"] == "CONNECTED"


def test_nobody_is_told_about_an_account_that_the_app_is_not_subscribed_to(whatsapp: Whatsapp) -> None:
    whatsapp.platform.act("revoke", account=ADA_WABA)
    assert codes_of(whatsapp.get(ADA_WABA), 401) == (190, 458)
    assert whatsapp.platform.gateway.arrived == []
    assert whatsapp.get(BRAM_WABA, BRAM_TOKEN).status_code == 200


def test_other_ways_to_lose_access(whatsapp: Whatsapp) -> None:
    whatsapp.platform.act("revoke", account=ADA_WABA, how="permission:whatsapp_business_management")
    assert codes_of(whatsapp.get(BAKERY), 403) == (200, None)
    whatsapp.platform.act("expire", account=ADA_WABA)
    assert codes_of(whatsapp.get(BAKERY), 401) == (190, 463)
    whatsapp.platform.act("revoke", account=BRAM_WABA, how="password_changed")
    assert codes_of(whatsapp.get(BRAM_WABA, BRAM_TOKEN), 401) == (190, 460)
    order = {"platform": "whatsapp-cloud", "account": ADA_WABA, "how": "magic"}
    assert whatsapp.platform.running.client.post("/_control/revoke", json=order).status_code == 422


def test_a_customer_can_copy_the_credentials(whatsapp: Whatsapp) -> None:
    values = {"accessToken": ADA_TOKEN, "wabaId": ADA_WABA, "appSecret": whatsapp.platform.secret}
    assert whatsapp.platform.act("credentials", account=BAKERY) == values | {"phoneNumberId": BAKERY}
    of_account = whatsapp.platform.act("credentials", account=ADA_WABA)
    assert BAKERY in of_account.pop("phoneNumberIds")
    assert of_account == values
    whatsapp.platform.act("revoke", account=BAKERY)
    order = {"platform": "whatsapp-cloud", "account": BAKERY}
    refused = whatsapp.platform.running.client.post("/_control/credentials", json=order)
    assert refused.status_code == 409
    assert "restore" in refused.json()["error"]
    whatsapp.platform.act("restore", account=BAKERY)
    assert whatsapp.platform.act("credentials", account=BAKERY)["accessToken"] == ADA_TOKEN
