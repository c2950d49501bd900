"""Both packages as wheels in an empty environment: what `pip install` gives to people without a copy of this code."""

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import Message
from email.parser import Parser
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from journeys.commands import DEADLINE_SECONDS, Running
from socialgate import __version__
from socialgate.docs_site.sources import PROJECT_PAGES
from support.processes import environment

ROOT = Path(__file__).parents[2]
PACKAGES = {"socialgate": ROOT, "socialgate_sandbox": ROOT / "sandbox"}
# What the probes and checks in `deploy` ask for.
PROBED = ("/health", "/llms.txt")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("wheels")
    for source in PACKAGES.values():
        run([sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)], source)
    return {name: next(folder.glob(f"{name}-*.whl")) for name in PACKAGES}


def run(command: list[str], folder: Path) -> str:
    result = subprocess.run(
        command, cwd=folder, env=environment({}), capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def files_of(package: str) -> set[str]:
    """List the files that belong to a package, by their names in its wheel."""
    source = PACKAGES[package] / "src"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", package]
    own = {name for name in run(command, source).split("\0") if name and (source / name).exists()}
    return own | (guides() if package == "socialgate" else set())


def guides() -> set[str]:
    """List what pages are made of, and what language models read, by their names in the wheel."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "docs"]
    names = [name for name in run(command, ROOT).split("\0") if name and (ROOT / name).exists()]
    project = {f"socialgate/project/{path}" for path in PROJECT_PAGES.values()}
    return {f"socialgate/guides/{name.removeprefix('docs/')}" for name in names} | project


def metadata_of(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return Parser().parsestr(archive.read(name).decode())


@pytest.mark.parametrize("package", PACKAGES)
def test_a_wheel_contains_the_whole_package_and_its_license(wheels: dict[str, Path], package: str) -> None:
    with ZipFile(wheels[package]) as archive:
        names = set(archive.namelist())
        (text,) = [archive.read(name) for name in names if name.endswith(".dist-info/licenses/LICENSE")]
    assert text == (ROOT / "LICENSE").read_bytes()
    assert {name for name in names if ".dist-info/" not in name} == files_of(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_wheel_describes_itself(wheels: dict[str, Path], package: str) -> None:
    metadata = metadata_of(wheels[package])
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Author"] == "Socialgate contributors"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert all(metadata[field] for field in ("Summary", "Keywords", "Requires-Python"))
    assert "Programming Language :: Python :: 3.11" in metadata.get_all("Classifier", [])


def test_the_version_is_that_of_the_code(wheels: dict[str, Path]) -> None:
    assert metadata_of(wheels["socialgate"])["Version"] == __version__


class Environment:
    """A virtual environment with nothing of ours but the wheels that are installed into it."""

    def __init__(self, folder: Path) -> None:
        run([sys.executable, "-m", "venv", "--without-pip", str(folder)], folder.parent)
        self._folder = folder
        # Their dependencies are those of the tests, which need no network. Our own packages cannot be found there:
        # they are installed in editable form, by .pth files, and only those of the environment itself are read.
        paths = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
        (packages,) = folder.glob("lib/python3*/site-packages")
        (packages / "dependencies.pth").write_text("\n".join(paths) + "\n", encoding="utf-8")

    def install(self, wheel: Path) -> None:
        uv = str(Path(sys.executable).parent / "uv")
        python = str(self._folder / "bin" / "python")
        command = [uv, "pip", "install", "--quiet", "--offline", "--no-index", "--no-deps", "--python", python]
        run([*command, str(wheel)], self._folder)

    @contextmanager
    def serving(self, folder: Path, **settings: object) -> Iterator[Running]:
        """Run `socialgate serve` in a folder."""
        output = self._folder / f"output-of-{folder.name}"
        output.mkdir()
        with (
            (output / "out").open("wb") as out,
            (output / "err").open("wb") as err,
            subprocess.Popen(
                [self._folder / "bin" / "socialgate", "serve"],
                cwd=folder,
                env=environment({"port": 0, **settings}),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            ) as process,
        ):
            try:
                yield Running(process, output)
            finally:
                process.kill()

    def module_file(self, package: str) -> Path:
        python = str(self._folder / "bin" / "python")
        return Path(run([python, "-c", f"import {package}; print({package}.__file__)"], self._folder).strip())


def test_it_starts_in_an_empty_folder(wheels: dict[str, Path], tmp_path: Path) -> None:
    installed = Environment(tmp_path / "environment")
    installed.install(wheels["socialgate"])
    assert installed.module_file("socialgate").is_relative_to(tmp_path)
    alone, simulating = tmp_path / "alone", tmp_path / "simulating"
    for folder in (alone, simulating):
        folder.mkdir()
    with installed.serving(alone, sandbox="false") as running:
        require_healthy(running)
    installed.install(wheels["socialgate_sandbox"])
    with installed.serving(simulating) as running:
        require_healthy(running)
        assert "simulated platforms" in running.out
    assert (simulating / "data" / "first-login.txt").exists()


def require_healthy(running: Running) -> None:
    with httpx.Client(base_url=running.address(), timeout=DEADLINE_SECONDS) as client:
        assert client.get("/health").json()["version"] == __version__
        # The pages and the scripts of the console are files of the package.
        for path in (*PROBED, "/docs", "/openapi.json", "/console/login"):
            assert client.get(path).status_code == 200, path
    assert running.stop() == 0
