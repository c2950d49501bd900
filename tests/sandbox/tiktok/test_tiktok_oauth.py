"""Login Kit: consent, codes, rotating tokens, and how they end."""

import pytest

from sandbox.tiktok.client import CHALLENGE, CLIENT, VERIFIER, TikTok, event_of
from socialgate_sandbox.vendors.tiktok.seed import ADA_OPEN_ID, BRAM_OPEN_ID, CLEO_OPEN_ID


def test_a_person_signs_in_and_may_untick(tiktok: TikTok) -> None:
    url = f"{tiktok.url}/www.tiktok.com/v2/auth/authorize/"
    page = tiktok.http.get(url, params=tiktok.question())
    assert page.status_code == 200
    assert "@okaformedia" in page.text
    back = tiktok.come_back(tiktok.question(), person=BRAM_OPEN_ID, asked="1", scope=["video.list"])
    assert (back["state"], back["scopes"]) == ("s1", "user.info.basic,video.list")
    answer = tiktok.exchange(back["code"])
    tokens = answer.json()
    assert set(tokens) == {
        "access_token",
        "expires_in",
        "open_id",
        "refresh_expires_in",
        "refresh_token",
        "scope",
        "token_type",
    }
    assert (tokens["expires_in"], tokens["refresh_expires_in"], tokens["token_type"]) == (86400, 31536000, "Bearer")
    assert (tokens["open_id"], tokens["scope"]) == (BRAM_OPEN_ID, "user.info.basic,video.list")
    assert tokens["access_token"].startswith("act.")
    assert tokens["refresh_token"].startswith("rft.")


def test_a_person_says_no(tiktok: TikTok) -> None:
    back = tiktok.come_back(tiktok.question(), decision="deny")
    assert (back["error"], back["state"]) == ("access_denied", "s1")
    assert back["error_description"]


@pytest.mark.parametrize(
    "change",
    [
        {"client_key": "somebody"},
        {"redirect_uri": "https://elsewhere.example/callback"},
        {"redirect_uri": "http://127.0.0.1:9/callback?with=query"},
        {"response_type": "token"},
        {"scope": "user.info.everything"},
        {"code_challenge": "x", "code_challenge_method": "plain"},
        # People come back to this machine, as to a desktop app: it is not left out there.
        {"code_challenge": ""},
    ],
)
def test_a_wrong_question_shows_an_error_page(tiktok: TikTok, change: dict[str, str]) -> None:
    url = f"{tiktok.url}/www.tiktok.com/v2/auth/authorize/"
    page = tiktok.http.get(url, params=tiktok.question() | change)
    assert page.status_code == 400
    assert list(change)[0] in page.text  # noqa: RUF015 - the first one that is wrong is named


def test_a_code_works_once_for_its_address_and_ten_minutes(tiktok: TikTok) -> None:
    code = tiktok.come_back(tiktok.question())["code"]
    wrong = tiktok.exchange(code, redirect_uri=f"{tiktok.redirect}/")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "invalid_grant")
    assert "Redirect_uri" in wrong.json()["error_description"]
    assert tiktok.exchange(code).status_code == 200
    again = tiktok.exchange(code)
    assert again.json()["error"] == "invalid_grant"
    assert set(again.json()) == {"error", "error_description", "log_id"}
    late = tiktok.come_back(tiktok.question())["code"]
    tiktok.sandbox.control("clock", advance=601)
    assert tiktok.exchange(late).json()["error"] == "invalid_grant"


def test_the_verifier_must_fit_the_challenge(tiktok: TikTok) -> None:
    code = tiktok.come_back(tiktok.question())["code"]
    for wrong in ("", VERIFIER.lower(), CHALLENGE):
        refused = tiktok.exchange(code, code_verifier=wrong)
        assert (refused.status_code, refused.json()["error"]) == (400, "invalid_request")
    assert tiktok.exchange(code, code_verifier=VERIFIER).status_code == 200


def test_the_client_must_be_known_and_send_a_form(tiktok: TikTok) -> None:
    responses = [
        tiktok.token(client_secret="wrong"),
        tiktok.token(client_secret=""),
        tiktok.token(grant_type="password"),
        tiktok.http.post(f"{tiktok.api}/oauth/token/", json=CLIENT),
    ]
    assert [(answer.status_code, answer.json()["error"]) for answer in responses] == [
        (401, "invalid_client"),
        (400, "invalid_request"),
        (400, "unsupported_grant_type"),
        (400, "invalid_request"),
    ]
    assert tiktok.token(grant_type="client_credentials").json()["access_token"].startswith("clt.")


def test_tokens_expire_and_rotate(tiktok: TikTok) -> None:
    first = tiktok.sign_in()
    tiktok.sandbox.control("clock", advance=86401)
    dead = tiktok.get("user/info/", first["access_token"], fields="open_id")
    assert (dead.status_code, dead.json()["error"]["code"]) == (401, "access_token_invalid")
    second = tiktok.refresh(first["refresh_token"]).json()
    assert second["open_id"] == ADA_OPEN_ID
    assert second["scope"] == first["scope"]
    assert second["refresh_token"] != first["refresh_token"]
    assert tiktok.get("user/info/", second["access_token"], fields="open_id").status_code == 200
    # The one that was used is worth nothing any more.
    assert tiktok.refresh(first["refresh_token"]).json()["error"] == "invalid_grant"
    tiktok.sandbox.control("clock", advance=365 * 86400 + 1)
    assert tiktok.refresh(second["refresh_token"]).json()["error"] == "invalid_grant"


def test_the_app_revokes(tiktok: TikTok) -> None:
    tokens = tiktok.sign_in()
    url = f"{tiktok.api}/oauth/revoke/"
    answer = tiktok.http.post(url, data=CLIENT | {"token": tokens["access_token"]})
    assert (answer.status_code, answer.content) == (200, b"")
    assert tiktok.get("user/info/", tokens["access_token"], fields="open_id").status_code == 401
    assert tiktok.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    assert tiktok.http.post(url, data=CLIENT | {"token": tokens["access_token"]}).json()["error"] == "invalid_request"
    [arrived] = tiktok.gateway.wait_for(1)
    assert event_of(arrived) == ("authorization.removed", ADA_OPEN_ID, {"reason": 5})


@pytest.mark.parametrize(
    ("how", "reason", "stays"),
    [
        ("", 1, True),
        ("disconnected", 1, True),
        ("account_deleted", 2, False),
        ("age_changed", 3, True),
        ("banned", 4, False),
        ("unknown", 0, True),
    ],
)
def test_a_person_takes_it_back(tiktok: TikTok, how: str, reason: int, *, stays: bool) -> None:
    tokens = tiktok.sign_in(CLEO_OPEN_ID)
    tiktok.sandbox.control("revoke", platform="tiktok", account="cleo.m", how=how)
    [arrived] = tiktok.gateway.wait_for(1)
    assert event_of(arrived) == ("authorization.removed", CLEO_OPEN_ID, {"reason": reason})
    assert tiktok.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"
    url = f"{tiktok.url}/www.tiktok.com/v2/auth/authorize/"
    assert ("@cleo.m" in tiktok.http.get(url, params=tiktok.question()).text) is stays


def test_a_silent_end_and_an_early_one(tiktok: TikTok) -> None:
    tokens = tiktok.sign_in()
    tiktok.sandbox.control("expire", platform="tiktok", account=ADA_OPEN_ID)
    assert tiktok.get("user/info/", tokens["access_token"], fields="open_id").status_code == 401
    fresh = tiktok.refresh(tokens["refresh_token"]).json()
    tiktok.sandbox.control("expire", platform="tiktok", account=ADA_OPEN_ID, what="refresh")
    assert tiktok.refresh(fresh["refresh_token"]).json()["error"] == "invalid_grant"
    again = tiktok.sign_in()
    tiktok.sandbox.control("revoke", platform="tiktok", account=ADA_OPEN_ID, how="silent")
    assert tiktok.refresh(again["refresh_token"]).json()["error"] == "invalid_grant"
    assert tiktok.sandbox.look("deliveries")["data"] == []
