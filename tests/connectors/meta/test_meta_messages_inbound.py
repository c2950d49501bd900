"""What Meta reports of messages: each kind of event becomes one fact, and nothing that is strange loses a message."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.connectors.meta.webhooks import MetaWebhookReceiver
from socialgate.connectors.transport import PlatformApp
from socialgate.contracts.messages import (
    AttachmentItem,
    Contact,
    MessageChanged,
    MessageItem,
    MessageProgressed,
    MessageReported,
    MessageStatus,
)
from socialgate.contracts.platforms import Kind
from socialgate.contracts.webhooks import PlatformFact, UnhandledFact, WebhookRequest
from socialgate.core.ids import new_id

PAGE, INSTAGRAM, PERSON = "108122341234567", "17841405793187218", "7000000000000001"
OF_PAGE = ("page", PAGE, Kind.FACEBOOK_PAGE)
OF_INSTAGRAM = ("instagram", INSTAGRAM, Kind.INSTAGRAM)
AT = datetime(2025, 11, 15, 9, 46, 40, 900_000, tzinfo=UTC)
MS = 1763200000900
CDN = "https://scontent.example/file"

both = pytest.mark.parametrize("of", [OF_PAGE, OF_INSTAGRAM], ids=["page", "instagram"])


def parse(event: Any, values: tuple[str, str, Kind] = OF_PAGE, time: Any = MS + 100) -> list[PlatformFact]:
    body = json.dumps({"object": values[0], "entry": [{"id": values[1], "time": time, "messaging": [event]}]}).encode()
    inbound = MetaWebhookReceiver(PlatformApp(id="1", secret="s"))
    return list(inbound.parse(WebhookRequest(method="POST", query={}, headers={}, body=body)))


def event(values: tuple[str, str, Kind] = OF_PAGE, *, own: bool = False, **response: Any) -> dict[str, Any]:
    sides = (values[1], PERSON) if own else (PERSON, values[1])
    return {"sender": {"id": sides[0]}, "recipient": {"id": sides[1]}, "timestamp": MS, **response}


def message(values: tuple[str, str, Kind] = OF_PAGE, *, own: bool = False, **response: Any) -> MessageItem:
    (fact,) = parse(event(values, own=own, message={"mid": "m_1", **response}), values)
    assert isinstance(fact, MessageReported)
    assert (fact.kind, fact.account, fact.message.id) == (values[2], values[1], "m_1")
    assert fact.affected_accounts.accounts == ((values[2], values[1]),)
    return fact.message


@both
def test_a_text_is_reported_with_who_wrote_it_and_when(of: tuple[str, str, Kind]) -> None:
    message_item = message(of, text="Are you open?", reply_to={"mid": "m_0"})
    assert message_item == MessageItem(
        id="m_1",
        contact=Contact(id=PERSON, can_fetch_profile=True),
        type=message_item.type.TEXT,
        sent_at=AT,
        text="Are you open?",
        reply_to="m_0",
    )


@both
def test_an_echo_belongs_to_the_conversation_with_its_recipient(of: tuple[str, str, Kind]) -> None:
    reference = new_id("msg")
    message_item = message(of, own=True, text="Until eight", is_echo=True, app_id=5, metadata=reference)
    assert (message_item.outbound, message_item.contact.id, message_item.reference) == (True, PERSON, reference)
    foreign = message(of, own=True, text="Until eight", is_echo=True, metadata="campaign 7")
    assert (foreign.outbound, foreign.reference) == (True, None)
    scoped = event(of, message={"mid": "m_1", "text": "x", "is_echo": True})
    scoped |= {"sender": {"id": "999"}, "recipient": {"id": PERSON}}
    (fact,) = parse(scoped, of)
    assert isinstance(fact, MessageReported)
    assert (fact.message.outbound, fact.message.contact.id) == (True, PERSON)


def test_what_a_person_sends_is_never_taken_for_ours_by_its_metadata() -> None:
    assert message(text="x", metadata=new_id("msg")).reference is None


@pytest.mark.parametrize(
    ("type_", "payload", "shown"),
    [
        ("image", {}, "image"),
        ("video", {}, "video"),
        ("audio", {}, "audio"),
        ("file", {}, "document"),
        ("sticker", {}, "sticker"),
        ("image", {"sticker_id": 369239263222822}, "sticker"),
    ],
)
def test_files_are_reported_with_where_they_are(type_: str, payload: dict[str, Any], shown: str) -> None:
    message_item = message(text="Look", attachments=[{"type": type_, "payload": {"url": CDN, **payload}}])
    assert (message_item.type, message_item.text) == (shown, "Look")
    assert message_item.attachments == (AttachmentItem(type=shown, source={"url": CDN}),)


def test_several_files_are_all_there() -> None:
    given_files = [{"type": "image", "payload": {"url": f"{CDN}{number}"}} for number in range(3)]
    message_item = message(attachments=given_files)
    assert [file.source["url"] for file in message_item.attachments] == [f"{CDN}{number}" for number in range(3)]
    assert (message_item.type, message_item.text) == ("image", "")


def test_a_place_is_a_location() -> None:
    place = {"type": "location", "payload": {"coordinates": {"lat": -12.05, "long": -77.03}}}
    message_item = message(attachments=[place])
    assert (message_item.type, message_item.data) == ("location", {"latitude": -12.05, "longitude": -77.03})
    assert message_item.attachments == ()


@pytest.mark.parametrize("type_", ["share", "story_mention", "ig_reel", "reel", "ig_post", "ig_story", "something new"])
def test_what_is_shared_is_a_text_with_data_and_no_file(type_: str) -> None:
    message_item = message(OF_INSTAGRAM, attachments=[{"type": type_, "payload": {"url": CDN, "title": "Bread"}}])
    assert (message_item.type, message_item.attachments) == ("text", ())
    assert message_item.data == {type_: {"url": CDN, "title": "Bread"}}


def test_a_link_has_its_address_beside_the_payload() -> None:
    link = {"type": "fallback", "payload": None, "title": "Bread", "url": "https://bread.example"}
    message_item = message(text="https://bread.example", attachments=[link])
    assert (message_item.type, message_item.data) == (
        "text",
        {"fallback": {"url": "https://bread.example", "title": "Bread"}},
    )


def test_an_answer_to_a_story_names_the_story() -> None:
    story = {"id": "1789", "url": CDN}
    message_item = message(OF_INSTAGRAM, text="Wow", reply_to={"story": story})
    assert (message_item.type, message_item.text, message_item.reply_to, message_item.data) == (
        "text",
        "Wow",
        None,
        {"story": story},
    )


def test_a_heart_is_a_text_and_nothing_is_unsupported() -> None:
    assert message(OF_INSTAGRAM, attachments=[{"type": "like_heart"}]).text == "❤️"
    assert message(OF_INSTAGRAM, is_unsupported=True).type == "unsupported"


def test_a_quick_reply_is_an_answer_with_the_id_that_was_sent() -> None:
    message_item = message(text="Opening hours", quick_reply={"payload": "hours"})
    assert (message_item.type, message_item.text) == ("interactive", "Opening hours")
    assert message_item.data == {"id": "hours", "title": "Opening hours"}


@both
def test_a_tap_on_a_button_is_an_answer(of: tuple[str, str, Kind]) -> None:
    referral = {"ref": "flyer", "source": "SHORTLINK", "type": "OPEN_THREAD"}
    tap = {"mid": "m_2", "title": "Order", "payload": "order", "referral": referral}
    (fact,) = parse(event(of, postback=tap), of)
    assert isinstance(fact, MessageReported)
    assert (fact.message.id, fact.message.type, fact.message.text) == ("m_2", "interactive", "Order")
    assert fact.message.data == {"id": "order", "title": "Order", "referral": referral}


def test_taps_without_an_id_are_told_apart_by_person_and_time() -> None:
    tap = {"title": "Order", "payload": "order"}
    first, again = parse(event(postback=tap)), parse(event(postback=tap))
    (later,) = parse({**event(postback=tap), "timestamp": MS + 1})
    assert first == again
    assert isinstance(first[0], MessageReported)
    assert isinstance(later, MessageReported)
    assert first[0].message.id != later.message.id


def test_a_template_of_ours_is_interactive() -> None:
    template = {"type": "template", "payload": {"template_type": "button", "text": "What next?", "buttons": []}}
    message_item = message(own=True, is_echo=True, attachments=[template])
    assert (message_item.type, message_item.text) == ("interactive", "What next?")


def test_a_delivery_names_messages_and_a_moment() -> None:
    named, second, until = parse(event(delivery={"mids": ["m_1", "m_2"], "watermark": MS - 900}))
    assert isinstance(named, MessageProgressed)
    assert (named.message_id, named.status, named.sent_at, named.applies_until) == (
        "m_1",
        MessageStatus.DELIVERED,
        AT,
        None,
    )
    assert isinstance(second, MessageProgressed)
    assert isinstance(until, MessageProgressed)
    assert (until.message_id, until.contact_id, until.status) == (None, PERSON, MessageStatus.DELIVERED)
    assert until.applies_until == AT - timedelta(milliseconds=900)
    assert len({named.dedup_key, second.dedup_key, until.dedup_key}) == 3


def test_reading_holds_up_to_a_moment_on_messenger_and_for_a_message_on_instagram() -> None:
    (until,) = parse(event(read={"watermark": MS - 900}))
    assert isinstance(until, MessageProgressed)
    assert (until.status, until.contact_id, until.message_id) == (MessageStatus.READ, PERSON, None)
    assert until.applies_until == AT - timedelta(milliseconds=900)
    (message_progressed,) = parse(event(OF_INSTAGRAM, read={"mid": "aWdf1"}), OF_INSTAGRAM)
    assert isinstance(message_progressed, MessageProgressed)
    assert (
        message_progressed.status,
        message_progressed.message_id,
        message_progressed.applies_until,
        message_progressed.kind,
    ) == (MessageStatus.READ, "aWdf1", None, Kind.INSTAGRAM)
    (delivered,) = parse(event(delivery={"watermark": MS - 900}))
    assert delivered.dedup_key != until.dedup_key


def changed(payload: dict[str, Any], *, own: bool = False) -> MessageChanged:
    (fact,) = parse(event(own=own, **payload))
    assert isinstance(fact, MessageChanged)
    assert (fact.message_id, fact.sent_at, fact.account) == ("m_1", AT, PAGE)
    return fact


def test_reactions_come_and_go() -> None:
    love = {"mid": "m_1", "action": "react", "reaction": "love", "emoji": "❤"}
    put = changed({"reaction": love})
    assert (put.change, put.emoji, put.reacted_by) == ("reaction", "❤", PERSON)
    taken = changed({"reaction": {**love, "action": "unreact"}})
    assert (taken.change, taken.emoji, taken.reacted_by) == ("reaction", None, PERSON)
    assert put.dedup_key != taken.dedup_key
    assert changed({"reaction": {"mid": "m_1", "action": "react", "reaction": "other"}}).emoji == "other"
    assert changed({"reaction": love}, own=True).reacted_by == PAGE


def test_an_edit_has_the_new_text() -> None:
    edit = changed({"message_edit": {"mid": "m_1", "text": "Tomorrow", "num_edit": 1}})
    assert (edit.change, edit.text) == ("edited", "Tomorrow")
    (empty,) = parse(event(message_edit={"mid": "m_1", "num_edit": 0}))
    assert isinstance(empty, UnhandledFact)
    assert empty.name == "message_edits"


def test_a_message_that_was_taken_back_is_deleted() -> None:
    assert changed({"message": {"mid": "m_1", "is_deleted": True}}).change == "deleted"


@pytest.mark.parametrize(
    "members",
    [
        {"text": 7, "quick_reply": "x", "reply_to": [1], "attachments": {"type": "image"}, "metadata": {}},
        {"attachments": [7, None, {"type": 3, "payload": "x"}, {"type": "location", "payload": {"coordinates": 1}}]},
    ],
)
def test_members_that_cannot_be_read_do_not_lose_the_message(members: dict[str, Any]) -> None:
    assert message(**members).contact.id == PERSON


def test_a_message_without_a_time_has_that_of_its_delivery() -> None:
    unreadable: list[Any] = [None, "soon", [], 0]
    for timestamp in unreadable:
        (fact,) = parse({**event(message={"mid": "m_1", "text": "x"}), "timestamp": timestamp})
        assert isinstance(fact, MessageReported)
        assert fact.message.sent_at == AT + timedelta(milliseconds=100)
    (seconds,) = parse({**event(message={"mid": "m_1", "text": "x"}), "timestamp": "1763200000"})
    assert isinstance(seconds, MessageReported)
    assert seconds.message.sent_at == AT.replace(microsecond=0)


@pytest.mark.parametrize(
    "strange",
    [
        event(message={"text": "without an id"}),
        event(message={"mid": "a b", "text": "x"}),
        event(message={"mid": "\u0000", "text": "x"}),
        event(message={"mid": "m" * 301, "text": "x"}),
        {**event(message={"mid": "m_1"}), "sender": {}},
        {**event(message={"mid": "m_1"}), "sender": {"id": "a b"}},
        {**event(message={"mid": "m_1"}), "sender": {"id": PAGE}, "recipient": {"id": PAGE}},
        event(optin={"ref": "x"}),
        event(referral={"ref": "x"}),
        event(delivery={}),
    ],
)
def test_what_names_no_message_or_person_is_kept_all_the_same(strange: Any) -> None:
    (fact,) = parse(strange)
    assert isinstance(fact, UnhandledFact)


def test_other_apps_threads_are_not_ours() -> None:
    entry = {"id": PAGE, "time": MS, "standby": [event(message={"mid": "m_1", "text": "x"})]}
    body = json.dumps({"object": "page", "entry": [entry]}).encode()
    sent = WebhookRequest(method="POST", query={}, headers={}, body=body)
    (fact,) = MetaWebhookReceiver(PlatformApp(id="1", secret="s")).parse(sent)
    assert isinstance(fact, UnhandledFact)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["url", "id", "mid", "story", "coordinates", "lat", "long"]), inner, max_size=3
        )
    ),
    max_leaves=6,
)
members = st.dictionaries(
    st.sampled_from(
        [
            *("mid", "mids", "watermark", "text", "title", "payload", "quick_reply", "reply_to", "attachments"),
            *("referral", "metadata", "is_echo", "is_deleted", "action", "emoji", "type", "reaction"),
        ]
    ),
    values | st.lists(st.dictionaries(st.sampled_from(["type", "payload", "url", "title"]), values), max_size=2),
)
names = st.sampled_from(["message", "postback", "message_edit", "reaction", "delivery", "read"])


@given(names, members, values, values)
def test_reading_never_fails(name: str, payload: dict[str, Any], timestamp: Any, time: Any) -> None:
    facts = parse({**event(), name: payload, "timestamp": timestamp}, time=time)
    assert facts
    for fact in facts:
        assert 0 < len(fact.dedup_key) <= 200
        if isinstance(fact, MessageReported):
            assert fact.message.id.isprintable()
            assert all(file.source["url"] for file in fact.message.attachments)
