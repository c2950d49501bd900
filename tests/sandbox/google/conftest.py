from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.google.client import Google
from sandbox.media_host import MediaHost
from socialgate_sandbox.vendors.google import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture
def sandbox(tmp_path: Path, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path, [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def google(sandbox: RunningSandbox, gateway: WebhookReceiver) -> Google:
    return Google(sandbox, gateway)


@pytest.fixture
def media() -> Iterator[MediaHost]:
    opened = MediaHost()
    yield opened
    opened.close()
