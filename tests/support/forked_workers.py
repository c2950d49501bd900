"""Runs the tests in several processes, which are forked when all tests are collected: `pytest --processes auto`.

Collecting ten thousand tests takes as long as running a thousand of them. Processes that are started, as pytest-xdist
does, all do it again for themselves; those that are forked share the result, and its memory.

Each process has a part of the list, so that tests of one file stay together and share what the file's fixtures start.
One that has finished takes over half of the longest part that is left. If one dies, the test that it ran has failed,
and another process continues with its part.
"""

import argparse
import os
import random
import signal
import traceback
from collections import deque
from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from typing import Any, NoReturn

import pytest

# Tests wait for processes, commits and browsers for more than half of their time.
_PROCESSES_PER_CORE = 3


def _parse_number(text: str) -> int:
    if text == "auto":
        return (os.cpu_count() or 1) * _PROCESSES_PER_CORE
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("use a number, or auto")
    return int(text)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--processes", type=_parse_number, default=1, metavar="N", help="run the tests in so many processes, or auto"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Leave it to pytest if there is nothing to share."""
    options = session.config.option
    number = min(options.processes, len(session.items))
    if number < 2 or options.collectonly or (session.testsfailed and not options.continue_on_collection_errors):
        return None
    _WorkerPool(session, number).run()
    return True


class _Worker:
    """A process, as its parent sees it: the tests that it is to run, by their position in the list of all tests."""

    def __init__(self, pid: int, pipe: Connection, waiting: deque[int]) -> None:
        self.pid = pid
        self.pipe = pipe
        self.waiting = waiting
        # A process asks for the test after the next before it runs the next: whether both belong to one file decides
        # what is torn down between them.
        self.running: int | None = None
        self.upcoming: int | None = None


class _WorkerPool:
    def __init__(self, session: pytest.Session, number: int) -> None:
        self._session = session
        self._hook = session.config.hook
        self._workers: dict[Connection, _Worker] = {}
        for part in _divide(len(session.items), number):
            self._start(deque(part))

    def run(self) -> None:
        try:
            while self._workers:
                ready = wait(list(self._workers))
                for worker in [worker for pipe, worker in self._workers.items() if pipe in ready]:
                    self._receive(worker)
        finally:
            for worker in self._workers.values():
                os.kill(worker.pid, signal.SIGINT)
                os.waitpid(worker.pid, 0)
        if self._session.shouldfail:
            raise self._session.Failed(self._session.shouldfail)
        if self._session.shouldstop:
            raise self._session.Interrupted(self._session.shouldstop)

    def _start(self, waiting: deque[int]) -> None:
        pipe, own = Pipe()
        pid = os.fork()
        if pid == 0:
            # With them open, no process would notice that their common parent has died.
            for other in (pipe, *self._workers):
                other.close()
            _work(self._session, own)
        own.close()
        self._workers[pipe] = _Worker(pid, pipe, waiting)

    def _receive(self, worker: _Worker) -> None:
        try:
            message = worker.pipe.recv()
        except EOFError:
            self._end(worker)
            return
        match message:
            case ("next",):
                worker.running, worker.upcoming = worker.upcoming, self._take_next(worker)
                worker.pipe.send(worker.upcoming)
            case ("report", report):
                restored = self._hook.pytest_report_from_serializable(config=self._session.config, data=report)
                self._hook.pytest_runtest_logreport(report=restored)
            case ("warning", warning):
                self._hook.pytest_warning_recorded.call_historic(kwargs=warning)

    def _take_next(self, worker: _Worker) -> int | None:
        if self._session.shouldfail or self._session.shouldstop:
            return None
        if not worker.waiting:
            longest = max((other.waiting for other in self._workers.values()), key=len)
            half = [longest.pop() for _ in range((len(longest) + 1) // 2)]
            worker.waiting.extend(reversed(half))
        return worker.waiting.popleft() if worker.waiting else None

    def _end(self, worker: _Worker) -> None:
        """Let another process continue with what is left, if this one did not come to its end."""
        del self._workers[worker.pipe]
        worker.pipe.close()
        _, status = os.waitpid(worker.pid, 0)
        if status and worker.running is not None:
            self._report_death(self._session.items[worker.running], os.waitstatus_to_exitcode(status))
        left = deque(() if worker.upcoming is None else (worker.upcoming,)) + worker.waiting
        if left and not self._session.shouldfail:
            self._start(left)

    def _report_death(self, item: pytest.Item, exit_code: int) -> None:
        self._hook.pytest_runtest_logreport(
            report=pytest.TestReport(
                nodeid=item.nodeid,
                location=item.location,
                keywords={},
                outcome="failed",
                longrepr=f"The process of this test ended with exit code {exit_code}.",
                when="call",
            )
        )


def _divide(count: int, number: int) -> Iterator[range]:
    """Divide a list into parts of the same length."""
    for part in range(number):
        yield range(count * part // number, count * (part + 1) // number)


class _ReportSender:
    """Sends what a process has to say to its parent."""

    def __init__(self, config: pytest.Config, pipe: Connection) -> None:
        self._config = config
        self._pipe = pipe

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._pipe.send(("report", data))

    def pytest_warning_recorded(self, warning_message: Any, when: str, nodeid: str, location: Any) -> None:
        # What a warning is about may be anything, and stays here.
        warning_message.source = None
        kwargs = {"warning_message": warning_message, "when": when, "nodeid": nodeid, "location": location}
        self._pipe.send(("warning", kwargs))


def _work(session: pytest.Session, pipe: Connection) -> NoReturn:
    """Run tests in a forked process until none is left. What the parent has registered for its exit is not ours."""
    status = 0
    try:
        _separate_from_parent(session.config, pipe)
        _run_tests(session, pipe)
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        status = 2
    except BaseException:  # noqa: BLE001 - whatever it is, a fork must never continue with what its parent does
        traceback.print_exc()
        status = 3
    finally:
        try:
            session._setupstate.teardown_exact(None)
        finally:
            os._exit(status)


def _separate_from_parent(config: pytest.Config, pipe: Connection) -> None:
    plugins = config.pluginmanager
    plugins.unregister(name="terminalreporter")
    plugins.register(_ReportSender(config, pipe))
    # What tests print goes into a file, which processes would otherwise share.
    capture: Any = plugins.get_plugin("capturemanager")
    capture.stop_global_capturing()
    capture.start_global_capturing()
    factory: Any = config._tmp_path_factory  # type: ignore[attr-defined]  # pytest has no other way to divide it
    factory._basetemp = factory.mktemp(f"process-{os.getpid()}", numbered=False)
    random.seed()


def _run_tests(session: pytest.Session, pipe: Connection) -> None:
    upcoming = _ask_for_next(session, pipe)
    while upcoming is not None:
        item, upcoming = upcoming, _ask_for_next(session, pipe)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=upcoming)


def _ask_for_next(session: pytest.Session, pipe: Connection) -> pytest.Item | None:
    pipe.send(("next",))
    position: int | None = pipe.recv()
    return None if position is None else session.items[position]
