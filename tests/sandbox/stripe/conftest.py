from collections.abc import Iterator

import pytest

from sandbox.stripe.client import StripeClient
from socialgate_sandbox.vendors.stripe import VENDOR
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox


@pytest.fixture(scope="module")
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: WebhookReceiver) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("stripe"), [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def merchant(opened: RunningSandbox, gateway: WebhookReceiver) -> StripeClient:
    opened.reset(gateway)
    return StripeClient(opened, gateway)
