"""Two real processes on one PostgreSQL care for the same accounts: a rotating token is renewed by one of them."""

from base64 import b64encode
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from socialgate_sandbox.vendors import tiktok
from support.holding_proxy import HoldingProxy
from support.parallel import run_simultaneously
from support.postgres import new_database
from support.processes import Process, migrate
from support.service import PASSWORD
from support.simulation import RunningSandbox, running_sandbox
from support.waiting import eventually

TOKEN = "/v2/oauth/token/"
MINUTE = 60
OK = httpx.codes.OK


class Nodes:
    """Two nodes, and the platform that both speak to through a gate."""

    def __init__(self, nodes: list[Process], sandbox: RunningSandbox, gate: HoldingProxy) -> None:
        self.processes = nodes
        self.sandbox = sandbox
        self.gate = gate
        self._token = self._registered()
        self.clients = [self._client(node, self._token) for node in nodes]
        self.profile_id: str = self.clients[0].get("/profiles").json()["data"][0]["id"]

    def connect(self) -> str:
        client = self.clients[0]
        begun = client.get("/connect/tiktok", params={"profileId": self.profile_id}).json()
        answer = httpx.post(begun["authUrl"], data={"decision": "allow"}, timeout=MINUTE)
        location = urlsplit(answer.headers["location"])
        done = client.get(f"{location.path}?{location.query}")
        assert "<h1>Connected</h1>" in done.text
        return str(self.account()["id"])

    def account(self) -> dict[str, Any]:
        (result,) = self.clients[1].get("/accounts").json()["data"]
        return dict(result)

    def about(self, node: int, account_id: str) -> httpx.Response:
        return self.clients[node % 2].get(f"/accounts/{account_id}/about")

    def events(self) -> list[str]:
        return [event["event"] for event in self.clients[0].get("/events").json()["data"]]

    def renewals(self) -> int:
        calls = self.sandbox.look("received", platform="tiktok", path=f"*{TOKEN}", limit=2000)["data"]
        return sum(call["body"]["grant_type"] == "refresh_token" for call in calls)

    def refusals(self) -> int:
        """Count the calls with a token that is over."""
        calls = self.sandbox.look("received", platform="tiktok", path="*/v2/user/info/", limit=2000)["data"]
        return sum(call["status"] == httpx.codes.UNAUTHORIZED for call in calls)

    def expire(self, label: str = "access") -> None:
        account = self.account()["platformAccountId"]
        self.sandbox.control("expire", platform="tiktok", account=account, what=label)

    def _registered(self) -> str:
        registration = {"email": f"{uuid4().hex}@example.com", "password": PASSWORD}
        with self._client(self.processes[0]) as client:
            return str(client.post("/auth/register", json=registration).json()["token"])

    def _client(self, node: Process, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=node.address, headers=headers, timeout=MINUTE)


@pytest.fixture
def nodes(postgres_url: str, tmp_path: Path) -> Iterator[Nodes]:
    with ExitStack() as stack:
        sandbox = stack.enter_context(running_sandbox(tmp_path / "sandbox", [tiktok.VENDOR]))
        gate = stack.enter_context(HoldingProxy())
        gate.target = sandbox.url
        settings: dict[str, object] = {
            "data_dir": tmp_path / "data",
            "database_url": new_database(postgres_url),
            "secret_key": b64encode(bytes(32)).decode(),
            "rate_limit": 0,
            "stop_seconds": 1,
            "sandbox": "false",
            "tiktok_url": f"{gate.url}/tiktok",
            "tiktok_app_id": "sandbox-tiktok",
            "tiktok_app_secret": "sandbox-tiktok-secret",
        }
        migrate(settings)
        processes = [Process("serve", tmp_path, settings) for _ in range(2)]
        for process in processes:
            stack.callback(process.close)
        for process in processes:
            process.wait_until_ready()
        nodes = Nodes(processes, sandbox, gate)
        for client in nodes.clients:
            stack.callback(client.close)
        yield nodes


def test_of_forty_callers_on_two_nodes_one_renews_the_token(nodes: Nodes) -> None:
    account_id = nodes.connect()
    for round_number in range(1, 4):
        nodes.expire()
        answers = run_simultaneously(40, lambda number: nodes.about(number, account_id))
        assert {answer.status_code for answer in answers} == {200}
        assert nodes.renewals() == round_number
    assert nodes.account()["token"]["lastRefreshError"] is None
    assert nodes.events() == ["account.connected"]


def test_a_refusal_for_good_is_told_once_by_two_nodes(nodes: Nodes) -> None:
    account_id = nodes.connect()
    nodes.expire("refresh")
    answers = run_simultaneously(20, lambda number: nodes.about(number, account_id))
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(409, "needs_reconnection")}
    assert nodes.events() == ["account.connected", "account.needs_reconnection"]
    assert nodes.account()["status"] == "needs_reconnection"


def test_while_one_node_renews_the_other_waits_and_uses_what_came_of_it(nodes: Nodes) -> None:
    account_id = nodes.connect()
    nodes.expire()
    with nodes.gate.holding(TOKEN, "after") as hold, ThreadPoolExecutor(2) as pool:
        renewing = pool.submit(nodes.about, 0, account_id)
        hold.wait_for_call()
        waiting = pool.submit(nodes.about, 1, account_id)
        # The second has been refused the old token by then, and wants a new one.
        eventually(lambda: nodes.refusals() == 2)
        hold.release()
        assert [renewing.result().status_code, waiting.result().status_code] == [OK, OK]
    assert nodes.renewals() == 1


def test_a_node_that_is_asked_to_stop_keeps_the_token_that_it_is_renewing(nodes: Nodes) -> None:
    account_id = nodes.connect()
    nodes.expire()
    with nodes.gate.holding(TOKEN, "after") as hold, ThreadPoolExecutor(1) as pool:
        caller = pool.submit(nodes.about, 0, account_id)
        hold.wait_for_call()
        nodes.processes[0].ask_to_stop()
        # Whoever waits for the answer is sent away when the time for a stop in order is over.
        assert caller.exception(MINUTE) or caller.result().is_error
        hold.release()
        assert nodes.processes[0].wait() == 0
    assert nodes.about(1, account_id).status_code == OK
    assert nodes.renewals() == 1
    assert nodes.account()["status"] == "connected"
