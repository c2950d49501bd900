"""The one vendor client keeps to the quotas of a manifest, against real sockets: what is not sent is not counted."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from socialgate.connectors.client import APP_BUDGET, VendorCall, VendorClient
from socialgate.connectors.dialects.telegram import TelegramDialect
from socialgate.connectors.telegram.errors import ERROR_TABLE
from socialgate.connectors.transport import VendorTransport
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import (
    ConnectMethod,
    Kind,
    KindManifest,
    Platform,
    PlatformLimits,
    PlatformManifest,
    Quota,
)
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.metrics import Metrics
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.quotas import Quotas, get_budget_usage, quota_use
from socialgate.core.schema_migration import run_schema_work

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
OK = (200, b'{"ok":true,"result":true}')
BUSY = (429, b'{"ok":false,"error_code":429,"description":"Too Many Requests","parameters":{"retry_after":7}}')
BAD = (400, b'{"ok":false,"error_code":400,"description":"Bad Request"}')
LOST = (0, b"")
# Nobody listens on the first port of all.
NOBODY = "http://127.0.0.1:1"
QUOTAS = (
    Quota("messages", 4, 60),
    Quota("messages", 6, 3600),
    Quota("messages per chat", 2, 60, per="chat"),
    Quota("units", 100, 86_400, per="app", resets="America/Los_Angeles"),
    Quota("calls", 3, 60, per="endpoint"),
)
MANIFEST = PlatformManifest(
    platform=Platform.TELEGRAM,
    name="Telegram",
    method=ConnectMethod.CREDENTIAL,
    kinds=(KindManifest(kind=Kind.TELEGRAM_BOT, name="Bot", capabilities=(), limits=PlatformLimits(quotas=QUOTAS)),),
    how_to_set_up="",
)


class Vendor:
    """A server that answers each request with the next of its answers, the last of them for ever."""

    def __init__(self, *answers: tuple[int, bytes]) -> None:
        self._answers = list(answers)
        self.requests = 0
        self.base = ""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.requests += 1
        status, body = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if status:
            head = f"HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            writer.write(head.encode() + body)
            await writer.drain()
        writer.close()


class StoppedClock:
    def __init__(self) -> None:
        self.time = NOON

    def now(self) -> datetime:
        return self.time


class Scene:
    def __init__(self, db: Database, client: VendorClient, clock: StoppedClock, vendor: Vendor) -> None:
        self.db = db
        self.client = client
        self.clock = clock
        self.vendor = vendor

    async def call(self, *spends: tuple[str, int], account: str = "7", **fields: Any) -> None:
        call = VendorCall(
            method="GET",
            url="https://api.telegram.org/one",
            repeatable=True,
            budgets=(f"{account}:chat", account, APP_BUDGET),
            spends=spends,
        )
        await self.client.call(msgspec.structs.replace(call, **fields), object)

    async def refused(self, *spends: tuple[str, int], **fields: Any) -> PlatformRateLimitError:
        before = self.vendor.requests
        with pytest.raises(PlatformRateLimitError) as caught:
            await self.call(*spends, **fields)
        assert caught.value.category == "quota_exhausted"
        assert self.vendor.requests == before, "it was sent all the same"
        return caught.value

    async def used(self, quota: Quota, whose: str = "7") -> int:
        key = quota.build_budget(Platform.TELEGRAM, whose).key
        result = await self.db.read(get_budget_usage, [key])
        return result[key].used if result else 0


def on(folder: Path, vendor: Vendor, use: Callable[[Scene], Awaitable[None]], base: str | None = None) -> None:
    async def run() -> None:
        clock = StoppedClock()
        server = await asyncio.start_server(vendor.serve, "127.0.0.1", 0)
        vendor.base = base or f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        db = Database(sqlite_url(folder / "test.db"), clock)
        resolver = SystemResolver(1)
        door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Tester/1")
        try:
            await run_schema_work(db, lambda connection: pauses.create(connection, checkfirst=True))
            await run_schema_work(db, lambda connection: quota_use.create(connection, checkfirst=True))
            wire = VendorTransport(
                door, clock, PlatformPauses(db), Platform.TELEGRAM, vendor.base, quotas=Quotas(db, Metrics())
            )
            await use(
                Scene(
                    db, VendorClient(wire.with_manifest_quotas(MANIFEST), TelegramDialect(), ERROR_TABLE), clock, vendor
                )
            )
        finally:
            server.close()
            door.close()
            resolver.close()
            await db.close()

    asyncio.run(run())


def test_a_call_without_room_is_not_sent_and_says_when_there_is(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        for _ in range(4):
            await scene.call(("messages", 1))
        failure = await scene.refused(("messages", 1))
        assert failure.retry_after is not None
        assert 60 <= failure.retry_after <= 63
        assert failure.platform_error is None
        assert "4 of 4 `messages` that telegram allows within 60 s are used" in failure.detail
        assert f"The quota allows it again in {failure.retry_after} s, at 2026-11-15T12:01:0" in failure.detail
        await scene.call(("messages", 1), account="8")
        await scene.call()
        scene.clock.time += timedelta(seconds=failure.retry_after)
        await scene.call(("messages", 1))

    on(tmp_path, Vendor(OK), use)


def test_all_spans_of_a_quota_hold(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        for _ in range(6):
            await scene.call(("messages", 1))
            scene.clock.time += timedelta(minutes=2)
        assert "6 of 6 `messages` that telegram allows within 3600 s" in (await scene.refused(("messages", 1))).detail
        assert await scene.used(QUOTAS[0]) == 0, "what is refused by one span is taken of no other"

    on(tmp_path, Vendor(OK), use)


def test_each_quota_counts_for_what_it_is_per(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        chat, units, calls = ("messages per chat", 1), ("units", 50), ("calls", 1)
        await scene.call(chat, chat)
        await scene.call(chat)
        await scene.refused(chat)
        await scene.call(chat, budgets=("7:another", "7", APP_BUDGET))
        await scene.call(units)
        await scene.call(units, account="8")
        assert (await scene.refused(units, account="9")).retry_after == 20 * 60 * 60
        for account in "789":
            await scene.call(calls, account=account)
        await scene.refused(calls)
        await scene.call(calls, url="https://api.telegram.org/another")
        assert await scene.used(QUOTAS[3], "app") == 100

    on(tmp_path, Vendor(OK), use)


def test_a_call_that_never_left_gives_back_what_it_spent(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        for _ in range(9):
            with pytest.raises(PlatformUnavailableError):
                await scene.call(("messages", 1), ("units", 50))
        assert await scene.used(QUOTAS[0]) == 0
        assert await scene.used(QUOTAS[3], "app") == 0

    on(tmp_path, Vendor(OK), use, NOBODY)


@pytest.mark.parametrize(
    ("answer", "fields", "failure"),
    [
        (LOST, {"method": "POST", "repeatable": False}, OutcomeUnknownError),
        (LOST, {}, PlatformUnavailableError),
        (BAD, {}, PlatformRejectedError),
    ],
)
def test_a_call_that_may_have_arrived_stays_counted(
    tmp_path: Path, answer: tuple[int, bytes], fields: dict[str, Any], failure: type[PlatformFailure]
) -> None:
    async def use(scene: Scene) -> None:
        with pytest.raises(failure):
            await scene.call(("messages", 1), **fields)
        assert scene.vendor.requests == 1
        assert await scene.used(QUOTAS[0]) == 1

    on(tmp_path, Vendor(answer), use)


def test_a_vendor_that_asks_to_wait_is_still_believed_and_a_pause_uses_nothing(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        for _ in range(5):
            with pytest.raises(PlatformRateLimitError) as caught:
                await scene.call(("messages", 1))
            assert caught.value.category == "platform_rate_limit"
        assert (scene.vendor.requests, await scene.used(QUOTAS[0])) == (1, 1)
        assert caught.value.retry_after == 7
        scene.clock.time += timedelta(seconds=7)
        await scene.call(("messages", 1))

    on(tmp_path, Vendor(BUSY, OK), use)


def test_a_quota_that_no_manifest_declares_is_a_mistake(tmp_path: Path) -> None:
    async def use(scene: Scene) -> None:
        with pytest.raises(KeyError):
            await scene.call(("mesages", 1))
        with pytest.raises(KeyError):
            await scene.call(("messages", 1), budgets=(APP_BUDGET,))
        assert scene.vendor.requests == 0

    on(tmp_path, Vendor(OK), use)
