import pytest

from sandbox.graph_support import codes_of, error_of, opened
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads.errors import ERRORS
from socialgate_sandbox.vendors.threads.seed import ADA, BRAM

EXPECTED = {
    "rate_limited": (400, 4, None),
    "user_rate_limited": (400, 17, None),
    "custom_rate_limited": (400, 613, None),
    "token_revoked": (400, 190, 458),
    "token_expired": (400, 190, 463),
    "token_invalid": (400, 190, None),
    "password_changed": (400, 190, 460),
    "permission_missing": (403, 10, None),
    "not_found": (400, 100, 33),
    "invalid": (400, 100, None),
    "temporarily_unavailable": (500, 2, None),
    "unknown": (500, 1, None),
    "publish_quota": (400, 4, 2207042),
    "restricted": (403, 10, 4279013),
    "spam": (400, 4, 2207051),
    "container_not_found": (400, 24, 4279009),
    "media_fetch_failed": (400, 100, None),
}


@pytest.mark.parametrize("host", ["graph.threads.net/v1.0", "graph.threads.com/v1.0", "graph.threads.net"])
def test_the_profile(threads: Threads, host: str) -> None:
    fields = "id,username,name,threads_profile_picture_url,threads_biography,is_verified"
    seen = threads.platform.get(f"{host}/me", access_token=threads.long(ADA), fields=fields).json()
    picture = threads.platform.running.client.get(seen.pop("threads_profile_picture_url"))
    assert picture.headers["content-type"] == "image/png"
    assert seen == {
        "id": ADA,
        "username": "lindqvist.bakery",
        "name": "Ada Lindqvist",
        "threads_biography": "Buns before noon.",
        "is_verified": True,
    }


def test_nobody_else_is_shown_and_nothing_that_there_is_not(threads: Threads) -> None:
    token = threads.long(ADA)
    assert threads.get(ADA, token).json() == {"id": ADA}
    assert error_of(threads.get(BRAM, token))["type"] == "THApiException"
    unknown = error_of(threads.get("me", token, fields="id,followers_count"))
    assert (unknown["code"], unknown["type"]) == (100, "THApiException")
    assert codes_of(threads.get("me/conversations", token)) == (100, None)
    assert codes_of(threads.post("me/messages", token)) == (100, 33)
    assert codes_of(threads.get("me")) == (104, None)
    assert codes_of(threads.platform.get("graph.threads.net/v2.0/me", access_token=token)) == (2500, None)


def test_the_publishing_limit(threads: Threads) -> None:
    token = threads.long(ADA)
    names = ("quota_usage,config,reply_quota_usage,reply_config,delete_quota_usage,delete_config,"
             "location_search_quota_usage,location_search_config")  # fmt: skip
    row = threads.get("me/threads_publishing_limit", token, fields=names).json()["data"][0]
    assert row["config"] == {"quota_total": 250, "quota_duration": 86400}
    assert (row["reply_config"]["quota_total"], row["delete_config"]["quota_total"]) == (1000, 100)
    assert row["quota_usage"] == row["reply_quota_usage"] == 0
    bare = threads.long(BRAM, ["threads_basic"])
    assert codes_of(threads.get("me/threads_publishing_limit", bare, fields="config"), 403) == (10, None)


def test_who_removes_the_app_kills_all_tokens_and_the_app_is_told(threads: Threads) -> None:
    tokens = [threads.short(ADA), threads.long(ADA)]
    threads.platform.act("revoke", account=ADA)
    assert [codes_of(threads.get("me", token)) for token in tokens] == [(190, 458), (190, 458)]
    request = threads.platform.arrived()[0]
    assert request.path == "/webhooks/threads"
    assert opened(threads.platform.secret, request)["user_id"] == ADA


@pytest.mark.parametrize(("how", "subcode"), [("data_deletion", 458), ("account_deleted", 465)])
def test_who_wants_everything_deleted_sends_two_signed_requests(threads: Threads, how: str, subcode: int) -> None:
    token = threads.long(ADA)
    threads.platform.act("revoke", account=ADA, how=how)
    assert codes_of(threads.get("me", token)) == (190, subcode)
    assert [opened(threads.platform.secret, request)["user_id"] for request in threads.platform.arrived(2)] == [
        ADA,
        ADA,
    ]


@pytest.mark.parametrize(("how", "subcode"), [("password_changed", 460), ("checkpoint", 459), ("logged_out", 467)])
def test_other_ways_to_lose_a_token_are_silent(threads: Threads, how: str, subcode: int) -> None:
    token = threads.long(ADA)
    threads.platform.act("revoke", account=ADA, how=how)
    assert codes_of(threads.get("me", token)) == (190, subcode)
    assert threads.platform.gateway.arrived == []


def test_a_permission_can_be_unticked_and_tokens_can_run_out(threads: Threads) -> None:
    token = threads.long(ADA)
    threads.platform.act("revoke", account=ADA, how="permission:threads_content_publish")
    assert codes_of(threads.get("me/threads_publishing_limit", token), 403) == (10, None)
    assert threads.platform.act("expire", account=ADA)["expired"] == 2
    assert codes_of(threads.get("me", token)) == (190, 463)


def test_the_webhook_address_must_repeat_a_challenge(threads: Threads) -> None:
    url = f"{threads.platform.gateway.url}/elsewhere"
    threads.platform.act("subscribe", url=url)
    order = {"platform": "threads", "url": f"{threads.platform.running.url}/_control"}
    refused = threads.platform.running.client.post("/_control/subscribe", json=order)
    assert refused.status_code == 422
    assert "Callback verification failed" in refused.json()["error"]


def test_the_controls_refuse_what_makes_no_sense(threads: Threads) -> None:
    client, order = threads.platform.running.client, {"platform": "threads", "account": ADA}
    assert client.post("/_control/revoke", json=order).status_code == 409
    assert client.post("/_control/revoke", json=order | {"account": "1"}).status_code == 404
    # What can be said is worth knowing before there is anything to take away.
    refused = client.post("/_control/revoke", json=order | {"how": "magic"})
    assert refused.status_code == 422
    assert "logged_out" in refused.json()["error"]
    threads.long(ADA)
    assert client.post("/_control/revoke", json=order | {"how": "permission:magic"}).status_code == 409
    lines = threads.platform.running.look("accounts", platform="threads")["data"]
    assert [line["connected"] for line in lines] == [["Ada Lindqvist"], [], []]


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_named_error_has_its_code(threads: Threads, name: str) -> None:
    token = threads.long(ADA)
    threads.platform.running.control("fail", platform="threads", error=name, account=ADA)
    status, code, subcode = EXPECTED[name]
    error = error_of(threads.get("me", token), status)
    assert (error["code"], error.get("error_subcode")) == (code, subcode)
    assert threads.get("me", token).status_code == 200
