"""What people do comes to the bots as updates."""

import pytest

from sandbox.telegram.client import Telegram
from socialgate_sandbox.vendors.telegram.seed import BAKERY_BOT, BAKERY_CHANNEL, BAKERY_TOKEN, REGULARS_GROUP

ALL = ["message", "edited_message", "edited_channel_post", "message_reaction", "message_reaction_count"]


@pytest.mark.parametrize("word", ["image", "video", "audio", "voice", "file", "sticker", "location", "contact"])
def test_a_message_of_every_kind(telegram: Telegram, word: str) -> None:
    kind = {"image": "photo", "file": "document"}.get(word, word)
    telegram.listen()
    telegram.act("message", account=BAKERY_BOT, attachment=word, text="look")
    message = telegram.news()[0]["message"]
    assert kind in message
    assert message.get("caption") == ("look" if kind not in {"sticker", "location", "contact"} else None)


def test_a_file_of_a_person_is_downloaded(telegram: Telegram) -> None:
    telegram.listen()
    telegram.act("message", account=BAKERY_BOT, attachment="file")
    document = telegram.news()[0]["message"]["document"]
    file = telegram.call("getFile", file_id=document["file_id"])
    answer = telegram.running.client.get(f"/telegram/file/bot{BAKERY_TOKEN}/{file['file_path']}")
    assert len(answer.content) == document["file_size"]


def test_an_album_comes_in_pieces(telegram: Telegram) -> None:
    telegram.listen()
    numbers = telegram.act("message", account=BAKERY_BOT, attachment="album", text="two")["messageIds"]
    first, second = [news["message"] for news in telegram.news(2)]
    assert [first["message_id"], second["message_id"]] == numbers
    assert first["media_group_id"] == second["media_group_id"]
    assert (first["caption"], "caption" in second) == ("two", False)


def test_a_first_message_needs_no_start(telegram: Telegram) -> None:
    telegram.listen()
    telegram.act("message", account=BAKERY_BOT, text="hi", person="finn")
    message = telegram.news()[0]["message"]
    assert telegram.call("sendMessage", chat_id=message["chat"]["id"], text="hi")


def test_edits(telegram: Telegram) -> None:
    telegram.listen(allowed_updates=ALL)
    number = telegram.act("message", account=BAKERY_BOT, text="on")["messageId"]
    telegram.act("edit", account=BAKERY_BOT, messageId=number, text="one")
    post = telegram.act("message", account=BAKERY_CHANNEL, attachment="image", text="tow")["messageId"]
    telegram.act("edit", account=BAKERY_CHANNEL, messageId=post, text="two")
    _, edited, edited_post = telegram.news(3)
    assert edited["edited_message"]["text"] == "one"
    assert edited["edited_message"]["edit_date"]
    assert edited_post["edited_channel_post"]["caption"] == "two"


def test_reactions_are_only_told_on_demand(telegram: Telegram) -> None:
    number = telegram.act("message", account=BAKERY_BOT, text="x")["messageId"]
    telegram.act("react", account=BAKERY_BOT, messageId=number, emoji="🔥")
    assert len(telegram.call("getUpdates")) == 1


def test_reactions(telegram: Telegram) -> None:
    telegram.listen(allowed_updates=["message_reaction", "message_reaction_count"])
    number = telegram.act("message", account=BAKERY_BOT, text="x")["messageId"]
    telegram.act("react", account=BAKERY_BOT, messageId=number, emoji="🔥")
    telegram.act("react", account=BAKERY_BOT, messageId=number)
    post = telegram.act("message", account=BAKERY_CHANNEL, text="x")["messageId"]
    for person in ("dario", "elif"):
        telegram.act("react", account=BAKERY_CHANNEL, messageId=post, emoji="👍", person=person)
    fire, gone, _, thumbs = telegram.news(4)
    emoji = [{"type": "emoji", "emoji": "🔥"}]
    assert (fire["message_reaction"]["old_reaction"], fire["message_reaction"]["new_reaction"]) == ([], emoji)
    assert (gone["message_reaction"]["old_reaction"], gone["message_reaction"]["new_reaction"]) == (emoji, [])
    counts = thumbs["message_reaction_count"]["reactions"]
    assert counts == [{"type": {"type": "emoji", "emoji": "👍"}, "total_count": 2}]


def test_a_reply_to_the_bot_in_a_group(telegram: Telegram) -> None:
    telegram.listen()
    sent = telegram.call("sendMessage", chat_id=REGULARS_GROUP, text="Hello all")["message_id"]
    telegram.act("message", account=REGULARS_GROUP, text="hello bot", replyTo=sent)
    message = telegram.news()[0]["message"]
    assert message["reply_to_message"]["message_id"] == sent
    assert message["chat"]["type"] == "supergroup"


@pytest.mark.parametrize(
    ("verb", "fields", "status"),
    [
        ("message", {"account": BAKERY_BOT}, 422),
        ("message", {"account": "1", "text": "x"}, 404),
        ("message", {"account": BAKERY_BOT, "text": "x", "person": "nobody"}, 404),
        ("message", {"account": BAKERY_BOT, "kind": "photo", "text": "x" * 1025}, 422),
        ("edit", {"account": BAKERY_BOT, "messageId": 9, "text": "x"}, 404),
        ("press", {"account": BAKERY_BOT, "messageId": 9, "button": "x"}, 404),
    ],
)
def test_what_cannot_be_done(telegram: Telegram, verb: str, fields: dict[str, object], status: int) -> None:
    answer = telegram.running.client.post(f"/_control/{verb}", json={"platform": "telegram", **fields})
    assert answer.status_code == status, answer.text
