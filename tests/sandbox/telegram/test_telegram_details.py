"""What python-telegram-bot sends beyond plain messages, and what it gets to know of it."""

from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from telegram import InputMediaVideo, InputPollOption, MessageEntity
from telegram.constants import ParseMode, PollType
from telegram.error import BadRequest

from sandbox.graph_media import movie
from sandbox.telegram.client import Telegram
from sandbox.telegram.pictures import PDF, picture
from socialgate_sandbox.vendors.telegram.seed import AGENCY_TOKEN, BAKERY_CHANNEL, USER_IDS

DARIO = int(USER_IDS["dario"])
CHANNEL = int(BAKERY_CHANNEL)


def entities(telegram: Telegram, text: str, mode: str) -> tuple[str, list[tuple[str, str]]]:
    sent = telegram.use(lambda bot: bot.send_message(DARIO, text, parse_mode=mode))
    assert sent.text is not None
    return sent.text, [(entity.type, sent.parse_entity(entity)) for entity in sent.entities]


def test_the_older_markdown(telegram: Telegram) -> None:
    text = "*Rye* _and_ `oats` [here](https://example.com/) \\*not bold\\*\n```python\nprint()```"
    plain, result = entities(telegram, text, ParseMode.MARKDOWN)
    assert plain == "Rye and oats here *not bold*\nprint()"
    assert result == [("bold", "Rye"), ("italic", "and"), ("code", "oats"), ("text_link", "here"), ("pre", "print()")]
    with pytest.raises(BadRequest, match="can't find end of the entity starting at byte offset 6"):
        entities(telegram, "Fresh *rye", ParseMode.MARKDOWN)


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (ParseMode.HTML, "<blockquote expandable>A\nB</blockquote>\n<blockquote>C</blockquote>"),
        (ParseMode.MARKDOWN_V2, "**>A\n>B||\n>C"),
    ],
)
def test_quotations_that_are_folded_and_others(telegram: Telegram, mode: str, text: str) -> None:
    plain, result = entities(telegram, text, mode)
    assert plain == "A\nB\nC"
    assert result == [("expandable_blockquote", "A\nB"), ("blockquote", "C")]


@pytest.mark.parametrize(
    ("mode", "text"),
    [
        (ParseMode.HTML, '<pre><code class="language-python">x</code></pre><tg-emoji emoji-id="5">👍</tg-emoji>'),
        (ParseMode.MARKDOWN_V2, "```python\nx```![👍](tg://emoji?id=5)"),
    ],
)
def test_languages_of_blocks_and_emoji_of_ones_own(telegram: Telegram, mode: str, text: str) -> None:
    sent = telegram.use(lambda bot: bot.send_message(DARIO, text, parse_mode=mode))
    block, emoji = sent.entities
    assert (block.type, block.language) == (MessageEntity.PRE, "python")
    assert (emoji.type, emoji.custom_emoji_id) == (MessageEntity.CUSTOM_EMOJI, "5")


def test_each_size_of_a_photo_is_a_file_of_its_own(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        sent = await bot.send_photo(DARIO, picture(640, 320))
        small, whole = sent.photo
        assert small.file_id != whole.file_id
        assert small.file_unique_id != whole.file_unique_id
        assert (small.width, small.height, whole.width, whole.height) == (90, 45, 640, 320)
        downloaded = bytes(await (await bot.get_file(small.file_id)).download_as_bytearray())
        assert len(downloaded) == small.file_size
        assert downloaded[16:24] == (90).to_bytes(4) + (45).to_bytes(4)
        assert bytes(await (await bot.get_file(whole.file_id)).download_as_bytearray()) == picture(640, 320)

    telegram.use(run)


def test_a_video_is_what_its_bytes_say(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        # The name says nothing, and the part of the form that it is a stream of bytes.
        sent = await bot.send_video(DARIO, BytesIO(movie(12.4, 720, 1280)), filename="clip")
        video = sent.video
        assert (video.mime_type, video.width, video.height) == ("video/mp4", 720, 1280)
        assert video.duration == timedelta(seconds=12)
        assert (video.thumbnail.width, video.thumbnail.height) == (180, 320)
        response = await bot.send_video(DARIO, movie(12.4, 720, 1280), duration=5, width=100, height=50)
        assert (response.video.duration, response.video.width) == (timedelta(seconds=5), 100)
        document = await bot.send_document(DARIO, BytesIO(PDF), filename="menu.pdf")
        assert document.document.mime_type == "application/pdf"

    telegram.use(run)


def test_thumbnails_are_kept(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        cover = picture(300, 200)
        sent = await bot.send_document(DARIO, BytesIO(PDF), filename="menu.pdf", thumbnail=cover)
        assert (sent.document.thumbnail.width, sent.document.thumbnail.height) == (300, 200)
        kept = await (await bot.get_file(sent.document.thumbnail.file_id)).download_as_bytearray()
        assert bytes(kept) == cover
        clips = [InputMediaVideo(movie(3, 640, 360), thumbnail=cover), InputMediaVideo(movie(4, 640, 360))]
        first, second = await bot.send_media_group(DARIO, clips)
        assert (first.video.thumbnail.width, second.video.thumbnail.width) == (300, 320)

    telegram.use(run)


def test_a_quiz_with_all_that_belongs_to_it(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        sent = await bot.send_poll(
            CHANNEL,
            "Which *flour*?",
            [InputPollOption("Rye"), InputPollOption("_Oat_", text_parse_mode=ParseMode.MARKDOWN)],
            type=PollType.QUIZ,
            correct_option_ids=[1],
            question_parse_mode=ParseMode.MARKDOWN,
            explanation="It is <b>oat</b>",
            explanation_parse_mode=ParseMode.HTML,
            open_period=60,
        )
        poll = sent.poll
        assert (poll.type, list(poll.correct_option_ids)) == ("quiz", [1])
        assert (poll.question, poll.parse_question_entities()) == ("Which flour?", {poll.question_entities[0]: "flour"})
        assert (poll.explanation, len(poll.explanation_entities)) == ("It is oat", 1)
        assert (poll.open_period, poll.close_date - sent.date) == (timedelta(seconds=60), timedelta(seconds=60))
        assert [option.text for option in poll.options] == ["Rye", "Oat"]
        assert len(poll.options[1].text_entities) == 1
        stopped = await bot.stop_poll(CHANNEL, sent.message_id)
        assert stopped.is_closed
        with pytest.raises(BadRequest, match="already been closed"):
            await bot.stop_poll(CHANNEL, sent.message_id)

    telegram.use(run)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"type": "quiz"}, "wrong correct option ID specified"),
        ({"type": "quiz", "correct_option_id": 2}, "wrong correct option ID specified"),
        ({"type": "riddle"}, "unsupported poll type specified"),
        ({"open_period": 1}, "poll open period is invalid"),
        ({"options": ["x"] * 13}, "poll can't have more than 12 options"),
    ],
)
def test_polls_that_cannot_be(telegram: Telegram, fields: dict[str, Any], text: str) -> None:
    params: dict[str, Any] = {"chat_id": DARIO, "question": "Which?", "options": ["Rye", "Oat"]} | fields
    assert telegram.refused("sendPoll", **params) == (400, f"Bad Request: {text}")


def test_a_place_that_moves(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        sent = await bot.send_location(
            DARIO, 59.3, 18.0, live_period=600, heading=90, horizontal_accuracy=12.5, proximity_alert_radius=50
        )
        place = sent.location
        assert (place.live_period, place.heading) == (timedelta(seconds=600), 90)
        assert (place.horizontal_accuracy, place.proximity_alert_radius) == (12.5, 50)
        moved = await bot.edit_message_live_location(DARIO, sent.message_id, latitude=59.4, longitude=18.1, heading=10)
        assert (moved.location.latitude, moved.location.live_period) == (59.4, timedelta(seconds=600))
        stopped = await bot.stop_message_live_location(DARIO, sent.message_id)
        assert (stopped.location.latitude, stopped.location.live_period) == (59.4, None)
        with pytest.raises(BadRequest, match="can't be edited"):
            await bot.edit_message_live_location(DARIO, sent.message_id, latitude=1, longitude=1)
        venue = await bot.send_venue(DARIO, 59.3, 18.0, "Bakery", "Street 1", google_place_id="abc")
        assert venue.venue.google_place_id == "abc"

    telegram.use(run)
    assert telegram.refused("sendLocation", chat_id=DARIO, latitude=1, longitude=1, live_period=5)[0] == 400


def test_what_is_pinned_is_told_to_the_chat(telegram: Telegram) -> None:
    telegram.act("promote", account=BAKERY_CHANNEL, bot="7100000002")
    telegram.listen(AGENCY_TOKEN, drop_pending_updates=True)

    async def run(bot: Any) -> tuple[int, int]:
        first = await bot.send_message(CHANNEL, "Opening hours")
        second = await bot.send_message(CHANNEL, "Menu")
        assert (await bot.get_chat(CHANNEL)).pinned_message is None
        for message in (first, second):
            assert await bot.pin_chat_message(CHANNEL, message.message_id)
        assert (await bot.get_chat(CHANNEL)).pinned_message.text == "Menu"
        assert await bot.unpin_chat_message(CHANNEL)
        assert (await bot.get_chat(CHANNEL)).pinned_message.text == "Opening hours"
        assert await bot.unpin_all_chat_messages(CHANNEL)
        assert (await bot.get_chat(CHANNEL)).pinned_message is None
        with pytest.raises(BadRequest, match="Message to unpin not found"):
            await bot.unpin_chat_message(CHANNEL)
        return first.message_id, second.message_id

    numbers = telegram.use(run)
    payload = [item["channel_post"].get("pinned_message", {}).get("message_id") for item in telegram.news(4)]
    assert payload == [None, None, *numbers]


def test_several_messages_are_passed_on_at_once(telegram: Telegram) -> None:
    # What other tests sent counts for a second.
    telegram.pass_time(2)

    async def run(bot: Any) -> None:
        numbers = [(await bot.send_message(CHANNEL, text)).message_id for text in ("One", "Two")]
        copied = await bot.copy_messages(DARIO, CHANNEL, [*numbers, 9999])
        passed = await bot.forward_messages(DARIO, CHANNEL, numbers)
        assert len({item.message_id for item in (*copied, *passed)}) == 4
        assert 1 <= (await bot.send_dice(DARIO)).dice.value <= 6

    telegram.use(run)


def test_commands_menus_and_chats_are_managed(telegram: Telegram) -> None:
    async def run(bot: Any) -> None:
        await bot.set_my_commands([("start", "Begin"), ("menu", "What there is")])
        await bot.set_my_commands([("start", "Anfangen")], language_code="de")
        assert [my_command.command for my_command in await bot.get_my_commands()] == ["start", "menu"]
        assert [my_command.description for my_command in await bot.get_my_commands(language_code="de")] == ["Anfangen"]
        await bot.delete_my_commands()
        assert await bot.get_my_commands() == ()
        with pytest.raises(BadRequest, match=r"(?i)bot_command_invalid"):
            await bot.set_my_commands([("Not So", "x")])
        assert (await bot.get_chat_menu_button()).type == "commands"
        assert (await bot.get_user_profile_photos(DARIO)).total_count == 0
        assert await bot.set_chat_title(CHANNEL, "Fresh bread")
        assert await bot.set_chat_description(CHANNEL, "Every day")
        chat = await bot.get_chat(CHANNEL)
        assert (chat.title, chat.description) == ("Fresh bread", "Every day")
        link = await bot.create_chat_invite_link(CHANNEL, name="Friends", member_limit=5)
        assert (link.name, link.member_limit, link.creator.is_bot) == ("Friends", 5, True)

    telegram.use(run)
