"""Meta's own SDK for Python against the sandbox."""

import pytest
from facebook_business.adobjects.adaccount import AdAccount
from facebook_business.adobjects.application import Application
from facebook_business.adobjects.business import Business
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.user import User
from facebook_business.exceptions import FacebookRequestError

from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import (
    ADA,
    ADA_ADS,
    BAKERY,
    BAKERY_IG,
    BRAM,
    BRAM_BUSINESS,
    CATERING,
    CLIENT,
    CLIENT_ADS,
    UNSELECTED_PAGE_ID,
)


def test_the_person_and_all_pages_of_lists(meta: Meta, sdk: Sdk) -> None:
    me = User("me", api=sdk.api(meta.long(ADA)))
    assert me.api_get(fields=["id", "name"])["name"] == "Ada Lindqvist"
    fields = ["id", "name", "access_token", "instagram_business_account"]
    pages = list(me.get_accounts(fields=fields, params={"limit": 1}))
    assert [page["name"] for page in pages] == ["Lindqvist Bakery", "Lindqvist Catering", "Bakers Wanted"]
    assert pages[0]["instagram_business_account"]["id"] == BAKERY_IG
    granted = {row["permission"]: row["status"] for row in me.get_permissions()}
    assert granted["pages_manage_posts"] == "granted"


def test_businesses_and_what_they_hold(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.long(BRAM))
    assert ids(User("me", api=api).get_businesses(fields=["name"])) == [BRAM_BUSINESS]
    business = Business(BRAM_BUSINESS, api=api)
    assert UNSELECTED_PAGE_ID in ids(business.get_owned_pages())
    assert ids(business.get_client_pages()) == [CLIENT]
    assert ids(business.get_client_ad_accounts(fields=["name"])) == [CLIENT_ADS]
    assert len(ids(business.get_owned_ad_accounts())) == 2


def test_ad_accounts(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.long(ADA))
    listed = list(User("me", api=api).get_ad_accounts(fields=["name", "currency", "balance", "business"]))
    assert (listed[0]["id"], listed[0]["currency"], listed[0]["balance"]) == (ADA_ADS, "SEK", "0")
    account = AdAccount(ADA_ADS, api=api)
    assert account.api_get(fields=["timezone_name"])["timezone_name"] == "Europe/Stockholm"
    assert next(iter(account.get_minimum_budgets()))["currency"] == "SEK"
    assert BAKERY in ids(account.get_promote_pages())
    assert ids(account.get_connected_instagram_accounts()) == [BAKERY_IG]


def test_a_page_its_instagram_and_their_subscriptions(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.page(ADA, BAKERY))
    page = Page(BAKERY, api=api)
    assert page.api_get(fields=["about", "followers_count"])["followers_count"] == 2480
    page.create_subscribed_app(params={"subscribed_fields": ["feed", "messages"]})
    assert next(iter(page.get_subscribed_apps()))["subscribed_fields"] == ["feed", "messages"]
    page.delete_subscribed_apps()
    assert list(page.get_subscribed_apps()) == []
    assert next(iter(page.get_picture(params={"redirect": False})))["height"] == 50
    assert IGUser(BAKERY_IG, api=api).api_get(fields=["username"])["username"] == "lindqvist.bakery"


def test_the_app_and_its_webhooks(meta: Meta, sdk: Sdk) -> None:
    app = Application(meta.platform.client_id, api=sdk.api(meta.app_token))
    params = {
        "object": "page",
        "callback_url": f"{meta.platform.gateway.url}/w",
        "verify_token": "t",
        "fields": ["feed"],
    }
    app.create_subscription(params=params)
    rows = {row["object"]: row for row in app.get_subscriptions()}
    assert rows["page"]["callback_url"].endswith("/w")
    app.delete_subscriptions(params={"object": "page"})
    assert "page" not in {row["object"] for row in app.get_subscriptions()}


def test_a_batch(meta: Meta, sdk: Sdk) -> None:
    api = sdk.api(meta.long(ADA))
    batch, names = api.new_batch(), []
    for page in (BAKERY, CATERING, CLIENT):
        Page(page, api=api).api_get(
            fields=["name"],
            batch=batch,
            success=lambda answer: names.append(answer.json()["name"]),
            failure=lambda answer: names.append(answer.error().api_error_code()),
        )
    batch.execute()
    assert names == ["Lindqvist Bakery", "Lindqvist Catering", 100]


def test_permissions_are_given_back(meta: Meta, sdk: Sdk) -> None:
    me = User(ADA, api=sdk.api(meta.long(ADA)))
    me.delete_permissions(params={"permission": "pages_messaging"})
    me.delete_permissions()
    with pytest.raises(FacebookRequestError) as failed:
        me.api_get()
    assert (failed.value.api_error_code(), failed.value.api_error_subcode()) == (190, 458)
    assert failed.value.api_error_type() == "OAuthException"


def test_the_sdk_reads_the_errors(meta: Meta, sdk: Sdk) -> None:
    me = User("me", api=sdk.api(meta.long(ADA)))
    meta.platform.running.control("fail", platform="meta", error="temporarily_unavailable")
    with pytest.raises(FacebookRequestError) as failed:
        me.api_get()
    assert failed.value.http_status() == 500
    assert failed.value.api_error_code() == 2
    assert failed.value.api_transient_error() is True
