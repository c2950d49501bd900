"""How a bot gets its news: by webhook or by asking."""

import threading
from typing import Any

import httpx
import pytest
from telegram.error import Conflict

from sandbox.telegram.client import SECRET, Telegram, refusal_of, update_in
from socialgate_sandbox.vendors.telegram.seed import (
    AGENCY_BOT,
    AGENCY_CHANNEL,
    AGENCY_TOKEN,
    BAKERY_BOT,
    BAKERY_CHANNEL,
    BAKERY_TOKEN,
    BOT_WITH_WEBHOOK_TOKEN,
    REGULARS_GROUP,
    STAFF_CHANNEL,
    USER_IDS,
)
from support.waiting import eventually


def write(telegram: Telegram, text: str = "hello", account: str = BAKERY_BOT, **more: Any) -> int:
    return int(telegram.act("message", account=account, text=text, **more)["messageId"])


def attempts(telegram: Telegram, count: int) -> list[int]:
    """Wait until the only webhook was tried so often, and give what was answered."""

    def look() -> list[int] | None:
        (only,) = telegram.running.look("deliveries", platform="telegram")["data"]
        items = [attempt["status"] for attempt in only["attempts"]]
        return items if len(items) == count else None

    return eventually(look)


def test_a_message_comes_with_the_secret(telegram: Telegram) -> None:
    telegram.listen()
    number = write(telegram, "Do you have rye?")
    (arrived,) = telegram.gateway.wait_for(1)
    assert arrived.path == "/webhooks/telegram?r=1"
    assert arrived.headers["x-telegram-bot-api-secret-token"] == SECRET
    assert arrived.headers["content-type"] == "application/json"
    message = update_in(arrived)["message"]
    assert (message["message_id"], message["text"]) == (number, "Do you have rye?")
    assert message["from"] == {
        "id": int(USER_IDS["dario"]),
        "is_bot": False,
        "first_name": "Dario",
        "last_name": "Weiss",
        "username": "dario",
        "language_code": "en",
    }
    assert message["chat"]["type"] == "private"
    assert message["chat"]["id"] == message["from"]["id"]


def test_without_a_secret_there_is_no_header(telegram: Telegram) -> None:
    telegram.call("setWebhook", url=telegram.hook)
    write(telegram)
    (arrived,) = telegram.gateway.wait_for(1)
    assert "x-telegram-bot-api-secret-token" not in arrived.headers


def test_setting_and_deleting_say_what_happened(telegram: Telegram) -> None:
    def function(method: str, **fields: Any) -> str:
        telegram.pass_time(1)
        answer = telegram.send(method, **fields).json()
        assert answer["result"] is True
        return str(answer["description"])

    assert function("setWebhook", url=telegram.hook) == "Webhook was set"
    assert function("setWebhook", url=telegram.hook) == "Webhook is already set"
    assert function("setWebhook", url=telegram.hook, secret_token=SECRET) == "Webhook was set"
    assert (
        function("setWebhook", url=telegram.hook, secret_token=SECRET, drop_pending_updates=True) == "Webhook was set"
    )
    assert function("deleteWebhook") == "Webhook was deleted"
    assert function("deleteWebhook") == "Webhook is already deleted"
    assert function("setWebhook", url="") == "Webhook is already deleted"


def test_a_second_webhook_within_a_second(telegram: Telegram) -> None:
    telegram.listen()
    answer = telegram.send("setWebhook", url=telegram.hook)
    assert refusal_of(answer) == (429, "Too Many Requests: retry after 1")
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["parameters"] == {"retry_after": 1}


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"url": "ftp://example.com"}, "invalid webhook URL specified"),
        ({"url": "https://"}, "invalid webhook URL specified"),
        ({"url": "http://example.com/x"}, "bad webhook: An HTTPS URL must be provided for webhook"),
        ({"url": "https://example.com:444/x"}, "bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443"),
        ({"url": "https://10.0.0.1/x"}, "bad webhook: IP address 10.0.0.1 is reserved"),
        ({"url": "https://example.com/x", "secret_token": "a b"}, "secret token contains unallowed characters"),
        ({"url": "https://example.com/x", "secret_token": "a" * 257}, "secret token is too long"),
    ],
)
def test_webhooks_that_are_refused(telegram: Telegram, fields: dict[str, str], text: str) -> None:
    assert telegram.refused("setWebhook", **fields) == (400, f"Bad Request: {text}")
    assert telegram.call("getWebhookInfo")["url"] == ""


def test_what_is_known_of_a_webhook(telegram: Telegram) -> None:
    empty = telegram.call("getWebhookInfo")
    assert empty == {"url": "", "has_custom_certificate": False, "pending_update_count": 0}
    telegram.listen(allowed_updates=["message", "callback_query", "nonsense"], max_connections=7)
    info = telegram.use(lambda bot: bot.get_webhook_info())
    assert (info.url, info.max_connections, info.ip_address) == (telegram.hook, 7, "127.0.0.1")
    assert list(info.allowed_updates) == ["message", "callback_query"]
    assert (info.pending_update_count, info.last_error_date) == (0, None)


def test_a_bot_that_another_service_uses(telegram: Telegram) -> None:
    assert telegram.call("getWebhookInfo", BOT_WITH_WEBHOOK_TOKEN)["url"] == "https://other-service.example/telegram"


def test_the_list_of_updates_stays_until_another_is_given(telegram: Telegram) -> None:
    telegram.listen(allowed_updates=["channel_post"])
    telegram.pass_time(1)
    telegram.call("setWebhook", url=f"{telegram.hook}2")
    write(telegram)
    write(telegram, account=BAKERY_CHANNEL)
    (news,) = telegram.news()
    assert "channel_post" in news
    telegram.pass_time(1)
    telegram.call("setWebhook", url=telegram.hook, allowed_updates=[])
    assert "allowed_updates" not in telegram.call("getWebhookInfo")


def test_a_refused_update_comes_again_by_the_schedule(telegram: Telegram) -> None:
    telegram.gateway.answers = [500, 503, 200]
    telegram.listen()
    write(telegram)
    # The first repetition follows at once, the second after two seconds.
    assert attempts(telegram, 2) == [500, 503]
    info = telegram.call("getWebhookInfo")
    assert info["pending_update_count"] == 1
    assert info["last_error_message"] == "Wrong response from the webhook: 503 Service Unavailable"
    assert info["last_error_date"] > 0
    telegram.pass_time(2.1)
    assert attempts(telegram, 3) == [500, 503, 200]
    assert len({arrived.body for arrived in telegram.gateway.arrived}) == 1
    assert telegram.call("getWebhookInfo")["pending_update_count"] == 0


def test_asking_for_updates(telegram: Telegram) -> None:
    first, second = write(telegram, "one"), write(telegram, "two")
    assert telegram.call("getWebhookInfo")["pending_update_count"] == 2
    updates = telegram.use(lambda bot: bot.get_updates())
    assert [update.message.message_id for update in updates if update.message] == [first, second]
    assert updates[1].update_id == updates[0].update_id + 1
    assert len(telegram.call("getUpdates", limit=1)) == 1
    (rest,) = telegram.call("getUpdates", offset=updates[1].update_id)
    assert rest["message"]["text"] == "two"
    assert telegram.call("getUpdates", offset=updates[1].update_id + 1) == []
    assert telegram.call("getUpdates") == []


def test_only_the_last_updates(telegram: Telegram) -> None:
    for text in "abc":
        write(telegram, text)
    assert [update["message"]["text"] for update in telegram.call("getUpdates", offset=-1)] == ["c"]
    assert len(telegram.call("getUpdates")) == 1


def test_updates_grow_too_old(telegram: Telegram) -> None:
    write(telegram)
    telegram.pass_time(86_401)
    assert telegram.call("getUpdates") == []


def test_asking_while_a_webhook_is_set(telegram: Telegram) -> None:
    telegram.listen()
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        telegram.use(lambda bot: bot.get_updates())


class Polling:
    """A long poll in another thread. Wait for `begun` before disturbing it."""

    def __init__(self, telegram: Telegram) -> None:
        self.answer: httpx.Response | None = None
        self._url = f"{telegram.url}/bot{BAKERY_TOKEN}/getUpdates"
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        # The next poll must come after this one has: a third is refused by nobody until then.

    def _run(self) -> None:
        self.answer = httpx.post(self._url, json={"timeout": 50}, timeout=60)

    def done(self) -> httpx.Response:
        self._thread.join(60)
        assert self.answer is not None
        return self.answer


def test_a_long_poll_ends_with_the_first_update(telegram: Telegram) -> None:
    polling = Polling(telegram)
    write(telegram, "wake up")
    (update,) = polling.done().json()["result"]
    assert update["message"]["text"] == "wake up"


def test_a_webhook_ends_a_long_poll(telegram: Telegram) -> None:
    polling = Polling(telegram)
    telegram.listen()
    status, text = refusal_of(polling.done())
    # Whichever came first: the poll was ended, or not even begun.
    assert status == 409
    assert text.startswith(("Conflict: terminated by setWebhook", "Conflict: can't use getUpdates"))


def test_a_second_poller_ends_the_first(telegram: Telegram) -> None:
    pollers = [Polling(telegram), Polling(telegram)]
    eventually(lambda: any(poller.answer is not None for poller in pollers))
    write(telegram)
    statuses = sorted(poller.done().status_code for poller in pollers)
    assert statuses == [200, 409]
    (refused,) = [poller.done() for poller in pollers if poller.done().status_code == 409]
    assert refusal_of(refused)[1].startswith("Conflict: terminated by other getUpdates request")


def test_what_waited_goes_to_a_new_webhook(telegram: Telegram) -> None:
    write(telegram, "before")
    telegram.listen()
    (news,) = telegram.news()
    assert news["message"]["text"] == "before"


def test_what_waited_can_be_dropped(telegram: Telegram) -> None:
    write(telegram, "before")
    telegram.listen(drop_pending_updates=True)
    write(telegram, "after")
    (news,) = telegram.news()
    assert news["message"]["text"] == "after"


def test_what_was_not_taken_waits_when_the_webhook_goes(telegram: Telegram) -> None:
    telegram.gateway.answers = [500, 500]
    telegram.listen()
    write(telegram, "lost?")
    attempts(telegram, 2)
    telegram.call("deleteWebhook")
    (update,) = telegram.call("getUpdates")
    assert update["message"]["text"] == "lost?"


def test_a_post_of_the_owner_in_a_channel(telegram: Telegram) -> None:
    telegram.listen()
    write(telegram, "Open at six", BAKERY_CHANNEL)
    (news,) = telegram.news()
    post = news["channel_post"]
    assert "from" not in post
    assert post["sender_chat"] == post["chat"]
    assert (post["chat"]["id"], post["chat"]["type"]) == (int(BAKERY_CHANNEL), "channel")


def test_privacy_mode_in_a_group(telegram: Telegram) -> None:
    telegram.listen()
    write(telegram, "just talking", REGULARS_GROUP)
    write(telegram, "hey @AdasBakeryBot", REGULARS_GROUP)
    write(telegram, "/menu today", REGULARS_GROUP)
    mention, command = telegram.news(2)
    assert mention["message"]["text"] == "hey @AdasBakeryBot"
    assert command["message"]["entities"] == [{"offset": 0, "length": 5, "type": "bot_command"}]


def test_blocking_and_unblocking(telegram: Telegram) -> None:
    telegram.listen()
    telegram.act("block", account=BAKERY_BOT, person="elif")
    telegram.act("unblock", account=BAKERY_BOT, person="elif")
    blocked, back = [news["my_chat_member"] for news in telegram.news(2)]
    assert blocked["chat"]["type"] == "private"
    assert [item["new_chat_member"]["status"] for item in (blocked, back)] == ["kicked", "member"]
    assert blocked["old_chat_member"]["status"] == "member"
    assert blocked["new_chat_member"]["user"]["id"] == int(BAKERY_BOT)


@pytest.mark.parametrize(
    ("how", "status", "can_post"),
    [
        ("", "left", None),
        ("removed", "left", None),
        ("banned", "kicked", None),
        ("cannot_post", "administrator", False),
    ],
)
def test_losing_a_channel(telegram: Telegram, how: str, status: str, *, can_post: bool | None) -> None:
    telegram.listen()
    telegram.act("revoke", account=STAFF_CHANNEL, how=how)
    (news,) = telegram.news()
    change = news["my_chat_member"]
    assert change["from"]["username"] == "ada"
    assert change["old_chat_member"]["can_post_messages"] is True
    assert (change["new_chat_member"]["status"], change["new_chat_member"].get("can_post_messages")) == (
        status,
        can_post,
    )


def test_a_removed_bot_is_refused(telegram: Telegram) -> None:
    telegram.act("revoke", account=STAFF_CHANNEL)
    telegram.act("revoke", account=BAKERY_CHANNEL, how="banned")
    assert telegram.refused("getChat", chat_id=STAFF_CHANNEL) == (
        403,
        "Forbidden: bot is not a member of the channel chat",
    )
    assert telegram.refused("getChat", chat_id=BAKERY_CHANNEL) == (
        403,
        "Forbidden: bot was kicked from the channel chat",
    )


def test_getting_the_right_to_post(telegram: Telegram) -> None:
    telegram.listen(AGENCY_TOKEN)
    telegram.act("promote", account=AGENCY_CHANNEL, bot=AGENCY_BOT)
    (news,) = telegram.news()
    change = news["my_chat_member"]
    assert change["old_chat_member"]["can_post_messages"] is False
    assert change["new_chat_member"]["can_post_messages"] is True


def test_ways_that_do_not_exist(telegram: Telegram) -> None:
    for account in (BAKERY_BOT, BAKERY_CHANNEL):
        order = {"platform": "telegram", "account": account, "how": "nonsense"}
        assert telegram.running.client.post("/_control/revoke", json=order).status_code == 422
