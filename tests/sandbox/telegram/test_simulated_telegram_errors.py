"""Every failure that can be ordered has Telegram's envelope."""

import pytest

from sandbox.telegram.client import Telegram, refusal_of
from socialgate_sandbox.vendors.telegram.errors import ERRORS
from socialgate_sandbox.vendors.telegram.seed import AGENCY_TOKEN, BAKERY_BOT, BAKERY_CHANNEL

_NAMES = {
    400: "Bad Request: ",
    401: "Unauthorized",
    403: "Forbidden: ",
    404: "Not Found",
    409: "Conflict: ",
    413: "Request Entity Too Large",
    421: "Misdirected Request: ",
    429: "Too Many Requests: ",
    500: "Internal Server Error: ",
    502: "Bad Gateway",
}


@pytest.mark.parametrize("name", ERRORS)
def test_a_failure_by_name(telegram: Telegram, name: str) -> None:
    telegram.running.control("fail", platform="telegram", error=name)
    answer = telegram.send("getMe")
    status, text = refusal_of(answer)
    assert text.startswith(_NAMES[status]) or name == "logged_out"
    assert set(answer.json()) - {"parameters"} == {"ok", "error_code", "description"}
    assert telegram.call("getMe")


def test_a_limit_says_how_long_it_lasts_three_times(telegram: Telegram) -> None:
    telegram.running.control("throttle", platform="telegram", perMinute=0)
    answer = telegram.send("getMe")
    telegram.running.client.delete("/_control/fail")
    assert refusal_of(answer) == (429, "Too Many Requests: retry after 3")
    assert (answer.json()["parameters"], answer.headers["retry-after"]) == ({"retry_after": 3}, "3")


def test_a_failure_can_be_aimed_at_a_bot_or_a_chat(telegram: Telegram) -> None:
    telegram.running.control("fail", platform="telegram", error="token_revoked", account=BAKERY_BOT)
    assert telegram.call("getMe", AGENCY_TOKEN)
    assert telegram.refused("getMe") == (401, "Unauthorized")
    telegram.running.control("fail", platform="telegram", error="kicked", account=BAKERY_CHANNEL)
    assert telegram.call("getMe")
    assert telegram.refused("getChat", chat_id="@adasbakery")[0] == 403


def test_a_body_that_is_not_json(telegram: Telegram) -> None:
    url = f"/telegram/bot{AGENCY_TOKEN}/getChat"
    answer = telegram.running.client.post(url, content=b"{", headers={"content-type": "application/json"})
    assert refusal_of(answer)[0] == 400
