"""Profiles, what a creator may post, and every failure that can be ordered."""

import pytest

from sandbox.tiktok.client import CLIENT, TikTok
from socialgate_sandbox.vendors.tiktok.errors import ERRORS
from socialgate_sandbox.vendors.tiktok.seed import ADA_OPEN_ID, BRAM_OPEN_ID, CLEO_OPEN_ID, TOUR_OPEN_ID

CREATOR = "post/publish/creator_info/query/"
API = {
    "rate_limited": (429, "rate_limit_exceeded"),
    "token_expired": (401, "access_token_invalid"),
    "token_revoked": (401, "access_token_invalid"),
    "permission_missing": (401, "scope_not_authorized"),
    "scope_permission_missed": (400, "scope_permission_missed"),
    "not_found": (400, "invalid_publish_id"),
    "invalid": (400, "invalid_params"),
    "client_invalid": (401, "access_token_invalid"),
    "too_many_posts": (403, "spam_risk_too_many_posts"),
    "too_many_drafts": (403, "spam_risk_too_many_pending_share"),
    "user_banned": (403, "spam_risk_user_banned_from_posting"),
    "user_cap": (403, "reached_active_user_cap"),
    "unaudited": (403, "unaudited_client_can_only_post_to_private_accounts"),
    "url_unverified": (403, "url_ownership_unverified"),
    "privacy_mismatch": (403, "privacy_level_option_mismatch"),
    "temporarily_unavailable": (503, "internal_error"),
    "internal_error": (500, "internal_error"),
}
OAUTH = {
    "rate_limited": (429, "rate_limit_exceeded"),
    "token_revoked": (400, "invalid_grant"),
    "client_invalid": (401, "invalid_client"),
    "permission_missing": (400, "invalid_scope"),
    "invalid": (400, "invalid_request"),
    "temporarily_unavailable": (503, "temporarily_unavailable"),
    "internal_error": (500, "server_error"),
}


def test_a_profile_has_the_fields_that_were_asked_for(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    answer = tiktok.get("user/info/", token, fields="open_id,username,follower_count,is_verified").json()
    assert answer["data"] == {
        "user": {"open_id": ADA_OPEN_ID, "username": "adasbakery", "follower_count": 12870, "is_verified": True}
    }
    assert answer["error"]["code"] == "ok"
    assert answer["error"]["message"] == ""
    assert answer["error"]["log_id"]


@pytest.mark.parametrize(
    ("fields", "status", "code"),
    [
        ("open_id,display_name,avatar_url", 200, "ok"),
        ("open_id,username", 400, "scope_permission_missed"),
        ("follower_count", 400, "scope_permission_missed"),
        ("open_id,email", 400, "invalid_params"),
        ("", 400, "invalid_params"),
    ],
)
def test_a_field_without_its_scope_fails_all(tiktok: TikTok, fields: str, status: int, code: str) -> None:
    token = tiktok.sign_in(BRAM_OPEN_ID, "user.info.basic", "video.list")["access_token"]
    answer = tiktok.get("user/info/", token, fields=fields)
    assert (answer.status_code, answer.json()["error"]["code"]) == (status, code)


def test_what_a_creator_may_post(tiktok: TikTok) -> None:
    public = tiktok.post(CREATOR, tiktok.sign_in(BRAM_OPEN_ID)["access_token"]).json()["data"]
    assert public["privacy_level_options"] == ["PUBLIC_TO_EVERYONE", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]
    assert (public["duet_disabled"], public["max_video_post_duration_sec"]) == (True, 300)
    assert set(public) == {
        "creator_avatar_url",
        "creator_username",
        "creator_nickname",
        "privacy_level_options",
        "comment_disabled",
        "duet_disabled",
        "stitch_disabled",
        "max_video_post_duration_sec",
    }
    private = tiktok.post(CREATOR, tiktok.sign_in(CLEO_OPEN_ID)["access_token"]).json()["data"]
    assert private["privacy_level_options"] == ["FOLLOWER_OF_CREATOR", "MUTUAL_FOLLOW_FRIENDS", "SELF_ONLY"]


def test_a_banned_creator_is_told_with_status_200(tiktok: TikTok) -> None:
    token = tiktok.sign_in(TOUR_OPEN_ID)["access_token"]
    answer = tiktok.post(CREATOR, token)
    assert (answer.status_code, answer.json()["data"]) == (200, {})
    assert answer.json()["error"]["code"] == "spam_risk_user_banned_from_posting"
    tiktok.sandbox.control("restrict", platform="tiktok", account=TOUR_OPEN_ID, blocked="spam_risk_too_many_posts")
    assert tiktok.post(CREATOR, token).json()["error"]["code"] == "spam_risk_too_many_posts"
    tiktok.sandbox.control("restrict", platform="tiktok", account=TOUR_OPEN_ID, blocked="", private=True)
    assert "FOLLOWER_OF_CREATOR" in tiktok.post(CREATOR, token).json()["data"]["privacy_level_options"]


def test_each_endpoint_has_its_window(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    statuses = [tiktok.post(CREATOR, token).status_code for _ in range(21)]
    assert statuses == [200] * 20 + [429]
    assert tiktok.get("user/info/", token, fields="open_id").status_code == 200
    tiktok.sandbox.control("clock", advance=61)
    assert tiktok.post(CREATOR, token).status_code == 200


def test_a_scope_that_was_unticked_is_missed(tiktok: TikTok) -> None:
    token = tiktok.sign_in(ADA_OPEN_ID, "user.info.basic")["access_token"]
    answer = tiktok.post(CREATOR, token)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "scope_not_authorized")


def test_every_failure_can_be_ordered(tiktok: TikTok) -> None:
    assert set(API) == set(ERRORS)
    for name, (status, code) in API.items():
        tiktok.sandbox.control("fail", platform="tiktok", error=name)
        answer = tiktok.get("user/info/", "any")
        assert (answer.status_code, answer.json()["error"]["code"]) == (status, code), name
        assert answer.json()["data"] == {}
        assert set(answer.json()["error"]) == {"code", "message", "log_id"}
    for name, expected in OAUTH.items():
        tiktok.sandbox.control("fail", platform="tiktok", error=name)
        answer = tiktok.http.post(f"{tiktok.api}/oauth/token/", data=CLIENT)
        assert (answer.status_code, answer.json()["error"]) == expected, name
        assert set(answer.json()) == {"error", "error_description", "log_id"}


def test_a_failure_hits_one_account_and_a_missing_slash_nothing(tiktok: TikTok) -> None:
    ada, bram = (tiktok.sign_in(person)["access_token"] for person in (ADA_OPEN_ID, BRAM_OPEN_ID))
    tiktok.sandbox.control("fail", platform="tiktok", error="rate_limited", account=ADA_OPEN_ID)
    assert tiktok.get("user/info/", bram, fields="open_id").status_code == 200
    assert tiktok.get("user/info/", ada, fields="open_id").status_code == 429
    missing = tiktok.get("user/info", ada, fields="open_id")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "text/plain; charset=utf-8")


def test_the_accounts_that_can_be_connected(tiktok: TikTok) -> None:
    tiktok.sign_in(BRAM_OPEN_ID)
    listed = tiktok.sandbox.look("accounts", platform="tiktok")["data"]
    states = [(account["id"], account["state"], bool(account["connected"])) for account in listed]
    assert sorted(states) == sorted(
        [
            (ADA_OPEN_ID, "active", False),
            (BRAM_OPEN_ID, "active", True),
            (TOUR_OPEN_ID, "spam_risk_user_banned_from_posting", False),
            (CLEO_OPEN_ID, "private", False),
        ]
    )


def test_nonsense_is_refused_in_tiktoks_own_words(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    pulled = {"source": "PULL_FROM_URL", "video_url": "http://["}
    posted = {"post_info": {"privacy_level": "SELF_ONLY"}, "source_info": pulled}
    answers = [
        tiktok.post("video/list/", token, {"cursor": 10**30}, fields="id"),
        tiktok.post("video/list/", token, {"cursor": -1}, fields="id"),
        tiktok.post("video/list/", token, [], fields="id"),
        tiktok.post("post/publish/status/fetch/", token, "none"),
        tiktok.post("post/publish/video/init/", token, posted | {"source_info": []}),
        tiktok.http.get(
            f"{tiktok.url}/www.tiktok.com/v2/auth/authorize/", params=tiktok.question(redirect_uri="http://[")
        ),
    ]
    assert [answer.status_code for answer in answers] == [400] * len(answers)
    assert tiktok.post("post/publish/video/init/", token, posted).status_code == 403
