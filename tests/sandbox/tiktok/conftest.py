from collections.abc import Iterator

import pytest

from sandbox.media_host import MediaHost
from sandbox.tiktok.client import TikTok
from socialgate.sandbox.vendors.tiktok import VENDOR
from support.simulation import Gateway, RunningSandbox, running_sandbox


@pytest.fixture(scope="session")
def tiktok_gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def tiktok_sandbox(tmp_path_factory: pytest.TempPathFactory, tiktok_gateway: Gateway) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("tiktok"), [VENDOR], tiktok_gateway.url) as running:
        yield running


@pytest.fixture
def gateway(tiktok_gateway: Gateway) -> Gateway:
    tiktok_gateway.answers.clear()
    tiktok_gateway.arrived.clear()
    return tiktok_gateway


@pytest.fixture
def sandbox(tiktok_sandbox: RunningSandbox, gateway: Gateway) -> RunningSandbox:
    tiktok_sandbox.start_anew(gateway)
    return tiktok_sandbox


@pytest.fixture
def tiktok(sandbox: RunningSandbox, gateway: Gateway) -> TikTok:
    return TikTok(sandbox, gateway)


@pytest.fixture
def media() -> Iterator[MediaHost]:
    opened = MediaHost()
    yield opened
    opened.close()
