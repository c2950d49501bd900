"""Connecting a WhatsApp number: what is taken of the form, and what a number's own words say of its health."""

import asyncio

import pytest

from socialgate.connectors.client import VendorCall
from socialgate.connectors.graph.dialect import GraphDialect
from socialgate.connectors.transport import PlatformApp, VendorTransport, decode_response
from socialgate.connectors.whatsapp_cloud import build_connector
from socialgate.connectors.whatsapp_cloud.accounts import find_issues
from socialgate.connectors.whatsapp_cloud.api import AppCredentials, PhoneNumber
from socialgate.contracts.account_connection import CredentialRejectedError
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.platforms import Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database
from socialgate.core.egress import EgressClient, HttpResponse, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses

FORM = {
    "phoneNumberId": "106540352242922",
    "wabaId": "102290129340398",
    "accessToken": "EAAJmadeUp",
    "appSecret": "00112233445566778899aabbccddeeff",
}


def whatsapp() -> Connector:
    """Everything is real, and nothing of it is reached here."""
    clock = SystemClock()
    door = EgressClient(policy=allow_any_address, resolver=SystemResolver(1), user_agent="test")
    pauses = PlatformPauses(Database("sqlite:///never-opened.db", clock))
    return build_connector(
        PlatformApp(), VendorTransport(door, clock, pauses, Platform.WHATSAPP_CLOUD, "http://127.0.0.1:9")
    )


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("phoneNumberId", ""),
        ("phoneNumberId", "+15550783881"),
        ("phoneNumberId", "../me?fields=id"),
        ("wabaId", "1/2"),
        ("accessToken", "two words"),
        ("accessToken", "a\r\nX-Injected: 1"),
        ("appSecret", ""),
        ("pin", "12345"),
        ("pin", "\uff11" * 6),
    ],
)
def test_what_cannot_be_right_is_refused_before_anybody_is_asked(field: str, value: str) -> None:
    credential = whatsapp().credential_login
    assert credential is not None
    with pytest.raises(CredentialRejectedError) as refused:
        asyncio.run(credential.verify({**FORM, field: value}))
    assert refused.value.field == field


def number(body: bytes) -> PhoneNumber:
    phone_number = decode_response(HttpResponse(200, {}, body, truncated=False), PhoneNumber)
    assert phone_number is not None
    return phone_number


GOOD = b"""{"id":"106540352242922","display_phone_number":"+1 555-555-5555","verified_name":"Ada's Bread",
"quality_rating":"GREEN","code_verification_status":"VERIFIED","account_mode":"LIVE","platform_type":"CLOUD_API","status":"CONNECTED",
"throughput":{"level":"STANDARD"},"messaging_limit_tier":"TIER_250",
"health_status":{"can_send_message":"AVAILABLE","entities":[{"entity_type":"WABA","can_send_message":"AVAILABLE"}]},
"webhook_configuration":{"whatsapp_business_account":"https://gate.example.com/webhooks/whatsapp-cloud?r=x",
"application":"https://elsewhere.example"}}"""


def test_a_number_in_good_health_has_no_issue() -> None:
    good = number(GOOD)
    assert (good.e164_number, good.is_registered, list(find_issues(good))) == ("+15555555555", True, [])
    assert list(find_issues(number(b'{"id":1}'))) == []


@pytest.mark.parametrize(
    ("was", "now", "code", "warning"),
    [
        (b'"VERIFIED"', b'"NOT_VERIFIED"', "not_verified", True),
        (b'"CLOUD_API"', b'"NOT_APPLICABLE"', "not_registered", False),
        (b'"STANDARD"', b'"NOT_APPLICABLE"', "not_registered", False),
        (b'"GREEN"', b'"RED"', "quality_low", True),
        (b'"LIVE"', b'"SANDBOX"', "not_live", True),
        (b"/webhooks/whatsapp-cloud", b"/other", "events_off", True),
        (b'"AVAILABLE"', b'"BLOCKED"', "sending_blocked", False),
        (b'"AVAILABLE"', b'"LIMITED"', "sending_limited", True),
        (b'"CONNECTED"', b'"BANNED"', "banned", False),
        (b'"CONNECTED"', b'"DISCONNECTED"', "not_registered", False),
        (b'"CONNECTED"', b'"RESTRICTED"', "sending_limited", True),
        (b'"CONNECTED"', b'"RATE_LIMITED"', "sending_limited", True),
        (b'"CONNECTED"', b'"FLAGGED"', "quality_low", True),
    ],
)
def test_what_is_wrong_with_a_number_is_said(was: bytes, now: bytes, code: str, *, warning: bool) -> None:
    (issue,) = find_issues(number(GOOD.replace(was, now)))
    assert (issue.code, issue.warning) == (code, warning)


def test_a_banned_number_does_not_work_and_says_so_once() -> None:
    banned = number(GOOD.replace(b'"CONNECTED"', b'"BANNED"').replace(b'"AVAILABLE"', b'"BLOCKED"'))
    (issue,) = find_issues(banned)
    assert (issue.code, banned.is_banned) == ("banned", True)
    # Other problems that it has are said as well.
    several = number(GOOD.replace(b'"CONNECTED"', b'"BANNED"').replace(b'"GREEN"', b'"RED"'))
    assert [issue.code for issue in find_issues(several)] == ["banned", "quality_low"]
    flagged = number(GOOD.replace(b'"CONNECTED"', b'"FLAGGED"').replace(b'"GREEN"', b'"RED"'))
    assert [issue.code for issue in find_issues(flagged)] == ["quality_low"]


def test_what_blocks_a_number_is_quoted_with_the_remedy() -> None:
    error = b'"errors":[{"error_code":141006,"error_description":"No payment method.","possible_solution":"Add one."}]'
    blocked = number(GOOD.replace(b'"AVAILABLE"', b'"BLOCKED",' + error).replace(b'"entities"', b'"x":1,"entities"', 1))
    (issue,) = find_issues(blocked)
    assert (issue.detail, issue.fix, blocked.is_banned) == ("No payment method.", "Add one.", True)


def test_an_expired_verification_asks_for_registration_and_is_no_fault() -> None:
    expired = number(GOOD.replace(b'"VERIFIED"', b'"EXPIRED"'))
    assert (expired.is_registered, list(find_issues(expired))) == (False, [])


def test_a_key_shows_nothing_and_proves_itself() -> None:
    key = AppCredentials("what do ya want for nothing?", "Jefe")
    call = VendorCall(method="GET", url="https://graph.facebook.com/1", token=key.token, repeatable=True)
    sent = GraphDialect(key.app_secret).authenticate(call)
    assert sent.headers["Authorization"] == f"Bearer {key.token}"
    assert sent.query["appsecret_proof"] == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    assert "Jefe" not in f"{key!r} {key} {sent}"
    assert "ya want" not in f"{key!r} {key} {sent}"
