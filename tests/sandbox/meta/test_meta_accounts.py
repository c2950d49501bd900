from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from sandbox.graph_support import codes_of, error_of, names_of
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import (
    ADA,
    ADA_ADS,
    ADA_BUSINESS,
    AGENCY,
    BAKERY,
    BAKERY_IG,
    BRAM,
    BRAM_BUSINESS,
    CATERING,
    CLEO,
    CLIENT,
    DISABLED_AD_ACCOUNT_ID,
    UNSELECTED_PAGE_ID,
)

PAGE_FIELDS = (
    "id,name,username,access_token,category,tasks,picture.type(large),"
    "instagram_business_account{id,username,name,profile_picture_url}"
)


def test_pages_are_listed_with_their_tokens_tasks_and_instagram(meta: Meta) -> None:
    rows = meta.get("me/accounts", meta.long(ADA), fields=PAGE_FIELDS, limit=100).json()["data"]
    assert names_of(rows) == ["Lindqvist Bakery", "Lindqvist Catering", "Bakers Wanted"]
    bakery = rows[0]
    assert "CREATE_CONTENT" in bakery["tasks"]
    assert bakery["instagram_business_account"]["username"] == "lindqvist.bakery"
    assert "instagram_business_account" not in rows[1]
    picture = bakery["picture"]["data"]
    assert (picture["height"], picture["is_silhouette"]) == (200, False)
    image = meta.platform.running.client.get(picture["url"])
    assert image.headers["content-type"] == "image/png"
    assert image.content.startswith(b"\x89PNG")
    assert meta.get("me", bakery["access_token"]).json()["id"] == BAKERY


def test_without_fields_the_list_gives_what_meta_gives(meta: Meta) -> None:
    row = meta.get("me/accounts", meta.long(ADA)).json()["data"][0]
    assert set(row) == {"access_token", "category", "category_list", "name", "id", "tasks"}


def test_lists_are_paged_by_cursors_forwards_and_backwards(meta: Meta) -> None:
    token = meta.long(ADA)
    first = meta.get("me/accounts", token, limit=2, fields="name").json()
    assert names_of(first["data"]) == ["Lindqvist Bakery", "Lindqvist Catering"]
    assert "previous" not in first["paging"]
    # The link carries the token, as the real one does.
    assert parse_qs(urlsplit(first["paging"]["next"]).query)["access_token"] == [token]
    second = meta.platform.running.client.get(first["paging"]["next"]).json()
    assert names_of(second["data"]) == ["Bakers Wanted"]
    assert "next" not in second["paging"]
    back = meta.platform.running.client.get(second["paging"]["previous"]).json()
    assert back["data"] == first["data"]
    assert codes_of(meta.get("me/accounts", token, after="!!")) == (100, None)
    assert codes_of(meta.get("me/accounts", token, limit="many")) == (100, None)


def test_nobody_is_shown_what_was_not_granted(meta: Meta) -> None:
    assert meta.get("me/accounts", meta.long(CLEO)).json() == {"data": []}
    bare = meta.long(ADA, ["email"])
    assert meta.get("me/accounts", bare).json() == {"data": []}
    assert meta.get("me", bare, fields="email,first_name").json()["email"] == "ada@example.com"
    assert codes_of(meta.get("me/businesses", bare), 403) == (100, None)
    assert codes_of(meta.get("me/adaccounts", bare), 403) == (200, None)


def test_pages_that_were_not_ticked_are_found_through_the_business(meta: Meta) -> None:
    token = meta.long(BRAM)
    listed = [row["id"] for row in meta.get("me/accounts", token).json()["data"]]
    assert UNSELECTED_PAGE_ID not in listed
    assert [row["id"] for row in meta.get("me/businesses", token).json()["data"]] == [BRAM_BUSINESS]
    owned = meta.get(f"{BRAM_BUSINESS}/owned_pages", token, fields="id,access_token").json()["data"]
    assert {row["id"] for row in owned} == {AGENCY, UNSELECTED_PAGE_ID}
    assert all(row["access_token"] for row in owned)
    assert [row["id"] for row in meta.get(f"{BRAM_BUSINESS}/client_pages", token).json()["data"]] == [CLIENT]
    assert codes_of(meta.get(f"{ADA_BUSINESS}/owned_pages", token)) == (100, 33)


def test_a_page_shows_itself_but_has_no_tasks(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    about = meta.get(BAKERY, token, fields="id,name,about,link,followers_count,fan_count,verification_status").json()
    assert about["followers_count"] == 2480
    assert about["verification_status"] == "blue_verified"
    error = error_of(meta.get(BAKERY, token, fields="id,tasks"))
    assert error == {
        "message": "(#100) Tried accessing nonexisting field (tasks) on node type (Page)",
        "type": "OAuthException",
        "code": 100,
    }


def test_a_page_is_read_only_with_the_scope_and_by_who_holds_it(meta: Meta) -> None:
    bare = meta.long(ADA, ["pages_show_list"])
    assert meta.get(BAKERY, bare, fields="name").status_code == 200
    assert codes_of(meta.get(BAKERY, bare, fields="about"), 403) == (10, None)
    error = error_of(meta.get(BAKERY, meta.long(BRAM)))
    assert (error["code"], error["error_subcode"], error["type"]) == (100, 33, "GraphMethodException")
    assert codes_of(meta.get(CATERING, meta.page(ADA, BAKERY))) == (100, 33)


def test_an_instagram_account_is_found_through_its_page(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    fields = "id,username,name,profile_picture_url,biography,website,followers_count,follows_count,media_count"
    seen = meta.get(BAKERY_IG, token, fields=fields).json()
    assert (seen["id"], seen["username"], seen["followers_count"]) == (BAKERY_IG, "lindqvist.bakery", 8120)
    assert set(seen) == set(fields.split(","))
    assert meta.get(BAKERY_IG, token).json() == {"id": BAKERY_IG}


def test_without_the_scope_there_is_no_instagram(meta: Meta) -> None:
    bare = meta.long(ADA, ["pages_show_list"])
    assert codes_of(meta.get(BAKERY_IG, bare), 403) == (10, None)
    row = meta.get("me/accounts", bare, fields="id,instagram_business_account").json()["data"][0]
    assert "instagram_business_account" not in row


def test_ad_accounts_with_their_money(meta: Meta) -> None:
    token = meta.long(ADA)
    fields = (
        "id,account_id,name,account_status,disable_reason,currency,timezone_name,timezone_offset_hours_utc,"
        "business{id,name},amount_spent,balance,spend_cap,min_daily_budget,funding_source_details,user_tasks"
    )
    row = meta.get("me/adaccounts", token, fields=fields).json()["data"][0]
    assert (row["id"], row["account_id"]) == (ADA_ADS, ADA_ADS.removeprefix("act_"))
    assert (row["amount_spent"], row["currency"], row["account_status"]) == ("0", "SEK", 1)
    assert row["business"] == {"id": ADA_BUSINESS, "name": "Lindqvist Bakery AB"}
    assert set(row) == {name.partition("{")[0] for name in fields.replace("{id,name}", "").split(",")}
    budgets = meta.get(f"{ADA_ADS}/minimum_budgets", token).json()["data"][0]
    assert budgets["min_daily_budget_low_freq"] == 500
    assert names_of(meta.get(f"{ADA_ADS}/promote_pages", token, fields="name").json()["data"])[0] == "Lindqvist Bakery"
    linked = meta.get(f"{ADA_ADS}/connected_instagram_accounts", token, fields="username").json()["data"]
    assert [row["username"] for row in linked] == ["lindqvist.bakery"]
    theirs = meta.get("me/adaccounts", meta.long(BRAM), fields="account_status").json()["data"]
    assert {row["id"]: row["account_status"] for row in theirs}[DISABLED_AD_ACCOUNT_ID] == 2
    assert codes_of(meta.get(DISABLED_AD_ACCOUNT_ID, token)) == (100, 33)


def test_many_nodes_at_once_and_many_calls_in_one(meta: Meta) -> None:
    token = meta.long(ADA)
    both = meta.get("", token, ids=f"{BAKERY},{CATERING}", fields="name").json()
    assert both[CATERING] == {"name": "Lindqvist Catering", "id": CATERING}
    steps = [
        {"method": "GET", "relative_url": f"v26.0/{BAKERY}?fields=name"},
        {"method": "GET", "relative_url": "no-such-object"},
    ]
    answers = meta.post("", token, batch=msgspec.json.encode(steps).decode()).json()
    assert [answer["code"] for answer in answers] == [200, 400]
    assert msgspec.json.decode(answers[0]["body"])["name"] == "Lindqvist Bakery"
    assert msgspec.json.decode(answers[1]["body"])["error"]["code"] == 100


@pytest.mark.parametrize("version", ["", "v21.0/", "v25.0/", "v26.0/", "v19.0/"])
def test_every_living_version_is_served_and_ended_ones_by_the_oldest(meta: Meta, version: str) -> None:
    answer = meta.platform.get(f"graph.facebook.com/{version}me", access_token=meta.long(ADA))
    assert answer.json()["id"] == ADA


def test_unknown_paths_fields_and_objects(meta: Meta) -> None:
    token = meta.long(ADA)
    assert codes_of(meta.platform.get("graph.facebook.com/v99.0/me", access_token=token)) == (2500, None)
    assert codes_of(meta.get("me/accounts/what", token)) == (2500, None)
    assert codes_of(meta.get("me/moods", token)) == (100, None)
    assert codes_of(meta.post("me/accounts", token)) == (100, 33)
    assert codes_of(meta.get("me", token, fields="id,name{")) == (2500, None)
    assert codes_of(meta.platform.get("graph.instagram.com/me", access_token=token)) == (2500, None)


def test_usage_is_told_in_headers(meta: Meta) -> None:
    long = meta.get("me", meta.long(ADA))
    assert set(msgspec.json.decode(long.headers["x-app-usage"])) == {"call_count", "total_cputime", "total_time"}
    assert long.headers["facebook-api-version"] == "v26.0"
    page = meta.get("me", meta.page(ADA, BAKERY))
    assert msgspec.json.decode(page.headers["x-business-use-case-usage"])[BAKERY][0]["type"] == "pages"
    assert "x-app-usage" not in page.headers
