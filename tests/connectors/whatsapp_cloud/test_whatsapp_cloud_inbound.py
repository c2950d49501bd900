"""What WhatsApp sends: only with the account's secrets, and whatever the bytes are."""

import asyncio
import hashlib
import hmac
import json
import sys
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.whatsapp_cloud.webhooks import WhatsAppWebhookReceiver
from socialgate.contracts.messages import MessageReported
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    MAX_FACTS_PER_WEBHOOK,
    AccessLost,
    AccessRestored,
    HealthChanged,
    PlatformFact,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)
from socialgate.core.clock import SystemClock

FIXTURES = Path(__file__).parent / "fixtures"
APP_SECRET = "00112233445566778899aabbccddeeff"
SECRETS = (APP_SECRET, "made-up-callback-secret", "made-up-verify-token")
INBOUND = WhatsAppWebhookReceiver(SystemClock())
WABA = "102290129340398"
NUMBER = "106540352242922"


def request(body: bytes = b"", *, method: str = "POST", **more: dict[str, str]) -> WebhookRequest:
    return WebhookRequest(method=method, query=more.get("query", {}), headers=more.get("headers", {}), body=body)


def receive(sent: WebhookRequest, *secrets: str) -> WebhookResponse:
    return asyncio.run(INBOUND.receive(sent, secrets))


def signature(body: bytes, secret: str = APP_SECRET) -> dict[str, str]:
    return {"x-hub-signature-256": "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}


def facts(name: str) -> list[PlatformFact]:
    return list(INBOUND.parse(request((FIXTURES / f"{name}.json").read_bytes())))


def test_the_challenge_goes_to_whoever_knows_the_verify_token_of_the_account() -> None:
    query = {"hub.mode": "subscribe", "hub.challenge": "1158201444", "hub.verify_token": "made-up-verify-token"}
    assert receive(request(method="GET", query=query), *SECRETS) == WebhookResponse(
        body=b"1158201444", should_store=False
    )
    for wrong in ("", "made-up-verify-tokeN", "\udc80"):
        reply = receive(request(method="GET", query={**query, "hub.verify_token": wrong}), *SECRETS, "")
        assert (reply.status, reply.should_store) == (403, False)
    assert receive(request(method="GET", query=query)).status == 403


def test_only_signed_webhooks_are_kept() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    assert receive(request(body, headers=signature(body)), *SECRETS) == WebhookResponse()
    vector = {"x-hub-signature-256": "sha256=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"}
    assert receive(request(b"what do ya want for nothing?", headers=vector), "Jefe").should_store
    wrong: list[dict[str, str]] = [{}, signature(body + b" "), signature(body, "other"), signature(body, "")]
    for headers in wrong:
        reply = receive(request(body, headers=headers), *SECRETS, "")
        assert (reply.status, reply.should_store) == (401, False)
    assert receive(request(body, headers=signature(body))).status == 401


@pytest.mark.parametrize("name", ["partner_removed", "app_uninstalled", "deleted", "offboarded", "disabled"])
def test_what_takes_a_waba_away_loses_all_its_numbers(name: str) -> None:
    (fact,) = facts(name)
    assert isinstance(fact, AccessLost)
    assert (fact.subject, fact.accounts) == (WABA, ())
    assert fact.reason.endswith(".")


@pytest.mark.parametrize("name", ["reinstated", "reconnected"])
def test_what_gives_it_back_is_told(name: str) -> None:
    (fact,) = facts(name)
    assert isinstance(fact, AccessRestored)
    assert (fact.kind, fact.platform_account_id, fact.subject) == (Kind.WHATSAPP_CLOUD, "", WABA)


@pytest.mark.parametrize("name", ["disable_scheduled", "violation", "restriction", "quality"])
def test_a_warning_takes_nothing_away_and_has_the_numbers_checked(name: str) -> None:
    (fact,) = facts(name)
    assert isinstance(fact, HealthChanged)
    assert fact.subject == WABA
    assert facts(name) == [fact]


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("message", [("MessageReported", "messages", "wamid.HBgLMTY1MDU1NTEyMzQVAgASGBQz")]),
        ("echo", [("MessageReported", "message_echoes", "wamid.ECHO")]),
        (
            "batch",
            [
                ("MessageProgressed", "statuses", "wamid.OUT1 sent 16505551234"),
                ("MessageProgressed", "statuses", "wamid.OUT1 delivered 16505551234"),
                ("MessageReported", "messages", "wamid.IN2"),
            ],
        ),
    ],
)
def test_each_message_and_status_is_a_fact_of_its_own(name: str, events: list[tuple[str, str, str]]) -> None:
    """Their keys are kept for longer than the messages may be, and say nothing about the person."""
    existing_facts = facts(name)
    assert [(type(fact).__name__, fact.dedup_key) for fact in existing_facts] == [
        (kind, f"{label}:{NUMBER}:{hashlib.sha256(about.encode()).hexdigest()}") for kind, label, about in events
    ]


def test_other_fields_are_kept_by_their_name_and_the_same_again_has_the_same_key() -> None:
    (fact,) = facts("template_status")
    assert isinstance(fact, UnhandledFact)
    assert fact.name == "message_template_status_update"
    assert facts("template_status") == [fact]


def test_a_message_id_longer_than_a_key_still_has_one() -> None:
    body = json.loads((FIXTURES / "message.json").read_bytes())
    body["entry"][0]["changes"][0]["value"]["messages"][0]["id"] = "wamid." + "A" * 400
    (fact,) = INBOUND.parse(request(json.dumps(body).encode()))
    assert len(fact.dedup_key) < 100


def crowd(count: int) -> bytes:
    """Messages of many people, each of whom is named in a list."""
    ids = [str(16_500_000_000 + number) for number in range(count)]
    sent_messages = [{"id": f"wamid.{wa_id}", "from": wa_id, "type": "text", "text": {"body": "Hi"}} for wa_id in ids]
    people = [{"wa_id": wa_id, "profile": {"name": f"Ada {wa_id}"}} for wa_id in reversed(ids)]
    value = {"metadata": {"phone_number_id": NUMBER}, "contacts": people, "messages": sent_messages}
    entry = {"id": WABA, "changes": [{"field": "messages", "value": value}]}
    return json.dumps({"object": "whatsapp_business_account", "entry": [entry]}).encode()


def count_calls(body: bytes) -> int:
    """Count the functions that are called to parse a request: unlike the time, it is always the same."""
    calls = [0]

    def count(_: FrameType, event: str, __: object) -> None:
        calls[0] += event == "call"

    sys.setprofile(count)
    try:
        INBOUND.parse(request(body))
    finally:
        sys.setprofile(None)
    return calls[0]


def test_people_are_found_without_going_through_the_list_for_each_message() -> None:
    """4,000 messages of 4,000 people, half a megabyte, took 23 seconds."""
    sent_messages = [fact for fact in INBOUND.parse(request(crowd(50))) if isinstance(fact, MessageReported)]
    assert [fact.message.contact.name for fact in sent_messages] == [
        f"Ada {fact.message.contact.id}" for fact in sent_messages
    ]
    assert len(sent_messages) == 50
    assert count_calls(crowd(200)) < 5 * count_calls(crowd(50))


def test_what_is_beyond_the_facts_that_are_processed_is_not_parsed() -> None:
    assert len(INBOUND.parse(request(crowd(MAX_FACTS_PER_WEBHOOK + 500)))) == MAX_FACTS_PER_WEBHOOK + 1


STRANGE = [
    b"",
    b"{}",
    b"null",
    b"\xff",
    b"[" * 100_000,
    b'{"entry":[1,null,{"id":"1"}]}',
    b'{"entry":[{"id":"1","changes":[{"field":"messages","value":' + b"[" * 100_000,
    b'{"entry":[{"id":"1","changes":[{"field":"messages","value":' + b"[" * 900 + b"]" * 900 + b"}]}]}",
    b'{"entry":[{"id":"1","changes":[{"field":"messages","value":{"messages":[1,null,{"id":"\\u0000"},{"id":5}]}}]}]}',
    b'{"entry":[{"id":"1","changes":[{"field":"messages","value":{"contacts":[{"wa_id":[]}],"messages":[{"id":"1"}]}}]}]}',
    b'{"entry":[{"id":"\\u0000","changes":[{"field":"account_update","value":{"event":"ACCOUNT_DELETED"}}]}]}',
    b'{"entry":[{"id":"1","changes":[{"field":"account_update","value":{"event":"DISABLED_UPDATE","ban_info":7}}]}]}',
]
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
members = st.sampled_from(
    [
        *("id", "status", "event", "ban_info", "waba_info", "waba_id", "messages", "statuses", "message_echoes"),
        *("metadata", "phone_number_id", "type", "from", "from_user_id", "to", "timestamp", "context", "contacts"),
        *("text", "image", "reaction", "edit", "system", "interactive", "errors", "message_id", "wa_id"),
    ]
)
kinds = st.sampled_from(["text", "image", "location", "contacts", "button", "interactive", "edit", "system", "order"])
written = st.fixed_dictionaries(
    {"id": st.just("wamid.x"), "from": st.just("16505551234") | values, "type": kinds},
    optional={
        name: values | st.dictionaries(members, values, max_size=3) for name in ("text", "image", "edit", "errors")
    },
)
metadata = st.just({"phone_number_id": NUMBER}) | values
chats = st.fixed_dictionaries({"metadata": metadata, "messages": st.lists(written | values, max_size=3)})
inner_values = chats | st.dictionaries(
    members, values | st.lists(st.dictionaries(members, values, max_size=3), max_size=3)
)
fields = st.sampled_from(["messages", "account_update", "smb_message_echoes", "security", ""])
changes = st.fixed_dictionaries({"field": fields, "value": inner_values | values}) | values
entries = st.fixed_dictionaries({"id": values, "changes": st.lists(changes, max_size=3)}, optional={"time": values})
bodies = st.binary(max_size=200) | st.builds(
    lambda listed: json.dumps({"object": "whatsapp_business_account", "entry": listed}).encode(),
    st.lists(entries | values, max_size=3) | values,
)


def assert_sane(facts: list[PlatformFact]) -> None:
    assert facts
    for fact in facts:
        assert 0 < len(fact.dedup_key) <= 200
        assert fact.dedup_key.isprintable()
        if not isinstance(fact, UnhandledFact):
            concern = fact.affected_accounts
            assert concern is not None
            assert (concern.subject or concern.accounts[0][1]).isdigit()


@pytest.mark.parametrize("body", STRANGE, ids=range(len(STRANGE)))
def test_nothing_is_too_strange_to_be_read(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))


@given(bodies)
def test_reading_never_fails(body: bytes) -> None:
    assert_sane(list(INBOUND.parse(request(body))))
    assert receive(request(body, headers={"x-hub-signature-256": "sha256=00"}), *SECRETS).status == 401
