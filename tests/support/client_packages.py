"""The clients for Python and TypeScript, built and installed as their users do it, once for all tests."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from support.build_once import build_once
from support.node import NODE, NPM, npm_lock, npm_packages

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


def build_wheel() -> Path:
    """Build the wheel of the Python client."""
    (built,) = build_once("wheel", [CLIENTS / "python"], _build_wheel).glob("socialgate_client-*.whl")
    return built


def _build_wheel(folder: Path) -> None:
    with TemporaryDirectory() as name:
        source = Path(name) / "source"
        shutil.copytree(CLIENTS / "python", source, ignore=shutil.ignore_patterns("__pycache__", "dist"))
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), folder=source)


def install_wheel() -> Path:
    """Give a folder in which the wheel is installed, beside the libraries that are here already."""
    return build_once("wheel-installed", [CLIENTS / "python"], _install_wheel)


def _install_wheel(folder: Path) -> None:
    uv = str(Path(sys.executable).parent / "uv")
    options = ("--quiet", "--no-deps", "--offline", "--compile-bytecode", "--target", str(folder))
    run(uv, "pip", "install", *options, str(build_wheel()), folder=folder)


def install_package() -> Path:
    """Compile the TypeScript client, pack it as npm does, and install it in an empty folder."""
    return build_once("package", [CLIENTS / "typescript", npm_lock()], _install_package)


def _install_package(folder: Path) -> None:
    with TemporaryDirectory() as name:
        source, packed = Path(name) / "source", Path(name) / "packed"
        packed.mkdir()
        shutil.copytree(CLIENTS / "typescript", source, ignore=shutil.ignore_patterns("node_modules", "dist"))
        run_node("typescript/bin/tsc", "--project", "tsconfig.json", folder=source)
        run(NODE, NPM, "pack", "--ignore-scripts", "--silent", "--pack-destination", str(packed), folder=source)
        (archive,) = packed.glob("*.tgz")
        (folder / "package.json").write_text('{"private": true, "type": "module"}')
        # Without a lock file, which would name a file that is deleted now.
        offline = ("--offline", "--no-audit", "--no-fund", "--silent", "--no-package-lock")
        run(NODE, NPM, "install", *offline, str(archive), folder=folder)
