"""Services for attacks: one with the limits of a deployment, and one whose limits of time are short."""

import ssl
from collections.abc import Iterator

import msgspec
import pytest

from socialgate.web.connections import ConnectionLimits
from support.raw import RawConnection
from support.service import OwnerFixture, RunningService, running_service

# So short that a test can wait for them, and long enough for a busy machine to send a request in.
QUICK = ConnectionLimits(
    head_seconds=0.6, body_seconds=0.4, idle_seconds=0.8, stalled_seconds=0.4, max_drain_seconds=0.4
)


@pytest.fixture(scope="session")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), limits=ConnectionLimits(max_drain_seconds=0.2)) as running:
        yield running


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    with running_service(tmp_path_factory.mktemp("data"), limits=QUICK) as running:
        yield running


@pytest.fixture(scope="session")
def guarded_owner(guarded: RunningService) -> OwnerFixture:
    return guarded.new_owner()


@pytest.fixture(scope="session")
def quick_owner(quick: RunningService) -> OwnerFixture:
    return quick.new_owner()


class Door(msgspec.Struct, frozen=True):
    """A port on which strangers can knock, and an address there that answers a GET with `status`."""

    name: str
    port: int
    path: str
    status: int
    tls: ssl.SSLContext | None = None

    def knock(self) -> RawConnection:
        return RawConnection(self.port, self.tls)

    def head(self, *lines: str, method: str = "GET", path: str | None = None) -> bytes:
        """Give a head without its last line."""
        return "\r\n".join([f"{method} {path or self.path} HTTP/1.1", "Host: localhost", *lines, ""]).encode()


def _door(name: str, running: RunningService) -> Door:
    sandbox = running.sandbox
    if name == "api":
        return Door(name, running.settings.port, "/auth/me", 401)
    if name == "sandbox":
        return Door(name, int(sandbox.url.rpartition(":")[2]), "/_control", 200)
    return Door(name, sandbox.receiver_port, "/hook", 405, ssl.create_default_context(cafile=sandbox.ca_file))


@pytest.fixture(params=["api", "sandbox", "receiver"])
def client(request: pytest.FixtureRequest, guarded: RunningService) -> Door:
    return _door(request.param, guarded)


@pytest.fixture(params=["sandbox", "receiver"])
def quick_door(request: pytest.FixtureRequest, quick: RunningService) -> Door:
    return _door(request.param, quick)
