"""Both clients are built, installed as their users install them, and do the same tasks against a running service.

`make test` installs the Python client beside the libraries that are here already, and creates few drafts; `make soak`
makes a clean environment for each supported version of Python that the machine has, and creates 250.
"""

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from clients.generate.api import read_api
from clients.generate.n8n import write_n8n
from clients.generate.python import write_python
from clients.generate.typescript import write_typescript

from socialgate import __version__
from socialgate.contracts.platforms import Platform
from support.ads_api import AdsClient
from support.browser import open_browser
from support.client_packages import CLIENTS, QUIET, install_package, run, run_node
from support.connections import get_connect_fields
from support.factories import account_on
from support.hooks import emit
from support.moved_clock import read_present_time
from support.node import NODE, npm_packages
from support.post_files import file_of
from support.publishing import mp4
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, running_service
from support.soak import LONG, SOAK
from support.unreliable_line import UnreliableLine

HERE = Path(__file__).parent
VERSIONS = ("3.10", "3.11", "3.12", "3.13")
MAX_MINIFIED_BYTES = 60 * 1024
# Where their packages have the program.
RUNTIMES = {"deno": "@deno/linux-x64-glibc/deno", "bun": "@oven/bun-linux-x64/bin/bun"}

SEEN: Mapping[str, Any] = {
    "health": "ok",
    "start_connecting": True,
    "connect": ["telegram", "telegram_bot", "connected", True],
    "upload": ["image", "image/jpeg", "oven.jpg", 1080],
    "validate": [False, "/targets/0/content", "too_long"],
    "post_to_three_kinds": ["published", ["published"] * 3, 1],
    "paginate": [True, True],
    "invalid": [422, "invalid", ["/name"], "sg-"],
    "missing": [404, "not_found", "req_"],
    "unauthenticated": "unauthenticated",
    "limited": ["After a limit", 1],
    "dropped": ["After a break", 1],
    "stale": [412, "Changed", True],
    "replay": [201, "true", True],
    "stream": [True, 1, True],
    "verify_hook": ["webhook.test", True, True],
    "wait_for_task": ["ai.copy", "succeeded", 1, "succeeded"],
    "boost": ["paused", "Boosted"],
    "import_products": [100, "succeeded", 100],
    "queue": ["monday", "09:00", True, True],
    "request": ["By its path", 200, 1],
    "later_versions": ["kind_of_tomorrow", {"moonPhase": "full"}, "full"],
    "log_without_secrets": [True, True, True],
}


@pytest.fixture
def agency(service: RunningService, sandbox: Sandbox) -> AdsClient:
    """Give an owner with an ad account and a page."""
    return AdsClient(service, sandbox, "meta")


@pytest.fixture
def line(service: RunningService) -> Iterator[UnreliableLine]:
    with UnreliableLine(service.address) as line:
        yield line


@pytest.fixture
def known(agency: AdsClient, sandbox: Sandbox, line: UnreliableLine, tmp_path: Path) -> dict[str, Any]:
    """Give what the tasks need to know."""
    photo, film = tmp_path / "oven.jpg", tmp_path / "film.mp4"
    photo.write_bytes(file_of("image/jpeg"))
    film.write_bytes(mp4(4))
    return {
        "url": line.url,
        "key": agency.owner.key_value(),
        "profileId": agency.owner.profile_id,
        "adAccountId": agency.account_id,
        "facebook": agency.page_id,
        "threads": account_on(agency.owner, Platform.THREADS),
        "chatId": "@adasbakery",
        "photo": str(photo),
        "film": str(film),
        "chunk": max(1, film.stat().st_size // 4),
        "drafts": 250 if SOAK else 25,
        "once": uuid4().hex,
        "csv": products(100),
        "hook": delivery(),
        **get_connect_fields(sandbox, "telegram"),
    }


def products(count: int) -> str:
    """Write a CSV of so many products."""
    heading = "id,title,description,availability,condition,price,link,image_link,brand"
    rest = "in stock,new,9.50 SEK,https://bakery.example.com/cake,https://bakery.example.com/cake.jpg,Ada"
    return "\n".join([heading, *(f"cake-{number},Cake {number},For eight.,{rest}" for number in range(count))]) + "\n"


def delivery() -> dict[str, Any]:
    """Sign a delivery, as the service does."""
    key = os.urandom(32)
    body = json.dumps({"event": "webhook.test", "ownerId": "own_1", "profileId": "prf_1", "data": {"hookId": "hook_1"}})
    headers = {"Webhook-Id": f"evt_{uuid4().hex}", "Webhook-Timestamp": str(int(read_present_time()))}
    signed = f"{headers['Webhook-Id']}.{headers['Webhook-Timestamp']}.{body}".encode()
    signature = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    lower = {name.lower(): value for name, value in headers.items()}
    return {
        "secret": f"whsec_{base64.b64encode(key).decode()}",
        "headers": {**lower, "webhook-signature": f"v1,bm90IHRoaXMgb25l v1,{signature}"},
        "body": body,
    }


def check(printed: str, known: Mapping[str, Any], line: UnreliableLine, user_agent: str) -> None:
    seen = json.loads(printed)
    kinds = seen.pop("list_accounts")
    assert {"facebook_page", "telegram_bot", "threads"} <= set(kinds)
    assert seen.pop("upload_in_chunks") == ["video", Path(known["film"]).stat().st_size, True, True]
    assert seen == SEEN
    assert {fault.split()[0] for fault in line.faults} == {"limit", "drop", "cut", "later"}
    assert all(agent.startswith(user_agent) for agent in line.user_agents)


def test_the_python_client(python_client: Path, known: dict[str, Any], line: UnreliableLine, tmp_path: Path) -> None:
    program = str(HERE / "python" / "tasks.py")
    path = str(python_client)
    printed = run(sys.executable, "-W", "error", program, json.dumps(known), folder=tmp_path, PYTHONPATH=path)
    check(printed, known, line, "socialgate-python/")


@pytest.fixture
def programs(node_folder: Path) -> Path:
    """Give the programs that use the TypeScript client, beside it. `test_site_examples.py` checks their types."""
    shutil.copytree(HERE / "typescript", node_folder, dirs_exist_ok=True)
    return node_folder


def test_the_typescript_client(programs: Path, known: dict[str, Any], line: UnreliableLine) -> None:
    printed = run(NODE, "tasks.mts", json.dumps(known), folder=programs)
    check(printed, known, line, "socialgate-typescript/")


def test_the_typescript_client_is_small(tmp_path: Path) -> None:
    entry = install_package() / "node_modules" / "@socialgate" / "client" / "dist" / "index.js"
    small = tmp_path / "client.js"
    options = ("--bundle", "--minify", "--format=esm", "--target=es2022", f"--outfile={small}", "--log-level=error")
    run_node("esbuild/bin/esbuild", str(entry), *options, folder=tmp_path)
    assert small.stat().st_size <= MAX_MINIFIED_BYTES
    # Nothing but what browsers, Node, Deno and Bun all have.
    assert "node:" not in small.read_text(encoding="utf-8")
    assert json.loads((CLIENTS / "typescript" / "package.json").read_text())["version"] == __version__


@pytest.fixture(params=["python", "typescript"])
def follower(request: pytest.FixtureRequest) -> tuple[Sequence[str], Mapping[str, str]]:
    """Give a program that follows the events of a service, and its environment."""
    if request.param == "python":
        path = request.getfixturevalue("python_client")
        return [sys.executable, str(HERE / "python" / "follow.py")], {"PYTHONPATH": str(path)}
    return [NODE, str(request.getfixturevalue("programs") / "follow.mts")], {}


def test_a_stream_goes_on_after_a_restart_of_the_service(
    follower: tuple[Sequence[str], Mapping[str, str]], tmp_path: Path
) -> None:
    command, variables = follower
    with ExitStack() as stack:
        with running_service(tmp_path / "data", worker="separate") as before:
            owner = before.new_owner()
            line = stack.enter_context(UnreliableLine(before.address))
            start = owner.session.get("/events").json()["nextCursor"]
            emit(owner, 1)
            process = stack.enter_context(
                subprocess.Popen(
                    [*command, line.url, owner.key_value(), start],
                    env={**os.environ, **QUIET, **variables},
                    stdout=subprocess.PIPE,
                    text=True,
                )
            )
            stack.callback(process.kill)
            assert process.stdout is not None
            assert process.stdout.readline() == "lead_1\n"
        with running_service(tmp_path / "data", worker="separate") as after:
            owner.running = after
            emit(owner, 2)
            line.server_url = after.address
            assert process.stdout.readline() == "lead_2\n"
            emit(owner, 3)
            assert process.stdout.readline() == "lead_3\n"


@pytest.fixture
def known_anywhere(owner: OwnerFixture) -> dict[str, Any]:
    """Give what the program for every runtime needs to know: a film in base64, and a position before a lead."""
    position = owner.session.get("/events").json()["nextCursor"]
    emit(owner, 1)
    film = base64.b64encode(mp4(4)).decode()
    return {
        "url": owner.running.address,
        "key": owner.key_value(),
        "after": position,
        "film": film,
        "hook": delivery(),
    }


SEEN_ANYWHERE = [["Default"], "video", True, ["lead.received"], "webhook.test"]


@pytest.mark.parametrize("runtime", [pytest.param(runtime, marks=LONG) for runtime in RUNTIMES])
def test_the_typescript_client_in_other_runtimes(programs: Path, known_anywhere: dict[str, Any], runtime: str) -> None:
    program = npm_packages("runtimes") / "node_modules" / RUNTIMES[runtime]
    # npm does that in a script of the package, and no script is run.
    program.chmod(0o755)
    options = ("--allow-net", "--allow-env") if runtime == "deno" else ()
    printed = run(str(program), "run", *options, "runtime.mts", json.dumps(known_anywhere), folder=programs)
    assert json.loads(printed) == SEEN_ANYWHERE


def test_the_typescript_client_in_a_browser(programs: Path, known_anywhere: dict[str, Any]) -> None:
    options = ("--bundle", "--format=esm", "--target=es2022", "--log-level=error", "--outfile=runtime.js")
    run_node("esbuild/bin/esbuild", "runtime.mts", *options, folder=programs)
    bundle = (programs / "runtime.js").read_text(encoding="utf-8")
    address = known_anywhere["url"]
    with open_browser() as browser:
        page = browser.new_page()
        # A page of the same origin, as behind one proxy: the service has no CORS.
        page.route(f"{address}/app/", lambda route: route.fulfill(body="<!doctype html>", content_type="text/html"))
        page.route(
            f"{address}/app/runtime.js", lambda route: route.fulfill(body=bundle, content_type="text/javascript")
        )
        page.goto(f"{address}/app/")
        seen = page.evaluate("async (known) => (await import('./runtime.js')).useClient(known)", known_anywhere)
    assert seen == SEEN_ANYWHERE


def test_type_checkers_accept_the_python_client(tmp_path: Path) -> None:
    # Paths must be relative: others are ignored.
    shutil.copytree(CLIENTS / "python" / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(HERE / "python", tmp_path / "programs")
    settings = {
        "include": ["src", "programs"],
        "extraPaths": ["src"],
        "venvPath": str(Path(sys.prefix).parent),
        "venv": Path(sys.prefix).name,
        "pythonVersion": VERSIONS[0],
        "typeCheckingMode": "standard",
        "strict": ["src"],
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    assert "0 errors" in run_node("pyright/index.js", "--project", "pyrightconfig.json", folder=tmp_path)


def test_the_clients_are_what_the_routes_say() -> None:
    run(sys.executable, "-m", "clients.generate", "--check", folder=CLIENTS.parent)


def test_a_route_that_is_added_needs_no_line_in_any_client(service: RunningService) -> None:
    document = service.client().get("/openapi.json").json()
    names = {"operationId": "getProfilePhase", "x-sdk": {"resource": "profiles.phases", "method": "get"}}
    known = document["paths"]["/profiles/{profileId}"]["get"]
    document["paths"]["/profiles/{profileId}/phase"] = {"get": {**known, **names}}
    api = read_api(document)
    places = {
        "resources/profiles.py": "class AsyncProfilesPhasesResource",
        "resources.ts": "class ProfilesPhasesResource",
    }
    places["requests.ts"] = '"profiles.phases.get"'
    files = write_python(api) | write_typescript(api) | write_n8n(api)
    assert [name for name, text in places.items() if text not in files[name]] == []


@pytest.mark.parametrize("version", [pytest.param(version, marks=LONG) for version in VERSIONS])
def test_the_python_client_in_a_clean_environment(
    wheel: Path, known: dict[str, Any], line: UnreliableLine, version: str, tmp_path: Path
) -> None:
    uv = str(Path(sys.executable).parent / "uv")
    interpreter = subprocess.run([uv, "python", "find", version], check=False, capture_output=True, text=True)
    if interpreter.returncode:
        pytest.skip(f"Python {version} is not installed")
    own = tmp_path / "own"
    run(uv, "venv", "--quiet", "--python", interpreter.stdout.strip(), str(own), folder=tmp_path)
    run(uv, "pip", "install", "--quiet", "--python", str(own / "bin" / "python"), str(wheel), folder=tmp_path)
    printed = run(str(own / "bin" / "python"), str(HERE / "python" / "tasks.py"), json.dumps(known), folder=tmp_path)
    check(printed, known, line, "socialgate-python/")
