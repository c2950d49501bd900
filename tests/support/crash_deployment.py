"""A deployment of real processes on simulated platforms, one of which is killed, and whose time is moved by hand.

So a lease ends, and a platform is done with a film, without anybody waiting for it.
"""

import asyncio
import time
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import SystemClock
from socialgate.core.db import Database, Tx
from socialgate.core.settings import load_settings
from socialgate_sandbox.kit import Vendor
from socialgate_sandbox.vendors import openai
from support.accounts import delete_analytics_jobs
from support.many_accounts import META_PERSON, SimulatedAccount, vendors_with
from support.parallel import in_parallel
from support.processes import Process, environment, free_port, migrate
from support.service import PASSWORD
from support.simulation import RunningSandbox, running_sandbox
from support.waiting import eventually

MINUTE = 60
_LONG = timedelta(days=100)
# After which the platforms of these tests send a webhook once more.
_MAX_RETRY_SECONDS = 301
_QUIET_SECONDS = 10.0
PLATFORMS = {
    Kind.FACEBOOK_PAGE: "meta",
    Kind.INSTAGRAM: "meta",
    Kind.THREADS: "threads",
    Kind.TIKTOK: "tiktok",
    Kind.YOUTUBE: "google",
    Kind.GOOGLE_BUSINESS: "google",
    Kind.TELEGRAM_BOT: "telegram",
}
_APPS = ("meta", "threads", "tiktok", "tiktokads", "google")


class Clocks:
    """The time of the processes, which can be stopped, and of the platforms, which goes on."""

    def __init__(self, file: Path, sandbox: RunningSandbox) -> None:
        self.file = file
        self._sandbox = sandbox
        self._now: datetime | None = None
        file.touch()

    def stop(self) -> None:
        """Let time pass only by hand from now on: how fast the machine is then changes nothing."""
        self._now = datetime.now(UTC)
        self._write()

    def now(self) -> datetime:
        return self._now or datetime.now(UTC)

    def advance(self, passed: timedelta, *, platforms: timedelta) -> None:
        """Let time pass. That of the platforms may pass faster, so that they get done with what they are at."""
        self._now = self.now() + passed
        self._sandbox.control("clock", advance=(passed + platforms).total_seconds())
        self._write()

    def _write(self) -> None:
        # At one stroke: somebody may read it at this moment.
        fresh = self.file.with_suffix(".new")
        fresh.write_text(self.now().isoformat())
        fresh.replace(self.file)


class CrashDeployment:
    """`victim` is who publishes: the service itself on SQLite, a worker beside it on PostgreSQL."""

    def __init__(
        self,
        stack: ExitStack,
        folder: Path,
        database_url: str | None,
        members: Sequence[SimulatedAccount],
        vendors: Sequence[Vendor] | None = None,
        **settings: object,
    ) -> None:
        address = f"http://127.0.0.1:{(port := free_port())}"
        simulated = vendors_with(members) if vendors is None else vendors
        self.sandbox = stack.enter_context(running_sandbox(folder / "sandbox", simulated, address))
        self.clocks = Clocks(folder / "time", self.sandbox)
        self.settings = {
            **build_crash_settings(folder, self.sandbox, database_url),
            "port": port,
            "base_url": address,
            **settings,
        }
        migrate(self.settings)
        self._runner = stack.enter_context(asyncio.Runner())
        self._url = load_settings(environment(self.settings)).effective_database_url
        self._db = self._runner.run(_opened(self._url))
        stack.callback(lambda: self._runner.run(self._db.close()))
        self.processes = [
            self._start(stack, folder, verb) for verb in (("serve",) if database_url is None else ("serve", "work"))
        ]
        self.victim = self.processes[-1]
        for process in self.processes:
            process.wait_until_ready()
        self.http = stack.enter_context(httpx.Client(base_url=address, timeout=MINUTE))
        person = {"email": "crash@example.com", "password": PASSWORD}
        opened = self.http.post("/auth/register", json=person).json()
        self.http.headers["Authorization"] = f"Bearer {opened['token']}"
        self.profile_id: str = self.http.get("/profiles").json()["data"][0]["id"]

    def _start(self, stack: ExitStack, folder: Path, verb: Any) -> Process:
        process = Process(verb, folder, self.settings, self.clocks.file)
        stack.callback(process.close)
        return process

    def read(self, statement: sa.Executable) -> list[sa.Row[Any]]:
        async def unit(tx: Tx) -> list[sa.Row[Any]]:
            return await tx.all(statement)

        return list(self._runner.run(self._db.read(unit)))

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Keep away from the database while somebody replaces it."""
        self._runner.run(self._db.close())
        yield
        self._db = self._runner.run(_opened(self._url))

    def postpone_checks(self) -> None:
        """Let nobody check the accounts or read their numbers: a call is then one for a post."""

        async def unit(tx: Tx) -> None:
            await tx.execute(sa.update(accounts).values(check_at=tx.now + _LONG))
            await delete_analytics_jobs(tx)

        self._runner.run(self._db.write(unit))

    def deliver_reports(self) -> None:
        """Let the platforms send again, until it is taken, what nobody took while a process was dead."""
        moved = -_QUIET_SECONDS

        def none_waits() -> bool:
            nonlocal moved
            waits = bool(self.sandbox.look("deliveries", state="waiting", limit=1)["data"])
            # What is due is sent one by one: to let more time pass would not make it faster.
            if waits and time.monotonic() - moved >= _QUIET_SECONDS:
                self.sandbox.control("clock", advance=_MAX_RETRY_SECONDS)
                moved = time.monotonic()
            return not waits

        eventually(none_waits, seconds=10 * MINUTE)

    def send_request(self, method: str, path: str, **request: Any) -> Any:
        answer = self.http.request(method, path, **request)
        assert answer.is_success, answer.text
        return answer.json()

    def connect(self, members: Sequence[SimulatedAccount]) -> dict[str, str]:
        """Connect them as their people do. Gives the ids of the accounts by those of the platforms."""
        of_meta = [member.id for member in members if PLATFORMS[member.kind] == "meta"]
        if of_meta:
            self.sign_in("meta", META_PERSON)
            self.send_request("POST", f"/profiles/{self.profile_id}/connect/meta", json={"ids": of_meta})
        in_parallel(self._connect, [member for member in members if PLATFORMS[member.kind] != "meta"])
        return {row["platformAccountId"]: row["id"] for row in self._accounts()}

    def _connect(self, member: SimulatedAccount) -> None:
        if member.token:
            self.send_request(
                "POST", "/connect/telegram", json={"profileId": self.profile_id, "botToken": member.token}
            )
        else:
            self.sign_in(PLATFORMS[member.kind], member.person, kind=str(member.kind))

    def _accounts(self) -> Iterator[dict[str, Any]]:
        cursor: dict[str, str] | None = {}
        while cursor is not None:
            page = self.send_request("GET", "/accounts", params={"limit": 200, **cursor})
            yield from page["data"]
            cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else None

    def sign_in(self, platform: str, person: str, **query: str) -> None:
        # With a page of one's own, nobody is asked what to connect of much.
        named = {"profileId": self.profile_id, "redirectUrl": str(self.http.base_url.join("/console")), **query}
        begun = self.send_request("GET", f"/connect/{platform}", params=named)
        decided = httpx.post(begun["authUrl"], data={"decision": "allow", "person": person}, timeout=MINUTE)
        assert decided.is_redirect, decided.text
        back = urlsplit(decided.headers["location"])
        done = self.http.get(f"{back.path}?{back.query}")
        assert "connected=1" in done.headers["location"], done.text


@contextmanager
def start_crash_deployment(
    folder: Path,
    database_url: str | None,
    members: Sequence[SimulatedAccount],
    vendors: Sequence[Vendor] | None = None,
    **settings: object,
) -> Iterator[CrashDeployment]:
    """Set it up, with these vendors if any are named, else with those on which the members have accounts."""
    with ExitStack() as stack:
        yield CrashDeployment(stack, folder, database_url, members, vendors, **settings)


async def _opened(url: str) -> Database:
    return Database(url, SystemClock(), pool_size=2)


def build_crash_settings(folder: Path, sandbox: RunningSandbox, database_url: str | None) -> dict[str, object]:
    apps = {f"{name}_app_id": f"sandbox-{name}" for name in _APPS}
    secrets = {f"{name}_app_secret": f"sandbox-{name}-secret" for name in _APPS}
    return {
        "data_dir": folder / "data",
        "secret_key": b64encode(bytes(32)).decode(),
        "rate_limit": 0,
        "login_limit": 0,
        "signup": "open",
        "sandbox": "false",
        **({} if database_url is None else {"database_url": database_url}),
        **{f"{name}_url": f"{sandbox.url}/{name}" for name in (*_APPS, "telegram", "wasender")},
        "whatsapp_cloud_url": f"{sandbox.url}/whatsapp-cloud",
        "wasender_app_secret": "sandbox-wasender-token",
        "ai_url": f"{sandbox.url}/openai/api.openai.com/v1",
        "ai_api_key": openai.VENDOR.app.secret,
        **apps,
        **secrets,
    }
