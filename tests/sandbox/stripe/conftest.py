from collections.abc import Iterator

import pytest

from sandbox.stripe.client import Merchant
from socialgate_sandbox.vendors.stripe import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="module")
def gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, gateway: Gateway) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("stripe"), [VENDOR], gateway.url) as running:
        yield running


@pytest.fixture
def merchant(opened: RunningSandbox, gateway: Gateway) -> Merchant:
    opened.start_anew(gateway)
    return Merchant(opened, gateway)
