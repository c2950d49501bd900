"""The official inspector uses the tools from its command line. It is large, so that `make soak` installs it."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from socialgate.mcp.tools import TOOLS
from support.node import NODE, NPM
from support.service import OwnerFixture, RunningService
from support.soak import LONG

PACKAGE = "@modelcontextprotocol/inspector"
VERSION = "2.12.0"
SECONDS = 600
pytestmark = LONG


def test_the_official_inspector(service: RunningService, owner: OwnerFixture, tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"private": true}')
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    run_node(tmp_path, NPM, "install", *options, f"{PACKAGE}@{VERSION}")
    program = str(tmp_path / "node_modules" / PACKAGE / "clients" / "launcher" / "build" / "index.js")
    server = ("--cli", f"{service.address}/mcp", "--transport", "http", "--connect-timeout", "60000")
    key = ("--header", f"Authorization: Bearer {owner.key_value()}")

    def inspect(*method: str) -> Any:
        return json.loads(run_node(tmp_path, program, *server, *key, "--method", *method))

    assert [tool["name"] for tool in inspect("tools/list")["tools"]] == [tool.name for tool in TOOLS]
    result = inspect("tools/call", "--tool-name", "find", "--tool-arg", "what=profiles")
    assert owner.profile_id in result["content"][0]["text"]
    assert inspect("resources/list")["resources"]


def run_node(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        [NODE, *arguments], cwd=folder, env=os.environ, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    if done.returncode and "ENOTFOUND" in done.stderr:
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
