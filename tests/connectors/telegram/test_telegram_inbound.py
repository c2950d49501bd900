"""Updates of Telegram: who may send them, and what is read out of them."""

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from socialgate.connectors.telegram.api import ALLOWED_UPDATES
from socialgate.connectors.telegram.webhooks import TelegramWebhookReceiver
from socialgate.contracts.messages import Contact, MessageChanged, MessageItem, MessageReported, MessageType
from socialgate.contracts.webhooks import AffectedAccounts, UnhandledFact, WebhookRequest, WebhookResponse
from socialgate.core.clock import SystemClock

FIXTURES = Path(__file__).parent / "fixtures"
SECRET = "Made-up_secret0123456789"
HEADER = "x-telegram-bot-api-secret-token"
UPDATES = TelegramWebhookReceiver(SystemClock())


def a_request(body: bytes, *, secret: str | None = SECRET, routing: str | None = None) -> WebhookRequest:
    headers = {"content-type": "application/json"} | ({} if secret is None else {HEADER: secret})
    return WebhookRequest(method="POST", query={"r": routing} if routing else {}, headers=headers, body=body)


def received(secret: str | None, *secrets: str) -> WebhookResponse:
    return asyncio.run(UPDATES.receive(a_request(b"{}", secret=secret), secrets))


def test_the_secret_of_the_webhook_opens() -> None:
    assert received(SECRET, SECRET) == WebhookResponse(status=200, body=b"", should_store=True)
    assert received(SECRET, "another", SECRET).should_store


@pytest.mark.parametrize("given_secret", [None, "", "wrong", SECRET[:-1], SECRET + "x", "é", "\udcff", SECRET.lower()])
def test_anything_else_does_not(given_secret: str | None) -> None:
    assert received(given_secret, SECRET, "another") == WebhookResponse(status=401, body=b"", should_store=False)


def test_without_a_secret_nothing_is_genuine() -> None:
    assert not received("", "").should_store
    assert not received("").should_store
    assert not received(SECRET).should_store


@pytest.mark.parametrize(
    ("fixture", "key", "name"),
    [
        ("album_part", "731904523", "message"),
        ("my_chat_member", "731904525", "my_chat_member"),
        ("message_reaction", "731904526", "message_reaction"),
        ("newer_kind", "731904528", "gift_received"),
    ],
)
def test_what_nobody_acts_on_is_one_fact_under_its_own_number(fixture: str, key: str, name: str) -> None:
    body = (FIXTURES / f"{fixture}.json").read_bytes()
    assert UPDATES.parse(a_request(body)) == [UnhandledFact(dedup_key=key, name=name)]


def test_every_kind_that_is_asked_for_is_named() -> None:
    for kind in ALLOWED_UPDATES:
        body = f'{{"update_id": 1, "a_newer_member": {{}}, "{kind}": {{}}}}'.encode()
        assert UPDATES.parse(a_request(body)) == [UnhandledFact(dedup_key="1", name=kind)]


def test_two_bots_may_use_one_number() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    keys = {UPDATES.parse(a_request(body, routing=routing))[0].dedup_key for routing in ("route-one", "route-two")}
    assert len(keys) == 2
    assert not any("route" in key for key in keys), "the routing id is a secret"


def test_a_repeated_update_has_the_same_key() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    parse = UPDATES.parse
    assert parse(a_request(body, routing="r")) == parse(a_request(body, routing="r"))
    (fact,) = parse(a_request(body))
    assert fact.dedup_key == "731904522"


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
    (fact,) = UPDATES.parse(a_request(body))
    assert isinstance(fact, UnhandledFact)
    assert fact.name == "unreadable"
    assert len(fact.dedup_key) == 64


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text() | st.sampled_from(ALLOWED_UPDATES), inner),
    max_leaves=12,
)


@settings(max_examples=500)
@given(st.binary(max_size=400), st.text(max_size=20))
def test_whatever_the_bytes_are_parsing_does_not_fail(body: bytes, routing: str) -> None:
    assert len(UPDATES.parse(a_request(body, routing=routing))) == 1


@settings(max_examples=500)
@given(JSON, st.integers())
def test_whatever_the_json_is_parsing_does_not_fail(value: object, number: int) -> None:
    for reported_value in (value, {"update_id": number, "message": value}, {"update_id": value}):
        (fact,) = UPDATES.parse(a_request(json.dumps(reported_value).encode()))
        assert len(fact.dedup_key) <= 64
        assert not isinstance(fact, UnhandledFact) or fact.name.isascii()


CHAT = {"id": 5123456789, "first_name": "Ana", "last_name": "Souza", "username": "ana_example", "type": "private"}
ANA = Contact(id="5123456789", name="Ana Souza", username="ana_example")


def reported(kind: str = "message", **members: Any) -> MessageItem:
    payload = {"message_id": 12, "from": CHAT, "chat": CHAT, "date": 1794700000, **members}
    (fact,) = UPDATES.parse(a_request(json.dumps({"update_id": 1, kind: payload}).encode()))
    assert isinstance(fact, MessageReported)
    assert fact.affected_accounts == AffectedAccounts(), "the address of the request says whose bot it is"
    return fact.message


def changed(kind: str, **members: Any) -> list[MessageChanged]:
    payload = {"message_id": 12, "chat": CHAT, "date": 1794700000, **members}
    facts = UPDATES.parse(a_request(json.dumps({"update_id": 1, kind: payload}).encode()))
    message_changeds = [fact for fact in facts if isinstance(fact, MessageChanged)]
    assert len(message_changeds) == len(facts)
    assert len({fact.dedup_key for fact in facts}) == len(facts)
    return message_changeds


def test_a_message_is_read_as_it_comes() -> None:
    body = (FIXTURES / "message.json").read_bytes()
    (fact,) = UPDATES.parse(a_request(body))
    assert isinstance(fact, MessageReported)
    assert fact.message == MessageItem(
        id="5123456789:12",
        contact=Contact(id="5123456789", name="Ana", username="ana_example"),
        type=MessageType.TEXT,
        sent_at=datetime.fromtimestamp(1794700000, UTC),
        text="Hola 👋",
    )


FILE = {"file_id": "F1", "file_unique_id": "u", "file_size": 9, "mime_type": "a/b", "file_name": "n"}


@pytest.mark.parametrize(
    ("members", "kind", "files"),
    [
        ({"photo": [{"file_id": "small"}, {"file_id": "F1", "file_size": 9}], "caption": "Look"}, "image", 1),
        ({"video": FILE, "caption": "Look"}, "video", 1),
        ({"animation": FILE, "document": FILE, "caption": "Look"}, "video", 1),
        ({"video_note": FILE}, "video", 1),
        ({"audio": FILE}, "audio", 1),
        ({"voice": FILE}, "audio", 1),
        ({"document": FILE, "caption": "Look"}, "document", 1),
        ({"sticker": FILE}, "sticker", 1),
        ({"poll": {"question": "?"}}, "unsupported", 0),
        ({"text": "Hi", "document": {"file_id": 7}}, "text", 0),
    ],
)
def test_every_content_has_its_type(members: dict[str, Any], kind: str, files: int) -> None:
    item = reported(**members)
    assert (item.type, len(item.attachments)) == (kind, files)
    assert item.text == members.get("caption", members.get("text", ""))
    for file in item.attachments:
        assert (file.type, file.source, file.size) == (kind, {"fileId": "F1"}, 9)


def test_places_and_contacts_are_data() -> None:
    place = {"latitude": 1.5, "longitude": 2.5}
    assert reported(location=place).data == place
    venue = reported(location=place, venue={"location": place, "title": "Shop", "address": "1 Road"})
    assert (venue.type, venue.data) == ("location", {**place, "name": "Shop", "address": "1 Road"})
    card = reported(contact={"phone_number": "+51987", "first_name": "Bo", "last_name": "Li"})
    assert (card.type, card.data) == ("contacts", {"contacts": [{"name": "Bo Li", "phones": ["+51987"]}]})


@pytest.mark.parametrize(
    "odd",
    [
        {"date": "never"},
        {"date": 10**30},
        {"reply_to_message": {"message_id": "x"}},
        {"photo": "none"},
        {"photo": [7]},
        {"from": None},
        {"video": {"file_id": []}},
        {"reply_markup": []},
        {"venue": 7},
    ],
)
def test_what_cannot_be_read_of_a_message_does_not_lose_it(odd: dict[str, Any]) -> None:
    item = reported(text="Hi", **odd)
    assert (item.id, item.text, item.contact, item.type) == ("5123456789:12", "Hi", ANA, "text")


def test_a_time_in_milliseconds_is_one() -> None:
    assert reported(text="Hi", date=1794700000_000).sent_at == datetime.fromtimestamp(1794700000, UTC)


def test_an_answer_names_the_message_that_it_answers() -> None:
    assert reported(text="Yes", reply_to_message={"message_id": 5}).reply_to == "5123456789:5"


def test_a_pressed_button_is_a_message_with_its_data() -> None:
    (fact,) = UPDATES.parse(a_request((FIXTURES / "callback_query.json").read_bytes()))
    assert isinstance(fact, MessageReported)
    item = fact.message
    assert (item.id, item.type, item.text) == ("5123456789:button:2200345678901234567", "interactive", "yes")
    assert (item.reply_to, item.data, item.outbound) == ("5123456789:14", {"id": "yes", "title": "yes"}, False)
    assert item.contact.id == "5123456789"
    keyboard = {"inline_keyboard": [[{"text": "No", "callback_data": "n"}], [{"text": "Yes!", "callback_data": "y"}]]}
    query = {"id": "9", "data": "y", "message": {"message_id": 1, "chat": CHAT, "reply_markup": keyboard}}
    (fact,) = UPDATES.parse(a_request(json.dumps({"update_id": 1, "callback_query": query}).encode()))
    assert isinstance(fact, MessageReported)
    assert (fact.message.text, fact.message.data) == ("Yes!", {"id": "y", "title": "Yes!"})


def test_chats_of_a_business_account_are_apart_from_those_of_the_bot() -> None:
    (fact,) = UPDATES.parse(a_request((FIXTURES / "business_message.json").read_bytes()))
    assert isinstance(fact, MessageReported)
    item = fact.message
    assert (item.id, item.contact.id, item.outbound) == ("sBxExample01:5123456789:90", "sBxExample01:5123456789", False)
    theirs = reported("business_message", text="Until 8", business_connection_id="sBx", **{"from": {"id": 77}})
    assert (theirs.outbound, theirs.contact.id) == (True, "sBx:5123456789")


def test_what_changes_is_told_of_the_message() -> None:
    (edited,) = changed("edited_message", text="Hello", edit_date=1794700009)
    assert (edited.message_id, edited.change, edited.text) == ("5123456789:12", "edited", "Hello")
    assert edited.sent_at == datetime.fromtimestamp(1794700009, UTC)
    (caption,) = changed("edited_business_message", caption="Better", business_connection_id="sBx")
    assert (caption.message_id, caption.text) == ("sBx:5123456789:12", "Better")
    (liked,) = changed("message_reaction", new_reaction=[{"type": "emoji", "emoji": "👍"}])
    assert (liked.message_id, liked.change, liked.emoji, liked.reacted_by) == (
        "5123456789:12",
        "reaction",
        "👍",
        "5123456789",
    )
    (taken_back,) = changed("message_reaction", new_reaction=[])
    assert taken_back.emoji is None
    gone = changed("deleted_business_messages", business_connection_id="sBx", message_ids=[3, 4])
    assert [(message_changed.message_id, message_changed.change) for message_changed in gone] == [
        ("sBx:5123456789:3", "deleted"),
        ("sBx:5123456789:4", "deleted"),
    ]


@pytest.mark.parametrize("kind", ["message", "edited_message", "message_reaction"])
@pytest.mark.parametrize(
    "chat", [{"id": -100, "type": "supergroup"}, {"id": -1, "type": "private"}, {"type": "private"}]
)
def test_what_is_said_in_groups_is_no_conversation(kind: str, chat: dict[str, Any]) -> None:
    payload = {"message_id": 12, "chat": chat, "date": 1794700000, "text": "Hi", "new_reaction": []}
    (fact,) = UPDATES.parse(a_request(json.dumps({"update_id": 1, kind: payload}).encode()))
    assert fact == UnhandledFact(dedup_key="1", name=kind)
