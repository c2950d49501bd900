"""A client that is generated from the OpenAPI document works: nothing in the document stops the generator."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.service import OwnerOf

TOOLS = Path(sys.prefix) / "clients" / "bin"
CALLS = Path(__file__).parent / "client_calls.py"


def run(*command: str, folder: Path) -> str:
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder)}
    # Fixed programs of our own environment, on files that this test wrote.
    done = subprocess.run(command, check=False, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_generated_python_client_makes_ten_calls(owner: OwnerOf, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_bytes(owner.session.get("/openapi.json").content)
    said = run(
        str(TOOLS / "openapi-python-client"), "generate", "--path", "openapi.json", "--meta=none", folder=tmp_path
    )
    assert "warning" not in said.lower(), said
    address, key = str(owner.session.base_url), owner.key().headers["authorization"].removeprefix("Bearer ")
    seen = json.loads(run(str(TOOLS / "python"), str(CALLS), address, key, folder=tmp_path))
    assert (seen["timezone"], seen["code"]) == ("America/Lima", "not_found")
    assert (seen["accounts"], seen["media"], seen["hooks"]) == (0, 0, 0)
    assert seen["platforms"] >= 10
