"""Writing on WhatsApp through WaSender: every type at the sandbox, what is refused before, and lost answers."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import httpx
import msgspec
import pytest

from socialgate.connectors.wasender.api import WasenderApi
from socialgate.connectors.wasender.messages import LinkedNumberMessages
from socialgate.connectors.wasender.payloads import build_jid
from socialgate.contracts.account_connection import AccountCredentials, Grant
from socialgate.contracts.failures import (
    NeedsReconnectionError,
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

SESSION = "51"
NUMBER = "+15550100051"
PERSON = "+15550200001"
LID = "24800000000001@lid"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.WASENDER, sandbox) as opened:
        yield opened


@pytest.fixture
def number(desk: ConnectorDriver) -> AccountCredentials:
    key = desk.sandbox.control("credentials", platform="wasender", account=SESSION)["apiKey"]
    grant = Grant(
        platform_user_id=SESSION, name="Agency desk", access_token=key, scopes=(), refreshed_at=desk.clock.now()
    )
    return AccountCredentials(
        kind=Kind.WHATSAPP_QR, platform_account_id=NUMBER, grant=grant, secret={}, details={"sessionId": SESSION}
    )


def part(desk: ConnectorDriver) -> MessageAdapter:
    return desk.part(Kind.WHATSAPP_QR, MESSAGES_CAPABILITY)


def new(kind: MessageType = MessageType.TEXT, to: str = PERSON, **known: Any) -> NewMessage:
    if kind is MessageType.TEXT:
        known.setdefault("text", "Hello")
    return NewMessage(to=to, type=kind, reference="msg_1", asked_at=datetime(2026, 11, 15, tzinfo=UTC), **known)


def send(desk: ConnectorDriver, number: AccountCredentials, message: NewMessage) -> SentMessage:
    assert part(desk).validate_new_message(message) == []
    return desk.wait_for(part(desk).send(number, message))


def feed(desk: ConnectorDriver) -> list[dict[str, Any]]:
    """List what the number shows, the newest first."""
    payload: list[dict[str, Any]] = desk.sandbox.control("feed", platform="wasender", account=SESSION)["data"]
    return payload


def file(kind: str = "image", mime_type: str = "image/jpeg", size: int = 9) -> MediaFile:
    fields: dict[str, Any] = {"id": "m", "sha256": "0", "url": "u", "file_name": "f"}
    return MediaFile(type=msgspec.convert(kind, Any), mime_type=mime_type, size=size, **fields)


def test_a_text_is_known_by_both_of_its_ids(desk: ConnectorDriver, number: AccountCredentials) -> None:
    sent = send(desk, number, new(text="Until eight."))
    (message,) = feed(desk)
    assert (message["text"], message["fromMe"], message["chat"]) == ("Until eight.", True, build_jid(PERSON))
    assert (sent.id, sent.vendor_ids) == (str(message["messageId"]), (message["message"],))
    assert sent.contact == Contact(id=PERSON, phone=PERSON)


def test_somebody_known_by_a_lid_is_written_to_by_number(desk: ConnectorDriver, number: AccountCredentials) -> None:
    send(desk, number, new(to=LID, phone=PERSON))
    assert desk.calls("*/send-message")[0]["body"]["to"] == PERSON
    assert send(desk, number, new(to=LID)).contact == Contact(id=LID)
    assert desk.calls("*/send-message")[0]["body"]["to"] == LID


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document", "sticker"])
def test_a_file_goes_by_its_address(desk: ConnectorDriver, number: AccountCredentials, kind: str) -> None:
    files = desk.files
    makers: dict[str, Callable[[], MediaFile]] = {
        "image": files.image,
        "video": files.video,
        "audio": lambda: files.file(b"OggS voice", "audio", "audio/ogg"),
        "document": lambda: files.file(b"%PDF-1.4", "document", "application/pdf"),
        "sticker": lambda: files.image(form="WEBP"),
    }
    media_file = makers[kind]()
    worded = kind in {"image", "video", "document"}
    send(desk, number, new(MessageType(kind), media=media_file, text="Look" if worded else ""))
    (message,) = feed(desk)
    assert message["content"][f"{kind}Message"]
    assert message["text"] == ("Look" if worded else "")
    assert message["file"]["sha256"] == media_file.sha256
    body = desk.calls("*/send-message")[0]["body"]
    assert body.get("fileName") == (media_file.file_name if kind == "document" else None)


def test_places_contacts_and_answers_arrive(desk: ConnectorDriver, number: AccountCredentials) -> None:
    place = {"latitude": 1.5, "longitude": 2.5, "name": "Shop", "address": None}
    first = send(desk, number, new(MessageType.LOCATION, data=place))
    assert feed(desk)[0]["content"]["locationMessage"]["name"] == "Shop"
    card = {"name": "Bo", "phones": ["+51987654321"], "emails": [], "organization": None}
    send(desk, number, new(MessageType.CONTACTS, data={"contacts": [card]}))
    assert feed(desk)[0]["content"]["contactMessage"]["displayName"] == "Bo"
    send(desk, number, new(reply_to=first.id))
    assert desk.calls("*/send-message")[0]["body"]["replyTo"] == int(first.id)


@pytest.mark.parametrize("when", ["after", "drop"])
def test_a_message_whose_ids_are_not_told_was_sent_all_the_same(
    desk: ConnectorDriver, number: AccountCredentials, when: str
) -> None:
    desk.fail("*/messages/*/info", when)
    sent = send(desk, number, new())
    assert (sent.id, sent.vendor_ids) == (str(feed(desk)[0]["messageId"]), ())
    assert len(desk.calls("*/send-message")) == 1


def test_an_older_answer_without_a_number_is_a_success(desk: ConnectorDriver, number: AccountCredentials) -> None:
    desk.fail("*/send-message", status=200, body={"success": True, "message": "Message sent"})
    assert send(desk, number, new()) == SentMessage(id="msg_1", echo_has_other_id=True)


@pytest.mark.parametrize(
    ("error", "word", "wait"),
    [
        ("protected", PlatformRateLimitError, 5),
        ("trial_limited", PlatformRateLimitError, 60),
        ("quota_exceeded", PlatformRateLimitError, 3600),
        ("not_connected", PlatformRejectedError, None),
        ("subscription_inactive", PlatformRejectedError, None),
        ("token_revoked", NeedsReconnectionError, None),
    ],
)
def test_a_refusal_has_its_word(
    desk: ConnectorDriver, number: AccountCredentials, error: str, word: type[PlatformFailure], wait: int | None
) -> None:
    desk.fail("*/send-message", error=error)
    with pytest.raises(word) as failed:
        send(desk, number, new())
    assert failed.value.retry_after == wait
    assert feed(desk) == []


def test_a_refused_field_is_named_as_in_the_request(desk: ConnectorDriver, number: AccountCredentials) -> None:
    desk.fail("*/send-message", error="invalid")
    with pytest.raises(PlatformRejectedError) as failed:
        send(desk, number, new())
    assert [fault.pointer for fault in failed.value.errors] == ["/to"]


@pytest.mark.parametrize("lid", [False, True])
def test_a_message_is_marked_as_read(desk: ConnectorDriver, number: AccountCredentials, *, lid: bool) -> None:
    response = desk.sandbox.control("message", platform="wasender", account=SESSION, text="Hi", lid=lid)["messageId"]
    desk.fail("*/messages/read", "after")
    contact = LID if lid else PERSON
    with pytest.raises(PlatformFailure) as failed:
        desk.wait_for(part(desk).mark_read(number, contact, response))
    assert failed.value.retryable, "to say it once more changes nothing"
    desk.rest(60)
    desk.wait_for(part(desk).mark_read(number, contact, response))
    key = desk.calls("*/messages/read")[0]["body"]["key"]
    assert key == {"id": response, "remoteJid": build_jid(contact), "fromMe": False}
    assert feed(desk)[0]["status"] == 4


@pytest.mark.parametrize("kind", ["image", "video", "audio", "document", "sticker"])
def test_a_file_of_a_person_is_decrypted(desk: ConnectorDriver, number: AccountCredentials, kind: str) -> None:
    attachment = "file" if kind == "document" else kind
    response = desk.sandbox.control("message", platform="wasender", account=SESSION, attachment=attachment)["messageId"]
    message = feed(desk)[0]
    source = {"id": response, "member": f"{kind}Message", "file": message["content"][f"{kind}Message"]}
    place = desk.wait_for(part(desk).get_download_location(number, AttachmentItem(type=kind, source=source)))
    assert len(httpx.get(place.url).content) == message["file"]["size"]


def test_a_file_that_is_gone_is_not_found_and_ends_nothing(desk: ConnectorDriver, number: AccountCredentials) -> None:
    source = {"id": "3EB0", "member": "imageMessage", "file": {"url": "https://mmg.whatsapp.net/x", "mediaKey": "k"}}
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(part(desk).get_download_location(number, AttachmentItem(type="image", source=source)))
    desk.fail("*/decrypt-media", status=200, body={"success": True})
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(part(desk).get_download_location(number, AttachmentItem(type="image", source=source)))


# The pure parts.

PURE = LinkedNumberMessages(WasenderApi.__new__(WasenderApi))
CARD = {"name": "Bo", "phones": ["+51987"], "emails": [], "organization": None}
MB = 1024 * 1024


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (new(text="x" * 4096), {}),
        (new(text="x" * 4097), {"/text": "too_long"}),
        (new(MessageType.IMAGE, media=file(size=16 * MB), text="Look"), {}),
        (new(MessageType.IMAGE, media=file(size=16 * MB + 1)), {"/media": "too_large"}),
        (new(MessageType.IMAGE, media=file(mime_type="image/gif")), {"/media": "media_type"}),
        (new(MessageType.DOCUMENT, media=file("document", "text/csv", 50 * MB)), {}),
        (new(MessageType.DOCUMENT, media=file("document", "text/csv", 50 * MB + 1)), {"/media": "too_large"}),
        (
            new(MessageType.STICKER, media=file(size=5 * MB + 1, mime_type="image/webp"), text="Hi"),
            {"/media": "too_large", "/text": "contradiction"},
        ),
        (new(MessageType.AUDIO, media=file("audio", "audio/mpeg"), text="Hi"), {"/text": "contradiction"}),
        (new(reply_to="100000"), {}),
        (new(reply_to="3EB0A1B2C3D4E5F60718"), {"/replyTo": "not_supported"}),
        (new(buttons=(ReplyButton(title="A"),)), {"/buttons/0": "not_supported"}),
        (new(quick_replies=(ReplyButton(title="A"),)), {"/quickReplies/0": "not_supported"}),
        (new(MessageType.CONTACTS, data={"contacts": [CARD]}), {}),
        (new(MessageType.CONTACTS, data={"contacts": [CARD, CARD]}), {"/contacts": "too_many"}),
        (new(MessageType.CONTACTS, data={"contacts": [{**CARD, "phones": []}]}), {"/contacts/0/phones": "required"}),
        (
            new(
                MessageType.CONTACTS,
                data={"contacts": [{**CARD, "phones": ["+1", "+2"], "emails": ["a@b.c"], "organization": "X"}]},
            ),
            {
                "/contacts/0/phones/1": "not_supported",
                "/contacts/0/emails": "not_supported",
                "/contacts/0/organization": "not_supported",
            },
        ),
    ],
)
def test_what_wasender_would_refuse_is_named_at_once(message: NewMessage, expected: dict[str, str]) -> None:
    assert {fault.pointer: fault.code for fault in PURE.validate_new_message(message)} == expected


@pytest.mark.parametrize(
    ("to", "contact"),
    [
        ("+51 987-654-321", Contact(id="+51987654321", phone="+51987654321")),
        ("51987654321", Contact(id="+51987654321", phone="+51987654321")),
        ("51987654321@s.whatsapp.net", Contact(id="+51987654321", phone="+51987654321")),
        (LID, Contact(id=LID)),
        ("120363000000000000@g.us", None),
        ("Ana", None),
        ("", None),
        ("+123", None),
        ("+" + "1" * 16, None),
    ],
)
def test_people_are_known_by_number_or_lid(to: str, contact: Contact | None) -> None:
    assert PURE.parse_recipient(to) == contact


def test_neither_templates_nor_buttons_nor_reactions_can_be_sent() -> None:
    lacking = {MessageType.TEMPLATE, MessageType.INTERACTIVE, MessageType.REACTION, MessageType.UNSUPPORTED}
    assert PURE.types == set(MessageType) - lacking
    assert PURE.free_form_window is None
