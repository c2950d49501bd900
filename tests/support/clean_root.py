"""A clean Debian in a folder, in which the install steps of a deployment are run as on a new machine.

It needs root, and mmdebstrap or debootstrap (`apt-get install mmdebstrap`), which load packages from a Debian mirror.
"""

import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = "bookworm"
# What the base image of the Dockerfile has, and systemd, which checks the units.
_PACKAGES = ("python3", "python3-venv", "python-is-python3", "ca-certificates", "systemd")
_SECONDS = 3600
# Mounts are private to the command, and end with it. The root is read-only as in a container, if that is asked for.
_ENTER = """
root=$1 writable=$2; shift 2
mount --bind "$root" "$root"
mount --bind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/tmp"
if [ -n "$writable" ]; then
    mount --bind "$root$writable" "$root$writable"
    mount -o remount,bind,ro "$root"
fi
exec chroot "$@"
"""


class CleanRoot:
    def __init__(self, path: Path) -> None:
        self.path = path

    def command(
        self,
        command: Sequence[str],
        *,
        user: str = "root:root",
        env: Mapping[str, str],
        folder: str,
        writable: str = "",
    ) -> list[str]:
        """Give the command that runs another one in the root, with this environment only."""
        variables = [f"{name}={value}" for name, value in env.items()]
        inside = [f"--userspec={user}", str(self.path), "/usr/bin/env", "-i", f"--chdir={folder}", *variables, *command]
        entered = ["sh", "-ec", _ENTER, "sh", str(self.path), writable, *inside]
        return ["unshare", "--mount", *entered]

    def run(self, script: str, *, env: Mapping[str, str], folder: str = "/", user: str = "root:root") -> str:
        """Run a script of the shell to its end."""
        command = self.command(["sh", "-ec", script], user=user, env=env, folder=folder)
        finished = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
        assert finished.returncode == 0, f"{script}\n{finished.stdout}\n{finished.stderr}"
        return finished.stdout

    def copy_in(self, source: Path, folder: str) -> None:
        """Copy a file or folder of the repository, without what programs left there."""
        target = self.path / folder.lstrip("/") / source.name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            junk = shutil.ignore_patterns("__pycache__", "*.egg-info", "node_modules", ".*")
            shutil.copytree(source, target, ignore=junk, dirs_exist_ok=True)
        else:
            shutil.copy(source, target)

    @contextmanager
    def running(
        self, command: Sequence[str], output: Path, *, user: str, env: Mapping[str, str], folder: str, writable: str
    ) -> Iterator["subprocess.Popen[bytes]"]:
        inside = self.command(command, user=user, env=env, folder=folder, writable=writable)
        with output.open("wb") as file, subprocess.Popen(inside, stdout=file, stderr=subprocess.STDOUT) as process:
            try:
                yield process
            finally:
                process.terminate()
                process.wait(_SECONDS)


def make_clean_root(folder: Path) -> CleanRoot:
    """Make one, or skip the test and say why."""
    if os.geteuid() != 0:
        pytest.skip("a clean root needs the rights of root, so the install steps are not tested")
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    included = ",".join(_PACKAGES)
    if program := shutil.which("mmdebstrap", path=path):
        command = [program, "--quiet", "--variant=minbase", f"--include={included}", SUITE, str(folder)]
    elif program := shutil.which("debootstrap", path=path):
        command = [program, "--variant=minbase", f"--include={included}", SUITE, str(folder)]
    else:
        pytest.skip("neither mmdebstrap nor debootstrap is installed, so the install steps are not tested")
    finished = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    assert finished.returncode == 0, finished.stderr
    return CleanRoot(folder)


def download_packages(folder: Path) -> None:
    """Load what the install steps need with the settings of this machine, which the clean root does not have."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--dest", str(folder), "--python-version", "3.11"]
    build: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    for requirements in (["--require-hashes", "--requirement", str(ROOT / "requirements.lock")], build):
        subprocess.run([*pip, "--only-binary=:all:", *requirements], check=True, timeout=_SECONDS)
