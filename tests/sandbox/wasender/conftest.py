from collections.abc import Iterator

import pytest

from sandbox.wasender.client import WaSender
from socialgate_sandbox.vendors.wasender import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def wasender_gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def wasender_sandbox(tmp_path_factory: pytest.TempPathFactory, wasender_gateway: Gateway) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("wasender"), [VENDOR], wasender_gateway.url) as running:
        yield running


@pytest.fixture
def wasender(wasender_sandbox: RunningSandbox, wasender_gateway: Gateway) -> WaSender:
    wasender_sandbox.start_anew(wasender_gateway)
    return WaSender(wasender_sandbox, wasender_gateway)
