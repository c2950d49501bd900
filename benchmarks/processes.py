"""Other processes: helpers of the benchmark that answer over a pipe, and the command `socialgate` itself."""

import asyncio
import inspect
import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

import psutil
import uvloop

Handlers = Mapping[str, Callable[..., Any]]
# Sets a helper up on its own event loop and gives what it can be asked for.
Role = Callable[..., Awaitable[Handlers]]

_ASK_SECONDS = 180
_PATIENT_SECONDS = 30
# Enough where nothing of what is still in flight is looked at any more.
_HURRIED_SECONDS = 2
_LOG_TAIL = 3000


class Helper:
    """A process of our own that plays a role until the block ends."""

    def __init__(self, role: Role, *args: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_play, args=(theirs, role, args), daemon=True)
        self._process.start()
        theirs.close()
        self.ask("ready")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.join(_HURRIED_SECONDS)
        if self._process.is_alive():
            self._process.kill()

    @property
    def cpu_seconds(self) -> float:
        assert self._process.pid is not None
        return cpu_seconds(psutil.Process(self._process.pid))

    def ask(self, name: str, *args: Any) -> Any:
        self.tell(name, *args)
        return self.answer()

    def tell(self, name: str, *args: Any) -> None:
        """Ask without waiting; the answer must be fetched before the next question."""
        self._pipe.send((name, args))

    def answer(self) -> Any:
        if not self._pipe.poll(_ASK_SECONDS):
            raise TimeoutError(f"a helper gave no answer in {_ASK_SECONDS} s")
        try:
            failure, value = self._pipe.recv()
        except (EOFError, OSError) as error:
            self._process.join(_HURRIED_SECONDS)
            raise RuntimeError(f"a helper ended with {self._process.exitcode}") from error
        if failure:
            raise RuntimeError(f"a helper failed:\n{failure}")
        return value


def _play(pipe: "Connection[Any, Any]", role: Role, args: tuple[Any, ...]) -> None:
    # A terminal sends its interrupt to everybody; the benchmark ends its helpers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    uvloop.run(_answer_all(pipe, role, args))


async def _answer_all(pipe: "Connection[Any, Any]", role: Role, args: tuple[Any, ...]) -> None:
    """Answer until the other end is closed, which also happens when the benchmark dies."""
    questions: asyncio.Queue[tuple[str, tuple[Any, ...]] | None] = asyncio.Queue()
    hearing = threading.Thread(target=_hear, args=(pipe, asyncio.get_running_loop(), questions), daemon=True)
    hearing.start()
    handlers: Handlers = {}
    while (question := await questions.get()) is not None:
        name, items = question
        try:
            if name == "ready":
                handlers = await role(*args)
                pipe.send((None, None))
                continue
            value = handlers[name](*items)
            pipe.send((None, await value if inspect.isawaitable(value) else value))
        except Exception:  # noqa: BLE001 - whatever it was, the benchmark shows it
            pipe.send((traceback.format_exc(), None))
    if "stop" in handlers:
        await handlers["stop"]()


def _hear(
    pipe: "Connection[Any, Any]",
    loop: asyncio.AbstractEventLoop,
    questions: "asyncio.Queue[tuple[str, tuple[Any, ...]] | None]",
) -> None:
    """Read in a thread: a loop that watched the pipe would make it non-blocking, and long messages fail then."""
    while True:
        try:
            question = pipe.recv()
        except (EOFError, OSError):
            question = None
        loop.call_soon_threadsafe(questions.put_nowait, question)
        if question is None:
            return


class Command:
    """A running `socialgate`, with what it has written to its log."""

    def __init__(self, process: "subprocess.Popen[bytes]", log: Path) -> None:
        self._process = process
        self._log = log
        self.process = psutil.Process(process.pid)

    def check(self) -> None:
        """Fail with its last words if it has ended."""
        if self._process.poll() is not None:
            raise RuntimeError(f"socialgate ended with {self._process.returncode}:\n{self.log[-_LOG_TAIL:]}")

    def kill(self) -> None:
        """End it without a last word."""
        self._process.kill()
        self._process.wait()

    @property
    def log(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    @property
    def peak(self) -> int:
        """The most memory in bytes that it ever had itself, without its children."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        (line,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
        return int(line.split()[1]) * 1024

    @property
    def rss(self) -> int:
        """Memory in bytes, that of its own children included."""
        family = [self.process, *self.process.children(recursive=True)]
        return sum(process.memory_info().rss for process in family)


@contextmanager
def command(verb: str, folder: Path, environment: Mapping[str, str], *, hurried: bool = False) -> Iterator[Command]:
    """Run `socialgate` with exactly these settings until the block ends, and then let it finish its work."""
    log = folder / f"{verb}.log"
    with (
        log.open("wb") as buffered_writer,
        subprocess.Popen(
            [sys.executable, "-m", "socialgate", verb],
            cwd=folder,
            env=clean_environment() | dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=buffered_writer,
            stderr=buffered_writer,
        ) as process,
    ):
        try:
            yield Command(process, log)
        finally:
            _end(process, _HURRIED_SECONDS if hurried else _PATIENT_SECONDS)


def clean_environment() -> dict[str, str]:
    """Leave out settings of the service, and what would keep Python from using compiled byte code."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("SOCIALGATE_") and name != "PYTHONDONTWRITEBYTECODE"
    }


def cpu_seconds(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


def _end(process: "subprocess.Popen[bytes]", patience: float) -> None:
    process.terminate()
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        process.kill()
