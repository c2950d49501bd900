"""The nodes for n8n: its own tools accept and build them, and they work against a running service.

They run in Node with the classes and helpers of n8n's `n8n-workflow`; `n8n/host.cjs` stands for the rest of n8n, and
sends real requests. Building the package and loading n8n's library takes half a minute, so it runs in `make soak`;
`python -m clients.generate --check` compares the nodes with the routes in every run.
"""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest

from socialgate import __version__
from socialgate.contracts.platforms import Platform
from support.factories import account_on
from support.node import NODE, NPM, npm_packages
from support.post_files import file_of
from support.receiver import ReceivedRequest, Receiver
from support.service import OwnerFixture, RunningService, StartService
from support.soak import LONG
from support.waiting import eventually

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent / "clients" / "n8n"
pytestmark = LONG
ACTIONS, TRIGGER = "Socialgate", "SocialgateTrigger"


class NodeRefused(Exception):
    """A node has thrown an error, as n8n would show it."""

    def __init__(self, shown: dict[str, Any]) -> None:
        super().__init__(f"{shown['message']} {shown.get('description')}")
        self.shown = shown


class NodeHost:
    """Runs nodes, with the credential of an owner."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [NODE, str(HERE / "n8n" / "host.cjs"), str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "NODE_NO_WARNINGS": "1"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def call(self, name: str, **values: Any) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"call": name, **values}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if "error" in answer:
            raise NodeRefused(answer["error"])
        return answer["result"]


class Workflow:
    """The nodes of a workflow of one owner."""

    def __init__(self, host: NodeHost, owner: OwnerFixture) -> None:
        self._host = host
        self.credentials = {"baseUrl": f"{owner.running.address}/", "apiKey": owner.key_value()}

    def call(self, name: str, **values: Any) -> Any:
        return self._host.call(name, credentials=self.credentials, **values)

    def execute(self, resource: str, operation: str, *, around: dict[str, Any] | None = None, **parameters: Any) -> Any:
        """Execute an operation, and return the rows. `around` says more about the execution."""
        form = {"resource": resource, "operation": operation, **parameters}
        rows = self.call("execute", type=ACTIONS, parameters=form, **(around or {}))
        assert all(row["pairedItem"] == {"item": 0} for row in rows)
        return [row["json"] for row in rows]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the package with n8n's own program."""
    folder = tmp_path_factory.mktemp("n8n") / "package"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("node_modules", "dist"))
    (folder / "node_modules").symlink_to(npm_packages("n8n") / "node_modules")
    _run_n8n_node("build", folder)
    return folder


def test_the_linter_of_n8n_accepts_the_package(built: Path) -> None:
    # It also prints what it only advises.
    assert "warning" not in _run_n8n_node("lint", built)


def _run_n8n_node(command: str, folder: Path) -> str:
    program = folder / "node_modules" / "@n8n" / "node-cli" / "bin" / "n8n-node.mjs"
    # It starts node, npm, eslint and tsc by their names.
    tools = folder.parent / "tools"
    tools.mkdir(exist_ok=True)
    for name, started in (("node", f'"{NODE}"'), ("npm", f'"{NODE}" "{NPM}"')):
        (tools / name).write_text(f'#!/bin/sh\nexec {started} "$@"\n')
        (tools / name).chmod(0o755)
    path = os.pathsep.join([str(folder / "node_modules" / ".bin"), str(tools), os.environ["PATH"]])
    done = subprocess.run(
        [NODE, str(program), command],
        cwd=folder,
        env={**os.environ, "PATH": path, "CI": "1", "NO_UPDATE_NOTIFIER": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def host(built: Path) -> Iterator[NodeHost]:
    with NodeHost(built) as host:
        yield host


@pytest.fixture
def workflow(host: NodeHost, owner: OwnerFixture) -> Workflow:
    return Workflow(host, owner)


def test_the_package_has_the_version_of_the_service(built: Path) -> None:
    assert json.loads((built / "package.json").read_text())["version"] == __version__
    described = json.loads((built / "package.json").read_text())["n8n"]
    assert all((built / path).is_file() for path in (*described["nodes"], *described["credentials"]))
    assert (built / "dist" / "icons" / "socialgate.svg").is_file()


def test_a_credential_is_tested(workflow: Workflow) -> None:
    assert workflow.call("testCredential") == 200
    workflow.credentials["apiKey"] = "sg_test_wrong"
    assert workflow.call("testCredential") == 401


def test_lists_are_read_to_their_end_or_to_a_limit(workflow: Workflow, owner: OwnerFixture) -> None:
    threads = account_on(owner, Platform.THREADS)
    assert [account["id"] for account in workflow.execute("accounts", "list", returnAll=True)] == [threads]
    assert threads in {option["value"] for option in workflow.call("load", type=ACTIONS, method="getAccounts")}

    for number in range(3):
        workflow.execute("profiles", "create", name=f"Bakery {number}", around={"execution": str(number)})
    everything = workflow.execute("profiles", "list", returnAll=True)
    assert len(everything) == 4
    assert workflow.execute("profiles", "list", limit=2) == everything[:2]


def test_a_post_is_validated_and_published_with_a_file(workflow: Workflow, owner: OwnerFixture, tmp_path: Path) -> None:
    threads = account_on(owner, Platform.THREADS)
    photo = tmp_path / "oven.jpg"
    photo.write_bytes(file_of("image/jpeg"))
    stored = [
        workflow.execute("media", "upload", around={"file": str(photo), "inMemory": in_memory, "run": number})[0]
        for number, in_memory in enumerate((False, True))
    ]
    assert [media["fileName"] for media in stored] == ["oven.jpg"] * 2
    assert [media["size"] for media in stored] == [photo.stat().st_size] * 2

    targets = {"rows": [{"accountId": threads, "options": "{}"}]}
    draft: dict[str, Any] = {"profileId": owner.profile_id, "content": "x" * 600, "targets": targets}
    (verdict,) = workflow.execute("posts", "validate", **draft)
    assert [fault["code"] for fault in verdict["errors"]] == ["too_long"]

    form: dict[str, Any] = {
        "profileId": owner.profile_id,
        "content": "Fresh out of the oven",
        "media": {"rows": [{"mediaId": stored[0]["id"], "alt": "A loaf"}]},
        "targets": targets,
        "fields": {"publishNow": True, "metadata": '{"from": "n8n"}'},
    }
    (post,) = workflow.execute("posts", "create", **form)
    assert post["metadata"] == {"from": "n8n"}

    def is_published() -> bool:
        (seen,) = workflow.execute("posts", "get", postId=post["id"])
        return bool(seen["status"] == "published")

    assert eventually(is_published)
    # n8n runs a node again after an error: within an execution, that is the same post.
    (again,) = workflow.execute("posts", "create", **form)
    assert again["id"] == post["id"]
    (other,) = workflow.execute("posts", "create", around={"run": 1}, **{**form, "fields": {"draft": True}})
    assert other["id"] != post["id"]


def test_what_is_refused_is_shown_with_its_fix(workflow: Workflow) -> None:
    with pytest.raises(NodeRefused) as caught:
        workflow.execute("profiles", "create", name="")
    shown = caught.value.shown
    assert shown["name"] == "NodeApiError"
    assert shown["httpCode"] == "422"
    assert shown["itemIndex"] == 0
    assert "/name: " in shown["description"]

    rows = workflow.execute("profiles", "create", name="", around={"goesOn": True, "execution": "2"})
    assert [row["error"] for row in rows] == [shown["message"]]

    with pytest.raises(NodeRefused, match="metadata is not valid JSON"):
        workflow.execute("posts", "create", profileId="prf_1", fields={"metadata": "{'quoted': 'wrongly'}"})
    with pytest.raises(NodeRefused, match="postId is empty"):
        workflow.execute("posts", "get", postId="")


@pytest.fixture(scope="module")
def receiver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    with Receiver(tmp_path_factory.mktemp("receiver")) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def hooked(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as own:
        yield own


class TriggerFixture:
    """A workflow with a trigger, and what it remembers."""

    def __init__(self, workflow: Workflow, url: str, now: float) -> None:
        self._workflow = workflow
        self._now = now
        self._form = {"type": TRIGGER, "parameters": {"events": ["post.published", "webhook.test"]}, "url": url}
        self.memory: dict[str, Any] = {}

    def hook(self, method: str, **changed: Any) -> bool:
        seen = self._workflow.call("hook", method=method, memory=self.memory, **{**self._form, **changed})
        self.memory = seen["memory"]
        return bool(seen["result"])

    def deliver(self, received: ReceivedRequest, *, body: bytes | None = None, later: float = 0, **headers: str) -> Any:
        """Pass on a delivery, or a changed one."""
        seen = self._workflow.call(
            "deliver",
            headers={**received.headers, **{name.replace("_", "-"): value for name, value in headers.items()}},
            body=base64.b64encode(received.body if body is None else body).decode(),
            now=(self._now + later) * 1000,
            memory=self.memory,
            **self._form,
        )
        self.memory = seen.pop("memory")
        return seen


def test_a_trigger_starts_a_workflow_once_for_each_event(
    host: NodeHost, hooked: RunningService, receiver: Receiver
) -> None:
    owner = hooked.new_owner()
    trigger = TriggerFixture(Workflow(host, owner), receiver.url("/webhook"), hooked.clock.now().timestamp())
    assert not trigger.hook("checkExists")
    assert trigger.hook("create")
    assert trigger.hook("checkExists")
    hook_id = trigger.memory["hookId"]
    assert owner.session.get(f"/hooks/{hook_id}").json()["url"] == receiver.url("/webhook")

    assert owner.session.post(f"/hooks/{hook_id}/test").is_success
    (received,) = receiver.wait_for_count(1)
    forged = trigger.deliver(received, body=received.body.replace(b"webhook.test", b"post.published"))
    assert forged["noWebhookResponse"]
    assert forged["refused"]["status"] == 401
    assert "workflowData" not in forged
    unsigned = trigger.deliver(received, webhook_signature="v1,")
    assert unsigned["refused"]["message"] == "The signature does not match."
    late = trigger.deliver(received, later=3600)
    assert late["refused"]["status"] == 401

    started = trigger.deliver(received)
    ((row,),) = started["workflowData"]
    assert row["json"]["event"] == "webhook.test"
    assert row["json"]["id"] == received.headers["webhook-id"]
    assert row["json"]["data"]["hookId"] == hook_id
    assert trigger.deliver(received) == {"webhookResponse": {"duplicate": True}, "refused": {}}

    # A workflow that moved, or that waits for something else, gets a new hook instead of the old one.
    assert not trigger.hook("checkExists", url=receiver.url("/moved"))
    assert owner.session.get(f"/hooks/{hook_id}").status_code == 404
    assert trigger.hook("create", url=receiver.url("/moved"))
    assert trigger.hook("delete")
    assert owner.session.get("/hooks").json()["data"] == []
    assert trigger.memory == {}
    # Somebody else may have deleted it before.
    assert trigger.hook("delete")
