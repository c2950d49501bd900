"""Connecting TikTok ad accounts: where people are sent, and what is made of how they come back."""

import asyncio
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest

from socialgate.connectors.tiktokads import build_connector
from socialgate.connectors.tiktokads.accounts import _find_issues
from socialgate.connectors.tiktokads.api import Advertiser, AdvertiserSummary, TokenResponse
from socialgate.connectors.tiktokads.auth import TikTokAdsAuth, _build_grant_name, _build_grant_subject
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AccountCredentials,
    AuthorizationRefusedError,
    AuthorizationRequest,
    Grant,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses

ASK = AuthorizationRequest(
    state="st-1", pkce_verifier="v" * 43, redirect_uri="https://gate.example/connect/tiktokads/callback"
)
GRANT = Grant(platform_user_id="s", name="Ada", access_token="t", scopes=("1", "2"), refreshed_at=datetime.now(UTC))


def wire() -> VendorTransport:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    pauses = PlatformPauses(Database("sqlite:///never-opened.db", clock))
    return VendorTransport(door, clock, pauses, Platform.TIKTOKADS, None)


def test_people_are_sent_to_the_portal() -> None:
    part = build_connector(PlatformApp(id="42", secret="hush"), wire()).redirect_login
    assert part is not None
    url = urlsplit(part.authorize_url(ASK))
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://business-api.tiktok.com/portal/auth"
    assert parse_qs(url.query) == {"app_id": ["42"], "state": ["st-1"], "redirect_uri": [ASK.redirect_uri]}


def test_the_code_has_two_names() -> None:
    assert TikTokAdsAuth.parse_authorization_code({"auth_code": "a", "code": "b"}) == "a"
    assert TikTokAdsAuth.parse_authorization_code({"code": "b"}) == "b"


@pytest.mark.parametrize("query", [{}, {"auth_code": ""}, {"error": "access_denied", "auth_code": "a"}])
def test_who_comes_back_without_a_code_has_declined(query: dict[str, str]) -> None:
    with pytest.raises(AuthorizationRefusedError) as refused:
        TikTokAdsAuth.parse_authorization_code(query)
    assert refused.value.error_code == "oauth_denied"


@pytest.mark.parametrize(
    ("scope", "scopes"),
    [
        (b"[1,2,12000000]", ("1", "2", "12000000")),
        (b'["1","20"]', ("1", "20")),
        (b'"[1,2]"', ("1", "2")),
        (b'"1,2"', ("1", "2")),
        (b"null", ()),
    ],
)
def test_rights_are_numbers_in_several_spellings(scope: bytes, scopes: tuple[str, ...]) -> None:
    tokens = msgspec.json.decode(b'{"access_token":"t","scope":' + scope + b"}", type=TokenResponse)
    assert tokens.parse_scopes() == scopes


def test_who_opens_the_same_accounts_has_the_same_subject() -> None:
    tokens = TokenResponse(access_token="t-1", advertiser_ids=["2", 1])
    again = TokenResponse(access_token="t-2", advertiser_ids=["1", "2"])
    assert _build_grant_subject(tokens, []) == _build_grant_subject(again, [AdvertiserSummary(advertiser_id=2)])
    assert _build_grant_subject(tokens, []) != _build_grant_subject(
        TokenResponse(access_token="t-1", advertiser_ids=["1"]), []
    )
    assert _build_grant_subject(TokenResponse(access_token="t-1"), []) != _build_grant_subject(
        TokenResponse(access_token="t-2"), []
    )


def test_a_grant_is_named_after_its_accounts() -> None:
    rows = [AdvertiserSummary(advertiser_id=1, advertiser_name="Bakery"), AdvertiserSummary(advertiser_id=2)]
    assert [
        _build_grant_name(rows),
        _build_grant_name(rows[:1]),
        _build_grant_name(rows[1:]),
        _build_grant_name([]),
    ] == [
        "Bakery and 1 more",
        "Bakery",
        "2",
        "TikTok Ads",
    ]


def test_an_ad_account_shows_its_currency_zone_and_state() -> None:
    row = Advertiser(
        advertiser_id=7_000_000_000_000_000_001,
        status="STATUS_ENABLE",
        currency="EUR",
        timezone="Etc/GMT-1",
        display_timezone="Europe/Berlin",
        owner_bc_id=5,
    )
    assert row.id == "7000000000000000001"
    assert row.build_details() == {
        "currency": "EUR",
        "timezone": "Europe/Berlin",
        "status": "active",
        "businessCenterId": "5",
    }


@pytest.mark.parametrize(
    ("status", "issues"),
    [
        ("STATUS_ENABLE", []),
        (None, []),
        ("STATUS_PENDING_CONFIRM", [("ad_account_inactive", True)]),
        ("STATUS_DISABLE", [("ad_account_inactive", False)]),
        ("STATUS_LIMIT", [("ad_account_inactive", False)]),
        ("STATUS_OF_NEXT_YEAR", [("ad_account_inactive", True)]),
    ],
)
def test_an_ad_account_that_does_not_run_is_an_issue(status: str | None, issues: list[tuple[str, bool]]) -> None:
    existing_issues = _find_issues(Advertiser(advertiser_id="1", status=status, rejection_reason="No address"))
    assert [(issue.code, issue.warning) for issue in existing_issues] == issues


def test_an_ad_account_that_is_not_shown_any_more_is_an_issue() -> None:
    assert [(issue.code, issue.warning) for issue in _find_issues(None)] == [("ad_account_not_visible", False)]


def test_tokens_do_not_show_themselves() -> None:
    assert "hush" not in repr(TokenResponse(access_token="hush"))


def test_a_grant_that_others_use_is_not_revoked() -> None:
    part = build_connector(PlatformApp(), wire()).grant_revoker
    assert part is not None
    credentials = AccountCredentials(kind=Kind.TIKTOK_ADS, platform_account_id="1", grant=GRANT, secret={}, details={})
    asyncio.run(part.revoke(credentials, is_last_account=False))
