"""Connecting Google: where people are sent, what is made of how they come back, and what posts can say."""

import asyncio
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import msgspec
import pytest

from socialgate.connectors.google import build_connector
from socialgate.connectors.google.auth import (
    GoogleAuth,
    _build_channel_account,
    _build_location_account,
    build_refresh_token_aliases,
)
from socialgate.connectors.google.manifest import IDENTITY_SCOPES, MANIFEST
from socialgate.connectors.google.responses import Location, LocationAddress, YouTubePage, YouTubeResource
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

VERIFIER = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG"
ASK = AuthorizationRequest(
    state="st-1", pkce_verifier=VERIFIER, redirect_uri="https://gate.example/connect/google/callback"
)
GRANT = Grant(
    platform_user_id="1", name="ada@example.com", access_token="ya29.x", scopes=(), refreshed_at=datetime.now(UTC)
)


def wire() -> VendorTransport:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    pauses = PlatformPauses(Database("sqlite:///never-opened.db", clock))
    return VendorTransport(door, clock, pauses, Platform.GOOGLE, None)


def redirect() -> RedirectLogin:
    part = build_connector(PlatformApp(id="made-up", secret="hush"), wire()).redirect_login
    assert part is not None
    return part


def asked(*kinds: Kind) -> dict[str, list[str]]:
    return parse_qs(urlsplit(redirect().authorize_url(msgspec.structs.replace(ASK, kinds=kinds))).query)


def test_people_are_sent_to_the_consent_page() -> None:
    url = urlsplit(redirect().authorize_url(ASK))
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://accounts.google.com/o/oauth2/v2/auth"
    query = parse_qs(url.query)
    assert set(query.pop("scope")[0].split()) == {*IDENTITY_SCOPES, *MANIFEST.list_scopes()}
    assert query == {
        "client_id": ["made-up"],
        "redirect_uri": [ASK.redirect_uri],
        "response_type": ["code"],
        "state": ["st-1"],
        "access_type": ["offline"],
        "prompt": ["consent"],
        "include_granted_scopes": ["true"],
        "code_challenge": ["fR4ifSAEy-7Mu6g7FHZulPKrtjqdAnUCwRFAJt2JFsA"],
        "code_challenge_method": ["S256"],
    }


def test_the_kinds_narrow_what_is_asked_for() -> None:
    scopes = asked(Kind.GOOGLE_CALENDAR)["scope"][0].split()
    auth = "https://www.googleapis.com/auth/"
    assert scopes == [*IDENTITY_SCOPES, f"{auth}calendar.calendarlist.readonly", f"{auth}calendar.events"]
    assert f"{auth}business.manage" in asked(Kind.GOOGLE_BUSINESS, Kind.YOUTUBE)["scope"][0]


def test_the_vector_of_pkce() -> None:
    assert GoogleAuth.build_pkce_challenge(VERIFIER) == "fR4ifSAEy-7Mu6g7FHZulPKrtjqdAnUCwRFAJt2JFsA"


def test_a_refresh_token_has_two_names() -> None:
    names = build_refresh_token_aliases("1//0made-up-refresh-token")
    assert names[0] == "1//0made-up-refr"
    assert len(names[1]) == 88


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ({"error": "access_denied"}, "oauth_denied"),
        ({"error": "admin_policy_enforced"}, "oauth_denied"),
        ({"error": "invalid_scope", "code": "4/c"}, "token_exchange_failed"),
        ({}, "token_exchange_failed"),
    ],
)
def test_who_comes_back_without_a_code_is_told_why(query: dict[str, str], slug: str) -> None:
    with pytest.raises(AuthorizationRefusedError) as refused:
        asyncio.run(redirect().exchange_code(query, ASK))
    assert refused.value.error_code == slug


def test_without_a_refresh_token_nothing_can_be_renewed() -> None:
    part = build_connector(PlatformApp(id="made-up", secret="hush"), wire()).token_refresher
    assert part is not None
    with pytest.raises(NeedsReconnectionError):
        asyncio.run(part.refresh(GRANT))


def test_a_grant_that_others_use_is_not_revoked() -> None:
    part = build_connector(PlatformApp(), wire()).grant_revoker
    assert part is not None
    credentials = AccountCredentials(kind=Kind.YOUTUBE, platform_account_id="UC1", grant=GRANT, secret={}, details={})
    asyncio.run(part.revoke(credentials, is_last_account=False))


def test_a_channel_is_read_with_its_numbers_as_text() -> None:
    body = b"""{"kind":"youtube#channelListResponse","pageInfo":{"totalResults":1,"resultsPerPage":5},"items":[{
        "id":"UCmadeup","snippet":{"title":"Bakery","customUrl":"@bakery","thumbnails":{"default":{"url":"https://a/1",
        "width":88},"high":{"url":"https://a/3"}}},"contentDetails":{"relatedPlaylists":{"likes":"","uploads":"UUmadeup"}},
        "statistics":{"viewCount":"1234567890123","subscriberCount":"1230","hiddenSubscriberCount":false}}]}"""
    (channel,) = msgspec.json.decode(body, type=YouTubePage[YouTubeResource], strict=False).items
    assert (channel.statistics.view_count, channel.statistics.subscriber_count) == (1_234_567_890_123, 1230)
    discovered_account = _build_channel_account(channel)
    assert (discovered_account.kind, discovered_account.platform_account_id, discovered_account.name) == (
        Kind.YOUTUBE,
        "UCmadeup",
        "Bakery",
    )
    assert (discovered_account.username, discovered_account.avatar_url) == ("@bakery", "https://a/3")
    assert discovered_account.details == {"uploadsPlaylistId": "UUmadeup"}


def test_a_user_without_a_channel_has_an_empty_answer() -> None:
    assert msgspec.json.decode(b'{"kind":"youtube#channelListResponse"}', type=YouTubePage[YouTubeResource]).items == ()


def test_a_location_keeps_both_of_its_names() -> None:
    discovered_account = _build_location_account(Location(name="locations/9", title="Bakery Lima"), "accounts/1")
    assert (discovered_account.platform_account_id, discovered_account.name) == ("9", "Bakery Lima")
    assert discovered_account.details == {"location": "locations/9", "name": "accounts/1/locations/9"}


def test_an_address_is_one_line() -> None:
    assert (
        LocationAddress(address_lines=["Main St 1"], locality="Lima", region_code="PE").format_address()
        == "Main St 1, Lima, PE"
    )
    assert LocationAddress().format_address() is None


def test_tokens_do_not_show_themselves() -> None:
    assert "hush" not in repr(TokenResponse(access_token="hush"))


_DAYS = {"startDate": {"year": 2026, "month": 12, "day": 1}, "endDate": {"year": 2026, "month": 12, "day": 2}}


@pytest.mark.parametrize(
    ("kind", "options", "valid"),
    [
        (Kind.YOUTUBE, {"title": "Bread"}, True),
        (Kind.YOUTUBE, {}, False),
        (Kind.YOUTUBE, {"title": "<b>"}, False),
        (Kind.YOUTUBE, {"title": "x" * 101}, False),
        (Kind.YOUTUBE, {"title": "x", "publishAt": "2026-12-01T00:00:00Z", "privacyStatus": "private"}, True),
        (Kind.YOUTUBE, {"title": "x", "publishAt": "2026-12-01T00:00:00Z", "privacyStatus": "public"}, False),
        (Kind.YOUTUBE, {"title": "x", "publishAt": "2026-12-01T00:00:00Z"}, False),
        (Kind.GOOGLE_BUSINESS, {}, True),
        (Kind.GOOGLE_BUSINESS, {"form": "event"}, False),
        (Kind.GOOGLE_BUSINESS, {"form": "event", "event": {"title": "x", "schedule": _DAYS}}, True),
        (Kind.GOOGLE_BUSINESS, {"callToAction": {"actionType": "CALL"}}, True),
        (Kind.GOOGLE_BUSINESS, {"callToAction": {"actionType": "BOOK"}}, False),
        (Kind.GOOGLE_BUSINESS, {"callToAction": {"actionType": "BOOK", "url": "https://a.example"}}, True),
        (Kind.GOOGLE_BUSINESS, {"topic": "STANDARD"}, False),
    ],
)
def test_options_are_described_as_a_schema(kind: Kind, options: dict[str, Any], *, valid: bool) -> None:
    schema = dict(MANIFEST.get_kind_manifest(kind).options)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(options) is valid
