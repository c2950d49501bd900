"""The clients for Python and TypeScript, built and installed as their users do it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from support.node import NODE, NPM, npm_packages

CLIENTS = Path(__file__).parents[2] / "clients"
# Node would warn that fetch is experimental in some versions, and npm looks for newer versions of itself.
QUIET = {"NODE_NO_WARNINGS": "1", "NO_UPDATE_NOTIFIER": "1"}


def run(*command: str, folder: Path, **variables: str) -> str:
    done = subprocess.run(
        command, check=False, cwd=folder, env={**os.environ, **QUIET, **variables}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_node(program: str, *arguments: str, folder: Path) -> str:
    return run(NODE, str(npm_packages() / "node_modules" / program), *arguments, folder=folder)


def build_wheel(folder: Path) -> Path:
    """Build the wheel of the Python client."""
    source = folder / "source"
    shutil.copytree(CLIENTS / "python", source, ignore=shutil.ignore_patterns("__pycache__", "dist"))
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), folder=source)
    (built,) = folder.glob("socialgate_client-*.whl")
    return built


def install_package(folder: Path) -> Path:
    """Compile the TypeScript client, pack it as npm does, and install it in an empty folder."""
    source, user = folder / "source", folder / "user"
    shutil.copytree(CLIENTS / "typescript", source, ignore=shutil.ignore_patterns("node_modules", "dist"))
    run_node("typescript/bin/tsc", "--project", "tsconfig.json", folder=source)
    run(NODE, NPM, "pack", "--ignore-scripts", "--silent", "--pack-destination", str(folder), folder=source)
    (packed,) = folder.glob("*.tgz")
    user.mkdir()
    (user / "package.json").write_text('{"private": true, "type": "module"}')
    offline = ("--offline", "--no-audit", "--no-fund", "--silent")
    run(NODE, NPM, "install", *offline, str(packed), folder=user)
    return user
