"""Updates of Telegram: who may send them, and what is read out of them."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.connectors.telegram.inbound import Updates
from socialgate.connectors.telegram.wire import ALLOWED_UPDATES
from socialgate.contracts.inbound import InboundRequest, Reply, UnhandledFact

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "Made-up_secret0123456789"
HEADER = "x-telegram-bot-api-secret-token"


def a_request(body: bytes, *, secret: str | None = SECRET, routing: str | None = None) -> InboundRequest:
    headers = {"content-type": "application/json"} | ({} if secret is None else {HEADER: secret})
    return InboundRequest(method="POST", query={"r": routing} if routing else {}, headers=headers, body=body)


def received(secret: str | None, *secrets: str) -> Reply:
    return asyncio.run(Updates().receive(a_request(b"{}", secret=secret), secrets))


def test_the_secret_of_the_webhook_opens() -> None:
    assert received(SECRET, SECRET) == Reply(status=200, body=b"", keep=True)
    assert received(SECRET, "another", SECRET).keep


@pytest.mark.parametrize("given_secret", [None, "", "wrong", SECRET[:-1], SECRET + "x", "é", "\udcff", SECRET.lower()])
def test_anything_else_does_not(given_secret: str | None) -> None:
    assert received(given_secret, SECRET, "another") == Reply(status=401, body=b"", keep=False)


def test_without_a_secret_nothing_is_genuine() -> None:
    assert not received("", "").keep
    assert not received("").keep
    assert not received(SECRET).keep


@pytest.mark.parametrize(
    ("fixture", "key", "name"),
    [
        ("message", "731904522", "message"),
        ("album_part", "731904523", "message"),
        ("callback_query", "731904524", "callback_query"),
        ("my_chat_member", "731904525", "my_chat_member"),
        ("message_reaction", "731904526", "message_reaction"),
        ("business_message", "731904527", "business_message"),
        ("newer_kind", "731904528", "gift_received"),
    ],
)
def test_an_update_is_one_fact_under_its_own_number(fixture: str, key: str, name: str) -> None:
    body = (FIXTURES / f"{fixture}.json").read_bytes()
    assert Updates().parse(a_request(body)) == [UnhandledFact(key=key, name=name)]


def test_every_kind_that_is_asked_for_is_named() -> None:
    for kind in ALLOWED_UPDATES:
        body = f'{{"update_id": 1, "a_newer_member": {{}}, "{kind}": {{}}}}'.encode()
        assert Updates().parse(a_request(body)) == [UnhandledFact(key="1", name=kind)]


def test_two_bots_may_use_one_number() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    keys = {Updates().parse(a_request(body, routing=routing))[0].key for routing in ("route-one", "route-two")}
    assert len(keys) == 2
    assert not any("route" in key for key in keys), "the routing id is a secret"


def test_a_repeated_update_has_the_same_key() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    parse = Updates().parse
    assert parse(a_request(body, routing="r")) == parse(a_request(body, routing="r"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b"\xff\xfe",
        b'{"update_id": "1"}',
        b'{"update_id": -1}',
        b'{"update_id": 1e3}',
        b'{"update_id": ' + b"9" * 6000 + b"}",
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"update_id": 1, "message": "\xff"',
    ],
)
def test_what_cannot_be_read_is_kept_as_such(body: bytes) -> None:
    (fact,) = Updates().parse(a_request(body))
    assert isinstance(fact, UnhandledFact)
    assert fact.name == "unreadable"
    assert len(fact.key) == 64


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(ALLOWED_UPDATES), inner),
    max_leaves=12,
)


@settings(max_examples=500)
@given(st.binary(max_size=400), st.text(max_size=20))
def test_whatever_the_bytes_are_parsing_does_not_fail(body: bytes, routing: str) -> None:
    assert len(Updates().parse(a_request(body, routing=routing))) == 1


@settings(max_examples=500)
@given(JSON, st.integers())
def test_whatever_the_json_is_parsing_does_not_fail(value: object, number: int) -> None:
    for told in (value, {"update_id": number, "message": value}, {"update_id": value}):
        (fact,) = Updates().parse(a_request(json.dumps(told).encode()))
        assert len(fact.key) <= 64
        assert isinstance(fact, UnhandledFact)
        assert fact.name.isascii()
