"""A line to a server that breaks in the middle, as lines do."""

import socket
import struct
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Self
from urllib.parse import urlsplit

_AT_ONCE = 1 << 16
_SECONDS = 120
# Closing with nothing to linger for resets the connection: neither side is told an end.
_LINGER_RESET = struct.pack("ii", 1, 0)


class CuttingProxy:
    """Give clients its `url` in place of the server's. Once `cut_after` bytes have gone to the server it breaks.

    A break takes with it what the kernel holds for the server, which is as much as the server is slow. `taken` waits
    until the server has read what a test counts on, before the break; `over` until it has noticed the break, before
    anybody can connect again.
    """

    def __init__(self, server_url: str) -> None:
        target = urlsplit(server_url)
        self._target = (str(target.hostname), int(target.port or 80))
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._left: int | None = None
        self._when_taken: Callable[[], object] = lambda: None
        self._when_over: Callable[[], object] = lambda: None
        self._whole = threading.Event()
        self._whole.set()
        self._lock = threading.Lock()
        self.cuts = 0
        self.passed = 0

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        # Waking the thread that accepts takes more than closing.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def cut_after(
        self, count: int, *, taken: Callable[[], object] = lambda: None, over: Callable[[], object] = lambda: None
    ) -> None:
        with self._lock:
            self._left, self._when_taken, self._when_over = count, taken, over

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self._whole.wait(_SECONDS)
                try:
                    server = socket.create_connection(self._target)
                except OSError:
                    client.close()
                    continue
                for pump in (self._pump_up, self._pump_down):
                    threading.Thread(target=pump, args=(client, server), daemon=True).start()

    def _pump_up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := client.recv(_AT_ONCE):
                passed = self._passes(len(data))
                server.sendall(data[:passed])
                if passed < len(data):
                    self._break(client, server)
                    return
            server.shutdown(socket.SHUT_WR)

    def _break(self, client: socket.socket, server: socket.socket) -> None:
        self._whole.clear()
        try:
            self._when_taken()
            _reset(client, server)
            self._when_over()
        finally:
            self._whole.set()

    def _pump_down(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while data := server.recv(_AT_ONCE):
                client.sendall(data)
        for side in (client, server):
            side.close()

    def _passes(self, count: int) -> int:
        """Return how many of so many bytes get through, and count them."""
        with self._lock:
            passed = count if self._left is None else min(count, self._left)
            self.passed += passed
            if passed < count:
                self._left = None
                self.cuts += 1
            elif self._left is not None:
                self._left -= passed
            return passed


def _reset(*sides: socket.socket) -> None:
    for side in sides:
        side.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_RESET)
        # The other pump still reads from it, and closing alone would wait for that.
        with suppress(OSError):
            side.shutdown(socket.SHUT_RD)
        side.close()
