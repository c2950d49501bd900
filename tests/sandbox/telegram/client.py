"""Calling the simulated Bot API in plain HTTP, and through python-telegram-bot, whose types refuse gaps."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx
from telegram import Bot, Update

from socialgate_sandbox.vendors.telegram.seed import BAKERY_TOKEN
from support.simulation import ReceivedWebhook, RunningSandbox, WebhookReceiver

T = TypeVar("T")
SECRET = "a-secret_of-ours"


class Telegram:
    def __init__(self, running: RunningSandbox, gateway: WebhookReceiver) -> None:
        self.running = running
        self.gateway = gateway
        self.url = f"{running.url}/telegram"
        self.hook = f"{gateway.url}/webhooks/telegram?r=1"

    def send(self, method: str, token: str = BAKERY_TOKEN, **fields: Any) -> httpx.Response:
        return self.running.client.post(f"/telegram/bot{token}/{method}", json=fields)

    def call(self, method: str, token: str = BAKERY_TOKEN, **fields: Any) -> Any:
        answer = self.send(method, token, **fields)
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert body["ok"] is True
        return body["result"]

    def refused(self, method: str, token: str = BAKERY_TOKEN, **fields: Any) -> tuple[int, str]:
        """Give the status and the sentence, having checked that the envelope is whole."""
        return refusal_of(self.send(method, token, **fields))

    def act(self, verb: str, **fields: Any) -> Any:
        return self.running.control(verb, platform="telegram", **fields)

    def pass_time(self, seconds: float) -> None:
        self.running.control("clock", advance=seconds)

    def listen(self, token: str = BAKERY_TOKEN, **fields: Any) -> None:
        self.call("setWebhook", token, url=self.hook, secret_token=SECRET, **fields)

    def news(self, count: int = 1) -> list[dict[str, Any]]:
        """Wait for updates. The library must understand each of them."""
        result = [update_in(arrived) for arrived in self.gateway.wait_for(count)]
        assert len(result) == count
        return result

    def feed(self, account: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.act("feed", account=account)["data"]
        return result

    def use(self, work: Callable[[Bot], Awaitable[T]], token: str = BAKERY_TOKEN) -> T:
        """Let the library do something. It calls getMe by itself before."""

        async def run() -> T:
            async with Bot(token, base_url=f"{self.url}/bot", base_file_url=f"{self.url}/file/bot") as bot:
                return await work(bot)

        return asyncio.run(run())


def refusal_of(answer: httpx.Response) -> tuple[int, str]:
    body = answer.json()
    assert body["ok"] is False
    assert body["error_code"] == answer.status_code
    return answer.status_code, body["description"]


def update_in(arrived: ReceivedWebhook) -> dict[str, Any]:
    body: dict[str, Any] = arrived.json
    update = Update.de_json(body, None)
    assert update.update_id > 0
    assert not update.api_kwargs, "the library does not know such an update"
    return body
