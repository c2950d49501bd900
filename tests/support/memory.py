"""How much memory a process takes while something goes on, by looking again and again."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psutil

MIB = 1024 * 1024
_PAUSE_SECONDS = 0.01


class MemoryMonitor:
    """`peak` is the most that was seen, in MiB."""

    def __init__(self, pid: int) -> None:
        self._process = psutil.Process(pid)
        self.peak = 0.0

    def look(self) -> None:
        self.peak = max(self.peak, self._process.memory_info().rss / MIB)


@contextmanager
def monitor_memory(*pids: int) -> Iterator[list[MemoryMonitor]]:
    """Watch processes for as long as the block lasts."""
    processes, ended = [MemoryMonitor(pid) for pid in pids], threading.Event()

    def look() -> None:
        while not ended.wait(_PAUSE_SECONDS):
            for process in processes:
                process.look()

    for process in processes:
        process.look()
    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield processes
    finally:
        ended.set()
        thread.join()
