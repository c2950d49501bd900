"""Starting programs that inspect untrusted files: with limited memory and CPU, and without our environment."""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from socialgate.core.errors import Unavailable

_PROGRAMS_FOLDER = Path(__file__).parent / "programs"
_PYTHON_COMMAND = (sys.executable, "-I", "-B")
# What programs need to start and to trust certificates. The rest of our environment contains keys.
_INHERITED_VARIABLES = ("PATH", "LD_LIBRARY_PATH", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR")
# The memory of all threads is in one place. Otherwise each reserves 64 MiB or more, and they reach the limit with much
# of it unused: ffmpeg then leaves out frames of 4K.
_ONE_ARENA = {"MALLOC_ARENA_MAX": "1"}
_MAX_LINE_BYTES = 64 * 1024
_RETRY_AFTER_SECONDS = 5
_KILLED_RETRY_SECONDS = 30

Process = asyncio.subprocess.Process


class ProgramKilledError(Exception):
    """The system has killed a program, most likely because the machine has too little memory: that is not the fault of
    the file that it worked on.
    """

    def __init__(self) -> None:
        super().__init__("The machine ended the program, most likely because it has too little memory.")


def build_python_command(name: str) -> tuple[str, ...]:
    """Return the command of one of our own programs."""
    return *_PYTHON_COMMAND, str(_PROGRAMS_FOLDER / f"{name}.py")


async def start_limited(
    *command: str,
    memory: int,
    cpu_seconds: int,
    file_bytes: int = 0,
    folder: Path | None = None,
    pass_fds: Sequence[int] = (),
    with_stdin: bool = False,
) -> Process:
    """Start a program with limits on memory (bytes) and CPU (seconds, 0 if it limits itself).

    One that may write files of up to `file_bytes` works in `folder`.
    """
    try:
        return await asyncio.create_subprocess_exec(
            *_PYTHON_COMMAND,
            "-S",
            str(_PROGRAMS_FOLDER / "run_limited.py"),
            str(memory),
            str(cpu_seconds),
            str(file_bytes),
            str(os.getpid()),
            *command,
            stdin=asyncio.subprocess.PIPE if with_stdin else asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL if with_stdin else asyncio.subprocess.PIPE,
            env={name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ} | _ONE_ARENA,
            cwd=folder,
            pass_fds=pass_fds,
            # Not in our process group: Ctrl-C on a terminal is for us, and we stop them.
            start_new_session=True,
            limit=_MAX_LINE_BYTES,
        )
    except OSError as error:
        raise Unavailable(
            f"Files cannot be inspected right now ({error.strerror}), so nothing was stored. Send the request again.",
            retry_after=_RETRY_AFTER_SECONDS,
        ) from error


def require_not_killed(process: Process) -> None:
    """Raise if a program that has ended was killed, and not by us. Its own limits end it in other ways."""
    if process.returncode == -signal.SIGKILL:
        raise ProgramKilledError


def build_killed_error() -> Unavailable:
    """Say that the system has killed a program that inspected a file."""
    return Unavailable(
        "The machine has too little memory to inspect files right now, so nothing was stored. Send the request again.",
        retry_after=_KILLED_RETRY_SECONDS,
    )


async def kill_process(process: Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()
