"""Whatever is killed while accounts are connected: each is connected once, reported once, and delivered."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
import sqlalchemy as sa

from socialgate.core.outbox import events
from socialgate_sandbox.vendors import ALL_VENDORS
from support.deployment import Deployment, Owner, start_deployment
from support.postgres import new_database
from support.processes import DEADLINE_SECONDS, Process
from support.simulation import RunningSandbox, running_sandbox
from support.soak import SOAK

pytestmark = pytest.mark.both_engines

BOTS = 400 if SOAK else 40
KILLS = 40 if SOAK else 6
CLIENTS = 6
_AGAIN = {httpx.codes.CONFLICT, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.BAD_GATEWAY}


class Customer:
    """An owner of the service who asks again until there is an answer, as the API tells customers to."""

    def __init__(self, service: Process) -> None:
        self._service = service
        self._headers: dict[str, str] = {}
        person = {"email": "crash@example.com", "password": "a long enough password"}
        opened = self._call("POST", "/auth/register", json=person).json()
        self._headers = {"Authorization": f"Bearer {opened['token']}"}
        self.owner_id: str = opened["owner"]["id"]
        self.profile_id: str = self._call("GET", "/profiles").json()["data"][0]["id"]

    def connect(self, token: str) -> str:
        body = {"profileId": self.profile_id, "botToken": token}
        answer = self._call("POST", "/connect/telegram", json=body)
        assert answer.status_code == httpx.codes.CREATED, answer.text
        return str(answer.json()["id"])

    def accounts(self) -> Iterator[dict[str, Any]]:
        cursor = ""
        while cursor is not None:
            page = self._call("GET", f"/accounts?limit=200{cursor and f'&cursor={cursor}'}").json()
            yield from page["data"]
            cursor = page["nextCursor"]

    def _call(self, method: str, path: str, **request: Any) -> httpx.Response:
        """Ask again without an idempotency key: connecting the same account twice must be harmless by itself."""
        deadline = time.monotonic() + 5 * DEADLINE_SECONDS
        while True:
            assert time.monotonic() < deadline, f"no answer to {method} {path}"
            try:
                url = self._service.address + path
                answer = httpx.request(method, url, headers=self._headers, timeout=DEADLINE_SECONDS, **request)
            except (httpx.TransportError, AssertionError):
                # It was killed, or has not said yet where it listens now.
                time.sleep(0.02)
                continue
            if answer.status_code not in _AGAIN:
                return answer
            time.sleep(0.02)


@contextmanager
def service_on_sandbox(
    tmp_path: Path, database_url: str | None
) -> Iterator[tuple[Deployment, Process, RunningSandbox]]:
    settings = {"sandbox": False, "worker": "embedded", "signup": "open", "hook_lease_seconds": 1}
    with running_sandbox(tmp_path / "sandbox", ALL_VENDORS) as sandbox:
        addresses = {"telegram_url": f"{sandbox.url}/telegram"}
        with start_deployment(tmp_path, database_url, **settings, **addresses) as deployment:
            service = deployment.start("serve")
            service.wait_until_ready()
            yield deployment, service, sandbox


def new_bots(sandbox: RunningSandbox) -> list[str]:
    names = (f"Crash{number}Bot" for number in count())
    items = [
        sandbox.control("newbot", platform="telegram", person="ada", name="Crash", username=next(names))
        for _ in range(BOTS)
    ]
    return [bot["token"] for bot in items]


def kill_now_and_then(service: Process) -> None:
    dice = random.Random(7)  # noqa: S311 - the same moments with every run
    for _ in range(KILLS):
        if dice.random() > 0.3:
            service.wait_until_ready()
        time.sleep(dice.uniform(0, 0.6))
        service.restart()
    service.wait_until_ready()


def test_each_account_is_connected_reported_and_delivered_once(engine: str, tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    with service_on_sandbox(tmp_path, url) as (deployment, service, sandbox):
        customer = Customer(service)
        owner = Owner(customer.owner_id, [customer.profile_id])
        hook = deployment.add_hook(owner, events=["account.connected"])
        deployment.add_hook(owner, events=["account.disconnected"])
        tokens = new_bots(sandbox)
        with ThreadPoolExecutor(CLIENTS) as pool:
            connected = [pool.submit(customer.connect, token) for token in tokens]
            kill_now_and_then(service)
            ids = [task.result(5 * DEADLINE_SECONDS) for task in connected]

        assert len(set(ids)) == BOTS
        assert {account["id"] for account in customer.accounts()} == set(ids)
        deployment.wait_until_delivered()
        pairs = deployment.read(sa.select(events.c.id, events.c.name, events.c.body))
        reported = Counter(msgspec.json.decode(row.body)["data"]["accountId"] for row in pairs)
        assert reported == Counter(ids)
        assert {row.name for row in pairs} == {"account.connected"}
        received = {(receipt.event_id, receipt.hook_id) for receipt in deployment.inbox.receipts}
        assert received == {(row.id, hook.id) for row in pairs}
        assert deployment.inbox.faults == []
        service.require_no_errors()
