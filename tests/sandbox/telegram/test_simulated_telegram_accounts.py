"""Bots, their tokens, and the chats they are in."""

import httpx
import pytest
from telegram import ChatMemberAdministrator, ChatMemberLeft
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken

from sandbox.telegram.client import Telegram, refusal_of
from socialgate_sandbox.vendors.telegram.seed import (
    AGENCY_BOT,
    AGENCY_CHANNEL,
    AGENCY_TOKEN,
    BAKERY_BOT,
    BAKERY_CHANNEL,
    BAKERY_TOKEN,
    CLEO_CHANNEL,
    MIGRATED_GROUP,
    REGULARS_GROUP,
    STAFF_CHANNEL,
    USER_IDS,
)


def test_who_am_i(telegram: Telegram) -> None:
    me = telegram.use(lambda bot: bot.get_me())
    assert (me.id, me.is_bot, me.username) == (int(BAKERY_BOT), True, "AdasBakeryBot")
    assert me.can_join_groups is True
    assert me.can_read_all_group_messages is False


@pytest.mark.parametrize("method", ["getMe", "getme", "GETME"])
def test_the_case_of_a_method_does_not_matter(telegram: Telegram, method: str) -> None:
    assert telegram.call(method)["username"] == "AdasBakeryBot"


def test_every_encoding_is_read(telegram: Telegram) -> None:
    path, fields = f"/telegram/bot{BAKERY_TOKEN}/getChat", {"chat_id": BAKERY_CHANNEL}
    client = telegram.running.client
    answers: list[httpx.Response] = [
        client.get(path, params=fields),
        client.post(path, data=fields),
        client.post(path, json={"chat_id": int(BAKERY_CHANNEL)}),
        client.post(path, data=fields, files={"unused": b"x"}),
    ]
    assert {answer.json()["result"]["title"] for answer in answers} == {"Ada's Bakery"}


@pytest.mark.parametrize(
    ("token", "status", "text"),
    [
        ("nonsense", 401, "Unauthorized: invalid token specified"),
        (f"0{BAKERY_TOKEN}", 401, "Unauthorized: invalid token specified"),
        (f"{BAKERY_BOT}:{'A' * 100}", 401, "Unauthorized: invalid token specified"),
        ("abc:AAx", 421, "Misdirected Request: unallowed token specified"),
        (f"{BAKERY_BOT}:AAwrong", 401, "Unauthorized"),
        ("999:AAnobody", 401, "Unauthorized"),
    ],
)
def test_bad_tokens(telegram: Telegram, token: str, status: int, text: str) -> None:
    assert telegram.refused("getMe", token) == (status, text)


def test_unknown_methods_and_paths(telegram: Telegram) -> None:
    assert telegram.refused("getWeather") == (404, "Not Found: method not found")
    for path in ("/telegram/", "/telegram/robot", f"/telegram/bot{BAKERY_TOKEN}"):
        assert refusal_of(telegram.running.client.get(path)) == (404, "Not Found")


def test_botfather_makes_and_revokes(telegram: Telegram) -> None:
    created = telegram.act("newbot", person="cleo", name="Cleo helps", username="CleoHelpsBot")
    assert telegram.use(lambda bot: bot.get_me(), created["token"]).first_name == "Cleo helps"
    assert telegram.act("token", account=created["id"]) == created
    telegram.listen(created["token"])
    fresh = telegram.act("revoke", account=created["id"])
    assert fresh["token"] != created["token"]
    with pytest.raises(InvalidToken):
        telegram.use(lambda bot: bot.get_me(), created["token"])
    assert telegram.call("getWebhookInfo", fresh["token"])["url"] == ""


def test_a_deleted_bot(telegram: Telegram) -> None:
    assert telegram.act("revoke", account=BAKERY_BOT, how="deleted")["token"] is None
    assert telegram.refused("getMe") == (401, "Unauthorized")
    states = {row["id"]: row["state"] for row in telegram.running.look("accounts")["data"]}
    assert states[BAKERY_BOT] == "deleted"


@pytest.mark.parametrize(
    ("name", "status"), [("CleoHelper", 422), ("adasbakerybot", 409)], ids=["no bot at the end", "taken"]
)
def test_names_that_botfather_refuses(telegram: Telegram, name: str, status: int) -> None:
    order = {"platform": "telegram", "person": "cleo", "name": "X", "username": name}
    assert telegram.running.client.post("/_control/newbot", json=order).status_code == status


def test_what_a_bot_says_about_itself(telegram: Telegram) -> None:
    telegram.use(lambda bot: bot.set_my_name("Bread"))
    telegram.use(lambda bot: bot.set_my_description("Long"))
    telegram.use(lambda bot: bot.set_my_short_description("Short"))
    assert telegram.use(lambda bot: bot.get_my_name()).name == "Bread"
    assert telegram.use(lambda bot: bot.get_my_description()).description == "Long"
    assert telegram.use(lambda bot: bot.get_my_short_description()).short_description == "Short"
    assert telegram.use(lambda bot: bot.get_me()).first_name == "Bread"


def test_a_channel_by_name_and_by_number(telegram: Telegram) -> None:
    channel = telegram.use(lambda bot: bot.get_chat("@AdasBakery"))
    assert (channel.id, channel.type, channel.title) == (int(BAKERY_CHANNEL), "channel", "Ada's Bakery")
    assert channel.description == "Fresh every morning."
    assert list(channel.active_usernames) == ["adasbakery"]
    assert telegram.use(lambda bot: bot.get_chat(int(STAFF_CHANNEL))).username is None
    assert telegram.use(lambda bot: bot.get_chat_member_count("@adasbakery")) == 1284


def test_the_place_of_a_bot_in_a_channel(telegram: Telegram) -> None:
    ours = telegram.use(lambda bot: bot.get_chat_member("@adasbakery", int(BAKERY_BOT)))
    assert isinstance(ours, ChatMemberAdministrator)
    assert (ours.can_post_messages, ours.can_edit_messages, ours.can_delete_messages) == (True, True, True)
    silent = telegram.use(lambda bot: bot.get_chat_member(AGENCY_CHANNEL, int(AGENCY_BOT)), AGENCY_TOKEN)
    assert isinstance(silent, ChatMemberAdministrator)
    assert silent.can_post_messages is False
    outside = telegram.use(lambda bot: bot.get_chat_member(CLEO_CHANNEL, int(BAKERY_BOT)))
    assert isinstance(outside, ChatMemberLeft)


def test_who_runs_a_channel(telegram: Telegram) -> None:
    chat_members = telegram.use(lambda bot: bot.get_chat_administrators("@adasbakery"))
    assert [(chat_member.status, chat_member.user.username) for chat_member in chat_members] == [
        ("creator", "ada"),
        ("administrator", "AdasBakeryBot"),
    ]


def test_chats_that_a_bot_may_not_see(telegram: Telegram) -> None:
    assert telegram.refused("getChat") == (400, "Bad Request: chat_id is empty")
    assert telegram.refused("getChat", chat_id="@nobody") == (400, "Bad Request: chat not found")
    assert telegram.refused("getChat", AGENCY_TOKEN, chat_id=STAFF_CHANNEL) == (400, "Bad Request: chat not found")
    finn = USER_IDS["finn"]
    assert telegram.refused("getChat", chat_id=finn) == (400, "Bad Request: chat not found")
    assert telegram.refused("getChatMember", chat_id="@cleosnotes", user_id=finn) == (
        400,
        "Bad Request: member list is inaccessible",
    )
    assert telegram.refused("getChatMember", chat_id="@adasbakery") == (400, "Bad Request: invalid user_id specified")
    with pytest.raises(Forbidden, match="bot is not a member of the channel chat"):
        telegram.use(lambda bot: bot.leave_chat("@cleosnotes"))


def test_a_group_that_became_a_supergroup(telegram: Telegram) -> None:
    answer = telegram.send("getChatMemberCount", chat_id=MIGRATED_GROUP)
    assert refusal_of(answer) == (400, "Bad Request: group chat was upgraded to a supergroup chat")
    assert answer.json()["parameters"] == {"migrate_to_chat_id": int(REGULARS_GROUP)}
    with pytest.raises(ChatMigrated) as moved:
        telegram.use(lambda bot: bot.get_chat_member_count(MIGRATED_GROUP))
    assert moved.value.new_chat_id == int(REGULARS_GROUP)


def test_private_chats_have_no_administrators(telegram: Telegram) -> None:
    with pytest.raises(BadRequest, match=r"[Tt]here are no administrators in the private chat"):
        telegram.use(lambda bot: bot.get_chat_administrators(int(USER_IDS["dario"])))


def test_the_controls_list_bots_and_chats(telegram: Telegram) -> None:
    rows = {row["id"]: row for row in telegram.running.look("accounts", platform="telegram")["data"]}
    assert (rows[BAKERY_BOT]["kind"], rows[BAKERY_BOT]["name"]) == ("bot", "@AdasBakeryBot")
    assert (rows[CLEO_CHANNEL]["kind"], rows[CLEO_CHANNEL]["connected"]) == ("channel", [])
    assert rows[BAKERY_CHANNEL]["connected"] == [f"{BAKERY_BOT} administrator"]
