"""Logging in with Facebook: where people are sent, how they come back, and what hangs on the login."""

import asyncio
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import msgspec
import pytest

from socialgate.connectors.graph.dialect import AccessToken, GraphPage, parse_timestamp
from socialgate.connectors.meta import build_connector
from socialgate.connectors.meta.accounts import list_missing_tasks
from socialgate.connectors.meta.api import AdAccount, FacebookPage
from socialgate.connectors.meta.auth import _build_ad_account, _build_page_accounts, _require_scopes
from socialgate.connectors.meta.manifest import MANIFEST
from socialgate.connectors.meta.webhook_subscriptions import get_page_id, list_webhook_fields
from socialgate.connectors.transport import PlatformApp, VendorTransport, decode_response
from socialgate.contracts.account_connection import (
    AccountCredentials,
    AuthorizationRefusedError,
    AuthorizationRequest,
    Grant,
    WebhookEndpoint,
)
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses

ASK = AuthorizationRequest(
    state="st-1", pkce_verifier="v" * 43, redirect_uri="https://gate.example/connect/meta/callback"
)
PAGE_TOKEN = "EAAmadeUpPageToken"


def meta(base: str | None = None) -> Connector:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    wire = VendorTransport(
        door, clock, PlatformPauses(Database("sqlite:///never-opened.db", clock)), Platform.META, base
    )
    return build_connector(PlatformApp(id="4711", secret="hush"), wire)


def authorize(ask: AuthorizationRequest, base: str | None = None) -> str:
    redirect = meta(base).redirect_login
    assert redirect is not None
    return redirect.authorize_url(ask)


def test_people_are_sent_to_the_dialog() -> None:
    url = urlsplit(authorize(ASK))
    query = parse_qs(url.query)
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://www.facebook.com/v26.0/dialog/oauth"
    assert set(query.pop("scope")[0].split(",")) == set(MANIFEST.list_scopes()) | {"business_management"}
    assert query == {
        "client_id": ["4711"],
        "redirect_uri": [ASK.redirect_uri],
        "state": ["st-1"],
        "response_type": ["code"],
        "auth_type": ["rerequest"],
    }
    assert authorize(ASK, "http://127.0.0.1:9/meta").startswith("http://127.0.0.1:9/meta/www.facebook.com/v26.0/dialog")


def test_only_what_the_wanted_kinds_need_is_asked_for() -> None:
    ask = msgspec.structs.replace(ASK, kinds=(Kind.META_ADS,))
    scopes = parse_qs(urlsplit(authorize(ask)).query)["scope"][0].split(",")
    assert "ads_management" in scopes
    assert "pages_messaging" not in scopes


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ({"error": "access_denied", "error_code": "200", "error_reason": "user_denied"}, "oauth_denied"),
        ({"error_code": "1349126", "error_message": "App not active"}, "access_denied"),
        ({"error": "server_error"}, "access_denied"),
        ({"state": "st-1"}, "token_exchange_failed"),
        ({"code": ""}, "token_exchange_failed"),
    ],
)
def test_whoever_comes_back_without_a_code_is_told_why(query: dict[str, str], slug: str) -> None:
    redirect = meta().redirect_login
    assert redirect is not None
    with pytest.raises(AuthorizationRefusedError) as refused:
        asyncio.run(redirect.exchange_code(query, ASK))
    assert refused.value.error_code == slug


@pytest.mark.parametrize(
    ("granted", "kinds", "enough"),
    [
        (["pages_show_list"], (), True),
        (["ads_read"], (), True),
        (["public_profile"], (), False),
        (["ads_read"], (Kind.INSTAGRAM,), False),
        (["pages_show_list"], (Kind.META_ADS,), False),
        (["ads_management"], (Kind.META_ADS,), True),
    ],
)
def test_a_person_may_grant_less_but_not_nothing(granted: list[str], kinds: tuple[Kind, ...], *, enough: bool) -> None:
    if enough:
        _require_scopes(granted, kinds)
        return
    with pytest.raises(AuthorizationRefusedError) as refused:
        _require_scopes(granted, kinds)
    assert refused.value.error_code == "missing_meta_permissions"


ROWS = b"""{"data":[{"access_token":"EAAmadeUpPageToken","category":"Bakery","category_list":[{"id":"2","name":"B"}],
"name":"Ada's Bread","id":"1081","tasks":["ANALYZE","CREATE_CONTENT"],"picture":{"data":{"url":"https://cdn/p.jpg"}},
"instagram_business_account":{"id":"17841405793187218","username":"adasbread","name":"Ada"}},
{"id":1082,"name":"No Instagram","access_token":"EAAother"}],
"paging":{"cursors":{"before":"b","after":"a"},"next":"https://graph.facebook.com/v26.0/me/accounts?access_token=x"}}"""


def test_a_page_and_the_instagram_account_behind_it_are_two_accounts_with_one_token() -> None:
    rows = decode_response(HttpResponse(200, {}, ROWS, truncated=False), GraphPage[FacebookPage])
    assert rows is not None
    assert rows.paging is not None
    assert rows.paging.after == "a"
    page, instagram = _build_page_accounts(rows.data[0])
    assert (page.kind, page.platform_account_id, page.name) == (Kind.FACEBOOK_PAGE, "1081", "Ada's Bread")
    assert (instagram.kind, instagram.username) == (Kind.INSTAGRAM, "adasbread")
    assert page.secret == instagram.secret == {"access_token": PAGE_TOKEN}
    assert instagram.details["pageId"] == page.inbound_key == instagram.inbound_key == "1081"
    (alone,) = _build_page_accounts(rows.data[1])
    assert alone.platform_account_id == "1082"
    assert PAGE_TOKEN not in repr(rows) + repr(AccessToken(PAGE_TOKEN))


def test_an_ad_account_shows_its_money_and_its_state() -> None:
    body = b"""{"id":"act_99","account_id":"99","name":"Ads","account_status":3,"currency":"EUR","balance":"1200",
    "timezone_name":"Europe/Berlin","business":{"id":"5","name":"Ada Ltd"}}"""
    row = decode_response(HttpResponse(200, {}, body, truncated=False), AdAccount)
    assert row is not None
    discovered_account = _build_ad_account(row)
    assert (discovered_account.kind, discovered_account.platform_account_id, discovered_account.secret) == (
        Kind.META_ADS,
        "act_99",
        {},
    )
    assert discovered_account.details == {
        "currency": "EUR",
        "timezone": "Europe/Berlin",
        "status": "unsettled",
        "business": "Ada Ltd",
        "businessId": "5",
    }


def test_a_subscription_asks_for_no_field_whose_permission_is_missing() -> None:
    assert list_webhook_fields(["pages_manage_metadata"]) == ["feed", "mention"]
    assert "messages" in list_webhook_fields(["pages_messaging"])
    assert "leadgen" in list_webhook_fields(MANIFEST.list_scopes())
    assert list_webhook_fields(["ads_read"]) == []


def test_the_webhooks_of_an_instagram_account_hang_on_its_page_and_ads_have_none() -> None:
    grant = Grant(platform_user_id="1", name="Ada", access_token="t", scopes=(), refreshed_at=datetime.now(UTC))
    credentials = AccountCredentials(
        kind=Kind.INSTAGRAM, platform_account_id="17", grant=grant, secret={}, details={"pageId": "1081"}
    )
    assert get_page_id(credentials) == "1081"
    ads = AccountCredentials(kind=Kind.META_ADS, platform_account_id="act_1", grant=grant, secret={}, details={})
    subscribing, revoking = meta().webhook_subscriber, meta().grant_revoker
    assert subscribing is not None
    assert revoking is not None
    asyncio.run(subscribing.subscribe(ads, WebhookEndpoint(url="https://x", secret="s", verify_token="v")))
    asyncio.run(subscribing.unsubscribe(ads))
    asyncio.run(revoking.revoke(ads, is_last_account=False))


@pytest.mark.parametrize(
    ("tasks", "missing"),
    [
        ([], []),
        (["ANALYZE", "MESSAGING", "MODERATE", "CREATE_CONTENT", "MANAGE"], []),
        (["ADVERTISE", "ANALYZE"], ["publish posts", "answer messages", "answer comments"]),
        (["PROFILE_PLUS_FULL_CONTROL"], []),
        (["PROFILE_PLUS_CREATE_CONTENT", "PROFILE_PLUS_MESSAGING", "PROFILE_PLUS_MODERATE"], ["read insights"]),
    ],
)
def test_a_role_on_a_page_that_is_too_small_is_said(tasks: list[str], missing: list[str]) -> None:
    assert list(list_missing_tasks(tasks)) == missing


def test_times_that_no_calendar_holds_are_none() -> None:
    assert [parse_timestamp(seconds) for seconds in (None, 0, 10**11 * 9, 10**30, -(10**30))] == [None] * 5
    assert parse_timestamp(1763200000) == datetime(2025, 11, 15, 9, 46, 40, tzinfo=UTC)


def test_the_options_are_schemas_that_hold_people_to_them() -> None:
    page = jsonschema_rs.validator_for(dict(MANIFEST.get_kind_manifest(Kind.FACEBOOK_PAGE).options))
    assert page.is_valid({"form": "reel", "title": "Bread"})
    assert not page.is_valid({"form": "carousel"})
    instagram = jsonschema_rs.validator_for(dict(MANIFEST.get_kind_manifest(Kind.INSTAGRAM).options))
    assert instagram.is_valid({"userTags": [{"username": "ada", "x": 0.5, "y": 0.5}], "trialReel": "MANUAL"})
    assert not instagram.is_valid({"typo": 1})
