"""Connecting TikTok: where people are sent, and what is made of how they come back."""

import asyncio
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import pytest

from socialgate.connectors.tiktok import build_connector
from socialgate.connectors.tiktok.api import TikTokUser, list_user_fields
from socialgate.connectors.tiktok.auth import TikTokAuth
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.connectors.token_endpoint import TokenResponse
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import (
    AccountCredentials,
    AuthorizationRefusedError,
    AuthorizationRequest,
    Grant,
    RedirectLogin,
)
from socialgate.contracts.failures import NeedsReconnectionError
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses

ASK = AuthorizationRequest(
    state="st-1", pkce_verifier="v" * 43, redirect_uri="https://gate.example/connect/tiktok/callback"
)
GRANT = Grant(platform_user_id="open-1", name="Ada", access_token="act.1", scopes=(), refreshed_at=datetime.now(UTC))


def wire(base: str | None = None) -> VendorTransport:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    return VendorTransport(
        door, clock, PlatformPauses(Database("sqlite:///never-opened.db", clock)), Platform.TIKTOK, base
    )


def redirect(base: str | None = None) -> RedirectLogin:
    part = build_connector(PlatformApp(id="ck_test", secret="hush"), wire(base)).redirect_login
    assert part is not None
    return part


def test_people_are_sent_to_the_consent_page() -> None:
    url = urlsplit(redirect().authorize_url(ASK))
    query = parse_qs(url.query)
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://www.tiktok.com/v2/auth/authorize/"
    assert set(query.pop("scope")[0].split(",")) == {
        "user.info.basic",
        "user.info.profile",
        "user.info.stats",
        "video.list",
        "video.publish",
        "video.upload",
    }
    assert query == {
        "client_key": ["ck_test"],
        "response_type": ["code"],
        "redirect_uri": [ASK.redirect_uri],
        "state": ["st-1"],
        "disable_auto_auth": ["1"],
        "code_challenge": [TikTokAuth.build_pkce_challenge(ASK.pkce_verifier)],
        "code_challenge_method": ["S256"],
    }


def test_the_challenge_is_hexadecimal_unlike_anywhere_else() -> None:
    expected = "7d1e227d2004cbeeccbba83b14766e94f2abb63a9d027502c1114026dd8916c0"
    assert TikTokAuth.build_pkce_challenge("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG") == expected


def test_a_stand_in_takes_the_place_of_the_consent_page() -> None:
    url = redirect("http://127.0.0.1:9/tiktok/").authorize_url(ASK)
    assert url.startswith("http://127.0.0.1:9/tiktok/www.tiktok.com/v2/auth/authorize/?")


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ({"error": "access_denied", "error_description": "no"}, "oauth_denied"),
        ({"error": "server_error", "code": "c"}, "token_exchange_failed"),
        ({}, "token_exchange_failed"),
        ({"code": ""}, "token_exchange_failed"),
    ],
)
def test_who_comes_back_without_a_code_is_told_why(query: dict[str, str], slug: str) -> None:
    with pytest.raises(AuthorizationRefusedError) as refused:
        asyncio.run(redirect().exchange_code(query, ASK))
    assert refused.value.error_code == slug


def test_other_kinds_are_not_looked_for() -> None:
    assert asyncio.run(redirect().discover_accounts(GRANT, [Kind.YOUTUBE])) == []


def test_without_a_refresh_token_nothing_can_be_renewed() -> None:
    part = build_connector(PlatformApp(id="ck_test", secret="hush"), wire()).token_refresher
    assert part is not None
    with pytest.raises(NeedsReconnectionError):
        asyncio.run(part.refresh(GRANT))


def test_a_grant_that_others_use_is_not_revoked() -> None:
    part = build_connector(PlatformApp(), wire()).grant_revoker
    assert part is not None
    credentials = AccountCredentials(kind=Kind.TIKTOK, platform_account_id="open-1", grant=GRANT, secret={}, details={})
    asyncio.run(part.revoke(credentials, is_last_account=False))


def test_granted_scopes_are_separated_by_commas() -> None:
    assert TokenResponse(scope="user.info.basic, video.list,").parse_scopes() == ("user.info.basic", "video.list")
    assert TokenResponse().parse_scopes() == ()


def test_only_fields_of_granted_scopes_are_asked_for() -> None:
    assert list_user_fields(("user.info.basic",)) == "open_id,union_id,avatar_url,display_name"
    assert "follower_count" in list_user_fields(("user.info.basic", "user.info.stats"))
    assert list_user_fields(("video.list",)) == ""


def test_the_page_of_an_account_is_found_from_what_is_known() -> None:
    assert TikTokUser(username="ada").get_profile_url() == "https://www.tiktok.com/@ada"
    assert TikTokUser(profile_deep_link="https://vm.tiktok.com/x").get_profile_url() == "https://vm.tiktok.com/x"
    assert TikTokUser().get_profile_url() is None


def test_tokens_do_not_show_themselves() -> None:
    assert "hush" not in repr(TokenResponse(access_token="hush"))


@pytest.mark.parametrize(
    ("options", "valid"),
    [
        ({"privacyLevel": "SELF_ONLY"}, True),
        ({"mode": "draft"}, True),
        ({}, False),
        ({"mode": "direct"}, False),
        ({"privacyLevel": "SELF_ONLY", "brandedContent": True}, False),
        ({"privacyLevel": "SELF_ONLY", "brandedContent": False}, True),
        ({"privacyLevel": "EVERYBODY"}, False),
        ({"privacyLevel": "SELF_ONLY", "typo": 1}, False),
        ({"mode": "draft", "photoCoverIndex": 35}, False),
    ],
)
def test_options_are_described_as_a_schema(options: dict[str, object], *, valid: bool) -> None:
    schema = dict(MANIFEST.get_kind_manifest(Kind.TIKTOK).options)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(options) is valid
