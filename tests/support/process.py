"""The service as its users run it: the real command in processes of its own."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

_SECONDS = 60
_COMMAND = [sys.executable, "-m", "socialgate"]


class Node:
    """A running `socialgate serve`."""

    def __init__(self, process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.folder = folder

    def client(self, token: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=_SECONDS)

    def has_settled(self) -> bool:
        """Tell whether it answers or has ended."""
        if self.process.poll() is not None:
            return True
        try:
            return httpx.get(f"{self.url}/health", timeout=_SECONDS).is_success
        except httpx.TransportError:
            return False

    def begin_to_stop(self) -> None:
        """Send the signal, and return when no new connection is taken any more."""
        self.process.send_signal(signal.SIGTERM)
        eventually(lambda: not self._listens())

    def stop(self) -> int:
        """Stop it as a supervisor does, and give its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(_SECONDS)

    def output(self) -> str:
        """Give everything it has written so far, to both streams."""
        return "".join((self.folder / name).read_text() for name in ("out", "err"))

    def _listens(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


@contextmanager
def node(folder: Path, **settings: object) -> Iterator[Node]:
    """Start a node and wait until it answers."""
    folder.mkdir()
    started = _start(folder, settings)
    try:
        yield started
    finally:
        if started.process.poll() is None:
            started.process.kill()
        started.process.wait(_SECONDS)


def run_command(*arguments: str, folder: Path, **settings: object) -> None:
    subprocess.run(
        [*_COMMAND, *arguments],
        cwd=folder,
        env=_environment(settings),
        check=True,
        capture_output=True,
        timeout=_SECONDS,
    )


def eventually(condition: Callable[[], bool], within: float = _SECONDS) -> None:
    """Wait for something that is bound to happen."""
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


def _start(folder: Path, settings: dict[str, object]) -> Node:
    while True:
        port = _free_port()
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            process = subprocess.Popen(
                [*_COMMAND, "serve"],
                cwd=folder,
                env=_environment({"port": port, "log_format": "json", **settings}),
                stdout=out,
                stderr=err,
            )
        found = Node(process, port, folder)
        eventually(found.has_settled)
        if process.poll() is None:
            return found
        # Somebody else may have taken the port meanwhile; every other failure is one.
        assert "Cannot listen" in found.output(), found.output()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(settings: dict[str, object]) -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("SOCIALGATE_")}
    return {**inherited, **{f"SOCIALGATE_{name.upper()}": str(value) for name, value in settings.items()}}
