"""Events of WaSender: who may send them, what is read out of them, and that the key in them goes nowhere."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.connectors.wasender.inbound import SessionEvents
from socialgate.contracts.inbound import AccessLost, AccessRestored, Fact, InboundRequest, Reply, UnhandledFact
from socialgate.contracts.platforms import Kind

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "fb61be92ddb7935e0cedcec58e470f6c"
KEY = "0f1e2d3c4b5a69788796a5b4c3d2e1f0" * 2


def a_request(body: bytes, *, secret: str | None = SECRET, routing: str = "made-up") -> InboundRequest:
    headers = {} if secret is None else {"x-webhook-signature": secret}
    return InboundRequest(method="POST", query={"r": routing}, headers=headers, body=body)


def fixture(name: str) -> bytes:
    return (FIXTURES / f"{name}.json").read_bytes()


def facts(name: str, routing: str = "made-up") -> Sequence[Fact]:
    return SessionEvents().parse(a_request(fixture(name), routing=routing))


def received(secret: str | None, *secrets: str, body: bytes = b"{}") -> Reply:
    return asyncio.run(SessionEvents().receive(a_request(body, secret=secret), secrets))


def test_the_secret_of_the_session_opens() -> None:
    assert received(SECRET, SECRET) == Reply(status=200, body=b"", keep=True, redacted=b"{}")
    assert received(SECRET, "another", SECRET).keep


@pytest.mark.parametrize("given_secret", [None, "", "wrong", SECRET[:-1], SECRET.upper(), "é", "\udcff"])
def test_anything_else_does_not(given_secret: str | None) -> None:
    assert received(given_secret, SECRET, "another") == Reply(status=401, keep=False)
    assert received(given_secret, "", "another") == Reply(status=401, keep=False)
    assert received(given_secret) == Reply(status=401, keep=False)


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.json")), ids=lambda path: path.stem)
def test_the_key_of_a_session_is_neither_stored_nor_in_a_fact(path: Path) -> None:
    body = path.read_bytes()
    kept = received(SECRET, SECRET, body=body).redacted
    assert kept is not None
    assert KEY.encode() not in kept
    before, after = json.loads(body), json.loads(kept)
    assert after["event"] == before["event"]
    assert len(SessionEvents().parse(a_request(kept))) == len(SessionEvents().parse(a_request(body)))
    assert KEY not in repr(SessionEvents().parse(a_request(body)))


def test_redacting_leaves_the_number_of_a_session_alone() -> None:
    assert received(SECRET, SECRET, body=fixture("session_logged_out")).redacted == fixture("session_logged_out")
    odd = b'{"sessionId" :\n "ab\\"cd", "session_id":"12", "x": "session_id"}'
    assert received(SECRET, SECRET, body=odd).redacted == odd.replace(b'ab\\"cd', b"***")


def test_a_paired_phone_restores_access() -> None:
    (fact,) = facts("session_connected")
    assert isinstance(fact, AccessRestored)
    assert (fact.kind, fact.account, fact.subject) == (Kind.WHATSAPP_QR, "", "4711")


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
def test_every_state_has_its_fact(status: object, kind: type[Fact]) -> None:
    body = json.dumps({"event": "session.status", "data": {"status": status, "session_id": "4711"}}).encode()
    (fact,) = SessionEvents().parse(a_request(body))
    assert type(fact) is kind


@pytest.mark.parametrize(
    ("name", "event", "number"),
    [
        ("message_received", "messages.received", 1),
        ("message_upsert", "messages.upsert", 2),
        ("message_update", "messages.update", 1),
        ("reactions", "messages.reaction", 2),
        ("deleted", "messages.delete", 3),
        ("session_connecting", "session.status", 1),
        ("qrcode_updated", "qrcode.updated", 1),
    ],
)
def test_each_part_of_a_batch_is_a_fact(name: str, event: str, number: int) -> None:
    found = facts(name)
    assert [type(fact) for fact in found] == [UnhandledFact] * number
    assert {fact.name for fact in found if isinstance(fact, UnhandledFact)} == {event}
    assert len({fact.key for fact in found}) == number


def test_a_message_that_is_told_twice_is_one_fact() -> None:
    assert facts("message_received")[0].key == facts("message_upsert")[0].key


def test_two_sessions_that_are_told_of_one_message_have_a_fact_each() -> None:
    assert facts("message_received", "one")[0].key != facts("message_received", "two")[0].key


@pytest.mark.parametrize(
    "data",
    [
        {"messages": {"key": {"id": "3EB0", "remoteJid": "1@s.whatsapp.net"}}},
        {"messages": [{"key": {"id": "3EB0", "remoteJid": "1@s.whatsapp.net"}}]},
        {"key": {"id": "3EB0", "remoteJid": "1@s.whatsapp.net"}},
        [{"key": {"id": "3EB0", "remoteJid": "1@s.whatsapp.net"}}],
    ],
)
@pytest.mark.parametrize("event", ["messages.received", "messages.recieved", "messages.upsert"])
def test_all_shapes_and_spellings_of_a_message_are_the_same(data: object, event: str) -> None:
    body = json.dumps({"event": event, "data": data}).encode()
    (fact,) = SessionEvents().parse(a_request(body))
    usual = json.dumps({"event": "messages.received", "data": {"key": {"id": "3EB0", "remoteJid": "1@s.whatsapp.net"}}})
    assert fact.key == SessionEvents().parse(a_request(usual.encode()))[0].key
    assert isinstance(fact, UnhandledFact)
    assert fact.name != "messages.recieved"


@pytest.mark.parametrize("data", [None, [], {}, "text", 7, {"messages": None}, {"messages": []}, {"keys": "x"}])
def test_a_batch_of_another_shape_is_kept_as_one(data: object) -> None:
    for event in ("messages.received", "messages.update", "messages.delete"):
        (fact,) = SessionEvents().parse(a_request(json.dumps({"event": event, "data": data}).encode()))
        assert isinstance(fact, UnhandledFact)
        assert fact.name == event


def test_a_large_batch_is_read_in_time_that_grows_with_its_size() -> None:
    """Hashing the body for each of its parts would take minutes."""
    body = json.dumps({"event": "messages.update", "data": [{"key": {"id": str(n)}} for n in range(50_000)]}).encode()
    assert len(SessionEvents().parse(a_request(body))) == 50_000


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
    (fact,) = SessionEvents().parse(a_request(body, routing=routing))
    assert len(fact.key) == 64
    assert received(SECRET, SECRET, body=body).keep


@settings(max_examples=500)
@given(EVENTS, JSON)
def test_whatever_the_json_is_parsing_does_not_fail(event: str, data: object) -> None:
    found = SessionEvents().parse(a_request(json.dumps({"event": event, "data": data}).encode()))
    assert found
    for fact in found:
        assert len(fact.key) == 64
        assert not isinstance(fact, UnhandledFact) or (fact.name.isascii() and len(fact.name) <= 60)


def test_nesting_without_end_does_not_fail() -> None:
    deep = b"[" * 100_000 + b"]" * 100_000
    for body in (
        deep,
        b'{"event": "messages.received", "data": ' + deep + b"}",
        b'{"event": "session.status", "data":',
    ):
        assert len(SessionEvents().parse(a_request(body))) == 1
