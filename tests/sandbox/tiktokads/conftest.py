from collections.abc import Iterator

import pytest

from sandbox.tiktokads.client import TikTokAds
from socialgate.sandbox.vendors.tiktokads import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def tiktokads_gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tiktokads_sandbox(tmp_path_factory: pytest.TempPathFactory, tiktokads_gateway: Gateway) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("tiktokads"), [VENDOR], tiktokads_gateway.url) as running:
        yield running


@pytest.fixture
def gateway(tiktokads_gateway: Gateway) -> Gateway:
    tiktokads_gateway.answers.clear()
    tiktokads_gateway.arrived.clear()
    return tiktokads_gateway


@pytest.fixture
def sandbox(tiktokads_sandbox: RunningSandbox, gateway: Gateway) -> RunningSandbox:
    tiktokads_sandbox.start_anew(gateway)
    return tiktokads_sandbox


@pytest.fixture
def ads(sandbox: RunningSandbox, gateway: Gateway) -> Iterator[TikTokAds]:
    opened = TikTokAds(sandbox, gateway)
    yield opened
    opened.close()
