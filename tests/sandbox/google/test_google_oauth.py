"""Signing in with Google: consent, codes, tokens, and how they end."""

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from sandbox.google.client import AUTH, CALENDAR, IDENTITY, YOUTUBE, Google
from sandbox.google.official import RefreshError, id_token, requests
from socialgate_sandbox.vendors.google import VENDOR
from socialgate_sandbox.vendors.google.seed import GOOGLE_USER_IDS, SCHOOL_USER_ID
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox

VERIFIER = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
CHALLENGE = "fR4ifSAEy-7Mu6g7FHZulPKrtjqdAnUCwRFAJt2JFsA"


def test_a_person_signs_in_and_may_untick(google: Google) -> None:
    question = google.question(*IDENTITY, YOUTUBE, CALENDAR)
    page = google.get("accounts.google.com/o/oauth2/v2/auth", **question)
    assert page.status_code == 200
    assert "Ada Lindqvist" in page.text
    assert "Lindqvist Baking School" in page.text
    back = google.come_back(question, person=GOOGLE_USER_IDS["bram"], asked="1", scope=[CALENDAR])
    assert back["state"] == "s1"
    assert back["code"].startswith("4/")
    assert set(back["scope"].split()) == {*IDENTITY, "email", "profile", CALENDAR}
    tokens = google.exchange(back["code"]).json()
    assert set(tokens) == {"access_token", "expires_in", "refresh_token", "scope", "token_type", "id_token"}
    assert (tokens["expires_in"], tokens["token_type"]) == (3599, "Bearer")
    assert tokens["access_token"].startswith("ya29.")
    assert tokens["refresh_token"].startswith("1//")
    assert set(tokens["scope"].split()) == {*IDENTITY, CALENDAR}


def test_a_person_says_no(google: Google) -> None:
    assert google.come_back(google.question(*IDENTITY), decision="deny") == {"error": "access_denied", "state": "s1"}
    nothing = google.come_back(google.question(YOUTUBE), asked="1")
    assert nothing == {"error": "access_denied", "state": "s1"}


def test_brand_accounts_are_offered_for_youtube_only(google: Google) -> None:
    page = google.get("accounts.google.com/o/oauth2/v2/auth", **google.question(*IDENTITY, CALENDAR))
    assert "Lindqvist Baking School" not in page.text
    tokens = google.sign_in(SCHOOL_USER_ID, YOUTUBE)
    channel = google.get(
        "youtube.googleapis.com/youtube/v3/channels", tokens["access_token"], part="snippet", mine="true"
    )
    assert channel.json()["items"][0]["snippet"]["title"] == "Lindqvist Baking School"


@pytest.mark.parametrize(
    ("change", "status", "word"),
    [
        ({"client_id": "somebody"}, 401, "invalid_client"),
        ({"redirect_uri": "https://elsewhere.example/callback"}, 400, "redirect_uri_mismatch"),
        ({"response_type": "token"}, 400, "invalid_request"),
        ({"scope": "https://www.googleapis.com/auth/gmail.everything"}, 400, "invalid_scope"),
        ({"scope": ""}, 400, "invalid_request"),
        ({"code_challenge_method": "S512"}, 400, "invalid_request"),
    ],
)
def test_a_wrong_question_shows_an_error_page(google: Google, change: dict[str, str], status: int, word: str) -> None:
    page = google.get("accounts.google.com/o/oauth2/v2/auth", **(google.question(*IDENTITY) | change))
    assert page.status_code == status
    assert f"Error {status}: {word}" in page.text


def test_a_code_works_once_for_its_address_and_ten_minutes(google: Google) -> None:
    code = google.come_back(google.question(*IDENTITY))["code"]
    wrong = google.exchange(code, redirect_uri=f"{google.redirect}/")
    assert (wrong.status_code, wrong.json()["error"]) == (400, "redirect_uri_mismatch")
    assert google.exchange(code).status_code == 200
    again = google.exchange(code)
    assert (again.status_code, again.json()) == (400, {"error": "invalid_grant", "error_description": "Bad Request"})
    late = google.come_back(google.question(*IDENTITY))["code"]
    google.sandbox.control("clock", advance=601)
    assert google.exchange(late).json()["error"] == "invalid_grant"
    malformed = google.exchange("nonsense").json()
    assert malformed == {"error": "invalid_grant", "error_description": "Malformed auth code."}


def test_the_verifier_must_fit_the_challenge(google: Google) -> None:
    question = google.question(*IDENTITY, code_challenge=CHALLENGE, code_challenge_method="S256")
    code = google.come_back(question)["code"]
    assert google.exchange(code).json()["error_description"] == "Missing code verifier."
    assert google.exchange(code, code_verifier="x" * 43).json()["error_description"] == "Invalid code verifier."
    assert google.exchange(code, code_verifier=VERIFIER).status_code == 200
    plain = google.come_back(google.question(*IDENTITY, code_challenge=VERIFIER))["code"]
    assert google.exchange(plain, code_verifier=VERIFIER).status_code == 200


def test_the_client_must_be_known(google: Google) -> None:
    answers = [
        google.exchange("4/x", client_id="other"),
        google.exchange("4/x", client_secret="wrong"),
        google.exchange("4/x", client_secret=""),
        google.exchange("4/x", grant_type="password"),
    ]
    pairs = [(answer.status_code, answer.json()["error"]) for answer in answers]
    assert pairs == [
        (401, "invalid_client"),
        (401, "invalid_client"),
        (400, "invalid_request"),
        (400, "unsupported_grant_type"),
    ]
    code = google.come_back(google.question(*IDENTITY))["code"]
    form = {"code": code, "redirect_uri": google.redirect, "grant_type": "authorization_code"}
    basic = b64encode(b"sandbox-google:sandbox-google-secret").decode()
    url = f"{google.url}/oauth2.googleapis.com/token"
    assert google.http.post(url, data=form, headers={"authorization": f"Basic {basic}"}).status_code == 200


def test_a_refresh_token_comes_only_when_it_was_asked_for_anew(google: Google) -> None:
    first = google.exchange(google.come_back(google.question(*IDENTITY, prompt=""))["code"]).json()
    again = google.exchange(google.come_back(google.question(*IDENTITY, prompt=""))["code"]).json()
    online = google.exchange(google.come_back(google.question(*IDENTITY, access_type="online"))["code"]).json()
    assert ["refresh_token" in tokens for tokens in (first, again, online)] == [True, False, False]


def test_granted_scopes_are_joined_on_request(google: Google) -> None:
    google.sign_in("ada", CALENDAR)
    more = google.question(YOUTUBE, include_granted_scopes="true")
    tokens = google.exchange(google.come_back(more, person=GOOGLE_USER_IDS["ada"])["code"]).json()
    assert set(tokens["scope"].split()) == {*IDENTITY, CALENDAR, YOUTUBE}
    less = google.exchange(google.come_back(google.question(YOUTUBE), person=GOOGLE_USER_IDS["ada"])["code"]).json()
    assert less["scope"] == YOUTUBE


def test_google_auth_refreshes_an_expired_token(google: Google) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    google.sandbox.control("clock", advance=3600)
    with google.sdk("youtube", "v3", tokens) as youtube:
        result = youtube.channels().list(part="id", mine=True).execute()
    assert result["pageInfo"]["totalResults"] == 1
    credentials = google.credentials(tokens)
    credentials.refresh(requests.Request())
    assert credentials.token != tokens["access_token"]
    # A refresh gives no new refresh token: the old one stays.
    assert credentials.refresh_token == tokens["refresh_token"]
    google.sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["ada"], how="silent")
    with pytest.raises(RefreshError, match="invalid_grant: Token has been expired or revoked"):
        credentials.refresh(requests.Request())


def test_a_refresh_token_dies_of_disuse(google: Google) -> None:
    used, unused = (google.sign_in("ada")["refresh_token"] for _ in range(2))
    google.sandbox.control("clock", advance=150 * 86400)
    assert google.refresh(used).status_code == 200
    google.sandbox.control("clock", advance=40 * 86400)
    assert google.refresh(used).status_code == 200
    dead = google.refresh(unused)
    assert (dead.status_code, dead.json()["error"]) == (400, "invalid_grant")
    assert google.refresh("rubbish").json() == {"error": "invalid_grant", "error_description": "Bad Request"}


def test_only_a_hundred_refresh_tokens_live(google: Google) -> None:
    first, *_rest, last = [google.sign_in("cleo")["refresh_token"] for _ in range(101)]
    assert google.refresh(first).status_code == 400
    assert google.refresh(last).status_code == 200


def test_a_testing_app_asks_again_every_week(tmp_path: Path, gateway: WebhookReceiver) -> None:
    testing = replace(VENDOR, app=msgspec.structs.replace(VENDOR.app, more={"publishing_status": "testing"}))
    with running_sandbox(tmp_path, [testing], gateway.url) as running:
        google = Google(running, gateway)
        tokens = google.sign_in("ada")
        assert tokens["refresh_token_expires_in"] == 604799
        running.control("clock", advance=7 * 86400 + 1)
        assert google.refresh(tokens["refresh_token"]).json()["error"] == "invalid_grant"


def test_revoking_takes_the_whole_grant(google: Google) -> None:
    calendar, youtube = google.sign_in("ada", CALENDAR), google.sign_in("ada", YOUTUBE)
    url = f"{google.url}/oauth2.googleapis.com/revoke"
    assert google.http.post(url, data={"token": calendar["access_token"]}).status_code == 200
    again = google.http.post(url, data={"token": calendar["access_token"]})
    assert (again.status_code, again.json()["error"]) == (400, "invalid_token")
    assert google.refresh(youtube["refresh_token"]).json()["error"] == "invalid_grant"
    about = google.get("www.googleapis.com/oauth2/v2/userinfo", youtube["access_token"])
    assert about.status_code == 401
    # Being asked and allowed once more, the app gets a refresh token again, even without `prompt=consent`.
    fresh = google.exchange(
        google.come_back(google.question(*IDENTITY, prompt=""), person=GOOGLE_USER_IDS["ada"])["code"]
    )
    assert "refresh_token" in fresh.json()


def test_an_id_token_is_signed_with_a_published_key(google: Google, monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = google.sign_in("ada")
    monkeypatch.setattr(id_token, "_GOOGLE_OAUTH2_CERTS_URL", f"{google.url}/www.googleapis.com/oauth2/v1/certs")
    claims = id_token.verify_oauth2_token(tokens["id_token"], requests.Request(), "sandbox-google")
    assert claims["sub"] == GOOGLE_USER_IDS["ada"]
    assert claims["email"] == "ada@example.com"
    keys = google.get("www.googleapis.com/oauth2/v3/certs").json()["keys"]
    assert [sorted(key) for key in keys] == [["alg", "e", "kid", "kty", "n", "use"]]


def test_token_info_in_both_forms(google: Google, sandbox: RunningSandbox) -> None:
    tokens = google.sign_in("ada", f"{AUTH}business.manage")
    new = google.get("oauth2.googleapis.com/tokeninfo", access_token=tokens["access_token"]).json()
    assert (new["aud"], new["sub"], new["email"]) == ("sandbox-google", GOOGLE_USER_IDS["ada"], "ada@example.com")
    assert (new["access_type"], new["email_verified"]) == ("offline", "true")
    assert 3590 <= int(new["expires_in"]) <= 3599
    with google.sdk("oauth2", "v2", tokens) as client:
        old = client.tokeninfo(access_token=tokens["access_token"]).execute()
    assert (old["audience"], old["user_id"], old["verified_email"]) == ("sandbox-google", GOOGLE_USER_IDS["ada"], True)
    assert set(old["scope"].split()) == set(new["scope"].split())
    sandbox.control("clock", advance=3600)
    dead = google.get("oauth2.googleapis.com/tokeninfo", access_token=tokens["access_token"])
    assert dead.status_code == 400
    assert dead.json() == {"error": "invalid_token", "error_description": "Invalid Value"}


def test_user_info_tells_what_the_scopes_allow(google: Google) -> None:
    with google.sdk("oauth2", "v2", google.sign_in("ada")) as client:
        whole = client.userinfo().get().execute()
        same = client.userinfo().v2().me().get().execute()
    assert whole == same
    assert set(whole) == {"id", "email", "verified_email", "name", "given_name", "family_name", "picture"}
    code = google.come_back(google.question("openid"), person=GOOGLE_USER_IDS["ada"])["code"]
    bare = google.exchange(code).json()["access_token"]
    assert google.get("www.googleapis.com/oauth2/v2/userinfo", bare).json() == {"id": GOOGLE_USER_IDS["ada"]}
    code = google.come_back(google.question(YOUTUBE), person=GOOGLE_USER_IDS["ada"])["code"]
    none = google.get("openidconnect.googleapis.com/v1/userinfo", google.exchange(code).json()["access_token"])
    assert none.status_code == 403
