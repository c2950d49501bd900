"""Sending and posting, mostly through python-telegram-bot."""

import hashlib
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from telegram import InputMediaDocument, InputMediaPhoto, InputMediaVideo, LinkPreviewOptions
from telegram.error import BadRequest, Forbidden, RetryAfter

from sandbox.telegram.client import Telegram, refusal_of
from sandbox.telegram.pictures import PDF, picture
from socialgate_sandbox.vendors.telegram.seed import (
    AGENCY_CHANNEL,
    AGENCY_TOKEN,
    BAKERY_BOT,
    BAKERY_CHANNEL,
    BAKERY_TOKEN,
    BOT_WITH_WEBHOOK_TOKEN,
    MIGRATED_GROUP,
    REGULARS_GROUP,
    USER_IDS,
)

DARIO = int(USER_IDS["dario"])
CHANNEL = int(BAKERY_CHANNEL)


@pytest.fixture(scope="session")
def web() -> Iterator[str]:
    """Serve a picture, a PDF and a page."""
    served = {"/a.png": ("image/png", picture()), "/b.pdf": ("application/pdf", PDF), "/c.html": ("text/html", b"<p>")}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            mime, body = served.get(self.path, ("text/plain", b""))
            self.send_response(200 if body else 404)
            self.send_header("content-type", mime)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join(60)


def test_a_message_to_a_person(telegram: Telegram) -> None:
    sent = telegram.use(lambda bot: bot.send_message(DARIO, "  Rye at six  "))
    assert sent.text == "Rye at six"
    assert sent.from_user is not None
    assert (sent.from_user.id, sent.chat.id, sent.chat.type) == (int(BAKERY_BOT), DARIO, "private")
    [seen] = telegram.feed(BAKERY_BOT)
    assert (seen["messageId"], seen["message"]["text"]) == (sent.message_id, "Rye at six")


def test_a_post_in_a_channel(telegram: Telegram) -> None:
    sent = telegram.use(lambda bot: bot.send_message("@adasbakery", "Fresh #rye https://example.com/a."))
    assert sent.from_user is None
    assert sent.sender_chat == sent.chat
    assert sent.link == f"https://t.me/adasbakery/{sent.message_id}"
    kinds = {entity.type: sent.parse_entity(entity) for entity in sent.entities}
    assert kinds == {"hashtag": "#rye", "url": "https://example.com/a"}


def test_other_bots_in_the_channel_hear_of_it(telegram: Telegram) -> None:
    telegram.act("promote", account=BAKERY_CHANNEL, bot="7100000002")
    telegram.listen(AGENCY_TOKEN, drop_pending_updates=True)
    telegram.call("sendMessage", chat_id=CHANNEL, text="hello")
    assert telegram.news()[0]["channel_post"]["text"] == "hello"


@pytest.mark.parametrize(
    ("fields", "status", "text"),
    [
        ({"chat_id": DARIO}, 400, "Bad Request: message text is empty"),
        ({"chat_id": DARIO, "text": "   "}, 400, "Bad Request: message text is empty"),
        ({"text": "x"}, 400, "Bad Request: chat_id is empty"),
        ({"chat_id": 5, "text": "x"}, 400, "Bad Request: chat not found"),
        ({"chat_id": int(USER_IDS["finn"]), "text": "x"}, 400, "Bad Request: chat not found"),
        ({"chat_id": DARIO, "text": "x" * 4097}, 400, "Bad Request: message is too long"),
        ({"chat_id": DARIO, "text": "x" * 32769}, 400, "Bad Request: text is too long"),
        ({"chat_id": "@cleosnotes", "text": "x"}, 403, "Forbidden: bot is not a member of the channel chat"),
        ({"chat_id": DARIO, "text": "x", "parse_mode": "rtf"}, 400, "Bad Request: unsupported parse_mode"),
        ({"chat_id": DARIO, "text": "x", "reply_markup": "{"}, 400, None),
        (
            {"chat_id": DARIO, "text": "x", "reply_parameters": {"message_id": 99}},
            400,
            "Bad Request: message to be replied not found",
        ),
    ],
)
def test_messages_that_are_refused(telegram: Telegram, fields: dict[str, Any], status: int, text: str | None) -> None:
    refused = telegram.refused("sendMessage", **fields)
    assert refused[0] == status
    assert text in {None, refused[1]}


def test_4096_units_fit(telegram: Telegram) -> None:
    assert telegram.call("sendMessage", chat_id=DARIO, text="x" * 4096)["text"]
    assert telegram.refused("sendMessage", chat_id=DARIO, text="😀" * 2049)[1] == "Bad Request: message is too long"


def test_who_may_post(telegram: Telegram) -> None:
    with pytest.raises(BadRequest, match=r"[Nn]eed administrator rights in the channel chat"):
        telegram.use(lambda bot: bot.send_message(AGENCY_CHANNEL, "x"), AGENCY_TOKEN)
    assert telegram.call("sendMessage", BOT_WITH_WEBHOOK_TOKEN, chat_id=AGENCY_CHANNEL, text="x")
    telegram.act("block", account=BAKERY_BOT, person="dario")
    with pytest.raises(Forbidden, match="bot was blocked by the user"):
        telegram.use(lambda bot: bot.send_message(DARIO, "x"))
    migrated = telegram.send("sendMessage", chat_id=MIGRATED_GROUP, text="x")
    assert migrated.json()["parameters"] == {"migrate_to_chat_id": int(REGULARS_GROUP)}


def test_twenty_posts_a_minute(telegram: Telegram) -> None:
    for number in range(20):
        telegram.call("sendMessage", chat_id=CHANNEL, text=str(number))
    with pytest.raises(RetryAfter) as limited:
        telegram.use(lambda bot: bot.send_message(CHANNEL, "too many"))
    assert timedelta(0) < limited.value._retry_after <= timedelta(minutes=1)
    assert telegram.call("sendMessage", chat_id=DARIO, text="other chats are free")
    telegram.pass_time(61)
    assert telegram.call("sendMessage", chat_id=CHANNEL, text="again")


def test_marks_in_html(telegram: Telegram) -> None:
    text = "😀 <b>bold <i>both</i></b> &lt;3 <a href='https://a.example/?a=1&amp;b=2'>link</a> <code>x</code>"
    sent = telegram.use(lambda bot: bot.send_message(DARIO, text, parse_mode="HTML"))
    assert sent.text == "😀 bold both <3 link x"
    result = [(entity.type, sent.parse_entity(entity)) for entity in sent.entities]
    assert result == [("bold", "bold both"), ("italic", "both"), ("text_link", "link"), ("code", "x")]
    assert sent.entities[2].url == "https://a.example/?a=1&b=2"


def test_marks_in_markdown(telegram: Telegram) -> None:
    text = r"*bold _both_* ~gone~ ||hidden|| __under__ `a*b` [link](https://a.example/) 1\.5"
    sent = telegram.use(lambda bot: bot.send_message(DARIO, text, parse_mode="MarkdownV2"))
    assert sent.text == "bold both gone hidden under a*b link 1.5"
    result = [(entity.type, sent.parse_entity(entity)) for entity in sent.entities]
    assert result == [
        ("bold", "bold both"),
        ("italic", "both"),
        ("strikethrough", "gone"),
        ("spoiler", "hidden"),
        ("underline", "under"),
        ("code", "a*b"),
        ("text_link", "link"),
    ]


@pytest.mark.parametrize(
    ("mode", "text", "why"),
    [
        ("HTML", "<b>x", 'Can\'t find end tag corresponding to start tag "b"'),
        ("HTML", "<x>x</x>", 'Unsupported start tag "x" at byte offset 0'),
        ("HTML", "é</b>", "Unexpected end tag at byte offset 2"),
        ("HTML", "<b>x</i>", 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'),
        ("MarkdownV2", "a.", "Character '.' is reserved and must be escaped with the preceding '\\'"),
        ("MarkdownV2", "*a", "Can't find end of Bold entity at byte offset 0"),
        ("MarkdownV2", "é`a", "Can't find end of Code entity at byte offset 2"),
    ],
)
def test_marks_that_do_not_fit(telegram: Telegram, mode: str, text: str, why: str) -> None:
    refused = telegram.refused("sendMessage", chat_id=DARIO, text=text, parse_mode=mode)
    assert refused == (400, f"Bad Request: can't parse entities: {why}")


def test_a_reply_and_a_preview(telegram: Telegram) -> None:
    request = telegram.act("message", account=BAKERY_BOT, text="Open?")["messageId"]
    options = LinkPreviewOptions(is_disabled=True)
    sent = telegram.use(
        lambda bot: bot.send_message(DARIO, "Yes", reply_to_message_id=request, link_preview_options=options)
    )
    assert sent.reply_to_message is not None
    assert (sent.reply_to_message.message_id, sent.reply_to_message.text) == (request, "Open?")
    assert sent.link_preview_options == options
    lost = {"message_id": 999, "allow_sending_without_reply": True}
    assert "reply_to_message" not in telegram.call("sendMessage", chat_id=DARIO, text="x", reply_parameters=lost)


def test_a_photo_by_upload_and_back(telegram: Telegram) -> None:
    data = picture(640, 480)
    sent = telegram.use(lambda bot: bot.send_photo("@adasbakery", data, caption="Loaf", filename="loaf.png"))
    assert sent.caption == "Loaf"
    assert [(size.width, size.height) for size in sent.photo] == [(90, 67), (640, 480)]
    [seen] = telegram.feed(BAKERY_CHANNEL)
    assert [file["sha256"] for file in seen["files"]] == [hashlib.sha256(data).hexdigest()]

    async def fetch(bot: Any) -> bytes:
        file = await bot.get_file(sent.photo[-1].file_id)
        return bytes(await file.download_as_bytearray())

    assert telegram.use(fetch) == data
    again = telegram.use(lambda bot: bot.send_photo(DARIO, sent.photo[-1].file_id))
    assert again.photo[-1].file_unique_id == sent.photo[-1].file_unique_id


def test_media_by_address(telegram: Telegram, web: str) -> None:
    sent = telegram.use(lambda bot: bot.send_photo(CHANNEL, f"{web}/a.png"))
    assert sent.photo[-1].width == 320
    assert telegram.use(lambda bot: bot.send_document(CHANNEL, f"{web}/b.pdf")).document
    for method, field, path, why in [
        ("sendPhoto", "photo", "/missing.png", "failed to get HTTP URL content"),
        ("sendPhoto", "photo", "/c.html", "wrong type of the web page content"),
        ("sendDocument", "document", "/a.png", "wrong type of the web page content"),
    ]:
        refused = telegram.refused(method, chat_id=CHANNEL, **{field: f"{web}{path}"})
        assert refused == (400, f"Bad Request: {why}")
    # An address that the sandbox does not reach is believed.
    assert telegram.call("sendPhoto", chat_id=CHANNEL, photo="https://example.com/x.jpg")["photo"]


def test_every_kind_of_file(telegram: Telegram) -> None:
    data = b"some bytes"
    video = telegram.use(lambda bot: bot.send_video(DARIO, data, duration=5, width=640, height=360, filename="v.mp4"))
    assert video.video is not None
    assert (video.video.duration, video.video.width, video.video.mime_type) == (timedelta(seconds=5), 640, "video/mp4")
    document = telegram.use(lambda bot: bot.send_document(DARIO, PDF, filename="menu.pdf", caption="Menu"))
    assert document.document is not None
    assert (document.document.file_name, document.document.file_size) == ("menu.pdf", len(PDF))
    audio = telegram.use(lambda bot: bot.send_audio(DARIO, data, title="T", performer="P", filename="s.mp3"))
    assert audio.audio is not None
    assert (audio.audio.title, audio.audio.performer) == ("T", "P")
    assert telegram.use(lambda bot: bot.send_voice(DARIO, data)).voice
    assert telegram.use(lambda bot: bot.send_animation(DARIO, data, filename="a.mp4")).animation
    assert telegram.use(lambda bot: bot.send_sticker(DARIO, data)).sticker
    assert telegram.use(lambda bot: bot.send_video_note(DARIO, data)).video_note


@pytest.mark.parametrize(
    ("method", "field", "data", "why"),
    [
        ("sendPhoto", "photo", b"no picture", "IMAGE_PROCESS_FAILED"),
        ("sendPhoto", "photo", picture(5001, 5000), "PHOTO_INVALID_DIMENSIONS"),
        ("sendPhoto", "photo", picture(2100, 100), "PHOTO_INVALID_DIMENSIONS"),
        ("sendDocument", "document", b"", "file must be non-empty"),
    ],
    ids=["no picture", "too large", "too steep", "empty"],
)
def test_files_that_are_refused(telegram: Telegram, method: str, field: str, data: bytes, why: str) -> None:
    url = f"/telegram/bot{BAKERY_TOKEN}/{method}"
    answer = telegram.running.client.post(url, data={"chat_id": str(DARIO)}, files={field: ("x.png", data)})
    assert refusal_of(answer) == (400, f"Bad Request: {why}")


def test_files_that_are_not_there(telegram: Telegram) -> None:
    assert telegram.refused("sendPhoto", chat_id=DARIO) == (400, "Bad Request: there is no photo in the request")
    assert telegram.refused("sendVideoNote", chat_id=DARIO)[1] == "Bad Request: there is no video note in the request"
    assert telegram.refused("sendPhoto", chat_id=DARIO, photo="abc")[0] == 400
    assert telegram.refused("getFile") == (400, "Bad Request: file_id not specified")
    assert telegram.refused("getFile", file_id="abc") == (400, "Bad Request: invalid file_id")
    answer = telegram.running.client.get(f"/telegram/file/bot{BAKERY_TOKEN}/photos/file_77.png")
    assert refusal_of(answer) == (404, "Not Found")


def test_a_file_of_51_mib_is_too_large(telegram: Telegram) -> None:
    url = f"/telegram/bot{BAKERY_TOKEN}/sendDocument"
    answer = telegram.running.client.post(
        url, data={"chat_id": str(DARIO)}, files={"document": ("x.bin", bytes(51 << 20))}
    )
    assert refusal_of(answer) == (413, "Request Entity Too Large")


def test_an_album(telegram: Telegram, web: str) -> None:
    first, second = picture(), picture(100, 100)
    media = [
        InputMediaPhoto(first, caption="Two loaves"),
        InputMediaPhoto(second),
        InputMediaPhoto(f"{web}/a.png"),
    ]
    sent = telegram.use(lambda bot: bot.send_media_group(CHANNEL, media))
    assert len({message.media_group_id for message in sent}) == 1
    assert [message.caption for message in sent] == ["Two loaves", None, None]
    digests = [file["sha256"] for seen in reversed(telegram.feed(BAKERY_CHANNEL)) for file in seen["files"]]
    assert digests[:2] == [hashlib.sha256(data).hexdigest() for data in (first, second)]


def test_albums_that_are_refused(telegram: Telegram) -> None:
    mixed: list[InputMediaPhoto | InputMediaDocument] = [InputMediaPhoto(picture()), InputMediaDocument(PDF)]
    with pytest.raises(BadRequest, match=r"[Cc]an't use the media of the specified type in the album"):
        telegram.use(lambda bot: bot.send_media_group(CHANNEL, mixed))
    refused: list[tuple[Any, str]] = [
        (None, 'parameter "media" is required'),
        ({}, "expected an Array of InputMedia"),
        ([], "there are no messages to send"),
        ([{"type": "photo"}], "can't parse InputMedia: media not found"),
        ([{"type": "voice", "media": "x"}], 'can\'t parse InputMedia: type "voice" is unsupported'),
        ([{"type": "photo", "media": "https://a.example/x"}] * 11, "too many messages to send as an album"),
    ]
    for media, why in refused:
        assert telegram.refused("sendMediaGroup", chat_id=CHANNEL, media=media) == (400, f"Bad Request: {why}")
    assert telegram.feed(BAKERY_CHANNEL) == []


def test_places_contacts_and_polls(telegram: Telegram) -> None:
    assert telegram.use(lambda bot: bot.send_location(DARIO, 52.5, 13.4)).location
    venue = telegram.use(lambda bot: bot.send_venue(DARIO, 52.5, 13.4, "Bakery", "Street 1"))
    assert venue.venue is not None
    assert venue.venue.title == "Bakery"
    contact = telegram.use(lambda bot: bot.send_contact(DARIO, "+15550100", "Ada", "Lindqvist"))
    assert contact.contact is not None
    assert contact.contact.last_name == "Lindqvist"
    poll = telegram.use(lambda bot: bot.send_poll(DARIO, "Rye?", ["Yes", "No"]))
    assert poll.poll is not None
    assert [option.text for option in poll.poll.options] == ["Yes", "No"]
    assert telegram.use(lambda bot: bot.send_chat_action(DARIO, "typing")) is True
    refused: list[tuple[str, dict[str, Any]]] = [
        ("sendLocation", {"latitude": 91, "longitude": 0}),
        ("sendLocation", {"latitude": 1}),
        ("sendVenue", {"latitude": 1, "longitude": 1}),
        ("sendContact", {}),
        ("sendPoll", {"question": "?", "options": ["one"]}),
        ("sendChatAction", {"action": "dancing"}),
    ]
    for method, fields in refused:
        assert telegram.refused(method, chat_id=DARIO, **fields)[0] == 400


def test_a_film_with_a_cover_and_an_album_with_its_text_above(telegram: Telegram) -> None:
    film, cover = b"\0\0\0 ftypisom", picture(320, 180)
    sent = telegram.use(lambda bot: bot.send_video(CHANNEL, film, cover=cover, disable_notification=True))
    assert sent.video is not None
    assert sent.video.cover is not None
    assert sent.video.cover[-1].width == 320
    shown = sent.video.cover[-1].file_id
    album: list[InputMediaVideo | InputMediaPhoto] = [
        InputMediaVideo(film, caption="Folding", cover=shown, show_caption_above_media=True),
        InputMediaPhoto(picture(100, 100)),
    ]
    pieces = telegram.use(lambda bot: bot.send_media_group(CHANNEL, album))
    assert pieces[0].show_caption_above_media is True
    newest, older = telegram.running.look("feed", platform="telegram", account=BAKERY_CHANNEL)["data"]
    assert [row["media"][0]["cover"]["sha256"] for row in (newest, older)] == [hashlib.sha256(cover).hexdigest()] * 2
    assert older["facts"]["disable_notification"] is True
    assert (newest["kind"], newest["text"], len(newest["media"])) == ("album", "Folding", 2)
    assert newest["facts"]["show_caption_above_media"] is True
