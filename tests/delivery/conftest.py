"""A receiver, a service that sends to it, and a new owner for each test."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.receiver import Receiver
from support.service import OwnerOf, RunningService, StartService


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    with Receiver(tmp_path) as started:
        yield started


@pytest.fixture
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(**hook_settings(receiver)) as started:
        yield started


@pytest.fixture
def owner(running: RunningService) -> OwnerOf:
    return running.new_owner()


def hook_settings(receiver: Receiver) -> dict[str, Any]:
    return {
        "hook_allow_nets": "127.0.0.0/8",
        "hook_ca_file": receiver.ca_file,
        "hook_deadline_seconds": 2,
        "hook_schedule": "5,30,120",
    }
