from collections.abc import Iterator

import pytest

from sandbox.wasender.client import WaSender
from socialgate_sandbox.vendors.wasender import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture(scope="session")
def wasender_gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def wasender_sandbox(
    tmp_path_factory: pytest.TempPathFactory, wasender_gateway: WebhookReceiver
) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("wasender"), [VENDOR], wasender_gateway.url) as running:
        yield running


@pytest.fixture
def wasender(wasender_sandbox: RunningSandbox, wasender_gateway: WebhookReceiver) -> WaSender:
    wasender_sandbox.reset(wasender_gateway)
    return WaSender(wasender_sandbox, wasender_gateway)
