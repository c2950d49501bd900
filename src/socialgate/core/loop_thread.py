"""A thread that runs slow calls for the event loop, one after the other.

An executor does the same with two futures, three locks and a semaphore for each call, which took the event loop twice
as long.
"""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

_Call = tuple["asyncio.Future[Any]", Callable[..., Any], tuple[Any, ...]]


class LoopThread:
    def __init__(self, name: str) -> None:
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        # A process that ends without closing it must not wait for it.
        threading.Thread(target=self._run, name=name, daemon=True).start()

    def run(self, call: Callable[..., T], *args: Any) -> "asyncio.Future[T]":
        """Run it after all calls before it. Whoever stops waiting does not stop the call."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._calls.put((future, call, args))
        return future

    def close(self) -> None:
        """End the thread after the last call."""
        self._calls.put(None)

    def _run(self) -> None:
        while (item := self._calls.get()) is not None:
            future, call, args = item
            try:
                result, error = call(*args), None
            except BaseException as failure:  # noqa: BLE001 - it is raised where it is awaited
                result, error = None, failure
            # A closed loop has nobody left who waits.
            with suppress(RuntimeError):
                future.get_loop().call_soon_threadsafe(_settle, future, result, error)
            # Nothing of it stays referenced until the next call.
            del item, future, call, args, result, error


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.done():
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
