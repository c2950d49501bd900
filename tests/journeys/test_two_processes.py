"""Two real processes on one PostgreSQL behave as one service."""

import asyncio
import socket
import time
from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import httpx
import pytest

from support.parallel import run_simultaneously
from support.postgres import new_database
from support.problems import problem_of
from support.processes import Process, migrate
from support.service import PASSWORD
from support.waiting import eventually

RATE_LIMIT = 200
MINUTE = 60
BODIES = [b'{"name":"Late 0"}', b'{"name":"Late 1"}']


class Pair:
    """Two nodes that share a database."""

    def __init__(self, nodes: list[Process], database_url: str) -> None:
        self.nodes = nodes
        self.database_url = database_url

    def clients(self, token: str | None = None) -> list[httpx.Client]:
        return [client_of(node, token) for node in self.nodes]

    def session_token(self) -> str:
        """Register an owner and give the token of its session."""
        registration = {"email": f"{uuid4().hex}@example.com", "password": PASSWORD}
        with client_of(self.nodes[0]) as client:
            return str(client.post("/auth/register", json=registration).json()["token"])


def start_pair(stack: ExitStack, postgres_url: str, folder: Path) -> Pair:
    settings: dict[str, object] = {
        "data_dir": folder / "data",
        "database_url": new_database(postgres_url),
        "secret_key": b64encode(bytes(32)).decode(),
        "rate_limit": RATE_LIMIT,
    }
    migrate(settings)
    nodes = [Process("serve", folder, settings) for _ in range(2)]
    for node in nodes:
        stack.callback(node.close)
    for node in nodes:
        node.wait_until_ready()
    return Pair(nodes, str(settings["database_url"]))


@pytest.fixture(scope="module")
def pair(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    with ExitStack() as stack:
        yield start_pair(stack, postgres_url, tmp_path_factory.mktemp("pair"))


def client_of(node: Process, token: str | None = None) -> httpx.Client:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.Client(base_url=node.address, headers=headers, timeout=MINUTE)


def names_of(client: httpx.Client) -> list[str]:
    return [profile["name"] for profile in client.get("/profiles").json()["data"]]


def new_key(client: httpx.Client) -> dict[str, str]:
    created: dict[str, str] = client.post("/api-keys", json={"name": "k", "scope": "all"}).json()
    return created


def test_the_same_idempotency_key_on_both_nodes_has_one_effect(pair: Pair) -> None:
    first, second = pair.clients(pair.session_token())
    headers = {"Idempotency-Key": uuid4().hex}

    def create(number: int) -> httpx.Response:
        return (first, second)[number % 2].post("/profiles", json={"name": "Bakery"}, headers=headers)

    with first, second:
        answers = run_simultaneously(20, create)
        done = [answer for answer in answers if answer.status_code == 201]
        assert {answer.status_code for answer in answers} <= {201, 409}
        assert len({answer.content for answer in done}) == 1
        assert ["idempotent-replayed" in answer.headers for answer in done].count(False) == 1
        assert names_of(first) == names_of(second) == ["Bakery", "Default"]


def test_a_node_that_lost_its_lease_cannot_commit_its_effect(pair: Pair) -> None:
    slow, fast = pair.clients(pair.session_token())
    headers = {"Idempotency-Key": uuid4().hex}

    def create(client: httpx.Client) -> httpx.Response:
        return client.post("/profiles", json={"name": "Bakery"}, headers=headers)

    async def hold_up(pool: ThreadPoolExecutor) -> list[httpx.Response]:
        loop = asyncio.get_running_loop()
        holder, other = [await asyncpg.connect(pair.database_url) for _ in range(2)]
        try:
            async with holder.transaction():
                await holder.execute("LOCK TABLE profiles IN SHARE ROW EXCLUSIVE MODE")
                first = loop.run_in_executor(pool, create, slow)
                await waiting(other, 1)
                await other.execute("UPDATE idempotency_keys SET lease_until = now() WHERE status IS NULL")
                second = loop.run_in_executor(pool, create, fast)
                await waiting(other, 2)
            return [await first, await second]
        finally:
            await holder.close()
            await other.close()

    with slow, fast:
        with ThreadPoolExecutor(2) as pool:
            lost, won = asyncio.run(hold_up(pool))
        problem_of(lost, 409, "idempotency_key_in_use")
        assert won.status_code == 201
        assert names_of(slow) == ["Bakery", "Default"]
        assert create(slow).content == won.content


async def waiting(connection: asyncpg.Connection, many: int) -> None:
    """Wait until so many transactions wait for a lock."""
    count = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with asyncio.timeout(MINUTE):
        while await connection.fetchval(count) < many:
            await connection.execute("SELECT pg_sleep(0.01)")


def test_keys_made_at_once_on_two_nodes_work_on_both(pair: Pair) -> None:
    first, second = pair.clients(pair.session_token())
    with first, second:
        values = [created["key"] for created in run_simultaneously(2, lambda number: new_key((first, second)[number]))]
    assert len(set(values)) == 2
    for value in values:
        for client in pair.clients(value):
            with client:
                assert client.get("/profiles").status_code == 200


def test_a_key_revoked_on_one_node_stops_on_the_other_within_a_second(pair: Pair) -> None:
    with client_of(pair.nodes[0], pair.session_token()) as session:
        created = new_key(session)
        with client_of(pair.nodes[1], created["key"]) as other:
            assert other.get("/auth/me").status_code == 200
            assert session.delete(f"/api-keys/{created['id']}").status_code == 200
            revoked = time.monotonic()
            while True:
                number = time.monotonic()
                if other.get("/auth/me").status_code == 401:
                    break
                assert number - revoked < 1, "a request sent a second after the revocation was let in"


def test_of_hooks_and_their_pings_no_more_are_made_by_both_nodes_than_by_one(pair: Pair) -> None:
    nodes = pair.clients(pair.session_token())
    # Nobody sends anything: these nodes have no worker.
    body = {"url": "https://93.184.216.34/hook", "events": ["lead.received"]}
    with nodes[0], nodes[1]:
        responses = run_simultaneously(30, lambda number: nodes[number % 2].post("/hooks", json=body))
        assert sorted(answer.status_code for answer in responses) == [201] * 20 + [409] * 10
        hook_id = next(answer.json()["id"] for answer in responses if answer.is_success)
        pings = run_simultaneously(8, lambda number: nodes[number % 2].post(f"/hooks/{hook_id}/test"))
        assert sorted(answer.status_code for answer in pings) == [202] + [429] * 7


def test_the_rate_limit_holds_over_both_nodes_together(pair: Pair) -> None:
    with client_of(pair.nodes[0], pair.session_token()) as session:
        while True:
            window = int(time.time()) // MINUTE
            statuses = statuses_of_a_rush(pair, new_key(session)["key"])
            # A rush that fell into two windows says nothing; the next one begins far from their border.
            if int(time.time()) // MINUTE == window:
                break
    assert set(statuses) == {200, 429}
    assert statuses.count(200) <= RATE_LIMIT


def statuses_of_a_rush(pair: Pair, token: str) -> list[int]:
    """Ask both nodes in turn, more often than the limit allows, from eight threads."""
    first, second = pair.clients(token)

    def ask(thread: int) -> list[int]:
        responses = [(first, second)[(thread + n) % 2].get("/auth/me") for n in range(RATE_LIMIT // 8 + 10)]
        return [answer.status_code for answer in responses]

    with first, second:
        return [status for numbers in run_simultaneously(8, ask) for status in numbers]


def test_both_nodes_stop_cleanly_and_finish_what_is_in_flight(postgres_url: str, tmp_path: Path) -> None:
    with ExitStack() as stack, ThreadPoolExecutor(1) as pool:
        pair = start_pair(stack, postgres_url, tmp_path)
        token = pair.session_token()
        for node, body in zip(pair.nodes, BODIES, strict=True):
            with closing(begun_request(node, token, body)) as request:
                stopped = pool.submit(node.stop)
                eventually(lambda: not takes_connections(node))  # noqa: B023 - used up within this round
                assert not stopped.done()
                assert finished(request, body).startswith(b"HTTP/1.1 201 ")
            assert stopped.result(MINUTE) == 0
        assert asyncio.run(stored_names(pair.database_url)) == {"Default", "Late 0", "Late 1"}


def place_of(node: Process) -> tuple[str, int]:
    port = urlsplit(node.address).port
    assert port is not None
    return "127.0.0.1", port


def takes_connections(node: Process) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(place_of(node)) == 0


def begun_request(node: Process, token: str, body: bytes) -> socket.socket:
    """Send a request up to the last byte of its body, and return when the service has begun to read that."""
    head = (
        "POST /profiles HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
        f"Authorization: Bearer {token}",
        "Expect: 100-continue",
        "\r\n",
    )
    request = socket.create_connection(place_of(node), timeout=MINUTE)
    request.sendall("\r\n".join(head).encode())
    assert request.recv(1000).startswith(b"HTTP/1.1 100 ")
    request.sendall(body[:-1])
    return request


def finished(request: socket.socket, body: bytes) -> bytes:
    request.sendall(body[-1:])
    return b"".join(iter(lambda: request.recv(65536), b""))


async def stored_names(database_url: str) -> set[str]:
    connection = await asyncpg.connect(database_url)
    try:
        return {row["name"] for row in await connection.fetch("SELECT name FROM profiles")}
    finally:
        await connection.close()
