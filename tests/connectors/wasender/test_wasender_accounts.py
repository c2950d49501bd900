"""What is made of a session, its states and the form of a customer."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from socialgate.connectors import lenient_decoding
from socialgate.connectors.dialects.wasender import WaSenderDialect
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.connectors.wasender import build_connector
from socialgate.connectors.wasender.accounts import LOST_SESSION_REASONS, find_issues
from socialgate.connectors.wasender.api import WEBHOOK_EVENTS, NewSession, QrLinkState, WasenderSession, WasenderToken
from socialgate.connectors.wasender.auth import TokenResolver
from socialgate.connectors.wasender.manifest import MANIFEST
from socialgate.contracts.account_connection import AccountCredentials, CredentialRejectedError, Grant, WebhookEndpoint
from socialgate.contracts.failures import PermissionMissingError, PlatformUnavailableError
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work

T = TypeVar("T")

KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2
PAT = "42|MadeUpPersonalAccessTokenForTests"
CALLBACK = WebhookEndpoint(
    url="https://gate.example.com/webhooks/wasender?r=made-up", secret="s" * 32, verify_token="v" * 32
)
FORM = {"name": "Shop", "phoneNumber": "+51 987-654-321", "accessToken": PAT}


def test_a_session_is_read_as_it_comes_and_never_shows_its_secrets() -> None:
    real = (
        f'{{"id":4711,"name":"Shop","phone_number":"+51987654321","status":"NEED_SCAN","account_protection":true,'
        f'"webhook_events":["session.status"],"api_key":"{KEY}","webhook_secret":"{KEY[:32]}","user_id":9}}'
    )
    session = msgspec.json.decode(real, type=WasenderSession)
    assert (session.id, session.state, session.api_key) == ("4711", "need_scan", KEY)
    bare = msgspec.json.decode(b'{"id":"a7","status":null}', type=WasenderSession)
    assert (bare.id, bare.state, bare.api_key) == ("a7", "", None)
    for shown in (repr(session), str(session), repr(WasenderToken(PAT, "+51987654321")), f"{[session]}"):
        assert KEY[:32] not in shown
        assert PAT not in shown


def test_a_new_session_is_kept_whatever_else_is_wrong_with_it() -> None:
    odd = f'{{"success":"?","status":201,"data":{{"id":4711,"name":7,"last_active_at":[],"api_key":"{KEY}"}}}}'
    answer = HttpResponse(201, {}, odd.encode(), truncated=False)
    assert WaSenderDialect().parse_error(answer) is None
    session = lenient_decoding.decode_leniently(WaSenderDialect().extract_result(answer), WasenderSession)
    assert (session.id, session.name, session.last_active_at, session.api_key) == ("4711", None, None, KEY)
    for without_id in (b'{"name":7}', b'{"id":null,"name":7}', b'{"id":{},"name":"Shop"}'):
        with pytest.raises(msgspec.ValidationError):
            lenient_decoding.decode_leniently(without_id, WasenderSession)


@pytest.mark.parametrize(
    ("code", "qr"),
    [
        ('"2@MadeUp,abc,def"', "2@MadeUp,abc,def"),
        ('""', None),
        ("null", None),
        ('"data:image/png;base64,iVBORw0KGgo="', None),
        (f'"{"x" * 5000}"', None),
    ],
)
def test_only_a_text_that_can_be_drawn_is_a_code(code: str, qr: str | None) -> None:
    assert msgspec.json.decode(f'{{"status":"NEED_SCAN","qrCode":{code}}}', type=QrLinkState).qr_text == qr


def test_a_new_session_asks_for_what_the_service_reads() -> None:
    request = msgspec.to_builtins(NewSession(name="Shop", phone_number="+51987654321", webhook_url=CALLBACK.url))
    assert request["webhook_enabled"] is True
    assert request["account_protection"] is True
    assert request["log_messages"] is True
    assert "session.status" in WEBHOOK_EVENTS
    assert "messages.upsert" not in WEBHOOK_EVENTS


def test_states_that_end_a_session_are_no_issues() -> None:
    assert find_issues("connected") == ()
    assert [issue.code for issue in find_issues("connecting")] == ["session_connecting"]
    assert [issue.code for issue in find_issues("error")] == ["session_error"]
    assert set(LOST_SESSION_REASONS) == {"logged_out", "expired", "need_scan", "disconnected"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": " "}, "name"),
        ({"phoneNumber": ""}, "phoneNumber"),
        ({"phoneNumber": "987654321"}, "phoneNumber"),
        ({"phoneNumber": "+0123456789"}, "phoneNumber"),
        ({"phoneNumber": "+5198765432100000"}, "phoneNumber"),
        ({"phoneNumber": "+51 98765 four"}, "phoneNumber"),
        ({"phoneNumber": "+\u0665\u0661987654321"}, "phoneNumber"),
        ({"accessToken": "short"}, "accessToken"),
        ({"accessToken": "two words in it"}, "accessToken"),
        ({"accessToken": "line\r\nX-Injected: yes"}, "accessToken"),
        ({"accessToken": ""}, "accessToken"),
    ],
)
def test_a_form_with_a_fault_is_refused_before_anybody_is_asked(
    tmp_path: Path, change: dict[str, str], field: str
) -> None:
    with pytest.raises(CredentialRejectedError) as caught:
        asyncio.run(_with_wire(tmp_path, lambda wire: _begin(wire, PlatformApp(), FORM | change)))
    assert caught.value.field == field


@pytest.mark.parametrize("form", [FORM, {"name": "Shop", "phoneNumber": "+51987654321"}])
def test_a_service_that_cannot_be_reached_says_nothing_about_the_token(tmp_path: Path, form: dict[str, str]) -> None:
    with pytest.raises(PlatformUnavailableError) as caught:
        asyncio.run(_with_wire(tmp_path, lambda wire: _begin(wire, PlatformApp(secret=PAT), form)))
    assert PAT not in f"{caught.value} {vars(caught.value)} {caught.value.__cause__!r}"
    assert caught.value.__suppress_context__


def test_the_deployments_token_is_the_one_of_today() -> None:
    assert TokenResolver(PlatformApp(secret="today" * 4)).resolve_for_account(_held({})).value == "today" * 4
    assert TokenResolver(PlatformApp(secret="today" * 4)).resolve_for_account(_held({"pat": PAT})).value == PAT
    with pytest.raises(PermissionMissingError):
        TokenResolver(PlatformApp()).resolve_for_account(_held({}))


def test_the_manifest_declares_what_there_is(tmp_path: Path) -> None:
    number = MANIFEST.get_kind_manifest(Kind.WHATSAPP_QR)
    assert number.get_allowed_uses(()) == {"message": True}
    assert number.get_missing_scopes(()) == []
    created_connector = asyncio.run(_with_wire(tmp_path, lambda wire: _given(build_connector(PlatformApp(), wire))))
    assert created_connector.qr_pairing is not None


def _held(extra: dict[str, str]) -> AccountCredentials:
    time = datetime(2026, 11, 15, tzinfo=UTC)
    grant = Grant(platform_user_id="4711", name="Shop", access_token=KEY, scopes=(), refreshed_at=time, extra=extra)
    return AccountCredentials(
        kind=Kind.WHATSAPP_QR, platform_account_id="+51987654321", grant=grant, secret={}, details={}
    )


async def _given(value: T) -> T:
    return value


async def _begin(wire: VendorTransport, app: PlatformApp, form: dict[str, str]) -> object:
    pairing = build_connector(app, wire).qr_pairing
    assert pairing is not None
    return await pairing.begin_pairing(form, CALLBACK)


async def _with_wire(folder: Path, use: Callable[[VendorTransport], Awaitable[T]]) -> T:
    """Give a wire whose platform nobody answers for."""
    db = Database(sqlite_url(folder / "pauses.db"), SystemClock())
    resolver = SystemResolver(1)
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
    try:
        await run_schema_work(db, pauses.create)
        return await use(
            VendorTransport(door, db.clock, PlatformPauses(db), Platform.WASENDER, "http://127.0.0.1:1", one_host=True)
        )
    finally:
        door.close()
        resolver.close()
        await db.close()
