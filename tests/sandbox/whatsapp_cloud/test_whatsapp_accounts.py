import hmac

import pytest

from sandbox.graph_support import BACK, codes_of, error_of
from sandbox.whatsapp_cloud.calling import GRAPH, Whatsapp
from socialgate_sandbox.vendors.whatsapp_cloud.errors import ERRORS
from socialgate_sandbox.vendors.whatsapp_cloud.seed import (
    ADA_BUSINESS,
    ADA_TOKEN,
    ADA_WABA,
    AGENCY,
    BAKERY,
    BRAM_TOKEN,
    BRAM_WABA,
    CATERING,
    CLEO_TOKEN,
    CLEO_WABA,
    SEND_ONLY_TOKEN,
    TEMPORARY_TOKEN,
)

DIALOG = "www.facebook.com/v26.0/dialog/oauth"
HEALTH = (
    "id,display_phone_number,verified_name,quality_rating,name_status,code_verification_status,messaging_limit_tier,"
    "account_mode,platform_type,throughput,webhook_configuration,last_onboarded_time"
)
EXPECTED = {
    "rate_limited": (429, 4, 2446079),
    "waba_rate_limited": (429, 80007, None),
    "token_revoked": (401, 190, 458),
    "token_expired": (401, 190, 463),
    "token_invalid": (401, 190, None),
    "authentication_failed": (401, 0, None),
    "permission_missing": (403, 200, None),
    "permission_denied": (403, 10, None),
    "capability_missing": (500, 3, None),
    "not_found": (400, 100, 33),
    "number_deleted": (400, 33, None),
    "blocked": (403, 368, None),
    "temporarily_unavailable": (503, 2, None),
    "unknown": (500, 1, None),
    "throughput_limited": (429, 130429, None),
    "pair_rate_limited": (400, 131056, None),
    "spam_rate_limited": (400, 131048, None),
    "invalid": (400, 131009, None),
    "parameter_missing": (400, 131008, None),
    "window_closed": (400, 131047, None),
    "recipient_not_allowed": (400, 131030, None),
    "undeliverable": (400, 131026, None),
    "account_locked": (403, 131031, None),
    "not_registered": (400, 133010, None),
    "pin_mismatch": (400, 133005, None),
    "register_limited": (400, 133016, None),
    "template_missing": (404, 132001, None),
    "media_download_failed": (400, 131052, None),
    "media_upload_failed": (400, 131053, None),
    "something_wrong": (500, 131000, None),
    "service_unavailable": (503, 131016, None),
}


def test_a_number_tells_its_health(whatsapp: Whatsapp) -> None:
    seen = whatsapp.get(BAKERY, fields=HEALTH).json()
    assert set(seen) == set(HEALTH.split(","))
    assert (seen["display_phone_number"], seen["verified_name"]) == ("+46 70 174 06 01", "Lindqvist Bakery")
    assert (seen["platform_type"], seen["throughput"], seen["account_mode"]) == (
        "CLOUD_API",
        {"level": "STANDARD"},
        "LIVE",
    )
    assert seen["webhook_configuration"] == {"application": f"{whatsapp.platform.gateway.url}/webhooks/whatsapp-cloud"}
    assert set(whatsapp.get(BAKERY).json()) == {
        *("verified_name", "code_verification_status", "display_phone_number", "quality_rating"),
        *("platform_type", "throughput", "webhook_configuration", "status", "last_onboarded_time", "id"),
    }


def test_an_account_lists_its_numbers(whatsapp: Whatsapp) -> None:
    rows = whatsapp.get(f"{ADA_WABA}/phone_numbers", fields="id").json()["data"]
    assert [row["id"] for row in rows] == [BAKERY, CATERING]
    first = whatsapp.get(f"{ADA_WABA}/phone_numbers", limit=1).json()
    second = whatsapp.platform.running.client.get(first["paging"]["next"]).json()
    assert second["data"][0]["id"] == CATERING
    assert whatsapp.get(f"{CLEO_WABA}/phone_numbers", CLEO_TOKEN).json() == {"data": []}
    owned = whatsapp.get(f"{ADA_BUSINESS}/owned_whatsapp_business_accounts").json()["data"]
    assert [row["id"] for row in owned] == [ADA_WABA]
    assert whatsapp.get(ADA_WABA, fields="name,timezone_id").json()["name"] == "Lindqvist Bakery AB"


def test_nobody_reaches_what_is_not_shared(whatsapp: Whatsapp) -> None:
    assert codes_of(whatsapp.get(BAKERY, BRAM_TOKEN)) == (100, 33)
    assert codes_of(whatsapp.get(BRAM_WABA)) == (100, 33)
    assert codes_of(whatsapp.get(BAKERY, ""), 401) == (104, None)
    assert codes_of(whatsapp.get(BAKERY, "EAAnonsense"), 401) == (190, None)
    assert codes_of(whatsapp.get(BAKERY, SEND_ONLY_TOKEN), 403) == (200, None)
    assert whatsapp.platform.get(f"{GRAPH}/{BAKERY}", access_token=ADA_TOKEN).status_code == 200
    assert codes_of(whatsapp.get(BAKERY, fields="mood")) == (100, None)
    assert codes_of(whatsapp.get("a/b/c")) == (2500, None)


def test_a_number_is_registered_with_the_pin_that_it_keeps(whatsapp: Whatsapp) -> None:
    seen = whatsapp.get(AGENCY, BRAM_TOKEN, fields=HEALTH).json()
    assert (seen["code_verification_status"], seen["platform_type"]) == ("NOT_VERIFIED", "NOT_APPLICABLE")
    assert seen["throughput"] == {"level": "NOT_APPLICABLE"}
    path = f"{AGENCY}/register"
    assert codes_of(whatsapp.post(path, {"messaging_product": "whatsapp", "pin": "12"}, BRAM_TOKEN)) == (100, None)
    body = {"messaging_product": "whatsapp", "pin": "123456"}
    assert whatsapp.post(path, body, BRAM_TOKEN).json() == {"success": True}
    assert whatsapp.get(AGENCY, BRAM_TOKEN, fields="platform_type").json()["platform_type"] == "CLOUD_API"
    assert whatsapp.post(f"{AGENCY}/deregister", token=BRAM_TOKEN).json() == {"success": True}
    assert codes_of(whatsapp.post(path, body | {"pin": "654321"}, BRAM_TOKEN)) == (133005, None)
    assert whatsapp.post(path, body, BRAM_TOKEN).json() == {"success": True}


def test_too_many_registrations_are_refused(whatsapp: Whatsapp) -> None:
    body = {"messaging_product": "whatsapp", "pin": "123456"}
    answers = [whatsapp.post(f"{CATERING}/register", body) for _ in range(11)]
    assert [answer.status_code for answer in answers] == [200] * 10 + [400]
    assert codes_of(answers[-1]) == (133016, None)
    whatsapp.platform.pass_time(73 * 3600)
    assert whatsapp.post(f"{CATERING}/register", body).status_code == 200


def test_the_business_profile(whatsapp: Whatsapp) -> None:
    path = f"{BAKERY}/whatsapp_business_profile"
    fields = "about,address,description,email,profile_picture_url,websites,vertical"
    row = whatsapp.get(path, fields=fields).json()["data"][0]
    assert set(row) == set(fields.split(","))
    assert row["vertical"] == "RESTAURANT"
    assert whatsapp.platform.running.client.get(row["profile_picture_url"]).headers["content-type"] == "image/png"
    body = {"messaging_product": "whatsapp", "about": "Closed on Mondays", "websites": ["https://example.com/"]}
    assert whatsapp.post(path, body).json() == {"success": True}
    seen = whatsapp.get(path).json()["data"][0]
    assert (seen["about"], seen["websites"], seen["messaging_product"]) == (
        *("Closed on Mondays", ["https://example.com/"]),
        "whatsapp",
    )
    assert codes_of(whatsapp.post(path, {"about": "x"})) == (100, None)
    assert codes_of(whatsapp.post(path, body | {"about": "x" * 140})) == (100, None)


def test_tokens_are_inspected_with_the_accounts_they_are_for(whatsapp: Whatsapp) -> None:
    seen = whatsapp.get("debug_token", whatsapp.app_token, input_token=ADA_TOKEN).json()["data"]
    assert (seen["type"], seen["is_valid"], seen["expires_at"]) == ("SYSTEM_USER", True, 0)
    assert {"scope": "whatsapp_business_management", "target_ids": [ADA_WABA]} in seen["granular_scopes"]
    assert codes_of(whatsapp.get("debug_token", BRAM_TOKEN, input_token=ADA_TOKEN)) == (100, None)
    assert whatsapp.get("me").json()["id"] == seen["user_id"]


def test_the_temporary_token_lives_for_a_day(whatsapp: Whatsapp) -> None:
    assert whatsapp.get(BAKERY, TEMPORARY_TOKEN).status_code == 200
    whatsapp.platform.pass_time(86401)
    assert codes_of(whatsapp.get(BAKERY, TEMPORARY_TOKEN), 401) == (190, 463)
    seen = whatsapp.get("debug_token", whatsapp.app_token, input_token=TEMPORARY_TOKEN).json()["data"]
    assert (seen["is_valid"], seen["error"]["subcode"]) == (False, 463)


def test_embedded_signup_gives_a_token_for_the_shared_account(whatsapp: Whatsapp) -> None:
    form = {"decision": "allow", "person": "bram"}
    back = whatsapp.platform.decide(DIALOG, form, config_id="1", state="s")
    assert back["state"] == "s"
    app = {"client_id": whatsapp.platform.client_id, "client_secret": whatsapp.platform.secret}
    answer = whatsapp.get("oauth/access_token", "", **app, code=back["code"])
    token = answer.json()["access_token"]
    assert whatsapp.get(f"{BRAM_WABA}/phone_numbers", token).json()["data"][0]["id"] == AGENCY
    again = whatsapp.get("oauth/access_token", "", **app, code=back["code"])
    assert codes_of(again) == (100, 36009)
    denied = whatsapp.platform.decide(DIALOG, {"decision": "deny"}, state="s")
    assert (denied["error"], denied["state"]) == ("access_denied", "s")
    wrong = {**app, "client_secret": "x"}
    assert codes_of(whatsapp.get("oauth/access_token", "", **wrong, code="x")) == (1, None)
    late = whatsapp.platform.decide(DIALOG, form, config_id="1")["code"]
    assert codes_of(whatsapp.get("oauth/access_token", "", **app, code=late, redirect_uri=f"{BACK}/")) == (100, 36008)
    whatsapp.platform.pass_time(601)
    assert codes_of(whatsapp.get("oauth/access_token", "", **app, code=late)) == (100, 36007)


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_named_error_has_its_code(whatsapp: Whatsapp, name: str) -> None:
    whatsapp.platform.running.control("fail", platform="whatsapp-cloud", error=name, account=BAKERY)
    status, code, subcode = EXPECTED[name]
    error = error_of(whatsapp.get(BAKERY), status)
    assert (error["code"], error.get("error_subcode")) == (code, subcode)
    if "error_data" in error:
        assert error["error_data"]["messaging_product"] == "whatsapp"
        assert error["error_data"]["details"]
    assert whatsapp.get(BAKERY).status_code == 200


def test_a_proof_of_the_token_must_be_right_where_one_is_sent(whatsapp: Whatsapp) -> None:
    proof = hmac.new(whatsapp.platform.secret.encode(), ADA_TOKEN.encode(), "sha256").hexdigest()
    assert whatsapp.get(ADA_WABA, appsecret_proof=proof).status_code == 200
    error = error_of(whatsapp.get(ADA_WABA, appsecret_proof=proof[::-1]))
    assert (error["code"], error["type"]) == (100, "GraphMethodException")
    assert error["message"] == "Invalid appsecret_proof provided in the API argument"
