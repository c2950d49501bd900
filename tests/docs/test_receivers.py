"""The receivers that we show to customers take real deliveries, and what the guide says of hooks is so."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from click.testing import CliRunner

from socialgate.__main__ import cli
from socialgate.core.events import LeadReceived
from socialgate.core.outbox import emit_event
from socialgate.delivery.retry_policy import DEFAULT_RETRY_SCHEDULE
from socialgate.delivery.signing import HookSigner, generate_hook_secret
from socialgate.entry.reference import load_operations
from support.receiver import ReceivedRequest, Receiver, Reply
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

DOCS = Path(__file__).parents[2] / "docs"
RECEIVERS = DOCS / "receivers"
GUIDE = DOCS / "hooks.md"
SECONDS = 60

Command = Callable[[int, Path], list[str]]


def python(_port: int, _folder: Path) -> list[str]:
    return [sys.executable, "receiver.py"]


def node(_port: int, _folder: Path) -> list[str]:
    return ["node", "receiver.mjs"]


def go(_port: int, folder: Path) -> list[str]:
    """Build it first: `go run` would start it as a child that outlives it."""
    program = str(folder / "receiver")
    subprocess.run(["go", "build", "-o", program, "."], cwd=RECEIVERS / "go", check=True, timeout=10 * SECONDS)
    return [program]


def php(port: int, _folder: Path) -> list[str]:
    return ["php", "-S", f"127.0.0.1:{port}", "receiver.php"]


COMMANDS: dict[str, Command] = {"python": python, "node": node, "go": go, "php": php}


def if_installed(language: str) -> Any:
    is_there = language == "python" or shutil.which(language) is not None
    return pytest.param(language, marks=pytest.mark.skipif(not is_there, reason=f"{language} is not installed here"))


@contextmanager
def reserved_port() -> Iterator[int]:
    """Hold a port for somebody who is about to listen on it: nobody else is given it meanwhile."""
    with socket.socket() as current_socket:
        current_socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        current_socket.bind(("127.0.0.1", 0))
        yield current_socket.getsockname()[1]


@contextmanager
def running_example(language: str, secret: str, folder: Path) -> Iterator[str]:
    """Start the example as a customer does, and give its address."""
    with reserved_port() as port, (folder / "said").open("wb") as buffered_writer:
        command = COMMANDS[language](port, folder)
        environment = {**os.environ, "HOOK_SECRET": secret, "PORT": str(port)}
        with subprocess.Popen(
            command,
            cwd=RECEIVERS / language,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=buffered_writer,
            stderr=buffered_writer,
        ) as process:

            def listens() -> bool:
                assert process.poll() is None, (folder / "said").read_text()
                with socket.socket() as probe:
                    return probe.connect_ex(("127.0.0.1", port)) == 0

            try:
                eventually(listens, f"the start of {command}")
                yield f"http://127.0.0.1:{port}/hook"
            finally:
                process.kill()


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Receiver]:
    """A TLS endpoint, as hooks demand one, in front of the example that a test runs."""
    with Receiver(tmp_path_factory.mktemp("gateway")) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def service(gateway: Receiver, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    folder = tmp_path_factory.mktemp("data")
    with running_service(folder, hook_allow_nets="127.0.0.0/8", hook_ca_file=gateway.ca_file) as running:
        yield running


def pass_on_to(address: str) -> Callable[[ReceivedRequest], Reply]:
    def relay(request: ReceivedRequest) -> Reply:
        answer = httpx.post(address, content=request.body, headers=request.headers, timeout=SECONDS)
        return Reply(status=answer.status_code, body=answer.content)

    return relay


class Hook(msgspec.Struct, frozen=True, rename="camel"):
    id: str
    secret: str


def new_hook(owner: OwnerFixture, gateway: Receiver) -> Hook:
    response = owner.session.post("/hooks", json={"url": gateway.url(), "events": ["lead.received"]})
    assert response.status_code == 201, response.text
    return msgspec.json.decode(response.content, type=Hook)


def delivered(owner: OwnerFixture, hook: Hook) -> dict[str, Any]:
    """Let an event happen, and give its delivery with its request when it is over."""
    lead = LeadReceived.example() | {"fields": {"full_name": "Ana Ñañez 🦙", "note": "a\u2028b\n</script>"}}
    owner.running.write(emit_event, owner.id, owner.profile_id, msgspec.convert(lead, LeadReceived))
    (listed,) = owner.session.get(f"/hooks/{hook.id}/deliveries").json()["data"]
    path = f"/hooks/{hook.id}/deliveries/{listed['id']}"
    eventually(
        lambda: owner.session.get(path).json()["status"] not in {"pending", "delivering"}, "the end of the delivery"
    )
    delivery: dict[str, Any] = owner.session.get(path).json()
    return delivery


@pytest.mark.parametrize("language", [if_installed(language) for language in COMMANDS])
def test_an_example_takes_a_real_delivery_and_nothing_else(
    language: str, service: RunningService, gateway: Receiver, tmp_path: Path
) -> None:
    owner = service.new_owner()
    hook = new_hook(owner, gateway)
    with running_example(language, hook.secret, tmp_path) as address, httpx.Client(timeout=SECONDS) as client:
        gateway.behaviour = pass_on_to(address)
        delivery = delivered(owner, hook)
        assert delivery["status"] == "succeeded"
        assert [attempt["statusCode"] for attempt in delivery["attempts"]] == [200], delivery["attempts"]

        headers, body = delivery["request"]["headers"], delivery["request"]["body"].encode()
        right = headers.pop("X-Service-Signature")

        def status(content: bytes, signature: str | None) -> int:
            params = {} if signature is None else {"X-Service-Signature": signature.encode("latin-1")}
            return client.post(address, content=content, headers=headers | params).status_code

        assert status(body, right) == 200
        assert status(body.replace(b"Ana", b"Eva"), right) == 401
        # The same JSON, written by another hand.
        assert status(msgspec.json.format(body, indent=1), right) == 401
        for wrong in (None, "", right[:-1], right.upper(), right.removeprefix("sha256="), f"{right}0", "ü"):
            assert status(body, wrong) == 401, wrong
        other = HookSigner([generate_hook_secret()]).build_headers(
            event="lead.received", event_id="e", delivery_id="d", timestamp=1, body=body
        )
        assert status(body, other["X-Service-Signature"]) == 401
        assert status(body, right) == 200, "it still serves"
    message = (tmp_path / "said").read_text()
    assert f"lead.received {delivery['eventId']}" in message
    assert hook.secret not in message


@pytest.mark.parametrize("language", [if_installed(language) for language in ("python", "node", "go")])
def test_an_example_without_a_secret_does_not_start(language: str, tmp_path: Path) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "HOOK_SECRET"}
    with reserved_port() as port:
        ended = subprocess.run(
            COMMANDS[language](port, tmp_path),
            cwd=RECEIVERS / language,
            env=environment | {"PORT": str(port)},
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
    assert ended.returncode != 0
    assert b"Set HOOK_SECRET" in ended.stderr


def test_every_example_is_listed_and_tested() -> None:
    page = (RECEIVERS / "README.md").read_text(encoding="utf-8")
    assert {folder.name for folder in RECEIVERS.iterdir() if folder.is_dir()} == set(COMMANDS)
    files = [path for path in sorted(RECEIVERS.glob("*/*")) if path.name != "go.mod"]
    assert [path for path in files if f"]({path.relative_to(RECEIVERS)})" not in page] == []


def test_the_guide_verifies_with_standard_webhooks_as_shown(service: RunningService, gateway: Receiver) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    shown: dict[str, Any] = {}
    exec(block, shown)  # noqa: S102 - it is our own page that is tried out here
    owner = service.new_owner()
    hook = new_hook(owner, gateway)
    gateway.behaviour = lambda _: Reply()
    delivery = delivered(owner, hook)
    headers, body = delivery["request"]["headers"], delivery["request"]["body"].encode()
    event = shown["read_event"](hook.secret, headers, body)
    assert (event["event"], event["data"]["fields"]["full_name"]) == ("lead.received", "Ana Ñañez 🦙")
    assert shown["read_event"](hook.secret, headers, body + b" ") is None
    assert shown["read_event"](hook.secret, headers | {"webhook-timestamp": "1700000000"}, body) is None
    # Secrets of the customer's own: the page says to hand these over as bytes.
    for own in ("a secret of the customer", "whsec_bm90IHBhZGRlZCBhdCBhbGwhIQ"):
        signed = HookSigner([own]).build_headers(
            event="e", event_id="e", delivery_id="d", timestamp=int(time.time()), body=body
        )
        assert shown["read_event"](own.encode(), signed, body) == event


def test_the_guide_names_only_routes_that_exist() -> None:
    known = {f"{operation.method} {operation.path}" for operation in load_operations()}
    named = set(re.findall(r"`((?:GET|POST|PATCH|DELETE) /[^`?]*)`", GUIDE.read_text(encoding="utf-8")))
    assert named - known == set()
    assert {route for route in known if "/hooks/{hookId}/" in route} <= named


def test_the_guide_tells_the_real_schedule() -> None:
    units = {"s": timedelta(seconds=1), "min": timedelta(minutes=1), "h": timedelta(hours=1)}
    response = re.findall(r"^> (.+)$", GUIDE.read_text(encoding="utf-8"), flags=re.MULTILINE)[0].split(", ")
    assert (
        tuple(int(number) * units[unit] for number, unit in (wait.split() for wait in response))
        == DEFAULT_RETRY_SCHEDULE
    )


def test_the_guide_tells_the_real_options_of_listen() -> None:
    section = GUIDE.read_text(encoding="utf-8").partition("\n## Develop a receiver")[2].partition("\n## ")[0]
    payload = set(re.findall(r"^\| `(--[a-z-]+)` \|", section, flags=re.MULTILINE))
    helped = CliRunner().invoke(cli, ["listen", "--help"], env={"COLUMNS": "200", "NO_COLOR": "1"})
    assert payload == set(re.findall(r"--[a-z-]+", helped.output)) - {"--help"}
