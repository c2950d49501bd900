"""Messages of Pages and of Instagram accounts, at the sandbox: what is sent, once, and what is found of it later.

Answers that have a certain shape are those of Meta's documents. What needs people who write is at the end: it is left
out for a sandbox whose Meta has no conversations.
"""

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from socialgate.contracts.account_connection import WebhookEndpoint
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
)
from socialgate.contracts.messages import (
    MESSAGES_CAPABILITY,
    AttachmentItem,
    Contact,
    LookupResult,
    MessageAdapter,
    MessagePage,
    MessageProgressed,
    MessageReported,
    MessageStatus,
    MessageType,
    NewMessage,
    ReplyButton,
    SentMessage,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, MediaFile
from socialgate.contracts.webhooks import PlatformFact, WebhookRequest
from socialgate.core.ids import new_id
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox
from support.waiting import eventually

KINDS = [Kind.FACEBOOK_PAGE, Kind.INSTAGRAM]
PERSON = "7000000000000001"
# Those of Instagram may hold anything, and must not become another path.
THREAD = "aWdf?x=#y"
SEND = "*/messages"
THREADS = "*/conversations"
MIB = 1024 * 1024


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.META, sandbox) as opened:
        yield opened


class Chat:
    """The messages of one account with one person."""

    def __init__(self, desk: ConnectorDriver, kind: Kind) -> None:
        self.desk = desk
        self.kind = kind
        self.credentials = desk.sign_in(kind)[0]
        self.part: MessageAdapter = desk.part(kind, MESSAGES_CAPABILITY)
        self.page = str(self.credentials.details.get("pageId") or self.credentials.platform_account_id)

    def new(self, text: str = "", **more: Any) -> NewMessage:
        media = more.get("media")
        payload: dict[str, Any] = {
            "to": PERSON,
            "type": MessageType(media.type) if media else MessageType.TEXT,
            "reference": new_id("msg"),
            "asked_at": self.desk.clock.now(),
        }
        return NewMessage(text=text, **(payload | more))

    def accept(self, mid: str = "m_1") -> None:
        """Have Meta take the next message."""
        body = {"recipient_id": PERSON, "message_id": mid}
        self.desk.fail(SEND, status=200, body=body, method="POST")

    def refuse(self, status: int, code: int, subcode: int | None = None) -> None:
        error = {"message": "No.", "type": "OAuthException", "code": code, "error_subcode": subcode, "fbtrace_id": "A1"}
        self.desk.fail(SEND, status=status, body={"error": error}, method="POST")

    def remember(self, *rows: dict[str, Any], **paging: Any) -> None:
        """Have Meta show these messages, newest first."""
        self.desk.fail(THREADS, status=200, body={"data": [{"id": THREAD}]}, method="GET")
        self.desk.fail(SEND, status=200, body={"data": rows, **paging}, method="GET")

    def row(self, text: str = "", *, own: bool = True, seconds: float = 0, **more: Any) -> dict[str, Any]:
        account, person = {"id": "5" if self.kind is Kind.INSTAGRAM else self.page}, {"id": PERSON, "name": "Ana"}
        sides = (account, person) if own else (person, account)
        at = (self.desk.clock.now() + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S+0000")
        return {"id": "m_1", "message": text, "created_time": at, "from": sides[0], "to": {"data": [sides[1]]}} | more

    def send(self, new: NewMessage) -> SentMessage:
        return self.desk.wait_for(self.part.send(self.credentials, new))

    def look(self, new: NewMessage) -> LookupResult:
        return self.desk.wait_for(self.part.look_up_result(self.credentials, new))

    def older(self, limit: int = 20, cursor: str | None = None) -> MessagePage:
        return self.desk.wait_for(self.part.list_history(self.credentials, PERSON, limit, cursor))

    def sent(self) -> list[dict[str, Any]]:
        """List what was sent, newest first, with nested parameters as Meta reads them."""
        calls = [call for call in self.desk.calls(SEND) if call["method"] == "POST"]
        return [{name: _decoded(value) for name, value in call["body"].items()} for call in calls]


def _decoded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) and value.startswith("{") else value


@pytest.fixture(params=KINDS, ids=str)
def chat(desk: ConnectorDriver, request: pytest.FixtureRequest) -> Chat:
    return Chat(desk, request.param)


@pytest.fixture
def messenger(desk: ConnectorDriver) -> Chat:
    return Chat(desk, Kind.FACEBOOK_PAGE)


@pytest.fixture
def instagram(desk: ConnectorDriver) -> Chat:
    return Chat(desk, Kind.INSTAGRAM)


# Sending.


def test_a_text_goes_to_the_person_by_way_of_the_page(chat: Chat) -> None:
    chat.accept("m_77")
    new = chat.new("Until eight", reply_to="m_0")
    assert chat.send(new) == SentMessage(id="m_77", contact=Contact(id=new.to))
    (call,) = [call for call in chat.desk.calls(SEND) if call["method"] == "POST"]
    assert call["path"].endswith(f"/{chat.page}/messages")
    (body,) = chat.sent()
    assert body["recipient"] == {"id": PERSON}
    assert (body["messaging_type"], body["reply_to"]) == ("RESPONSE", {"mid": "m_0"})
    # Only Messenger gives it back, in the echo.
    metadata = {"metadata": new.reference} if chat.kind is Kind.FACEBOOK_PAGE else {}
    assert body["message"] == {"text": "Until eight", **metadata}
    assert "tag" not in body


@pytest.mark.parametrize(
    ("type_", "mime_type", "form"),
    [
        ("image", "image/jpeg", "image"),
        ("video", "video/mp4", "video"),
        ("audio", "audio/mp4", "audio"),
        ("document", "application/pdf", "file"),
    ],
)
def test_a_file_goes_by_its_address(chat: Chat, type_: Any, mime_type: str, form: str) -> None:
    media = chat.desk.files.file(b"x", type_, mime_type)
    new = chat.new(media=media)
    assert chat.part.validate_new_message(new) == []
    assert new.type in chat.part.types
    chat.accept()
    chat.send(new)
    assert chat.sent()[0]["message"]["attachment"] == {"type": form, "payload": {"url": media.url}}
    assert "reply_to" not in chat.sent()[0]
    assert "text" not in chat.sent()[0]["message"]


def test_quick_replies_and_buttons_go_with_a_text(messenger: Chat, instagram: Chat) -> None:
    replies = (ReplyButton(title="Hours", id="hours"), ReplyButton(title="Menu"))
    for chat in (messenger, instagram):
        chat.accept()
        new = chat.new("How can we help?", quick_replies=replies)
        assert chat.part.validate_new_message(new) == []
        chat.send(new)
        message = chat.sent()[0]["message"]
        assert message["text"] == "How can we help?"
        assert message["quick_replies"] == [
            {"content_type": "text", "title": "Hours", "payload": "hours"},
            {"content_type": "text", "title": "Menu", "payload": "Menu"},
        ]
    buttons = (ReplyButton(title="Order", id="order"), ReplyButton(title="Site", url="https://bread.example"))
    new = messenger.new("What next?", buttons=buttons)
    assert messenger.part.validate_new_message(new) == []
    messenger.accept()
    messenger.send(new)
    message = messenger.sent()[0]["message"]
    assert message["metadata"] == new.reference
    assert "text" not in message
    assert message["attachment"] == {
        "type": "template",
        "payload": {
            "template_type": "button",
            "text": "What next?",
            "buttons": [
                {"type": "postback", "title": "Order", "payload": "order"},
                {"type": "web_url", "title": "Site", "url": "https://bread.example"},
            ],
        },
    }
    assert codes(instagram, instagram.new("What next?", buttons=buttons)) == {"/buttons": "not_supported"}


def test_an_answer_that_says_nothing_leaves_the_outcome_open(chat: Chat) -> None:
    chat.desk.fail(SEND, status=200, body={"recipient_id": PERSON}, method="POST")
    with pytest.raises(OutcomeUnknownError):
        chat.send(chat.new("Until eight"))
    chat.refuse(400, 1200)
    with pytest.raises(OutcomeUnknownError):
        chat.send(chat.new("Until eight"))


@pytest.mark.parametrize(
    ("status", "code", "subcode", "word", "says"),
    [
        (400, 10, 2018278, PlatformRejectedError, "24 hours"),
        (403, 10, 2534022, PlatformRejectedError, "24 hours"),
        (400, 551, 1545041, PlatformRejectedError, "blocked"),
        (400, 200, 1545041, PlatformRejectedError, "blocked"),
        (400, 100, 2018001, PlatformNotFoundError, "does not know this person"),
        (400, 100, 2018109, PlatformRejectedError, "25 MB"),
        (400, 100, 2018008, PlatformRejectedError, "fetch"),
        (400, 200, 2018028, PermissionMissingError, "review"),
        (400, 10, 1893063, PlatformRejectedError, "restricting"),
        (400, 80006, None, PlatformRateLimitError, "too many"),
    ],
)
def test_refusals_say_what_to_do(
    chat: Chat, status: int, code: int, subcode: int | None, word: type[Exception], says: str
) -> None:
    chat.refuse(status, code, subcode)
    with pytest.raises(word, match=says):
        chat.send(chat.new("Until eight"))
    assert len(chat.sent()) == 1


# What is refused before it leaves.


def codes(chat: Chat, new: NewMessage) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in chat.part.validate_new_message(new)}


def media(type_: Any = "image", mime_type: str = "image/jpeg", size: int = 9) -> MediaFile:
    return MediaFile(
        id="m", type=type_, mime_type=mime_type, size=size, sha256="0", url="https://a.example", file_name="f"
    )


def test_a_text_and_a_file_are_two_messages(chat: Chat) -> None:
    assert codes(chat, chat.new("Look", media=media())) == {"/text": "contradiction"}
    assert codes(chat, chat.new(" ")) == {"/text": "required"}
    assert codes(chat, chat.new(media=media())) == {}


def test_texts_have_a_length_in_characters_on_messenger_and_in_bytes_on_instagram(
    messenger: Chat, instagram: Chat
) -> None:
    assert codes(messenger, messenger.new("ü" * 2000)) == {}
    assert codes(messenger, messenger.new("ü" * 2001)) == {"/text": "too_long"}
    button = (ReplyButton(title="Order"),)
    assert codes(messenger, messenger.new("x" * 640, buttons=button)) == {}
    assert codes(messenger, messenger.new("x" * 641, buttons=button)) == {"/text": "too_long"}
    assert codes(instagram, instagram.new("ü" * 500)) == {}
    assert codes(instagram, instagram.new("ü" * 501)) == {"/text": "too_long"}


def test_files_have_a_size_and_on_instagram_a_format(messenger: Chat, instagram: Chat) -> None:
    for chat in (messenger, instagram):
        assert codes(chat, chat.new(media=media("video", "video/mp4", 25 * MIB))) == {}
        assert codes(chat, chat.new(media=media("video", "video/mp4", 25 * MIB + 1))) == {"/media": "too_large"}
    assert codes(messenger, messenger.new(media=media(size=8 * MIB + 1))) == {}
    assert codes(instagram, instagram.new(media=media(size=8 * MIB + 1))) == {"/media": "too_large"}
    for type_, mime_type in (("image", "image/webp"), ("document", "application/zip"), ("audio", "audio/flac")):
        assert codes(messenger, messenger.new(media=media(type_, mime_type))) == {}
        assert codes(instagram, instagram.new(media=media(type_, mime_type))) == {"/media": "media_type"}


def test_buttons_and_quick_replies_have_limits_and_all_are_named_at_once(messenger: Chat, instagram: Chat) -> None:
    long, fits = ReplyButton(title="x" * 21), ReplyButton(title="x" * 20)
    many = messenger.new("Which?", quick_replies=(fits,) * 14)
    assert codes(messenger, many) == {"/quickReplies": "too_many"}
    wrong = (fits, ReplyButton(title="Site", url="https://bread.example"), long)
    expected = {"/quickReplies/1/url": "not_supported", "/quickReplies/2/title": "too_long"}
    assert codes(messenger, messenger.new("Which?", quick_replies=wrong)) == expected
    assert codes(instagram, instagram.new("Which?", quick_replies=wrong)) == expected
    four = messenger.new("x" * 641, buttons=(fits, fits, long, fits))
    assert codes(messenger, four) == {"/buttons": "too_many", "/buttons/2/title": "too_long", "/text": "too_long"}
    assert codes(messenger, messenger.new(media=media(), buttons=(fits,))) == {"/buttons": "contradiction"}
    assert codes(messenger, messenger.new(media=media(), quick_replies=(fits,))) == {}
    assert codes(instagram, instagram.new(media=media(), quick_replies=(fits,))) == {"/quickReplies": "contradiction"}


def test_people_are_known_by_number_and_may_be_answered_for_a_day(chat: Chat) -> None:
    assert chat.part.parse_recipient(PERSON) == Contact(id=PERSON)
    for wrong in ("", "ana", "+51987654321", "1/2", "٣", " 1"):
        assert chat.part.parse_recipient(wrong) is None
    assert chat.part.free_form_window == timedelta(hours=24)
    assert chat.part.keeps_history


# The history, and what became of lost answers.


def test_messages_of_the_history_say_who_wrote_what(chat: Chat) -> None:
    file = {"id": "9", "mime_type": "application/pdf", "name": "menu.pdf", "size": 7, "file_url": "https://cdn/1"}
    image = {"id": "8", "image_data": {"url": "https://cdn/2"}}
    chat.remember(
        chat.row("Until eight", id="m_3", reply_to={"mid": "m_2"}),
        chat.row("", id="m_2", own=False, attachments={"data": [file]}),
        chat.row("Look", id="m_1", own=False, attachments={"data": [image]}, shares={"data": [{"link": "https://x"}]}),
    )
    page = chat.older()
    ours, theirs, shown = page.items
    assert page.cursor is None
    assert (ours.id, ours.text, ours.outbound, ours.reply_to, ours.type) == ("m_3", "Until eight", True, "m_2", "text")
    assert ours.contact == theirs.contact == Contact(id=PERSON, name="Ana")
    assert (theirs.type, theirs.outbound) == ("document", False)
    assert theirs.attachments == (
        AttachmentItem(
            type="document",
            source={"url": "https://cdn/1"},
            mime_type="application/pdf",
            size=7,
            file_name="menu.pdf",
        ),
    )
    assert (shown.type, shown.attachments[0].source, shown.data) == (
        "image",
        {"url": "https://cdn/2"},
        {"share": {"url": "https://x"}},
    )
    (request,) = chat.desk.calls(THREADS)
    assert request["path"].endswith(f"/{chat.page}/conversations")
    platform = "instagram" if chat.kind is Kind.INSTAGRAM else "messenger"
    assert (request["query"]["platform"], request["query"]["user_id"]) == (platform, PERSON)
    assert chat.desk.calls(SEND)[0]["path"].endswith(f"/{THREAD}/messages")


def test_one_strange_row_does_not_lose_the_others(chat: Chat) -> None:
    chat.remember(
        {"id": None},
        chat.row("no time", created_time="soon"),
        {**chat.row("to whom?", id="m_6", own=False), "from": None},
        {**chat.row("who?", id="m_5"), "from": None},
        chat.row("Hello", id="m_4", own=False, attachments=[], to=7, sticker={}, reply_to="x"),
    )
    result = [(item.id, item.outbound) for item in chat.older().items]
    assert result == [("m_6", False), ("m_5", True), ("m_4", False)]


def test_older_messages_follow_by_cursor_without_the_token(chat: Chat) -> None:
    token = chat.credentials.secret["access_token"]
    next_page = f"https://graph.facebook.com/v26.0/t_1/messages?access_token={token}&limit=2&after=QVFI"
    chat.remember(chat.row("two"), paging={"cursors": {"after": "QVFI"}, "next": next_page})
    page = chat.older(2)
    assert page.cursor is not None
    assert token not in page.cursor
    chat.remember(chat.row("one"))
    last = chat.older(2, page.cursor)
    assert ([item.text for item in last.items], last.cursor) == (["one"], None)
    newest = chat.desk.calls(SEND)[0]
    assert (newest["query"]["after"], newest["query"]["limit"]) == ("QVFI", "2")


def test_somebody_who_never_wrote_has_no_history(chat: Chat) -> None:
    chat.desk.fail(THREADS, status=200, body={"data": []}, method="GET")
    assert chat.older() == MessagePage(items=[], cursor=None)
    chat.desk.fail(THREADS, status=200, body={"data": []}, method="GET")
    assert isinstance(chat.look(chat.new("Hello")), Inconclusive)


def test_a_lost_message_is_found_if_it_is_the_only_one_like_it(chat: Chat) -> None:
    new = chat.new("Until eight")
    chat.remember(
        chat.row("Something else", id="m_9"),
        chat.row(" Until\neight ", id="m_8", seconds=-60),
        chat.row("Until eight", id="m_7", own=False),
        chat.row("Until eight", id="m_6", seconds=-180),
    )
    result = chat.look(new)
    assert isinstance(result, SentMessage)
    assert result.id == "m_8"
    assert result.sent_at is not None
    assert chat.sent() == []


def test_nothing_or_several_prove_nothing(chat: Chat) -> None:
    new = chat.new("Until eight")
    chat.remember(chat.row("Until eight", own=False), chat.row("Until eight", seconds=-180))
    none = chat.look(new)
    assert isinstance(none, Inconclusive)
    assert "no message" in none.reason
    chat.remember(chat.row("Until eight", id="m_2"), chat.row("Until eight", id="m_1"))
    several = chat.look(new)
    assert isinstance(several, Inconclusive)
    assert "several" in several.reason


def test_a_lost_file_is_found_by_its_type(chat: Chat) -> None:
    new = chat.new(media=media())
    image = {"mime_type": "image/jpeg", "image_data": {"url": "https://cdn/2"}}
    video = {"mime_type": "video/mp4", "video_data": {"url": "https://cdn/3"}}
    chat.remember(chat.row(id="m_2", attachments={"data": [video]}), chat.row(id="m_1", attachments={"data": [image]}))
    result = chat.look(new)
    assert isinstance(result, SentMessage)
    assert result.id == "m_1"


# Reading, and files.


def test_a_file_is_where_meta_said(chat: Chat) -> None:
    def located(**source: Any) -> str:
        item = AttachmentItem(type="image", source=source)
        return chat.desk.wait_for(chat.part.get_download_location(chat.credentials, item)).url

    assert located(url="https://scontent.example/1") == f"{chat.desk.sandbox.url}/meta/scontent.example/1"
    assert located(url=f"{chat.desk.sandbox.url}/meta/files/1") == f"{chat.desk.sandbox.url}/meta/files/1"
    # Nothing else that is near is reached in its name.
    assert located(url="http://127.0.0.1/secret").startswith(f"{chat.desk.sandbox.url}/meta/")
    with pytest.raises(PlatformNotFoundError):
        located()


# With people of the sandbox.


class Room(Chat):
    """An account whose webhooks arrive, and a person who writes to it."""

    def __init__(self, desk: ConnectorDriver, kind: Kind, gateway: WebhookReceiver) -> None:
        super().__init__(desk, kind)
        self.gateway = gateway
        subscribing = desk.connector.webhook_subscriber
        assert subscribing is not None
        desk.wait_for(subscribing.subscribe(self.credentials, WebhookEndpoint(url="", secret="", verify_token="")))

    def say(self, text: str) -> MessageReported:
        """Let a person write, and give what the webhook says of it."""
        account = self.credentials.platform_account_id
        self.desk.sandbox.control("message", platform="meta", account=account, text=text)
        message_reported: MessageReported = self.told(
            lambda fact: isinstance(fact, MessageReported) and fact.message.text == text
        )
        return message_reported

    def told(self, requested: Any) -> Any:
        return eventually(lambda: next(filter(requested, self.facts()), None))

    def facts(self) -> list[PlatformFact]:
        facts: list[PlatformFact] = []
        inbound = self.desk.connector.webhook_receiver
        for arrived in list(self.gateway.arrived):
            sent = WebhookRequest(method="POST", query={}, headers=arrived.headers, body=arrived.body)
            assert self.desk.wait_for(inbound.receive(sent, ())).should_store
            facts += inbound.parse(sent)
        return facts


@pytest.fixture(params=KINDS, ids=str)
def room(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Room]:
    gateway = WebhookReceiver()
    with running_sandbox(tmp_path, ALL_VENDORS, gateway.url) as sandbox, start_driver(Platform.META, sandbox) as desk:
        verbs = next(item["verbs"] for item in sandbox.look("")["data"] if item["platform"] == "meta")
        if "message" not in verbs:
            pytest.skip("the simulated Meta has no conversations")
        yield Room(desk, request.param, gateway)
    gateway.close()


def test_a_person_writes_and_gets_an_answer_with_ticks(room: Room) -> None:
    theirs = room.say("Are you open?")
    assert (theirs.kind, theirs.account) == (room.kind, room.credentials.platform_account_id)
    assert not theirs.message.outbound
    contact = theirs.message.contact.id
    new = room.new("Until eight", to=contact)
    sent = room.send(new)
    echo = room.told(lambda fact: isinstance(fact, MessageReported) and fact.message.id == sent.id)
    assert (echo.message.outbound, echo.message.contact.id, echo.message.text) == (True, contact, "Until eight")
    if room.kind is Kind.FACEBOOK_PAGE:
        assert echo.message.reference == new.reference
        room.told(lambda fact: isinstance(fact, MessageProgressed) and fact.status is MessageStatus.DELIVERED)
    items = room.desk.wait_for(room.part.list_history(room.credentials, contact, 20, None)).items
    assert [(item.text, item.outbound) for item in items] == [("Until eight", True), ("Are you open?", False)]
    assert [item.id for item in items] == [sent.id, theirs.message.id]


def test_an_answer_that_got_lost_is_found_in_the_conversation(room: Room) -> None:
    contact = room.say("Are you open?").message.contact.id
    new = room.new("Until eight", to=contact)
    room.desk.fail(SEND, "after", method="POST")
    with pytest.raises(OutcomeUnknownError):
        room.send(new)
    result = room.look(new)
    assert isinstance(result, SentMessage)
    items = room.desk.wait_for(room.part.list_history(room.credentials, contact, 20, None)).items
    assert [item.id for item in items if item.outbound] == [result.id]


def test_nobody_is_written_to_after_a_day(room: Room) -> None:
    contact = room.say("Are you open?").message.contact.id
    room.desk.rest(25 * 3600)
    with pytest.raises(PlatformRejectedError, match="24 hours"):
        room.send(room.new("Until eight", to=contact))
