"""An upgrade without downtime: nodes of the version before and of this one side by side, while clients keep posting.

The old version runs on its own schema. Then the database is migrated, new nodes are started beside the old ones, and
the old ones are stopped. Whatever was accepted is published once, and its events are delivered once.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import msgspec

from journeys.commands import run
from socialgate_sandbox.vendors import meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY
from support.crash_deployment import build_crash_settings
from support.earlier_version import EarlierVersion
from support.postgres import empty_database
from support.processes import Process, Verb
from support.receiver import Receiver
from support.service import PASSWORD
from support.simulation import RunningSandbox, running_sandbox
from support.soak import LONG
from support.waiting import eventually

pytestmark = LONG

VERBS: tuple[Verb, ...] = ("serve", "work")
CLIENTS = 4
# Posts that are accepted in each stage of the upgrade.
PER_STAGE = 60
MINUTE = 60
_GIVE_UP_SECONDS = 120
_MIGRATION_ATTEMPTS = 3
_EVENTS = ["post.scheduled", "post.published", "post.failed"]


class Balancer:
    """What a load balancer does: it knows which nodes take requests, and uses them in turn."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._addresses: list[str] = []
        self._turn = 0

    def add(self, address: str) -> None:
        with self._lock:
            self._addresses.append(address)

    def remove(self, address: str) -> None:
        with self._lock:
            self._addresses.remove(address)

    def next(self) -> str:
        with self._lock:
            self._turn += 1
            return self._addresses[self._turn % len(self._addresses)]


class Load:
    """Clients that post without a break. A request that got no answer is sent again with the same key."""

    def __init__(self, balancer: Balancer, token: str, post: dict[str, Any]) -> None:
        self._balancer = balancer
        self._headers = {"Authorization": f"Bearer {token}"}
        self._post = post
        self._over = threading.Event()
        self.accepted: dict[str, str] = {}
        self.refusals: list[str] = []

    @contextmanager
    def running(self) -> Iterator[None]:
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._client) for _ in range(CLIENTS)]
            try:
                yield
            finally:
                self._over.set()
            for client in clients:
                client.result()

    def wait_for_more(self, count: int) -> None:
        goal = len(self.accepted) + count
        eventually(lambda: self.refusals or len(self.accepted) >= goal, "more posts", seconds=10 * MINUTE)
        assert not self.refusals

    def _client(self) -> None:
        with httpx.Client(headers=self._headers, timeout=MINUTE) as client:
            while not self._over.is_set() and not self.refusals:
                self._publish(client)

    def _publish(self, client: httpx.Client) -> None:
        text, key = f"Fresh bread {uuid4().hex}", uuid4().hex
        ends = time.monotonic() + _GIVE_UP_SECONDS
        while time.monotonic() < ends:
            try:
                response = client.post(
                    f"{self._balancer.next()}/posts",
                    json={**self._post, "content": text},
                    headers={"Idempotency-Key": key},
                )
            except httpx.TransportError:
                continue
            # While a key is in use, or a node is stopping, a client sends the request again.
            if response.status_code in {409, 503}:
                continue
            if response.is_success:
                self.accepted[text] = response.json()["id"]
            else:
                self.refusals.append(response.text)
            return
        self.refusals.append(f"{text} was not accepted in time")


class Upgrade:
    """A deployment that begins with the version before."""

    def __init__(self, stack: ExitStack, folder: Path, database_url: str) -> None:
        self._stack = stack
        self._folder = folder
        self.receiver = stack.enter_context(Receiver(folder))
        self.sandbox: RunningSandbox = stack.enter_context(running_sandbox(folder / "sandbox", [meta.VENDOR]))
        self.settings = {
            **build_crash_settings(folder, self.sandbox, database_url),
            "hook_allow_nets": "127.0.0.0/8",
            "hook_ca_file": self.receiver.ca_file,
        }
        self.balancer = Balancer()
        self.earlier = EarlierVersion(folder / "earlier")
        self.earlier.run("migrate", self.settings)

    def start_old(self) -> list[Process]:
        return self._start([self.earlier.start(verb, self._folder, self.settings) for verb in VERBS])

    def start_new(self) -> list[Process]:
        return self._start([Process(verb, self._folder, self.settings) for verb in VERBS])

    def _start(self, processes: list[Process]) -> list[Process]:
        for process in processes:
            self._stack.callback(process.close)
        for process in processes:
            process.wait_until_ready()
        self.balancer.add(processes[0].address)
        return processes

    def stop(self, processes: list[Process]) -> None:
        """Take the node out of the balancer first, then ask both to end, as a supervisor does."""
        self.balancer.remove(processes[0].address)
        for process in processes:
            assert process.stop() == 0
            process.require_no_errors()


def register(address: str, receiver: Receiver) -> tuple[str, dict[str, Any]]:
    """Give the token of an owner with a Page and a hook, and what a post for the Page has."""
    with httpx.Client(base_url=address, timeout=MINUTE) as client:
        person = {"email": "upgrade@example.com", "password": PASSWORD}
        token = client.post("/auth/register", json=person).json()["token"]
        client.headers["Authorization"] = f"Bearer {token}"
        profile_id = client.get("/profiles").json()["data"][0]["id"]
        connect_page(client, profile_id)
        (account,) = client.get("/accounts").json()["data"]
        hook = client.post("/hooks", json={"url": receiver.url(), "events": _EVENTS, "secret": None})
        assert hook.is_success, hook.text
    target = {"accountId": account["id"], "options": {}}
    return token, {"profileId": profile_id, "targets": [target], "publishNow": True}


def connect_page(client: httpx.Client, profile_id: str) -> None:
    query = {"profileId": profile_id, "redirectUrl": str(client.base_url.join("/console"))}
    begun = client.get("/connect/meta", params=query)
    assert begun.is_success, begun.text
    decided = httpx.post(begun.json()["authUrl"], data={"decision": "allow", "person": ADA}, timeout=MINUTE)
    back = urlsplit(decided.headers["location"])
    assert client.get(f"{back.path}?{back.query}").is_redirect
    connected = client.post(f"/profiles/{profile_id}/connect/meta", json={"ids": [BAKERY]})
    assert connected.is_success, connected.text


def test_nothing_is_lost_or_done_twice_during_an_upgrade(tmp_path: Path, postgres_url: str) -> None:
    with ExitStack() as stack:
        upgrade = Upgrade(stack, tmp_path, empty_database(postgres_url))
        old = upgrade.start_old()
        token, post = register(old[0].address, upgrade.receiver)
        load = Load(upgrade.balancer, token, post)
        with load.running():
            load.wait_for_more(PER_STAGE)
            migrate_under_load(tmp_path, upgrade)
            load.wait_for_more(PER_STAGE)
            new = upgrade.start_new()
            load.wait_for_more(PER_STAGE)
            upgrade.stop(old)
            load.wait_for_more(PER_STAGE)
        require_once(upgrade, load, new[0].address, token)
        for process in new:
            process.require_no_errors()


def migrate_under_load(folder: Path, upgrade: Upgrade) -> None:
    """Migrate as an operator does. PostgreSQL ends it, without any change, if a busy machine lets it pause for long."""
    ends: list[str] = []
    for _ in range(_MIGRATION_ATTEMPTS):
        done = run(folder, "migrate", **upgrade.settings)
        if done.stdout.startswith("The database is migrated to"):
            return
        ends.append(done.stdout + done.stderr)
    raise AssertionError("\n".join(ends))


def require_once(upgrade: Upgrade, load: Load, address: str, token: str) -> None:
    """Everything accepted is on the Page once, and its event was delivered once. Nothing else is there."""
    expected = set(load.accepted.values())
    with httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"}, timeout=MINUTE) as client:

        def is_settled() -> bool:
            query = {"status": "publishing", "limit": "1"}
            return not client.get("/posts", params=query).json()["data"] and len(published(upgrade)) >= len(expected)

        eventually(is_settled, "the end of publishing", seconds=10 * MINUTE)
    texts = Counter(
        item["text"]
        for item in upgrade.sandbox.look("feed", platform="meta", account=BAKERY, limit=2000)["data"]
        if item["text"] in load.accepted
    )
    assert set(texts) == set(load.accepted)
    assert set(texts.values()) == {1}
    assert published(upgrade) == dict.fromkeys(expected, 1)


def published(upgrade: Upgrade) -> dict[str, int]:
    """Count the deliveries that say that a post is published, by the post."""
    counted: Counter[str] = Counter()
    for request in list(upgrade.receiver.received):
        body = msgspec.json.decode(request.body)
        assert body["event"] != "post.failed", body
        if body["event"] == "post.published":
            counted[body["data"]["postId"]] += 1
    return dict(counted)
