import pytest

from sandbox.graph_support import BACK, codes_of, error_of
from sandbox.meta.signing_in import DIALOG, Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BRAM, CLEO

DAY = 86400


def test_whoever_allows_comes_back_with_a_code_that_is_worth_a_token(meta: Meta) -> None:
    form = {"decision": "allow", "person": ADA}
    back = meta.platform.decide(DIALOG, form, scope="pages_show_list", state="s/1?&")
    assert back["state"] == "s/1?&"
    assert back["#"] == "_=_"
    answer = meta.exchange(code=back["code"], redirect_uri=BACK).json()
    assert answer["token_type"] == "bearer"
    assert 5000 <= answer["expires_in"] <= 7200
    assert meta.get("me", answer["access_token"]).json() == {"name": "Ada Lindqvist", "id": ADA}


def test_the_dialog_shows_people_and_scopes(meta: Meta) -> None:
    query = {"client_id": meta.platform.client_id, "redirect_uri": BACK, "scope": "pages_show_list email"}
    shown = meta.platform.get("www.facebook.com/dialog/oauth", **query)
    assert shown.status_code == 200
    assert all(word in shown.text for word in ("Ada Lindqvist", "Cleo Marchetti", "pages_show_list", "email"))


def test_whoever_denies_comes_back_with_the_reason(meta: Meta) -> None:
    back = meta.platform.decide(DIALOG, {"decision": "deny"}, scope="email", state="7")
    assert back == {
        "error": "access_denied",
        "error_code": "200",
        "error_description": "Permissions error",
        "error_reason": "user_denied",
        "state": "7",
        "#": "_=_",
    }


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"client_id": "somebody"}, "Invalid App ID"),
        ({"redirect_uri": "https://elsewhere.example.com/"}, "URL blocked"),
        ({"scope": "email,world_domination"}, "world_domination"),
    ],
)
def test_a_wrong_request_is_shown_to_the_person_and_nobody_is_sent_anywhere(
    meta: Meta, changed: dict[str, str], message: str
) -> None:
    query = {"client_id": meta.platform.client_id, "redirect_uri": BACK, "scope": "email"} | changed
    answer = meta.platform.get(DIALOG, **query)
    assert answer.status_code == 400
    assert message in answer.text


def test_a_code_is_good_once(meta: Meta) -> None:
    code = meta.code(ADA)
    assert meta.exchange(code=code, redirect_uri=BACK).status_code == 200
    error = error_of(meta.exchange(code=code, redirect_uri=BACK))
    assert error == {
        "message": "This authorization code has been used.",
        "type": "OAuthException",
        "code": 100,
        "error_subcode": 36009,
    }


def test_a_code_runs_out(meta: Meta) -> None:
    code = meta.code(ADA)
    meta.platform.pass_time(601)
    assert codes_of(meta.exchange(code=code, redirect_uri=BACK)) == (100, 36007)


def test_the_redirect_address_must_be_the_same_to_the_byte(meta: Meta) -> None:
    code = meta.code(ADA)
    assert codes_of(meta.exchange(code=code, redirect_uri=f"{BACK}/")) == (100, 36008)
    assert meta.exchange(code=code, redirect_uri=BACK).status_code == 200


def test_a_verifier_is_refused_since_the_dialog_keeps_no_challenge(meta: Meta) -> None:
    request = {"code_challenge": "fR4ifSAEy-7Mu6g7FHZulPKrtjqdAnUCwRFAJt2JFsA", "code_challenge_method": "S256"}
    code = meta.code(ADA, **request)
    refused = error_of(meta.exchange(code=code, redirect_uri=BACK, code_verifier="a" * 43))
    assert refused["message"] == "code_verifier param is provided without a code_challenge in authorization request."
    assert meta.exchange(code=code, redirect_uri=BACK).status_code == 200


def test_who_does_not_know_the_secret_gets_nothing(meta: Meta) -> None:
    params = {"client_id": meta.platform.client_id, "code": meta.code(ADA), "redirect_uri": BACK}
    assert codes_of(meta.get("oauth/access_token", **params, client_secret="guess")) == (1, None)
    assert codes_of(meta.get("oauth/access_token", **(params | {"client_id": "x"}))) == (101, None)
    assert codes_of(meta.exchange(code="made-up", redirect_uri=BACK)) == (100, None)
    assert codes_of(meta.exchange(code=params["code"])) == (191, None)


def test_a_short_token_ends_and_a_long_one_lives_for_sixty_days(meta: Meta) -> None:
    short = meta.short(ADA)
    answer = meta.exchange(grant_type="fb_exchange_token", fb_exchange_token=short).json()
    assert answer["expires_in"] == 60 * DAY
    long = answer["access_token"]
    meta.platform.pass_time(2 * 3600)
    error = error_of(meta.get("me", short))
    assert (error["code"], error["error_subcode"]) == (190, 463)
    assert error["message"].startswith("Error validating access token: Session has expired on ")
    assert meta.get("me", long).status_code == 200
    assert codes_of(meta.exchange(grant_type="fb_exchange_token", fb_exchange_token=short)) == (190, 463)
    meta.platform.pass_time(60 * DAY)
    assert codes_of(meta.get("me", long)) == (190, 463)


def test_a_long_token_gets_no_younger(meta: Meta) -> None:
    long = meta.long(ADA)
    meta.platform.pass_time(10 * DAY)
    answer = meta.exchange(grant_type="fb_exchange_token", fb_exchange_token=long).json()
    assert 50 * DAY - 60 <= answer["expires_in"] <= 50 * DAY


def test_a_pages_token_outlives_the_one_it_came_from_only_if_that_was_long(meta: Meta) -> None:
    short = meta.short(ADA)
    brief = meta.get("me/accounts", short, fields="access_token").json()["data"][0]["access_token"]
    endless = meta.page(ADA, BAKERY)
    assert meta.debug(endless)["expires_at"] == 0
    assert meta.debug(brief)["expires_at"] == meta.debug(short)["expires_at"]
    meta.platform.pass_time(100 * DAY)
    assert codes_of(meta.get("me", brief)) == (190, 463)
    assert meta.get("me", endless).json()["name"] == "Lindqvist Bakery"


def test_unticked_scopes_are_declined_and_not_asked_for_again(meta: Meta) -> None:
    request = "pages_show_list,pages_messaging"
    form = {"decision": "allow", "person": ADA, "asked": "1", "scope": ["public_profile", "pages_show_list"]}
    code = meta.platform.decide(DIALOG, form, scope=request)["code"]
    token = meta.exchange(code=code, redirect_uri=BACK).json()["access_token"]
    statuses = {row["permission"]: row["status"] for row in meta.get("me/permissions", token).json()["data"]}
    assert statuses == {"public_profile": "granted", "pages_show_list": "granted", "pages_messaging": "declined"}
    again = meta.short(ADA, request.split(","))
    assert "pages_messaging" not in meta.debug(again)["scopes"]
    insistent = meta.short(ADA, request.split(","), auth_type="rerequest")
    assert "pages_messaging" in meta.debug(insistent)["scopes"]


def test_the_apps_own_tokens(meta: Meta) -> None:
    created = meta.exchange(grant_type="client_credentials").json()
    assert created["token_type"] == "bearer"
    assert created["access_token"].startswith(f"{meta.platform.client_id}|")
    for token in (created["access_token"], meta.app_token):
        assert meta.debug(token)["type"] == "APP"
        assert meta.get(meta.platform.client_id, token).json()["id"] == meta.platform.client_id


def test_a_token_can_be_inspected(meta: Meta) -> None:
    long, page = meta.long(ADA), meta.page(ADA, BAKERY)
    seen = meta.debug(long)
    assert seen["app_id"] == meta.platform.client_id
    assert (seen["type"], seen["is_valid"], seen["user_id"]) == ("USER", True, ADA)
    assert seen["expires_at"] - seen["issued_at"] == 60 * DAY
    listed = next(row for row in seen["granular_scopes"] if row["scope"] == "pages_manage_posts")
    assert BAKERY in listed["target_ids"]
    assert (meta.debug(page)["type"], meta.debug(page)["profile_id"]) == ("PAGE", BAKERY)
    assert codes_of(meta.get("debug_token", meta.long(BRAM), input_token=long)) == (100, None)


def test_a_dead_token_is_described_with_status_200(meta: Meta) -> None:
    token = meta.short(ADA)
    meta.platform.pass_time(DAY)
    seen = meta.debug(token)
    assert (seen["is_valid"], seen["error"]["code"], seen["error"]["subcode"]) == (False, 190, 463)
    assert meta.debug("nonsense") == {
        "error": {"code": 190, "message": "Invalid OAuth access token - Cannot parse access token"},
        "is_valid": False,
        "scopes": [],
    }


def test_the_app_gives_a_permission_back_or_all_of_them(meta: Meta) -> None:
    token, page = meta.long(ADA), meta.page(ADA, BAKERY)
    assert meta.delete("me/permissions", token, permission="pages_messaging").json() == {"success": True}
    assert "pages_messaging" not in meta.debug(token)["scopes"]
    assert meta.delete(f"{ADA}/permissions", token).json() == {"success": True}
    assert codes_of(meta.get("me", token)) == (190, 458)
    assert codes_of(meta.get("me", page)) == (190, 458)
    assert meta.platform.gateway.arrived == []


def test_tokens_are_taken_from_headers_too_and_proofs_are_checked(meta: Meta) -> None:
    token = meta.long(CLEO)
    for kind in ("Bearer", "OAuth"):
        answer = meta.platform.running.client.get(
            "/meta/graph.facebook.com/me", headers={"authorization": f"{kind} {token}"}
        )
        assert answer.json()["id"] == CLEO
    error = error_of(meta.get("me", token, appsecret_proof="0" * 64))
    assert (error["code"], error["type"]) == (100, "GraphMethodException")
    assert codes_of(meta.get("me")) == (2500, None)
    assert codes_of(meta.get("me", "EAAnonsense")) == (190, None)
