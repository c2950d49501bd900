"""A receiver, a service that sends to it, and a new owner for each test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import trustme

from socialgate.core.db import Tx
from socialgate.core.outbox import hooks
from support.receiver import Receiver
from support.service import OwnerFixture, RunningService, StartService


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Give who signs for all receivers, so that one service trusts each of them."""
    return trustme.CA()


@pytest.fixture
def receiver(tmp_path: Path, authority: trustme.CA) -> Iterator[Receiver]:
    with Receiver(tmp_path, authority=authority) as started:
        yield started


@pytest.fixture
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(**hook_settings(receiver.ca_file)) as started:
        yield started


@pytest.fixture(scope="module")
def shared(
    start_service: StartService, authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningService]:
    """Give one service to all tests of a file that names it in place of `running`. Its clock only goes forward."""
    ca_file = tmp_path_factory.mktemp("trust") / "ca.pem"
    authority.cert_pem.write_to_path(ca_file)
    with start_service(**hook_settings(ca_file)) as started:
        yield started


@pytest.fixture
def owner(running: RunningService) -> Iterator[OwnerFixture]:
    owner_fixture = running.new_owner()
    yield owner_fixture
    running.write(_switch_off, owner_fixture.id)


async def _switch_off(tx: Tx, owner_id: str) -> None:
    """Let nothing more be sent for an owner whose test is over."""
    await tx.execute(sa.update(hooks).where(hooks.c.owner_id == owner_id).values(active=False, deactivated_at=tx.now))


def hook_settings(ca_file: Path) -> dict[str, Any]:
    return {
        "hook_allow_nets": "127.0.0.0/8",
        "hook_ca_file": ca_file,
        "hook_deadline_seconds": 2,
        "hook_schedule": "5,30,120",
    }
