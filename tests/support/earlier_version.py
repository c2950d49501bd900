"""The version before this one, from the history of the repository, as processes beside those of this version."""

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from support.forking import ForkedProcess
from support.processes import DEADLINE_SECONDS, Process, Verb, environment

ROOT = Path(__file__).parents[2]


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def find_earlier_version() -> str:
    """Find the last release, or without any the last commit before the version was given its number."""
    try:
        tags = _git("tag", "--list", "v[0-9]*", "--sort=-version:refname", "--no-contains", "HEAD").decode().split()
        if tags:
            return tags[0]
        numbered = _git("log", "-1", "--format=%H", "-G", "^__version__", "--", "src/socialgate/__init__.py")
        return _git("rev-parse", "--verify", f"{numbered.decode().strip()}^").decode().strip()
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no earlier version in the history, so upgrades without downtime are not tested")


class EarlierVersion:
    """The source of the version before, in a folder. It runs with the dependencies of this version."""

    def __init__(self, folder: Path) -> None:
        with tarfile.open(fileobj=io.BytesIO(_git("archive", find_earlier_version(), "src"))) as archive:
            archive.extractall(folder, filter="data")
        self._source = folder / "src"

    def environment(self, settings: dict[str, object]) -> dict[str, str]:
        # The path comes before the packages, where this version is installed in editable form.
        return {**environment(settings), "PYTHONPATH": str(self._source)}

    def run(self, verb: str, settings: dict[str, object]) -> str:
        """Run a command to its end."""
        finished = subprocess.run(
            [sys.executable, "-m", "socialgate", verb],
            env=self.environment(settings),
            cwd=self._source,
            capture_output=True,
            text=True,
            timeout=10 * DEADLINE_SECONDS,
            check=False,
        )
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    def start(self, verb: Verb, folder: Path, settings: dict[str, object]) -> "EarlierProcess":
        return EarlierProcess(self, verb, folder, settings)


class EarlierProcess(Process):
    """A process of the version before."""

    def __init__(self, version: EarlierVersion, verb: Verb, folder: Path, settings: dict[str, object]) -> None:
        self._path = version.environment({})["PYTHONPATH"]
        super().__init__(verb, folder, settings)

    def _start(self) -> "ForkedProcess | subprocess.Popen[bytes]":
        with self._out.open("wb") as out, self._err.open("wb") as err:
            return subprocess.Popen(
                [sys.executable, "-m", "socialgate", self.verb],
                env={**self._environment, "PYTHONPATH": self._path},
                cwd=self._path,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
