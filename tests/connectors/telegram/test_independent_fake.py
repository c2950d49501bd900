"""Our connector at telegram-test-api, a server that others wrote: as far as it goes, it reads Telegram as we do.

It knows getMe, webhooks and texts, takes any token, and answers an unknown method with a 500 that has no envelope.
"""

import asyncio
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

import httpx
import pytest

from socialgate.connectors.telegram import build_connector
from socialgate.connectors.telegram.api import BotApi
from socialgate.connectors.telegram.webhooks import TelegramWebhookReceiver
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import ConnectResult
from socialgate.contracts.failures import PlatformUnavailableError
from socialgate.contracts.messages import MessageReported
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.webhooks import WebhookRequest, WebhookResponse
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work
from support.node import NODE, npm_packages
from support.simulation import ReceivedWebhook, WebhookReceiver

T = TypeVar("T")

TOKEN = "123456789:AAMadeUpTokenForTests_0123456789abc"
SECRET = "Made-up_secret0123456789"
PERSON = {"id": 77, "is_bot": False, "first_name": "Dario"}
CHAT = {"id": 77, "type": "private", "first_name": "Dario"}


class Fake:
    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self._folder = folder

    def use(self, work: Callable[[VendorTransport], Awaitable[T]]) -> T:
        """Work with a wire that leads to it."""

        async def run() -> T:
            db = Database(sqlite_url(self._folder / "pauses.db"), SystemClock())
            resolver = SystemResolver(1)
            door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
            try:
                await run_schema_work(db, lambda connection: pauses.create(connection, checkfirst=True))
                return await work(
                    VendorTransport(door, db.clock, PlatformPauses(db), Platform.TELEGRAM, self.url, one_host=True)
                )
            finally:
                door.close()
                resolver.close()
                await db.close()

        return asyncio.run(run())

    def person(self, does: str, **fields: Any) -> None:
        body = {"botToken": TOKEN, "from": PERSON, "chat": CHAT, "date": 1_700_000_000, **fields}
        httpx.post(f"{self.url}/{does}", json=body, timeout=30).raise_for_status()

    def history(self) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = httpx.post(
            f"{self.url}/getUpdatesHistory", json={"token": TOKEN}, timeout=30
        ).json()["result"]
        return result


@pytest.fixture(scope="module")
def fake_url() -> Iterator[str]:
    script = npm_packages() / "telegram-fake.cjs"
    script.write_bytes((Path(__file__).parent / "fake.cjs").read_bytes())
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    # Without the flag it ends when a webhook answers anything but 2xx.
    command = [NODE, "--unhandled-rejections=warn", str(script), str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


@pytest.fixture
def fake(fake_url: str, tmp_path: Path) -> Fake:
    return Fake(fake_url, tmp_path)


@pytest.fixture
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


def set_webhook(fake: Fake, gateway: WebhookReceiver) -> None:
    url = f"{gateway.url}/webhooks/telegram?r=made-up"
    fake.use(lambda wire: BotApi(wire).set_webhook(TOKEN, url, SECRET, drop_pending=True))


def as_request(arrived: ReceivedWebhook) -> WebhookRequest:
    query = dict(httpx.URL(arrived.path).params)
    return WebhookRequest(method="POST", query=query, headers=arrived.headers, body=arrived.body)


def received(arrived: ReceivedWebhook, secret: str = SECRET) -> WebhookResponse:
    return asyncio.run(TelegramWebhookReceiver(SystemClock()).receive(as_request(arrived), [secret]))


def test_a_token_is_verified(fake: Fake) -> None:
    async def verify(wire: VendorTransport) -> ConnectResult:
        credential = build_connector(PlatformApp(), wire).credential_login
        assert credential is not None
        return await credential.verify({"botToken": TOKEN})

    connection = fake.use(verify)
    assert (connection.grant.platform_user_id, connection.grant.access_token) == ("666", TOKEN)
    (bot,) = connection.accounts
    assert (bot.kind, bot.platform_account_id, bot.username) == (Kind.TELEGRAM_BOT, "666", "TestNameBot")


def test_updates_come_to_the_webhook_with_its_secret(fake: Fake, gateway: WebhookReceiver) -> None:
    set_webhook(fake, gateway)
    fake.person("sendMessage", text="Do you have rye?")
    gateway.wait_for(1)
    fake.person("sendCallback", data="order:1", message={"message_id": 1, "chat": CHAT, "date": 1, "text": "x"})
    arrived = gateway.wait_for(2)
    assert [received(received_webhook) for received_webhook in arrived] == [WebhookResponse(), WebhookResponse()]
    assert not received(arrived[0], "another secret").should_store
    facts = [
        fact
        for received_webhook in arrived
        for fact in TelegramWebhookReceiver(SystemClock()).parse(as_request(received_webhook))
    ]
    pairs = [(fact.message.type, fact.message.text) for fact in facts if isinstance(fact, MessageReported)]
    assert pairs == [("text", "Do you have rye?"), ("interactive", "order:1")]


def test_nothing_comes_when_the_webhook_is_gone(fake: Fake, gateway: WebhookReceiver) -> None:
    set_webhook(fake, gateway)
    fake.use(lambda wire: BotApi(wire).delete_webhook(TOKEN))
    fake.person("sendMessage", text="Is somebody there?")
    assert fake.history()[-1]["message"]["text"] == "Is somebody there?"
    assert gateway.arrived == []


def test_an_answer_without_an_envelope_is_no_loss(fake: Fake) -> None:
    with pytest.raises(PlatformUnavailableError) as failed:
        fake.use(lambda wire: BotApi(wire).get_webhook_info(TOKEN))
    assert TOKEN not in f"{failed.value!r} {vars(failed.value)}"
