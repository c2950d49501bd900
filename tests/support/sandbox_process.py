"""The sandbox as a process of its own: where very much goes on, it would be slow in a thread of the test's."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from journeys.commands import Running, started
from socialgate_sandbox.kernel.settings import SandboxSettings
from support.simulation import RunningSandbox
from support.waiting import eventually


@contextmanager
def start_sandbox_process(folder: Path) -> Iterator[RunningSandbox]:
    folder.mkdir()
    with started(folder, "sandbox", sandbox_port=0) as process:
        port, receiver_port = eventually(lambda: _ports(process), "the greeting of the sandbox")
        settings = SandboxSettings(data_dir=folder / "data", port=port, receiver_port=receiver_port)
        running = RunningSandbox(settings)
        try:
            yield running
        finally:
            running.client.close()


def _ports(process: Running) -> tuple[int, int] | None:
    assert process.process.poll() is None, process.err
    match = re.search(r"Page +(\S+)/\n(?:.*\n)*? +Receiver +(\S+)/\n", process.out)
    return None if match is None else (urlsplit(match[1]).port or 0, urlsplit(match[2]).port or 0)
