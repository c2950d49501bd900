"""The sandbox's ports. They are open before it is loaded: an early connection waits instead of being refused."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec

from socialgate_sandbox.kernel.settings import SandboxSettings

LISTEN_BACKLOG = 256


class ListeningSockets(NamedTuple):
    platforms: socket.socket
    receiver_socket: socket.socket


@contextmanager
def open_ports(settings: SandboxSettings) -> Iterator[tuple[SandboxSettings, ListeningSockets]]:
    """Listen while the block runs, and yield the settings with the real port numbers: port 0 takes any free port.

    Raises OSError if a port is in use.
    """
    with (
        _open_socket(settings.host, settings.port) as platforms,
        _open_socket(settings.host, settings.receiver_port) as receiver,
    ):
        port, receiver_port = platforms.getsockname()[1], receiver.getsockname()[1]
        yield (
            msgspec.structs.replace(settings, port=port, receiver_port=receiver_port),
            ListeningSockets(platforms, receiver),
        )


def _open_socket(host: str, port: int) -> socket.socket:
    return socket.create_server((host, port), backlog=LISTEN_BACKLOG)
