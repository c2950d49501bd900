from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.openai.client import Service
from socialgate_sandbox.vendors.openai import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    folder: Path = tmp_path_factory.mktemp("openai")
    with running_sandbox(folder, [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def service(opened: RunningSandbox, gateway: WebhookReceiver) -> Iterator[Service]:
    opened.reset(gateway)
    service = Service(opened)
    yield service
    service.close()
