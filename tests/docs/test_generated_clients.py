"""A client that is generated from the OpenAPI document works: nothing in the document stops the generator."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.connections import credential_of
from support.node import NODE, npm_packages
from support.sandbox import Sandbox
from support.service import OwnerOf

HERE = Path(__file__).parent
TOOLS = Path(sys.prefix) / "clients" / "bin"
# It would report each use to its makers, and look for newer versions of itself.
QUIET = {"REDOCLY_TELEMETRY": "off", "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true"}


def run(*command: str, folder: Path, **variables: str) -> str:
    # Fixed programs of our own environment, on files that this test wrote.
    done = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def save_document(owner: OwnerOf, folder: Path) -> None:
    (folder / "openapi.json").write_bytes(owner.session.get("/openapi.json").content)


def test_a_generated_python_client_makes_ten_calls(owner: OwnerOf, tmp_path: Path) -> None:
    save_document(owner, tmp_path)
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    generate = (str(TOOLS / "openapi-python-client"), "generate", "--path", "openapi.json", "--meta=none")
    said = run(*generate, folder=tmp_path, PATH=path)
    assert "warning" not in said.lower(), said
    calls = (str(TOOLS / "python"), str(HERE / "client_calls.py"), str(owner.session.base_url), owner.key_value())
    seen = json.loads(run(*calls, folder=tmp_path, PYTHONPATH=str(tmp_path)))
    assert (seen["timezone"], seen["code"]) == ("America/Lima", "not_found")
    assert (seen["accounts"], seen["media"], seen["hooks"]) == (0, 0, 0)
    assert seen["platforms"] >= 10


def run_node(program: str, *arguments: str, folder: Path) -> str:
    """Run a program of an installed package, in a folder where programs find the packages."""
    packages = folder / "node_modules"
    if not packages.exists():
        packages.symlink_to(npm_packages() / "node_modules")
    return run(NODE, str(packages / program), *arguments, folder=folder, **QUIET)


def test_a_generated_typescript_client_reads_what_the_service_returns(
    owner: OwnerOf, sandbox: Sandbox, tmp_path: Path
) -> None:
    save_document(owner, tmp_path)
    shutil.copytree(HERE / "typescript", tmp_path, dirs_exist_ok=True)
    # Fields with a default value are optional in requests.
    generate = ("openapi.json", "--output", "schema.mts", "--default-non-nullable", "false")
    run_node("openapi-typescript/bin/cli.js", *generate, folder=tmp_path)
    run_node("typescript/bin/tsc", folder=tmp_path)
    credentials = (owner.key_value(), credential_of(sandbox, "telegram")["botToken"])
    seen = json.loads(run(NODE, "built/client_calls.mjs", str(owner.session.base_url), *credentials, folder=tmp_path))
    created_at = seen["profile"].pop()
    assert created_at.endswith("Z")
    options = {"chatId": "@generated", "disableNotification": True}
    assert seen == {
        "profile": ["America/Lima", 0, None],
        "accounts": [[True, "telegram", "telegram_bot", "connected"]],
        "verdict": [False, ["/targets/0/content", "too_long"]],
        "draft": ["draft", None, "spring", options],
        "hook": [True, True, None, ["post.published"]],
        "automation": ["messages to 1 account", "sendMessage"],
        "media": ["document", "application/pdf", "menu.pdf", 9, None],
        "events": [["account.connected", True]],
        "missing": [404, "not_found"],
        "refused": [422, "invalid", "/name"],
        "deleted": [True, True],
    }


def test_redocly_has_nothing_to_say(owner: OwnerOf, tmp_path: Path) -> None:
    save_document(owner, tmp_path)
    shutil.copy(HERE / "redocly.yaml", tmp_path)
    lint = ("lint", "openapi.json", "--format", "json", "--max-problems", "1000")
    found: dict[str, Any] = json.loads(run_node("@redocly/cli/bin/cli.js", *lint, folder=tmp_path))
    assert found["problems"] == []
