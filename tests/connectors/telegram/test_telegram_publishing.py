"""Posting with a Telegram bot: every form at the sandbox, and what a lost answer comes to."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES
from socialgate.connectors.telegram import post_formats
from socialgate.connectors.telegram.api import Chat, ChatMembership
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.connectors.telegram.publishing import build_post_id, require_post_permission
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    PermissionMissingError,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import POST_HISTORY_CAPABILITY, MediaFile, PostContent, PublishedPost
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

BOT = "7100000001"
CHANNEL = "-1002000000001"
PRIVATE_CHANNEL = "-1002000000002"
FOREIGN_CHANNEL = "@cleosnotes"
GROUP = "-1002000000005"
OLD_GROUP = "-4000000006"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.TELEGRAM, sandbox) as opened:
        yield opened


@pytest.fixture
def bot(desk: ConnectorDriver) -> AccountCredentials:
    return desk.connect_with_secret(botToken=desk.sandbox.control("token", platform="telegram", account=BOT)["token"])


def feed(desk: ConnectorDriver, chat: str = CHANNEL) -> list[dict[str, Any]]:
    """List the messages of a chat, the oldest first."""
    payload: list[dict[str, Any]] = desk.sandbox.control("feed", platform="telegram", account=chat)["data"]
    return payload[::-1]


def checksums(message: dict[str, Any]) -> list[str]:
    return [file["sha256"] for file in message["files"]]


def post(*media: MediaFile, text: str = "Fresh bread", chat: str = "@adasbakery", **options: Any) -> PostContent:
    return PostContent(text=text, media=media, options={"chatId": chat, **options})


def file(kind: str = "image", mime_type: str = "image/jpeg", **known: Any) -> MediaFile:
    fields: dict[str, Any] = {
        "id": "m",
        "type": kind,
        "mime_type": mime_type,
        "size": 9,
        "sha256": "0",
        "url": "u",
        "file_name": "f",
    }
    return MediaFile(**(fields | known))


VIDEO = file("video", "video/mp4")
AUDIO = file("audio", "audio/mpeg")
GIF = file("image", "image/gif")


def covered(cover: MediaFile, **known: Any) -> MediaFile:
    return file("video", "video/mp4", thumbnail=cover, **known)


def faults(content: PostContent) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in post_formats.validate_content(content)}


# The pure parts.


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (post(), {}),
        (post(file(), VIDEO), {}),
        (post(AUDIO, AUDIO), {}),
        (post(file(), AUDIO, GIF, form="document"), {}),
        (post(file(), text="x" * 1024), {}),
        (post(file(), text="<b>" + "x" * 1024 + "</b>", parseMode="HTML"), {}),
        (post(text=""), {"/content": "required"}),
        (
            post(form="document", captionAboveMedia=True),
            {"/options/form": "option_not_applicable", "/options/captionAboveMedia": "option_not_applicable"},
        ),
        (post(file(), text="x" * 1025), {"/content": "too_long"}),
        (post(*[file()] * 6, *[VIDEO] * 5), {"/media": "media_count"}),
        (post(file(), AUDIO), {"/media": "media_mixed"}),
        (post(file(), GIF), {"/media/1": "media_type"}),
        (post(AUDIO, captionAboveMedia=True), {"/options/captionAboveMedia": "option_not_applicable"}),
        (post(file(size=30 * 1024**2), file(size=30 * 1024**2)), {"/media": "too_large"}),
        (post(file(width=9000, height=1001)), {"/media/0": "too_large"}),
        (post(file(width=9000, height=1001), form="document"), {}),
        (post(covered(file(size=10 * 1024**2))), {}),
        (post(file(), covered(VIDEO)), {"/media/1/thumbnailMediaId": "media_type"}),
        (post(covered(file(size=10 * 1024**2 + 1))), {"/media/0/thumbnailMediaId": "too_large"}),
        (post(covered(file(width=9000, height=1001))), {"/media/0/thumbnailMediaId": "too_large"}),
        (post(covered(file(size=9 * 1024**2), size=42 * 1024**2)), {"/media": "too_large"}),
        (post(covered(VIDEO), form="document"), {}),
        (
            post(file(), file(), disableLinkPreview=True, buttons=[[{"text": "a", "callbackData": "é" * 33}]]),
            {
                "/options/disableLinkPreview": "option_not_applicable",
                "/options/buttons": "option_not_applicable",
                "/options/buttons/0/0/callbackData": "too_long",
            },
        ),
    ],
)
def test_every_fault_is_named_at_once(content: PostContent, expected: dict[str, str]) -> None:
    assert faults(content) == expected


@pytest.mark.parametrize(
    ("content", "method"),
    [
        (post(), "sendMessage"),
        (post(file()), "sendPhoto"),
        (post(GIF), "sendAnimation"),
        (post(VIDEO), "sendVideo"),
        (post(AUDIO), "sendAudio"),
        (post(file("document", "application/pdf")), "sendDocument"),
        (post(file(), form="document"), "sendDocument"),
        (post(file(), VIDEO), "sendMediaGroup"),
    ],
)
def test_the_media_decide_the_method(content: PostContent, method: str) -> None:
    assert post_formats.build_send_call(content, -100)[0] == method


@pytest.mark.parametrize(
    ("text", "mode", "length"),
    [
        ("Bread", None, 5),
        ("🍞", None, 2),
        ("<b>Bread</b> &amp; more", "HTML", 12),
        (r"*Bread* [shop](https://a.example) \!", "MarkdownV2", 12),
    ],
)
def test_what_is_counted_is_what_is_shown(text: str, mode: str | None, length: int) -> None:
    assert post_formats.get_rendered_length(text, mode) == length


@pytest.mark.parametrize(
    ("kind", "member", "may"),
    [
        ("channel", ChatMembership(status="administrator", can_post_messages=True), True),
        ("channel", ChatMembership(status="administrator", can_post_messages=False), False),
        ("channel", ChatMembership(status="member"), False),
        ("channel", ChatMembership(status="left"), False),
        ("supergroup", ChatMembership(status="member"), True),
        ("supergroup", ChatMembership(status="restricted", can_send_messages=True), True),
        ("supergroup", ChatMembership(status="restricted", can_send_messages=False), False),
        ("group", ChatMembership(status="kicked"), False),
    ],
)
def test_the_right_to_post_is_checked(kind: str, member: ChatMembership, *, may: bool) -> None:
    chat = Chat(numeric_id=-100, type=kind, title="Bakery")
    if may:
        require_post_permission(chat, member)
        return
    with pytest.raises(PermissionMissingError) as refused:
        require_post_permission(chat, member)
    assert [fault.pointer for fault in refused.value.errors] == ["/options/chatId"]
    assert "Bakery" in refused.value.detail


def test_a_file_name_cannot_leave_its_header() -> None:
    evil = FilePart(name="file0", file_name='a"\r\nX-Evil: 1.txt', mime_type="text/plain", byte_chunks=[b"x"])
    body = encode_multipart({"chat_id": 1, "caption": "é"}, [evil])["body"]
    assert b"\r\nX-Evil" not in body
    assert b'filename="a%22X-Evil: 1.txt"' in body
    assert "é".encode() in body


# Every form, published and read back.


def test_a_text_is_posted(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    content = post(
        text="<b>Fresh</b> bread",
        parseMode="HTML",
        disableLinkPreview=True,
        protectContent=True,
        buttons=[[{"text": "Shop", "url": "https://bakery.example"}, {"text": "Hi", "callbackData": "hi"}]],
    )
    done = desk.publish(bot, msgspec.structs.replace(content, first_comment="First!"))
    (message,) = feed(desk)
    assert desk.stages == ["check", "send"]
    assert done.platform_post_id == f"{CHANNEL}:{message['messageId']}"
    assert done.url == f"https://t.me/adasbakery/{message['messageId']}"
    assert done.published_at is not None
    assert len(done.warnings) == 1
    assert message["message"]["text"] == "Fresh bread"
    assert message["message"]["entities"][0]["type"] == "bold"
    keyboard = message["message"]["reply_markup"]["inline_keyboard"]
    assert [button["text"] for button in keyboard[0]] == ["Shop", "Hi"]
    sent = desk.calls("*/sendMessage")[0]["body"]
    assert sent["link_preview_options"] == {"is_disabled": True}
    assert sent["protect_content"] is True


def test_a_gif_moves(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    desk.publish(bot, post(desk.files.image(form="GIF")))
    assert "animation" in feed(desk)[0]["message"]


def test_a_picture_goes_as_a_file_if_wanted(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    picture = desk.files.image(form="PNG")
    desk.publish(bot, post(picture, form="document"))
    (message,) = feed(desk)
    assert "photo" not in message["message"]
    assert checksums(message) == [picture.sha256]


def test_an_album_is_one_post_of_several_messages(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    media = (
        desk.files.image(color="red"),
        msgspec.structs.replace(desk.files.video(), thumbnail=desk.files.image(720, 1280)),
        desk.files.image(color="blue"),
    )
    done = desk.publish(bot, post(*media, text="Three", chat=PRIVATE_CHANNEL, captionAboveMedia=True))
    messages = feed(desk, PRIVATE_CHANNEL)
    numbers = [message["messageId"] for message in messages]
    assert done.platform_post_id == build_post_id(int(PRIVATE_CHANNEL), numbers)
    assert done.url == f"https://t.me/c/2000000002/{numbers[0]}"
    assert [checksums(message)[0] for message in messages] == [file.sha256 for file in media]
    assert [message["message"].get("caption") for message in messages] == ["Three", None, None]
    assert len({message["message"]["media_group_id"] for message in messages}) == 1


def test_an_album_of_documents_is_posted(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    papers = [desk.files.file(f"%PDF {n}".encode(), "document", "application/pdf") for n in range(2)]
    desk.publish(bot, post(*papers))
    assert [checksums(message)[0] for message in feed(desk)] == [paper.sha256 for paper in papers]


def test_a_large_file_is_read_in_parts(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    video = desk.files.video(size=2 * UPLOAD_PART_BYTES + 99)
    desk.publish(bot, post(video))
    assert checksums(feed(desk)[0]) == [video.sha256]
    assert desk.files.part_lengths == [UPLOAD_PART_BYTES, UPLOAD_PART_BYTES, 99]


def test_a_group_can_be_posted_to(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    first = desk.publish(bot, post(chat=GROUP))
    answered = int(first.platform_post_id.partition(":")[2])
    desk.publish(bot, post(chat=GROUP, text="Second", replyToMessageId=answered, disableNotification=True))
    _, second = feed(desk, GROUP)
    assert second["message"]["reply_to_message"]["message_id"] == answered


# Answers that get lost.


@pytest.mark.parametrize("date", [1_794_700_000_000, 10**30, "yesterday", -5.5, None, {}])
def test_a_message_whose_date_cannot_be_read_is_posted(
    desk: ConnectorDriver, bot: AccountCredentials, date: object
) -> None:
    message = {"message_id": 77, "date": date, "chat": {"id": "?"}}
    desk.fail("*/sendMessage", status=200, body={"ok": True, "result": message, "description": 7, "parameters": []})
    done = desk.publish(bot, post())
    assert done.platform_post_id == f"{CHANNEL}:77"
    assert done.published_at is None


def test_an_album_keeps_all_its_messages_whatever_else_is_wrong(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    messages = [{"message_id": 78, "date": "soon"}, {"message_id": 79, "date": 1_794_700_000}]
    desk.fail("*/sendMediaGroup", status=200, body={"ok": True, "result": messages})
    done = desk.publish(bot, post(desk.files.image(), desk.files.image()))
    assert (done.platform_post_id, done.published_at) == (f"{CHANNEL}:78,79", None)


# What Telegram says no to.


def test_a_chat_where_the_bot_may_not_post_is_named(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    with pytest.raises(PermissionMissingError) as refused:
        desk.publish(bot, post(chat=FOREIGN_CHANNEL))
    assert [fault.pointer for fault in refused.value.errors] == ["/options/chatId"]
    assert desk.calls("*/send*") == []


def test_a_right_that_was_taken_away_is_noticed(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    desk.sandbox.control("promote", platform="telegram", account=CHANNEL, bot=BOT, canPost=False)
    with pytest.raises(PermissionMissingError):
        desk.publish(bot, post())


def test_an_unknown_chat_is_not_found(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    with pytest.raises(PlatformNotFoundError):
        desk.publish(bot, post(chat="@nobodyhere"))


def test_a_person_is_no_place_for_a_post(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    body = {"ok": True, "result": {"id": 5, "type": "private", "first_name": "Cleo"}}
    desk.fail("*/getChat", status=200, body=body)
    with pytest.raises(PlatformRejectedError) as refused:
        desk.publish(bot, post(chat="5"))
    assert [fault.pointer for fault in refused.value.errors] == ["/options/chatId"]


def test_a_group_that_moved_tells_its_new_id(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    with pytest.raises(PlatformRejectedError) as refused:
        desk.publish(bot, post(chat=OLD_GROUP))
    assert GROUP in refused.value.detail


def test_a_chat_that_had_too_much_holds_back_no_other(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    content = post()
    progress = desk.until(bot, content, "send")
    desk.fail("*/sendMessage", error="rate_limited")
    with pytest.raises(PlatformRateLimitError) as limited:
        desk.run(bot, content, progress)
    with pytest.raises(PlatformRateLimitError):
        desk.run(bot, content, progress)
    assert isinstance(desk.publish(bot, post(chat=PRIVATE_CHANNEL)), PublishedPost)
    desk.rest((limited.value.retry_after or 0) + 1)
    assert isinstance(desk.run(bot, content, progress), PublishedPost)
    assert len(feed(desk)) == 1


# Deleting.


def test_an_album_is_deleted_as_a_whole(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    desk.publish(bot, post(text="It stays"))
    done = desk.publish(bot, post(desk.files.image(), desk.files.image(color="red")))
    desk.remove(bot, done.platform_post_id)
    assert [message["message"].get("text") for message in feed(desk)] == ["It stays"]


def test_what_telegram_will_not_delete_any_more_is_said(desk: ConnectorDriver, bot: AccountCredentials) -> None:
    done = desk.publish(bot, post())
    desk.fail("*/deleteMessage", error="delete_refused")
    with pytest.raises(PlatformRejectedError):
        desk.remove(bot, done.platform_post_id)


@pytest.mark.parametrize("name", ["", "12", "@adasbakery:1", "-100:1,", "-100:1;2", "-100:\u0661"])
def test_a_name_that_is_none_of_ours_is_not_found(desk: ConnectorDriver, bot: AccountCredentials, name: str) -> None:
    with pytest.raises(PlatformNotFoundError):
        desk.remove(bot, name)
    assert desk.calls("*/delete*") == []


def test_nothing_is_promised_that_bots_cannot() -> None:
    assert POST_HISTORY_CAPABILITY not in MANIFEST.get_kind_manifest(Kind.TELEGRAM_BOT).capabilities
