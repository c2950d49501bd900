"""One sandbox for several processes: nodes of one deployment, another deployment, and a service that moves."""

import shutil
from base64 import b64encode
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import pytest

from journeys.commands import Running, run, started
from socialgate.entry.sandbox_keys import SANDBOX_KEY_FILE_NAME
from support.postgres import new_database
from support.processes import Process, free_port, migrate
from support.service import PASSWORD
from support.waiting import eventually

BOT = "7100000001"
MINUTE = 60


class Node:
    """A process that serves, with a client for one of its owners."""

    def __init__(self, process: Process, token: str | None = None) -> None:
        self.process = process
        self.http = httpx.Client(base_url=process.address, timeout=MINUTE)
        if token is None:
            registration = {"email": f"{uuid4().hex}@example.com", "password": PASSWORD}
            token = str(self.http.post("/auth/register", json=registration).json()["token"])
        self.token = token
        self.http.headers["Authorization"] = f"Bearer {token}"

    def begin(self, platform: str) -> str:
        profile_id = self.http.get("/profiles").json()["data"][0]["id"]
        begun = self.http.get(f"/connect/{platform}", params={"profileId": profile_id})
        assert begun.status_code == 200, begun.text
        answer = httpx.post(begun.json()["authUrl"], data={"decision": "allow"}, timeout=MINUTE)
        assert answer.is_redirect, answer.text
        return str(answer.headers["location"])

    def finish(self, location: str) -> None:
        parts = urlsplit(location)
        done = self.http.get(f"{parts.path}?{parts.query}")
        assert "<h1>Connected</h1>" in done.text, done.text

    def connect_bot(self, sandbox: str) -> str:
        return connect_bot(self.http, sandbox)

    def account(self) -> dict[str, Any]:
        [account] = self.http.get("/accounts").json()["data"]
        return dict(account)


def connect_bot(http: httpx.Client, sandbox: str) -> str:
    profile_id = http.get("/profiles").json()["data"][0]["id"]
    token = control(sandbox, "token", platform="telegram", account=BOT)["token"]
    response = http.post("/connect/telegram", json={"profileId": profile_id, "botToken": token})
    assert response.is_success, response.text
    return str(http.get("/accounts").json()["data"][0]["id"])


def control(sandbox: str, verb: str, **fields: Any) -> Any:
    answer = httpx.post(f"{sandbox}/_control/{verb}", json=fields, timeout=MINUTE)
    assert answer.is_success, answer.text
    return answer.json()


def look(sandbox: str, label: str, **query: Any) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = httpx.get(f"{sandbox}/_control/{label}", params=query, timeout=MINUTE).json()["data"]
    return result


def texts(http: httpx.Client, account_id: str) -> list[str]:
    listed = http.get(f"/accounts/{account_id}/conversations").json()["data"]
    return [conversation["lastMessage"]["text"] for conversation in listed]


def origins(webhooks: list[dict[str, Any]]) -> set[str]:
    return {"{0.scheme}://{0.netloc}".format(urlsplit(webhook["url"])) for webhook in webhooks}


@pytest.fixture
def sandbox(tmp_path: Path) -> Iterator[str]:
    """Run the sandbox as a process of its own, and give its address."""
    port = free_port()
    with started(tmp_path, "sandbox", sandbox_port=port, port=free_port()) as running:
        eventually(lambda: _greeting(running), "the greeting of the sandbox")
        yield f"http://127.0.0.1:{port}"


def _greeting(running: Running) -> str | None:
    assert running.process.poll() is None, running.err
    return running.out if "Trust" in running.out else None


def settings_of(folder: Path, sandbox: str, **more: object) -> dict[str, object]:
    return {
        "data_dir": folder,
        "secret_key": b64encode(bytes(32)).decode(),
        "sandbox_url": sandbox,
        "rate_limit": 0,
        "stop_seconds": 1,
        "worker": "embedded",
        **more,
    }


@contextmanager
def serving(folder: Path, settings: dict[str, object], count: int) -> Iterator[list[Process]]:
    with ExitStack() as stack:
        processes = [Process("serve", folder, settings) for _ in range(count)]
        for process in processes:
            stack.callback(process.close)
        for process in processes:
            process.wait_until_ready()
        yield processes


@pytest.fixture
def nodes(postgres_url: str, tmp_path: Path, sandbox: str) -> Iterator[list[Node]]:
    settings = settings_of(tmp_path / "data", sandbox, database_url=new_database(postgres_url), signup="open")
    migrate(settings)
    with serving(tmp_path, settings, 2) as processes:
        first = Node(processes[0])
        both = [first, Node(processes[1], first.token)]
        eventually(lambda: {node.process.address for node in both} <= announced(sandbox))
        yield both
        for node in both:
            node.http.close()


def announced(sandbox: str) -> set[str]:
    return {url for deployment in look(sandbox, "gateways") for url in deployment["urls"]}


def test_connecting_begins_on_one_node_and_ends_on_the_other(nodes: list[Node]) -> None:
    first, second = nodes
    second.finish(first.begin("tiktok"))
    assert first.account()["status"] == "connected"
    first.finish(second.begin("tiktokads"))


def test_messages_arrive_although_the_node_that_connected_is_gone(nodes: list[Node], sandbox: str) -> None:
    first, second = nodes
    account_id = first.connect_bot(sandbox)
    eventually(lambda: look(sandbox, "received", platform="telegram", path="*/setWebhook"))
    first.process.kill()
    control(sandbox, "message", platform="telegram", account=BOT, person="elif", text="Are you open?")
    eventually(lambda: texts(second.http, account_id) == ["Are you open?"])
    [webhook] = look(sandbox, "deliveries", platform="telegram")
    assert origins([webhook]) == {second.process.address}
    assert first.process.address not in announced(sandbox)


def test_a_webhook_of_the_app_reaches_every_deployment_once(nodes: list[Node], sandbox: str, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.mkdir()
    for name in (SANDBOX_KEY_FILE_NAME, "sandbox-ca.pem"):
        shutil.copy(tmp_path / "data" / name, own / name)
    settings = settings_of(own, sandbox)
    migrate(settings)
    with serving(tmp_path, settings, 1) as [process]:
        eventually(lambda: process.address in announced(sandbox))
        other = Node(process)
        for node in (nodes[0], other):
            node.finish(node.begin("tiktok"))
        control(sandbox, "revoke", platform="tiktok", account=other.account()["platformAccountId"])
        eventually(lambda: {node.account()["status"] for node in (nodes[0], other)} == {"needs_reconnection"})
        webhooks = look(sandbox, "deliveries", platform="tiktok", state="delivered")
        other.http.close()
    [deployment] = origins(webhooks) - {other.process.address}
    assert deployment in {node.process.address for node in nodes}
    assert len(webhooks) == 2


def test_a_folder_without_the_files_of_the_sandbox_is_refused_in_one_line(tmp_path: Path) -> None:
    for verb in ("serve", "work"):
        refused = run(tmp_path, verb, port=0, sandbox_url="http://127.0.0.1:9", data_dir=tmp_path / "data")
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert "sandbox-ca.pem" in refused.stderr


def test_webhooks_follow_a_service_that_moves_to_another_port(tmp_path: Path) -> None:
    settings: dict[str, object] = {"rate_limit": 0}
    with started(tmp_path, "serve", port=free_port(), **settings) as running:
        with _owner(tmp_path, running) as (http, sandbox):
            account_id = connect_bot(http, sandbox)
            eventually(lambda: look(sandbox, "received", platform="telegram", path="*/setWebhook"))
        assert running.stop() == 0
    with started(tmp_path, "serve", port=free_port(), **settings) as running:
        with _owner(tmp_path, running) as (http, sandbox):
            control(sandbox, "message", platform="telegram", account=BOT, person="finn", text="Still there?")
            eventually(lambda: texts(http, account_id) == ["Still there?"])
        assert running.stop() == 0


@contextmanager
def _owner(folder: Path, running: Running) -> Iterator[tuple[httpx.Client, str]]:
    running.address()
    text = (folder / "data" / "first-login.txt").read_text(encoding="utf-8")
    login = dict(line.removeprefix("export ").split("=", 1) for line in text.splitlines() if "=" in line)
    headers = {"Authorization": f"Bearer {login['SOCIALGATE_API_KEY']}"}
    with httpx.Client(base_url=login["SOCIALGATE_URL"], headers=headers, timeout=MINUTE) as http:
        yield http, login["SANDBOX_URL"]
