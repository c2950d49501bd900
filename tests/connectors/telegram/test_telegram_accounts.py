"""What is made of a bot's description, its webhook and its token."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from socialgate.connectors.telegram import build_connector
from socialgate.connectors.telegram.accounts import find_issues
from socialgate.connectors.telegram.api import Bot, WebhookInfo
from socialgate.connectors.telegram.auth import is_own_webhook_url
from socialgate.connectors.telegram.manifest import MANIFEST
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import GRANT_REVOCATION_CAPABILITY, CredentialRejectedError
from socialgate.contracts.failures import PlatformUnavailableError
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work

T = TypeVar("T")

TOKEN = "123456789:AAMadeUpTokenForTests_0123456789abc"
OURS = "https://gate.example.com/webhooks/telegram?r=made-up-routing-id"
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)


def codes(webhook: WebhookInfo) -> list[tuple[str, bool]]:
    return [(issue.code, issue.warning) for issue in find_issues(webhook, TOKEN, NOW)]


def test_a_good_webhook_is_no_issue() -> None:
    assert codes(WebhookInfo(url=OURS)) == []
    assert codes(WebhookInfo(url=OURS, last_error_date=int(NOW.timestamp()) - 7200, last_error_message="old")) == []


def test_a_webhook_of_somebody_else_is_named_by_its_host_alone() -> None:
    webhook = WebhookInfo(url=f"https://bots.example.org/hook/{TOKEN}?key=hidden")
    assert codes(webhook) == [("webhook_taken_over", False)]
    (issue,) = find_issues(webhook, TOKEN, NOW)
    assert "bots.example.org" in issue.detail
    assert "hidden" not in str(issue)
    assert TOKEN not in str(issue)


def test_a_webhook_that_was_removed_is_told() -> None:
    assert codes(WebhookInfo()) == [("webhook_missing", False)]


def test_deliveries_that_fail_or_pile_up_are_warnings() -> None:
    webhook = WebhookInfo(
        url=OURS,
        pending_update_count=1200,
        last_error_date=int(NOW.timestamp()) - 60,
        last_error_message=f"Wrong response from the webhook: 503 {TOKEN}",
    )
    assert codes(webhook) == [("webhook_failing", True), ("updates_waiting", True)]
    assert TOKEN not in str(list(find_issues(webhook, TOKEN, NOW)))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "https://gate.example.com/webhooks/telegram",
        "https://gate.example.com/webhooks/meta?r=1",
        "https://[broken/webhooks/telegram?r=1",
        "https://gate.example.com/?x=/webhooks/telegram?r=1",
    ],
)
def test_other_addresses_are_not_ours(url: str) -> None:
    assert is_own_webhook_url(OURS)
    assert not is_own_webhook_url(url)


def test_a_bot_is_read_as_it_comes() -> None:
    real = b'{"id":123456789012,"is_bot":true,"first_name":"Shop","username":"shop_bot","has_main_web_app":false}'
    bot = msgspec.json.decode(real, type=Bot)
    assert (bot.id, bot.name, bot.link) == ("123456789012", "Shop", "https://t.me/shop_bot")
    bare = msgspec.json.decode(b'{"id":666}', type=Bot)
    assert (bare.id, bare.name, bare.link, bare.is_bot) == ("666", "666", None, True)


def test_the_manifest_declares_what_there_is(tmp_path: Path) -> None:
    bot = MANIFEST.get_kind_manifest(Kind.TELEGRAM_BOT)
    assert GRANT_REVOCATION_CAPABILITY not in bot.capabilities
    assert bot.get_allowed_uses(()) == {"message": True, "post": True, "deletePost": True, "readInsights": True}
    assert bot.get_missing_scopes(()) == []
    assert MANIFEST.list_scopes() == []
    created_connector = asyncio.run(_with_wire(tmp_path, lambda wire: _given(build_connector(PlatformApp(), wire))))
    assert created_connector.credential_login is not None
    assert created_connector.webhook_subscriber is not None


BAD_TOKENS = [
    "",
    "nonsense",
    "123",
    "123:",
    ":abc",
    "12a:abc",
    "123:abc/../getMe",
    "123:abc?x=1",
    "1:é",
    "1:a b",
    "\u0661:a",
]


@pytest.mark.parametrize("token", BAD_TOKENS)
def test_what_is_no_token_is_refused_before_anybody_is_asked(tmp_path: Path, token: str) -> None:
    with pytest.raises(CredentialRejectedError) as caught:
        asyncio.run(_with_wire(tmp_path, lambda wire: _verify(wire, {"botToken": token})))
    assert caught.value.field == "botToken"


def test_a_server_that_cannot_be_reached_says_nothing_about_the_token(tmp_path: Path) -> None:
    with pytest.raises(PlatformUnavailableError) as caught:
        asyncio.run(_with_wire(tmp_path, lambda wire: _verify(wire, {"botToken": f" {TOKEN}\n"})))
    value = "".join([str(caught.value), repr(caught.value), str(vars(caught.value)), repr(caught.value.__cause__)])
    assert TOKEN not in value
    assert caught.value.__suppress_context__


async def _given(value: T) -> T:
    return value


async def _verify(wire: VendorTransport, form: dict[str, str]) -> object:
    credential = build_connector(PlatformApp(), wire).credential_login
    assert credential is not None
    return await credential.verify(form)


async def _with_wire(folder: Path, use: Callable[[VendorTransport], Awaitable[T]]) -> T:
    """Give a wire whose platform nobody answers for."""
    db = Database(sqlite_url(folder / "pauses.db"), SystemClock())
    resolver = SystemResolver(1)
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
    try:
        await run_schema_work(db, pauses.create)
        return await use(
            VendorTransport(door, db.clock, PlatformPauses(db), Platform.TELEGRAM, "http://127.0.0.1:1", one_host=True)
        )
    finally:
        door.close()
        resolver.close()
        await db.close()
