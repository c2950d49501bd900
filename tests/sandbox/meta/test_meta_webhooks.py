import pytest

from sandbox.graph_support import codes_of, opened, signed_by
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG, BRAM, CLIENT


def test_the_app_subscribes_after_its_address_has_answered(meta: Meta) -> None:
    app, url = meta.platform.client_id, f"{meta.platform.gateway.url}/hooks/meta?x=1"
    params = {"object": "page", "callback_url": url, "verify_token": "mine", "fields": "feed,messages"}
    assert meta.post(f"{app}/subscriptions", meta.app_token, **params).json() == {"success": True}
    rows = meta.get(f"{app}/subscriptions", meta.app_token).json()["data"]
    page = next(row for row in rows if row["object"] == "page")
    assert (page["callback_url"], page["active"]) == (url, True)
    assert [field["name"] for field in page["fields"]] == ["feed", "messages"]
    assert meta.delete(f"{app}/subscriptions", meta.app_token, object="page").json() == {"success": True}
    rows = meta.get(f"{app}/subscriptions", meta.app_token).json()["data"]
    assert "page" not in [row["object"] for row in rows]


def test_an_address_that_does_not_repeat_the_challenge_is_refused(meta: Meta) -> None:
    params = {"object": "page", "callback_url": f"{meta.platform.running.url}/_control", "fields": "feed"}
    path = f"{meta.platform.client_id}/subscriptions"
    assert codes_of(meta.post(path, meta.app_token, **params)) == (2200, None)
    params["callback_url"] = f"{meta.platform.running.url}/nowhere"
    assert codes_of(meta.post(path, meta.app_token, **params)) == (2200, None)
    assert codes_of(meta.post(path, meta.long(ADA), **params)) == (15, None)
    assert codes_of(meta.post(path, meta.app_token, **(params | {"fields": "gossip"}))) == (100, None)


def test_a_page_is_subscribed_with_its_own_token(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    path = f"{BAKERY}/subscribed_apps"
    assert meta.get(path, token).json() == {"data": []}
    assert meta.post(path, token, subscribed_fields="feed,messages").json() == {"success": True}
    row = meta.get(path, token).json()["data"][0]
    assert (row["id"], row["subscribed_fields"]) == (meta.platform.client_id, ["feed", "messages"])
    assert meta.post(f"{BAKERY_IG}/subscribed_apps", token, subscribed_fields="comments").json() == {"success": True}
    assert meta.delete(path, token).json() == {"success": True}
    assert meta.get(path, token).json() == {"data": []}


def test_subscribing_needs_a_pages_token_the_scope_and_the_task(meta: Meta) -> None:
    path = f"{BAKERY}/subscribed_apps"
    assert codes_of(meta.post(path, meta.long(ADA), subscribed_fields="feed"), 403) == (210, None)
    token = meta.page(ADA, BAKERY)
    assert codes_of(meta.post(path, token)) == (100, None)
    assert codes_of(meta.post(path, token, subscribed_fields="gossip")) == (100, None)
    meta.delete("me/permissions", meta.long(ADA), permission="pages_messaging")
    assert codes_of(meta.post(path, token, subscribed_fields="messages"), 403) == (200, None)
    meta.delete("me/permissions", meta.long(ADA), permission="pages_manage_metadata")
    assert codes_of(meta.post(path, token, subscribed_fields="feed"), 403) == (200, None)
    onlooker = meta.page(BRAM, CLIENT)
    assert codes_of(meta.post(f"{CLIENT}/subscribed_apps", onlooker, subscribed_fields="feed"), 403) == (200, None)


def test_who_removes_the_app_kills_all_tokens_and_the_app_is_told(meta: Meta) -> None:
    long, page = meta.long(ADA), meta.page(ADA, BAKERY)
    meta.platform.act("revoke", account=BAKERY)
    for token in (long, page):
        assert codes_of(meta.get("me", token)) == (190, 458)
    request = meta.platform.arrived()[0]
    assert request.path == "/webhooks/meta"
    response = opened(meta.platform.secret, request)
    assert (response["user_id"], response["algorithm"]) == (ADA, "HMAC-SHA256")
    assert meta.get("me", meta.long(ADA)).status_code == 200


@pytest.mark.parametrize("how", ["data_deletion", "account_deleted"])
def test_who_wants_everything_deleted_sends_two_signed_requests(meta: Meta, how: str) -> None:
    meta.long(ADA)
    meta.platform.act("revoke", account=ADA, how=how)
    payload = [opened(meta.platform.secret, request) for request in meta.platform.arrived(2)]
    assert [request["user_id"] for request in payload] == [ADA, ADA]


@pytest.mark.parametrize(
    ("how", "subcode"),
    [("password_changed", 460), ("checkpoint", 459), ("logged_out", 467), ("unconfirmed_user", 464)],
)
def test_other_ways_to_lose_a_token_are_silent(meta: Meta, how: str, subcode: int) -> None:
    page = meta.page(ADA, BAKERY)
    meta.platform.act("revoke", account=BAKERY_IG, how=how)
    assert codes_of(meta.get("me", page)) == (190, subcode)
    assert meta.debug(page)["error"]["subcode"] == subcode
    assert meta.platform.gateway.arrived == []


def test_a_lost_role_ends_the_pages_token_only(meta: Meta) -> None:
    long, page = meta.long(ADA), meta.page(ADA, BAKERY)
    meta.platform.act("revoke", account=BAKERY, how="role_lost")
    assert codes_of(meta.get("me", page)) == (190, 492)
    listed = [row["id"] for row in meta.get("me/accounts", long).json()["data"]]
    assert BAKERY not in listed
    assert len(listed) == 2


def test_an_unticked_permission_is_told_by_a_signed_webhook(meta: Meta) -> None:
    page = meta.page(ADA, BAKERY)
    meta.platform.act("revoke", account=BAKERY, how="permission:pages_messaging")
    request = meta.platform.arrived()[0]
    assert signed_by(meta.platform.secret, request)
    entry = request.json["entry"][0]
    assert (request.json["object"], entry["id"]) == ("permissions", ADA)
    assert entry["changes"][0]["field"] == "pages_messaging"
    assert entry["changes"][0]["value"]["verb"] == "revoked"
    path = f"{BAKERY}/subscribed_apps"
    assert codes_of(meta.post(path, page, subscribed_fields="messages"), 403) == (200, None)


def test_tokens_can_be_made_to_run_out(meta: Meta) -> None:
    long, page = meta.long(ADA), meta.page(ADA, BAKERY)
    assert meta.platform.act("expire", account=ADA)["expired"] >= 1
    assert codes_of(meta.get("me", long)) == (190, 463)
    assert meta.get("me", page).status_code == 200


def test_an_unlinked_instagram_account_is_gone(meta: Meta) -> None:
    page = meta.page(ADA, BAKERY)
    meta.platform.act("unlink", account=BAKERY_IG)
    assert codes_of(meta.get(BAKERY_IG, page)) == (100, 33)
    assert "instagram_business_account" not in meta.get(BAKERY, page, fields="instagram_business_account").json()
    meta.platform.act("unlink", account=BAKERY_IG, page=BAKERY)
    assert meta.get(BAKERY_IG, page).status_code == 200


def test_the_controls_refuse_what_makes_no_sense(meta: Meta) -> None:
    client = meta.platform.running.client
    order = {"platform": "meta", "account": BAKERY}
    assert client.post("/_control/revoke", json=order).status_code == 409
    # What can be said is worth knowing before there is anything to take away.
    refused = client.post("/_control/revoke", json=order | {"how": "magic"})
    assert refused.status_code == 422
    assert "role_lost" in refused.json()["error"]
    meta.long(ADA)
    assert client.post("/_control/revoke", json=order | {"account": "0"}).status_code == 404
    lines = meta.platform.running.look("accounts", platform="meta")["data"]
    bakery = next(line for line in lines if line["id"] == BAKERY)
    assert (bakery["kind"], bakery["connected"]) == ("page", ["Ada Lindqvist"])
