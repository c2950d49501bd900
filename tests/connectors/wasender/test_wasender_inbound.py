"""Events of WaSender: who may send them, what is read out of them, and that the key in them goes nowhere."""

import asyncio
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.connectors.wasender.webhooks import WasenderWebhookReceiver
from socialgate.contracts.messages import (
    Contact,
    MessageChanged,
    MessageItem,
    MessageProgressed,
    MessageReported,
    MessageStatus,
    MessageType,
)
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import (
    MAX_FACTS_PER_WEBHOOK,
    AccessLost,
    AccessRestored,
    AffectedAccounts,
    PlatformFact,
    UnhandledFact,
    WebhookRequest,
    WebhookResponse,
)
from socialgate.core.clock import SystemClock

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "fb61be92ddb7935e0cedcec58e470f6c"
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2
SESSION = WasenderWebhookReceiver(SystemClock())


def a_request(body: bytes, *, secret: str | None = SECRET, routing: str = "made-up") -> WebhookRequest:
    headers = {} if secret is None else {"x-webhook-signature": secret}
    return WebhookRequest(method="POST", query={"r": routing}, headers=headers, body=body)


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.json").read_bytes()


def facts(name: str, routing: str = "made-up") -> Sequence[PlatformFact]:
    return SESSION.parse(a_request(fixture(name), routing=routing))


def received(secret: str | None, *secrets: str, body: bytes = b"{}") -> WebhookResponse:
    return asyncio.run(SESSION.receive(a_request(body, secret=secret), secrets))


def test_the_secret_of_the_session_opens() -> None:
    assert received(SECRET, SECRET) == WebhookResponse(status=200, body=b"", should_store=True, redacted_body=b"{}")
    assert received(SECRET, "another", SECRET).should_store


@pytest.mark.parametrize("given_secret", [None, "", "wrong", SECRET[:-1], SECRET.upper(), "é", "\udcff"])
def test_anything_else_does_not(given_secret: str | None) -> None:
    assert received(given_secret, SECRET, "another") == WebhookResponse(status=401, should_store=False)
    assert received(given_secret, "", "another") == WebhookResponse(status=401, should_store=False)
    assert received(given_secret) == WebhookResponse(status=401, should_store=False)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.stem)
def test_the_key_of_a_session_is_neither_stored_nor_in_a_fact(path: Path) -> None:
    body = path.read_bytes()
    kept = received(SECRET, SECRET, body=body).redacted_body
    assert kept is not None
    assert KEY.encode() not in kept
    before, after = json.loads(body), json.loads(kept)
    assert after["event"] == before["event"]
    assert len(SESSION.parse(a_request(kept))) == len(SESSION.parse(a_request(body)))
    assert KEY not in repr(SESSION.parse(a_request(body)))


def test_redacting_leaves_the_number_of_a_session_alone() -> None:
    assert received(SECRET, SECRET, body=fixture("session_logged_out")).redacted_body == fixture("session_logged_out")
    odd = b'{"sessionId" :\n "ab\\"cd", "session_id":"12", "x": "session_id"}'
    assert received(SECRET, SECRET, body=odd).redacted_body == odd.replace(b'ab\\"cd', b"***")


def test_a_paired_phone_restores_access() -> None:
    (fact,) = facts("session_connected")
    assert isinstance(fact, AccessRestored)
    assert (fact.kind, fact.platform_account_id, fact.subject) == (Kind.WHATSAPP_QR, "", "4711")


def test_an_unlinked_phone_loses_access() -> None:
    (fact,) = facts("session_logged_out")
    assert isinstance(fact, AccessLost)
    assert (fact.subject, fact.accounts) == ("4711", ())
    assert fact.reason


def test_a_word_in_place_of_the_number_might_be_the_key() -> None:
    (fact,) = facts("session_word")
    assert isinstance(fact, AccessLost)
    assert fact.subject is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        ("connected", AccessRestored),
        ("CONNECTED", AccessRestored),
        ("logged_out", AccessLost),
        ("expired", AccessLost),
        ("NEED_SCAN", AccessLost),
        ("Disconnected", AccessLost),
        ("connecting", UnhandledFact),
        ("error", UnhandledFact),
        ("something new", UnhandledFact),
        ("", UnhandledFact),
        (None, UnhandledFact),
        (7, UnhandledFact),
    ],
)
def test_every_state_has_its_fact(status: object, kind: type[PlatformFact]) -> None:
    body = json.dumps({"event": "session.status", "data": {"status": status, "session_id": "4711"}}).encode()
    (fact,) = SESSION.parse(a_request(body))
    assert type(fact) is kind


@pytest.mark.parametrize(
    ("name", "event", "number"),
    [
        ("session_connecting", "session.status", 1),
        ("qrcode_updated", "qrcode.updated", 1),
    ],
)
def test_what_nobody_acts_on_is_kept_under_its_name(name: str, event: str, number: int) -> None:
    existing_facts = facts(name)
    assert [fact.name for fact in existing_facts if isinstance(fact, UnhandledFact)] == [event] * number


@pytest.mark.parametrize("name", ["message_upsert", "reactions", "deleted"])
def test_the_facts_of_a_batch_can_be_told_apart(name: str) -> None:
    existing_facts = facts(name)
    assert len({fact.dedup_key for fact in existing_facts}) == len(existing_facts) > 1


def test_a_message_that_is_told_twice_is_one_fact() -> None:
    assert facts("message_received")[0].dedup_key == facts("message_upsert")[0].dedup_key


def test_two_sessions_that_are_told_of_one_message_have_a_fact_each() -> None:
    assert facts("message_received", "one")[0].dedup_key != facts("message_received", "two")[0].dedup_key


@pytest.mark.parametrize(
    "data",
    [
        {"messages": {"key": {"id": "3EB0", "remoteJid": "51987654321@s.whatsapp.net"}}},
        {"messages": [{"key": {"id": "3EB0", "remoteJid": "51987654321@s.whatsapp.net"}}]},
        {"key": {"id": "3EB0", "remoteJid": "51987654321@s.whatsapp.net"}},
        [{"key": {"id": "3EB0", "remoteJid": "51987654321@s.whatsapp.net"}}],
    ],
)
@pytest.mark.parametrize("event", ["messages.received", "messages.recieved", "messages.upsert"])
def test_all_shapes_and_spellings_of_a_message_are_the_same(data: object, event: str) -> None:
    body = json.dumps({"event": event, "data": data}).encode()
    (fact,) = SESSION.parse(a_request(body))
    usual = json.dumps(
        {"event": "messages.received", "data": {"key": {"id": "3EB0", "remoteJid": "51987654321@s.whatsapp.net"}}}
    )
    assert fact.dedup_key == SESSION.parse(a_request(usual.encode()))[0].dedup_key
    assert isinstance(fact, MessageReported)
    assert (fact.message.id, fact.message.contact.id) == ("3EB0", "+51987654321")


@pytest.mark.parametrize("data", [None, [], {}, "text", 7, {"messages": None}, {"messages": []}, {"keys": "x"}])
def test_a_batch_of_another_shape_is_kept_as_one(data: object) -> None:
    for event in ("messages.received", "messages.update", "messages.delete"):
        (fact,) = SESSION.parse(a_request(json.dumps({"event": event, "data": data}).encode()))
        assert isinstance(fact, UnhandledFact)
        assert fact.name == event


def test_a_large_batch_is_read_in_time_that_grows_with_its_size() -> None:
    """Hashing the body for each of its parts would take minutes, and so would a million parts: those that are not
    processed are not parsed.
    """
    body = json.dumps({"event": "messages.update", "data": [{"key": {"id": str(n)}} for n in range(50_000)]}).encode()
    assert len(SESSION.parse(a_request(body))) == MAX_FACTS_PER_WEBHOOK + 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.sampled_from(["messages", "keys", "key", "id", "remoteJid", "status"]), inner)
    ),
    max_leaves=12,
)
EVENTS = st.sampled_from(["session.status", "messages.received", "messages.delete", "qrcode.updated"]) | st.text()


@settings(max_examples=500)
@given(st.binary(max_size=400), st.text(max_size=20))
def test_whatever_the_bytes_are_parsing_does_not_fail(body: bytes, routing: str) -> None:
    (fact,) = SESSION.parse(a_request(body, routing=routing))
    assert len(fact.dedup_key) == 64
    assert received(SECRET, SECRET, body=body).should_store


@settings(max_examples=500)
@given(EVENTS, JSON)
def test_whatever_the_json_is_parsing_does_not_fail(event: str, data: object) -> None:
    facts = SESSION.parse(a_request(json.dumps({"event": event, "data": data}).encode()))
    assert facts
    for fact in facts:
        assert len(fact.dedup_key) == 64
        assert not isinstance(fact, UnhandledFact) or (fact.name.isascii() and len(fact.name) <= 60)


def test_nesting_without_end_does_not_fail() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    for body in (
        deep,
        b'{"event": "messages.received", "data": ' + deep + b"}",
        b'{"event": "session.status", "data":',
    ):
        assert len(SESSION.parse(a_request(body))) == 1


JID = "51987654321@s.whatsapp.net"
AT = datetime.fromtimestamp(1747775431, UTC)


def told(event: str, data: object, **members: Any) -> Sequence[PlatformFact]:
    body = {"event": event, "timestamp": 1747775431000, "data": data, **members}
    return SESSION.parse(a_request(json.dumps(body).encode()))


def message(content: dict[str, Any], **members: Any) -> MessageItem:
    key = {"id": "3EB0", "fromMe": False, "remoteJid": JID}
    (fact,) = told("messages.received", {"messages": {"key": key, "message": content, **members}})
    assert isinstance(fact, MessageReported)
    assert fact.affected_accounts == AffectedAccounts(), "the address of the request says whose number it is"
    return fact.message


def test_a_message_is_read_as_it_comes_and_its_person_known_by_the_lid() -> None:
    (fact,) = facts("message_received")
    assert isinstance(fact, MessageReported)
    assert fact.message == MessageItem(
        id="3EB0A1B2C3D4E5F60718",
        contact=Contact(id="111122223333@lid", name="Ana", phone="+51987654321"),
        type=MessageType.TEXT,
        sent_at=AT,
        text="Hola",
    )


@pytest.mark.parametrize(
    ("key", "contact"),
    [
        ({"remoteJid": JID}, Contact(id="+51987654321", phone="+51987654321")),
        ({"remoteJid": "51987654321:12@s.whatsapp.net"}, Contact(id="+51987654321", phone="+51987654321")),
        ({"remoteJid": "+51987654321"}, Contact(id="+51987654321", phone="+51987654321")),
        ({"remoteJid": "111122223333@lid"}, Contact(id="111122223333@lid")),
        ({"remoteJid": JID, "senderLid": "111122223333@lid"}, Contact(id="111122223333@lid", phone="+51987654321")),
        ({"remoteJid": JID, "senderPn": "?", "senderLid": 7}, Contact(id="+51987654321", phone="+51987654321")),
        # Of what was sent from here, the sender is the account itself.
        (
            {"remoteJid": "111122223333@lid", "fromMe": True, "senderPn": "15550100051@s.whatsapp.net"},
            Contact(id="111122223333@lid"),
        ),
    ],
)
def test_a_person_is_known_by_all_names(key: dict[str, Any], contact: Contact) -> None:
    fact = told("messages.upsert", {"messages": {"key": {"id": "3EB0", **key}, "messageBody": "Hi"}})[-1]
    assert isinstance(fact, MessageReported)
    assert fact.message.contact == contact


@pytest.mark.parametrize("jid", ["120363000000000000@g.us", "120363@newsletter", "status@broadcast"])
@pytest.mark.parametrize("event", ["messages.received", "messages.update", "messages.delete", "messages.reaction"])
def test_what_is_said_in_groups_is_no_conversation(event: str, jid: str) -> None:
    key = {"id": "3EB0", "remoteJid": jid, "fromMe": True}
    item = {"key": key, **key, "update": {"status": 3}, "reaction": {"text": "x", "key": key}, "messageBody": "Hi"}
    (fact,) = told(event, [item])
    assert isinstance(fact, UnhandledFact)
    assert fact.name == event


MEDIA = {
    "url": "https://mmg.whatsapp.net/1.enc",
    "mimetype": "a/b",
    "mediaKey": "k",
    "fileSha256": "s",
    "fileLength": "33",
    "fileName": "n",
}


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document", "sticker"])
def test_a_file_is_kept_with_what_opens_it(kind: str) -> None:
    content: dict[str, Any] = {f"{kind}Message": {**MEDIA, "caption": "Look", "jpegThumbnail": "x" * 99}}
    for wrapped in (content, {"ephemeralMessage": {"message": content}}, {"messageContextInfo": {}, **content}):
        item = message(wrapped)
        assert (item.type, item.text) == (kind, "Look")
        (file,) = item.attachments
        assert file.source == {"id": "3EB0", "member": f"{kind}Message", "file": MEDIA}
        assert (file.type, file.mime_type, file.size, file.file_name) == (kind, "a/b", 33, "n")


def test_texts_places_and_contacts_are_read() -> None:
    quoted = message({"extendedTextMessage": {"text": "Yes", "contextInfo": {"stanzaId": "3EB09"}}})
    assert (quoted.type, quoted.text, quoted.reply_to) == ("text", "Yes", "3EB09")
    assert message({"conversation": "Hi"}).text == "Hi"
    place = message({"locationMessage": {"degreesLatitude": 1.5, "degreesLongitude": 2.5, "name": "Shop"}})
    assert (place.type, place.data) == ("location", {"latitude": 1.5, "longitude": 2.5, "name": "Shop"})
    card = message({"contactMessage": {"displayName": "Bo", "vcard": "FN:Bo\r\nTEL;type=CELL:+51987\r\nTEL:12\r\n"}})
    assert (card.type, card.data) == ("contacts", {"contacts": [{"name": "Bo", "phones": ["+51987", "12"]}]})
    assert message({"pollCreationMessage": {}}, messageBody="Which?").type == "unsupported"


@pytest.mark.parametrize(
    "odd",
    [
        {"messageTimestamp": "soon"},
        {"messageTimestamp": {"low": 1}},
        {"pushName": 7},
        {"message": "x"},
        {"message": {"imageMessage": 7}},
        {"message": {"extendedTextMessage": {"contextInfo": 7}}},
        {"message": {"extendedTextMessage": {"contextInfo": {"stanzaId": "x" * 400}}}},
        {"key": {"id": "3EB0", "remoteJid": JID, "fromMe": True, "msgId": 10**400}},
    ],
)
def test_what_cannot_be_read_of_a_message_does_not_lose_it(odd: dict[str, Any]) -> None:
    (fact,) = told(
        "messages.received", {"messages": {"key": {"id": "3EB0", "remoteJid": JID}, "messageBody": "Hi", **odd}}
    )
    assert isinstance(fact, MessageReported)
    assert (fact.message.text, fact.message.sent_at) == ("Hi", AT)


def test_what_was_sent_elsewhere_is_reported_as_sent() -> None:
    key = {"id": "3EB0", "fromMe": True, "remoteJid": JID}
    (fact,) = told("message.sent", {"key": key, "message": {"conversation": "Hi"}, "status": "sent"})
    assert isinstance(fact, MessageReported)
    assert (fact.message.outbound, fact.message.text, fact.message.contact.id) == (True, "Hi", "+51987654321")


def test_a_number_of_wasender_joins_what_was_sent_with_whatsapps_id() -> None:
    key = {"id": "3EB0", "fromMe": True, "remoteJid": JID, "msgId": 100007}
    sent, seen = told("message.sent", {"key": key, "message": {"conversation": "Hi"}})
    assert isinstance(sent, MessageProgressed)
    assert (sent.message_id, sent.vendor_ids, sent.status) == ("100007", ("3EB0",), MessageStatus.SENT)
    assert isinstance(seen, MessageReported)
    (read,) = told("messages.update", {"key": key, "update": {"status": 4}})
    assert isinstance(read, MessageProgressed)
    assert (read.message_id, read.vendor_ids, read.status) == ("100007", ("3EB0",), MessageStatus.READ)


@pytest.mark.parametrize(
    ("number", "status"),
    [
        (0, MessageStatus.FAILED),
        (2, MessageStatus.SENT),
        (3, MessageStatus.DELIVERED),
        (4, MessageStatus.READ),
        (5, MessageStatus.READ),
        ("3", MessageStatus.DELIVERED),
        ("DELIVERY_ACK", MessageStatus.DELIVERED),
    ],
)
def test_every_number_of_a_status_has_its_word(number: object, status: MessageStatus) -> None:
    key = {"id": "3EB0", "fromMe": True, "remoteJid": JID}
    updated = told("messages.update", {"update": {"status": number}, "key": key})
    receipt = told("message-receipt.update", [{"key": key, "receipt": {"status": number, "userJid": JID}}])
    for (fact,) in (updated, receipt):
        assert isinstance(fact, MessageProgressed)
        assert (fact.message_id, fact.status, fact.sent_at) == ("3EB0", status, AT)
        assert bool(fact.error) is (status is MessageStatus.FAILED)
    assert updated[0].dedup_key == receipt[0].dedup_key


@pytest.mark.parametrize("status", [1, 6, None, "x", {}])
def test_a_status_that_is_no_news_changes_nothing(status: object) -> None:
    data = {"update": {"status": status}, "key": {"id": "3EB0", "fromMe": True, "remoteJid": JID}}
    (fact,) = told("messages.update", data)
    assert isinstance(fact, UnhandledFact)


def test_what_we_read_says_nothing_of_what_we_sent() -> None:
    (fact,) = told("messages.update", {"update": {"status": 4}, "key": {"id": "3E", "fromMe": False, "remoteJid": JID}})
    assert isinstance(fact, UnhandledFact)


def reactions(facts: Sequence[PlatformFact]) -> set[tuple[str, str | None, str | None]]:
    assert all(isinstance(fact, MessageChanged) and fact.change == "reaction" for fact in facts)
    return {(fact.message_id, fact.emoji, fact.reacted_by) for fact in facts if isinstance(fact, MessageChanged)}


def test_a_reaction_reaches_its_message_whichever_key_names_it() -> None:
    added, taken_back = ("3EB0FFFF00001111AAAA", "👍", "+51987654321"), ("3EB0FFFF00001111BBBB", None, "+51987654321")
    assert {added, taken_back} < reactions(facts("reactions"))
    key = {"id": "3EB0R", "fromMe": False, "remoteJid": JID}
    turned = told("messages.reaction", [{"key": key, "reaction": {"text": "👍", "key": {**key, "id": "3EB0M"}}}])
    assert ("3EB0M", "👍", "+51987654321") in reactions(turned)
    within = {"reactionMessage": {"text": "👍", "key": {**key, "id": "3EB0M"}}}
    again = told("messages.received", {"messages": {"key": key, "message": within}})
    assert {fact.dedup_key for fact in again} == {fact.dedup_key for fact in turned}, "it is told twice, and is one"


def test_a_deleted_message_is_told_of() -> None:
    existing_facts = facts("deleted")
    assert [(fact.message_id, fact.change) for fact in existing_facts if isinstance(fact, MessageChanged)] == [
        ("3EB01", "deleted"),
        ("3EB02", "deleted"),
        ("3EB03", "deleted"),
    ]
    revoked = {"protocolMessage": {"type": 0, "key": {"id": "3EB01", "remoteJid": JID}}}
    (again,) = told("messages.received", {"messages": {"key": {"id": "3E", "remoteJid": JID}, "message": revoked}})
    assert again.dedup_key == existing_facts[0].dedup_key
