from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from sandbox.tiny import TINY
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture
def sandbox(tmp_path: Path, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path, [TINY], gateway.url) as running:
        yield running


@pytest.fixture
def ada(sandbox: RunningSandbox) -> Iterator[httpx.Client]:
    """Give a client that calls the tiny vendor with Ada's token."""
    headers = {"authorization": "Bearer token-of-ada"}
    with httpx.Client(base_url=f"{sandbox.url}/tiny", headers=headers, timeout=30) as client:
        yield client
