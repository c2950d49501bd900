"""Writing to people with a Telegram bot: every type at the sandbox, what is refused before, and lost answers."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest

from socialgate.connectors.telegram.api import BotApi
from socialgate.connectors.telegram.messages import BotMessages
from socialgate.connectors.telegram.payloads import parse_contact_id, parse_message_number
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    NotSupportedError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
)
from socialgate.contracts.messages import (
    MESSAGES_CAPABILITY,
    AttachmentItem,
    Contact,
    MessageAdapter,
    MessageType,
    NewMessage,
    ReplyButton,
    SentMessage,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import MediaFile
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

BOT = "7100000001"
PERSON = "5200000004"
NOBODY = "5299999999"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    # A bot cannot write first.
    sandbox.control("message", platform="telegram", account=BOT, text="/start")
    with start_driver(Platform.TELEGRAM, sandbox) as opened:
        yield opened


@pytest.fixture
def bot(desk: ConnectorDriver) -> AccountCredentials:
    return desk.connect_with_secret(botToken=desk.sandbox.control("token", platform="telegram", account=BOT)["token"])


def part(desk: ConnectorDriver) -> MessageAdapter:
    return desk.part(Kind.TELEGRAM_BOT, MESSAGES_CAPABILITY)


def new(kind: MessageType = MessageType.TEXT, to: str = PERSON, **known: Any) -> NewMessage:
    if kind is MessageType.TEXT:
        known.setdefault("text", "Hello")
    return NewMessage(to=to, type=kind, reference="msg_1", asked_at=datetime(2026, 11, 15, tzinfo=UTC), **known)


def send(desk: ConnectorDriver, bot: AccountCredentials, message: NewMessage) -> SentMessage:
    assert part(desk).validate_new_message(message) == []
    return desk.wait_for(part(desk).send(bot, message))


def chat(desk: ConnectorDriver) -> list[dict[str, Any]]:
    """List what the bot wrote to the person, the oldest first."""
    response = desk.sandbox.control("feed", platform="telegram", account=BOT)["data"]
    return [item for item in response[::-1] if item["sender"] == BOT]


def last(desk: ConnectorDriver) -> dict[str, Any]:
    result: dict[str, Any] = chat(desk)[-1]["message"]
    return result


def file(kind: str = "image", mime_type: str = "image/jpeg", size: int = 9) -> MediaFile:
    fields: dict[str, Any] = {"id": "m", "sha256": "0", "url": "u", "file_name": "f"}
    return MediaFile(type=msgspec.convert(kind, Any), mime_type=mime_type, size=size, **fields)


def test_a_text_arrives_and_is_named_by_its_chat_and_number(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    sent = send(desk, bot, new(text="Until eight."))
    (message,) = chat(desk)
    assert sent.id == f"{PERSON}:{message['messageId']}"
    assert message["message"]["text"] == "Until eight."
    assert sent.sent_at == datetime.fromtimestamp(message["message"]["date"], UTC)


@pytest.mark.parametrize("form", ["photo", "animation", "video", "audio", "voice", "document", "sticker"])
def test_a_file_goes_by_its_address(desk: ConnectorDriver, bot: AccountCredentials, form: str) -> None:
    files = desk.files
    makers: dict[str, tuple[MessageType, Callable[[], MediaFile]]] = {
        "photo": (MessageType.IMAGE, files.image),
        "animation": (MessageType.IMAGE, lambda: files.image(form="GIF")),
        "video": (MessageType.VIDEO, files.video),
        "audio": (MessageType.AUDIO, lambda: files.file(b"ID3 song", "audio", "audio/mpeg")),
        "voice": (MessageType.AUDIO, lambda: files.file(b"OggS voice", "audio", "audio/ogg")),
        "document": (MessageType.DOCUMENT, lambda: files.file(b"%PDF-1.4", "document", "application/pdf")),
        "sticker": (MessageType.STICKER, lambda: files.image(form="WEBP")),
    }
    kind, make = makers[form]
    media_file = make()
    send(desk, bot, new(kind, media=media_file, text="" if form == "sticker" else "Look"))
    (message,) = chat(desk)
    assert message["message"][form]
    assert message["message"].get("caption") == (None if form == "sticker" else "Look")
    assert [item["sha256"] for item in message["files"]] == [media_file.sha256]


def test_places_and_contacts_arrive(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    place = {"latitude": 1.5, "longitude": 2.5, "name": None, "address": None}
    send(desk, bot, new(MessageType.LOCATION, data=place))
    assert last(desk)["location"]["latitude"] == pytest.approx(1.5)
    send(desk, bot, new(MessageType.LOCATION, data={**place, "name": "Shop"}))
    assert (last(desk)["venue"]["title"], last(desk)["venue"]["address"]) == ("Shop", "Shop")
    card = {
        "name": "Bo, the baker",
        "phones": ["+51987", "+5199"],
        "emails": ["bo@example.com"],
        "organization": "Bread",
    }
    send(desk, bot, new(MessageType.CONTACTS, data={"contacts": [card]}))
    contact = last(desk)["contact"]
    assert (contact["phone_number"], contact["first_name"]) == ("+51987", "Bo, the baker")
    message = desk.calls("*/sendContact")[0]["body"]["vcard"].split("\r\n")
    assert message[2:-1] == ["FN:Bo\\, the baker", "TEL:+51987", "TEL:+5199", "EMAIL:bo@example.com", "ORG:Bread"]


def test_buttons_are_a_keyboard_and_come_back_when_pressed(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    buttons = (ReplyButton(title="Hours", id="hours"), ReplyButton(title="Site", url="https://example.com/"))
    send(desk, bot, new(text="How?", buttons=buttons, quick_replies=(ReplyButton(title="Bye"),)))
    keyboard = [row[0] for row in last(desk)["reply_markup"]["inline_keyboard"]]
    assert keyboard == [
        {"text": "Hours", "callback_data": "hours"},
        {"text": "Site", "url": "https://example.com/"},
        {"text": "Bye", "callback_data": "Bye"},
    ]
    rows = [{"title": None, "rows": [{"id": "a", "title": "One", "description": None}]}]
    data = {"body": "Which?", "header": "Bread", "footer": None, "buttons": [], "button": "Open", "sections": rows}
    send(desk, bot, new(MessageType.INTERACTIVE, data=data))
    assert last(desk)["text"] == "Bread\n\nWhich?"
    assert last(desk)["reply_markup"]["inline_keyboard"] == [[{"text": "One", "callback_data": "a"}]]


def test_a_message_is_answered_and_reacted_to(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    first = send(desk, bot, new())
    send(desk, bot, new(text="And more", reply_to=first.id))
    assert f"{PERSON}:{last(desk)['reply_to_message']['message_id']}" == first.id
    send(desk, bot, new(text="A number alone will do", reply_to=first.id.rpartition(":")[2]))
    assert f"{PERSON}:{last(desk)['reply_to_message']['message_id']}" == first.id
    theirs = desk.sandbox.control("message", platform="telegram", account=BOT, text="Thanks")["messageId"]
    liked = send(desk, bot, new(MessageType.REACTION, data={"msgId": f"{PERSON}:{theirs}", "emoji": "👍"}))
    assert liked.id == f"{PERSON}:reaction:msg_1"
    (call,) = desk.calls("*/setMessageReaction")
    assert call["body"]["reaction"] == [{"type": "emoji", "emoji": "👍"}]
    shown = desk.sandbox.control("feed", platform="telegram", account=BOT)["data"][0]
    assert "👍" in str(shown["reactions"])
    send(desk, bot, new(MessageType.REACTION, data={"msgId": f"{PERSON}:{theirs}", "emoji": ""}))
    assert "👍" not in str(desk.sandbox.control("feed", platform="telegram", account=BOT)["data"][0]["reactions"])


def test_a_business_chat_is_written_to_through_its_connection(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    desk.fail("*/sendMessage", status=400, body={"ok": False, "error_code": 400, "description": "x"})
    with pytest.raises(PlatformRejectedError):
        desk.wait_for(part(desk).send(bot, new(to=f"sBx-1:{PERSON}", text="Hi", reply_to=f"sBx-1:{PERSON}:9")))
    (call,) = desk.calls("*/sendMessage")
    assert (call["body"]["business_connection_id"], call["body"]["chat_id"]) == ("sBx-1", int(PERSON))
    assert call["body"]["reply_parameters"] == {"message_id": 9, "allow_sending_without_reply": True}


@pytest.mark.parametrize(
    ("error", "word"),
    [
        ("blocked", PlatformRejectedError),
        ("cannot_initiate", PlatformRejectedError),
        ("user_deactivated", PlatformNotFoundError),
        ("rate_limited", PlatformRateLimitError),
        ("url_failed", PlatformRejectedError),
    ],
)
def test_a_refusal_has_its_word(
    desk: ConnectorDriver, bot: AccountCredentials, error: str, word: type[PlatformFailure]
) -> None:
    desk.fail("*/sendMessage", error=error)
    with pytest.raises(word) as failed:
        send(desk, bot, new())
    assert failed.value.detail


def test_somebody_who_never_started_the_bot_cannot_be_written_to(
    desk: ConnectorDriver, bot: AccountCredentials
) -> None:
    with pytest.raises((PlatformNotFoundError, PlatformRejectedError)):
        send(desk, bot, new(to=NOBODY))


def test_a_limit_in_one_chat_holds_back_no_other(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    desk.fail("*/sendMessage", error="rate_limited")
    with pytest.raises(PlatformRateLimitError):
        send(desk, bot, new())
    with pytest.raises(PlatformRateLimitError):
        send(desk, bot, new())
    assert len(desk.calls("*/sendMessage")) == 1, "the second call was held back"
    with pytest.raises((PlatformNotFoundError, PlatformRejectedError)):
        send(desk, bot, new(to=NOBODY))
    assert len(desk.calls("*/sendMessage")) == 2


@pytest.mark.parametrize("kind", ["photo", "document", "sticker", "voice"])
def test_a_file_of_a_person_is_located(desk: ConnectorDriver, bot: AccountCredentials, kind: str) -> None:
    attachment = {"photo": "image", "document": "file"}.get(kind, kind)
    desk.sandbox.control("message", platform="telegram", account=BOT, attachment=attachment, text="")
    response = desk.sandbox.control("feed", platform="telegram", account=BOT)["data"][0]
    result = response["message"][kind]
    file_id = (result[-1] if kind == "photo" else result)["file_id"]
    place = desk.wait_for(part(desk).get_download_location(bot, AttachmentItem(type=kind, source={"fileId": file_id})))
    assert len(httpx.get(place.url).content) == response["files"][0]["size"]
    assert bot.grant.access_token not in repr(place), "the address holds the token"


def test_a_file_that_is_not_there_is_not_found(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(part(desk).get_download_location(bot, AttachmentItem(type="image", source={"fileId": "none"})))


def test_bots_neither_tell_what_was_read_nor_have_a_history(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    with pytest.raises(NotSupportedError):
        desk.wait_for(part(desk).mark_read(bot, PERSON, f"{PERSON}:1"))
    page = desk.wait_for(part(desk).list_history(bot, PERSON, 10, None))
    assert (page.items, page.cursor) == ((), None)
    assert part(desk).free_form_window is None


# The pure parts.


# Nothing below makes a call.
PURE = BotMessages(BotApi.__new__(BotApi))


def faults(message: NewMessage) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in PURE.validate_new_message(message)}


CARD = {"name": "Bo", "phones": ["+51987"], "emails": [], "organization": None}
LIST = {"title": "Bread", "rows": [{"id": "a" * 65, "title": "One", "description": "Rye"}]}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (new(text="x" * 4096), {}),
        (new(text="x" * 4097), {"/text": "too_long"}),
        (new(text="👋" * 2049), {"/text": "too_long"}),
        (new(MessageType.IMAGE, media=file(), text="x" * 1025), {"/text": "too_long"}),
        (new(MessageType.IMAGE, media=file(size=5 * 1024**2 + 1)), {"/media": "too_large"}),
        (new(MessageType.IMAGE, media=file(mime_type="image/gif", size=20 * 1024**2)), {}),
        (new(MessageType.VIDEO, media=file("video", "video/mp4", 20 * 1024**2 + 1)), {"/media": "too_large"}),
        (new(MessageType.VIDEO, media=file("video", "video/webm")), {"/media": "media_type"}),
        (new(MessageType.DOCUMENT, media=file("document", "text/csv")), {"/media": "media_type"}),
        (new(MessageType.STICKER, media=file(), text="Hi"), {"/media": "media_type", "/text": "contradiction"}),
        (new(MessageType.CONTACTS, data={"contacts": [CARD, CARD]}), {"/contacts": "too_many"}),
        (new(MessageType.CONTACTS, data={"contacts": [{**CARD, "phones": []}]}), {"/contacts/0/phones": "required"}),
        (
            new(MessageType.CONTACTS, data={"contacts": [{**CARD, "emails": ["x" * 250] * 9}]}),
            {"/contacts/0": "too_long"},
        ),
        (new(reply_to=f"{NOBODY}:5"), {"/replyTo": "not_found"}),
        (new(reply_to=f"{PERSON}:button:5"), {"/replyTo": "not_found"}),
        (new(MessageType.REACTION, data={"msgId": "x", "emoji": "👍"}), {"/reaction/msgId": "not_found"}),
        (
            new(MessageType.REACTION, to=f"sBx:{PERSON}", data={"msgId": "5", "emoji": "👍"}),
            {"/reaction": "not_supported"},
        ),
        (new(buttons=(ReplyButton(title="A", id="x" * 64),)), {}),
        (new(buttons=(ReplyButton(title="A", id="x" * 65),)), {"/buttons/0/id": "too_long"}),
        (new(quick_replies=(ReplyButton(title="é" * 33),)), {"/quickReplies/0/id": "too_long"}),
        (new(buttons=(ReplyButton(title="A", url="javascript:x"),)), {"/buttons/0/url": "invalid"}),
        (new(buttons=(ReplyButton(title="A", id="a", url="https://x.example"),)), {"/buttons/0": "contradiction"}),
        (new(MessageType.INTERACTIVE, data={"body": "x" * 4096, "header": "y"}), {"/interactive/body": "too_long"}),
        (
            new(MessageType.INTERACTIVE, data={"body": "x", "sections": [LIST]}),
            {
                "/interactive/sections/0/rows/0/id": "too_long",
                "/interactive/sections/0/title": "not_supported",
                "/interactive/sections/0/rows/0/description": "not_supported",
            },
        ),
    ],
)
def test_what_telegram_would_refuse_is_named_at_once(message: NewMessage, expected: dict[str, str]) -> None:
    assert faults(message) == expected


@pytest.mark.parametrize(
    ("to", "contact"),
    [
        (PERSON, Contact(id=PERSON)),
        (f"sBx_-1:{PERSON}", Contact(id=f"sBx_-1:{PERSON}")),
        ("@somebody", None),
        ("+51987654321", None),
        ("-1002000000001", None),
        ("0", None),
        ("", None),
        ("1" * 17, None),
        (f"a:b:{PERSON}", None),
        ("٣", None),
    ],
)
def test_people_are_known_by_the_number_of_their_chat(to: str, contact: Contact | None) -> None:
    assert PURE.parse_recipient(to) == contact
    assert (parse_contact_id(to) is None) is (contact is None)


def test_a_message_belongs_to_its_chat() -> None:
    assert parse_message_number(PERSON, f"{PERSON}:12") == parse_message_number(PERSON, "12") == 12
    assert parse_message_number(f"sBx:{PERSON}", f"sBx:{PERSON}:12") == 12
    for other in (f"{NOBODY}:12", f"sBx:{PERSON}:12", f"{PERSON}:x", "", f"{PERSON}:reaction:msg_1"):
        assert parse_message_number(PERSON, other) is None
