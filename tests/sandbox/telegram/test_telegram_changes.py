"""Editing, deleting, passing on, reacting and buttons."""

import hashlib
from typing import Any

import pytest
from telegram import InlineKeyboardButton, InlineKeyboardMarkup, InputMediaPhoto
from telegram.error import BadRequest

from sandbox.telegram.client import Telegram
from sandbox.telegram.pictures import picture
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL, USER_IDS

DARIO = int(USER_IDS["dario"])
CHANNEL = int(BAKERY_CHANNEL)


def test_editing(telegram: Telegram) -> None:
    sent = telegram.call("sendMessage", chat_id=CHANNEL, text="old")["message_id"]
    edited = telegram.use(lambda bot: bot.edit_message_text("new", CHANNEL, sent))
    assert not isinstance(edited, bool)
    assert (edited.text, edited.message_id) == ("new", sent)
    assert edited.edit_date is not None
    with pytest.raises(BadRequest, match=r"[Mm]essage is not modified"):
        telegram.use(lambda bot: bot.edit_message_text("new", CHANNEL, sent))
    assert telegram.refused("editMessageCaption", chat_id=CHANNEL, message_id=sent, caption="x") == (
        400,
        "Bad Request: there is no caption in the message to edit",
    )
    assert telegram.refused("editMessageText", chat_id=CHANNEL, message_id=999, text="x") == (
        400,
        "Bad Request: message to edit not found",
    )


def test_editing_media_and_captions(telegram: Telegram) -> None:
    sent = telegram.use(lambda bot: bot.send_photo(CHANNEL, picture(), caption="old")).message_id
    changed = telegram.use(lambda bot: bot.edit_message_caption(CHANNEL, sent, caption="new"))
    assert not isinstance(changed, bool)
    assert changed.caption == "new"
    data = picture(200, 200)
    media = InputMediaPhoto(data, caption="other")
    changed = telegram.use(lambda bot: bot.edit_message_media(media, CHANNEL, sent))
    assert not isinstance(changed, bool)
    assert (changed.photo[-1].width, changed.caption) == (200, "other")
    assert telegram.feed(BAKERY_CHANNEL)[0]["files"][0]["sha256"] == hashlib.sha256(data).hexdigest()
    refused = telegram.refused("editMessageText", chat_id=CHANNEL, message_id=sent, text="x")
    assert refused == (400, "Bad Request: there is no text in the message to edit")


def test_a_message_of_somebody_else_is_not_edited(telegram: Telegram) -> None:
    theirs = telegram.act("message", account=BAKERY_BOT, text="mine")["messageId"]
    refused = telegram.refused("editMessageText", chat_id=DARIO, message_id=theirs, text="x")
    assert refused == (400, "Bad Request: message can't be edited")


def test_deleting(telegram: Telegram) -> None:
    sent = telegram.call("sendMessage", chat_id=CHANNEL, text="x")["message_id"]
    assert telegram.use(lambda bot: bot.delete_message(CHANNEL, sent)) is True
    assert telegram.feed(BAKERY_CHANNEL) == []
    with pytest.raises(BadRequest, match=r"[Mm]essage to delete not found"):
        telegram.use(lambda bot: bot.delete_message(CHANNEL, sent))
    several = [telegram.call("sendMessage", chat_id=CHANNEL, text=text)["message_id"] for text in "ab"]
    assert telegram.use(lambda bot: bot.delete_messages(CHANNEL, [*several, 999])) is True
    assert telegram.feed(BAKERY_CHANNEL) == []


def test_after_two_days_only_an_administrator_deletes(telegram: Telegram) -> None:
    private = telegram.call("sendMessage", chat_id=DARIO, text="x")["message_id"]
    post = telegram.call("sendMessage", chat_id=CHANNEL, text="x")["message_id"]
    telegram.pass_time(48 * 3600 + 1)
    assert telegram.refused("deleteMessage", chat_id=DARIO, message_id=private) == (
        400,
        "Bad Request: message can't be deleted",
    )
    assert telegram.call("deleteMessage", chat_id=CHANNEL, message_id=post) is True


def test_buttons(telegram: Telegram) -> None:
    keys = InlineKeyboardMarkup([[InlineKeyboardButton("Order", callback_data="order:1")]])
    telegram.listen()
    sent = telegram.use(lambda bot: bot.send_message(DARIO, "Rye?", reply_markup=keys))
    assert sent.reply_markup == keys
    pressed = telegram.act("press", account=BAKERY_BOT, messageId=sent.message_id, button="Order")
    query = telegram.news()[0]["callback_query"]
    assert (query["id"], query["data"]) == (pressed["callbackQueryId"], "order:1")
    assert query["message"]["message_id"] == sent.message_id
    assert telegram.use(lambda bot: bot.answer_callback_query(query["id"], text="Done")) is True
    telegram.pass_time(901)
    with pytest.raises(BadRequest, match=r"[Qq]uery is too old"):
        telegram.use(lambda bot: bot.answer_callback_query(query["id"]))
    gone = telegram.use(lambda bot: bot.edit_message_reply_markup(DARIO, sent.message_id))
    assert not isinstance(gone, bool)
    assert gone.reply_markup is None


@pytest.mark.parametrize(
    ("keyboard", "why"),
    [
        ([{}], 'field "inline_keyboard" must be an Array of Arrays'),
        ([["x"]], "can't parse inline keyboard button: InlineKeyboardButton must be an Object"),
        ([[{"text": "x"}]], "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"),
        ([[{"text": "x", "callback_data": "x" * 65}]], "BUTTON_DATA_INVALID"),
    ],
)
def test_buttons_that_are_refused(telegram: Telegram, keyboard: Any, why: str) -> None:
    markup = {"inline_keyboard": keyboard}
    refused = telegram.refused("sendMessage", chat_id=DARIO, text="x", reply_markup=markup)
    assert refused == (400, f"Bad Request: {why}")


def test_copies_forwards_pins_and_reactions(telegram: Telegram) -> None:
    post = telegram.use(lambda bot: bot.send_photo(CHANNEL, picture(), caption="x")).message_id
    copied = telegram.use(lambda bot: bot.copy_message(DARIO, CHANNEL, post))
    forwarded = telegram.use(lambda bot: bot.forward_message(DARIO, CHANNEL, post))
    assert forwarded.message_id == copied.message_id + 1
    assert forwarded.forward_origin is not None
    assert forwarded.forward_origin.type == "channel"
    assert telegram.use(lambda bot: bot.pin_chat_message(CHANNEL, post)) is True
    assert telegram.use(lambda bot: bot.set_message_reaction(CHANNEL, post, "👍")) is True
    # The newest message tells of the pin.
    assert telegram.feed(BAKERY_CHANNEL)[1]["reactions"] == {BAKERY_BOT: "👍"}
    assert telegram.use(lambda bot: bot.set_message_reaction(CHANNEL, post, [])) is True
    assert telegram.feed(BAKERY_CHANNEL)[1]["reactions"] == {}
    assert telegram.refused("setMessageReaction", chat_id=CHANNEL, message_id=99, reaction=[]) == (
        400,
        "Bad Request: message to react not found",
    )
