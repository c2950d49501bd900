"""Messages of a WhatsApp number at the sandbox: every type goes, once; and all that comes back is understood."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from socialgate.connectors.whatsapp_cloud.messages import encode_message
from socialgate.contracts.account_connection import WebhookEndpoint
from socialgate.contracts.failures import (
    NotSupportedError,
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformRejectedError,
)
from socialgate.contracts.messages import (
    MESSAGES_CAPABILITY,
    AttachmentItem,
    MessageAdapter,
    MessageChanged,
    MessageProgressed,
    MessageReported,
    MessageStatus,
    MessageType,
    NewMessage,
    ReplyButton,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, MediaFile
from socialgate.contracts.webhooks import PlatformFact, WebhookRequest
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox
from support.waiting import eventually

NUMBER = "106540352240101"
DARIO = "4915550100101"


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS, gateway.url) as running:
        yield running


class Chat:
    """A number that Dario has just written to, with webhooks that come to us."""

    def __init__(self, desk: ConnectorDriver, gateway: WebhookReceiver) -> None:
        self.desk = desk
        self.gateway = gateway
        value = desk.sandbox.control("credentials", platform=desk.platform, account=NUMBER)
        self.credentials = desk.connect_with_secret(**value)
        self.part: MessageAdapter = desk.part(Kind.WHATSAPP_CLOUD, MESSAGES_CAPABILITY)
        subscribing = desk.connector.webhook_subscriber
        assert subscribing is not None
        callback = WebhookEndpoint(url=f"{gateway.url}/webhooks/whatsapp-cloud?r=x", secret="", verify_token="word")
        desk.wait_for(subscribing.subscribe(self.credentials, callback))
        self.question_id = self.write("Are you open?")

    def act(self, verb: str, **fields: Any) -> Any:
        return self.desk.sandbox.control(verb, platform=self.desk.platform, **fields)

    def write(self, text: str = "", **more: Any) -> str:
        return str(self.act("message", account=NUMBER, person="dario", text=text, **more)["messageId"])

    def new(self, kind: str = "text", **more: Any) -> NewMessage:
        params = {"to": DARIO, "reference": "msg_1", "asked_at": self.desk.clock.now()}
        params |= {"text": "Until eight."} if kind == "text" else {}
        return NewMessage(**{**params, "type": MessageType(kind), **more})

    def send(self, new: NewMessage) -> str:
        assert self.part.validate_new_message(new) == []
        return self.desk.wait_for(self.part.send(self.credentials, new)).id

    def lines(self) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.act("chats", account=NUMBER)["data"]
        return result

    def sent(self) -> list[dict[str, Any]]:
        return [line for line in self.lines() if line["direction"] == "outbound"]

    def facts(self) -> list[PlatformFact]:
        """Read what has come so far. The order in which it comes says nothing."""
        facts: list[PlatformFact] = []
        for arrived in list(self.gateway.arrived):
            request = WebhookRequest(method="POST", query={}, headers=arrived.headers, body=arrived.body)
            facts += self.desk.connector.webhook_receiver.parse(request)
        return facts

    def reported(self, message_id: str) -> MessageReported:
        def look() -> MessageReported | None:
            message_reporteds = [fact for fact in self.facts() if isinstance(fact, MessageReported)]
            return next((fact for fact in message_reporteds if fact.message.id == message_id), None)

        return eventually(look)

    def progress(self, message_id: str) -> dict[MessageStatus, MessageProgressed]:
        message_progresseds = [fact for fact in self.facts() if isinstance(fact, MessageProgressed)]
        return {fact.status: fact for fact in message_progresseds if fact.message_id == message_id}


@pytest.fixture
def chat(sandbox: RunningSandbox, gateway: WebhookReceiver) -> Iterator[Chat]:
    sandbox.reset(gateway)
    with start_driver(Platform.WHATSAPP_CLOUD, sandbox) as desk:
        yield Chat(desk, gateway)


def pointers(chat: Chat, new: NewMessage) -> list[tuple[str, str]]:
    return [(fault.pointer, fault.code) for fault in chat.part.validate_new_message(new)]


ROWS = [{"id": "a", "title": "Rye", "description": None}, {"id": "b", "title": "Wheat", "description": "Soft"}]
BODY = {"type": "body", "parameters": [{"type": "text", "text": "Dario"}, {"type": "text", "text": "7"}]}
FORMS: list[tuple[str, dict[str, Any], Any]] = [
    ("text", {"text": "See https://a.example"}, {"body": "See https://a.example", "preview_url": True}),
    (
        "location",
        {"data": {"latitude": 59.3, "longitude": 18.1, "name": "Bakery", "address": None}},
        {"latitude": 59.3, "longitude": 18.1, "name": "Bakery"},
    ),
    (
        "contacts",
        {"data": {"contacts": [{"name": "Ana Souza", "phones": ["+51987"], "emails": [], "organization": "Shop"}]}},
        [
            {
                "name": {"formatted_name": "Ana Souza", "first_name": "Ana", "last_name": "Souza"},
                "phones": [{"phone": "+51987"}],
                "org": {"company": "Shop"},
            }
        ],
    ),
    (
        "interactive",
        {"data": {"body": "?", "footer": "Shop", "buttons": [{"title": "Yes", "id": "y", "url": None}]}},
        {
            "type": "button",
            "body": {"text": "?"},
            "footer": {"text": "Shop"},
            "action": {"buttons": [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]},
        },
    ),
    (
        "interactive",
        {"data": {"body": "?", "header": "Bread", "button": "Menu", "sections": [{"title": None, "rows": ROWS}]}},
        {
            "type": "list",
            "header": {"type": "text", "text": "Bread"},
            "body": {"text": "?"},
            "action": {"button": "Menu", "sections": [{"rows": [{"id": "a", "title": "Rye"}, ROWS[1]]}]},
        },
    ),
    (
        "template",
        {"data": {"name": "order_ready", "language": "en_US", "components": [BODY]}},
        {"name": "order_ready", "language": {"code": "en_US"}, "components": [BODY]},
    ),
]


@pytest.mark.parametrize(("kind", "payload", "content"), FORMS, ids=range(len(FORMS)))
def test_each_type_goes_in_the_form_that_whatsapp_wants(
    chat: Chat, kind: str, payload: dict[str, Any], content: Any
) -> None:
    key = chat.send(chat.new(kind, **payload))
    (line,) = chat.sent()
    assert (line["id"], line["content"][kind]) == (key, content)


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document", "sticker"])
def test_files_go_by_their_public_address(chat: Chat, kind: str) -> None:
    files = chat.desk.files
    function: dict[str, Callable[[], MediaFile]] = {
        "image": files.image,
        "video": files.video,
        "audio": lambda: files.file(b"ID3" + bytes(100), "audio", "audio/mpeg"),
        "document": lambda: files.file(b"%PDF-1.7", "document", "application/pdf"),
        "sticker": lambda: files.image(form="WEBP"),
    }
    media = function[kind]()
    captioned = kind not in {"audio", "sticker"}
    chat.send(chat.new(kind, media=media, text="Look" if captioned else ""))
    (line,) = chat.sent()
    values = {"link": media.url} | ({"caption": "Look"} if captioned else {})
    assert line["content"][kind] == values | ({"filename": media.file_name} if kind == "document" else {})


def test_replies_reactions_and_receipts_name_the_message(chat: Chat) -> None:
    chat.send(chat.new(reply_to=chat.question_id))
    chat.send(chat.new("reaction", data={"msgId": chat.question_id, "emoji": "👍"}))
    reaction, reply = chat.sent()
    assert reply["content"]["context"] == {"message_id": chat.question_id}
    assert reaction["content"]["reaction"] == {"message_id": chat.question_id, "emoji": "👍"}
    chat.desk.wait_for(chat.part.mark_read(chat.credentials, DARIO, chat.question_id))
    assert chat.lines()[-1]["statuses"] == ["read"]
    with pytest.raises(PlatformRejectedError):
        chat.desk.wait_for(chat.part.mark_read(chat.credentials, DARIO, "wamid.unknown"))


def test_buttons_of_a_text_or_a_picture_become_an_interactive_message(chat: Chat) -> None:
    chat.send(chat.new(quick_replies=(ReplyButton(title="Yes"), ReplyButton(title="No", id="n"))))
    replies = chat.sent()[0]["content"]["interactive"]["action"]["buttons"]
    assert [reply["reply"] for reply in replies] == [{"id": "Yes", "title": "Yes"}, {"id": "n", "title": "No"}]
    media = chat.desk.files.image()
    picture = chat.new("image", media=media, text="Bread?", buttons=(ReplyButton(title="Yes"),))
    assert encode_message(picture)["interactive"]["header"] == {"type": "image", "image": {"link": media.url}}
    link = encode_message(chat.new(buttons=(ReplyButton(title="Menu", url="https://a.example/menu"),)))["interactive"]
    values = {"name": "cta_url", "parameters": {"display_text": "Menu", "url": "https://a.example/menu"}}
    assert (link["type"], link["action"]) == ("cta_url", values)


def test_a_message_goes_to_the_person_by_the_id_that_whatsapp_takes(chat: Chat) -> None:
    template = {"data": {"name": "hello_world", "language": "en_US", "components": []}}

    def recipient(*args: Any, **more: Any) -> tuple[Any, Any]:
        body = encode_message(chat.new(*args, **more))
        return body.get("to"), body.get("recipient")

    assert recipient() == (f"+{DARIO}", None)
    assert recipient(to="US.13491208655302741918", phone="+4915") == (None, "US.13491208655302741918")
    assert recipient("template", to="US.9", **template) == (None, "US.9")
    # One-time passwords reach nobody by a user id.
    assert recipient("template", to="US.9", phone="+49155", **template) == ("+49155", None)
    # The number has changed since the conversation began.
    assert recipient(phone="+49155") == ("+49155", None)


@pytest.mark.parametrize(
    ("to", "contact", "phone"),
    [
        ("+49 (155) 501-00101", "4915550100101", "+4915550100101"),
        ("4915550100101", "4915550100101", "+4915550100101"),
        ("US.13491208655302741918", "US.13491208655302741918", None),
        ("US.ENT.11815799212886844830", "US.ENT.11815799212886844830", None),
        *((wrong, None, None) for wrong in ("", "12345", "0155501", "+" + "1" * 16, "ada", "us.1", "US.", "١٢٣٤٥٦٧٨")),
    ],
)
def test_recipients_are_numbers_or_user_ids(chat: Chat, to: str, contact: str | None, phone: str | None) -> None:
    existing_contact = chat.part.parse_recipient(to)
    assert (existing_contact and existing_contact.id, existing_contact and existing_contact.phone) == (contact, phone)


@pytest.mark.parametrize(
    ("number", "other"),
    [("5531987654321", "553187654321"), ("553187654321", "5531987654321"), ("541112345678", "5491112345678")],
)
def test_a_number_that_whatsapp_writes_otherwise_is_the_same_person(chat: Chat, number: str, other: str) -> None:
    contact = chat.part.parse_recipient(number)
    assert contact is not None
    assert (contact.id, contact.aliases) == (number, (other,))
    answer = {"messages": [{"id": "wamid.a"}], "contacts": [{"wa_id": other, "user_id": "BR.7"}]}
    chat.desk.fail("*/messages", status=200, body=answer)
    sent = chat.desk.wait_for(chat.part.send(chat.credentials, chat.new(to=number)))
    assert (sent.id, sent.contact and sent.contact.id) == ("wamid.a", "BR.7")
    assert sent.contact is not None
    assert {other, number} <= set(sent.contact.aliases)


def test_statuses_carry_our_reference_from_sent_to_read(chat: Chat) -> None:
    key = chat.send(chat.new())
    chat.desk.rest(10)
    message_progresseds = eventually(
        lambda: message_progresseds if len(message_progresseds := chat.progress(key)) == 3 else None
    )
    assert set(message_progresseds) == {MessageStatus.SENT, MessageStatus.DELIVERED, MessageStatus.READ}
    assert {(fact.reference, fact.account, fact.error) for fact in message_progresseds.values()} == {
        ("msg_1", NUMBER, None)
    }
    assert len({fact.dedup_key for fact in message_progresseds.values()}) == 3


def test_a_message_fails_at_once_or_later_with_the_same_remedy(chat: Chat) -> None:
    chat.desk.rest(25 * 60 * 60)
    key = chat.send(chat.new())
    chat.desk.rest(5)
    later = eventually(lambda: chat.progress(key).get(MessageStatus.FAILED))
    assert later.reference == "msg_1"
    assert later.error is not None
    assert "Send a template" in later.error
    assert "131047" in later.error
    chat.act("sending", account=NUMBER, atOnce=True)
    with pytest.raises(PlatformRejectedError, match="Send a template") as refused:
        chat.send(chat.new())
    assert [fault.pointer for fault in refused.value.errors] == ["/type"]


@pytest.mark.parametrize(
    ("name", "word", "message"),
    [
        ("pair_rate_limited", PlatformRateLimitError, "this one person"),
        ("throughput_limited", PlatformRateLimitError, "faster"),
        ("undeliverable", PlatformRejectedError, "not on WhatsApp"),
        ("recipient_not_allowed", PlatformRejectedError, "test number"),
        ("template_missing", PlatformRejectedError, "template"),
        ("media_download_failed", PlatformRejectedError, "public"),
        ("service_unavailable", OutcomeUnknownError, "Check there"),
    ],
)
def test_refusals_say_what_to_do(chat: Chat, name: str, word: type[PlatformFailure], message: str) -> None:
    chat.desk.fail(f"*/{NUMBER}/messages", error=name)
    with pytest.raises(word, match=message) as failed:
        chat.send(chat.new())
    error = failed.value.platform_error
    assert error is not None
    assert error.code is not None


def test_what_exactly_is_wrong_is_passed_on(chat: Chat) -> None:
    missing = chat.new("template", data={"name": "nobody_made_it", "language": "en_US", "components": []})
    with pytest.raises(PlatformRejectedError) as refused:
        chat.send(missing)
    assert refused.value.platform_error is not None
    assert "nobody_made_it" in str(refused.value.platform_error.message)
    assert refused.value.detail.startswith("There is no approved template with this name")
    assert "nobody_made_it" in refused.value.detail
    assert refused.value.detail_with_vendor_message.count("nobody_made_it") == refused.value.detail.count(
        "nobody_made_it"
    )
    with pytest.raises(PlatformRejectedError, match=r"do not match.* expected number of params \(2\)"):
        chat.send(chat.new("template", data={"name": "order_ready", "language": "en_US", "components": []}))


@pytest.mark.parametrize("when", ["drop", "after"])
def test_a_lost_answer_is_never_sent_again_and_its_status_proves_it(chat: Chat, when: str) -> None:
    chat.desk.fail(f"*/{NUMBER}/messages", when)
    new = chat.new()
    with pytest.raises(OutcomeUnknownError):
        chat.send(new)
    assert isinstance(chat.desk.wait_for(chat.part.look_up_result(chat.credentials, new)), Inconclusive)
    assert len(chat.sent()) == (when == "after")
    if when == "after":
        chat.desk.rest(10)
        key = chat.sent()[0]["id"]
        assert eventually(lambda: chat.progress(key)).popitem()[1].reference == new.reference


def test_what_is_too_much_for_whatsapp_is_named_all_at_once(chat: Chat) -> None:
    files = chat.desk.files
    cases: list[tuple[NewMessage, list[tuple[str, str]]]] = [
        (chat.new(text="x" * 4097), [("/text", "too_long")]),
        (chat.new(text=" "), [("/text", "required")]),
        (chat.new("audio", media=files.file(b"x", "audio", "audio/wav")), [("/media", "media_type")]),
        (
            chat.new("image", text="x" * 1025, media=files.file(bytes(5 << 20 | 1), "image", "image/gif")),
            [("/text", "too_long"), ("/media", "media_type"), ("/media", "too_large")],
        ),
        (
            chat.new("sticker", text="Hi", media=files.file(bytes(600_000), "image", "image/webp")),
            [("/text", "not_supported"), ("/media", "too_large")],
        ),
        (
            chat.new("audio", media=files.file(b"x", "audio", "audio/mpeg"), buttons=(ReplyButton(title="A"),)),
            [("/text", "required"), ("/buttons", "not_supported")],
        ),
        (
            chat.new(
                text="x" * 1025, quick_replies=tuple(ReplyButton(title=f"{n % 3} {'x' * n}") for n in (0, 0, 18, 19))
            ),
            [
                ("/text", "too_long"),
                ("/quickReplies", "too_many"),
                ("/quickReplies/3/title", "too_long"),
                ("/quickReplies/1/title", "duplicate"),
                ("/quickReplies/1/id", "duplicate"),
            ],
        ),
        (
            chat.new(buttons=(ReplyButton(title="A", url="https://a.example"), ReplyButton(title="B"))),
            [("/buttons/0/url", "not_supported")],
        ),
        (
            chat.new("reaction", data={"msgId": "wamid.1", "emoji": "👍"}, reply_to="wamid.2"),
            [("/replyTo", "contradiction")],
        ),
    ]
    for new, expected in cases:
        assert pointers(chat, new) == expected


def test_an_interactive_message_has_the_limits_of_whatsapp(chat: Chat) -> None:
    def function(**data: Any) -> list[tuple[str, str]]:
        return pointers(chat, chat.new("interactive", data={"body": "?", **data}))

    assert function() == [("/interactive", "contradiction")]
    button = {"title": "A" * 21, "id": None, "url": None}
    assert function(body="x" * 1025, buttons=[button]) == [
        ("/interactive/body", "too_long"),
        ("/interactive/buttons/0/title", "too_long"),
    ]
    many = [{"rows": [{"id": str(row), "title": "x"} for row in range(6)]} for _ in range(2)]
    faults = function(body="x" * 4096, sections=many)
    assert faults[:4] == [
        ("/interactive/button", "required"),
        ("/interactive/sections/0/title", "required"),
        ("/interactive/sections/1/title", "required"),
        ("/interactive/sections", "too_many"),
    ]
    assert faults[4:] == [(f"/interactive/sections/1/rows/{row}/id", "duplicate") for row in range(6)]
    assert function(button="Menu", sections=[{"rows": [{"id": "a", "title": "x" * 25}]}]) == [
        ("/interactive/sections/0/rows/0/title", "too_long")
    ]


def test_what_a_person_writes_is_reported_with_who_they_are(chat: Chat) -> None:
    message_reported = chat.reported(chat.question_id)
    assert (message_reported.kind, message_reported.account) == (Kind.WHATSAPP_CLOUD, NUMBER)
    message = message_reported.message
    assert (message.type, message.text, message.outbound) == (MessageType.TEXT, "Are you open?", False)
    assert (message.contact.name, message.contact.phone) == ("Dario Weiss", f"+{DARIO}")
    assert DARIO in {message.contact.id, *message.contact.aliases}
    assert abs(message.sent_at - chat.desk.clock.now()) < timedelta(minutes=10)
    hidden = chat.reported(chat.write("I have no number", hidden=True)).message.contact
    assert hidden.phone is None
    assert chat.part.parse_recipient(hidden.id) is not None
    asking = {"body": "Shall we?", "buttons": [{"title": "Yes", "id": "yes"}]}
    sent = chat.desk.wait_for(chat.part.send(chat.credentials, chat.new("interactive", data=asking)))
    pressed = chat.act("press", account=NUMBER, person="dario", messageId=sent.id, button="Yes")["messageId"]
    answer = chat.reported(pressed).message
    assert (answer.type, answer.text, answer.reply_to) == (MessageType.INTERACTIVE, "Yes", sent.id)
    assert answer.data == {"id": "yes", "title": "Yes", "reply": {"id": "yes", "title": "Yes"}}
    chat.act("react", account=NUMBER, person="dario", messageId=chat.question_id, emoji="❤️")
    changed = eventually(lambda: [fact for fact in chat.facts() if isinstance(fact, MessageChanged)])
    assert (changed[0].change, changed[0].emoji, changed[0].message_id) == ("reaction", "❤️", chat.question_id)
    assert changed[0].reacted_by == message.contact.id


def test_a_picture_is_found_while_whatsapp_has_it(chat: Chat) -> None:
    message = chat.reported(chat.write("My cake", attachment="image")).message
    (file,) = message.attachments
    assert (message.text, file.type, file.mime_type) == ("My cake", "image", "image/png")
    place = chat.desk.wait_for(chat.part.get_download_location(chat.credentials, file))
    got = chat.desk.wait_for(place.door.send("GET", place.url, deadline=30, read_limit=1 << 20, headers=place.headers))
    assert (got.status, got.body[:4]) == (200, b"\x89PNG")
    bare = chat.desk.wait_for(place.door.send("GET", place.url, deadline=30, read_limit=1 << 20))
    assert bare.status == 401
    with pytest.raises(PlatformFailure):
        chat.desk.wait_for(
            chat.part.get_download_location(chat.credentials, AttachmentItem(type="image", source={"id": "1"}))
        )


def test_whatsapp_keeps_no_history(chat: Chat) -> None:
    assert not chat.part.keeps_history
    assert chat.part.free_form_window == timedelta(hours=24)
    assert MessageType.UNSUPPORTED not in chat.part.types
    with pytest.raises(NotSupportedError):
        chat.desk.wait_for(chat.part.list_history(chat.credentials, DARIO, 5, None))
