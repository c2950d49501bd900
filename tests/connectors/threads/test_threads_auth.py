"""Logging in with Threads: where people are sent, how they come back, and when a login is renewed."""

import asyncio
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import jsonschema_rs
import pytest

from socialgate.connectors.graph.dialect import AccessToken
from socialgate.connectors.graph.posts import GraphProfile
from socialgate.connectors.threads import build_connector
from socialgate.connectors.threads.api import PROFILE_URL
from socialgate.connectors.threads.auth import ThreadsLogin
from socialgate.connectors.threads.manifest import MANIFEST
from socialgate.connectors.transport import PlatformApp, VendorTransport, decode_response
from socialgate.contracts.account_connection import AuthorizationRefusedError, AuthorizationRequest, Grant
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses

ASK = AuthorizationRequest(
    state="st-1", pkce_verifier="v" * 43, redirect_uri="https://gate.example/connect/threads/callback"
)


def threads(base: str | None = None) -> Connector:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    wire = VendorTransport(
        door, clock, PlatformPauses(Database("sqlite:///never-opened.db", clock)), Platform.THREADS, base
    )
    return build_connector(PlatformApp(id="4712", secret="hush"), wire)


def test_people_are_sent_to_the_consent_page() -> None:
    redirect = threads().redirect_login
    assert redirect is not None
    url = urlsplit(redirect.authorize_url(ASK))
    query = parse_qs(url.query)
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://threads.com/oauth/authorize"
    assert set(query.pop("scope")[0].split(",")) == {
        "threads_basic",
        "threads_content_publish",
        "threads_delete",
        "threads_location_tagging",
        "threads_manage_insights",
        "threads_manage_replies",
        "threads_read_replies",
    }
    assert query == {
        "client_id": ["4712"],
        "redirect_uri": [ASK.redirect_uri],
        "response_type": ["code"],
        "state": ["st-1"],
    }


def test_the_tail_that_threads_hangs_on_a_code_is_cut_off() -> None:
    assert ThreadsLogin.parse_authorization_code({"code": "AQBx-hBsH3#_", "state": "s"}) == "AQBx-hBsH3"
    assert ThreadsLogin.parse_authorization_code({"code": "AQBx#_y"}) == "AQBx#_y"


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ({"error": "access_denied", "error_reason": "user_denied"}, "oauth_denied"),
        ({"error": "invalid_request"}, "access_denied"),
        ({"code": "#_"}, "token_exchange_failed"),
        ({}, "token_exchange_failed"),
    ],
)
def test_whoever_comes_back_without_a_code_is_told_why(query: dict[str, str], slug: str) -> None:
    with pytest.raises(AuthorizationRefusedError) as refused:
        ThreadsLogin.parse_authorization_code(query)
    assert refused.value.error_code == slug


def test_a_login_younger_than_a_day_is_left_as_it_is() -> None:
    refreshing = threads("http://127.0.0.1:9").token_refresher
    assert refreshing is not None
    young = datetime.now(UTC) - timedelta(hours=23, minutes=59)
    grant = Grant(
        platform_user_id="1", name="Ada", access_token="t", scopes=(), refreshed_at=young, refresh_token="kept"
    )
    assert asyncio.run(refreshing.refresh(grant)) is grant


def test_an_id_keeps_its_seventeen_digits() -> None:
    token = b'{"access_token":"THQVJmadeUp","user_id":17841405793187218}'
    read_token = decode_response(HttpResponse(200, {}, token, truncated=False), AccessToken)
    assert read_token is not None
    assert "THQVJ" not in repr(read_token)
    for body in (b'{"id":17841405793187218}', b'{"id":"17841405793187218","new":{"x":[]}}'):
        profile = decode_response(HttpResponse(200, {}, body, truncated=False), GraphProfile)
        assert profile is not None
        assert (str(profile.id), profile.display_name) == ("17841405793187218", "17841405793187218")
        assert profile.to_profile_fields(PROFILE_URL)["profile_url"] is None


def test_the_options_are_a_schema_that_holds_people_to_it() -> None:
    options = jsonschema_rs.validator_for(dict(MANIFEST.get_kind_manifest(Kind.THREADS).options))
    assert options.is_valid({"poll": ["yes", "no"], "replyControl": "followers_only", "topicTag": "bread"})
    assert not options.is_valid({"poll": ["yes"]})
    assert not options.is_valid({"reply_control": "everyone"})
